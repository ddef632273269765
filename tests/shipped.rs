//! The tables inside the program answer where no others are.

use assert_cmd::assert::OutputAssertExt;
use predicates::str::contains;

use crate::common::cli::{json, morabase, stdout};

#[test]
fn shipped_tables_are_complete_and_sound() {
    let info = json(&mut morabase(&["info", "--json"]));
    assert_eq!(info["complete_up_to"], 8, "tables/ lacks files: run scripts/build-shipped");
    let classes = info["classes"].as_array().unwrap();
    let names: Vec<&str> = classes.iter().map(|class| class["class"].as_str().unwrap()).collect();
    assert_eq!(names, ["3-3", "4-3", "3-4", "4-4", "5-3", "3-5"]);
    assert!(classes.iter().all(|class| class["file"] == "(inside the program)"), "{classes:?}");
    let report = json(&mut morabase(&["verify", "--json", "--sample", "20000"]));
    assert_eq!(report["sound"], true);
}

#[test]
fn shipped_tables_answer_anywhere() {
    let answer = stdout(&mut morabase(&["probe", "W:Wd6,d7,f4,f6:Bb4,d3,g1,g4"]));
    assert!(
        answer.contains("4-4 under gar, won: shot or end in 9 plies") && answer.contains("d6-b6  won in 9 plies"),
        "{answer}"
    );
}

#[test]
fn a_table_that_is_not_shipped_is_named_with_the_command_that_builds_it() {
    let asked = morabase(&["probe", "W:Wa1,b2,c5,d2,d3:Bb4,d1,e5,f2"]).assert();
    asked.code(1).stderr(contains("morabase build --rules gar --class 5-4"));
}
