//! [`Robustness`]: which results of a class hold whatever the no-remake rule bars.
//!
//! A shot may leave a restriction, which binds the side that shot at its next turn and never after. What that restriction costs is
//! mostly nothing: the result holds whichever single move is barred. Two dense passes over a solved pair find where that cannot be
//! shown. The pairs with a cow more then ask the look-ahead about those positions only.
//!
//! Everything here is a bound from the safe side: a result that is not fragile holds; one that is may hold all the same.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::lookahead::Outcomes;
use crate::space::{Class, Space};

use super::block::{BlockJob, FragilitySets};
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

    /// Bytes of memory that the flags of a class take.
    pub fn bytes_of(space: Space) -> u64 {
        2 * 8 * Self::words(space) as u64 * u64::from(space.blocks())
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
const RESULT: u64 = 4;
const HOLD: u64 = 8;

impl ShotTable {
    /// Joins them. Where no flags are known, all are set but those of quiet wins, of which a bar takes none.
    pub(super) fn new(outcomes: &Outcomes, robustness: Option<&Robustness>) -> Self {
        let space = outcomes.space();
        let entries = space.block_entries() as usize;
        let stride = entries.div_ceil(PER_WORD);
        let mut words = vec![0; stride * space.blocks() as usize];
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

/// What a shot that leads to an entry is worth to the side that shoots, by the entry's four bits.
pub(super) struct ShotWorth {
    /// It wins, or holds, if it leaves no restriction.
    pub(super) wins: bool,
    pub(super) holds: bool,
    /// It does with any restriction.
    pub(super) wins_robustly: bool,
    pub(super) holds_robustly: bool,
    /// The opponent, with a restriction of its own that came before, may not win; may lose.
    pub(super) escapes_win: bool,
    pub(super) escapes_loss: bool,
}

impl ShotWorth {
    pub(super) const fn of(bits: u64) -> Self {
        let outcome = bits & 3;
        let (result, hold) = (bits & RESULT != 0, bits & HOLD != 0);
        let (lost, drawn) = (outcome == Outcomes::LOST, outcome == Outcomes::DRAWN);
        Self {
            wins: lost,
            holds: lost || drawn,
            wins_robustly: lost && !result,
            holds_robustly: lost && !(result && hold) || drawn && !result,
            escapes_win: lost || drawn || result,
            escapes_loss: lost || drawn && hold || !drawn && result && hold,
        }
    }
}

/// Which codes of the reverse class stand for what in the passes for fragility.
#[derive(Clone, Copy)]
pub(super) struct FragilityBounds {
    /// The lowest code of a loss; the same of a loss soon enough to be met at a counter of one ply, by a turn.
    lost: u8,
    lost_soon: u8,
    /// The first code, but that of the undecided, that is no win; no win at a counter of one ply.
    not_won: u8,
    not_won_soon: u8,
}

impl FragilityBounds {
    /// The least limit of a draw counter under which flags are looked for.
    pub(super) const LEAST_LIMIT: u16 = 4;

    /// The codes of a class, under a draw counter with this limit or none.
    pub(super) fn new(codes: &Codes, limit: Option<u16>) -> Self {
        let lowest_lost = |plies: u16| codes.lost(plies) + 1;
        let unlimited = u16::MAX;
        Self {
            lost: lowest_lost(unlimited),
            lost_soon: lowest_lost(limit.map_or(unlimited, |limit| limit - 1)),
            not_won: codes.won(unlimited),
            not_won_soon: codes.won(limit.unwrap_or(unlimited)),
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
        let FragilitySets { targets, quiet_wins, quiet_holds, result, hold } = &mut *scratch.fragility;
        let unmove = &mut scratch.unmove;
        let lost_from =
            |bound: u8| move |chunk: &[u8; 64]| isa.zero_or_at_least(chunk, bound) & !isa.equal(chunk, 0);

        scan(codes, shape, targets, lost_from(bounds.lost));
        unmove.predecessors(view, UnmoveKind::Quiet, targets, quiet_wins);
        let shot_won = &mut *result;
        shot_won.copy_from_slice(state.won);
        for (won, (quiet, undecided)) in state.won.iter_mut().zip(quiet_wins.iter().zip(&*state.undecided)) {
            *won |= quiet & !undecided;
        }
        if bounds.lost_soon != bounds.lost {
            scan(codes, shape, targets, lost_from(bounds.lost_soon));
            unmove.predecessors(view, UnmoveKind::Quiet, targets, quiet_wins);
        }
        scan(codes, shape, targets, |chunk| isa.zero_or_at_least(chunk, bounds.not_won));
        unmove.predecessors(view, UnmoveKind::Quiet, targets, quiet_holds);
        for at in 0..shape.words() {
            let many_winning_moves = result[at] & !state.doubtful[at];
            result[at] = state.won[at] & !many_winning_moves & !quiet_wins[at];
            hold[at] = (result[at] | state.undecided[at]) & state.few_holds[at] & !quiet_holds[at];
        }
        scratch.write_back.push(view, RESULT_FLAG, result, None);
        scratch.write_back.push(view, HOLD_FLAG, hold, None);
    }
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
        let FragilitySets { targets, result, hold, .. } = &mut *scratch.fragility;
        let unmove = &mut scratch.unmove;
        // Where the reverse class is lost, the second flag is about something else, and stands for what is set here anyway.
        let [fragile_result, fragile_hold] = reverse.block(block);
        let add = |targets: &mut [u64], flags: &[AtomicU64]| {
            for (targets, flags) in targets.iter_mut().zip(flags) {
                *targets |= flags.load(Ordering::Relaxed);
            }
        };

        scan(codes, shape, targets, |chunk| isa.zero_or_at_least(chunk, bounds.not_won_soon));
        add(targets, fragile_result);
        unmove.predecessors(view, UnmoveKind::Quiet, targets, result);
        scan(codes, shape, targets, |chunk| isa.zero_or_at_least(chunk, bounds.lost) & !isa.equal(chunk, 0));
        add(targets, fragile_hold);
        unmove.predecessors(view, UnmoveKind::Quiet, targets, hold);
        for at in 0..shape.words() {
            let (won, drawn) = (state.won[at], state.undecided[at]);
            let lost = shape.all[at] & !won & !drawn;
            let saves = result[at] | state.doubtful[at];
            let wins = hold[at] | state.hold_escapes[at];
            result[at] = lost & saves | drawn & wins;
            hold[at] = lost & wins;
        }
        scratch.write_back.push(view, RESULT_FLAG, result, None);
        scratch.write_back.push(view, HOLD_FLAG, hold, None);
    }
}
