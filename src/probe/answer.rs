//! The answers of a probe: values as types, turns with their values, and lines.

use crate::game::{Outcome, Position, Turn};
use crate::space::Class;
use crate::value::{Plies, Value, Wdl};

/// Won, drawn or lost, with the draws that only the draw counter makes told apart: for play against fallible opponents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// The side to move loses.
    Lost,
    /// Lost with the counter at zero, but the counter runs out first: a draw.
    BlessedLoss,
    /// Drawn, whatever the state of the counter.
    Drawn,
    /// Won with the counter at zero, but the counter runs out first: a draw.
    CursedWin,
    /// The side to move wins.
    Won,
}

impl Verdict {
    /// The verdict on `value`, given the value `at_zero` that the position would have with the counter at zero.
    pub(crate) const fn new(value: Value, at_zero: Value) -> Self {
        match (value, at_zero) {
            (Value::Won(_) | Value::Winning, _) => Self::Won,
            (Value::Lost(_) | Value::Losing, _) => Self::Lost,
            (Value::Drawn, Value::Won(_) | Value::Winning) => Self::CursedWin,
            (Value::Drawn, Value::Lost(_) | Value::Losing) => Self::BlessedLoss,
            (Value::Drawn, Value::Drawn) => Self::Drawn,
        }
    }

    /// The result under best play.
    pub const fn wdl(self) -> Wdl {
        match self {
            Self::Won => Wdl::Won,
            Self::Lost => Wdl::Lost,
            _ => Wdl::Drawn,
        }
    }

    /// `won`, `cursed-win`, `drawn`, `blessed-loss` or `lost`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::CursedWin => "cursed-win",
            Self::Drawn => "drawn",
            Self::BlessedLoss => "blessed-loss",
            Self::Lost => "lost",
        }
    }

    /// The same verdict seen from the other side.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Won => Self::Lost,
            Self::CursedWin => Self::BlessedLoss,
            Self::Drawn => Self::Drawn,
            Self::BlessedLoss => Self::CursedWin,
            Self::Lost => Self::Won,
        }
    }
}

/// The exact value of a position, for the side to move.
///
/// The distance (DTC) counts plies to the next shot or the end of the game. A finished game is at distance 0, won or
/// lost. A position in the middle of a turn counts the outstanding shot as one ply, since the turn is not over: it is
/// won or lost in 1, or drawn. While there are cows in hand, plies are not counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Probe {
    /// The value, with the draw counter and all restrictions as they are.
    pub value: Value,
    /// The value if the draw counter were at zero. It differs from `value` only if that is a draw.
    pub at_zero: Value,
    /// The value with the counter at zero and without no-remake restrictions; the same as `at_zero` unless one matters.
    pub unrestricted: Value,
    /// The class of the position, cows in hand included; none with fewer than three cows on a side.
    pub class: Option<Class>,
    /// How the game has ended, if it has.
    pub outcome: Option<Outcome>,
}

impl Probe {
    /// The answer if neither counter nor restriction changes anything and the game goes on.
    pub(super) const fn of(value: Value, class: Option<Class>) -> Self {
        Self { value, at_zero: value, unrestricted: value, class, outcome: None }
    }

    /// Won, drawn or lost, with draws that the counter makes told apart.
    pub const fn verdict(&self) -> Verdict {
        Verdict::new(self.value, self.at_zero)
    }

    /// Whether the draw counter, in its present state, turns a decision into a draw.
    pub fn counter_matters(&self) -> bool {
        self.value != self.at_zero
    }

    /// Whether a no-remake restriction changes the value or its distance.
    pub fn restriction_matters(&self) -> bool {
        self.at_zero != self.unrestricted
    }
}

/// A legal turn and what it is worth to the side that makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankedTurn {
    /// The turn.
    pub turn: Turn,
    /// The value for the side that makes the turn. The distance includes this turn, and is 1 for a shot; there is none
    /// if there were cows in hand before the turn.
    pub value: Value,
    /// The same, with draws that the counter makes told apart.
    pub verdict: Verdict,
    /// The position it leads to.
    pub after: Position,
    /// The answer on that position, for the other side.
    pub reply: Probe,
}

impl RankedTurn {
    /// A turn from the answer on the position after it. Plies are counted if it is a turn of the moving phase.
    pub(super) fn new(turn: Turn, after: Position, reply: Probe, counted: bool) -> Self {
        let shot = turn.shoots();
        let values = [reply.value, reply.at_zero].map(|after| before(after, shot));
        let [value, at_zero] = values.map(|value| if counted { value } else { Value::uncounted(value.wdl()) });
        Self { turn, value, verdict: Verdict::new(value, at_zero), after, reply }
    }

    /// The rank of a turn of a position with cows in hand, greater for the better: its value, then, unless it loses,
    /// whether it ends the game and whether it shoots.
    pub(super) fn placing_rank(&self) -> impl Ord + use<> {
        let holds = self.value != Value::Losing;
        (self.value, self.verdict, holds && self.reply.outcome.is_some(), holds && self.turn.shoots())
    }

    /// Best first: the better value. Among equals, a turn that ends the game comes first, then the shot into the
    /// opponent's quicker loss or slower win. Turns that are still equal keep their order.
    pub(super) fn rank(&self, other: &Self) -> std::cmp::Ordering {
        let key = |turn: &Self| (turn.value, turn.verdict, turn.reply.outcome.is_some());
        let reply = |turn: &Self| (turn.reply.value, turn.reply.at_zero);
        key(other).cmp(&key(self)).then_with(|| reply(self).cmp(&reply(other)))
    }
}

/// The value of a turn for the side that makes it, from the value of the position after it.
pub(crate) const fn before(after: Value, shot: bool) -> Value {
    match after {
        Value::Drawn => Value::Drawn,
        Value::Losing => Value::Winning,
        Value::Winning => Value::Losing,
        Value::Lost(_) if shot => Value::Won(Plies(1)),
        Value::Won(_) if shot => Value::Lost(Plies(1)),
        Value::Lost(Plies(n)) => Value::Won(Plies(n.saturating_add(1))),
        Value::Won(Plies(n)) => Value::Lost(Plies(n.saturating_add(1))),
    }
}

/// Best play for both sides from a position on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The answer on the position the line starts from.
    pub start: Probe,
    /// The turns, each the best of its position.
    pub turns: Vec<RankedTurn>,
    /// Why the line stops.
    pub end: LineEnd,
}

/// Why a [`Line`] stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEnd {
    /// The game is over.
    Over(Outcome),
    /// Neither side can win from here.
    Drawn,
}
