//! Helpers that the readers share: plain numbers, and the check of a position that was read.

use crate::rules::RuleSet;

use super::super::{Position, PositionError};
use super::error::NotationError;

impl Position {
    /// The position as the rules see it: without restrictions that bar nothing.
    pub(super) fn settled(self, rules: &RuleSet) -> Result<Self, PositionError> {
        Ok(self.check(rules)?.without_moot_remakes(rules))
    }
}

/// The text without the byte order mark that some programs put at its start.
///
/// # Errors
/// [`NotationError::Wide`] if it was written as UTF-16, in which plain letters are paired with a zero byte.
pub(super) fn without_mark<'a>(what: &'static str, text: &'a str) -> Result<&'a str, NotationError> {
    if text.contains('\0') {
        return Err(NotationError::Wide { text: what });
    }
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// A number of plain digits, without sign or spaces.
pub(super) fn parse_number<T: std::str::FromStr>(text: &str) -> Option<T> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}
