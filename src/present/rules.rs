//! What a rule set says.

use serde::Serialize;

use crate::rules::{Counter, FLYING_COWS, Preset, RuleSet};

use super::words::fingerprint_text;

/// A rule set with its options spelt out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RulesJson {
    /// `morabaraba` or `nine-mens-morris`.
    pub board: &'static str,
    /// The draw counter; null where there is none.
    pub counter: Option<CounterJson>,
    /// Cows that each player starts with.
    pub cows: u8,
    /// The hash of the canonical text, 16 hexadecimal digits.
    pub fingerprint: String,
    /// Cows with which a player flies.
    pub fly: u8,
    /// `blocked-loses` or `draw`: what a full board without a shot means.
    pub full_board: &'static str,
    /// The preset's name, or the canonical text where no preset has these options.
    pub name: String,
    /// `none`, `same-cow` or `same-line`: the reading of the no-remake rule.
    pub no_remake: &'static str,
    /// The canonical text.
    pub rules: String,
    /// Whose rules these are; null where no preset has these options.
    pub summary: Option<&'static str>,
}

impl RulesJson {
    /// What these rules say.
    pub fn new(rules: &RuleSet) -> Self {
        Self {
            board: rules.board.name(),
            counter: rules.counter.map(CounterJson::new),
            cows: rules.cows,
            fingerprint: fingerprint_text(rules),
            fly: FLYING_COWS,
            full_board: rules.full_board.name(),
            name: rules.name(),
            no_remake: rules.no_remake.name(),
            rules: rules.to_string(),
            summary: rules.preset().map(Preset::summary),
        }
    }

    /// All presets.
    pub fn presets() -> Vec<Self> {
        Preset::ALL.iter().map(|preset| Self::new(&preset.rules())).collect()
    }
}

/// A draw counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct CounterJson {
    /// Plies without a shot after which the game is drawn.
    pub limit: u16,
    /// `when-three` or `always`: when it counts.
    pub scope: &'static str,
}

impl CounterJson {
    /// This counter.
    pub const fn new(counter: Counter) -> Self {
        Self { limit: counter.limit, scope: counter.scope.name() }
    }
}
