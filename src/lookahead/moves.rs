//! [`MoveGenerator`]: the legal turns of restricted positions, and what restrictions bar.

use crate::board::{Board, BoardKind, Point, PointSet};
use crate::game::Remake;
use crate::rules::{FEWEST_COWS, FLYING_COWS, NoRemake, RuleSet};

use super::position::RestrictedPosition;

/// A move and the cow that it shoots, if it completes a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveWithShot {
    pub(super) from: Point,
    pub(super) to: Point,
    pub(super) shot: Option<Point>,
}

/// The position that a legal turn leads to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reply {
    /// After a turn without a shot.
    Quiet(RestrictedPosition),
    /// After a shot: a position of a smaller class.
    Shot(RestrictedPosition),
    /// A shot that leaves the opponent fewer than three cows.
    Wins,
}

/// Which turns to generate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TurnKind {
    Quiet,
    Shot,
}

/// Generates the turns of positions under one rule set.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveGenerator<'a> {
    rules: &'a RuleSet,
    board: &'static Board,
}

impl<'a> MoveGenerator<'a> {
    pub(super) fn new(rules: &'a RuleSet) -> Self {
        Self { rules, board: rules.board() }
    }

    pub(super) const fn board_kind(&self) -> BoardKind {
        self.rules.board
    }

    /// The limit of the draw counter in the position, if one runs.
    #[inline]
    pub(super) fn limit(&self, position: &RestrictedPosition) -> Option<u16> {
        self.rules.counter_limit(position.mover.len(), position.waiting.len())
    }

    /// Calls `visit` for every legal turn of this kind until it says that it has seen enough. Returns whether it did.
    #[inline]
    pub(super) fn visit<E>(
        &self,
        position: &RestrictedPosition,
        kind: TurnKind,
        visit: impl FnMut(MoveWithShot, Reply) -> Result<bool, E>,
    ) -> Result<bool, E> {
        self.visit_to(position, kind, PointSet::ALL, visit)
    }

    /// [`visit`](Self::visit) for the turns that end on one of these points.
    #[inline]
    pub(super) fn visit_to<E>(
        &self,
        position: &RestrictedPosition,
        kind: TurnKind,
        ends: PointSet,
        mut visit: impl FnMut(MoveWithShot, Reply) -> Result<bool, E>,
    ) -> Result<bool, E> {
        let empty = self.board.free(position.mover.union(position.waiting)).intersection(ends);
        for from in position.mover.iter() {
            let rest = position.mover.without(from);
            for to in self.reach(position, from).intersection(empty).iter() {
                let shoots = self.board.completes_line(rest, to);
                if shoots != (kind == TurnKind::Shot)
                    || position.mover_remake.is_some_and(|remake| self.bars(position, remake, from, to))
                {
                    continue;
                }
                let next = position.after_move(rest.with(to));
                if !shoots {
                    if visit(MoveWithShot { from, to, shot: None }, Reply::Quiet(next))? {
                        return Ok(true);
                    }
                    continue;
                }
                for at in shootable(self.board, next.mover).iter() {
                    let turn = MoveWithShot { from, to, shot: Some(at) };
                    if visit(turn, self.after_shot(&next, Remake { from, to }, at))? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Where a turn leads, if it is legal in this position.
    pub(super) fn reply(&self, position: &RestrictedPosition, turn: MoveWithShot) -> Option<Reply> {
        let MoveWithShot { from, to, shot } = turn;
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
        let next = position.after_move(rest.with(to));
        match shot {
            None => Some(Reply::Quiet(next)),
            Some(at) if shootable(self.board, next.mover).contains(at) => {
                Some(self.after_shot(&next, Remake { from, to }, at))
            }
            Some(_) => None,
        }
    }

    /// Points where the waiting side wins by completing a line after any quiet turn that leaves them empty, because
    /// every shot at three cows wins. Finding them once for all quiet turns saves most of the cost of a look-ahead into
    /// such classes.
    pub(super) fn threats(&self, position: &RestrictedPosition, plies_left: u16) -> PointSet {
        if position.mover.len() != FEWEST_COWS || plies_left < 2 {
            return PointSet::EMPTY;
        }
        let answering = RestrictedPosition {
            mover: position.waiting,
            waiting: PointSet::EMPTY,
            mover_remake: position.waiting_remake,
            waiting_remake: None,
        };
        let completes = |&to: &Point| {
            answering.mover.intersection(self.reach(&answering, to)).iter().any(|from| {
                self.board.completes_line(answering.mover.without(from), to)
                    && answering.mover_remake.is_none_or(|remake| !self.bars(&answering, remake, from, to))
            })
        };
        self.board.free(answering.mover).iter().filter(completes).collect()
    }

    /// The position without moot restrictions: those that bar nothing.
    #[inline]
    pub(super) fn without_moot(&self, position: &RestrictedPosition) -> RestrictedPosition {
        let mut position = *position;
        position.mover_remake = position.mover_remake.filter(|&remake| self.may_bar(&position, remake));
        position.waiting_remake = position.waiting_remake.filter(|remake| remake.is_live(self.board, position.waiting));
        position
    }

    /// Whether the mover's restriction bars a turn that would otherwise be legal.
    pub(super) fn may_bar(&self, position: &RestrictedPosition, remake: Remake) -> bool {
        if position.waiting.contains(remake.from) || !remake.is_live(self.board, position.mover) {
            return false;
        }
        let reach = self.reach(position, remake.from);
        position.mover.intersection(reach).iter().any(|from| self.bars(position, remake, from, remake.from))
    }

    /// Whether `remake`, the mover's restriction, bars `from` -> `to`.
    #[inline]
    fn bars(&self, position: &RestrictedPosition, remake: Remake, from: Point, to: Point) -> bool {
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
    #[inline]
    fn reach(&self, position: &RestrictedPosition, point: Point) -> PointSet {
        if position.mover.len() == FLYING_COWS { PointSet::ALL } else { self.board.neighbours(point) }
    }

    /// Where a line-making move leads if it shoots the cow on `at`; `next` still holds all cows.
    #[inline]
    fn after_shot(&self, next: &RestrictedPosition, remake: Remake, at: Point) -> Reply {
        let left = next.mover.without(at);
        if left.len() < FEWEST_COWS {
            return Reply::Wins;
        }
        let waiting_remake = (self.rules.no_remake != NoRemake::None).then_some(remake);
        Reply::Shot(RestrictedPosition { mover: left, waiting_remake, ..*next })
    }
}

/// The cows of a side that may be shot: those outside lines, or all if all stand in lines.
#[inline]
pub(crate) fn shootable(board: &Board, cows: PointSet) -> PointSet {
    let loose = cows.difference(board.in_lines(cows));
    if loose.is_empty() { cows } else { loose }
}
