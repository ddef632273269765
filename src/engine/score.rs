//! [`Score`]: the value of a turn or position for the side to move, exact values and estimates on one scale.

use std::fmt;

use crate::probe::Verdict;
use crate::value::{Plies, Value};

/// A score for the side to move, in hundredths of a cow. The scale has these separate bands:
///
/// | score | means |
/// |---|---|
/// | 32,000 - n | the search has seen the game won at the end of n plies |
/// | 30,000 - n | a table says won, with the next shot or the end in n plies (turns up to the table included) |
/// | 28,988 - n | a table says won with cows still in hand, where plies are not counted; n turns up to the table |
/// | within ±20,000 | the evaluation's guess; 0 is a draw, 1 and -1 one that only the draw counter makes |
///
/// and the same below zero for losses.
///
/// ```
/// use morabase::engine::Score;
/// use morabase::{Plies, Value, Verdict};
/// let score = Score::table(Value::Won(Plies(9)), Verdict::Won);
/// assert_eq!((score.hundredths(), score.to_string().as_str()), (29_991, "cp 29991"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Score(i32);

/// The score of a won game.
pub(super) const END: i32 = 32_000;
/// The score of a table's win, before its plies are subtracted.
pub(super) const TABLE: i32 = 30_000;
/// Scores at least this far from zero are not estimates: they include a number of plies.
pub(super) const DECIDED: i32 = 28_000;
/// Scores at least this far from zero include the plies to the end of the game.
const ENDS: i32 = 31_000;
/// The plies assumed for a win or a loss whose plies are not counted: more than a table counts.
pub(super) const UNCOUNTED: i32 = 2 * Value::MAX_DTC.0 as i32;

/// The largest estimate.
pub(super) const GUESS: i32 = 20_000;

impl Score {
    pub(super) const fn new(raw: i32) -> Self {
        Self(raw)
    }

    /// The score of a table's value; the verdict distinguishes kinds of draws.
    pub const fn table(value: Value, verdict: Verdict) -> Self {
        match value {
            Value::Won(Plies(plies)) => Self(TABLE - plies as i32),
            Value::Lost(Plies(plies)) => Self(plies as i32 - TABLE),
            Value::Winning => Self(TABLE - UNCOUNTED),
            Value::Losing => Self(UNCOUNTED - TABLE),
            Value::Drawn => Self(match verdict {
                Verdict::CursedWin => 1,
                Verdict::BlessedLoss => -1,
                _ => 0,
            }),
        }
    }

    /// The score of a game that ends after this many plies, with a win for the side to move or against it.
    pub const fn end(won: bool, plies: u16) -> Self {
        let score = END - plies as i32;
        Self(if won { score } else { -score })
    }

    /// The score as a number.
    pub const fn hundredths(self) -> i32 {
        self.0
    }

    /// Plies to the end, or to the next shot if a table says so; `None` for estimates and draws.
    pub(super) const fn plies(self) -> Option<i32> {
        match self.0.abs() {
            ENDS.. => Some(END - self.0.abs()),
            DECIDED.. => Some(TABLE - self.0.abs()),
            _ => None,
        }
    }

    /// Whether this is a win or loss that the search or a table has proved.
    pub const fn is_decided(self) -> bool {
        self.0.abs() >= DECIDED
    }

    /// Plies to the end of the game, if the search has seen it: positive if the side to move wins.
    pub const fn plies_to_end(self) -> Option<i32> {
        if self.0.abs() < ENDS { None } else { Some(self.0.signum() * (END - self.0.abs())) }
    }
}

/// The notation of chess programs: `cp 35`, or `mate 3` (in the winner's turns, negative for a loss) if the end of the
/// game has been seen.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.plies_to_end() {
            Some(plies) => write!(f, "mate {}{}", if self.0 < 0 { "-" } else { "" }, (plies.abs() + 1) / 2),
            None => write!(f, "cp {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_do_not_overlap_and_print_what_they_hold() {
        assert_eq!(Score::end(true, 1).to_string(), "mate 1");
        assert_eq!(Score::end(true, 5).to_string(), "mate 3");
        assert_eq!(Score::end(false, 4).to_string(), "mate -2");
        assert_eq!(Score::end(false, 0).to_string(), "mate -0");
        let slowest = Score::table(Value::Won(Value::MAX_DTC), Verdict::Won);
        assert!(slowest.is_decided() && slowest.plies_to_end().is_none());
        let uncounted = Score::table(Value::Winning, Verdict::Won);
        assert_eq!((uncounted.hundredths(), uncounted.is_decided()), (28_988, true));
        assert!(Score::new(GUESS) < uncounted && uncounted < slowest && slowest < Score::end(true, 200));
        assert_eq!(Score::table(Value::Drawn, Verdict::CursedWin).to_string(), "cp 1");
    }
}
