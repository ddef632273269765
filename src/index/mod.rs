//! Indexing: subsets and their ranks, orbits under the symmetries, and the place of a position in its class's table.
//!
//! Nothing here knows rules or values; it turns two disjoint sets of points into a block and an entry and back.

mod class;
mod layout;
mod orbits;
pub(crate) mod subset;

pub use class::{Class, ClassError, MOST_COWS};
pub use layout::{Entry, Layout};
pub(crate) use orbits::HAS_TWINS;
pub use orbits::Orbits;
