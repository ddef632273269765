//! A build as a job: which pairs to solve in which order, with how much memory, and what is there already.
//!
//! This room brings the solver and the files together. A [`Plan`] is made from a directory and a wish and changes
//! nothing; [`run`] carries it out, a pair at a time. A table appears under its name only when it is whole, so a
//! build that is killed at any instant loses no more than the pair in work, and doing it again goes on from there.

mod estimate;
mod job;
mod lock;
mod memory;
mod plan;

pub use estimate::Speed;
pub use job::{Job, Observer, PairReport, Stage, run};
pub(crate) use job::{create, table_meta};
pub(crate) use lock::Lock;
pub use memory::Need;
pub(crate) use plan::check_directory;
pub use plan::{Existing, PairPlan, Plan, Wish};

use std::io;
use std::path::{Path, PathBuf};

use crate::solve::SolveError;
use crate::space::{Class, ClassError};
use crate::table::{TableError, TableFault};

/// Why a build was refused or ended early.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The directory cannot be used.
    #[error("{}: cannot {action}: {error}", .path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was attempted.
        action: &'static str,
        /// The system's reason.
        error: io::Error,
    },
    /// The tables directory is not a directory.
    #[error("{}: expected a directory for tables, found a file; give another --tables", .path.display())]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// A table of other rules lies in the directory.
    #[error(
        "{}: this directory holds tables of other rules\n  there: {theirs}\n  asked: {ours}\ngive another --tables, or the rules that are there",
        .path.display()
    )]
    OtherRules {
        /// A table of the directory.
        path: PathBuf,
        /// The rules of the tables there.
        theirs: String,
        /// The rules asked for.
        ours: String,
    },
    /// Another build works in the directory.
    #[error("{}: another build is at work here; wait for it to end, or give another --tables", .path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
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
    /// A pair cannot be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A class does not occur under the rules.
    #[error(transparent)]
    Class(#[from] ClassError),
    /// No class has so few cows, or the rules know no more.
    #[error("{found} cows together: expected 6 to {most}")]
    Cows {
        /// The number given.
        found: u32,
        /// The most the rules allow.
        most: u8,
    },
    /// One pair alone was asked for and tables it needs are missing.
    #[error("{class} cannot be built: {} missing in {}; build them first, or leave out --only", list(.missing), .directory.display())]
    Missing {
        /// The pair.
        class: Class,
        /// What is missing.
        missing: Vec<Class>,
        /// The tables directory.
        directory: PathBuf,
    },
    /// A pair needs more memory than is allowed.
    #[error(
        "{class} needs {} MiB of memory and {} MiB are allowed; nothing was begun; raise --memory, or build fewer cows",
        .need.div_ceil(1 << 20), .limit >> 20
    )]
    Memory {
        /// The pair.
        class: Class,
        /// Bytes needed at least.
        need: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {why}")]
    Threads {
        /// The number asked for.
        threads: usize,
        /// The reason.
        why: String,
    },
}

impl BuildError {
    /// Whether the request was wrong, rather than the job failing.
    pub fn is_wrong_request(&self) -> bool {
        use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem};
        if let Self::Io { error, .. } = self {
            return matches!(error.kind(), NotADirectory | NotFound | PermissionDenied | ReadOnlyFilesystem);
        }
        matches!(
            self,
            Self::NotADirectory { .. }
                | Self::OtherRules { .. }
                | Self::Class(_)
                | Self::Solve(SolveError::Hands { .. })
                | Self::Cows { .. }
                | Self::Missing { .. }
                | Self::Memory { .. }
        )
    }

    /// Whether the build was stopped on request.
    pub const fn is_cancelled(&self) -> bool {
        matches!(self, Self::Solve(SolveError::Cancelled))
    }

    pub(crate) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Io { path, action, error }
    }
}

/// What to do about a table's damage, beyond what the table itself can say.
fn advice(error: &TableError) -> &'static str {
    match error.fault() {
        TableFault::Io { .. } | TableFault::Exists | TableFault::BadInput { .. } | TableFault::WrongRules { .. } => "",
        _ => " (remove the file and run the same command again to build only what is missing)",
    }
}

fn list(classes: &[Class]) -> String {
    classes.iter().map(Class::to_string).collect::<Vec<_>>().join(", ")
}
