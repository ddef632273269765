//! What the rules alone say of a position: its texts, its turns, and leaf counts.

use serde::Serialize;

use crate::game::{Fen, FenDialect, PointForm, Position, Turn};
use crate::rules::RuleSet;

use super::words::outcome_text;

/// A position in every format.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PositionJson {
    /// The FEN with `ids:nodes`.
    pub fen: String,
    /// The FEN in the old dialect.
    pub fen_old: String,
    /// The short form with ring names.
    pub gar: String,
    /// How the game has ended, in words; null while it goes on.
    pub outcome: Option<String>,
    /// The short form with grid names.
    pub position: String,
}

impl PositionJson {
    /// A position and the number of its move.
    pub fn new(fen: &Fen, rules: &RuleSet) -> Self {
        let position = &fen.position;
        Self {
            fen: fen.to_text(rules, FenDialect::Nodes),
            fen_old: fen.to_text(rules, FenDialect::Old),
            gar: position.in_form(PointForm::Gar).to_string(),
            outcome: position.outcome(rules).map(outcome_text),
            position: position.to_string(),
        }
    }
}

/// The legal turns of a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TurnsJson<'a> {
    /// The position, as it was asked for.
    pub position: &'a str,
    /// Its turns or half-turns.
    pub turns: Vec<String>,
}

impl<'a> TurnsJson<'a> {
    /// The turns of a position that was given as `text`, each with its shot.
    pub fn new(text: &'a str, position: &Position, rules: &RuleSet, form: PointForm) -> Self {
        let turns = position.turns(rules).into_iter().map(|turn| turn.in_form(form).to_string());
        Self { position: text, turns: turns.collect() }
    }

    /// Its half-turns: placements and moves without their shots, and the shots where one is still to come.
    pub fn half(text: &'a str, position: &Position, rules: &RuleSet, form: PointForm) -> Self {
        let steps = position.half_turns(rules).into_iter().map(|step| step.in_form(form).to_string());
        Self { position: text, turns: steps.collect() }
    }
}

/// How many sequences of turns of one length there are.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PerftJson {
    /// Turns of a sequence.
    pub depth: u32,
    /// Sequences.
    pub leaves: u64,
    /// The same for each first turn; no key where it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<Vec<LeavesJson>>,
}

impl PerftJson {
    /// This many sequences of `depth` turns.
    pub const fn new(depth: u32, leaves: u64) -> Self {
        Self { depth, leaves, turns: None }
    }

    /// The same with the sequences that begin with each turn.
    #[must_use]
    pub fn with_turns(mut self, turns: impl IntoIterator<Item = (Turn, u64)>) -> Self {
        let each = turns.into_iter().map(|(turn, leaves)| LeavesJson { leaves, turn: turn.to_string() });
        self.turns = Some(each.collect());
        self
    }
}

/// How many sequences begin with a turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LeavesJson {
    /// Sequences that begin with it.
    pub leaves: u64,
    /// The turn, with grid names.
    pub turn: String,
}

/// How many positions there are after sequences of one length.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct DistinctJson {
    /// Turns of a sequence.
    pub depth: u32,
    /// Positions that differ under the symmetries.
    pub distinct: u64,
}

impl DistinctJson {
    /// This many positions after `depth` turns.
    pub const fn new(depth: u32, distinct: u64) -> Self {
        Self { depth, distinct }
    }
}
