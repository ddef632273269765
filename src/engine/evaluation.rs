//! The evaluation: a quick guess at what a position is worth, for the ends of the search that no table reaches.
//!
//! It counts what every mill player counts: cows, lines, lines that lack one cow, and room to move. The weights are in
//! hundredths of a cow and are judgement, not the outcome of tuning.

use crate::board::{Board, PointSet};
use crate::game::{Position, Side};
use crate::rules::{FLYING_COWS, RuleSet};

use super::score::GUESS;

/// A cow, on the board or in hand.
const COW: i32 = 100;
/// A line that stands.
const LINE: i32 = 12;
/// A line that lacks one cow and can be completed with the next turn: for the side to move the first of them is a shot.
const THREAT: i32 = 15;
const NEXT_SHOT: i32 = 60;
/// A free point that a cow can go to, in the moving phase; while cows are placed, half of it.
const FREEDOM: i32 = 4;
/// What flying is worth in the same coin: a flier has all the room there is.
const FLYING: i32 = 60;
/// A line through a point that one stands on and the opponent does not bar.
const PROSPECT: i32 = 2;

/// The parts of the guess in hundredths of a cow, each what the mover has more than the waiting side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Evaluation {
    /// Cows on the board and in hand.
    pub cows: i32,
    /// Lines that stand.
    pub lines: i32,
    /// Lines that the next turn can complete.
    pub threats: i32,
    /// Free points to go to.
    pub freedom: i32,
    /// Lines that are still open to one's cows.
    pub prospects: i32,
}

impl Evaluation {
    /// The sum, within ±20,000.
    pub const fn total(&self) -> i32 {
        let total = self.cows + self.lines + self.threats + self.freedom + self.prospects;
        if total > GUESS {
            GUESS
        } else if total < -GUESS {
            -GUESS
        } else {
            total
        }
    }
}

/// Guesses what a position is worth to the side to move. The position should not be over and no shot be outstanding; the
/// search sees to both.
///
/// ```
/// use morabase::engine::evaluate;
/// use morabase::{Position, Preset};
/// let rules = Preset::Gar.rules();
/// let position = Position::from_notation("W:Wa7,d7,b4,c3,g4:Bb6,d6,c5,e4", &rules)?;
/// assert_eq!(evaluate(&rules, &position).cows, 100);
/// # Ok::<(), morabase::NotationError>(())
/// ```
pub fn evaluate(rules: &RuleSet, position: &Position) -> Evaluation {
    let mover = SideCount::new(rules.board(), position, position.to_move);
    let waiting = SideCount::new(rules.board(), position, position.to_move.other());
    let next_shot = if mover.threats > 0 { NEXT_SHOT } else { 0 };
    Evaluation {
        cows: COW * (mover.cows - waiting.cows),
        lines: LINE * (mover.lines - waiting.lines),
        threats: THREAT * (mover.threats - waiting.threats) + next_shot,
        freedom: mover.freedom - waiting.freedom,
        prospects: PROSPECT * (mover.prospects - waiting.prospects),
    }
}

/// What one player has.
struct SideCount {
    cows: i32,
    lines: i32,
    threats: i32,
    freedom: i32,
    prospects: i32,
}

impl SideCount {
    fn new(board: &Board, position: &Position, side: Side) -> Self {
        let own = position.cows[side.index()];
        let others = position.cows[side.other().index()];
        let empty = position.empty(board);
        let placing = position.hands[side.index()] > 0;
        let anywhere = placing || own.len() == FLYING_COWS;
        let (mut lines, mut threats, mut prospects) = (0, 0, 0);
        for line in board.lines() {
            if !line.intersection(others).is_empty() {
                continue;
            }
            let held = line.intersection(own);
            prospects += i32::from(held.len());
            match held.len() {
                3 => lines += 1,
                2 => threats += i32::from(anywhere || is_reached(board, own, line)),
                _ => {}
            }
        }
        let free = |set: PointSet| i32::from(set.intersection(empty).len());
        let steps: i32 = own.iter().map(|point| free(board.neighbours(point))).sum();
        let freedom = match (placing, anywhere) {
            (true, _) => FREEDOM / 2 * steps,
            (false, true) => FLYING,
            (false, false) => FREEDOM * steps,
        };
        Self { cows: i32::from(position.cow_count(side)), lines, threats, freedom, prospects }
    }
}

/// Whether a cow from outside the line stands next to the line's last point.
fn is_reached(board: &Board, own: PointSet, line: PointSet) -> bool {
    let missing = line.difference(own);
    let outside = own.difference(line);
    missing.iter().any(|point| !board.neighbours(point).intersection(outside).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;

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
            assert_eq!(evaluate(&rules, &Position::start(&rules)).total(), 0);
        }
    }

    #[test]
    fn a_line_to_be_completed_counts_only_where_a_cow_can_get_there() {
        let rules = Preset::Gar.rules();
        let at = |text: &str| evaluate(&rules, &Position::from_notation(text, &rules).unwrap()).threats;
        assert_eq!(at("W:Wa7,d7,g4,b2:Bb6,f2,c5,e3"), NEXT_SHOT + THREAT);
        assert_eq!(at("W:Wa7,d7,g1,d1:Bb6,f2,c5,e3"), 0);
    }
}
