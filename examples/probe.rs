//! Asks the tables about a position: its value, the turns from best to worst, and best play to the end.
//!
//! `cargo run --example probe ['W:Wd6,d7,f4,f6:Bb4,d3,g1,g4' [DIRECTORY]]`

use morabase::{LineEnd, OpenOptions, Position, Tablebase};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let text = arguments.next().unwrap_or_else(|| "W:Wd6,d7,f4,f6:Bb4,d3,g1,g4".to_owned());

    // The tables of the directory, if one is named, and those that the library carries for classes missing there.
    let options = OpenOptions { shipped: true, ..OpenOptions::default() };
    let tables = Tablebase::open_with(arguments.next(), &options)?;

    // A position is read under the rules of the tables; it may also be a FEN of 17 fields.
    let position = Position::from_notation(&text, tables.rules())?;
    let probe = tables.probe(&position)?;
    println!("{position} under {}: {} ({})", tables.rules().name(), probe.value, probe.verdict().name());

    // Every legal turn with its value for the side that makes it, best first.
    for turn in tables.turns(&position)? {
        println!("  {:<10} {}", turn.turn, turn.value);
    }

    // Best play for both sides, through shots and smaller classes.
    let line = tables.line(&position)?;
    let turns: Vec<String> = line.turns.iter().map(|turn| turn.turn.to_string()).collect();
    println!("best play: {}", turns.join(" "));
    match line.end {
        LineEnd::Over(outcome) => println!("the game ends there: {outcome:?}"),
        LineEnd::Drawn => println!("drawn from there on"),
    }
    Ok(())
}
