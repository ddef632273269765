//! A build as a job, with the real binary: killed, stopped, starved, run twice, on damaged and read-only directories.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

#[cfg(unix)]
use crate::common::cli::BINARY;
use crate::common::cli::{json, on, stderr, stdout};
use crate::common::files::{Files, assert_holds, contents, has_extension, names};
use crate::common::random::Random;
use crate::common::tables::built;
#[cfg(unix)]
use crate::common::tools;

/// The names of the tables that are there under their final name.
fn tables(directory: &Path) -> Vec<String> {
    names(directory).into_iter().filter(|name| has_extension(name, "mora")).collect()
}

fn is_half_written(directory: &Path) -> bool {
    names(directory).iter().any(|name| has_extension(name, "tmp"))
}

/// Runs a build that must succeed.
pub(crate) fn build(args: &[&str], directory: &Path) -> Output {
    let output = on(directory, args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
    output
}

/// Runs a build that must fail with this status and one error that says these things; gives the error.
pub(crate) fn refused(args: &[&str], directory: &Path, status: i32, says: &[&str]) -> String {
    let output = on(directory, args).output().unwrap();
    let complaint = stderr(&output);
    assert_eq!(output.status.code(), Some(status), "{args:?}: {complaint}");
    assert!(complaint.matches("error: ").count() == 1 && !complaint.contains("panicked"), "{args:?}: {complaint}");
    for says in says {
        assert!(complaint.contains(says), "{args:?}: expected {says:?} in: {complaint}");
    }
    complaint
}

fn spawn(args: &[&str], directory: &Path) -> Child {
    on(directory, args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Runs a build of a class and returns when it holds its lock. The lock file is there a moment earlier, but leftovers are
/// removed only by a build that holds the lock.
#[cfg(unix)]
fn spawn_locked(class: &str, args: &[&str], directory: &Path) -> Child {
    let leftover = directory.join(format!("{class}.mora.17-0.tmp"));
    fs::write(&leftover, "left").unwrap();
    let mut child = spawn(args, directory);
    wait_until(&mut child, "it holds its lock", || !leftover.exists());
    child
}

/// Waits until something is so, which must be before the child has ended.
fn wait_until(child: &mut Child, what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(child.try_wait().unwrap().is_none(), "the build ended before {what}");
        assert!(began.elapsed() < Duration::from_secs(300), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// What an uninterrupted build of all classes up to eight cows together leaves.
fn reference() -> &'static Files {
    static REFERENCE: OnceLock<Files> = OnceLock::new();
    REFERENCE.get_or_init(|| {
        let files = contents(built("gar", &["--max-cows", "8", "--threads", "2"]).path());
        assert_eq!(
            files.keys().collect::<Vec<_>>(),
            ["3-3.mora", "3-4.mora", "3-5.mora", "4-3.mora", "4-4.mora", "5-3.mora"]
        );
        files
    })
}

/// The part of the reference up to some number of cows together.
fn reference_up_to(cows: u32) -> Files {
    let cows_of = |name: &str| name[..1].parse::<u32>().unwrap() + name[2..3].parse::<u32>().unwrap();
    reference().iter().filter(|(name, _)| cows_of(name) <= cows).map(|(n, b)| (n.clone(), b.clone())).collect()
}

/// A directory with the tables up to some number of cows together.
fn directory_with(cows: u32) -> TempDir {
    let directory = TempDir::new().unwrap();
    for (name, bytes) in reference_up_to(cows) {
        fs::write(directory.path().join(name), bytes).unwrap();
    }
    directory
}

/// Whatever has happened: a file under the name of a table is that table, whole.
fn assert_tables_whole(directory: &Path, when: &str) {
    assert_tables_are_of(reference(), directory, when);
}

fn assert_tables_are_of(expected: &Files, directory: &Path, when: &str) {
    for name in tables(directory) {
        assert!(fs::read(directory.join(&name)).unwrap() == expected[&name], "{name} is not whole {when}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    for threads in ["1", "3"] {
        let directory = TempDir::new().unwrap();
        build(&["build", "--max-cows", "8", "--threads", threads], directory.path());
        assert_holds(directory.path(), reference(), &format!("with {threads} threads"));
    }
}

#[test]
fn killed_at_random_points_a_build_goes_on_and_ends_with_the_same_bytes() {
    kill(&["build", "--max-cows", "7", "--quiet"], &reference_up_to(7), 20);
}

/// Kills a build so many times at random points, most times with what the ones before left; every table is whole after each, and in the end
/// there are these files.
pub(crate) fn kill(args: &[&str], expected: &Files, most: usize) {
    let mut random = Random::new(17);
    let mut directory = TempDir::new().unwrap();
    let began = Instant::now();
    build(args, directory.path());
    let whole = began.elapsed().as_micros() as u64;
    let (mut kills, mut attempts) = (0, 0);
    let mut found = BTreeMap::<usize, usize>::new();
    while kills < most {
        attempts += 1;
        assert!(attempts < 20 * most, "builds end too soon to be killed: {kills} kills");
        // Now and then from nothing, and killed early, as otherwise most kills would find the first pair done.
        let early = kills % 5 < 2;
        if early {
            directory = TempDir::new().unwrap();
        }
        let mut child = spawn(args, directory.path());
        std::thread::sleep(Duration::from_micros(random.below(if early { whole / 20 } else { whole })));
        if child.try_wait().unwrap().is_some() {
            // Ended by itself: also where the one before was killed with nothing left to do but to remove its lock.
            assert_holds(directory.path(), expected, &format!("after {kills} kills"));
            directory = TempDir::new().unwrap();
            continue;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        assert_tables_are_of(expected, directory.path(), &format!("after kill {kills}"));
        *found.entry(tables(directory.path()).len()).or_default() += 1;
    }
    build(args, directory.path());
    assert_holds(directory.path(), expected, "after all kills");
    assert!(found.len() > 1, "kills at several stages: tables there, and how often: {found:?}");
}

#[test]
fn a_build_that_finds_everything_removes_the_lock_of_a_killed_one() {
    let directory = directory_with(7);
    for name in [".morabase.lock", ".4-3.lock", ".2-3+1-1.lock"] {
        fs::write(directory.path().join(name), "").unwrap();
    }
    fs::write(directory.path().join(".4-3.locked"), "").unwrap();
    build(&["build", "--max-cows", "7", "--quiet"], directory.path());
    fs::remove_file(directory.path().join(".4-3.locked")).unwrap();
    assert_holds(directory.path(), &reference_up_to(7), "with locks left over");
}

#[test]
fn a_whole_build_removes_the_lock_of_a_killed_build_of_a_class() {
    let directory = directory_with(7);
    let mut child = spawn(&["build", "--class", "4-4", "--only", "--quiet"], directory.path());
    wait_until(&mut child, "its lock", || directory.path().join(".4-4.lock").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(directory.path().join(".4-4.lock").exists());
    build(&["build", "--max-cows", "8", "--quiet"], directory.path());
    assert_holds(directory.path(), reference(), "after a build of a class was killed");
}

#[test]
fn a_request_that_is_met_is_done_while_another_build_is_at_work() {
    let directory = directory_with(7);
    fs::write(directory.path().join("3-3.mora.17-0.tmp"), "left").unwrap();
    let mut child = spawn(&["build", "--max-cows", "8", "--quiet"], directory.path());
    wait_until(&mut child, "its lock", || directory.path().join(".morabase.lock").exists());
    let output = build(&["build", "--max-cows", "7"], directory.path());
    assert!(String::from_utf8_lossy(&output.stdout).contains("built 0 of 2 pairs, 2 already existed: "));
    assert!(child.try_wait().unwrap().is_none(), "the other build is still at work");
    build(&["build", "--class", "4-3", "--only", "--quiet"], directory.path());
    assert!(child.wait().unwrap().success());
    assert_holds(directory.path(), reference(), "built while others asked");
}

#[test]
fn killed_while_a_table_is_written_a_build_leaves_no_part_of_it_under_its_name() {
    let args = ["build", "--max-cows", "8", "--quiet"];
    let directory = directory_with(7);
    let mut caught = 0;
    for attempt in 0..10 {
        let mut child = spawn(&args, directory.path());
        wait_until(&mut child, "a temporary file", || is_half_written(directory.path()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_tables_whole(directory.path(), &format!("after kill {attempt}"));
        caught += usize::from(is_half_written(directory.path()));
        // Begin the stage again from what is there now, or with a missing twin.
        for name in ["4-4.mora", "3-5.mora"] {
            let _ = fs::remove_file(directory.path().join(name));
        }
        if caught == 3 {
            break;
        }
    }
    assert!(caught > 0, "a kill came between the creation of a temporary file and its renaming");
    build(&args, directory.path());
    assert_holds(directory.path(), reference(), "after kills while writing");
}

#[test]
fn leftovers_of_killed_builds_are_removed_and_nothing_else() {
    let directory = directory_with(6);
    for name in ["3-3.mora.17-0.tmp", "9-8.mora.1-0.tmp", "notes.tmp", "4-3.mora.bak"] {
        fs::write(directory.path().join(name), "left").unwrap();
    }
    // A pair alone shares the directory: what others are writing is theirs.
    build(&["build", "--class", "3-3", "--only", "--quiet"], directory.path());
    assert!(!directory.path().join("3-3.mora.17-0.tmp").exists());
    assert!(directory.path().join("9-8.mora.1-0.tmp").exists());
    build(&["build", "--max-cows", "6", "--quiet"], directory.path());
    assert_eq!(names(directory.path()), ["3-3.mora", "4-3.mora.bak", "notes.tmp"]);
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
#[cfg(unix)]
fn an_interrupted_build_stops_in_order_and_goes_on_later() {
    let directory = TempDir::new().unwrap();
    let args = ["build", "--max-cows", "8"];
    for (name, table) in [("INT", "3-3.mora"), ("TERM", "4-3.mora")] {
        let mut child = spawn(&args, directory.path());
        wait_until(&mut child, table, || directory.path().join(table).exists());
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(130), "{said}");
        assert!(said.contains("stopping") && said.contains("error: stopped; "), "{said}");
        assert_tables_whole(directory.path(), "after an interrupt");
        let strays = names(directory.path()).into_iter().filter(|name| !has_extension(name, "mora"));
        assert_eq!(strays.collect::<Vec<_>>(), [""; 0]);
    }
    build(&args, directory.path());
    assert_holds(directory.path(), reference(), "after interrupts");
}

#[test]
#[cfg(unix)]
fn an_interrupt_while_a_table_is_written_waits_for_it() {
    let directory = directory_with(7);
    let mut child = spawn(&["build", "--max-cows", "8"], directory.path());
    wait_until(&mut child, "a temporary file", || is_half_written(directory.path()));
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(directory.path().join("4-4.mora").exists(), "what was solved was kept: {said}");
    assert_tables_whole(directory.path(), "after an interrupt");
    assert!(!is_half_written(directory.path()));
}

#[test]
#[cfg(unix)]
fn a_hang_up_does_not_stop_a_build_that_ignores_it() {
    let directory = directory_with(7);
    let script = r#"trap "" HUP; exec "$0" build --class 4-4 --quiet --tables "$1""#;
    let mut child = Command::new("sh").args(["-c", script]).arg(BINARY).arg(directory.path()).spawn().unwrap();
    wait_until(&mut child, "the lock", || directory.path().join(".4-4.lock").exists());
    signal(&child, "HUP");
    assert!(child.wait().unwrap().success());
    assert!(directory.path().join("4-4.mora").exists());
}

#[test]
fn a_second_build_in_a_directory_is_refused_until_the_first_has_died() {
    let directory = TempDir::new().unwrap();
    let mut child = spawn(&["build", "--max-cows", "8", "--quiet"], directory.path());
    wait_until(&mut child, "3-3", || directory.path().join("3-3.mora").exists());
    refused(&["build", "--max-cows", "8"], directory.path(), 1, &["another build", "morabase.lock"]);
    child.kill().unwrap();
    child.wait().unwrap();
    build(&["build", "--max-cows", "7", "--quiet"], directory.path());
    assert_holds(directory.path(), &reference_up_to(7), "after the first was killed");
}

#[test]
#[cfg(unix)]
fn pairs_with_all_they_need_are_built_side_by_side() {
    let directory = directory_with(7);
    let args = ["build", "--class", "4-4", "--threads", "1", "--quiet"];
    let first = &mut spawn_locked("4-4", &args, directory.path());
    // Held up, or it might end before the others begin.
    signal(first, "STOP");
    refused(&["build", "--class", "4-4", "--only"], directory.path(), 1, &["another build", ".4-4.lock"]);
    refused(&["build", "--max-cows", "8"], directory.path(), 1, &["another build"]);
    build(&["build", "--class", "3-5", "--only", "--threads", "1"], directory.path());
    signal(first, "CONT");
    assert!(first.wait().unwrap().success());
    assert_holds(directory.path(), reference(), "built side by side");
}

#[test]
#[cfg(unix)]
fn make_builds_the_same_bytes_with_two_workers() {
    if !tools::have(&["make"]) {
        return;
    }
    let directory = directory_with(6);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/build.mk");
    let variable = |name: &str, value: &Path| format!("{name}={}", value.display());
    let mut make = Command::new("make");
    make.arg("-j2").arg("-f").arg(file).args(["RULES=gar", "MAX_COWS=8"]);
    make.args([variable("MORABASE", BINARY.as_ref()), variable("TABLES", directory.path())]);
    stdout(&mut make);
    assert_holds(directory.path(), reference(), "built by make");
}

#[test]
fn a_pair_alone_is_refused_where_something_is_missing() {
    let parent = TempDir::new().unwrap();
    let nowhere = parent.path().join("nowhere");
    refused(&["build", "--class", "4-4", "--only"], &nowhere, 2, &["4-4 cannot be built: 3-3, 3-4, 4-3 missing"]);
    assert!(!nowhere.exists());
    // Without --only it brings what it needs.
    build(&["build", "--class", "4-3", "--quiet"], &nowhere);
    assert_holds(&nowhere, &reference_up_to(7), "with what it needs");
}

#[test]
fn a_damaged_dependency_is_found_and_one_that_is_gone_is_built_again() {
    let directory = directory_with(7);
    let path = directory.path().join("4-3.mora");
    let whole = fs::read(&path).unwrap();
    let with_flip = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 4;
        fs::write(&path, bytes).unwrap();
    };
    let unchanged = |when: &str| {
        assert_eq!(names(directory.path()), ["3-3.mora", "3-4.mora", "4-3.mora"], "{when}");
    };

    with_flip(whole.len() - 1);
    build(&["build", "--max-cows", "7"], directory.path());
    refused(
        &["build", "--max-cows", "7", "--recheck"],
        directory.path(),
        1,
        &["4-3.mora", "damaged", "remove the file"],
    );
    refused(&["build", "--max-cows", "8"], directory.path(), 1, &["4-3.mora", "damaged", "checksum"]);
    unchanged("after a flip in the data");

    with_flip(40);
    refused(&["build", "--max-cows", "7"], directory.path(), 1, &["4-3.mora", "damaged"]);
    for length in [0, 10, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        refused(&["build", "--max-cows", "8"], directory.path(), 1, &["4-3.mora"]);
    }
    fs::copy(directory.path().join("3-3.mora"), &path).unwrap();
    refused(&["build", "--max-cows", "8"], directory.path(), 1, &["4-3.mora", "holds class 3-3"]);
    unchanged("after cuts and copies");

    fs::remove_file(&path).unwrap();
    build(&["build", "--max-cows", "8", "--recheck"], directory.path());
    assert_holds(directory.path(), reference(), "after a dependency was removed");
}

#[test]
fn overwriting_builds_even_what_is_damaged_anew() {
    let directory = directory_with(6);
    fs::write(directory.path().join("3-3.mora"), "damaged").unwrap();
    refused(&["build", "--max-cows", "6"], directory.path(), 1, &["3-3.mora", "not a table"]);
    build(&["build", "--max-cows", "6", "--overwrite"], directory.path());
    assert_holds(directory.path(), &reference_up_to(6), "overwritten");
}

#[test]
fn wrong_requests_change_nothing() {
    let directory = directory_with(6);
    let canonical = |name: &str| crate::common::text::rules(name).to_string();
    let (gar, plain) = (canonical("gar"), canonical("plain"));
    for command in ["build", "plan"] {
        let other = [command, "--rules", "plain", "--max-cows", "6"];
        refused(
            &other,
            directory.path(),
            2,
            &["3-3.mora", "other rules", &gar, &plain, "--tables tables-plain, or --rules gar (and no other"],
        );
        for request in
            [&["--max-cows", "5"][..], &["--max-cows", "-1"], &["--max-cows", "25"], &["--max-cows", "99999999999"]]
        {
            refused(&[&[command], request].concat(), directory.path(), 2, &[]);
        }
        for request in [
            &["--game", "--max-cows", "7"][..],
            &["--game", "--only"],
            &["--class", "2-2+9-9"],
            &["--class", "9-9+1-2"],
        ] {
            refused(&[&[command], request].concat(), directory.path(), 2, &[]);
        }
        for request in
            [&["--class", "2-3"][..], &["--class", "13-3"], &["--class", "4"], &["--only", "--max-cows", "7"], &[]]
        {
            refused(&[&[command], request].concat(), directory.path(), 2, &[]);
        }
        let nine = [command, "--rules", "nine-mens-morris", "--max-cows", "19"];
        refused(&nine, directory.path(), 2, &["19 cows together: expected 6 to 18 under these rules"]);
        refused(
            &[command, "--max-cows", "7", "--memory", "1M"],
            directory.path(),
            2,
            &["needs at least 2", "MiB of memory", "and 1 MiB are allowed"],
        );
        let file = directory.path().join("3-3.mora");
        refused(&[command, "--max-cows", "6"], &file, 2, &["expected a directory"]);
        refused(&[command, "--max-cows", "6"], &file.join("under"), 2, &[]);
    }
    assert_holds(directory.path(), &reference_up_to(6), "after wrong requests");
}

#[test]
fn a_memory_limit_is_kept_with_fewer_tables_in_memory_and_the_same_bytes() {
    let directory = directory_with(7);
    let plan = json(&mut on(directory.path(), &["plan", "--class", "5-3", "--json"]));
    let last = plan["pairs"].as_array().unwrap().last().unwrap();
    let least = last["least_memory"].as_u64().unwrap();
    assert!(least < last["memory"].as_u64().unwrap(), "there is something to save: {last}");
    let output = build(&["build", "--class", "5-3", "--memory", &least.to_string()], directory.path());
    assert!(stderr(&output).contains("of memory (limit "), "{}", stderr(&output));
    refused(&["build", "--class", "4-4", "--memory", &(least / 2).to_string()], directory.path(), 2, &["(for 4-4)"]);
    for name in ["5-3.mora", "3-5.mora"] {
        assert!(fs::read(directory.path().join(name)).unwrap() == reference()[name], "{name}");
    }
}

#[test]
fn progress_is_lines_without_a_terminal_and_nothing_when_quiet() {
    let directory = TempDir::new().unwrap();
    let said = stderr(&build(&["build", "--max-cows", "7"], directory.path()));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 4, "{said}");
    assert!(lines[0].starts_with("gar: 2 of 2 pairs to build, 2,018,750 entries, needs 2"), "{said}");
    assert!(lines[1].starts_with("3-3: 210,140 entries in "), "{said}");
    assert!(lines[2].starts_with("4-3: ") && lines[2].contains("a second") && lines[2].contains(" left"), "{said}");
    assert!(lines[3].starts_with("finished in "), "{said}");
    assert!(!said.contains(['\r', '\u{1b}']), "{said}");
    let again = stderr(&build(&["build", "--max-cows", "7"], directory.path()));
    assert!(again.starts_with("gar: 0 of 2 pairs to build, 0 entries\n"), "{again}");
    for name in ["3-3.mora", "4-3.mora"] {
        fs::remove_file(directory.path().join(name)).unwrap();
    }
    let quiet = build(&["build", "--max-cows", "7", "--quiet", "--json"], directory.path());
    assert_eq!(stderr(&quiet), "");
    let report: Value = serde_json::from_slice(&quiet.stdout).unwrap();
    let pairs = report["built"].as_array().unwrap().iter().map(|built| built["pair"].as_str().unwrap());
    assert_eq!(pairs.collect::<Vec<_>>(), ["3-3", "4-3"]);
}

#[test]
fn a_plan_changes_nothing_and_gives_the_graph_and_what_is_there() {
    let parent = TempDir::new().unwrap();
    let nowhere = parent.path().join("nowhere");
    let plan = json(&mut on(&nowhere, &["plan", "--max-cows", "24", "--json"]));
    assert!(!nowhere.exists());
    assert_eq!(plan["entries"], 17_048_389_791_u64);
    assert_eq!(plan["positions"], 16_528_583_563_u64);
    let pairs = plan["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 55);
    for (at, pair) in pairs.iter().enumerate() {
        for need in pair["needs"].as_array().unwrap() {
            assert!(pairs[..at].iter().any(|before| before["pair"] == *need), "{need} comes before {pair}");
        }
        assert!(pair["seconds"].as_f64().unwrap() > 0.0 && pair["bytes"].as_u64().unwrap() > 0);
        assert!(pair["memory"].as_u64() >= pair["least_memory"].as_u64());
    }
    let largest = pairs.iter().find(|pair| pair["pair"] == "9-8").unwrap();
    assert!(largest["memory"].as_u64().unwrap() <= 8 << 30, "the largest pair fits 8 GiB: {largest}");

    let directory = directory_with(7);
    fs::remove_file(directory.path().join("3-4.mora")).unwrap();
    let plan = json(&mut on(directory.path(), &["plan", "--class", "4-4", "--json"]));
    let there = |at: usize| (plan["pairs"][at]["present"].clone(), plan["pairs"][at]["done"].clone());
    assert_eq!(there(0), (serde_json::json!(["3-3"]), Value::Bool(true)));
    assert_eq!(there(1), (serde_json::json!(["4-3"]), Value::Bool(false)));
    assert_eq!(plan["pairs"][2]["needs"], serde_json::json!(["3-3", "4-3"]));
    assert_eq!(plan["pairs"][1]["files"], serde_json::json!(["4-3.mora", "3-4.mora"]));
    let needs = stdout(&mut on(directory.path(), &["plan", "--class", "4-4", "--needs"]));
    assert_eq!(needs, "3-3:\n4-3: 3-3\n4-4: 3-3 4-3\n");
    let text = stdout(&mut on(directory.path(), &["plan", "--class", "4-4"]));
    assert!(text.contains("4-3 is there") && text.contains("1 of 3 pairs exist already"), "{text}");
}

/// Runs a script where file systems may be mounted, out of sight of everybody else, and one is mounted at the directory. Its
/// arguments are the binary and the directory. What it printed, the errors of the builds among it; nothing if mounting is not
/// allowed here.
#[cfg(target_os = "linux")]
fn with_mounts(script: &str, directory: &Path) -> Option<String> {
    let script = format!("exec 2>&1\nmount -t tmpfs none \"$1\" || exit 99\n{script}\nexit 0");
    let mut refusals = String::new();
    for namespaces in ["-rm", "-m"] {
        let mut command = Command::new("unshare");
        command.args([namespaces, "sh", "-c", &script, BINARY]).arg(directory).env("NO_COLOR", "1");
        let output = match command.output() {
            Ok(output) => output,
            Err(error) => {
                refusals = error.to_string();
                continue;
            }
        };
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        match output.status.code() {
            Some(0) => return Some(said),
            // From `unshare` itself, and where there is nothing mounted.
            Some(1 | 99) => refusals = said + &stderr(&output),
            _ => panic!("{said}{}", stderr(&output)),
        }
    }
    tools::left_out(&format!("file systems cannot be mounted: {refusals}"));
    None
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_finished_tables_and_nothing_half_written() {
    let kept = TempDir::new().unwrap();
    // Room for 3-3 and 4-3, and for half of 3-4.
    let kib = |name: &str| reference()[name].len().div_ceil(4096) * 4;
    let size = kib("3-3.mora") + kib("4-3.mora") + kib("3-4.mora") / 2;
    let script = format!(
        r#"mount -o remount,size={size}k "$1"
        "$0" build --max-cows 7 --tables "$1/t"; echo "status $?"
        cp -r "$1/t" "{kept}/full"
        mount -o remount,size=10m "$1"
        "$0" build --max-cows 7 --quiet --tables "$1/t"; echo "status $?"
        cp -r "$1/t" "{kept}/roomy""#,
        kept = kept.path().display()
    );
    let place = TempDir::new().unwrap();
    if let Some(said) = with_mounts(&script, place.path()) {
        let (full, roomy) = said.split_once("status 1\n").unwrap_or_else(|| panic!("{said}"));
        assert!(
            full.contains("error: ") && full.contains("3-4.mora: cannot") && full.contains("No space left"),
            "{said}"
        );
        assert!(roomy.contains("status 0\n"), "{said}");
        assert_eq!(names(&kept.path().join("full")), ["3-3.mora", "4-3.mora"]);
        assert_tables_whole(&kept.path().join("full"), "on a full disk");
        assert_holds(&kept.path().join("roomy"), &reference_up_to(7), "once there is room");
    }
}

#[test]
#[cfg(unix)]
fn a_file_that_may_not_grow_leaves_finished_tables_and_nothing_half_written() {
    let directory = TempDir::new().unwrap();
    // In units of 512 or 1024 bytes, as the shell has it: enough for 3-3 and 4-3, not for 3-4.
    let most = reference()["3-3.mora"].len().max(reference()["4-3.mora"].len()).div_ceil(512);
    assert!(most * 1024 < reference()["3-4.mora"].len());
    let script = format!(r#"ulimit -f {most}; exec "$0" build --max-cows 7 --tables "$1""#);
    let output = Command::new("sh").args(["-c", &script]).arg(BINARY).arg(directory.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("3-4.mora: cannot ") && stderr(&output).contains("File too large"),
        "{}",
        stderr(&output)
    );
    assert_eq!(names(directory.path()), ["3-3.mora", "4-3.mora"]);
    assert_tables_whole(directory.path(), "after a write failed");
    build(&["build", "--max-cows", "7", "--quiet"], directory.path());
    assert_holds(directory.path(), &reference_up_to(7), "once files may grow");
}

#[test]
#[cfg(target_os = "linux")]
fn an_unwritable_directory_is_refused_unless_all_is_there() {
    // Nobody, root neither, can create anything here.
    refused(&["build", "--max-cows", "6"], Path::new("/proc/morabase"), 2, &["/proc/morabase: cannot create"]);
    let directory = directory_with(6);
    let script = format!(
        r#"cp "{}"/* "$1"; touch "$1/3-3.mora.17-0.tmp" "$1/.morabase.lock" "$1/.3-3.lock"; mount -o remount,ro "$1"
        "$0" build --max-cows 6 --tables "$1"; echo "status $?"
        "$0" build --max-cows 7 --tables "$1"; echo "status $?""#,
        directory.path().display()
    );
    let place = TempDir::new().unwrap();
    if let Some(said) = with_mounts(&script, place.path()) {
        let (all_there, missing) = said.split_once("status 0\n").unwrap_or_else(|| panic!("{said}"));
        assert!(all_there.contains("built 0 of 1 pairs, 1 already existed: "), "{said}");
        assert!(missing.contains("Read-only file system") && missing.ends_with("status 2\n"), "{said}");
    }
    let mut permissions = fs::metadata(directory.path()).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o555);
    fs::set_permissions(directory.path(), permissions.clone()).unwrap();
    // Root may write all the same; there it is the read-only file system above that shows it.
    if fs::write(directory.path().join("probe"), "").is_err() {
        refused(&["build", "--max-cows", "7"], directory.path(), 2, &["Permission denied"]);
        build(&["build", "--max-cows", "6"], directory.path());
    }
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    fs::set_permissions(directory.path(), permissions).unwrap();
}

#[test]
#[cfg(unix)]
fn a_directory_that_vanishes_ends_the_build_with_its_tables_intact() {
    let parent = TempDir::new().unwrap();
    let (here, away) = (parent.path().join("tables"), parent.path().join("away"));
    let mut child = spawn(&["build", "--max-cows", "8"], &here);
    wait_until(&mut child, "3-3", || here.join("3-3.mora").exists());
    fs::rename(&here, &away).unwrap();
    // An empty directory in its place, as a mount point is one.
    fs::create_dir(&here).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let says = stderr(&output);
    assert!(says.contains("no longer the directory") || says.contains("cannot rename"), "{says}");
    assert_eq!(names(&here), [""; 0], "nothing is written into what is there instead");
    assert_tables_whole(&away, "where they were moved to");
    build(&["build", "--max-cows", "7", "--quiet"], &away);
    assert_holds(&away, &reference_up_to(7), "where they were moved to");
}

/// Builds a pair, and when its first table is there moves the directory away; `replace` makes what is there then. The second table must not
/// get there.
#[cfg(unix)]
fn replaced_between_the_tables_of_a_pair(replace: impl Fn(&Path, &Path)) {
    let parent = TempDir::new().unwrap();
    let (here, away) = (parent.path().join("tables"), parent.path().join("away"));
    fs::create_dir(&here).unwrap();
    for (name, bytes) in reference_up_to(7) {
        fs::write(here.join(name), bytes).unwrap();
    }
    let mut child = spawn(&["build", "--class", "5-3", "--only", "--threads", "1"], &here);
    wait_until(&mut child, "5-3", || here.join("5-3.mora").exists());
    fs::rename(&here, &away).unwrap();
    replace(&here, &away);
    // A lock that stands in both places is the build's own and goes with it.
    let but_locks = |mut files: Files| {
        files.retain(|name, _| !has_extension(name, "lock"));
        files
    };
    let before = but_locks(contents(&here));
    let output = child.wait_with_output().unwrap();
    let says = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{says}");
    assert!(says.contains("no longer the directory") && says.matches("error: ").count() == 1, "{says}");
    assert!(but_locks(contents(&here)) == before, "nothing is written into what was put in place of the other");
    assert_tables_whole(&away, "where they were moved to");
}

#[test]
#[cfg(unix)]
fn a_directory_replaced_between_two_tables_gets_nothing() {
    replaced_between_the_tables_of_a_pair(|here, _| fs::create_dir(here).unwrap());
    // Not even where it holds the same files, the lock among them.
    replaced_between_the_tables_of_a_pair(|here, away| {
        fs::create_dir(here).unwrap();
        for name in names(away) {
            fs::hard_link(away.join(&name), here.join(&name)).unwrap();
        }
    });
}

#[test]
fn a_table_that_vanishes_during_a_build_is_named_with_status_1() {
    // What the next step is built on.
    let directory = directory_with(7);
    let mut child = spawn(&["build", "--max-cows", "8"], directory.path());
    wait_until(&mut child, "4-4", || directory.path().join("4-4.mora").exists());
    fs::remove_file(directory.path().join("3-3.mora")).unwrap();
    assert_lost(child, "3-3");
    build(&["build", "--max-cows", "8", "--quiet"], directory.path());
    assert_holds(directory.path(), reference(), "after what was lost was built again");
    // What nothing else is built on.
    for name in ["4-4.mora", "5-3.mora", "3-5.mora"] {
        fs::remove_file(directory.path().join(name)).unwrap();
    }
    let mut child = spawn(&["build", "--max-cows", "8"], directory.path());
    wait_until(&mut child, "4-4", || directory.path().join("4-4.mora").exists());
    fs::remove_file(directory.path().join("4-4.mora")).unwrap();
    assert_lost(child, "4-4");
    build(&["build", "--max-cows", "8", "--quiet"], directory.path());
    assert_holds(directory.path(), reference(), "after what was lost was built again");
}

fn assert_lost(child: Child, class: &str) {
    let output = child.wait_with_output().unwrap();
    let says = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{says}");
    let expected = format!("tables vanished while the build was running: {class}; run the same command again");
    assert!(says.contains(&expected) && !says.contains("--only"), "{says}");
}

#[test]
#[cfg(unix)]
fn a_finished_table_that_is_cut_short_during_a_build_is_noticed_at_the_end() {
    let directory = TempDir::new().unwrap();
    let mut child = spawn(&["build", "--class", "4-4", "--quiet"], directory.path());
    let finished = directory.path().join("4-3.mora");
    // Nobody reads the others any more.
    let writes_last = || names(directory.path()).iter().any(|name| name.starts_with("4-4.mora."));
    wait_until(&mut child, "the last is written", writes_last);
    signal(&child, "STOP");
    let length = finished.metadata().unwrap().len();
    fs::OpenOptions::new().write(true).open(&finished).unwrap().set_len(length - 1).unwrap();
    signal(&child, "CONT");
    let output = child.wait_with_output().unwrap();
    let says = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{says}");
    assert!(says.contains("4-3.mora: ") && says.matches("error: ").count() == 1, "{says}");
}

#[test]
fn a_dependency_that_is_truncated_under_a_memory_limit_is_an_error_and_no_crash() {
    let mut errors = 0;
    for wait in [0, 20, 100, 400] {
        let directory = directory_with(7);
        let plan = json(&mut on(directory.path(), &["plan", "--class", "5-3", "--json"]));
        let least = plan["pairs"].as_array().unwrap().last().unwrap()["least_memory"].as_u64().unwrap();
        let args = ["build", "--class", "5-3", "--only", "--threads", "1", "--memory", &least.to_string()];
        let mut child = spawn(&args, directory.path());
        wait_until(&mut child, "its lock", || directory.path().join(".5-3.lock").exists());
        std::thread::sleep(Duration::from_millis(wait));
        for name in ["3-3.mora", "4-3.mora", "3-4.mora"] {
            let file = fs::OpenOptions::new().write(true).open(directory.path().join(name)).unwrap();
            file.set_len(4096).unwrap();
        }
        let output = child.wait_with_output().unwrap();
        let says = stderr(&output);
        match output.status.code() {
            // Nothing more was asked of them.
            Some(0) => {
                for name in ["5-3.mora", "3-5.mora"] {
                    assert!(fs::read(directory.path().join(name)).unwrap() == reference()[name], "{name}");
                }
            }
            Some(1) => {
                assert!(says.contains(".mora: ") && says.matches("error: ").count() == 1, "{says}");
                errors += 1;
            }
            _ => panic!("{:?}: {says}", output.status),
        }
    }
    assert!(errors > 0, "some were truncated in time");
}

/// A table with other bytes at some place of its head, and a checksum that fits.
fn forge(file: &Path, at: usize, new: &[u8]) {
    crate::common::files::change(file, |bytes| {
        bytes[at..at + new.len()].copy_from_slice(new);
        let head = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[..head - 8]);
        bytes[head - 8..head].copy_from_slice(&checksum.to_le_bytes());
    });
}

#[test]
fn a_forged_head_is_refused_by_all_alike() {
    const POSITION: &str = "W:Wa7,d7,g1,b4:Bb6,d6,c5";
    let board = (104, 1u32.to_le_bytes());
    let blocks = (36, 1u32.to_le_bytes());
    for (at, new) in [board, blocks] {
        let directory = directory_with(7);
        forge(&directory.path().join("4-3.mora"), at, &new);
        let says = ["4-3.mora: the file is damaged: head: expected "];
        refused(&["build", "--max-cows", "8"], directory.path(), 1, &says);
        refused(&["build", "--class", "4-4", "--only"], directory.path(), 1, &says);
        refused(&["build", "--max-cows", "7"], directory.path(), 1, &says);
        refused(&["plan", "--max-cows", "8"], directory.path(), 1, &says);
        refused(&["probe", POSITION], directory.path(), 1, &says);
        refused(&["export", "--class", "4-3", "--csv"], directory.path(), 1, &says);
        assert_eq!(names(directory.path()).len(), 3);
    }
}

#[test]
fn frames_that_overlap_are_refused_by_a_build_that_reads_them() {
    // The second frame begins a byte too early and so does not follow the first.
    let directory = directory_with(7);
    let plan = json(&mut on(directory.path(), &["plan", "--class", "5-3", "--json"]));
    // Within this, single values are looked up and the table is not read whole.
    let least = plan["pairs"].as_array().unwrap().last().unwrap()["least_memory"].to_string();
    let file = directory.path().join("4-3.mora");
    crate::common::files::change(&file, |bytes| {
        let head = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let record = head + 16;
        let offset = u32::from_le_bytes(bytes[record..record + 4].try_into().unwrap());
        bytes[record..record + 4].copy_from_slice(&(offset - 1).to_le_bytes());
    });
    for args in [
        &["build", "--max-cows", "8"][..],
        &["build", "--class", "4-4", "--only"],
        &["build", "--class", "5-3", "--memory", &least],
        &["build", "--max-cows", "7", "--recheck"],
    ] {
        refused(args, directory.path(), 1, &["4-3.mora: the file is damaged: data frame 1: expected its bytes at "]);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_unmounted_file_system_ends_the_build_with_one_error() {
    let place = TempDir::new().unwrap();
    let script = r#"
        "$0" build --max-cows 8 --tables "$1" & build=$!
        while [ ! -e "$1/3-3.mora" ]; do kill -0 $build || break; sleep 0.01; done
        umount -l "$1"; wait $build; echo "status $?"; echo "left: $(ls -A "$1")""#;
    if let Some(said) = with_mounts(script, place.path()) {
        assert!(said.contains("status 1\nleft: \n"), "{said}");
        assert!(said.contains("no longer the directory") || said.contains("cannot rename"), "{said}");
        assert_eq!(said.matches("error: ").count(), 1, "{said}");
    }
}
