//! Positions whose value a rule changes, confirmed by the reference's search from each position.

use std::collections::BTreeMap;

use morabase::reference::{Reference, SearchLimits, search};
use morabase::{Class, Position, Preset, RuleSet};

use crate::common::text::{position, rules, witnesses};

const WITNESSES: &str = include_str!("data/rule_witnesses.txt");

/// The most cows with which lines are checked by default: what lies below takes seconds to solve.
const QUICK_COWS: u8 = 7;

/// Each line's position and its values under rule sets.
fn lines() -> Vec<(&'static str, Vec<(RuleSet, &'static str)>)> {
    let with_rules = |(name, value)| (rules(name), value);
    let lines = witnesses(WITNESSES).into_iter();
    lines.map(|(position, values)| (position, values.into_iter().map(with_rules).collect())).collect()
}

/// Checks the lines that `wanted` picks by their position, rule set after rule set; says how many values it checked.
fn check(wanted: impl Fn(&Position) -> bool) -> usize {
    let mut asked: BTreeMap<String, Vec<(&str, RuleSet, &str)>> = BTreeMap::new();
    for (text, values) in lines().into_iter().filter(|(text, values)| wanted(&position(text, &values[0].0))) {
        for (rules, value) in values {
            asked.entry(rules.to_string()).or_default().push((text, rules, value));
        }
    }
    let limits = SearchLimits { plies: 40, positions: 100_000_000 };
    let mut checked = 0;
    for questions in asked.into_values() {
        let mut below = Reference::new(&questions[0].1);
        for (text, rules, value) in questions {
            let position = position(text, &rules);
            if !position.turns(&rules).is_empty() {
                add_below(&mut below, &position);
            }
            let started = std::time::Instant::now();
            let found = search(&below, &position, limits).unwrap();
            println!("{text} {}: {found:?} in {:?}", rules.name(), started.elapsed());
            assert_eq!(found.value.unwrap().to_string(), value, "{text} under {}", rules.name());
            checked += 1;
        }
    }
    checked
}

/// Solves the classes that shots from the position's class lead into.
fn add_below(below: &mut Reference, position: &Position) {
    let class = Class::moving(position.mover().len(), position.waiting().len()).unwrap();
    for lower in [class, class.successors().quiet].into_iter().filter_map(|class| class.successors().shot) {
        below.add(lower).unwrap();
    }
}

fn cows(position: &Position) -> u8 {
    position.mover().len() + position.waiting().len()
}

fn is_quick(position: &Position) -> bool {
    cows(position) <= QUICK_COWS
        || [Preset::Gar, Preset::Arcade].iter().all(|preset| position.turns(&preset.rules()).is_empty())
}

#[test]
fn witnesses_of_few_cows_have_the_values_that_the_rules_make() {
    assert!(check(is_quick) >= 16);
}

#[test]
#[ignore = "minutes: solves all classes of eight cows for several rule sets; run by scripts/check-slow"]
fn witnesses_of_nine_cows_have_the_values_that_the_rules_make() {
    assert!(check(|position| !is_quick(position)) >= 14);
}

#[test]
fn witnesses_set_two_rule_sets_side_by_side_and_most_tell_them_apart() {
    let lines = lines();
    for (text, values) in &lines {
        assert_eq!(values.len(), 2, "{text}");
        assert_ne!(values[0].0, values[1].0, "{text}");
    }
    let apart = lines.iter().filter(|(_, values)| values[0].1 != values[1].1).count();
    assert!(apart >= lines.len() - 3, "the others pin the last ply that a counter leaves: {apart} of {}", lines.len());
}
