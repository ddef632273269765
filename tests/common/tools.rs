//! Tools that a test needs beside the program. Where one is missing the test, or a part of it, is left out with a message; in CI
//! (`CI=true`) it fails.

use std::env;
use std::io::Write;
use std::process::{Command, Stdio};

/// Whether all these programs can be run.
pub(crate) fn have(programs: &[&str]) -> bool {
    programs.iter().all(|program| runs(program, &["--version"]))
}

/// Whether this program ends well with these arguments.
pub(crate) fn runs(program: &str, arguments: &[&str]) -> bool {
    let found = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    match found {
        Ok(output) if output.status.success() => true,
        Ok(output) => {
            left_out(&format!("{program} {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim()))
        }
        Err(error) => left_out(&format!("{program} cannot be run: {error}")),
    }
}

/// Says that something is left out, and why; always false.
pub(crate) fn left_out(why: &str) -> bool {
    assert!(env::var_os("CI").is_none_or(|value| value != "true"), "in CI nothing may be left out: {why}");
    // Not captured, so that the line is seen although the test succeeds.
    let _ = writeln!(std::io::stderr(), "left out: {why}");
    false
}
