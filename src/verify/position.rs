//! From an entry to its position, as the walk and the sample both name it.

use crate::game::{Position, Side};
use crate::space::{Entry, Space};

/// The position of an entry, the first player to move.
pub(super) fn position_of(space: Space, entry: Entry) -> Option<Position> {
    let (mover, waiting) = space.position(entry)?;
    Some(Position::moving([mover, waiting], Side::First))
}
