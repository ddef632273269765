//! Which tables are there.

use serde::Serialize;

use crate::probe::{ProbeError, Tablebase};
use crate::space::Class;

use super::words::fingerprint_text;

/// Where a table is that no file holds.
const INSIDE: &str = "(inside the program)";

/// The tables that were found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct InfoJson {
    /// The canonical text of their rules.
    pub rules: String,
    /// Its hash, 16 hexadecimal digits.
    pub fingerprint: String,
    /// The greatest number of cows together up to which no class is missing; null where there is none.
    pub complete_up_to: Option<u8>,
    /// Bytes of all tables.
    pub bytes: u64,
    /// Entries of all tables.
    pub entries: u64,
    /// The tables in order.
    pub classes: Vec<ClassInfoJson>,
    /// Tables whose head cannot be read.
    pub damaged: Vec<DamagedJson>,
}

impl InfoJson {
    /// What is in a tablebase.
    ///
    /// # Errors
    /// [`ProbeError`] if the head of a table cannot be read any more.
    pub fn new(tables: &Tablebase) -> Result<Self, ProbeError> {
        let classes = tables.classes().map(|class| ClassInfoJson::new(tables, class));
        let classes = classes.collect::<Result<Vec<ClassInfoJson>, _>>()?;
        let damaged =
            tables.faults().map(|(class, error)| DamagedJson { class: class.to_string(), error: error.to_string() });
        Ok(Self {
            rules: tables.rules().to_string(),
            fingerprint: fingerprint_text(tables.rules()),
            complete_up_to: tables.complete_up_to(),
            bytes: classes.iter().map(|class| class.bytes).sum(),
            entries: classes.iter().map(|class| class.entries).sum(),
            damaged: damaged.collect(),
            classes,
        })
    }
}

/// A table that is there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ClassInfoJson {
    /// Its class, such as `4-3`.
    pub class: String,
    /// Its file, or `(inside the program)`.
    pub file: String,
    /// Bytes of the table.
    pub bytes: u64,
    /// Its entries, twins included.
    pub entries: u64,
    /// Classes that turns lead to and that no table answers for: none is there, or it is damaged and listed as that.
    pub missing: Vec<String>,
}

impl ClassInfoJson {
    /// The table of a class.
    ///
    /// # Errors
    /// [`ProbeError`] if it is missing or its head cannot be read.
    pub fn new(tables: &Tablebase, class: Class) -> Result<Self, ProbeError> {
        if !tables.has(class) {
            // Says why there is none.
            tables.meta(class)?;
        }
        let file = || tables.file(class).map_or_else(|| "-".to_owned(), |file| file.display().to_string());
        Ok(Self {
            class: class.to_string(),
            file: if tables.is_in_memory(class) { INSIDE.to_owned() } else { file() },
            bytes: tables.file_length(class).unwrap_or(0),
            // By the class alone: that a table has so many was checked when its head was read.
            entries: tables.space(class).entries(),
            missing: tables.missing_successors(class).iter().map(Class::to_string).collect(),
        })
    }
}

/// A table that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DamagedJson {
    /// The class that its name says it is of.
    pub class: String,
    /// What is wrong with it, naming the file.
    pub error: String,
}
