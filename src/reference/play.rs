//! The reference's own interpretation of the rules: every legal turn of a position, with the position it leads to.
//!
//! Written directly from the rules of the game for all phases, and independently of the game module, which it checks.

use crate::board::{Point, PointSet};
use crate::game::{Position, Remake, Side, Step, Turn};
use crate::rules::{CounterScope, FEWEST_COWS, FullBoard, NoRemake, RuleSet};

use super::ground::{Ground, empty};

/// The points of a mask, lowest first.
fn points(mask: u32) -> impl Iterator<Item = Point> {
    PointSet::from_bits_truncate(mask).iter()
}

/// The point's number, which is its bit in a mask.
const fn number(point: Point) -> u32 {
    point.index() as u32
}

/// Every legal turn and the position it leads to; none once the game is over.
///
/// ```
/// use morabase::{Position, Preset, reference};
/// let rules = Preset::Gar.rules();
/// assert_eq!(reference::turns(&rules, &Position::start(&rules)).len(), 24);
/// ```
pub fn turns(rules: &RuleSet, position: &Position) -> Vec<(Turn, Position)> {
    if is_decided_by_cows(position) || !position.shot_pending && counter_has_run_out(rules, position) {
        return Vec::new();
    }
    let ground = Ground::of(rules.board);
    let mut turns = Vec::new();
    if position.shot_pending {
        for at in points(ground.targets(position.waiting().bits())) {
            turns.push((Turn::quiet(Step::Shoot(at)), after_shot(position, at)));
        }
        return turns;
    }
    for (step, half, completes) in steps(rules, ground, position) {
        if completes && !position.waiting().is_empty() {
            for at in points(ground.targets(position.waiting().bits())) {
                turns.push((Turn { step, shot: Some(at) }, after_shot(&half, at)));
            }
        } else {
            let mut next = half;
            next.to_move = position.to_move.other();
            next.remakes[position.to_move.index()] = None;
            turns.push((Turn::quiet(step), next));
        }
    }
    turns
}

/// Leaf counts of the game tree by the reference's own generator.
pub fn perft(rules: &RuleSet, position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => turns(rules, position).len() as u64,
        _ => turns(rules, position).iter().map(|(_, next)| perft(rules, next, depth - 1)).sum(),
    }
}

/// Whether a player has fewer than three cows, on the board and in hand together.
pub(super) fn is_decided_by_cows(position: &Position) -> bool {
    (0..2).any(|side| position.cows[side].len() + position.hands[side] < FEWEST_COWS)
}

/// Whether all points are taken and the rules call that a draw.
pub(super) fn is_full_board_draw(rules: &RuleSet, position: &Position) -> bool {
    let full = empty(position.mover().bits(), position.waiting().bits()) == 0;
    full && rules.full_board == FullBoard::Draw
}

/// The plies that the draw counter leaves, if it runs.
pub(super) fn plies_left(rules: &RuleSet, position: &Position) -> Option<u16> {
    let counter = rules.counter?;
    let three = position.cows.iter().any(|cows| cows.len() == 3);
    let runs = position.hands == [0, 0] && (counter.scope == CounterScope::Always || three);
    runs.then(|| counter.limit.saturating_sub(position.counter))
}

pub(super) fn counter_has_run_out(rules: &RuleSet, position: &Position) -> bool {
    plies_left(rules, position) == Some(0)
}

/// Whether the side to move, with an empty hand, has no legal turn, regardless of the counter.
pub(super) fn is_blocked(rules: &RuleSet, position: &Position) -> bool {
    let ground = Ground::of(rules.board);
    let mover = position.mover().bits();
    let remake = position.remakes[position.to_move.index()];
    let mut moves = ground.moves(mover, position.waiting().bits());
    moves.all(|(from, to)| is_barred(rules, ground, mover, remake, from, to))
}

/// Placements or moves with the resulting position before any shot, with the same side still to move, and whether each
/// completes a line.
fn steps(rules: &RuleSet, ground: &Ground, position: &Position) -> Vec<(Step, Position, bool)> {
    let side = position.to_move.index();
    let (mover, waiting) = (position.mover().bits(), position.waiting().bits());
    let mut steps = Vec::new();
    if position.hands[side] > 0 {
        for to in points(empty(mover, waiting)) {
            let mut next = *position;
            next.cows[side] = PointSet::from_bits_truncate(mover | 1 << number(to));
            next.hands[side] -= 1;
            next.remakes[side] = None;
            steps.push((Step::Place(to), next, ground.completes(mover, number(to))));
        }
        return steps;
    }
    let moves = |from: Point| points(ground.reach(mover, waiting, number(from))).map(move |to| (from, to));
    for (start, end) in points(mover).flat_map(moves) {
        let (from, to) = (number(start), number(end));
        if is_barred(rules, ground, mover, position.remakes[side], from, to) {
            continue;
        }
        let rest = mover & !(1 << from);
        let completes = ground.completes(rest, to);
        let mut next = *position;
        next.cows[side] = PointSet::from_bits_truncate(rest | 1 << to);
        if position.hands == [0, 0] {
            next.counter = position.counter.saturating_add(1);
        }
        let broke = ground.completes(rest, from);
        let remembers = rules.no_remake != NoRemake::None && broke && completes;
        next.remakes[side] = remembers.then_some(Remake { from: start, to: end });
        steps.push((Step::Move(start, end), next, completes));
    }
    steps
}

/// Shoots the opponent's cow on `at` and passes the turn.
fn after_shot(half: &Position, at: Point) -> Position {
    let mut next = *half;
    let other = half.to_move.other();
    next.cows[other.index()] = half.waiting().without(at);
    next.counter = 0;
    next.shot_pending = false;
    next.to_move = other;
    next
}

/// Whether the no-remake rule bars the move `from` -> `to` of the player with the cows `mover`.
fn is_barred(rules: &RuleSet, ground: &Ground, mover: u32, remake: Option<Remake>, from: u32, to: u32) -> bool {
    let Some(remake) = remake else { return false };
    let (p, q) = (remake.from.index() as u32, remake.to.index() as u32);
    let rest = mover & !(1 << from);
    match rules.no_remake {
        NoRemake::None => false,
        NoRemake::SameCow => from == q && to == p && ground.completes(rest, p),
        NoRemake::SameLine => to == p && ground.pairs(p).iter().any(|pair| pair & 1 << q == 0 && pair & rest == *pair),
    }
}

/// Whether a restriction of either player can still bar a turn.
pub(super) fn is_restricted(rules: &RuleSet, position: &Position) -> bool {
    Side::BOTH.into_iter().any(|side| {
        let restriction = position.remakes[side.index()];
        restriction.is_some_and(|remake| may_bar(rules, position.cows[side.index()], remake))
    })
}

/// Whether a restriction can still bar a turn of its owner, whose cows are `mover`.
pub(super) fn may_bar(rules: &RuleSet, mover: PointSet, remake: Remake) -> bool {
    let ground = Ground::of(rules.board);
    let (p, q) = (remake.from.index() as u32, remake.to.index() as u32);
    let stands = ground.pairs(p).iter().any(|pair| pair & 1 << q == 0 && pair & mover.bits() == *pair);
    match rules.no_remake {
        NoRemake::None => false,
        NoRemake::SameCow => stands && mover.contains(remake.to),
        NoRemake::SameLine => stands,
    }
}
