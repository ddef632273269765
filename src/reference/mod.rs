//! The reference solver: slow, plain and written to be obviously right. It is the tests' oracle.
//!
//! It shares only data with the rest of the crate: the boards' edges and lines, rule sets, and the types that represent
//! positions, turns and values. Moves, numbering and induction are its own; it uses no symmetries.
//!
//! - [`Reference`] solves whole classes, with two bytes per placement;
//! - [`CounterReference`] solves a class with the draw counter in its state, independently of any distance;
//! - [`GameReference`] continues to positions with cows in hand: small games from the empty board;
//! - [`search`] finds the value of one position from the classes below it;
//! - [`look_ahead`] and [`from_turns`] compute a position's value from those its turns lead to, from any source;
//! - [`turns`] and [`perft`] are its own move generator.

mod ahead;
mod counted;
mod ground;
mod placements;
mod play;
mod search;
mod solve;
mod whole;

pub use ahead::{from_turns, look_ahead};
pub use counted::CounterReference;
pub use play::{perft, turns};
pub use search::{Found, SearchLimits, search};
pub use solve::{MOST_PLACEMENTS, Reference};
pub use whole::GameReference;

use crate::board::Point;
use crate::rules::RuleSet;
use crate::space::{Class, ClassError};

/// Why the reference has no answer.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// The class does not belong to the moving phase under these rules.
    #[error(transparent)]
    Class(#[from] ClassError),
    /// The class has cows in hand, which [`GameReference`] solves.
    #[error("class {class} has cows in hand: expected a class of the moving phase, such as 4-3")]
    Hands {
        /// The class.
        class: Class,
    },
    /// The class needs more memory than the reference uses.
    #[error(
        "the reference would need {placements} placements in memory for {class} and what it depends on: \
         expected at most {most}; use the fast solver for it"
    )]
    TooLarge {
        /// The class.
        class: Class,
        /// Placements of all required classes.
        placements: u64,
        /// The most placements the reference handles.
        most: u64,
    },
    /// The placing phase needs more memory than the reference uses.
    #[error(
        "the placing phase with {cows} cows each has {placements} placements: expected at most {most}; \
         take fewer cows"
    )]
    GameTooLarge {
        /// Cows that each player starts with.
        cows: u8,
        /// Placements with cows in hand, for all materials together.
        placements: u64,
        /// The most placements the reference handles.
        most: u64,
    },
    /// No position with cows in hand has this material under these rules.
    #[error(
        "{} cows on the board and {} in hand to move against {} and {}: expected 3 to {most} cows each, board and \
         hand together, and a hand that is not empty",
        .cows[0], .hands[0], .cows[1], .hands[1]
    )]
    Material {
        /// Cows on the board, of the side to move and of the other.
        cows: [u8; 2],
        /// Cows in hand, likewise.
        hands: [u8; 2],
        /// The most cows a side can have.
        most: u8,
    },
    /// The distance of a value from the next shot is too large to store.
    #[error("a decision takes more than {most} plies, which the reference cannot store")]
    TooDeep {
        /// The longest distance that can be stored.
        most: u16,
    },
    /// The class has not been solved.
    #[error("the reference has not solved {class}: solve it first")]
    Unsolved {
        /// The class.
        class: Class,
    },
    /// No draw counter runs in the class.
    #[error("no draw counter runs in {class} under these rules, so there is none to carry in the state")]
    NoCounter {
        /// The class.
        class: Class,
    },
    /// The counter is beyond its limit.
    #[error("a draw counter of {counter}: expected at most its limit of {limit} plies")]
    CounterBeyond {
        /// The counter that was given.
        counter: u16,
        /// The limit.
        limit: u16,
    },
    /// A search reached more positions than allowed.
    #[error("the search met more than {positions} positions: allow more or ask for fewer plies")]
    SearchTooLarge {
        /// The most allowed.
        positions: usize,
    },
    /// Both players have a cow on this point.
    #[error("both players have a cow on {point}")]
    Overlap {
        /// The point.
        point: Point,
    },
    /// The position belongs to the placing phase.
    #[error("the position has cows in hand: expected one with both hands empty")]
    CowsInHand,
}

debug_is_display!(ReferenceError);

/// The positions of a class by value, over every placement of the cows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReferenceCounts {
    /// All positions.
    pub positions: u64,
    /// Won for the side to move.
    pub won: u64,
    /// Drawn.
    pub drawn: u64,
    /// Lost for the side to move.
    pub lost: u64,
    /// Won and lost positions by their DTC, ascending.
    pub dtc: Vec<ReferenceRow>,
}

impl ReferenceCounts {
    /// The longest DTC, in plies; 0 if nothing is decided.
    pub fn max_dtc(&self) -> u16 {
        self.dtc.last().map_or(0, |count| count.plies)
    }
}

/// How many positions have one DTC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReferenceRow {
    /// Plies to the next shot or the end.
    pub plies: u16,
    /// Positions won in this many plies.
    pub won: u64,
    /// Positions lost in this many plies.
    pub lost: u64,
}

/// Refuses a class that does not belong to the moving phase under the rules.
fn moving(rules: &RuleSet, class: Class) -> Result<(), ReferenceError> {
    class.check(rules)?;
    if class.has_hands() { Err(ReferenceError::Hands { class }) } else { Ok(()) }
}
