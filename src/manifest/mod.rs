//! Manifests: the files of a set of tables with their lengths and SHA-256 hashes, to compare another set with.
//!
//! Every machine builds the same bytes for a class and rules, so a set is right if it matches a manifest that you
//! trust. Nothing is decoded for this: files are read once, as fast as the disk allows. Checking whether the values are
//! right is the task of [`verify`](crate::verify), which needs no manifest.
//!
//! A manifest is text, and `sha256sum -c` reads it too. Everything else in it is in comments:
//!
//! ```text
//! # morabase manifest 1
//! # rules morabaraba;cows=12;fly=3;counter=when-three:20;no-remake=same-cow;full-board=blocked-loses
//! # files 2
//! # bytes 34304
//! 9b2c…64 hexadecimal digits…  3-3.mora
//! # bytes 185442
//! 01fe…  4-3.mora
//! ```
//!
#![cfg_attr(feature = "shipped", doc = "```")]
#![cfg_attr(not(feature = "shipped"), doc = "```no_run")]
//! use morabase::Tablebase;
//! use morabase::manifest::{Manifest, Progress};
//!
//! let tables = Tablebase::shipped()?;
//! let manifest = Manifest::of(&tables, &Progress::default())?;
//! let text = manifest.to_string();
//! assert!(text.starts_with("# morabase manifest 1\n"));
//!
//! let read: Manifest = text.parse()?;
//! let files = read.check(&tables, &[], &Progress::default())?;
//! assert!(files.len() == 6 && files.iter().all(|file| file.finding.is_sound()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod error;
mod hash;
mod list;
mod make;

pub use check::{FileReport, Finding};
pub use error::{LineError, LineFault, ManifestError};
pub use hash::{FileHash, Progress};
pub use list::{Listed, Manifest};
