//! What a build would do and take.

use std::time::Duration;

use serde::Serialize;

use crate::build::{BuildError, PairPlan, Plan};
use crate::table::file_name;

use super::words::fingerprint_text;

/// A plan with its estimates. Sums are over the pairs that are still to be built.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlanJson {
    /// Bytes of disk that the new tables will take, as estimated.
    pub bytes: u64,
    /// Entries to build.
    pub entries: u64,
    /// The hash of the rules' canonical text, 16 hexadecimal digits.
    pub fingerprint: String,
    /// Bytes of memory for the pair that needs most.
    pub memory: u64,
    /// All pairs in the order of the work, those that are there among them.
    pub pairs: Vec<PairPlanJson>,
    /// Positions to solve that differ under the symmetries.
    pub positions: u64,
    /// The canonical text of the rules.
    pub rules: String,
    /// Estimated time, in seconds.
    pub seconds: f64,
    /// The directory of the tables.
    pub tables: String,
}

impl PlanJson {
    /// A plan, with the estimated time of what is still to do of each pair, in the plan's order, and a limit of memory in bytes.
    ///
    /// # Errors
    /// [`BuildError::Memory`] if a pair does not fit the limit.
    pub fn new(plan: &Plan, times: &[Duration], limit: Option<u64>) -> Result<Self, BuildError> {
        let pairs = plan.pairs.iter().zip(times);
        let pairs = pairs.map(|(pair, time)| Ok(PairPlanJson::new(pair, plan.need(pair, limit)?.bytes(), *time)));
        Ok(Self {
            pairs: pairs.collect::<Result<Vec<PairPlanJson>, BuildError>>()?,
            bytes: plan.missing().map(PairPlan::expected_bytes).sum(),
            entries: plan.missing_entries(),
            fingerprint: fingerprint_text(&plan.rules),
            memory: plan.peak(limit)?,
            positions: plan.missing().map(|pair| pair.positions).sum(),
            rules: plan.rules.to_string(),
            seconds: times.iter().sum::<Duration>().as_secs_f64(),
            tables: plan.directory.to_string_lossy().into_owned(),
        })
    }
}

/// A pair of a plan.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PairPlanJson {
    /// Bytes on disk, there and expected.
    pub bytes: u64,
    /// Its classes, one or two.
    pub classes: Vec<String>,
    /// Whether all its tables are there.
    pub done: bool,
    /// Entries of its tables.
    pub entries: u64,
    /// The names of its files.
    pub files: Vec<String>,
    /// Bytes of memory without which it cannot be built.
    pub least_memory: u64,
    /// Bytes of memory to build it in.
    pub memory: u64,
    /// The pairs that must be there first.
    pub needs: Vec<String>,
    /// The class of the pair with more cows to move.
    pub pair: String,
    /// Positions that differ under the symmetries.
    pub positions: u64,
    /// The classes whose tables are there.
    pub present: Vec<String>,
    /// Estimated time of what is still to do, in seconds.
    pub seconds: f64,
}

impl PairPlanJson {
    /// A pair that is built in `memory` bytes and takes this time.
    pub fn new(pair: &PairPlan, memory: u64, time: Duration) -> Self {
        Self {
            bytes: pair.disk_bytes(),
            classes: pair.classes().map(|class| class.to_string()).collect(),
            done: pair.is_done(),
            entries: pair.entries,
            files: pair.classes().map(file_name).collect(),
            least_memory: pair.least.bytes(),
            memory,
            needs: pair.needs.iter().map(ToString::to_string).collect(),
            pair: pair.class.to_string(),
            positions: pair.positions,
            present: pair.present.iter().map(|(class, _)| class.to_string()).collect(),
            seconds: time.as_secs_f64(),
        }
    }
}
