//! One depth of the induction in a block.
//!
//! A block holds all positions with one waiting set. What the reverse class's table says about the positions after a
//! quiet turn is also in one block, so work on a block needs one slice of codes and a few small bit sets.

use super::binding::rescue;
use super::bits::{count, intersect, is_empty, retain, subtract, unite};
use super::block::{BlockJob, BlockState, InductionSets, Scratch};
use super::geometry::Geometry;
use super::isa::{Isa, Kernel};
use super::provisional::UNDECIDED;
use super::shape::Shape;
use super::task::BlockContext;
use super::view::{BlockView, UnmoveKind, each_predecessor};
use super::write_back::Decision;

/// One in this many entries of a block is the largest share at which positions are still examined one by one.
const SPARSE_WINS: usize = 24;
const SPARSE_LOSSES: usize = 96;
/// The same for positions that may be lost, all of whose turns are examined.
const SPARSE_ESCAPES: usize = 16;

/// The codes of what the reverse class has decided in this block at the last depth.
#[derive(Clone, Copy)]
pub(super) struct Frontier {
    /// The code of wins, if there are new ones.
    pub(super) won: Option<u8>,
    /// The code of losses, if there are new ones.
    pub(super) lost: Option<u8>,
    /// The reverse class's first code, apart from that of the undecided, that is not a win of the last depth or before.
    pub(super) won_since: u8,
}

/// Finds the positions of a block that are decided one ply after its frontier, and buffers them.
pub(super) struct Induce<'a>(pub(super) BlockJob<'a>, pub(super) Frontier);

impl Kernel for Induce<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self(BlockJob { task, block, mut state, scratch }, frontier) = self;
        if is_empty(state.undecided) {
            return;
        }
        let shape = task.shape;
        let waiting = shape.waiting.representative(block);
        let geometry = &Geometry::new(isa, task.board, waiting);
        let view = BlockView { isa, shape, geometry, waiting };
        let context = BlockContext { task, view };
        let codes = task.reverse.block(block);
        let sets = &mut scratch.induction;
        if let Some(code) = frontier.lost
            && scan(codes, shape, &mut sets.frontier, |chunk| isa.equal(chunk, code))
        {
            find_won(context, scratch, &mut state);
        }
        let sets = &mut scratch.induction;
        if let Some(code) = frontier.won
            && scan(codes, shape, &mut sets.frontier, |chunk| isa.equal(chunk, code))
        {
            find_lost(context, ReverseCodes { codes, won_since: frontier.won_since }, scratch, &mut state);
        }
    }
}

/// Finds the positions with a quiet turn into the frontier, which is lost for the reverse class.
#[inline(always)]
fn find_won<I: Isa>(context: BlockContext<'_, I>, scratch: &mut Scratch, state: &mut BlockState<'_>) {
    let BlockContext { task, view } = context;
    let Scratch { unmove, induction, write_back, .. } = scratch;
    let InductionSets { frontier, won, .. } = &mut **induction;
    if task.walks && count(frontier) * SPARSE_WINS < task.shape.entries {
        won.fill(0);
        add_predecessors(view, frontier, state.undecided, won);
    } else {
        unmove.predecessors(view, UnmoveKind::Quiet, frontier, won);
        intersect(won, state.undecided);
    }
    write_back.push(view, Decision::Won, won, Some(&task.dirty_at(task.depth).won));
    subtract(state.undecided, won);
    unite(state.won, won);
}

/// Finds the positions with a quiet turn into the frontier, which is won for the reverse class, and with no better
/// turn.
#[inline(always)]
fn find_lost<I: Isa>(
    context: BlockContext<'_, I>,
    reverse: ReverseCodes<'_>,
    scratch: &mut Scratch,
    state: &mut BlockState<'_>,
) {
    let BlockContext { task, view } = context;
    let Scratch { unmove, induction, write_back, .. } = scratch;
    let InductionSets { frontier, not_won, candidates, escapes, lost, .. } = &mut **induction;
    for (candidates, (undecided, safe)) in candidates.iter_mut().zip(state.undecided.iter().zip(&*state.safe)) {
        *candidates = undecided & !safe;
    }
    if task.walks && count(frontier) * SPARSE_LOSSES < task.shape.entries {
        lost.fill(0);
        add_predecessors(view, frontier, candidates, lost);
        retain(lost, |entry| !has_escape(view, reverse, task.shape.sets[entry]));
    } else {
        unmove.predecessors(view, UnmoveKind::Quiet, frontier, lost);
        intersect(lost, candidates);
        let found = count(lost);
        if found == 0 {
            return;
        }
        if task.walks && found * SPARSE_ESCAPES < task.shape.entries {
            retain(lost, |entry| !has_escape(view, reverse, task.shape.sets[entry]));
        } else {
            scan(reverse.codes, task.shape, not_won, |chunk| view.isa.zero_or_at_least(chunk, reverse.won_since));
            unmove.predecessors(view, UnmoveKind::Quiet, not_won, escapes);
            subtract(lost, escapes);
        }
    }
    rescue(context, lost, state);
    write_back.push(view, Decision::Lost, lost, Some(&task.dirty_at(task.depth).lost));
    subtract(state.undecided, lost);
}

/// Sets the bits of the codes that `matches` picks. Returns whether there are any.
#[inline(always)]
pub(super) fn scan(codes: &[u8], shape: &Shape, set: &mut [u64], matches: impl Fn(&[u8; 64]) -> u64) -> bool {
    let (whole, rest) = codes.as_chunks::<64>();
    let mut last = [0; 64];
    last[..rest.len()].copy_from_slice(rest);
    let mut any = 0;
    for (at, (word, all)) in set.iter_mut().zip(&shape.all).enumerate() {
        // `matches` is called in one place only: otherwise it might not be compiled for its caller's instructions.
        *word = matches(whole.get(at).unwrap_or(&last)) & all;
        any |= *word;
    }
    any != 0
}

/// Adds to `predecessors` those members of `among` from which a quiet turn along an edge leads into `targets`.
#[inline(always)]
fn add_predecessors<I: Isa>(view: BlockView<'_, I>, targets: &[u64], among: &[u64], predecessors: &mut [u64]) {
    each_predecessor(view, UnmoveKind::Quiet, targets, |rank| {
        predecessors[rank / 64] |= among[rank / 64] & 1 << (rank % 64);
    });
}

/// The reverse class's codes in a block.
#[derive(Clone, Copy)]
struct ReverseCodes<'a> {
    codes: &'a [u8],
    /// As in [`Frontier`].
    won_since: u8,
}

/// Whether some quiet turn leads to a position that the reverse class has not won, or not with a code below
/// `won_since`.
#[inline(always)]
fn has_escape<I: Isa>(view: BlockView<'_, I>, reverse: ReverseCodes<'_>, cows: u32) -> bool {
    let geometry = view.geometry;
    let mut movers = cows;
    while movers != 0 {
        let from = movers.trailing_zeros() as usize;
        movers &= movers - 1;
        let rest = cows & !(1 << from);
        let mut targets = geometry.neighbours[from] & !cows;
        while targets != 0 {
            let to = targets.trailing_zeros() as usize;
            targets &= targets - 1;
            let code = reverse.codes[view.rank(rest | 1 << to)];
            if (code == UNDECIDED || code >= reverse.won_since) && !geometry.completes_line(rest, to) {
                return true;
            }
        }
    }
    false
}
