//! [`Awaiting`]: tables with some bytes that have not arrived yet.
//!
//! A source behind a network may answer a read with [`WouldBlock`](std::io::ErrorKind::WouldBlock) and fetch the bytes
//! meanwhile. If a question ended at the first such read, ranking the turns of one position would take a round trip for
//! each look-up. So the question goes on with a guess in place of the value, and the source hears of all that the
//! question is likely to read. Results of guesses are never an answer: the question ends with the first such error.

use std::cell::{Cell, RefCell};

use crate::board::PointSet;
use crate::lookahead::Lookup;
use crate::space::Class;
use crate::value::Value;

use super::error::ProbeError;

/// Guesses after which a question ends at once: a search that follows only guesses may be a long one.
const MOST_GUESSES: u32 = 4096;

/// A source of values for one question, and the first error that reports missing bytes.
#[derive(Debug)]
pub(super) struct Awaiting<'a, L> {
    source: &'a L,
    first: RefCell<Option<ProbeError>>,
    guesses: Cell<u32>,
}

impl<'a, L> Awaiting<'a, L> {
    pub(super) const fn new(source: &'a L) -> Self {
        Self { source, first: RefCell::new(None), guesses: Cell::new(0) }
    }

    /// The result of the question: the answer, unless it depends on a guess.
    pub(super) fn settle<T>(self, answer: Result<T, ProbeError>) -> Result<T, ProbeError> {
        match self.first.into_inner() {
            Some(error) => Err(error),
            None => answer,
        }
    }

    #[cold]
    fn guess(&self, error: ProbeError) -> Result<Value, ProbeError> {
        let awaited = matches!(&error, ProbeError::Table(error) if error.is_awaited());
        if !awaited {
            return Err(error);
        }
        self.guesses.set(self.guesses.get() + 1);
        if self.guesses.get() > MOST_GUESSES {
            return Err(error);
        }
        self.first.borrow_mut().get_or_insert(error);
        // A draw settles least, so the question looks up the most.
        Ok(Value::Drawn)
    }
}

impl<L: Lookup<Error = ProbeError>> Lookup for Awaiting<'_, L> {
    type Error = ProbeError;

    fn has(&self, class: Class) -> bool {
        self.source.has(class)
    }

    #[inline]
    fn value(&self, class: Class, mover: PointSet, waiting: PointSet) -> Result<Value, ProbeError> {
        match self.source.value(class, mover, waiting) {
            Ok(value) => Ok(value),
            Err(error) => self.guess(error),
        }
    }
}
