//! The results of checking: faults, the report of each class and of all, and the progress of the work.
//!
//! Threads count their findings separately; these are combined in the order of entries, so that a report does not
//! depend on the threads.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::game::Position;
use crate::probe::ProbeError;
use crate::space::{Class, Entry};
use crate::value::Value;

/// How many faults are reported individually for each class; the rest are only counted.
pub(super) const REPORTED: usize = 5;

/// A claim that is false.
#[derive(Debug)]
pub enum Fault {
    /// A table cannot be read, or a value in it cannot be checked because another table cannot be read.
    Table {
        /// The class that was being checked.
        class: Class,
        /// What is wrong, naming the file.
        error: ProbeError,
    },
    /// A count in the head differs from the actual number.
    Count {
        /// The class.
        class: Class,
        /// The file.
        file: PathBuf,
        /// Which count.
        what: String,
        /// What the head says.
        stored: u64,
        /// The actual number.
        counted: u64,
    },
    /// A value does not follow from the values that turns lead to.
    Value {
        /// The class.
        class: Class,
        /// The place of the entry.
        entry: Entry,
        /// The position, the first player to move.
        position: Position,
        /// What the table says.
        stored: Value,
        /// What follows from the turns.
        follows: Value,
    },
    /// Two entries that are the same position under a symmetry have different values.
    Twins {
        /// The class.
        class: Class,
        /// The place of the one entry.
        entry: Entry,
        /// The place of the other, in the same block.
        twin: Entry,
        /// The value of the one.
        stored: Value,
        /// The value of the other.
        other: Value,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table { class, error } => write!(f, "{class}: {error}"),
            Self::Count { class, file, what, stored, counted } => {
                write!(
                    f,
                    "{class}: {}: {what}: the head says {stored}, the entries add up to {counted}",
                    file.display()
                )
            }
            Self::Value { class, entry: Entry { block, rank }, position, stored, follows } => write!(
                f,
                "{class}: block {block}, entry {rank}, {position}: the table says {stored}, its turns lead to {follows}"
            ),
            Self::Twins { class, entry, twin, stored, other } => write!(
                f,
                "{class}: block {}: entries {} and {} are the same position, but the table says {stored} and {other}",
                entry.block, entry.rank, twin.rank
            ),
        }
    }
}

/// What was checked in a class, and the findings.
#[derive(Debug)]
pub struct ClassReport {
    /// The class.
    pub class: Class,
    /// Entries whose values were checked over decoded tables.
    pub walked: u64,
    /// Entries whose values were checked through the public path.
    pub probed: u64,
    /// All faults found. A faulty table counts once, however many entries need it.
    pub fault_count: u64,
    /// The first faults.
    pub faults: Vec<Fault>,
    /// The known faults of tables.
    of_tables: BTreeSet<String>,
}

impl ClassReport {
    pub(crate) fn new(class: Class) -> Self {
        Self { class, walked: 0, probed: 0, fault_count: 0, faults: Vec::new(), of_tables: BTreeSet::new() }
    }

    pub(super) fn add(&mut self, fault: Fault) {
        let mut found = Findings::default();
        found.add(fault);
        self.extend(found);
    }

    pub(super) fn extend(&mut self, found: Findings) {
        let first = std::mem::take(&mut self.faults);
        let before = Findings { count: self.fault_count, first, of_tables: std::mem::take(&mut self.of_tables) };
        Findings { count: self.fault_count, first: self.faults, of_tables: self.of_tables } = before.and(found);
    }
}

/// What was checked and the findings, class by class.
#[derive(Debug, Default)]
pub struct Report {
    /// A report for each requested class.
    pub classes: Vec<ClassReport>,
}

impl Report {
    /// Whether no fault was found.
    pub fn is_sound(&self) -> bool {
        self.classes.iter().all(|class| class.fault_count == 0)
    }
}

/// Entries checked so far, for showing progress.
#[derive(Debug, Default)]
pub struct Progress {
    /// Entries checked.
    pub checked: AtomicU64,
    /// Total number of entries to check.
    pub total: AtomicU64,
}

impl Progress {
    pub(super) fn add(&self, entries: u64) {
        self.checked.fetch_add(entries, Ordering::Relaxed);
    }

    /// Adds one of `parts` equal parts of a class's entries, so that all parts add up to them. A walk goes by waiting
    /// sets and a table by sets of the mover, and the counts differ for symmetric sets.
    pub(super) fn add_part(&self, entries: u64, part: u32, parts: u32) {
        let up_to = |part: u64| entries * part / u64::from(parts);
        self.add(up_to(u64::from(part) + 1) - up_to(u64::from(part)));
    }
}

/// Faults found by one thread: all are counted, the first kept. "First" is by entry, independent of the threads. A
/// faulty table counts once, however many entries need it.
#[derive(Debug, Default)]
pub(super) struct Findings {
    count: u64,
    first: Vec<Fault>,
    /// What is wrong with tables, as text.
    of_tables: BTreeSet<String>,
}

impl Findings {
    pub(super) fn add(&mut self, fault: Fault) {
        if !matches!(fault, Fault::Table { .. }) || self.of_tables.insert(fault.to_string()) {
            self.count += 1;
            self.keep(fault);
        }
    }

    /// Combines both; `self` comes before `other`.
    pub(super) fn and(mut self, other: Self) -> Self {
        let known = other.first.iter().map(|fault| self.of_tables.contains(&fault.to_string())).collect::<Vec<_>>();
        let both = self.of_tables.len() + other.of_tables.len();
        self.of_tables.extend(other.of_tables);
        self.count += other.count - (both - self.of_tables.len()) as u64;
        other.first.into_iter().zip(known).filter(|(_, known)| !known).for_each(|(fault, _)| self.keep(fault));
        self
    }

    fn keep(&mut self, fault: Fault) {
        if self.first.len() < REPORTED {
            self.first.push(fault);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::store::file_name;

    #[test]
    fn a_fault_of_a_file_is_one_however_many_entries_meet_it() {
        let class = |name: &str| name.parse::<Class>().unwrap();
        let missing = |name: &str| Fault::Table {
            class: class("3-3"),
            error: ProbeError::MissingTable {
                class: class(name),
                file: file_name(class(name)),
                searched: Arc::default(),
            },
        };
        let (mut found, mut later) = (Findings::default(), Findings::default());
        for name in ["4-3", "4-3", "3-4", "4-3"] {
            found.add(missing(name));
            later.add(missing(name));
        }
        let mut report = ClassReport::new(class("3-3"));
        report.extend(found.and(later));
        report.add(missing("3-4"));
        assert_eq!((report.fault_count, report.faults.len()), (2, 2));
    }
}
