//! [`Control`]: how a solve is watched and stopped.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::error::SolveError;

/// Which machine instructions the kernels use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Instructions {
    /// The best the CPU has.
    #[default]
    Best,
    /// No vectors wider than those of AVX2, which has 256 bits.
    Avx2,
    /// Portable code only.
    Portable,
}

/// How a solve is watched and stopped.
#[derive(Debug, Default)]
pub struct Control {
    /// Which instructions to use.
    pub instructions: Instructions,
    /// Raise to stop at the next block.
    pub cancel: AtomicBool,
    /// Entries seeded so far.
    pub seeded: AtomicU64,
    /// Entries decided so far, twins included.
    pub decided: AtomicU64,
    /// Depth of the induction in plies.
    pub depth: AtomicU64,
}

impl Control {
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// An error if the work was cancelled.
    pub(super) fn check(&self) -> Result<(), SolveError> {
        if self.is_cancelled() { Err(SolveError::Cancelled) } else { Ok(()) }
    }
}
