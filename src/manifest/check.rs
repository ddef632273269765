//! Comparing tables with a manifest.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use crate::probe::Tablebase;
use crate::space::Class;
use crate::store::file_name;
use crate::table::{Access, FileSource, Source, TableError, TableFault};
use crate::threads;

use super::error::ManifestError;
use super::hash::{FileHash, Progress};
use super::list::{Listed, Manifest};

/// The result for a file.
#[derive(Clone, Debug)]
pub struct FileReport {
    /// The class in the file's name.
    pub class: Class,
    /// The file, or just its name if it is missing.
    pub file: PathBuf,
    /// The result.
    pub finding: Finding,
}

/// How a file compares with a manifest.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Finding {
    /// The file matches the manifest, byte for byte.
    Sound {
        /// Its length.
        bytes: u64,
    },
    /// The length differs. The hash was not computed.
    OtherBytes {
        /// The length in the manifest.
        expected: u64,
        /// The length of the file.
        found: u64,
    },
    /// The length matches, but the bytes differ.
    OtherHash {
        /// The hash in the manifest.
        expected: FileHash,
        /// The hash of the file.
        found: FileHash,
    },
    /// The file cannot be read.
    Unreadable(TableError),
    /// The manifest lists it, but it does not exist.
    Missing,
    /// It exists, but the manifest does not list it.
    NotListed,
}

impl Finding {
    /// Whether the file matches the manifest.
    pub const fn is_sound(&self) -> bool {
        matches!(self, Self::Sound { .. })
    }

    /// Whether the manifest lists a file that differs here, cannot be read, or does not exist.
    pub const fn is_fault(&self) -> bool {
        !matches!(self, Self::Sound { .. } | Self::NotListed)
    }
}

impl Manifest {
    /// Compares tables with the manifest: those of these classes, or if none are given, all that it lists and all that
    /// exist. Reads every file at most once, on all threads of the current rayon pool, and does not look at values.
    ///
    /// A table with a damaged head is read from the file that [`TableError::file`] names.
    ///
    /// Files that cannot be read, are missing or are not listed are reported and do not end the run. Files that the
    /// manifest does not list come last.
    ///
    /// # Errors
    /// [`ManifestError::OtherRules`], [`ManifestError::NotListed`] if a class is given that the manifest does not list,
    /// and [`ManifestError::Stopped`].
    pub fn check(
        &self,
        tables: &Tablebase,
        classes: &[Class],
        progress: &Progress,
    ) -> Result<Vec<FileReport>, ManifestError> {
        self.check_rules(tables)?;
        let asked = self.asked(classes)?;
        let total = asked.iter().filter(|listed| tables.file_length(listed.class) == Some(listed.bytes));
        progress.total.store(total.map(|listed| listed.bytes).sum(), Ordering::Relaxed);
        threads::ready();
        let reports = asked.par_iter().with_max_len(1).map(|listed| check_file(tables, listed, progress));
        let mut reports = reports.collect::<Result<Vec<FileReport>, ManifestError>>()?;
        if classes.is_empty() {
            reports.extend(self.not_listed(tables));
        }
        Ok(reports)
    }

    fn check_rules(&self, tables: &Tablebase) -> Result<(), ManifestError> {
        match tables.classes().next().and_then(|class| tables.file(class)) {
            Some(file) if tables.rules() != self.rules() => {
                let [expected, found] = [self.rules(), tables.rules()].map(ToString::to_string);
                Err(ManifestError::OtherRules { file: file.to_owned(), expected, found })
            }
            _ => Ok(()),
        }
    }

    /// The files of these classes, in the manifest's order; all of them if none are given.
    fn asked(&self, classes: &[Class]) -> Result<Vec<Listed>, ManifestError> {
        if let Some(class) = classes.iter().copied().find(|class| self.get(*class).is_none()) {
            return Err(ManifestError::NotListed { class });
        }
        let is_asked = |listed: &&Listed| classes.is_empty() || classes.contains(&listed.class);
        Ok(self.files().iter().filter(is_asked).copied().collect())
    }

    fn not_listed(&self, tables: &Tablebase) -> Vec<FileReport> {
        let sound = tables.classes().filter_map(|class| Some((class, tables.file(class)?)));
        let damaged = tables.damaged().map(|(class, error)| (class, error.file()));
        let mut others: Vec<_> = sound.chain(damaged).filter(|(class, _)| self.get(*class).is_none()).collect();
        others.sort_by_key(|(class, _)| class.order());
        let report =
            |(class, file): (_, &Path)| FileReport { class, file: file.to_owned(), finding: Finding::NotListed };
        others.into_iter().map(report).collect()
    }
}

fn check_file(tables: &Tablebase, listed: &Listed, progress: &Progress) -> Result<FileReport, ManifestError> {
    let class = listed.class;
    if let (Some(file), Some(source)) = (tables.file(class), tables.source(class)) {
        let finding = compare(source, file, listed, progress)?;
        return Ok(FileReport { class, file: file.to_owned(), finding });
    }
    // A file with a damaged head is compared with the manifest like any other.
    let Some((_, error)) = tables.damaged().find(|(damaged, _)| *damaged == class) else {
        return Ok(FileReport { class, file: file_name(class).into(), finding: Finding::Missing });
    };
    let file = error.file();
    let finding = match FileSource::open(file, Access::Positioned) {
        Ok(source) => compare(&source, file, listed, progress)?,
        Err(source) => Finding::Unreadable(TableFault::Io { action: "open", source }.at(file)),
    };
    Ok(FileReport { class, file: file.to_owned(), finding })
}

fn compare(source: &dyn Source, file: &Path, listed: &Listed, progress: &Progress) -> Result<Finding, ManifestError> {
    let expected = listed.bytes;
    let hash = match source.length() {
        Ok(found) if found != expected => return Ok(Finding::OtherBytes { expected, found }),
        Ok(length) => FileHash::read(source, length, progress),
        Err(error) => Err(error),
    };
    match hash {
        Ok(None) => Err(ManifestError::Stopped),
        Ok(Some(found)) if found == listed.hash => Ok(Finding::Sound { bytes: expected }),
        Ok(Some(found)) => Ok(Finding::OtherHash { expected: listed.hash, found }),
        Err(source) => Ok(Finding::Unreadable(TableFault::Io { action: "read", source }.at(file))),
    }
}
