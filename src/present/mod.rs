//! What all interfaces of the library output: JSON objects, words for values, and the board as text (feature
//! `present`).
//!
//! The command line, a server and a web page answer the same questions, so the answers are made here: an object for
//! each question, which serialises to the JSON of `docs/json.md`, key by key in a fixed order; sentences for values,
//! outcomes and positions; numbers in human-readable form. The objects contain no logic and read no input. They are
//! made from what the library returns, and know nothing of arguments, exit statuses or requests.
//!
#![cfg_attr(feature = "shipped", doc = "```")]
#![cfg_attr(not(feature = "shipped"), doc = "```no_run")]
//! use morabase::present::{self, ProbeJson};
//! use morabase::{PointForm, Position, Tablebase};
//!
//! let tables = Tablebase::shipped()?;
//! let text = "W:Wb4,d3,d7,g4:Ba7,f4,g1:C16";
//! let position = Position::from_notation(text, tables.rules())?;
//! let probe = tables.probe(&position)?;
//!
//! let object = ProbeJson::new(text, &probe);
//! assert_eq!(
//!     present::to_json(&object)?,
//!     r#"{"position":"W:Wb4,d3,d7,g4:Ba7,f4,g1:C16","value":"drawn","dtc":null,"class":"4-3","verdict":"blessed-loss","outcome":null,"at_zero":{"value":"lost","dtc":6}}"#
//! );
//! let turns = object.with_turns(&tables.turns(&position)?, PointForm::Grid).turns.unwrap_or_default();
//! assert_eq!(turns.len(), position.turns(tables.rules()).len());
//!
//! assert_eq!(present::answer_text(&probe), "drawn: the draw counter runs out before a loss in 6 plies");
//! assert_eq!(present::caption(tables.rules(), &position), "first player (O) to move; counter 16 of 20");
//! assert!(present::draw(tables.rules().board(), &position).starts_with("7  @-----------O-----------+\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod drawing;
mod export;
mod game;
mod info;
mod line;
mod manifest;
mod plan;
mod position;
mod probe;
mod records;
mod review;
mod rules;
mod stats;
#[cfg(test)]
mod tests;
mod units;
mod verify;
mod words;

pub use build::{BuildJson, BuiltPairJson};
pub use drawing::draw;
pub use export::EntryJson;
pub use game::{DistinctJson, LeavesJson, PerftJson, TurnsJson};
pub use info::{ClassInfoJson, DamagedJson, InfoJson};
pub use line::{LineEndJson, LineJson, LineTurnJson, holding_turns, movers};
pub use manifest::{FileCheckJson, ManifestCheckJson, ManifestFileJson, ManifestJson, file_text, files_text};
pub use plan::{PairPlanJson, PlanJson};
pub use position::{BarredJson, EndedJson, LeadsJson, PositionJson, RecordTurnsJson, RestrictionJson, SidesJson};
pub use probe::{ProbeJson, RefusalJson, TurnJson, ValueJson};
pub use records::{RecordJson, RecordsJson};
pub use review::{PlayerJson, ReviewJson, ReviewedTurnJson, missing_classes, player_text, review_mark, review_note};
pub use rules::{CounterJson, RulesJson};
pub use stats::{ClassStatsJson, CountsJson, DtcJson, LongestJson, LongestPositionJson, StatsJson};
pub use units::{bytes_text, duration_text, grouped};
pub use verify::{ClassVerifyJson, VerifyJson};
pub use words::{
    answer_text, caption, fingerprint_text, hands_hint, line_end_text, line_note, outcome_text, reason_name,
    side_label, side_name, side_sign, turn_note, value_text,
};

use serde::Serialize;

/// The JSON of an object, on one line without a line end.
///
/// # Errors
/// [`serde_json::Error`] if a caller's own object cannot be serialised; those of this module always can.
pub fn to_json(object: &impl Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string(object)
}

/// The same, at the end of `text`.
///
/// # Errors
/// As [`to_json`].
pub fn append_json(object: &impl Serialize, text: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    serde_json::to_writer(text, object)
}
