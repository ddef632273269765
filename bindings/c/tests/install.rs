//! What the Makefile installs, a program finds by pkg-config, and runs with.

use std::path::Path;
use std::process::Command;

use crate::common::{WARNINGS, compiler, have, libraries, printed, root, succeed};
use tempfile::TempDir;

fn make(target: &str, prefix: &Path) -> Command {
    let libraries = libraries();
    let profile = if libraries.ends_with("debug") { "dev".as_ref() } else { libraries.file_name().unwrap() };
    let mut command = Command::new("make");
    command.arg("-C").arg(root()).arg(target).arg(format!("PREFIX={}", prefix.display()));
    command.arg(format!("PROFILE={}", profile.display())).env("CARGO_TARGET_DIR", libraries.parent().unwrap());
    command.env_remove("MAKEFLAGS");
    command
}

/// Words that pkg-config says for the installed library.
fn flags(prefix: &Path, arguments: &[&str]) -> Vec<String> {
    let mut command = Command::new("pkg-config");
    command.args(arguments).arg("morabase").env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    printed(command).split_whitespace().map(str::to_owned).collect()
}

#[test]
fn the_installed_library_is_found_by_pkg_config() {
    let source = root().join("examples/probe.c");
    if !have(&[&compiler(&source), "pkg-config", "make"]) {
        return;
    }
    let folder = TempDir::new().unwrap();
    let prefix = folder.path().join("usr");
    succeed(&mut make("install", &prefix));
    assert_eq!(flags(&prefix, &["--modversion"]), [env!("CARGO_PKG_VERSION")]);

    let program = folder.path().join("probe");
    let compile = || {
        let mut command = Command::new(compiler(&source));
        command.arg("-std=c11").args(WARNINGS).arg("-o").arg(&program).arg(&source);
        command
    };
    let run = |arguments: &[&str], libraries: &Path| {
        let mut command = Command::new(&program);
        command.args(arguments).env("LD_LIBRARY_PATH", libraries).env("DYLD_LIBRARY_PATH", libraries);
        command
    };
    let position = "W:Wd6,d7,f4,f6:Bb4,d3,g1,g4";
    succeed(compile().args(flags(&prefix, &["--cflags", "--libs"])));
    let shared = printed(run(&[position], &prefix.join("lib")));
    assert!(shared.starts_with("d6-b6      won in 9\n") && shared.contains(" drawn\n"), "{shared}");

    // The same program without the shared library at hand.
    let mut compile_static = compile();
    compile_static.args(flags(&prefix, &["--cflags"])).arg(prefix.join("lib/libmorabase.a"));
    let private = flags(&prefix, &["--libs", "--static"]);
    compile_static.args(private.iter().filter(|flag| !flag.starts_with("-L") && *flag != "-lmorabase"));
    succeed(&mut compile_static);
    assert_eq!(printed(run(&[position], Path::new("/"))), shared);

    // The recipes of docs/c.md: the place of the library in the program, and nothing but the program.
    let rpath = format!("-Wl,-rpath,{}", flags(&prefix, &["--variable=libdir"])[0]);
    succeed(compile().args(flags(&prefix, &["--cflags", "--libs"])).arg(rpath));
    let mut bare = Command::new(&program);
    assert_eq!(
        printed({
            bare.arg(position).env_remove("LD_LIBRARY_PATH");
            bare
        }),
        shared
    );
    if cfg!(all(target_os = "linux", target_env = "gnu")) {
        succeed(compile().arg("-static").args(flags(&prefix, &["--cflags", "--libs", "--static"])));
        assert_eq!(printed(run(&[position], Path::new("/"))), shared);
    }

    let missing = run(&["W:Wa1,b2,c5,d2,d3:Bb4,d1,e5,f2"], Path::new("/")).output().unwrap();
    let said = String::from_utf8(missing.stderr).unwrap();
    assert_eq!(missing.status.code(), Some(1));
    assert!(said.ends_with("probe: build it with: morabase build --class 4-5\n"), "{said}");

    succeed(&mut make("uninstall", &prefix));
    let left: Vec<_> = walk(&prefix);
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_staged_install_keeps_the_prefix_it_will_have() {
    if !have(&["make"]) {
        return;
    }
    let folder = TempDir::new().unwrap();
    succeed(make("install", Path::new("/opt/mill")).arg(format!("DESTDIR={}", folder.path().display())));
    let pc = std::fs::read_to_string(folder.path().join("opt/mill/lib/pkgconfig/morabase.pc")).unwrap();
    assert!(pc.starts_with("prefix=/opt/mill\n") && !pc.contains('@') && !pc.contains("tmp"), "{pc}");
    let mut nothing = make("install", folder.path());
    let refused = nothing.env("CARGO_TARGET_DIR", folder.path()).output().unwrap();
    assert!(!refused.status.success());
    assert!(String::from_utf8(refused.stderr).unwrap().contains("run make first"));
}

/// All files under a folder.
fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}
