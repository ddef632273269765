//! `solve-reference` through the real binary.

use std::process::Command;

use serde_json::json;

use crate::common::cli::{self, morabase, stdout};

fn solve(args: &[&str]) -> Command {
    let mut command = morabase(&["solve-reference"]);
    command.args(args);
    command
}

#[test]
fn counts_as_json_have_the_keys_of_stats() {
    // A full board needs no other class, so this is quick.
    let report = cli::json(&mut solve(&["--class", "12-12", "--rules", "arcade", "--json"]));
    assert_eq!(report["rules"], "morabaraba;cows=12;fly=3;counter=always:60;no-remake=none;full-board=draw");
    let fingerprint = morabase::Preset::Arcade.rules().fingerprint();
    assert_eq!(report["fingerprint"], format!("{fingerprint:016x}"));
    let full = json!({ "positions": 2_704_156, "won": 0, "drawn": 2_704_156, "lost": 0 });
    let class = json!({ "class": "12-12", "entries": 2_704_156, "full": full, "max_dtc": null, "dtc": [] });
    assert_eq!(report["classes"], json!([class]));
}

#[test]
fn counts_as_text_name_rules_class_and_distances() {
    let text = stdout(&mut solve(&["--class", "12-12", "--full-board", "blocked-loses"]));
    assert!(text.starts_with("12-12 under gar"), "{text}");
    assert!(text.contains("2704156 positions: 0 won, 0 drawn, 2704156 lost; longest 0 plies"), "{text}");
    assert!(text.lines().last().unwrap().split_whitespace().eq(["0", "0", "2704156"]), "{text}");
}

#[test]
fn requests_the_reference_cannot_serve_are_refused_at_once() {
    let refused = [
        (&["--class", "8-8"][..], "8-8"),
        (&["--class", "10-3", "--rules", "nine-mens-morris"], "10-3"),
        (&["--class", "2-3"], "2-3"),
        (&["--class", "0-0+12-12"], "0-0+12-12 has cows in hand"),
        (&["--class", "3-3+1-1"], "3-3+1-1 has cows in hand"),
        (&["--class", "2-3+1-2"], "2-3+1-2"),
        (&["--class", "4"], "4"),
        (&[], "--class"),
    ];
    for (args, named) in refused {
        let output = solve(args).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(named), "{args:?}: {error}");
        assert!(output.stdout.is_empty());
    }
}
