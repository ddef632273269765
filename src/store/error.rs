//! Why a directory cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use crate::table::TableError;

/// Why a directory of tables cannot be read or written into. Names the file or directory.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}", .path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was attempted.
        action: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// The directory does not exist or is something else.
    #[error("{}: expected a directory with tables, found {found}; give another directory", .path.display())]
    NotADirectory {
        /// The path that was given.
        path: PathBuf,
        /// What was found: `a file` or `nothing`.
        found: &'static str,
    },
    /// The directory has a table of other rules.
    #[error(
        "{}: this directory holds tables for other rules\n  there: {found}\n  asked: {expected}\nuse another directory, or the rules that are there",
        .path.display()
    )]
    OtherRules {
        /// A table of the directory.
        path: PathBuf,
        /// The canonical text of the requested rules.
        expected: String,
        /// The canonical text in the table.
        found: String,
    },
    /// Another build is running in the directory.
    #[error("{}: another build is running here; wait for it to end, or use another directory", .path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// A table in the directory cannot be used.
    #[error(transparent)]
    Table(#[from] TableError),
}

debug_is_display!(StoreError);

impl StoreError {
    /// Whether the request was wrong, as opposed to the job failing: the directory cannot be used like this.
    pub fn is_wrong_request(&self) -> bool {
        use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem};
        match self {
            Self::NotADirectory { .. } | Self::OtherRules { .. } => true,
            Self::Io { source, .. } => {
                matches!(source.kind(), NotADirectory | NotFound | PermissionDenied | ReadOnlyFilesystem)
            }
            Self::Locked { .. } | Self::Table(_) => false,
        }
    }

    pub(crate) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, action, source }
    }
}
