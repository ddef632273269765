//! The results of a build.

use serde::Serialize;

use crate::build::{Plan, StepReport};

/// A build that has succeeded.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BuildJson {
    /// The pairs that were built, in order.
    pub built: Vec<BuiltPairJson>,
    /// Pairs that already existed.
    pub present: usize,
    /// The canonical text of the rules.
    pub rules: String,
    /// The directory of the tables.
    pub tables: String,
}

impl BuildJson {
    /// The results of building a plan.
    pub fn new(plan: &Plan, reports: &[StepReport]) -> Self {
        Self {
            built: reports.iter().map(BuiltPairJson::new).collect(),
            present: plan.steps.len() - plan.missing().count(),
            rules: plan.request.rules.to_string(),
            tables: plan.request.directory.to_string_lossy().into_owned(),
        }
    }
}

/// A pair that was built, or a class with cows in hand, which is built alone.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BuiltPairJson {
    /// Bytes in its tables.
    pub bytes: u64,
    /// Entries in its tables.
    pub entries: u64,
    /// The longest DTC, in plies; 0 also if nothing is decided, and with cows in hand.
    pub max_dtc: u16,
    /// Wall-clock time for counting, encoding, writing and syncing, in seconds.
    pub packing_seconds: f64,
    /// The class of the pair with more cows to move.
    pub pair: String,
    /// Wall-clock time in total, in seconds.
    pub seconds: f64,
}

impl BuiltPairJson {
    /// The results of building a pair.
    pub fn new(report: &StepReport) -> Self {
        Self {
            bytes: report.bytes,
            entries: report.entries,
            max_dtc: report.longest,
            packing_seconds: report.packing.as_secs_f64(),
            pair: report.class.to_string(),
            seconds: report.time.as_secs_f64(),
        }
    }
}
