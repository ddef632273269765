//! Values of positions with a no-remake restriction, by looking ahead into tables that are already solved.
//!
//! A restriction is born by a shot and gone after its owner's next turn, so two plies of look-ahead reach positions
//! without any; only further shots go deeper, and each of them leaves a cow fewer. Solver and probe both ask here.

use crate::board::{Board, Point, PointSet};
use crate::game::Remake;
use crate::rules::{FEWEST_COWS, FLYING_COWS, NoRemake, RuleSet};
use crate::value::{Plies, Value};

/// Where values of positions without restrictions come from, hands empty and the counter at zero.
pub trait Lookup {
    /// Why a value may be unavailable.
    type Error;

    /// The value of the position in which `mover` is to move against `waiting`.
    ///
    /// # Errors
    /// Whatever keeps the source from answering.
    fn value(&self, mover: PointSet, waiting: PointSet) -> Result<Value, Self::Error>;
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

/// A legal turn in a [`Restricted`] position and where it leads.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// A turn without a shot, to this position.
    Quiet(Restricted),
    /// A shot, to this position of a smaller class.
    Shot(Restricted),
    /// A shot that leaves the opponent fewer than three cows.
    Wins,
}

/// How much an answer must say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ask {
    /// Won, drawn or lost; the plies need not be exact.
    Wdl,
    /// The exact value.
    Exact,
}

/// Look-ahead under one rule set over one source of values.
#[derive(Debug)]
pub struct Lookahead<'a, L> {
    rules: &'a RuleSet,
    board: &'static Board,
    source: &'a L,
}

impl<'a, L: Lookup> Lookahead<'a, L> {
    /// Looks ahead under `rules`, taking values of unrestricted positions from `source`.
    pub fn new(rules: &'a RuleSet, source: &'a L) -> Self {
        Self { rules, board: rules.board(), source }
    }

    /// The value of a position at counter zero, restrictions included. Both sides have at least three cows.
    ///
    /// # Errors
    /// What the source reports.
    pub fn value(&self, position: &Restricted, ask: Ask) -> Result<Value, L::Error> {
        let mut position = *position;
        position.mover_remake = position.mover_remake.filter(|&remake| self.may_bar(&position, remake));
        position.waiting_remake = position.waiting_remake.filter(|remake| remake.is_live(self.board, position.waiting));
        if position.mover_remake.is_none() && position.waiting_remake.is_none() {
            return self.source.value(position.mover, position.waiting);
        }
        let limit = self.rules.counter_limit(position.mover.len(), position.waiting.len());
        let quick = ask == Ask::Wdl && limit.is_none();
        let bound = self.source.value(position.mover, position.waiting)?;
        if let Some(settled) = settled(&position, bound, quick) {
            return Ok(settled);
        }
        // Whoever can only be hurt by the restriction does no better than without it.
        let best_possible = if position.waiting_remake.is_none() { bound } else { Value::Won(Plies(1)) };
        self.best(&position, if quick { ask } else { Ask::Exact }, best_possible, limit)
    }

    /// The best over all legal turns; when only the result matters, the first turn as good as possible ends the search.
    fn best(
        &self,
        position: &Restricted,
        ask: Ask,
        best_possible: Value,
        limit: Option<u16>,
    ) -> Result<Value, L::Error> {
        let mut any_turn = false;
        let mut best_win: Option<u16> = None;
        let mut holds = false;
        let mut longest = 0;
        for next in self.turns(position) {
            any_turn = true;
            let (reply, quiet) = match next {
                Next::Wins => return Ok(Value::Won(Plies(1))),
                Next::Quiet(next) => (self.value(&next, ask)?, true),
                // Only the result of a shot matters: the distance ends with it.
                Next::Shot(next) => (self.value(&next, Ask::Wdl)?, false),
            };
            let beyond = |plies: u16| limit.is_some_and(|limit| plies > limit);
            match reply {
                Value::Drawn => holds = true,
                Value::Lost(_) if !quiet => return Ok(Value::Won(Plies(1))),
                Value::Won(_) if !quiet => longest = longest.max(1),
                Value::Lost(Plies(n)) if beyond(n + 1) => holds = true,
                Value::Won(Plies(n)) if beyond(n + 1) => holds = true,
                Value::Lost(Plies(n)) => best_win = Some(best_win.map_or(n + 1, |best| best.min(n + 1))),
                Value::Won(Plies(n)) => longest = longest.max(n + 1),
            }
            if ask == Ask::Wdl {
                match best_win {
                    Some(n) => return Ok(Value::Won(Plies(n))),
                    None if holds && best_possible.wdl() == crate::value::Wdl::Drawn => return Ok(Value::Drawn),
                    None => {}
                }
            }
        }
        Ok(match best_win {
            Some(n) => Value::Won(Plies(n)),
            None if holds => Value::Drawn,
            None if any_turn => Value::Lost(Plies(longest.max(1))),
            None => Value::Lost(Plies(0)),
        })
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

    /// All legal turns, quiet ones and shots in the order of the points.
    fn turns(&self, position: &Restricted) -> impl Iterator<Item = Next> + '_ {
        let position = *position;
        let empty = position.mover.union(position.waiting).complement();
        let moves = position.mover.iter().flat_map(move |from| {
            let targets = self.reach(&position, from).intersection(empty);
            targets.iter().map(move |to| (from, to))
        });
        let legal = moves.filter(move |&(from, to)| {
            position.mover_remake.is_none_or(|remake| !self.bars(&position, remake, from, to))
        });
        legal.flat_map(move |(from, to)| self.outcomes(position, from, to))
    }

    /// What one move leads to: one quiet turn, or a shot for each cow that may be shot.
    fn outcomes(&self, position: Restricted, from: Point, to: Point) -> impl Iterator<Item = Next> + '_ {
        let rest = position.mover.without(from);
        let shoots = self.board.completes_line(rest, to);
        let moved = rest.with(to);
        let quiet = Next::Quiet(Restricted {
            mover: position.waiting,
            waiting: moved,
            mover_remake: position.waiting_remake,
            waiting_remake: None,
        });
        let targets = if shoots { shootable(self.board, position.waiting) } else { PointSet::EMPTY };
        let remake = self.remake_left(from, to);
        let shots = targets.iter().map(move |at| {
            let shot = position.waiting.without(at);
            if shot.len() < FEWEST_COWS {
                return Next::Wins;
            }
            Next::Shot(Restricted {
                mover: shot,
                waiting: moved,
                mover_remake: position.waiting_remake,
                waiting_remake: remake,
            })
        });
        (!shoots).then_some(quiet).into_iter().chain(shots)
    }

    /// The restriction that a line-making move leaves; whether it is live is seen later.
    fn remake_left(&self, from: Point, to: Point) -> Option<Remake> {
        (self.rules.no_remake != NoRemake::None).then_some(Remake { from, to })
    }
}

/// The cows of a side that may be shot: those outside lines, or all if every one stands in a line.
pub(crate) fn shootable(board: &Board, cows: PointSet) -> PointSet {
    let loose = cows.intersection(board.in_lines(cows).complement());
    if loose.is_empty() { cows } else { loose }
}

/// The value where the value without restrictions settles it.
fn settled(position: &Restricted, bound: Value, quick: bool) -> Option<Value> {
    let only_mover = position.waiting_remake.is_none();
    let only_waiting = position.mover_remake.is_none();
    match bound {
        // A win in two or more goes through a quiet turn, and no restriction bars those.
        Value::Won(Plies(n)) if only_mover && n >= 2 => Some(bound),
        Value::Lost(_) if only_mover && quick => Some(bound),
        Value::Won(_) if only_waiting && quick => Some(bound),
        _ => None,
    }
}
