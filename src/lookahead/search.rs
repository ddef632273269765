//! [`Lookahead`]: values of positions with a no-remake restriction, by searching into classes that are already solved.
//!
//! A shot creates a restriction, and it is gone after its owner's next turn, so two plies of look-ahead reach positions
//! without any. Only further shots go deeper, and each leaves one cow fewer.

use std::cell::{Cell, OnceCell};

use smallvec::SmallVec;

use crate::board::PointSet;
use crate::rules::RuleSet;
use crate::space::{PlacedMover, Space};
use crate::value::{Plies, Value, Wdl};

use super::answer_cache::{AnswerCache, AnswerKey};
use super::bounds::{Bounds, SearchWindow};
use super::lookup::Lookup;
use super::moves::{MoveGenerator, MoveWithShot, Reply, TurnKind};
use super::position::RestrictedPosition;

/// The refutation move of the last position of its kind: the reply that settled it. If the next position differs by one
/// turn of the other side, this reply usually settles it too, so it is tried first.
#[derive(Default, Debug)]
pub struct Refutation(Cell<Option<MoveWithShot>>);

/// Look-ahead under one rule set over one source of values.
#[derive(Debug)]
pub struct Lookahead<'a, L> {
    moves: MoveGenerator<'a>,
    source: &'a L,
    cache: Option<&'a AnswerCache>,
}

/// A position whose turns are being bounded, with what is found once for all of them.
struct SearchNode {
    position: RestrictedPosition,
    plies_left: u16,
    /// Points where the opponent wins after any quiet turn that leaves them empty.
    threats: PointSet,
    /// Whether every quiet turn lets the opponent win unless a restriction binds him.
    loses_if_unrestricted: bool,
    /// Whether only a bar on the opponent can make the position better than its look-up says, so that usually no turn
    /// does, and look-ups are costly.
    hopes_for_bar: bool,
    /// The opponent's set, which is to move after every quiet turn; placed when the first one is asked about.
    opponent: OnceCell<PlacedMover>,
}

impl<'a, L: Lookup> Lookahead<'a, L> {
    /// Looks ahead under `rules`, taking values of unrestricted positions from `source`.
    pub fn new(rules: &'a RuleSet, source: &'a L) -> Self {
        Self { moves: MoveGenerator::new(rules), source, cache: None }
    }

    /// The same, keeping answers in `cache`, which must not be shared with other rules or sources.
    pub(crate) fn with_cache(self, cache: Option<&'a AnswerCache>) -> Self {
        Self { cache, ..self }
    }

    /// The exact value of a position at counter zero, restrictions included. Both sides have at least three cows.
    ///
    /// # Errors
    /// Whatever the source reports.
    pub fn value(&self, position: &RestrictedPosition) -> Result<Value, L::Error> {
        self.value_below(position, BEST, &Refutation::default())
    }

    /// The value of a position if it is less than `high`, otherwise some value between `high` and the true one. The
    /// turn in `own` is tried first.
    fn value_below(&self, position: &RestrictedPosition, high: Value, own: &Refutation) -> Result<Value, L::Error> {
        let position = self.moves.without_moot(position);
        let limit = self.plies_left(&position);
        if let Some(Reply::Quiet(next)) = own.0.get().and_then(|turn| self.moves.reply(&position, turn)) {
            let value = after_reply(self.value_below(&next, BEST, &Refutation::default())?, limit);
            if value >= high {
                return Ok(value);
            }
        }
        let unrestricted = self.source.value(position.class(), position.mover, position.waiting)?;
        // A restriction only hurts its owner.
        let (floor, ceiling) = match (position.mover_remake, position.waiting_remake) {
            (None, None) => return Ok(unrestricted),
            (Some(_), None) => match unrestricted {
                // Every turn is a losing shot.
                Value::Lost(Plies(1)) => return self.value_of_losing_shots(&position),
                Value::Won(Plies(1)) | Value::Drawn => (None, unrestricted),
                // A restriction bars only shots, and the best turn is not one, or there is none.
                _ => return Ok(unrestricted),
            },
            (None, Some(_)) => (Some(unrestricted), BEST),
            (Some(_), Some(_)) => (None, BEST),
        };
        let enough = high.min(ceiling);
        let mut best = floor;
        // A draw is usually held by a quiet turn.
        let kinds = if ceiling == Value::Drawn { QUIET_FIRST } else { SHOTS_FIRST };
        for kind in kinds {
            if best >= Some(enough) {
                break;
            }
            match kind {
                TurnKind::Shot => best = best.max(self.value_of_shots(&position, best, enough)?),
                TurnKind::Quiet => best = best.max(self.value_of_quiet_turns(&position, best, enough, own)?),
            }
        }
        Ok(best.unwrap_or(Value::Lost(Plies(0))))
    }

    /// The value of a position in which no quiet turn is legal and every shot loses, if there is one.
    fn value_of_losing_shots(&self, position: &RestrictedPosition) -> Result<Value, L::Error> {
        let any = self.moves.visit(position, TurnKind::Shot, |_, _| Ok(true))?;
        Ok(Value::Lost(Plies(u16::from(any))))
    }

    /// The value of the best shot, as far as it matters if `best` is reached without one and `high` is enough.
    fn value_of_shots(
        &self,
        position: &RestrictedPosition,
        mut best: Option<Value>,
        high: Value,
    ) -> Result<Option<Value>, L::Error> {
        let answering = Refutation::default();
        let worth = |reply, best, high| match reply {
            Reply::Shot(next) => self.value_of_shot(&next, best, high, &answering),
            _ => Ok(BEST),
        };
        let mut enough = high;
        if high > Value::Drawn && best < Some(Value::Drawn) {
            // First ask whether any shot wins: that costs less than finding what the others are worth.
            let wins = |_, reply| Ok(worth(reply, Some(Value::Drawn), high)? == BEST);
            if self.moves.visit(position, TurnKind::Shot, wins)? {
                return Ok(Some(BEST));
            }
            enough = Value::Drawn;
        }
        self.moves.visit(position, TurnKind::Shot, |_, reply| {
            best = best.max(Some(worth(reply, best, enough)?));
            Ok(best >= Some(enough))
        })?;
        Ok(best)
    }

    /// The value of the best quiet turn, likewise. The turn that reaches `high` is left in `own`.
    fn value_of_quiet_turns(
        &self,
        position: &RestrictedPosition,
        mut best: Option<Value>,
        high: Value,
        own: &Refutation,
    ) -> Result<Option<Value>, L::Error> {
        let limit = self.plies_left(position);
        let answering = Refutation::default();
        self.moves.visit(position, TurnKind::Quiet, |turn, reply| {
            let Reply::Quiet(next) = reply else { return Ok(false) };
            let value = Some(after_reply(self.value_below(&next, before_reply(best), &answering)?, limit));
            if value >= best {
                own.0.set(Some(turn));
            }
            best = best.max(value);
            Ok(best >= Some(high))
        })?;
        Ok(best)
    }

    /// The value of a shot that leads to `next`, as far as it matters if `best` is reached without it and `high` is
    /// enough. `answering` is the refutation of the side that answers the shots of one position.
    fn value_of_shot(
        &self,
        next: &RestrictedPosition,
        best: Option<Value>,
        high: Value,
        answering: &Refutation,
    ) -> Result<Value, L::Error> {
        let reaches = |goal| self.reaches_by(next, goal, answering, &Refutation::default());
        let result = if high <= Value::Drawn {
            if reaches(Wdl::Won)? { Wdl::Won } else { Wdl::Drawn }
        } else if best >= Some(Value::Drawn) {
            if reaches(Wdl::Drawn)? { Wdl::Drawn } else { Wdl::Lost }
        } else {
            self.exact_result(next, answering)?
        };
        Ok(match result {
            Wdl::Lost => BEST,
            Wdl::Drawn => Value::Drawn,
            Wdl::Won => Value::Lost(Plies(1)),
        })
    }

    /// Whether a position at counter zero is worth at least `goal` to the side to move. `refutation` is that of the
    /// replies to the side to move. It may be kept from one position to a similar one.
    ///
    /// # Errors
    /// Whatever the source reports.
    pub fn reaches(&self, position: &RestrictedPosition, goal: Wdl, refutation: &Refutation) -> Result<bool, L::Error> {
        self.reaches_by(position, goal, &Refutation::default(), refutation)
    }

    /// The same with the refutation of the side to move in `own`.
    fn reaches_by(
        &self,
        position: &RestrictedPosition,
        goal: Wdl,
        own: &Refutation,
        answering: &Refutation,
    ) -> Result<bool, L::Error> {
        let low = match goal {
            Wdl::Lost => return Ok(true),
            Wdl::Drawn => Wdl::Lost,
            Wdl::Won => Wdl::Drawn,
        };
        let plies_left = self.plies_left(position);
        let bounds = self.bounds(position, plies_left)?;
        let question = SearchWindow { plies_left, low, high: goal };
        Ok(self.result_after_shot(&bounds, question, own, answering)? >= goal)
    }

    /// The result at counter zero. Two narrow questions cost less than a wide one. A restriction seldom changes the
    /// result, so the first question is the one that settles the matter if it does not.
    fn exact_result(&self, position: &RestrictedPosition, own: &Refutation) -> Result<Wdl, L::Error> {
        let plies_left = self.plies_left(position);
        let bounds = self.bounds(position, plies_left)?;
        let answering = Refutation::default();
        let reaches = |low, high| {
            let question = SearchWindow { plies_left, low, high };
            self.result_after_shot(&bounds, question, own, &answering).map(|result| result >= high)
        };
        if bounds.unrestricted == Wdl::Lost && !reaches(Wdl::Lost, Wdl::Drawn)? {
            return Ok(Wdl::Lost);
        }
        if reaches(Wdl::Drawn, Wdl::Won)? {
            return Ok(Wdl::Won);
        }
        let holds = bounds.unrestricted == Wdl::Lost || reaches(Wdl::Lost, Wdl::Drawn)?;
        Ok(if holds { Wdl::Drawn } else { Wdl::Lost })
    }

    /// The result of a position after a shot, from its bounds. The same questions recur, so answers are kept.
    fn result_after_shot(
        &self,
        bounds: &Bounds,
        question: SearchWindow,
        own: &Refutation,
        answering: &Refutation,
    ) -> Result<Wdl, L::Error> {
        let SearchWindow { low, high, .. } = question;
        if let Some(result) = bounds.settle(low, high) {
            return Ok(result);
        }
        let cache = self.cache.filter(|_| low as u8 + 1 == high as u8);
        let cache = cache.map(|cache| (cache, AnswerKey::new(self.moves.board_kind(), &bounds.position, high)));
        if let Some(reached) = cache.and_then(|(cache, key)| cache.get(key)) {
            return Ok(if reached { high } else { low });
        }
        let result = self.search(bounds, question, own, answering)?;
        if let Some((cache, key)) = cache {
            cache.put(key, result >= high);
        }
        Ok(result)
    }

    /// What one look-up says about the result of a position with this many plies left.
    fn bounds(&self, position: &RestrictedPosition, plies_left: u16) -> Result<Bounds, L::Error> {
        self.bounds_of(position, &self.placed(position), plies_left)
    }

    /// Places the mover's set.
    fn placed(&self, position: &RestrictedPosition) -> PlacedMover {
        Space::new(self.moves.board_kind(), position.class()).place_mover(position.mover)
    }

    /// The same with the mover already placed.
    fn bounds_of(
        &self,
        position: &RestrictedPosition,
        placed: &PlacedMover,
        plies_left: u16,
    ) -> Result<Bounds, L::Error> {
        let position = self.moves.without_moot(position);
        let value = self.source.value_against(position.class(), placed, position.waiting)?;
        let in_time = value.within(Plies(plies_left));
        let fragility = match (position.mover_remake, position.waiting_remake) {
            (None, None) => return Ok(Bounds::exact(position, in_time.wdl())),
            // Such a win begins with a quiet turn, and no restriction bars those.
            (Some(_), None) if matches!(in_time, Value::Won(Plies(2..))) => {
                return Ok(Bounds::exact(position, Wdl::Won));
            }
            // Nothing is known about restrictions on both sides, nor about what the counter ends.
            (Some(_), Some(_)) => None,
            _ if in_time != value => None,
            _ => self.source.fragility(position.class(), placed, position.waiting),
        };
        let passed = self.plies_passed(&position, plies_left);
        let fragility = fragility.filter(|_| passed <= 1);
        let wins_by_shot_only = position.mover_remake.is_some()
            && in_time.wdl() == Wdl::Won
            && passed == 1
            && fragility.is_some_and(|fragility| fragility.result);
        Ok(Bounds { wins_by_shot_only, ..Bounds::new(position, in_time.wdl(), fragility) })
    }

    /// The bounds of the position that a turn leads to, for the side that replies.
    fn reply_bounds(&self, reply: Reply, node: &SearchNode) -> Result<Bounds, L::Error> {
        match reply {
            Reply::Wins => Ok(Bounds::exact(node.position, Wdl::Lost)),
            Reply::Shot(next) => self.bounds(&next, self.plies_left(&next)),
            Reply::Quiet(next) if self.loses_quietly(&next, node) => Ok(Bounds::exact(next, Wdl::Won)),
            Reply::Quiet(next) => {
                let placed = node.opponent.get_or_init(|| self.placed(&next));
                self.bounds_of(&next, placed, after_ply(node.plies_left))
            }
        }
    }

    /// Whether a quiet turn, which leads to `next`, is known to lose.
    fn loses_quietly(&self, next: &RestrictedPosition, node: &SearchNode) -> bool {
        !node.threats.difference(next.waiting).is_empty()
            || node.loses_if_unrestricted && !next.mover_remake.is_some_and(|remake| self.moves.may_bar(next, remake))
    }

    /// Whether the turn in `answering` shows that a quiet turn, which leads to `next`, is worth at most `low`.
    fn is_refuted(
        &self,
        next: &RestrictedPosition,
        answering: &Refutation,
        low: Wdl,
        plies_left: u16,
    ) -> Result<bool, L::Error> {
        let answer = answering.0.get().and_then(|turn| self.moves.reply(next, turn));
        match answer {
            Some(Reply::Quiet(then)) => Ok(self.bounds(&then, plies_left)?.ceiling <= low),
            _ => Ok(false),
        }
    }

    /// The result of a position that its bounds do not settle. `own` is the refutation of the side to move, `answering`
    /// that of the replies to its turns.
    ///
    /// All turns are bounded first, since most positions have a turn that its bounds settle.
    fn search(
        &self,
        bounds: &Bounds,
        question: SearchWindow,
        own: &Refutation,
        answering: &Refutation,
    ) -> Result<Wdl, L::Error> {
        let SearchWindow { plies_left, low, high } = question;
        let position = &bounds.position;
        if plies_left == 0 {
            return self.result_at_limit(position);
        }
        let enough = bounds.ceiling.min(high);
        let node = SearchNode {
            position: *position,
            plies_left,
            threats: self.moves.threats(position, plies_left),
            loses_if_unrestricted: position.mover_remake.is_none() && bounds.unrestricted == Wdl::Lost,
            hopes_for_bar: L::IS_COSTLY && position.mover_remake.is_none() && position.waiting_remake.is_some(),
            opponent: OnceCell::new(),
        };
        let mut best = bounds.floor;
        if let Some(reply) = own.0.get().and_then(|turn| self.moves.reply(position, turn)) {
            best = best.max(self.reply_bounds(reply, &node)?.ceiling.reversed());
            if best >= enough {
                return Ok(best);
            }
        }
        let unmet = node.threats.difference(position.mover);
        let mut any_turn = false;
        let mut open: SmallVec<[(MoveWithShot, Bounds); 8]> = SmallVec::new();
        // Turns that cannot matter are left out, which does not change the answer.
        let shots_only = bounds.wins_by_shot_only && low >= Wdl::Drawn;
        let kinds = if shots_only { &[TurnKind::Shot][..] } else { &[TurnKind::Quiet, TurnKind::Shot] };
        for &kind in kinds {
            // A quiet turn loses if it leaves a threat, and it can meet only one.
            let ends = match (kind, unmet.len()) {
                (TurnKind::Shot, _) | (_, 0) => PointSet::ALL,
                (TurnKind::Quiet, 1) => unmet,
                (TurnKind::Quiet, _) => PointSet::EMPTY,
            };
            let done = self.moves.visit_to(position, kind, ends, |turn, reply| {
                any_turn = true;
                if let Reply::Quiet(next) = reply
                    && node.hopes_for_bar
                    && !self.loses_quietly(&next, &node)
                    && self.is_refuted(&next, answering, low.max(best), after_ply(after_ply(plies_left)))?
                {
                    return Ok(false);
                }
                let reply = self.reply_bounds(reply, &node)?;
                best = best.max(reply.ceiling.reversed());
                if best < enough && reply.floor.reversed() > low.max(best) {
                    if node.hopes_for_bar && kind == TurnKind::Quiet {
                        let (low, high) = (enough.reversed(), low.max(best).reversed());
                        let question = SearchWindow { plies_left: after_ply(plies_left), low, high };
                        best = best.max(self.search(&reply, question, answering, &Refutation::default())?.reversed());
                    } else {
                        open.push((turn, reply));
                    }
                }
                if best >= enough {
                    own.0.set(Some(turn));
                }
                Ok(best >= enough)
            })?;
            if done {
                return Ok(best);
            }
        }
        if !any_turn {
            return Ok(Wdl::Lost);
        }
        for (turn, reply) in open {
            let (low, high) = (enough.reversed(), low.max(best).reversed());
            let result = if turn.shot.is_some() {
                let question = SearchWindow { plies_left: self.plies_left(&reply.position), low, high };
                self.result_after_shot(&reply, question, &Refutation::default(), &Refutation::default())?
            } else if let Some(result) = reply.settle(low, high) {
                result
            } else {
                let question = SearchWindow { plies_left: after_ply(plies_left), low, high };
                self.search(&reply, question, answering, &Refutation::default())?
            };
            best = best.max(result.reversed());
            if best >= enough {
                own.0.set(Some(turn));
                return Ok(best);
            }
        }
        Ok(best)
    }

    /// The result once the draw counter has run out: only having no turn at all still decides.
    fn result_at_limit(&self, position: &RestrictedPosition) -> Result<Wdl, L::Error> {
        for kind in [TurnKind::Quiet, TurnKind::Shot] {
            if self.moves.visit(position, kind, |_, _| Ok(true))? {
                return Ok(Wdl::Drawn);
            }
        }
        Ok(Wdl::Lost)
    }

    /// The state of the draw counter. If none runs, it does not matter, and counts as one.
    #[inline]
    fn plies_passed(&self, position: &RestrictedPosition, plies_left: u16) -> u16 {
        self.moves.limit(position).map_or(1, |limit| limit - plies_left.min(limit))
    }

    /// Plies until a draw counter that starts at zero ends the game; [`u16::MAX`] if none runs.
    fn plies_left(&self, position: &RestrictedPosition) -> u16 {
        self.moves.limit(position).unwrap_or(u16::MAX)
    }
}

/// The value of a quiet turn from that of the position it leads to, with the draw counter's limit at zero.
fn after_reply(reply: Value, limit: u16) -> Value {
    match reply {
        Value::Lost(Plies(n)) if n < limit => Value::Won(Plies(n + 1)),
        Value::Won(Plies(n)) if n < limit => Value::Lost(Plies(n + 1)),
        _ => Value::Drawn,
    }
}

/// The least that the position after a quiet turn is worth if that turn is no better than `best`.
fn before_reply(best: Option<Value>) -> Value {
    match best {
        Some(Value::Won(Plies(n))) if n > 0 => Value::Lost(Plies(n - 1)),
        Some(Value::Lost(Plies(n))) if n > 1 => Value::Won(Plies(n - 1)),
        Some(Value::Drawn) => Value::Drawn,
        _ => BEST,
    }
}

/// The kinds of turns, in the order in which they are examined.
const SHOTS_FIRST: [TurnKind; 2] = [TurnKind::Shot, TurnKind::Quiet];
const QUIET_FIRST: [TurnKind; 2] = [TurnKind::Quiet, TurnKind::Shot];

/// The most that a position can be worth if someone is to move.
const BEST: Value = Value::Won(Plies(1));

/// Plies left after a quiet turn; unlimited without a counter.
const fn after_ply(plies_left: u16) -> u16 {
    if plies_left == u16::MAX { plies_left } else { plies_left - 1 }
}
