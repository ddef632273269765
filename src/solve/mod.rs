//! Solving: exact values of a class and its reverse by parallel retrograde analysis.
//!
//! The two classes of a pair (`a-b` and `b-a`, each the *reverse* of the other) are solved together: turns without a
//! shot lead from one to the other, and shots lead to classes that are already solved. Each class is first seeded from
//! those (wins by a shot, blocked positions), then decisions spread backwards one ply at a time. Work on a class goes
//! by blocks of one waiting set, each of which holds everything that a quiet turn of the mover can change. Decisions
//! are buffered and then written to the class's own table, which is laid out by the mover's set and which the reverse
//! class reads in turn. docs/algorithm.md tells the whole story.
//!
//! This module does not know files: it takes values of smaller classes from memory and returns values.

mod all;
mod binding;
mod bits;
mod block;
mod control;
mod dense;
mod dependencies;
mod error;
mod flying;
mod fragility;
mod geometry;
mod half;
mod induce;
mod isa;
mod pair;
mod pass;
mod placing;
mod provisional;
mod robustness;
mod seed;
mod shape;
mod shots;
mod task;
#[cfg(test)]
mod tests;
mod unplace;
mod view;
mod write_back;

pub use all::{solve_all, solve_game};
pub use block::bits_per_entry;
pub use control::{Control, Instructions};
pub use dependencies::{Deeper, Dependencies};
pub use error::{SolveError, UnavailableClass};
pub use pair::{SeededPair, SolvedPair, seed_pair, solve_pair, solve_pair_with_robustness};
pub use placing::solve_placing;
pub use robustness::Robustness;
