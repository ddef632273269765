//! What the README and the page for players show is what the program prints.

use std::process::Output;

use tempfile::TempDir;

use crate::common::cli::{fed, morabase, stderr, stdout};
use crate::common::text::words;

/// Runs `morabase …` or `printf '%s\n' … | morabase …`.
fn run(line: &str, directory: &TempDir) -> Output {
    let (lines, line) = line.split_once(" | ").unwrap_or(("", line));
    let words = words(line);
    assert_eq!(words[0], "morabase", "{line}");
    let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    let input = self::words(lines).into_iter().skip(2).collect::<Vec<_>>().join("\n");
    fed(morabase(&arguments).current_dir(directory.path()), input)
}

/// Whether `shown` is `printed`, each line `...` standing for any lines left out.
fn shows(shown: &str, printed: &str) -> bool {
    let Some((before, after)) = shown.split_once("\n...\n") else { return shown == printed };
    let Some(rest) = printed.strip_prefix(before).filter(|rest| rest.starts_with('\n')) else { return false };
    rest.match_indices('\n').any(|(end, _)| shows(after, &rest[end + 1..]))
}

#[test]
fn readme_shows_what_the_program_prints() {
    let directory = TempDir::new().unwrap();
    for arguments in [&["--max-cows", "9"][..], &["--rules", "plain", "--max-cows", "7", "--tables", "plain"]] {
        stdout(morabase(&["build", "--quiet"]).args(arguments).current_dir(directory.path()));
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
        assert!(output.status.success(), "{command}: {}", stderr(&output));
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(shows(shown, &printed), "{command} prints\n{printed}\nand the page shows\n{shown}");
        tried += 1;
    }
    tried
}
