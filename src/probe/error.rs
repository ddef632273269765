//! Why a tablebase cannot answer.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::game::{PositionError, Turn};
use crate::rules::RuleSet;
use crate::space::{Class, ClassError};
use crate::store::StoreError;
use crate::table::TableError;
use crate::value::Value;

/// Why a position was not answered, or tables were not opened. Names the file if there is one.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// No directory has the class that is needed.
    #[error(
        "there is no table of class {class} under the rules {}: looked for {file} in {searched}; build it, or add the directory that has it",
        .searched.rules.name()
    )]
    MissingTable {
        /// The class.
        class: Class,
        /// The name its file would have.
        file: String,
        /// Where the search looked for it.
        searched: Arc<Searched>,
    },
    /// Two tables, or a table and the request, have different rules.
    #[error("{}: this table is for other rules\n  found:    {found}\n  expected: {expected}\nkeep tables of different rules in different directories", .file.display())]
    RulesDiffer {
        /// The file.
        file: PathBuf,
        /// The canonical text of the rules that were expected.
        expected: String,
        /// The canonical text in the file.
        found: String,
    },
    /// There are cows in hand, the game is not over, and no game leads to so many cows on the board and in hand, so
    /// there is no table.
    #[error("there is no table that has this position: {why}")]
    Unreachable {
        /// The class of the position, or of the one after the outstanding shot.
        class: Class,
        /// Why there is no such class.
        #[source]
        why: ClassError,
    },
    /// The position cannot occur under the rules of the tables.
    #[error("this position cannot occur: {why}")]
    IllegalPosition {
        /// The first contradiction.
        #[from]
        why: PositionError,
    },
    /// A table is damaged, does not fit its name, or cannot be read; [`TableError::io_error`] says which.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Tables contradict each other: a value does not follow from the values it leads to.
    #[error(
        "tables contradict each other about a position of class {class}: {why}; run `morabase verify` and build what it names again"
    )]
    Contradiction {
        /// The class of the position.
        class: Class,
        /// What was expected and what was found.
        #[source]
        why: Contradiction,
    },
    /// A directory cannot be read, or is not a directory.
    #[error(transparent)]
    Directory(#[from] StoreError),
}

debug_is_display!(ProbeError);

/// Where tables were sought, and for which rules. It prints as the places.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Searched {
    /// The rules.
    pub rules: RuleSet,
    /// The directories, in order.
    pub directories: Vec<PathBuf>,
    /// Whether the tables that the library carries were among them.
    pub shipped: bool,
}

impl fmt::Display for Searched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut places: Vec<String> = self.directories.iter().map(|path| path.display().to_string()).collect();
        if self.shipped {
            let is_of_other_rules = self.rules != RuleSet::default();
            places.push(
                if is_of_other_rules { "the built-in set, which has other rules" } else { "the built-in set" }
                    .to_owned(),
            );
        }
        match places.split_last() {
            None => f.write_str("no directory, as none was given"),
            Some((last, [])) => f.write_str(last),
            Some((last, before)) => write!(f, "{} and {last}", before.join(", ")),
        }
    }
}

/// How tables contradict each other about a position.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Contradiction {
    /// No turn reaches the value that a table promises.
    #[error("the table says {value}, and no turn leads to that")]
    NoTurn {
        /// The value of the position.
        value: Value,
    },
    /// The best turn has a different value from the position.
    #[error("the position is {value}, and its best turn {turn} is {best}")]
    BestTurn {
        /// The value of the position.
        value: Value,
        /// The best turn.
        turn: Turn,
        /// The value of that turn, for the side that makes it.
        best: Value,
    },
}

debug_is_display!(Contradiction);
