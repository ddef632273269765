//! Seeding a block: what shots and blocked positions decide.

use crate::rules::{FullBoard, NoRemake};
use crate::value::Wdl;

use super::binding::{binding_shot_reaches, rescue};
use super::bits::{difference, each, insert, is_empty, retain, subtract};
use super::block::{BlockJob, BlockState, Scratch, SeedingSets, Unmove};
use super::geometry::Geometry;
use super::isa::{Isa, Kernel};
use super::provisional::{LOST_IN_0, LOST_IN_1, WON_IN_1};
use super::task::BlockContext;
use super::view::{BlockView, UnmoveKind};
use super::write_back::{Decision, PerDecision};

/// The codes for the decisions of seeding.
pub(super) const SEED_CODES: PerDecision<u8> = PerDecision::new(WON_IN_1, LOST_IN_1, LOST_IN_0);

/// Finds all decisions of a block that need no quiet turn: blocked positions, wins by a shot, and positions whose turns
/// are all losing shots. Buffers them, and leaves the block's state for the induction.
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

/// What shots are worth once a line is made, for the sets `with_line`.
#[inline(always)]
fn assess_shots<I: Isa>(context: BlockContext<'_, I>, sets: &mut SeedingSets) {
    let SeedingSets { with_line, shots, .. } = sets;
    match (&context.task.after_shot, context.task.shot_table) {
        (Some(after_shot), Some(table)) => after_shot.assess_robustly(context.view, table, with_line, shots),
        (Some(after_shot), None) => {
            after_shot.assess(context.view, with_line, &mut shots.winning, &mut shots.holding);
        }
        // A shot that leaves two cows wins, whatever else it leaves.
        (None, _) => shots.each().into_iter().for_each(|set| set.copy_from_slice(with_line)),
    }
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
    let SeedingSets { shots, twice, targets, candidates, won, .. } = sets;
    if task.rules.no_remake == NoRemake::None {
        unmove.predecessors(view, UnmoveKind::Shot, &shots.winning, won);
        unmove.predecessors(view, UnmoveKind::Shot, &shots.holding, state.safe);
        return;
    }
    let flags = state.keeps_flags();
    if flags {
        unmove.shooting_moves(view, &shots.winning_robustly, won, twice);
    } else {
        unmove.predecessors(view, UnmoveKind::Shot, &shots.winning_robustly, won);
    }
    difference(&shots.winning, &shots.winning_robustly, targets);
    unmove.add_predecessors(view, UnmoveKind::FreeShot, targets, [won, twice, candidates]);
    if task.can_bind() {
        unmove.predecessors_of_few(view, UnmoveKind::BindingShot, targets, candidates);
        subtract(candidates, won);
        each(candidates, |entry| {
            if binding_shot_reaches(context, task.shape.sets[entry], Wdl::Won) {
                insert(won, entry);
            }
        });
        subtract(candidates, won);
    } else {
        candidates.fill(0);
    }
    if flags {
        state.won.copy_from_slice(won);
        state.perhaps_winning.copy_from_slice(candidates);
        if task.rules.no_remake == NoRemake::SameCow {
            state.several_or_saved.copy_from_slice(twice);
        } else {
            // A restriction bars every cow from one point, so two moves are not two ways.
            state.several_or_saved.fill(0);
        }
    }

    let doubtful = twice;
    unmove.predecessors(view, UnmoveKind::Shot, &shots.holding_robustly, state.safe);
    difference(&shots.holding, &shots.holding_robustly, targets);
    unmove.add_predecessors(view, UnmoveKind::FreeShot, targets, [state.safe, doubtful, candidates]);
    if task.can_bind() {
        unmove.predecessors_of_few(view, UnmoveKind::BindingShot, targets, state.perhaps_safe);
        subtract(state.perhaps_safe, state.safe);
        subtract(state.perhaps_safe, won);
    }
    if flags {
        note_escapes(view, unmove, sets, state);
    }
}

/// Notes the positions that are not won and have a shot after which a bar on the opponent may save or win them.
#[inline(always)]
fn note_escapes<I: Isa>(
    view: BlockView<'_, I>,
    unmove: &mut Unmove,
    sets: &mut SeedingSets,
    state: &mut BlockState<'_>,
) {
    let SeedingSets { shots, twice: escaping, targets, won, .. } = sets;
    // A shot that holds, or wins, whatever is barred needs no help from a bar, so only the others count, and positions in doubt.
    difference(&shots.escaping_win, &shots.holding, targets);
    unmove.predecessors_of_few(view, UnmoveKind::Shot, targets, escaping);
    for at in 0..won.len() {
        state.several_or_saved[at] |= (escaping[at] | state.perhaps_safe[at]) & !won[at];
    }
    difference(&shots.escaping_loss, &shots.winning, targets);
    unmove.predecessors_of_few(view, UnmoveKind::Shot, targets, escaping);
    for at in 0..won.len() {
        state.perhaps_winning[at] |= escaping[at] & !won[at];
    }
}

/// Finds the positions that are lost for want of a quiet turn, `blocked` or `lost`. Returns whether there may be some.
#[inline(always)]
fn find_lost<I: Isa>(
    context: BlockContext<'_, I>,
    unmove: &mut Unmove,
    sets: &mut SeedingSets,
    state: &mut BlockState<'_>,
) -> bool {
    let BlockContext { task, view } = context;
    let all = &task.shape.all;
    let SeedingSets { has_quiet, stuck, won, blocked, lost, .. } = sets;
    unmove.with_quiet_turn(view, has_quiet);
    for at in 0..all.len() {
        stuck[at] = all[at] & !has_quiet[at] & !won[at];
    }
    if is_empty(stuck) {
        return false;
    }
    blocked.copy_from_slice(stuck);
    // Without a quiet turn any move is a shot.
    retain(blocked, |entry| !view.can_move(task.walks, task.shape.sets[entry]));
    for at in 0..all.len() {
        lost[at] = stuck[at] & !blocked[at] & !state.safe[at];
    }
    rescue(context, lost, state);
    true
}
