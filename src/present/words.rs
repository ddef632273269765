//! Sentences and names for values, turns, outcomes and positions.

use crate::game::{Outcome, Position, Reason, Side};
use crate::probe::{Line, LineEnd, Probe, RankedTurn, Verdict};
use crate::rules::RuleSet;
use crate::value::Value;

/// The character for a player's cows on the drawn board, as in the FEN: `O` or `@`.
pub const fn side_sign(side: Side) -> char {
    side.sign()
}

/// A player's name in JSON: `first` or `second`.
pub const fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "first",
        Side::Second => "second",
    }
}

/// The JSON name of a reason why a game ended: `too-few-cows`, `blocked`, `full-board` or `counter`.
pub const fn reason_name(reason: Reason) -> &'static str {
    match reason {
        Reason::TooFewCows => "too-few-cows",
        Reason::Blocked => "blocked",
        Reason::FullBoard => "full-board",
        Reason::Counter => "counter",
    }
}

/// A rule set's fingerprint in 16 hexadecimal digits.
pub fn fingerprint_text(rules: &RuleSet) -> String {
    format!("{:016x}", rules.fingerprint())
}

/// The DTC of a value as a plain number of plies; `None` for a draw, or if plies are not counted.
pub(super) fn dtc(value: Value) -> Option<u16> {
    value.dtc().map(|plies| plies.0)
}

/// A value and what its distance leads to: `won: shot or end in 7 plies`, or `won` with cows in hand.
pub fn value_text(value: Value) -> String {
    match value {
        Value::Won(plies) => format!("won: shot or end in {plies}"),
        Value::Lost(plies) => format!("lost: shot or end in {plies}"),
        // Plies are not counted while there are cows in hand.
        Value::Winning | Value::Drawn | Value::Losing => value.to_string(),
    }
}

/// The answer about a position that is not over, in one line: its value, and what the draw counter or a restriction
/// changes.
pub fn answer_text(probe: &Probe) -> String {
    let mut text = match (probe.verdict(), probe.at_zero) {
        (Verdict::CursedWin, Value::Won(plies)) => {
            format!("drawn: the draw counter runs out before a win in {plies}")
        }
        (Verdict::BlessedLoss, Value::Lost(plies)) => {
            format!("drawn: the draw counter runs out before a loss in {plies}")
        }
        _ => value_text(probe.value),
    };
    if probe.restriction_matters() {
        text = format!("{text} (without the no-remake rule {})", probe.unrestricted);
    }
    text
}

/// A remark about a ranked turn in addition to its value, if any: that it ends the game, that it shoots, or that only
/// the draw counter makes it a draw.
pub fn turn_note(turn: &RankedTurn) -> Option<&'static str> {
    match (turn.reply.outcome, turn.verdict) {
        (Some(_), _) => Some("ends the game"),
        (None, _) if turn.turn.shoots() => Some("shoots"),
        (None, Verdict::CursedWin) => Some("won but for the draw counter"),
        (None, Verdict::BlessedLoss) => Some("lost but for the draw counter"),
        _ => None,
    }
}

/// A remark about a turn of a line in addition to its value: that it ends the game, or that it shoots. Distances are to
/// the next shot, so after a shot they refer to another one.
pub fn line_note(turn: &RankedTurn) -> Option<&'static str> {
    match (turn.reply.outcome, turn.turn.shoots(), turn.reply.value.dtc()) {
        (Some(_), ..) => Some("ends the game"),
        (None, true, Some(_)) => Some("shoots; the count begins again"),
        (None, true, None) => Some("shoots"),
        (None, false, _) => None,
    }
}

/// How a line of best play ends, in one line.
pub fn line_end_text(line: &Line) -> String {
    match line.end {
        LineEnd::Over(outcome) => outcome_text(outcome),
        LineEnd::Drawn if line.turns.is_empty() => "neither side can force a win".to_owned(),
        LineEnd::Drawn => "drawn: from here neither side can force a win".to_owned(),
    }
}

/// Whose turn it is, with hands, counter and restrictions if any, in one line.
pub fn caption(rules: &RuleSet, position: &Position) -> String {
    let doing = if position.shot_pending { "shoot" } else { "move" };
    let mut parts = vec![format!("{} to {doing}", side_label(position.to_move))];
    if !position.is_moving_phase() {
        parts.push(format!("in hand {} and {}", position.hands[0], position.hands[1]));
    }
    if let Some(limit) = position.counter_limit(rules) {
        parts.push(format!("counter {} of {limit}", position.counter));
    }
    for side in Side::BOTH {
        if let Some(remake) = position.remakes[side.index()] {
            parts.push(format!("{} may not remake what {}-{} broke", side_label(side), remake.from, remake.to));
        }
    }
    parts.join("; ")
}

/// A hint if a game is over because a player has fewer than three cows and both hands are empty: perhaps the cows in
/// hand were forgotten.
pub fn hands_hint(rules: &RuleSet, position: &Position) -> Option<String> {
    let (Some(Outcome::Won(winner, Reason::TooFewCows)), true) = (position.outcome(rules), position.is_moving_phase())
    else {
        return None;
    };
    let loser = winner.other();
    let [first, second] = Side::BOTH.map(|side| rules.cows.saturating_sub(position.cow_count(side)));
    let few = match position.cow_count(loser) {
        1 => "1 cow".to_owned(),
        count => format!("{count} cows"),
    };
    let who = side_name(loser);
    Some(format!(
        "the {who} player has {few} and none in hand; cows still to place are given at the end, as :H{first},{second}"
    ))
}

/// How a game ended, in one line.
pub fn outcome_text(outcome: Outcome) -> String {
    let (result, reason) = match outcome {
        Outcome::Won(side, reason) => (format!("{} has won", side_label(side)), reason),
        Outcome::Drawn(reason) => ("drawn".to_owned(), reason),
    };
    let why = match reason {
        Reason::TooFewCows => "the opponent has fewer than three cows",
        Reason::Blocked => "the opponent has no legal turn",
        Reason::FullBoard => "the board is full",
        Reason::Counter => "the draw counter has run out",
    };
    format!("the game is over: {result}, as {why}")
}

/// The human-readable name of a player, with the character for their cows: `first player (O)`.
pub const fn side_label(side: Side) -> &'static str {
    match side {
        Side::First => "first player (O)",
        Side::Second => "second player (@)",
    }
}
