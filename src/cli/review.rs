//! `review`: a game that was played, with the value of each turn.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use morabase::present::{self, ReviewJson};
use morabase::{Position, ReviewError, ReviewedTurn, Side};

use super::args::{FormArgs, read_game};
use super::tables::TablesArgs;
use super::{CliError, CliResult, write_json};

const EXAMPLES: &str = "\
Examples:
  morabase review --from 'W:Wd6,d7,f4,f6:Bb4,d3,g1,g4' 'd6-b6 g4-g7 f4-f2'
  morabase review game.pgn
  morabase show --record 'W:Wd6,d7,f4,f6:Bb4,d3,g1,g4' --moves 'd6-b6 g4-g7' | morabase review -

One turn per line: its number, the player, the turn, and its value for that player, this turn included. A turn that threw a win or a draw \
away is marked with ?, one that threw a win away and lost with ??; what was best follows. A turn without a \
table has no value; the exit status is 1 only if no turn has one.

With --json one object: {\"rules\":…,\"start\":…,\"turns\":[{\"number\":1,\"side\":\"first|second\",\"turn\":…,\"value\":…|null,\"dtc\":…|null,\
\"verdict\":…|null,\"shot\":…,\"position\":…,\"thrown_away\":\"win|draw\"|null,\"best\":{\"turn\":…,\"value\":…,…}|null},…],\"ended\":…|null,\
\"players\":{\"first\":{\"turns\":…,\"judged\":…,\"wins_thrown_away\":[…],\"draws_thrown_away\":[…]},\"second\":…},\"missing\":[…]}.";

/// Review a game: what each turn was worth, and what was best
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The game: turns such as 'd6 d7 b4', a file with them or with a PGN game, or - for standard input
    game: String,
    /// Position that the game starts from, in short form or as a FEN [default: the one that the game names, or the empty board]
    #[arg(long, value_name = "POSITION")]
    from: Option<String>,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    form: FormArgs,
    #[command(flatten)]
    tables: TablesArgs,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let text = text_of(&args.game)?;
    let tables = args.tables.open()?;
    let rules = tables.rules();
    let (start, record) = read_game(args.from.as_deref(), Some(&text), rules).map_err(|error| explain(args, error))?;
    if record.turns.is_empty() {
        return Err(CliError::usage("the game has no turns: expected some such as 'd6 d7 b4'"));
    }
    let turns = tables.review(&start.position, &record)?;
    if args.json {
        write_json(out, &ReviewJson::new(rules, &start.position, &turns, args.form.form()))?;
    } else {
        print(args, &turns, out)?;
        if let Some(outcome) = turns.last().and_then(|last| last.after.outcome(rules)) {
            writeln!(out, "{}", present::outcome_text(outcome))?;
        }
        for side in Side::BOTH.into_iter().filter(|side| turns.iter().any(|turn| turn.side == *side)) {
            writeln!(out, "{}", present::player_text(side, &turns))?;
        }
    }
    let Some(unknown) = turns.iter().find(|turn| turn.missing.is_some()) else { return Ok(()) };
    // The missing class of the first of them must be built first; building it also builds the classes that follow from
    // it.
    let at = position_before(&start.position, &turns, unknown);
    let Err(error) = tables.turns(&at) else { return Ok(()) };
    let error = CliError::from(error);
    if turns.iter().all(|turn| turn.value.is_none()) {
        return Err(error);
    }
    out.flush()?;
    // If standard error is closed there is nobody to tell.
    let _ = writeln!(io::stderr(), "note: not every turn could be judged: {}", error.message());
    Ok(())
}

/// The position before a reviewed turn.
fn position_before(start: &Position, turns: &[ReviewedTurn], turn: &ReviewedTurn) -> Position {
    let at = turns.iter().position(|each| std::ptr::eq(each, turn)).unwrap_or(0);
    at.checked_sub(1).map_or(*start, |before| turns[before].after)
}

fn print(args: &Args, turns: &[ReviewedTurn], out: &mut dyn Write) -> CliResult {
    let form = args.form.form();
    let names: Vec<String> =
        turns.iter().map(|turn| format!("{}{}", turn.turn.in_form(form), present::review_mark(turn))).collect();
    let values: Vec<String> =
        turns.iter().map(|turn| turn.value.map_or_else(|| "?".to_owned(), |value| value.to_string())).collect();
    let width = |texts: &[String]| texts.iter().map(String::len).max().unwrap_or(0);
    let (digits, name_width, value_width) = (turns.len().to_string().len(), width(&names), width(&values));
    for (number, ((turn, name), value)) in (1..).zip(turns.iter().zip(&names).zip(&values)) {
        let note = present::review_note(turn, form).unwrap_or_default();
        let sign = present::side_sign(turn.side);
        let line = format!("{number:digits$}  {sign}  {name:name_width$}  {value:value_width$}  {note}");
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// The most bytes in a game: no game comes near.
const LONGEST: u64 = 1 << 24;

/// The game as text: from standard input, a file, or the argument itself.
fn text_of(game: &str) -> CliResult<String> {
    let bytes = if game == "-" {
        read(io::stdin().lock(), "standard input")?
    } else if Path::new(game).is_file() {
        let file = fs::File::open(game).map_err(|error| CliError::job(format!("{game}: cannot open it: {error}")))?;
        read(file, game)?
    } else {
        return Ok(game.to_owned());
    };
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn read(source: impl Read, name: &str) -> CliResult<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = source.take(LONGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| CliError::job(format!("{name}: cannot read it: {error}")))?;
    if bytes.len() as u64 > LONGEST {
        return Err(CliError::usage(format!("{name}: too long for a game: expected at most {LONGEST} bytes")));
    }
    Ok(bytes)
}

/// A hint at what a text that is not a game may have meant.
fn explain(args: &Args, error: CliError) -> CliError {
    let game = &args.game;
    let is_position = args.tables.default_rules().is_ok_and(|rules| Position::from_notation(game, &rules).is_ok());
    if is_position {
        let hint = "this is a position: give it as --from POSITION, and the turns after it as GAME";
        return CliError::usage(format!("{}; {hint}", error.message()));
    }
    if !game.contains(char::is_whitespace) && game.contains(['/', '.', '\\']) && !Path::new(game).exists() {
        return CliError::usage(format!(
            "{game}: no such file, and not a list of turns such as 'd6 d7 b4' either: {}",
            error.message()
        ));
    }
    error
}

impl From<ReviewError> for CliError {
    fn from(error: ReviewError) -> Self {
        match error {
            ReviewError::Record(error) => error.into(),
            ReviewError::Probe(error) => error.into(),
            error => Self::job(error.to_string()),
        }
    }
}
