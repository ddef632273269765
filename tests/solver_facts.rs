//! The solver's counts against published ones.

use std::collections::BTreeMap;

use morabase::lookahead::{Tally, TallyRow, Values};
use morabase::solve::{Control, Dependencies, Instructions, solve_pair};
use morabase::{Class, Preset, RuleSet};

fn class(text: &str) -> Class {
    text.parse().unwrap()
}

/// Solves all classes of at most `most` cows together.
fn solve_up_to(rules: &RuleSet, most: u8, instructions: Instructions) -> BTreeMap<Class, Values> {
    let mut solved: BTreeMap<Class, Values> = BTreeMap::new();
    for class in Class::all_moving(rules.cows) {
        if class.total() > most || solved.contains_key(&class) {
            continue;
        }
        let mut dependencies = Dependencies::default();
        for values in solved.values() {
            dependencies.add(values);
        }
        let control = Control { instructions, ..Control::default() };
        for values in solve_pair(rules, class, &dependencies, &control).unwrap() {
            solved.insert(values.class(), values);
        }
    }
    solved
}

fn full(solved: &BTreeMap<Class, Values>, text: &str) -> (u64, u64, u64) {
    let counts = Tally::of(&solved[&class(text)]).full;
    (counts.won, counts.drawn, counts.lost)
}

fn canonical(solved: &BTreeMap<Class, Values>, text: &str) -> (u64, u64, u64) {
    let counts = Tally::of(&solved[&class(text)]).canonical;
    (counts.won, counts.lost, counts.drawn)
}

#[test]
fn plain_small_classes_have_the_published_counts() {
    let solved = solve_up_to(&Preset::Plain.rules(), 7, Instructions::Best);
    assert_eq!(full(&solved, "3-3"), (2_240_880, 0, 451_040));
    assert_eq!(full(&solved, "4-3"), (2_523_980, 9_451_724, 137_936));
    assert_eq!(full(&solved, "3-4"), (2_455_232, 9_446_808, 211_600));
    let rows = [
        (1, 1_250_352, 0),
        (2, 0, 92_076),
        (3, 632_376, 0),
        (4, 0, 150_456),
        (5, 205_164, 0),
        (6, 0, 119_376),
        (7, 79_824, 0),
        (8, 0, 66_660),
        (9, 58_488, 0),
        (10, 0, 15_024),
        (11, 11_040, 0),
        (12, 0, 5_888),
        (13, 1_800, 0),
        (14, 0, 1_536),
        (15, 1_836, 0),
        (16, 0, 24),
    ];
    let rows: Vec<TallyRow> = rows.into_iter().map(|(plies, won, lost)| TallyRow { plies, won, lost }).collect();
    assert_eq!(Tally::of(&solved[&class("3-3")]).rows(), rows);
}

/// Up to nine cows and two pairs of ten, of which one plays on for longer than a byte could say by itself.
#[test]
fn nine_mens_morris_has_the_published_counts() {
    let rules = Preset::NineMensMorris.rules();
    let mut solved = solve_up_to(&rules, 9, Instructions::Best);
    assert_eq!(full(&solved, "3-3"), (2_232_160, 4_112, 455_648));
    assert_eq!(Tally::of(&solved[&class("3-3")]).max_dtc().map(|plies| plies.0), Some(26));
    assert_eq!(canonical(&solved, "3-3"), (140_621, 28_736, 269));
    assert_eq!(canonical(&solved, "4-4"), (159, 29, 3_225_409));
    for pair in ["5-5", "6-4"] {
        let mut dependencies = Dependencies::default();
        for values in solved.values() {
            dependencies.add(values);
        }
        let pair = solve_pair(&rules, class(pair), &dependencies, &Control::default()).unwrap();
        solved.extend(pair.into_iter().map(|values| (values.class(), values)));
    }
    assert_eq!(canonical(&solved, "5-5"), (28_819, 4_289, 30_881_316));
    assert_eq!(canonical(&solved, "6-4"), (5_985_293, 4, 19_780_495));
    assert_eq!(canonical(&solved, "4-6"), (22, 1_649_972, 24_115_798));
    let longest = ["6-4", "4-6"].map(|name| Tally::of(&solved[&class(name)]).max_dtc().map(|plies| plies.0));
    assert_eq!(longest, [Some(153), Some(152)]);
}

#[test]
fn portable_and_native_instructions_give_identical_values() {
    let rules = Preset::Gar.rules();
    assert_eq!(solve_up_to(&rules, 8, Instructions::Portable), solve_up_to(&rules, 8, Instructions::Best));
}
