//! [`BlockView`]: the block that a kernel works on.

use crate::board::PointSet;

use super::geometry::Geometry;
use super::isa::Isa;
use super::shape::Shape;

/// One block of a class, with the instructions to work on it.
#[derive(Clone, Copy)]
pub(super) struct BlockView<'a, I> {
    pub(super) isa: I,
    pub(super) shape: &'a Shape,
    pub(super) geometry: &'a Geometry,
    /// The waiting set: the representative of the block's orbit.
    pub(super) waiting: PointSet,
}

impl<I: Isa> BlockView<'_, I> {
    /// An inner set of the mover on the board.
    #[inline(always)]
    pub(super) fn on_board(&self, cows: u32) -> PointSet {
        PointSet::from_bits_truncate(self.isa.spread(cows, self.geometry.free))
    }

    /// The rank of an inner set of the mover, which is its entry in the block.
    #[inline(always)]
    pub(super) fn rank(&self, cows: u32) -> usize {
        self.shape.ranks.rank(cows) as usize
    }
}

/// The turns that an unmove takes back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UnmoveKind {
    /// Turns without a shot.
    Quiet,
    /// Turns that complete a line.
    Shot,
    /// Turns that complete a line and break none.
    FreeShot,
    /// Turns that complete a line and break one, so that a restriction is created.
    BindingShot,
}
