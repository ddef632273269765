//! The value of a position from those its turns lead to, by plain recursion over any source of values.

use crate::game::{Position, Side};
use crate::rules::{FEWEST_COWS, RuleSet};
use crate::value::{Plies, Value};

use super::play;

/// The value of a position of the moving phase with its draw counter, its restrictions and, in the middle of a turn,
/// the outstanding shot (which counts as one ply).
///
/// As long as a restriction can bar anything or a shot is outstanding, every turn is examined; `bare` answers for all
/// other positions as if nothing had been counted yet.
///
/// # Errors
/// Whatever `bare` returns.
pub fn look_ahead<E>(
    rules: &RuleSet,
    position: &Position,
    bare: &dyn Fn(&Position) -> Result<Value, E>,
) -> Result<Value, E> {
    if let Some(value) = by_cows(position) {
        return Ok(value);
    }
    if play::is_restricted(rules, position) || position.shot_pending {
        return from_turns(rules, position, bare);
    }
    let value = bare(position)?;
    Ok(play::plies_left(rules, position).map_or(value, |left| value.within(Plies(left))))
}

/// The value of a position from at least one ply of search: the best of its turns, each by [`look_ahead`].
///
/// # Errors
/// Whatever `bare` returns.
pub fn from_turns<E>(
    rules: &RuleSet,
    position: &Position,
    bare: &dyn Fn(&Position) -> Result<Value, E>,
) -> Result<Value, E> {
    if let Some(value) = by_cows(position) {
        return Ok(value);
    }
    if !position.shot_pending {
        if play::is_full_board_draw(rules, position) {
            return Ok(Value::Drawn);
        }
        // Being blocked takes precedence over the counter.
        if play::is_blocked(rules, position) {
            return Ok(Value::Lost(Plies(0)));
        }
        if play::plies_left(rules, position) == Some(0) {
            return Ok(Value::Drawn);
        }
    }
    let mut best = Value::Lost(Plies(0));
    for (turn, next) in play::turns(rules, position) {
        best = best.max(before_turn(look_ahead(rules, &next, bare)?, turn.shoots()));
    }
    Ok(best)
}

/// The value of a position in which a player has fewer than three cows, on the board and in hand together.
pub(super) fn by_cows(position: &Position) -> Option<Value> {
    let loser = Side::BOTH.into_iter().find(|side| position.cow_count(*side) < FEWEST_COWS)?;
    Some(if loser == position.to_move { Value::Lost(Plies(0)) } else { Value::Won(Plies(0)) })
}

/// A turn's value for the player, from the value of the position it leads to.
fn before_turn(after: Value, shot: bool) -> Value {
    let plies = |Plies(n): Plies| Plies(if shot { 1 } else { n + 1 });
    match after {
        Value::Won(n) => Value::Lost(plies(n)),
        Value::Winning => Value::Losing,
        Value::Drawn => Value::Drawn,
        Value::Losing => Value::Winning,
        Value::Lost(n) => Value::Won(plies(n)),
    }
}
