//! Every placement of a class in a simple order: by the rank of the mover's set among all sets of its size, then by the
//! rank of the waiting side's set among those on the remaining points.
//!
//! Sets of one size are ranked as numbers. Those on the lowest points come first, so a rank is independent of the
//! number of points.

use std::sync::LazyLock;

use crate::board::POINTS;

use super::ground::bits;

/// All placements of `mover` and `waiting` cows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placements {
    pub(super) mover: u32,
    pub(super) waiting: u32,
    /// Placements of the waiting side for one of the mover's.
    width: usize,
    parts: &'static RankParts,
}

/// What each byte of a set adds to the rank, by the number of bits below it and the byte's value.
type RankParts = [[[u32; 256]; 17]; 3];

static RANK_PARTS: LazyLock<Box<RankParts>> = LazyLock::new(|| {
    let part = |byte: u32, below: u32, value: u32| {
        let numbered = bits(value).zip(below + 1..);
        numbered.map(|(bit, count)| choose(byte * 8 + bit, count) as u32).sum()
    };
    let column = |byte, below| std::array::from_fn(|value| part(byte, below, value as u32));
    Box::new(std::array::from_fn(|byte| std::array::from_fn(|below| column(byte as u32, below as u32))))
});

/// The sets of each size in the order of their ranks.
static SETS: LazyLock<Vec<Vec<u32>>> = LazyLock::new(|| {
    let mut sets = vec![Vec::new(); POINTS + 1];
    for set in 0..1u32 << POINTS {
        let size = set.count_ones() as usize;
        if size <= 12 {
            sets[size].push(set);
        }
    }
    sets
});

/// The number of `k`-subsets of `n` points.
pub(super) fn choose(n: u32, k: u32) -> u64 {
    if k > n { 0 } else { (0..u64::from(k)).fold(1, |all, i| all * (u64::from(n) - i) / (i + 1)) }
}

/// How many sets of the same size are smaller as numbers.
fn rank(parts: &RankParts, set: u32) -> usize {
    let [low, middle, high, _] = set.to_le_bytes();
    let below_middle = low.count_ones() as usize;
    let below_high = below_middle + middle.count_ones() as usize;
    (parts[0][0][low as usize] + parts[1][below_middle][middle as usize] + parts[2][below_high][high as usize]) as usize
}

/// `set` with the points of `gone` removed from the row and the others moved down; the sets are disjoint.
fn squeeze(mut set: u32, gone: u32) -> u32 {
    let mut gone = gone;
    while gone != 0 {
        let top = gone.ilog2();
        gone ^= 1 << top;
        let below = (1 << top) - 1;
        set = set & below | set >> 1 & !below;
    }
    set
}

/// The reverse of [`squeeze`].
fn spread(mut set: u32, gone: u32) -> u32 {
    for at in bits(gone) {
        let below = (1 << at) - 1;
        set = set & below | (set & !below) << 1;
    }
    set
}

impl Placements {
    pub(super) fn new(mover: u32, waiting: u32) -> Self {
        Self { mover, waiting, width: choose(POINTS as u32 - mover, waiting) as usize, parts: &RANK_PARTS }
    }

    /// How many placements there are.
    pub(super) fn len(&self) -> usize {
        choose(POINTS as u32, self.mover) as usize * self.width
    }

    pub(super) fn index(&self, mover: u32, waiting: u32) -> usize {
        rank(self.parts, mover) * self.width + rank(self.parts, squeeze(waiting, mover))
    }

    /// The mover's and the waiting side's set at `index`, which is below [`len`](Self::len).
    pub(super) fn at(&self, index: usize) -> (u32, u32) {
        let mover = SETS[self.mover as usize][index / self.width];
        (mover, spread(SETS[self.waiting as usize][index % self.width], mover))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_and_placement_are_inverse() {
        for cows in [(3, 3), (4, 3), (12, 12)] {
            let space = Placements::new(cows.0, cows.1);
            for index in 0..space.len() {
                let (mover, waiting) = space.at(index);
                assert_eq!(((mover.count_ones(), waiting.count_ones()), mover & waiting), (cows, 0));
                assert_eq!(space.index(mover, waiting), index);
            }
        }
    }

    #[test]
    fn spaces_have_the_sizes_of_the_published_counts() {
        assert_eq!(Placements::new(3, 3).len(), 2_691_920);
        assert_eq!(Placements::new(4, 3).len(), 2_523_980 + 9_451_724 + 137_936);
    }
}
