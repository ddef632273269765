//! The contents of a rule set.

use serde::Serialize;

use crate::board::{Board, Point};
use crate::rules::{Counter, FLYING_COWS, Preset, RuleSet};

use super::position::line_text;
use super::words::fingerprint_text;

/// A rule set with its options spelt out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RulesJson {
    /// `morabaraba` or `nine-mens-morris`.
    pub board: &'static str,
    /// The draw counter; null if there is none.
    pub counter: Option<CounterJson>,
    /// Cows that each player starts with.
    pub cows: u8,
    /// The hash of the canonical text, 16 hexadecimal digits.
    pub fingerprint: String,
    /// The number of cows at which a player may fly.
    pub fly: u8,
    /// `blocked-loses` or `draw`: what a full board without a shot means.
    pub full_board: &'static str,
    /// The preset's name, or the canonical text if no preset has these options.
    pub name: String,
    /// `none`, `same-cow` or `same-line`: the interpretation of the no-remake rule.
    pub no_remake: &'static str,
    /// The canonical text.
    pub rules: String,
    /// The origin of these rules; null if no preset has these options.
    pub summary: Option<&'static str>,
    /// The points of the board, each by its grid name and its ring name: `["a7","E1"]`.
    pub points: Vec<[String; 2]>,
    /// The pairs of points that are joined by an edge: `a7-d7`.
    pub edges: Vec<String>,
    /// The lines of three points that win a shot: `a7-d7-g7`.
    pub lines: Vec<String>,
}

impl RulesJson {
    /// The contents of these rules.
    pub fn new(rules: &RuleSet) -> Self {
        let board = rules.board();
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
            points: board.points().iter().map(|point| [point.grid_name().to_owned(), point.gar_name()]).collect(),
            edges: edges(board),
            lines: board.lines().map(line_text).collect(),
        }
    }

    /// All presets.
    pub fn presets() -> Vec<Self> {
        Preset::ALL.iter().map(|preset| Self::new(&preset.rules())).collect()
    }
}

/// Each edge once.
fn edges(board: &Board) -> Vec<String> {
    let ends =
        |from: Point| board.neighbours(from).iter().filter(move |to| from < *to).map(move |to| format!("{from}-{to}"));
    board.points().iter().flat_map(ends).collect()
}

/// A draw counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct CounterJson {
    /// Plies without a shot after which the game is drawn.
    pub limit: u16,
    /// `when-three` or `always`: when it runs.
    pub scope: &'static str,
}

impl CounterJson {
    /// Converts this counter.
    pub const fn new(counter: Counter) -> Self {
        Self { limit: counter.limit, scope: counter.scope.name() }
    }
}
