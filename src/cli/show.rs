//! `show`: draws a position and writes it in every format.

use std::io::Write;

use morabase::present::{self, PositionJson};

use super::args::{PositionArgs, RuleArgs};
use super::{CliError, CliResult, write_json};

const EXAMPLES: &str = "\
Examples:
  morabase show 'W:Wa7,d7,g7:Bb6,d6,c5'
  morabase show --moves 'd6 d7 b4 a4 b6 g7 b2'
  morabase show --record --moves '1. d6 d7 2. b4 a4'
  morabase show --json 'O*****@*/O*****@*/**@***O@ w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 19 32 ids:nodes'

With --json one object: {\"position\":…,\"gar\":…,\"fen\":…,\"fen_old\":…,\"outcome\":…}: the short form with grid names and \
with ring names, the FEN with ids:nodes and in the old dialect, and how the game has ended (null while it goes on); also the turns, lines, restrictions and images, which docs/json.md lists.";

/// Draw a position and write it in every format
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    position: PositionArgs,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    /// Print the game as PGN, with tags and numbered turns
    #[arg(long, conflicts_with = "json", requires = "moves")]
    record: bool,
    #[command(flatten)]
    rules: RuleArgs,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let rules = args.rules.rules()?;
    let nothing = || CliError::usage("expected a position or --moves TURNS");
    if args.record {
        let (start, record) = args.position.read_record(&rules)?.ok_or_else(nothing)?;
        return Ok(write!(out, "{}", record.to_game_text(start, &rules)?)?);
    }
    let fen = args.position.read_fen(&rules)?.ok_or_else(nothing)?;
    let shown = PositionJson::new(&fen, &rules);
    let shown = match args.position.read_record(&rules)? {
        Some((start, record)) => shown.with_record(&start.position, &record, &rules),
        None => shown,
    };
    if args.json {
        return write_json(out, &shown);
    }
    let PositionJson { fen: nodes, fen_old, gar, outcome, position, .. } = shown;
    writeln!(out, "{}", present::draw(rules.board(), &fen.position))?;
    writeln!(out, "{}", outcome.unwrap_or_else(|| present::caption(&rules, &fen.position)))?;
    writeln!(out)?;
    for (key, text) in [("position", position), ("gar", gar), ("fen", nodes), ("fen_old", fen_old)] {
        writeln!(out, "{key:<9} {text}")?;
    }
    Ok(())
}
