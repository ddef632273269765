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
    /// The directory is no longer the one in which the build began.
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
    /// The system refuses the memory that a step needs.
    #[error(
        "there is not enough memory for {class}: the step needs {} MiB, and the system refuses them; finished tables stay; free memory, or give --memory with less, and run the same command again",
        .needed.div_ceil(1 << 20)
    )]
    OutOfMemory {
        /// The class that represents the step.
        class: Class,
        /// Bytes needed besides what the build holds already.
        needed: u64,
    },
    /// No class has so few cows, or the rules do not allow that many.
    #[error("{found} cows together: expected 6 to {most} under these rules, in which each side has at most {}", .most / 2)]
    Cows {
        /// The number given.
        found: u32,
        /// The most the rules allow.
        most: u8,
    },
    /// Tables that were there, or that this build made, have disappeared.
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
    /// Only one step was requested, and tables it needs are missing.
    #[error("{class} cannot be built: {} missing in {}; build them first, or leave out --only", list(.missing), .directory.display())]
    Missing {
        /// The class that represents the step.
        class: Class,
        /// What is missing.
        missing: Vec<Class>,
        /// The tables directory.
        directory: PathBuf,
    },
    /// The step that needs most needs more memory than allowed.
    #[error(
        "the build needs at least {} MiB of memory (for {class}), and {} MiB are allowed; nothing was started; give --memory {}M or more, or build fewer cows",
        .least.div_ceil(1 << 20), .limit >> 20, .least.div_ceil(1 << 20)
    )]
    Memory {
        /// The class that represents the step.
        class: Class,
        /// The fewest bytes it needs.
        least: u64,
        /// Bytes allowed.
        limit: u64,
    },
}

debug_is_display!(BuildError);

impl BuildError {
    /// Whether the request was wrong, as opposed to the job failing.
    pub fn is_wrong_request(&self) -> bool {
        match self {
            Self::Store(error) => error.is_wrong_request(),
            Self::Table(error) => matches!(error.fault(), TableFault::UnknownRules { .. }),
            Self::Solve(error) => matches!(error, SolveError::Hands { .. }),
            Self::Class(_) | Self::Cows { .. } | Self::Missing { .. } | Self::Memory { .. } => true,
            Self::Vanished { .. } | Self::Lost { .. } | Self::OutOfMemory { .. } | Self::Cancelled => false,
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

/// What to do about damage to a table, in addition to the table's own advice.
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
