//! `show`: a position drawn and written in every format.

use std::io::Write;

use morabase::{FenDialect, PointForm};

use super::args::{PositionArgs, RuleArgs};
use super::board_art;
use super::{CliError, CliResult};

const EXAMPLES: &str = "\
Examples:
  morabase show 'W:Wa7,d7,g7:Bb6,d6,c5'
  morabase show --moves 'd6 d7 b4 a4 b6 g7 b2'
  morabase show --json 'O*****@*/O*****@*/**@***O@ w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 19 32 ids:nodes'

With --json one object: {\"position\":…,\"gar\":…,\"fen\":…,\"fen_old\":…,\"outcome\":…}: the short form with grid names and \
with ring names, the FEN with ids:nodes and in the old dialect, and how the game has ended (null while it goes on).";

/// Draw a position and write it in every format
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    position: PositionArgs,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rules: RuleArgs,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let rules = args.rules.rules()?;
    let fen = args.position.read_fen(&rules)?;
    let fen = fen.ok_or_else(|| CliError::usage("expected a position or --moves TURNS"))?;
    let position = fen.position;
    let outcome = position.outcome(&rules).map(board_art::outcome_text);
    let texts = [
        ("position", position.to_string()),
        ("gar", position.in_form(PointForm::Gar).to_string()),
        ("fen", fen.to_text(&rules, FenDialect::Nodes)),
        ("fen_old", fen.to_text(&rules, FenDialect::Old)),
    ];
    if args.json {
        let mut object: serde_json::Map<String, serde_json::Value> =
            texts.into_iter().map(|(key, text)| (key.to_owned(), text.into())).collect();
        object.insert("outcome".to_owned(), outcome.into());
        return Ok(writeln!(out, "{}", serde_json::Value::Object(object))?);
    }
    writeln!(out, "{}", board_art::draw(rules.board(), &position))?;
    writeln!(out, "{}", outcome.unwrap_or_else(|| board_art::caption(&rules, &position)))?;
    writeln!(out)?;
    for (key, text) in texts {
        writeln!(out, "{key:<9} {text}")?;
    }
    Ok(())
}
