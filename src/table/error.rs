//! What can be wrong with a table file, always with the file's name, the expected and found values, and what to do.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::rules::RuleError;
use crate::space::Class;

/// A table could not be written, opened or read. Names the file; [`fault`](Self::fault) says what is wrong with it.
/// Cheap to clone.
#[derive(Clone)]
pub struct TableError(Arc<Inner>);

debug_is_display!(TableError);

struct Inner {
    file: PathBuf,
    fault: TableFault,
}

impl TableError {
    pub(crate) fn new(file: &Path, fault: TableFault) -> Self {
        Self(Arc::new(Inner { file: file.to_owned(), fault }))
    }

    /// The file, or the name given to bytes from elsewhere.
    pub fn file(&self) -> &Path {
        &self.0.file
    }

    /// What is wrong.
    pub fn fault(&self) -> &TableFault {
        &self.0.fault
    }

    /// The system's reason, if the table itself is not at fault.
    pub fn io_error(&self) -> Option<&io::Error> {
        match &self.0.fault {
            TableFault::Io { source, .. } => Some(source),
            _ => None,
        }
    }

    /// Whether the table's [`Source`](super::Source) does not have the bytes yet, so that the same question may be
    /// answered later.
    pub fn is_awaited(&self) -> bool {
        self.io_error().is_some_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.file.display(), self.0.fault)
    }
}

impl Error for TableError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Error::source(&self.0.fault)
    }
}

/// What is wrong with a table file, or with a writer's input.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum TableFault {
    /// The operating system refused.
    #[error("cannot {action}: {source}")]
    Io {
        /// What was attempted.
        action: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// The file does not begin like a table.
    #[error("{}; give a file that `build` wrote", not_a_table(expected, found))]
    NotATable {
        /// The magic bytes.
        expected: [u8; 8],
        /// The first bytes of the file, at most eight.
        found: Vec<u8>,
    },
    /// The file has another version of the format.
    #[error("table format version {found}, but this program reads version {expected}; {advice}")]
    Version {
        /// The version this program reads and writes.
        expected: u32,
        /// The file's version.
        found: u32,
        /// Build again, or get a newer program.
        advice: &'static str,
    },
    /// The file is shorter or longer than it says or must be.
    #[error("the file is damaged: expected {expected} bytes, found {found}; copy or build it again")]
    Length {
        /// The length the header gives, or the least a table can have.
        expected: u64,
        /// The length of the file.
        found: u64,
    },
    /// A checksum does not match.
    #[error(
        "the file is damaged: checksum of {part} is {found:016x}, expected {expected:016x}; copy or build it again"
    )]
    Checksum {
        /// The part of the file.
        part: Part,
        /// The checksum the file gives.
        expected: u64,
        /// The checksum of what is there.
        found: u64,
    },
    /// A field has an invalid value.
    #[error("the file is damaged: {part}: expected {expected}, found {found}; copy or build it again")]
    Corrupt {
        /// The part of the file.
        part: Part,
        /// The valid values of the field.
        expected: String,
        /// The value found.
        found: String,
        /// Why the value is invalid, if a reader of such fields reported it.
        source: Option<Box<dyn Error + Send + Sync>>,
    },
    /// The file holds another class than its name or place says.
    #[error("the file holds class {found}, expected class {expected}; rename it back or build it again")]
    WrongClass {
        /// The class that was asked for.
        expected: Class,
        /// The class in the file.
        found: Class,
    },
    /// The file holds values under rules that this program does not know.
    #[error(
        "the file names the rules {found:?}, which this program does not know; use the program that wrote it, or another directory"
    )]
    UnknownRules {
        /// The text in the file.
        found: String,
        /// Why it is not a rule text; `None` if it is one, but not in canonical spelling.
        source: Option<RuleError>,
    },
    /// The file's name does not name a class.
    #[error("expected a name that says the class, such as 4-3.mora; rename the file")]
    BadName,
    /// A block or entry that the table does not have was requested.
    #[error("there is no {what} {found}: expected a number below {limit}")]
    OutOfRange {
        /// `block` or `entry`.
        what: &'static str,
        /// The number asked for.
        found: u64,
        /// How many there are.
        limit: u64,
    },
    /// A buffer has the wrong size.
    #[error("the buffer has {found} bytes, but {expected} are needed")]
    Buffer {
        /// The size it must have.
        expected: u64,
        /// The size it has.
        found: u64,
    },
    /// The file exists, and the writer was not told to replace it.
    #[error("the file exists already; nothing was changed; remove it, or allow overwriting")]
    Exists,
    /// A writer was stopped on request.
    #[error("writing was stopped on request; nothing was changed; run the same command again")]
    Cancelled,
    /// A writer was given values that contradict its other input.
    #[error("cannot write this table: {what}: expected {expected}, found {found}")]
    BadInput {
        /// What contradicts.
        what: &'static str,
        /// What was expected.
        expected: String,
        /// What was given.
        found: String,
    },
}

debug_is_display!(TableFault);

impl TableFault {
    /// The error for this fault in this file.
    pub fn at(self, file: &Path) -> TableError {
        TableError::new(file, self)
    }
}

/// A part of a table file, for naming in an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The head: everything before the index.
    Head,
    /// The context model at the end of the head.
    Model,
    /// The index as a whole.
    Index,
    /// The data frame with this number, with its index record.
    Frame(u32),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Head => f.write_str("head"),
            Self::Model => f.write_str("model"),
            Self::Index => f.write_str("index"),
            Self::Frame(number) => write!(f, "data frame {number}"),
        }
    }
}

fn not_a_table(expected: &[u8; 8], found: &[u8]) -> String {
    if found.is_empty() {
        return "not a table: the file is empty".to_owned();
    }
    format!("not a table: expected it to begin with {expected:02x?}, found {found:02x?}")
}

/// A [`TableFault::Corrupt`].
pub(crate) fn corrupt(part: Part, expected: impl Into<String>, found: impl fmt::Display) -> TableFault {
    TableFault::Corrupt { part, expected: expected.into(), found: found.to_string(), source: None }
}

/// A [`TableFault::Corrupt`] for a field that its reader refused.
pub(crate) fn refused(
    part: Part,
    expected: impl Into<String>,
    source: impl Error + Send + Sync + 'static,
) -> TableFault {
    let found = source.to_string();
    TableFault::Corrupt { part, expected: expected.into(), found, source: Some(Box::new(source)) }
}
