//! [`DenseUnplace`]: takes back one placement for all positions of a block at once.
//!
//! As an unmove ([`DenseUnmove`](super::dense)), but simpler: a placement leads to sets with one cow more, and taking it back takes
//! a point out of them. Sets with one cow more are a block of the class after a quiet turn.

use super::dense::{Condition, Corners, INNER, NONE, WordMask, drop_point, read_words, sized_words, write_words};
use super::view::BlockView;
use super::{geometry::Geometry, isa::Isa};

/// The placements that are taken back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UnplaceKind {
    /// Every placement: a completed line shoots nothing where the opponent has no cow on the board.
    Any,
    /// Placements that complete no line.
    Quiet,
    /// Placements that complete a line.
    Shot,
}

/// Working memory of dense unplacements in blocks of one shape.
pub(super) struct DenseUnplace {
    /// The positions that placements lead to.
    targets: Vec<Corners>,
    /// The positions that placements start from.
    origins: Vec<Corners>,
    /// The words of the cube that hold sets after a placement, and before.
    target_words: Vec<WordMask>,
    origin_words: Vec<WordMask>,
    /// The cows before the placement: no vector whose number has more bits holds such a set.
    cows: u32,
}

impl DenseUnplace {
    /// For sets of `cows` cows before the placement among `free` points.
    pub(super) fn new(free: usize, cows: usize) -> Self {
        let vectors = 1usize << (free - INNER);
        Self {
            targets: vec![NONE; vectors],
            origins: vec![NONE; vectors],
            target_words: sized_words(vectors, cows + 1),
            origin_words: sized_words(vectors, cows),
            cows: cows as u32,
        }
    }

    /// Forgets all positions that placements start from.
    pub(super) fn clear(&mut self) {
        self.origins.fill(NONE);
    }

    /// Adds the positions from which a placement of this kind leads into `targets`, bits by the rank of the sets with one cow more.
    #[inline(always)]
    pub(super) fn add_predecessors<I: Isa>(&mut self, view: BlockView<'_, I>, kind: UnplaceKind, targets: &[u64]) {
        read_words(view.isa, &self.target_words, targets, &mut self.targets);
        for point in 0..view.shape.free {
            self.unplace(view.geometry, point, kind);
        }
    }

    /// Takes back all placements on one point.
    #[inline(always)]
    fn unplace(&mut self, geometry: &Geometry, point: usize, kind: UnplaceKind) {
        let Self { targets, origins, cows, .. } = self;
        let completing = Condition::new(geometry.partners[point]);
        match kind {
            UnplaceKind::Shot if completing.is_empty() => {}
            UnplaceKind::Shot => drop_point(targets, origins, point, *cows, |at, set| set.and(completing.met(at))),
            UnplaceKind::Quiet if !completing.is_empty() => {
                drop_point(targets, origins, point, *cows, |at, set| set.and_not(completing.met(at)));
            }
            UnplaceKind::Any | UnplaceKind::Quiet => drop_point(targets, origins, point, *cows, |_, set| set),
        }
    }

    /// The positions added since [`clear`](Self::clear), as bits in rank order.
    #[inline(always)]
    pub(super) fn predecessors<I: Isa>(&self, isa: I, predecessors: &mut [u64]) {
        write_words(isa, &self.origin_words, &self.origins, predecessors);
    }
}
