//! [`Prober`]: values of whole positions from values of bare ones.
//!
//! Tables know two sets of cows, both hands and a mover, with the counter at zero and nothing restricted. The rest of a
//! position is added here: ends of the game, the draw counter, restrictions, and an outstanding shot.

use std::cmp::Reverse;

use crate::game::{Outcome, Position, Side, Turn};
use crate::lookahead::{Lookahead, Lookup, RestrictedPosition, ValueCache};
use crate::rules::{FEWEST_COWS, RuleSet};
use crate::space::Class;
use crate::value::{Plies, Value, Wdl};

use super::answer::{Line, LineEnd, Probe, RankedTurn};
use super::error::{Contradiction, ProbeError};

/// Answers about positions under one rule set, from any source of values.
#[derive(Clone, Copy, Debug)]
pub struct Prober<'a, L> {
    rules: &'a RuleSet,
    source: &'a L,
    /// What the look-aheads of one question share.
    cache: Option<&'a ValueCache<'a, L>>,
}

impl<'a, L: Lookup> Prober<'a, L>
where
    L::Error: From<ProbeError>,
{
    /// Answers under `rules` with values from `source`, which must be solved under the same rules.
    pub const fn new(rules: &'a RuleSet, source: &'a L) -> Self {
        Self { rules, source, cache: None }
    }

    /// The exact value of a position for the side to move. While there are cows in hand, it is won, drawn or lost,
    /// without plies.
    ///
    /// # Errors
    /// [`ProbeError`] if the position is illegal, no game leads to so many cows on the board and in hand, or it needs a
    /// table that is missing or damaged.
    pub fn probe(&self, position: &Position) -> Result<Probe, L::Error> {
        self.probe_legal(&position.check(self.rules).map_err(ProbeError::from)?)
    }

    /// All legal turns with their values, best first. None once the game is over.
    ///
    /// With empty hands: the fewest plies for the winner, the most for the loser, and draws in between. Among equals,
    /// those that end the game come first, then shots that leave the opponent worst off.
    ///
    /// With cows in hand: won turns, then draws, then losses. Among equals that do not lose, those that end the game
    /// come first, then shots. If several of the best turns are still equal, those that leave the opponent the fewest
    /// turns that keep the result come first, unless a table needed for this does not answer. Turns that are still
    /// equal keep the order of the points.
    ///
    /// # Errors
    /// As [`probe`](Self::probe), for the position and for every position a turn leads to.
    pub fn turns(&self, position: &Position) -> Result<Vec<RankedTurn>, L::Error> {
        let position = position.check(self.rules).map_err(ProbeError::from)?;
        let legal = position.turns(self.rules);
        if !(legal.is_empty() || position.is_moving_phase() || position.shot_pending) {
            self.reachable(&position)?;
        }
        let mut turns = Vec::with_capacity(legal.len());
        let cache = ValueCache::new(self.source);
        let prober = Prober { cache: Some(&cache), ..*self };
        for turn in legal {
            turns.extend(prober.rank(&position, turn)?);
        }
        if position.is_moving_phase() {
            turns.sort_by(RankedTurn::rank);
        } else {
            self.order_placements(&mut turns);
        }
        Ok(turns)
    }

    fn rank(&self, position: &Position, turn: Turn) -> Result<Option<RankedTurn>, L::Error> {
        // Every turn in the list can be made, so none is left out.
        let Ok(after) = position.apply(turn, self.rules) else { return Ok(None) };
        let reply = self.probe_legal(&after)?;
        Ok(Some(RankedTurn::new(turn, after, reply, position.is_moving_phase())))
    }

    /// Orders the turns of a position with cows in hand.
    fn order_placements(&self, turns: &mut [RankedTurn]) {
        turns.sort_by_key(|turn| Reverse(turn.placing_rank()));
        let Some(best) = turns.first().map(RankedTurn::placing_rank) else { return };
        let equals = turns.iter().take_while(|turn| turn.placing_rank() == best).count();
        let mut counted = Vec::with_capacity(equals);
        for turn in &turns[..equals] {
            // Only the order depends on this: turns that cannot be told apart keep the order of the points.
            let Ok(keeping) = self.keeping_replies(turn) else { return };
            counted.push((keeping, *turn));
        }
        counted.sort_by_key(|(keeping, _)| *keeping);
        for (place, (_, turn)) in turns.iter_mut().zip(counted) {
            *place = turn;
        }
    }

    /// How many of the opponent's replies to a turn keep the opponent's result.
    fn keeping_replies(&self, turn: &RankedTurn) -> Result<usize, L::Error> {
        let replies = turn.after.turns(self.rules);
        let result = turn.value.wdl();
        if result == Wdl::Won {
            // The opponent has lost, whatever he does.
            return Ok(replies.len());
        }
        let mut keeping = 0;
        for reply in replies {
            // Every turn in the list can be made.
            let Ok(after) = turn.after.apply(reply, self.rules) else { continue };
            keeping += usize::from(self.probe_legal(&after)?.value.wdl() == result);
        }
        Ok(keeping)
    }

    /// The best turn, if the game is not over.
    ///
    /// # Errors
    /// As [`turns`](Self::turns).
    pub fn best_turn(&self, position: &Position) -> Result<Option<RankedTurn>, L::Error> {
        Ok(self.turns(position)?.first().copied())
    }

    /// Best play for both sides to the end of the game, through placements, shots and the smaller classes they lead to.
    /// It stops when the game is drawn with best play, at once if it is from the start.
    ///
    /// # Errors
    /// As [`turns`](Self::turns), and [`ProbeError::Contradiction`] if no turn reaches what a table promises.
    pub fn line(&self, position: &Position) -> Result<Line, L::Error> {
        let start = self.probe(position)?;
        let mut turns: Vec<RankedTurn> = Vec::new();
        let (mut here, mut at) = (start, *position);
        // This ends: each turn places a cow, shoots, or comes a ply nearer to the next shot or the end, or else the
        // tables are refused.
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
            Probe { outcome: Some(outcome), ..Probe::of(value, class) }
        };
        let few = Side::BOTH.into_iter().any(|side| position.cow_count(side) < FEWEST_COWS);
        if (few || position.empty(self.rules.board()).is_empty())
            && let Some(outcome) = position.outcome(self.rules)
        {
            return Ok(over(outcome));
        }
        if position.shot_pending {
            return Ok(Probe::of(self.best_of_turns(position)?, class));
        }
        let moving = position.is_moving_phase();
        let values = if moving { self.values_at_zero(position) } else { self.values_in_placing(position) };
        let (at_zero, unrestricted) = match values {
            Ok(values) => values,
            // The rules alone may know the answer if tables do not.
            Err(error) => return position.outcome(self.rules).map(over).ok_or(error),
        };
        let limit = position.counter_limit(self.rules);
        let left = limit.map(|limit| Plies(limit.saturating_sub(position.counter)));
        let value = left.map_or(at_zero, |left| at_zero.within(left));
        let may_be_over = value == Value::Lost(Plies(0)) || left == Some(Plies(0));
        let outcome = if may_be_over { position.outcome(self.rules) } else { None };
        Ok(Probe { value, at_zero, unrestricted, class, outcome })
    }

    /// The value of the best turn. An outstanding shot is a turn of one ply.
    fn best_of_turns(&self, position: &Position) -> Result<Value, L::Error> {
        let mut best: Option<Value> = None;
        for turn in position.turns(self.rules) {
            let value = self.rank(position, turn)?.map(|turn| turn.value);
            best = best.max(value);
        }
        Ok(best.unwrap_or(Value::Drawn))
    }

    /// The class of a position with cows in hand, if a game leads to it.
    fn reachable(&self, position: &Position) -> Result<Class, ProbeError> {
        let class = class_or_less(position);
        class.check(self.rules).map_err(|why| ProbeError::Unreachable { class, why })
    }

    /// The value of a position with cows in hand, and what it would be without restrictions.
    fn values_in_placing(&self, position: &Position) -> Result<(Value, Value), L::Error> {
        let class = self.reachable(position)?;
        let unrestricted = self.source.value(class, position.mover(), position.waiting())?;
        // No game leads to a restriction here, but a position may be set up with one, which takes effect after the last
        // cow is placed.
        let value = if self.is_restricted(position) { self.best_of_turns(position)? } else { unrestricted };
        Ok((Value::uncounted(value.wdl()), Value::uncounted(unrestricted.wdl())))
    }

    fn is_restricted(&self, position: &Position) -> bool {
        position.remakes != [None; 2] && position.without_moot_remakes(self.rules).remakes != [None; 2]
    }

    /// The value at counter zero, and what it would be without restrictions.
    fn values_at_zero(&self, position: &Position) -> Result<(Value, Value), L::Error> {
        let unrestricted = self.source.value(
            Class::of_sets(position.mover(), position.waiting()),
            position.mover(),
            position.waiting(),
        )?;
        if position.remakes == [None; 2] {
            return Ok((unrestricted, unrestricted));
        }
        let remakes = position.without_moot_remakes(self.rules).remakes;
        if remakes == [None; 2] {
            return Ok((unrestricted, unrestricted));
        }
        let restricted = RestrictedPosition {
            mover: position.mover(),
            waiting: position.waiting(),
            mover_remake: remakes[position.to_move.index()],
            waiting_remake: remakes[position.to_move.other().index()],
        };
        let value = match self.cache {
            Some(cache) => Lookahead::new(self.rules, cache).with_cache(Some(cache.answers())).value(&restricted)?,
            None => Lookahead::new(self.rules, self.source).value(&restricted)?,
        };
        Ok((value, unrestricted))
    }
}

/// The class of a position, cows in hand included; none with fewer than three cows on a side.
pub(crate) fn class_of(position: &Position) -> Option<Class> {
    let [own, other] = [position.to_move, position.to_move.other()].map(Side::index);
    let board = [own, other].map(|side| position.cows[side].len());
    Class::with_hands(board, [own, other].map(|side| position.hands[side])).ok()
}

/// The same when it is known that the game goes on, so that both sides have three cows or more.
fn class_or_less(position: &Position) -> Class {
    class_of(position).unwrap_or_else(|| Class::of_sets(position.mover(), position.waiting()))
}

/// The value for the side to move of a game that is over.
fn value_of(outcome: Outcome, to_move: Side) -> Value {
    match outcome {
        Outcome::Won(side, _) if side == to_move => Value::Won(Plies(0)),
        Outcome::Won(..) => Value::Lost(Plies(0)),
        Outcome::Drawn(_) => Value::Drawn,
    }
}

fn contradiction(position: &Position, value: Value) -> ProbeError {
    ProbeError::Contradiction { class: class_or_less(position), why: Contradiction::NoTurn { value } }
}
