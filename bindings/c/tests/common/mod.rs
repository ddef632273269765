//! Compiles C programs against the library of the running profile and runs them.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use tempfile::TempDir;

// Shared with the root package's tests.
#[path = "../../../../tests/common/positions.rs"]
pub(crate) mod positions;
#[path = "../../../../src/random.rs"]
pub(crate) mod random;
#[path = "../../../../tests/common/tools.rs"]
mod tools;

/// What a program needs beside the static library: `Libs.private` of the Makefile.
const NATIVE: &[&str] = if cfg!(target_os = "macos") {
    &["-liconv", "-lm"]
} else {
    &["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl"]
};

pub(crate) const WARNINGS: [&str; 5] = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Linkage {
    Static,
    Shared,
}

/// The folder of this package.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where the libraries are: built by the same cargo, in the same profile, as cargo builds none for integration tests.
static LIBRARIES: LazyLock<PathBuf> = LazyLock::new(|| {
    let test = env::current_exe().unwrap();
    let folder = test.ancestors().nth(2).unwrap().to_owned();
    let profile = match folder.file_name().and_then(OsStr::to_str).unwrap() {
        "debug" => "dev",
        other => other,
    };
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--locked", "-p", "morabase-c", "--profile", profile]).current_dir(root());
    build.arg("--target-dir").arg(Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap());
    succeed(&mut build);
    // Programs look for the name inside the shared library.
    #[cfg(target_os = "linux")]
    {
        let link = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libmorabase.so.0");
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(folder.join("libmorabase.so"), link).unwrap();
    }
    folder
});

pub(crate) fn libraries() -> &'static Path {
    LIBRARIES.as_path()
}

/// Runs a command that must succeed.
pub(crate) fn succeed(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{said}",
        output.status,
        String::from_utf8_lossy(&output.stdout)
    );
    output
}

/// The C compiler, or C++.
pub(crate) fn compiler(source: &Path) -> String {
    let (variable, usual) = if source.extension() == Some(OsStr::new("cpp")) { ("CXX", "c++") } else { ("CC", "cc") };
    env::var(variable).unwrap_or_else(|_| usual.to_owned())
}

/// Whether a test can run: the tools are there. Otherwise says why it is left out, or fails in CI.
pub(crate) fn have(programs: &[&str]) -> bool {
    if cfg!(windows) {
        eprintln!("left out: the C programs of the tests are for Unix");
        return false;
    }
    tools::have(programs)
}

/// A program compiled into a folder of its own.
pub(crate) struct Program {
    file: PathBuf,
    folder: TempDir,
}

pub(crate) fn compile(source: &Path, linkage: Linkage) -> Program {
    let libraries = LIBRARIES.as_path();
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("program");
    let mut command = Command::new(compiler(source));
    let standard = if source.extension() == Some(OsStr::new("cpp")) { "-std=c++11" } else { "-std=c11" };
    command
        .arg(standard)
        .args(WARNINGS)
        .arg("-g")
        .arg("-I")
        .arg(root().join("include"))
        .arg("-o")
        .arg(&file)
        .arg(source);
    match linkage {
        Linkage::Static => command.arg(libraries.join("libmorabase.a")).args(NATIVE),
        Linkage::Shared => command.arg("-L").arg(libraries).args(["-lmorabase", "-lpthread"]),
    };
    succeed(&mut command);
    Program { file, folder }
}

impl Program {
    /// A command that runs the program where there are no tables.
    pub(crate) fn command(&self) -> Command {
        self.prepared(Command::new(&self.file))
    }

    /// The same under valgrind, which fails on any wrong access and any memory lost.
    pub(crate) fn under_valgrind(&self) -> Command {
        let mut command = Command::new("valgrind");
        // Still reachable at the end are the library's ranks and orbits: numbers that are the same for ever, made once.
        let kinds = "definite,indirect,possible";
        command.args(["--quiet", "--error-exitcode=9", "--leak-check=full"]);
        command
            .arg(format!("--errors-for-leak-kinds={kinds}"))
            .arg(format!("--show-leak-kinds={kinds}"))
            .arg(&self.file);
        self.prepared(command)
    }

    fn prepared(&self, mut command: Command) -> Command {
        command.current_dir(self.folder.path()).env("LD_LIBRARY_PATH", env!("CARGO_TARGET_TMPDIR"));
        command.env("DYLD_LIBRARY_PATH", LIBRARIES.as_path()).env_remove("MORABASE_TABLES");
        command
    }
}

/// What a command that must succeed prints.
pub(crate) fn printed(mut command: Command) -> String {
    String::from_utf8(succeed(&mut command).stdout).unwrap()
}
