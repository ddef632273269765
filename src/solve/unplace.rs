//! [`DenseUnplace`]: takes back one placement for all positions of a block at once.
//!
//! Like an unmove ([`DenseUnmove`](super::dense)), but simpler: a placement leads to sets with one more cow, and taking
//! it back removes a point from them. Sets with one more cow are a block of the class after a quiet turn.

use super::dense::{
    Condition, Corners, INNER, NONE, SizedVectors, WordMask, drop_point, find_lines, read_words, sized_words,
    write_words,
};
use super::geometry::Geometry;
use super::isa::Isa;
use super::view::BlockView;

/// Working memory of dense unplacements in blocks of one shape.
pub(super) struct DenseUnplace {
    /// The positions that quiet placements lead to.
    quiet: Vec<Corners>,
    /// The positions that placements with a shot lead to.
    shots: Vec<Corners>,
    /// The positions that placements start from.
    origins: Vec<Corners>,
    /// The words of the cube that hold sets after a placement, and before.
    target_words: Vec<WordMask>,
    origin_words: Vec<WordMask>,
    /// The vectors that hold sets before the placement.
    origin_vectors: SizedVectors,
}

impl DenseUnplace {
    /// For sets of `cows` cows before the placement among `free` points.
    pub(super) fn new(free: usize, cows: usize) -> Self {
        let vectors = 1usize << (free - INNER);
        Self {
            quiet: vec![NONE; vectors],
            shots: vec![NONE; vectors],
            origins: vec![NONE; vectors],
            target_words: sized_words(vectors, cows + 1),
            origin_words: sized_words(vectors, cows),
            origin_vectors: SizedVectors::new(vectors, cows),
        }
    }

    /// The sets after a placement that hold one of the block's lines, as bits in rank order.
    #[inline(always)]
    pub(super) fn with_line<I: Isa>(&mut self, view: BlockView<'_, I>, holding: &mut [u64]) {
        find_lines(view.geometry, &mut self.origins);
        write_words(view.isa, &self.target_words, &self.origins, holding);
    }

    /// The positions from which a placement that completes no line leads into `quiet`, or one that completes a line
    /// into `shots`. All sets are bits in rank order; those after a placement have one more cow.
    #[inline(always)]
    pub(super) fn predecessors<I: Isa>(
        &mut self,
        view: BlockView<'_, I>,
        quiet: &[u64],
        shots: Option<&[u64]>,
        predecessors: &mut [u64],
    ) {
        read_words(view.isa, &self.target_words, quiet, &mut self.quiet);
        if let Some(shots) = shots {
            read_words(view.isa, &self.target_words, shots, &mut self.shots);
        }
        self.origins.fill(NONE);
        for point in 0..view.shape.free {
            self.unplace(view.geometry, point, shots.is_some());
        }
        write_words(view.isa, &self.origin_words, &self.origins, predecessors);
    }

    /// Takes back all placements on one point.
    #[inline(always)]
    fn unplace(&mut self, geometry: &Geometry, point: usize, shoots: bool) {
        let Self { quiet, shots, origins, origin_vectors, .. } = self;
        let completing = Condition::new(geometry.partners[point]);
        if completing.is_empty() {
            drop_point(quiet, origins, point, origin_vectors, |_, set| set);
        } else if shoots {
            drop_point(quiet, origins, point, origin_vectors, |at, set| {
                let met = completing.met(at);
                set.and_not(met).or(shots[at].and(met))
            });
        } else {
            drop_point(quiet, origins, point, origin_vectors, |at, set| set.and_not(completing.met(at)));
        }
    }
}
