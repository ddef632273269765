//! Turns: `d2`, `d2xa7`, `d2-d3`, `d2-d3xa7`, and `xa7` for a shot that is still to come.
//!
//! The reader accepts spaces, a hyphen, a dash or nothing between two points, and `x` or `×`: `A1 – A8 × E1`,
//! `d2d3xa7`. A move number before a turn and marks such as `!` after it are ignored. Half-turns, the two tokens that
//! some programs give for one turn, are written as the turn without its shot (`d6-d5`) and as the shot alone (`xb4`).

use std::fmt;
use std::str::FromStr;

use crate::board::Point;

use super::super::{Step, Turn};
use super::error::{NotationError, unexpected};
use super::game_text;
use super::points::{self, InForm, PointForm};
use super::reading::without_mark;

/// The elements of a text of turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// A name, or whatever is in place of a name.
    Word(&'a str),
    /// Hyphen or dash.
    Dash(&'a str),
    /// `x` or `×`.
    Cross(&'a str),
    /// A comma or semicolon between turns.
    Separator(&'a str),
}

impl<'a> Token<'a> {
    pub(super) const fn text(self) -> &'a str {
        match self {
            Self::Word(text) | Self::Dash(text) | Self::Cross(text) | Self::Separator(text) => text,
        }
    }
}

/// The token that a character makes by itself; `None` for letters of words and for blanks.
const fn sign<'a>(letter: char) -> Option<fn(&'a str) -> Token<'a>> {
    match letter {
        '-' | '\u{2010}' | '\u{2011}' | '\u{2013}' | '\u{2212}' => Some(Token::Dash),
        'x' | 'X' | '×' => Some(Token::Cross),
        ',' | ';' => Some(Token::Separator),
        _ => None,
    }
}

/// Tokens read one by one, with the form that their names give evidence for.
pub(super) struct Tokens<'a> {
    rest: std::iter::Peekable<std::vec::IntoIter<Token<'a>>>,
    form: Option<PointForm>,
    what: &'static str,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(what: &'static str, text: &'a str) -> Self {
        let tokens = tokenize(text);
        let names = tokens.iter().filter_map(|token| if let Token::Word(name) = token { Some(*name) } else { None });
        let form = points::form_of(names);
        Self { rest: tokens.into_iter().peekable(), form, what }
    }

    pub(super) fn peek(&mut self) -> Option<Token<'a>> {
        self.rest.peek().copied()
    }

    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        self.rest.next()
    }

    fn point(&mut self, expected: &'static str) -> Result<Point, NotationError> {
        match self.next() {
            Some(Token::Word(name)) => points::parse(name, self.form),
            other => Err(self.misfit(expected, other)),
        }
    }

    fn misfit(&self, expected: &'static str, found: Option<Token<'_>>) -> NotationError {
        match found {
            Some(token) => unexpected(self.what, expected, token.text()),
            None => NotationError::TooShort { text: self.what, expected },
        }
    }

    /// The next turn.
    pub(super) fn turn(&mut self) -> Result<Turn, NotationError> {
        let from = match self.next() {
            Some(Token::Cross(_)) => {
                return Ok(Turn::quiet(Step::Shoot(self.point("the point of the cow that is shot")?)));
            }
            Some(Token::Word(name)) => points::parse(name, self.form)?,
            other => return Err(self.misfit("a point, or x and the point of a shot", other)),
        };
        let step = if matches!(self.peek(), Some(Token::Dash(_))) {
            self.next();
            Step::Move(from, self.point("the point that the cow goes to")?)
        } else {
            Step::Place(from)
        };
        let mut shot = None;
        if matches!(self.peek(), Some(Token::Cross(_))) {
            self.next();
            shot = Some(self.point("the point of the cow that is shot")?);
        }
        Ok(Turn { step, shot })
    }

    fn end(&mut self, expected: &'static str) -> Result<(), NotationError> {
        match self.next() {
            None => Ok(()),
            found => Err(self.misfit(expected, found)),
        }
    }
}

fn tokenize(text: &str) -> Vec<Token<'_>> {
    let ends_word = |letter: char| letter.is_whitespace() || sign(letter).is_some();
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length): (fn(_) -> _, _) = match sign(first) {
            Some(sign) => (sign, first.len_utf8()),
            None => (Token::Word, rest.find(ends_word).unwrap_or(rest.len())),
        };
        let (text, after) = rest.split_at(length);
        match two_points(text) {
            Some((from, to)) => tokens.extend([Token::Word(from), Token::Dash("-"), Token::Word(to)]),
            None => tokens.push(token(text)),
        }
        rest = after.trim_start();
    }
    tokens
}

/// The two names that a token such as `d6b6` runs together.
fn two_points(token: &str) -> Option<(&str, &str)> {
    let (from, to) = token.split_at_checked(2)?;
    (points::is_name(from) && points::is_name(to)).then_some((from, to))
}

/// Reads one turn.
///
/// ```
/// use morabase::Turn;
/// let turn: Turn = "A1 – A8 x E1".parse()?;
/// assert_eq!(turn.to_string(), "b6-b4xa7");
/// assert_eq!("d2-".parse::<Turn>().unwrap_err().to_string(), "turn: expected the point that the cow goes to, but the text ends");
/// # Ok::<(), morabase::NotationError>(())
/// ```
impl FromStr for Turn {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let mut tokens = Tokens::new("turn", game_text::bare_turn(without_mark("turn", text)?));
        let turn = tokens.turn()?;
        let expected = match turn {
            Turn { step: Step::Place(_), shot: None } => "a hyphen, x, or nothing more",
            Turn { step: Step::Move(..), shot: None } => "x or nothing more",
            _ => "nothing more",
        };
        tokens.end(expected)?;
        Ok(turn)
    }
}

/// Reads one half-turn: `d2`, `d2-d3` or `xa7`.
impl FromStr for Step {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let turn: Turn = text.parse()?;
        match turn.shot {
            None => Ok(turn.step),
            Some(_) => Err(unexpected("half-turn", "a placement, a move or a shot, each by itself", text)),
        }
    }
}

impl Turn {
    /// The turn, to be printed with its points in this form.
    pub const fn in_form(self, form: PointForm) -> InForm<Self> {
        InForm { value: self, form }
    }
}

impl Step {
    /// The half-turn, to be printed with its points in this form.
    pub const fn in_form(self, form: PointForm) -> InForm<Self> {
        InForm { value: self, form }
    }
}

impl fmt::Display for InForm<Step> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |point: Point| point.in_form(self.form);
        match self.value {
            Step::Place(to) => write!(f, "{}", name(to)),
            Step::Move(from, to) => write!(f, "{}-{}", name(from), name(to)),
            Step::Shoot(at) => write!(f, "x{}", name(at)),
        }
    }
}

impl fmt::Display for InForm<Turn> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value.step.in_form(self.form))?;
        self.value.shot.map_or(Ok(()), |at| write!(f, "x{}", at.in_form(self.form)))
    }
}

/// The half-turn with grid names.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.in_form(PointForm::Grid).to_string())
    }
}

/// The turn with grid names.
impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.in_form(PointForm::Grid).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_turn_reads_the_same() {
        let spellings = [
            ("d1-d2xc5", "d1-d2xc5"),
            ("E6-A6xR1", "d1-d2xc5"),
            ("e6-a6xr1", "d1-d2xc5"),
            ("  D1 \u{2013} D2 × C5 ", "d1-d2xc5"),
            ("E6 - A6 X R1", "d1-d2xc5"),
            ("d1d2xc5", "d1-d2xc5"),
            ("E6A6 x R1", "d1-d2xc5"),
            ("7. d1-d2xc5!?", "d1-d2xc5"),
            ("7...d1d2xc5 !", "d1-d2xc5"),
            ("1.d2", "d2"),
            ("A1 – A8 x E1", "b6-b4xa7"),
            ("a1-a4", "a1-a4"),
            ("A4-A7", "f4-b2"),
            ("A4-d7", "a4-d7"),
            ("E3", "g7"),
            ("e3", "e3"),
            ("d2", "d2"),
            ("d2xa7", "d2xa7"),
            ("xb4", "xb4"),
            ("× B4", "xb4"),
            ("xA8", "xb4"),
        ];
        for (text, grid) in spellings {
            assert_eq!(text.parse::<Turn>().map(|turn| turn.to_string()), Ok(grid.to_owned()), "{text}");
        }
    }

    #[test]
    fn bad_turns_name_the_token_and_what_was_expected() {
        let cases = [
            ("", "turn: expected a point, or x and the point of a shot, but the text ends"),
            ("-d2", "turn: expected a point, or x and the point of a shot, found \"-\""),
            ("d2-", "turn: expected the point that the cow goes to, but the text ends"),
            ("d2-x", "turn: expected the point that the cow goes to, found \"x\""),
            ("d2x", "turn: expected the point of the cow that is shot, but the text ends"),
            ("d2 d3", "turn: expected a hyphen, x, or nothing more, found \"d3\""),
            ("d2-d3-d5", "turn: expected x or nothing more, found \"-\""),
            ("d2-d3xa7xa4", "turn: expected nothing more, found \"x\""),
            ("d2d3d5", "there is no point \"d2d3d5\": expected a grid name from a7 to g1 or a ring name from E1 to R8"),
        ];
        for (text, message) in cases {
            assert_eq!(text.parse::<Turn>().unwrap_err().to_string(), message);
        }
        let unknown = "d2-d4".parse::<Turn>().unwrap_err().to_string();
        assert!(unknown.contains("\"d4\"") && unknown.contains("a7 to g1"), "{unknown}");
    }

    #[test]
    fn a_half_turn_is_not_a_whole_turn_with_its_shot() {
        assert_eq!("d6-d5".parse::<Step>().map(|step| step.to_string()), Ok("d6-d5".to_owned()));
        assert_eq!("xb4".parse::<Step>().map(|step| step.to_string()), Ok("xb4".to_owned()));
        assert!("d6-d5xb4".parse::<Step>().is_err());
    }
}
