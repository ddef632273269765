//! Passes over the blocks of a class: one that seeds, then one for every depth of the induction.
//!
//! A pass goes over its blocks in batches. During a batch, nobody writes to a table; decisions are written between
//! batches. So the result does not depend on threads, batches or chance.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use crate::lookahead::{AnswerCache, Lookahead};
use crate::rules::RuleSet;
use crate::threads;

use super::block::{BlockJob, BlockState, Scratch};
use super::control::Control;
use super::dependencies::Dependencies;
use super::error::SolveError;
use super::fragility::{BarredMover, BarredWaiting, FragilityBounds};
use super::half::{Half, PassKind};
use super::induce::{Frontier, Induce};
use super::isa::{Isa, Kernel, run};
use super::seed::Seed;
use super::shots::AfterShot;
use super::task::Task;
use super::write_back::{PerDecision, WriteBackBuffer};

/// Entries to process before decisions are written.
const BATCH_ENTRIES: usize = 1 << 24;
/// The fewest blocks in a batch, so that every thread has some.
const BATCH_BLOCKS: usize = 64;

/// The classes that are solved together: a class and, if it is another class, its reverse.
pub(super) struct Pair<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) dependencies: &'a Dependencies<'a>,
    pub(super) control: &'a Control,
    pub(super) halves: Vec<Half>,
    pub(super) cache: Option<AnswerCache>,
}

/// Some consecutive blocks of a class.
struct Batch<'a> {
    /// The number of the first block.
    first: usize,
    /// The blocks' states, all with the same number of words.
    states: &'a mut [u64],
    stride: usize,
}

impl Pair<'_> {
    /// Passes over both classes. Returns how many entries were decided.
    pub(super) fn pass_over_all(&mut self, kind: PassKind) -> Result<u64, SolveError> {
        let mut decided = 0;
        for at in 0..self.halves.len() {
            let found = self.pass(at, kind)?;
            decided += found.sum();
            self.halves[at].note(kind, &found)?;
        }
        if let PassKind::Induce(depth) = kind {
            // What was read at this depth is written at the next.
            self.halves.iter().for_each(|half| half.dirty[(usize::from(depth) + 1) % 2].clear());
        }
        Ok(decided)
    }

    /// Passes over a class. Returns how many entries were decided.
    fn pass(&mut self, at: usize, kind: PassKind) -> Result<PerDecision<u64>, SolveError> {
        threads::ready();
        let mut state = std::mem::take(&mut self.halves[at].state);
        let shape = &self.halves[at].shape;
        let entries = shape.entries;
        let batch_blocks = (BATCH_ENTRIES / entries).max(BATCH_BLOCKS);
        let stride = state.len() / shape.blocks;
        let mut found = PerDecision::default();
        for (number, states) in state.chunks_mut(batch_blocks * stride).enumerate() {
            self.control.check()?;
            let blocks = states.len() / stride;
            let scratches = self.work_on(at, kind, Batch { first: number * batch_blocks, states, stride })?;
            // If the work was cancelled meanwhile, blocks were left out.
            self.control.check()?;
            if let PassKind::Seed = kind {
                self.control.seeded.fetch_add((blocks * entries) as u64, Ordering::Relaxed);
            }
            let decided = self.write_back(at, kind, scratches);
            if let PassKind::Seed | PassKind::Induce(_) = kind {
                self.control.decided.fetch_add(decided.sum(), Ordering::Relaxed);
            }
            found.add(&decided);
        }
        self.halves[at].state = state;
        Ok(found)
    }

    /// Works on a batch of blocks. The decisions are in the returned scratches.
    fn work_on(&self, at: usize, kind: PassKind, batch: Batch<'_>) -> Result<Vec<Scratch>, SolveError> {
        let Batch { first, states, stride } = batch;
        let half = &self.halves[at];
        let solved = self.dependencies.solved(self.rules);
        let error = Mutex::new(None);
        let outcomes = half.shape.class.successors().shot.and_then(|class| self.dependencies.outcomes(class));
        let task = Task {
            rules: self.rules,
            board: self.rules.board(),
            shape: &half.shape,
            walks: half.walks,
            reverse: &self.reverse(at).table,
            shot_table: half.shot_table.as_ref(),
            after_shot: outcomes.map(|outcomes| AfterShot {
                board: self.rules.board(),
                outcomes,
                orbits: outcomes.space().mover_orbits(),
                sets: &half.shape.sets,
                ranks: half.shape.ranks,
            }),
            lookahead: Lookahead::new(self.rules, &solved).with_cache(self.cache.as_ref()),
            dirty: &half.dirty,
            depth: match kind {
                PassKind::Induce(depth) => usize::from(depth),
                PassKind::Seed | PassKind::BarredMover | PassKind::BarredWaiting => 0,
            },
            error: &error,
        };
        let words = half.shape.words();
        let one_block = |mut scratch: Scratch, (i, state): (usize, &mut [u64])| {
            // Checked for each block, as a batch may take seconds. If cancelled, the whole pair is given up.
            if self.control.is_cancelled() {
                return scratch;
            }
            let block = (first + i) as u32;
            let state = BlockState::new(state, words);
            self.work_on_block(at, kind, BlockJob { task: &task, block, state, scratch: &mut scratch });
            scratch
        };
        let scratches: Vec<Scratch> = states
            .par_chunks_mut(stride)
            .enumerate()
            .with_min_len(4)
            .fold(|| half.take_scratch(kind), one_block)
            .collect();
        match error.into_inner() {
            Ok(Some(error)) => Err(error),
            _ => Ok(scratches),
        }
    }

    fn work_on_block(&self, at: usize, kind: PassKind, job: BlockJob<'_>) {
        match kind {
            PassKind::Seed => run(self.control.instructions, Seed(job)),
            PassKind::Induce(depth) => {
                let frontier = self.reverse(at).frontier(job.block as usize, depth);
                if frontier.won.is_some() || frontier.lost.is_some() {
                    run(self.control.instructions, Induce(job, frontier));
                }
            }
            PassKind::BarredMover => run(self.control.instructions, BarredMover(job, self.fragility_bounds(at))),
            PassKind::BarredWaiting => {
                if let Some(reverse) = &self.reverse(at).robustness {
                    run(self.control.instructions, BarredWaiting(job, self.fragility_bounds(at), reverse));
                }
            }
        }
    }

    /// How to read the reverse class's codes when restrictions are examined.
    fn fragility_bounds(&self, at: usize) -> FragilityBounds {
        let class = self.halves[at].shape.class;
        FragilityBounds::new(&self.reverse(at).codes, self.rules.counter_limit(class.mover(), class.waiting()))
    }

    /// Writes the decisions of a batch and puts the scratches back. Returns how many entries were decided.
    fn write_back(&mut self, at: usize, kind: PassKind, scratches: Vec<Scratch>) -> PerDecision<u64> {
        let instructions = self.control.instructions;
        let half = &mut self.halves[at];
        if let (PassKind::BarredMover | PassKind::BarredWaiting, Some(robustness)) = (kind, &half.robustness) {
            scratches.par_iter().for_each(|scratch| robustness.mark(&scratch.write_back));
        } else {
            let cells = half.table.cells();
            scratches.par_iter().for_each(|scratch| run(instructions, Flush { buffer: &scratch.write_back, cells }));
        }
        let mut decided = PerDecision::default();
        for scratch in &scratches {
            decided.add(&scratch.write_back.counts());
        }
        half.put_back(scratches);
        decided
    }

    /// The class after a quiet turn of this one.
    fn reverse(&self, at: usize) -> &Half {
        self.halves.get(1 - at).unwrap_or(&self.halves[at])
    }
}

impl Half {
    /// What this class has decided in `depth - 1` plies, in one block of its table.
    fn frontier(&self, block: usize, depth: u16) -> Frontier {
        let news = &self.dirty[(usize::from(depth) + 1) % 2];
        let is_new = |flags: &[AtomicU8]| flags[block].load(Ordering::Relaxed) != 0;
        Frontier {
            won: self.codes.met_won(depth - 1).filter(|_| is_new(&news.won)),
            lost: self.codes.met_lost(depth - 1).filter(|_| is_new(&news.lost)),
            won_since: self.codes.won(depth),
        }
    }
}

/// Writes one thread's decisions.
pub(super) struct Flush<'a> {
    pub(super) buffer: &'a WriteBackBuffer,
    pub(super) cells: &'a [AtomicU8],
}

impl Kernel for Flush<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        self.buffer.flush(isa, self.cells);
    }
}
