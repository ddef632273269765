//! `turns`: the legal turns of positions, without any tables.

use std::io::{self, BufRead, BufReader, Write};

use morabase::{PointForm, Position, RuleSet};
use serde::Serialize;

use super::args::{FormArgs, PositionArgs, RuleArgs};
use super::board_art;
use super::{CliError, CliResult};

const EXAMPLES: &str = "\
Examples:
  morabase turns 'W:Wa7,d7,g7:Bb6,d6,c5'
  morabase turns --moves 'd6 d7 b4 a4 b6 g7' --board
  morabase turns --half 'W:Wd6,b6,f6:Bd7,a4:H9,10:S'
  morabase turns --stdin --json < positions.txt

One turn a line; with --stdin one line of turns for each position. Empty lines and lines that begin with # are passed \
over. A line that cannot be read does not stop the others; the exit status is then 1.

With --json one object a line: {\"position\":…,\"turns\":[…]}, the position as it was given (in short form after \
--moves), or {\"position\":…,\"error\":…}.";

/// List the legal turns of a position
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "they are the flags of a command line")]
pub(super) struct Args {
    #[command(flatten)]
    position: PositionArgs,
    /// Read positions from standard input, one a line
    #[arg(long, conflicts_with_all = ["position", "moves", "board"])]
    stdin: bool,
    /// Give half-turns: placements and moves without their shots, and the shots where one is to come
    #[arg(long)]
    half: bool,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
    /// Draw the board first
    #[arg(long, conflicts_with = "json")]
    board: bool,
    #[command(flatten)]
    form: FormArgs,
    #[command(flatten)]
    rules: RuleArgs,
}

/// A line of JSON for a position.
#[derive(Serialize)]
struct Answer<'a> {
    position: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let rules = args.rules.rules()?;
    if args.stdin {
        return run_lines(args, &rules, out);
    }
    let position = args.position.read(&rules)?;
    let position = position.ok_or_else(|| CliError::usage("expected a position, --moves TURNS or --stdin"))?;
    let turns = list(&position, &rules, args.half, args.form.form());
    if args.json {
        let text = args.position.text().map_or_else(|| position.to_string(), str::to_owned);
        return write_json(out, &Answer { position: &text, turns: Some(turns), error: None });
    }
    if args.board {
        writeln!(out, "{}", board_art::draw(rules.board(), &position))?;
        writeln!(out, "{}\n", board_art::caption(&rules, &position))?;
    }
    for turn in turns {
        writeln!(out, "{turn}")?;
    }
    if let Some(outcome) = position.outcome(&rules) {
        // Said on standard error, so that the list of turns is empty where there is none.
        let _ = writeln!(io::stderr(), "{}", board_art::outcome_text(outcome));
    }
    Ok(())
}

fn list(position: &Position, rules: &RuleSet, half: bool, form: PointForm) -> Vec<String> {
    if half {
        position.half_turns(rules).into_iter().map(|step| step.in_form(form).to_string()).collect()
    } else {
        position.turns(rules).into_iter().map(|turn| turn.in_form(form).to_string()).collect()
    }
}

fn run_lines(args: &Args, rules: &RuleSet, out: &mut dyn Write) -> CliResult {
    let mut lines = BufReader::new(io::stdin().lock());
    let (mut number, mut bad) = (0_u64, 0_u64);
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = lines.read_until(b'\n', &mut line);
        if length.map_err(|error| CliError::job(format!("cannot read standard input: {error}")))? == 0 {
            break;
        }
        number += 1;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let answer = Position::from_notation(text, rules);
        bad += u64::from(answer.is_err());
        let (turns, error) = match answer {
            Ok(position) => (Some(list(&position, rules, args.half, args.form.form())), None),
            Err(error) => (None, Some(error.to_string())),
        };
        match (args.json, turns, error) {
            (true, turns, error) => write_json(out, &Answer { position: text, turns, error })?,
            (false, Some(turns), _) => writeln!(out, "{}", turns.join(" "))?,
            (false, None, error) => {
                // An empty line keeps the answers beside their questions.
                writeln!(out)?;
                out.flush()?;
                let _ = writeln!(io::stderr(), "line {number}: {}", error.unwrap_or_default());
            }
        }
        if lines.buffer().is_empty() {
            // Whoever asks may be waiting for the answer.
            out.flush()?;
        }
    }
    match bad {
        0 => Ok(()),
        1 => Err(CliError::job("1 line could not be read as a position")),
        _ => Err(CliError::job(format!("{bad} lines could not be read as positions"))),
    }
}

fn write_json(out: &mut dyn Write, answer: &Answer) -> CliResult {
    let line = serde_json::to_string(answer).map_err(|error| CliError::job(error.to_string()))?;
    Ok(writeln!(out, "{line}")?)
}
