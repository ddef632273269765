//! Why a manifest cannot be made or read, or tables cannot be compared with one.

use std::io;
use std::path::PathBuf;

use crate::rules::RuleError;
use crate::space::{Class, ClassError};
use crate::table::TableError;

use super::hash::NoHash;

/// Why a manifest was not made, read or compared. Names the file.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// The operating system refused.
    #[error("{}: cannot read this manifest: {source}", .path.display())]
    Io {
        /// The manifest.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The text is not a manifest, or not a complete one.
    #[error("{}: {source}", .path.display())]
    Line {
        /// The manifest.
        path: PathBuf,
        /// The line and what is wrong with it.
        source: LineError,
    },
    /// The tables have other rules than the manifest.
    #[error(
        "{}: this table has other rules than the manifest\n  table: {found}\n  manifest: {expected}\ngive the manifest of these rules, or the directory of those",
        .file.display()
    )]
    OtherRules {
        /// One of the tables.
        file: PathBuf,
        /// The canonical text of the manifest's rules.
        expected: String,
        /// The canonical text in the table.
        found: String,
    },
    /// A class was requested that the manifest does not list.
    #[error("the manifest names no table of class {class}; leave the class out, or give the manifest of a larger set")]
    NotListed {
        /// The class.
        class: Class,
    },
    /// There are no tables to make a manifest of.
    #[error("there are no tables here; build some, or give their directory")]
    NoTables,
    /// A table cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The work was stopped on request.
    #[error("stopped on request; nothing was written; run the same command again")]
    Stopped,
}

debug_is_display!(ManifestError);

/// What is wrong with a manifest's text, and in which line.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct LineError {
    /// The line number, from 1.
    pub line: usize,
    /// What is wrong.
    #[source]
    pub fault: LineFault,
}

debug_is_display!(LineError);

/// What is wrong with a line of a manifest.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineFault {
    /// The text does not begin like a manifest.
    #[error("not a manifest: {}; give a file that `morabase manifest` wrote", not_a_manifest(.expected, .found))]
    NotAManifest {
        /// What a manifest begins with.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// The text was written as UTF-16.
    #[error("the manifest looks like UTF-16: expected UTF-8; save it as UTF-8, or make or copy it again")]
    Wide,
    /// The file is longer than a manifest can be.
    #[error("not a manifest: {found} bytes, expected at most {most}; give a file that `morabase manifest` wrote")]
    TooLong {
        /// The bytes of the file.
        found: u64,
        /// The most bytes that are read.
        most: u64,
    },
    /// The rules' text is not one that this program knows.
    #[error("rules: {0}; use the program that wrote the manifest")]
    Rules(#[source] RuleError),
    /// A line that must come before this one, exactly once, is missing or repeated.
    #[error("expected one line \"{what} …\" before this one, found {found}; make or copy the manifest again")]
    Header {
        /// What the line begins with.
        what: &'static str,
        /// How many there are.
        found: &'static str,
    },
    /// A number is not valid.
    #[error("{what}: expected a whole number, found {found:?}; make or copy the manifest again")]
    Number {
        /// What the line begins with.
        what: &'static str,
        /// What was found.
        found: String,
    },
    /// The line of a file is not a hash, two spaces and a name.
    #[error(
        "expected 64 hexadecimal digits, two spaces and the name of a table, found {found:?}; make or copy the manifest again"
    )]
    Syntax {
        /// The line.
        found: String,
    },
    /// A hash is not valid.
    #[error("{0}; make or copy the manifest again")]
    Hash(#[source] NoHash),
    /// A file name is not that of a table: a manifest may not refer to other files.
    #[error(
        "file {found:?}: expected the plain name of a table, such as 4-3.mora, without a directory; remove the line or correct it"
    )]
    Name {
        /// The name.
        found: String,
    },
    /// A class that the manifest's rules do not have.
    #[error("{0}, under the rules of the manifest")]
    Class(#[source] ClassError),
    /// A file is listed twice.
    #[error("class {class} is named twice; take one of the lines out")]
    Twice {
        /// The class.
        class: Class,
    },
    /// The manifest has more or fewer files than it says.
    #[error("expected {expected} files, found {found}: the manifest is not whole; make or copy it again")]
    Count {
        /// The number it says.
        expected: u64,
        /// The actual number.
        found: u64,
    },
}

debug_is_display!(LineFault);

fn not_a_manifest(expected: &str, found: &str) -> String {
    if found.is_empty() {
        return format!("it begins with an empty line or is empty, expected {expected:?}");
    }
    format!("expected {expected:?}, found {found:?}")
}
