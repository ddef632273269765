//! [`TableSets`]: the tables of several rule sets.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::present::{LongestJson, LongestPositionJson};
use crate::probe::{ProbeError, Tablebase};
use crate::rules::{Preset, RuleError, RuleSet};
use crate::space::Class;

/// Entries of a class that is looked through for a position of its longest DTC while somebody waits: a fraction of a second.
const FEW_ENTRIES: u64 = 12_000_000;

/// The tables of several rule sets. The first is the one that answers where a request names no rules.
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

    /// The set of these rules; without any the first.
    pub fn find(&self, rules: Option<&RuleSet>) -> Option<&Arc<TableSet>> {
        rules.map_or_else(|| self.0.first(), |rules| self.0.iter().find(|set| set.rules() == rules))
    }
}

impl FromIterator<Arc<TableSet>> for TableSets {
    /// These sets, each of rules of its own; of several of the same rules only the first is ever asked.
    fn from_iter<I: IntoIterator<Item = Arc<TableSet>>>(sets: I) -> Self {
        Self(sets.into_iter().collect())
    }
}

impl FromIterator<Tablebase> for TableSets {
    /// The same for tables alone.
    fn from_iter<I: IntoIterator<Item = Tablebase>>(tables: I) -> Self {
        tables.into_iter().map(TableSet::new).map(Arc::new).collect()
    }
}

/// Reads `gar` or another preset's name, or a canonical text.
pub(super) fn read_rules(text: &str) -> Result<RuleSet, RuleError> {
    if text.contains(';') { text.parse() } else { text.parse().map(Preset::rules) }
}

/// The tables of one rule set.
#[derive(Debug)]
pub struct TableSet {
    rules: RuleSet,
    tables: RwLock<Tablebase>,
    /// Positions of the longest DTC that were looked for, of the tables that are there now.
    longest: Mutex<BTreeMap<Class, Option<LongestPositionJson>>>,
}

impl TableSet {
    /// These tables, which say the rules.
    pub fn new(tables: Tablebase) -> Self {
        Self { rules: *tables.rules(), tables: RwLock::new(tables), longest: Mutex::default() }
    }

    /// The same where positions of the longest DTC are known; of other classes none is looked for.
    #[must_use]
    pub(super) fn with_longest(mut self, known: BTreeMap<Class, Option<LongestPositionJson>>) -> Self {
        self.longest = Mutex::new(known);
        self
    }

    /// The rules.
    pub const fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The tables as they are now. Whoever answers with them goes on with them, whatever happens meanwhile.
    pub fn tables(&self) -> Tablebase {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes other tables of the same rules in place of those that are there.
    #[cfg(feature = "serve")]
    pub(crate) fn replace(&self, tables: Tablebase) {
        self.longest.lock().unwrap_or_else(PoisonError::into_inner).clear();
        *self.tables.write().unwrap_or_else(PoisonError::into_inner) = tables;
    }

    /// A position of a class's longest DTC, looked for once; none for a class with many entries.
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
