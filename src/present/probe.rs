//! The answers about a position and its turns.

use serde::Serialize;

use crate::game::PointForm;
use crate::probe::{Probe, RankedTurn};
use crate::rules::RuleSet;
use crate::value::Value;

use super::words::{dtc, outcome_text};

/// The answer about one position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ProbeJson<'a> {
    /// The position as given.
    pub position: &'a str,
    /// The canonical text of the tables' rules; no key if it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// `won`, `drawn` or `lost`, for the side to move.
    pub value: &'static str,
    /// Plies to the next shot or the end; null for a draw and with cows in hand.
    pub dtc: Option<u16>,
    /// The class, such as `4-3` or with cows in hand `2-3+2-1`; null if there is none.
    pub class: Option<String>,
    /// The value, or `cursed-win` or `blessed-loss` if only the draw counter makes it a draw.
    pub verdict: &'static str,
    /// How the game ended, in words; null while it is in progress.
    pub outcome: Option<String>,
    /// The value if the draw counter were 0; no key if that equals `value` and `dtc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_zero: Option<ValueJson>,
    /// The value with the counter at 0 and without the no-remake rule; no key if the rule makes no difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unrestricted: Option<ValueJson>,
    /// All legal turns, best first; no key if they are not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<Vec<TurnJson>>,
    /// Why there are no turns although they were requested; no key if there is no error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl<'a> ProbeJson<'a> {
    /// The answer about a position that was given as this text, without rules and turns.
    pub fn new(position: &'a str, probe: &Probe) -> Self {
        Self {
            position,
            rules: None,
            value: probe.value.wdl().name(),
            dtc: dtc(probe.value),
            class: probe.class.map(|class| class.to_string()),
            verdict: probe.verdict().name(),
            outcome: probe.outcome.map(outcome_text),
            at_zero: probe.counter_matters().then(|| ValueJson::new(probe.at_zero)),
            unrestricted: probe.restriction_matters().then(|| ValueJson::new(probe.unrestricted)),
            turns: None,
            error: None,
        }
    }

    /// The same with the rules of the tables.
    #[must_use]
    pub fn with_rules(mut self, rules: &RuleSet) -> Self {
        self.rules = Some(rules.to_string());
        self
    }

    /// The same with the position's turns.
    #[must_use]
    pub fn with_turns(mut self, turns: &[RankedTurn], form: PointForm) -> Self {
        self.turns = Some(turns.iter().map(|turn| TurnJson::new(turn, form)).collect());
        self
    }

    /// The same with the reason why the turns could not be answered.
    #[must_use]
    pub fn with_error(mut self, error: impl Into<String>) -> Self {
        self.error = Some(error.into());
        self
    }
}

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ValueJson {
    /// `won`, `drawn` or `lost`.
    pub value: &'static str,
    /// Plies to the next shot or the end; null for a draw and with cows in hand.
    pub dtc: Option<u16>,
}

impl ValueJson {
    /// Converts this value.
    pub fn new(value: Value) -> Self {
        Self { value: value.wdl().name(), dtc: dtc(value) }
    }
}

/// A turn and its value for the player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TurnJson {
    /// The turn, such as `d2-d3xa7`.
    pub turn: String,
    /// `won`, `drawn` or `lost`, for the side that makes the turn.
    pub value: &'static str,
    /// Plies to the next shot or the end, including this turn; null for a draw and with cows in hand.
    pub dtc: Option<u16>,
    /// Whether the turn shoots.
    pub shot: bool,
    /// The value, or `cursed-win` or `blessed-loss` if only the draw counter makes it a draw.
    pub verdict: &'static str,
    /// The position after the turn, in short form, so that a program can follow a turn without knowing the rules.
    pub position: String,
    /// How the game ended after the turn, in words; no key while it is in progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

impl TurnJson {
    /// A ranked turn, with its points named in this form.
    pub fn new(turn: &RankedTurn, form: PointForm) -> Self {
        Self {
            turn: turn.turn.in_form(form).to_string(),
            value: turn.value.wdl().name(),
            dtc: dtc(turn.value),
            shot: turn.turn.shoots(),
            verdict: turn.verdict.name(),
            position: turn.after.in_form(form).to_string(),
            outcome: turn.reply.outcome.map(outcome_text),
        }
    }
}

/// A position that cannot be answered, or a text that is not a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RefusalJson<'a> {
    /// The text that was given.
    pub position: &'a str,
    /// Why there is no answer.
    pub error: String,
}

impl<'a> RefusalJson<'a> {
    /// A refusal of this text.
    pub fn new(position: &'a str, error: impl Into<String>) -> Self {
        Self { position, error: error.into() }
    }
}
