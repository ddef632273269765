//! Positions and turns as texts, read and written.

#![expect(unsafe_code, reason = "pointers of C")]

use std::ffi::c_char;

use tablebase::{Fen, FenDialect, PointForm, Position, Turn};

use crate::ask::question;
use crate::boundary::{copied, guarded, optional_slot, shared, slot, slots, text, write_text};
use crate::error::{Failure, MorabaseError, MorabaseStatus};
use crate::tables::Morabase;
use crate::types::{MorabasePosition, MorabaseTurn};

/// How a text is written. Whatever the form, it reads back the same.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MorabaseForm {
    /// The short form with points named by column and row, "W:Wa7,d7,g7:Bb6,d6,c5", "d6-d5xb4".
    Grid = 0,
    /// The short form with points named by ring and number, "W:WE1,E2,E3:BA1,A2,R1", "A2-R2xA8".
    Rings = 1,
    /// For positions: the 17-field FEN of the Sanmill program, its move number 1.
    Fen = 2,
}

fn bad_form(form: u8, expected: &'static str) -> Failure {
    Failure::Argument { what: "form", expected, found: form.to_string() }
}

fn point_form(form: u8) -> Option<PointForm> {
    match form {
        form if form == MorabaseForm::Grid as u8 => Some(PointForm::Grid),
        form if form == MorabaseForm::Rings as u8 => Some(PointForm::Gar),
        _ => None,
    }
}

/// Reads a position in short form or FEN and checks it against the rules.
///
/// Ownership: everything stays the caller's.
///
/// @param tables    A handle, for its rules.
/// @param text      The text, UTF-8, ended by NUL.
/// @param position  Where the position goes.
/// @param error     NULL, or where the error's text goes: the token at fault and what was expected.
/// @return MORABASE_OK, MORABASE_ERROR_NULL, _TEXT, _POSITION.
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_position_parse(
    tables: *const Morabase,
    text: *const c_char,
    position: *mut MorabasePosition,
    error: *mut MorabaseError,
) -> MorabaseStatus {
    // SAFETY: the caller's contract.
    let error = unsafe { optional_slot(error) };
    guarded(error, || {
        // SAFETY: the caller's contract.
        let (handle, text) = unsafe { (shared(tables, "tables")?, self::text(text, "text")?) };
        // SAFETY: the caller's contract.
        let position = unsafe { slot(position, "position") }?;
        position.write((&Position::from_notation(text, handle.tables.rules())?).into());
        Ok(())
    })
}

/// Writes a position as a text, as snprintf() does: what there is room for, always ended by NUL if there is any room.
///
/// Ownership: everything stays the caller's.
///
/// @param tables    A handle, for its rules.
/// @param position  The position.
/// @param form      A MorabaseForm.
/// @param buffer    Where the text goes; NULL will do if size is 0.
/// @param size      Room in the buffer, its NUL included. 128 bytes are always enough.
/// @param length    NULL, or where the length of the whole text goes, without NUL; if it is `size` or more, the text was cut.
/// @param error     NULL, or where the error's text goes.
/// @return MORABASE_OK (a cut text too), MORABASE_ERROR_NULL, _ARGUMENT (the form), _POSITION.
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_position_print(
    tables: *const Morabase,
    position: *const MorabasePosition,
    form: u8,
    buffer: *mut c_char,
    size: usize,
    length: *mut usize,
    error: *mut MorabaseError,
) -> MorabaseStatus {
    // SAFETY: the caller's contract.
    let (error, length) = unsafe { (optional_slot(error), optional_slot(length)) };
    guarded(error, || {
        // SAFETY: the caller's contract.
        let (handle, position) = unsafe { question(tables, position) }?;
        // SAFETY: the caller's contract.
        let buffer = unsafe { slots(buffer, size, "buffer") }?;
        let rules = handle.tables.rules();
        let position = position.check(rules)?;
        let text = if form == MorabaseForm::Fen as u8 {
            Fen { position, move_number: 1 }.to_text(FenDialect::Nodes, rules)
        } else {
            let form = point_form(form).ok_or_else(|| bad_form(form, "MORABASE_FORM_GRID, _RINGS or _FEN"))?;
            position.in_form(form).to_string()
        };
        write_text(buffer, length, &text);
        Ok(())
    })
}

/// Reads a turn such as "d2", "d2-d3", "d2-d3xa7" or "xa7". Whether it is legal somewhere is not asked.
///
/// Ownership: everything stays the caller's.
///
/// @param text   The text, UTF-8, ended by NUL.
/// @param turn   Where the turn goes.
/// @param error  NULL, or where the error's text goes: the token at fault and what was expected.
/// @return MORABASE_OK, MORABASE_ERROR_NULL, _TEXT.
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_turn_parse(
    text: *const c_char,
    turn: *mut MorabaseTurn,
    error: *mut MorabaseError,
) -> MorabaseStatus {
    // SAFETY: the caller's contract.
    let error = unsafe { optional_slot(error) };
    guarded(error, || {
        // SAFETY: the caller's contract.
        let (text, turn) = unsafe { (self::text(text, "text")?, slot(turn, "turn")?) };
        turn.write(text.parse::<Turn>()?.into());
        Ok(())
    })
}

/// Writes a turn as a text, as morabase_position_print() does a position.
///
/// Ownership: everything stays the caller's.
///
/// @param turn    The turn.
/// @param form    MORABASE_FORM_GRID or MORABASE_FORM_RINGS.
/// @param buffer  Where the text goes; NULL will do if size is 0.
/// @param size    Room in the buffer, its NUL included. 16 bytes are always enough.
/// @param length  NULL, or where the length of the whole text goes, without NUL.
/// @param error   NULL, or where the error's text goes.
/// @return MORABASE_OK (a cut text too), MORABASE_ERROR_NULL, _ARGUMENT (the form, or a turn of impossible points).
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_turn_print(
    turn: *const MorabaseTurn,
    form: u8,
    buffer: *mut c_char,
    size: usize,
    length: *mut usize,
    error: *mut MorabaseError,
) -> MorabaseStatus {
    // SAFETY: the caller's contract.
    let (error, length) = unsafe { (optional_slot(error), optional_slot(length)) };
    guarded(error, || {
        // SAFETY: the caller's contract.
        let (turn, buffer) = unsafe { (copied(turn, "turn")?, slots(buffer, size, "buffer")?) };
        let turn = turn.read()?;
        let form = point_form(form).ok_or_else(|| bad_form(form, "MORABASE_FORM_GRID or _RINGS"))?;
        write_text(buffer, length, &turn.in_form(form).to_string());
        Ok(())
    })
}
