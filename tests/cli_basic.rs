//! The real binary on what needs no tables: turns, perft, rules, completions, manual pages, and refusals.
//! The cases stand in `tests/data`.

use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::process::Stdio;

use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::*;
use serde_json::Value;

use crate::common::cli::{fed, json_lines, morabase, stderr};
use crate::common::text::{cases, fields, words};

fn stdout(args: &[&str]) -> String {
    crate::common::cli::stdout(&mut morabase(args))
}

fn json(args: &[&str]) -> Value {
    crate::common::cli::json(&mut morabase(args))
}

#[test]
fn perft_gives_the_published_counts() {
    for line in cases(include_str!("data/perft.txt")) {
        let [rules, depth, leaves, distinct] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        assert_eq!(stdout(&["perft", depth, "--rules", rules]).trim(), leaves, "{line}");
        if distinct != "-" {
            assert_eq!(stdout(&["perft", depth, "--rules", rules, "--distinct"]).trim(), distinct, "{line}");
        }
    }
}

#[test]
fn perft_divided_by_first_turns_adds_up() {
    let divided = json(&["perft", "3", "--divide", "--json"]);
    let leaves = divided["turns"].as_array().unwrap().iter().map(|turn| turn["leaves"].as_u64().unwrap());
    assert_eq!((leaves.clone().count(), divided["leaves"].as_u64()), (24, Some(12_144)));
    assert_eq!(leaves.sum::<u64>(), 12_144);
    let after = json(&["perft", "2", "--moves", "a7", "--json"]);
    assert_eq!(after["leaves"], divided["turns"][0]["leaves"]);
}

#[test]
fn games_as_chess_programs_write_them_are_read_and_written() {
    let game = "\u{feff}[White \"A\"]\n\n1.d6 d7 {a comment} 2. b4! (2. a4) a4 $1 3. b6 g7 4. b2xa4 1-0";
    let written = stdout(&["show", "--record", "--moves", game]);
    assert!(written.contains("[Rules \"gar\"]\n"), "{written}");
    assert!(written.ends_with("\n\n1. d6 d7 2. b4 a4 3. b6 g7 4. b2xa4 *\n"), "{written}");
    assert_eq!(stdout(&["show", "--moves", &written]), stdout(&["show", "--moves", "d6 d7 b4 a4 b6 g7 b2xa4"]));
    let second = stdout(&["show", "--record", "B:Wa1:B:H11,12", "--moves", "1... d6"]);
    assert!(second.contains("[FEN \"") && second.ends_with("\n\n1... d6 *\n"), "{second}");
    assert!(stdout(&["show", "--moves", &second]).contains("W:Wa1:Bd6:H11,11"));
    let later = "@@*@@*@O/@@@O*OO@/OOOO@OO@ b m s 10 0 11 0 0 0 -1 -1 -1 -1 0 3 14 ids:nodes";
    let later = stdout(&["show", "--record", later, "--moves", "d3-c3"]);
    assert!(later.contains(" 3 14 ids:nodes") && later.ends_with("\n\n14... d3-c3 *\n"), "{later}");
    let plain = stdout(&["show", "--record", "--rules", "plain", "--moves", "d6 d7"]);
    assert_eq!(
        stdout(&["show", "--rules", "plain", "--moves", &plain]),
        stdout(&["show", "--rules", "plain", "--moves", "d6 d7"])
    );
    let refused = morabase(&["review", &plain]).output().unwrap();
    assert!(stderr(&refused).contains("under the rules plain"), "{}", stderr(&refused));
}

#[test]
fn bad_requests_exit_with_2_and_say_what_is_wrong_and_nothing_else() {
    for line in cases(include_str!("data/bad_requests.txt")) {
        let (request, message) = line.split_once("=>").unwrap_or_else(|| panic!("{line}"));
        let request = words(request);
        let request: Vec<&str> = request.iter().map(String::as_str).collect();
        let message = message.trim().to_owned();
        let assert = morabase(&request).assert();
        let says = predicate::str::starts_with("error: ").and(predicate::str::contains(message));
        assert.code(2).stdout("").stderr(says.and(predicate::str::contains("panicked").not()));
    }
}

#[test]
fn spellings_of_a_position_are_the_same_position() {
    for line in cases(include_str!("data/positions.txt")) {
        let spellings: Vec<&str> = line.split('|').map(str::trim).collect();
        let turns = stdout(&["turns", spellings[0]]);
        for spelling in &spellings {
            assert_eq!(stdout(&["turns", spelling]), turns, "{spelling}");
            let shown = json(&["show", spelling, "--json"]);
            assert_eq!(shown["position"], spellings[0], "{spelling}");
            for format in ["gar", "fen", "fen_old"] {
                let text = shown[format].as_str().unwrap();
                assert_eq!(json(&["show", text, "--json"])["position"], shown["position"], "{text}");
            }
        }
    }
}

#[test]
fn turns_are_the_legal_ones_in_every_output_form() {
    for line in cases(include_str!("data/turns.txt")) {
        let [rules, position, turns] = fields(line);
        let sorted = |text: &str| {
            let mut turns: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            turns.sort();
            turns
        };
        let expected = sorted(turns);
        assert_eq!(sorted(&stdout(&["turns", position, "--rules", rules])), expected, "{line}");
        let answer = json(&["turns", position, "--rules", rules, "--json"]);
        assert_eq!(answer["position"], position);
        let listed: Vec<&str> = answer["turns"].as_array().unwrap().iter().map(|turn| turn.as_str().unwrap()).collect();
        assert_eq!(sorted(&listed.join(" ")), expected, "{line}");
        let halves: Vec<String> = sorted(&stdout(&["turns", position, "--rules", rules, "--half"]));
        let mut first_halves: Vec<String> = expected
            .iter()
            .map(|turn| match turn.split_once('x') {
                Some((step, _)) if !step.is_empty() => step.to_owned(),
                _ => turn.clone(),
            })
            .collect();
        first_halves.dedup();
        assert_eq!(halves, first_halves, "{line}");
    }
}

#[test]
fn points_are_named_in_the_form_asked_for() {
    let turns = stdout(&["turns", "W:Wg1,d1,a1,f2,b2:Ba7,g7,c5,e5,e3", "--points", "gar"]);
    assert!(turns.lines().any(|turn| turn == "E6-A6xR1"), "{turns}");
}

#[test]
fn a_bad_line_does_not_stop_the_others() {
    let input = "# comment\nW:Wa7,d7,g7:Bb6,d6,c5:S\n\nW:Wa7:Ba7\nW:Wd6,b6,f6:Bd7,a4:H9,10:S\n\u{1}\u{7f}\n";
    let assert = fed(&mut morabase(&["turns", "--stdin", "--json"]), input).assert().code(1);
    let lines = json_lines(&assert.get_output().stdout);
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0], serde_json::json!({"position": "W:Wa7,d7,g7:Bb6,d6,c5:S", "turns": ["xb6", "xd6", "xc5"]}));
    assert!(lines[1]["error"].as_str().unwrap().contains("cow on a7"));
    assert_eq!(lines[2]["turns"], serde_json::json!(["xd7", "xa4"]));
    assert!(lines[3]["error"].is_string() && lines[3]["turns"].is_null());
    assert.stderr("error: 2 lines could not be read as positions\n");

    let text = fed(&mut morabase(&["turns", "--stdin"]), input).assert().code(1);
    text.stdout("xb6 xd6 xc5\n\nxd7 xa4\n\n").stderr(predicate::str::contains("line 4: both players"));
    let not_text = fed(&mut morabase(&["turns", "--stdin", "--json"]), [0xff, 0xfe, b'\n']);
    assert_eq!(not_text.status.code(), Some(1));
    let lines = json_lines(&not_text.stdout);
    assert!(lines.len() == 1 && lines[0]["error"].is_string() && lines[0]["turns"].is_null(), "{lines:?}");
}

#[test]
fn a_finished_game_has_no_turns_and_says_why() {
    let assert = morabase(&["turns", "W:Wa7,d7:Bb6,d6,c5"]).assert().success();
    assert.stdout("").stderr(predicate::str::contains("second player (@) has won"));
}

#[test]
fn the_board_is_drawn_with_its_coordinates() {
    let drawn = stdout(&["turns", "W:Wa7,d7,g7:Bb6,d6,c5:C7", "--board"]);
    assert!(drawn.starts_with("7  O-----------O-----------O\n"), "{drawn}");
    assert!(drawn.contains("a   b   c   d   e   f   g\n"));
    assert!(drawn.contains("first player (O) to move; counter 7 of 20"));
}

#[test]
fn a_position_after_turns_is_shown_in_every_format() {
    let shown = json(&["show", "--moves", "d6 d7 b4 a4 b6 g7 b2xa4 d5", "--json"]);
    assert_eq!(shown["position"], "W:Wb6,d6,b2,b4:Bd7,g7,d5:H8,8");
    assert_eq!(shown["gar"], "W:WA1,A2,A7,A8:BE2,E3,R2:H8,8");
    assert_eq!(shown["fen"], "@*******/O****OOO/@@****** w p p 4 8 3 8 0 0 -1 -1 -1 -1 0 0 5 ids:nodes");
    assert_eq!(shown["fen_old"], "@*******/O****OOO/@@****** w p p 4 8 3 8 0 0 0 0 0 0 0 0 5");
    assert_eq!(shown["outcome"], Value::Null);
    let later = json(&["show", shown["fen"].as_str().unwrap(), "--moves", "a7 a1", "--json"]);
    assert!(later["fen"].as_str().unwrap().ends_with(" 6 ids:nodes"), "{later}");
    let over = json(&["show", "W:Wa7,d7:Bb6,d6,c5", "--json"]);
    assert!(over["outcome"].as_str().unwrap().contains("second player (@) has won"));
    assert!(over["fen"].as_str().unwrap().contains(" w o ? "));
    assert!(stdout(&["show", "W:Wa7,d7:Bb6,d6,c5"]).contains("second player (@) has won"));
}

#[test]
fn rules_are_listed_and_explained() {
    let list = json(&["rules", "--json"]);
    let names: Vec<&str> = list.as_array().unwrap().iter().map(|rules| rules["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["gar", "gar-10", "wikipedia", "arcade", "plain", "nine-mens-morris"]);
    for rules in list.as_array().unwrap() {
        let text = rules["rules"].as_str().unwrap();
        assert_eq!(&json(&["rules", text, "--json"]), rules, "a canonical text is as good as a name");
        assert_eq!(json(&["rules", rules["name"].as_str().unwrap(), "--json"])["fingerprint"], rules["fingerprint"]);
    }
    let changed = json(&["rules", "gar", "--no-remake", "same-line", "--json"]);
    assert_eq!(changed, json(&["rules", "wikipedia", "--json"]), "options and presets meet");
    let counter = json(&["rules", "--counter", "none", "--json"]);
    assert_eq!((&counter["counter"], &counter["no_remake"]), (&Value::Null, &Value::from("same-cow")));
    let shown = stdout(&["rules", "gar"]);
    assert!(shown.contains("283ccf5972aa2c0b") && shown.contains("when-three:20"), "{shown}");
}

#[test]
fn every_command_has_help_with_examples_and_a_manual_page() {
    let help = stdout(&["--help"]);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(["build", "probe", "verify", "turns"].iter().all(|command| commands.contains(command)), "{help}");
    for command in commands.into_iter().filter(|&command| command != "help") {
        let help = stdout(&[command, "--help"]);
        assert!(help.contains("Examples:\n  morabase "), "{help}");
        let page = stdout(&["man", command]);
        assert!(page.contains(".TH") && page.contains(command), "{page}");
    }
    assert!(stdout(&["man"]).contains(".TH morabase"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(stdout(&["completions", shell]).contains("perft"));
    }
}

#[test]
fn output_has_no_colours_where_they_are_not_wanted() {
    for args in [&["--help"][..], &["turns", "--help"], &["rules"]] {
        let assert = morabase(args).env("NO_COLOR", "1").env("CLICOLOR_FORCE", "0").assert().success();
        assert.stdout(predicate::str::contains("\u{1b}").not());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_output_that_cannot_be_written_is_a_failed_job() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = morabase(&["rules"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(complaint.starts_with("error: cannot write the output: ") && complaint.lines().count() == 1, "{complaint}");
}

#[test]
fn a_reader_that_has_seen_enough_ends_the_run_quietly() {
    // More output than a pipe holds, so that writing must fail once the reader is gone.
    let position = "W:Wa7,d7,g7:Bb6,d6,c5\n".repeat(2_000);
    let mut input = tempfile::tempfile().unwrap();
    input.write_all(position.as_bytes()).unwrap();
    input.rewind().unwrap();
    let mut child = morabase(&["turns", "--stdin", "--json"])
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.starts_with("{\"position\":"));
    let status = child.wait().unwrap();
    let mut complaints = String::new();
    child.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
    assert_eq!((status.code(), complaints.as_str()), (Some(0), ""));
}

#[test]
fn a_refusal_says_what_was_given_once_and_what_is_wrong_with_it() {
    let directory = tempfile::TempDir::new().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    file("3-3.mora", b"");
    file("4-3.mora", b"notes");
    let tables = directory.path().to_str().unwrap();
    let long = "x".repeat(3000);
    let empty = file("empty.manifest", b"");
    let empty = empty.to_str().unwrap();
    let cases: [(&[&str], i32, &str); 18] = [
        (&["probe", "W:Wa7,d7,g1:Bb6,d6,c5", "--tables", tables], 1, "3-3.mora: not a table: the file is empty; give"),
        (
            &["probe", "W:Wa7,d7,g1,a4:Bb6,d6,c5", "--tables", tables],
            1,
            "begin with [89, 4d, 4f, 52, 41, 0d, 0a, 1a], found [6e, 6f, 74, 65, 73]",
        ),
        (&["build", "--class", "4294967299-3"], 2, "class 4294967299-3: expected 3 to 12 cows"),
        (&["plan", "--max-cows", "7", "--memory", "99999999T"], 2, "too large: expected less than 16 EiB"),
        (&["plan", "--max-cows", "99999999999"], 2, "too large: expected at most 24 cows, found \"99999999999\""),
        (&["plan", "--max-cows", "7", "--memory", "9X"], 2, "expected a number of bytes such as 900M"),
        (
            &["rules", "hexagon;cows=12;fly=3;counter=none;no-remake=none;full-board=draw"],
            2,
            "rule option board: expected morabaraba or nine-mens-morris, found \"hexagon\"",
        ),
        (
            &["rules", "morabaraba;c\u{43e}ws=12;fly=3;counter=none;no-remake=none;full-board=draw"],
            2,
            "'\u{43e}' is the Cyrillic letter U+043E, which only looks like 'o'",
        ),
        (&["build", "--cows", "4294967299"], 2, "'--cows <N>': expected 3 to 12"),
        (&["build", "--layers", &long], 2, "expected all, 2, 3 or from:N"),
        (&["plan", "--class", "\u{feff}4-13"], 2, "expected 3 to 12 cows"),
        (&["verify", "--tables", tables, "--manifest", empty], 1, "not a manifest: it begins with an empty line"),
        (&["perft", "1", "--rules", &long], 2, "there is no rule set of that long name"),
        (&["perft", "1", "--rules", &format!("{long};")], 2, "rule text"),
        (
            &["show", "W:W\u{430}7,d7,g7:Bb6,d6,c5"],
            2,
            "'\u{430}' is the Cyrillic letter U+0430, which only looks like 'a'",
        ),
        (&["perft", "1", "--rules", "g\u{430}r"], 2, "'\u{430}' is the Cyrillic letter U+0430"),
        (&["build", "--class", "\u{ff14}-3"], 2, "is the full-width character U+FF14, which only looks like '4'"),
        (
            &["probe", "W:Wa7,d7:Bb6"],
            2,
            "the players have 2 and 1 cows, board and hand together: expected three or more of one of them",
        ),
    ];
    for (arguments, status, says) in cases {
        let output = morabase(arguments).output().unwrap();
        let said = crate::common::cli::stderr(&output);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
        assert!(said.contains(says), "{arguments:?}: expected {says:?} in: {said}");
        assert!(!said.contains(&long), "a long text is shortened: {said}");
    }
}

#[test]
fn restrictions_that_can_bar_nothing_are_left_out_so_that_equal_positions_have_one_text() {
    // The restriction bars d2-d1, which completes a1-d1-g1 once more.
    const BARS: &str = "W:Wg1,a1,f2,d2,b2:Ba7,d7,c5:LWd1-d2";
    let cases = [
        (BARS, BARS),
        ("B:Wg1,a1,f2,d2,b2:Ba7,d7,c5:LWd1-d2", "B:Wg1,a1,f2,d2,b2:Ba7,d7,c5:LWd1-d2"),
        // The point is taken.
        ("W:Wg1,a1,f2,d2,b2:Ba7,d1,c5:LWd1-d2", "W:Wg1,a1,f2,d2,b2:Ba7,d1,c5"),
        // The cow is gone.
        ("W:Wg1,a1,f2,b2:Ba7,d7,c5:LWd1-d2", "W:Wg1,a1,f2,b2:Ba7,d7,c5"),
        // The line is.
        ("W:Wa1,f2,d2,b2:Ba7,d7,c5:LWd1-d2", "W:Wa1,f2,d2,b2:Ba7,d7,c5"),
    ];
    for (text, expected) in cases {
        let shown = json(&["show", "--json", text]);
        assert_eq!(shown["position"], expected, "{text}");
        for key in ["position", "gar", "fen", "fen_old"] {
            let again = json(&["show", "--json", shown[key].as_str().unwrap()]);
            assert_eq!(again["position"], expected, "{text}");
        }
    }
    // Under the other reading any cow may complete the line, so it need not be that one, but one that can get there.
    let same_line =
        |text: &str| json(&["show", "--json", "--rules", "wikipedia", text])["position"].as_str().unwrap().to_owned();
    for text in ["W:Wg1,a1,d2,b2:Ba7,d7,c5:LWd1-d2", "W:Wg1,a1,b4:Ba7,d7,c5,e5:LWd1-d2"] {
        assert_eq!(same_line(text), text);
    }
    assert_eq!(same_line("W:Wg1,a1,f2,b2:Ba7,d7,c5:LWd1-d2"), "W:Wg1,a1,f2,b2:Ba7,d7,c5");
    // By turns as by text: here the point is taken by the answer.
    let after = |moves: &str| json(&["show", "--json", "--moves", moves, "W:Wa1,d1,g1,b2,f2:Ba7,d7,c5,e3"]);
    assert_eq!(after("d1-d2xa7")["position"], "B:Wg1,a1,f2,d2,b2:Bd7,c5,e3:LWd1-d2");
}
