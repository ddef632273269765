//! Answers to questions about positions after binding shots, kept while a class is checked.
//!
//! The same position results from every waiting set with one more cow, so most questions recur. An answer is a fact
//! about its position; which answers are kept is random and affects only the time.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::board::{BoardKind, PointSet};
use crate::rules::{NoRemake, RuleSet};
use crate::space::{Class, Space};

use super::moves::{Goal, Restriction};

/// The most cells, of eight bytes each: 128 MiB.
const MOST_CELLS: u64 = 1 << 24;

/// A table with one cell per answer; a newer answer replaces an older one.
pub(super) struct ReplyCache {
    cells: Vec<AtomicU64>,
}

/// A question about a position with as many cows as all others in the cache. Two different ones have different keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ReplyKey(u64);

impl ReplyKey {
    /// Whether `mover` gets `goal` against `waiting`, which may not undo the move `from` to `to` next.
    pub(super) fn new(board: BoardKind, sides: [u32; 2], (from, to): Restriction, goal: Goal) -> Self {
        let [mover, waiting] = sides.map(PointSet::from_bits_truncate);
        let (entry, symmetry) = Space::new(board, Class::of_sets(mover, waiting)).place(mover, waiting);
        let [from, to] = [from, to].map(|point| u64::from(symmetry.apply_bits(1 << point).trailing_zeros()));
        // 18 bits for orbits, 19 for ranks in a block, 5 for points.
        Self(
            (((u64::from(entry.block) << 19 | u64::from(entry.rank)) << 5 | from) << 5 | to) << 1
                | u64::from(goal == Goal::Win),
        )
    }
}

impl ReplyCache {
    /// A cache with room for the questions that a class asks; a minimal one if it asks none.
    pub(super) fn new(rules: &RuleSet, class: Class) -> Self {
        let asks = rules.no_remake != NoRemake::None && class.successors().shot.is_some();
        let cells = (Space::new(rules.board, class).entries() / 2).next_power_of_two().min(MOST_CELLS);
        Self { cells: (0..if asks { cells } else { 1 }).map(|_| AtomicU64::new(0)).collect() }
    }

    fn cell(&self, key: ReplyKey) -> &AtomicU64 {
        let hash = key.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        &self.cells[hash as usize % self.cells.len()]
    }

    /// The answer, if it is in the cache.
    pub(super) fn get(&self, key: ReplyKey) -> Option<bool> {
        let kept = self.cell(key).load(Ordering::Relaxed);
        // The lowest bit says whether there is an answer, the next one what it is.
        (kept >> 2 == key.0 && kept & 1 == 1).then_some(kept & 2 != 0)
    }

    /// Keeps an answer.
    pub(super) fn put(&self, key: ReplyKey, answer: bool) {
        self.cell(key).store(key.0 << 2 | u64::from(answer) << 1 | 1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;

    #[test]
    fn images_of_a_position_share_an_answer_and_other_questions_do_not() {
        let sides = [0b1_0011_0100, 0b1100_0010_0000_0000_0011];
        let key = ReplyKey::new(BoardKind::Morabaraba, sides, (1, 2), Goal::Win);
        for symmetry in BoardKind::Morabaraba.board().group().symmetries() {
            let point = |point: usize| symmetry.apply_bits(1 << point).trailing_zeros() as usize;
            let image = sides.map(|side| symmetry.apply_bits(side));
            assert_eq!(ReplyKey::new(BoardKind::Morabaraba, image, (point(1), point(2)), Goal::Win), key);
        }
        let cache = ReplyCache::new(&Preset::Gar.rules(), Class::moving(5, 5).unwrap());
        let others = [
            ReplyKey::new(BoardKind::Morabaraba, sides, (1, 2), Goal::Draw),
            ReplyKey::new(BoardKind::Morabaraba, sides, (2, 1), Goal::Win),
            ReplyKey::new(BoardKind::Morabaraba, [sides[0], 0b1100_0010_0000_0000_1010], (1, 2), Goal::Win),
            ReplyKey::new(BoardKind::Morabaraba, [0b1_0101_0100, sides[1]], (1, 2), Goal::Win),
        ];
        for answer in [true, false] {
            cache.put(key, answer);
            assert_eq!(cache.get(key), Some(answer));
            assert!(others.iter().all(|&other| other != key && cache.get(other).is_none()));
        }
    }

    #[test]
    fn a_full_cache_forgets_but_never_confuses() {
        let cache = ReplyCache { cells: (0..4).map(|_| AtomicU64::new(0)).collect() };
        let answer = |key: u64| key.is_multiple_of(3);
        (0..1000).for_each(|key| cache.put(ReplyKey(key), answer(key)));
        let kept: Vec<u64> = (0..1000).filter(|&key| cache.get(ReplyKey(key)).is_some()).collect();
        assert!((1..=4).contains(&kept.len()));
        assert!(kept.iter().all(|&key| cache.get(ReplyKey(key)) == Some(answer(key))));
    }
}
