//! Subsets of up to 25 points and their ranks.
//!
//! The rank of a `k`-subset is its index among all `k`-subsets in the order of their bits read as numbers
//! ("colexicographic"): the sum of C(p, i + 1) over its points p, the i-th from below. Two table look-ups find it.

#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "the CPU's own gathering of bits"))]

use std::sync::OnceLock;

use super::class::MOST_COWS;

/// The most points that ranks and binomials support: one more than today's boards have.
const WIDTH: usize = 25;

/// Subsets larger than this are never ranked.
const MAX_SUBSET: usize = MOST_COWS as usize;

/// A set is ranked in two parts: this many lowest points, and those above.
const LOW: usize = 12;
const LOW_SETS: usize = 1 << LOW;
const HIGH_SETS: usize = 1 << (WIDTH - LOW);

static BINOMIALS: [[u32; WIDTH + 1]; WIDTH + 1] = binomials();

const fn binomials() -> [[u32; WIDTH + 1]; WIDTH + 1] {
    let mut table = [[0u32; WIDTH + 1]; WIDTH + 1];
    let mut n = 0;
    while n <= WIDTH {
        table[n][0] = 1;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + if k < n { table[n - 1][k] } else { 0 };
            k += 1;
        }
        n += 1;
    }
    table
}

/// The number of `k`-subsets of `n` points, `n` at most 25.
pub(crate) const fn binomial(n: usize, k: usize) -> u32 {
    if k <= n { BINOMIALS[n][k] } else { 0 }
}

/// The rank tables for subsets of one size.
pub(crate) struct Ranks {
    /// Rank contribution of the lowest points.
    low: Box<[u32; LOW_SETS]>,
    /// Rank contribution of the points above; the low part has the remaining points of the subset.
    high: Box<[u32; HIGH_SETS]>,
}

static RANKS: [OnceLock<Ranks>; MAX_SUBSET + 1] = [const { OnceLock::new() }; MAX_SUBSET + 1];

impl Ranks {
    /// The tables for subsets of `size` points, `size` at most 12.
    #[inline]
    pub(crate) fn of(size: usize) -> &'static Self {
        RANKS[size].get_or_init(|| Self::new(size))
    }

    #[expect(clippy::large_stack_arrays, reason = "at home in a box at once, and only thirteen times")]
    fn new(size: usize) -> Self {
        let mut tables = Self { low: Box::new([0; LOW_SETS]), high: Box::new([0; HIGH_SETS]) };
        // The i-th point from below counts C(p, i + 1). A set's highest point is the last of them,
        for set in 1..LOW_SETS {
            let highest = set.ilog2() as usize;
            tables.low[set] = tables.low[set ^ 1 << highest] + binomial(highest, set.count_ones() as usize);
        }
        // and above the low part its lowest point the first, when the whole set has `size` points.
        for set in 1..HIGH_SETS {
            if let Some(below) = size.checked_sub(set.count_ones() as usize) {
                let lowest = set.trailing_zeros() as usize;
                tables.high[set] = tables.high[set & (set - 1)] + binomial(LOW + lowest, below + 1);
            }
        }
        tables
    }

    /// The rank of a subset of this size.
    #[inline(always)]
    pub(crate) fn rank(&self, set: u32) -> u32 {
        debug_assert!(set < 1 << WIDTH);
        self.low[set as usize % LOW_SETS] + self.high[set as usize / LOW_SETS % HIGH_SETS]
    }
}

/// The `size`-subset of `points` points that has this rank.
pub(crate) fn unrank(mut rank: u32, size: usize, points: usize) -> u32 {
    let mut set = 0;
    let mut point = points;
    for left in (1..=size).rev() {
        loop {
            point -= 1;
            let below = binomial(point, left);
            if below <= rank {
                rank -= below;
                set |= 1 << point;
                break;
            }
        }
    }
    set
}

/// All subsets of `size` of the lowest `points` points, in the order of their ranks.
pub(crate) fn subsets(size: usize, points: usize) -> impl Iterator<Item = u32> {
    let mut next = Some((1u32 << size) - 1);
    std::iter::from_fn(move || {
        let set = next.filter(|set| *set >> points == 0)?;
        next = (set != 0).then(|| {
            let lowest = set & set.wrapping_neg();
            let carried = set + lowest;
            carried | (set ^ carried) >> (2 + lowest.trailing_zeros())
        });
        Some(set)
    })
}

/// Images of sets of points under a map of points, seven points at a time: three parts for up to 21 points, which is
/// what a side of three cows leaves free, and four for more.
pub(crate) struct Images<const PARTS: usize = 3>([[u32; 128]; PARTS]);

impl<const PARTS: usize> Images<PARTS> {
    /// The map that takes the first point to this set, the second to that, and so on.
    #[inline(always)]
    pub(crate) fn new(points: impl Iterator<Item = u32>) -> Self {
        let mut tables = [[0; 128]; PARTS];
        for (point, image) in points.enumerate().take(7 * PARTS) {
            let (table, bit) = (&mut tables[point / 7], 1 << (point % 7));
            for low in 0..bit {
                table[bit | low] = table[low] | image;
            }
        }
        Self(tables)
    }

    #[inline(always)]
    pub(crate) fn of(&self, set: u32) -> u32 {
        let mut image = 0;
        for (i, part) in self.0.iter().enumerate() {
            image |= part[(set >> (7 * i) & 127) as usize];
        }
        image
    }
}

/// The bits of `set` at the places of `mask`, packed at the low end, by the CPU's own instruction if it has one.
#[inline]
pub(crate) fn gather(set: u32, mask: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("bmi2") {
        // SAFETY: the CPU has BMI2.
        return unsafe { std::arch::x86_64::_pext_u32(set, mask) };
    }
    gather_portably(set, mask)
}

/// The bits of `set` at the places of `mask`, packed at the low end: what `pext` does.
pub(crate) fn gather_portably(set: u32, mask: u32) -> u32 {
    let mut rest = set & mask;
    let mut gathered = 0;
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        gathered |= 1 << (mask & (bit - 1)).count_ones();
        rest &= rest - 1;
    }
    gathered
}

/// The low bits of `bits`, spread over the places of `mask`: what `pdep` does.
pub(crate) fn spread(bits: u32, mask: u32) -> u32 {
    let mut rest = mask;
    let mut spread = 0;
    let mut bits = bits;
    while rest != 0 && bits != 0 {
        if bits & 1 == 1 {
            spread |= rest & rest.wrapping_neg();
        }
        bits >>= 1;
        rest &= rest - 1;
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::POINTS;
    use proptest::prelude::*;

    #[test]
    fn ranks_count_subsets_in_order() {
        for size in 0..=MAX_SUBSET {
            let mut count = 0;
            for set in subsets(size, POINTS) {
                assert_eq!(Ranks::of(size).rank(set), count);
                count += 1;
            }
            assert_eq!(count, binomial(POINTS, size));
        }
    }

    #[test]
    fn unrank_undoes_rank_on_every_number_of_points() {
        for points in 12..=POINTS {
            for size in 0..=MAX_SUBSET.min(points) {
                for (rank, set) in subsets(size, points).enumerate().step_by(97) {
                    assert_eq!(unrank(rank as u32, size, points), set);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn an_image_is_the_images_of_its_points(points in prop::collection::vec(0u32..1 << 24, 0..=21), set in 0u32..1 << 21) {
            let set = set & ((1 << points.len()) - 1);
            let images = Images::<3>::new(points.iter().copied());
            let members = points.iter().enumerate().filter(|(point, _)| set >> point & 1 == 1);
            prop_assert_eq!(images.of(set), members.fold(0, |all, (_, image)| all | image));
        }

        #[test]
        fn spread_undoes_gather(set in 0u32..1 << 24, mask in 0u32..1 << 24) {
            prop_assert_eq!(spread(gather(set, mask), mask), set & mask);
            prop_assert_eq!(gather(set, mask), gather_portably(set, mask));
        }
    }
}
