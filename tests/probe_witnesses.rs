//! Positions whose value a rule changes, asked of tables that the program itself has built. The values are the
//! reference's, found by search (see `reference_witnesses.rs`).

use std::collections::BTreeMap;
use std::path::Path;

use morabase::build::{Build, Job, Request, Target};
use morabase::{Class, Position, RuleSet, Tablebase};

use crate::common::text::{position, rules, witnesses};

/// The second file's draws last for ever, which no search can show; its other values are as easily searched as the first's.
const WITNESSES: &str = concat!(include_str!("data/rule_witnesses.txt"), include_str!("data/endless_witnesses.txt"));

/// Builds what the position needs: its class and everything below.
fn add_tables(directory: &Path, rules: &RuleSet, position: &Position) {
    let class = Class::moving(position.mover().len(), position.waiting().len()).unwrap();
    let build = Build::begin(&Request::new(rules, directory, Target::Class(class))).unwrap();
    build.run(&Job::default(), &()).unwrap();
}

/// Checks the lines with this many cows; says how many values were checked.
fn check(cows: std::ops::RangeInclusive<u8>) -> usize {
    let mut questions: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for (position, values) in witnesses(WITNESSES) {
        for (rules, value) in values {
            questions.entry(rules).or_default().push((position, value));
        }
    }
    let mut checked = 0;
    for (name, questions) in questions {
        let rules = rules(name);
        let directory = tempfile::tempdir().unwrap();
        for (text, value) in questions {
            let position = position(text, &rules);
            let all = position.cows[0].len() + position.cows[1].len();
            let over = position.outcome(&rules).is_some();
            if !over && !cows.contains(&all) || over && !cows.contains(&6) {
                continue;
            }
            if !over {
                add_tables(directory.path(), &rules, &position);
            }
            let options = morabase::OpenOptions { rules: Some(rules), ..Default::default() };
            let tables = Tablebase::open_with([directory.path()], &options).unwrap();
            let probe = tables.probe(&position).unwrap();
            assert_eq!(probe.value.to_string(), value, "{text} under {name}");
            let line = tables.line(&position).unwrap();
            assert_eq!(line.start, probe);
            checked += 1;
        }
    }
    checked
}

#[test]
fn rules_change_the_values_that_the_reference_says_up_to_eight_cows() {
    assert!(check(6..=8) >= 20);
}

#[test]
fn rules_change_the_values_that_the_reference_says_with_nine_cows() {
    assert!(check(9..=9) >= 12);
}
