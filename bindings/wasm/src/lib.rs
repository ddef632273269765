//! A static site's answers as WebAssembly: `morabase.wasm`, which `static.js` loads.
//!
//! Plain exports, no imports, one thread. Everything goes through two buffers: the page asks for room with [`input`], writes its text or
//! bytes there, and calls a function; what comes of it is a text at [`output`] of [`output_length`] bytes, and the number that the
//! function returns. All that it decides the library's `service` decides.
//!
//! | call | input | returns | output |
//! |---|---|---|---|
//! | `open()` | `site.json` | 1, or 0 if it cannot be read | why not |
//! | `ask(path)` | a path of so many bytes, and a query | the status, or 0 | a JSON object; after 0 the ranges of files that are needed |
//! | `give(file, at)` | bytes of a file from `at` on | 1, or 0 if they were of no use | |
//! | `cannot_fetch(file)` | why | the status | a JSON object |
#![expect(unsafe_code, reason = "a name that the page can call is an unsafe attribute")]

use std::sync::{Mutex, MutexGuard, PoisonError};

use morabase::service::{SiteReply, StaticSite};

/// Everything that lives between two calls.
#[derive(Debug)]
struct State {
    site: Option<StaticSite>,
    input: Vec<u8>,
    output: String,
}

static STATE: Mutex<State> = Mutex::new(State { site: None, input: Vec::new(), output: String::new() });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn answered(&mut self, reply: SiteReply) -> u32 {
        match reply {
            SiteReply::Answered { status, text } => {
                self.output = text;
                status.into()
            }
            SiteReply::Needs(needs) => {
                // Strings and numbers alone: it can always be serialised.
                self.output = morabase::present::to_json(&needs).unwrap_or_default();
                0
            }
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.input).into_owned()
    }
}

/// Room for so many bytes, which the next call reads.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    let mut state = state();
    state.input.clear();
    state.input.resize(length, 0);
    state.input.as_mut_ptr()
}

/// Where the text of the last call begins.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    state().output.as_ptr()
}

/// Its length in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn output_length() -> usize {
    state().output.len()
}

/// Opens a site by its `site.json`.
#[unsafe(no_mangle)]
pub extern "C" fn open() -> u32 {
    let mut state = state();
    match StaticSite::open(&state.text()) {
        Ok(site) => {
            state.site = Some(site);
            state.output.clear();
            1
        }
        Err(error) => {
            state.output = error.to_string();
            0
        }
    }
}

/// Answers what is asked at the path in the first `path` bytes with the query after them.
#[unsafe(no_mangle)]
pub extern "C" fn ask(path: usize) -> u32 {
    let mut state = state();
    let text = state.text();
    let (path, query) = text.split_at_checked(path).unwrap_or((&text, ""));
    match state.site.as_ref().map(|site| site.ask(path, query)) {
        Some(reply) => state.answered(reply),
        None => 0,
    }
}

/// Takes bytes of a file.
#[unsafe(no_mangle)]
pub extern "C" fn give(file: usize, at: f64) -> u32 {
    let state = state();
    // A number of JavaScript, exact up to 2^53: more than any file has bytes.
    #[expect(
        clippy::cast_sign_loss,
        reason = "a negative place is none and becomes 0, where nothing is taken for another"
    )]
    let at = at as u64;
    u32::from(state.site.as_ref().is_some_and(|site| site.give(file, at, &state.input)))
}

/// The refusal for a file that cannot be had.
#[unsafe(no_mangle)]
pub extern "C" fn cannot_fetch(file: usize) -> u32 {
    let mut state = state();
    let why = state.text();
    match state.site.as_ref().map(|site| site.cannot_fetch(file, &why)) {
        Some(reply) => state.answered(reply),
        None => 0,
    }
}
