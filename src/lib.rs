//! Exact endgame tables for Morabaraba.

pub mod board;
#[cfg(feature = "cli")]
pub mod cli;
pub mod game;
pub mod index;
pub mod reference;
pub mod rules;
pub mod solve;
mod value;

pub use board::{Board, BoardKind, Point, PointSet};
pub use game::{IllegalTurn, Outcome, Position, PositionError, Reason, Remake, Side, Step, Turn};
pub use index::{Class, ClassError};
pub use rules::{Counter, CounterScope, FullBoard, NoRemake, Preset, RuleError, RuleSet};
pub use value::{Code, Plies, Value, Wdl};
