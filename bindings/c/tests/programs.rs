//! C programs against the library, static and shared, and under valgrind: what they print is what the Rust library answers.

use std::fmt::Write;
use std::fs;
use std::io::{Seek, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::Linkage::{Shared, Static};
use crate::common::positions::{moving, pick};
use crate::common::random::Random;
use crate::common::{Program, compile, compiler, have, printed, root};
use tablebase::build::{Build, Job, Request, Target};
use tablebase::table::write_table;
use tablebase::{Class, Fen, FenDialect, Outcome, PointForm, Position, Preset, Probe, RankedTurn, Reason};
use tablebase::{Plies, Tablebase, Value, Verdict, Wdl};
use tempfile::TempDir;

fn program(name: &str) -> std::path::PathBuf {
    root().join("tests/c").join(name)
}

/// Positions of up to 8 cows with all that a history can leave: random ones and those that some random turns lead to.
fn positions(most: usize) -> Vec<Position> {
    let rules = Preset::Gar.rules();
    let mut random = Random::new(7);
    let mut found = vec![];
    for text in [
        "W:Wa7,d7,g7:Bb6,d6,c5,c4:S",
        "W:Wa7,d7,g1:Bb6,f6,c5:C19",
        "W:Wa7,d7,g1:Bb6,f6,c5:C20",
        "B:Wa7,d7:Bb6,d6,c5",
        "W:Wa7,d7,g7,d6:Bb6,f6,c5,d5",
        "B:Wa7:Bd7,b6,d6:H0,0",
    ] {
        found.push(Position::from_notation(text, &rules).unwrap());
    }
    while found.len() < most - 20 {
        let mut position = small(&mut random);
        for _ in 0..8 {
            let turns = position.turns(&rules);
            if turns.is_empty() {
                break;
            }
            position = position.apply(pick(&mut random, &turns), &rules).unwrap();
            found.push(position);
        }
    }
    // Turns that leave a restriction are few.
    found.truncate(most - 20);
    while found.len() < most {
        let position = small(&mut random);
        let after = position.turns(&rules).into_iter().map(|turn| position.apply(turn, &rules).unwrap());
        found.extend(after.filter(|after| after.remakes != [None; 2]).take(1));
    }
    found.rotate_right(20);
    assert!(found.iter().any(|position| position.counter > 5));
    found
}

/// A random position of up to 8 cows without history.
fn small(random: &mut Random) -> Position {
    let counts = pick(random, &[[3, 3], [3, 4], [4, 3], [4, 4], [5, 3], [3, 5]]);
    moving(random, counts)
}

fn value(value: Value) -> String {
    let wdl = match value.wdl() {
        Wdl::Lost => -1,
        Wdl::Drawn => 0,
        Wdl::Won => 1,
    };
    format!(" {wdl}/{}", value.dtc().map_or(0, |plies| plies.0))
}

fn verdict(verdict: Verdict) -> String {
    let order = [Verdict::Lost, Verdict::BlessedLoss, Verdict::Drawn, Verdict::CursedWin, Verdict::Won];
    format!(" v{}", order.iter().position(|other| *other == verdict).unwrap())
}

fn probe(probe: &Probe) -> String {
    let reasons = [Reason::TooFewCows, Reason::Blocked, Reason::FullBoard, Reason::Counter];
    let number = |reason| reasons.iter().position(|other| *other == reason).unwrap() + 1;
    let (outcome, reason) = match probe.outcome {
        None => (0, 0),
        Some(Outcome::Won(side, reason)) => (side.index() + 1, number(reason)),
        Some(Outcome::Drawn(reason)) => (3, number(reason)),
    };
    let mut text = [probe.value, probe.at_zero, probe.unrestricted].map(value).concat() + &verdict(probe.verdict());
    let class = probe.class.map_or("0-0".to_owned(), |class| class.to_string());
    write!(text, " o{outcome} r{reason} {class}").unwrap();
    text
}

fn ranked(head: &str, turn: &RankedTurn) -> String {
    let (of, to, reply) = (verdict(turn.verdict), value(turn.value), probe(&turn.reply));
    format!("{head} {}{of}{to}{reply} {}\n", turn.turn, turn.after)
}

/// What `answers.c` must print.
fn expected(tables: &Tablebase, positions: &[Position]) -> String {
    let rules = tables.rules();
    let mut text = format!("{}, 8 cows, {rules}\nstart {}\n", env!("CARGO_PKG_VERSION"), Position::start(rules));
    for position in positions {
        let fen = Fen { position: *position, move_number: 1 }.to_text(FenDialect::Nodes, rules);
        writeln!(text, "position {position} {} {fen}", position.in_form(PointForm::Gar)).unwrap();
        let answer = tables.probe(position).unwrap();
        let wdl = value(answer.value);
        writeln!(text, "probe{}{}", probe(&answer), wdl.split('/').next().unwrap()).unwrap();
        text.extend(tables.turns(position).unwrap().iter().map(|turn| ranked("turn", turn)));
        text.push_str("legal");
        position.turns(rules).iter().for_each(|turn| write!(text, " {turn}").unwrap());
        text.push('\n');
        text.extend(tables.line(position).unwrap().turns.iter().map(|turn| ranked("line", turn)));
    }
    text
}

fn with_input(mut command: Command, input: &str) -> String {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(input.as_bytes()).unwrap();
    file.rewind().unwrap();
    command.stdin(Stdio::from(file));
    printed(command)
}

/// Runs a program with some arguments both ways, and under valgrind if it is there.
fn each_way(source: &Path, mut run: impl FnMut(Command, bool)) {
    if !have(&[&compiler(source)]) {
        return;
    }
    run(compile(source, Shared).command(), false);
    let program: Program = compile(source, Static);
    run(program.command(), false);
    if have(&["valgrind"]) {
        run(program.under_valgrind(), true);
    }
}

#[test]
fn answers_in_c_are_the_librarys() {
    let tables = Tablebase::shipped().unwrap();
    let positions = positions(300);
    each_way(&program("answers.c"), |command, slow| {
        let positions = if slow { &positions[..40] } else { &positions[..] };
        let mut input = String::new();
        for position in positions {
            writeln!(input, "{position}").unwrap();
        }
        let (printed, expected) = (with_input(command, &input), expected(&tables, positions));
        for (line, (printed, expected)) in printed.lines().zip(expected.lines()).enumerate() {
            assert_eq!(printed, expected, "line {}", line + 1);
        }
        // Neither goes on where the other ends.
        assert_eq!(printed.len(), expected.len());
    });
}

/// Writes the tables that the library carries, of up to 7 cows, into a folder.
fn write_shipped(folder: &Path) {
    for name in ["3-3.mora", "3-4.mora", "4-3.mora"] {
        fs::copy(root().join("../../tables").join(name), folder.join(name)).unwrap();
    }
}

/// A table that says won in 3 where it should say won in 1, with checksums and all.
fn write_contradiction(folder: &Path) {
    let (tables, class) = (Tablebase::shipped().unwrap(), Class::moving(3, 3).unwrap());
    let (mut meta, values) = (tables.meta(class).unwrap().clone(), tables.decode(class).unwrap());
    // What was won in 1 is won in 3, by the list by DTC that says what the symbols mean.
    let won = std::mem::take(&mut meta.dtc[1].won);
    assert!(meta.dtc[2].won == 0 && meta.dtc[3].won > 0);
    let before = meta.dtc[3].won;
    meta.dtc[3].won = before + won;
    let alphabet = meta.alphabet().unwrap();
    let told = |symbol: &u8| match values.alphabet().value(*symbol).unwrap() {
        Value::Won(Plies(1)) => Value::Won(Plies(3)),
        value => value,
    };
    let symbols: Vec<u8> = values.symbols().iter().map(|symbol| alphabet.symbol(told(symbol)).unwrap()).collect();
    write_table(&folder.join("3-3.mora"), &meta, &symbols[..], tablebase::table::Overwrite::Refuse).unwrap();
}

#[test]
fn every_error_has_its_code_and_text() {
    let folder = TempDir::new().unwrap();
    let [other, damaged, foreign, contradicting] = ["other", "damaged", "foreign", "contradicting"].map(|name| {
        let path = folder.path().join(name);
        fs::create_dir(&path).unwrap();
        path
    });
    let request = Request::new(&Preset::Plain.rules(), &other, Target::MaxCows(6));
    Build::begin(&request).unwrap().run(&Job::default(), &()).unwrap();
    write_shipped(&damaged);
    let table = damaged.join("4-3.mora");
    let mut bytes = fs::read(&table).unwrap();
    // What stands before the data is shorter than that.
    let data = bytes.len() / 7;
    bytes[data..].iter_mut().for_each(|byte| *byte ^= 0x10);
    fs::write(&table, bytes).unwrap();
    write_shipped(&foreign);
    fs::write(foreign.join("4-3.mora"), "a letter to the herdsman, longer than any head of a table".repeat(20))
        .unwrap();
    write_contradiction(&contradicting);
    let file = other.join("3-3.mora");
    each_way(&program("errors.c"), |mut command, _| {
        command.args([&other, &damaged, &foreign, &contradicting, &file]);
        assert_eq!(printed(command), "0 failures\n");
    });
}

#[test]
fn threads_share_a_handle() {
    each_way(&program("threads.c"), |command, _| assert_eq!(printed(command), "all agree\n"));
}

#[test]
fn the_header_is_good_for_cpp() {
    let source = program("plain.cpp");
    if have(&[&compiler(&source)]) {
        assert_eq!(printed(compile(&source, Static).command()), "d6-b6 wins in 9\n");
    }
}
