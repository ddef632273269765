//! [`Layout`]: where each position of a class stands in the class's table.
//!
//! A table is a sequence of blocks, one for each orbit of the mover's set. Inside a block the positions are ordered by
//! the rank of the waiting side's set among the points that the block's representative leaves free. So everything the
//! mover's answer to a quiet turn can lead to stands in one block, and so does everything the waiting side could
//! have done last.

use crate::board::{Point, PointSet, SYMMETRIES, Symmetry};

use super::class::Class;
use super::orbits::{HAS_TWINS, Orbits};
use super::subset::{Images, Ranks, binomial, gather, spread, subsets, unrank};

/// The place of an entry: the number of its block and its number within the block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Entry {
    /// Block: the orbit of the mover's set.
    pub block: u32,
    /// Entry within the block: the rank of the waiting side's set.
    pub rank: u32,
}

/// The order of a class's positions in its table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    class: Class,
}

impl Layout {
    /// The layout of a class.
    pub const fn new(class: Class) -> Self {
        Self { class }
    }

    /// The class.
    pub const fn class(self) -> Class {
        self.class
    }

    /// Number of blocks: orbits of the mover's set.
    pub const fn blocks(self) -> u32 {
        Orbits::count_of(self.class.own())
    }

    /// Entries in each block.
    pub fn block_entries(self) -> u32 {
        binomial(self.free_points(), self.class.opponent() as usize)
    }

    /// Entries in the table. Positions that a symmetry maps to themselves or to each other within a block ("twins")
    /// are counted each.
    pub fn entries(self) -> u64 {
        u64::from(self.blocks()) * u64::from(self.block_entries())
    }

    /// Positions that differ under the sixteen symmetries: [`entries`](Self::entries) with twins counted once.
    pub fn positions(self) -> u64 {
        let (own, opponent) = (self.class.own() as usize, self.class.opponent() as usize);
        // Burnside's lemma: as many as a symmetry fixes on average.
        let fixed: u64 = Symmetry::all().map(|symmetry| fixed_positions(symmetry, own, opponent)).sum();
        fixed / SYMMETRIES as u64
    }

    /// Points that the mover leaves free.
    pub(crate) const fn free_points(self) -> usize {
        24 - self.class.own() as usize
    }

    /// The entry of the position with these sets, which must be disjoint and as large as the class says.
    pub fn entry(self, mover: PointSet, waiting: PointSet) -> Entry {
        debug_assert_eq!((mover.len(), waiting.len()), (self.class.own(), self.class.opponent()));
        let orbits = Orbits::of(self.class.own());
        let (block, symmetry) = orbits.place(mover);
        let free = orbits.complement_word(block) & !HAS_TWINS;
        let inside = gather(symmetry.apply(waiting).bits(), free);
        Entry { block, rank: Ranks::of(self.class.opponent() as usize).rank(inside) }
    }

    /// The sets (mover's, waiting side's) of an entry, if there is such an entry.
    pub fn position(self, entry: Entry) -> Option<(PointSet, PointSet)> {
        if entry.block >= self.blocks() || entry.rank >= self.block_entries() {
            return None;
        }
        let mover = Orbits::of(self.class.own()).representative(entry.block);
        let inside = unrank(entry.rank, self.class.opponent() as usize, self.free_points());
        Some((mover, PointSet::from_bits_truncate(spread(inside, mover.complement().bits()))))
    }

    /// Whether the entry is the first of its twins, so that counting such entries counts orbits of positions.
    pub fn is_canonical(self, entry: Entry) -> bool {
        let orbits = Orbits::of(self.class.own());
        if orbits.complement_word(entry.block) & HAS_TWINS == 0 {
            return true;
        }
        let Some((_, waiting)) = self.position(entry) else { return false };
        // Ranks grow with the bits, so the first twin is the one whose waiting set is smallest.
        orbits.stabiliser(entry.block).all(|symmetry: Symmetry| symmetry.apply(waiting) >= waiting)
    }

    /// [`is_canonical`](Self::is_canonical) for all entries of a block, by rank.
    pub(crate) fn canonical_ranks(self, block: u32) -> impl Iterator<Item = bool> {
        let orbits = Orbits::of(self.class.own());
        let free = orbits.complement_word(block) & !HAS_TWINS;
        let inner_points = PointSet::from_bits_truncate(free);
        let images = |symmetry: Symmetry| {
            Images::new(inner_points.iter().map(move |point| gather(symmetry.apply_bits(point.set().bits()), free)))
        };
        let fixing: Vec<Images> = orbits.stabiliser(block).filter(|it| *it != Symmetry::IDENTITY).map(images).collect();
        // Places are numbered in the order of their points, so their sets compare as the points' do.
        let sets = subsets(self.class.opponent() as usize, self.free_points());
        sets.map(move |set| fixing.iter().all(|images| images.of(set) >= set))
    }
}

/// How many positions of `own` against `opponent` cows a symmetry leaves as they are: those in which each of its cycles
/// of points is all the mover's, all the other side's or all empty.
fn fixed_positions(symmetry: Symmetry, own: usize, opponent: usize) -> u64 {
    let mut seen = PointSet::EMPTY;
    // By cows of both sides: the ways to fill the cycles so far.
    let mut ways = vec![vec![0u64; opponent + 1]; own + 1];
    ways[0][0] = 1;
    for start in Point::all() {
        if seen.contains(start) {
            continue;
        }
        let mut cycle = PointSet::EMPTY;
        let mut point = start;
        while !cycle.contains(point) {
            cycle = cycle.with(point);
            point = symmetry.apply_point(point);
        }
        seen = seen.union(cycle);
        let length = cycle.len() as usize;
        for a in (0..=own).rev() {
            for b in (0..=opponent).rev() {
                let mover = if a >= length { ways[a - length][b] } else { 0 };
                let other = if b >= length { ways[a][b - length] } else { 0 };
                ways[a][b] += mover + other;
            }
        }
    }
    ways[own][opponent]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn all_moving_classes_have_the_known_number_of_entries() {
        let entries: u64 = Class::all(12).into_iter().map(|class| Layout::new(class).entries()).sum();
        assert_eq!(entries, 17_048_389_791);
    }

    #[test]
    fn all_moving_classes_have_the_known_number_of_positions() {
        let positions: u64 = Class::all(12).into_iter().map(|class| Layout::new(class).positions()).sum();
        assert_eq!(positions, 16_528_583_563);
    }

    #[test]
    fn positions_are_the_canonical_entries() {
        for (own, opponent) in [(3, 3), (4, 3), (3, 5), (11, 12)] {
            let layout = Layout::new(Class::moving(own, opponent).unwrap());
            let entries = (0..layout.blocks())
                .flat_map(|block| (0..layout.block_entries()).map(move |rank| Entry { block, rank }));
            let canonical: Vec<bool> = entries.map(|entry| layout.is_canonical(entry)).collect();
            assert_eq!(layout.positions(), canonical.iter().filter(|&&it| it).count() as u64, "{own}-{opponent}");
            assert!((0..layout.blocks()).flat_map(|block| layout.canonical_ranks(block)).eq(canonical));
        }
    }

    fn class_and_entry() -> impl Strategy<Value = (Layout, Entry)> {
        (3u8..=12, 3u8..=12).prop_flat_map(|(own, opponent)| {
            let layout = Layout::new(Class::moving(own, opponent).unwrap());
            let entry = (0..layout.blocks(), 0..layout.block_entries());
            entry.prop_map(move |(block, rank)| (layout, Entry { block, rank }))
        })
    }

    proptest! {
        #[test]
        fn entries_and_positions_are_inverse((layout, entry) in class_and_entry()) {
            let (mover, waiting) = layout.position(entry).unwrap();
            let back = layout.entry(mover, waiting);
            prop_assert_eq!(back.block, entry.block);
            // A twin may be found in its place, but always the same one for the same sets.
            let twins = Orbits::of(mover.len()).stabiliser(entry.block).map(|symmetry| layout.entry(mover, symmetry.apply(waiting)));
            prop_assert!(twins.into_iter().any(|twin| twin == back));
            prop_assert_eq!(back, entry);
        }

        #[test]
        fn images_of_a_position_share_an_entry_or_are_twins((layout, entry) in class_and_entry(), number in 0u8..16) {
            let (mover, waiting) = layout.position(entry).unwrap();
            let symmetry = Symmetry::new(number).unwrap();
            let image = layout.entry(symmetry.apply(mover), symmetry.apply(waiting));
            let twins: Vec<Entry> = Orbits::of(mover.len())
                .stabiliser(entry.block)
                .map(|fixing| layout.entry(mover, fixing.apply(waiting)))
                .collect();
            prop_assert!(twins.contains(&image));
        }
    }
}
