//! What a caller and a running build share: [`Job`] to give threads and stop the work, [`Observer`] to be told of it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::solve::Control;
use crate::space::Class;

use super::BuildError;
use super::plan::PlanStep;

/// What a build may use and how it is stopped.
#[derive(Debug, Default)]
pub struct Job {
    /// Threads; 0 for one a core.
    pub threads: usize,
    /// Counters to watch, and the flag that stops the work. It is obeyed at once while tables are loaded and a step is
    /// solved. A step that is solved is written first.
    pub control: Control,
    /// Raise as well not to wait for what is being written; it is lost then.
    pub abandon: AtomicBool,
    /// Entries of smaller classes to be loaded for the step at work.
    pub to_load: AtomicU64,
    /// Those loaded so far.
    pub loaded: AtomicU64,
}

impl Job {
    pub(super) fn is_stopped(&self) -> bool {
        self.control.cancel.load(Ordering::Relaxed)
    }

    /// What stopped the work, where it failed because it was stopped.
    pub(super) fn or_stopped(&self, error: impl Into<BuildError>) -> BuildError {
        if self.is_stopped() { BuildError::Cancelled } else { error.into() }
    }
}

/// The part of a step's work that begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Reading tables of smaller classes.
    Loading,
    /// Solving.
    Solving,
    /// Counting, encoding, writing and syncing. A stop is obeyed after it.
    Writing,
}

/// What a step came to.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// The class that represents those solved together.
    pub class: Class,
    /// Entries of all its tables.
    pub entries: u64,
    /// Bytes of all its tables.
    pub bytes: u64,
    /// The longest DTC of all, in plies; 0 also where nothing is decided, and with cows in hand, where plies are not counted.
    pub longest: u16,
    /// Wall-clock time for all of it.
    pub time: Duration,
    /// The part of it that went into packing: counting, encoding, writing and syncing.
    pub packing: Duration,
}

/// Is told how a build goes on.
pub trait Observer: Sync {
    /// No threads could be started, for this reason: the one that runs the build does all of it.
    fn works_alone(&self, _why: &str) {}
    /// Work on a step begins.
    fn step_begins(&self, _step: &PlanStep) {}
    /// A part of a step's work begins.
    fn stage(&self, _step: &PlanStep, _stage: Stage) {}
    /// A step is done.
    fn step_done(&self, _report: &StepReport) {}
}

/// Nobody watches.
impl Observer for () {}
