//! Indexing: subsets and their ranks, orbits under the symmetries, and the place of a position in its class's table.

mod class;

pub use class::{Class, ClassError, MOST_COWS};
