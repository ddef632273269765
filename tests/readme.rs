//! What the README and the pages show is what the program prints.

use std::process::Output;

use tempfile::TempDir;

use crate::common::cli::{fed, morabase, stderr, stdout};
use crate::common::text::words;

/// Pages with console sessions, and how many sessions each has at least.
const PAGES: [(&str, &str, usize); 5] = [
    ("README.md", include_str!("../README.md"), 1),
    ("docs/player.md", include_str!("../docs/player.md"), 6),
    ("docs/research.md", include_str!("../docs/research.md"), 3),
    ("docs/probing.md", include_str!("../docs/probing.md"), 2),
    ("docs/building.md", include_str!("../docs/building.md"), 0),
];

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
    let shown = format!("\n{shown}");
    let printed = format!("\n{printed}");
    let parts: Vec<&str> = shown.split("\n...\n").collect();
    let [first, between @ .., last] = &parts[..] else { return shown == printed };
    let Some(mut rest) = printed.strip_prefix(first) else { return false };
    // What stands between two gaps is looked for, from the left, as whole lines.
    for part in between {
        let Some(at) = rest.find(&format!("\n{part}\n")) else { return false };
        rest = &rest[at + 1 + part.len()..];
    }
    rest.strip_suffix(last).is_some_and(|rest| rest.ends_with('\n'))
}

#[test]
fn gaps_stand_for_whole_lines_in_order() {
    let printed = "a\nb\nc\nd\n";
    for shown in ["a\nb\nc\nd\n", "a\n...\nd\n", "...\nc\nd\n", "...\nb\n...\nd\n"] {
        assert!(shows(shown, printed), "{shown}");
    }
    for shown in
        ["a\nb\nc\n", "b\n...\nd\n", "...\nc\n", "...\nc\n...\nb\n...\nd\n", "...\nx\n...\nd\n", "a\n...\n\nd\n"]
    {
        assert!(!shows(shown, printed), "{shown}");
    }
}

#[test]
fn pages_show_what_the_program_prints() {
    let directory = TempDir::new().unwrap();
    for arguments in [&["--max-cows", "9"][..], &["--rules", "plain", "--max-cows", "7", "--tables", "plain"]] {
        stdout(morabase(&["build", "--quiet"]).args(arguments).current_dir(directory.path()));
    }
    for (name, page, least) in PAGES {
        let tried = try_sessions(page, &directory);
        assert!(tried >= least, "{name}: {tried}");
    }
}

#[test]
fn the_page_for_players_needs_no_tables_of_one_s_own() {
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
