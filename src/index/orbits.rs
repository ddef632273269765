//! Orbits of point sets under the sixteen symmetries.
//!
//! Sets of one size fall into orbits; an orbit's representative is its smallest set, and orbits are numbered in the
//! order of their representatives. A table of C(24, size) words finds a set's orbit and the symmetry to get there.

use std::sync::LazyLock;

use crate::board::{ALL_POINTS, POINTS, PointSet, SYMMETRIES, Symmetry};

use super::subset::{Ranks, binomial, subsets};

/// The orbits of all sets of one size.
pub struct Orbits {
    ranks: &'static Ranks,
    /// For each set, by rank: orbit number * 16 + number of the symmetry that takes the set to the representative.
    places: Vec<u32>,
    /// For each orbit: its representative's complement, with [`HAS_TWINS`] set where a symmetry fixes the set.
    complements: Vec<u32>,
    /// For each orbit: bit `s` is set when symmetry `s` fixes the representative.
    stabilisers: Vec<u16>,
}

/// In a word of `complements`: the representative has a nontrivial stabiliser.
pub(crate) const HAS_TWINS: u32 = 1 << 31;

static ORBITS: [LazyLock<Orbits>; 13] = [
    LazyLock::new(|| Orbits::new(0)),
    LazyLock::new(|| Orbits::new(1)),
    LazyLock::new(|| Orbits::new(2)),
    LazyLock::new(|| Orbits::new(3)),
    LazyLock::new(|| Orbits::new(4)),
    LazyLock::new(|| Orbits::new(5)),
    LazyLock::new(|| Orbits::new(6)),
    LazyLock::new(|| Orbits::new(7)),
    LazyLock::new(|| Orbits::new(8)),
    LazyLock::new(|| Orbits::new(9)),
    LazyLock::new(|| Orbits::new(10)),
    LazyLock::new(|| Orbits::new(11)),
    LazyLock::new(|| Orbits::new(12)),
];

/// The number of orbits of `k`-sets for `k` = 0..=12, known without building any table.
const ORBIT_COUNTS: [u32; 13] = [1, 4, 30, 158, 757, 2830, 8774, 22188, 46879, 82880, 124_124, 157_668, 170_854];

impl Orbits {
    /// The orbits of sets of `size` points, 0..=12; built at the first call (0.1 s for twelve points).
    ///
    /// # Panics
    /// If `size` is above 12.
    pub fn of(size: u8) -> &'static Self {
        &ORBITS[size as usize]
    }

    /// How many orbits the sets of `size` points fall into, without building the tables.
    ///
    /// # Panics
    /// If `size` is above 12.
    pub const fn count_of(size: u8) -> u32 {
        ORBIT_COUNTS[size as usize]
    }

    fn new(size: usize) -> Self {
        const UNSEEN: u32 = u32::MAX;
        let ranks = Ranks::of(size);
        let mut places = vec![UNSEEN; binomial(POINTS, size) as usize];
        let mut complements = Vec::with_capacity(ORBIT_COUNTS[size] as usize);
        let mut stabilisers = Vec::with_capacity(ORBIT_COUNTS[size] as usize);
        for (rank, set) in subsets(size, POINTS).enumerate() {
            if places[rank] != UNSEEN {
                continue;
            }
            let orbit = complements.len() as u32;
            let mut stabiliser = 0u16;
            for symmetry in Symmetry::all() {
                let image = symmetry.apply_bits(set);
                let place = &mut places[ranks.rank(image) as usize];
                if *place == UNSEEN {
                    *place = orbit * SYMMETRIES as u32 + symmetry.inverse().number() as u32;
                }
                stabiliser |= u16::from(image == set) << symmetry.number();
            }
            complements.push(!set & ALL_POINTS | if stabiliser == 1 { 0 } else { HAS_TWINS });
            stabilisers.push(stabiliser);
        }
        Self { ranks, places, complements, stabilisers }
    }

    /// How many orbits there are.
    pub fn count(&self) -> u32 {
        self.complements.len() as u32
    }

    /// The orbit of a set and the symmetry that takes the set to the orbit's representative.
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
        PointSet::from_bits_truncate(!self.complements[orbit as usize])
    }

    /// The points outside the representative, with [`HAS_TWINS`].
    #[inline(always)]
    pub(crate) fn complement_word(&self, orbit: u32) -> u32 {
        self.complements[orbit as usize]
    }

    /// The symmetries that fix the representative, the identity among them.
    ///
    /// # Panics
    /// If `orbit` is not below [`count`](Self::count).
    pub fn stabiliser(&self, orbit: u32) -> impl Iterator<Item = Symmetry> + use<> {
        let fixing = self.stabilisers[orbit as usize];
        Symmetry::all().filter(move |symmetry| fixing >> symmetry.number() & 1 == 1)
    }

    /// How many sets the orbit has: 16, or a divisor of 16 where symmetries fix its sets.
    ///
    /// # Panics
    /// If `orbit` is not below [`count`](Self::count).
    pub fn orbit_size(&self, orbit: u32) -> u32 {
        SYMMETRIES as u32 / self.stabilisers[orbit as usize].count_ones()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orbit_counts_match_the_published_ones() {
        for size in 0..=12 {
            assert_eq!(Orbits::of(size).count(), Orbits::count_of(size));
        }
    }

    #[test]
    fn orbit_sizes_add_up_to_all_sets() {
        for size in 0..=12 {
            let orbits = Orbits::of(size);
            let sets: u32 = (0..orbits.count()).map(|orbit| orbits.orbit_size(orbit)).sum();
            assert_eq!(sets, binomial(POINTS, size as usize));
        }
    }

    #[test]
    fn every_set_is_taken_to_its_representative_which_is_its_smallest_image() {
        for size in [3, 5, 8] {
            let orbits = Orbits::of(size);
            for set in subsets(size as usize, POINTS).step_by(7).filter_map(PointSet::from_bits) {
                let (orbit, symmetry) = orbits.place(set);
                let smallest = Symmetry::all().map(|any| any.apply(set)).min();
                assert_eq!(Some(symmetry.apply(set)), smallest);
                assert_eq!(Some(orbits.representative(orbit)), smallest);
            }
        }
    }
}
