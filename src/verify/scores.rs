//! The values of all sets of the mover against one waiting set, by their turns.
//!
//! A quiet turn exchanges one point of a set for another. Sets that agree in all points above the lower of the two and
//! in how many they have below it are adjacent in rank order, before and after the turn. So a turn is made for a whole
//! run of sets at once: the greater of two scores each. Turns that complete a line are taken out of the runs first, and
//! followed one by one.

use crate::alphabet::Alphabet;
use crate::rules::{FEWEST_COWS, FLYING_COWS, FullBoard, NoRemake, RuleSet};
use crate::space::subset::{Ranks, binomial, subsets};
use crate::space::{Class, Space};

use super::moves::bits;
use super::score::{DRAWN, LOST, LOST_IN_1, ValueScore, WON_IN_1, after_quiet, after_shot, score};
use super::waiting::Waiting;

/// A shot after which its owner may not undo the move that made it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BindingShot {
    /// Rank of the mover's set before the move.
    pub(super) rank: u32,
    /// The mover's set after the move.
    pub(super) moved: u32,
    /// The move, by numbers of free points.
    pub(super) from: u8,
    pub(super) to: u8,
}

/// The values of turns in a class.
pub(super) struct Scorer {
    class: Class,
    ranks: &'static Ranks,
    free: usize,
    remakes: bool,
    full_board: FullBoard,
    /// By symbols of the reverse class's table, for the results of quiet turns.
    quiet: [ValueScore; 256],
    /// By symbols of the table below, for the results of shots.
    shot: [ValueScore; 256],
    /// By the class's own symbols.
    stored: [ValueScore; 256],
}

/// The scores of all sets against one waiting set, by rank. Only reused for its memory.
#[derive(Default)]
pub(super) struct Scores {
    /// The score of the best turn, with binding shots counted as lost.
    pub(super) best: Vec<ValueScore>,
    /// Shots that may be worth more than that.
    pub(super) binding: Vec<BindingShot>,
    /// After a quiet turn to this set.
    quiet: Vec<ValueScore>,
    /// After the best shot with this set, or [`LOST`], which no turn can have, if none was looked at yet.
    shot: Vec<ValueScore>,
    /// Ranks of the sets that complete a line at one point.
    lined: Vec<u32>,
}

impl Scorer {
    /// A scorer of a class, from the alphabets of its own table, its reverse's and the one below.
    pub(super) fn new(rules: &RuleSet, class: Class, [own, reverse, below]: [&Alphabet; 3]) -> Self {
        let limit = rules.counter_limit(class.mover(), class.waiting());
        Self {
            class,
            ranks: Ranks::of(class.mover() as usize),
            free: Space::new(rules.board, class).points_free_of_waiting(),
            remakes: rules.no_remake != NoRemake::None,
            full_board: rules.full_board,
            quiet: reverse.table(|reply| after_quiet(score(reply), limit)),
            shot: below.table(|reply| after_shot(score(reply))),
            stored: own.table(score),
        }
    }

    /// The scores that the symbols of the class's own table claim.
    pub(super) const fn stored(&self) -> &[ValueScore; 256] {
        &self.stored
    }

    /// The score of a shot of this target with the set `moved`.
    #[inline]
    pub(super) fn shot(&self, waiting: &Waiting, target: usize, moved: u32) -> ValueScore {
        let target = &waiting.targets[target];
        self.shot[target.replies[self.ranks.rank(target.there.of(moved)) as usize] as usize]
    }

    /// Finds the scores of all sets.
    pub(super) fn score(&self, waiting: &Waiting, scores: &mut Scores) {
        let sets = waiting.replies.len();
        scores.binding.clear();
        scores.best.clear();
        if self.free == self.class.mover() as usize && self.full_board == FullBoard::Draw {
            scores.best.resize(sets, DRAWN);
            return;
        }
        scores.best.resize(sets, LOST);
        scores.shot.clear();
        scores.shot.resize(sets, LOST);
        scores.quiet.clear();
        scores.quiet.extend(waiting.replies.iter().map(|&symbol| self.quiet[symbol as usize]));
        for to in 0..self.free {
            let all = ((1 << self.free) - 1) & !(1 << to);
            let reach = if self.class.mover() == FLYING_COWS { all } else { waiting.neighbours[to] };
            self.shots(waiting, to, reach, scores);
            for from in bits(reach) {
                self.quiet_turns(from, to, scores);
            }
            for rank in scores.lined.drain(..) {
                scores.quiet[rank as usize] = self.quiet[waiting.replies[rank as usize] as usize];
            }
        }
    }

    /// The turns that complete a line at `to` with cows from `reach`. The sets they lead to are no longer reached by
    /// quiet turns until the caller allows it again.
    fn shots(&self, waiting: &Waiting, to: usize, reach: u32, scores: &mut Scores) {
        let pairs = &waiting.partners[to];
        for (number, &pair) in pairs.iter().enumerate().filter(|(_, pair)| **pair != 0) {
            let line = pair | 1 << to;
            let gaps = [line.trailing_zeros(), (line & (line - 1)).trailing_zeros(), line.ilog2()];
            for others in subsets(self.class.mover() as usize - 3, self.free - 3) {
                let moved = gaps.iter().fold(others, |set, &gap| open(set, gap)) | line;
                if pairs[..number].iter().any(|&earlier| earlier != 0 && earlier & !moved == 0) {
                    continue;
                }
                let rank = self.ranks.rank(moved);
                scores.lined.push(rank);
                scores.quiet[rank as usize] = LOST;
                let rest = moved & !(1 << to);
                let froms = reach & !moved;
                if froms == 0 {
                    continue;
                }
                let shot = self.best_shot(waiting, moved, &mut scores.shot[rank as usize]);
                for from in bits(froms) {
                    let rank = self.ranks.rank(rest | 1 << from);
                    let best = &mut scores.best[rank as usize];
                    let broke = |&pair: &u32| pair != 0 && pair & !rest == 0;
                    let binds = self.remakes
                        && self.class.waiting() > FEWEST_COWS
                        && shot > LOST_IN_1
                        && waiting.partners[from].iter().any(broke);
                    if binds {
                        *best = (*best).max(LOST_IN_1);
                        scores.binding.push(BindingShot { rank, moved, from: from as u8, to: to as u8 });
                    } else {
                        *best = (*best).max(shot);
                    }
                }
            }
        }
    }

    fn best_shot(&self, waiting: &Waiting, moved: u32, known: &mut ValueScore) -> ValueScore {
        if self.class.waiting() == FEWEST_COWS {
            return WON_IN_1;
        }
        if *known == LOST {
            for target in 0..waiting.targets.len() {
                *known = (*known).max(self.shot(waiting, target, moved));
                if *known == WON_IN_1 {
                    break;
                }
            }
        }
        *known
    }

    /// All quiet turns from one point to another.
    fn quiet_turns(&self, from: usize, to: usize, scores: &mut Scores) {
        let (low, high) = (from.min(to), from.max(to));
        let others = self.class.mover() as usize - 1;
        for below in 0..=others.min(low) {
            let run = binomial(low, below) as usize;
            for above in subsets(others - below, self.free - low - 2) {
                // The first set of the run, without the point that moves.
                let first = open(above << (low + 1), high as u32) | ((1 << below) - 1);
                let before = self.ranks.rank(first | 1 << from) as usize;
                let after = self.ranks.rank(first | 1 << to) as usize;
                let best = &mut scores.best[before..before + run];
                for (best, &reply) in best.iter_mut().zip(&scores.quiet[after..after + run]) {
                    *best = (*best).max(reply);
                }
            }
        }
    }
}

/// Moves the bits from `gap` on up by one.
#[inline]
const fn open(set: u32, gap: u32) -> u32 {
    let below = (1 << gap) - 1;
    set & below | (set & !below) << 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_a_gap_keeps_the_order_of_bits() {
        assert_eq!([open(0b101, 0), open(0b101, 1), open(0b101, 3)], [0b1010, 0b1001, 0b101]);
    }
}
