//! Backward induction over a class and its reverse, one ply of distance per pass, directly from the definitions.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use rayon::prelude::*;

use crate::board::{POINTS, PointSet};
use crate::game::{Position, Remake, Side};
use crate::rules::{FEWEST_COWS, FullBoard, NoRemake, RuleSet};
use crate::space::Class;
use crate::threads;
use crate::value::{Plies, Value, Wdl};

use super::ahead::look_ahead;
use super::ground::{Ground, bits, empty};
use super::placements::Placements;
use super::{ReferenceCounts, ReferenceError, ReferenceRow};

/// The most placements of all required classes together that the reference handles: two bytes each.
pub const MOST_PLACEMENTS: u64 = 4_000_000_000;

// One word a position. Those that end up `OPEN` or `SAFE` are drawn.
/// Not decided so far.
const OPEN: u16 = 0;
/// Not decided so far and never lost: some shot leaves the opponent without a win.
const SAFE: u16 = 999;
/// `LOST + n`: lost in `n` plies; `n` in `1..SAFE` by itself: won in `n`.
const LOST: u16 = 1000;
/// One more than the highest word.
const WORDS: usize = 2000;
/// The longest distance that a word can hold.
const MOST_PLIES: u16 = 998;

/// The values of one class.
#[derive(Debug)]
struct WordTable {
    space: Placements,
    words: Vec<AtomicU16>,
}

impl WordTable {
    fn new(class: Class) -> Self {
        let space = Placements::new(class.mover().into(), class.waiting().into());
        let words = (0..space.len()).into_par_iter().map(|_| AtomicU16::new(OPEN)).collect();
        Self { space, words }
    }

    fn word(&self, mover: u32, waiting: u32) -> u16 {
        self.words[self.space.index(mover, waiting)].load(Relaxed)
    }

    fn set(&self, index: usize, word: u16) {
        self.words[index].store(word, Relaxed);
    }

    fn value(&self, mover: u32, waiting: u32) -> Value {
        value(self.word(mover, waiting))
    }
}

fn value(word: u16) -> Value {
    match word {
        OPEN | SAFE => Value::Drawn,
        LOST.. => Value::Lost(Plies(word - LOST)),
        n => Value::Won(Plies(n)),
    }
}

fn is_undecided(word: u16) -> bool {
    word == OPEN || word == SAFE
}

/// Whether the word means won in at most `plies`.
fn is_won_by(word: u16, plies: u16) -> bool {
    (1..SAFE).contains(&word) && word <= plies
}

/// Solved classes of one rule set: the oracle for tests of the fast solver.
///
/// ```
/// use morabase::{Class, Preset, reference::Reference};
/// let class = Class::moving(3, 3)?;
/// let solved = Reference::solve(&Preset::Plain.rules(), class)?;
/// assert_eq!(solved.counts(class)?.won, 2_240_880);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Reference {
    rules: RuleSet,
    ground: &'static Ground,
    tables: BTreeMap<Class, WordTable>,
    /// A pass looks at every position if the previous pass decided more than one in this many.
    full_pass_share: usize,
}

impl Reference {
    /// A reference with no solved classes yet.
    pub fn new(rules: &RuleSet) -> Self {
        Self { rules: *rules, ground: Ground::of(rules.board), tables: BTreeMap::new(), full_pass_share: 64 }
    }

    /// A class solved together with its reverse and all classes they depend on.
    ///
    /// # Errors
    /// [`ReferenceError`] if the rules do not have the class, or it needs too much memory at two bytes per placement.
    pub fn solve(rules: &RuleSet, class: Class) -> Result<Self, ReferenceError> {
        let mut reference = Self::new(rules);
        reference.add(class)?;
        Ok(reference)
    }

    /// Solves a class too, with its reverse and what is missing of what they depend on.
    ///
    /// # Errors
    /// As for [`solve`](Self::solve).
    pub fn add(&mut self, class: Class) -> Result<(), ReferenceError> {
        super::moving(&self.rules, class)?;
        let needed = needed(class);
        let placements: u64 = needed.iter().map(|class| placements(*class)).sum();
        if placements > MOST_PLACEMENTS {
            return Err(ReferenceError::TooLarge { class, placements, most: MOST_PLACEMENTS });
        }
        // Fewest cows first, so that whatever a shot leads into is there.
        for class in needed {
            if !self.tables.contains_key(&class) {
                self.solve_pair(class)?;
            }
        }
        Ok(())
    }

    /// The rule set.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    pub(super) fn ground(&self) -> &'static Ground {
        self.ground
    }

    /// The solved classes.
    pub fn classes(&self) -> impl Iterator<Item = Class> + '_ {
        self.tables.keys().copied()
    }

    /// The value of the position with these cows of the side to move and of the waiting side, with empty hands, nothing
    /// counted yet and no restrictions.
    ///
    /// # Errors
    /// [`ReferenceError`] if the sets overlap, a side has fewer than three cows or the class is not solved.
    pub fn value(&self, mover: PointSet, waiting: PointSet) -> Result<Value, ReferenceError> {
        Ok(self.table(mover, waiting)?.value(mover.bits(), waiting.bits()))
    }

    /// The value of a position of the moving phase with its draw counter, its restrictions and, in the middle of a
    /// turn, the outstanding shot (which counts as one ply).
    ///
    /// # Errors
    /// [`ReferenceError`] if a required class is not solved or there are cows in hand.
    pub fn value_with(&self, position: &Position) -> Result<Value, ReferenceError> {
        if position.hands != [0, 0] {
            return Err(ReferenceError::CowsInHand);
        }
        look_ahead(&self.rules, position, &|bare| self.value(bare.mover(), bare.waiting()))
    }

    /// How many positions of a class are won, drawn and lost, and in how many plies.
    ///
    /// # Errors
    /// [`ReferenceError::Unsolved`] if the class is not solved.
    pub fn counts(&self, class: Class) -> Result<ReferenceCounts, ReferenceError> {
        let table = self.tables.get(&class).ok_or(ReferenceError::Unsolved { class })?;
        let mut of_word = [0u64; WORDS];
        for word in &table.words {
            of_word[usize::from(word.load(Relaxed))] += 1;
        }
        let mut counts = ReferenceCounts { positions: table.words.len() as u64, ..ReferenceCounts::default() };
        let mut by_plies: BTreeMap<u16, ReferenceRow> = BTreeMap::new();
        for (word, &count) in (0..).zip(&of_word).filter(|(_, count)| **count > 0) {
            let value = value(word);
            match value.wdl() {
                Wdl::Won => counts.won += count,
                Wdl::Drawn => counts.drawn += count,
                Wdl::Lost => counts.lost += count,
            }
            let Some(Plies(plies)) = value.dtc() else { continue };
            let entry = by_plies.entry(plies).or_insert(ReferenceRow { plies, won: 0, lost: 0 });
            match value.wdl() {
                Wdl::Won => entry.won += count,
                _ => entry.lost += count,
            }
        }
        counts.dtc = by_plies.into_values().collect();
        Ok(counts)
    }

    /// Every position of a class, as the mover's and the waiting side's cows, with its value.
    ///
    /// # Errors
    /// [`ReferenceError::Unsolved`] if the class is not solved.
    pub fn positions(
        &self,
        class: Class,
    ) -> Result<impl Iterator<Item = (PointSet, PointSet, Value)> + '_, ReferenceError> {
        let table = self.tables.get(&class).ok_or(ReferenceError::Unsolved { class })?;
        Ok(table.words.iter().enumerate().map(|(index, word)| {
            let (mover, waiting) = table.space.at(index);
            let sets = [mover, waiting].map(PointSet::from_bits_truncate);
            (sets[0], sets[1], value(word.load(Relaxed)))
        }))
    }

    fn table(&self, mover: PointSet, waiting: PointSet) -> Result<&WordTable, ReferenceError> {
        if let Some(point) = mover.intersection(waiting).iter().next() {
            return Err(ReferenceError::Overlap { point });
        }
        let class = Class::moving(mover.len(), waiting.len())?;
        self.tables.get(&class).ok_or(ReferenceError::Unsolved { class })
    }

    fn solve_pair(&mut self, class: Class) -> Result<(), ReferenceError> {
        threads::ready();
        let tables: Vec<(Class, WordTable)> = if class.mover() == class.waiting() {
            vec![(class, WordTable::new(class))]
        } else {
            [class, class.successors().quiet].map(|class| (class, WordTable::new(class))).into()
        };
        let limit = self.rules.counter_limit(class.mover(), class.waiting()).unwrap_or(u16::MAX);
        // A class and its reverse are each other's successors by quiet turns; a balanced one is its own.
        let pairs: Vec<(&WordTable, &WordTable)> = match &tables[..] {
            [(_, a), (_, b)] => vec![(a, b), (b, a)],
            all => all.iter().map(|(_, table)| (table, table)).collect(),
        };
        for (table, _) in &pairs {
            self.blocked_pass(table);
        }
        for (table, _) in &pairs {
            self.first_pass(table)?;
        }
        let mut plies = 2;
        while plies <= limit {
            let mut news = false;
            for (table, reverse) in &pairs {
                news |= self.pass(table, reverse, plies)? > 0;
            }
            if !news {
                break;
            }
            plies += 1;
        }
        self.tables.extend(tables);
        Ok(())
    }

    /// Lost in 0: the side to move has no legal turn.
    fn blocked_pass(&self, table: &WordTable) {
        (0..table.words.len()).into_par_iter().for_each(|index| {
            let (mover, waiting) = table.space.at(index);
            if self.is_blocked(mover, waiting) {
                let drawn = empty(mover, waiting) == 0 && self.rules.full_board == FullBoard::Draw;
                table.set(index, if drawn { SAFE } else { LOST });
            }
        });
    }

    fn is_blocked(&self, mover: u32, waiting: u32) -> bool {
        self.ground.moves(mover, waiting).next().is_none()
    }

    /// Finds positions won in 1 and lost in 1, and what the shots say about the others.
    fn first_pass(&self, table: &WordTable) -> Result<(), ReferenceError> {
        (0..table.words.len())
            .into_par_iter()
            .filter(|&index| is_undecided(table.words[index].load(Relaxed)))
            .try_for_each(|index| {
                let (mover, waiting) = table.space.at(index);
                if !self.is_blocked(mover, waiting) {
                    table.set(index, self.word_by_shots(mover, waiting)?);
                }
                Ok(())
            })
    }

    fn word_by_shots(&self, mover: u32, waiting: u32) -> Result<u16, ReferenceError> {
        let (mut safe, mut quiet) = (false, false);
        for (from, to) in self.ground.moves(mover, waiting) {
            let rest = mover & !(1 << from);
            let moved = rest | 1 << to;
            if !self.ground.completes(rest, to) {
                quiet = true;
                if self.is_blocked(waiting, moved) && empty(waiting, moved) != 0 {
                    return Ok(1);
                }
                continue;
            }
            for at in bits(self.ground.targets(waiting)) {
                match self.entered(mover, from, to, waiting & !(1 << at))?.wdl() {
                    Wdl::Lost => return Ok(1),
                    Wdl::Drawn => safe = true,
                    Wdl::Won => {}
                }
            }
        }
        Ok(match (safe, quiet) {
            (true, _) => SAFE,
            (false, true) => OPEN,
            (false, false) => LOST + 1,
        })
    }

    /// The value for the opponent, whose cows are `left` after the shot, when the cows `mover` moved `from` -> `to`. An
    /// error if the class below is not solved.
    pub(super) fn entered(&self, mover: u32, from: u32, to: u32, left: u32) -> Result<Value, ReferenceError> {
        if left.count_ones() < u32::from(FEWEST_COWS) {
            return Ok(Value::Lost(Plies(0)));
        }
        let rest = mover & !(1 << from);
        let moved = rest | 1 << to;
        let [left, moved] = [left, moved].map(PointSet::from_bits_truncate);
        if self.rules.no_remake != NoRemake::None && self.ground.completes(rest, from) {
            let mut position = Position::moving([left, moved], Side::First);
            position.remakes[1] = remake(from, to);
            self.value_with(&position)
        } else {
            self.value(left, moved)
        }
    }

    /// Finds positions won or lost in exactly `plies`, two or more: only quiet turns can still matter. Returns how many
    /// were decided.
    fn pass(&self, table: &WordTable, reverse: &WordTable, plies: u16) -> Result<usize, ReferenceError> {
        let before = plies - 1;
        let is_new = |word: u16| word == before || word == LOST + before;
        let news: Vec<usize> = (0..reverse.words.len())
            .into_par_iter()
            .filter(|&index| is_new(reverse.words[index].load(Relaxed)))
            .collect();
        let may_win = news.par_iter().any(|&index| reverse.words[index].load(Relaxed) == LOST + before);
        let decide = |index: usize| {
            let word = self.word_by_quiet_turns(table, reverse, index, before, may_win);
            if let Some(word) = word {
                table.set(index, word);
            }
            word.is_some()
        };
        let all = table.words.len();
        let count = if news.len() > all / self.full_pass_share {
            (0..all).into_par_iter().filter(|&index| decide(index)).count()
        } else {
            let candidates = self.predecessors(table, reverse, &news);
            candidates.into_par_iter().filter(|&index| decide(index)).count()
        };
        if count > 0 && plies > MOST_PLIES {
            return Err(ReferenceError::TooDeep { most: MOST_PLIES });
        }
        Ok(count)
    }

    /// The word of a position if it is now decided, in exactly `before + 1` plies.
    ///
    /// It can only be won if some position of `reverse` is lost in `before` plies, as `may_win` says. Words with one
    /// more ply may appear in `reverse` in the meantime; they count as undecided here.
    fn word_by_quiet_turns(
        &self,
        table: &WordTable,
        reverse: &WordTable,
        index: usize,
        before: u16,
        may_win: bool,
    ) -> Option<u16> {
        let word = table.words[index].load(Relaxed);
        let mut all_lose = word == OPEN;
        if !is_undecided(word) || !all_lose && !may_win {
            return None;
        }
        let (mover, waiting) = table.space.at(index);
        for (from, to) in self.ground.moves(mover, waiting) {
            let rest = mover & !(1 << from);
            if self.ground.completes(rest, to) {
                continue;
            }
            let answer = reverse.word(waiting, rest | 1 << to);
            if answer == LOST + before {
                return Some(before + 1);
            }
            all_lose &= is_won_by(answer, before);
            if !all_lose && !may_win {
                return None;
            }
        }
        all_lose.then_some(LOST + before + 1)
    }

    /// The positions of `table` from which a quiet turn leads to one of `reverse` in `news`.
    fn predecessors(&self, table: &WordTable, reverse: &WordTable, news: &[usize]) -> Vec<usize> {
        let mut found: Vec<usize> = news
            .par_iter()
            .flat_map_iter(|&index| {
                let (waiting, mover) = reverse.space.at(index);
                // A move that completes a line would have to shoot.
                let came = bits(mover).filter(move |&to| !self.ground.completes(mover & !(1 << to), to));
                came.flat_map(move |to| {
                    let origins = bits(self.ground.origins(mover, waiting, to));
                    origins.map(move |from| table.space.index(mover & !(1 << to) | 1 << from, waiting))
                })
            })
            .collect();
        found.par_sort_unstable();
        found.dedup();
        found
    }
}

fn remake(from: u32, to: u32) -> Option<Remake> {
    let point = |number: u32| PointSet::from_bits_truncate(1 << number).iter().next();
    Some(Remake { from: point(from)?, to: point(to)? })
}

/// The class, its reverse and everything below, fewest cows first.
fn needed(class: Class) -> Vec<Class> {
    let mut needed = vec![class, class.successors().quiet];
    let mut at = 0;
    while let Some(class) = needed.get(at).copied() {
        // Nobody can move on a full board, so nothing follows.
        if usize::from(class.total()) < POINTS {
            needed.extend(class.successors().shot.into_iter().flat_map(|below| [below, below.successors().quiet]));
        }
        at += 1;
        let mut seen = std::collections::BTreeSet::new();
        needed.retain(|class| seen.insert(*class));
    }
    needed.sort_by_key(|class| (class.total(), *class));
    needed
}

fn placements(class: Class) -> u64 {
    Placements::new(class.mover().into(), class.waiting().into()).len() as u64
}
