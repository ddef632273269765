//! The order in which the search examines turns, and what it learns about it in the process.
//!
//! First the previously best turn, then shots, then turns that take a point where the opponent would complete a line,
//! then killers (quiet turns that refuted a sibling), then all others by how often they have refuted anything. The
//! sooner the best turn is examined, the more of the others are cut off.

use crate::board::{Board, POINTS, Point, PointSet, Symmetry};
use crate::game::{Position, Side, Step, Turn};
use crate::rules::RuleSet;

use super::evaluation::completions;
use super::limits::MAX_DEPTH;
use super::transpositions::pack;

/// A legal turn and its place in the order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub(super) turn: Turn,
    rank: i32,
    /// Whether only experience speaks for it.
    pub(super) is_quiet: bool,
}

/// The previously best turn, packed, of the position's image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hint {
    pub(super) turn: u16,
    pub(super) symmetry: Symmetry,
}

impl Hint {
    pub(super) const NONE: Self = Self { turn: 0, symmetry: Symmetry::IDENTITY };

    fn names(self, turn: Turn) -> bool {
        self.turn != 0 && self.turn == pack(image(turn, self.symmetry))
    }
}

/// The turn in the image of its position.
pub(super) fn image(turn: Turn, symmetry: Symmetry) -> Turn {
    if symmetry == Symmetry::IDENTITY {
        return turn;
    }
    let at = |point| symmetry.apply_point(point);
    let step = match turn.step {
        Step::Place(to) => Step::Place(at(to)),
        Step::Move(from, to) => Step::Move(at(from), at(to)),
        Step::Shoot(target) => Step::Shoot(at(target)),
    };
    Turn { step, shot: turn.shot.map(at) }
}

/// By side, by the cow's target point, by the point shot.
type History = [[[i32; POINTS + 1]; POINTS]; 2];

/// What was learned about turns.
pub(super) struct Experience {
    killers: Vec<[Option<Turn>; 2]>,
    history: Box<History>,
}

// Ranks of the groups; within a group the history decides.
const HINTED: i32 = 1 << 30;
const SHOOTS: i32 = 1 << 28;
const BLOCKS: i32 = 1 << 26;
const KILLERS: [i32; 2] = [1 << 25, 1 << 24];

/// The limit of the history values.
const MOST: i32 = 1 << 14;

impl Experience {
    pub(super) fn new() -> Self {
        Self { killers: vec![[None; 2]; usize::from(MAX_DEPTH) + 1], history: Box::new([[[0; POINTS + 1]; POINTS]; 2]) }
    }

    /// The legal turns of an unfinished game, most promising first.
    pub(super) fn order(&self, rules: &RuleSet, position: &Position, ply: u16, hint: Hint) -> Vec<Ranked> {
        let (board, side) = (rules.board(), position.to_move);
        let feared = completions(board, position, side.other());
        let killers = self.killers[usize::from(ply)];
        let rank = |turn: Turn| {
            let (to, shot) = places(turn);
            let history = self.history[side.index()][to.index()][shot] * 8;
            let killer = killers.iter().position(|killer| *killer == Some(turn));
            let (group, is_quiet) = match killer {
                _ if hint.names(turn) => (HINTED, false),
                _ if turn.shoots() => (SHOOTS, false),
                _ if feared.contains(to) => (BLOCKS, false),
                Some(number) => (KILLERS[number], false),
                None => (outlook(board, position, to), true),
            };
            Ranked { turn, rank: group + history, is_quiet }
        };
        let mut ranked: Vec<Ranked> = position.turns_while_going(rules).into_iter().map(rank).collect();
        ranked.sort_by_key(|ranked| std::cmp::Reverse(ranked.rank));
        ranked
    }

    /// Records that the last of the turns tried has refuted the previous turn, and the others have not.
    pub(super) fn learn(&mut self, side: Side, tried: &[Ranked], (depth, ply): (u8, u16)) {
        let Some((best, others)) = tried.split_last() else { return };
        let bonus = (i32::from(depth) * i32::from(depth) * 16).min(MOST / 8);
        if !best.turn.shoots() {
            let killers = &mut self.killers[usize::from(ply)];
            if killers[0] != Some(best.turn) {
                *killers = [Some(best.turn), killers[0]];
            }
        }
        self.note(side, best.turn, bonus);
        for other in others {
            self.note(side, other.turn, -bonus);
        }
    }

    fn note(&mut self, side: Side, turn: Turn, bonus: i32) {
        let (to, shot) = places(turn);
        let count = &mut self.history[side.index()][to.index()][shot];
        *count += bonus - *count * bonus.abs() / MOST;
    }
}

/// How promising the lines through the cow's target point are, as long as there is no experience.
fn outlook(board: &Board, position: &Position, to: Point) -> i32 {
    let [own, others] = [position.mover(), position.waiting()];
    let held = |pair: PointSet, cows| pair.intersection(cows).len();
    let promise = |pair| match (held(pair, own), held(pair, others)) {
        // The opponent has to answer a line that lacks one cow.
        (1, 0) => 24,
        (0, 1) => 12,
        (0, 0) => 4,
        _ => 0,
    };
    board.line_partners(to).map(promise).sum()
}

/// The index in [`History`] for a turn: where its cow goes and what it shoots.
fn places(turn: Turn) -> (Point, usize) {
    let (Step::Place(to) | Step::Move(_, to) | Step::Shoot(to)) = turn.step;
    (to, turn.shot.map_or(POINTS, Point::index))
}
