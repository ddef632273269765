//! [`LayerLookahead`]: values of positions with cows in hand whose classes were left out of a set of tables.
//!
//! A placement leads to a class with one cow less in hand. If a class is missing but those after it are there, the best
//! of some twenty turns gives its value exactly. Sets that keep every second or third layer of classes rely on this.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::board::PointSet;
use crate::rules::{FEWEST_COWS, RuleSet};
use crate::space::{Class, Entry, Space, Successors};
use crate::value::{Value, Wdl};

use super::Lookup;
use super::moves::shootable;

/// Answers from a source, and, for classes with cows in hand that it lacks, from the classes that their turns lead to.
///
/// It keeps what it finds by looking ahead, so use one for each question, such as all turns of a position.
#[derive(Debug)]
pub struct LayerLookahead<'a, L> {
    rules: &'a RuleSet,
    source: &'a L,
    known: RefCell<HashMap<(Class, Entry), Wdl>>,
}

impl<'a, L: Lookup> LayerLookahead<'a, L> {
    /// The most plies it looks ahead. If more layers are missing in a row, the class counts as missing.
    pub const MOST_PLIES: u32 = 2;

    /// Answers under `rules` from a source solved under the same rules.
    pub fn new(rules: &'a RuleSet, source: &'a L) -> Self {
        Self { rules, source, known: RefCell::default() }
    }

    /// Whether every turn leads to a class that the source has, within this many plies.
    fn reaches(&self, class: Class, plies: u32) -> bool {
        self.source.has(class)
            || plies > 0
                && class.mover_hand() > 0
                && class.check(self.rules).is_ok()
                && class.successors().iter().all(|next| self.reaches(next, plies - 1))
    }

    /// The value of the best placement.
    fn best(&self, class: Class, mover: PointSet, waiting: PointSet) -> Result<Wdl, L::Error> {
        let entry = Space::new(self.rules.board, class).entry(mover, waiting);
        if let Some(&known) = self.known.borrow().get(&(class, entry)) {
            return Ok(known);
        }
        let board = self.rules.board();
        let mut best = Wdl::Lost;
        for point in board.free(mover.union(waiting)).iter() {
            let placed = mover.with(point);
            let value = if board.completes_line(placed, point) && !waiting.is_empty() {
                self.best_shot(class, placed, waiting)?
            } else {
                self.reversed(class.successors().quiet, waiting, placed)?
            };
            best = best.max(value);
            if best == Wdl::Won {
                break;
            }
        }
        self.known.borrow_mut().insert((class, entry), best);
        Ok(best)
    }

    /// The value of the best shot after a placement has completed a line.
    fn best_shot(&self, class: Class, placed: PointSet, waiting: PointSet) -> Result<Wdl, L::Error> {
        let Successors { shot: Some(after), .. } = class.successors() else {
            let leaves_too_few = class.waiting() + class.waiting_hand() <= FEWEST_COWS;
            return Ok(if leaves_too_few { Wdl::Won } else { Wdl::Lost });
        };
        let mut best = Wdl::Lost;
        for shot in shootable(self.rules.board(), waiting).iter() {
            best = best.max(self.reversed(after, waiting.without(shot), placed)?);
            if best == Wdl::Won {
                break;
            }
        }
        Ok(best)
    }

    /// The value of a position one ply later, for the side that is not to move there.
    fn reversed(&self, class: Class, mover: PointSet, waiting: PointSet) -> Result<Wdl, L::Error> {
        let value = if self.source.has(class) || !class.has_hands() {
            self.source.value(class, mover, waiting)?.wdl()
        } else {
            self.best(class, mover, waiting)?
        };
        Ok(value.reversed())
    }
}

impl<L: Lookup> Lookup for LayerLookahead<'_, L> {
    type Error = L::Error;

    fn has(&self, class: Class) -> bool {
        self.reaches(class, Self::MOST_PLIES)
    }

    fn value(&self, class: Class, mover: PointSet, waiting: PointSet) -> Result<Value, L::Error> {
        if !class.has_hands() || self.source.has(class) || !self.has(class) {
            return self.source.value(class, mover, waiting);
        }
        self.best(class, mover, waiting).map(Value::uncounted)
    }
}
