//! [`TableSets`]: the tables of several rule sets.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::present::{LongestJson, LongestPositionJson};
use crate::probe::{ProbeError, Tablebase};
use crate::rules::RuleSet;
use crate::space::Class;

/// Most entries of a class that is searched for a position with its longest DTC while a client waits: a fraction of a
/// second.
const FEW_ENTRIES: u64 = 12_000_000;

/// The tables of several rule sets. The first answers requests that name no rules.
#[derive(Clone, Debug, Default)]
pub struct TableSets(Vec<Arc<TableSet>>);

impl TableSets {
    /// The rules of each set, in order.
    pub fn rules(&self) -> impl Iterator<Item = &RuleSet> {
        self.0.iter().map(|set| set.rules())
    }

    /// The sets in order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<TableSet>> {
        self.0.iter()
    }

    /// The set with these rules; the first if none are given.
    pub fn find(&self, rules: Option<&RuleSet>) -> Option<&Arc<TableSet>> {
        rules.map_or_else(|| self.0.first(), |rules| self.0.iter().find(|set| set.rules() == rules))
    }
}

impl FromIterator<Arc<TableSet>> for TableSets {
    /// These sets, each with its own rules; of several with the same rules only the first is ever used.
    fn from_iter<I: IntoIterator<Item = Arc<TableSet>>>(sets: I) -> Self {
        Self(sets.into_iter().collect())
    }
}

impl FromIterator<Tablebase> for TableSets {
    /// The same from tables alone.
    fn from_iter<I: IntoIterator<Item = Tablebase>>(tables: I) -> Self {
        tables.into_iter().map(TableSet::new).map(Arc::new).collect()
    }
}

/// The tables of one rule set.
#[derive(Debug)]
pub struct TableSet {
    rules: RuleSet,
    tables: RwLock<Tablebase>,
    /// Positions with the longest DTC found so far, for the current tables.
    longest: Mutex<BTreeMap<Class, Option<LongestPositionJson>>>,
}

impl TableSet {
    /// Tables, which determine the rules.
    pub fn new(tables: Tablebase) -> Self {
        Self { rules: *tables.rules(), tables: RwLock::new(tables), longest: Mutex::default() }
    }

    /// The same with known positions of the longest DTC; for other classes none is searched for.
    #[must_use]
    pub(super) fn with_longest(mut self, known: BTreeMap<Class, Option<LongestPositionJson>>) -> Self {
        self.longest = Mutex::new(known);
        self
    }

    /// The rules.
    pub const fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The current tables. A caller that answers with them keeps them until it is done, whatever happens in the
    /// meantime.
    pub fn tables(&self) -> Tablebase {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the current tables with others of the same rules.
    #[cfg(feature = "serve")]
    pub(crate) fn replace(&self, tables: Tablebase) {
        self.longest.lock().unwrap_or_else(PoisonError::into_inner).clear();
        *self.tables.write().unwrap_or_else(PoisonError::into_inner) = tables;
    }

    /// A position with a class's longest DTC, searched for once; `None` for a class with many entries.
    pub(crate) fn longest(&self, tables: &Tablebase, class: Class) -> Result<Option<LongestPositionJson>, ProbeError> {
        if tables.meta(class)?.entries() > FEW_ENTRIES {
            return Ok(None);
        }
        if let Some(known) = self.longest.lock().unwrap_or_else(PoisonError::into_inner).get(&class) {
            return Ok(known.clone());
        }
        let found = LongestJson::find(tables, class)?.longest;
        self.longest.lock().unwrap_or_else(PoisonError::into_inner).insert(class, found.clone());
        Ok(found)
    }
}
