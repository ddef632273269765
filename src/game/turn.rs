//! [`Turn`]: what a player does at one turn, shot included, and [`Step`], its first half.

use crate::board::Point;

/// The first half of a turn, or the second half alone if the position is in the middle of a turn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Step {
    /// A cow from the hand is placed here.
    Place(Point),
    /// A cow moves from the first point to the second.
    Move(Point, Point),
    /// The waiting side's cow here is shot; only if a line was made and the shot is still to come.
    Shoot(Point),
}

/// A turn: a step and, if it completed a line, the cow that is shot.
///
/// In a position in the middle of a turn, the only turns are `Shoot` steps with `shot` empty.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Turn {
    /// The placement, the move, or the outstanding shot.
    pub step: Step,
    /// The waiting side's cow that is shot because a line was completed.
    pub shot: Option<Point>,
}

impl Turn {
    /// A turn without a shot.
    pub const fn quiet(step: Step) -> Self {
        Self { step, shot: None }
    }

    /// Whether a cow of the waiting side leaves the board.
    pub const fn shoots(self) -> bool {
        self.shot.is_some() || matches!(self.step, Step::Shoot(_))
    }
}
