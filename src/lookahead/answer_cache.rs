//! [`AnswerCache`]: answers of the look-ahead, kept for the next block that asks the same question.
//!
//! A position after a shot is searched from every block whose waiting set has one cow more, so most questions recur.
//! Which answers are kept depends on the order of the threads, but what they say does not: an answer is a fact about
//! its position.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::board::{BoardKind, POINTS, Point};
use crate::game::Remake;
use crate::pages;
use crate::rules::{NoRemake, RuleSet};
use crate::space::{Class, Space};
use crate::value::Wdl;

use super::position::RestrictedPosition;

/// A table of fixed size, shared by threads. Each answer has one cell, and a newer answer replaces an older one.
pub(crate) struct AnswerCache(Vec<AtomicU64>);

/// A question: which position with which restrictions, and which goal. Different questions have different keys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct AnswerKey(u64);

/// The restrictions a side may have: a move from point to point, or none.
const REMAKES: u64 = (POINTS * POINTS) as u64 + 1;

impl AnswerKey {
    /// The key of the question whether a position at counter zero is worth at least `goal`, won or drawn. The images of
    /// a position under the symmetries share one key or a few.
    pub(super) fn new(board: BoardKind, position: &RestrictedPosition, goal: Wdl) -> Self {
        let RestrictedPosition { mover, waiting, mover_remake, waiting_remake } = *position;
        let space = Space::new(board, Class::of_sets(mover, waiting));
        let (entry, symmetry) = space.place(mover, waiting);
        let point = |point: Point| symmetry.apply_point(point).index() as u64;
        let remake = |remake: Option<Remake>| {
            remake.map_or(0, |remake| 1 + point(remake.from) * POINTS as u64 + point(remake.to))
        };
        // Less than 2^57, as no class has 2^30 entries.
        let parts = [
            (u64::from(entry.rank), u64::from(space.block_entries())),
            (remake(mover_remake), REMAKES),
            (remake(waiting_remake), REMAKES),
            (u64::from(mover.len()), 16),
            (u64::from(waiting.len()), 16),
            (u64::from(goal == Wdl::Won), 2),
        ];
        Self(parts.into_iter().fold(u64::from(entry.block), |key, (part, of)| key * of + part))
    }
}

impl AnswerCache {
    /// Bytes of a table for solving.
    const BYTES: usize = 1 << 27;
    /// Cells for the answers to a single question of a user.
    const FEW_CELLS: usize = 1 << 12;

    /// Whether turns of a class or its reverse can leave restrictions. That takes a rule and five cows on one side: two
    /// that stay from the broken line, two that stay from the new line, and the one that moves.
    pub(crate) fn helps(rules: &RuleSet, class: Class) -> bool {
        rules.no_remake != NoRemake::None && class.mover().max(class.waiting()) > 4
    }

    /// Bytes of memory for answers while a class and its reverse are solved.
    pub(crate) fn bytes(rules: &RuleSet, class: Class) -> u64 {
        if Self::helps(rules, class) { Self::BYTES as u64 } else { 0 }
    }

    pub(crate) fn new() -> Self {
        Self::of_cells(Self::BYTES / 8)
    }

    /// A table for a single question.
    pub(crate) fn small() -> Self {
        Self::of_cells(Self::FEW_CELLS)
    }

    /// A table with this many cells, a power of two.
    fn of_cells(cells: usize) -> Self {
        let mut table = pages::room(cells);
        table.resize_with(cells, AtomicU64::default);
        Self(table)
    }

    fn cell(&self, key: AnswerKey) -> &AtomicU64 {
        &self.0[place(key.0, self.0.len())]
    }

    /// The answer, if it is still there.
    pub(super) fn get(&self, key: AnswerKey) -> Option<bool> {
        let kept = self.cell(key).load(Ordering::Relaxed);
        // A kept answer has its top bit set, so an empty cell matches no key.
        (kept >> 1 == key.0 | 1 << 62).then_some(kept & 1 == 1)
    }

    /// Keeps an answer.
    pub(super) fn put(&self, key: AnswerKey, answer: bool) {
        self.cell(key).store((key.0 | 1 << 62) << 1 | u64::from(answer), Ordering::Relaxed);
    }
}

/// The cell of a key among `cells`, a power of two. Fibonacci hashing: the high bits of the product depend on all bits
/// of the key.
#[inline]
pub(super) const fn place(key: u64, cells: usize) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - cells.trailing_zeros())) as usize
}

impl std::fmt::Debug for AnswerCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AnswerCache").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Point;

    #[test]
    fn images_share_a_key_and_other_keys_have_others() {
        let board = BoardKind::Morabaraba;
        let set = |bits| crate::board::PointSet::from_bits(bits).unwrap();
        let [from, to] = [1, 2].map(|n| Point::new(n).unwrap());
        let remake = Some(Remake { from, to });
        let position = RestrictedPosition {
            mover: set(0b1_0011_0100),
            waiting: set(0b1100_0010_0000_0000_0011),
            mover_remake: None,
            waiting_remake: remake,
        };
        let key = AnswerKey::new(board, &position, Wdl::Won);
        for symmetry in board.board().group().symmetries() {
            let point = |point: Point| symmetry.apply(point.set()).iter().next().unwrap();
            let image = RestrictedPosition {
                mover: symmetry.apply(position.mover),
                waiting: symmetry.apply(position.waiting),
                waiting_remake: Some(Remake { from: point(from), to: point(to) }),
                ..position
            };
            assert!(key == AnswerKey::new(board, &image, Wdl::Won));
        }
        let cache = AnswerCache::new();
        cache.put(key, true);
        assert_eq!(cache.get(key), Some(true));
        let other_way = Some(Remake { from: to, to: from });
        for (other, goal) in [
            (RestrictedPosition { mover: position.waiting, waiting: position.mover, ..position }, Wdl::Won),
            (RestrictedPosition { waiting_remake: other_way, ..position }, Wdl::Won),
            (RestrictedPosition { waiting_remake: None, ..position }, Wdl::Won),
            (RestrictedPosition { mover_remake: remake, waiting_remake: None, ..position }, Wdl::Won),
            (RestrictedPosition { mover_remake: remake, ..position }, Wdl::Won),
            (RestrictedPosition { waiting: set(0b100_0010_0000_0000_0011), ..position }, Wdl::Won),
            (position, Wdl::Drawn),
        ] {
            let other = AnswerKey::new(board, &other, goal);
            assert!(other != key);
            assert_eq!(cache.get(other), None);
        }
    }
}
