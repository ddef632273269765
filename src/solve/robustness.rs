//! [`Robustness`]: which results of a class hold whatever the no-remake rule bars.
//!
//! A shot may leave a restriction, which binds the side that shot at its next turn and never after. What that restriction costs is
//! mostly nothing: the result holds whichever single move is barred. Two dense passes over a solved pair find where that cannot be
//! shown. The pairs with a cow more then ask the look-ahead about those positions only.
//!
//! Everything here is a bound from the safe side: a result that is not fragile holds; one that is may hold all the same.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

#[cfg(test)]
use crate::board::PointSet;
use crate::lookahead::Outcomes;
use crate::rules::{NoRemake, RuleSet};
use crate::space::{Class, Space};
use crate::threads;

use super::bits::{contains, count, difference, is_empty, retain, subtract, unite};
use super::block::{BlockJob, FragilitySets, Unmove};
use super::geometry::Geometry;
use super::induce::scan;
use super::isa::{Isa, Kernel};
use super::provisional::Codes;
use super::view::{BlockView, UnmoveKind};
use super::write_back::{Decision, WriteBackBuffer};

/// The lists of a buffer in which fragile entries are kept.
const RESULT_FLAG: Decision = Decision::Won;
const HOLD_FLAG: Decision = Decision::Lost;

/// For each entry of a class, two flags. A move of the mover is barred, or a move of the waiting side at its next turn, but never both.
///
/// | value | result | hold |
/// |---|---|---|
/// | won | a bar may cost the mover the win | a bar may make the mover lose |
/// | drawn | a bar on the waiting side may make the mover win | a bar may make the mover lose |
/// | lost | a bar on the waiting side may save the mover | it may even make the mover win |
#[derive(Debug)]
pub struct Robustness {
    space: Space,
    /// Words of a block.
    stride: usize,
    result: Vec<AtomicU64>,
    hold: Vec<AtomicU64>,
}

impl Robustness {
    /// Nothing is fragile so far.
    pub(super) fn new(space: Space) -> Self {
        let stride = Self::words(space);
        let plane = || (0..stride * space.blocks() as usize).map(|_| AtomicU64::new(0)).collect();
        Self { space, stride, result: plane(), hold: plane() }
    }

    /// The class.
    pub const fn class(&self) -> Class {
        self.space.class()
    }

    /// Bytes of memory that the flags of a class take, which is none without a no-remake rule.
    pub fn bytes_of(rules: &RuleSet, space: Space) -> u64 {
        if rules.no_remake == NoRemake::None {
            0
        } else {
            2 * 8 * Self::words(space) as u64 * u64::from(space.blocks())
        }
    }

    /// Bytes of memory that restrictions take while a class is solved: first what shots lead to, in the end its own flags.
    pub fn working_bytes(rules: &RuleSet, space: Space) -> u64 {
        let shot = space.class().successors().shot.filter(|_| rules.no_remake != NoRemake::None);
        let table = shot.map_or(0, |class| ShotTable::bytes_of(Space::new(rules.board, class)));
        table.max(Self::bytes_of(rules, space))
    }

    /// The two flags of a position.
    #[cfg(test)]
    pub(super) fn flags(&self, mover: PointSet, waiting: PointSet) -> [bool; 2] {
        let entry = self.space.entry(mover, waiting);
        self.block(entry.block)
            .map(|plane| plane[entry.rank as usize / 64].load(Ordering::Relaxed) >> (entry.rank % 64) & 1 == 1)
    }

    fn words(space: Space) -> usize {
        (space.block_entries() as usize).div_ceil(64)
    }

    /// Entries from one block to the next in the numbering of [`mark`](Self::mark).
    pub(super) fn stride(space: Space) -> u32 {
        64 * Self::words(space) as u32
    }

    /// Marks the entries of a buffer, numbered with [`stride`](Self::stride), as fragile.
    pub(super) fn mark(&self, buffer: &WriteBackBuffer) {
        for (plane, decision) in [(&self.result, RESULT_FLAG), (&self.hold, HOLD_FLAG)] {
            for &entry in buffer.entries(decision) {
                plane[entry as usize / 64].fetch_or(1 << (entry % 64), Ordering::Relaxed);
            }
        }
    }

    /// The flags of a block.
    fn block(&self, block: u32) -> [&[AtomicU64]; 2] {
        let start = block as usize * self.stride;
        [&self.result[start..start + self.stride], &self.hold[start..start + self.stride]]
    }
}

/// Outcomes with their flags, four bits an entry: what a block's shots look up.
pub(super) struct ShotTable {
    stride: usize,
    words: Vec<u64>,
}

/// Entries in a word of a [`ShotTable`].
const PER_WORD: usize = 16;
/// The flags above an entry's outcome.
pub(super) const RESULT: u64 = 4;
pub(super) const HOLD: u64 = 8;

impl ShotTable {
    /// Joins them. Where no flags are known, all are set but those of quiet wins, of which a bar takes none.
    pub(super) fn new(outcomes: &Outcomes, robustness: Option<&Robustness>) -> Self {
        let space = outcomes.space();
        let entries = space.block_entries() as usize;
        let stride = entries.div_ceil(PER_WORD);
        let mut words = vec![0; stride * space.blocks() as usize];
        threads::ready();
        words.par_chunks_mut(stride).enumerate().for_each(|(block, words)| {
            let start = outcomes.block_start(block as u32);
            let flags = robustness.map(|robustness| robustness.block(block as u32));
            for entry in 0..entries {
                let outcome = outcomes.bits(start + entry);
                let flags = match flags {
                    Some(planes) => planes.map(|plane| plane[entry / 64].load(Ordering::Relaxed) >> (entry % 64) & 1),
                    None => [u64::from(outcome != Outcomes::WON_LATER); 2],
                };
                words[entry / PER_WORD] |= (outcome | flags[0] << 2 | flags[1] << 3) << (4 * (entry % PER_WORD));
            }
        });
        Self { stride, words }
    }

    /// Bytes of memory that the table of a class takes.
    pub(super) fn bytes_of(space: Space) -> u64 {
        8 * u64::from(space.block_entries()).div_ceil(PER_WORD as u64) * u64::from(space.blocks())
    }

    /// Where a block starts.
    #[inline(always)]
    pub(super) fn block_start(&self, block: u32) -> usize {
        block as usize * self.stride
    }

    /// The four bits of an entry of the block that starts there.
    #[inline(always)]
    pub(super) fn bits(&self, start: usize, entry: usize) -> usize {
        (self.words[start + entry / PER_WORD] >> (4 * (entry % PER_WORD)) & 15) as usize
    }
}

/// Which codes of the reverse class stand for what in the passes for fragility.
#[derive(Clone, Copy)]
pub(super) struct FragilityBounds {
    /// The lowest code of a loss; the same of a loss that a quiet turn still meets in time when the counter stands at one ply.
    lost: u8,
    lost_soon: u8,
    /// The first code, but that of the undecided, that is no win.
    not_won: u8,
    /// The codes of wins and losses that come too late when the counter stands at one ply.
    won_late: Option<u8>,
    lost_late: Option<u8>,
}

impl FragilityBounds {
    /// The least limit of a draw counter under which flags are looked for.
    pub(super) const LEAST_LIMIT: u16 = 4;

    /// The codes of a class, under a draw counter with this limit or none.
    pub(super) fn new(codes: &Codes, limit: Option<u16>) -> Self {
        let lowest_lost = |plies: u16| codes.lost(plies) + 1;
        Self {
            lost: lowest_lost(u16::MAX),
            lost_soon: lowest_lost(limit.map_or(u16::MAX, |limit| limit - 1)),
            not_won: codes.won(u16::MAX),
            won_late: limit.and_then(|limit| codes.met_won(limit)),
            lost_late: limit.and_then(|limit| codes.met_lost(limit)),
        }
    }
}

/// Finds what a bar on the mover may cost: the first of the two passes.
pub(super) struct BarredMover<'a>(pub(super) BlockJob<'a>, pub(super) FragilityBounds);

impl Kernel for BarredMover<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self(BlockJob { task, block, state, scratch }, bounds) = self;
        let shape = task.shape;
        let waiting = shape.waiting.representative(block);
        let geometry = &Geometry::new(isa, task.board, waiting);
        let view = BlockView { isa, shape, geometry, waiting };
        let codes = task.reverse.block(block);
        let FragilitySets { targets, quiet, result, hold } = &mut *scratch.fragility;
        let unmove = &mut scratch.unmove;

        difference(state.won, state.several_or_saved, result);
        if !is_empty(result)
            && scan(codes, shape, targets, |chunk| isa.zero_or_at_least(chunk, bounds.lost_soon) & !isa.equal(chunk, 0))
        {
            take_away_predecessors(view, unmove, targets, result, quiet);
        }
        hold.copy_from_slice(state.undecided);
        unite(hold, result);
        if !is_empty(hold) && scan(codes, shape, targets, |chunk| isa.zero_or_at_least(chunk, bounds.not_won)) {
            take_away_predecessors(view, unmove, targets, hold, quiet);
        }
        scratch.write_back.push(view, RESULT_FLAG, result, None);
        scratch.write_back.push(view, HOLD_FLAG, hold, None);
    }
}

/// Takes out of `positions` those with a quiet turn into `targets`.
#[inline(always)]
fn take_away_predecessors<I: Isa>(
    view: BlockView<'_, I>,
    unmove: &mut Unmove,
    targets: &[u64],
    positions: &mut [u64],
    predecessors: &mut [u64],
) {
    match unmove {
        Unmove::Dense(dense) if count(positions) < dense.vectors() => {
            retain(positions, |entry| !has_quiet_turn(view, targets, view.shape.sets[entry]));
        }
        _ => {
            unmove.predecessors(view, UnmoveKind::Quiet, targets, predecessors);
            subtract(positions, predecessors);
        }
    }
}

/// Whether some quiet turn along an edge leads into `targets`.
#[inline(always)]
fn has_quiet_turn<I: Isa>(view: BlockView<'_, I>, targets: &[u64], cows: u32) -> bool {
    let geometry = view.geometry;
    let mut movers = cows;
    while movers != 0 {
        let from = movers.trailing_zeros() as usize;
        movers &= movers - 1;
        let rest = cows & !(1 << from);
        let mut ends = geometry.neighbours[from] & !cows;
        while ends != 0 {
            let to = ends.trailing_zeros() as usize;
            ends &= ends - 1;
            if contains(targets, view.rank(rest | 1 << to)) && !geometry.completes_line(rest, to) {
                return true;
            }
        }
    }
    false
}

/// Finds what a bar on the waiting side may change: the second pass.
pub(super) struct BarredWaiting<'a>(pub(super) BlockJob<'a>, pub(super) FragilityBounds, pub(super) &'a Robustness);

impl Kernel for BarredWaiting<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self(BlockJob { task, block, state, scratch }, bounds, reverse) = self;
        let shape = task.shape;
        let waiting = shape.waiting.representative(block);
        let geometry = &Geometry::new(isa, task.board, waiting);
        let view = BlockView { isa, shape, geometry, waiting };
        let codes = task.reverse.block(block);
        let FragilitySets { targets, quiet, result, hold } = &mut *scratch.fragility;
        let unmove = &mut scratch.unmove;
        let [fragile_result, fragile_hold] = reverse.block(block);
        let keep = |targets: &mut [u64], flags: &[AtomicU64]| {
            for (targets, flags) in targets.iter_mut().zip(flags) {
                *targets &= flags.load(Ordering::Relaxed);
            }
        };

        // Only where the reverse class is won does the first flag say what a bar on its mover costs, and the second where it is not lost.
        scan(codes, shape, targets, |chunk| !isa.zero_or_at_least(chunk, bounds.not_won));
        keep(targets, fragile_result);
        if let Some(code) = bounds.won_late {
            scan(codes, shape, quiet, |chunk| isa.equal(chunk, code));
            unite(targets, quiet);
        }
        unmove.predecessors_of_few(view, UnmoveKind::Quiet, targets, result);
        scan(codes, shape, targets, |chunk| !isa.zero_or_at_least(chunk, bounds.lost) | isa.equal(chunk, 0));
        keep(targets, fragile_hold);
        if let Some(code) = bounds.lost_late {
            scan(codes, shape, quiet, |chunk| isa.equal(chunk, code));
            unite(targets, quiet);
        }
        unmove.predecessors_of_few(view, UnmoveKind::Quiet, targets, hold);
        for at in 0..shape.words() {
            let (won, drawn) = (state.won[at], state.undecided[at]);
            let lost = shape.all[at] & !won & !drawn;
            let saves = result[at] | state.several_or_saved[at];
            let wins = hold[at] | state.perhaps_winning[at];
            result[at] = lost & saves | drawn & wins;
            hold[at] = lost & wins;
        }
        scratch.write_back.push(view, RESULT_FLAG, result, None);
        scratch.write_back.push(view, HOLD_FLAG, hold, None);
    }
}
