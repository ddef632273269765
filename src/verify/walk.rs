//! [`Walk`]: checks all entries of a class over decoded tables, one waiting set after another.
//!
//! Evaluating a waiting set's entries differs with and without cows in hand, and so do the walks. They share the tables
//! to read, the distribution of waiting sets over threads, and the entries that no walk sees.

use std::sync::Arc;

use rayon::prelude::*;

use crate::lookahead::Values;
use crate::probe::ProbeError;
use crate::space::Class;
use crate::threads;

use super::cache::TableCache;
use super::claims::Claims;
use super::report::{Findings, Progress};

/// What all waiting sets of a class have in common.
pub(super) trait Walk: Sync {
    /// A thread's buffers for a waiting set, reused for their memory.
    type Scratch: Default;

    /// What the class's own table says.
    fn claims(&self) -> &Claims<'_>;

    /// Checks all entries with the waiting set of this number.
    fn check_waiting(&self, block: u32, scratch: &mut Self::Scratch) -> Findings;
}

/// The decoded tables that a walk over a class reads.
pub(super) struct WalkTables {
    /// The class's own table.
    pub(super) own: Arc<Values>,
    /// Where quiet turns lead.
    pub(super) quiet: Arc<Values>,
    /// Where shots lead, if they do not end the game.
    pub(super) shot: Option<Arc<Values>>,
}

impl WalkTables {
    /// Decodes the tables that are not decoded yet.
    pub(super) fn new(cache: &mut TableCache, class: Class) -> Result<Self, ProbeError> {
        let successors = class.successors();
        Ok(Self {
            own: cache.get(class)?,
            quiet: cache.get(successors.quiet)?,
            shot: successors.shot.map(|shot| cache.get(shot)).transpose()?,
        })
    }

    /// Checks all entries of the class.
    pub(super) fn check<W: Walk>(&self, walk: &W, progress: &Progress) -> Findings {
        // Quiet turns exchange the sides, so waiting sets number the blocks of the table that they lead to.
        let blocks = self.quiet.space().blocks();
        let entries = self.own.space().entries();
        let check_waiting = |scratch: &mut W::Scratch, block| {
            let found = walk.check_waiting(block, scratch);
            progress.add_part(entries, block, blocks);
            found
        };
        threads::ready();
        let found = (0..blocks).into_par_iter().map_init(W::Scratch::default, check_waiting);
        found.reduce(Findings::default, Findings::and).and(walk.claims().check_twins())
    }
}
