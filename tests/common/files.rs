//! Directories and what is in them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

/// The names of everything in a directory, hidden files and leftovers included, in order; nothing if there is no directory.
pub(crate) fn names(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub(crate) fn has_extension(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|found| found == extension)
}

/// A new directory with those files of another whose names are wanted.
pub(crate) fn copy(directory: &Path, wanted: impl Fn(&str) -> bool) -> TempDir {
    let copy = TempDir::new().unwrap();
    for name in names(directory).into_iter().filter(|name| wanted(name)) {
        fs::copy(directory.join(&name), copy.path().join(&name)).unwrap();
    }
    copy
}

/// A copy of all tables of a directory, which a test may damage.
pub(crate) fn copy_of_tables(directory: &Path) -> TempDir {
    copy(directory, |name| has_extension(name, "mora"))
}

/// Changes the bytes of a file.
pub(crate) fn change(file: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(file).unwrap();
    change(&mut bytes);
    fs::write(file, bytes).unwrap();
}

/// Holds two files together without printing megabytes.
pub(crate) fn assert_same_file(found: &Path, expected: &Path) {
    let [one, other] =
        [found, expected].map(|file| fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display())));
    assert!(one == other, "{} is not {}", found.display(), expected.display());
}

pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// All files of a directory, hidden ones and leftovers included.
pub(crate) fn contents(directory: &Path) -> Files {
    names(directory).into_iter().map(|name| (name.clone(), fs::read(directory.join(name)).unwrap())).collect()
}

/// Holds all files of a directory to these, again without printing them.
pub(crate) fn assert_holds(directory: &Path, expected: &Files, when: &str) {
    let found = contents(directory);
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{when}");
    for (name, bytes) in expected {
        assert!(found[name] == *bytes, "{name} differs {when}");
    }
}
