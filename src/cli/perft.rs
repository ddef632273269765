//! `perft`: leaf counts of the game tree, and the number of different positions in it.

use std::io::Write;

use morabase::game;
use morabase::present::{DistinctJson, PerftJson};
use morabase::threads;
use rayon::prelude::*;

use super::args::{RuleArgs, read_position};
use super::{CliResult, write_json};

const EXAMPLES: &str = "\
Examples:
  morabase perft 4                                     255024
  morabase perft 4 --distinct                          4200
  morabase perft 3 --position 'W:Wa7,d7,g7:Bb6,d6,c5'
  morabase perft 2 --divide --moves 'd6 d7'

With --json one object: {\"depth\":…,\"leaves\":…}, or {\"depth\":…,\"distinct\":…}; --divide adds \
\"turns\":[{\"turn\":…,\"leaves\":…},…].";

/// Count the sequences of turns of a given length; a turn and its shot count as one
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// How many turns deep, 0 to 100
    // No computer finishes deeper trees; the limit also bounds the recursion.
    #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
    depth: u32,
    /// Position to start from, in short form or as a FEN
    #[arg(long)]
    position: Option<String>,
    /// Turns from the start, or from --position if there is one
    #[arg(long, value_name = "TURNS")]
    moves: Option<String>,
    /// Count positions that are different under the sixteen symmetries instead
    #[arg(long)]
    distinct: bool,
    /// Show the count for each first turn too
    #[arg(long, conflicts_with = "distinct")]
    divide: bool,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rules: RuleArgs,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let rules = args.rules.rules()?;
    let position = read_position(args.position.as_deref(), args.moves.as_deref(), &rules)?.position;
    if args.distinct {
        let count = game::distinct_positions(&rules, &position, args.depth);
        if args.json {
            return write_json(out, &DistinctJson::new(args.depth, count));
        }
        return Ok(writeln!(out, "{count}")?);
    }
    let turns = if args.depth == 0 { Vec::new() } else { position.turns(&rules) };
    threads::ready();
    let counts: Vec<u64> = turns
        .par_iter()
        .map(|&turn| position.apply(turn, &rules).map_or(0, |next| game::perft(&rules, &next, args.depth - 1)))
        .collect();
    let leaves = if args.depth == 0 { 1 } else { counts.iter().sum() };
    if args.json {
        let perft = PerftJson::new(args.depth, leaves);
        let perft = if args.divide { perft.with_turns(turns.into_iter().zip(counts)) } else { perft };
        return write_json(out, &perft);
    }
    if args.divide {
        for (turn, count) in turns.iter().zip(&counts) {
            writeln!(out, "{turn} {count}")?;
        }
    }
    Ok(writeln!(out, "{leaves}")?)
}
