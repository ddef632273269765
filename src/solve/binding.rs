//! Shots that leave a restriction ("binding"): the look-ahead finds what they are worth.

use crate::game::Remake;
use crate::lookahead::{Refutation, RestrictedPosition, shootable};
use crate::rules::FEWEST_COWS;
use crate::value::Wdl;

use super::bits::each_point;
use super::block::BlockState;
use super::isa::Isa;
use super::task::{BlockContext, Task};

/// Whether the mover, with these cows, has a line-making turn that breaks a line and leads to a result of at least
/// `goal` (won, or drawn), given the restriction it leaves.
#[inline(never)]
pub(super) fn binding_shot_reaches<I: Isa>(context: BlockContext<'_, I>, cows: u32, goal: Wdl) -> bool {
    let BlockContext { task, view } = context;
    let geometry = view.geometry;
    let targets = shootable(task.board, view.waiting);
    let refutation = &Refutation::default();
    let mut found = false;
    each_point(cows, |from| {
        let rest = cows & !(1 << from);
        each_point(geometry.neighbours[from] & !cows, |to| {
            if !found && geometry.completes_line(rest, to) && geometry.breaks_line(rest, from, to) {
                let moved = view.on_board(rest | 1 << to);
                let remake = geometry.point(from).zip(geometry.point(to)).map(|(from, to)| Remake { from, to });
                found = targets.iter().any(|at| {
                    let after = RestrictedPosition {
                        mover: view.waiting.without(at),
                        waiting: moved,
                        mover_remake: None,
                        waiting_remake: remake,
                    };
                    shot_reaches(task, &after, goal, refutation)
                });
            }
        });
    });
    found
}

/// Whether the position after a shot is worth at least `goal` to the side that shot.
fn shot_reaches(task: &Task<'_>, after: &RestrictedPosition, goal: Wdl, refutation: &Refutation) -> bool {
    if after.mover.len() < FEWEST_COWS {
        return true;
    }
    // The shot reaches the goal if the opponent stays below this.
    let too_good = match goal {
        Wdl::Won => Wdl::Drawn,
        Wdl::Drawn | Wdl::Lost => Wdl::Won,
    };
    // A restriction can only hurt its owner, the side that shot, so the look-ahead is done if it would reach this without
    // one.
    !task.lookahead.reaches(after, too_good, refutation).unwrap_or_else(|error| {
        task.report(error);
        true
    })
}

/// Removes from `lost` the positions that a binding shot saves, and notes those as safe.
#[inline(always)]
pub(super) fn rescue<I: Isa>(context: BlockContext<'_, I>, lost: &mut [u64], state: &mut BlockState<'_>) {
    let sets = &context.task.shape.sets;
    let states = state.safe.iter_mut().zip(state.perhaps_safe.iter_mut());
    for (at, (lost, (safe, perhaps))) in lost.iter_mut().zip(states).enumerate() {
        let mut doubtful = *lost & *perhaps;
        *perhaps &= !doubtful;
        while doubtful != 0 {
            let bit = doubtful.trailing_zeros();
            doubtful &= doubtful - 1;
            if binding_shot_reaches(context, sets[at * 64 + bit as usize], Wdl::Drawn) {
                *lost &= !(1 << bit);
                *safe |= 1 << bit;
            }
        }
    }
}
