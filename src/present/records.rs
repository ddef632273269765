//! The longest DTCs, class by class.

use serde::Serialize;

use crate::rules::RuleSet;
use crate::table::TableMeta;

use super::stats::LongestPositionJson;
use super::words::fingerprint_text;

/// The classes of one rule set by their longest DTC.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RecordsJson {
    /// The canonical text of the rules.
    pub rules: String,
    /// Its hash, 16 hexadecimal digits.
    pub fingerprint: String,
    /// The longest first, without classes that count no plies or in which nothing is decided.
    pub records: Vec<RecordJson>,
}

impl RecordsJson {
    /// Sorts these records, which must be of these rules.
    pub fn new(rules: &RuleSet, mut records: Vec<RecordJson>) -> Self {
        records.sort_by_key(|record| std::cmp::Reverse(record.max_dtc));
        Self { rules: rules.to_string(), fingerprint: fingerprint_text(rules), records }
    }
}

/// The longest DTC of a class.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RecordJson {
    /// The class, such as `4-3`.
    pub class: String,
    /// The longest DTC, in plies.
    pub max_dtc: u16,
    /// Positions of the full space that the side to move wins in this many plies.
    pub won: u64,
    /// Positions of the full space that it loses in this many plies.
    pub lost: u64,
    /// The first position of the table that has it; null if it was not searched for.
    pub longest: Option<LongestPositionJson>,
}

impl RecordJson {
    /// The record from the head of a class's table, without a position; `None` if no position of the class has a DTC.
    pub fn new(meta: &TableMeta) -> Option<Self> {
        let max_dtc = meta.max_dtc()?.0;
        let count = meta.dtc.get(usize::from(max_dtc)).copied().unwrap_or_default();
        Some(Self { class: meta.class.to_string(), max_dtc, won: count.won, lost: count.lost, longest: None })
    }

    /// The same with a position.
    #[must_use]
    pub fn with_longest(mut self, longest: Option<LongestPositionJson>) -> Self {
        self.longest = longest;
        self
    }
}
