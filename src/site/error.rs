//! Why a site is not written.

use std::io;
use std::path::{Path, PathBuf};

use crate::manifest::ManifestError;
use crate::probe::ProbeError;
use crate::store::StoreError;
use crate::table::TableError;

/// Why a site was not planned or written. Names the file or folder.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum SiteError {
    /// A table cannot be read or is damaged.
    #[error(transparent)]
    Tables(#[from] ProbeError),
    /// A table cannot be read completely.
    #[error(transparent)]
    Manifest(ManifestError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] TableError),
    /// The folder is not empty and has no site.
    #[error("{}: this folder is not empty and holds no site of this program; nothing was changed; give an empty one", .path.display())]
    NotASite {
        /// The folder.
        path: PathBuf,
    },
    /// A file that no site wrote is in the way.
    #[error("{}: this is in the way and was not written by `morabase site`; nothing was changed; move it away", .path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
    },
    /// A file has changed since the site was planned.
    #[error("{}: this file has changed while it was copied; run the same command again", .path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Another run is writing into the folder.
    #[error("{}: another `morabase site` is running in this folder; wait for it to end", .path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was attempted.
        action: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(StoreError),
    /// The work was stopped on request.
    #[error("stopped on request; run the same command again to finish the site")]
    Stopped,
}

debug_is_display!(SiteError);

impl SiteError {
    pub(super) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, action, source }
    }
}

impl From<ManifestError> for SiteError {
    fn from(error: ManifestError) -> Self {
        match error {
            ManifestError::Stopped => Self::Stopped,
            error => Self::Manifest(error),
        }
    }
}
