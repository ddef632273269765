//! The evaluation: a quick estimate of a position's value, for the leaves of the search that no table reaches.
//!
//! It counts what mill players count: cows, lines, lines that lack one cow, mobility, blocked cows. The weights were
//! fitted to exact values (docs/engine.md says how) and depend on how far the placing has progressed.

use std::str::FromStr;

use crate::board::{Board, PointSet};
use crate::game::{Position, Side};
use crate::rules::{FLYING_COWS, RuleSet};

use super::score::GUESS;

/// How many features are counted.
pub const FEATURES: usize = 11;

/// Their names, in the order of [`features`].
pub const FEATURE_NAMES: [&str; FEATURES] =
    ["cows", "lines", "threats", "shot", "forks", "freedom", "blocked", "prospects", "degree", "flying", "turn"];

/// The features of a position; each count is the side to move's minus the opponent's:
///
/// | count | of |
/// |---|---|
/// | cows | on the board and in hand |
/// | lines | that stand |
/// | threats | points at which the next turn could complete a line |
/// | shot | 1 if the side to move has such a point |
/// | forks | -1 if it has none and the opponent has two or more, so that one placement cannot take them all |
/// | freedom | pairs of a cow and a free point next to it |
/// | blocked | cows without a free point next to them |
/// | prospects | cows on lines that the opponent does not stand on |
/// | degree | neighbours of the points that the cows stand on |
/// | flying | 1 for a side that flies |
/// | turn | 1 always |
pub fn features(rules: &RuleSet, position: &Position) -> [i32; FEATURES] {
    let board = rules.board();
    let empty = position.empty(board);
    let sides = [position.to_move, position.to_move.other()].map(|side| SideState::new(position, side));
    let [own, other] = sides.each_ref().map(|side| side.cows);
    let mut counts = [LineCounts::default(); 2];
    for line in board.lines() {
        let held = [own, other].map(|cows| line.intersection(cows));
        let at = match held.map(PointSet::is_empty) {
            [false, true] => 0,
            [true, false] => 1,
            _ => continue,
        };
        counts[at].add_line(board, line, held[at], &sides[at]);
    }
    let (mut freedom, mut next_to_free) = (0, PointSet::EMPTY);
    for point in empty.iter() {
        let neighbours = board.neighbours(point);
        freedom += i32::from(neighbours.intersection(own).len()) - i32::from(neighbours.intersection(other).len());
        next_to_free = next_to_free.union(neighbours);
    }
    let blocked = |cows: PointSet| i32::from(cows.difference(next_to_free).len());
    let degree = |cows: PointSet| -> i32 { cows.iter().map(|point| i32::from(board.neighbours(point).len())).sum() };
    let threats = counts.each_ref().map(|counts| i32::from(counts.threats.len()));
    [
        sides[0].all - sides[1].all,
        counts[0].lines - counts[1].lines,
        threats[0] - threats[1],
        i32::from(threats[0] > 0),
        -i32::from(threats[0] == 0 && threats[1] > 1),
        freedom,
        blocked(own) - blocked(other),
        counts[0].prospects - counts[1].prospects,
        degree(own) - degree(other),
        i32::from(sides[0].flies) - i32::from(sides[1].flies),
        1,
    ]
}

/// The weight of each count, in hundredths of a cow or so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights {
    /// On the empty board; while cows are placed, the weights change to the next ones in even steps.
    pub first: [i32; FEATURES],
    /// With the last cow in hand.
    pub last: [i32; FEATURES],
    /// In the moving phase.
    pub moving: [i32; FEATURES],
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            first: [-68, -61, 17, 11, -8, 5, -1, 42, 11, 0, 104],
            last: [-74, 29, 22, 52, 34, 0, -15, 39, 19, 0, 91],
            moving: [100, -26, 48, 101, 47, -12, -49, 19, 19, 0, 42],
        }
    }
}

/// Weights that could not be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "weights: expected three lines with first, last or moving and {FEATURES} whole numbers, found {found:?}; take what the example tune prints"
)]
pub struct WeightsError {
    /// The wrong line, or the name of the missing one.
    pub found: String,
}

/// Reads three lines, `first`, `last` and `moving`, each with a number for every count; lines that begin with `#` are
/// ignored.
///
/// ```
/// use morabase::engine::Weights;
/// let text = "first 1 2 3 4 5 6 7 8 9 10 11\nlast 1 2 3 4 5 6 7 8 9 10 11\nmoving 0 0 0 0 0 0 0 0 0 0 -7";
/// assert_eq!(text.parse::<Weights>()?.moving[10], -7);
/// assert!("first 1 2".parse::<Weights>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl FromStr for Weights {
    type Err = WeightsError;

    fn from_str(text: &str) -> Result<Self, WeightsError> {
        let mut weights = [None; STAGES.len()];
        for line in text.lines().filter(|line| !(line.starts_with('#') || line.trim().is_empty())) {
            let fault = || WeightsError { found: line.chars().take(80).collect() };
            let mut words = line.split_whitespace();
            let stage =
                words.next().and_then(|name| STAGES.iter().position(|stage| *stage == name)).ok_or_else(fault)?;
            let numbers = words.map(str::parse).collect::<Result<Vec<i32>, _>>().map_err(|_| fault())?;
            weights[stage] = Some(numbers.try_into().map_err(|_| fault())?);
        }
        let missing = |stage: usize| WeightsError { found: format!("no {}", STAGES[stage]) };
        let [first, last, moving] = weights;
        Ok(Self {
            first: first.ok_or_else(|| missing(0))?,
            last: last.ok_or_else(|| missing(1))?,
            moving: moving.ok_or_else(|| missing(2))?,
        })
    }
}

/// The words with which the lines of a text of weights begin.
const STAGES: [&str; 3] = ["first", "last", "moving"];

/// The weights for every number of cows in hand, both sides together, in [`PARTS`].
#[derive(Clone, Debug)]
pub(super) struct WeightsByHands(Vec<[i32; FEATURES]>);

/// Into how many parts one is divided for interpolated weights.
const PARTS: i32 = 16;

impl WeightsByHands {
    pub(super) fn new(weights: &Weights, rules: &RuleSet) -> Self {
        let all = 2 * i32::from(rules.cows);
        let stage = |left: i32| {
            let weight = |at: usize| match left {
                0 => weights.moving[at] * PARTS,
                _ => (weights.first[at] * left + weights.last[at] * (all - left)) * PARTS / all,
            };
            std::array::from_fn(weight)
        };
        Self((0..=all).map(stage).collect())
    }

    fn of(&self, position: &Position) -> &[i32; FEATURES] {
        let left = position.hands.map(usize::from).iter().sum::<usize>();
        &self.0[left.min(self.0.len() - 1)]
    }

    /// The estimate.
    pub(super) fn total(&self, rules: &RuleSet, position: &Position) -> i32 {
        let features = features(rules, position);
        let sum: i32 = self.of(position).iter().zip(features).map(|(weight, count)| weight * count).sum();
        (sum / PARTS).clamp(-GUESS, GUESS)
    }
}

impl Weights {
    /// Estimates the value of a position for the side to move. The position should not be over and should have no
    /// outstanding shot; the search ensures both.
    pub fn evaluate(&self, rules: &RuleSet, position: &Position) -> Evaluation {
        let by_hands = WeightsByHands::new(self, rules);
        let (weights, features) = (by_hands.of(position), features(rules, position));
        let parts = std::array::from_fn(|at| weights[at] * features[at] / PARTS);
        Evaluation { parts, total: by_hands.total(rules, position) }
    }
}

/// The estimate and its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Evaluation {
    /// The contribution of each of [`FEATURE_NAMES`].
    pub parts: [i32; FEATURES],
    total: i32,
}

impl Evaluation {
    /// The sum, within ±20,000.
    pub const fn total(&self) -> i32 {
        self.total
    }
}

/// [`Weights::evaluate`] with the engine's own weights.
///
/// ```
/// use morabase::engine::evaluate;
/// use morabase::{Position, Preset};
/// let rules = Preset::Gar.rules();
/// let position = Position::from_notation("W:Wa7,d7,b4,c3,g4:Bb6,d6,c5,e4", &rules)?;
/// assert!(evaluate(&rules, &position).total() > 0);
/// # Ok::<(), morabase::NotationError>(())
/// ```
pub fn evaluate(rules: &RuleSet, position: &Position) -> Evaluation {
    Weights::default().evaluate(rules, position)
}

/// The features of one player, except those of lines.
struct SideState {
    cows: PointSet,
    all: i32,
    flies: bool,
    /// Whether its cows can go to any free point.
    anywhere: bool,
}

impl SideState {
    fn new(position: &Position, side: Side) -> Self {
        let cows = position.cows[side.index()];
        let placing = position.hands[side.index()] > 0;
        let flies = !placing && cows.len() == FLYING_COWS;
        Self { cows, all: i32::from(position.cow_count(side)), flies, anywhere: placing || flies }
    }
}

/// The features of the lines that only one player occupies.
#[derive(Clone, Copy, Default)]
struct LineCounts {
    lines: i32,
    prospects: i32,
    threats: PointSet,
}

impl LineCounts {
    fn add_line(&mut self, board: &Board, line: PointSet, held: PointSet, side: &SideState) {
        self.prospects += i32::from(held.len());
        match held.len() {
            3 => self.lines += 1,
            2 => {
                let missing = line.difference(held);
                if side.anywhere || is_reached(board, missing, side.cows.difference(line)) {
                    self.threats = self.threats.union(missing);
                }
            }
            _ => {}
        }
    }
}

/// The free points at which this side could complete a line if it were to move.
pub(super) fn completions(board: &Board, position: &Position, side: Side) -> PointSet {
    let (state, empty) = (SideState::new(position, side), position.empty(board));
    let mut counts = LineCounts::default();
    for line in board.lines() {
        let held = line.intersection(state.cows);
        if held.len() == 2 && line.difference(held).difference(empty).is_empty() {
            counts.add_line(board, line, held, &state);
        }
    }
    counts.threats
}

/// Whether one of `cows` is next to the point.
fn is_reached(board: &Board, point: PointSet, cows: PointSet) -> bool {
    point.iter().any(|point| !board.neighbours(point).intersection(cows).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;

    fn named(rules: &RuleSet, text: &str, name: &str) -> i32 {
        let at = FEATURE_NAMES.iter().position(|each| *each == name).unwrap();
        features(rules, &Position::from_notation(text, rules).unwrap())[at]
    }

    #[test]
    fn sides_that_stand_alike_are_even_but_for_the_turn_and_images_are_worth_the_same() {
        for rules in Preset::ALL.map(Preset::rules) {
            let text = "W:Wa7,d7,b4,c3,g4:Bb6,d6,c5,e4,g1:H3,2";
            let position = Position::from_notation(text, &rules).unwrap();
            let evaluation = evaluate(&rules, &position);
            for symmetry in rules.board().group().symmetries() {
                assert_eq!(evaluate(&rules, &position.image(symmetry)), evaluation);
            }
            let swapped = Position {
                cows: [position.cows[1], position.cows[0]],
                hands: [2, 3],
                to_move: Side::Second,
                ..position
            };
            assert_eq!(evaluate(&rules, &swapped), evaluation);
            let start = features(&rules, &Position::start(&rules));
            assert_eq!(start[..FEATURES - 1], [0; FEATURES - 1]);
        }
    }

    #[test]
    fn a_line_to_be_completed_counts_only_where_a_cow_can_get_there() {
        let rules = Preset::Gar.rules();
        let reached = "W:Wa7,d7,g4,b2:Bb6,f2,c5,e3";
        assert_eq!((named(&rules, reached, "threats"), named(&rules, reached, "shot")), (1, 1));
        assert_eq!(named(&rules, "W:Wa7,d7,g1,d1:Bb6,f2,c5,e3", "threats"), 0);
    }

    #[test]
    fn cows_that_are_shut_in_are_blocked() {
        let rules = Preset::Gar.rules();
        assert_eq!(named(&rules, "W:Wa7:Bd7,a4,b6:H9,9", "blocked"), 1);
        assert_eq!(named(&rules, "W:Wa7:Bd7,a4:H9,9", "blocked"), 0);
    }
}
