//! [`SolveError`]: why a class was not solved.

use crate::alphabet::Alphabet;
use crate::space::{Class, ClassError};

/// Why a class was not solved.
#[derive(thiserror::Error)]
pub enum SolveError {
    /// Classes that a shot leads to are missing.
    #[error("{class} cannot be solved before {}", list(.missing))]
    MissingDependencies {
        /// The class to solve.
        class: Class,
        /// What must be solved first.
        missing: Vec<Class>,
    },
    /// The class does not occur under the rules.
    #[error(transparent)]
    Class(#[from] ClassError),
    /// The class has cows in hand; [`solve_placing`](super::solve_placing) solves those.
    #[error(
        "{class} has cows in hand: expected a class of the moving phase, such as 4-3; `solve_placing` solves others"
    )]
    Hands {
        /// The class.
        class: Class,
    },
    /// The class has no cows in hand, so turns lead from it and back.
    #[error("{class} has no cows in hand: expected a class of the placing phase, such as 2-3+2-1")]
    NoHands {
        /// The class.
        class: Class,
    },
    /// There are too many different values. Losses in 0 and 1 plies and wins in 1 count even if they do not occur.
    #[error("{class} has too many different values: a table can hold {}, a draw among them", Alphabet::MOST)]
    TooManyValues {
        /// The class.
        class: Class,
    },
    /// The work was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// A smaller class could not be read.
    #[error("a smaller class could not be read: {0}")]
    Deeper(#[source] Box<dyn std::error::Error + Send + Sync>),
}

debug_is_display!(SolveError);

impl SolveError {
    pub(super) fn missing_for_lookahead(class: Class) -> Self {
        Self::Deeper(UnavailableClass { class }.into())
    }
}

/// The look-ahead needs a class that is not available: the cause of a [`SolveError::Deeper`].
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{class} is neither in memory nor on disk")]
pub struct UnavailableClass {
    /// The class.
    pub class: Class,
}

debug_is_display!(UnavailableClass);

fn list(classes: &[Class]) -> String {
    classes.iter().map(Class::to_string).collect::<Vec<_>>().join(", ")
}
