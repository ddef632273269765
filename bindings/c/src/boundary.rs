//! The caller's pointers, each made into something safe once, and panics stopped.
//!
//! A function here trusts what the header demands: a pointer that is not NULL points to what its type says, as much of it
//! as the count beside it says, for as long as the call lasts. NULL and misalignment are found and reported.

#![expect(unsafe_code, reason = "makes the pointers of C safe")]

use std::any::Any;
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{Failure, MorabaseError, MorabaseStatus, boundary_below, report};

/// Runs the work of one call; a panic in it becomes [`Failure::Internal`].
pub(crate) fn guarded(
    error: Option<&mut MaybeUninit<MorabaseError>>,
    work: impl FnOnce() -> Result<(), Failure>,
) -> MorabaseStatus {
    let result = caught(work);
    // Texts of errors are made here, and made by code of many hands.
    catch_unwind(AssertUnwindSafe(|| report(&result, error))).unwrap_or(MorabaseStatus::MORABASE_ERROR_INTERNAL)
}

fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // What the work leaves half done when it panics is dropped with it: it changes nothing that outlives the call but the
    // caller's results, which do not count then.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Failure::Internal(message(panic.as_ref()))))
}

/// Runs the work of a query that has a fixed answer for what goes wrong.
pub(crate) fn or_else<T: Copy>(fallback: T, work: impl FnOnce() -> Result<T, Failure>) -> T {
    caught(work).unwrap_or(fallback)
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a text").to_owned()
}

fn check<T>(pointer: *const T, name: &'static str) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(Failure::Null(name));
    }
    if !pointer.is_aligned() {
        let found = format!("{pointer:p}");
        return Err(Failure::Argument { what: name, expected: "a pointer aligned for its type", found });
    }
    Ok(())
}

/// Where a result goes that the caller may do without, such as the error's struct.
///
/// # Safety
/// As for [`slot`].
pub(crate) unsafe fn optional_slot<'a, T>(pointer: *mut T) -> Option<&'a mut MaybeUninit<T>> {
    // SAFETY: the same contract.
    unsafe { slot(pointer, "") }.ok()
}

/// A struct of the library's own making, such as the handle.
///
/// # Safety
/// The pointer is NULL or points to a `T` that lives through the call.
pub(crate) unsafe fn shared<'a, T>(pointer: *const T, name: &'static str) -> Result<&'a T, Failure> {
    check(pointer, name)?;
    // SAFETY: not NULL and aligned, and by contract a living `T`.
    Ok(unsafe { &*pointer })
}

/// A copy of a plain struct; the caller may let results overwrite the original.
///
/// # Safety
/// The pointer is NULL or valid for reading a `T`.
pub(crate) unsafe fn copied<T: Copy>(pointer: *const T, name: &'static str) -> Result<T, Failure> {
    check(pointer, name)?;
    // SAFETY: not NULL and aligned, and by contract valid for reading.
    Ok(unsafe { pointer.read() })
}

/// A copy of as many plain structs as `count` says.
///
/// # Safety
/// The pointer is NULL or valid for reading `count` structs.
pub(crate) unsafe fn copied_list<T: Copy>(
    pointer: *const T,
    count: usize,
    name: &'static str,
) -> Result<Vec<T>, Failure> {
    if count == 0 {
        return Ok(Vec::new());
    }
    check(pointer, name)?;
    check_length::<T>(count)?;
    // SAFETY: not NULL, aligned, of a possible length, and by contract valid for reading.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) }.to_vec())
}

/// Where a result goes.
///
/// # Safety
/// The pointer is NULL or valid for writing a `T`, which nothing else refers to during the call.
pub(crate) unsafe fn slot<'a, T>(pointer: *mut T, name: &'static str) -> Result<&'a mut MaybeUninit<T>, Failure> {
    check(pointer, name)?;
    // SAFETY: not NULL and aligned, and by contract valid for writing and ours alone.
    Ok(unsafe { &mut *pointer.cast::<MaybeUninit<T>>() })
}

/// Where a list of results goes; NULL will do if there is no room.
///
/// # Safety
/// The pointer is NULL or valid for writing `capacity` of `T`, which nothing else refers to during the call.
pub(crate) unsafe fn slots<'a, T>(
    pointer: *mut T,
    capacity: usize,
    name: &'static str,
) -> Result<&'a mut [MaybeUninit<T>], Failure> {
    if capacity == 0 {
        return Ok(&mut []);
    }
    check(pointer, name)?;
    check_length::<T>(capacity)?;
    // SAFETY: not NULL, aligned, of a possible length, and by contract valid for writing and ours alone.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer.cast::<MaybeUninit<T>>(), capacity) })
}

fn check_length<T>(count: usize) -> Result<(), Failure> {
    match count.checked_mul(size_of::<T>()) {
        Some(bytes) if bytes <= isize::MAX.cast_unsigned() => Ok(()),
        _ => {
            let (what, expected) = ("count", "a number of structs that fits into memory");
            Err(Failure::Argument { what, expected, found: count.to_string() })
        }
    }
}

/// A text.
///
/// # Safety
/// The pointer is NULL or points to bytes that end with a NUL and live through the call.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, name: &'static str) -> Result<&'a str, Failure> {
    // SAFETY: the same contract.
    unsafe { bytes(pointer, name) }?.to_str().map_err(|_| Failure::NotUtf8(name))
}

/// A text in whatever encoding.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn bytes<'a>(pointer: *const c_char, name: &'static str) -> Result<&'a CStr, Failure> {
    check(pointer, name)?;
    // SAFETY: not NULL, and by contract ended by a NUL.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

/// Writes what there is room for and how many there are.
pub(crate) fn write_list<T>(
    slots: &mut [MaybeUninit<T>],
    count: &mut MaybeUninit<usize>,
    list: impl ExactSizeIterator<Item = T>,
) {
    count.write(list.len());
    for (slot, item) in slots.iter_mut().zip(list) {
        slot.write(item);
    }
}

/// Writes as much of a text as there is room for, always with a NUL if there is room at all, and how long it is without.
pub(crate) fn write_text(slots: &mut [MaybeUninit<c_char>], length: Option<&mut MaybeUninit<usize>>, text: &str) {
    if let Some(length) = length {
        length.write(text.len());
    }
    let Some(room) = slots.len().checked_sub(1) else { return };
    let shown = &text[..boundary_below(text, room)];
    for (slot, byte) in slots.iter_mut().zip(shown.bytes().chain([0])) {
        slot.write(byte as c_char);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_internal_error() {
        let mut error = MaybeUninit::uninit();
        let status = guarded(Some(&mut error), || panic!("a cow fell over"));
        assert_eq!(status, MorabaseStatus::MORABASE_ERROR_INTERNAL);
        // SAFETY: `guarded` has written it.
        let error = unsafe { error.assume_init_ref() };
        assert_eq!(error.status, MorabaseStatus::MORABASE_ERROR_INTERNAL);
        let text: String =
            error.text.iter().take_while(|byte| **byte != 0).map(|byte| char::from(byte.to_ne_bytes()[0])).collect();
        assert_eq!(text, "internal fault: a cow fell over");
        assert_eq!(or_else(7, || panic!("{}", "again")), 7);
    }

    #[test]
    fn misaligned_pointers_and_impossible_lengths_are_refused() {
        static NUMBER: u64 = 0;
        let odd = std::ptr::without_provenance::<u32>(3);
        // SAFETY: refused before they are read.
        let (one, many) = unsafe { (copied(odd, "position"), copied_list(&raw const NUMBER, usize::MAX, "list")) };
        assert_eq!(one.unwrap_err().status(), MorabaseStatus::MORABASE_ERROR_ARGUMENT);
        assert_eq!(many.unwrap_err().status(), MorabaseStatus::MORABASE_ERROR_ARGUMENT);
    }

    #[test]
    fn a_text_is_cut_between_letters_and_ended() {
        let written = |size: usize| {
            let mut buffer = vec![MaybeUninit::new(1); size];
            let mut length = MaybeUninit::new(0);
            write_text(&mut buffer, Some(&mut length), "a€b");
            // SAFETY: all of it was initialised above.
            let bytes: Vec<u8> = buffer.iter().map(|byte| unsafe { byte.assume_init() }.to_ne_bytes()[0]).collect();
            // SAFETY: the same.
            assert_eq!(unsafe { length.assume_init() }, 5);
            bytes
        };
        assert_eq!(written(0), b"");
        assert_eq!(written(1), b"\0");
        assert_eq!(written(4), b"a\0\x01\x01");
        assert_eq!(written(5), b"a\xe2\x82\xac\0");
        assert_eq!(written(7), b"a\xe2\x82\xacb\0\x01");
    }
}
