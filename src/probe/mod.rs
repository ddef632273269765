//! Probing: exact values of whole positions, history included, and best play.
//!
//! [`Tablebase`] opens table files and answers; [`Prober`] is the part of it that knows the rules and takes values from
//! any source. Tables hold positions as two sets of cows, both hands and a mover. With a limit `N`, the draw counter
//! `c` makes a draw of every decision that needs more than `N - c` plies. No-remake restrictions are resolved by
//! looking ahead, and an outstanding shot by trying each shot.

mod answer;
mod awaiting;
mod error;
mod prober;
mod review;
mod shipped;
mod tablebase;
#[cfg(test)]
mod tests;

pub use answer::{Line, LineEnd, Probe, RankedTurn, Verdict};
pub use error::{Contradiction, ProbeError, Searched};
pub use prober::Prober;
pub(crate) use prober::class_of;
pub use review::{ReviewError, ReviewedTurn};
pub use tablebase::{OpenOptions, Tablebase};
