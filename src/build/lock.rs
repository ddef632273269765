//! Locks on a tables directory. They are the system's, so they end with the process that holds them.
//!
//! A build holds the directory for itself. Builds of single pairs share it, and each holds its own pair.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::index::Class;

use super::BuildError;

/// The file in a tables directory that builds lock.
const LOCK_FILE: &str = ".morabase.lock";

/// Locks held until dropped.
#[derive(Debug)]
pub(super) struct Lock {
    _files: Vec<File>,
}

impl Lock {
    /// The whole directory.
    pub(super) fn directory(directory: &Path) -> Result<Self, BuildError> {
        let file = take(&directory.join(LOCK_FILE), File::try_lock)?;
        Ok(Self { _files: vec![file] })
    }

    /// One pair, others being built at the same time.
    pub(super) fn pair(directory: &Path, class: Class) -> Result<Self, BuildError> {
        let shared = take(&directory.join(LOCK_FILE), File::try_lock_shared)?;
        let pair = take(&directory.join(format!(".{class}.lock")), File::try_lock)?;
        Ok(Self { _files: vec![shared, pair] })
    }
}

fn take(path: &Path, lock: impl FnOnce(&File) -> Result<(), TryLockError>) -> Result<File, BuildError> {
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(BuildError::io(path, "open the lock file"))?;
    match lock(&file) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(BuildError::Locked { path: path.to_owned() }),
        Err(TryLockError::Error(error)) => Err(BuildError::io(path, "lock")(error)),
    }
}
