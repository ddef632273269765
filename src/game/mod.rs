//! The game itself: positions, legal turns, what a turn does and when the game is over.
//!
//! Everything here depends on the rules alone; it does not know values or tables.

mod drawing;
mod moves;
mod notation;
mod perft;
mod position;
mod turn;

pub use moves::{IllegalTurn, Outcome, Reason};
pub use notation::{Fen, FenDialect, InForm, NotationError, PointForm, Record, RecordError};
pub use perft::{distinct_positions, perft};
pub use position::{Position, PositionError, Remake, Side};
pub use turn::{Step, Turn};
