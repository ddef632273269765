//! Answers of the look-ahead, kept for the next block that asks the same.
//!
//! A position after a shot is looked into from every block whose waiting set has one cow more, so most questions come
//! again. What is kept is a matter of chance, what is answered is not: an answer is a fact about its position.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::board::{BoardKind, POINTS, Point};
use crate::game::Remake;
use crate::rules::{NoRemake, RuleSet};
use crate::space::{Class, Space};
use crate::value::Wdl;

use super::lookahead::Restricted;

/// Answers in a table where each has one place and the newer one wins.
pub(crate) struct Recall(Vec<AtomicU64>);

/// A question: which position with which restrictions, and which goal. Two different ones never look the same.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Question(u64);

/// The restrictions a side may have: a move from point to point, or none.
const REMAKES: u64 = (POINTS * POINTS) as u64 + 1;

impl Question {
    /// The question whether a position at counter zero is worth `goal`, which is not the least. Images of a position under a symmetry
    /// give the same question, or one of few.
    pub(crate) fn new(board: BoardKind, position: &Restricted, goal: Wdl) -> Self {
        let Restricted { mover, waiting, mover_remake, waiting_remake } = *position;
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

impl Recall {
    /// Bytes of a table.
    const BYTES: usize = 1 << 27;
    const CELLS: usize = Self::BYTES / 8;

    /// Whether a pair's turns can leave restrictions: that takes a rule and five cows of one side, two that stay of a line
    /// broken, two that stay of a line made, and the one that moves.
    pub(crate) fn helps(rules: &RuleSet, class: Class) -> bool {
        rules.no_remake != NoRemake::None && class.mover().max(class.waiting()) > 4
    }

    /// Bytes of memory that a pair's table takes.
    pub(crate) fn bytes(rules: &RuleSet, class: Class) -> u64 {
        if Self::helps(rules, class) { Self::BYTES as u64 } else { 0 }
    }

    pub(crate) fn new() -> Self {
        Self((0..Self::CELLS).map(|_| AtomicU64::new(0)).collect())
    }

    fn cell(&self, question: Question) -> &AtomicU64 {
        // Fibonacci hashing: the high bits of the product depend on all bits of the key.
        let place = question.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Self::CELLS.trailing_zeros());
        &self.0[place as usize]
    }

    /// The answer, if it is still there.
    pub(crate) fn get(&self, question: Question) -> Option<bool> {
        let kept = self.cell(question).load(Ordering::Relaxed);
        // A kept answer has its top bit set, so an empty cell is none.
        (kept >> 1 == question.0 | 1 << 62).then_some(kept & 1 == 1)
    }

    /// Keeps an answer.
    pub(crate) fn put(&self, question: Question, answer: bool) {
        self.cell(question).store((question.0 | 1 << 62) << 1 | u64::from(answer), Ordering::Relaxed);
    }
}

impl std::fmt::Debug for Recall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recall").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Point;

    #[test]
    fn questions_of_images_are_the_same_and_others_differ() {
        let board = BoardKind::Morabaraba;
        let set = |bits| crate::board::PointSet::from_bits(bits).unwrap();
        let [from, to] = [1, 2].map(|n| Point::new(n).unwrap());
        let remake = Some(Remake { from, to });
        let position = Restricted {
            mover: set(0b1_0011_0100),
            waiting: set(0b1100_0010_0000_0000_0011),
            mover_remake: None,
            waiting_remake: remake,
        };
        let question = Question::new(board, &position, Wdl::Won);
        for symmetry in board.board().group().symmetries() {
            let point = |point: Point| symmetry.apply(point.set()).iter().next().unwrap();
            let image = Restricted {
                mover: symmetry.apply(position.mover),
                waiting: symmetry.apply(position.waiting),
                waiting_remake: Some(Remake { from: point(from), to: point(to) }),
                ..position
            };
            assert!(question == Question::new(board, &image, Wdl::Won));
        }
        let recall = Recall::new();
        recall.put(question, true);
        assert_eq!(recall.get(question), Some(true));
        let other_way = Some(Remake { from: to, to: from });
        for (other, goal) in [
            (Restricted { mover: position.waiting, waiting: position.mover, ..position }, Wdl::Won),
            (Restricted { waiting_remake: other_way, ..position }, Wdl::Won),
            (Restricted { waiting_remake: None, ..position }, Wdl::Won),
            (Restricted { mover_remake: remake, waiting_remake: None, ..position }, Wdl::Won),
            (Restricted { mover_remake: remake, ..position }, Wdl::Won),
            (Restricted { waiting: set(0b100_0010_0000_0000_0011), ..position }, Wdl::Won),
            (position, Wdl::Drawn),
        ] {
            let other = Question::new(board, &other, goal);
            assert!(other != question);
            assert_eq!(recall.get(other), None);
        }
    }
}
