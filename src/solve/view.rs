//! [`BlockView`]: the block that a kernel works on.

use crate::board::PointSet;

use super::bits::each_point;
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

    /// Whether an inner set of the mover has any move, along edges or, if it does not walk, flying.
    #[inline(always)]
    pub(super) fn can_move(&self, walks: bool, cows: u32) -> bool {
        let mut reached = 0;
        each_point(cows, |from| reached |= self.geometry.neighbours[from]);
        if walks { reached & !cows != 0 } else { self.shape.free > self.shape.cows }
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

/// Calls `f`, perhaps more than once, with each position from which a turn of this kind along an edge leads into
/// `targets`.
#[inline(always)]
pub(super) fn each_predecessor<I: Isa>(
    view: BlockView<'_, I>,
    kind: UnmoveKind,
    targets: &[u64],
    mut f: impl FnMut(usize),
) {
    // Loops, not nested closures: those might not be inlined and would then not be compiled for the caller's
    // instructions.
    let geometry = view.geometry;
    for (chunk, &word) in view.shape.sets.chunks(64).zip(targets) {
        let mut entries = word;
        while entries != 0 {
            let cows = chunk[entries.trailing_zeros() as usize];
            entries &= entries - 1;
            let mut moved = cows;
            while moved != 0 {
                let to = moved.trailing_zeros() as usize;
                moved &= moved - 1;
                let rest = cows & !(1 << to);
                let mut origins = geometry.neighbours[to] & !cows;
                if origins == 0 || geometry.completes_line(rest, to) == (kind == UnmoveKind::Quiet) {
                    continue;
                }
                while origins != 0 {
                    let from = origins.trailing_zeros() as usize;
                    origins &= origins - 1;
                    let is_of_kind = match kind {
                        UnmoveKind::Quiet | UnmoveKind::Shot => true,
                        UnmoveKind::FreeShot => !geometry.breaks_line(rest, from, to),
                        UnmoveKind::BindingShot => geometry.breaks_line(rest, from, to),
                    };
                    if is_of_kind {
                        f(view.rank(rest | 1 << from));
                    }
                }
            }
        }
    }
}
