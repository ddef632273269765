//! The real binary on real tables: probe, line, stats, info and verify.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::sync::LazyLock;

use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty, starts_with};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::common::cli::{json, json_lines, morabase, on, stderr, stdout};
use crate::common::files::{change, copy_of_tables};
use crate::common::published::plies;
use crate::common::tables::built;
use crate::common::text::words;

static GAR: LazyLock<TempDir> = LazyLock::new(|| built("gar", &["--max-cows", "7"]));
static PLAIN: LazyLock<TempDir> = LazyLock::new(|| built("plain", &["--max-cows", "6"]));

const FLYING: &str = "W:Wa7,d7,g1:Bb6,d6,c5";

#[test]
fn probe_draws_the_board_and_gives_the_value_in_words_and_the_turns() {
    let assert = on(GAR.path(), &["probe", FLYING]).assert().success();
    assert.stdout(
        contains("7  O-----------O")
            .and(contains("first player (O) to move; counter 0 of 20"))
            .and(contains("3-3 under gar, won: shot or end in 1 ply"))
            .and(contains("g1-g7xb6  won in 1 ply, ends the game")),
    );
}

#[test]
fn probe_json_has_the_documented_keys_and_turns_best_first() {
    let object = json(&mut on(GAR.path(), &["probe", "--json", "W:Wa7,d7,g1,c3:Bb6,d6,g4"]));
    assert_eq!(object["class"], "4-3");
    let turns = object["turns"].as_array().unwrap();
    let rank = |turn: &Json| match (turn["value"].as_str().unwrap(), turn["dtc"].as_i64()) {
        ("won", Some(plies)) => 1000 - plies,
        ("drawn", None) => 0,
        ("lost", Some(plies)) => plies - 1000,
        other => panic!("{other:?}"),
    };
    assert!(!turns.is_empty() && turns.is_sorted_by_key(|turn| -rank(turn)));
    assert_eq!((&object["value"], &object["dtc"]), (&turns[0]["value"], &turns[0]["dtc"]));
    assert!(turns.iter().all(|turn| turn["turn"].is_string() && turn["shot"].is_boolean()));
    let drawn = json(&mut on(GAR.path(), &["probe", "--json", "W:Wa7,d7,g1,c3:Bb6,d6,c5"]));
    assert_eq!((drawn["value"].as_str(), drawn["dtc"].is_null()), (Some("drawn"), true));
}

#[test]
fn the_draw_counter_is_told_from_a_plain_draw() {
    let rows = json(&mut on(GAR.path(), &["stats", "--json", "--class", "3-3"]));
    assert_eq!(rows["classes"][0]["max_dtc"], 16);
    let fresh = json(&mut on(GAR.path(), &["probe", "--json", "W:Wa7,d7,g1:Bb6,f6,c5"]));
    assert_eq!((fresh["value"].as_str(), fresh["dtc"].as_i64()), (Some("won"), Some(1)));
    // One ply is left: the shot on it counts. With none left the game is over.
    let last = json(&mut on(GAR.path(), &["probe", "--json", "W:Wa7,d7,g1:Bb6,f6,c5:C19"]));
    assert_eq!(last["value"], "won");
    let over = json(&mut on(GAR.path(), &["probe", "--json", "W:Wa7,d7,g1:Bb6,f6,c5:C20"]));
    assert_eq!((over["value"].as_str(), over["verdict"].as_str()), (Some("drawn"), Some("cursed-win")));
    assert!(over["outcome"].as_str().unwrap().contains("counter"));
    assert_eq!(over["turns"], Json::Array(Vec::new()));
}

#[test]
fn positions_come_as_moves_and_in_the_middle_of_a_turn() {
    let after = json(&mut on(GAR.path(), &["probe", "--json", "W:Wa7,d7,g1:Bb6,d6,c5", "--moves", "g1-f2"]));
    assert_eq!(after["class"], "3-3");
    let pending = json(&mut on(GAR.path(), &["probe", "--json", "W:Wa7,d7,g7:Bb6,d6,c5,c4:S"]));
    let shots = pending["turns"].as_array().unwrap();
    let named: BTreeSet<&str> = shots.iter().map(|turn| turn["turn"].as_str().unwrap()).collect();
    assert_eq!((shots.len(), named), (4, BTreeSet::from(["xb6", "xc4", "xc5", "xd6"])));
    assert!(shots.iter().all(|turn| turn["shot"] == true && turn["dtc"].as_i64().is_none_or(|dtc| dtc == 1)));
    on(GAR.path(), &["probe", "--moves", "d6 d7 b4"]).assert().code(1).stderr(contains("1-2+11-10.mora"));
}

#[test]
fn line_plays_to_the_end_with_a_value_on_each_turn() {
    on(GAR.path(), &["line", FLYING]).assert().success().stdout(
        starts_with("won: shot or end in 1 ply\n1  O  g1-g7x")
            .and(contains("the game is over: first player (O) has won")),
    );
    let object = json(&mut on(GAR.path(), &["line", "--json", "B:Wa7,d7,g1,c3:Bb6,d6,c4"]));
    let turns = object["turns"].as_array().unwrap();
    assert_eq!(object["end"]["result"], object["value"]);
    assert!(turns.windows(2).all(|pair| pair[0]["side"] != pair[1]["side"]));
    on(GAR.path(), &["line", "W:Wa7,d7,g1,c3:Bb6,d6,c5"]).assert().success().stdout(
        "drawn\nneither side can force a win\nturns that hold the draw: d7-g7 g1-g4 g1-d1 g1-f2 c3-b2 c3-d3 c3-c4\n",
    );
    let drawn = json(&mut on(GAR.path(), &["line", "--json", "W:Wa7,d7,g1,c3:Bb6,d6,c5"]));
    assert_eq!((&drawn["holding"][0], &drawn["end"]["reason"]), (&"d7-g7".into(), &"best-play".into()));
}

#[test]
fn a_line_says_where_the_count_of_plies_begins_again() {
    let line = stdout(&mut morabase(&["line", "W:Wd6,d7,f4,f6:Bb4,d3,g1,g4"]));
    let turns: Vec<&str> = line.lines().filter(|line| line.contains("  O  ") || line.contains("  @  ")).collect();
    for pair in turns.windows(2) {
        // One ply less each time, but behind a shot.
        let plies = |line: &str| line.split(" in ").nth(1).unwrap().split(' ').next().unwrap().parse::<i32>().unwrap();
        let begins_again = pair[0].ends_with("shoots; the count begins again");
        assert_eq!(begins_again, plies(pair[1]) != plies(pair[0]) - 1, "{line}");
    }
    assert!(turns.last().unwrap().ends_with(", ends the game"), "{line}");
}

#[test]
fn stats_give_the_published_counts() {
    let stats = json(&mut on(PLAIN.path(), &["stats", "--json"]));
    let rules = "morabaraba;cows=12;fly=3;counter=none;no-remake=none;full-board=draw";
    assert_eq!(stats["rules"], rules);
    assert!(stats["fingerprint"].is_string());
    let class = &stats["classes"][0];
    assert_eq!(class["class"], "3-3");
    assert_eq!(class["entries"], 210_140);
    let full = serde_json::json!({"positions": 2_691_920, "won": 2_240_880, "drawn": 0, "lost": 451_040});
    assert_eq!(class["full"], full);
    assert_eq!(class["canonical"]["drawn"], 0);
    assert_eq!(class["max_dtc"], 16);
    let rows = plies("plain", "3-3")
        .into_iter()
        .map(|(plies, won, lost)| serde_json::json!({"plies": plies, "won": won, "lost": lost}));
    assert_eq!(class["dtc"], Json::Array(rows.collect()));
    on(PLAIN.path(), &["stats", "--class", "3-3"]).assert().success().stdout(contains("2,240,880"));
}

#[test]
fn info_shows_what_is_there_and_what_is_missing() {
    let info = json(&mut on(GAR.path(), &["info", "--json"]));
    assert_eq!(info["complete_up_to"], 7);
    let classes = info["classes"].as_array().unwrap().iter().map(|class| class["class"].as_str().unwrap());
    assert_eq!(classes.collect::<Vec<_>>(), ["3-3", "4-3", "3-4"]);
    let partial = copy_of_tables(GAR.path());
    fs::remove_file(partial.path().join("3-4.mora")).unwrap();
    let info = json(&mut on(partial.path(), &["info", "--json"]));
    assert_eq!(info["complete_up_to"], 6);
    assert_eq!(info["classes"][1]["missing"], serde_json::json!(["3-4"]));
    on(partial.path(), &["info"]).assert().success().stdout(contains("leads to 3-4, not here"));
    on(partial.path(), &["probe", "W:Wa7,d7,g1,c3:Bb6,d6,c5"])
        .assert()
        .code(1)
        .stdout(contains("4-3 under gar, drawn"))
        .stderr(contains("3-4.mora"));
    on(partial.path(), &["probe", "W:Wa7,d7,g1:Bb6,d6,c5,c4"]).assert().code(1).stderr(contains("3-4.mora"));
    // A second directory fills the gap, and so does a path list in the environment.
    let position = "W:Wa7,d7,g1,c3:Bb6,d6,c5";
    on(partial.path(), &["probe", position]).arg("--tables").arg(GAR.path()).assert().success();
    let list = std::env::join_paths([partial.path(), GAR.path()]).unwrap();
    morabase(&["probe", position]).env("MORABASE_TABLES", list).assert().success();
    // A directory that is not there hides no other.
    let list = std::env::join_paths([std::path::Path::new("/nowhere"), GAR.path()]).unwrap();
    let warned = stderr(&morabase(&["probe", position]).env("MORABASE_TABLES", list).output().unwrap());
    assert!(
        warned.contains("warning: MORABASE_TABLES: /nowhere is not a directory") && !warned.contains("error"),
        "{warned}"
    );
}

#[test]
fn info_says_of_a_damaged_table_that_it_is_damaged_and_how() {
    let damaged = copy_of_tables(GAR.path());
    fs::write(damaged.path().join("3-4.mora"), "no table").unwrap();
    let fault = contains("leads to 3-4, damaged: ").and(contains("not a table")).and(contains("not here").not());
    on(damaged.path(), &["info"]).assert().code(1).stdout(fault).stderr(contains("3-4.mora"));
    // The same where no other table is left.
    for other in ["3-3.mora", "4-3.mora"] {
        fs::remove_file(damaged.path().join(other)).unwrap();
    }
    let fault = contains("3-4, damaged: ").and(contains("there are no tables").not());
    on(damaged.path(), &["info"]).assert().code(1).stdout(fault).stderr(contains("3-4.mora"));
}

#[test]
fn tables_in_the_working_directory_are_the_default() {
    let place = TempDir::new().unwrap();
    fs::create_dir(place.path().join("tables")).unwrap();
    fs::copy(PLAIN.path().join("3-3.mora"), place.path().join("tables/3-3.mora")).unwrap();
    let stats = json(morabase(&["stats", "--json", "--rules", "plain"]).current_dir(place.path()));
    assert!(stats["rules"].as_str().unwrap().contains("counter=none"));
    // Rules that no table has are played without, and what is missing is said.
    let other = morabase(&["probe", "--rules", "wikipedia", FLYING]).current_dir(place.path()).assert().code(1);
    other.stderr(contains("holds tables for other rules than wikipedia").and(contains("--tables tables-wikipedia")));
    // A bare command means the default rules, and says where the others are.
    let bare = morabase(&["stats", "--json"]).current_dir(place.path()).assert().success();
    bare.stdout(contains("counter=when-three:20")).stderr(contains("(to use it, give --rules plain)"));
    let list = place.path().join("tables");
    let named = morabase(&["stats", "--json"]).env("MORABASE_TABLES", &list).assert().success();
    named.stdout(contains("counter=none")).stderr(contains("for the rules plain; for the default rules"));
    fs::remove_dir_all(place.path().join("tables")).unwrap();
    fs::write(place.path().join("tables"), "no directory").unwrap();
    // Nobody has asked for what is no directory, so it is a warning.
    let built_in = morabase(&["stats"]).current_dir(place.path()).assert().success();
    built_in.stdout(contains("counter=when-three:20")).stderr(contains("found a file").and(contains("built-in")));
}

#[test]
fn a_missing_table_is_named_with_the_places_looked_in_and_the_rules() {
    let places = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let mut command = morabase(&["probe", "--rules", "plain", "W:Wa7,d7,g1:Bb6,d6,c5"]);
    for place in &places {
        command.arg("--tables").arg(place.path());
    }
    let looked = format!("looked for 3-3.mora in {} and {}", places[0].path().display(), places[1].path().display());
    command.assert().code(1).stderr(contains(looked).and(contains("under the rules plain")));
    let place = TempDir::new().unwrap();
    let built_in = morabase(&["probe", "W:Wa7,a4,a1,b2,b4:Bg7,g4,g1,f2"]).current_dir(place.path()).assert();
    built_in.code(1).stderr(contains("looked for 5-4.mora in the built-in set").and(contains("under the rules gar")));
}

/// The command that an error ends with.
fn advised(error: &str) -> Vec<String> {
    let line = error.lines().find(|line| line.starts_with("  morabase ")).unwrap_or_else(|| panic!("{error}"));
    words(line).into_iter().skip(1).collect()
}

#[test]
fn what_is_advised_for_a_missing_table_builds_it_where_it_is_looked_for() {
    let position = "W:Wa7,d7,g1:Bb6,d6,c5";
    let place = TempDir::new().unwrap();
    fs::create_dir_all(place.path().join("gar")).unwrap();
    fs::copy(GAR.path().join("3-3.mora"), place.path().join("gar/3-3.mora")).unwrap();
    // In ./tables, in the first directory of the path list though it is not there yet, and in a directory that was named.
    let list = place.path().join("my tables");
    let cases: [(&[&str], Option<&PathBuf>); 3] = [
        (&["--rules", "plain"], None),
        (&["--rules", "plain"], Some(&list)),
        (&["--rules", "plain", "--tables", "."], None),
    ];
    for (options, variable) in cases {
        let run = |arguments: &[&str]| {
            let mut command = morabase(arguments);
            command.current_dir(place.path());
            variable.map(|list| command.env("MORABASE_TABLES", list));
            command.output().unwrap()
        };
        let probe: Vec<&str> = ["probe", position].into_iter().chain(options.iter().copied()).collect();
        let missing = stderr(&run(&probe));
        assert!(missing.contains("under the rules") && missing.contains("\nabout 0."), "{missing}");
        let command = advised(&missing);
        let built = run(&command.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(built.status.success(), "{command:?}: {}", stderr(&built));
        let answered = run(&probe);
        assert!(answered.status.success(), "{command:?}: {}", stderr(&answered));
    }
    // Where ./tables has other rules by now, another place is advised.
    let gar = morabase(&["probe", "W:Wa7,a4,a1,b2,b4:Bg7,g4,g1,f2"]).current_dir(place.path()).output().unwrap();
    assert_eq!(advised(&stderr(&gar)).join(" "), "build --rules gar --class 5-4 --tables tables-gar");
    assert!(stderr(&gar).contains("afterwards ask with --tables tables-gar"), "{}", stderr(&gar));
    // Without a word of where to, a build goes to the same place.
    stdout(morabase(&["build", "--quiet", "--max-cows", "6"]).env("MORABASE_TABLES", place.path().join("new")));
    assert!(place.path().join("new/3-3.mora").exists());
}

type Damage = fn(&mut Vec<u8>);

#[test]
fn sound_tables_verify_and_damaged_ones_are_named() {
    for mode in [&["verify"][..], &["verify", "--sample", "3000"], &["verify", "--files"]] {
        on(GAR.path(), mode).assert().success().stdout(contains("4-3").and(contains("sound"))).stderr(is_empty());
    }
    let damages: [(&str, Damage); 3] = [
        ("empty", |bytes| bytes.clear()),
        ("truncated", |bytes| bytes.truncate(bytes.len() * 2 / 3)),
        ("flipped", |bytes| {
            let middle = bytes.len() * 3 / 4;
            bytes[middle] ^= 0x10;
        }),
    ];
    for (name, damage) in damages {
        let copy = copy_of_tables(GAR.path());
        let file = copy.path().join("4-3.mora");
        change(&file, damage);
        on(copy.path(), &["verify"]).assert().code(1).stdout(contains("4-3.mora").and(contains("fault")));
        on(copy.path(), &["verify", "--class", "3-3"]).assert().success();
        if name != "flipped" {
            on(copy.path(), &["info"]).assert().code(1).stderr(contains("4-3.mora"));
            on(copy.path(), &["probe", "W:Wa7,d7,g1,c3:Bb6,d6,c5"]).assert().code(1).stderr(contains("4-3.mora"));
        }
        on(copy.path(), &["probe", FLYING]).assert().success();
    }
}

#[test]
fn verify_json_says_what_was_checked() {
    let report = json(&mut on(PLAIN.path(), &["verify", "--json", "--threads", "2"]));
    assert_eq!(report["sound"], true);
    assert_eq!(report["classes"][0]["walked"], 210_140);
}

#[test]
fn wrong_requests_exit_with_2_and_say_why() {
    let file = PLAIN.path().join("3-3.mora");
    let missing = PathBuf::from("/nowhere/tables");
    on(&file, &["probe", FLYING]).assert().code(2).stderr(contains("found a file"));
    on(&missing, &["info"]).assert().code(2).stderr(contains("found nothing"));
    on(PLAIN.path(), &["probe", FLYING, "--rules", "gar"])
        .assert()
        .code(2)
        .stderr(contains("counter=none").and(contains("counter=when-three:20")));
    on(GAR.path(), &["info"])
        .arg("--tables")
        .arg(PLAIN.path())
        .assert()
        .code(2)
        .stderr(contains("counter=none").and(contains("counter=when-three:20")));
    on(GAR.path(), &["probe", "W:Wa7,d7,g1:Ba7,d6,c5"]).assert().code(2).stderr(contains("both players"));
    on(GAR.path(), &["probe"]).assert().code(2).stderr(contains("expected a position"));
    on(GAR.path(), &["stats", "--class", "2-3"]).assert().code(2).stderr(contains("3 to 12"));
    on(GAR.path(), &["stats", "--class", "9-3"]).assert().code(1).stderr(contains("9-3.mora"));
    on(GAR.path(), &["verify", "--sample", "-1"]).assert().code(2);
}

/// What the command says of this input.
fn fed(arguments: &[&str], input: String) -> Output {
    crate::common::cli::fed(&mut on(GAR.path(), arguments), input)
}

#[test]
fn streams_answer_every_line_in_order_and_go_on_after_bad_ones() {
    let lines =
        ["W:Wa7,d7,g1:Bb6,d6,c5", "nonsense", "", "# a remark", "B:Wa7,d7,g1,c3:Bb6,d6,c5", "W:Wa7,d7:Bb6,d6,c5"];
    let mut input = lines.join("\n");
    for _ in 0..3000 {
        input.push_str("\nW:Wa7,d7,g1:Bb6,d6,c5\nW:Wa7,d7,g1,c3:Bb6,d6,c5");
    }
    let run = |arguments: &[&str]| fed(arguments, input.clone());
    let text = run(&["probe", "--stdin"]);
    assert_eq!(text.status.code(), Some(1));
    let out = String::from_utf8(text.stdout).unwrap();
    let answers: Vec<&str> = out.lines().collect();
    assert_eq!(answers.len(), 4 + 6000);
    assert_eq!((answers[0], answers[1], answers[3]), ("won 1", "", "lost 0"));
    assert!(answers[4..].chunks(2).all(|pair| pair == ["won 1", "drawn"]));
    assert!(String::from_utf8_lossy(&text.stderr).starts_with("line 2: "));
    let objects = run(&["probe", "--stdin", "--json"]);
    let objects = json_lines(&objects.stdout);
    assert_eq!(objects.len(), 4 + 6000);
    assert_eq!((objects[0]["value"].as_str(), objects[0]["class"].as_str()), (Some("won"), Some("3-3")));
    assert!(objects[1]["error"].is_string() && objects[1]["position"] == "nonsense");
    assert!(objects[4]["turns"].is_null());
    let turns = run(&["probe", "--stdin", "--json", "--turns"]);
    let turns = json_lines(&turns.stdout);
    assert_eq!((turns.len(), &turns[0]["turns"][0]["value"]), (4 + 6000, &"won".into()));
}

#[test]
fn a_line_that_never_seems_to_end_is_one_bad_line_whatever_it_begins_with() {
    // What stands beyond any number of blanks belongs to the line.
    let longs = [
        "x".repeat(3_000_000),
        format!("{FLYING}{}junk{}", " ".repeat(70_000), " ".repeat(700_000)),
        " ".repeat(66_000),
    ];
    let input = format!("{FLYING}\n{}\n{FLYING}\n{}\n#{}\n{FLYING}\n{}", longs[0], longs[1], longs[0], longs[2]);
    let output = fed(&["probe", "--stdin", "--json"], input.clone());
    assert_eq!(output.status.code(), Some(1));
    let lines = json_lines(&output.stdout);
    let values: Vec<_> = lines.iter().map(|line| line["value"].as_str()).collect();
    assert_eq!(values, [Some("won"), None, Some("won"), None, Some("won"), None]);
    assert!(lines[3]["error"].as_str().unwrap().contains("at most 65536 bytes"), "{}", lines[3]);
    assert!(lines[3]["position"].as_str().unwrap().starts_with(FLYING), "{}", lines[3]);
    // What is said of them is not as long as they are.
    assert!(output.stdout.len() < 2000, "{}", output.stdout.len());
    let output = fed(&["probe", "--stdin"], input);
    let complaints = String::from_utf8(output.stderr).unwrap();
    for number in [2, 4, 7] {
        assert!(complaints.contains(&format!("line {number}: the line is too long")), "{complaints}");
    }
}

#[test]
fn a_stream_answers_before_its_input_ends() {
    let mut command = on(GAR.path(), &["probe", "--stdin"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        writeln!(stdin, "{FLYING}").unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert_eq!(answer, "won 1\n");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn positioned_reads_give_the_same_answers() {
    let mapped = on(GAR.path(), &["probe", "--json", "W:Wa7,d7,g1,c3:Bb6,d6,g4"]).output().unwrap();
    let read = on(GAR.path(), &["probe", "--json", "--no-mmap", "W:Wa7,d7,g1,c3:Bb6,d6,g4"]).output().unwrap();
    assert!(mapped.status.success());
    assert_eq!(mapped.stdout, read.stdout);
}

#[test]
fn the_tables_built_in_are_of_one_rule_set_and_answer_for_no_other() {
    let other = morabase(&["probe", "--rules", "plain", FLYING]).output().unwrap();
    assert_eq!(other.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&other.stderr).contains("3-3.mora"));
}
