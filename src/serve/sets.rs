//! [`TableSets`]: the tables of several rule sets, kept in sync with their directories.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::probe::{OpenOptions, ProbeError, Tablebase};
use crate::rules::RuleSet;
use crate::service;
use crate::store::{Contents, StoreError};

use super::error::ServeError;

/// The tables of several rule sets, each from its own directories. The first answers requests that name no rules.
#[derive(Debug)]
pub struct TableSets {
    all: service::TableSets,
    watched: Vec<Watched>,
}

impl TableSets {
    /// Opens the tables in these directories; the tables determine each directory's rules. If several directories have
    /// the same rules, the first that has a class answers for it. With `options.shipped` the tables included in the library are
    /// available too, for classes that no directory of their rules has. The sets are in the order of the directories, but
    /// those of the default rules come first, and those that only the library has come last. The memory for whole files is
    /// for each rule set.
    ///
    /// # Errors
    /// [`ServeError`] if a directory cannot be listed, has tables of different rules or, without `options.shipped`, none at
    /// all, and if there are no tables at all.
    pub fn open(directories: &[PathBuf], options: &OpenOptions) -> Result<Self, ServeError> {
        let mut all: Vec<Sources> = Vec::new();
        let carried = if options.shipped { Some(Tablebase::shipped()?) } else { None };
        let carried = carried.filter(|tables| tables.classes().next().is_some()).map(|tables| *tables.rules());
        for directory in directories {
            let rules = rules_of(directory, options)?.or(carried);
            let rules = rules.ok_or_else(|| ServeError::Empty { directory: directory.clone() })?;
            sources_of(&mut all, rules, options).directories.push(directory.clone());
        }
        if let Some(rules) = carried {
            sources_of(&mut all, rules, options).options.shipped = true;
        }
        all.sort_by_key(|sources| sources.rules != RuleSet::default() || sources.directories.is_empty());
        let watched = all.into_iter().map(Watched::new).collect::<Result<Vec<_>, _>>()?;
        if watched.is_empty() {
            return Err(ServeError::NoTables);
        }
        Ok(Self::of(watched))
    }

    fn of(watched: Vec<Watched>) -> Self {
        Self { all: watched.iter().map(|watched| Arc::clone(&watched.set)).collect(), watched }
    }

    /// The same with the default rules first, if they are among them: whoever names no rules means those.
    pub(super) fn default_first(mut self) -> Self {
        self.watched.sort_by_key(|watched| *watched.set.rules() != RuleSet::default());
        Self::of(self.watched)
    }

    /// The rules of each set, in order.
    pub fn rules(&self) -> impl Iterator<Item = &RuleSet> {
        self.all.rules()
    }

    /// The sets to answer from.
    pub(crate) const fn all(&self) -> &service::TableSets {
        &self.all
    }

    /// The sets with their directories.
    pub(super) fn watched(&self) -> impl Iterator<Item = &Watched> {
        self.watched.iter()
    }
}

/// The rules of a directory's tables; `None` if it has no tables.
fn rules_of(directory: &Path, options: &OpenOptions) -> Result<Option<RuleSet>, ServeError> {
    let heads = OpenOptions { shipped: false, in_memory: 0, ..*options };
    let tables = Tablebase::open_with([directory], &heads)?;
    if tables.classes().next().is_some() {
        return Ok(Some(*tables.rules()));
    }
    // If no head can be read, the fault of the first is more informative than saying that there is nothing.
    let fault = tables.faults().next();
    fault.map_or(Ok(None), |(_, error)| Err(error.into()))
}

/// The sources of tables of these rules, added at the end if they are new.
fn sources_of<'a>(all: &'a mut Vec<Sources>, rules: RuleSet, options: &OpenOptions) -> &'a mut Sources {
    let at = all.iter().position(|sources| sources.rules == rules).unwrap_or(all.len());
    if at == all.len() {
        let options = OpenOptions { rules: Some(rules), shipped: false, ..*options };
        all.push(Sources { rules, directories: Vec::new(), options });
    }
    &mut all[at]
}

/// The sources of the tables of one rule set.
#[derive(Debug)]
struct Sources {
    rules: RuleSet,
    directories: Vec<PathBuf>,
    options: OpenOptions,
}

/// Shows whether directories have changed: each table's file, its length and its modification time.
type Look = Vec<(PathBuf, u64, Option<SystemTime>)>;

impl Sources {
    fn open(&self) -> Result<Tablebase, ProbeError> {
        // A directory that has disappeared has no tables, and those of the others still answer.
        Tablebase::open_with(self.directories.iter().filter(|directory| directory.exists()), &self.options)
    }

    fn look(&self) -> Result<Look, StoreError> {
        let mut look = Look::new();
        for directory in &self.directories {
            for file in Contents::scan(directory)?.tables().values() {
                // A file that has disappeared in the meantime will be missing the next time.
                let Ok(about) = file.metadata() else { continue };
                look.push((file.clone(), about.len(), about.modified().ok()));
            }
        }
        Ok(look)
    }
}

/// The tables of one rule set and their directories.
#[derive(Debug)]
pub(super) struct Watched {
    set: Arc<service::TableSet>,
    sources: Sources,
    /// The result of the last check, or why it failed.
    seen: Mutex<Result<Look, String>>,
}

impl Watched {
    fn new(sources: Sources) -> Result<Self, ServeError> {
        // Checked before opening: changes in between lead to another opening.
        let seen = Mutex::new(Ok(sources.look()?));
        let set = Arc::new(service::TableSet::new(sources.open()?));
        Ok(Self { set, sources, seen })
    }

    /// The tables.
    pub(super) fn set(&self) -> &service::TableSet {
        &self.set
    }

    /// Reopens the tables if a file was added, removed or changed; returns whether that was so. If that fails, the open
    /// tables continue to answer: data read from them is checked each time.
    pub(super) fn refresh(&self) -> Result<bool, ProbeError> {
        let look = self.sources.look();
        {
            // A failed check is reported once, like every other change.
            let look = look.as_ref().map(Look::clone).map_err(StoreError::to_string);
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if *seen == look {
                return Ok(false);
            }
            *seen = look;
        }
        look?;
        self.set.replace(self.sources.open()?);
        Ok(true)
    }
}
