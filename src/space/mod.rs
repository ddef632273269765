//! The space of positions: classes by material, orbits under a board's symmetries, subsets and their ranks, and the
//! place of each position in its class's table.
//!
//! A [`Space`] is a board and a class, and owns what follows from the two: points, free points, orbits, ranks, twins,
//! and the numbers of entries and positions. A [`Class`] owns the cows in hand and the classes that turns lead to. No
//! other module knows how many points and symmetries there are, or how a set becomes a number. Nothing here knows
//! values.

mod class;
mod map;
mod orbits;
#[expect(clippy::module_inception, reason = "the module is named after its main type")]
mod space;
pub(crate) mod subset;

pub use class::{Class, ClassError, MOST_COWS, Successors};
pub(crate) use map::ClassMap;
pub use orbits::Orbits;
pub use space::{Entry, PlacedMover, Space};
