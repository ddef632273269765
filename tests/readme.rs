//! What the README and the page for players show is what the program prints.

use std::process::{Command, Output};

use assert_cmd::assert::OutputAssertExt;
use assert_cmd::cargo::CommandCargoExt;
use tempfile::TempDir;

/// Words of a shell line with single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.split('\'').enumerate() {
        if at % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Runs `morabase …` or `printf '%s\n' … | morabase …`.
fn run(line: &str, directory: &TempDir) -> Output {
    let (lines, line) = line.split_once(" | ").unwrap_or(("", line));
    let words = words(line);
    assert_eq!(words[0], "morabase", "{line}");
    let mut command = Command::cargo_bin("morabase").unwrap();
    command.args(&words[1..]).current_dir(directory.path()).env_remove("MORABASE_TABLES");
    let input = self::words(lines).into_iter().skip(2).collect::<Vec<_>>().join("\n");
    assert_cmd::Command::from_std(command).write_stdin(input).output().unwrap()
}

/// Whether `shown` is `printed`, a line `...` standing for any lines left out.
fn shows(shown: &str, printed: &str) -> bool {
    match shown.split_once("\n...\n") {
        None => shown == printed,
        Some((before, after)) => {
            printed.strip_prefix(before).is_some_and(|rest| rest.starts_with('\n'))
                && printed.strip_suffix(after).is_some_and(|rest| rest.ends_with('\n'))
        }
    }
}

#[test]
fn readme_shows_what_the_program_prints() {
    let directory = TempDir::new().unwrap();
    for arguments in [&["--max-cows", "9"][..], &["--rules", "plain", "--max-cows", "7", "--tables", "plain"]] {
        let mut build = Command::cargo_bin("morabase").unwrap();
        build.args(["build", "--quiet"]).args(arguments).current_dir(directory.path()).assert().success();
    }
    let tried = try_sessions(include_str!("../README.md"), &directory);
    assert!(tried >= 5, "{tried}");
}

#[test]
fn the_page_for_players_shows_what_the_program_prints() {
    let tried = try_sessions(include_str!("../docs/player.md"), &TempDir::new().unwrap());
    assert!(tried >= 6, "{tried}");
}

/// Runs the sessions of a page; how many there were.
fn try_sessions(page: &str, directory: &TempDir) -> usize {
    let blocks = page.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut tried = 0;
    // Directories under /data are somebody else's.
    for session in blocks.flat_map(|block| block.split("$ ")).filter(|text| !text.is_empty() && !text.contains("/data"))
    {
        let (command, shown) = session.split_once('\n').unwrap();
        let output = run(command, directory);
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(shows(shown, &printed), "{command} prints\n{printed}\nand the page shows\n{shown}");
        tried += 1;
    }
    tried
}
