//! [`Values`]: the values of one class in the order of its table, in memory.

use crate::alphabet::Alphabet;
use crate::board::PointSet;
use crate::space::{Class, Entry, Space};
use crate::value::Value;

/// The value of every entry of a class, block after block: one symbol of the class's [`Alphabet`] per entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values {
    space: Space,
    block_entries: usize,
    alphabet: Alphabet,
    symbols: Vec<u8>,
}

impl Values {
    /// Makes values from symbols, if there is one for each entry and the alphabet has them all.
    pub fn new(space: Space, alphabet: Alphabet, symbols: Vec<u8>) -> Option<Self> {
        let fits = symbols.len() as u64 == space.entries() && alphabet.has_all(&symbols);
        fits.then(|| Self { space, block_entries: space.block_entries() as usize, alphabet, symbols })
    }

    /// Makes values from symbols that are known to pass the checks of [`new`](Self::new).
    pub(crate) fn trusted(space: Space, alphabet: Alphabet, symbols: Vec<u8>) -> Self {
        debug_assert!(symbols.len() as u64 == space.entries() && alphabet.has_all(&symbols));
        Self { space, block_entries: space.block_entries() as usize, alphabet, symbols }
    }

    /// The class.
    pub const fn class(&self) -> Class {
        self.space.class()
    }

    /// The board and class, which say what position each entry stands for.
    pub const fn space(&self) -> Space {
        self.space
    }

    /// What the symbols mean. For a solved class, it has only the values that occur.
    pub const fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// All symbols in the order of the table.
    pub fn symbols(&self) -> &[u8] {
        &self.symbols
    }

    /// The symbols of one block.
    ///
    /// # Panics
    /// If there is no such block.
    #[inline(always)]
    pub fn block(&self, block: u32) -> &[u8] {
        &self.symbols[block as usize * self.block_entries..][..self.block_entries]
    }

    /// The value of the position with these sets, which must be disjoint and have the sizes that the class says.
    pub fn value(&self, mover: PointSet, waiting: PointSet) -> Value {
        self.value_of(self.space.entry(mover, waiting))
    }

    /// The value of an entry.
    #[inline]
    pub(crate) fn value_of(&self, entry: Entry) -> Value {
        self.alphabet.value(self.block(entry.block)[entry.rank as usize]).unwrap_or(Value::Drawn)
    }

    /// The value of the entry at this index, counted through all blocks.
    ///
    /// # Panics
    /// If there is no such entry.
    #[cfg(test)]
    pub(crate) fn at(&self, place: usize) -> Value {
        self.alphabet.value(self.symbols[place]).unwrap()
    }

    /// The same, with some values replaced.
    #[cfg(test)]
    pub(crate) fn with(&self, changes: &[(usize, Value)]) -> Self {
        let mut values: Vec<Value> = (0..self.symbols.len()).map(|place| self.at(place)).collect();
        for (place, value) in changes {
            values[*place] = *value;
        }
        let alphabet = Alphabet::new(values.iter().copied()).unwrap();
        let symbols = values.into_iter().map(|value| alphabet.symbol(value).unwrap()).collect();
        Self { alphabet, symbols, ..self.clone() }
    }
}
