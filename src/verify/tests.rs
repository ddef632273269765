//! Sound tables pass, and every kind of wrong claim is found and named.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::*;
use crate::rules::{Preset, RuleSet};
use crate::table::{TableMeta, encode_table, file_name};
use crate::testing;
use crate::value::{Code, Plies};

type Classes = BTreeMap<Class, Values>;

static GAR: LazyLock<Classes> = LazyLock::new(|| testing::solved(&Preset::Gar.rules(), 8));

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
            solved = testing::solved(&rules, if rules.no_remake == crate::NoRemake::None { 7 } else { 8 });
            &solved
        };
        let tables = testing::tablebase(&rules, classes.values());
        let progress = Progress::default();
        let report = Report { classes: Verifier::new(&tables, &Options::default(), &progress).collect() };
        assert_eq!(faults(&report), [""; 0], "{}", preset.name());
        let entries: u64 = classes.values().map(|values| values.layout().entries()).sum();
        assert_eq!(report.classes.iter().map(|class| class.walked).sum::<u64>(), entries);
        assert_eq!(progress.checked.into_inner(), entries);
        let report = run(&tables, &Options { depth: Depth::Sample(5000), seed: 3, ..Options::default() });
        assert_eq!(faults(&report), [""; 0], "{}", preset.name());
        assert_eq!(report.classes.iter().map(|class| class.probed).sum::<u64>(), 5000);
    }
}

#[test]
fn every_entry_of_the_smallest_class_passes_through_the_public_path() {
    let tables = testing::tablebase(&Preset::Gar.rules(), [&GAR[&class("3-3")]]);
    let report = run(&tables, &Options { depth: Depth::Probed, ..Options::default() });
    assert!(report.is_sound());
    assert_eq!(report.classes[0].probed, 210_140.min(Layout::new(class("3-3")).entries()));
}

/// The tables up to 7 cows with one code of `class` changed, and the head as the true values would have it.
fn with_changed_code(name: &str, block: u32, rank: u32, value: Value) -> Tablebase {
    let rules = Preset::Gar.rules();
    let changed = |values: &Values| {
        let mut codes = values.codes().to_vec();
        codes[(block * values.layout().block_entries() + rank) as usize] = Code::new(value).unwrap().byte();
        Values::from_codes(values.class(), codes).unwrap()
    };
    let files = GAR.values().filter(|values| values.class().total() <= 7).map(|values| {
        if values.class() == class(name) {
            testing::file(&rules, &changed(values))
        } else {
            testing::file(&rules, values)
        }
    });
    Tablebase::from_bytes(files).unwrap()
}

#[test]
fn a_wrong_value_is_named_with_its_place_and_position() {
    // A block whose mover's set no symmetry fixes, so that the entry has no twin.
    let (block, rank) = (300, 77);
    let stored = GAR[&class("4-3")].block(block)[rank as usize];
    let true_value = Code::from_byte(stored).unwrap().value();
    let wrong = if true_value == Value::Drawn { Value::Won(Plies(9)) } else { Value::Drawn };
    let tables = with_changed_code("4-3", block, rank, wrong);
    for depth in [Depth::Whole, Depth::Probed] {
        let report = run(&tables, &Options { depth, classes: vec![class("4-3")], ..Options::default() });
        assert!(!report.is_sound());
        let texts = faults(&report);
        let named = format!("4-3: block {block}, entry {rank}, W:W");
        assert!(texts.iter().any(|text| text.starts_with(&named) && text.contains(&wrong.to_string())), "{texts:?}");
    }
    // What leads there does not follow any more either.
    let above = run(&tables, &Options { classes: vec![class("3-4")], ..Options::default() });
    assert!(above.classes[0].fault_count > 0 || wrong == Value::Won(Plies(9)));
}

#[test]
fn a_wrong_value_at_an_entry_with_twins_is_found() {
    let values = &GAR[&class("4-3")];
    let layout = values.layout();
    let orbits = crate::index::Orbits::of(4);
    let symmetric = (0..layout.blocks()).find(|&block| orbits.stabiliser(block).count() == 16).unwrap_or(0);
    for rank in [0, 5, 17, 100, 600] {
        let true_value = Code::from_byte(values.block(symmetric)[rank as usize]).unwrap().value();
        let wrong = if true_value == Value::Drawn { Value::Lost(Plies(8)) } else { Value::Drawn };
        let tables = with_changed_code("4-3", symmetric, rank, wrong);
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
    meta.canonical.won += 1;
    let mut file = std::io::Cursor::new(Vec::new());
    // A writer that checks what it is told must not be fooled either; then there is nothing to verify.
    if encode_table(&mut file, &meta, values.codes()).is_err() {
        return;
    }
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

#[test]
fn the_same_seed_gives_the_same_sample() {
    let tables = with_changed_code("4-3", 300, 77, Value::Lost(Plies(90)));
    let options = Options { depth: Depth::Sample(200_000), seed: 4, ..Options::default() };
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(|| run(&tables, &options));
    assert_eq!(faults(&one), faults(&run(&tables, &options)));
}
