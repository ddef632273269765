//! The value of one position by depth-first search, to confirm single positions without solving their class.
//!
//! It asks two questions with an increasing number of plies: is the position won within that many, is it lost within
//! that many? The number never exceeds the plies that the draw counter leaves, and a quiet turn reduces both by one, so
//! a position's counter is always part of the question. Restrictions are part of the position. A shot ends the search:
//! the position it leads to is looked up in previously solved classes.

use std::collections::HashMap;

use crate::game::{Position, Side};
use crate::value::{Plies, Value, Wdl};

use super::{Reference, ReferenceError, play};

/// Limits of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchLimits {
    /// The most plies to look ahead.
    pub plies: u16,
    /// The most positions to remember, some 40 bytes each; the search gives up when there are more.
    pub positions: usize,
}

/// The result of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// The position's exact value, or `None` if it is neither won nor lost within the plies searched.
    pub value: Option<Value>,
    /// Number of plies for which both questions were answered.
    pub plies: u16,
    /// Number of positions remembered.
    pub positions: usize,
    /// Number of questions not answered from memory.
    pub nodes: u64,
}

/// Searches for the value of a position of the moving phase.
///
/// `below` holds the classes that shots lead into, solved under the same rules. Without a running draw counter, looking
/// ahead a number of plies never proves a draw; `value` is `None` then.
///
/// # Errors
/// [`ReferenceError`] if `below` lacks a class, the position has cows in hand or more positions than allowed would have
/// to be remembered.
pub fn search(below: &Reference, position: &Position, limits: SearchLimits) -> Result<Found, ReferenceError> {
    if position.hands != [0, 0] {
        return Err(ReferenceError::CowsInHand);
    }
    let rules = below.rules();
    let mut search = BoundedSearch { below, memory: HashMap::new(), most: limits.positions, nodes: 0 };
    let found = |value, plies, search: &BoundedSearch| Found {
        value,
        plies,
        positions: search.memory.len(),
        nodes: search.nodes,
    };
    if position.shot_pending || play::is_decided_by_cows(position) {
        // One ply, into solved classes.
        return Ok(found(Some(below.value_with(position)?), 1, &search));
    }
    if play::is_full_board_draw(rules, position) {
        return Ok(found(Some(Value::Drawn), 0, &search));
    }
    let left = play::plies_left(rules, position);
    let most = left.unwrap_or(u16::MAX).min(limits.plies).min(MOST_PLIES);
    // From here on the number of plies asked for includes the counter.
    let start = search.without_history(*position);
    for plies in 0..=most {
        if search.ask(Question::Won, &start, plies)? {
            return Ok(found(Some(Value::Won(Plies(plies))), plies, &search));
        }
        if search.ask(Question::Lost, &start, plies)? {
            return Ok(found(Some(Value::Lost(Plies(plies))), plies, &search));
        }
    }
    let drawn = (left == Some(most)).then_some(Value::Drawn);
    Ok(found(drawn, most, &search))
}

/// The longest question, limited so that plies fit into a byte.
const MOST_PLIES: u16 = 250;

/// A question about a position and a number of plies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    /// Does the side to move win within this many plies?
    Won,
    /// Does it lose within this many plies?
    Lost,
}

/// What is known about one question: more plies never undo a win or a loss.
#[derive(Clone, Copy, Default)]
struct Known {
    /// One more than the most plies that were not enough; 0 if there are none.
    not_within: u8,
    /// One more than the fewest plies that were enough; 0 if there are none.
    within: u8,
}

struct BoundedSearch<'a> {
    below: &'a Reference,
    /// By the cows of the side to move and of the other; only positions without restrictions.
    memory: HashMap<u64, [Known; 2]>,
    most: usize,
    nodes: u64,
}

fn key(position: &Position) -> Option<u64> {
    let bare = position.remakes == [None; 2];
    bare.then(|| u64::from(position.mover().bits()) << 24 | u64::from(position.waiting().bits()))
}

impl BoundedSearch<'_> {
    /// The answer, if it is remembered.
    fn known(&self, question: Question, position: &Position, plies: u16) -> Option<bool> {
        if plies == 0 {
            return None;
        }
        let known = self.memory.get(&key(position)?)?[question as usize];
        if u16::from(known.not_within) > plies {
            Some(false)
        } else if known.within > 0 && u16::from(known.within) <= plies + 1 {
            Some(true)
        } else {
            None
        }
    }

    fn ask(&mut self, question: Question, position: &Position, plies: u16) -> Result<bool, ReferenceError> {
        if plies == 0 {
            return Ok(question == Question::Lost && play::is_blocked(self.below.rules(), position));
        }
        if let Some(answer) = self.known(question, position, plies) {
            return Ok(answer);
        }
        self.nodes += 1;
        let answer = match question {
            Question::Won => self.is_won(position, plies)?,
            Question::Lost => self.is_lost(position, plies)?,
        };
        if let Some(key) = key(position) {
            if self.memory.len() >= self.most {
                return Err(ReferenceError::SearchTooLarge { positions: self.most });
            }
            let known = &mut self.memory.entry(key).or_default()[question as usize];
            let mark = plies as u8 + 1;
            if answer {
                known.within = mark;
            } else {
                known.not_within = mark;
            }
        }
        Ok(answer)
    }

    /// Whether some turn leaves the opponent lost, a quiet one within one ply less.
    fn is_won(&mut self, position: &Position, plies: u16) -> Result<bool, ReferenceError> {
        self.any_turn(position, plies, Question::Lost, Wdl::Lost, true)
    }

    /// Whether every turn leaves the opponent with a win, a quiet one within one ply less; also true if there is no
    /// turn.
    fn is_lost(&mut self, position: &Position, plies: u16) -> Result<bool, ReferenceError> {
        Ok(!self.any_turn(position, plies, Question::Won, Wdl::Won, false)?)
    }

    /// Whether some turn leads to a position for which `question` has the answer `wanted`; for positions reached by a
    /// shot, the answer is whether their result is `result`.
    fn any_turn(
        &mut self,
        position: &Position,
        plies: u16,
        question: Question,
        result: Wdl,
        wanted: bool,
    ) -> Result<bool, ReferenceError> {
        let mut quiet = Vec::new();
        for (turn, next) in play::turns(self.below.rules(), position) {
            if turn.shoots() {
                if (self.below.value_with(&next)?.wdl() == result) == wanted {
                    return Ok(true);
                }
                continue;
            }
            let next = self.without_history(next);
            match self.known(question, &next, plies - 1) {
                Some(answer) if answer == wanted => return Ok(true),
                Some(_) => {}
                None => quiet.push(next),
            }
        }
        for next in quiet {
            if self.ask(question, &next, plies - 1)? == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The position without its counter, which is part of the plies asked for, and without restrictions that bar
    /// nothing.
    fn without_history(&self, mut position: Position) -> Position {
        position.counter = 0;
        for side in Side::BOTH {
            let cows = position.cows[side.index()];
            let remake = &mut position.remakes[side.index()];
            *remake = remake.filter(|remake| play::may_bar(self.below.rules(), cows, *remake));
        }
        position
    }
}
