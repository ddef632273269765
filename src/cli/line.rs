//! `line`: best play for both sides to the end.

use std::io::Write;

use morabase::present::{self, LineJson};

use super::args::{FormArgs, PositionArgs};
use super::tables::TablesArgs;
use super::{CliError, CliResult, write_json};

const EXAMPLES: &str = "\
Examples:
  morabase line 'W:Wd6,d7,f4,f6:Bb4,d3,g1,g4'
  morabase line --moves 'b4-c4' 'B:Wa7,d7,g1:Bb6,d6,b4'

One turn per line: the player, the turn, and its value for that player, this turn included. Plies are counted to the next shot, so after \
each shot the count begins again. The line goes on through placements and shots to the end of the game; where neither side can force a win \
it stops, and the turns that hold the draw follow. With --json one object: {\"position\":…,\"value\":…,\"dtc\":…,\
\"turns\":[{\"side\":\"first|second\",\"turn\":…,\"value\":…,\"dtc\":…,\"shot\":…,\"position\":…},…],\"end\":{\"result\":\"won|drawn|lost\",\
\"reason\":\"too-few-cows|blocked|full-board|counter|best-play\"},\"holding\":[…]}, the result being for the side to move at the start.";

/// Show best play for both sides to the end of the game
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    position: PositionArgs,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    form: FormArgs,
    #[command(flatten)]
    tables: TablesArgs,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let tables = args.tables.open()?;
    let position = args.position.read(tables.rules())?;
    let position = position.ok_or_else(|| CliError::usage("expected a position or --moves TURNS"))?;
    let line = tables.line(&position)?;
    let holding = present::holding_turns(&tables, &position, &line)?;
    let form = args.form.form();
    if args.json {
        return write_json(out, &LineJson::new(&position, &line, form).with_holding(&holding, form));
    }
    if line.start.outcome.is_none() {
        writeln!(out, "{}", present::answer_text(&line.start))?;
    }
    let names: Vec<String> = line.turns.iter().map(|turn| turn.turn.in_form(form).to_string()).collect();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let movers = present::movers(&line, position.to_move);
    let digits = names.len().to_string().len();
    for (number, ((turn, name), side)) in (1..).zip(line.turns.iter().zip(&names).zip(&movers)) {
        let note = present::line_note(turn).map(|note| format!(", {note}")).unwrap_or_default();
        writeln!(out, "{number:digits$}  {}  {name:width$}  {}{note}", present::side_sign(*side), turn.value)?;
    }
    writeln!(out, "{}", present::line_end_text(&line))?;
    if !holding.is_empty() {
        let names: Vec<String> = holding.iter().map(|turn| turn.turn.in_form(form).to_string()).collect();
        writeln!(out, "turns that hold the draw: {}", names.join(" "))?;
    }
    Ok(())
}
