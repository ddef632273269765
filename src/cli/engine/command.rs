//! Reading what a peer says: one line, one command. Nothing here knows about games.

use std::time::Duration;

/// A line that makes sense.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Command<'a> {
    /// Who are you, and what can be set?
    Uci,
    /// Are you there?
    IsReady,
    /// What comes next has nothing to do with what came before.
    NewGame,
    /// Sets an option; the value is empty where none was given.
    SetOption { name: &'a str, value: &'a str },
    /// A position, or the start where there is none, and the turns after it.
    Position { start: Option<&'a str>, moves: &'a str },
    /// Think.
    Go(Go),
    /// Stop thinking.
    Stop,
    /// Draw the board.
    Draw,
    /// Say what the position is worth.
    Eval,
    /// End.
    Quit,
}

/// How long to think.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Go {
    pub(super) depth: Option<u64>,
    pub(super) nodes: Option<u64>,
    pub(super) movetime: Option<Duration>,
    /// Until told to stop.
    pub(super) infinite: bool,
    /// What is left on the clocks of the first and the second player, and what each turn adds.
    pub(super) clocks: [Option<Duration>; 2],
    pub(super) increments: [Duration; 2],
    /// Turns to the next time control.
    pub(super) until_control: Option<u64>,
    /// What is wrong with words that were ignored.
    pub(super) faults: Vec<String>,
}

/// A command whose words make no sense.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Misfit {
    /// An option that cannot be set.
    Option(&'static str),
    /// A text that is no position.
    Position(&'static str),
}

/// Reads a line. Unknown words before a command are ignored, and a line without a command is nothing, as UCI asks.
///
/// # Errors
/// What is wrong with the command's own words. A `go` is always understood, as whoever sends it waits for a turn.
pub(super) fn parse(line: &str) -> Result<Option<Command<'_>>, Misfit> {
    let mut rest = line.trim();
    while !rest.is_empty() {
        let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let after = after.trim_start();
        let command = match word {
            "uci" => Command::Uci,
            "isready" => Command::IsReady,
            "ucinewgame" => Command::NewGame,
            "setoption" => return parse_option(after).map(Some),
            "position" => return parse_position(after).map(Some),
            "go" => Command::Go(parse_go(after)),
            "stop" => Command::Stop,
            "d" => Command::Draw,
            "eval" => Command::Eval,
            "quit" => Command::Quit,
            _ => {
                rest = after;
                continue;
            }
        };
        return Ok(Some(command));
    }
    Ok(None)
}

/// What stands before and after a word of the text, if it is there.
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

fn parse_position(text: &str) -> Result<Command<'_>, Misfit> {
    let (start, moves) = around(text, "moves").unwrap_or((text, ""));
    match start.split_once(char::is_whitespace).unwrap_or((start, "")) {
        ("startpos", "") => Ok(Command::Position { start: None, moves }),
        ("fen", fen) => Ok(Command::Position { start: Some(fen.trim()), moves }),
        _ => Err(Misfit::Position("position: expected startpos or fen FEN, and perhaps moves TURNS after it")),
    }
}

fn parse_go(text: &str) -> Go {
    let mut go = Go::default();
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        let takes_number =
            matches!(word, "movetime" | "wtime" | "btime" | "winc" | "binc" | "depth" | "nodes" | "movestogo");
        if !takes_number {
            go.infinite |= word == "infinite";
            continue;
        }
        let value = words.next();
        // Clocks that have run over are told as numbers below zero.
        let Some(number) = value.and_then(|value| value.parse::<i64>().ok()) else {
            let found = value.unwrap_or("nothing");
            go.faults.push(format!("go {word}: expected a number, found {found:?}, which is ignored"));
            continue;
        };
        let number = number.max(0).unsigned_abs();
        let time = Duration::from_millis(number);
        match word {
            "movetime" => go.movetime = Some(time),
            "wtime" => go.clocks[0] = Some(time),
            "btime" => go.clocks[1] = Some(time),
            "winc" => go.increments[0] = time,
            "binc" => go.increments[1] = time,
            "depth" => go.depth = Some(number),
            "nodes" => go.nodes = Some(number),
            _ => go.until_control = Some(number),
        }
    }
    go
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
    fn commands_are_read_and_unknown_words_read_over() {
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
        for text in ["position", "position here", "position moves d6", "position startpos d6"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn limits_are_read_whatever_their_order_and_bad_ones_named() {
        assert_eq!(go("go"), Go::default());
        assert_eq!(go("go movetime 50 depth 3").depth, Some(3));
        assert_eq!(go("go ponder movetime 50").movetime, Some(Duration::from_millis(50)));
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
