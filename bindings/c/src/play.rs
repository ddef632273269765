//! Playing by the rules alone: the start, legal turns, and what a turn does. No table is needed for any of it.

#![expect(unsafe_code, reason = "pointers of C")]

use tablebase::Position;

use crate::ask::question;
use crate::boundary::{copied, guarded, optional_slot, shared, slot, slots, write_list};
use crate::error::{MorabaseError, MorabaseStatus};
use crate::tables::Morabase;
use crate::types::{MorabasePosition, MorabaseTurn};

/// The start of a game: an empty board, all cows in hand, the first player to move.
///
/// Ownership: everything stays the caller's.
///
/// @param tables    A handle, for its rules.
/// @param position  Where the position goes.
/// @param error     NULL, or where the error's text goes.
/// @return MORABASE_OK, MORABASE_ERROR_NULL.
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_start(
    tables: *const Morabase,
    position: *mut MorabasePosition,
    error: *mut MorabaseError,
) -> MorabaseStatus {
    // SAFETY: the caller's contract.
    let error = unsafe { optional_slot(error) };
    guarded(error, || {
        // SAFETY: the caller's contract.
        let (handle, position) = unsafe { (shared(tables, "tables")?, slot(position, "position")?) };
        position.write((&Position::start(handle.tables.rules())).into());
        Ok(())
    })
}

/// All legal turns, in the order of their points; none once the game is over. Good for testing a move generator.
///
/// Ownership: everything stays the caller's.
///
/// @param tables    A handle, for its rules.
/// @param position  The position; cows may be in hand.
/// @param turns     Where the first `capacity` of them go; NULL will do if capacity is 0.
/// @param capacity  MORABASE_MAX_TURNS is always enough.
/// @param count     Where their number goes, which may be greater than capacity.
/// @param error     NULL, or where the error's text goes.
/// @return MORABASE_OK, MORABASE_ERROR_NULL, _POSITION.
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_legal_turns(
    tables: *const Morabase,
    position: *const MorabasePosition,
    turns: *mut MorabaseTurn,
    capacity: usize,
    count: *mut usize,
    error: *mut MorabaseError,
) -> MorabaseStatus {
    // SAFETY: the caller's contract.
    let error = unsafe { optional_slot(error) };
    guarded(error, || {
        // SAFETY: the caller's contract.
        let (handle, position) = unsafe { question(tables, position) }?;
        // SAFETY: the caller's contract.
        let (turns, count) = unsafe { (slots(turns, capacity, "turns")?, slot(count, "count")?) };
        let rules = handle.tables.rules();
        write_list(turns, count, position.check(rules)?.turns(rules).into_iter().map(Into::into));
        Ok(())
    })
}

/// The position after a turn, its counter and restrictions included: make it this way and the history is right.
///
/// Ownership: everything stays the caller's. `after` may be the same struct as `position`.
///
/// @param tables    A handle, for its rules.
/// @param position  The position; cows may be in hand.
/// @param turn      The turn, with its shot if it completes a line.
/// @param after     Where the position after it goes.
/// @param error     NULL, or where the error's text goes.
/// @return MORABASE_OK, MORABASE_ERROR_NULL, _ARGUMENT (a turn of impossible points), _POSITION, _TURN, _GAME_OVER.
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_apply(
    tables: *const Morabase,
    position: *const MorabasePosition,
    turn: *const MorabaseTurn,
    after: *mut MorabasePosition,
    error: *mut MorabaseError,
) -> MorabaseStatus {
    // SAFETY: the caller's contract.
    let error = unsafe { optional_slot(error) };
    guarded(error, || {
        // SAFETY: the caller's contract; both structs are copied before `after` is looked at.
        let ((handle, position), turn) = unsafe { (question(tables, position)?, copied(turn, "turn")?) };
        // SAFETY: the caller's contract.
        let after = unsafe { slot(after, "after") }?;
        let rules = handle.tables.rules();
        after.write((&position.check(rules)?.apply(turn.read()?, rules)?).into());
        Ok(())
    })
}
