//! The solver of the placing phase against the reference, which goes through the placements one by one.

use morabase::lookahead::Values;
use morabase::reference::{GameReference, ReferenceError};
use morabase::solve::{Control, Instructions, solve_game};
use morabase::space::Entry;
use morabase::{Class, Position, Preset, RuleSet, Side};

use crate::common::random::Random;
use crate::common::tables::Solved;

/// The position of an entry, the first player to move.
fn position(values: &Values, entry: Entry) -> Position {
    let class = values.class();
    let (mover, waiting) = values.space().position(entry).unwrap();
    let hands = [class.mover_hand(), class.waiting_hand()];
    Position { hands, ..Position::moving([mover, waiting], Side::First) }
}

/// The reference over the solver's own values of the moving phase, so that what is compared is the placing phase alone.
fn reference<'a>(rules: &RuleSet, solved: &'a Solved) -> GameReference<'a> {
    let bare = |position: &Position| {
        let class = Class::moving(position.mover().len(), position.waiting().len()).unwrap();
        Ok::<_, ReferenceError>(solved[&class].value(position.mover(), position.waiting()))
    };
    GameReference::over(rules, bare).unwrap()
}

/// Compares so many entries of each class with cows in hand, or all of a class that has no more.
fn compare(rules: &RuleSet, solved: &Solved, most: u64) {
    let reference = reference(rules, solved);
    let mut random = Random::new(11);
    for class in Class::all_placing(rules.cows) {
        let values = &solved[&class];
        let entries = values.space().entries();
        for number in 0..most.min(entries) {
            let number = if most < entries { random.below(entries) } else { number };
            let entry = values.space().entry_at(number).unwrap();
            let position = position(values, entry);
            let stored = values.alphabet().value(values.block(entry.block)[entry.rank as usize]).unwrap();
            assert_eq!(stored.dtc(), None);
            assert_eq!(stored.wdl(), reference.value(&position).unwrap(), "{position} under {rules}");
        }
    }
}

fn solved(rules: &RuleSet, instructions: Instructions) -> Solved {
    solve_game(rules, &Control { instructions, ..Control::default() }).unwrap()
}

#[test]
fn games_of_three_cows_each_are_those_of_the_reference_entry_by_entry() {
    for preset in Preset::ALL {
        let rules = preset.rules().with_cows(3);
        compare(&rules, &solved(&rules, Instructions::Best), u64::MAX);
    }
}

#[test]
fn games_of_four_cows_each_are_those_of_the_reference_by_sample() {
    for preset in [Preset::Gar, Preset::Plain, Preset::NineMensMorris] {
        let rules = preset.rules().with_cows(4);
        compare(&rules, &solved(&rules, Instructions::Best), 300);
    }
}

#[test]
#[ignore = "many minutes: every entry of every class of a game of four cows under every preset; run by scripts/check-slow"]
fn games_of_four_cows_each_are_those_of_the_reference_entry_by_entry() {
    for preset in Preset::ALL {
        let rules = preset.rules().with_cows(4);
        compare(&rules, &solved(&rules, Instructions::Best), u64::MAX);
    }
}

#[test]
#[ignore = "many minutes and 2 GB: the reference solves placing with five cows each, under every preset; run by scripts/check-slow"]
fn games_of_five_cows_each_are_those_of_the_reference_by_sample() {
    for preset in Preset::ALL {
        let rules = preset.rules().with_cows(5);
        compare(&rules, &solved(&rules, Instructions::Best), 2_000);
    }
}

#[test]
fn portable_instructions_give_the_same_values_in_the_placing_phase() {
    let rules = Preset::Gar.rules().with_cows(4);
    assert!(solved(&rules, Instructions::Best) == solved(&rules, Instructions::Portable));
}
