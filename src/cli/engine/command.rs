//! Parsing the peer's commands: one line, one command. Nothing here knows about games.

use std::time::Duration;

/// A valid command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Command<'a> {
    /// Asks for the engine's name and its options.
    Uci,
    /// Asks whether the engine is ready.
    IsReady,
    /// What follows is unrelated to what came before.
    NewGame,
    /// Sets an option; the value is empty if none was given.
    SetOption { name: &'a str, value: &'a str },
    /// A position, or the start if there is none, and the turns after it.
    Position { start: Option<&'a str>, moves: &'a str },
    /// Think.
    Go(Go),
    /// Stop thinking.
    Stop,
    /// The pondered turn was played: the time counts from now on.
    PonderHit,
    /// Asks for the value of every turn, in this position or in the current one.
    Analyze { start: Option<&'a str>, moves: &'a str },
    /// List the legal half-turns.
    Moves,
    /// Asks for the FEN.
    Fen,
    /// Asks for a number that identifies the position.
    Key,
    /// Draw the board.
    Draw,
    /// Asks for the value of the position.
    Eval,
    /// Ends the program.
    Quit,
}

/// Limits for thinking.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Go {
    pub(super) depth: Option<u64>,
    pub(super) nodes: Option<u64>,
    pub(super) movetime: Option<Duration>,
    /// Until told to stop.
    pub(super) infinite: bool,
    /// Until told to stop, or that the turn was played.
    pub(super) ponder: bool,
    /// Search for a win in this many turns.
    pub(super) mate: Option<u64>,
    /// The only half-turns or turns to consider.
    pub(super) only: Vec<String>,
    /// The remaining time on the clocks of the first and the second player, and the increment per turn.
    pub(super) clocks: [Option<Duration>; 2],
    pub(super) increments: [Duration; 2],
    /// Turns to the next time control.
    pub(super) until_control: Option<u64>,
    /// What is wrong with ignored words.
    pub(super) faults: Vec<String>,
}

/// A command with invalid words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Misfit {
    /// An option that cannot be set.
    Option(&'static str),
    /// A text that is not a position.
    Position(&'static str),
}

/// The word that begins a command, and the rest of the line.
pub(super) type Word<'a> = (&'a str, &'a str);

const COMMANDS: [&str; 16] = [
    "uci",
    "isready",
    "ucinewgame",
    "setoption",
    "position",
    "go",
    "stop",
    "ponderhit",
    "analyze",
    "analyse",
    "moves",
    "fen",
    "key",
    "d",
    "eval",
    "quit",
];

/// Finds the command of a line. Unknown words before it are ignored, and a line without a command is ignored, as UCI
/// requires.
///
/// # Errors
/// Says that the line may be a position whose first word was lost.
pub(super) fn find(line: &str) -> Result<Option<Word<'_>>, Misfit> {
    let line = line.trim();
    let mut rest = line;
    let mut is_position = false;
    while !rest.is_empty() {
        let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let after = after.trim_start();
        if COMMANDS.contains(&word) {
            // Part of a position whose first word was lost in transmission.
            is_position &= !matches!(word, "setoption" | "position" | "analyze" | "analyse");
            is_position |= rest.len() < line.len() && matches!(word, "moves" | "fen");
            return if is_position { Err(Misfit::Position(NO_POSITION)) } else { Ok(Some((word, after))) };
        }
        is_position |= may_be_position(word);
        rest = after;
    }
    if is_position { Err(Misfit::Position(NO_POSITION)) } else { Ok(None) }
}

/// Whether a word that is no command may belong to a position: such as `Position`, `position;startpos`, or a position
/// without `position fen` before it.
fn may_be_position(word: &str) -> bool {
    let small = word.to_ascii_lowercase();
    let is_board = small.contains('/') && small.contains(['*', '@']);
    is_board || ["position", "startpos", "w:", "b:"].iter().any(|begin| small.starts_with(begin))
}

/// Reads a line.
///
/// # Errors
/// What is wrong with the command's own words. A `go` is always accepted, as its sender waits for a turn.
pub(super) fn parse(line: &str) -> Result<Option<Command<'_>>, Misfit> {
    let Some((word, after)) = find(line)? else { return Ok(None) };
    let command = match word {
        "uci" => Command::Uci,
        "isready" => Command::IsReady,
        "ucinewgame" => Command::NewGame,
        "setoption" => parse_option(after)?,
        "position" => parse_position(after)?,
        "go" => Command::Go(parse_go(after)),
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "analyze" | "analyse" => parse_analyze(after)?,
        "moves" => Command::Moves,
        "fen" => Command::Fen,
        "key" => Command::Key,
        "d" => Command::Draw,
        "eval" => Command::Eval,
        "quit" => Command::Quit,
        _ => return Ok(None),
    };
    Ok(Some(command))
}

const NO_POSITION: &str = "expected position startpos or position fen FEN, in small letters, found other words";

/// The text before and after a word, if the word occurs.
fn around<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    let mut from = 0;
    while let Some(found) = text[from..].find(word) {
        let (start, end) = (from + found, from + found + word.len());
        let (before, after) = (&text[..start], &text[end..]);
        let stands_alone = before.chars().next_back().is_none_or(char::is_whitespace)
            && after.chars().next().is_none_or(char::is_whitespace);
        if stands_alone {
            return Some((before.trim(), after.trim()));
        }
        from = end;
    }
    None
}

fn parse_option(text: &str) -> Result<Command<'_>, Misfit> {
    let misfit = Misfit::Option("setoption: expected name NAME value VALUE");
    let (_, text) = around(text, "name").ok_or(misfit)?;
    let (name, value) = around(text, "value").unwrap_or((text, ""));
    Ok(Command::SetOption { name, value })
}

/// The words after `position`: the starting position, and the turns.
fn parse_start(text: &str) -> Option<(Option<&str>, &str)> {
    let (start, moves) = around(text, "moves").unwrap_or((text, ""));
    match start.split_once(char::is_whitespace).unwrap_or((start, "")) {
        ("startpos", "") => Some((None, moves)),
        ("fen", fen) => Some((Some(fen.trim()), moves)),
        _ => None,
    }
}

fn parse_position(text: &str) -> Result<Command<'_>, Misfit> {
    let misfit = Misfit::Position("position: expected startpos or fen FEN, and perhaps moves TURNS after it");
    parse_start(text).map(|(start, moves)| Command::Position { start, moves }).ok_or(misfit)
}

fn parse_analyze(text: &str) -> Result<Command<'_>, Misfit> {
    let misfit = Misfit::Option("analyze: expected startpos or fen FEN, and perhaps moves TURNS after it");
    parse_start(text).map(|(start, moves)| Command::Analyze { start, moves }).ok_or(misfit)
}

/// Words of `go` that a number follows, and those on their own.
const NUMBERS: [&str; 9] = ["movetime", "wtime", "btime", "winc", "binc", "depth", "nodes", "movestogo", "mate"];
const FLAGS: [&str; 3] = ["infinite", "ponder", "searchmoves"];

fn parse_go(text: &str) -> Go {
    let mut go = Go::default();
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if !NUMBERS.contains(&word) {
            go.infinite |= word == "infinite";
            go.ponder |= word == "ponder";
            while word == "searchmoves"
                && let Some(only) = words.next_if(|next| !NUMBERS.contains(next) && !FLAGS.contains(next))
            {
                go.only.push(only.to_owned());
            }
            continue;
        }
        let value = words.next_if(|next| !NUMBERS.contains(next) && !FLAGS.contains(next));
        // Clocks that have run out are given as negative numbers.
        if let Some(number) = value.and_then(|value| value.parse::<i64>().ok()) {
            go.set(word, number.max(0).unsigned_abs());
        } else {
            let found = value.unwrap_or("nothing");
            go.faults.push(format!("go {word}: expected a number, found {found:?}, which is ignored"));
        }
    }
    go
}

impl Go {
    fn set(&mut self, word: &str, number: u64) {
        let time = Duration::from_millis(number);
        match word {
            "movetime" => self.movetime = Some(time),
            "wtime" => self.clocks[0] = Some(time),
            "btime" => self.clocks[1] = Some(time),
            "winc" => self.increments[0] = time,
            "binc" => self.increments[1] = time,
            // Harnesses of mill programs say 0 for "as long as the time allows".
            "depth" => self.depth = Some(number).filter(|depth| *depth > 0),
            "nodes" => self.nodes = Some(number),
            "mate" => self.mate = Some(number),
            _ => self.until_control = Some(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(text: &str) -> Go {
        match parse(text) {
            Ok(Some(Command::Go(go))) => go,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn commands_are_read_and_unknown_words_ignored() {
        assert_eq!(parse("uci"), Ok(Some(Command::Uci)));
        assert_eq!(parse("  joho\tisready  now "), Ok(Some(Command::IsReady)));
        assert_eq!(parse("debug on"), Ok(None));
        assert_eq!(parse(" \t "), Ok(None));
        assert_eq!(parse("UCI"), Ok(None));
    }

    #[test]
    fn options_keep_spaces_in_names_and_values() {
        let option = |text| match parse(text) {
            Ok(Some(Command::SetOption { name, value })) => (name, value),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(option("setoption name TablesPath value /my tables:/b"), ("TablesPath", "/my tables:/b"));
        assert_eq!(option("setoption name Clear Hash"), ("Clear Hash", ""));
        assert_eq!(option("setoption name X value"), ("X", ""));
        assert_eq!(option("setoption name valuename value 3"), ("valuename", "3"));
        assert!(parse("setoption").is_err() && parse("setoption TablesPath /x").is_err());
    }

    #[test]
    fn positions_are_split_from_their_moves() {
        let position = |text| match parse(text) {
            Ok(Some(Command::Position { start, moves })) => (start, moves),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(position("position startpos"), (None, ""));
        assert_eq!(position("position startpos moves d6 d7"), (None, "d6 d7"));
        assert_eq!(position("position  fen  a b c  moves  xb4 "), (Some("a b c"), "xb4"));
        assert_eq!(position("position fen moves"), (Some(""), ""));
        // Some have lost their first word in transmission, and the last were written by hand.
        for text in [
            "position",
            "position here",
            "position moves d6",
            "position startpos d6",
            "osition startpos moves d6",
            "\u{fffd}position fen a b c",
            "ition startpos",
            "POSITION STARTPOS MOVES d7",
            "Position",
            "position;startpos",
            "position\0startpos",
            "StartPos",
            "W:Wd6:Bd7",
            "********/******@*/OO*****O b p p 3 9 1 10 0 0 -1 -1 -1 -1 0 0 3 ids:nodes",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn limits_are_read_whatever_their_order_and_bad_ones_named() {
        assert_eq!(go("go"), Go::default());
        assert_eq!(go("go movetime 50 depth 3").depth, Some(3));
        assert!(go("go ponder wtime 50").ponder && go("go depth 0") == Go::default());
        assert_eq!(go("go searchmoves d6 d6-d5 depth 3").only, ["d6", "d6-d5"]);
        assert_eq!((go("go mate 3").mate, go("go depth infinite").infinite), (Some(3), true));
        assert_eq!(go("go joho movetime 50").movetime, Some(Duration::from_millis(50)));
        assert_eq!(
            go("go wtime -7 btime 900 binc 10").clocks,
            [Some(Duration::ZERO), Some(Duration::from_millis(900))]
        );
        assert!(go("go nodes 9 infinite").infinite);
        for text in ["go depth", "go depth x", "go movetime 99999999999999999999", "go nodes 1.5"] {
            let read = go(text);
            assert!(read.faults[0].contains("expected a number"), "{read:?}");
            assert_eq!(Go { faults: Vec::new(), ..read }, Go::default());
        }
    }
}
