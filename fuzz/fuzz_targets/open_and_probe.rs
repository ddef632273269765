//! Arbitrary bytes opened as a table and asked.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/open_and_probe.rs"]
mod body;

fuzz_target!(|data: &[u8]| body::run(data));
