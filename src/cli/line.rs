//! `line`: best play for both sides to the end.

use std::io::Write;

use morabase::{Line, LineEnd, Outcome, PointForm, Reason, Side};
use serde::Serialize;

use super::args::{FormArgs, PositionArgs};
use super::tables::TablesArgs;
use super::words;
use super::{CliError, CliResult, board_art};

const EXAMPLES: &str = "\
Examples:
  morabase line 'W:Wd6,d7,f4,f6:Bb4,d3,g1,g4'
  morabase line --moves 'b4-c4' 'B:Wa7,d7,g1:Bb6,d6,b4'

One turn a line: the player, the turn, and its value for that player, this turn included. The line goes on through shots \
to the end of the game, or stops where neither side can win. With --json one object: {\"position\":…,\"value\":…,\"dtc\":…,\
\"turns\":[{\"side\":\"first|second\",\"turn\":…,\"value\":…,\"dtc\":…,\"shot\":…,\"position\":…},…],\"end\":{\"result\":\"won|drawn|lost\",\
\"reason\":\"too-few-cows|blocked|full-board|counter|best-play\"}}, the result being for the side to move at the start.";

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

#[derive(Serialize)]
struct LineJson {
    position: String,
    value: &'static str,
    dtc: Option<u16>,
    turns: Vec<StepJson>,
    end: EndJson,
}

#[derive(Serialize)]
struct StepJson {
    side: &'static str,
    turn: String,
    value: &'static str,
    dtc: Option<u16>,
    shot: bool,
    /// The position after the turn.
    position: String,
}

#[derive(Serialize)]
struct EndJson {
    result: &'static str,
    reason: &'static str,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let tables = args.tables.open()?;
    let position = args.position.read(tables.rules())?;
    let position = position.ok_or_else(|| CliError::usage("expected a position or --moves TURNS"))?;
    let line = tables.line(&position)?;
    let form = args.form.form();
    let movers = movers(&line, position.to_move);
    if args.json {
        let object = LineJson {
            position: position.in_form(form).to_string(),
            value: line.start.value.wdl().name(),
            dtc: words::dtc(line.start.value),
            turns: line.turns.iter().zip(&movers).map(|(turn, side)| StepJson::new(turn, *side, form)).collect(),
            end: end_json(line.end, position.to_move),
        };
        let text = serde_json::to_string(&object).map_err(|error| CliError::job(error.to_string()))?;
        return Ok(writeln!(out, "{text}")?);
    }
    if line.start.outcome.is_none() {
        writeln!(out, "{}", words::answer(&line.start))?;
    }
    let names: Vec<String> = line.turns.iter().map(|turn| turn.turn.in_form(form).to_string()).collect();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let digits = names.len().to_string().len();
    for (number, ((turn, name), side)) in (1..).zip(line.turns.iter().zip(&names).zip(&movers)) {
        writeln!(out, "{number:digits$}  {}  {name:width$}  {}", sign(*side), turn.value)?;
    }
    match line.end {
        LineEnd::Over(outcome) => writeln!(out, "{}", board_art::outcome_text(outcome))?,
        LineEnd::Drawn if line.turns.is_empty() => writeln!(out, "no best play ends it otherwise")?,
        LineEnd::Drawn => writeln!(out, "drawn: from here no best play ends it otherwise")?,
    }
    Ok(())
}

/// Who makes each turn of a line.
fn movers(line: &Line, first: Side) -> Vec<Side> {
    let mut side = first;
    let next = |turn: &morabase::RankedTurn| std::mem::replace(&mut side, turn.after.to_move);
    line.turns.iter().map(next).collect()
}

impl StepJson {
    fn new(turn: &morabase::RankedTurn, side: Side, form: PointForm) -> Self {
        Self {
            side: ["first", "second"][side.index()],
            turn: turn.turn.in_form(form).to_string(),
            value: turn.value.wdl().name(),
            dtc: words::dtc(turn.value),
            shot: turn.turn.shoots(),
            position: turn.after.in_form(form).to_string(),
        }
    }
}

fn end_json(end: LineEnd, starter: Side) -> EndJson {
    let (result, reason) = match end {
        LineEnd::Drawn => return EndJson { result: "drawn", reason: "best-play" },
        LineEnd::Over(Outcome::Drawn(reason)) => ("drawn", reason),
        LineEnd::Over(Outcome::Won(side, reason)) if side == starter => ("won", reason),
        LineEnd::Over(Outcome::Won(_, reason)) => ("lost", reason),
    };
    let reason = match reason {
        Reason::TooFewCows => "too-few-cows",
        Reason::Blocked => "blocked",
        Reason::FullBoard => "full-board",
        Reason::Counter => "counter",
    };
    EndJson { result, reason }
}

const fn sign(side: Side) -> char {
    match side {
        Side::First => 'O',
        Side::Second => '@',
    }
}
