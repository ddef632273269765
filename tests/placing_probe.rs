//! Positions with cows in hand from the command line, over tables of a whole game of three cows each.

use std::fs::File;
use std::sync::LazyLock;

use assert_cmd::assert::OutputAssertExt;
use morabase::lookahead::Values;
use morabase::solve::{Control, solve_game};
use morabase::store::file_name;
use morabase::table::{Counts, DtcCount, TableMeta, encode_table};
use morabase::{Plies, Preset, RuleSet, Wdl};
use predicates::str::{contains, starts_with};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::common::cli::{fed, json, on};

/// What the head of a class's table says: values counted over placements, and over orbits by the first of each orbit's entries.
fn meta(rules: &RuleSet, values: &Values) -> TableMeta {
    let space = values.space();
    let (mut full, mut canonical, mut dtc) = (Counts::default(), Counts::default(), Vec::new());
    let add = |counts: &mut Counts, result, count| match result {
        Wdl::Won => counts.won += count,
        Wdl::Drawn => counts.drawn += count,
        Wdl::Lost => counts.lost += count,
    };
    for number in 0..space.entries() {
        let entry = space.entry_at(number).unwrap();
        let (mover, waiting) = space.position(entry).unwrap();
        let value = values.value(mover, waiting);
        let (result, placements) = (value.wdl(), u64::from(space.mover_orbits().orbit_size(entry.block)));
        add(&mut full, result, placements);
        if let Some(Plies(plies)) = value.dtc() {
            dtc.resize(dtc.len().max(usize::from(plies) + 1), DtcCount::default());
            let count = &mut dtc[usize::from(plies)];
            if result == Wdl::Won { count.won += placements } else { count.lost += placements }
        }
        let images = space.board().group().symmetries().map(|it| space.entry(it.apply(mover), it.apply(waiting)));
        if images.min() == Some(entry) {
            add(&mut canonical, result, 1);
        }
    }
    TableMeta {
        rules_text: rules.to_string(),
        rules_fingerprint: rules.fingerprint(),
        board: rules.board,
        class: values.class(),
        blocks: space.blocks(),
        full,
        canonical,
        dtc,
    }
}

static GAME: LazyLock<TempDir> = LazyLock::new(|| {
    let rules = Preset::Gar.rules().with_cows(3);
    let directory = TempDir::new().unwrap();
    for values in solve_game(&rules, &Control::default()).unwrap().values() {
        let mut file = File::create(directory.path().join(file_name(values.class()))).unwrap();
        encode_table(&mut file, &meta(&rules, values), values.symbols()).unwrap();
    }
    directory
});

fn asked(arguments: &[&str]) -> Json {
    json(&mut on(GAME.path(), arguments))
}

#[test]
fn probe_gives_the_value_of_the_empty_board_and_of_each_first_placement() {
    let start = asked(&["probe", "--json", "W:W:B:H3,3"]);
    assert_eq!((&start["value"], &start["class"]), (&"won".into(), &"0-0+3-3".into()));
    assert_eq!((&start["dtc"], &start["verdict"]), (&Json::Null, &"won".into()));
    let turns = start["turns"].as_array().unwrap();
    assert!(turns.len() == 24 && turns[0]["value"] == "won" && turns.iter().all(|turn| turn["dtc"].is_null()));
    on(GAME.path(), &["probe", "--moves", "d6 d7"])
        .assert()
        .success()
        .stdout(contains("first player (O) to move; in hand 2 and 2\n1-1+2-2 under "));
    let pending = asked(&["probe", "--json", "W:Wa7,d7,g7:Bb6,d6:H0,1:S"]);
    assert_eq!((&pending["value"], &pending["class"]), (&"won".into(), &"3-2+0-1".into()));
}

#[test]
fn probe_stdin_answers_lines_with_and_without_cows_in_hand() {
    let lines = "W:W:B:H3,3\nW:Wa7,d7,g1:Bb6,d6,c5\nW:Wa7,d7,g1:Bb6:H0,2\n";
    let output = fed(&mut on(GAME.path(), &["probe", "--stdin"]), lines);
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(out, "won\nwon 1\n\n");
    assert!(err.contains("line 3: ") && err.contains("class 3-1+0-2: no game with 3 cows each"), "{err}");
}

#[test]
fn line_plays_from_the_empty_board_to_the_end() {
    let line = asked(&["line", "--json", "W:W:B:H3,3"]);
    assert_eq!((&line["value"], &line["end"]["result"]), (&"won".into(), &"won".into()));
    let turns = line["turns"].as_array().unwrap();
    assert!(turns.iter().take(5).all(|turn| turn["dtc"].is_null()));
    assert_eq!(line["end"]["reason"], "too-few-cows");
    on(GAME.path(), &["line", "W:W:B:H3,3"]).assert().success().stdout(starts_with("won\n"));
}

#[test]
fn the_engine_plays_the_placing_phase_by_tables() {
    let commands = "position startpos\ngo\nposition startpos moves d6\nd\nquit\n";
    let output = fed(&mut on(GAME.path(), &["engine"]), commands);
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.contains("info string table: won\n") && out.contains("score cp 28988"), "{out}");
    assert!(out.contains("table 0-1+3-2, "), "{out}");
}
