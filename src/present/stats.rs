//! What tables say about whole classes.

use serde::Serialize;

use crate::probe::{ProbeError, Tablebase};
use crate::rules::RuleSet;
use crate::space::Class;
use crate::table::{Counts, TableMeta};
use crate::value::Value;

use super::words::fingerprint_text;

/// Counts of some classes under one rule set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct StatsJson {
    /// The canonical text of the rules.
    pub rules: String,
    /// Its hash, 16 hexadecimal digits.
    pub fingerprint: String,
    /// The classes in the order requested.
    pub classes: Vec<ClassStatsJson>,
}

impl StatsJson {
    /// These classes, which must be of these rules.
    pub fn new(rules: &RuleSet, classes: Vec<ClassStatsJson>) -> Self {
        Self { rules: rules.to_string(), fingerprint: fingerprint_text(rules), classes }
    }
}

/// The counts of a class.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ClassStatsJson {
    /// The class, such as `4-3`.
    pub class: String,
    /// Entries of its table, including twins.
    pub entries: u64,
    /// Counting every placement of the cows.
    pub full: CountsJson,
    /// Counting each orbit under the symmetries once.
    pub canonical: CountsJson,
    /// The longest DTC, in plies; null if no position is decided, and with cows in hand, where plies are not counted.
    pub max_dtc: Option<u16>,
    /// The full space by DTC, ascending, without rows of zeros.
    pub dtc: Vec<DtcJson>,
    /// The length of the file and a position with the longest DTC: the keys `bytes` and `longest`, both omitted if they
    /// are not given.
    #[serde(flatten)]
    pub longest: Option<LongestJson>,
}

impl ClassStatsJson {
    /// The counts in the head of a class's table.
    pub fn new(meta: &TableMeta) -> Self {
        let rows = meta.dtc.iter().enumerate().filter(|(_, count)| count.won + count.lost > 0);
        Self {
            class: meta.class.to_string(),
            entries: meta.entries(),
            full: CountsJson::new(&meta.full),
            canonical: CountsJson::new(&meta.canonical),
            max_dtc: meta.max_dtc().map(|plies| plies.0),
            dtc: rows.map(|(plies, count)| DtcJson { plies, won: count.won, lost: count.lost }).collect(),
            longest: None,
        }
    }

    /// The same with the keys of [`LongestJson`].
    #[must_use]
    pub fn with_longest(mut self, longest: LongestJson) -> Self {
        self.longest = Some(longest);
        self
    }
}

/// Numbers of positions by result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct CountsJson {
    /// All positions.
    pub positions: u64,
    /// Positions that the side to move wins.
    pub won: u64,
    /// Drawn positions.
    pub drawn: u64,
    /// Positions that the side to move loses.
    pub lost: u64,
}

impl CountsJson {
    /// Converts these counts.
    pub const fn new(counts: &Counts) -> Self {
        let Counts { won, drawn, lost } = *counts;
        Self { positions: counts.total(), won, drawn, lost }
    }
}

/// Numbers of positions with one DTC.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct DtcJson {
    /// The DTC, in plies.
    pub plies: usize,
    /// Positions won in this many plies.
    pub won: u64,
    /// Positions lost in this many plies.
    pub lost: u64,
}

/// The length of a class's file, and a position with its longest DTC.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LongestJson {
    /// Bytes of the file.
    pub bytes: u64,
    /// The first position of the table that has the longest DTC; null if there is none.
    pub longest: Option<LongestPositionJson>,
}

impl LongestJson {
    /// Searches the table of a class, decoding only as much as necessary.
    ///
    /// # Errors
    /// [`ProbeError`] if the table is missing or cannot be read.
    pub fn find(tables: &Tablebase, class: Class) -> Result<Self, ProbeError> {
        let bytes = tables.file_length(class).unwrap_or_default();
        let Some(plies) = tables.meta(class)?.max_dtc() else { return Ok(Self { bytes, longest: None }) };
        for value in [Value::Won(plies), Value::Lost(plies)] {
            if let Some(position) = tables.first_with(class, value)? {
                let value = value.wdl().name();
                let longest = LongestPositionJson { position: position.to_string(), value, plies: plies.0 };
                return Ok(Self { bytes, longest: Some(longest) });
            }
        }
        Ok(Self { bytes, longest: None })
    }
}

/// A position with the longest DTC.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LongestPositionJson {
    /// The position in short form, the first player to move.
    pub position: String,
    /// `won` or `lost`, for the side to move.
    pub value: &'static str,
    /// Its DTC, in plies.
    pub plies: u16,
}
