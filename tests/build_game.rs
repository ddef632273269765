//! Whole games of few cows each, built with the real binary: tables with cows in hand from the empty board on.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use morabase::solve::{Control, solve_game};
use morabase::{Class, Position, Preset, RuleSet, Tablebase};
use tempfile::TempDir;

use crate::build_job::{build, kill, refused};
use crate::common::cli::{BINARY, json, json_lines, on, stderr, stdout};
use crate::common::files::{Files, assert_holds, contents, names};
use crate::common::tools;

/// The steps of a game of three cows each under any rules, in the order of the work.
const THREE: [&str; 7] = ["3-3", "2-3+1-0", "2-2+1-1", "1-2+2-1", "1-1+2-2", "0-1+3-2", "0-0+3-3"];

/// The arguments that build a game of so many cows each.
fn game(cows: &str) -> [&str; 5] {
    ["build", "--cows", cows, "--game", "--quiet"]
}

/// What an uninterrupted build of a game of so many cows each, three or four, leaves.
fn reference(cows: u8) -> &'static Files {
    static REFERENCES: [OnceLock<Files>; 2] = [const { OnceLock::new() }; 2];
    REFERENCES[usize::from(cows) - 3].get_or_init(|| {
        let directory = TempDir::new().unwrap();
        build(&game(&cows.to_string()), directory.path());
        contents(directory.path())
    })
}

/// A directory with some tables of the game of three cows each.
fn directory_with(classes: &[&str]) -> TempDir {
    let directory = TempDir::new().unwrap();
    for class in classes {
        let name = format!("{class}.mora");
        fs::write(directory.path().join(&name), &reference(3)[&name]).unwrap();
    }
    directory
}

fn rules(cows: u8) -> RuleSet {
    Preset::Gar.rules().with_cows(cows)
}

#[test]
fn a_whole_game_has_a_table_of_each_class_with_the_values_solved_in_memory() {
    for (cows, tables) in [(3, 7), (4, 18)] {
        let directory = TempDir::new().unwrap();
        for (name, bytes) in reference(cows) {
            fs::write(directory.path().join(name), bytes).unwrap();
        }
        let built = Tablebase::open([directory.path()]).unwrap();
        assert_eq!((built.rules(), built.classes().count()), (&rules(cows), tables));
        for (class, values) in solve_game(&rules(cows), &Control::default()).unwrap() {
            assert!(built.decode(class).unwrap() == values, "{class}");
            assert!(built.missing_successors(class).is_empty(), "{class}");
        }
    }
}

#[test]
fn a_whole_game_has_the_same_bytes_with_any_number_of_threads() {
    for threads in ["1", "2", "3"] {
        let directory = TempDir::new().unwrap();
        build(&[&game("4")[..], &["--threads", threads]].concat(), directory.path());
        assert_holds(directory.path(), reference(4), &format!("with {threads} threads"));
    }
}

#[test]
fn a_build_of_a_game_killed_at_random_points_ends_with_the_same_bytes() {
    kill(&game("4"), reference(4), 6);
}

/// What a game of four cows each leaves with every so many layers kept.
fn layers_of_four(every: u8) -> Files {
    let in_hand = |name: &str| {
        let class: Class = name.trim_end_matches(".mora").parse().unwrap();
        class.mover_hand() + class.waiting_hand()
    };
    let kept = reference(4).iter().filter(|(name, _)| in_hand(name).is_multiple_of(every));
    kept.map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
}

#[test]
fn layers_that_are_not_kept_are_gone_in_the_end_and_answered_all_the_same() {
    let whole = TempDir::new().unwrap();
    for (name, bytes) in reference(4) {
        fs::write(whole.path().join(name), bytes).unwrap();
    }
    for layers in ["2", "3"] {
        let directory = TempDir::new().unwrap();
        let args = [&game("4")[..], &["--layers", layers]].concat();
        build(&args, directory.path());
        let kept = layers_of_four(layers.parse().unwrap());
        assert!(kept.len() > 3 && kept.len() < reference(4).len());
        assert_holds(directory.path(), &kept, &format!("with --layers {layers}"));
        build(&args, directory.path());
        assert_holds(directory.path(), &kept, "once more");
        for moves in ["", "d6", "d6 d7 b4", "d6 d7 b4 b6 f4"] {
            let probe = |tables: &Path| stdout(&mut on(tables, &["probe", "--cows", "4", "--json", "--moves", moves]));
            assert_eq!(probe(directory.path()), probe(whole.path()), "{moves}");
        }
        // Asked for, the others are built again.
        build(&game("4"), directory.path());
        assert_holds(directory.path(), reference(4), "with all layers");
        // And a set that has them all keeps them.
        build(&args, directory.path());
        assert_holds(directory.path(), reference(4), "with a whole set there");
    }
    for layers in ["4", "from:", "every"] {
        refused(&["build", "--game", "--layers", layers], whole.path(), 2, &["from:N", layers]);
    }
}

#[test]
fn a_build_that_does_not_keep_all_layers_goes_on_after_kills() {
    for layers in ["2", "3"] {
        let args = [&game("4")[..], &["--layers", layers]].concat();
        kill(&args, &layers_of_four(layers.parse().unwrap()), 4);
    }
}

#[test]
fn a_plan_of_a_game_lists_each_class_after_those_its_turns_lead_to() {
    let parent = TempDir::new().unwrap();
    let nowhere = parent.path().join("nowhere");
    let plan = json(&mut on(&nowhere, &["plan", "--cows", "3", "--game", "--json"]));
    assert!(!nowhere.exists());
    let steps = plan["pairs"].as_array().unwrap();
    assert!(steps.iter().map(|step| step["pair"].as_str().unwrap()).eq(THREE));
    for (step, before) in steps.iter().zip([""].into_iter().chain(THREE)) {
        let name = step["pair"].as_str().unwrap();
        assert_eq!(step["classes"], serde_json::json!([name]));
        assert_eq!(step["files"], serde_json::json!([format!("{name}.mora")]));
        let needs: &[&str] = if before.is_empty() { &[] } else { &[before] };
        assert_eq!(step["needs"], serde_json::json!(needs), "{name}");
        assert!(step["seconds"].as_f64().unwrap() > 0.0 && step["bytes"].as_u64().unwrap() > 0, "{step}");
        assert_eq!(step["memory"], step["least_memory"], "{name}: nothing can be left on disk");
    }
    let needs = stdout(&mut on(&nowhere, &["plan", "--cows", "4", "--class", "3-3+1-1", "--needs"]));
    let expected = "3-3:\n4-3: 3-3\n4-4: 3-3 4-3\n2-4+1-0: 3-3 4-3\n3-4+1-0: 4-3 4-4\n3-3+1-1: 2-4+1-0 3-4+1-0\n";
    assert_eq!(needs, expected);

    let directory = directory_with(&THREE[..3]);
    let text = stdout(&mut on(directory.path(), &["plan", "--cows", "3", "--game"]));
    assert!(text.contains("step ") && text.contains("3 of 7 steps exist already"), "{text}");
    let whole = json(&mut on(&nowhere, &["plan", "--game", "--json"]));
    assert_eq!(whole["pairs"].as_array().unwrap().len(), 55 + 738);
    assert_eq!(whole["entries"], 17_048_389_791_u64 + 98_773_054_953);
    assert!(whole["memory"].as_u64().unwrap() <= 12 << 30, "{}", whole["memory"]);
}

#[test]
fn a_class_with_cows_in_hand_is_built_alone_from_what_is_there_and_with_what_it_needs_otherwise() {
    let directory = TempDir::new().unwrap();
    let only = ["build", "--cows", "3", "--class", "2-2+1-1", "--only"];
    refused(&only, directory.path(), 2, &["2-2+1-1 cannot be built: 2-3+1-0 missing"]);
    assert_eq!(names(directory.path()), [""; 0]);
    build(&only[..5], directory.path());
    assert_holds(directory.path(), &contents(directory_with(&THREE[..3]).path()), "with what it needs");

    let directory = directory_with(&THREE[1..2]);
    for name in ["2-2+1-1.mora.17-0.tmp", "1-2+2-1.mora.1-0.tmp"] {
        fs::write(directory.path().join(name), "left").unwrap();
    }
    build(&only, directory.path());
    // What others are writing is theirs.
    assert_eq!(names(directory.path()), ["1-2+2-1.mora.1-0.tmp", "2-2+1-1.mora", "2-3+1-0.mora"]);
    assert!(fs::read(directory.path().join("2-2+1-1.mora")).unwrap() == reference(3)["2-2+1-1.mora"]);
}

#[test]
fn a_build_of_a_game_says_what_it_does_and_does_nothing_twice() {
    let directory = directory_with(&THREE[..5]);
    let built = build(&["build", "--cows", "3", "--game"], directory.path());
    let said = stderr(&built);
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].contains(": 2 of 7 steps to build, ") && lines[0].contains(" of memory"), "{said}");
    assert!(lines[1].starts_with("0-1+3-2: 24 entries in ") && lines[1].contains("; 1 of 2 steps, "), "{said}");
    assert!(!said.contains("longest"), "plies are not counted: {said}");
    assert!(String::from_utf8_lossy(&built.stdout).starts_with("built 2 of 7 steps, 5 already existed: "));
    let again = json(&mut on(directory.path(), &["build", "--cows", "3", "--game", "--json", "--quiet", "--recheck"]));
    assert_eq!((&again["present"], &again["built"]), (&7.into(), &serde_json::json!([])));
    assert_holds(directory.path(), reference(3), "built in two goes");
    refused(&["build", "--cows", "3", "--game", "--overwrite", "--memory", "1M"], directory.path(), 2, &["(for 3-3)"]);
    refused(&["build", "--cows", "4", "--game"], directory.path(), 2, &["other rules", "cows=3", "cows=4"]);
}

#[test]
fn a_table_with_the_hands_of_another_class_is_refused() {
    let directory = directory_with(&THREE[..3]);
    let file = |class: &str| directory.path().join(format!("{class}.mora"));
    let mut bytes = reference(3)["2-2+1-1.mora"].clone();
    // The same cows on the board, and so the same entries in the same order.
    bytes[34..36].copy_from_slice(&[2, 2]);
    let head = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[..head - 8]);
    bytes[head - 8..head].copy_from_slice(&checksum.to_le_bytes());
    fs::write(file("2-2+1-1"), &bytes).unwrap();
    let game = game("3");
    refused(&game, directory.path(), 1, &["2-2+1-1.mora", "expected class 2-2+1-1", "2-2+2-2"]);
    // Under its own name it is of a class that nobody has with three cows, so no request is about it.
    fs::rename(file("2-2+1-1"), file("2-2+2-2")).unwrap();
    build(&game, directory.path());
    fs::remove_file(file("2-2+2-2")).unwrap();
    assert_holds(directory.path(), reference(3), "once it is gone");
}

#[test]
fn tables_of_a_game_come_back_from_plain_bytes_byte_for_byte() {
    let directory = TempDir::new().unwrap();
    let (tables, raw, packed) = (directory.path().join("t"), directory.path().join("r"), directory.path().join("p"));
    fs::create_dir(&tables).unwrap();
    for (name, bytes) in reference(3) {
        fs::write(tables.join(name), bytes).unwrap();
    }
    stdout(on(&tables, &["unpack"]).arg("--output").arg(&raw));
    let bytes = fs::read(raw.join("2-2+1-1.raw")).unwrap();
    assert!(bytes.iter().all(|byte| [0, 1, 128].contains(byte)) && bytes.contains(&128), "drawn, won, lost");
    let sidecar: serde_json::Value = serde_json::from_slice(&fs::read(raw.join("2-2+1-1.json")).unwrap()).unwrap();
    assert_eq!((&sidecar["class"], &sidecar["bytes_per_entry"]), (&"2-2+1-1".into(), &1.into()));
    assert_eq!(sidecar["entries"], bytes.len());
    let files = THREE.map(|class| raw.join(format!("{class}.raw")));
    stdout(on(&packed, &["pack"]).args(&files));
    assert_holds(&packed, reference(3), "packed");

    let mut changed = bytes;
    changed[7] = 2;
    fs::write(raw.join("2-2+1-1.raw"), changed).unwrap();
    let mut about = sidecar;
    about.as_object_mut().unwrap().remove("checksum");
    fs::write(raw.join("2-2+1-1.json"), about.to_string()).unwrap();
    let refused = on(&packed, &["pack", "--overwrite"]).arg(&files[2]).output().unwrap();
    assert!(stderr(&refused).contains("entry 7 (block 0, rank 7) is 2: expected 0 (drawn), 1 (won) or 128 (lost)"));
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn lists_counts_and_lines_know_cows_in_hand() {
    let directory = directory_with(&THREE);
    let info = json(&mut on(directory.path(), &["info", "--json"]));
    let listed = info["classes"].as_array().unwrap();
    assert_eq!((listed.len(), &info["complete_up_to"]), (7, &6.into()));
    assert!(listed.iter().all(|class| class["missing"] == serde_json::json!([])), "{info}");

    let stats = json(&mut on(directory.path(), &["stats", "--class", "2-2+1-1", "--longest", "--json"]));
    let class = &stats["classes"][0];
    let nothing = &serde_json::Value::Null;
    assert_eq!((&class["max_dtc"], &class["longest"], &class["dtc"]), (nothing, nothing, &serde_json::json!([])));
    let text = stdout(&mut on(directory.path(), &["stats", "--class", "2-2+1-1"]));
    assert!(text.contains("class 2-2+1-1: ") && text.ends_with("plies are not counted\n"), "{text}");

    let lines = stdout(&mut on(directory.path(), &["export", "--class", "2-2+1-1", "--canonical", "--jsonl"]));
    let lines = json_lines(lines.as_bytes());
    let placements = |value: &str| {
        let those = lines.iter().filter(|line| line["value"] == value);
        those.map(|line| line["placements"].as_u64().unwrap()).sum::<u64>()
    };
    for value in ["won", "drawn", "lost"] {
        assert_eq!(class["full"][value], placements(value), "{value}");
    }
    assert_eq!(class["canonical"]["positions"], lines.len());
    for line in lines.iter().step_by(97) {
        let position = Position::from_notation(line["position"].as_str().unwrap(), &rules(3)).unwrap();
        assert_eq!((position.hands, &line["dtc"]), ([1, 1], nothing), "{line}");
        assert_eq!(u64::from(position.mover().bits()), line["mover"].as_u64().unwrap());
    }
    let csv = stdout(&mut on(directory.path(), &["export", "--class", "0-0+3-3", "--csv"]));
    assert_eq!(csv.lines().nth(1), Some("0-0+3-3,0,\"W:W:B:H3,3\",0,0,won,1,,1,false"));
}

#[test]
#[cfg(unix)]
fn make_builds_a_game_with_the_same_bytes() {
    if !tools::have(&["make"]) {
        return;
    }
    let directory = TempDir::new().unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/build.mk");
    let variable = |name: &str, value: &Path| format!("{name}={}", value.display());
    let mut make = Command::new("make");
    make.arg("-j2").arg("-f").arg(file).args([format!("RULES={}", rules(3)), "WHAT=--game".to_owned()]);
    make.args([variable("MORABASE", BINARY.as_ref()), variable("TABLES", directory.path())]);
    stdout(&mut make);
    assert_holds(directory.path(), reference(3), "built by make");
}
