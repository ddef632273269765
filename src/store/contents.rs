//! [`Contents`]: the only place that scans a directory.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::rules::RuleSet;
use crate::space::Class;
use crate::table::{Access, Directory, FileSource, Table, TableError};

use super::StoreError;
use super::head::{check_head, same_rules};
use super::lock::is_lock_file;
use super::names::{EXTENSION, class_of_file, class_of_layer, class_of_temporary};

/// The files of a directory that are related to tables, by their names alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contents {
    /// Whether the directory exists.
    exists: bool,
    tables: BTreeMap<Class, PathBuf>,
    /// Tables that a build does not keep.
    layers: BTreeMap<Class, PathBuf>,
    /// Files with the extension of tables whose names do not name a class.
    misnamed: Vec<PathBuf>,
    /// Temporary files of writers, which are dead if nobody holds the directory, each with the class that it was meant
    /// for.
    temporary: Vec<(Class, PathBuf)>,
    /// Files that builds lock, currently held or left by killed builds.
    locks: Vec<PathBuf>,
}

/// The result of reading each table's head.
#[derive(Debug, Default)]
pub(crate) struct Heads {
    /// Bytes of each table whose head is sound.
    pub(crate) lengths: BTreeMap<Class, u64>,
    /// The same for tables that a build does not keep.
    pub(crate) layers: BTreeMap<Class, u64>,
    /// What is wrong with the others.
    pub(crate) faults: Vec<TableError>,
}

impl Contents {
    /// Scans a directory; one that does not exist counts as empty.
    pub(crate) fn scan(directory: &Path) -> Result<Self, StoreError> {
        let cannot = |source: io::Error| match source.kind() {
            io::ErrorKind::NotADirectory => StoreError::NotADirectory { path: directory.to_owned(), found: "a file" },
            _ => StoreError::io(directory, "list this directory")(source),
        };
        let entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(cannot(error)),
        };
        let mut contents = Self { exists: true, ..Self::default() };
        for entry in entries {
            contents.add(entry.map_err(cannot)?.path());
        }
        contents.misnamed.sort();
        contents.temporary.sort();
        Ok(contents)
    }

    /// Scans a directory that must exist.
    pub(crate) fn scan_existing(directory: &Path) -> Result<Self, StoreError> {
        let contents = Self::scan(directory)?;
        if contents.exists {
            return Ok(contents);
        }
        Err(StoreError::NotADirectory { path: directory.to_owned(), found: "nothing" })
    }

    fn add(&mut self, file: PathBuf) {
        let name = file.file_name().and_then(|name| name.to_str());
        if let Some(class) = class_of_file(&file) {
            self.tables.insert(class, file);
        } else if let Some(class) = class_of_layer(&file) {
            self.layers.insert(class, file);
        } else if file.extension().is_some_and(|extension| extension == EXTENSION) {
            self.misnamed.push(file);
        } else if let Some(class) = name.and_then(class_of_temporary) {
            self.temporary.push((class, file));
        } else if name.is_some_and(is_lock_file) {
            self.locks.push(file);
        }
    }

    /// Whether the directory exists.
    pub(crate) const fn exists(&self) -> bool {
        self.exists
    }

    /// Whether it has no files related to tables.
    pub(crate) fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.layers.is_empty() && self.misnamed.is_empty() && self.temporary.is_empty()
    }

    /// The table files by class.
    pub(crate) const fn tables(&self) -> &BTreeMap<Class, PathBuf> {
        &self.tables
    }

    /// The files of tables that a build does not keep, by class.
    pub(crate) const fn layers(&self) -> &BTreeMap<Class, PathBuf> {
        &self.layers
    }

    /// Whether a file has the name of this class's table.
    pub(crate) fn has(&self, class: Class) -> bool {
        self.tables.contains_key(&class)
    }

    /// Temporary files of killed writers: all, or those of some classes. The caller must hold the lock on them, as live
    /// writers have such files too.
    pub(crate) fn leftovers(&self, classes: Option<&[Class]>) -> Vec<&Path> {
        let ours = |class: &Class| classes.is_none_or(|classes| classes.contains(class));
        self.temporary.iter().filter(|(class, _)| ours(class)).map(|(_, file)| file.as_path()).collect()
    }

    /// The files that builds lock.
    pub(crate) fn locks(&self) -> &[PathBuf] {
        &self.locks
    }

    /// Reads the head of every table, including those whose names do not name a class.
    ///
    /// # Errors
    /// [`StoreError::OtherRules`] if a table with a sound head has different rules.
    pub(crate) fn heads(&self, rules: &RuleSet) -> Result<Heads, StoreError> {
        let mut found = Heads::default();
        for (&class, file) in &self.tables {
            let length = found.look(file, Some(class), rules)?;
            found.lengths.extend(length.map(|length| (class, length)));
        }
        for (&class, file) in &self.layers {
            let length = found.look(file, Some(class), rules)?;
            found.layers.extend(length.map(|length| (class, length)));
        }
        for file in &self.misnamed {
            found.look(file, None, rules)?;
        }
        Ok(found)
    }
}

impl Heads {
    /// Reads the head of a file: records its length if it is sound, and the fault otherwise.
    fn look(&mut self, file: &Path, class: Option<Class>, rules: &RuleSet) -> Result<Option<u64>, StoreError> {
        let table = Table::<FileSource>::open(file, Access::Positioned);
        match table.and_then(|table| Ok((check_head(&table, class)?, table))) {
            Ok((theirs, table)) => {
                same_rules(&table, rules, theirs)?;
                Ok(Some(table.file_length()))
            }
            Err(error) => {
                self.faults.push(error);
                Ok(None)
            }
        }
    }
}

/// Creates the directory, and makes sure that it survives a power failure.
pub(crate) fn create(directory: &Path) -> Result<(), StoreError> {
    if directory.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(directory).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            StoreError::NotADirectory { path: directory.to_owned(), found: "a file" }
        }
        _ => StoreError::io(directory, "create the directory")(error),
    })?;
    // A directory that may be written but not read cannot be opened.
    Directory::of(directory).map_or(Ok(()), |parent| {
        parent.sync().map_err(StoreError::io(directory, "sync the directory that this one was made in"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;
    use crate::store::file_name;
    use crate::testing;

    fn class(text: &str) -> Class {
        text.parse().unwrap()
    }

    #[test]
    fn a_scan_tells_tables_misnamed_tables_and_leftovers_from_the_rest() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        for name in [
            "4-3.mora",
            "3-3.mora",
            "copy.mora",
            "4-3.mora.17-0.tmp",
            "5-3.mora.1-1.tmp",
            "notes.tmp",
            ".morabase.lock",
        ] {
            fs::write(directory.join(name), "").unwrap();
        }
        let contents = Contents::scan(directory).unwrap();
        assert!(contents.exists() && !contents.is_empty());
        assert!(contents.tables().keys().eq([&class("3-3"), &class("4-3")]));
        assert!(contents.has(class("4-3")) && !contents.has(class("5-3")));
        assert_eq!(contents.misnamed, [directory.join("copy.mora")]);
        let [all, some] =
            [None, Some(&[class("5-3"), class("3-5")][..])].map(|classes| contents.leftovers(classes).len());
        assert_eq!((all, some), (2, 1));
    }

    #[test]
    fn nothing_is_an_empty_directory_where_one_may_be_made_and_a_file_is_none() {
        let parent = tempfile::tempdir().unwrap();
        let nowhere = parent.path().join("nowhere");
        let contents = Contents::scan(&nowhere).unwrap();
        assert!(!contents.exists() && contents.is_empty());
        let found = |error| match error {
            StoreError::NotADirectory { found, .. } => found,
            other => panic!("{other}"),
        };
        assert_eq!(found(Contents::scan_existing(&nowhere).unwrap_err()), "nothing");
        fs::write(&nowhere, "").unwrap();
        for error in [Contents::scan(&nowhere).unwrap_err(), create(&nowhere).unwrap_err()] {
            assert_eq!(found(error), "a file");
        }
    }

    #[test]
    fn heads_are_lengths_and_faults_and_other_rules_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let rules = Preset::Gar.rules();
        let values = &testing::GAR[&class("3-3")];
        let (name, bytes) = testing::file(&rules, values);
        fs::write(directory.join(&name), &bytes).unwrap();
        fs::write(directory.join("copy.mora"), &bytes).unwrap();
        fs::write(directory.join(file_name(class("4-3"))), &bytes).unwrap();
        fs::write(directory.join(file_name(class("3-4"))), &bytes[..100]).unwrap();
        let heads = Contents::scan(directory).unwrap().heads(&rules).unwrap();
        assert!(heads.lengths.into_iter().eq([(class("3-3"), bytes.len() as u64)]));
        let faults: Vec<String> = heads.faults.iter().map(ToString::to_string).collect();
        assert!(
            faults.len() == 2 && faults[0].contains("3-4.mora") && faults[1].contains("holds class 3-3"),
            "{faults:?}"
        );

        let plain = Preset::Plain.rules();
        let error = Contents::scan(directory).unwrap().heads(&plain).unwrap_err().to_string();
        assert!(error.contains(&plain.to_string()) && error.contains(&rules.to_string()), "{error}");
        assert!(error.contains("3-3.mora: this directory holds tables for other rules"), "{error}");
    }
}
