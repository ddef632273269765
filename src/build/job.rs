//! What a caller and a running build share: [`Job`] sets the threads and stops the work, [`Observer`] follows it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::solve::Control;
use crate::space::Class;

use super::BuildError;
use super::plan::PlanStep;

/// The resources a build may use, and the means to stop it.
#[derive(Debug, Default)]
pub struct Job {
    /// Number of threads; 0 for one per core.
    pub threads: usize,
    /// Counters to watch, and the flag that stops the work. Loading tables and solving a step stop at once. A step that
    /// is already solved is written first.
    pub control: Control,
    /// Set this too to abandon the tables that are being written; they are lost then.
    pub abandon: AtomicBool,
    /// Entries of smaller classes to load for the current step.
    pub to_load: AtomicU64,
    /// How many of them are loaded so far.
    pub loaded: AtomicU64,
}

impl Job {
    pub(super) fn is_stopped(&self) -> bool {
        self.control.cancel.load(Ordering::Relaxed)
    }

    /// Maps an error to a cancellation if the work failed because it was stopped.
    pub(super) fn or_stopped(&self, error: impl Into<BuildError>) -> BuildError {
        if self.is_stopped() { BuildError::Cancelled } else { error.into() }
    }
}

/// The part of a step's work that is beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Reading tables of smaller classes.
    Loading,
    /// Solving.
    Solving,
    /// Counting, encoding, writing and syncing. A request to stop takes effect after it.
    Writing,
}

/// The result of a step.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// The class that represents those solved together.
    pub class: Class,
    /// Entries in all its tables.
    pub entries: u64,
    /// Bytes in all its tables.
    pub bytes: u64,
    /// The longest DTC in plies; 0 if nothing is decided or there are cows in hand, as plies are not counted then.
    pub longest: u16,
    /// Wall-clock time of the whole step.
    pub time: Duration,
    /// The part of it spent on packing: counting, encoding, writing and syncing.
    pub packing: Duration,
}

/// Is notified of a build's progress.
pub trait Observer: Sync {
    /// No threads could be started, for this reason: the calling thread does all the work.
    fn works_alone(&self, _why: &str) {}
    /// Work on a step begins.
    fn step_begins(&self, _step: &PlanStep) {}
    /// A part of a step's work begins.
    fn stage(&self, _step: &PlanStep, _stage: Stage) {}
    /// A step is done.
    fn step_done(&self, _report: &StepReport) {}
}

/// Observes nothing.
impl Observer for () {}
