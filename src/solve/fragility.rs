//! The passes over a solved pair that find what a bar may change: the flags of [`Robustness`].

use std::sync::atomic::{AtomicU64, Ordering};

use super::bits::{contains, count, difference, is_empty, retain, subtract, unite};
use super::block::{BlockJob, FragilitySets, Unmove};
use super::geometry::Geometry;
use super::induce::scan;
use super::isa::{Isa, Kernel};
use super::provisional::Codes;
use super::robustness::{HOLD_FLAG, RESULT_FLAG, Robustness};
use super::view::{BlockView, UnmoveKind};

/// How the passes for fragility read the codes of the reverse class.
#[derive(Clone, Copy)]
pub(super) struct FragilityBounds {
    /// The lowest code of a loss, and of a loss that a quiet turn still meets in time if the counter stands at one ply.
    lost: u8,
    lost_soon: u8,
    /// The first code, apart from that of the undecided, that is not a win.
    not_won: u8,
    /// The codes of wins and losses that come too late if the counter stands at one ply.
    won_late: Option<u8>,
    lost_late: Option<u8>,
}

impl FragilityBounds {
    /// The least limit of a draw counter for which flags are sought.
    pub(super) const LEAST_LIMIT: u16 = 4;

    /// The codes of a class, under a draw counter with this limit, or with none.
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

/// Removes from `positions` those with a quiet turn into `targets`.
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

        // The first flag says what a bar on the reverse class's mover costs only if that class is won, the second only
        // if it is not lost.
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
