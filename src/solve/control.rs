//! [`Control`]: watches and stops a solve.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::error::SolveError;

/// Which machine instructions the kernels use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Instructions {
    /// The best that the CPU has.
    #[default]
    Best,
    /// No vectors wider than the 256 bits of AVX2.
    Avx2,
    /// Portable code only.
    Portable,
}

/// Watches and stops a solve.
#[derive(Debug, Default)]
pub struct Control {
    /// Which instructions to use.
    pub instructions: Instructions,
    /// Set to stop at the next block.
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
