//! How a run fails: a wrong request, a failed job, or output that cannot be written.

use std::io::{self, Write};
use std::process::ExitCode;

use morabase::{ClassError, IllegalTurn, NotationError, PositionError, RecordError, RuleError};

/// The exit status of a job stopped by the user.
pub(crate) const STOPPED: u8 = 130;

/// The result of a subcommand.
pub(crate) type CliResult<T = ()> = Result<T, CliError>;

/// Why a run did not do what was requested.
#[derive(Debug)]
pub(crate) enum CliError {
    /// The request was wrong: exit status 2.
    Usage(String),
    /// The request was fine but the job failed: exit status 1.
    Job(String),
    /// The user stopped the job: exit status 130, as shells report an interrupt.
    Stopped(String),
    /// Standard output cannot be written: exit status 1, or 0 if its reader has just closed it.
    Output(io::Error),
}

impl CliError {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    pub(crate) fn job(message: impl Into<String>) -> Self {
        Self::Job(message.into())
    }

    /// The error message.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::Output(error) => format!("cannot write the output: {error}"),
            Self::Job(message) | Self::Stopped(message) | Self::Usage(message) => message.clone(),
        }
    }

    /// Prints the error on standard error, and returns the exit status.
    pub(crate) fn report(self) -> ExitCode {
        let status = match &self {
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
            Self::Output(_) | Self::Job(_) => 1,
            Self::Stopped(_) => STOPPED,
            Self::Usage(_) => 2,
        };
        // If standard error is closed the exit status still tells.
        let _ = writeln!(io::stderr(), "error: {}", self.message());
        ExitCode::from(status)
    }
}

/// Only for writing output: errors of files are failed jobs that name the file.
impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

macro_rules! usage_errors {
    ($($error:ty),*) => {$(
        impl From<$error> for CliError {
            fn from(error: $error) -> Self {
                Self::usage(error.to_string())
            }
        }
    )*};
}

usage_errors!(RuleError, NotationError, PositionError, RecordError, IllegalTurn, ClassError);
