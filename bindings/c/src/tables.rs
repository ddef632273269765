//! The handle: opening tables, giving them back, and what is there.

#![expect(unsafe_code, reason = "pointers of C")]

use std::ffi::{CStr, CString, c_char};
use std::path::{Path, PathBuf};

use tablebase::table::Access;
use tablebase::{Class, OpenOptions, RuleSet, Tablebase};

use crate::boundary::{bytes, copied, copied_list, guarded, optional_slot, or_else, shared, slot, text};
use crate::error::{Failure, MorabaseError, MorabaseStatus};
use crate::types::MorabaseClass;

/// The tables of one rule set, opened. Made by morabase_open() and its kin, given back with morabase_free().
///
/// Nothing changes in it after it is made, so any number of threads may use it at the same time without a lock.
pub struct Morabase {
    pub(crate) tables: Tablebase,
    rules_text: CString,
}

/// How tables are opened. Start from a struct of zeros, which stands for the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MorabaseOptions {
    /// The rules that tables must be of: a name such as "gar" or "plain", or a text as morabase_rules_text() gives it. NULL takes
    /// the rules of the first table found, or "gar" if there is none.
    pub rules: *const c_char,
    /// 1 if the tables inside the library (gar, up to 8 cows) stand in for classes that no directory has, if they are of the same
    /// rules; 0 if not.
    pub shipped: u8,
    /// 1 if files are read piece by piece instead of mapped into memory: for network drives. 0 maps them.
    pub no_mmap: u8,
    /// Zero.
    pub reserved: [u8; 6],
}

/// A table in the caller's memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MorabaseBytes {
    /// The name that its file has or would have, such as "4-3.mora".
    pub name: *const c_char,
    /// The file's bytes.
    pub bytes: *const u8,
    /// How many there are.
    pub length: usize,
}

fn hand_over(tables: Tablebase) -> *mut Morabase {
    // A rule text has no NUL.
    let rules_text = CString::new(tables.rules().to_string()).unwrap_or_default();
    Box::into_raw(Box::new(Morabase { tables, rules_text }))
}

fn option(value: u8, what: &'static str) -> Result<bool, Failure> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        found => Err(Failure::Argument { what, expected: "0 or 1", found: found.to_string() }),
    }
}

/// # Safety
/// The rules' name is NULL or a text.
unsafe fn open_options(options: MorabaseOptions) -> Result<OpenOptions, Failure> {
    if let Some(found) = options.reserved.into_iter().find(|byte| *byte != 0) {
        let (what, expected) = ("options.reserved", "0, as in a struct that was zeroed first");
        return Err(Failure::Argument { what, expected, found: found.to_string() });
    }
    let rules = if options.rules.is_null() {
        None
    } else {
        // SAFETY: not NULL, so by contract a text.
        Some(RuleSet::named(unsafe { text(options.rules, "options.rules") }?)?)
    };
    let access = if option(options.no_mmap, "options.no_mmap")? { Access::Positioned } else { Access::Map };
    let shipped = option(options.shipped, "options.shipped")?;
    Ok(OpenOptions { access, rules, shipped, ..OpenOptions::default() })
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere a path can fail")]
fn path_of(bytes: &CStr) -> Result<&Path, Failure> {
    use std::os::unix::ffi::OsStrExt;
    Ok(Path::new(std::ffi::OsStr::from_bytes(bytes.to_bytes())))
}

#[cfg(not(unix))]
fn path_of(bytes: &CStr) -> Result<&Path, Failure> {
    bytes.to_str().map(Path::new).map_err(|_| Failure::NotUtf8("a path"))
}

/// Opens the tables in some directories; where several have a class, the first of them answers for it. The head of each file
/// is read and nothing else. A damaged file does not keep the others from answering; what needs it gets
/// MORABASE_ERROR_CORRUPT then.
///
/// Ownership: paths and options stay the caller's and are not needed after the call. On success `*out` is a handle that the caller
/// gives back with morabase_free(); otherwise it is NULL.
///
/// @param paths    `count` paths of directories; UTF-8 on Windows. NULL will do if count is 0.
/// @param count    How many there are. With none, and without the tables inside the library, only what the rules alone say is answered.
/// @param options  NULL for the defaults.
/// @param out      Where the handle goes.
/// @param error    NULL, or where the error's text goes.
/// @return MORABASE_OK, MORABASE_ERROR_NULL, _ARGUMENT (an option), _TEXT (the rules' name), _NOT_A_DIRECTORY, _RULES, _IO.
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_open(
    paths: *const *const c_char,
    count: usize,
    options: *const MorabaseOptions,
    out: *mut *mut Morabase,
    error: *mut MorabaseError,
) -> MorabaseStatus {
    // SAFETY: the caller's contract.
    let (error, out) = unsafe { (optional_slot(error), slot(out, "out")) };
    guarded(error, || {
        let out = out?.write(std::ptr::null_mut());
        // SAFETY: the caller's contract.
        let paths: Vec<PathBuf> = unsafe { copied_list(paths, count, "paths") }?
            .into_iter()
            // SAFETY: the caller's contract for each path.
            .map(|path| unsafe { bytes(path, "a path in paths") }.and_then(path_of).map(Path::to_owned))
            .collect::<Result<_, _>>()?;
        let options = if options.is_null() {
            OpenOptions::default()
        } else {
            // SAFETY: the caller's contract.
            unsafe { open_options(copied(options, "options")?) }?
        };
        *out = hand_over(Tablebase::open_with(paths, &options)?);
        Ok(())
    })
}

/// Opens the tables inside the library: the rules "gar", all classes of up to 8 cows.
///
/// Ownership: as morabase_open().
///
/// @param out    Where the handle goes.
/// @param error  NULL, or where the error's text goes.
/// @return MORABASE_OK, MORABASE_ERROR_NULL.
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_open_shipped(out: *mut *mut Morabase, error: *mut MorabaseError) -> MorabaseStatus {
    // SAFETY: the caller's contract.
    let (error, out) = unsafe { (optional_slot(error), slot(out, "out")) };
    guarded(error, || {
        let out = out?.write(std::ptr::null_mut());
        *out = hand_over(Tablebase::shipped()?);
        Ok(())
    })
}

/// Opens tables from memory.
///
/// Ownership: the bytes are copied and stay the caller's. The handle is as that of morabase_open().
///
/// @param files  `count` tables.
/// @param count  How many there are.
/// @param out    Where the handle goes.
/// @param error  NULL, or where the error's text goes.
/// @return MORABASE_OK, MORABASE_ERROR_NULL, _ARGUMENT (a length), _TEXT (a name that is not UTF-8), _RULES, _CORRUPT (a name that
///         says no class).
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_open_bytes(
    files: *const MorabaseBytes,
    count: usize,
    out: *mut *mut Morabase,
    error: *mut MorabaseError,
) -> MorabaseStatus {
    // SAFETY: the caller's contract.
    let (error, out) = unsafe { (optional_slot(error), slot(out, "out")) };
    guarded(error, || {
        let out = out?.write(std::ptr::null_mut());
        // SAFETY: the caller's contract.
        let files = unsafe { copied_list(files, count, "files") }?
            .into_iter()
            .map(|file: MorabaseBytes| {
                // SAFETY: the caller's contract for each file.
                unsafe {
                    Ok((text(file.name, "a name in files")?, copied_list(file.bytes, file.length, "bytes in files")?))
                }
            })
            .collect::<Result<Vec<(&str, Vec<u8>)>, Failure>>()?;
        *out = hand_over(Tablebase::from_bytes(files)?);
        Ok(())
    })
}

/// A second handle of the same tables, at the cost of a small allocation: for a thread that must not depend on when another
/// gives its handle back.
///
/// Ownership: each handle is given back by itself with morabase_free().
///
/// @param tables  A handle.
/// @param out     Where the new handle goes.
/// @param error   NULL, or where the error's text goes.
/// @return MORABASE_OK, MORABASE_ERROR_NULL.
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_clone(
    tables: *const Morabase,
    out: *mut *mut Morabase,
    error: *mut MorabaseError,
) -> MorabaseStatus {
    // SAFETY: the caller's contract.
    let (error, out) = unsafe { (optional_slot(error), slot(out, "out")) };
    guarded(error, || {
        let out = out?.write(std::ptr::null_mut());
        // SAFETY: the caller's contract.
        let handle = unsafe { shared(tables, "tables") }?;
        *out = hand_over(handle.tables.clone());
        Ok(())
    })
}

/// Gives a handle back: its files are closed when the last of its clones is. NULL is allowed and does nothing.
///
/// Ownership: the handle must not be used after this, nor by another thread during it.
///
/// # Safety
/// The pointer is NULL or a handle that has not been given back yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_free(tables: *mut Morabase) {
    or_else((), || {
        if !tables.is_null() {
            // SAFETY: by contract it came from `hand_over` and nobody uses it any more.
            drop(unsafe { Box::from_raw(tables) });
        }
        Ok(())
    });
}

/// The canonical text of the rules of all tables; positions are read and checked under them.
///
/// Ownership: the text belongs to the handle and lives as long as it. NULL if the handle is NULL.
///
/// # Safety
/// The pointer is NULL or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_rules_text(tables: *const Morabase) -> *const c_char {
    // SAFETY: the caller's contract.
    or_else(std::ptr::null(), || Ok(unsafe { shared(tables, "tables") }?.rules_text.as_ptr()))
}

/// Whether the table of a class is there and has a sound head. False for numbers that are no class, and if the handle is NULL.
///
/// # Safety
/// The pointer is NULL or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_has_class(tables: *const Morabase, wanted: MorabaseClass) -> bool {
    or_else(false, || {
        // SAFETY: the caller's contract.
        let handle = unsafe { shared(tables, "tables") }?;
        Ok(Class::try_from(wanted).is_ok_and(|class| handle.tables.has(class)))
    })
}

/// The greatest number of cows, both sides together, up to which no class is missing. 0 if even 3-3 is, and if the handle
/// is NULL.
///
/// # Safety
/// The pointer is NULL or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_complete_up_to(tables: *const Morabase) -> u8 {
    // SAFETY: the caller's contract.
    or_else(0, || Ok(unsafe { shared(tables, "tables") }?.tables.complete_up_to().unwrap_or(0)))
}

/// Reads the whole table of a class, checks every checksum and decodes all of it: takes time and disk for big ones. It works in
/// one thread, which ends with the call; several classes can be checked at once.
///
/// @param tables    A handle.
/// @param wanted    The class.
/// @param error     NULL, or where the error's text goes.
/// @return MORABASE_OK, MORABASE_ERROR_NULL, _ARGUMENT (no class), _MISSING_TABLE, _CORRUPT, _IO.
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_check_class(
    tables: *const Morabase,
    wanted: MorabaseClass,
    error: *mut MorabaseError,
) -> MorabaseStatus {
    // SAFETY: the caller's contract.
    let error = unsafe { optional_slot(error) };
    guarded(error, || {
        // SAFETY: the caller's contract.
        let handle = unsafe { shared(tables, "tables") }?;
        let class = Class::try_from(wanted)?.check(handle.tables.rules())?;
        in_own_thread(|| handle.tables.check_file(class))??;
        Ok(())
    })
}

/// Reads the whole table of a class and checks its checksums, so that morabase_probe_cached() answers about its positions.
///
/// @param tables    A handle.
/// @param wanted    The class.
/// @param error     NULL, or where the error's text goes.
/// @return As morabase_check_class().
///
/// # Safety
/// Pointers are NULL or valid as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn morabase_preload(
    tables: *const Morabase,
    wanted: MorabaseClass,
    error: *mut MorabaseError,
) -> MorabaseStatus {
    // SAFETY: the caller's contract.
    let error = unsafe { optional_slot(error) };
    guarded(error, || {
        // SAFETY: the caller's contract.
        let handle = unsafe { shared(tables, "tables") }?;
        let class = Class::try_from(wanted)?.check(handle.tables.rules())?;
        handle.tables.preload(class)?;
        Ok(())
    })
}

/// Runs work that asks for a pool of threads, with a pool of one that has ended when this returns: the usual pool would stay
/// behind, and a program that unloads the library then would fall.
fn in_own_thread<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    let mut threads = Vec::new();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).spawn_handler(|thread| {
        threads.push(std::thread::Builder::new().spawn(|| thread.run())?);
        Ok(())
    });
    let done = pool.build().map(|pool| pool.install(work));
    for thread in threads {
        // A panic in the work has come out of the pool already.
        let _ = thread.join();
    }
    done.map_err(|error| Failure::Internal(format!("cannot start a thread: {error}")))
}

/// The version of the library, such as "0.1.0".
///
/// Ownership: the text lives as long as the library is loaded.
#[unsafe(no_mangle)]
pub extern "C" fn morabase_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
