//! What the system may refuse: threads, files that grow, an output. And what other programs may do to tables that are in use.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::common::cli::{BINARY, on, stderr};
#[cfg(target_os = "linux")]
use crate::common::cli::{fed, morabase, stdout};
#[cfg(target_os = "linux")]
use crate::common::files::assert_same_file;
use crate::common::files::{copy_of_tables, names};
use crate::common::tables::{SHIPPED, built};
#[cfg(target_os = "linux")]
use crate::common::tools;

/// A program in front of which an ordinary user may have no second thread: its words. None where that cannot be had.
#[cfg(target_os = "linux")]
fn without_threads() -> Option<Vec<&'static str>> {
    let ways: [&[&str]; 2] = [
        // Root may have any number of threads.
        &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "prlimit", "--nproc=1"],
        &["prlimit", "--nproc=1"],
    ];
    let is_root = stdout(Command::new("id").arg("-u")).trim() == "0";
    let way = ways[usize::from(!is_root)];
    tools::runs(way[0], &[&way[1..], &[BINARY, "--version"]].concat()).then(|| way.to_vec())
}

/// A command in front of which these words stand.
#[cfg(target_os = "linux")]
fn behind(words: &[&str], command: &Command) -> Command {
    let mut behind = Command::new(words[0]);
    behind.args(&words[1..]).arg(command.get_program()).args(command.get_args()).stdin(Stdio::null());
    behind.env_remove("MORABASE_TABLES");
    if let Some(directory) = command.get_current_dir() {
        behind.current_dir(directory);
    }
    behind
}

/// A directory that anybody may write into.
#[cfg(target_os = "linux")]
fn open_directory() -> TempDir {
    use std::os::unix::fs::PermissionsExt;
    let directory = TempDir::new().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
    directory
}

#[test]
#[cfg(target_os = "linux")]
fn where_no_thread_can_be_started_one_does_all_the_work() {
    let Some(words) = without_threads() else { return };
    let shipped = Path::new(SHIPPED);
    let lines = "W:Wd6,d7,f4,f6:Bb4,d3,g1,g4\n".repeat(300);
    for arguments in [
        &["perft", "3"][..],
        &["perft", "4", "--distinct"],
        &["probe", "W:Wd6,d7,f4,f6:Bb4,d3,g1,g4"],
        &["probe", "--stdin"],
        &["line", "W:Wd6,d7,f4,f6:Bb4,d3,g1,g4"],
        &["stats", "--class", "3-3", "--longest"],
        &["export", "--class", "3-3", "--csv", "--sample", "50"],
        &["unpack", "--class", "3-3", "--output", "-"],
        &["solve-reference", "--class", "3-3", "--rules", "plain"],
        &["verify", "--class", "3-3", "--json"],
        &["verify", "--sample", "2000", "--json"],
        &["manifest", "--quiet"],
    ] {
        let command = match arguments[0] {
            "perft" | "solve-reference" => morabase(arguments),
            _ => on(shipped, arguments),
        };
        let usual = fed(&mut behind(&["env"], &command), lines.clone());
        let alone = fed(&mut behind(&words, &command), lines.clone());
        let said = stderr(&alone);
        assert!(alone.status.success() && !said.contains("panicked"), "{arguments:?}: {said}");
        assert!(usual.status.success() && alone.stdout == usual.stdout, "{arguments:?}");
    }
    let (parent, tables) = (open_directory(), built("plain", &["--max-cows", "6"]));
    let directory = parent.path().join("tables");
    let build = on(&directory, &["build", "--rules", "plain", "--max-cows", "6"]);
    let output = behind(&words, &build).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("warning: no threads can be started"), "{}", stderr(&output));
    assert_eq!(names(&directory), ["3-3.mora"]);
    assert_same_file(&directory.join("3-3.mora"), &tables.path().join("3-3.mora"));
    let plan = behind(&words, &on(&directory, &["plan", "--rules", "plain", "--max-cows", "7"])).output().unwrap();
    assert!(plan.status.success() && stdout_of(&plan).contains("1 of 2 pairs exist already"), "{}", stderr(&plan));
}

#[test]
#[cfg(target_os = "linux")]
fn an_engine_that_cannot_start_threads_says_so() {
    let Some(words) = without_threads() else { return };
    let output = fed(&mut behind(&words, &morabase(&["engine"])), "uci\n");
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("error: ") && said.contains("thread") && said.lines().count() == 1, "{said}");
}

#[test]
#[cfg(target_os = "linux")]
fn an_engine_that_has_no_thread_to_think_in_thinks_all_the_same() {
    let Some(mut words) = without_threads() else { return };
    // One that reads the input can be started, and no other.
    words.pop();
    words.push("--nproc=2");
    let mut engine = behind(&words, &morabase(&["engine"]));
    let mut engine = engine.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // The input stays open, and with it the thread that reads it.
    let mut input = engine.stdin.take().unwrap();
    input.write_all(b"position startpos\ngo depth 2\n").unwrap();
    let mut said = String::new();
    for line in BufReader::new(engine.stdout.take().unwrap()).lines().map(Result::unwrap) {
        said.push_str(&line);
        if line.starts_with("bestmove") {
            break;
        }
    }
    drop(input);
    assert!(engine.wait().unwrap().success());
    assert!(said.contains("info string error: cannot start a thread"), "{said}");
    assert!(said.contains("info depth 2") && said.contains("bestmove ") && !said.contains("(none)"), "{said}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_build_that_gets_no_memory_says_how_much_it_needs() {
    let directory = TempDir::new().unwrap();
    let build = on(directory.path(), &["build", "--rules", "plain", "--max-cows", "8"]);
    let output = behind(&["prlimit", "--as=200000000"], &build).output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("not enough memory for 3-3: the step needs"), "{said}");
}

#[test]
fn a_damaged_table_outside_a_request_does_not_stop_it() {
    let tables = built("plain", &["--max-cows", "6"]);
    let directory = copy_of_tables(tables.path());
    fs::write(directory.path().join("9-9.mora"), "junk").unwrap();
    let build = |cows| on(directory.path(), &["build", "--rules", "plain", "--max-cows", cows]).output().unwrap();
    assert!(build("6").status.success(), "{}", stderr(&build("6")));
    fs::write(directory.path().join("3-4.mora"), "junk").unwrap();
    assert_eq!(build("7").status.code(), Some(1));
}

#[test]
#[cfg(all(target_os = "linux", feature = "serve"))]
fn a_server_that_cannot_start_threads_says_so() {
    let Some(words) = without_threads() else { return };
    let output = behind(&words, &on(Path::new(SHIPPED), &["serve", "--listen", "127.0.0.1:0"])).output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("error: ") && said.contains("thread") && !said.contains("panicked"), "{said}");
}

fn stdout_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs a shell line with the binary as `$0` and a directory as `$1`: its status and what it said.
fn shell(line: &str, directory: &Path) -> (Option<i32>, String) {
    let mut command = Command::new("sh");
    command.args(["-c", line, BINARY]).arg(directory).stdin(Stdio::null()).env_remove("MORABASE_TABLES");
    let output = command.current_dir(directory).output().unwrap();
    (output.status.code(), stderr(&output))
}

#[test]
fn output_that_is_lost_is_an_error_and_a_reader_that_has_seen_enough_is_none() {
    let directory = TempDir::new().unwrap();
    for what in ["rules gar", "--help", "build --help", "--version", "perft 1 --json", "man", "completions bash"] {
        for (to, why) in [
            (">&-", "it is closed"),
            ("1</dev/null", "it is open for reading only"),
            (">/dev/full", "No space left on device"),
        ] {
            let (status, said) = shell(&format!("\"$0\" {what} {to}"), directory.path());
            assert_eq!(status, Some(1), "{what} {to}: {said}");
            assert_eq!(said.lines().count(), 1, "{what} {to}: {said}");
            assert!(said.starts_with("error: cannot write the output: ") && said.contains(why), "{what} {to}: {said}");
        }
        for to in [">/dev/null", "1<>/dev/null", "| true"] {
            assert_eq!(
                shell(&format!("\"$0\" {what} {to}"), directory.path()),
                (Some(0), String::new()),
                "{what} {to}"
            );
        }
    }
    // The status of a wrong request is its own.
    let (status, said) = shell("\"$0\" serve --listen 127.0.0.1:0 >&-", directory.path());
    assert!(status == Some(1) && said == "error: cannot write the output: it is closed\n", "{said}");
    assert_eq!(shell("\"$0\" --wrong >&- 2>&-", directory.path()).0, Some(2));
    let (status, said) = shell("\"$0\" export --class 3-3 --csv --tables \"$1/none\" >&-", directory.path());
    assert_eq!((status, said.lines().count()), (Some(2), 1), "{said}");
}

#[test]
fn an_output_that_may_not_grow_is_an_error() {
    let directory = TempDir::new().unwrap();
    let (status, said) = shell("ulimit -f 1; \"$0\" export --class 3-3 --csv > lines", directory.path());
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("cannot write the output") && said.contains("File too large"), "{said}");
    let (status, said) = shell("ulimit -f 1; \"$0\" unpack --class 3-3 --output raw", directory.path());
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("3-3.raw: cannot write") && said.contains("File too large"), "{said}");
    assert_eq!(names(&directory.path().join("raw")), [""; 0]);
}

/// A program that answers lines about tables, and how it is asked.
struct Asked {
    child: std::process::Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Asked {
    fn about(tables: &Path, arguments: &[&str]) -> Self {
        let mut command = on(tables, &[&["probe", "--stdin", "--json"], arguments].concat());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Self { child, answers }
    }

    fn ask(&mut self, position: &str) -> String {
        let input = self.child.stdin.as_mut().unwrap();
        writeln!(input, "{position}").and_then(|()| input.flush()).unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        answer
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_table_written_into_while_it_is_in_use_gives_errors_and_one_replaced_by_renaming_the_old_values() {
    const POSITION: &str = "W:Wa7,d7,g1:Bb6,d6,c5";
    const CHANGED: &str = "3-3.mora: cannot read: the file was written into while it was in use";
    let other = built("plain", &["--max-cows", "6"]);
    for access in [&[][..], &["--no-mmap"]] {
        let [overwritten, replaced] = [(); 2].map(|()| copy_of_tables(Path::new(SHIPPED)));
        let [mut first, mut second] = [&overwritten, &replaced].map(|tables| Asked::about(tables.path(), access));
        let before = first.ask(POSITION);
        assert!(before.contains("\"value\"") && second.ask(POSITION) == before, "{before}");
        // In place, as `cp` does it, and not truncated first: the end of a mapped file would be missed.
        let bytes = fs::read(other.path().join("3-3.mora")).unwrap();
        let mut file = fs::OpenOptions::new().write(true).open(overwritten.path().join("3-3.mora")).unwrap();
        file.write_all(&bytes).unwrap();
        drop(file);
        fs::copy(other.path().join("3-3.mora"), replaced.path().join("new")).unwrap();
        fs::rename(replaced.path().join("new"), replaced.path().join("3-3.mora")).unwrap();
        if access.is_empty() {
            // Once in a quarter of a second, and not at every look-up of a thread.
            std::thread::sleep(Duration::from_millis(400));
            for _ in 0..500 {
                first.ask(POSITION);
            }
            std::thread::sleep(Duration::from_millis(400));
            for _ in 0..500 {
                first.ask(POSITION);
            }
        }
        for _ in 0..3 {
            let after = first.ask(POSITION);
            assert!(after.contains(CHANGED), "{access:?}: {after}");
            assert_eq!(second.ask(POSITION), before, "{access:?}");
        }
    }
}

#[test]
fn a_class_that_cannot_be_checked_for_a_missing_table_is_one_fault() {
    let tables = copy_of_tables(Path::new(SHIPPED));
    fs::remove_file(tables.path().join("3-3.mora")).unwrap();
    for how in [&[][..], &["--probed"], &["--sample", "3000"]] {
        let output = on(tables.path(), &[&["verify", "--class", "3-4"], how].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(stderr(&output).contains("error: faults: 1, in 1 of 1 classes"), "{how:?}: {}", stderr(&output));
        assert_eq!(stdout_of(&output).matches("there is no table of class 3-3").count(), 1, "{}", stdout_of(&output));
    }
}

/// Makes the system refuse to sync directories with this error: what to preload. None where there is no compiler.
#[cfg(target_os = "linux")]
fn refusing_to_sync_directories(error: &str, directory: &Path) -> Option<String> {
    if !tools::have(&["cc"]) {
        return None;
    }
    let source = format!(
        "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <errno.h>\n#include <sys/stat.h>\n\
         int fsync(int fd) {{ struct stat s; if (!fstat(fd, &s) && S_ISDIR(s.st_mode)) {{ errno = {error}; return -1; }}\n\
         return ((int (*)(int))dlsym(RTLD_NEXT, \"fsync\"))(fd); }}\n"
    );
    let (code, library) = (directory.join(format!("{error}.c")), directory.join(format!("{error}.so")));
    fs::write(&code, source).unwrap();
    let mut compile = Command::new("cc");
    compile.args(["-shared", "-fPIC", "-o"]).args([&library, &code]).arg("-ldl");
    stdout(&mut compile);
    Some(library.display().to_string())
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_system_that_cannot_sync_directories_is_good_enough_and_one_that_fails_is_not() {
    let directory = TempDir::new().unwrap();
    for (error, status) in [("EINVAL", 0), ("ENOTSUP", 0), ("EIO", 1)] {
        let Some(library) = refusing_to_sync_directories(error, directory.path()) else { return };
        let [fresh, there] = ["fresh", "there"].map(|name| directory.path().join(error).join(name));
        fs::create_dir_all(&there).unwrap();
        for tables in [&fresh, &there] {
            let mut build = on(tables, &["build", "--max-cows", "6", "--quiet"]);
            let output = build.env("LD_PRELOAD", &library).output().unwrap();
            assert_eq!(output.status.code(), Some(status), "{error}, {}: {}", tables.display(), stderr(&output));
            assert!(status == 0 || stderr(&output).contains("cannot sync the directory"), "{}", stderr(&output));
        }
    }
}
