//! [`Prober`]: values of whole positions from values of bare ones.
//!
//! Tables know two sets of cows and a mover, the counter at zero and nothing restricted. Everything else about a
//! position is added here: ends of the game, the draw counter, restrictions, and a shot that is still to come.

use crate::game::{Outcome, Position, Side, Turn};
use crate::lookahead::{Lookahead, Lookup, RestrictedPosition};
use crate::rules::{FEWEST_COWS, NoRemake, RuleSet};
use crate::space::Class;
use crate::value::{Plies, Value};

use super::answer::{Line, LineEnd, Probe, RankedTurn};
use super::error::ProbeError;

/// Answers about positions under one rule set, from any source of values.
#[derive(Clone, Copy, Debug)]
pub struct Prober<'a, L> {
    rules: &'a RuleSet,
    source: &'a L,
}

impl<'a, L: Lookup> Prober<'a, L>
where
    L::Error: From<ProbeError>,
{
    /// Answers under `rules` with values from `source`, which must be solved under the same rules.
    pub const fn new(rules: &'a RuleSet, source: &'a L) -> Self {
        Self { rules, source }
    }

    /// The exact value of a position for the side to move.
    ///
    /// # Errors
    /// [`ProbeError`] where the position is illegal, has cows in hand, or needs a table that is missing or damaged.
    pub fn probe(&self, position: &Position) -> Result<Probe, L::Error> {
        self.probe_legal(&position.check(self.rules).map_err(ProbeError::from)?)
    }

    /// All legal turns with their values, best first: for the winner the fewest plies, for the loser the most, draws in
    /// between. Among equals come those that end the game, then shots that leave the opponent worst off. None once
    /// the game is over.
    ///
    /// # Errors
    /// As [`probe`](Self::probe), for the position and for every position a turn leads to.
    pub fn turns(&self, position: &Position) -> Result<Vec<RankedTurn>, L::Error> {
        let position = position.check(self.rules).map_err(ProbeError::from)?;
        if let Some(error) = self.needs_hands(&position) {
            return Err(error.into());
        }
        let mut turns = Vec::new();
        for turn in position.turns(self.rules) {
            turns.extend(self.rank(&position, turn)?);
        }
        turns.sort_by(RankedTurn::rank);
        Ok(turns)
    }

    fn rank(&self, position: &Position, turn: Turn) -> Result<Option<RankedTurn>, L::Error> {
        // Every turn of the list can be made, so nothing is left out.
        let Ok(after) = position.apply(self.rules, turn) else { return Ok(None) };
        Ok(Some(RankedTurn::new(turn, after, self.probe_legal(&after)?)))
    }

    /// The best turn, if the game is not over.
    ///
    /// # Errors
    /// As [`turns`](Self::turns).
    pub fn best_turn(&self, position: &Position) -> Result<Option<RankedTurn>, L::Error> {
        Ok(self.turns(position)?.first().copied())
    }

    /// Best play for both sides to the end of the game, through shots and the smaller classes they lead to. It stops
    /// where the game is drawn with best play, at once if it is from the start.
    ///
    /// # Errors
    /// As [`turns`](Self::turns), and [`ProbeError::Contradiction`] if no turn reaches what a table promises.
    pub fn line(&self, position: &Position) -> Result<Line, L::Error> {
        let start = self.probe(position)?;
        let mut turns: Vec<RankedTurn> = Vec::new();
        let (mut here, mut at) = (start, *position);
        // Each turn either shoots or comes a ply nearer to the next shot or the end, or the tables are refused: it ends.
        loop {
            if let Some(outcome) = here.outcome {
                return Ok(Line { start, turns, end: LineEnd::Over(outcome) });
            }
            if here.value == Value::Drawn {
                return Ok(Line { start, turns, end: LineEnd::Drawn });
            }
            let best = self.best_turn(&at)?.filter(|best| best.value == here.value);
            let best = best.ok_or_else(|| contradiction(&at, here.value))?;
            turns.push(best);
            (here, at) = (best.reply, best.after);
        }
    }

    fn probe_legal(&self, position: &Position) -> Result<Probe, L::Error> {
        let class = class_of(position);
        let over = |outcome: Outcome| {
            let value = value_of(outcome, position.to_move);
            Probe { value, at_zero: value, unrestricted: value, class, outcome: Some(outcome) }
        };
        let few = Side::BOTH.into_iter().any(|side| position.cow_count(side) < FEWEST_COWS);
        if (few || !position.is_moving_phase() || position.empty(self.rules.board()).is_empty())
            && let Some(outcome) = position.outcome(self.rules)
        {
            return Ok(over(outcome));
        }
        if let Some(error) = self.needs_hands(position) {
            return Err(error.into());
        }
        if position.shot_pending {
            return self.probe_shot(position, class);
        }
        let (at_zero, unrestricted) = match self.values_at_zero(position) {
            Ok(values) => values,
            // The rules alone may know the answer where tables do not.
            Err(error) => return position.outcome(self.rules).map(over).ok_or(error),
        };
        let limit = position.counter_limit(self.rules);
        let left = limit.map(|limit| Plies(limit.saturating_sub(position.counter)));
        let value = left.map_or(at_zero, |left| at_zero.within(left));
        let may_be_over = value == Value::Lost(Plies(0)) || left == Some(Plies(0));
        let outcome = if may_be_over { position.outcome(self.rules) } else { None };
        Ok(Probe { value, at_zero, unrestricted, class, outcome })
    }

    fn needs_hands(&self, position: &Position) -> Option<ProbeError> {
        if position.is_moving_phase() || position.outcome(self.rules).is_some() {
            return None;
        }
        let [first, second] = position.hands;
        Some(ProbeError::HasHands { first, second })
    }

    /// The value of the best shot; the shot is a ply.
    fn probe_shot(&self, position: &Position, class: Option<Class>) -> Result<Probe, L::Error> {
        let mut best: Option<Value> = None;
        for turn in position.turns(self.rules) {
            let value = self.rank(position, turn)?.map(|turn| turn.value);
            best = best.max(value);
        }
        let value = best.unwrap_or(Value::Drawn);
        Ok(Probe { value, at_zero: value, unrestricted: value, class, outcome: None })
    }

    /// The value at counter zero, and what it were without restrictions.
    fn values_at_zero(&self, position: &Position) -> Result<(Value, Value), L::Error> {
        let unrestricted = self.source.value(
            Class::of_sets(position.mover(), position.waiting()),
            position.mover(),
            position.waiting(),
        )?;
        let remakes = position.without_moot_remakes(self.rules.board()).remakes;
        if self.rules.no_remake == NoRemake::None || remakes == [None; 2] {
            return Ok((unrestricted, unrestricted));
        }
        let restricted = RestrictedPosition {
            mover: position.mover(),
            waiting: position.waiting(),
            mover_remake: remakes[position.to_move.index()],
            waiting_remake: remakes[position.to_move.other().index()],
        };
        let value = Lookahead::new(self.rules, self.source).value(&restricted)?;
        Ok((value, unrestricted))
    }
}

fn class_of(position: &Position) -> Option<Class> {
    if !position.is_moving_phase() {
        return None;
    }
    Class::moving(position.mover().len(), position.waiting().len()).ok()
}

/// The value of a game that is over for the side to move.
fn value_of(outcome: Outcome, to_move: Side) -> Value {
    match outcome {
        Outcome::Won(side, _) if side == to_move => Value::Won(Plies(0)),
        Outcome::Won(..) => Value::Lost(Plies(0)),
        Outcome::Drawn(_) => Value::Drawn,
    }
}

fn contradiction(position: &Position, value: Value) -> ProbeError {
    match class_of(position) {
        Some(class) => {
            ProbeError::Contradiction { class, why: format!("the table says {value}, and no turn leads to that") }
        }
        None => ProbeError::HasHands { first: position.hands[0], second: position.hands[1] },
    }
}
