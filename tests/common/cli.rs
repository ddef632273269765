//! Running the program.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use serde_json::Value as Json;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_morabase");

/// The program, run where there are no tables and none are named, with nothing to read.
pub(crate) fn morabase(arguments: &[&str]) -> Command {
    static EMPTY: LazyLock<PathBuf> = LazyLock::new(|| {
        let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join("empty");
        fs::create_dir_all(&empty).unwrap();
        assert!(super::files::names(&empty).is_empty(), "{} is not empty", empty.display());
        empty
    });
    let mut command = Command::new(BINARY);
    command.args(arguments).current_dir(&*EMPTY).env_remove("MORABASE_TABLES").stdin(Stdio::null());
    command
}

/// The program with the tables of this directory.
pub(crate) fn on(tables: &Path, arguments: &[&str]) -> Command {
    let mut command = morabase(arguments);
    command.arg("--tables").arg(tables);
    command
}

/// What a command that must succeed has printed.
pub(crate) fn stdout(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The JSON that a command that must succeed has printed.
pub(crate) fn json(command: &mut Command) -> Json {
    serde_json::from_str(&stdout(command)).unwrap()
}

/// The JSON on each line.
pub(crate) fn json_lines(text: &[u8]) -> Vec<Json> {
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

/// Runs a command on this input.
pub(crate) fn fed(command: &mut Command, input: impl Into<Vec<u8>>) -> Output {
    let input = input.into();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // From a thread of its own, as the child may not read on before its output is taken.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    let written = writer.join().unwrap();
    // A command that asks for no input may end before all of it is written.
    assert!(
        written.is_ok() || written.as_ref().is_err_and(|error| error.kind() == ErrorKind::BrokenPipe),
        "{written:?}"
    );
    output
}
