//! Best play from a position.

use serde::Serialize;

use crate::game::{Outcome, PointForm, Position, Side};
use crate::probe::{Line, LineEnd, ProbeError, RankedTurn, Tablebase};
use crate::value::Value;

use super::words::{dtc, reason_name, side_name};

/// A line of best play.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LineJson {
    /// The position that the line starts from, in short form.
    pub position: String,
    /// Its value for the side to move: `won`, `drawn` or `lost`.
    pub value: &'static str,
    /// Plies to the next shot or the end; null for a draw and with cows in hand.
    pub dtc: Option<u16>,
    /// The turns in order.
    pub turns: Vec<LineTurnJson>,
    /// Why the line stops.
    pub end: LineEndJson,
    /// The turns that hold the draw at the end of the line, if it stops because neither side can win; no key if they
    /// are not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holding: Option<Vec<String>>,
}

impl LineJson {
    /// The line from a position, with points named in this form.
    pub fn new(position: &Position, line: &Line, form: PointForm) -> Self {
        let sides = movers(line, position.to_move);
        Self {
            position: position.in_form(form).to_string(),
            value: line.start.value.wdl().name(),
            dtc: dtc(line.start.value),
            turns: line.turns.iter().zip(sides).map(|(turn, side)| LineTurnJson::new(turn, side, form)).collect(),
            end: LineEndJson::new(line.end, position.to_move),
            holding: None,
        }
    }

    /// The same with the turns that hold the draw at its end, if there are any.
    #[must_use]
    pub fn with_holding(mut self, turns: &[RankedTurn], form: PointForm) -> Self {
        self.holding =
            (!turns.is_empty()).then(|| turns.iter().map(|turn| turn.turn.in_form(form).to_string()).collect());
        self
    }
}

/// The turns that hold the draw at the end of the line from a position. `None` if the line ends otherwise, or if a
/// table that would know them is missing.
///
/// # Errors
/// [`ProbeError`] if an existing table cannot answer.
pub fn holding_turns(tables: &Tablebase, position: &Position, line: &Line) -> Result<Vec<RankedTurn>, ProbeError> {
    if line.end != LineEnd::Drawn {
        return Ok(Vec::new());
    }
    let end = line.turns.last().map_or(position, |last| &last.after);
    match tables.turns(end) {
        Ok(mut turns) => {
            turns.retain(|turn| turn.value == Value::Drawn);
            Ok(turns)
        }
        Err(ProbeError::MissingTable { .. } | ProbeError::Unreachable { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The players of the turns of a line in which `first` begins.
pub fn movers(line: &Line, first: Side) -> Vec<Side> {
    let later = line.turns.iter().map(|turn| turn.after.to_move);
    std::iter::once(first).chain(later).take(line.turns.len()).collect()
}

/// A turn of a line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LineTurnJson {
    /// The player who makes it: `first` or `second`.
    pub side: &'static str,
    /// The turn, such as `d2-d3xa7`.
    pub turn: String,
    /// Its value for the side that makes it: `won`, `drawn` or `lost`.
    pub value: &'static str,
    /// Plies to the next shot or the end, including this turn; null for a draw and with cows in hand.
    pub dtc: Option<u16>,
    /// Whether the turn shoots.
    pub shot: bool,
    /// The position after the turn, in short form.
    pub position: String,
}

impl LineTurnJson {
    /// A turn of `side`, with points named in this form.
    pub fn new(turn: &RankedTurn, side: Side, form: PointForm) -> Self {
        Self {
            side: side_name(side),
            turn: turn.turn.in_form(form).to_string(),
            value: turn.value.wdl().name(),
            dtc: dtc(turn.value),
            shot: turn.turn.shoots(),
            position: turn.after.in_form(form).to_string(),
        }
    }
}

/// Why a line stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct LineEndJson {
    /// `won`, `drawn` or `lost`, for the side to move at the start.
    pub result: &'static str,
    /// `too-few-cows`, `blocked`, `full-board` or `counter`, or `best-play` if neither side can win.
    pub reason: &'static str,
}

impl LineEndJson {
    /// The end of a line in which `first` begins.
    pub const fn new(end: LineEnd, first: Side) -> Self {
        let (result, reason) = match end {
            LineEnd::Drawn => return Self { result: "drawn", reason: "best-play" },
            LineEnd::Over(Outcome::Drawn(reason)) => ("drawn", reason),
            LineEnd::Over(Outcome::Won(side, reason)) if side.index() == first.index() => ("won", reason),
            LineEnd::Over(Outcome::Won(_, reason)) => ("lost", reason),
        };
        Self { result, reason: reason_name(reason) }
    }
}
