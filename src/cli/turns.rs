//! `turns`: the legal turns of positions, without any tables.

use std::io::{self, BufRead, BufReader, Write};

use morabase::present::{self, RefusalJson, TurnsJson};
use morabase::{Position, RuleSet};

use super::args::{FormArgs, PositionArgs, RuleArgs};
use super::{CliError, CliResult, write_json};

const EXAMPLES: &str = "\
Examples:
  morabase turns 'W:Wa7,d7,g7:Bb6,d6,c5'
  morabase turns --moves 'd6 d7 b4 a4 b6 g7' --board
  morabase turns --half 'W:Wd6,b6,f6:Bd7,a4:H9,10:S'
  morabase turns --stdin --json < positions.txt

One turn per line; with --stdin one line of turns for each position. Blank lines and lines that begin with # get no \
answer. A line that cannot be read does not stop the others; the exit status is then 1.

With --json one object per line: {\"position\":…,\"turns\":[…]}, the position as it was given (in short form after \
--moves), or {\"position\":…,\"error\":…}.";

/// List the legal turns of a position
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "they are the flags of a command line")]
pub(super) struct Args {
    #[command(flatten)]
    position: PositionArgs,
    /// Read positions from standard input, one per line; blank lines and lines that begin with # get no answer
    #[arg(long, conflicts_with_all = ["position", "moves", "board"])]
    stdin: bool,
    /// Give half-turns: placements and moves without their shots, and the shots where one is to come
    #[arg(long)]
    half: bool,
    /// Print one JSON object per line
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

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let rules = args.rules.rules()?;
    if args.stdin {
        return run_lines(args, &rules, out);
    }
    let position = args.position.read(&rules)?;
    let position = position.ok_or_else(|| CliError::usage("expected a position, --moves TURNS or --stdin"))?;
    let text = args.position.text().map_or_else(|| position.to_string(), str::to_owned);
    let answer = answer(args, &text, &position, &rules);
    if args.json {
        return write_json(out, &answer);
    }
    if args.board {
        writeln!(out, "{}", present::draw(rules.board(), &position))?;
        writeln!(out, "{}\n", present::caption(&rules, &position))?;
    }
    for turn in answer.turns {
        writeln!(out, "{turn}")?;
    }
    if let Some(outcome) = position.outcome(&rules) {
        // Reported on standard error, so that the list of turns is empty if there are none.
        let _ = writeln!(io::stderr(), "{}", present::outcome_text(outcome));
    }
    Ok(())
}

/// The turns or half-turns of a position that was given as `text`.
fn answer<'a>(args: &Args, text: &'a str, position: &Position, rules: &RuleSet) -> TurnsJson<'a> {
    let turns = if args.half { TurnsJson::half } else { TurnsJson::new };
    turns(text, position, rules, args.form.form())
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
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text).trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let result = Position::from_notation(text, rules).map(|position| answer(args, text, &position, rules));
        bad += u64::from(result.is_err());
        match (args.json, result) {
            (true, Ok(answer)) => write_json(out, &answer)?,
            (true, Err(error)) => write_json(out, &RefusalJson::new(text, error.to_string()))?,
            (false, Ok(answer)) => writeln!(out, "{}", answer.turns.join(" "))?,
            (false, Err(error)) => {
                // An empty line keeps answers and questions aligned.
                writeln!(out)?;
                out.flush()?;
                let _ = writeln!(io::stderr(), "line {number}: {error}");
            }
        }
        if lines.buffer().is_empty() {
            // The peer may be waiting for the answer.
            out.flush()?;
        }
    }
    match bad {
        0 => Ok(()),
        1 => Err(CliError::job("1 line could not be read as a position")),
        _ => Err(CliError::job(format!("{bad} lines could not be read as positions"))),
    }
}
