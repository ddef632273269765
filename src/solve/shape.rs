//! What all blocks of a class have in common: sizes, the inner sets in rank order, and where results are told.

use crate::space::subset::{Ranks, binomial, subsets};
use crate::space::{Class, Orbits, Space};

/// A class seen from its waiting side: a block for each orbit of the waiting set, an entry for each set of the mover
/// among the free points. The partner's table has exactly this shape.
pub(crate) struct Shape {
    pub(crate) class: Class,
    /// Blocks: orbits of the waiting set.
    pub(crate) blocks: usize,
    /// Entries of a block.
    pub(crate) entries: usize,
    /// Free points.
    pub(crate) free: usize,
    /// The mover's cows.
    pub(crate) cows: usize,
    /// Every inner set of the mover, in rank order.
    pub(crate) sets: Vec<u32>,
    /// Ranks of inner sets of the mover.
    pub(crate) ranks: &'static Ranks,
    /// Orbits of the waiting set.
    pub(crate) waiting: &'static Orbits,
    /// Orbits of the mover's set, by which the class's own table is laid out.
    pub(crate) mover: &'static Orbits,
    /// Ranks of the waiting set in the class's own table.
    pub(crate) waiting_ranks: &'static Ranks,
    /// The class's positions, in the order of its own table.
    pub(crate) own: Space,
}

impl Shape {
    pub(crate) fn new(space: Space) -> Self {
        let class = space.class();
        let cows = class.mover() as usize;
        let free = space.points_free_of_waiting();
        Self {
            class,
            blocks: Orbits::count_of(space.board(), class.waiting()) as usize,
            entries: binomial(free, cows) as usize,
            free,
            cows,
            sets: subsets(cows, free).collect(),
            ranks: Ranks::of(cows),
            waiting: space.waiting_orbits(),
            mover: space.mover_orbits(),
            waiting_ranks: space.waiting_ranks(),
            own: space,
        }
    }

    /// Words of a bit set over a block's entries.
    pub(crate) fn words(&self) -> usize {
        self.entries.div_ceil(64)
    }

    /// The bits of the last word that stand for entries.
    pub(crate) fn last_word(&self) -> u64 {
        match self.entries % 64 {
            0 => u64::MAX,
            used => (1 << used) - 1,
        }
    }
}
