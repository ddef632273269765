//! Answers of the look-ahead, kept for the next block that asks the same.
//!
//! A position after a shot is looked into from every block whose waiting set has one cow more, so most questions come
//! again. What is kept is a matter of chance, what is answered is not: an answer is a fact about its position.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::board::{PointSet, Symmetry};
use crate::game::Remake;
use crate::index::subset::Ranks;
use crate::index::{Class, HAS_TWINS, Orbits};
use crate::rules::{NoRemake, RuleSet};
use crate::value::Wdl;

/// Answers in a table where each has one place and the newer one wins.
pub(crate) struct Recall(Vec<AtomicU64>);

/// A question: which position, what restriction, which goal. Two different ones never look the same.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Question(u64);

impl Question {
    /// The question whether the position with `mover` to move, in which the other side's last turn left `remake`, is
    /// worth `goal`. Images of a position under a symmetry give the same question, or one of few.
    pub(crate) fn new(mover: PointSet, waiting: PointSet, remake: Remake, goal: Wdl) -> Self {
        let orbits = Orbits::of(mover.len());
        let (orbit, number) = orbits.place_bits(mover.bits());
        let symmetry = Symmetry::new(number as u8).unwrap_or(Symmetry::IDENTITY);
        let image = |set: PointSet| symmetry.apply_bits(set.bits());
        let inside = crate::index::subset::gather(image(waiting), orbits.complement_word(orbit) & !HAS_TWINS);
        let rank = Ranks::of(waiting.len() as usize).rank(inside);
        let points = [remake.from, remake.to].map(|point| u64::from(image(point.set()).trailing_zeros()));
        // 4 + 1 + 5 + 5 + 19 + 18 bits: the ranks of a block, at most 293,930, and the orbits, at most 170,854.
        let sizes = u64::from(mover.len());
        let parts =
            [(sizes, 4), (u64::from(goal == Wdl::Won), 1), (points[0], 5), (points[1], 5), (u64::from(rank), 19)];
        Self(parts.into_iter().fold(u64::from(orbit), |key, (part, bits)| key << bits | part))
    }
}

impl Recall {
    /// Bytes of a table.
    const BYTES: usize = 1 << 27;
    const CELLS: usize = Self::BYTES / 8;

    /// Whether a pair's turns can leave restrictions: that takes a rule and five cows of one side, two that stay of a line
    /// broken, two that stay of a line made, and the one that moves.
    pub(crate) fn helps(rules: &RuleSet, class: Class) -> bool {
        rules.no_remake != NoRemake::None && class.own().max(class.opponent()) > 4
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Point;

    #[test]
    fn questions_of_images_are_the_same_and_others_differ() {
        let set = |bits| PointSet::from_bits(bits).unwrap();
        let (mover, waiting) = (set(0b1_0011_0100), set(0b1100_0010_0000_0000_0011));
        let [from, to] = [1, 2].map(|n| Point::new(n).unwrap());
        let question = Question::new(mover, waiting, Remake { from, to }, Wdl::Won);
        for symmetry in Symmetry::all() {
            let point = |point: Point| symmetry.apply(point.set()).iter().next().unwrap();
            let remake = Remake { from: point(from), to: point(to) };
            assert!(question == Question::new(symmetry.apply(mover), symmetry.apply(waiting), remake, Wdl::Won));
        }
        let recall = Recall::new();
        recall.put(question, true);
        assert_eq!(recall.get(question), Some(true));
        for other in [
            Question::new(waiting, mover, Remake { from, to }, Wdl::Won),
            Question::new(mover, waiting, Remake { from: to, to: from }, Wdl::Won),
            Question::new(mover, waiting, Remake { from, to }, Wdl::Drawn),
        ] {
            assert!(other != question);
            assert_eq!(recall.get(other), None);
        }
    }
}
