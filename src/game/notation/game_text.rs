//! Games in the format of chess programs (PGN): everything around the turns is removed when reading, and added when
//! writing.
//!
//! Ignored are tags (`[White "…"]`, all but `FEN` and `Rules`), comments (`{…}`, and after tags also `; …` to the end of the line),
//! variations (`(…)`), marks such as `$1` and `!?`, lines that begin with `%`, move numbers, and the result.

use std::fmt::Write as _;

use super::super::Side;
use super::error::{NotationError, unexpected};
use super::reading::without_mark;

const WHAT: &str = "record";

/// Precedes a turn of the second player.
pub(super) const SECOND: &str = "...";

/// The tags that every game has, with the values for "unknown".
pub(super) const TAGS: [(&str, &str); 6] =
    [("Event", "?"), ("Site", "?"), ("Date", "????.??.??"), ("Round", "?"), ("White", "?"), ("Black", "?")];

const RESULTS: [&str; 5] = ["1-0", "0-1", "1/2-1/2", "½-½", "*"];

/// The turns of a text, and the values of its tags `FEN` and `Rules`.
pub(super) struct Plain {
    /// The turns, with [`SECOND`] before those marked as the second player's.
    pub(super) turns: String,
    pub(super) start: Option<String>,
    pub(super) rules: Option<String>,
}

/// Removes everything around the turns.
pub(super) fn plain(text: &str) -> Result<Plain, NotationError> {
    let Bare { text: bare, start, rules } = strip(without_mark(WHAT, text)?)?;
    // Records may have hundreds of thousands of turns.
    let mut turns = String::with_capacity(bare.len());
    let mut is_over = false;
    for word in bare.split_whitespace() {
        if is_over {
            return Err(unexpected(WHAT, "one game, which ends with its result", word));
        }
        is_over = RESULTS.contains(&word);
        if is_over || is_mark(word) {
            continue;
        }
        let (second, turn) = split_number(word);
        let turn = without_number_mark(turn).trim_end_matches(MARKS);
        for part in [if second { SECOND } else { "" }, turn] {
            if !(turns.is_empty() || part.is_empty()) {
                turns.push(' ');
            }
            turns.push_str(part);
        }
    }
    Ok(Plain { turns, start, rules })
}

/// Annotations of a turn that are a single letter.
const MARKS: [char; 2] = ['!', '?'];

/// A turn without the number before it and the marks after it.
pub(super) fn bare_turn(text: &str) -> &str {
    let (_, turn) = split_number(text.trim());
    turn.trim_end_matches(|letter: char| MARKS.contains(&letter) || letter.is_whitespace()).trim_start()
}

/// A text without tags, comments and variations, and the values of the tags that matter.
#[derive(Default)]
struct Bare {
    text: String,
    start: Option<String>,
    rules: Option<String>,
}

fn strip(text: &str) -> Result<Bare, NotationError> {
    let Bare { text: mut bare, mut start, mut rules } = Bare::default();
    let (mut rest, mut has_tags) = (text, false);
    loop {
        let (turns, after) = rest.split_at(rest.find(['[', '{', '(', ';', ',', '%']).unwrap_or(rest.len()));
        bare.push_str(turns);
        rest = after;
        let Some(first) = rest.chars().next() else { break };
        let is_line_start = bare.is_empty() || bare.ends_with('\n');
        let length = match first {
            '[' => {
                let length = tag_length(rest)?;
                let tag = &rest[..length];
                if !bare.trim_start().is_empty() {
                    return Err(unexpected(WHAT, "one game, with its tags before its turns", tag));
                }
                start = value_of(tag, "FEN").or(start);
                rules = value_of(tag, "Rules").or(rules);
                has_tags = true;
                length
            }
            '{' => comment_length(rest)?,
            '(' => variation_length(rest)?,
            ';' if has_tags => line_length(rest),
            '%' if is_line_start => line_length(rest),
            _ => {
                match first {
                    // Turns on both sides of a separator are two words.
                    ',' | ';' => bare.extend([' ', first, ' ']),
                    _ => bare.push(first),
                }
                rest = &rest[first.len_utf8()..];
                continue;
            }
        };
        bare.push(' ');
        rest = &rest[length..];
    }
    Ok(Bare { text: bare, start, rules })
}

fn line_length(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

fn comment_length(text: &str) -> Result<usize, NotationError> {
    let expected = "} at the end of a comment";
    text.find('}').map(|at| at + 1).ok_or(NotationError::TooShort { text: WHAT, expected })
}

/// The length of a variation, which may contain comments and other variations.
fn variation_length(text: &str) -> Result<usize, NotationError> {
    let (mut at, mut open) = (0, 0_usize);
    while let Some(found) = text[at..].find(['(', ')', '{']) {
        at += found;
        match text.as_bytes()[at] {
            b'{' => {
                at += comment_length(&text[at..])?;
                continue;
            }
            b'(' => open += 1,
            _ => open -= 1,
        }
        at += 1;
        if open == 0 {
            return Ok(at);
        }
    }
    Err(NotationError::TooShort { text: WHAT, expected: ") at the end of a variation" })
}

/// The length of a tag; a bracket within quotes does not end it.
fn tag_length(text: &str) -> Result<usize, NotationError> {
    let (mut quoted, mut escaped) = (false, false);
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = quoted,
            '"' => quoted = !quoted,
            ']' if !quoted => return Ok(at + 1),
            _ => {}
        }
    }
    Err(NotationError::TooShort { text: WHAT, expected: "] at the end of a tag" })
}

/// The value of a tag, if it has this name.
fn value_of(tag: &str, name: &str) -> Option<String> {
    let (own, rest) = tag.trim_start_matches('[').trim_start().split_once(char::is_whitespace)?;
    let (value, _) = rest.split_once('"')?.1.split_once('"')?;
    own.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
}

/// Whether the word is only an annotation of the turn before it.
fn is_mark(word: &str) -> bool {
    without_number_mark(word).is_empty() || word.chars().all(|letter| MARKS.contains(&letter))
}

/// A turn without a mark such as `$1` after it.
fn without_number_mark(word: &str) -> &str {
    match word.split_once('$') {
        Some((turn, digits)) if !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()) => turn,
        _ => word,
    }
}

/// Whether a move number or bare points before the turn give it to the second player, and the turn.
fn split_number(word: &str) -> (bool, &str) {
    let after = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let turn = after.trim_start_matches(['.', '…']);
    let points = &after[..after.len() - turn.len()];
    let second = points.len() >= SECOND.len();
    let is_number = !points.is_empty() && (second || after.len() < word.len());
    if is_number { (second, turn) } else { (false, word) }
}

/// The maximum line width in columns.
const WIDTH: usize = 79;

/// Tags, a blank line, numbered turns in lines of readable length, and the result. The first turn is `begins`'s, and it
/// has this number.
pub(super) fn write(tags: &[(&str, String)], turns: &[String], (begins, number): (Side, u32), result: &str) -> String {
    let mut text = String::new();
    for (name, value) in tags {
        let _ = writeln!(text, "[{name} \"{value}\"]");
    }
    let skipped = begins.index();
    let mut words = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        let ply = at + skipped;
        let number = u64::from(number) + ply as u64 / 2;
        if ply.is_multiple_of(2) {
            words.push(format!("{number}."));
        } else if at == 0 {
            words.push(format!("{number}{SECOND}"));
        }
        words.push(turn.clone());
    }
    words.push(result.to_owned());
    let mut column = 0;
    for word in words {
        let fits = column > 0 && column + 1 + word.len() <= WIDTH;
        text.push(if fits { ' ' } else { '\n' });
        column = if fits { column + 1 } else { 0 } + word.len();
        text.push_str(&word);
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(text: &str) -> Result<String, String> {
        plain(text).map(|plain| plain.turns).map_err(|error| error.to_string())
    }

    #[test]
    fn what_stands_around_the_turns_is_left_out() {
        let game = "[Event \"a ] b\"]\n[Result \"1-0\"]\n\n1.d6! {centre; (good)} d7?! $14 (1... a4 2. b6 (2. b4)) \
                    2. b4 ; to the end\n% nothing\n2... a4 !? 1-0\n";
        assert_eq!(turns(game).unwrap(), "d6 d7 b4 ... a4");
        assert_eq!(turns("d6;d7 ; b4").unwrap(), "d6 ; d7 ; b4");
        assert_eq!(turns("[Event \"a\\\"]b\"]\n1. d6$1 d7!$14").unwrap(), "d6 d7");
        let fen = plain("[fen \"B:Wa1:B:H11,12\"] [Rules \"plain\"] d6").unwrap();
        assert_eq!((fen.start.as_deref(), fen.turns.as_str()), (Some("B:Wa1:B:H11,12"), "d6"));
        assert_eq!(fen.rules.as_deref(), Some("plain"));
        // Not a mark, so the reader of turns refuses it.
        assert_eq!(turns("d6 $ d7$x").unwrap(), "d6 $ d7$x");
    }

    #[test]
    fn what_does_not_end_and_a_second_game_are_refused() {
        for (text, part) in [
            ("d6 {never", "} at the end"),
            ("d6 (d7 (b4)", ") at the end"),
            ("[Event \"x\"", "] at the end"),
            ("d6 1-0 d7", "one game"),
            ("[Event \"x\"] d6 [Event \"y\"] d7", "one game"),
        ] {
            assert!(turns(text).unwrap_err().contains(part), "{text}");
        }
    }
}
