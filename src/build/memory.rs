//! How much memory a step takes, estimated before it is begun.

use crate::lookahead::{AnswerCache, Outcomes};
use crate::rules::{FEWEST_COWS, RuleSet};
use crate::solve::{Robustness, bits_per_entry};
use crate::space::{Class, MOST_COWS, Orbits, Space};

use super::needs;

/// Bytes of memory that a step of a build takes, by what they are for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryEstimate {
    /// The values and bit sets of the classes that are solved.
    pub own: u64,
    /// What is held of smaller classes, each with its bytes.
    pub below: Vec<(Class, u64)>,
    /// Everything else: tables of orbits, lists of decisions, buffers.
    pub other: u64,
}

/// Lists of decisions, scratch space and encoding buffers, for a few threads.
const WORKING: u64 = 192 << 20;

/// Tables of orbits: a word for each set, about sixteen an orbit, and two more for the orbit.
const ORBIT_BYTES: u64 = 16 * 4 + 8;

impl MemoryEstimate {
    /// What a step takes when the classes in `held` are in memory.
    pub(super) fn new(rules: &RuleSet, class: Class, held: &[Class]) -> Self {
        let space = |class| Space::new(rules.board, class);
        let own = class.solved_together().map(|class| own_bytes(rules, space(class)));
        let robust = if class.has_hands() { Vec::new() } else { needs::required(class) };
        let robustness =
            |held: &Class| if robust.contains(held) { Robustness::bytes_of(rules, space(*held)) } else { 0 };
        let below = held.iter().map(|class| (*class, held_bytes(rules, *class) + robustness(class))).collect();
        // A smaller class is decoded before there are values of our own.
        let decoded = held.iter().map(|&class| space(class).entries()).max().unwrap_or(0);
        let fewest = if class.has_hands() { 0 } else { FEWEST_COWS };
        let orbits = (fewest..=MOST_COWS)
            .map(|size| u64::from(Orbits::count_of(rules.board(), size)) * ORBIT_BYTES)
            .sum::<u64>();
        let answers = if class.has_hands() { 0 } else { AnswerCache::bytes(rules, class) };
        Self { own: own.sum::<u64>().max(decoded), below, other: WORKING + orbits + answers }
    }

    /// What a step takes with everything in memory that may be asked for.
    pub fn at_full_speed(rules: &RuleSet, class: Class) -> Self {
        Self::new(rules, class, &needs::all(rules, class))
    }

    /// What a step takes at least.
    pub fn least(rules: &RuleSet, class: Class) -> Self {
        Self::new(rules, class, &needs::required(class))
    }

    /// What a step takes within a limit: all that may be asked for in memory, or as many of the larger classes as there is
    /// room for, as those are asked for most. Nothing if the limit is too low.
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

    /// Whether this class is one of them.
    pub(super) fn holds(&self, class: Class) -> bool {
        self.held().any(|held| held == class)
    }

    /// All bytes.
    pub fn bytes(&self) -> u64 {
        self.own + self.other + self.below.iter().map(|(_, bytes)| bytes).sum::<u64>()
    }
}

/// Bytes of memory that a class takes while others are built on it.
pub(super) fn held_bytes(rules: &RuleSet, class: Class) -> u64 {
    let space = Space::new(rules.board, class);
    let values = if needs::keeps_values(rules, class) { space.entries() } else { 0 };
    Outcomes::bytes_of(space) + values
}

/// Bytes of a class that is solved: its values, its outcomes at the end, and in the moving phase the sets of what is decided.
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
