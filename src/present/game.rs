//! What the rules alone say about turns: which are legal, and leaf counts.

use serde::Serialize;

use crate::game::{PointForm, Position, Turn};
use crate::rules::RuleSet;

/// The legal turns of a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TurnsJson<'a> {
    /// The position as given.
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

    /// Its half-turns: placements and moves without their shots, or the shots if one is outstanding.
    pub fn half(text: &'a str, position: &Position, rules: &RuleSet, form: PointForm) -> Self {
        let steps = position.half_turns(rules).into_iter().map(|step| step.in_form(form).to_string());
        Self { position: text, turns: steps.collect() }
    }
}

/// The number of turn sequences with a given length.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PerftJson {
    /// The length of a sequence in turns.
    pub depth: u32,
    /// The number of sequences.
    pub leaves: u64,
    /// The same for each first turn; no key if it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<Vec<LeavesJson>>,
}

impl PerftJson {
    /// This many sequences of `depth` turns.
    pub const fn new(depth: u32, leaves: u64) -> Self {
        Self { depth, leaves, turns: None }
    }

    /// The same with the number of sequences that begin with each turn.
    #[must_use]
    pub fn with_turns(mut self, turns: impl IntoIterator<Item = (Turn, u64)>) -> Self {
        let each = turns.into_iter().map(|(turn, leaves)| LeavesJson { leaves, turn: turn.to_string() });
        self.turns = Some(each.collect());
        self
    }
}

/// The number of sequences that begin with a turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LeavesJson {
    /// The number of sequences that begin with it.
    pub leaves: u64,
    /// The turn, with grid names.
    pub turn: String,
}

/// The number of positions after sequences of one length.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct DistinctJson {
    /// The length of a sequence in turns.
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
