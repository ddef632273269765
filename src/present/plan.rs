//! What a build would do and need.

use std::time::Duration;

use serde::Serialize;

use crate::build::{BuildError, Plan, PlanStep};
use crate::store::{file_name, layer_file_name};

use super::words::fingerprint_text;

/// A plan with its estimates. Sums are over the pairs that are still to be built.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlanJson {
    /// Estimated bytes of the new tables that are kept.
    pub bytes: u64,
    /// Entries to build.
    pub entries: u64,
    /// The hash of the rules' canonical text, 16 hexadecimal digits.
    pub fingerprint: String,
    /// Bytes of memory for the most demanding pair.
    pub memory: u64,
    /// All pairs in working order, including those that already exist.
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
    /// A plan, with the estimated remaining time of each pair, in the plan's order.
    ///
    /// # Errors
    /// [`BuildError::Memory`] if a pair does not fit the limit.
    pub fn new(plan: &Plan, times: &[Duration]) -> Result<Self, BuildError> {
        let steps = plan.steps.iter().zip(times);
        let pairs = steps.map(|(step, time)| Ok(PairPlanJson::new(step, plan.memory(step)?.bytes(), *time)));
        Ok(Self {
            pairs: pairs.collect::<Result<Vec<PairPlanJson>, BuildError>>()?,
            bytes: plan.expected_bytes(),
            entries: plan.missing_entries(),
            fingerprint: fingerprint_text(&plan.request.rules),
            memory: plan.peak()?,
            positions: plan.missing().map(|step| step.positions).sum(),
            rules: plan.request.rules.to_string(),
            seconds: times.iter().sum::<Duration>().as_secs_f64(),
            tables: plan.request.directory.to_string_lossy().into_owned(),
        })
    }
}

/// A pair of a plan, or a class with cows in hand, which is built alone.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PairPlanJson {
    /// Bytes on disk, existing and expected.
    pub bytes: u64,
    /// Its classes, one or two.
    pub classes: Vec<String>,
    /// Whether all its tables exist.
    pub done: bool,
    /// Entries in its tables.
    pub entries: u64,
    /// The names of its files.
    pub files: Vec<String>,
    /// Whether its tables are kept, rather than removed once nothing needs them.
    pub keep: bool,
    /// The least memory it can be built with, in bytes.
    pub least_memory: u64,
    /// The memory it is built with, in bytes.
    pub memory: u64,
    /// The pairs that must exist first.
    pub needs: Vec<String>,
    /// The class of the pair with more cows to move.
    pub pair: String,
    /// Positions that differ under the symmetries.
    pub positions: u64,
    /// The classes whose tables exist.
    pub present: Vec<String>,
    /// Estimated remaining time, in seconds.
    pub seconds: f64,
}

impl PairPlanJson {
    /// A pair that is built in `memory` bytes and takes this time.
    pub fn new(step: &PlanStep, memory: u64, time: Duration) -> Self {
        Self {
            bytes: step.disk_bytes(),
            classes: step.classes().map(|class| class.to_string()).collect(),
            done: step.is_done(),
            entries: step.entries,
            files: step.classes().map(if step.kept { file_name } else { layer_file_name }).collect(),
            keep: step.kept,
            least_memory: step.least_memory.bytes(),
            memory,
            needs: step.requires.iter().map(ToString::to_string).collect(),
            pair: step.class.to_string(),
            positions: step.positions,
            present: step.present.iter().map(|(class, _)| class.to_string()).collect(),
            seconds: time.as_secs_f64(),
        }
    }
}
