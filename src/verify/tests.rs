//! Sound tables pass, and every kind of false claim is found and named.

mod placing;

use super::report::REPORTED;
use super::*;
use crate::alphabet::Alphabet;
use crate::board::BoardKind;
use crate::rules::{Preset, RuleSet};
use crate::solve::{Control, Dependencies, solve_pair};
use crate::space::{Entry, Space};
use crate::store::file_name;
use crate::table::{TableMeta, encode_table};
use crate::testing::{self, GAR};
use crate::value::{Plies, Value, Wdl};

fn class(text: &str) -> Class {
    text.parse().unwrap()
}

fn run(tables: &Tablebase, options: &Options) -> Report {
    verify(tables, options)
}

fn faults(report: &Report) -> Vec<String> {
    report.classes.iter().flat_map(|class| &class.faults).map(Fault::to_string).collect()
}

#[test]
fn sound_tables_of_every_preset_pass_entry_by_entry() {
    for preset in Preset::ALL {
        let rules = preset.rules();
        let solved;
        let classes = if preset == Preset::Gar {
            &*GAR
        } else {
            solved = testing::solved(&rules, if preset == Preset::Wikipedia { 8 } else { 7 });
            &solved
        };
        let tables = testing::tablebase(&rules, classes.values());
        let progress = Progress::default();
        let report = Report { classes: Verifier::new(&tables, &Options::default(), &progress).collect() };
        assert_eq!(faults(&report), [""; 0], "{}", preset.name());
        let entries: u64 = classes.values().map(|values| values.space().entries()).sum();
        assert_eq!(report.classes.iter().map(|class| class.walked).sum::<u64>(), entries);
        assert_eq!(progress.checked.into_inner(), entries);
        let report = run(&tables, &Options { depth: Depth::Sample(5000), seed: 3, ..Options::default() });
        assert_eq!(faults(&report), [""; 0], "{}", preset.name());
        assert_eq!(report.classes.iter().map(|class| class.probed).sum::<u64>(), 5000);
    }
}

#[test]
fn every_entry_of_a_class_passes_through_the_public_path() {
    // On a full board there are no turns, so the class needs no other.
    let full = class("12-12");
    let alphabet = Alphabet::new([Value::Lost(Plies(0))]).unwrap();
    let space = Space::new(BoardKind::Morabaraba, full);
    let lost = vec![alphabet.first_lost(); space.entries() as usize];
    let tables = testing::tablebase(&Preset::Gar.rules(), [&Values::new(space, alphabet, lost).unwrap()]);
    let report = run(&tables, &Options { depth: Depth::Probed, ..Options::default() });
    assert_eq!(faults(&report), [""; 0]);
    assert_eq!(report.classes[0].probed, 170_854);
}

/// The tables of up to 7 cows, with some values of one class changed and the head as if they were right.
fn with_changes(name: &str, changes: &[(usize, Value)]) -> Tablebase {
    let rules = Preset::Gar.rules();
    let files = GAR.values().filter(|values| values.class().total() <= 7).map(|values| {
        if values.class() == class(name) {
            testing::file(&rules, &values.with(changes))
        } else {
            testing::file(&rules, values)
        }
    });
    Tablebase::from_bytes(files).unwrap()
}

fn with_changed_value(name: &str, block: u32, rank: u32, value: Value) -> Tablebase {
    with_changes(name, &[(place(&GAR[&class(name)], Entry { block, rank }), value)])
}

fn place(values: &Values, entry: Entry) -> usize {
    values.space().number(entry) as usize
}

#[test]
fn a_wrong_value_is_named_with_its_place_and_position() {
    // A block whose mover's set no symmetry fixes, so that the entry has no twin.
    let (block, rank) = (300, 77);
    assert_eq!(GAR[&class("4-3")].space().mover_orbits().stabiliser(block).count(), 1);
    let values = &GAR[&class("4-3")];
    let true_value = values.at(place(values, Entry { block, rank }));
    let wrong = if true_value == Value::Drawn { Value::Won(Plies(9)) } else { Value::Drawn };
    let tables = with_changed_value("4-3", block, rank, wrong);
    let report = run(&tables, &Options { classes: vec![class("4-3")], ..Options::default() });
    assert_eq!(report.classes[0].fault_count, 1);
    let text = &faults(&report)[0];
    assert!(text.starts_with(&format!("4-3: block {block}, entry {rank}, W:W")), "{text}");
    assert!(text.contains(&format!("the table says {wrong}, its turns lead to {true_value}")), "{text}");
}

#[test]
fn wrong_values_are_found_by_a_sample_and_the_same_seed_gives_the_same() {
    // Makes every slow loss a ply too slow.
    let values = &GAR[&class("3-4")];
    let slower = (0..values.symbols().len()).filter_map(|place| match values.at(place) {
        Value::Lost(Plies(plies)) if plies > 1 => Some((place, Value::Lost(Plies(plies + 1)))),
        _ => None,
    });
    let tables = with_changes("3-4", &slower.collect::<Vec<_>>());
    let options = Options { depth: Depth::Sample(3000), seed: 4, ..Options::default() };
    let report = run(&tables, &options);
    assert!(report.classes.iter().map(|class| class.fault_count).sum::<u64>() > 3);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(|| run(&tables, &options));
    assert_eq!(faults(&one), faults(&report));
    let other = run(&tables, &Options { seed: 5, ..options });
    assert_ne!(faults(&other), faults(&report));
}

#[test]
fn a_wrong_value_at_an_entry_with_twins_is_found() {
    let values = &GAR[&class("4-3")];
    let space = values.space();
    let orbits = space.mover_orbits();
    let symmetric = (0..space.blocks()).find(|&block| orbits.stabiliser(block).count() == 16).unwrap_or(0);
    for rank in [0, 5, 17, 100, 600] {
        let true_value = values.at(place(values, Entry { block: symmetric, rank }));
        let wrong = if true_value == Value::Drawn { Value::Lost(Plies(8)) } else { Value::Drawn };
        let tables = with_changed_value("4-3", symmetric, rank, wrong);
        let report = run(&tables, &Options { classes: vec![class("4-3")], ..Options::default() });
        assert!(!report.is_sound(), "{rank}");
    }
}

#[test]
fn wrong_counts_in_the_head_are_found() {
    let rules: RuleSet = Preset::Gar.rules();
    let values = &GAR[&class("3-3")];
    let (_, bytes) = testing::file(&rules, values);
    let table = crate::table::Table::from_bytes("3-3.mora".as_ref(), bytes).unwrap();
    let mut meta: TableMeta = table.meta().clone();
    // Together they are as many as before; otherwise the head alone would be refused.
    meta.canonical.won += 1;
    meta.canonical.lost -= 1;
    let mut file = std::io::Cursor::new(Vec::new());
    // The writer cannot detect that these counts are wrong: it knows no symmetries.
    encode_table(&mut file, &meta, values.symbols()).unwrap();
    let tables = Tablebase::from_bytes([(file_name(class("3-3")), file.into_inner())]).unwrap();
    let report = run(&tables, &Options::default());
    assert!(faults(&report)[0].contains("won positions (canonical)"), "{:?}", faults(&report));
}

#[test]
fn flipped_bits_and_missing_dependencies_are_faults_that_name_the_file() {
    let rules = Preset::Gar.rules();
    let (name, mut bytes) = testing::file(&rules, &GAR[&class("3-3")]);
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    let tables = Tablebase::from_bytes([(name, bytes)]).unwrap();
    for depth in [Depth::Whole, Depth::Files, Depth::Sample(10)] {
        let report = run(&tables, &Options { depth, ..Options::default() });
        assert!(faults(&report)[0].contains("3-3.mora"), "{:?}", faults(&report));
    }
    let tables = testing::tablebase(&rules, [&GAR[&class("4-3")]]);
    let report = run(&tables, &Options::default());
    assert!(faults(&report)[0].contains("3-4.mora"), "{:?}", faults(&report));
    let report = run(&tables, &Options { classes: vec![class("6-6")], ..Options::default() });
    assert!(faults(&report)[0].contains("6-6.mora"), "{:?}", faults(&report));
}

/// A false claim about a true value.
type Lie = fn(Value) -> Option<Value>;

#[test]
fn wrong_values_are_found_where_only_the_look_ahead_tells() {
    let lies: [Lie; 6] = [
        |truth| (truth == Value::Drawn).then_some(Value::Won(Plies(1))),
        |truth| (truth == Value::Drawn).then_some(Value::Lost(Plies(3))),
        |truth| (truth.wdl() == Wdl::Won).then_some(Value::Drawn),
        |truth| (truth.wdl() == Wdl::Won).then_some(Value::Won(Plies(1))),
        |truth| match truth {
            Value::Won(Plies(plies)) => Some(Value::Won(Plies(plies + 1))),
            Value::Lost(Plies(plies)) => Some(Value::Lost(Plies(plies + 1))),
            Value::Winning | Value::Drawn | Value::Losing => None,
        },
        |truth| (truth.wdl() == Wdl::Lost).then_some(Value::Drawn),
    ];
    for preset in [Preset::Gar, Preset::Gar10] {
        let rules = preset.rules();
        let solved;
        let smaller = if preset == Preset::Gar {
            &*GAR
        } else {
            solved = testing::solved(&rules, 8);
            &solved
        };
        // The smallest pair whose shots may bind.
        let mut dependencies = Dependencies::default();
        for values in smaller.values() {
            dependencies.add(values);
        }
        let pair = solve_pair(&rules, class("5-4"), &dependencies, &Control::default()).unwrap();
        let tables = testing::tablebase(&rules, smaller.values());
        let entries = whole::worse_by_binding(&rules, &tables, [&pair[0], &pair[1], &smaller[&class("3-5")]]);
        let mut told: Vec<(Entry, Value, Value)> = Vec::new();
        for lie in lies {
            let untouched = entries.iter().filter(|entry| told.iter().all(|(other, ..)| other != *entry));
            let with_lies = untouched.filter_map(|entry| {
                let truth = pair[0].at(place(&pair[0], *entry));
                Some((*entry, lie(truth)?, truth))
            });
            let some: Vec<_> = with_lies.step_by(7).take(3).collect();
            told.extend(some);
        }
        let changes: Vec<_> = told.iter().map(|(entry, stored, _)| (place(&pair[0], *entry), *stored)).collect();
        let wrong = pair[0].with(&changes);
        let tables = testing::tablebase(&rules, smaller.values().chain([&wrong, &pair[1]]));
        let report = run(&tables, &Options { classes: vec![class("5-4")], ..Options::default() });
        assert_eq!(report.classes[0].fault_count, told.len() as u64, "{:?}", faults(&report));
        assert_eq!(report.classes[0].faults.len(), REPORTED);
        for fault in &report.classes[0].faults {
            let Fault::Value { entry, stored, follows, .. } = fault else { panic!("{fault}") };
            assert!(told.contains(&(*entry, *stored, *follows)), "{fault}");
        }
    }
}
