//! Decoded tables; the most recently used are kept while there is room.

use std::sync::Arc;

use crate::lookahead::Values;
use crate::probe::{ProbeError, Tablebase};
use crate::space::Class;

/// Decoded tables of one tablebase.
pub(super) struct TableCache<'a> {
    tables: &'a Tablebase,
    /// The most bytes to keep; the most recently requested table is always kept.
    room: u64,
    /// Most recently used first.
    kept: Vec<Arc<Values>>,
}

impl<'a> TableCache<'a> {
    pub(super) const fn new(tables: &'a Tablebase, room: u64) -> Self {
        Self { tables, room, kept: Vec::new() }
    }

    pub(super) const fn tables(&self) -> &'a Tablebase {
        self.tables
    }

    /// The values of a class.
    pub(super) fn get(&mut self, class: Class) -> Result<Arc<Values>, ProbeError> {
        let values = match self.kept.iter().position(|values| values.class() == class) {
            Some(place) => self.kept.remove(place),
            None => Arc::new(self.tables.decode(class)?),
        };
        self.kept.insert(0, Arc::clone(&values));
        let mut used = 0;
        self.kept.retain(|values| {
            used += values.symbols().len() as u64;
            used <= self.room
        });
        if self.kept.is_empty() {
            self.kept.push(Arc::clone(&values));
        }
        Ok(values)
    }

    /// The values of a class if they are already decoded, or would easily fit and can be read.
    pub(super) fn get_if_small(&mut self, class: Class) -> Option<Arc<Values>> {
        let small = self.tables.space(class).entries() <= self.room / 8;
        let kept = self.kept.iter().any(|values| values.class() == class);
        if small || kept { self.get(class).ok() } else { None }
    }
}
