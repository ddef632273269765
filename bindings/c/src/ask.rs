//! Asking the tables: values, ranked turns, lines.

#![expect(unsafe_code, reason = "pointers of C")]

use tablebase::{IllegalTurn, Position};

use crate::boundary::{copied, guarded, optional_slot, shared, slot, slots, write_list};
use crate::error::{Failure, MorabaseError, MorabaseStatus};
use crate::tables::Morabase;
use crate::types::{MorabasePosition, MorabaseProbe, MorabaseRankedTurn, MorabaseWdl};

/// The handle and a position.
///
/// # Safety
/// The pointers are NULL or valid: a living handle, and a position for reading.
pub(crate) unsafe fn question<'a>(
    tables: *const Morabase,
    position: *const MorabasePosition,
) -> Result<(&'a Morabase, Position), Failure> {
    // SAFETY: the same contract.
    let (handle, position) = unsafe { (shared(tables, "tables")?, copied(position, "position")?) };
    Ok((handle, position.read()?))
}

/// The exact value of a position for the side to move, with its history: draw counter and no-remake restrictions.
///
/// Ownership: everything stays the caller's.
///
/// @param tables    A handle.
/// @param position  The position.
/// @param probe     Where the answer goes.
/// @param error     NULL, or where the error's text goes.
/// @return MORABASE_OK, MORABASE_ERROR_NULL, _POSITION, _HANDS, _MISSING_TABLE, _CORRUPT, _IO.
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_probe(
    tables: *const Morabase,
    position: *const MorabasePosition,
    probe: *mut MorabaseProbe,
    error: *mut MorabaseError,
) -> MorabaseStatus {
    // SAFETY: the caller's contract.
    let error = unsafe { optional_slot(error) };
    guarded(error, || {
        // SAFETY: the caller's contract.
        let ((handle, position), probe) = unsafe { (question(tables, position)?, slot(probe, "probe")?) };
        probe.write((&handle.tables.probe(&position)?).into());
        Ok(())
    })
}

/// The value of a position if no disk has to be asked, for use inside a search. Nothing is found where a part of a file would be
/// read for the first time since the tables were opened (morabase_preload() reads a class beforehand), nor ever with tables
/// that were opened with `no_mmap`.
///
/// Ownership: everything stays the caller's.
///
/// @param tables    A handle.
/// @param position  The position.
/// @param found     Where it goes whether there is an answer.
/// @param probe     Where the answer goes; left alone if there is none.
/// @param error     NULL, or where the error's text goes.
/// @return As morabase_probe(); MORABASE_OK also if nothing was found.
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_probe_cached(
    tables: *const Morabase,
    position: *const MorabasePosition,
    found: *mut bool,
    probe: *mut MorabaseProbe,
    error: *mut MorabaseError,
) -> MorabaseStatus {
    // SAFETY: the caller's contract.
    let error = unsafe { optional_slot(error) };
    guarded(error, || {
        // SAFETY: the caller's contract.
        let (handle, position) = unsafe { question(tables, position) }?;
        // SAFETY: the caller's contract.
        let (found, probe) = unsafe { (slot(found, "found")?, slot(probe, "probe")?) };
        let answer = handle.tables.probe_cached(&position)?;
        found.write(answer.is_some());
        if let Some(answer) = answer {
            probe.write((&answer).into());
        }
        Ok(())
    })
}

/// Won, drawn or lost for the side to move, with its history.
///
/// Ownership: everything stays the caller's.
///
/// @param tables    A handle.
/// @param position  The position.
/// @param wdl       Where the answer goes.
/// @param error     NULL, or where the error's text goes.
/// @return As morabase_probe().
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_probe_wdl(
    tables: *const Morabase,
    position: *const MorabasePosition,
    wdl: *mut MorabaseWdl,
    error: *mut MorabaseError,
) -> MorabaseStatus {
    // SAFETY: the caller's contract.
    let error = unsafe { optional_slot(error) };
    guarded(error, || {
        // SAFETY: the caller's contract.
        let ((handle, position), wdl) = unsafe { (question(tables, position)?, slot(wdl, "wdl")?) };
        wdl.write(handle.tables.probe_wdl(&position)?.into());
        Ok(())
    })
}

/// All legal turns with their values, best first: wins with the fewest plies, then draws (cursed wins, plain draws, blessed
/// losses), then losses with the most plies. None once the game is over.
///
/// Ownership: everything stays the caller's.
///
/// @param tables    A handle.
/// @param position  The position.
/// @param turns     Where the first `capacity` of them go; NULL will do if capacity is 0.
/// @param capacity  MORABASE_MAX_TURNS is always enough.
/// @param count     Where their number goes, which may be greater than capacity.
/// @param error     NULL, or where the error's text goes.
/// @return As morabase_probe(), for the position and for every position a turn leads to.
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_turns(
    tables: *const Morabase,
    position: *const MorabasePosition,
    turns: *mut MorabaseRankedTurn,
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
        write_list(turns, count, handle.tables.turns(&position)?.iter().map(Into::into));
        Ok(())
    })
}

/// The best turn: the first that morabase_turns() gives.
///
/// Ownership: everything stays the caller's.
///
/// @param tables    A handle.
/// @param position  The position.
/// @param turn      Where the turn goes.
/// @param error     NULL, or where the error's text goes.
/// @return As morabase_turns(), and MORABASE_ERROR_GAME_OVER.
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_best_turn(
    tables: *const Morabase,
    position: *const MorabasePosition,
    turn: *mut MorabaseRankedTurn,
    error: *mut MorabaseError,
) -> MorabaseStatus {
    // SAFETY: the caller's contract.
    let error = unsafe { optional_slot(error) };
    guarded(error, || {
        // SAFETY: the caller's contract.
        let ((handle, position), turn) = unsafe { (question(tables, position)?, slot(turn, "turn")?) };
        let best = handle.tables.best_turn(&position)?.ok_or(IllegalTurn::GameOver)?;
        turn.write((&best).into());
        Ok(())
    })
}

/// Best play for both sides, through shots and smaller classes, until the game is over or the position is drawn. A line of a drawn
/// or finished position has no turns. Why a longer one stops, the `reply` of its last turn says: its `outcome`, or a draw.
///
/// Ownership: everything stays the caller's.
///
/// @param tables    A handle.
/// @param position  The position.
/// @param turns     Where the first `capacity` turns go, in the order they are played; NULL will do if capacity is 0.
/// @param capacity  How many there is room for; the count says how many a second call needs.
/// @param count     Where their number goes, which may be greater than capacity.
/// @param error     NULL, or where the error's text goes.
/// @return As morabase_turns(), and MORABASE_ERROR_CONTRADICTION.
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_line(
    tables: *const Morabase,
    position: *const MorabasePosition,
    turns: *mut MorabaseRankedTurn,
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
        write_list(turns, count, handle.tables.line(&position)?.turns.iter().map(Into::into));
        Ok(())
    })
}
