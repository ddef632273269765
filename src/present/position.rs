//! What the rules alone say about a position: its texts, the cows on the board and in hand, where each turn leads, what
//! is barred, and its images. A program that lets people play on a board needs no other knowledge of the rules.

use serde::Serialize;

use crate::board::{Board, Point, PointSet};
use crate::game::{Fen, FenDialect, Outcome, PointForm, Position, Record, Remake, Side, Turn};
use crate::rules::RuleSet;

use super::words::{outcome_text, reason_name, side_name};

/// A position in every format, and what the rules say about it. Points have their grid names unless another form is
/// mentioned.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PositionJson {
    /// The FEN with `ids:nodes`.
    pub fen: String,
    /// The FEN in the old dialect.
    pub fen_old: String,
    /// The short form with ring names.
    pub gar: String,
    /// How the game ended, in words; null while it is in progress.
    pub outcome: Option<String>,
    /// The short form with grid names.
    pub position: String,
    /// The same for programs.
    pub ended: Option<EndedJson>,
    /// Who is to move: `first` or `second`.
    pub to_move: &'static str,
    /// The cows on the board.
    pub cows: SidesJson<Vec<&'static str>>,
    /// The numbers of cows in hand.
    pub hands: SidesJson<u8>,
    /// Whether the side to move has completed a line and must still shoot.
    pub shot_pending: bool,
    /// Plies of the moving phase since the last shot.
    pub counter: u16,
    /// The number of plies at which the draw counter draws the game; null if it does not run.
    pub counter_limit: Option<u16>,
    /// The lines that each player's cows hold, such as `a7-d7-g7`.
    pub lines: SidesJson<Vec<String>>,
    /// What the no-remake rule remembers of the players' last turns.
    pub restrictions: Vec<RestrictionJson>,
    /// The moves that only the no-remake rule takes away from the side to move.
    pub barred: Vec<BarredJson>,
    /// The legal turns, in the order of their points.
    pub turns: Vec<LeadsJson>,
    /// The position with the players exchanged, in short form.
    pub exchanged: String,
    /// Its images under the symmetries of the board, in short form, starting with itself: one to three quarter turns
    /// follow, then the same four after a reflection, then all eight with the outer and the inner ring exchanged.
    pub images: Vec<String>,
    /// The turns that led here; no key if none were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordTurnsJson>,
}

impl PositionJson {
    /// A position and its move number.
    pub fn new(fen: &Fen, rules: &RuleSet) -> Self {
        let (position, board) = (&fen.position, rules.board());
        let images = board.group().symmetries().map(|symmetry| position.image(symmetry).to_string());
        Self {
            fen: fen.to_text(FenDialect::Nodes, rules),
            fen_old: fen.to_text(FenDialect::Old, rules),
            gar: position.in_form(PointForm::Gar).to_string(),
            outcome: position.outcome(rules).map(outcome_text),
            position: position.to_string(),
            ended: position.outcome(rules).map(EndedJson::new),
            to_move: side_name(position.to_move),
            cows: SidesJson::new(|side| names(position.cows[side.index()])),
            hands: SidesJson::new(|side| position.hands[side.index()]),
            shot_pending: position.shot_pending,
            counter: position.counter,
            counter_limit: position.counter_limit(rules),
            lines: SidesJson::new(|side| held_lines(board, position.cows[side.index()])),
            restrictions: restrictions(board, position),
            barred: position.barred_moves(rules).into_iter().map(BarredJson::new).collect(),
            turns: LeadsJson::all(position, rules),
            exchanged: position.with_players_exchanged().to_string(),
            images: images.collect(),
            record: None,
        }
    }

    /// The same with the turns of a record that leads here from `start`; without turns if they cannot be played.
    #[must_use]
    pub fn with_record(mut self, start: &Position, record: &Record, rules: &RuleSet) -> Self {
        let positions = record.positions(start, rules).unwrap_or_default();
        let turns = record.turns.iter().zip(positions.iter().skip(1));
        let turns = turns.map(|(turn, position)| LeadsJson::new(*turn, position)).collect();
        self.record = Some(RecordTurnsJson { start: start.to_string(), turns });
        self
    }
}

/// A pair of values for both players.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SidesJson<T> {
    /// The first player's.
    pub first: T,
    /// The second player's.
    pub second: T,
}

impl<T> SidesJson<T> {
    pub(super) fn new(of: impl Fn(Side) -> T) -> Self {
        Self { first: of(Side::First), second: of(Side::Second) }
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct EndedJson {
    /// The winner: `first` or `second`; null for a draw.
    pub winner: Option<&'static str>,
    /// `too-few-cows`, `blocked`, `full-board` or `counter`.
    pub reason: &'static str,
}

impl EndedJson {
    pub(super) fn new(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Won(side, reason) => Self { winner: Some(side_name(side)), reason: reason_name(reason) },
            Outcome::Drawn(reason) => Self { winner: None, reason: reason_name(reason) },
        }
    }
}

/// What a player's last turn left for the no-remake rule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RestrictionJson {
    /// The player: `first` or `second`.
    pub side: &'static str,
    /// The point that the cow came from.
    pub from: &'static str,
    /// The point where it completed a line.
    pub to: &'static str,
    /// The lines that it broke and that its owner's cows could still complete again.
    pub lines: Vec<String>,
}

/// A move that only the no-remake rule takes away from the side to move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BarredJson {
    /// The move, such as `d3-d2`.
    pub turn: String,
    /// The broken lines that it would complete again.
    pub lines: Vec<String>,
}

impl BarredJson {
    fn new((barred, lines): (Remake, Vec<PointSet>)) -> Self {
        let turn = format!("{}-{}", barred.from, barred.to);
        Self { turn, lines: lines.into_iter().map(line_text).collect() }
    }
}

/// A turn and the position it leads to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LeadsJson {
    /// The turn, such as `d2-d3xa7`.
    pub turn: String,
    /// The position after it, in short form.
    pub position: String,
}

impl LeadsJson {
    fn new(turn: Turn, after: &Position) -> Self {
        Self { turn: turn.to_string(), position: after.to_string() }
    }

    fn all(position: &Position, rules: &RuleSet) -> Vec<Self> {
        let turns = position.turns(rules).into_iter();
        turns.filter_map(|turn| Some(Self::new(turn, &position.apply(turn, rules).ok()?))).collect()
    }
}

/// The turns that led to a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RecordTurnsJson {
    /// The position before the first of them, in short form.
    pub start: String,
    /// The turns in order, each with the position after it.
    pub turns: Vec<LeadsJson>,
}

/// The points of a set as grid names.
fn names(set: PointSet) -> Vec<&'static str> {
    set.iter().map(Point::grid_name).collect()
}

/// A line such as `a7-d7-g7`.
pub(super) fn line_text(line: PointSet) -> String {
    names(line).join("-")
}

fn held_lines(board: &Board, cows: PointSet) -> Vec<String> {
    board.lines().filter(|line| line.difference(cows).is_empty()).map(line_text).collect()
}

fn restrictions(board: &Board, position: &Position) -> Vec<RestrictionJson> {
    let of = |side: Side| {
        let remake = position.remakes[side.index()]?;
        let lines =
            remake.broken_lines(board, position.cows[side.index()]).map(|pair| line_text(pair.with(remake.from)));
        let (from, to) = (remake.from.grid_name(), remake.to.grid_name());
        Some(RestrictionJson { side: side_name(side), from, to, lines: lines.collect() })
    };
    Side::BOTH.into_iter().filter_map(of).collect()
}
