//! Texts for points, turns, positions and games, each with a reader and a printer that are inverse to each other.
//!
//! One file per format: [`Point`](crate::Point) names, [`Turn`](crate::Turn)s and half-turns, the short form for people
//! (`W:Wa7,d7,g7:Bb6,d6,c5`), the 17-field FEN, and the record of a game. `docs/notation.md` describes them for users.
//!
//! Points have two names, and six texts (`a1 a4 a7 e3 e4 e5`) name a point either way. One rule settles them:
//!
//! 1. a name with one meaning has that meaning;
//! 2. an ambiguous name takes the form that the rest of the same text gives evidence for: if some name in it exists in
//!    one form only and none exists in the other form only, the whole text is in that form;
//! 3. failing that, its letter decides: a capital is a ring name (`A1` is b6), a small letter is a grid name.
//!
//! "The same text" is the whole turn, the whole position or the whole record. Printers write grid names small and ring
//! names in capitals, so whatever they print reads back the same.

mod fen;
mod points;
mod record;
mod short_form;
#[cfg(test)]
mod tests;
mod turns;

use std::fmt;

pub use fen::{Fen, FenDialect};
pub use points::PointForm;
pub use record::{Record, RecordError};

use crate::rules::{NoRemake, RuleSet};

use super::{Position, PositionError};

/// A text that cannot be read: which token is wrong and what was expected in its place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotationError {
    /// A name that no point has in either form.
    #[error("there is no point {found:?}: expected a grid name from a7 to g1 or a ring name from E1 to R8")]
    UnknownPoint {
        /// The name that was given.
        found: String,
    },
    /// A token that does not belong where it stands.
    #[error("{text}: expected {expected}, found {found:?}")]
    Unexpected {
        /// What was being read.
        text: &'static str,
        /// What would fit.
        expected: &'static str,
        /// The token.
        found: String,
    },
    /// The text ends where more was expected.
    #[error("{text}: expected {expected}, but the text ends")]
    TooShort {
        /// What was being read.
        text: &'static str,
        /// What was missing.
        expected: &'static str,
    },
    /// A field of a FEN that cannot be read or contradicts another.
    #[error("FEN field {number} ({name}): expected {expected}, found {found:?}")]
    FenField {
        /// The field's place, 1 to 17.
        number: usize,
        /// What the field holds.
        name: &'static str,
        /// What would fit.
        expected: String,
        /// The field.
        found: String,
    },
    /// A FEN with too many or too few fields.
    #[error("FEN: expected 17 fields with spaces between them, and perhaps ids:nodes after them, found {found} fields")]
    FenLength {
        /// The number of fields.
        found: usize,
    },
    /// The text is well formed but the position cannot occur.
    #[error(transparent)]
    Position(#[from] PositionError),
}

/// Something to be printed with its points named in one [`PointForm`].
///
/// ```
/// use morabase::{PointForm, Turn};
/// let turn: Turn = "d1-d2xc5".parse()?;
/// assert_eq!(turn.in_form(PointForm::Gar).to_string(), "E6-A6xR1");
/// assert_eq!(turn.to_string(), "d1-d2xc5");
/// # Ok::<(), morabase::NotationError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InForm<T> {
    pub(super) value: T,
    pub(super) form: PointForm,
}

impl Position {
    /// Reads a position in either format, the short form or the FEN, and checks it against the rules.
    ///
    /// ```
    /// use morabase::{Position, Preset};
    /// let rules = Preset::Gar.rules();
    /// let short = Position::from_notation("W:Wa4,d6,d5:Ba7,g4,b4,c4:C19", &rules)?;
    /// let fen = "O*****@*/O*****@*/**@***O@ w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 19 32 ids:nodes";
    /// assert_eq!(Position::from_notation(fen, &rules)?, short);
    /// # Ok::<(), morabase::NotationError>(())
    /// ```
    ///
    /// # Errors
    /// [`NotationError`] naming the token at fault, or what makes the position impossible.
    pub fn from_notation(text: &str, rules: &RuleSet) -> Result<Self, NotationError> {
        Fen::from_notation(text, rules).map(|fen| fen.position)
    }

    /// The position as the rules know it: restrictions that bar nothing are no part of it.
    fn settled(self, rules: &RuleSet) -> Result<Self, PositionError> {
        let mut position = self.check(rules)?.without_moot_remakes(rules.board());
        if rules.no_remake == NoRemake::None {
            position.remakes = [None; 2];
        }
        Ok(position)
    }
}

impl Fen {
    /// Reads a position in either format, as [`Position::from_notation`] does; in short form the move number is 1.
    ///
    /// # Errors
    /// [`NotationError`] naming the token at fault, or what makes the position impossible.
    pub fn from_notation(text: &str, rules: &RuleSet) -> Result<Self, NotationError> {
        if text.contains(['/', '*', '@']) {
            Self::parse(text, rules)
        } else if text.contains(':') {
            short_form::parse(text, rules).map(|position| Self { position, move_number: 1 })
        } else {
            Err(unexpected("position", "a short form such as W:Wa7,d7,g7:Bb6,d6,c5 or a FEN of 17 fields", text))
        }
    }
}

/// The short form with grid names.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.in_form(PointForm::Grid).fmt(f)
    }
}

fn unexpected(text: &'static str, expected: &'static str, found: &str) -> NotationError {
    NotationError::Unexpected { text, expected, found: clip(found) }
}

/// A token as error messages show it: whole, unless somebody passed a novel.
fn clip(token: &str) -> String {
    const MOST: usize = 80;
    let mut clipped: String = token.chars().take(MOST).collect();
    if clipped.len() < token.len() {
        clipped.push('…');
    }
    clipped
}

/// A number of plain digits, without sign or spaces.
fn parse_number<T: std::str::FromStr>(text: &str) -> Option<T> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}
