//! What all sets of the mover are worth against one waiting set, by the turns they have.
//!
//! A quiet turn exchanges one point of a set for another. Sets that agree in all points above the lower of the two and in how many
//! they have below it stand side by side in the order of ranks, before the turn as after it. So a turn is made for a
//! whole run of sets at once: the greater of two grades each. Turns that complete a line are taken out of the
//! runs first, and followed one by one.

use crate::alphabet::Alphabet;
use crate::rules::{FEWEST_COWS, FLYING_COWS, FullBoard, NoRemake, RuleSet};
use crate::space::Class;
use crate::space::subset::{Ranks, binomial, subsets};
use crate::value::{Plies, Value};

use super::moves::{after_quiet, after_shot, bits, score, value};
use super::waiting::{Waiting, spread};

/// What a position is worth to its mover, in few bits: greater is better. Lost in `n` plies is `n`, won in `n` is
/// `2 * DRAWN - n`.
pub(super) type Grade = u16;

/// Without a turn the mover is lost in 0 plies, and any turn is better than that.
pub(super) const BLOCKED: Grade = 0;
pub(super) const LOST_IN_1: Grade = 1;
pub(super) const DRAWN: Grade = 1 << 10;
pub(super) const WON_IN_1: Grade = 2 * DRAWN - 1;

// A turn adds a ply.
const _: () = assert!(Value::MAX_DTC.0 + 1 < DRAWN);

const fn grade(value: Value) -> Grade {
    match value {
        Value::Lost(Plies(n)) => n,
        Value::Drawn => DRAWN,
        Value::Won(Plies(n)) => 2 * DRAWN - n,
    }
}

/// The value that a grade stands for.
pub(super) const fn value_of(grade: Grade) -> Value {
    match grade {
        DRAWN => Value::Drawn,
        0..DRAWN => Value::Lost(Plies(grade)),
        _ => Value::Won(Plies(2 * DRAWN - grade)),
    }
}

/// A shot after which its owner may not undo the move that made it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BindingShot {
    /// Rank of the mover's set before.
    pub(super) rank: u32,
    /// The mover's set after.
    pub(super) moved: u32,
    /// The move, by numbers of free points.
    pub(super) from: u8,
    pub(super) to: u8,
}

/// How turns are graded in a class.
pub(super) struct Grader {
    class: Class,
    ranks: &'static Ranks,
    free: usize,
    remakes: bool,
    full_board: FullBoard,
    /// By the symbol that the partner's table has for what a quiet turn leads to.
    quiet: [Grade; 256],
    /// By the symbol that the table below has for what a shot leads to.
    shot: [Grade; 256],
    /// By the class's own symbols.
    stored: [Grade; 256],
}

/// The grades of all sets against one waiting set, by rank. Kept from one to the next for its memory only.
#[derive(Default)]
pub(super) struct Grades {
    /// The best turn's, with binding shots counted as lost.
    pub(super) best: Vec<Grade>,
    /// Shots that may be worth more than that.
    pub(super) binding: Vec<BindingShot>,
    /// After a quiet turn to this set.
    quiet: Vec<Grade>,
    /// After the best shot with this set, or [`BLOCKED`] as long as none was looked at.
    shot: Vec<Grade>,
    /// Ranks of the sets that complete a line at one point.
    lined: Vec<u32>,
}

impl Grader {
    /// A grader of a class, from the alphabets of its own table, its partner's and the one below.
    pub(super) fn new(rules: &RuleSet, class: Class, [own, partner, below]: [&Alphabet; 3]) -> Self {
        let limit = rules.counter_limit(class.mover(), class.waiting());
        Self {
            class,
            ranks: Ranks::of(class.mover() as usize),
            free: 24 - class.waiting() as usize,
            remakes: rules.no_remake != NoRemake::None,
            full_board: rules.full_board,
            quiet: partner.table(|reply| grade(value(after_quiet(score(reply), limit)))),
            shot: below.table(|reply| grade(value(after_shot(score(reply))))),
            stored: own.table(grade),
        }
    }

    /// The grade that a stored symbol claims.
    #[inline]
    pub(super) fn claim(&self, symbol: u8) -> Grade {
        self.stored[symbol as usize]
    }

    /// The grade of a shot of this target with the set `moved`.
    #[inline]
    pub(super) fn shot(&self, waiting: &Waiting, target: usize, moved: u32) -> Grade {
        let target = &waiting.targets[target];
        self.shot[target.replies[self.ranks.rank(spread(&target.there, moved)) as usize] as usize]
    }

    /// Grades all sets.
    pub(super) fn grade(&self, waiting: &Waiting, grades: &mut Grades) {
        let sets = waiting.replies.len();
        grades.binding.clear();
        grades.best.clear();
        if self.free == self.class.mover() as usize && self.full_board == FullBoard::Draw {
            grades.best.resize(sets, DRAWN);
            return;
        }
        grades.best.resize(sets, BLOCKED);
        grades.shot.clear();
        grades.shot.resize(sets, BLOCKED);
        grades.quiet.clear();
        grades.quiet.extend(waiting.replies.iter().map(|&symbol| self.quiet[symbol as usize]));
        for to in 0..self.free {
            let all = ((1 << self.free) - 1) & !(1 << to);
            let reach = if self.class.mover() == FLYING_COWS { all } else { waiting.neighbours[to] };
            self.shots(waiting, to, reach, grades);
            for from in bits(reach) {
                self.quiet_turns(from, to, grades);
            }
            for rank in grades.lined.drain(..) {
                grades.quiet[rank as usize] = self.quiet[waiting.replies[rank as usize] as usize];
            }
        }
    }

    /// The turns that complete a line at `to` with cows from `reach`. The sets they lead to are no longer reached by quiet
    /// turns, until the caller says so.
    fn shots(&self, waiting: &Waiting, to: usize, reach: u32, grades: &mut Grades) {
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
                grades.lined.push(rank);
                grades.quiet[rank as usize] = BLOCKED;
                let rest = moved & !(1 << to);
                let froms = reach & !moved;
                if froms == 0 {
                    continue;
                }
                let shot = self.best_shot(waiting, moved, &mut grades.shot[rank as usize]);
                for from in bits(froms) {
                    let rank = self.ranks.rank(rest | 1 << from);
                    let best = &mut grades.best[rank as usize];
                    let broke = |&pair: &u32| pair != 0 && pair & !rest == 0;
                    let binds = self.remakes
                        && self.class.waiting() > FEWEST_COWS
                        && shot > LOST_IN_1
                        && waiting.partners[from].iter().any(broke);
                    if binds {
                        *best = (*best).max(LOST_IN_1);
                        grades.binding.push(BindingShot { rank, moved, from: from as u8, to: to as u8 });
                    } else {
                        *best = (*best).max(shot);
                    }
                }
            }
        }
    }

    fn best_shot(&self, waiting: &Waiting, moved: u32, known: &mut Grade) -> Grade {
        if self.class.waiting() == FEWEST_COWS {
            return WON_IN_1;
        }
        if *known == BLOCKED {
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
    fn quiet_turns(&self, from: usize, to: usize, grades: &mut Grades) {
        let (low, high) = (from.min(to), from.max(to));
        let others = self.class.mover() as usize - 1;
        for below in 0..=others.min(low) {
            let run = binomial(low, below) as usize;
            for above in subsets(others - below, self.free - low - 2) {
                // The first set of the run, without the point that moves.
                let first = open(above << (low + 1), high as u32) | ((1 << below) - 1);
                let before = self.ranks.rank(first | 1 << from) as usize;
                let after = self.ranks.rank(first | 1 << to) as usize;
                let best = &mut grades.best[before..before + run];
                for (best, &reply) in best.iter_mut().zip(&grades.quiet[after..after + run]) {
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
    fn grades_are_in_the_order_of_values_and_give_them_back() {
        let mut values = crate::verify::moves::tests::every_value();
        assert!(values.iter().all(|&value| value_of(grade(value)) == value));
        values.sort_unstable();
        assert!(values.is_sorted_by_key(|&value| grade(value)));
    }

    #[test]
    fn opening_a_gap_keeps_the_order_of_bits() {
        assert_eq!([open(0b101, 0), open(0b101, 1), open(0b101, 3)], [0b1010, 0b1001, 0b101]);
    }
}
