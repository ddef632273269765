//! A game that was played, with what the tables say about each turn.

use serde::Serialize;

use crate::game::{PointForm, Position, Side};
use crate::probe::{ReviewedTurn, Verdict};
use crate::rules::RuleSet;
use crate::value::{Value, Wdl};

use super::position::{EndedJson, SidesJson};
use super::probe::TurnJson;
use super::words::{dtc, side_label, side_name};

/// A game under review.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ReviewJson {
    /// The canonical text of the tables' rules.
    pub rules: String,
    /// The position that the game starts from, in short form.
    pub start: String,
    /// The turns in order.
    pub turns: Vec<ReviewedTurnJson>,
    /// How the game ended; null while it is in progress.
    pub ended: Option<EndedJson>,
    /// How well each player played.
    pub players: SidesJson<PlayerJson>,
    /// The classes whose tables were missing, in the order of their occurrence.
    pub missing: Vec<String>,
}

impl ReviewJson {
    /// The review of a game from `start`, with points named in this form.
    pub fn new(rules: &RuleSet, start: &Position, turns: &[ReviewedTurn], form: PointForm) -> Self {
        let end = turns.last().map_or(start, |last| &last.after);
        Self {
            rules: rules.to_string(),
            start: start.in_form(form).to_string(),
            turns: (1..).zip(turns).map(|(number, turn)| ReviewedTurnJson::new(number, turn, form)).collect(),
            ended: end.outcome(rules).map(EndedJson::new),
            players: SidesJson::new(|side| PlayerJson::new(side, turns)),
            missing: missing_classes(turns),
        }
    }
}

/// The classes whose tables were missing in a review, each once.
pub fn missing_classes(turns: &[ReviewedTurn]) -> Vec<String> {
    let mut classes: Vec<String> = Vec::new();
    for class in turns.iter().filter_map(|turn| turn.missing) {
        let class = class.to_string();
        if !classes.contains(&class) {
            classes.push(class);
        }
    }
    classes
}

/// A turn of a game under review.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ReviewedTurnJson {
    /// Its place in the game, from 1.
    pub number: usize,
    /// Who made it: `first` or `second`.
    pub side: &'static str,
    /// The turn, such as `d2-d3xa7`.
    pub turn: String,
    /// Its value for the side that made it: `won`, `drawn` or `lost`; null if the tables do not know.
    pub value: Option<&'static str>,
    /// Plies to the next shot or the end, including this turn; null for a draw, with cows in hand, and if the tables do
    /// not know.
    pub dtc: Option<u16>,
    /// The value, or `cursed-win` or `blessed-loss` if only the draw counter makes it a draw; null if the tables do not
    /// know.
    pub verdict: Option<&'static str>,
    /// Whether the turn shoots.
    pub shot: bool,
    /// The position after the turn, in short form.
    pub position: String,
    /// `win` or `draw` if the turn threw one away; null otherwise.
    pub thrown_away: Option<&'static str>,
    /// The best turn; null if the tables do not know.
    pub best: Option<TurnJson>,
    /// The class whose table was missing; no key if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

impl ReviewedTurnJson {
    /// A reviewed turn, with points named in this form.
    pub fn new(number: usize, turn: &ReviewedTurn, form: PointForm) -> Self {
        Self {
            number,
            side: side_name(turn.side),
            turn: turn.turn.in_form(form).to_string(),
            value: turn.value.map(|value| value.wdl().name()),
            dtc: turn.value.and_then(dtc),
            verdict: turn.verdict.map(Verdict::name),
            shot: turn.turn.shoots(),
            position: turn.after.in_form(form).to_string(),
            thrown_away: turn.thrown_away().map(result_name),
            best: turn.best.as_ref().map(|best| TurnJson::new(best, form)),
            missing: turn.missing.map(|class| class.to_string()),
        }
    }
}

/// The name of a result that can be thrown away.
const fn result_name(result: Wdl) -> &'static str {
    match result {
        Wdl::Won => "win",
        _ => "draw",
    }
}

/// How well a player played.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PlayerJson {
    /// Number of turns by the player.
    pub turns: usize,
    /// Number of turns for which the tables know whether they threw something away.
    pub judged: usize,
    /// The numbers of the turns that threw a win away.
    pub wins_thrown_away: Vec<usize>,
    /// The numbers of the turns that threw a draw away.
    pub draws_thrown_away: Vec<usize>,
}

impl PlayerJson {
    /// How well `side` played.
    pub fn new(side: Side, turns: &[ReviewedTurn]) -> Self {
        let own = || (1..).zip(turns).filter(|(_, turn)| turn.side == side);
        let thrown = |result| own().filter(|(_, turn)| turn.thrown_away() == Some(result)).map(|(at, _)| at).collect();
        Self {
            turns: own().count(),
            judged: own().filter(|(_, turn)| turn.best.is_some()).count(),
            wins_thrown_away: thrown(Wdl::Won),
            draws_thrown_away: thrown(Wdl::Drawn),
        }
    }
}

/// The mark after a turn that threw something away: `?`, or `??` if a win became a loss.
pub fn review_mark(turn: &ReviewedTurn) -> &'static str {
    match (turn.thrown_away(), turn.value.map(Value::wdl)) {
        (Some(Wdl::Won), Some(Wdl::Lost)) => "??",
        (Some(_), _) => "?",
        (None, _) => "",
    }
}

/// A remark about a reviewed turn in addition to its value: what it threw away, or that another was better.
pub fn review_note(turn: &ReviewedTurn, form: PointForm) -> Option<String> {
    let Some(better) = turn.better() else {
        let class = turn.missing.filter(|_| turn.value.is_none())?;
        return Some(format!("no table of {class}"));
    };
    let best = format!("{}, {}", better.turn.in_form(form), better.value);
    Some(match turn.thrown_away() {
        Some(result) => format!("throws the {} away; best was {best}", result_name(result)),
        None => format!("best was {best}"),
    })
}

/// How well a player played, in one line.
pub fn player_text(side: Side, turns: &[ReviewedTurn]) -> String {
    let player = PlayerJson::new(side, turns);
    let label = side_label(side);
    if player.judged == 0 {
        return format!("{label}: no turn judged");
    }
    let mut parts = Vec::new();
    for (numbers, what) in [(&player.wins_thrown_away, "win"), (&player.draws_thrown_away, "draw")] {
        let at: Vec<String> = numbers.iter().map(usize::to_string).collect();
        match at.len() {
            0 => {}
            1 => parts.push(format!("1 {what} thrown away, on turn {}", at[0])),
            count => parts.push(format!("{count} {what}s thrown away, on turns {}", at.join(", "))),
        }
    }
    if parts.is_empty() {
        parts.push("no win or draw thrown away".to_owned());
    }
    if player.judged < player.turns {
        parts.push(format!("{} of {} turns judged", player.judged, player.turns));
    }
    format!("{label}: {}", parts.join("; "))
}
