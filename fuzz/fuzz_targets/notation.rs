//! Arbitrary text read as a position, a FEN, a turn, a record or rules.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/notation.rs"]
mod body;

fuzz_target!(|data: &[u8]| body::run(data));
