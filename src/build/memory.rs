//! How much memory a pair needs, before it is begun.

use crate::index::{Class, Layout, Orbits};
use crate::rules::{NoRemake, RuleSet};
use crate::solve::Dependencies;

/// Bytes of memory that building a pair needs, by what they are for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Need {
    /// The pair's own values and bit sets.
    pub own: u64,
    /// Values of smaller classes, each with its bytes.
    pub below: Vec<(Class, u64)>,
    /// Everything else: tables of orbits, lists of decisions, buffers.
    pub other: u64,
}

/// Lists of decisions, scratch space and encoding buffers, for a few threads.
const WORKING: u64 = 192 << 20;

impl Need {
    /// What a pair needs when the classes in `held` are in memory.
    fn new(rules: &RuleSet, class: Class, held: &[Class]) -> Self {
        let sets = if rules.no_remake == NoRemake::None { 2 } else { 3 };
        let own = pair(class).map(|class| {
            let layout = Layout::new(class);
            // The bit sets are laid out like the partner's table.
            let words = u64::from(layout.block_entries()).div_ceil(64);
            layout.entries() + u64::from(layout.blocks()) * (words * 8 * sets + 4)
        });
        let below = held.iter().map(|&class| (class, Layout::new(class).entries())).collect();
        let orbits = (3..=12).map(|size| u64::from(Orbits::count_of(size)) * (16 * 4 + 8)).sum::<u64>();
        Self { own: own.sum(), below, other: WORKING + orbits }
    }

    /// What a pair needs with everything in memory that is asked for often.
    pub fn comfortable(rules: &RuleSet, class: Class) -> Self {
        Self::new(rules, class, &Dependencies::wanted(rules, class))
    }

    /// What a pair needs at least.
    pub fn least(rules: &RuleSet, class: Class) -> Self {
        Self::new(rules, class, &Dependencies::required(class))
    }

    /// The classes to hold in memory.
    pub(super) fn held(&self) -> impl Iterator<Item = Class> {
        self.below.iter().map(|(class, _)| *class)
    }

    /// All bytes.
    pub fn bytes(&self) -> u64 {
        self.own + self.other + self.below.iter().map(|(_, bytes)| bytes).sum::<u64>()
    }
}

/// The classes of a pair: one or two.
pub(super) fn pair(class: Class) -> impl Iterator<Item = Class> {
    let partner = (!class.is_balanced()).then(|| class.partner());
    std::iter::once(class).chain(partner)
}
