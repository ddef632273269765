//! [`Half`]: one class of a pair while it is being solved.

use std::sync::Mutex;

use crate::lookahead::Values;
use crate::pages;
use crate::rules::{FLYING_COWS, RuleSet};
use crate::space::{Class, Space};

use super::block::{Scratch, bits_per_entry};
use super::error::SolveError;
use super::provisional::{Codes, ProvisionalTable, UNDECIDED};
use super::robustness::{Robustness, ShotTable};
use super::seed::SEED_CODES;
use super::shape::Shape;
use super::task::DirtyFlags;
use super::write_back::{Decision, PerDecision};

/// What a pass finds.
#[derive(Clone, Copy)]
pub(super) enum PassKind {
    Seed,
    /// What is decided in exactly this many plies.
    Induce(u16),
    /// What a bar on the mover may change, after everything is decided.
    BarredMover,
    /// What a bar on the waiting side may change, after that.
    BarredWaiting,
}

/// One class of the pair while it is being solved.
pub(super) struct Half {
    pub(super) shape: Shape,
    /// Whether the mover goes along edges rather than flies.
    pub(super) walks: bool,
    /// The class's own table.
    pub(super) table: ProvisionalTable,
    pub(super) codes: Codes,
    /// How many entries have each code.
    found: [u64; 256],
    /// For each block, the sets of a [`BlockState`](super::block::BlockState).
    pub(super) state: Vec<u64>,
    /// What shots lead to, with what restrictions may change; none without a no-remake rule or after seeding.
    pub(super) shot_table: Option<ShotTable>,
    /// What a bar may change, once this is sought.
    pub(super) robustness: Option<Robustness>,
    /// Blocks of `table` that received decisions, at even and odd depths.
    pub(super) dirty: [DirtyFlags; 2],
    /// Working memory that no thread is using.
    pool: Mutex<Vec<Scratch>>,
}

impl Half {
    pub(super) fn new(class: Class, rules: &RuleSet, robustness: bool) -> Self {
        let space = Space::new(rules.board, class);
        let shape = Shape::new(space);
        let sets = bits_per_entry(rules, robustness) as usize;
        let dirty = || DirtyFlags::new(space.blocks() as usize);
        Self {
            walks: class.mover() > FLYING_COWS,
            table: ProvisionalTable::undecided(space),
            codes: Codes::new(),
            found: [0; 256],
            state: pages::zeros(shape.blocks * shape.words() * sets),
            shot_table: None,
            robustness: None,
            dirty: [dirty(), dirty()],
            pool: Mutex::new(Vec::new()),
            shape,
        }
    }

    /// The values in the class's alphabet.
    pub(super) fn finish(self) -> Result<Values, SolveError> {
        let remap = self.codes.remap(|code| self.found[code as usize] > 0);
        let remap = remap.ok_or(SolveError::TooManyValues { class: self.shape.class })?;
        Ok(self.table.remap(&remap))
    }

    /// The codes for decisions of this pass.
    pub(super) fn codes_of(&self, kind: PassKind) -> PerDecision<u8> {
        match kind {
            PassKind::Seed => SEED_CODES,
            PassKind::Induce(depth) => PerDecision::new(self.codes.won(depth), self.codes.lost(depth), UNDECIDED),
            PassKind::BarredMover | PassKind::BarredWaiting => PerDecision::default(),
        }
    }

    /// The step from one block to the next in the numbering of this pass's decisions.
    pub(super) fn stride_of(&self, kind: PassKind) -> u32 {
        match kind {
            PassKind::Seed | PassKind::Induce(_) => self.shape.own.block_entries(),
            PassKind::BarredMover | PassKind::BarredWaiting => Robustness::stride(self.shape.own),
        }
    }

    /// Records how many entries a pass has decided.
    pub(super) fn note(&mut self, kind: PassKind, found: &PerDecision<u64>) -> Result<(), SolveError> {
        if let PassKind::BarredMover | PassKind::BarredWaiting = kind {
            return Ok(());
        }
        for (code, found) in self.codes_of(kind).iter().zip(found.iter()) {
            self.found[code as usize] += found;
        }
        let PassKind::Induce(depth) = kind else { return Ok(()) };
        let added = self.codes.add(depth, found.get(Decision::Won) > 0, found.get(Decision::Lost) > 0);
        added.ok_or(SolveError::TooManyValues { class: self.shape.class })
    }

    /// Working memory for a thread, with an empty buffer.
    pub(super) fn take_scratch(&self, kind: PassKind) -> Scratch {
        let pooled = self.pool.lock().ok().and_then(|mut pool| pool.pop());
        let mut scratch = pooled.unwrap_or_else(|| Scratch::new(&self.shape, !self.walks));
        scratch.write_back.start(self.codes_of(kind), self.stride_of(kind));
        scratch
    }

    /// Keeps working memory for the next batch.
    pub(super) fn put_back(&self, mut scratches: Vec<Scratch>) {
        for scratch in &mut scratches {
            scratch.write_back.trim();
        }
        if let Ok(mut pool) = self.pool.lock() {
            pool.extend(scratches);
        }
    }
}
