//! Values of solved classes in memory, and the look-ahead that asks them.
//!
//! Tables hold values of positions without no-remake restrictions. [`Lookahead`] finds the values of positions with
//! restrictions from them: it searches until only unrestricted positions are left and asks a [`Lookup`] for those. The
//! solver and the probe both use it.
//!
//! [`LayerLookahead`] answers for classes with cows in hand that were left out of a set of tables.
//!
//! The in-memory forms of a solved class belong here too, since the look-ahead asks them: [`Values`] are exact,
//! [`Outcomes`] are won, drawn or lost in two bits, and [`Tally`] counts values.
//!
//! This module knows boards, rules, positions and spaces, but neither how classes are solved nor how they are stored.

mod answer_cache;
mod bounds;
mod layers;
mod lookup;
mod moves;
mod outcomes;
mod position;
mod search;
mod tally;
#[cfg(test)]
mod tests;
mod value_cache;
mod values;

pub use layers::LayerLookahead;
pub use lookup::{Fragility, Lookup};
pub use outcomes::Outcomes;
pub use position::RestrictedPosition;
pub use search::{Lookahead, Refutation};
pub use tally::{Tally, TallyRow};
pub use values::Values;

pub(crate) use answer_cache::AnswerCache;
pub(crate) use moves::shootable;
pub(crate) use value_cache::ValueCache;
