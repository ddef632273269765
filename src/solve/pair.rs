//! Solving a class and its reverse from beginning to end.

use std::sync::atomic::Ordering;

use crate::lookahead::{AnswerCache, Values};
use crate::rules::{NoRemake, RuleSet};
use crate::space::Class;

use super::control::Control;
use super::dependencies::Dependencies;
use super::error::SolveError;
use super::fragility::FragilityBounds;
use super::half::{Half, PassKind};
use super::pass::Pair;
use super::robustness::{Robustness, ShotTable};

/// Solves `class` and its reverse. The result holds `class` first and, if its reverse is another class, that second.
///
/// Runs in the current rayon thread pool. The result is the same for any number of threads.
///
/// # Errors
/// [`SolveError`] if dependencies are missing, the work is cancelled, or there are too many different values.
pub fn solve_pair(
    rules: &RuleSet,
    class: Class,
    dependencies: &Dependencies<'_>,
    control: &Control,
) -> Result<Vec<Values>, SolveError> {
    seed_pair(rules, class, dependencies, control)?.induce()
}

/// The same, and also finds which results hold whatever a restriction bars.
///
/// # Errors
/// As [`solve_pair`].
pub fn solve_pair_with_robustness(
    rules: &RuleSet,
    class: Class,
    dependencies: &Dependencies<'_>,
    control: &Control,
) -> Result<SolvedPair, SolveError> {
    let limit = rules.counter_limit(class.mover(), class.waiting());
    let known = rules.no_remake != NoRemake::None && limit.is_none_or(|limit| limit >= FragilityBounds::LEAST_LIMIT);
    let mut seeded = Seeding { rules, dependencies, control, robustness: known }.seed(class)?;
    seeded.decide()?;
    let robustness = if known { seeded.pair.find_robustness()? } else { Vec::new() };
    Ok(SolvedPair { values: seeded.finish()?, robustness })
}

/// The first half of [`solve_pair`]: what shots and blocked positions decide. [`SeededPair::induce`] does the rest.
///
/// # Errors
/// As [`solve_pair`].
pub fn seed_pair<'a>(
    rules: &'a RuleSet,
    class: Class,
    dependencies: &'a Dependencies<'a>,
    control: &'a Control,
) -> Result<SeededPair<'a>, SolveError> {
    Seeding { rules, dependencies, control, robustness: false }.seed(class)
}

/// What is needed to seed a pair.
struct Seeding<'a> {
    rules: &'a RuleSet,
    dependencies: &'a Dependencies<'a>,
    control: &'a Control,
    /// Whether it will be asked which results hold whatever a restriction bars.
    robustness: bool,
}

impl<'a> Seeding<'a> {
    fn seed(self, class: Class) -> Result<SeededPair<'a>, SolveError> {
        let Self { rules, dependencies, control, robustness } = self;
        class.check(rules)?;
        if class.has_hands() {
            return Err(SolveError::Hands { class });
        }
        let mut missing = Dependencies::required(class);
        missing.retain(|class| dependencies.outcomes(*class).is_none());
        if !missing.is_empty() {
            return Err(SolveError::MissingDependencies { class, missing });
        }
        let reverse = class.successors().quiet;
        let mut halves = vec![Half::new(class, rules, robustness)];
        halves.extend((reverse != class).then(|| Half::new(reverse, rules, robustness)));
        if rules.no_remake != NoRemake::None {
            for half in &mut halves {
                let shot = half.shape.class.successors().shot;
                let outcomes = shot.and_then(|shot| dependencies.outcomes(shot));
                half.shot_table =
                    outcomes.map(|outcomes| ShotTable::new(outcomes, dependencies.robustness(outcomes.class())));
            }
        }
        let cache = AnswerCache::helps(rules, class).then(AnswerCache::new);
        let mut pair = Pair { rules, dependencies, control, halves, cache };
        let decided = pair.pass_over_all(PassKind::Seed)?;
        pair.halves.iter_mut().for_each(|half| half.shot_table = None);
        Ok(SeededPair { pair, class, decided })
    }
}

/// A solved class and, if it is another class, its reverse.
#[derive(Debug)]
pub struct SolvedPair {
    /// The values of both.
    pub values: Vec<Values>,
    /// Which of them hold whatever a restriction bars: for [`Dependencies::add_robustness`] of pairs with one more cow.
    /// Empty without a no-remake rule, or if not asked for.
    pub robustness: Vec<Robustness>,
}

impl From<Vec<Values>> for SolvedPair {
    /// Values about which no more is known.
    fn from(values: Vec<Values>) -> Self {
        Self { values, robustness: Vec::new() }
    }
}

impl Pair<'_> {
    /// Which results hold whatever a restriction bars, in the order of the classes. Seeding must have prepared for
    /// this.
    fn find_robustness(&mut self) -> Result<Vec<Robustness>, SolveError> {
        self.halves.iter_mut().for_each(|half| half.robustness = Some(Robustness::new(half.shape.own)));
        self.pass_over_all(PassKind::BarredMover)?;
        self.pass_over_all(PassKind::BarredWaiting)?;
        Ok(self.halves.iter_mut().filter_map(|half| half.robustness.take()).collect())
    }
}

/// A class and its reverse with the decisions by shots known.
pub struct SeededPair<'a> {
    pair: Pair<'a>,
    class: Class,
    /// How many entries were decided.
    decided: u64,
}

impl SeededPair<'_> {
    /// Spreads the decisions backwards, one ply at a time, until nothing changes or the draw counter ends it.
    ///
    /// # Errors
    /// As [`solve_pair`].
    pub fn induce(mut self) -> Result<Vec<Values>, SolveError> {
        self.decide()?;
        self.finish()
    }

    fn decide(&mut self) -> Result<(), SolveError> {
        let Self { pair, class, decided } = self;
        let mut found = *decided;
        let limit = pair.rules.counter_limit(class.mover(), class.waiting()).unwrap_or(u16::MAX);
        for depth in 1..=limit {
            if depth > 1 && found == 0 {
                break;
            }
            pair.control.depth.store(u64::from(depth), Ordering::Relaxed);
            let decided = pair.pass_over_all(PassKind::Induce(depth))?;
            // Decisions in one ply are found while seeding too.
            found = if depth == 1 { found + decided } else { decided };
        }
        Ok(())
    }

    fn finish(self) -> Result<Vec<Values>, SolveError> {
        self.pair.halves.into_iter().map(Half::finish).collect()
    }
}

impl std::fmt::Debug for SeededPair<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SeededPair").field("class", &self.class).field("decided", &self.decided).finish_non_exhaustive()
    }
}
