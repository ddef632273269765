//! `probe`: the exact value of positions and of their turns.

use std::fmt::Write as _;
use std::io::{self, Read, Write};

use morabase::present::{self, ProbeJson, RefusalJson};
use morabase::{PointForm, Position, RankedTurn, Tablebase, threads};
use rayon::prelude::*;

use super::args::{FormArgs, PositionArgs};
use super::tables::TablesArgs;
use super::{CliError, CliResult, write_json};

const EXAMPLES: &str = "\
Examples:
  morabase probe 'W:Wd6,d7,f4,f6:Bb4,d3,g1,g4'
  morabase probe --json 'W:Wb4,d3,d7,g4:Ba7,f4,g1:C16'
  morabase probe --stdin < positions.txt

With --json one object: {\"position\":…,\"rules\":…,\"value\":\"won|drawn|lost\",\"dtc\":7|null,\"class\":\"4-3\"|null,\"verdict\":…,\
\"outcome\":…|null,\"turns\":[{\"turn\":\"d2-d3xa7\",\"value\":…,\"dtc\":…|null,\"shot\":true|false,\"verdict\":…,\"position\":…},…]}. A position's value is \
for the side to move, a turn's for the side that makes it; dtc counts plies to the next shot or the end, a turn's \
included, and is null for a draw and while there are cows in hand (then class is \"2-3+2-1\"). The verdict is the value, or cursed-win or \
blessed-loss where only the draw counter makes it a draw.

With --stdin each line is answered with one line, in order; blank lines and lines that begin with # get no answer. An answer is the \
value and the plies where there are any, or with --json an object without \
rules and turns (with turns after --turns). A line that cannot be answered gets an empty line and a message on standard error, or \
{\"position\":…,\"error\":…}; the others are answered all the same, and the exit status is 1.";

/// Give the exact value of a position and of each of its turns
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    position: PositionArgs,
    /// Read positions from standard input, one per line; blank lines and lines that begin with # get no answer
    #[arg(long, conflicts_with_all = ["position", "moves"])]
    stdin: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// With --stdin and --json: give the turns of each position too
    #[arg(long, requires_all = ["stdin", "json"])]
    turns: bool,
    #[command(flatten)]
    form: FormArgs,
    #[command(flatten)]
    tables: TablesArgs,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let tables = args.tables.open()?;
    if args.stdin {
        return run_lines(args, &tables, out);
    }
    let position = args.position.read(tables.rules())?;
    let position = position.ok_or_else(|| CliError::usage("expected a position, --moves TURNS or --stdin"))?;
    let probe = tables.probe(&position)?;
    let turns = tables.turns(&position);
    if args.json {
        let text = args.position.text().map_or_else(|| position.to_string(), str::to_owned);
        let answer = ProbeJson::new(&text, &probe).with_rules(tables.rules());
        let answer = match &turns {
            Ok(turns) => answer.with_turns(turns, args.form.form()),
            Err(error) => answer.with_error(error.to_string()),
        };
        write_json(out, &answer)?;
        return Ok(turns.map(drop)?);
    }
    let rules = tables.rules();
    writeln!(out, "{}", present::draw(rules.board(), &position))?;
    writeln!(out, "{}", present::caption(rules, &position))?;
    match (probe.outcome, probe.class) {
        (Some(outcome), _) => writeln!(out, "{}", present::outcome_text(outcome))?,
        (None, Some(class)) => writeln!(out, "{class} under {}, {}", rules.name(), present::answer_text(&probe))?,
        (None, None) => writeln!(out, "{}", present::answer_text(&probe))?,
    }
    let turns = turns?;
    if !turns.is_empty() {
        write!(out, "\n{}", list(&turns, args.form.form()))?;
    }
    Ok(())
}

/// The turns with their values, one per line.
fn list(turns: &[RankedTurn], form: PointForm) -> String {
    let names: Vec<String> = turns.iter().map(|turn| turn.turn.in_form(form).to_string()).collect();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    for (name, turn) in names.iter().zip(turns) {
        let note = present::turn_note(turn).map(|note| format!(", {note}")).unwrap_or_default();
        let _ = writeln!(text, "{name:width$}  {}{note}", turn.value);
    }
    text
}

/// Lines per thread at a time.
const SHARE: usize = 64;

/// The most bytes read at once.
const CHUNK: usize = 1 << 18;

/// The most bytes in a line. No position needs as many, and memory must not grow with invalid input.
const LONGEST_LINE: usize = 1 << 16;

/// The number of bytes shown of a longer line.
const SHOWN: usize = 64;

/// Answers lines as they arrive. Lines that have arrived together are answered in parallel and written in order.
fn run_lines(args: &Args, tables: &Tablebase, out: &mut dyn Write) -> CliResult {
    threads::ready();
    let mut input = io::stdin().lock();
    let (mut bad, mut number) = (0, 0);
    // The beginning of an incomplete line, or as much of it as shows that it is too long.
    let mut pending: Vec<u8> = Vec::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = match input.read(&mut chunk) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(CliError::job(format!("cannot read standard input: {error}"))),
        };
        let mut new = &chunk[..read];
        if pending.len() > LONGEST_LINE {
            // The rest of this line is ignored.
            let end = new.iter().position(|&byte| byte == b'\n');
            new = &new[end.unwrap_or(new.len())..];
        }
        pending.extend_from_slice(new);
        let whole = if read == 0 { Some(pending.len()) } else { last_line_end(&pending, new.len()) };
        if let Some(whole) = whole {
            bad += answer_lines(args, tables, &pending[..whole], &mut number, out)?;
            pending.drain(..whole);
        }
        if read == 0 {
            break;
        }
        pending.truncate(LONGEST_LINE + 1);
    }
    match bad {
        0 => Ok(()),
        1 => Err(CliError::job("1 line could not be answered")),
        _ => Err(CliError::job(format!("{bad} lines could not be answered"))),
    }
}

/// The end of the last complete line, which can only be in the last `new` bytes.
fn last_line_end(pending: &[u8], new: usize) -> Option<usize> {
    let start = pending.len() - new;
    pending[start..].iter().rposition(|&byte| byte == b'\n').map(|end| start + end + 1)
}

/// Answers complete lines and returns the number of those that could not be answered.
fn answer_lines(
    args: &Args,
    tables: &Tablebase,
    text: &[u8],
    number: &mut usize,
    out: &mut dyn Write,
) -> CliResult<usize> {
    let text = text.strip_suffix(b"\n").map_or(text, |text| text);
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let shares: Vec<(String, Vec<(usize, String)>)> = lines
        .par_chunks(SHARE)
        .enumerate()
        .map(|(share, lines)| {
            let (mut answers, mut errors) = (String::new(), Vec::new());
            for (place, line) in (share * SHARE..).zip(lines) {
                let shown = String::from_utf8_lossy(if line.len() > LONGEST_LINE { &line[..SHOWN] } else { line });
                let shown = shown.strip_prefix('\u{feff}').unwrap_or(&shown);
                if shown.trim_start().starts_with('#') {
                    continue;
                }
                if line.len() > LONGEST_LINE {
                    errors.push((place, refuse_long(args, shown.trim(), &mut answers)));
                    answers.push('\n');
                    continue;
                }
                let line = shown.trim();
                if line.is_empty() {
                    continue;
                }
                if let Err(error) = answer_line(args, tables, line, &mut answers) {
                    errors.push((place, error));
                }
                answers.push('\n');
            }
            (answers, errors)
        })
        .collect();
    let mut bad = 0;
    for (answers, errors) in shares {
        out.write_all(answers.as_bytes())?;
        bad += errors.len();
        if !args.json {
            for (place, error) in errors {
                // If standard error is closed the exit status still tells.
                let _ = writeln!(io::stderr(), "line {}: {error}", *number + place + 1);
            }
        }
    }
    *number += lines.len();
    // The peer may be waiting for the answer.
    out.flush()?;
    Ok(bad)
}

/// Appends the answer for one line to `answers`.
fn answer_line(args: &Args, tables: &Tablebase, line: &str, answers: &mut String) -> Result<(), String> {
    let result = probe_line(args, tables, line, answers);
    if let Err(error) = &result {
        refuse(args, line, error, answers);
    }
    result
}

/// Appends the JSON error for a line that cannot be answered.
fn refuse(args: &Args, line: &str, error: &str, answers: &mut String) {
    if args.json {
        answers.push_str(&present::to_json(&RefusalJson::new(line, error)).unwrap_or_default());
    }
}

/// The same for a line that is too long, of which only the beginning is repeated; returns the error.
fn refuse_long(args: &Args, beginning: &str, answers: &mut String) -> String {
    let error = format!("the line is too long: expected a position, in at most {LONGEST_LINE} bytes");
    refuse(args, &format!("{beginning}…"), &error, answers);
    error
}

fn probe_line(args: &Args, tables: &Tablebase, line: &str, answers: &mut String) -> Result<(), String> {
    let position = Position::from_notation(line, tables.rules()).map_err(|error| error.to_string())?;
    let probe = tables.probe(&position).map_err(|error| error.to_string())?;
    if !args.json {
        let name = probe.value.wdl().name();
        // Writing to a string cannot fail.
        let _ = match probe.value.dtc() {
            Some(plies) => write!(answers, "{name} {}", plies.0),
            None => write!(answers, "{name}"),
        };
        return Ok(());
    }
    let mut answer = ProbeJson::new(line, &probe);
    if args.turns {
        let turns = tables.turns(&position).map_err(|error| error.to_string())?;
        answer = answer.with_turns(&turns, args.form.form());
    }
    answers.push_str(&present::to_json(&answer).map_err(|error| error.to_string())?);
    Ok(())
}
