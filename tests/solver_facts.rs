//! The solver's counts against published ones.

use morabase::Preset;
use morabase::lookahead::{Tally, TallyRow};
use morabase::solve::Instructions;

use crate::common::published::{counts, plies};
use crate::common::tables::{Solved, add_pair, solve_up_to};
use crate::common::text::class;

/// Holds all that is published for these rules to what is solved.
fn check_published(rules: &str, solved: &Solved) {
    for published in counts(rules) {
        let tally = Tally::of(&solved[&published.class]);
        let counts = if published.canonical { tally.canonical } else { tally.full };
        assert_eq!([counts.won, counts.drawn, counts.lost], published.counts, "{} under {rules}", published.class);
        let longest = tally.max_dtc().map(|plies| plies.0);
        assert!(published.longest.is_none() || published.longest == longest, "{}: {longest:?}", published.class);
    }
}

#[test]
fn plain_small_classes_have_the_published_counts() {
    let solved = solve_up_to(&Preset::Plain.rules(), 7, Instructions::Best);
    check_published("plain", &solved);
    let rows = plies("plain", "3-3").into_iter().map(|(plies, won, lost)| TallyRow { plies, won, lost });
    assert_eq!(Tally::of(&solved[&class("3-3")]).rows(), rows.collect::<Vec<_>>());
}

/// Up to nine cows and two pairs of ten, of which one plays on for longer than a byte could say by itself.
#[test]
fn nine_mens_morris_has_the_published_counts() {
    let rules = Preset::NineMensMorris.rules();
    let mut solved = solve_up_to(&rules, 9, Instructions::Best);
    for pair in ["5-5", "6-4"] {
        add_pair(&mut solved, &rules, class(pair), Instructions::Best);
    }
    check_published("nine-mens-morris", &solved);
}

#[test]
fn portable_and_native_instructions_give_identical_values() {
    let rules = Preset::Gar.rules();
    assert_eq!(solve_up_to(&rules, 8, Instructions::Portable), solve_up_to(&rules, 8, Instructions::Best));
}
