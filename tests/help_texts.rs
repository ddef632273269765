//! The examples in help texts do what they say: every one is run, in a place where its files are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use morabase::{Position, Preset, Record};
use tempfile::TempDir;

use crate::common::cli::{BINARY, fed, morabase, stderr, stdout};
use crate::common::files::copy;
use crate::common::tables::SHIPPED;

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let help = stdout(&mut morabase(&["--help"]));
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The help of a command, in lines as wide as they come.
fn help(command: &str) -> String {
    let mut run = if command.is_empty() { morabase(&["--help"]) } else { morabase(&[command, "--help"]) };
    stdout(run.env("COLUMNS", "400"))
}

/// The examples of a help text, without what is said of them.
fn examples(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1).take_while(|line| !line.is_empty());
    let starts = ["morabase ", "printf ", "curl ", "python3 ", "(cd "];
    let lines = lines.filter_map(|line| line.strip_prefix("  "));
    let commands = lines.filter(|line| starts.iter().any(|start| line.starts_with(start)));
    commands.map(|line| line.split("  ").next().unwrap().to_owned()).collect()
}

/// What an example is run as: builds are planned only, what takes minutes is asked of something smaller, and places are in the test's
/// directory. None for what goes on until it is stopped, which other tests start.
fn runnable(example: &str, place: &Path) -> Option<String> {
    if ["morabase serve", "curl ", "python3 "].iter().any(|start| example.starts_with(start)) {
        return None;
    }
    let mut line = example.replace("morabase build ", "morabase plan --needs ").replace("/srv/www/mora", "site");
    if line.starts_with("morabase plan ") && !line.contains("--json") && !line.contains("--needs") {
        line = line.replace("morabase plan ", "morabase plan --needs ");
    }
    if line.starts_with("morabase verify") {
        line = line.replace("--class 5-4 --probed", "--class 3-3").replace("1000000", "1000");
    }
    if line.starts_with("morabase solve-reference") {
        line = line.replace("4-3", "3-3");
    }
    if line.starts_with("morabase pack") {
        line = line.replace("/data/gar", "packed");
    }
    Some(line.replace("/data/", &format!("{}/", place.display())))
}

/// A directory with all that the examples name.
fn place() -> TempDir {
    let place = TempDir::new().unwrap();
    let tables = copy(SHIPPED.as_ref(), |name| ["3-3.mora", "4-3.mora", "3-4.mora", "5-3.mora"].contains(&name));
    for name in ["tables", "gar", "more", "mine"] {
        let directory = place.path().join(name);
        fs::create_dir(&directory).unwrap();
        for file in fs::read_dir(tables.path()).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), directory.join(file.file_name())).unwrap();
        }
    }
    let write = |name: &str, text: &str| fs::write(place.path().join(name), text).unwrap();
    write("positions.txt", "# two of them\nW:Wa7,d7,g1:Bb6,d6,c5\n\nB:Wa7,d7,g1:Bb6,d6,c5\n");
    let game = ["show", "--record", "W:Wa7,d7,g1:Bb6,d6,c5", "--moves", "a7-a4"];
    write("game.pgn", &stdout(&mut morabase(&game)));
    for directory in [".local/share/bash-completion/completions", ".config/fish/completions", ".zfunc"] {
        fs::create_dir_all(place.path().join(directory)).unwrap();
    }
    for line in [
        "morabase build --quiet --rules plain --max-cows 6 --tables plain",
        "morabase manifest --tables gar --output gar.manifest",
        "morabase unpack --class 4-3 --output raw && morabase unpack --class 3-4 --output raw",
        "cp raw/4-3.raw values.bin && cp raw/4-3.json about.json",
    ] {
        let output = run(line, place.path());
        assert!(output.status.success(), "{line}: {}", stderr(&output));
    }
    place
}

/// Runs a line of shell with the program on the path.
fn run(line: &str, place: &Path) -> Output {
    let program = PathBuf::from(BINARY);
    let own = program.parent().unwrap().to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&path))).unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(place).env("PATH", path).env("HOME", place).env_remove("MORABASE_TABLES");
    fed(&mut shell, "")
}

#[test]
fn every_example_in_a_help_text_works() {
    let place = place();
    let mut tried = 0;
    for command in std::iter::once(String::new()).chain(commands()) {
        let help = help(&command);
        let examples = examples(&help);
        assert!(!examples.is_empty(), "{command} has no example:\n{help}");
        for line in examples.iter().filter_map(|example| runnable(example, place.path())) {
            // Each has a place of its own, without the files that it writes.
            let own = TempDir::new_in(place.path()).unwrap();
            let names = ["tables", "raw", "positions.txt", "game.pgn", "gar.manifest", "values.bin", "about.json"];
            let writes = |command: &str, name: &str, file: &str| line.starts_with(command) && name == file;
            let is_written = |name: &str| {
                writes("morabase unpack", name, "raw") || writes("morabase manifest", name, "gar.manifest")
            };
            for name in names.iter().filter(|name| !is_written(name)) {
                std::os::unix::fs::symlink(place.path().join(name), own.path().join(name)).unwrap();
            }
            let line = line.replace("~/", &format!("{}/", place.path().display()));
            let output = run(&line, own.path());
            assert!(output.status.success(), "{line}: {}", stderr(&output));
            tried += 1;
        }
    }
    assert!(tried >= 55, "{tried}");
}

#[test]
fn turns_and_positions_that_help_texts_quote_are_legal() {
    let rules = Preset::Gar.rules();
    let mut tried = 0;
    for command in commands() {
        let help = help(&command);
        let text = help.split("Examples:").next().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        for quoted in text.split('\'').skip(1).step_by(2) {
            let is_position = quoted.starts_with("W:") || quoted.starts_with("B:");
            if is_position {
                assert!(Position::from_notation(quoted, &rules).is_ok(), "{command}: {quoted}");
            } else if let Ok(record) = quoted.parse::<Record>() {
                let end = record.end(&Position::start(&rules), &rules);
                assert!(end.is_ok(), "{command}: {quoted}: {end:?}");
            }
            tried += usize::from(is_position || quoted.parse::<Record>().is_ok());
        }
    }
    assert!(tried >= 5, "{tried}");
}

#[test]
fn completions_offer_the_presets_of_rules() {
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&mut morabase(&["completions", shell]));
        for preset in Preset::ALL {
            // Twice at least: `--rules` is an option of many commands.
            assert!(script.matches(preset.name()).count() > 1, "{shell}: {}", preset.name());
        }
    }
}

#[test]
fn manual_pages_are_written_at_once_with_examples_and_without_a_warning() {
    let place = TempDir::new().unwrap();
    stdout(morabase(&["man", "--output", "pages"]).current_dir(place.path()));
    let pages = place.path().join("pages");
    assert!(pages.join("morabase.1").exists());
    let has_groff = Command::new("groff").arg("--version").output().is_ok();
    for command in commands() {
        let file = pages.join(format!("morabase-{command}.1"));
        let page = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert!(page.is_ascii() && page.contains(".SH EXAMPLES\n.nf\n") && !page.contains("EXTRA"), "{page}");
        assert_eq!(page, stdout(&mut morabase(&["man", &command])));
        if has_groff {
            let checked = Command::new("groff").args(["-ww", "-z", "-man", "-Tutf8"]).arg(&file).output().unwrap();
            assert_eq!(stderr(&checked), "", "{command}");
        }
    }
}
