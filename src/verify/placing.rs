//! All entries of a class with cows in hand over decoded tables.
//!
//! As without hands, the loop runs over waiting sets. The mover places a cow, and the result depends only on the set
//! that this makes: a placement that completes no line leads into one block of the table after quiet turns, and each
//! shot into one block of the table after shots. So each set with one more cow is looked up once, its shots when first
//! needed, and each set of the mover takes the best of the sets that it can make.

use crate::alphabet::Alphabet;
use crate::lookahead::Values;
use crate::probe::ProbeError;
use crate::rules::{FEWEST_COWS, RuleSet};
use crate::space::Class;
use crate::space::subset::Ranks;
use crate::value::{Value, Wdl};

use super::cache::TableCache;
use super::claims::Claims;
use super::moves::{Moves, bits};
use super::report::{Findings, Progress};
use super::waiting::Waiting;
use super::walk::{Walk, WalkTables};

/// A waiting set of any size, up to all points being free.
type WaitingSet<'a> = Waiting<'a, 4>;

/// What completing a line achieves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Completion {
    /// Nothing: the waiting side has no cow on the board.
    Nothing,
    /// The shot of a cow.
    Shot,
    /// The win: any shot leaves the waiting side fewer than three cows, on the board and in hand together.
    Game,
}

impl Completion {
    const fn of(class: Class) -> Self {
        if class.waiting() == 0 {
            Self::Nothing
        } else if class.waiting() + class.waiting_hand() <= FEWEST_COWS {
            Self::Game
        } else {
            Self::Shot
        }
    }
}

/// What all waiting sets of a class have in common.
struct PlacingWalk<'a> {
    moves: Moves,
    claims: Claims<'a>,
    /// What completing a line achieves.
    line: Completion,
    /// The tables after quiet turns and after shots.
    quiet: &'a Values,
    shot: Option<&'a Values>,
    /// Ranks of the mover's sets once a cow is placed.
    ranks: &'static Ranks,
    /// What the symbols of the class's own table and of those after quiet turns and shots are worth to the mover.
    results: [[Wdl; 256]; 3],
}

/// A thread's buffers for a waiting set, reused for their memory.
#[derive(Default)]
struct PlacingScratch {
    /// What the table claims for each set of the mover, and what follows from the turns.
    claims: Vec<Wdl>,
    best: Vec<Wdl>,
    /// The quiet placement that makes a set, by the set's rank.
    quiet: Vec<Wdl>,
    /// The best shot with that set, if it was needed.
    shot: Vec<Option<Wdl>>,
}

/// Checks all entries of a class with cows in hand.
pub(super) fn check(
    rules: &RuleSet,
    cache: &mut TableCache,
    class: Class,
    progress: &Progress,
) -> Result<Findings, ProbeError> {
    let tables = WalkTables::new(cache, class)?;
    let WalkTables { own, quiet, shot } = &tables;
    let after = |values: &Values| results(values.alphabet()).map(Wdl::reversed);
    let walk = PlacingWalk {
        moves: Moves::new(rules),
        claims: Claims::new(own),
        line: Completion::of(class),
        quiet,
        shot: shot.as_deref(),
        ranks: Ranks::of(class.mover() as usize + 1),
        results: [results(own.alphabet()), after(quiet), after(shot.as_deref().unwrap_or(quiet))],
    };
    Ok(tables.check(&walk, progress))
}

/// What each symbol is worth to the side to move.
fn results(alphabet: &Alphabet) -> [Wdl; 256] {
    std::array::from_fn(|symbol| alphabet.value(symbol as u8).map_or(Wdl::Drawn, Value::wdl))
}

impl Walk for PlacingWalk<'_> {
    type Scratch = PlacingScratch;

    fn claims(&self) -> &Claims<'_> {
        &self.claims
    }

    fn check_waiting(&self, block: u32, scratch: &mut PlacingScratch) -> Findings {
        let waiting = WaitingSet::new(&self.moves, self.quiet, self.shot, block);
        let [stored, after_quiet, _] = &self.results;
        scratch.quiet.clear();
        scratch.quiet.extend(waiting.replies.iter().map(|&symbol| after_quiet[symbol as usize]));
        scratch.shot.clear();
        scratch.shot.resize(waiting.replies.len(), None);
        let lines = if self.line == Completion::Nothing { Vec::new() } else { lines(&waiting) };
        let mut best = std::mem::take(&mut scratch.best);
        best.clear();
        best.extend(self.claims.sets().iter().map(|&set| self.best(&waiting, &lines, set, scratch)));
        scratch.best = best;
        self.claims.read(&waiting, stored, &mut scratch.claims);
        self.claims.differences(&waiting, [&scratch.claims, &scratch.best], Value::uncounted)
    }
}

impl PlacingWalk<'_> {
    /// The result of the best placement for a set of the mover.
    fn best(&self, waiting: &WaitingSet, lines: &[u32], set: u32, scratch: &mut PlacingScratch) -> Wdl {
        let empty = ((1 << waiting.points.len()) - 1) & !set;
        let completing = completing(lines, set);
        if completing != 0 && self.line == Completion::Game {
            return Wdl::Won;
        }
        let mut best = Wdl::Lost;
        for to in bits(empty & !completing) {
            best = best.max(scratch.quiet[self.ranks.rank(set | 1 << to) as usize]);
            if best == Wdl::Won {
                return best;
            }
        }
        for to in bits(completing) {
            let placed = set | 1 << to;
            let rank = self.ranks.rank(placed) as usize;
            best = best.max(*scratch.shot[rank].get_or_insert_with(|| self.best_shot(waiting, placed)));
            if best == Wdl::Won {
                return best;
            }
        }
        best
    }

    /// The result of the best shot once the mover has this set.
    fn best_shot(&self, waiting: &WaitingSet, placed: u32) -> Wdl {
        let [.., after_shot] = &self.results;
        let mut best = Wdl::Lost;
        for target in &waiting.targets {
            let reply = target.replies[self.ranks.rank(target.there.of(placed)) as usize];
            best = best.max(after_shot[reply as usize]);
            if best == Wdl::Won {
                break;
            }
        }
        best
    }
}

/// The lines that the waiting set leaves free.
fn lines(waiting: &WaitingSet) -> Vec<u32> {
    let through = |point: usize| {
        // Takes each line once: at its lowest point.
        let above = move |pair: &&u32| **pair != 0 && **pair & ((1 << point) - 1) == 0;
        waiting.partners[point].iter().filter(above).map(move |pair| pair | 1 << point)
    };
    (0..waiting.points.len()).flat_map(through).collect()
}

/// The points where a cow completes one of the lines with this set.
#[inline]
fn completing(lines: &[u32], set: u32) -> u32 {
    lines.iter().fold(0, |points, line| {
        let gaps = line & !set;
        if gaps & gaps.wrapping_sub(1) == 0 { points | gaps } else { points }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_completed_where_one_point_is_missing() {
        let lines = [0b0111, 0b1_1100, 0b110_0001];
        assert_eq!(completing(&lines, 0b0011), 0b0100);
        assert_eq!(completing(&lines, 0b10_1001), 0b100_0000);
        assert_eq!(completing(&lines, 0b0111), 0);
        assert_eq!(completing(&lines, 0b0101_0011), 0b10_0100);
    }
}
