//! Solving a class and its reverse from beginning to end.

use std::sync::atomic::Ordering;

use crate::lookahead::{AnswerCache, Values};
use crate::rules::RuleSet;
use crate::space::Class;

use super::control::Control;
use super::dependencies::Dependencies;
use super::error::SolveError;
use super::half::{Half, PassKind};
use super::pass::Pair;

/// Solves `class` and its reverse; the result holds `class` first and its reverse, if that is another class, second.
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
    let mut halves = vec![Half::new(class, rules)];
    halves.extend((reverse != class).then(|| Half::new(reverse, rules)));
    let cache = AnswerCache::helps(rules, class).then(AnswerCache::new);
    let mut pair = Pair { rules, dependencies, control, halves, cache };
    let decided = pair.pass_over_all(PassKind::Seed)?;
    Ok(SeededPair { pair, class, decided })
}

/// A class and its reverse whose decisions by shots are known.
pub struct SeededPair<'a> {
    pair: Pair<'a>,
    class: Class,
    /// How many entries were decided.
    decided: u64,
}

impl SeededPair<'_> {
    /// Spreads the decisions backwards, a ply at a time, until nothing changes or the draw counter ends it.
    ///
    /// # Errors
    /// As [`solve_pair`].
    pub fn induce(self) -> Result<Vec<Values>, SolveError> {
        let Self { mut pair, class, decided: mut found } = self;
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
        pair.halves.into_iter().map(Half::finish).collect()
    }
}

impl std::fmt::Debug for SeededPair<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SeededPair").field("class", &self.class).field("decided", &self.decided).finish_non_exhaustive()
    }
}
