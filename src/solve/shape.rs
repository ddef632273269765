//! What all blocks of a class have in common: sizes, the inner sets in rank order, and the layout of the class's own
//! table.

use crate::space::subset::{Ranks, binomial, subsets};
use crate::space::{Class, Orbits, Space};

/// A class seen from its waiting side: a block for each orbit of the waiting set, an entry for each set of the mover
/// among the free points. The table of the reverse class has exactly this shape.
pub(super) struct Shape {
    pub(super) class: Class,
    /// The number of blocks: orbits of the waiting set.
    pub(super) blocks: usize,
    /// The number of entries of a block.
    pub(super) entries: usize,
    /// The number of free points.
    pub(super) free: usize,
    /// The number of the mover's cows.
    pub(super) cows: usize,
    /// Every inner set of the mover, in rank order.
    pub(super) sets: Vec<u32>,
    /// A bit for each entry, all set.
    pub(super) all: Vec<u64>,
    /// Ranks of inner sets of the mover.
    pub(super) ranks: &'static Ranks,
    /// Orbits of the waiting set.
    pub(super) waiting: &'static Orbits,
    /// Orbits of the mover's set, by which the class's own table is laid out.
    pub(super) mover: &'static Orbits,
    /// Ranks of the waiting set in the class's own table.
    pub(super) waiting_ranks: &'static Ranks,
    /// The class's positions, in the order of its own table.
    pub(super) own: Space,
}

impl Shape {
    pub(super) fn new(space: Space) -> Self {
        let class = space.class();
        let cows = class.mover() as usize;
        let free = space.points_free_of_waiting();
        let entries = binomial(free, cows) as usize;
        let mut all = vec![u64::MAX; entries.div_ceil(64)];
        if let (Some(last), used @ 1..) = (all.last_mut(), entries % 64) {
            *last = (1 << used) - 1;
        }
        Self {
            class,
            blocks: Orbits::count_of(space.board(), class.waiting()) as usize,
            entries,
            free,
            cows,
            sets: subsets(cows, free).collect(),
            all,
            ranks: Ranks::of(cows),
            waiting: space.waiting_orbits(),
            mover: space.mover_orbits(),
            waiting_ranks: space.waiting_ranks(),
            own: space,
        }
    }

    /// The number of words of a bit set over a block's entries.
    pub(super) fn words(&self) -> usize {
        self.all.len()
    }
}
