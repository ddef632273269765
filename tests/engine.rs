//! The real binary as a player, through pipes: the dialect, hostile peers, tables that change under it, and whole games
//! whose results are compared with the tables' values.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use morabase::{
    Fen, FenDialect, NoRemake, Outcome, Position, Preset, Record, RuleSet, Side, Step, Tablebase, Turn, Verdict, Wdl,
};
use tempfile::TempDir;

use crate::common::cli::{fed, morabase, stderr};
use crate::common::positions::{moving, pick};
use crate::common::random::Random;
use crate::common::tables::built;
use crate::common::text::cases;

/// An engine at the other end of two pipes.
struct Peer {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Peer {
    fn with(arguments: &[&str]) -> Self {
        let mut command = morabase(&["engine"]);
        command.args(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output }
    }

    fn on(tables: &Path) -> Self {
        Self::with(&["--tables", tables.to_str().unwrap()])
    }

    fn say(&mut self, line: impl AsRef<[u8]>) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_ref()).and_then(|()| input.write_all(b"\n")).unwrap();
    }

    /// The lines up to the first that begins so, that one included.
    fn until(&mut self, beginning: &str) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "it ended before {beginning}: {lines:#?}");
            lines.push(line.trim_end().to_owned());
            if line.starts_with(beginning) {
                return lines;
            }
        }
    }

    /// What is answered to a line.
    fn ask(&mut self, line: impl AsRef<[u8]>) -> Vec<String> {
        self.say(line);
        self.say("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// The half-turn for a position given in the words of the dialect, and what was said about it.
    fn think(&mut self, position: &str, go: &str) -> (Option<Step>, Vec<String>) {
        self.say(format!("position {position}\n{go}"));
        let lines = self.until("bestmove");
        let (_, word) = lines[lines.len() - 1].split_once(' ').unwrap();
        let step = (word != "(none)").then(|| word.parse().unwrap());
        (step, lines)
    }

    /// Ends the input; the engine must end well.
    fn end(mut self) -> Vec<String> {
        self.input = None;
        let rest = (&mut self.output).lines().map(Result::unwrap).collect();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        rest
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Only where a test has failed is there still something to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn fen(position: &Position, rules: &RuleSet) -> String {
    Fen { position: *position, move_number: 1 }.to_text(FenDialect::Nodes, rules)
}

fn is_error(line: impl AsRef<str>) -> bool {
    line.as_ref().starts_with("info string error: ")
}

// The dialect.

#[test]
fn it_introduces_itself_and_is_ready() {
    let mut peer = Peer::with(&[]);
    peer.say("uci");
    let lines = peer.until("uciok");
    for beginning in [
        "id name morabase ",
        "id author ",
        "option name TablesPath type string default <empty>",
        "option name Rules type combo default gar var gar var gar-10 ",
        "option name MultiPV type spin default 1 min 1 max ",
        "option name Hash type spin default 16 min 1 max ",
    ] {
        assert!(lines.iter().any(|line| line.starts_with(beginning)), "{beginning}: {lines:#?}");
    }
    assert_eq!(peer.ask("joho debug on"), [""; 0]);
    peer.say("quit");
    assert_eq!(peer.end(), [""; 0]);
}

#[test]
fn half_turns_come_one_by_one_and_lead_to_the_best_turn() {
    let mut peer = Peer::with(&[]);
    let rules = Preset::Gar.rules();
    let tables = Tablebase::shipped().unwrap();
    let position = Position::from_notation("W:Wd6,c5,d5,g7:Bc4,g4,e5,f2", &rules).unwrap();
    let best = tables.best_turn(&position).unwrap().unwrap();
    assert!(best.turn.shoots());
    let start = format!("fen {}", fen(&position, &rules));
    let (step, lines) = peer.think(&start, "go movetime 1000");
    assert_eq!(step, Some(best.turn.step));
    assert!(lines.iter().any(|line| line.starts_with("info string table: won")), "{lines:#?}");
    let pv = format!(" pv {} x{}", best.turn.step, best.turn.shot.unwrap());
    assert!(lines.iter().any(|line| line.contains(&pv) && line.contains("score cp 29999")), "{lines:#?}");
    let (shot, _) = peer.think(&format!("{start} moves {}", best.turn.step), "go movetime 1000");
    assert_eq!(shot, best.turn.shot.map(Step::Shoot));
    peer.end();
}

#[test]
fn beyond_the_tables_it_searches_within_each_limit_and_answers_while_it_thinks() {
    let mut peer = Peer::with(&[]);
    let rules = Preset::Gar.rules();
    let moves = "d6 d7 b4 a4 b6";
    let record: Record = moves.parse().unwrap();
    let position = record.end(&Position::start(&rules), &rules).unwrap();
    for go in ["go depth 3", "go nodes 2000", "go movetime 30", "go wtime 500 btime 400 winc 5 binc 5", "go movetime 0"]
    {
        let (step, lines) = peer.think(&format!("startpos moves {moves}"), go);
        assert!(position.apply_half(step.unwrap(), &rules).is_ok(), "{go}: {lines:#?}");
    }
    let (_, lines) = peer.think(&format!("startpos moves {moves}"), "go depth 3");
    assert!(lines.iter().any(|line| line.starts_with("info depth 3 multipv 1 score cp ") && line.contains(" pv ")));
    assert!(!lines.iter().any(|line| line.starts_with("info depth 4")));

    peer.say("go infinite\nisready");
    peer.until("readyok");
    peer.say("stop");
    peer.until("bestmove");
    // Also where the answer is known at once it waits to be stopped.
    peer.say("position fen W:Wa7,d7,g1:Bb6,d6,c5\ngo infinite\nisready");
    assert!(!peer.until("readyok").iter().any(|line| line.starts_with("bestmove")));
    peer.say("stop");
    peer.until("bestmove");

    peer.say("setoption name MultiPV value 3");
    let (_, lines) = peer.think("startpos moves d6 d7", "go depth 2");
    assert!(lines.iter().any(|line| line.starts_with("info depth 2 multipv 3 ")), "{lines:#?}");
    // Commands after a search with an end wait for it; an endless one is stopped by the end of input.
    peer.say("position startpos\ngo depth 3\nposition startpos moves d6\ngo infinite");
    let rest = peer.end();
    assert_eq!(rest.iter().filter(|line| line.starts_with("bestmove")).count(), 2, "{rest:#?}");
    assert!(rest.iter().any(|line| line.starts_with("info depth 3 multipv 3")));
}

#[test]
fn the_board_and_the_values_are_shown() {
    let mut peer = Peer::with(&[]);
    peer.ask("position fen W:Wd6,d7,f4,f6:Bb4,d3,g1,g4");
    let shown = peer.ask("d").join("\n");
    let parts =
        ["6  |   +-------O-------O   |", "\nfen ", " w m s 4 0 4 0 ", "W:Wd7,d6,f6,f4:Bg4,g1,b4,d3", "\nrules gar\n"];
    for part in parts.into_iter().chain(["\ntable 4-4, won: shot or end in 9 plies"]) {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let said = peer.ask("eval").join("\n");
    assert!(said.contains("table 4-4, won: shot or end in 9 plies") && said.contains("guess "), "{said}");
    peer.ask("position startpos moves d6");
    assert!(peer.ask("eval").join("\n").contains("guess "));
    let (none, lines) = peer.think("fen W:Wa7,d7:Bb6,d6,c5", "go depth 1");
    assert!(none.is_none() && lines.iter().any(|line| line.contains("the game is over: second player")), "{lines:#?}");
    peer.end();
}

#[test]
fn the_log_holds_both_sides() {
    let directory = TempDir::new().unwrap();
    let log = directory.path().join("engine.log");
    let mut peer = Peer::with(&["--log", log.to_str().unwrap()]);
    peer.ask("uci");
    peer.end();
    let text = fs::read_to_string(log).unwrap();
    assert!(text.contains(" > uci\n") && text.contains(" < uciok\n") && text.contains(" > isready\n"), "{text}");
    let output = morabase(&["engine", "--log"]).arg(directory.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot open the log"), "{}", stderr(&output));
}

/// A line without what differs from run to run.
fn settled(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let varies = |at: usize| at > 0 && ["nps", "time"].contains(&words[at - 1]);
    (0..words.len()).filter(|at| !varies(*at)).map(|at| words[at]).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_session_of_the_page_is_what_the_engine_says() {
    let page = include_str!("../docs/engine.md");
    let session = page.split("```\n> ").nth(1).unwrap().split("\n> quit\n```").next().unwrap();
    let mut peer = Peer::with(&[]);
    for part in session.split("\n> ") {
        let mut lines = part.lines();
        let command = lines.next().unwrap();
        let shown: Vec<String> = lines.map(settled).collect();
        let said = if command.starts_with("go") {
            peer.say(command);
            peer.until("bestmove")
        } else {
            peer.ask(command)
        };
        let said: Vec<String> = said.iter().map(|line| settled(line)).collect();
        let version = format!("id name morabase {}", env!("CARGO_PKG_VERSION"));
        let shown: Vec<String> =
            shown.into_iter().map(|line| if line.starts_with("id name") { version.clone() } else { line }).collect();
        assert_eq!(said, shown, "{command}");
    }
    peer.say("quit");
    peer.end();
}

// Peers that send nonsense.

#[test]
fn every_malformed_command_is_one_error_and_the_engine_goes_on() {
    let mut peer = Peer::with(&[]);
    for line in cases(include_str!("data/malformed_commands.txt")) {
        let said = peer.ask(line);
        assert!(said.len() == 1 && is_error(&said[0]), "{line}: {said:#?}");
        if line.starts_with("position") {
            // Without a position there is no turn; one from a game before would be wrong.
            peer.say("go depth 2");
            let said = peer.until("bestmove");
            assert_eq!((said.len(), said[1].as_str()), (2, "bestmove (none)"), "{line}");
            assert!(is_error(&said[0]) && is_error(&peer.ask("d")[0]));
        }
    }
    let (step, said) = peer.think("startpos", "go depth x nodes 100");
    assert!(step.is_some() && is_error(&said[0]), "{said:#?}");
    peer.end();
}

#[test]
fn bytes_that_are_no_commands_do_no_harm() {
    let mut peer = Peer::with(&[]);
    let said = peer.ask(b"\xff\xfe\0\x01 \x80");
    assert!(said.len() == 1 && is_error(&said[0]) && said[0].contains("UTF-16"), "{said:#?}");
    assert_eq!(peer.ask(b"\x01 \x80"), [""; 0]);
    let said = peer.ask(vec![b'a'; 3 << 20]);
    assert!(said.len() == 1 && is_error(&said[0]), "{said:#?}");
    let said = peer.ask(format!("position startpos moves {}", "d6 ".repeat(300_000)));
    assert!(said.len() == 1 && is_error(&said[0]) && said[0].len() < 300, "{said:#?}");
    let said = peer.ask(format!("setoption name Rules value {}", "x\u{301}".repeat(100_000)));
    assert!(said.len() == 1 && is_error(&said[0]) && said[0].len() < 9_000);

    let words = "go position startpos fen moves d6 d7 xb4 depth 2 -5 1 movetime 3 stop infinite setoption name value Hash \
                 MultiPV Rules plain gar d eval ucinewgame uci W:Wa7:Bb6 junk \u{0} 99999999999999999999";
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut random = Random::new(9);
    for _ in 0..300 {
        let line: Vec<&str> = (0..random.below(7)).map(|_| pick(&mut random, &words)).collect();
        peer.say(line.join(" "));
        if random.below(3) == 0 {
            peer.say("stop");
            peer.ask("");
        }
    }
    // An option is set once the thinking is over, so that nothing is still to come after the answer.
    // These rules have not been named before.
    peer.say("stop\nsetoption name Rules value wikipedia");
    peer.until("info string rules wikipedia");
    peer.say("setoption name Rules value gar");
    peer.until("info string rules gar");
    assert!(peer.think("startpos moves d6", "go depth 1").0.is_some());
    // Half a line, then nothing more.
    let input = peer.input.as_mut().unwrap();
    input.write_all(b"position fen O*****@*/O**").unwrap();
    assert!(peer.end().iter().any(is_error));
}

#[test]
fn who_stops_listening_ends_the_engine_quietly() {
    let mut command = morabase(&["engine"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    // The engine may be gone already.
    let _ = input.write_all(b"position startpos\ngo infinite\n");
    let _ = input.flush();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&output), "");
}

/// What the engine says to a whole input, and how long it took.
fn piped(input: &str) -> (String, Duration) {
    let started = Instant::now();
    let output = fed(&mut morabase(&["engine"]), input);
    assert_eq!(output.status.code(), Some(0));
    (String::from_utf8(output.stdout).unwrap(), started.elapsed())
}

#[test]
fn what_ends_a_search_is_heard_behind_queued_lines() {
    let deep = "position startpos moves d6 d7\ngo depth 64\n";
    for end in ["quit\n", "", "stop\nstop\n"] {
        let (said, time) = piped(&format!("{}{end}", deep.repeat(3)));
        assert!(time < Duration::from_secs(10), "{end}: {time:?}");
        assert_eq!(said.matches("bestmove ").count(), 3, "{end}: {said}");
        assert!(said.contains("info depth 1 "), "{end}: {said}");
    }
    let (said, _) = piped("position startpos\ngo nodes 1\nstop\n");
    assert!(said.starts_with("info depth 1 "), "{said}");
}

#[test]
fn readiness_is_answered_during_a_limited_search_behind_queued_lines() {
    let mut peer = Peer::with(&[]);
    peer.say("position startpos\ngo movetime 3000\nposition startpos moves d6\nisready");
    assert!(!peer.until("readyok").iter().any(|line| line.starts_with("bestmove")));
    peer.say("quit");
    peer.until("bestmove");
    peer.end();
}

#[test]
fn without_a_position_an_endless_search_says_so_only_when_stopped() {
    let mut peer = Peer::with(&[]);
    peer.ask("position fen junk");
    peer.say("go infinite\nisready");
    assert!(!peer.until("readyok").iter().any(|line| line.starts_with("bestmove")));
    peer.say("stop");
    assert_eq!(peer.until("bestmove").last().unwrap(), "bestmove (none)");
    peer.end();
}

#[test]
fn what_may_have_been_a_position_and_was_lost_leaves_none() {
    let mut peer = Peer::with(&[]);
    let written = ["osition startpos moves d6", "POSITION STARTPOS MOVES d6", "position;startpos", "W:Wd6:Bd7:H11,11"];
    for lost in written.map(|line| line.as_bytes().to_vec()).into_iter().chain([vec![b'x'; 3 << 20]]) {
        peer.ask("position startpos moves d6 d7");
        assert!(is_error(&peer.ask(lost)[0]));
        peer.say("go depth 1");
        assert_eq!(peer.until("bestmove").last().unwrap(), "bestmove (none)");
    }
    assert!(is_error(&peer.ask("position startpos moves [FEN \"W:Wd6:Bd7:H11,11\"] b4")[0]));
    peer.ask("position startpos moves d6 d7");
    peer.ask("setoption name Rules value plain");
    peer.say("go depth 1");
    assert_eq!(peer.until("bestmove").last().unwrap(), "bestmove (none)");
    peer.end();
    let (said, _) = piped("\u{feff}position fen W:Wd6,d7,f4,f6:Bb4,d3,g1,g4\ngo depth 1\n");
    assert!(said.contains("bestmove d6-b6"), "{said}");
}

#[test]
fn tables_that_nobody_named_cannot_keep_it_from_playing() {
    let mut command = morabase(&["engine"]);
    let output = fed(command.env("MORABASE_TABLES", "/nowhere"), "uci\nquit\n");
    assert!(String::from_utf8_lossy(&output.stdout).contains("6 tables"), "{}", stderr(&output));
    assert_eq!(stderr(&output).matches("warning: ").count(), 1);
    let empty = TempDir::new().unwrap();
    let output = fed(morabase(&["engine"]).env("MORABASE_TABLES", empty.path()), "uci\nquit\n");
    assert!(String::from_utf8_lossy(&output.stdout).contains("6 tables"), "{}", stderr(&output));
    assert_eq!(stderr(&output).matches("warning: ").count(), 1);
}

#[cfg(unix)]
#[test]
fn an_input_that_cannot_be_read_is_an_error() {
    let directory = std::fs::File::open(".").unwrap();
    let output = morabase(&["engine"]).stdin(directory).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot read standard input"), "{}", stderr(&output));
}

#[test]
fn rules_that_are_unknown_leave_no_position() {
    let (said, _) = piped("position startpos moves d6\nsetoption name Rules value nonsense\ngo depth 1\n");
    assert!(said.contains("bestmove (none)"), "{said}");
    let (said, _) = piped("isready\n\u{feff}position startpos moves d6\n\u{feff}go depth 1\n");
    assert!(said.contains("bestmove ") && !said.contains("(none)"), "{said}");
}

/// The lines of the answer to `go`, which must come by itself.
fn answer(peer: &mut Peer, go: &str) -> Vec<String> {
    peer.say(go);
    peer.until("bestmove")
}

#[test]
fn options_set_the_time_of_a_go_without_limit() {
    let mut peer = Peer::with(&[]);
    for (option, most) in [("MoveTime", 86_400), ("MoveTimeMs", 86_400_000)] {
        for go in ["go", "go depth 0"] {
            assert_eq!(peer.ask(format!("setoption name {option} value {most}")), [""; 0]);
            peer.say(format!("position startpos moves d6 d7\n{go}"));
            // The time of a `go` without options is over by then.
            std::thread::sleep(Duration::from_millis(1300));
            assert!(!peer.ask("").iter().any(|line| line.starts_with("bestmove")), "{option}, {go}");
            peer.say("stop");
            peer.until("bestmove");
            peer.ask(format!("setoption name {option} value 0"));
            answer(&mut peer, go);
        }
        for wrong in ["x", "-1", "", &(most + 1).to_string()] {
            let said = peer.ask(format!("setoption name {option} value {wrong}"));
            assert!(said.len() == 1 && is_error(&said[0]) && said[0].contains(option), "{said:#?}");
        }
    }
    for strength in ["0", "30", "expert"] {
        assert_eq!(peer.ask(format!("setoption name SkillLevel value {strength}")), [""; 0]);
    }
    peer.end();
}

#[test]
fn score_and_turn_come_in_one_line_where_that_is_asked_for() {
    let mut peer = Peer::with(&[]);
    let usual = peer.think("startpos moves d6 d7", "go depth 2").1;
    let score = usual[1].split(" score cp ").nth(1).unwrap().split(' ').next().unwrap();
    peer.ask("ucinewgame");
    peer.ask("setoption name infowithbestmove value TRUE");
    peer.say("position startpos moves d6 d7\ngo depth 2");
    let lines = peer.until("info score ");
    assert_eq!(lines.last().unwrap(), &format!("info score {score} {}", usual.last().unwrap()));
    // Without a turn there is no score.
    assert_eq!(peer.think("fen W:Wa7,d7:Bb6,d6,c5", "go depth 1").1.last().unwrap(), "bestmove (none)");
    peer.end();
}

#[test]
fn in_analysis_the_draw_counter_does_not_count() {
    let mut peer = Peer::with(&[]);
    let (step, said) = peer.think("fen W:Wd6,d7,f4:Bb4,d3,g1:C20", "go depth 1");
    assert!(step.is_none() && said[0].contains("the draw counter has run out"), "{said:#?}");
    assert_eq!(peer.ask("moves"), ["moves"]);
    assert_eq!(peer.ask("setoption name UCI_AnalyseMode value true"), [""; 0]);
    let (step, said) = peer.think("fen W:Wd6,d7,f4:Bb4,d3,g1:C20", "go depth 1");
    assert!(step.is_some() && said[0] == "info string table: won: shot or end in 1 ply", "{said:#?}");
    assert!(peer.ask("moves")[0].contains(&format!(" {} ", step.unwrap())));
    assert!(peer.ask("eval")[0].contains("won: shot or end in 1 ply"));
    assert!(peer.ask("analyze fen W:Wd6,d7,f4:Bb4,d3,g1:C20")[0].contains("=win"));
    // The position itself is what it was.
    assert!(peer.ask("fen")[0].ends_with(" 20 1 ids:nodes"));
    peer.ask("setoption name UCI_AnalyseMode value false");
    assert_eq!(answer(&mut peer, "go depth 1").last().unwrap(), "bestmove (none)");
    peer.end();
}

#[test]
fn legal_half_turns_the_fen_and_a_number_of_the_position_are_told() {
    let mut peer = Peer::with(&[]);
    let rules = Preset::Gar.rules();
    let mut keys = Vec::new();
    for moves in ["d6 d7 b4 a4", "b4 a4 d6 d7", "d6 d7 b4 a4 b6 g7 f6", "d6"] {
        peer.ask(format!("position startpos moves {moves}"));
        let record: Record = moves.parse().unwrap();
        let end = Fen::start(&rules).follow(&record, &rules).unwrap();
        assert_eq!(peer.ask("fen"), [format!("fen {}", end.to_text(FenDialect::Nodes, &rules))]);
        let steps = end.position.half_turns(&rules);
        let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
        assert_eq!(peer.ask("moves"), [format!("moves {}", steps.join(" "))]);
        let key = peer.ask("key");
        assert!(key.len() == 1 && key[0].starts_with("key "), "{key:#?}");
        keys.push(key);
    }
    // The first two are one position, the last two others.
    assert!(keys[0] == keys[1] && keys[1] != keys[2] && keys[2] != keys[3] && keys[1] != keys[3], "{keys:#?}");
    peer.ask("position fen W:Wa7,d7:Bb6,d6,c5");
    assert_eq!(peer.ask("moves"), ["moves"]);
    peer.ask("position junk");
    for command in ["moves", "fen", "key"] {
        let said = peer.ask(command);
        assert!(said.len() == 1 && is_error(&said[0]), "{command}: {said:#?}");
    }
    peer.end();
}

#[test]
fn turns_to_choose_from_pondering_and_the_distance_of_a_win_are_taken() {
    let mut peer = Peer::with(&[]);
    for only in ["a1", "g1"] {
        let (step, said) = peer.think("startpos moves d6 d7", &format!("go searchmoves {only} depth 2"));
        assert_eq!(step.map(|step| step.to_string()).as_deref(), Some(only), "{said:#?}");
    }
    for wrong in ["zz", "d6"] {
        let (step, said) = peer.think("startpos moves d6 d7", &format!("go depth 1 searchmoves {wrong}"));
        assert!(step.is_some() && is_error(&said[0]) && said[0].contains(wrong), "{said:#?}");
    }
    let (step, said) = peer.think("fen W:Wd6,d7,f4:Bb4,d3,g1", "go mate 1");
    assert!(step.is_some() && said.iter().any(|line| line.contains(" score mate 1 ")), "{said:#?}");

    peer.ask("setoption name Ponder value true");
    peer.say("position startpos moves d6 d7");
    let said = answer(&mut peer, "go depth 3");
    assert!(said.last().unwrap().contains(" ponder "), "{said:#?}");
    // However short the time, it counts from the word that the turn was made.
    peer.say("go ponder movetime 1");
    std::thread::sleep(Duration::from_millis(300));
    assert!(!peer.ask("").iter().any(|line| line.starts_with("bestmove")));
    answer(&mut peer, "ponderhit");
    peer.end();
}

#[test]
fn values_come_in_the_form_of_the_sanmill_program_and_its_rules_are_compared() {
    let mut peer = Peer::with(&[]);
    let said = peer.ask("analyze fen W:Wd6,d7,f4,f6:Bb4,d3,g1,g4");
    let rules = Preset::Gar.rules();
    let position = Position::from_notation("W:Wd6,d7,f4,f6:Bb4,d3,g1,g4", &rules).unwrap();
    let values = Tablebase::shipped().unwrap().turns(&position).unwrap();
    let words: Vec<&str> = said[0].strip_prefix("info analysis ").unwrap().split(' ').collect();
    assert_eq!(words.len(), position.half_turns(&rules).len(), "{said:#?}");
    for turn in values {
        let name = match turn.value.wdl() {
            Wdl::Won => "win",
            Wdl::Drawn => "draw",
            Wdl::Lost => "loss",
        };
        assert!(words.contains(&&*format!("{}={name}", turn.turn.step)), "{}: {said:#?}", turn.turn);
    }
    for same in ["PiecesCount value 12", "HasDiagonalLines value true", "NMoveRule value 20"] {
        assert_eq!(peer.ask(format!("setoption name {same}")), [""; 0], "{same}");
    }
    for other in ["PiecesCount value 9", "HasDiagonalLines value false", "NMoveRule value 100"] {
        let said = peer.ask(format!("setoption name {other}"));
        let name = other.split(' ').next().unwrap();
        assert!(said.len() == 1 && is_error(&said[0]) && said[0].contains(name), "{said:#?}");
        assert!(said[0].contains("the rules gar are played"), "{said:#?}");
    }
    peer.end();
}

#[test]
fn positions_of_whole_games_are_read_as_the_sanmill_program_writes_them() {
    let rules = Preset::Gar.rules();
    let (mut random, mut lines, mut flights) = (Random::new(14), 0, 0);
    for _ in 0..200 {
        let mut position = Position::start(&rules);
        // The last turn of each side, if it made a line: where it came from, none for a placement, and where it went.
        let mut last = [(String::from("-1"), String::from("-1")), (String::from("-1"), String::from("-1"))];
        let node = |point| {
            let alone = Position::moving([morabase::PointSet::EMPTY.with(point); 2], Side::First);
            let text = Fen { position: alone, move_number: 1 }.to_text(FenDialect::Nodes, &rules);
            text.chars().filter(|sign| *sign != '/').position(|sign| sign != '*').unwrap().to_string()
        };
        while position.outcome(&rules).is_none() {
            let flies = position.cows[position.to_move.index()].len() == 3;
            let side = position.to_move.index();
            let step = pick(&mut random, &position.half_turns(&rules));
            position = position.apply_half(step, &rules).unwrap();
            match step {
                Step::Place(to) if position.shot_pending => last[side] = ("-1".to_owned(), node(to)),
                Step::Move(from, to) if position.shot_pending => {
                    flights += usize::from(flies);
                    last[side] = (node(from), node(to));
                }
                Step::Shoot(_) => {}
                _ => last[side] = ("-1".to_owned(), "-1".to_owned()),
            }
            lines += usize::from(position.shot_pending);
            let text = fen(&position, &rules);
            let mut fields: Vec<&str> = text.split(' ').collect();
            fields[10..14].copy_from_slice(&[&last[0].0, &last[0].1, &last[1].0, &last[1].1]);
            let text = fields.join(" ");
            assert_eq!(Position::from_notation(&text, &rules), Ok(position), "{text}");
        }
    }
    assert!(lines > 500 && flights > 5, "{lines} lines, {flights} by flights");
}

#[test]
fn a_bulk_of_queued_lines_is_worked_through_to_the_last() {
    let mut peer = Peer::with(&[]);
    let long = format!("position startpos moves {}", "d6 ".repeat(340_000));
    peer.say("go movetime 50");
    for _ in 0..6 {
        peer.say(&long);
    }
    let said = peer.ask("position startpos moves d6");
    assert_eq!(said.iter().filter(|line| is_error(line)).count(), 6);
    assert_eq!(said.iter().filter(|line| line.starts_with("bestmove")).count(), 1);
    assert!(peer.ask("fen")[0].starts_with("fen ********/O*******/******** b "));
    peer.end();
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_of_tables_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt;
    let parent = TempDir::new().unwrap();
    let directory = parent.path().join(std::ffi::OsStr::from_bytes(b"t\xff\xfe"));
    fs::create_dir(&directory).unwrap();
    let tables = built("plain", &["--class", "3-3"]);
    fs::copy(tables.path().join("3-3.mora"), directory.join("3-3.mora")).unwrap();
    let mut peer = Peer::with(&["--rules", "plain"]);
    let said = peer.ask([b"setoption name TablesPath value ", directory.as_os_str().as_bytes()].concat());
    assert_eq!(said, ["info string rules plain, 1 table, all up to 6 cows"]);
    peer.end();
}

// Tables that are not what they should be.

#[test]
fn tables_that_cannot_be_used_are_refused_and_the_old_ones_stay() {
    let plain = built("plain", &["--class", "3-3"]);
    let file = plain.path().join("3-3.mora");
    let mut peer = Peer::with(&[]);
    let flying = "fen W:Wa7,d7,g1:Bb6,d6,c5";
    let knows = |peer: &mut Peer| peer.think(flying, "go depth 1").1[0].starts_with("info string table: won");
    for path in ["/nowhere/at all", file.to_str().unwrap(), plain.path().to_str().unwrap()] {
        let said = peer.ask(format!("setoption name TablesPath value {path}"));
        assert!(said.len() == 1 && is_error(&said[0]) && said[0].contains("stay as they were"), "{said:#?}");
        assert!(knows(&mut peer), "{path}");
    }
    // A program that sends all its options again loses nothing.
    let said = peer.ask("setoption name Rules value gar");
    assert!(said.len() == 1 && !is_error(&said[0]), "{said:#?}");
    assert!(knows(&mut peer));
    // With the right rules the directory that was named is taken.
    let said = peer.ask("setoption name Rules value plain");
    assert_eq!(said, ["info string rules plain, 1 table, all up to 6 cows"]);
    assert!(knows(&mut peer));
    // Rules of which there are no tables are played without.
    let said = peer
        .ask("setoption name Rules value morabaraba;cows=4;fly=3;counter=none;no-remake=none;full-board=blocked-loses");
    assert!(is_error(&said[0]) && said[1].ends_with("no tables"), "{said:#?}");
    assert!(!knows(&mut peer));
    let said = peer.ask("setoption name TablesPath value <empty>");
    assert!(said.len() == 1 && !is_error(&said[0]) && said[0].ends_with("no tables"), "{said:#?}");
    peer.end();
}

#[test]
fn tables_damaged_under_it_are_named_and_it_plays_on() {
    for damage in [damage_cut, damage_overwrite, damage_empty] {
        let tables = built("plain", &["--class", "4-3"]);
        let rules = Preset::Plain.rules();
        let mut peer = Peer::on(tables.path());
        let position = Position::from_notation("W:Wa7,d7,g1,f2:Bb6,d6,c5", &rules).unwrap();
        let start = format!("fen {}", fen(&position, &rules));
        let (_, before) = peer.think(&start, "go depth 2");
        assert!(before.iter().any(|line| line.starts_with("info string table: ")), "{before:#?}");
        for name in ["4-3.mora", "3-4.mora", "3-3.mora"] {
            damage(&tables.path().join(name));
        }
        let (step, after) = peer.think(&start, "go depth 2");
        assert!(position.apply_half(step.unwrap(), &rules).is_ok());
        assert!(after.iter().any(|line| is_error(line) && line.contains(".mora")), "{after:#?}");
        peer.end();
    }
}

#[test]
fn a_table_that_cannot_be_read_from_the_start_is_named_when_it_is_asked() {
    let tables = built("plain", &["--class", "4-3"]);
    damage_empty(&tables.path().join("3-3.mora"));
    // Nothing but a turn is asked for, so this is the only place to say it.
    let mut peer = Peer::on(tables.path());
    let (step, said) = peer.think("fen W:Wa7,d7,g1:Bb6,d6,c5", "go depth 2");
    assert!(step.is_some());
    assert!(said.iter().any(|line| is_error(line) && line.contains("3-3.mora")), "{said:#?}");
    // The line that is shown goes on into that table.
    let (_, said) = peer.think("fen W:Wa7,d7,g1,b4:Bb6,d6,a4", "go depth 2");
    assert!(said.iter().any(|line| is_error(line) && line.contains("3-3.mora")), "{said:#?}");
    peer.end();
}

fn damage_cut(file: &Path) {
    let length = fs::metadata(file).unwrap().len();
    OpenOptions::new().write(true).open(file).unwrap().set_len(length / 3).unwrap();
}

fn damage_empty(file: &Path) {
    OpenOptions::new().write(true).truncate(true).open(file).unwrap();
}

fn damage_overwrite(file: &Path) {
    let length = fs::metadata(file).unwrap().len();
    let mut file = OpenOptions::new().write(true).open(file).unwrap();
    file.seek(SeekFrom::Start(length / 10)).unwrap();
    file.write_all(&vec![0xa5; (length - length / 10) as usize]).unwrap();
}

// Whole games.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Player {
    Engine,
    Random,
}

/// Positions of each value that games start from, and of those with a restriction, under each preset.
const STARTS: usize = 10;
const RESTRICTED: usize = 6;

/// Plies after which a drawn game is called a draw if the tables still say so.
const PATIENCE: usize = 24;

struct Match {
    rules: RuleSet,
    tables: Tablebase,
    peer: Peer,
    random: Random,
}

impl Match {
    fn random_position(&mut self, cows: [u8; 2]) -> Position {
        let mut position = moving(&mut self.random, cows);
        if let Some(limit) = position.counter_limit(&self.rules) {
            position.counter = self.random.below(limit.into()) as u16;
        }
        position
    }

    /// As many positions of each value as asked for, half as many of each kind of draw that the counter makes.
    fn starts(&mut self) -> Vec<Position> {
        let mut starts = Vec::new();
        let mut found = [0; 5];
        for _ in 0..40_000 {
            let cows = pick(&mut self.random, &[[3, 3], [4, 3], [3, 4], [4, 4]]);
            let position = self.random_position(cows);
            let probe = self.tables.probe(&position).unwrap();
            let verdict = probe.verdict();
            let most = if matches!(verdict, Verdict::CursedWin | Verdict::BlessedLoss) { STARTS / 2 } else { STARTS };
            let count = &mut found[verdict as usize];
            if probe.outcome.is_none() && *count < most {
                *count += 1;
                starts.push(position);
            }
        }
        let halves = if self.rules.counter.is_some() { STARTS / 2 } else { 0 };
        assert_eq!(found, [STARTS, halves, STARTS, halves, STARTS]);
        starts
    }

    /// Positions in which the no-remake rule bars something.
    fn restricted_starts(&mut self) -> Vec<Position> {
        let mut starts = Vec::new();
        for _ in 0..200_000 {
            // With fewer than five cows no turn breaks a line and completes another.
            let position = Position { to_move: Side::First, ..self.random_position([5, 4]) };
            let rules = self.rules;
            let after = position.turns(&rules).into_iter().filter_map(|turn| position.apply(turn, &rules).ok());
            let live = |after: &Position| after.remakes != [None; 2] && after.outcome(&rules).is_none();
            starts.extend(after.filter(live).take(1));
            if starts.len() >= RESTRICTED {
                break;
            }
        }
        starts
    }

    /// The whole turn of the engine, asked for by halves, with the game so far as a list of moves.
    fn engine_turn(&mut self, start: &str, moves: &mut Vec<String>, position: &Position) -> Position {
        let mut position = *position;
        let mover = position.to_move;
        while position.to_move == mover && position.outcome(&self.rules).is_none() {
            let game = format!("{start} moves {}", moves.join(" "));
            let (step, said) = self.peer.think(&game, "go movetime 1000");
            assert!(!said.iter().any(is_error), "{said:#?}");
            let step = step.unwrap_or_else(|| panic!("{game}: {said:#?}"));
            moves.push(step.to_string());
            position = position.apply_half(step, &self.rules).unwrap_or_else(|error| panic!("{game}: {step}: {error}"));
        }
        position
    }

    fn random_turn(&mut self, moves: &mut Vec<String>, position: &Position) -> Position {
        let turn: Turn = pick(&mut self.random, &position.turns(&self.rules));
        moves.push(turn.step.to_string());
        moves.extend(turn.shot.map(|at| format!("x{at}")));
        position.apply(turn, &self.rules).unwrap()
    }

    /// The result of a game for the side to move at its start.
    fn play(&mut self, start: &Position, players: [Player; 2]) -> Wdl {
        let text = format!("fen {}", fen(start, &self.rules));
        let (mut position, mut moves) = (*start, Vec::new());
        let first = start.to_move;
        for ply in 0.. {
            if let Some(outcome) = position.outcome(&self.rules) {
                return match outcome {
                    Outcome::Drawn(_) => Wdl::Drawn,
                    Outcome::Won(side, _) if side == first => Wdl::Won,
                    Outcome::Won(..) => Wdl::Lost,
                };
            }
            if ply >= PATIENCE && self.tables.probe_wdl(&position).unwrap() == Wdl::Drawn {
                return Wdl::Drawn;
            }
            assert!(ply < 600, "{start} does not end: {position}");
            position = match players[usize::from(position.to_move != first)] {
                Player::Engine => self.engine_turn(&text, &mut moves, &position),
                Player::Random => self.random_turn(&mut moves, &position),
            };
        }
        unreachable!()
    }
}

/// Games from table positions: between two engines the result is the table's value, against a random mover it is no
/// worse.
fn games(preset: Preset) {
    let rules = preset.rules();
    let restricts = rules.no_remake != NoRemake::None;
    let directory = built(preset.name(), &if restricts { ["--max-cows", "8"] } else { ["--class", "4-4"] });
    let tables = Tablebase::open([directory.path()]).unwrap();
    let peer = Peer::on(directory.path());
    let mut games = Match { rules, tables, peer, random: Random::new(preset.name().len() as u64) };
    let mut starts = games.starts();
    if restricts {
        let restricted = games.restricted_starts();
        assert_eq!(restricted.len(), RESTRICTED);
        starts.extend(restricted);
    }
    for start in starts {
        let value = games.tables.probe_wdl(&start).unwrap();
        assert_eq!(games.play(&start, [Player::Engine; 2]), value, "{start}");
        let result = games.play(&start, [Player::Engine, Player::Random]);
        assert!(result >= value, "{start}: {result} against a random mover, and the table says {value}");
        let result = games.play(&start, [Player::Random, Player::Engine]);
        assert!(result <= value, "{start}: {result} for a random mover, and the table says {value}");
    }
    games.peer.end();
}

macro_rules! games_under {
    ($($name:ident: $preset:ident),*) => {$(
        #[test]
        fn $name() {
            games(Preset::$preset);
        }
    )*};
}

games_under! {
    no_game_under_gar_is_worse_than_its_table_says: Gar,
    no_game_under_gar_10_is_worse_than_its_table_says: Gar10,
    no_game_under_wikipedia_is_worse_than_its_table_says: Wikipedia,
    no_game_under_arcade_is_worse_than_its_table_says: Arcade,
    no_game_under_plain_is_worse_than_its_table_says: Plain,
    no_game_under_nine_mens_morris_is_worse_than_its_table_says: NineMensMorris
}
