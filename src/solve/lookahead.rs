//! Values of positions with a no-remake restriction, by looking ahead into tables that are already solved.
//!
//! A restriction is born by a shot and gone after its owner's next turn, so two plies of look-ahead reach positions
//! without any; only further shots go deeper, and each of them leaves a cow fewer. Solver and probe both ask here.

use std::cell::Cell;

use crate::board::{Board, Point, PointSet};
use crate::game::Remake;
use crate::rules::{FEWEST_COWS, FLYING_COWS, NoRemake, RuleSet};
use crate::space::Class;
use crate::value::{Plies, Value, Wdl};

use super::recall::{Question, Recall};

/// Where values of positions without restrictions come from, hands empty and the counter at zero.
pub trait Lookup {
    /// Why a value may be unavailable.
    type Error;

    /// The value of the position of a class in which `mover` is to move against `waiting`, sets as large as the class says.
    ///
    /// # Errors
    /// Whatever keeps the source from answering.
    fn value(&self, class: Class, mover: PointSet, waiting: PointSet) -> Result<Value, Self::Error>;
}

/// A moving-phase position at counter zero, from the mover's side.
#[derive(Clone, Copy, Debug)]
pub struct Restricted {
    /// The mover's cows.
    pub mover: PointSet,
    /// The waiting side's cows.
    pub waiting: PointSet,
    /// The mover's restriction, binding on this turn.
    pub mover_remake: Option<Remake>,
    /// The waiting side's restriction, binding on its next turn.
    pub waiting_remake: Option<Remake>,
}

impl Restricted {
    /// The class; a restriction is born by a move, so both hands are empty.
    const fn class(&self) -> Class {
        Class::of_sets(self.mover, self.waiting)
    }

    const fn is_free(&self) -> bool {
        self.mover_remake.is_none() && self.waiting_remake.is_none()
    }
}

/// Where a legal turn in a [`Restricted`] position leads.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// A turn without a shot, to this position.
    Quiet(Restricted),
    /// A shot, to this position of a smaller class.
    Shot(Restricted),
    /// A shot that leaves the opponent fewer than three cows.
    Wins,
}

/// A move and the cow it shoots.
type Answer = (Point, Point, Option<Point>);

/// The answer that settled the last position of its kind. Among positions that differ by one turn of the other side it
/// mostly settles the next one too, so it is tried first.
#[derive(Default, Debug)]
pub struct Hint(Cell<Option<Answer>>);

/// The turns to go through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turns {
    Quiet,
    Shots,
}

/// Look-ahead under one rule set over one source of values.
#[derive(Debug)]
pub struct Lookahead<'a, L> {
    rules: &'a RuleSet,
    board: &'static Board,
    source: &'a L,
    recall: Option<&'a Recall>,
}

impl<'a, L: Lookup> Lookahead<'a, L> {
    /// Looks ahead under `rules`, taking values of unrestricted positions from `source`.
    pub fn new(rules: &'a RuleSet, source: &'a L) -> Self {
        Self { rules, board: rules.board(), source, recall: None }
    }

    /// The same, keeping answers in `recall`, which no other rules or source may share.
    pub(crate) fn with_recall(self, recall: Option<&'a Recall>) -> Self {
        Self { recall, ..self }
    }

    /// The exact value of a position at counter zero, restrictions included. Both sides have at least three cows.
    ///
    /// # Errors
    /// What the source reports.
    pub fn value(&self, position: &Restricted) -> Result<Value, L::Error> {
        let position = self.without_moot(position);
        let bound = self.source.value(position.class(), position.mover, position.waiting)?;
        if position.is_free() || position.waiting_remake.is_none() && matches!(bound, Value::Won(Plies(2..))) {
            // A win in two or more goes through a quiet turn, and no restriction bars those.
            return Ok(bound);
        }
        let limit = self.limit(&position).unwrap_or(u16::MAX);
        let (mut any_turn, mut holds) = (false, false);
        let (mut shortest_win, mut longest_loss) = (u16::MAX, 0);
        self.search(&position, Turns::Shots, |_, next| {
            any_turn = true;
            let Next::Shot(next) = next else {
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
        self.search(&position, Turns::Quiet, |_, next| {
            any_turn = true;
            let Next::Quiet(next) = next else { return Ok(false) };
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

    /// Whether a position at counter zero is worth at least `goal` to the side to move. The hint is of the answers to
    /// turns of the side to move, and may be kept from one position to a similar one.
    ///
    /// # Errors
    /// What the source reports.
    pub fn reaches(&self, position: &Restricted, goal: Wdl, hint: &Hint) -> Result<bool, L::Error> {
        let below = match goal {
            Wdl::Lost => return Ok(true),
            Wdl::Drawn => Wdl::Lost,
            Wdl::Won => Wdl::Drawn,
        };
        Ok(self.result(position, below, goal, hint)? >= goal)
    }

    /// The result at counter zero. Two narrow questions cost less than a wide one.
    fn exact_result(&self, position: &Restricted) -> Result<Wdl, L::Error> {
        let hint = Hint::default();
        for goal in [Wdl::Won, Wdl::Drawn] {
            if self.reaches(position, goal, &hint)? {
                return Ok(goal);
            }
        }
        Ok(Wdl::Lost)
    }

    /// The result at counter zero, as far as it matters: exact between the bounds, else on the right side of them.
    fn result(&self, position: &Restricted, low: Wdl, high: Wdl, answers: &Hint) -> Result<Wdl, L::Error> {
        let left = self.limit(position).unwrap_or(u16::MAX);
        let glance = self.glance(position, left)?;
        self.after_shot_result(&glance, View { left, low, high }, answers)
    }

    /// The result of a position to which a shot led, from a glance at it: the same is asked again and again, so it is kept.
    fn after_shot_result(&self, glance: &Glance, view: View, answers: &Hint) -> Result<Wdl, L::Error> {
        let View { low, high, .. } = view;
        if let Some(result) = glance.settles(low, high) {
            return Ok(result);
        }
        let kept = self.recall.filter(|_| low as u8 + 1 == high as u8);
        let kept = kept.map(|recall| (recall, Question::new(self.rules.board, &glance.position, high)));
        if let Some(reached) = kept.and_then(|(recall, question)| recall.get(question)) {
            return Ok(if reached { high } else { low });
        }
        let result = self.resolve(glance, view, &Hint::default(), answers)?;
        if let Some((recall, question)) = kept {
            recall.put(question, result >= high);
        }
        Ok(result)
    }

    /// What one look-up says about the result of a position with so many plies left.
    fn glance(&self, position: &Restricted, left: u16) -> Result<Glance, L::Error> {
        let position = self.without_moot(position);
        let value = self.source.value(position.class(), position.mover, position.waiting)?.within(Plies(left));
        // A win in two or more goes through a quiet turn, and no restriction of the mover bars those.
        let through_quiet = position.waiting_remake.is_none() && matches!(value, Value::Won(Plies(2..)));
        let bound = value.wdl();
        // A restriction can only hurt its owner.
        let floor = if position.mover_remake.is_none() || through_quiet { bound } else { Wdl::Lost };
        let ceiling = if position.waiting_remake.is_none() { bound } else { Wdl::Won };
        Ok(Glance { position, bound, floor, ceiling })
    }

    /// A glance at where a turn leads, from the side of the one who answers.
    fn glance_at_next(&self, next: Next, here: &Here) -> Result<Glance, L::Error> {
        let known = |position, result| Glance { position, bound: result, floor: result, ceiling: result };
        match next {
            Next::Wins => Ok(known(here.position, Wdl::Lost)),
            Next::Shot(next) => self.glance(&next, self.limit(&next).unwrap_or(u16::MAX)),
            Next::Quiet(next) if !here.sure.difference(next.waiting).is_empty() => Ok(known(next, Wdl::Won)),
            Next::Quiet(next)
                if here.loses_unbound && !next.mover_remake.is_some_and(|remake| self.may_bar(&next, remake)) =>
            {
                Ok(known(next, Wdl::Won))
            }
            Next::Quiet(next) => self.glance(&next, next_left(here.left)),
        }
    }

    /// The result of a position that a glance does not settle. `own` is the hint for the side to move, `answers` for the
    /// answers to its turns.
    ///
    /// Turns are glanced at first, all of them, and looked into only if that does not do.
    fn resolve(&self, glance: &Glance, view: View, own: &Hint, answers: &Hint) -> Result<Wdl, L::Error> {
        let View { left, low, high } = view;
        let position = &glance.position;
        if left == 0 {
            // The counter has run out: only having no turn at all still decides.
            let mut any_turn = false;
            for turns in [Turns::Quiet, Turns::Shots] {
                any_turn |= self.search(position, turns, |_, _| Ok(true))?;
            }
            return Ok(if any_turn { Wdl::Drawn } else { Wdl::Lost });
        }
        let enough = glance.ceiling.min(high);
        let here = Here {
            position: *position,
            left,
            sure: self.sure_answers(position, left),
            // Then every turn leads to a win of the opponent, as far as nothing binds him.
            loses_unbound: position.mover_remake.is_none() && glance.bound == Wdl::Lost,
        };
        let mut best = glance.floor;
        if let Some(next) = own.0.get().and_then(|answer| self.next(position, answer)) {
            best = best.max(self.glance_at_next(next, &here)?.ceiling.reversed());
            if best >= enough {
                return Ok(best);
            }
        }
        let mut any_turn = false;
        let mut open: Vec<(Answer, Glance)> = Vec::new();
        for turns in [Turns::Quiet, Turns::Shots] {
            let done = self.search(position, turns, |answer, next| {
                any_turn = true;
                let next = self.glance_at_next(next, &here)?;
                best = best.max(next.ceiling.reversed());
                if best >= enough {
                    own.0.set(Some(answer));
                } else if next.floor.reversed() > low.max(best) {
                    open.push((answer, next));
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
        for ((from, to, shot), next) in open {
            let (low, high) = (enough.reversed(), low.max(best).reversed());
            let result = if shot.is_some() {
                let left = self.limit(&next.position).unwrap_or(u16::MAX);
                self.after_shot_result(&next, View { left, low, high }, &Hint::default())?
            } else {
                match next.settles(low, high) {
                    Some(result) => result,
                    None => {
                        self.resolve(&next, View { left: next_left(left), low, high }, answers, &Hint::default())?
                    }
                }
            };
            best = best.max(result.reversed());
            if best >= enough {
                own.0.set(Some((from, to, shot)));
                return Ok(best);
            }
        }
        Ok(best)
    }

    /// Where an answer leads, if it is legal in this position.
    fn next(&self, position: &Restricted, (from, to, shot): Answer) -> Option<Next> {
        let empty = self.board.free(position.mover.union(position.waiting));
        if !position.mover.contains(from)
            || !empty.intersection(self.reach(position, from)).contains(to)
            || position.mover_remake.is_some_and(|remake| self.bars(position, remake, from, to))
        {
            return None;
        }
        let rest = position.mover.without(from);
        if self.board.completes_line(rest, to) != shot.is_some() {
            return None;
        }
        let next = after(position, rest.with(to));
        match shot {
            None => Some(Next::Quiet(next)),
            Some(at) if shootable(self.board, next.mover).contains(at) => {
                Some(self.after_shot(&next, Remake { from, to }, at))
            }
            Some(_) => None,
        }
    }

    /// Points where the waiting side wins by completing a line after any quiet turn that leaves them empty: every shot at
    /// three cows wins. Found once for all quiet turns, this saves most of what a look-ahead into such classes costs.
    fn sure_answers(&self, position: &Restricted, left: u16) -> PointSet {
        if position.mover.len() != FEWEST_COWS || left < 2 {
            return PointSet::EMPTY;
        }
        let answer = Restricted {
            mover: position.waiting,
            waiting: PointSet::EMPTY,
            mover_remake: position.waiting_remake,
            waiting_remake: None,
        };
        let completes = |&to: &Point| {
            answer.mover.intersection(self.reach(&answer, to)).iter().any(|from| {
                self.board.completes_line(answer.mover.without(from), to)
                    && answer.mover_remake.is_none_or(|remake| !self.bars(&answer, remake, from, to))
            })
        };
        self.board.free(answer.mover).iter().filter(completes).collect()
    }

    /// The position without restrictions that bar nothing.
    fn without_moot(&self, position: &Restricted) -> Restricted {
        let mut position = *position;
        position.mover_remake = position.mover_remake.filter(|&remake| self.may_bar(&position, remake));
        position.waiting_remake = position.waiting_remake.filter(|remake| remake.is_live(self.board, position.waiting));
        position
    }

    fn limit(&self, position: &Restricted) -> Option<u16> {
        self.rules.counter_limit(position.mover.len(), position.waiting.len())
    }

    /// Whether the mover's restriction bars a turn that would otherwise be legal.
    fn may_bar(&self, position: &Restricted, remake: Remake) -> bool {
        if position.waiting.contains(remake.from) || !remake.is_live(self.board, position.mover) {
            return false;
        }
        let reach = self.reach(position, remake.from);
        position.mover.intersection(reach).iter().any(|from| self.bars(position, remake, from, remake.from))
    }

    /// Whether `remake`, the mover's restriction, bars `from` -> `to`.
    fn bars(&self, position: &Restricted, remake: Remake, from: Point, to: Point) -> bool {
        if to != remake.from {
            return false;
        }
        let rest = position.mover.without(from);
        match self.rules.no_remake {
            NoRemake::None => false,
            NoRemake::SameCow => from == remake.to && self.board.completes_line(rest, to),
            NoRemake::SameLine => remake.broken_lines(self.board, rest).next().is_some(),
        }
    }

    /// The points that a cow of the mover on `point` could reach if all were empty.
    fn reach(&self, position: &Restricted, point: Point) -> PointSet {
        if position.mover.len() == FLYING_COWS { PointSet::ALL } else { self.board.neighbours(point) }
    }

    /// Calls `visit` for every legal turn of the kind until it answers that it has seen enough; whether it has.
    fn search(
        &self,
        position: &Restricted,
        turns: Turns,
        mut visit: impl FnMut(Answer, Next) -> Result<bool, L::Error>,
    ) -> Result<bool, L::Error> {
        let empty = self.board.free(position.mover.union(position.waiting));
        for from in position.mover.iter() {
            let rest = position.mover.without(from);
            for to in self.reach(position, from).intersection(empty).iter() {
                let shoots = self.board.completes_line(rest, to);
                if shoots != (turns == Turns::Shots)
                    || position.mover_remake.is_some_and(|remake| self.bars(position, remake, from, to))
                {
                    continue;
                }
                let next = after(position, rest.with(to));
                if !shoots {
                    if visit((from, to, None), Next::Quiet(next))? {
                        return Ok(true);
                    }
                    continue;
                }
                for at in shootable(self.board, next.mover).iter() {
                    if visit((from, to, Some(at)), self.after_shot(&next, Remake { from, to }, at))? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Where a line-making move leads when it shoots the cow on `at`; `next` still holds all cows.
    fn after_shot(&self, next: &Restricted, remake: Remake, at: Point) -> Next {
        let left = next.mover.without(at);
        if left.len() < FEWEST_COWS {
            return Next::Wins;
        }
        let waiting_remake = (self.rules.no_remake != NoRemake::None).then_some(remake);
        Next::Shot(Restricted { mover: left, waiting_remake, ..*next })
    }
}

/// What one look-up says about the result of a position, for its side to move.
#[derive(Clone, Copy, Debug)]
struct Glance {
    /// The position without moot restrictions.
    position: Restricted,
    /// The result were there no restrictions.
    bound: Wdl,
    floor: Wdl,
    ceiling: Wdl,
}

impl Glance {
    /// The result, if it is known as far as it matters between these bounds.
    fn settles(&self, low: Wdl, high: Wdl) -> Option<Wdl> {
        if self.ceiling == self.floor || self.ceiling <= low {
            Some(self.ceiling)
        } else {
            (self.floor >= high).then_some(self.floor)
        }
    }
}

/// A position whose turns are glanced at.
struct Here {
    position: Restricted,
    left: u16,
    sure: PointSet,
    loses_unbound: bool,
}

/// What is asked of a position: the plies left before the counter draws, and the bounds between which the result
/// matters.
#[derive(Clone, Copy, Debug)]
struct View {
    left: u16,
    low: Wdl,
    high: Wdl,
}

/// The position after a move of the mover to `moved`, nothing being shot.
const fn after(position: &Restricted, moved: PointSet) -> Restricted {
    Restricted { mover: position.waiting, waiting: moved, mover_remake: position.waiting_remake, waiting_remake: None }
}

/// Plies left after a quiet turn; without a counter there is no end to them.
const fn next_left(left: u16) -> u16 {
    if left == u16::MAX { left } else { left - 1 }
}

/// The cows of a side that may be shot: those outside lines, or all if every one stands in a line.
pub(crate) fn shootable(board: &Board, cows: PointSet) -> PointSet {
    let loose = cows.difference(board.in_lines(cows));
    if loose.is_empty() { cows } else { loose }
}
