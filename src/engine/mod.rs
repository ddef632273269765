//! A player: perfect if tables answer, otherwise a search that cuts off at them.
//!
//! [`Engine::think`] returns the best turns of a position. Inside the tables it takes the ranked turns of a
//! [`Tablebase`] and only chooses among draws. Outside it runs an iteratively deepened alpha-beta search with a
//! transposition table, and takes a table's value wherever the search reaches a position that has one. The thinking can
//! be limited by depth, positions and time, and stopped from another thread. This module reads no input and prints
//! nothing; the protocol of mill programs is implemented in the command line.
//!
//! [`Tablebase`]: crate::Tablebase

mod choice;
mod evaluation;
mod limits;
mod ordering;
mod player;
mod score;
mod search;
#[cfg(test)]
mod tests;
mod transpositions;

pub use evaluation::{Evaluation, FEATURE_NAMES, FEATURES, Weights, WeightsError, evaluate, features};
pub use limits::{Limits, MAX_DEPTH, Stop};
pub use player::{Candidate, Engine, Event, Game, SearchReport};
pub use score::Score;
pub use transpositions::{HashError, MAX_HASH};
