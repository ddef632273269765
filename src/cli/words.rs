//! Values in words and in JSON.

use morabase::{PointForm, Probe, RankedTurn, Value, Verdict};
use serde::Serialize;

/// A turn and its value for the side that makes it.
#[derive(Serialize)]
pub(super) struct TurnJson {
    turn: String,
    value: &'static str,
    dtc: Option<u16>,
    shot: bool,
    verdict: &'static str,
}

impl TurnJson {
    pub(super) fn new(turn: &RankedTurn, form: PointForm) -> Self {
        Self {
            turn: turn.turn.in_form(form).to_string(),
            value: turn.value.wdl().name(),
            dtc: dtc(turn.value),
            shot: turn.turn.shoots(),
            verdict: turn.verdict.name(),
        }
    }
}

pub(super) fn dtc(value: Value) -> Option<u16> {
    value.dtc().map(|plies| plies.0)
}

/// A value with what its distance counts to: `won: shot or end in 7 plies`.
pub(super) fn in_words(value: Value) -> String {
    match value {
        Value::Won(plies) => format!("won: shot or end in {plies}"),
        Value::Lost(plies) => format!("lost: shot or end in {plies}"),
        Value::Drawn => "drawn".to_owned(),
    }
}

/// The answer on a position that is not over, in one line.
pub(super) fn answer(probe: &Probe) -> String {
    let mut text = match (probe.verdict(), probe.at_zero) {
        (Verdict::CursedWin, Value::Won(plies)) => {
            format!("drawn: the draw counter runs out before a win in {plies}")
        }
        (Verdict::BlessedLoss, Value::Lost(plies)) => {
            format!("drawn: the draw counter runs out before a loss in {plies}")
        }
        _ => in_words(probe.value),
    };
    if probe.restriction_matters() {
        text = format!("{text} (without the no-remake rule {})", probe.unrestricted);
    }
    text
}
