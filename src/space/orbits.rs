//! Orbits of point sets under the symmetries of a board.
//!
//! Sets of one size form orbits; an orbit's representative is its smallest set, and orbits are numbered in the order of
//! their representatives. A table with a word for each set gives its orbit and the symmetry to get there.

use std::sync::OnceLock;

use crate::board::{Board, PointSet, SYMMETRIES, Symmetry, SymmetryGroup};

use super::class::MOST_COWS;
use super::subset::{Ranks, binomial, subsets};

/// The orbits of all sets of one size.
pub struct Orbits {
    group: SymmetryGroup,
    ranks: &'static Ranks,
    /// For each set, by rank: orbit number * 16 + number of the symmetry that takes the set to the representative.
    places: Vec<u32>,
    /// For each orbit: the points its representative leaves free, with [`HAS_TWINS`] set if a symmetry fixes the set.
    free: Vec<u32>,
    /// For each orbit: bit `s` is set when symmetry `s` fixes the representative.
    stabilisers: Vec<u16>,
}

/// In a word of `free`: the representative has a nontrivial stabiliser. No board has a point with this number.
const HAS_TWINS: u32 = 1 << 31;

/// The sizes of sets that are put into orbits, which have at most as many points as a side has cows.
const SIZES: usize = MOST_COWS as usize + 1;

static ORBITS: [[OnceLock<Orbits>; SIZES]; SymmetryGroup::ALL.len()] =
    [const { [const { OnceLock::new() }; SIZES] }; SymmetryGroup::ALL.len()];

static COUNTS: [[u32; SIZES]; SymmetryGroup::ALL.len()] = {
    let mut counts = [[0; SIZES]; SymmetryGroup::ALL.len()];
    let mut group = 0;
    while group < counts.len() {
        counts[group] = counts_of(SymmetryGroup::ALL[group]);
        group += 1;
    }
    counts
};

/// The number of orbits of sets of each size, by Burnside's lemma: the average number of sets fixed by a symmetry.
const fn counts_of(group: SymmetryGroup) -> [u32; SIZES] {
    let mut fixed = [0; SIZES];
    let mut number = 0;
    while number < group.order() {
        if let Some(symmetry) = Symmetry::new(number as u8) {
            add_fixed_sets(symmetry, group.points(), &mut fixed);
        }
        number += 1;
    }
    let mut size = 0;
    while size < SIZES {
        fixed[size] /= group.order() as u32;
        size += 1;
    }
    fixed
}

/// Adds the numbers of sets that a symmetry fixes: those that contain each of its cycles of points entirely or not at
/// all.
const fn add_fixed_sets(symmetry: Symmetry, points: usize, fixed: &mut [u32; SIZES]) {
    let mut ways = [0; SIZES];
    ways[0] = 1;
    let mut seen = 0u32;
    let mut start = 0;
    while start < points {
        let cycle = symmetry.cycle_bits(start);
        if seen >> start & 1 == 0 {
            seen |= cycle;
            let length = cycle.count_ones() as usize;
            let mut size = SIZES;
            while size > length {
                size -= 1;
                ways[size] += ways[size - length];
            }
        }
        start += 1;
    }
    let mut size = 0;
    while size < SIZES {
        fixed[size] += ways[size];
        size += 1;
    }
}

impl Orbits {
    /// The orbits of sets of `size` points on a board, 0..=12; built on the first call (0.1 s for twelve points).
    ///
    /// # Panics
    /// If `size` is above 12.
    #[inline]
    pub fn of(board: &Board, size: u8) -> &'static Self {
        let group = board.group();
        ORBITS[group as usize][size as usize].get_or_init(|| Self::new(group, size as usize))
    }

    /// How many orbits the sets of `size` points form, without building the tables.
    ///
    /// # Panics
    /// If `size` is above 12.
    pub fn count_of(board: &Board, size: u8) -> u32 {
        COUNTS[board.group() as usize][size as usize]
    }

    fn new(group: SymmetryGroup, size: usize) -> Self {
        const UNSEEN: u32 = u32::MAX;
        let (ranks, points) = (Ranks::of(size), group.points());
        let all_points = (1u32 << points) - 1;
        let count = COUNTS[group as usize][size] as usize;
        let mut places = vec![UNSEEN; binomial(points, size) as usize];
        let mut free = Vec::with_capacity(count);
        let mut stabilisers = Vec::with_capacity(count);
        for (rank, set) in subsets(size, points).enumerate() {
            if places[rank] != UNSEEN {
                continue;
            }
            let orbit = free.len() as u32;
            let mut stabiliser = 0u16;
            for symmetry in group.symmetries() {
                let image = symmetry.apply_bits(set);
                let place = &mut places[ranks.rank(image) as usize];
                if *place == UNSEEN {
                    *place = orbit * SYMMETRIES as u32 + symmetry.inverse().number() as u32;
                }
                stabiliser |= u16::from(image == set) << symmetry.number();
            }
            free.push(!set & all_points | if stabiliser == 1 { 0 } else { HAS_TWINS });
            stabilisers.push(stabiliser);
        }
        Self { group, ranks, places, free, stabilisers }
    }

    /// How many orbits there are.
    pub fn count(&self) -> u32 {
        self.free.len() as u32
    }

    /// The orbit of a set and the symmetry that takes the set to the orbit's representative.
    #[inline]
    pub fn place(&self, set: PointSet) -> (u32, Symmetry) {
        let (orbit, symmetry) = self.place_bits(set.bits());
        (orbit, Symmetry::new(symmetry as u8).unwrap_or(Symmetry::IDENTITY))
    }

    /// [`place`](Self::place) on bare bits, with the symmetry's number.
    #[inline(always)]
    pub(crate) fn place_bits(&self, set: u32) -> (u32, usize) {
        let place = self.places[self.ranks.rank(set) as usize];
        (place / SYMMETRIES as u32, place as usize % SYMMETRIES)
    }

    /// The representative of an orbit.
    ///
    /// # Panics
    /// If `orbit` is not below [`count`](Self::count).
    pub fn representative(&self, orbit: u32) -> PointSet {
        let all_points = (1 << self.group.points()) - 1;
        PointSet::from_bits_truncate(!self.free[orbit as usize] & all_points)
    }

    /// The points that the representative leaves free, and whether a symmetry other than the identity fixes it: then
    /// positions with the same image may have several entries, [twins](super::Space::is_canonical).
    #[inline(always)]
    pub(crate) fn free(&self, orbit: u32) -> (u32, bool) {
        let word = self.free[orbit as usize];
        (word & !HAS_TWINS, word & HAS_TWINS != 0)
    }

    /// Whether a symmetry other than the identity fixes the representative.
    #[inline(always)]
    pub(crate) fn has_twins(&self, orbit: u32) -> bool {
        self.free(orbit).1
    }

    /// The symmetries that fix the representative, including the identity.
    ///
    /// # Panics
    /// If `orbit` is not below [`count`](Self::count).
    pub fn stabiliser(&self, orbit: u32) -> impl Iterator<Item = Symmetry> + use<> {
        let fixing = self.stabilisers[orbit as usize];
        self.group.symmetries().filter(move |symmetry| fixing >> symmetry.number() & 1 == 1)
    }

    /// How many sets the orbit has: the number of symmetries, or a divisor of it if some of them fix its sets.
    ///
    /// # Panics
    /// If `orbit` is not below [`count`](Self::count).
    pub fn orbit_size(&self, orbit: u32) -> u32 {
        self.group.order() as u32 / self.stabilisers[orbit as usize].count_ones()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{MORABARABA, POINTS};

    /// For k = 0..=12, as published for three rings.
    const PUBLISHED: [u32; 13] = [1, 4, 30, 158, 757, 2830, 8774, 22188, 46879, 82880, 124_124, 157_668, 170_854];

    #[test]
    fn orbit_counts_match_the_published_ones() {
        for (size, count) in (0..).zip(PUBLISHED) {
            assert_eq!(Orbits::count_of(&MORABARABA, size), count);
            assert_eq!(Orbits::of(&MORABARABA, size).count(), count);
        }
    }

    #[test]
    fn orbit_sizes_add_up_to_all_sets() {
        for size in 0..=12 {
            let orbits = Orbits::of(&MORABARABA, size);
            let sets: u32 = (0..orbits.count()).map(|orbit| orbits.orbit_size(orbit)).sum();
            assert_eq!(sets, binomial(POINTS, size as usize));
        }
    }

    #[test]
    fn every_set_is_taken_to_its_representative_which_is_its_smallest_image() {
        for size in [3, 5, 8] {
            let orbits = Orbits::of(&MORABARABA, size);
            for set in subsets(size as usize, POINTS).step_by(7).filter_map(PointSet::from_bits) {
                let (orbit, symmetry) = orbits.place(set);
                let smallest = MORABARABA.group().symmetries().map(|any| any.apply(set)).min();
                assert_eq!(Some(symmetry.apply(set)), smallest);
                assert_eq!(Some(orbits.representative(orbit)), smallest);
            }
        }
    }

    /// A board of 25 points needs no new code here: this builds the orbits of its sets and looks up each set.
    #[test]
    fn a_board_of_25_points_with_eight_symmetries_has_orbits_and_ranks() {
        let group = SymmetryGroup::CentredRings;
        let all_points = (1 << group.points()) - 1;
        for (size, &count) in COUNTS[group as usize].iter().enumerate().take(8) {
            let orbits = Orbits::new(group, size);
            assert_eq!(orbits.count(), count);
            let sizes = (0..orbits.count()).map(|orbit| orbits.orbit_size(orbit)).sum::<u32>();
            assert_eq!(sizes, binomial(group.points(), size));
            for (rank, set) in subsets(size, group.points()).enumerate() {
                assert_eq!(Ranks::of(size).rank(set), rank as u32);
                let (orbit, symmetry) = orbits.place_bits(set);
                let image = Symmetry::new(symmetry as u8).unwrap().apply_bits(set);
                assert_eq!(image, !orbits.free(orbit).0 & all_points);
                let smallest = group.symmetries().map(|any| any.apply_bits(set)).min();
                assert_eq!(smallest, Some(image));
            }
        }
        // The largest sets, of which there are 5,200,300: each belongs to its orbit, and Burnside's lemma gives the
        // same count.
        let orbits = Orbits::new(group, 12);
        assert_eq!(orbits.count(), COUNTS[group as usize][12]);
        let sizes = (0..orbits.count()).map(|orbit| orbits.orbit_size(orbit)).sum::<u32>();
        assert_eq!(sizes, binomial(25, 12));
    }
}
