//! Solving: exact values of a pair of classes by parallel retrograde analysis.
//!
//! A pair (`a-b` and `b-a`) is solved together: turns without a shot lead from one to the other, shots lead to classes
//! that are solved already. Each class is first seeded from those (wins by a shot, blocked positions), then
//! decisions spread backwards a ply at a time. A class is worked on by blocks of one waiting set, where everything a
//! quiet turn of the mover can change stands together; what is found is told to the class's own table, which is laid out
//! by the mover's set and which the partner reads in turn. docs/algorithm.md has the whole story.
//!
//! This room knows no files: it takes values of smaller classes from memory and gives values back.

mod all;
mod block;
mod cube;
mod flying;
mod geometry;
mod isa;
pub mod lookahead;
mod marks;
mod outcomes;
mod recall;
mod shape;
mod sweep;
mod tally;
mod told;
mod values;

pub use all::solve_all;
pub use outcomes::Outcomes;
pub use sweep::{Control, Deeper, Dependencies, Instructions, SeededPair, SolveError, seed_pair, solve_pair};
pub use tally::{Tally, TallyRow};
pub use values::Values;

use std::sync::Mutex;
use std::sync::atomic::AtomicU8;

use crate::board::{Board, PointSet};
use crate::rules::RuleSet;
use crate::space::{Class, ClassMap, Orbits};
use crate::value::Value;

use lookahead::{Lookahead, Lookup};
pub(crate) use recall::Recall;
use shape::Shape;
use sweep::Known;

/// What the work on a block needs to know and only reads.
struct Task<'a> {
    rules: &'a RuleSet,
    board: &'static Board,
    shape: &'a Shape,
    /// Whether the mover goes along edges rather than flies.
    walks: bool,
    /// The partner's table: values after a quiet turn.
    partner: &'a Values,
    /// The class after a shot; none where a shot leaves two cows and wins.
    below: Option<Below<'a>>,
    lookahead: Lookahead<'a, Solved<'a>>,
    /// Blocks of the class's own table that were told something, at even and at odd depths.
    dirty: &'a [Dirty; 2],
    depth: usize,
    error: &'a Mutex<Option<SolveError>>,
}

/// The class that a shot leads to.
struct Below<'a> {
    outcomes: &'a Outcomes,
    orbits: &'static Orbits,
}

/// A flag for each block of a table and each kind of decision.
#[derive(Default)]
struct Dirty {
    won: Vec<AtomicU8>,
    lost: Vec<AtomicU8>,
}

impl Task<'_> {
    /// The flags for what is decided at this depth.
    fn next_dirty(&self) -> &Dirty {
        &self.dirty[self.depth % 2]
    }

    fn report(&self, error: SolveError) {
        if let Ok(mut first) = self.error.lock() {
            first.get_or_insert(error);
        }
    }
}

/// Values of all solved classes: those in memory, and a slower source for the rest.
struct Solved<'a> {
    rules: &'a RuleSet,
    known: ClassMap<&'a Known<'a>>,
    deeper: Option<&'a Deeper<'a>>,
}

impl Lookup for Solved<'_> {
    type Error = SolveError;

    fn value(&self, class: Class, mover: PointSet, waiting: PointSet) -> Result<Value, SolveError> {
        if let Some(known) = self.known.get(class) {
            if let Some(values) = known.values {
                return Ok(values.value(mover, waiting));
            }
            // Where the counter runs, plies decide whether a win is one.
            if self.rules.counter_limit(class.mover(), class.waiting()).is_none() {
                return Ok(known.outcomes().value(mover, waiting));
            }
        }
        let missing = || SolveError::missing_for_lookahead(class);
        self.deeper.ok_or_else(missing)?(class, mover, waiting).map_err(SolveError::Deeper)
    }
}
