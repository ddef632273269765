//! What a player at a terminal does: reviewing a game, playing one, typing turns as they come.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Output, Stdio};

use serde_json::json;
use tempfile::TempDir;

use crate::common::cli::{fed, json, morabase, stderr, stdout};

/// Four against four, in the tables that every program carries; won in 9 plies by d6-b6 alone.
const START: &str = "W:Wd6,d7,f4,f6:Bb4,d3,g1,g4";

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_review_marks_what_was_thrown_away_and_says_what_was_best() {
    // The win goes with the third turn, and the draw with the fourth.
    let game = "d6-b6 g4-g7 f4-f2 g7-g4";
    let shown = stdout(&mut morabase(&["review", "--from", START, game]));
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "1  O  d6-b6   won in 9 plies");
    assert_eq!(lines[2], "3  O  f4-f2?  drawn             throws the win away; best was f4-e4, won in 7 plies");
    assert_eq!(lines[4], "first player (O): 1 win thrown away, on turn 3");
    assert_eq!(lines[5], "second player (@): 1 draw thrown away, on turn 4");

    let review = json(&mut morabase(&["review", "--json", "--from", START, game]));
    assert_eq!(review["start"], "W:Wd7,d6,f6,f4:Bg4,g1,b4,d3");
    assert_eq!(review["turns"][2]["thrown_away"], "win");
    assert_eq!(review["turns"][2]["best"]["turn"], "f4-e4");
    assert_eq!(
        (&review["turns"][3]["thrown_away"], &review["turns"][1]["thrown_away"]),
        (&json!("draw"), &json!(null))
    );
    assert_eq!(
        review["players"],
        json!({
            "first": {"turns": 2, "judged": 2, "wins_thrown_away": [3], "draws_thrown_away": []},
            "second": {"turns": 2, "judged": 2, "wins_thrown_away": [], "draws_thrown_away": [4]},
        })
    );
    assert_eq!((&review["ended"], &review["missing"]), (&json!(null), &json!([])));
}

#[test]
fn a_review_of_best_play_has_no_marks_and_says_how_the_game_ended() {
    let line = json(&mut morabase(&["line", "--json", START]));
    let turns: Vec<&str> =
        line["turns"].as_array().unwrap().iter().map(|turn| turn["turn"].as_str().unwrap()).collect();
    let review = json(&mut morabase(&["review", "--json", "--from", START, &turns.join(" ")]));
    for (reviewed, turn) in review["turns"].as_array().unwrap().iter().zip(line["turns"].as_array().unwrap()) {
        assert_eq!(reviewed["best"]["value"], reviewed["value"]);
        assert_eq!([&reviewed["value"], &reviewed["dtc"]], [&turn["value"], &turn["dtc"]]);
        assert_eq!(reviewed["thrown_away"], json!(null));
    }
    assert_eq!(review["ended"], json!({"winner": "first", "reason": "too-few-cows"}));
    let shown = stdout(&mut morabase(&["review", "--from", START, &turns.join(" ")]));
    assert!(shown.contains("the game is over: first player (O) has won") && !shown.contains('?'), "{shown}");
}

#[test]
fn a_win_that_becomes_a_loss_and_a_draw_that_does_have_their_own_marks() {
    let drawn = stdout(&mut morabase(&["review", "--from", "W:Wd3,g7,d1,e5:Bd7,d6,a7,b6", "e5-f6"]));
    assert!(drawn.starts_with("1  O  e5-f6?  lost in 6 plies  throws the draw away; best was "), "{drawn}");
    assert!(drawn.contains("first player (O): 1 draw thrown away, on turn 1\n"), "{drawn}");
    let won = stdout(&mut morabase(&["review", "--from", "W:We4,d7,d6,b6:Bb2,d3,b4,a4", "b6-a7"]));
    assert!(won.starts_with("1  O  b6-a7??  lost in 4 plies  throws the win away; best was "), "{won}");
}

#[test]
fn a_game_is_read_from_its_text_a_file_and_standard_input() {
    let directory = TempDir::new().unwrap();
    let written = stdout(&mut morabase(&["show", "--record", START, "--moves", "d6-b6 g4-g7 f4-f2"]));
    fs::write(directory.path().join("game.pgn"), &written).unwrap();
    fs::write(directory.path().join("turns.txt"), "d6-b6! g4-g7\n2. f4f2?\n").unwrap();
    let expected = stdout(&mut morabase(&["review", "--from", START, "d6-b6 g4-g7 f4-f2"]));
    for arguments in [&["game.pgn"][..], &["--from", START, "turns.txt"], &["--from", START, "1.d6b6 g4g7 2.f4-f2?!"]] {
        let shown = stdout(morabase(&["review"]).args(arguments).current_dir(directory.path()));
        assert_eq!(shown, expected, "{arguments:?}");
    }
    assert_eq!(out(&fed(&mut morabase(&["review", "-"]), written)), expected);
}

#[test]
fn a_review_goes_on_where_tables_are_missing_and_fails_only_if_none_knows_anything() {
    // Nine cows, until the shot comes.
    let start = "W:Wa7,d7,g4,a1,c3:Bb6,d6,c5,g1";
    let game = "g4-g7xb6 d6-b6 g7-g4";
    let output = morabase(&["review", "--json", "--from", start, game]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let review: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let turns = &review["turns"];
    assert_eq!((&turns[0]["missing"], &turns[0]["best"]), (&json!("4-5"), &json!(null)));
    // Where the shot leads is known, whatever else there was.
    assert!(turns[0]["value"].is_string() && turns[0]["thrown_away"].is_null(), "{review}");
    assert!(turns[1]["best"].is_object() && review["players"]["first"]["judged"] == 1, "{review}");
    assert_eq!(review["missing"], json!(["4-5"]));
    assert!(stderr(&output).contains("not every turn could be judged") && stderr(&output).contains("--class 4-5"));

    let nothing = morabase(&["review", "d6 d7"]).output().unwrap();
    assert_eq!(nothing.status.code(), Some(1));
    assert!(out(&nothing).contains("first player (O): no turn judged"));
    assert!(stderr(&nothing).contains("morabase build --rules gar --class"), "{}", stderr(&nothing));
}

#[test]
fn what_is_no_game_is_refused_with_what_was_perhaps_meant() {
    let cases: [(&[&str], &str); 5] = [
        (&["review", "nothere.pgn"], "error: nothere.pgn: no such file, and not a list of turns such as 'd6 d7 b4'"),
        (&["review", START], "--from POSITION"),
        (&["review", ""], "the game has no turns"),
        (&["review", "--from", START, "d6-d4"], "no point \"d4\""),
        (&["review", "--from", START, "d6-b6 d6-d5"], "turn 2 of the record, d6-d5"),
    ];
    for (arguments, says) in cases {
        let output = morabase(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(says), "{arguments:?}: {}", stderr(&output));
    }
}

/// What the program says in a game in which these lines are typed.
fn played(arguments: &[&str], lines: &[&str]) -> String {
    let mut command = morabase(&["play"]);
    command.args(arguments);
    let output = fed(&mut command, lines.join("\n") + "\n");
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    out(&output)
}

#[test]
fn the_program_answers_with_the_best_turn_and_draws_the_board() {
    let said = played(&[START], &["d6b6!", "hint", "f4-e4", "quit"]);
    assert!(said.contains("7  +-----------O-----------+"), "{said}");
    assert!(said.contains("second player (@) plays g4-g7\n"), "{said}");
    assert!(said.contains("hint: f4-e4, won in 7 plies\nfirst player (O) to move\n"), "{said}");
    assert!(said.contains("second player (@) plays b4-c4\n"), "{said}");
    let last = said.lines().last().unwrap();
    let expected = "morabase review --from 'W:Wd7,d6,f6,f4:Bg4,g1,b4,d3' 'd6-b6 g4-g7 f4-e4 b4-c4'";
    assert_eq!(last, format!("what each turn was worth: {expected}"));
}

#[test]
fn a_game_is_played_to_its_end_by_hints_alone_and_the_input_may_end_before() {
    let mut lines = Vec::new();
    for turn in json(&mut morabase(&["line", "--json", START]))["turns"].as_array().unwrap() {
        if turn["side"] == "first" {
            lines.push(turn["turn"].as_str().unwrap().to_owned());
        }
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let said = played(&[START], &lines);
    assert!(said.contains("the game is over: first player (O) has won"), "{said}");
    let ended = played(&[START], &lines[..1]);
    assert!(ended.ends_with("'d6-b6 g4-g7'\n"), "{ended}");
}

#[test]
fn turns_are_taken_back_to_the_player_who_asks() {
    let said = played(&[START], &["undo", "d6-b6", "f4-e4", "undo", "u", "record", "q"]);
    assert!(said.contains("there is no turn to take back"), "{said}");
    assert!(said.contains("[Result \"*\"]") && said.ends_with("first player (O) to move\n"), "{said}");
    // Between two people it is one turn, and half a turn without its shot.
    let said = played(&["--side", "both", "--moves", "d6 d7 b6 a4"], &["f6", "undo", "f6", "d7", "undo", "record"]);
    let asks = "a line: which cow do you shoot? xd7 xa4\n";
    assert_eq!(said.matches(asks).count(), 2, "{said}");
    assert!(said.contains("1. d6 d7 2. b6 a4 *"), "{said}");
}

#[test]
fn a_shot_is_asked_for_where_a_turn_names_none() {
    let said = played(&["--side", "both", "--moves", "d6 d7 b6 a4"], &["f6", "g7", "d7", "quit"]);
    assert!(said.contains("xg7 is not legal: "), "{said}");
    assert!(said.ends_with("morabase review 'd6 d7 b6 a4 f6xd7'\n"), "{said}");
}

#[test]
fn what_cannot_be_played_or_read_is_said_and_the_game_goes_on() {
    let said = played(&[START], &["d6-d4", "d6-g1", "nonsense", "", "turns", "help", "d6-b6", "exit"]);
    assert!(said.contains("no point \"d4\"") && said.contains("help lists what can be typed"), "{said}");
    assert!(said.contains("d6-g1 is not legal: g1 is taken"), "{said}");
    assert!(said.contains("d6-b6 d6-d5") && said.contains("quit       ends"), "{said}");
    assert!(said.contains("plays g4-g7"), "{said}");
}

#[test]
fn either_side_can_be_played_or_none() {
    let said = played(&["--side", "second", START], &["quit"]);
    assert!(said.contains("first player (O) plays d6-b6\n") && said.contains("second player (@) to move"), "{said}");
    let said = played(&["--side", "none", START], &[]);
    assert!(said.contains("the game is over: first player (O) has won"), "{said}");
    // Drawn and without a counter, it would not end by itself.
    let directory = TempDir::new().unwrap();
    let tables = directory.path().to_str().unwrap();
    stdout(&mut morabase(&["build", "-q", "--rules", "plain", "--max-cows", "7", "--tables", tables]));
    let said = played(&["--side", "none", "--tables", tables, "W:Wa7,d7,g1,c3:Bb6,d6,c5"], &[]);
    assert!(said.contains("stopped: 100 plies without a shot") || said.contains("the game is over"), "{said}");
}

#[test]
fn a_game_without_tables_is_played_by_searching() {
    let said = played(&["--movetime", "20"], &["d6", "hint", "quit"]);
    assert!(said.contains("no table has this position: the program searches"), "{said}");
    assert!(said.contains("second player (@) plays ") && said.contains("found by searching"), "{said}");
}

#[test]
fn a_program_can_play_as_each_answer_comes_before_the_next_line() {
    let mut command = morabase(&["play", START]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut wait_for =
        |part: &str| said.find(|line| line.contains(part)).unwrap_or_else(|| panic!("{part} never came"));
    wait_for("first player (O) to move");
    writeln!(stdin, "d6-b6").unwrap();
    wait_for("plays g4-g7");
    wait_for("first player (O) to move");
    writeln!(stdin, "quit").unwrap();
    wait_for("what each turn was worth");
    assert!(child.wait().unwrap().success());
}

#[test]
fn cows_in_hand_that_were_forgotten_are_asked_after() {
    let hint =
        "hint: the second player has 1 cow and none in hand; cows still to place are given at the end, as :H9,11";
    for command in ["probe", "line", "show", "turns"] {
        let output = morabase(&[command, "B:Wd6,b4,f4:Bd7"]).output().unwrap();
        assert!(stderr(&output).contains(hint), "{command}: {}", stderr(&output));
    }
    // Who names the hands, or gives the fields of a FEN, has thought of them.
    for text in ["B:Wd6,b4,f4:Bd7:H0,0", "B:Wd6,b4,f4:Bd7:H9,11", "B:Wd6,b4,f4:Bd7,a4,a7"] {
        let output = morabase(&["show", text]).output().unwrap();
        assert_eq!(stderr(&output), "", "{text}");
    }
    let both = morabase(&["probe", "B:Wd6,b4:Bd7"]).output().unwrap();
    assert!(stderr(&both).contains("given at the end, as :H10,11)"), "{}", stderr(&both));
    // What it advises is a position.
    assert!(morabase(&["show", "B:Wd6,b4:Bd7:H10,11"]).output().unwrap().status.success());
}

#[test]
fn turns_in_the_place_of_a_position_are_known_for_what_they_are() {
    for command in ["show", "probe", "line", "turns"] {
        let output = morabase(&[command, "1. d6 d7 2. b4"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert!(stderr(&output).contains("found turns: give them as --moves '1. d6 d7 2. b4'"), "{}", stderr(&output));
    }
}

#[test]
fn positions_and_turns_are_read_as_people_type_them() {
    let same = ["W:Wd6,d7,f4,f6:Bb4,d3,g1,g4", "W:Wd6 d7 f4 f6:Bb4 d3 g1 g4", "w: w d6, d7 f4,f6 : b b4 d3 , g1 g4"];
    let shown: Vec<String> = same.map(|text| stdout(&mut morabase(&["show", "--json", text]))).to_vec();
    assert!(shown.windows(2).all(|pair| pair[0] == pair[1]), "{shown:?}");
    let moves: Vec<String> = ["d6-b6 g4-g7", "1.d6b6! g4g7", "d6-b6! 1... g4 - g7 ?"]
        .map(|moves| stdout(&mut morabase(&["show", START, "--moves", moves])))
        .to_vec();
    assert!(moves.windows(2).all(|pair| pair[0] == pair[1]), "{moves:?}");
    let wrong = morabase(&["show", "W:Wd6,d7,f4:Bb6,d6:c5"]).output().unwrap();
    assert!(stderr(&wrong).contains("a comma before each further cow"), "{}", stderr(&wrong));
}
