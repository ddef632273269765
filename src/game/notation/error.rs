//! [`NotationError`]: what is wrong with a text, and the offending tokens.

use super::super::PositionError;
use crate::token::{clip, look_alike};

/// A text that cannot be read: which token is wrong and what was expected instead.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    /// A name that denotes no point in either form.
    #[error("there is no point {found:?}{}: expected a grid name from a7 to g1 or a ring name from E1 to R8", look_alike(.found))]
    UnknownPoint {
        /// The name that was given.
        found: String,
    },
    /// A token that is not allowed in this place.
    #[error("{text}: expected {expected}, found {found:?}{}", look_alike(.found))]
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
    #[error("FEN field {number} ({name}): expected {expected}, found {found:?}{}", look_alike(.found))]
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
    /// The text has a zero byte after every letter.
    #[error("{text}: the text looks like UTF-16: expected UTF-8")]
    Wide {
        /// What was being read.
        text: &'static str,
    },
    /// The text is well formed, but the position cannot occur.
    #[error(transparent)]
    Position(#[from] PositionError),
}

debug_is_display!(NotationError);

pub(super) fn unexpected(text: &'static str, expected: &'static str, found: &str) -> NotationError {
    NotationError::Unexpected { text, expected, found: clip(found) }
}
