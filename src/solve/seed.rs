//! Seeding a block: what shots and blocked positions decide.

use crate::board::{POINTS, PointSet, Symmetry};
use crate::lookahead::{Outcomes, shootable};
use crate::rules::{FEWEST_COWS, FLYING_COWS, FullBoard, NoRemake};
use crate::space::subset::Images;
use crate::value::Wdl;

use super::binding::{binding_shot_reaches, rescue};
use super::bits::{contains, each, insert, subtract};
use super::block::{BlockJob, BlockState, Scratch, SeedingSets, Unmove};
use super::geometry::Geometry;
use super::isa::{Isa, Kernel};
use super::provisional::{LOST_IN_0, LOST_IN_1, WON_IN_1};
use super::task::{AfterShot, BlockContext};
use super::view::{BlockView, UnmoveKind};
use super::write_back::{Decision, PerDecision};

// `Images` takes as many points as a side of three cows leaves free.
const _: () = assert!(POINTS - FEWEST_COWS as usize <= 21);

/// The codes of what seeding decides.
pub(super) const SEED_CODES: PerDecision<u8> = PerDecision::new(WON_IN_1, LOST_IN_1, LOST_IN_0);

/// Finds all decisions of a block that need no quiet turn: blocked positions, wins by a shot, and positions whose
/// turns are all losing shots. Buffers them, and leaves the block's state for the induction.
pub(super) struct Seed<'a>(pub(super) BlockJob<'a>);

impl Kernel for Seed<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self(BlockJob { task, block, mut state, scratch }) = self;
        let shape = task.shape;
        state.undecided.copy_from_slice(&shape.all);
        if shape.free == shape.cows && task.rules.full_board == FullBoard::Draw {
            return;
        }
        let waiting = shape.waiting.representative(block);
        let geometry = &Geometry::new(isa, task.board, waiting);
        let view = BlockView { isa, shape, geometry, waiting };
        let context = BlockContext { task, view };
        let Scratch { unmove, seeding: sets, write_back, .. } = scratch;

        unmove.with_line(view, &mut sets.with_line);
        assess_shots(context, sets);
        unmake_shots(context, unmove, sets, &mut state);
        let any_stuck = find_lost(context, unmove, sets, &mut state);

        write_back.push(view, Decision::Won, &sets.won, Some(&task.dirty_at(1).won));
        subtract(state.undecided, &sets.won);
        if any_stuck {
            write_back.push(view, Decision::Blocked, &sets.blocked, Some(&task.dirty_at(0).lost));
            write_back.push(view, Decision::Lost, &sets.lost, Some(&task.dirty_at(1).lost));
            subtract(state.undecided, &sets.blocked);
            subtract(state.undecided, &sets.lost);
        }
    }
}

/// What shots are worth once a line is made: finds the sets that are `winning` and `holding` among those `with_line`.
#[inline(always)]
fn assess_shots<I: Isa>(context: BlockContext<'_, I>, sets: &mut SeedingSets) {
    let BlockContext { task, view } = context;
    let shape = task.shape;
    let SeedingSets { with_line, winning, holding, .. } = sets;
    let Some(after_shot) = &task.after_shot else {
        winning.copy_from_slice(with_line);
        holding.copy_from_slice(with_line);
        return;
    };
    winning.fill(0);
    holding.fill(0);
    for shot in shootable(task.board, view.waiting).iter() {
        let (start, images) = block_after_shot(view, after_shot, view.waiting.without(shot));
        for (at, chunk) in shape.sets.chunks(64).enumerate() {
            let mut rest = with_line[at] & !winning[at];
            let (mut win, mut hold) = (0u64, 0u64);
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                let image = images.of(chunk[bit as usize]);
                let outcome = after_shot.outcomes.bits(start + shape.ranks.rank(image) as usize);
                win |= u64::from(outcome == Outcomes::LOST) << bit;
                hold |= u64::from(outcome == Outcomes::DRAWN) << bit;
            }
            winning[at] |= win;
            holding[at] |= win | hold;
        }
    }
}

/// Where the block starts in which `left`, what a shot leaves of the waiting set, is to move, and how inner sets are
/// numbered there.
#[inline(always)]
fn block_after_shot<I: Isa>(view: BlockView<'_, I>, after_shot: &AfterShot<'_>, left: PointSet) -> (usize, Images) {
    let (orbit, number) = after_shot.orbits.place_bits(left.bits());
    let symmetry = Symmetry::new(number as u8).unwrap_or(Symmetry::IDENTITY);
    let (free, _) = after_shot.orbits.free(orbit);
    let points = PointSet::from_bits_truncate(view.geometry.free).iter();
    let images = Images::new(points.map(|point| view.isa.gather(symmetry.apply_bits(point.set().bits()), free)));
    (after_shot.outcomes.block_start(orbit), images)
}

/// Finds the positions that a shot wins, and those that are safe or perhaps safe.
#[inline(always)]
fn unmake_shots<I: Isa>(
    context: BlockContext<'_, I>,
    unmove: &mut Unmove,
    sets: &mut SeedingSets,
    state: &mut BlockState<'_>,
) {
    let BlockContext { task, view } = context;
    let can_bind = task.rules.no_remake != NoRemake::None && task.shape.cows > FLYING_COWS as usize;
    let kind = if can_bind { UnmoveKind::FreeShot } else { UnmoveKind::Shot };
    unmove.predecessors(view, kind, &sets.winning, &mut sets.won);
    unmove.predecessors(view, kind, &sets.holding, state.safe);
    if !can_bind {
        return;
    }
    unmove.predecessors(view, UnmoveKind::BindingShot, &sets.winning, &mut sets.candidates);
    each(&sets.candidates, |entry| {
        if !contains(&sets.won, entry) && binding_shot_reaches(context, task.shape.sets[entry], Wdl::Won) {
            insert(&mut sets.won, entry);
        }
    });
    unmove.predecessors(view, UnmoveKind::BindingShot, &sets.holding, state.perhaps_safe);
    subtract(state.perhaps_safe, state.safe);
    subtract(state.perhaps_safe, &sets.won);
}

/// Finds the positions that are lost for want of a quiet turn, `blocked` or `lost`; whether there may be some.
#[inline(always)]
fn find_lost<I: Isa>(
    context: BlockContext<'_, I>,
    unmove: &mut Unmove,
    sets: &mut SeedingSets,
    state: &mut BlockState<'_>,
) -> bool {
    let (view, all) = (context.view, &context.task.shape.all);
    unmove.predecessors(view, UnmoveKind::Quiet, all, &mut sets.has_quiet);
    let stuck = |at: usize, sets: &SeedingSets| all[at] & !sets.has_quiet[at] & !sets.won[at];
    if (0..all.len()).all(|at| stuck(at, sets) == 0) {
        return false;
    }
    unmove.predecessors(view, UnmoveKind::Shot, all, &mut sets.has_shot);
    for at in 0..all.len() {
        let stuck = stuck(at, sets);
        sets.blocked[at] = stuck & !sets.has_shot[at];
        sets.lost[at] = stuck & sets.has_shot[at] & !state.safe[at];
    }
    rescue(context, &mut sets.lost, state);
    true
}
