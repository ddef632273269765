//! Texts for points, turns, positions and games, each with a reader and a printer that are inverse to each other.
//!
//! There is one file per format: [`Point`](crate::Point) names, [`Turn`](crate::Turn)s and half-turns, the short form
//! for people (`W:Wa7,d7,g7:Bb6,d6,c5`), the 17-field FEN, and the record of a game. `docs/notation.md` describes them
//! for users.
//!
//! Points have two names, and six texts (`a1 a4 a7 e3 e4 e5`) are names in both forms. These rules decide which is
//! meant:
//!
//! 1. a name with one meaning has that meaning;
//! 2. an ambiguous name takes the form that the rest of the same text gives evidence for: if some name in it exists in
//!    one form only and none exists in the other form only, the whole text is in that form;
//! 3. otherwise its letter decides: a capital is a ring name (`A1` is b6), a small letter is a grid name.
//!
//! "The same text" is the whole turn, the whole position or the whole record. Printers write grid names small and ring
//! names in capitals, so their output always reads back the same.

mod error;
mod fen;
mod game_text;
mod points;
mod reading;
mod record;
mod short_form;
#[cfg(test)]
mod tests;
mod turns;
mod written;

use std::fmt;

pub use error::NotationError;
pub use fen::{Fen, FenDialect};
pub use points::{InForm, PointForm};
pub use record::{Record, RecordError};

use crate::rules::RuleSet;

use super::Position;
use error::unexpected;

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
}

impl Fen {
    /// Reads a position in either format, as [`Position::from_notation`] does; in short form the move number is 1.
    ///
    /// # Errors
    /// [`NotationError`] naming the token at fault, or what makes the position impossible.
    pub fn from_notation(text: &str, rules: &RuleSet) -> Result<Self, NotationError> {
        let text = reading::without_mark("position", text)?;
        if text.bytes().any(|byte| matches!(byte, b'/' | b'*' | b'@')) {
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
