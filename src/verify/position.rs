//! Converts an entry to its position, in the form that the walks and the sample report.

use crate::board::PointSet;
use crate::game::{Position, Side};
use crate::space::{Class, Entry, Space};

/// The position of an entry, including cows in hand, with the first player to move.
pub(super) fn position_of(space: Space, entry: Entry) -> Option<Position> {
    let (mover, waiting) = space.position(entry)?;
    Some(position_with(space.class(), [mover, waiting]))
}

/// The position of a class with these cows of the mover and of the waiting side on the board, the first player to move.
pub(super) const fn position_with(class: Class, sets: [PointSet; 2]) -> Position {
    Position { hands: [class.mover_hand(), class.waiting_hand()], ..Position::moving(sets, Side::First) }
}
