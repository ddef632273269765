//! Locks on a tables directory. They are the system's, so they end with the process that holds them, however it ends.
//!
//! A build of several pairs holds the directory for itself. Builds of single pairs share it, and each holds its own pair.
//! The lock files are empty and are removed with the lock; one that a killed build left does no harm and goes with the next build's.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::space::Class;

use super::BuildError;

/// The file in a tables directory that builds lock.
const LOCK_FILE: &str = ".morabase.lock";

/// How often a lock is tried again, at 10 ms each, before the directory counts as taken.
const PATIENCE: u32 = 20;

/// Locks held until dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    directory: Held,
    /// Set when only a pair is held, and the directory is shared.
    pair: Option<Held>,
}

impl Lock {
    /// The whole directory.
    pub(super) fn directory(directory: &Path) -> Result<Self, BuildError> {
        Ok(Self { directory: Held::take(directory.join(LOCK_FILE), File::try_lock)?, pair: None })
    }

    /// One pair, others being built at the same time.
    pub(crate) fn pair(directory: &Path, class: Class) -> Result<Self, BuildError> {
        let shared = Held::take(directory.join(LOCK_FILE), File::try_lock_shared)?;
        let pair = Held::take(directory.join(pair_file(class)), File::try_lock)?;
        Ok(Self { directory: shared, pair: Some(pair) })
    }

    /// Removes the lock files of a directory, and of a pair, that a killed build left. Nothing happens where somebody holds them or
    /// they cannot be removed.
    pub(super) fn remove_abandoned(directory: &Path, class: Option<Class>) {
        for name in class.map(pair_file).into_iter().chain([LOCK_FILE.to_owned()]) {
            let path = directory.join(name);
            if path.metadata().is_ok_and(|found| found.is_file())
                && let Ok(file) = OpenOptions::new().write(true).open(&path)
            {
                drop(Held { path, file });
            }
        }
    }

    /// Whether others may be writing other pairs into the directory.
    pub(super) const fn is_shared(&self) -> bool {
        self.pair.is_some()
    }

    /// Whether the directory is still the one that was locked: not unmounted, moved away or replaced.
    pub(super) fn is_in_place(&self) -> bool {
        self.directory.is_in_place()
    }
}

/// The file that a build of a single pair locks.
fn pair_file(class: Class) -> String {
    format!(".{class}.lock")
}

/// A locked file.
#[derive(Debug)]
struct Held {
    path: PathBuf,
    file: File,
}

impl Held {
    fn take(path: PathBuf, lock: fn(&File) -> Result<(), TryLockError>) -> Result<Self, BuildError> {
        // Opening a pipe would wait for its other end.
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            let error = std::io::Error::new(std::io::ErrorKind::InvalidInput, "expected a file, found something else");
            return Err(BuildError::io(&path, "use the lock file")(error));
        }
        let mut patience = PATIENCE;
        loop {
            let file = OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&path)
                .map_err(BuildError::io(&path, "open the lock file"))?;
            match lock(&file) {
                // Who held the lock before may have removed the file between our opening and our locking it.
                Ok(()) if is_same_file(&file, &path) => return Ok(Self { path, file }),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if patience == 0 => return Err(BuildError::Locked { path }),
                // A build of a single pair has the directory to itself for an instant when it ends.
                Err(TryLockError::WouldBlock) => {
                    patience -= 1;
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(TryLockError::Error(error)) => return Err(BuildError::io(&path, "lock")(error)),
            }
        }
    }

    fn is_in_place(&self) -> bool {
        is_same_file(&self.file, &self.path)
    }
}

/// Whether the file of this name is the one that is open.
#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |found: std::io::Result<fs::Metadata>| found.map(|found| (found.dev(), found.ino())).ok();
    let ours = identity(file.metadata());
    ours.is_some() && ours == identity(fs::metadata(path))
}

/// Whether the file of this name is the one that is open, as far as can be told: an open file cannot be removed here.
#[cfg(not(unix))]
fn is_same_file(_: &File, path: &Path) -> bool {
    path.exists()
}

impl Drop for Held {
    fn drop(&mut self) {
        // Only the last of those who share a lock can have it for itself and remove the file.
        if self.file.try_lock().is_ok() && self.is_in_place() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_held_by_one_or_shared_by_builds_of_different_pairs() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let class = |text: &str| text.parse::<Class>().unwrap();
        let whole = Lock::directory(directory).unwrap();
        assert!(matches!(Lock::directory(directory), Err(BuildError::Locked { .. })));
        assert!(matches!(Lock::pair(directory, class("3-3")), Err(BuildError::Locked { .. })));
        drop(whole);
        let one = Lock::pair(directory, class("4-3")).unwrap();
        let other = Lock::pair(directory, class("3-3")).unwrap();
        assert!(matches!(Lock::pair(directory, class("4-3")), Err(BuildError::Locked { .. })));
        assert!(matches!(Lock::directory(directory), Err(BuildError::Locked { .. })));
        drop(one);
        assert!(other.is_in_place());
        assert!(matches!(Lock::directory(directory), Err(BuildError::Locked { .. })));
        drop(other);
        assert_eq!(fs::read_dir(directory).unwrap().count(), 0, "lock files are removed with their locks");
    }

    #[test]
    fn abandoned_locks_are_removed_and_held_ones_stay() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let class: Class = "4-3".parse().unwrap();
        let files = || fs::read_dir(directory).unwrap().count();
        let held = Lock::pair(directory, class).unwrap();
        Lock::remove_abandoned(directory, Some(class));
        assert_eq!(files(), 2);
        drop(held);
        for name in [LOCK_FILE, ".4-3.lock", ".3-3.lock"] {
            fs::write(directory.join(name), "").unwrap();
        }
        Lock::remove_abandoned(directory, None);
        assert_eq!(files(), 2);
        Lock::remove_abandoned(directory, Some(class));
        assert_eq!(files(), 1, "that of another pair is none of our business");
    }

    #[test]
    #[cfg(unix)]
    fn a_directory_that_was_replaced_is_noticed() {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("tables");
        fs::create_dir(&directory).unwrap();
        let lock = Lock::directory(&directory).unwrap();
        fs::rename(&directory, parent.path().join("elsewhere")).unwrap();
        assert!(!lock.is_in_place());
        fs::create_dir(&directory).unwrap();
        let other = Lock::directory(&directory).unwrap();
        assert!(!lock.is_in_place());
        drop(lock);
        assert!(other.is_in_place(), "the lock of the new directory is left alone");
    }
}
