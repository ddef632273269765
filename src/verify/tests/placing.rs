//! The same for classes with cows in hand, over decoded tables.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;
use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;

use super::{class, faults, place};
use crate::lookahead::Values;
use crate::probe::Tablebase;
use crate::rules::{Preset, RuleSet};
use crate::solve::{Control, solve_game};
use crate::space::{Class, Entry};
use crate::store::file_name;
use crate::table::{Table, encode_table};
use crate::testing;
use crate::value::Value;
use crate::verify::{ClassReport, Depth, Fault, Options, Progress, Verifier, verify};

/// The smallest game in which a shot does not always end the game.
static FOUR: LazyLock<BTreeMap<Class, Values>> = LazyLock::new(|| game(&four()));

fn four() -> RuleSet {
    Preset::Gar.rules().with_cows(4)
}

fn game(rules: &RuleSet) -> BTreeMap<Class, Values> {
    solve_game(rules, &Control::default()).unwrap()
}

/// The findings of checking counts and every entry of a class over decoded tables, and the final progress.
fn walk(tables: &Tablebase, class: Class) -> (ClassReport, Progress) {
    let progress = Progress::default();
    let options = Options { classes: vec![class], ..Options::default() };
    let mut found = ClassReport::new(class);
    let walked = Verifier::new(tables, &options, &progress).walk(class, &mut found);
    if let Err(error) = walked {
        found.add(Fault::Table { class, error });
    }
    (found, progress)
}

/// The tables of the classes that a class's turns lead to, with this one for the class itself.
fn with_successors(own: &Values) -> Tablebase {
    let next = own.class().successors();
    testing::tablebase(&four(), next.iter().map(|class| &FOUR[&class]).chain([own]))
}

fn texts(report: &ClassReport) -> Vec<String> {
    report.faults.iter().map(Fault::to_string).collect()
}

/// Entries without twins.
fn single(values: &Values) -> impl Iterator<Item = Entry> {
    let space = values.space();
    let blocks = (0..space.blocks()).filter(move |block| !space.mover_orbits().has_twins(*block));
    blocks.flat_map(move |block| (0..space.block_entries()).map(move |rank| Entry { block, rank }))
}

/// The other results.
fn lies(truth: Value) -> [Value; 2] {
    match truth {
        Value::Winning => [Value::Drawn, Value::Losing],
        Value::Losing => [Value::Drawn, Value::Winning],
        _ => [Value::Losing, Value::Winning],
    }
}

#[test]
fn sound_tables_of_small_games_pass_entry_by_entry() {
    let three = Preset::ALL.map(|preset| preset.rules().with_cows(3));
    let nine = Preset::NineMensMorris.rules().with_cows(4);
    for rules in three.into_iter().chain([nine, four()]) {
        let solved;
        let classes = if rules == four() {
            &*FOUR
        } else {
            solved = game(&rules);
            &solved
        };
        let tables = testing::tablebase(&rules, classes.values());
        for class in Class::all_placing(rules.cows) {
            let (report, progress) = walk(&tables, class);
            assert_eq!(texts(&report), [""; 0], "{class} under {rules}");
            let entries = classes[&class].space().entries();
            let progress = [progress.checked, progress.total].map(AtomicU64::into_inner);
            assert_eq!((report.walked, progress), (entries, [entries; 2]), "{class} under {rules}");
        }
    }
}

#[test]
fn tables_with_cows_in_hand_are_among_those_checked_if_no_class_is_named() {
    let tables = testing::tablebase(&four(), FOUR.values());
    let progress = Progress::default();
    drop(Verifier::new(&tables, &Options::default(), &progress));
    let entries: u64 = FOUR.values().map(|values| values.space().entries()).sum();
    assert_eq!(progress.total.into_inner(), entries);
    let report = verify(&tables, &Options { depth: Depth::Files, ..Options::default() });
    assert_eq!(faults(&report), [""; 0]);
    let checked: BTreeSet<Class> = report.classes.iter().map(|report| report.class).collect();
    assert!(checked.into_iter().eq(FOUR.keys().copied()));
}

#[test]
fn wrong_results_are_named_with_place_and_position() {
    let mut classes = 0;
    for class in Class::all_placing(4) {
        let values = &FOUR[&class];
        let entries: Vec<Entry> = single(values).collect();
        let mut told = Vec::new();
        for (number, &entry) in entries.iter().step_by(entries.len() / 5 + 1).enumerate() {
            let truth = values.at(place(values, entry));
            told.push((entry, lies(truth)[number % 2], truth));
        }
        let changes: Vec<_> = told.iter().map(|(entry, lie, _)| (place(values, *entry), *lie)).collect();
        let (report, _) = walk(&with_successors(&values.with(&changes)), class);
        assert_eq!(report.fault_count, told.len() as u64, "{:?}", texts(&report));
        for (fault, text) in report.faults.iter().zip(texts(&report)) {
            let Fault::Value { entry, position, stored, follows, .. } = fault else { panic!("{fault}") };
            assert!(told.contains(&(*entry, *stored, *follows)), "{fault}");
            assert_eq!(values.space().entry(position.mover(), position.waiting()), *entry);
            assert_eq!(position.hands, [class.mover_hand(), class.waiting_hand()]);
            assert!(text.starts_with(&format!("{class}: block {}, entry {}, W:W", entry.block, entry.rank)), "{text}");
            assert!(text.contains(&format!(":H{},{}: ", class.mover_hand(), class.waiting_hand())), "{text}");
            assert!(text.ends_with(&format!("the table says {stored}, its turns lead to {follows}")), "{text}");
        }
        classes += usize::from(!told.is_empty());
    }
    // Some symmetry fixes every set of fewer than two cows.
    assert_eq!(classes, Class::all_placing(4).iter().filter(|class| class.mover() >= 2).count());
}

#[test]
fn a_wrong_result_of_the_empty_board_is_found() {
    let values = &FOUR[&class("0-0+4-4")];
    let truth = values.at(0);
    for lie in lies(truth) {
        let (report, _) = walk(&with_successors(&values.with(&[(0, lie)])), values.class());
        let expected =
            format!("0-0+4-4: block 0, entry 0, W:W:B:H4,4: the table says {lie}, its turns lead to {truth}");
        assert_eq!(texts(&report), [expected]);
    }
}

#[test]
fn twins_with_different_results_are_found() {
    let values = &FOUR[&class("2-2+2-2")];
    let space = values.space();
    for block in (0..space.blocks()).filter(|block| space.mover_orbits().has_twins(*block)).step_by(3) {
        let (rank, twin) = space.twin_ranks(block).next().unwrap();
        for changed in [rank, twin] {
            let at = place(values, Entry { block, rank: changed });
            let (report, _) = walk(&with_successors(&values.with(&[(at, lies(values.at(at))[0])])), values.class());
            let is_it = |fault: &Fault| {
                matches!(fault, Fault::Twins { entry, twin: other, .. }
                    if *entry == Entry { block, rank } && *other == Entry { block, rank: twin })
            };
            assert!(report.faults.iter().any(is_it), "{:?}", texts(&report));
        }
    }
}

#[test]
fn wrong_counts_in_the_head_are_found() {
    for name in ["1-1+3-3", "3-3+1-1", "2-3+2-1"] {
        let values = &FOUR[&class(name)];
        let (file, bytes) = testing::file(&four(), values);
        let mut meta = Table::from_bytes(file.as_ref(), bytes).unwrap().meta().clone();
        meta.full.drawn += 1;
        let mut file = Cursor::new(Vec::new());
        encode_table(&mut file, &meta, values.symbols()).unwrap();
        let next = values.class().successors().iter().map(|class| testing::file(&four(), &FOUR[&class]));
        let tables = next.chain([(file_name(values.class()), file.into_inner())]);
        let (report, _) = walk(&Tablebase::from_bytes(tables).unwrap(), values.class());
        assert_eq!(report.fault_count, 1, "{:?}", texts(&report));
        assert!(texts(&report)[0].contains("drawn positions (full)"), "{:?}", texts(&report));
    }
}

#[test]
fn a_missing_table_that_turns_lead_to_is_one_fault() {
    let own = &FOUR[&class("3-3+1-1")];
    for (missing, there) in [("3-4+1-0", "2-4+1-0"), ("2-4+1-0", "3-4+1-0")] {
        let tables = testing::tablebase(&four(), [own, &FOUR[&class(there)]]);
        let report = verify(&tables, &Options { classes: vec![own.class()], ..Options::default() });
        let [report] = &report.classes[..] else { panic!() };
        assert_eq!(report.fault_count, 1, "{:?}", texts(report));
        assert!(texts(report)[0].contains(&format!("{missing}.mora")), "{:?}", texts(report));
    }
    let report =
        verify(&testing::tablebase(&four(), []), &Options { classes: vec![own.class()], ..Options::default() });
    assert!(faults(&report)[0].contains("3-3+1-1.mora"), "{:?}", faults(&report));
}

#[test]
fn sound_tables_of_small_games_pass_through_the_public_path() {
    let tables = testing::tablebase(&four(), FOUR.values());
    let report = verify(&tables, &Options { depth: Depth::Sample(20_000), seed: 3, ..Options::default() });
    assert_eq!(faults(&report), [""; 0]);
    let probed = report.classes.iter().filter(|report| report.class.has_hands()).map(|report| report.probed);
    assert!(probed.sum::<u64>() > 2_000);
    // A few entries of each class also take that path when all are walked.
    let classes = Class::all_placing(4);
    let report = verify(&tables, &Options { classes, ..Options::default() });
    assert_eq!(faults(&report), [""; 0]);
    assert!(report.classes.iter().all(|report| report.probed == report.walked.min(2_000)));
}

#[test]
fn wrong_results_are_found_by_a_sample() {
    let class = class("3-3+1-1");
    let values = &FOUR[&class];
    // Makes every draw and every loss a win.
    let lies = (0..values.symbols().len()).filter(|at| values.at(*at) != Value::Winning).map(|at| (at, Value::Winning));
    let tables = with_successors(&values.with(&lies.collect::<Vec<_>>()));
    let options = Options { classes: vec![class], depth: Depth::Sample(1_000), ..Options::default() };
    let report = verify(&tables, &options);
    assert!(report.classes[0].fault_count > 0);
    assert!(report.classes[0].faults.iter().all(|fault| matches!(fault, Fault::Value { stored: Value::Winning, .. })));
}
