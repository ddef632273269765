//! Holds the JSON of each object to its established form: keys, their order, and what is null or left out. The data is
//! under `golden/`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value as Json;

use crate::board::{BoardKind, Symmetry};
use crate::build::{Plan, Request, StepReport, Target};
use crate::game::{Fen, Outcome, PointForm, Position, Reason, Side};
use crate::manifest::{FileHash, FileReport, Finding, Listed, Manifest};
use crate::probe::{Line, LineEnd, Probe, Tablebase};
use crate::rules::{Preset, RuleSet};
use crate::space::Class;
use crate::space::Space;
use crate::table::TableFault;
use crate::testing;
use crate::value::{Plies, Value};
use crate::verify::{ClassReport, Fault, Report};

use super::*;

/// The documentation of the keys.
const PAGE: &str = include_str!("../../docs/json.md");

/// Compares lines of objects with the data, and looks up each key in the documentation.
fn check(objects: &[&dyn Object], golden: &str) {
    let lines: Vec<String> = objects.iter().map(|object| object.json()).collect();
    assert_eq!(lines, golden.lines().collect::<Vec<_>>());
    for line in golden.lines() {
        check_keys(&serde_json::from_str(line).unwrap());
    }
}

/// An object of any type.
trait Object {
    fn json(&self) -> String;
}

impl<T: Serialize> Object for T {
    fn json(&self) -> String {
        to_json(self).unwrap()
    }
}

fn check_keys(object: &Json) {
    match object {
        Json::Object(keys) => {
            for (key, value) in keys {
                // By itself, within another, containing others, or in an example.
                let spellings = ["`{}`", ".{}`", "`{}[", "`{}.", "\"{}\""].map(|form| form.replace("{}", key));
                assert!(spellings.iter().any(|spelling| PAGE.contains(spelling)), "docs/json.md lacks {key:?}");
                check_keys(value);
            }
        }
        Json::Array(values) => values.iter().for_each(check_keys),
        _ => {}
    }
}

fn gar() -> RuleSet {
    Preset::Gar.rules()
}

/// Class 3-3 under the default rules, and a file that is not a table.
fn tables() -> Tablebase {
    let solved = testing::solved(&gar(), 6);
    let files = solved.values().map(|values| testing::file(&gar(), values));
    Tablebase::from_bytes(files.chain([("4-3.mora".to_owned(), b"junk".to_vec())])).unwrap()
}

fn class(text: &str) -> Class {
    text.parse().unwrap()
}

fn position(text: &str) -> Position {
    Position::from_notation(text, &gar()).unwrap()
}

#[test]
fn an_answer_has_its_keys_in_order_and_leaves_out_what_was_not_asked() {
    let tables = tables();
    let late = "W:Wg1,a1,d6:Bd1,d2,d3:C10";
    let probe = tables.probe(&position(late)).unwrap();
    let turns = tables.turns(&position(late)).unwrap();
    let whole = ProbeJson::new(late, &probe).with_rules(&gar()).with_turns(&turns[..2], PointForm::Grid);
    let without_turns = ProbeJson::new(late, &probe).with_error("why");
    let over = "W:Wa7,d7:Bb6,d6,c5";
    let over = ProbeJson::new(over, &tables.probe(&position(over)).unwrap());
    let refusal = RefusalJson::new("W:", "no position");
    check(&[&whole, &without_turns, &over, &refusal], include_str!("golden/probe.json"));
}

#[test]
fn a_line_names_its_movers_and_its_end_for_the_side_that_begins() {
    let tables = tables();
    let start = position("B:Wa7,d7,d6:Ba4,g1,d1");
    let line = tables.line(&start).unwrap();
    let drawn = Line { turns: Vec::new(), end: LineEnd::Drawn, ..line.clone() };
    let objects = [line, drawn].map(|line| LineJson::new(&start, &line, PointForm::Gar));
    check(&[&objects[0], &objects[1]], include_str!("golden/line.json"));
    let blocked = LineEnd::Over(Outcome::Won(Side::First, Reason::Blocked));
    let [winner, loser] = [Side::First, Side::Second].map(|side| LineEndJson::new(blocked, side));
    assert_eq!([winner.result, winner.reason, loser.result, loser.reason], ["won", "blocked", "lost", "blocked"]);
}

#[test]
fn turns_and_half_turns_of_a_position_have_the_same_keys() {
    let text = "W:Wa7,d7,g7:Bb6,d6,c5:S";
    let shots = TurnsJson::half(text, &position(text), &gar(), PointForm::Grid);
    let blocked = "B:Wa7,d7,g7,b6:Ba1,d1,g1,d2";
    let turns = TurnsJson::new(blocked, &position(blocked), &gar(), PointForm::Gar);
    check(&[&shots, &turns], include_str!("golden/turns.json"));
}

#[test]
fn a_position_is_given_in_every_format() {
    let objects = ["W:Wa7,d7,g7:Bb6,d6,c5:C3", "W:Wa7,d7:Bb6,d6,c5"]
        .map(|text| PositionJson::new(&Fen { position: position(text), move_number: 7 }, &gar()));
    check(&[&objects[0], &objects[1]], include_str!("golden/show.json"));
}

#[test]
fn leaf_counts_are_given_with_and_without_their_first_turns() {
    let turns = ["a7".parse().unwrap(), "d2-d3xa7".parse().unwrap()];
    let divided = PerftJson::new(2, 7).with_turns(turns.into_iter().zip([3, 4]));
    check(&[&PerftJson::new(4, 255_024), &divided, &DistinctJson::new(4, 4200)], include_str!("golden/perft.json"));
}

#[test]
fn rules_are_spelt_out_with_null_for_what_there_is_not() {
    let bare = RuleSet { counter: None, ..gar() };
    check(&[&RulesJson::new(&gar()), &RulesJson::new(&bare)], include_str!("golden/rules.json"));
    assert_eq!(RulesJson::presets().len(), Preset::ALL.len());
}

#[test]
fn statistics_show_the_longest_only_where_it_was_looked_for() {
    let tables = tables();
    let mut stats = ClassStatsJson::new(tables.meta(class("3-3")).unwrap());
    // All rows have the same shape: two are enough.
    stats.dtc.truncate(2);
    let mut longest = LongestJson::find(&tables, class("3-3")).unwrap();
    // The length depends on the codec, which is not tested here.
    assert_eq!(tables.file_length(class("3-3")), Some(std::mem::replace(&mut longest.bytes, 1000)));
    let nothing = LongestJson { bytes: 1000, longest: None };
    let classes = [stats.clone(), stats.clone().with_longest(longest), stats.with_longest(nothing)];
    let [plain, found, none] = classes.map(|class| StatsJson::new(&gar(), vec![class]));
    check(&[&plain, &found, &none], include_str!("golden/stats.json"));
}

#[test]
fn records_stand_longest_first_with_a_position_where_one_was_looked_for() {
    let tables = tables();
    let record = RecordJson::new(tables.meta(class("3-3")).unwrap()).unwrap();
    let shorter = RecordJson { class: "4-3".to_owned(), max_dtc: 2, ..record.clone() };
    let longest = LongestJson::find(&tables, class("3-3")).unwrap().longest;
    let records = RecordsJson::new(&gar(), vec![shorter, record.with_longest(longest)]);
    check(&[&records], include_str!("golden/records.json"));
}

#[test]
fn tables_are_listed_with_their_faults() {
    let tables = tables();
    let mut info = InfoJson::new(&tables).unwrap();
    // The length depends on the codec, which is not tested here.
    assert_eq!(info.bytes, tables.file_length(class("3-3")).unwrap());
    assert_eq!(info.classes[0].bytes, std::mem::replace(&mut info.bytes, 1000));
    info.classes[0].bytes = 1000;
    let (_, error) = tables.faults().next().unwrap();
    assert_eq!(std::mem::replace(&mut info.damaged[0].error, "why".to_owned()), error.to_string());
    check(&[&info], include_str!("golden/info.json"));
}

#[test]
fn a_plan_has_a_figure_for_every_pair_and_sums() {
    let plan = Plan::new(&Request::new(&gar(), Path::new("nowhere"), Target::MaxCows(7))).unwrap();
    let times = [Duration::from_millis(250), Duration::from_secs(2)];
    let mut object = PlanJson::new(&plan, &times).unwrap();
    assert_eq!(object.memory, object.pairs.iter().map(|pair| pair.memory).max().unwrap());
    assert_eq!(object.bytes, object.pairs.iter().map(|pair| pair.bytes).sum::<u64>());
    // The estimates depend on the solver and the codec, which are not tested here.
    (object.memory, object.bytes) = (3, 30);
    for (pair, estimate) in object.pairs.iter_mut().zip(1..) {
        (pair.least_memory, pair.memory, pair.bytes) = (estimate, 2 * estimate, 10 * estimate);
    }
    check(&[&object], include_str!("golden/plan.json"));
}

#[test]
fn a_build_reports_each_pair() {
    let plan = Plan::new(&Request::new(&gar(), Path::new("nowhere"), Target::MaxCows(6))).unwrap();
    let report = StepReport {
        class: class("3-3"),
        entries: 210_140,
        bytes: 34_277,
        longest: 16,
        time: Duration::from_millis(1500),
        packing: Duration::from_millis(250),
    };
    check(&[&BuildJson::new(&plan, &[report]), &BuildJson::new(&plan, &[])], include_str!("golden/build.json"));
}

#[test]
fn a_fault_is_counted_and_told() {
    let fault = Fault::Count {
        class: class("3-3"),
        file: PathBuf::from("3-3.mora"),
        what: "won".to_owned(),
        stored: 1,
        counted: 2,
    };
    let text = fault.to_string();
    let mut class = ClassReport::new(class("3-3"));
    (class.walked, class.probed, class.fault_count, class.faults) = (20, 10, 1, vec![fault]);
    let report = Report { classes: vec![class] };
    let [mut faulty, empty] = [report, Report::default()].map(|report| VerifyJson::new(&gar(), &report));
    assert_eq!(std::mem::replace(&mut faulty.classes[0].first, vec!["why".to_owned()]), [text]);
    check(&[&faulty, &empty], include_str!("golden/verify.json"));
}

/// A file with each possible result.
fn found_files() -> Vec<FileReport> {
    let [expected, found] = [&b"abc"[..], b""].map(FileHash::of);
    let findings = [
        Finding::Sound { bytes: 34_277 },
        Finding::OtherBytes { expected: 34_277, found: 5 },
        Finding::OtherHash { expected, found },
        Finding::Unreadable(TableFault::BadName.at("tables/3-3.mora".as_ref())),
        Finding::Missing,
        Finding::NotListed,
    ];
    findings.map(|finding| FileReport { class: class("3-3"), file: "tables/3-3.mora".into(), finding }).to_vec()
}

#[test]
fn manifests_and_what_is_found_of_their_files_are_as_ever() {
    let hash = FileHash::of(b"abc");
    let text = format!("# morabase manifest 1\n# rules {}\n# files 1\n# bytes 34277\n{hash}  3-3.mora\n", gar());
    let manifest: Manifest = text.parse().unwrap();
    assert_eq!(manifest.files(), [Listed { class: class("3-3"), bytes: 34_277, hash }]);
    let checked = ManifestCheckJson::new("gar.manifest", &found_files());
    let report = VerifyJson::new(&gar(), &Report::default()).with_manifest(checked);
    check(&[&ManifestJson::new(&manifest), &report], include_str!("golden/manifest.json"));
}

#[test]
fn files_are_told_and_counted_in_words() {
    let files = found_files();
    let lines: Vec<String> = files.iter().map(file_text).collect();
    assert_eq!(lines[0], "tables/3-3.mora  34,277 bytes: sound");
    assert_eq!(lines[1], "tables/3-3.mora  differs: 5 bytes, expected 34,277");
    assert!(lines[2].starts_with("tables/3-3.mora  differs: SHA-256 e3b0") && lines[2].contains(", expected ba78"));
    assert!(lines[3].starts_with("tables/3-3.mora: "), "{}", lines[3]);
    assert_eq!(lines[4..], ["tables/3-3.mora  missing", "tables/3-3.mora  not named by the manifest"]);
    let all = "5 files: 1 sound, 2 differ, 1 unreadable, 1 missing; 1 more not named by the manifest";
    assert_eq!(files_text(&files), all);
    assert_eq!(files_text(&files[1..2]), "1 file: 0 sound, 1 differs");
}

#[test]
fn an_entry_has_the_same_columns_in_both_formats() {
    let [mover, waiting] = position("W:Wa7,d7,g7:Ba1,d1,b4").cows;
    let space = Space::new(BoardKind::Morabaraba, class("3-3"));
    let entry = space.entry(mover, waiting);
    let fixing: Vec<Symmetry> = space.mover_orbits().stabiliser(entry.block).collect();
    let values = [Value::Won(Plies(7)), Value::Drawn, Value::Lost(Plies(2))];
    let entries = values.map(|value| EntryJson::new(space, "3-3", entry, value, &fixing).unwrap());
    check(&[&entries[0], &entries[1], &entries[2]], include_str!("golden/export.json"));
    for entry in &entries {
        let (mut json, mut csv) = (Vec::new(), Vec::new());
        entry.write_json(&mut json).unwrap();
        assert_eq!(json, (to_json(entry).unwrap() + "\n").into_bytes());
        entry.write_csv(&mut csv).unwrap();
        let position = format!("\"{}\"", entry.position);
        let dtc = entry.dtc.map_or_else(String::new, |plies| plies.to_string());
        let cells = String::from_utf8(csv).unwrap().replace(&position, "P");
        let expected = format!("3-3,225,P,7,{},{},{},{dtc},16,", entry.waiting, entry.value, entry.wdl);
        assert!(cells.starts_with(&expected), "{cells}");
        // As many as there are names.
        assert_eq!(cells.matches(',').count(), EntryJson::COLUMNS.matches(',').count());
    }
    let keys: Vec<String> = EntryJson::COLUMNS.split(',').map(|name| format!("\"{name}\":")).collect();
    let json = to_json(&entries[0]).unwrap();
    let places: Vec<Option<usize>> = keys.iter().map(|key| json.find(key.as_str())).collect();
    assert!(places.is_sorted() && !places.contains(&None), "{json}");
}

#[test]
fn answers_tell_what_the_counter_and_a_restriction_change() {
    let [won, lost] = [Value::Won(Plies(7)), Value::Lost(Plies(2))];
    let text = |value, at_zero, unrestricted| {
        answer_text(&Probe { value, at_zero, unrestricted, class: Some(class("4-3")), outcome: None })
    };
    assert_eq!(text(won, won, won), "won: shot or end in 7 plies");
    assert_eq!(text(Value::Lost(Plies(1)), lost, lost), "lost: shot or end in 1 ply");
    assert_eq!(text(Value::Drawn, Value::Drawn, Value::Drawn), "drawn");
    assert_eq!(text(Value::Drawn, won, won), "drawn: the draw counter runs out before a win in 7 plies");
    assert_eq!(text(Value::Drawn, lost, lost), "drawn: the draw counter runs out before a loss in 2 plies");
    assert_eq!(text(lost, lost, won), "lost: shot or end in 2 plies (without the no-remake rule won in 7 plies)");
}

#[test]
fn notes_on_turns_name_the_end_the_shot_and_the_counter() {
    let tables = tables();
    let note = |text: &str| turn_note(&tables.turns(&position(text)).unwrap()[0]);
    assert_eq!(note("B:Wa7,d7,d6:Ba4,g1,d1"), Some("ends the game"));
    assert_eq!(note("W:Wg1,a1,d6:Bd1,d2,d3:C10"), Some("lost but for the draw counter"));
    assert_eq!(note("B:Wg1,a1,a7:Bd1,d2,d3:C10"), Some("won but for the draw counter"));
    assert_eq!(note("W:Wg1,a1,d6:Bd1,d2,d3"), None);
}

#[test]
fn captions_and_outcomes_name_the_players_with_their_signs() {
    let caption = |text: &str| caption(&gar(), &position(text));
    assert_eq!(caption("W:Wd6,b6,f6:Bd7,a4:H9,10:S"), "first player (O) to shoot; in hand 9 and 10");
    assert_eq!(caption("B:Wa7,d7,g1:Bb6,d6,b4:C3"), "second player (@) to move; counter 3 of 20");
    let wikipedia = Preset::Wikipedia.rules();
    let barred = Position::from_notation("B:Wa7,d7,g7,c4,c3,b4:Bd3,e3,d2,g1:LWa4-a7", &wikipedia).unwrap();
    let expected = "second player (@) to move; first player (O) may not remake what a4-a7 broke";
    assert_eq!(super::caption(&wikipedia, &barred), expected);
    let outcome = |text: &str| position(text).outcome(&gar()).map(outcome_text);
    let few = "the game is over: second player (@) has won, as the opponent has fewer than three cows";
    assert_eq!(outcome("W:Wa7,d7:Bb6,d6,c5").as_deref(), Some(few));
    let counter = "the game is over: drawn, as the draw counter has run out";
    assert_eq!(outcome("W:Wa7,d7,g1:Bb6,d6,b4:C20").as_deref(), Some(counter));
    assert_eq!(outcome("W:Wa7,d7,g1:Bb6,d6,b4"), None);
}
