//! Choosing among turns that are equal according to the tables.
//!
//! Wins and losses are decided by their order in [`Tablebase::turns`]: a winner who always takes the first turn gets
//! closer to the next shot with every ply, and the distance never exceeds what the draw counter leaves. Draws are equal
//! only against a perfect opponent; here the draws that are hardest to hold come first. With cows in hand the turns are
//! already in such an order.

use crate::game::Position;
use crate::probe::{ProbeError, RankedTurn, Tablebase};
use crate::value::{Value, Wdl};

use super::limits::Budget;
use super::transpositions::board_key;

/// How hard a drawn turn makes it for the opponent; lower is better for the player.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Ease {
    /// The opponent's replies that keep the draw. A turn that ends the game offers no chances and comes last.
    drawing: usize,
    /// How often the position has occurred before in the game.
    visits: usize,
}

/// Orders the best draws of `turns`, the ranked turns of a drawn position: of those with the best verdict, the turns
/// with the fewest drawing replies come first, then those to positions that are new in the game.
///
/// # Errors
/// The first table that cannot answer, or nothing if time has run out. The turns then keep their order.
pub(super) fn order_draws(
    tables: &Tablebase,
    turns: &mut [RankedTurn],
    earlier: &[Position],
    budget: &Budget<'_>,
) -> Result<(), ProbeError> {
    let Some(best) = turns.first().copied().filter(|best| best.value == Value::Drawn) else { return Ok(()) };
    let equals = turns.iter().take_while(|turn| (turn.value, turn.verdict) == (best.value, best.verdict)).count();
    if equals < 2 {
        return Ok(());
    }
    let earlier: Vec<u64> = earlier.iter().map(board_key).collect();
    let mut eased = Vec::with_capacity(equals);
    let mut fewest = usize::MAX;
    for turn in &turns[..equals] {
        if budget.is_over() {
            return Ok(());
        }
        let drawing = match turn.reply.outcome {
            Some(_) => usize::MAX,
            None => drawing_replies(tables, &turn.after, fewest)?,
        };
        fewest = fewest.min(drawing);
        let after = board_key(&turn.after);
        let visits = earlier.iter().filter(|key| **key == after).count();
        eased.push((Ease { drawing, visits }, *turn));
    }
    eased.sort_by_key(|(ease, _)| *ease);
    for (place, (_, turn)) in turns.iter_mut().zip(eased) {
        *place = turn;
    }
    Ok(())
}

/// How many replies keep the draw; counting stops beyond `enough`.
fn drawing_replies(tables: &Tablebase, position: &Position, enough: usize) -> Result<usize, ProbeError> {
    let rules = tables.rules();
    let mut drawing = 0;
    for reply in position.turns(rules) {
        // Every turn of the list is legal.
        let Ok(after) = position.apply(reply, rules) else { continue };
        drawing += usize::from(tables.probe_wdl(&after)? == Wdl::Drawn);
        if drawing > enough {
            break;
        }
    }
    Ok(drawing)
}
