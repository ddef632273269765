//! [`RestrictedPosition`]: two sets of cows and the restrictions of both sides.

use crate::board::PointSet;
use crate::game::Remake;
use crate::space::Class;

/// A moving-phase position with no-remake restrictions, the draw counter at zero, from the mover's side.
#[derive(Clone, Copy, Debug)]
pub struct RestrictedPosition {
    /// The mover's cows.
    pub mover: PointSet,
    /// The waiting side's cows.
    pub waiting: PointSet,
    /// The mover's restriction, binding on this turn.
    pub mover_remake: Option<Remake>,
    /// The waiting side's restriction, binding on its next turn.
    pub waiting_remake: Option<Remake>,
}

impl RestrictedPosition {
    /// The class. A restriction is created by a move, so both hands are empty.
    pub(super) const fn class(&self) -> Class {
        Class::of_sets(self.mover, self.waiting)
    }

    /// The position after a move that makes the mover's set `moved` and shoots nothing.
    pub(super) const fn after_move(&self, moved: PointSet) -> Self {
        Self { mover: self.waiting, waiting: moved, mover_remake: self.waiting_remake, waiting_remake: None }
    }
}
