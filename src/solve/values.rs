//! [`Values`]: the codes of one class in the order of its layout, in memory.

use std::sync::atomic::AtomicU8;

use crate::board::PointSet;
use crate::index::{Class, Layout};
use crate::value::{Code, Value};

/// The value of every entry of a class, one [`Code`] byte an entry, block after block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values {
    layout: Layout,
    block_entries: usize,
    codes: Vec<u8>,
}

impl Values {
    /// Values from their codes, if there is one for each entry and each is a code.
    pub fn from_codes(class: Class, codes: Vec<u8>) -> Option<Self> {
        let layout = Layout::new(class);
        let fits = codes.len() as u64 == layout.entries() && codes.iter().all(|&code| Code::from_byte(code).is_some());
        fits.then(|| Self { layout, block_entries: layout.block_entries() as usize, codes })
    }

    /// All entries drawn.
    pub(crate) fn drawn(class: Class) -> Self {
        let layout = Layout::new(class);
        let codes = vec![Code::DRAWN; layout.entries() as usize];
        Self { layout, block_entries: layout.block_entries() as usize, codes }
    }

    /// The class.
    pub const fn class(&self) -> Class {
        self.layout.class()
    }

    /// The layout, which says what each code stands for.
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// All codes in the order of the layout.
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// The codes of one block.
    ///
    /// # Panics
    /// If there is no such block.
    #[inline(always)]
    pub fn block(&self, block: u32) -> &[u8] {
        &self.codes[block as usize * self.block_entries..][..self.block_entries]
    }

    /// The value of the position with these sets, which must be disjoint and as large as the class says.
    pub fn value(&self, mover: PointSet, waiting: PointSet) -> Value {
        let entry = self.layout.entry(mover, waiting);
        Code::from_byte(self.block(entry.block)[entry.rank as usize]).map_or(Value::Drawn, Code::value)
    }

    /// The codes as cells that several threads may write at once.
    pub(crate) fn cells(&mut self) -> &[AtomicU8] {
        let codes = self.codes.as_mut_slice();
        // SAFETY: `AtomicU8` has the size and alignment of `u8`, and the exclusive borrow that we turn into a shared
        // one of atomics lasts as long as the result.
        unsafe { &*(std::ptr::from_mut(codes) as *const [AtomicU8]) }
    }
}
