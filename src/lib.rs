//! Exact endgame tables for Morabaraba.

pub mod board;
pub mod build;
pub mod game;
pub mod index;
pub mod probe;
mod random;
pub mod reference;
pub mod rules;
pub mod solve;
pub mod table;
#[cfg(test)]
mod testing;
mod value;
pub mod verify;

pub use board::{Board, BoardKind, Point, PointSet};
pub use game::{
    Fen, FenDialect, IllegalTurn, InForm, NotationError, Outcome, PointForm, Position, PositionError, Reason, Record,
    RecordError, Remake, Side, Step, Turn,
};
pub use index::{Class, ClassError};
pub use probe::{Line, LineEnd, OpenOptions, Probe, ProbeError, RankedTurn, Tablebase, Verdict};
pub use rules::{Counter, CounterScope, FullBoard, NoRemake, Preset, RuleError, RuleSet};
pub use value::{Code, Plies, Value, Wdl};
