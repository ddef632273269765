//! Locks on a tables directory. They are system locks, so they end with the process that holds them, however it ends.
//!
//! A build of several steps holds the directory exclusively. Builds of single steps share it, and each holds its own
//! step, named by the representative of the classes that it solves. The lock files are empty and are removed with the
//! lock; one left by a killed build does no harm, and the next build of the whole directory removes it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::space::Class;
use crate::table::Directory;

use super::error::StoreError;

/// The file in a tables directory that builds lock.
const LOCK_FILE: &str = ".morabase.lock";

/// How often taking a lock is retried, at intervals of 10 ms, before the directory counts as in use.
const PATIENCE: u32 = 20;

/// What is locked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// The whole directory.
    Directory,
    /// The classes that are solved with this one, which represents them; others may be written at the same time.
    Step(Class),
}

/// Locks held until dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    /// Where it was taken.
    place: Directory,
    directory: LockedFile,
    /// Set if only a step is held, and the directory is shared.
    _step: Option<LockedFile>,
}

impl Lock {
    /// Takes a lock in a directory that exists.
    pub(crate) fn take(directory: &Path, scope: Scope) -> Result<Self, StoreError> {
        let place = Directory::open(directory).map_err(StoreError::io(directory, "open this directory"))?;
        let whole = directory.join(LOCK_FILE);
        match scope {
            Scope::Directory => Ok(Self { place, directory: LockedFile::take(whole, File::try_lock)?, _step: None }),
            Scope::Step(class) => {
                let shared = LockedFile::take(whole, File::try_lock_shared)?;
                let step = LockedFile::take(directory.join(step_file(class)), File::try_lock)?;
                Ok(Self { place, directory: shared, _step: Some(step) })
            }
        }
    }

    /// The directory that was locked, wherever its name leads now.
    pub(crate) const fn place(&self) -> &Directory {
        &self.place
    }

    /// Whether the directory is still the one that was locked: not unmounted, moved away or replaced.
    pub(crate) fn is_in_place(&self) -> bool {
        self.place.is_in_place() && self.directory.is_in_place()
    }
}

/// Whether this is the lock file of the whole directory.
pub(crate) fn is_whole_lock(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name == LOCK_FILE)
}

/// Whether this is the name of a file that builds lock.
pub(super) fn is_lock_file(name: &str) -> bool {
    let class = |name: &str| name.strip_prefix('.')?.strip_suffix(".lock")?.parse::<Class>().ok();
    name == LOCK_FILE || class(name).is_some_and(|class| name == step_file(class))
}

/// The lock file of a build of a single step.
fn step_file(class: Class) -> String {
    format!(".{class}.lock")
}

/// A locked file.
#[derive(Debug)]
struct LockedFile {
    path: PathBuf,
    file: File,
}

impl LockedFile {
    fn take(path: PathBuf, lock: fn(&File) -> Result<(), TryLockError>) -> Result<Self, StoreError> {
        // Opening a pipe would wait for its other end.
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            let error = std::io::Error::new(
                std::io::ErrorKind::InvalidInput,
                "expected a file, found something else; move it away",
            );
            return Err(StoreError::io(&path, "use the lock file")(error));
        }
        let mut patience = PATIENCE;
        loop {
            let file = OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&path)
                .map_err(StoreError::io(&path, "open the lock file"))?;
            match lock(&file) {
                // The previous holder may have removed the file between our opening and our locking it.
                Ok(()) if is_same_file(&file, &path) => return Ok(Self { path, file }),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if patience == 0 => return Err(StoreError::Locked { path }),
                // A build of a single step has the directory to itself for a moment when it ends.
                Err(TryLockError::WouldBlock) => {
                    patience -= 1;
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(TryLockError::Error(error)) => return Err(StoreError::io(&path, "lock")(error)),
            }
        }
    }

    fn is_in_place(&self) -> bool {
        is_same_file(&self.file, &self.path)
    }
}

/// Whether the file with this name is the open one.
#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |found: std::io::Result<fs::Metadata>| found.map(|found| (found.dev(), found.ino())).ok();
    let ours = identity(file.metadata());
    ours.is_some() && ours == identity(fs::metadata(path))
}

/// Whether the file with this name is the open one, as far as can be determined: an open file cannot be removed here.
#[cfg(not(unix))]
fn is_same_file(_: &File, path: &Path) -> bool {
    path.exists()
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // Only the last of those who share a lock can take it exclusively and remove the file.
        if self.file.try_lock().is_ok() && self.is_in_place() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_held_by_one_or_shared_by_builds_of_different_steps() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let class = |text: &str| text.parse::<Class>().unwrap();
        let whole = Lock::take(directory, Scope::Directory).unwrap();
        assert!(matches!(Lock::take(directory, Scope::Directory), Err(StoreError::Locked { .. })));
        assert!(matches!(Lock::take(directory, Scope::Step(class("3-3"))), Err(StoreError::Locked { .. })));
        drop(whole);
        let one = Lock::take(directory, Scope::Step(class("4-3"))).unwrap();
        let other = Lock::take(directory, Scope::Step(class("3-3"))).unwrap();
        assert!(matches!(Lock::take(directory, Scope::Step(class("4-3"))), Err(StoreError::Locked { .. })));
        assert!(matches!(Lock::take(directory, Scope::Directory), Err(StoreError::Locked { .. })));
        drop(one);
        assert!(other.is_in_place());
        assert!(matches!(Lock::take(directory, Scope::Directory), Err(StoreError::Locked { .. })));
        drop(other);
        assert_eq!(fs::read_dir(directory).unwrap().count(), 0, "lock files are removed with their locks");
    }

    #[test]
    fn lock_files_are_known_by_their_names() {
        for name in [LOCK_FILE, ".4-3.lock", ".2-3+1-1.lock"] {
            assert!(is_lock_file(name), "{name}");
        }
        for name in ["4-3.lock", ".04-3.lock", ".4-3.lock.bak", ".lock", "..lock", ".x.lock"] {
            assert!(!is_lock_file(name), "{name}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_directory_that_was_replaced_is_noticed() {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("tables");
        fs::create_dir(&directory).unwrap();
        let lock = Lock::take(&directory, Scope::Directory).unwrap();
        fs::rename(&directory, parent.path().join("elsewhere")).unwrap();
        assert!(!lock.is_in_place());
        fs::create_dir(&directory).unwrap();
        let other = Lock::take(&directory, Scope::Directory).unwrap();
        assert!(!lock.is_in_place());
        drop(lock);
        assert!(other.is_in_place(), "the lock of the new directory is left alone");
    }
}
