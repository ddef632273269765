//! Plays two sets of weights against each other with the same search: each opening twice, with each set beginning once.
//! If the tables of the moving phase are there, a game ends when it reaches them.
//!
//! ```text
//! cargo run --release --example arena -- DIRECTORY GAMES NODES WEIGHTS WEIGHTS
//! ```
//! A file of weights has the lines that the example `tune` prints; `-` stands for the engine's own weights.

use std::error::Error;
use std::{env, fs};

use morabase::engine::{Engine, Game, Limits, Stop};
use morabase::{Outcome, Position, Side, Tablebase, Wdl};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [directory, games, nodes, first, second] = &arguments[..] else {
        return Err("expected DIRECTORY GAMES NODES WEIGHTS WEIGHTS".into());
    };
    let (games, nodes): (u64, u64) = (games.parse()?, nodes.parse()?);
    let tables = Tablebase::open([directory])?;
    let engine = |file: &String| -> Result<Engine> {
        let mut engine = Engine::new(tables.clone());
        if file != "-" {
            engine.set_weights(fs::read_to_string(file)?.parse()?);
        }
        Ok(engine)
    };
    let mut engines = [engine(first)?, engine(second)?];
    // By who begins: games won, drawn and lost by the first set.
    let mut results = [[0_u32; 3]; 2];
    for number in 0..games {
        let begins = (number % 2) as usize;
        let result = play(&tables, &mut engines, (begins, nodes), number / 2)?;
        results[begins][result] += 1;
    }
    for (name, [won, drawn, lost]) in ["beginning", "second"].iter().zip(results) {
        let score = 100.0 * (f64::from(won) + f64::from(drawn) / 2.0) / f64::from((won + drawn + lost).max(1));
        println!("{name}: {score:.1} %, {won} won, {drawn} drawn, {lost} lost");
    }
    Ok(())
}

/// The result for the first engine: 0 won, 1 drawn, 2 lost.
fn play(
    tables: &Tablebase,
    engines: &mut [Engine; 2],
    (begins, nodes): (usize, u64),
    mut random: u64,
) -> Result<usize> {
    let rules = *tables.rules();
    let mut position = Position::start(&rules);
    engines.iter_mut().for_each(Engine::forget);
    for ply in 0.. {
        let at = if position.to_move == Side::First { begins } else { 1 - begins };
        let decided = match position.outcome(&rules) {
            Some(Outcome::Drawn(_)) => return Ok(1),
            Some(Outcome::Won(side, _)) => Some(side == position.to_move),
            None if position.is_moving_phase() => match tables.probe_wdl(&position)? {
                Wdl::Drawn => return Ok(1),
                value => Some(value == Wdl::Won),
            },
            None => None,
        };
        if let Some(won) = decided {
            return Ok(if won == (at == 0) { 0 } else { 2 });
        }
        let turn = if ply < 2 {
            let turns = position.turns(&rules);
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            turns[(random >> 33) as usize % turns.len()]
        } else {
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            engines[at].think(&Game::from(position), &limits, &Stop::default(), &mut |_| {})[0].turn()
        };
        position = position.apply(turn, &rules)?;
    }
    unreachable!("a game ends")
}
