//! Why a build was refused or ended early.

use std::path::PathBuf;

use crate::solve::SolveError;
use crate::space::{Class, ClassError};
use crate::store::StoreError;
use crate::table::{TableError, TableFault};

/// Why a build was refused or ended early.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The directory cannot be used.
    #[error(transparent)]
    Store(StoreError),
    /// The directory is no longer the one that the build began in.
    #[error(
        "{}: no longer the directory this build began in: unmounted, moved or replaced; nothing more is written; bring it back and run the same command again",
        .path.display()
    )]
    Vanished {
        /// The tables directory.
        path: PathBuf,
    },
    /// A table cannot be read or written.
    #[error("{error}{advice}", error = .0, advice = advice(.0))]
    Table(#[from] TableError),
    /// A step cannot be solved.
    #[error(transparent)]
    Solve(SolveError),
    /// The build was stopped on request.
    #[error("stopped on request; finished tables stay, and the same request goes on from there")]
    Cancelled,
    /// A class does not occur under the rules.
    #[error(transparent)]
    Class(#[from] ClassError),
    /// No class has so few cows, or the rules know no more.
    #[error("{found} cows together: expected 6 to {most} under these rules, in which each side has at most {}", .most / 2)]
    Cows {
        /// The number given.
        found: u32,
        /// The most the rules allow.
        most: u8,
    },
    /// Tables that were there, or that this build made, are not there any more.
    #[error(
        "{}: tables vanished while the build was running: {}; run the same command again to build what is missing",
        .directory.display(), list(.lost)
    )]
    Lost {
        /// The classes of the tables.
        lost: Vec<Class>,
        /// The tables directory.
        directory: PathBuf,
    },
    /// One step alone was asked for and tables it needs are missing.
    #[error("{class} cannot be built: {} missing in {}; build them first, or leave out --only", list(.missing), .directory.display())]
    Missing {
        /// The class that represents the step.
        class: Class,
        /// What is missing.
        missing: Vec<Class>,
        /// The tables directory.
        directory: PathBuf,
    },
    /// A step needs more memory than is allowed.
    #[error(
        "{class} needs {} MiB of memory and {} MiB are allowed; nothing was begun; raise --memory, or build fewer cows",
        .least.div_ceil(1 << 20), .limit >> 20
    )]
    Memory {
        /// The class that represents the step.
        class: Class,
        /// Bytes it takes at least.
        least: u64,
        /// Bytes allowed.
        limit: u64,
    },
}

debug_is_display!(BuildError);

impl BuildError {
    /// Whether the request was wrong, rather than the job failing.
    pub fn is_wrong_request(&self) -> bool {
        match self {
            Self::Store(error) => error.is_wrong_request(),
            Self::Table(error) => matches!(error.fault(), TableFault::UnknownRules { .. }),
            Self::Solve(error) => matches!(error, SolveError::Hands { .. }),
            Self::Class(_) | Self::Cows { .. } | Self::Missing { .. } | Self::Memory { .. } => true,
            Self::Vanished { .. } | Self::Lost { .. } | Self::Cancelled => false,
        }
    }

    /// Whether the build was stopped on request.
    pub const fn is_cancelled(&self) -> bool {
        matches!(self, Self::Cancelled)
    }
}

impl From<StoreError> for BuildError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Table(error) => error.into(),
            error => Self::Store(error),
        }
    }
}

impl From<SolveError> for BuildError {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::Cancelled => Self::Cancelled,
            error => Self::Solve(error),
        }
    }
}

/// What to do about a table's damage, beyond what the table itself can say.
fn advice(error: &TableError) -> &'static str {
    match error.fault() {
        TableFault::Io { .. } | TableFault::Exists | TableFault::BadInput { .. } | TableFault::UnknownRules { .. } => {
            ""
        }
        _ => " (remove the file and run the same command again to build only what is missing)",
    }
}

fn list(classes: &[Class]) -> String {
    classes.iter().map(Class::to_string).collect::<Vec<_>>().join(", ")
}
