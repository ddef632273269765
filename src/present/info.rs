//! Which tables exist.

use serde::Serialize;

use crate::probe::{ProbeError, Tablebase};
use crate::space::Class;

use super::words::fingerprint_text;

/// The location of a table that is not in a file.
const INSIDE: &str = "(inside the program)";

/// The tables that were found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct InfoJson {
    /// The canonical text of their rules.
    pub rules: String,
    /// Its hash, 16 hexadecimal digits.
    pub fingerprint: String,
    /// The largest total number of cows up to which no class is missing; null if there is none.
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
    /// The contents of a tablebase.
    ///
    /// # Errors
    /// [`ProbeError`] if the head of a table can no longer be read.
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

/// An existing table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ClassInfoJson {
    /// Its class, such as `4-3`.
    pub class: String,
    /// Its file, or `(inside the program)`.
    pub file: String,
    /// Bytes of the table.
    pub bytes: u64,
    /// Its entries, including twins.
    pub entries: u64,
    /// Classes that turns lead to and that no table answers for: the table is missing, or it is damaged and listed as
    /// such.
    pub missing: Vec<String>,
}

impl ClassInfoJson {
    /// The table of a class.
    ///
    /// # Errors
    /// [`ProbeError`] if it is missing or its head cannot be read.
    pub fn new(tables: &Tablebase, class: Class) -> Result<Self, ProbeError> {
        if !tables.has(class) {
            // Reports why there is none.
            tables.meta(class)?;
        }
        let file = || tables.file(class).map_or_else(|| "-".to_owned(), |file| file.display().to_string());
        Ok(Self {
            class: class.to_string(),
            file: if tables.is_in_memory(class) { INSIDE.to_owned() } else { file() },
            bytes: tables.file_length(class).unwrap_or(0),
            // From the class alone: the head was checked for this number of entries when it was read.
            entries: tables.space(class).entries(),
            missing: tables.missing_successors(class).iter().map(Class::to_string).collect(),
        })
    }
}

/// A table that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DamagedJson {
    /// The class in its name.
    pub class: String,
    /// What is wrong with it, naming the file.
    pub error: String,
}
