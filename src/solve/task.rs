//! [`Task`]: the read-only inputs of the work on the blocks of a class, and [`BlockContext`], the same for one block.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::board::Board;
use crate::lookahead::Lookahead;
use crate::rules::{NoRemake, RuleSet};

use super::dependencies::Solved;
use super::error::SolveError;
use super::provisional::ProvisionalTable;
use super::robustness::ShotTable;
use super::shape::Shape;
use super::shots::AfterShot;
use super::view::BlockView;

/// The read-only inputs of a pass over a class.
pub(super) struct Task<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) board: &'static Board,
    pub(super) shape: &'a Shape,
    /// Whether the mover goes along edges rather than flies.
    pub(super) walks: bool,
    /// The reverse class's table: what is known after a quiet turn.
    pub(super) reverse: &'a ProvisionalTable,
    /// The class after a shot; none if a shot leaves two cows and wins.
    pub(super) after_shot: Option<AfterShot<'a>>,
    /// The same class with what restrictions may change, during seeding if the rules have restrictions.
    pub(super) shot_table: Option<&'a ShotTable>,
    pub(super) lookahead: Lookahead<'a, Solved<'a>>,
    /// Blocks of the class's own table that receive decisions, at even and at odd depths.
    pub(super) dirty: &'a [DirtyFlags; 2],
    /// The plies of an induction's decisions; 0 while seeding.
    pub(super) depth: usize,
    pub(super) error: &'a Mutex<Option<SolveError>>,
}

/// A flag for each block of a table and each kind of decision, raised when the block receives such decisions.
pub(super) struct DirtyFlags {
    pub(super) won: Vec<AtomicU8>,
    pub(super) lost: Vec<AtomicU8>,
}

impl DirtyFlags {
    pub(super) fn new(blocks: usize) -> Self {
        let flags = || (0..blocks).map(|_| AtomicU8::new(0)).collect();
        Self { won: flags(), lost: flags() }
    }

    pub(super) fn clear(&self) {
        self.won.iter().chain(&self.lost).for_each(|flag| flag.store(0, Ordering::Relaxed));
    }
}

impl Task<'_> {
    /// Whether a shot of the mover may leave a restriction. Three cows that make a line have not broken one.
    pub(super) fn can_bind(&self) -> bool {
        self.rules.no_remake != NoRemake::None && self.walks
    }

    /// The flags for decisions in this many plies.
    #[inline(always)]
    pub(super) fn dirty_at(&self, depth: usize) -> &DirtyFlags {
        &self.dirty[depth % 2]
    }

    /// Keeps an error for the end of the batch. The first one counts.
    pub(super) fn report(&self, error: SolveError) {
        if let Ok(mut first) = self.error.lock() {
            first.get_or_insert(error);
        }
    }
}

/// A block of a task.
#[derive(Clone, Copy)]
pub(super) struct BlockContext<'a, I> {
    pub(super) task: &'a Task<'a>,
    pub(super) view: BlockView<'a, I>,
}
