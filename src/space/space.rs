//! [`Space`]: a board and a class, and the place of each position in the class's table.
//!
//! A table is a sequence of blocks, one for each orbit of the mover's set. Inside a block the positions are ordered by
//! the rank of the waiting side's set among the points that the block's representative leaves free. So one block
//! contains everything that the mover's answer to a quiet turn can lead to, and everything that the waiting side could
//! have done last.

use crate::board::{Board, BoardKind, PointSet, SYMMETRIES, Symmetry};

use super::class::Class;
use super::orbits::Orbits;
use super::subset::{Images, Ranks, binomial, gather, spread, subsets, unrank};

/// The place of a position in its class's table: the number of its block and its number within the block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Entry {
    /// Block: the orbit of the mover's set.
    pub block: u32,
    /// Entry within the block: the rank of the waiting side's set.
    pub rank: u32,
}

/// A set of the mover and its block: what the entries of all positions with this set share.
#[derive(Clone, Copy, Debug)]
pub struct PlacedMover {
    mover: PointSet,
    block: u32,
    /// Takes the set to the block's representative.
    symmetry: Symmetry,
    /// The points that the representative leaves free.
    free: u32,
}

impl PlacedMover {
    /// The set.
    pub const fn mover(&self) -> PointSet {
        self.mover
    }
}

/// All positions of a class on a board, in the order of the class's table.
///
/// ```
/// use morabase::space::Space;
/// use morabase::{BoardKind, Class};
///
/// let space = Space::new(BoardKind::Morabaraba, Class::moving(3, 3)?);
/// // 158 orbits of three cows, and 1,330 sets of three other points for each.
/// assert_eq!((space.blocks(), space.block_entries(), space.entries()), (158, 1330, 210_140));
/// let entry = space.entry_at(1234).expect("there are more");
/// let (mover, waiting) = space.position(entry).expect("an entry is a position");
/// assert_eq!(space.entry(mover, waiting), entry);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Space {
    board: BoardKind,
    class: Class,
}

impl Space {
    /// The positions of a class on a board.
    pub const fn new(board: BoardKind, class: Class) -> Self {
        Self { board, class }
    }

    /// The class.
    pub const fn class(self) -> Class {
        self.class
    }

    /// The board.
    pub const fn board(self) -> &'static Board {
        self.board.board()
    }

    /// Which board it is.
    pub const fn board_kind(self) -> BoardKind {
        self.board
    }

    /// The number of blocks, which is that of orbits of the mover's set.
    pub fn blocks(self) -> u32 {
        Orbits::count_of(self.board(), self.class.mover())
    }

    /// Entries in each block.
    pub fn block_entries(self) -> u32 {
        binomial(self.free_points(), self.class.waiting() as usize)
    }

    /// Entries in the table. Positions that a symmetry maps to themselves or to each other within a block ("twins") are
    /// counted separately.
    pub fn entries(self) -> u64 {
        u64::from(self.blocks()) * u64::from(self.block_entries())
    }

    /// Positions that differ under the board's symmetries: [`entries`](Self::entries) with twins counted once.
    pub fn positions(self) -> u64 {
        // Burnside's lemma: the average number of positions fixed by a symmetry.
        let group = self.board().group();
        group.symmetries().map(|symmetry| self.fixed_by(symmetry)).sum::<u64>() / group.order() as u64
    }

    /// Points that the mover leaves free.
    pub(crate) const fn free_points(self) -> usize {
        self.board().group().points() - self.class.mover() as usize
    }

    /// Points that the waiting side leaves free.
    pub(crate) const fn points_free_of_waiting(self) -> usize {
        self.board().group().points() - self.class.waiting() as usize
    }

    /// Orbits of the mover's set; each is a block.
    #[inline]
    pub fn mover_orbits(self) -> &'static Orbits {
        Orbits::of(self.board(), self.class.mover())
    }

    /// Orbits of the waiting side's set.
    #[inline]
    pub fn waiting_orbits(self) -> &'static Orbits {
        Orbits::of(self.board(), self.class.waiting())
    }

    /// Ranks of the waiting side's set among the points that the mover leaves free.
    #[inline]
    pub(crate) fn waiting_ranks(self) -> &'static Ranks {
        Ranks::of(self.class.waiting() as usize)
    }

    /// The entry of the position with these sets, which must be disjoint and as large as the class says.
    #[inline]
    pub fn entry(self, mover: PointSet, waiting: PointSet) -> Entry {
        self.place(mover, waiting).0
    }

    /// The [`entry`](Self::entry) of a position, and the symmetry that takes the position there.
    #[inline]
    pub fn place(self, mover: PointSet, waiting: PointSet) -> (Entry, Symmetry) {
        let placed = self.place_mover(mover);
        (self.entry_against(&placed, waiting), placed.symmetry)
    }

    /// The place of the mover's set, which must have as many cows as the class says: for
    /// [`entry_against`](Self::entry_against).
    #[inline]
    pub fn place_mover(self, mover: PointSet) -> PlacedMover {
        debug_assert_eq!(mover.len(), self.class.mover());
        let orbits = self.mover_orbits();
        let (block, symmetry) = orbits.place(mover);
        PlacedMover { mover, block, symmetry, free: orbits.free(block).0 }
    }

    /// The [`entry`](Self::entry) of a set of the mover against a waiting set: faster if one set of the mover meets
    /// many.
    #[inline]
    pub fn entry_against(self, placed: &PlacedMover, waiting: PointSet) -> Entry {
        debug_assert_eq!((placed.mover.len(), waiting.len()), (self.class.mover(), self.class.waiting()));
        let inside = gather(placed.symmetry.apply(waiting).bits(), placed.free);
        Entry { block: placed.block, rank: self.waiting_ranks().rank(inside) }
    }

    /// The [`entry`](Self::entry) of a set of the mover against a waiting set that is given by its images under the
    /// board's symmetries, in their order: faster if many sets meet one waiting set.
    #[inline]
    pub(crate) fn entry_among(self, mover: u32, waiting_images: &[u32; SYMMETRIES]) -> Entry {
        let orbits = self.mover_orbits();
        let (block, symmetry) = orbits.place_bits(mover);
        let inside = gather(waiting_images[symmetry], orbits.free(block).0);
        Entry { block, rank: self.waiting_ranks().rank(inside) }
    }

    /// The entry with this number, counting through all blocks, if there is one.
    pub fn entry_at(self, number: u64) -> Option<Entry> {
        let block_entries = u64::from(self.block_entries());
        let block = u32::try_from(number / block_entries).ok().filter(|&block| block < self.blocks())?;
        Some(Entry { block, rank: (number % block_entries) as u32 })
    }

    /// The number of an entry, counting through all blocks.
    pub fn number(self, entry: Entry) -> u64 {
        u64::from(entry.block) * u64::from(self.block_entries()) + u64::from(entry.rank)
    }

    /// The sets (mover's, waiting side's) of an entry, if there is such an entry.
    pub fn position(self, entry: Entry) -> Option<(PointSet, PointSet)> {
        if entry.block >= self.blocks() || entry.rank >= self.block_entries() {
            return None;
        }
        let mover = self.mover_orbits().representative(entry.block);
        let inside = unrank(entry.rank, self.class.waiting() as usize, self.free_points());
        Some((mover, PointSet::from_bits_truncate(spread(inside, self.board().free(mover).bits()))))
    }

    /// Whether the entry is the first of its twins, so that counting such entries counts orbits of positions.
    pub fn is_canonical(self, entry: Entry) -> bool {
        let orbits = self.mover_orbits();
        let (_, has_twins) = orbits.free(entry.block);
        if !has_twins {
            return true;
        }
        let Some((_, waiting)) = self.position(entry) else { return false };
        // Ranks grow with the bits, so the first twin is the one with the smallest waiting set.
        orbits.stabiliser(entry.block).all(|symmetry: Symmetry| symmetry.apply(waiting) >= waiting)
    }

    /// [`is_canonical`](Self::is_canonical) for all entries of a block, by rank.
    pub(crate) fn canonical_ranks(self, block: u32) -> impl Iterator<Item = bool> {
        let fixing = self.twin_maps(block);
        // Places are numbered in the order of their points, so sets of places compare like sets of points.
        let sets = subsets(self.class.waiting() as usize, self.free_points());
        sets.map(move |set| fixing.iter().all(|images| images.of(set) >= set))
    }

    /// Twins in a block, as pairs of their ranks with the lower one first; pairs are ordered by it, and occur
    /// repeatedly if several symmetries produce them.
    pub(crate) fn twin_ranks(self, block: u32) -> impl Iterator<Item = (u32, u32)> {
        let (fixing, ranks) = (self.twin_maps(block), self.waiting_ranks());
        // Without twins there is nothing to enumerate.
        let points = if fixing.is_empty() { 0 } else { self.free_points() };
        let sets = (0..).zip(subsets(self.class.waiting() as usize, points));
        sets.flat_map(move |(rank, set)| {
            let images: [Option<u32>; SYMMETRIES] = std::array::from_fn(|i| fixing.get(i).map(|images| images.of(set)));
            let above = images.into_iter().flatten().filter(move |image| *image > set);
            above.map(move |image| (rank, ranks.rank(image)))
        })
    }

    /// The maps, by the symmetries other than the identity that fix the block's representative, of sets of the places
    /// that it leaves free.
    fn twin_maps(self, block: u32) -> Vec<Images<4>> {
        let orbits = self.mover_orbits();
        let (free, _) = orbits.free(block);
        let inner_points = PointSet::from_bits_truncate(free);
        let images = |symmetry: Symmetry| {
            Images::new(inner_points.iter().map(move |point| gather(symmetry.apply_bits(point.set().bits()), free)))
        };
        orbits.stabiliser(block).filter(|it| *it != Symmetry::IDENTITY).map(images).collect()
    }

    /// How many positions of the class a symmetry fixes: those in which each of its cycles of points belongs entirely
    /// to the mover, entirely to the waiting side or to nobody.
    fn fixed_by(self, symmetry: Symmetry) -> u64 {
        let (mover, waiting) = (self.class.mover() as usize, self.class.waiting() as usize);
        let mut rest = self.board().points();
        // By cows of both sides: the number of ways to fill the cycles so far.
        let mut ways = vec![vec![0u64; waiting + 1]; mover + 1];
        ways[0][0] = 1;
        while let Some(start) = rest.iter().next() {
            let cycle = PointSet::from_bits_truncate(symmetry.cycle_bits(start.index()));
            rest = rest.difference(cycle);
            let length = cycle.len() as usize;
            for a in (0..=mover).rev() {
                for b in (0..=waiting).rev() {
                    let own = if a >= length { ways[a - length][b] } else { 0 };
                    let other = if b >= length { ways[a][b - length] } else { 0 };
                    ways[a][b] += own + other;
                }
            }
        }
        ways[mover][waiting]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn all_moving_classes_have_the_known_number_of_entries() {
        let entries: u64 =
            Class::all_moving(12).into_iter().map(|class| Space::new(BoardKind::Morabaraba, class).entries()).sum();
        assert_eq!(entries, 17_048_389_791);
    }

    #[test]
    fn all_moving_classes_have_the_known_number_of_positions() {
        let positions: u64 =
            Class::all_moving(12).into_iter().map(|class| Space::new(BoardKind::Morabaraba, class).positions()).sum();
        assert_eq!(positions, 16_528_583_563);
    }

    #[test]
    fn all_classes_with_cows_in_hand_have_the_known_number_of_entries_and_positions() {
        let counts = |board, cows| {
            let spaces = Class::all_placing(cows).into_iter().map(move |class| Space::new(board, class));
            spaces
                .fold((0, 0), |(entries, positions), space| (entries + space.entries(), positions + space.positions()))
        };
        assert_eq!(counts(BoardKind::Morabaraba, 12), (98_773_054_953, 95_303_945_527));
        assert_eq!(counts(BoardKind::NineMensMorris, 9).1, 17_838_514_173);
    }

    #[test]
    fn positions_are_the_canonical_entries() {
        for (own, opponent) in [(3, 3), (4, 3), (3, 5), (11, 12)] {
            let space = Space::new(BoardKind::Morabaraba, Class::moving(own, opponent).unwrap());
            let entries =
                (0..space.blocks()).flat_map(|block| (0..space.block_entries()).map(move |rank| Entry { block, rank }));
            let canonical: Vec<bool> = entries.map(|entry| space.is_canonical(entry)).collect();
            assert_eq!(space.positions(), canonical.iter().filter(|&&it| it).count() as u64, "{own}-{opponent}");
            assert!((0..space.blocks()).flat_map(|block| space.canonical_ranks(block)).eq(canonical));
        }
    }

    #[test]
    fn twins_are_the_entries_that_a_symmetry_maps_to_each_other() {
        for (mover, waiting) in [(3, 3), (4, 3), (11, 12)] {
            let space = Space::new(BoardKind::Morabaraba, Class::moving(mover, waiting).unwrap());
            for block in (0..space.blocks()).step_by(37) {
                let mut expected = Vec::new();
                for rank in 0..space.block_entries() {
                    let (mover, waiting) = space.position(Entry { block, rank }).unwrap();
                    let images =
                        space.mover_orbits().stabiliser(block).map(|it| space.entry(mover, it.apply(waiting)).rank);
                    expected.extend(images.filter(|&image| image > rank).map(|image| (rank, image)));
                }
                assert!(space.twin_ranks(block).eq(expected), "{block}");
            }
        }
    }

    fn class_and_entry() -> impl Strategy<Value = (Space, Entry)> {
        (3u8..=12, 3u8..=12).prop_flat_map(|(own, opponent)| {
            let space = Space::new(BoardKind::Morabaraba, Class::moving(own, opponent).unwrap());
            let entry = (0..space.blocks(), 0..space.block_entries());
            entry.prop_map(move |(block, rank)| (space, Entry { block, rank }))
        })
    }

    proptest! {
        #[test]
        fn entries_are_found_by_the_images_of_the_waiting_set((space, entry) in class_and_entry(), number in 0u8..16) {
            let symmetry = Symmetry::new(number).unwrap();
            let (mover, waiting) = space.position(entry).unwrap();
            let (mover, waiting) = (symmetry.apply(mover), symmetry.apply(waiting));
            let images = std::array::from_fn(|i| Symmetry::new(i as u8).unwrap().apply_bits(waiting.bits()));
            prop_assert_eq!(space.entry_among(mover.bits(), &images), space.entry(mover, waiting));
        }

        #[test]
        fn entries_and_positions_are_inverse((space, entry) in class_and_entry()) {
            let (mover, waiting) = space.position(entry).unwrap();
            let back = space.entry(mover, waiting);
            prop_assert_eq!(back.block, entry.block);
            // A twin may be found instead, but always the same one for the same sets.
            let twins = space.mover_orbits().stabiliser(entry.block).map(|symmetry| space.entry(mover, symmetry.apply(waiting)));
            prop_assert!(twins.into_iter().any(|twin| twin == back));
            prop_assert_eq!(back, entry);
        }

        #[test]
        fn images_of_a_position_share_an_entry_or_are_twins((space, entry) in class_and_entry(), number in 0u8..16) {
            let (mover, waiting) = space.position(entry).unwrap();
            let symmetry = Symmetry::new(number).unwrap();
            let image = space.entry(symmetry.apply(mover), symmetry.apply(waiting));
            let twins: Vec<Entry> = space.mover_orbits()
                .stabiliser(entry.block)
                .map(|fixing| space.entry(mover, fixing.apply(waiting)))
                .collect();
            prop_assert!(twins.contains(&image));
        }
    }
}
