//! [`ValueCache`]: values that one question asks for repeatedly.
//!
//! The turns of a position are examined one after another, and what they lead to overlaps: half of all look-ups are
//! repeats. A look-up decodes part of a table; a cache answers in a few nanoseconds.

use std::cell::{Cell, OnceCell};

use crate::board::PointSet;
use crate::space::Class;
use crate::value::{Plies, Value};

use super::answer_cache::{AnswerCache, place};
use super::lookup::Lookup;

/// A source of values with a cache in front of it, and a cache for answers of the look-ahead over it. Nothing is
/// allocated before the first look-up.
pub(crate) struct ValueCache<'a, L> {
    source: &'a L,
    /// Each position has one cell, and a newer position replaces an older one. Zero is empty.
    cells: OnceCell<Box<[Cell<u64>]>>,
    answers: OnceCell<AnswerCache>,
}

const CELLS: usize = 1 << 12;
const SET_BITS: u32 = 24;
const VALUE_BITS: u32 = 16;

impl<'a, L> ValueCache<'a, L> {
    pub(crate) const fn new(source: &'a L) -> Self {
        Self { source, cells: OnceCell::new(), answers: OnceCell::new() }
    }

    /// A cache for the answers of the look-ahead over this source.
    pub(crate) fn answers(&self) -> &AnswerCache {
        self.answers.get_or_init(AnswerCache::small)
    }

    fn cell(&self, key: u64) -> &Cell<u64> {
        let cells = self.cells.get_or_init(|| vec![Cell::new(0); CELLS].into());
        &cells[place(key, CELLS)]
    }
}

impl<L: Lookup> Lookup for ValueCache<'_, L> {
    type Error = L::Error;

    fn has(&self, class: Class) -> bool {
        self.source.has(class)
    }

    fn value(&self, class: Class, mover: PointSet, waiting: PointSet) -> Result<Value, L::Error> {
        if class.has_hands() {
            return self.source.value(class, mover, waiting);
        }
        let key = u64::from(mover.bits()) << SET_BITS | u64::from(waiting.bits());
        let cell = self.cell(key);
        let kept = cell.get();
        if kept >> VALUE_BITS == key
            && let Some(value) = unpack(kept as u16)
        {
            return Ok(value);
        }
        let value = self.source.value(class, mover, waiting)?;
        if let Some(code) = pack(value) {
            cell.set(key << VALUE_BITS | u64::from(code));
        }
        Ok(value)
    }
}

/// A value as two bits for its kind and fourteen for its plies, never zero; none if it has more plies.
fn pack(value: Value) -> Option<u16> {
    let counted = |plies: u16, kind| (plies < 1 << 14).then_some(plies << 2 | kind);
    match value {
        Value::Drawn => Some(3),
        Value::Won(Plies(plies)) => counted(plies, 1),
        Value::Lost(Plies(plies)) => counted(plies, 2),
        Value::Winning | Value::Losing => None,
    }
}

const fn unpack(code: u16) -> Option<Value> {
    match code & 3 {
        1 => Some(Value::Won(Plies(code >> 2))),
        2 => Some(Value::Lost(Plies(code >> 2))),
        3 => Some(Value::Drawn),
        _ => None,
    }
}

impl<L> std::fmt::Debug for ValueCache<'_, L> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ValueCache").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn values_are_packed_and_unpacked() {
        for value in
            [0, 1, 2, 188, (1 << 14) - 1].into_iter().flat_map(|n| [Value::Won(Plies(n)), Value::Lost(Plies(n))])
        {
            assert_eq!(pack(value).and_then(unpack), Some(value));
        }
        assert_eq!(pack(Value::Drawn).and_then(unpack), Some(Value::Drawn));
        for value in [Value::Won(Plies(1 << 14)), Value::Lost(Plies(u16::MAX)), Value::Winning, Value::Losing] {
            assert_eq!(pack(value), None);
        }
        assert_eq!(unpack(0), None);
    }

    /// Makes up a value from the bits of the position, and counts the questions.
    struct Source(RefCell<u32>);

    impl Lookup for Source {
        type Error = Infallible;

        fn value(&self, _: Class, mover: PointSet, waiting: PointSet) -> Result<Value, Infallible> {
            *self.0.borrow_mut() += 1;
            Ok(Value::Won(Plies(((mover.bits() * 7 + waiting.bits()) % 199) as u16)))
        }
    }

    #[test]
    fn a_cache_says_what_its_source_says_however_full_it_is() {
        let source = Source(RefCell::new(0));
        let cache = ValueCache::new(&source);
        let set = |bits: u32| PointSet::from_bits(bits).unwrap();
        let positions: Vec<_> = (0..20_000u32).map(|n| (set(7 | n << 9), set(0b111_000 | (n % 5) << 6))).collect();
        for _ in 0..2 {
            for &(mover, waiting) in &positions {
                let class = Class::of_sets(mover, waiting);
                assert_eq!(cache.value(class, mover, waiting), Source(RefCell::new(0)).value(class, mover, waiting));
                let asked = *source.0.borrow();
                assert!(cache.value(class, mover, waiting).is_ok());
                assert_eq!(*source.0.borrow(), asked, "kept until another position takes its place");
            }
        }
    }
}
