//! Estimates how much memory a step needs before it begins.

use crate::lookahead::{AnswerCache, Outcomes};
use crate::rules::{FEWEST_COWS, RuleSet};
use crate::solve::{Robustness, bits_per_entry};
use crate::space::{Class, MOST_COWS, Orbits, Space};

use super::needs;

/// Bytes of memory that a step of a build needs, by purpose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryEstimate {
    /// The values and bit sets of the classes being solved.
    pub own: u64,
    /// The parts of smaller classes that are held, each with its bytes.
    pub below: Vec<(Class, u64)>,
    /// Everything else: orbit tables, lists of decisions, buffers.
    pub other: u64,
}

/// Lists of decisions, scratch space and encoding buffers, for a few threads.
const WORKING: u64 = 192 << 20;

/// Orbit tables: one word per set, about sixteen sets per orbit, and two more words per orbit.
const ORBIT_BYTES: u64 = 16 * 4 + 8;

impl MemoryEstimate {
    /// The memory for a step with the classes in `held` in memory.
    pub(super) fn new(rules: &RuleSet, class: Class, held: &[Class]) -> Self {
        let space = |class| Space::new(rules.board, class);
        let own = class.solved_together().map(|class| own_bytes(rules, space(class)));
        // Every class with one cow less may still have its flags, whether this step or a later one needs them.
        let has_flags = |held: &Class| !class.has_hands() && held.total() + 1 == class.total();
        let robustness = |held: &Class| if has_flags(held) { Robustness::bytes_of(rules, space(*held)) } else { 0 };
        let below = held.iter().map(|class| (*class, held_bytes(rules, *class) + robustness(class))).collect();
        // A smaller class is decoded before our own values exist.
        let decoded = held.iter().map(|&class| space(class).entries()).max().unwrap_or(0);
        let fewest = if class.has_hands() { 0 } else { FEWEST_COWS };
        let orbits = (fewest..=MOST_COWS)
            .map(|size| u64::from(Orbits::count_of(rules.board(), size)) * ORBIT_BYTES)
            .sum::<u64>();
        let answers = if class.has_hands() { 0 } else { AnswerCache::bytes(rules, class) };
        Self { own: own.sum::<u64>().max(decoded), below, other: WORKING + orbits + answers }
    }

    /// The memory for a step with everything it may look up in memory.
    pub fn at_full_speed(rules: &RuleSet, class: Class) -> Self {
        Self::new(rules, class, &needs::all(rules, class))
    }

    /// The least memory for a step.
    pub fn least(rules: &RuleSet, class: Class) -> Self {
        Self::new(rules, class, &needs::required(class))
    }

    /// The memory for a step within a limit: everything it may look up, or as many of the larger classes as fit, as
    /// those are looked up most. Returns `None` if the limit is too low.
    pub(super) fn within(rules: &RuleSet, class: Class, limit: u64) -> Option<Self> {
        let fits = |held: &[Class]| Some(Self::new(rules, class, held)).filter(|estimate| estimate.bytes() <= limit);
        let mut held = needs::required(class);
        let mut estimate = fits(&held)?;
        let mut more = needs::all(rules, class);
        more.retain(|class| !held.contains(class));
        more.sort_by_key(|class| std::cmp::Reverse(class.total()));
        for class in more {
            held.push(class);
            let Some(larger) = fits(&held) else { break };
            estimate = larger;
        }
        Some(estimate)
    }

    /// The classes to hold in memory.
    pub(super) fn held(&self) -> impl Iterator<Item = Class> {
        self.below.iter().map(|(class, _)| *class)
    }

    /// Whether this class is held in memory.
    pub(super) fn holds(&self, class: Class) -> bool {
        self.held().any(|held| held == class)
    }

    /// The total in bytes.
    pub fn bytes(&self) -> u64 {
        self.own + self.other + self.below.iter().map(|(_, bytes)| bytes).sum::<u64>()
    }
}

/// Bytes of memory that a class takes up while others are built on it.
pub(super) fn held_bytes(rules: &RuleSet, class: Class) -> u64 {
    let space = Space::new(rules.board, class);
    let values = if needs::keeps_values(rules, class) { space.entries() } else { 0 };
    Outcomes::bytes_of(space) + values
}

/// Bytes of a class being solved: its values, its outcomes at the end, and in the moving phase the sets of decided
/// positions.
fn own_bytes(rules: &RuleSet, space: Space) -> u64 {
    let values = space.entries() + Outcomes::bytes_of(space);
    if space.class().has_hands() {
        return values;
    }
    // The bit sets are laid out by the waiting set, like the table of the class after a quiet turn.
    let words = u64::from(space.block_entries()).div_ceil(64);
    values
        + u64::from(space.blocks()) * (words * 8 * bits_per_entry(rules, true) + 4)
        + Robustness::working_bytes(rules, space)
}
