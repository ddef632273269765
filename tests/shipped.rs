//! The tables inside the program answer where no others are.

use assert_cmd::Command;
use predicates::str::contains;
use tempfile::TempDir;

/// Runs the binary where there are no tables and none are named.
fn output(arguments: &[&str]) -> String {
    let empty = TempDir::new().unwrap();
    let mut command = Command::cargo_bin("morabase").unwrap();
    let assert = command.args(arguments).current_dir(empty.path()).env_remove("MORABASE_TABLES").assert().success();
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

#[test]
fn shipped_tables_are_complete_and_sound() {
    let info: serde_json::Value = serde_json::from_str(&output(&["info", "--json"])).unwrap();
    assert_eq!(info["complete_up_to"], 8, "tables/ lacks files: run scripts/build-shipped");
    assert_eq!(info["classes"].as_array().unwrap().len(), 6);
    assert_eq!(info["classes"][0]["file"], "(inside the program)");
    let report: serde_json::Value = serde_json::from_str(&output(&["verify", "--json", "--sample", "20000"])).unwrap();
    assert_eq!(report["sound"], true);
}

#[test]
fn shipped_tables_answer_anywhere() {
    let answer = output(&["probe", "W:Wd6,d7,f4,f6:Bb4,d3,g1,g4"]);
    assert!(
        answer.contains("4-4 under gar, won: shot or end in 9 plies") && answer.contains("d6-b6  won in 9 plies"),
        "{answer}"
    );
}

#[test]
fn a_table_that_is_not_shipped_is_named_with_the_command_that_builds_it() {
    let empty = TempDir::new().unwrap();
    let mut command = Command::cargo_bin("morabase").unwrap();
    command.args(["probe", "W:Wa1,b2,c5,d2,d3:Bb4,d1,e5,f2"]).current_dir(empty.path()).env_remove("MORABASE_TABLES");
    command.assert().code(1).stderr(contains("morabase build --class 5-4"));
}
