//! Why a server does not start.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::probe::ProbeError;
use crate::store::StoreError;

/// Why a server did not start or had to stop.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Tables cannot be opened.
    #[error(transparent)]
    Tables(#[from] ProbeError),
    /// A directory cannot be listed.
    #[error(transparent)]
    Directory(#[from] StoreError),
    /// A directory has no tables, so its rules are unknown.
    #[error("there are no tables in {}: build some, or name another directory", .directory.display())]
    Empty {
        /// The directory.
        directory: PathBuf,
    },
    /// There are no tables to answer from.
    #[error("there are no tables to answer from: name a directory that has some")]
    NoTables,
    /// The server cannot listen on the address.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        source: io::Error,
    },
    /// The server was told to stop a second time, while it was completing requests in progress.
    #[error("stopped before the requests in flight were finished")]
    Interrupted,
    /// The system does not provide the threads, timers or signals that a server needs.
    #[error("cannot {action}: {source}")]
    System {
        /// What was attempted.
        action: &'static str,
        /// The system's reason.
        source: io::Error,
    },
}

debug_is_display!(ServeError);
