//! A build as a job: which classes to solve in which order, with how much memory, and which tables already exist.
//!
//! This module combines the solver and the files. A [`Request`] says what is wanted and where. A [`Plan`] is derived
//! from it and from the contents of the directory, and changes nothing; it is a list of steps, each with the classes
//! that are solved together: a pair of the moving phase, or one class with cows in hand. A [`Build`] locks the
//! directory, plans once, and executes the plan step by step. A table appears under its name only when it is complete,
//! so a build that is killed at any time loses only its current step, and the same request resumes from there.

mod disk;
mod error;
mod interpolate;
mod job;
mod layers;
mod memory;
mod needs;
mod order;
mod plan;
mod run;
mod speed;
mod step;

pub use error::BuildError;
pub use job::{Job, Observer, Stage, StepReport};
pub use layers::{Layers, LayersError};
pub use memory::MemoryEstimate;
pub use order::Target;
pub use plan::{Existing, Plan, PlanStep, Request};
pub use run::Build;
pub use speed::Speed;
