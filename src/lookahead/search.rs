//! [`Lookahead`]: values of positions with a no-remake restriction, by search into classes that are already solved.
//!
//! A restriction is created by a shot and gone after its owner's next turn, so two plies of look-ahead reach positions
//! without any. Only further shots go deeper, and each of them leaves a cow fewer.

use std::cell::Cell;

use crate::board::PointSet;
use crate::rules::RuleSet;
use crate::value::{Plies, Value, Wdl};

use super::answer_cache::{AnswerCache, AnswerKey};
use super::bounds::{Bounds, SearchWindow};
use super::lookup::Lookup;
use super::moves::{MoveGenerator, MoveWithShot, Reply, TurnKind};
use super::position::RestrictedPosition;

/// The refutation move of the last position of its kind: the answer that settled it. Among positions that differ by one
/// turn of the other side it mostly settles the next one too, so it is tried first.
#[derive(Default, Debug)]
pub struct Refutation(Cell<Option<MoveWithShot>>);

/// Look-ahead under one rule set over one source of values.
#[derive(Debug)]
pub struct Lookahead<'a, L> {
    moves: MoveGenerator<'a>,
    source: &'a L,
    cache: Option<&'a AnswerCache>,
}

/// A position whose turns are bounded, with what is found once for all of them.
struct SearchNode {
    position: RestrictedPosition,
    plies_left: u16,
    /// Points where the opponent wins after any quiet turn that leaves them empty.
    threats: PointSet,
    /// Whether every quiet turn leads to a win of the opponent unless a restriction binds him.
    loses_if_unrestricted: bool,
}

impl<'a, L: Lookup> Lookahead<'a, L> {
    /// Looks ahead under `rules`, taking values of unrestricted positions from `source`.
    pub fn new(rules: &'a RuleSet, source: &'a L) -> Self {
        Self { moves: MoveGenerator::new(rules), source, cache: None }
    }

    /// The same, keeping answers in `cache`, which no other rules or source may share.
    pub(crate) fn with_cache(self, cache: Option<&'a AnswerCache>) -> Self {
        Self { cache, ..self }
    }

    /// The exact value of a position at counter zero, restrictions included. Both sides have at least three cows.
    ///
    /// # Errors
    /// What the source reports.
    pub fn value(&self, position: &RestrictedPosition) -> Result<Value, L::Error> {
        let position = self.moves.without_moot(position);
        let unrestricted = self.source.value(position.class(), position.mover, position.waiting)?;
        if position.is_unrestricted() || wins_quietly(&position, unrestricted) {
            return Ok(unrestricted);
        }
        let limit = self.plies_left(&position);
        let (mut any_turn, mut holds) = (false, false);
        let (mut shortest_win, mut longest_loss) = (u16::MAX, 0);
        self.moves.visit(&position, TurnKind::Shot, |_, reply| {
            any_turn = true;
            let Reply::Shot(next) = reply else {
                shortest_win = 1;
                return Ok(true);
            };
            match self.exact_result(&next)? {
                Wdl::Lost => shortest_win = 1,
                Wdl::Drawn => holds = true,
                Wdl::Won => longest_loss = 1,
            }
            Ok(shortest_win == 1)
        })?;
        if shortest_win == 1 {
            return Ok(Value::Won(Plies(1)));
        }
        self.moves.visit(&position, TurnKind::Quiet, |_, reply| {
            any_turn = true;
            let Reply::Quiet(next) = reply else { return Ok(false) };
            match self.value(&next)? {
                Value::Lost(Plies(n)) if n < limit => shortest_win = shortest_win.min(n + 1),
                Value::Won(Plies(n)) if n < limit => longest_loss = longest_loss.max(n + 1),
                _ => holds = true,
            }
            Ok(false)
        })?;
        Ok(match (shortest_win, any_turn) {
            (u16::MAX, _) if holds => Value::Drawn,
            (u16::MAX, true) => Value::Lost(Plies(longest_loss)),
            (u16::MAX, false) => Value::Lost(Plies(0)),
            (plies, _) => Value::Won(Plies(plies)),
        })
    }

    /// Whether a position at counter zero is worth at least `goal` to the side to move. `refutation` is of the answers to
    /// turns of the side to move. It may be kept from one position to a similar one.
    ///
    /// # Errors
    /// What the source reports.
    pub fn reaches(&self, position: &RestrictedPosition, goal: Wdl, refutation: &Refutation) -> Result<bool, L::Error> {
        let low = match goal {
            Wdl::Lost => return Ok(true),
            Wdl::Drawn => Wdl::Lost,
            Wdl::Won => Wdl::Drawn,
        };
        let plies_left = self.plies_left(position);
        let bounds = self.bounds(position, plies_left)?;
        let question = SearchWindow { plies_left, low, high: goal };
        Ok(self.result_after_shot(&bounds, question, refutation)? >= goal)
    }

    /// The result at counter zero. Two narrow questions cost less than a wide one.
    fn exact_result(&self, position: &RestrictedPosition) -> Result<Wdl, L::Error> {
        let refutation = Refutation::default();
        for goal in [Wdl::Won, Wdl::Drawn] {
            if self.reaches(position, goal, &refutation)? {
                return Ok(goal);
            }
        }
        Ok(Wdl::Lost)
    }

    /// The result of a position after a shot, from its bounds: the same is asked again and again, so answers are kept.
    fn result_after_shot(
        &self,
        bounds: &Bounds,
        question: SearchWindow,
        refutation: &Refutation,
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
        let result = self.search(bounds, question, &Refutation::default(), refutation)?;
        if let Some((cache, key)) = cache {
            cache.put(key, result >= high);
        }
        Ok(result)
    }

    /// What one look-up says about the result of a position with so many plies left.
    fn bounds(&self, position: &RestrictedPosition, plies_left: u16) -> Result<Bounds, L::Error> {
        let position = self.moves.without_moot(position);
        let value = self.source.value(position.class(), position.mover, position.waiting)?.within(Plies(plies_left));
        let unrestricted = value.wdl();
        // A restriction can only hurt its owner.
        let keeps = position.mover_remake.is_none() || wins_quietly(&position, value);
        let floor = if keeps { unrestricted } else { Wdl::Lost };
        let ceiling = if position.waiting_remake.is_none() { unrestricted } else { Wdl::Won };
        Ok(Bounds { position, unrestricted, floor, ceiling })
    }

    /// The bounds of the position that a turn leads to, for the side that answers.
    fn reply_bounds(&self, reply: Reply, node: &SearchNode) -> Result<Bounds, L::Error> {
        match reply {
            Reply::Wins => Ok(Bounds::exact(node.position, Wdl::Lost)),
            Reply::Shot(next) => self.bounds(&next, self.plies_left(&next)),
            Reply::Quiet(next) if !node.threats.difference(next.waiting).is_empty() => {
                Ok(Bounds::exact(next, Wdl::Won))
            }
            Reply::Quiet(next)
                if node.loses_if_unrestricted
                    && !next.mover_remake.is_some_and(|remake| self.moves.may_bar(&next, remake)) =>
            {
                Ok(Bounds::exact(next, Wdl::Won))
            }
            Reply::Quiet(next) => self.bounds(&next, after_ply(node.plies_left)),
        }
    }

    /// The result of a position that its bounds do not settle. `own` is the refutation of the side to move, `answering`
    /// the one of the answers to its turns.
    ///
    /// The bounds of all turns are taken first, as most positions have a turn that these settle.
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
        };
        let mut best = bounds.floor;
        if let Some(reply) = own.0.get().and_then(|turn| self.moves.reply(position, turn)) {
            best = best.max(self.reply_bounds(reply, &node)?.ceiling.reversed());
            if best >= enough {
                return Ok(best);
            }
        }
        let mut any_turn = false;
        let mut open: Vec<(MoveWithShot, Bounds)> = Vec::new();
        for kind in [TurnKind::Quiet, TurnKind::Shot] {
            let done = self.moves.visit(position, kind, |turn, reply| {
                any_turn = true;
                let reply = self.reply_bounds(reply, &node)?;
                best = best.max(reply.ceiling.reversed());
                if best >= enough {
                    own.0.set(Some(turn));
                } else if reply.floor.reversed() > low.max(best) {
                    open.push((turn, reply));
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
                self.result_after_shot(&reply, question, &Refutation::default())?
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

    /// The result where the draw counter has run out: only having no turn at all still decides.
    fn result_at_limit(&self, position: &RestrictedPosition) -> Result<Wdl, L::Error> {
        for kind in [TurnKind::Quiet, TurnKind::Shot] {
            if self.moves.visit(position, kind, |_, _| Ok(true))? {
                return Ok(Wdl::Drawn);
            }
        }
        Ok(Wdl::Lost)
    }

    /// Plies until the draw counter ends the game when it starts at zero; [`u16::MAX`] where none runs.
    fn plies_left(&self, position: &RestrictedPosition) -> u16 {
        self.moves.limit(position).unwrap_or(u16::MAX)
    }
}

/// Whether the position is won in spite of the mover's restriction, as it is won in two plies or more without it: such a
/// win begins with a quiet turn, and no restriction bars those.
fn wins_quietly(position: &RestrictedPosition, unrestricted: Value) -> bool {
    position.waiting_remake.is_none() && matches!(unrestricted, Value::Won(Plies(2..)))
}

/// Plies left after a quiet turn; without a counter there is no end to them.
const fn after_ply(plies_left: u16) -> u16 {
    if plies_left == u16::MAX { plies_left } else { plies_left - 1 }
}
