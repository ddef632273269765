//! [`ValueScore`]: the value of a position to its mover as a number, so that the better turn has the greater number.

use crate::value::{Plies, Value};

/// Greater is better. A loss in `n` plies is `LOST + n`, a draw 0, a win in `n` plies `-LOST - n`.
pub(super) type ValueScore = i16;

/// A loss in no plies, the lowest score: the mover has no turn.
pub(super) const LOST: ValueScore = -10_000;
pub(super) const LOST_IN_1: ValueScore = LOST + 1;
pub(super) const DRAWN: ValueScore = 0;
/// The best score of a turn: a winning shot, or another win at once.
pub(super) const WON_IN_1: ValueScore = -LOST_IN_1;

/// The plies assumed for a value whose plies are not counted: more than any counted one, even with a turn or two added.
const UNCOUNTED: ValueScore = 4 * Value::MAX_DTC.0.cast_signed();

// However many plies a value has, its score stays on its side of the draw.
const _: () = assert!(2 * UNCOUNTED < -LOST);

/// The score of a value.
pub(super) const fn score(value: Value) -> ValueScore {
    match value {
        Value::Won(Plies(n)) => -LOST - n.cast_signed(),
        Value::Winning => -LOST - UNCOUNTED,
        Value::Drawn => DRAWN,
        Value::Losing => LOST + UNCOUNTED,
        Value::Lost(Plies(n)) => LOST + n.cast_signed(),
    }
}

/// The value that a score stands for.
pub(super) const fn value(score: ValueScore) -> Value {
    match score {
        DRAWN => Value::Drawn,
        score if score == -LOST - UNCOUNTED => Value::Winning,
        score if score == LOST + UNCOUNTED => Value::Losing,
        1.. => Value::Won(Plies((-LOST - score).cast_unsigned())),
        _ => Value::Lost(Plies((score - LOST).cast_unsigned())),
    }
}

/// The score, but a draw if it takes more than `left` plies.
pub(super) const fn within(score: ValueScore, left: u16) -> ValueScore {
    match value(score).dtc() {
        Some(Plies(plies)) if plies > left => DRAWN,
        _ => score,
    }
}

/// The score of a quiet turn, from the score of the position it leads to.
pub(super) const fn after_quiet(reply: ValueScore, limit: Option<u16>) -> ValueScore {
    let score = match reply {
        DRAWN => DRAWN,
        1.. => 1 - reply,
        _ => -1 - reply,
    };
    match limit {
        Some(limit) => within(score, limit),
        None => score,
    }
}

/// The score of a shot, from the score of the position it leads to.
pub(super) const fn after_shot(reply: ValueScore) -> ValueScore {
    match reply {
        DRAWN => DRAWN,
        1.. => LOST_IN_1,
        _ => WON_IN_1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_and_values_are_inverse_and_in_the_same_order() {
        // A turn adds a ply to the longest value of a table.
        let plies = || (0..=Value::MAX_DTC.0 + 1).map(Plies);
        let wins = plies().skip(1).map(Value::Won);
        let mut values: Vec<Value> = wins.chain([Value::Drawn]).chain(plies().map(Value::Lost)).collect();
        assert!(values.iter().all(|&each| value(score(each)) == each));
        values.sort_unstable();
        assert!(values.is_sorted_by(|&a, &b| score(a) < score(b)));
        assert_eq!([LOST_IN_1, WON_IN_1].map(value), [Value::Lost(Plies(1)), Value::Won(Plies(1))]);
    }

    #[test]
    fn a_turn_counts_a_ply_and_the_counter_cuts_it_off() {
        assert_eq!(value(after_quiet(score(Value::Lost(Plies(4))), Some(5))), Value::Won(Plies(5)));
        assert_eq!(value(after_quiet(score(Value::Lost(Plies(5))), Some(5))), Value::Drawn);
        assert_eq!(value(after_quiet(score(Value::Won(Plies(3))), None)), Value::Lost(Plies(4)));
        assert_eq!(value(after_shot(score(Value::Won(Plies(3))))), Value::Lost(Plies(1)));
        assert_eq!(value(after_shot(score(Value::Lost(Plies(3))))), Value::Won(Plies(1)));
    }
}
