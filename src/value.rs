//! The value of a position: won, drawn or lost for the side to move, and the distance to the next shot or the end.

use std::cmp::Ordering;
use std::fmt;

/// A number of plies (turns of one player).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Plies(pub u16);

impl fmt::Display for Plies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("1 ply"),
            n => write!(f, "{n} plies"),
        }
    }
}

/// Who wins under best play, from the point of view of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wdl {
    /// The side to move loses.
    Lost,
    /// Neither side can win.
    Drawn,
    /// The side to move wins.
    Won,
}

impl Wdl {
    /// `lost`, `drawn` or `won`, as in the program's JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Drawn => "drawn",
            Self::Won => "won",
        }
    }

    /// The same result seen from the other side.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Lost => Self::Won,
            Self::Drawn => Self::Drawn,
            Self::Won => Self::Lost,
        }
    }
}

impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A position's exact value for the side to move, with its DTC ("depth to conversion"): plies to the next shot or to
/// the end under best play, in which the winner hurries and the loser delays.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// The side to move wins.
    Won(Plies),
    /// The side to move wins; plies are not counted while there are cows in hand, as no placement can be taken back.
    Winning,
    /// Neither side can win.
    Drawn,
    /// The side to move loses; plies are not counted while there are cows in hand.
    Losing,
    /// The side to move loses.
    Lost(Plies),
}

impl Value {
    /// The longest possible DTC. A class has at most 253 decided values ([`Alphabet`](crate::Alphabet)), and every ply
    /// from 1 to the longest decides something in a class or its reverse.
    pub const MAX_DTC: Plies = Plies(506);

    /// Won, drawn or lost.
    pub const fn wdl(self) -> Wdl {
        match self {
            Self::Won(_) | Self::Winning => Wdl::Won,
            Self::Drawn => Wdl::Drawn,
            Self::Losing | Self::Lost(_) => Wdl::Lost,
        }
    }

    /// The value of a position with cows in hand and this result.
    pub const fn uncounted(result: Wdl) -> Self {
        match result {
            Wdl::Won => Self::Winning,
            Wdl::Drawn => Self::Drawn,
            Wdl::Lost => Self::Losing,
        }
    }

    /// Plies to the next shot or the end; `None` for a draw, or if plies are not counted.
    pub const fn dtc(self) -> Option<Plies> {
        match self {
            Self::Won(plies) | Self::Lost(plies) => Some(plies),
            Self::Drawn | Self::Winning | Self::Losing => None,
        }
    }

    /// The value, but a draw if the decision needs more than `left` plies.
    #[must_use]
    pub fn within(self, left: Plies) -> Self {
        match self.dtc() {
            Some(plies) if plies > left => Self::Drawn,
            _ => self,
        }
    }

    fn order(self) -> (Wdl, i32) {
        match self {
            Self::Won(plies) => (Wdl::Won, -i32::from(plies.0)),
            Self::Winning => (Wdl::Won, i32::MIN),
            Self::Drawn => (Wdl::Drawn, 0),
            Self::Losing => (Wdl::Lost, i32::MAX),
            Self::Lost(plies) => (Wdl::Lost, i32::from(plies.0)),
        }
    }
}

/// Greater is better for the side to move: a faster win, a slower loss. A win or loss whose plies are not counted is
/// treated as the slowest.
impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Won(plies) => write!(f, "won in {plies}"),
            Self::Winning => f.write_str("won"),
            Self::Losing => f.write_str("lost"),
            Self::Drawn => f.write_str("drawn"),
            Self::Lost(plies) => write!(f, "lost in {plies}"),
        }
    }
}

/// How many positions are won, drawn and lost for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Won positions.
    pub won: u64,
    /// Drawn positions.
    pub drawn: u64,
    /// Lost positions.
    pub lost: u64,
}

impl Counts {
    /// All positions.
    pub const fn total(&self) -> u64 {
        self.won.saturating_add(self.drawn).saturating_add(self.lost)
    }

    /// The number of positions with this result.
    pub const fn of(&self, result: Wdl) -> u64 {
        match result {
            Wdl::Won => self.won,
            Wdl::Drawn => self.drawn,
            Wdl::Lost => self.lost,
        }
    }

    /// Adds `positions` with this result.
    pub(crate) const fn add(&mut self, result: Wdl, positions: u64) {
        let count = match result {
            Wdl::Won => &mut self.won,
            Wdl::Drawn => &mut self.drawn,
            Wdl::Lost => &mut self.lost,
        };
        *count = count.saturating_add(positions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_faster_win_and_a_slower_loss_are_better() {
        let order =
            [Value::Lost(Plies(0)), Value::Lost(Plies(4)), Value::Drawn, Value::Won(Plies(9)), Value::Won(Plies(1))];
        assert!(order.is_sorted());
        let without_plies = [Value::Losing, Value::Drawn, Value::Winning];
        assert!(without_plies.is_sorted());
        for value in without_plies {
            assert_eq!((Value::uncounted(value.wdl()), value.dtc()), (value, None));
        }
    }

    #[test]
    fn a_decision_beyond_the_counter_is_a_draw() {
        assert_eq!(Value::Won(Plies(7)).within(Plies(6)), Value::Drawn);
        assert_eq!(Value::Lost(Plies(6)).within(Plies(6)), Value::Lost(Plies(6)));
    }
}
