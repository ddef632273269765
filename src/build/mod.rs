//! A build as a job: which classes to solve in which order, with how much memory, and what is there already.
//!
//! This room brings the solver and the files together. A [`Request`] says what is wanted and where. A [`Plan`] is made of it
//! and of what the directory holds, and changes nothing; it is a list of steps, each the classes that are solved together: a pair of the moving phase, or one class with cows in
//! hand. A [`Build`] locks the directory, plans once, and carries the plan out step by step. A table appears under its name only when it is
//! whole, so a build that is killed at any instant loses no more than the step it was at, and the same request goes on from there.

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
