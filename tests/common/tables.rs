//! Tables for tests: the shipped ones, ones that the program or the library builds, and values in memory.

use std::collections::BTreeMap;

use morabase::lookahead::Values;
use morabase::solve::{Control, Dependencies, Instructions, solve_all, solve_pair};
use morabase::{Class, RuleSet};
#[cfg(feature = "cli")]
use tempfile::TempDir;

/// The tables of the repository.
#[cfg(feature = "shipped")]
pub(crate) const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tables");

/// A directory with tables built by the program.
#[cfg(feature = "cli")]
pub(crate) fn built(rules: &str, wish: &[&str]) -> TempDir {
    let directory = TempDir::new().unwrap();
    let mut build = super::cli::on(directory.path(), &["build", "--rules", rules, "--quiet"]);
    super::cli::stdout(build.args(wish));
    directory
}

pub(crate) type Solved = BTreeMap<Class, Values>;

/// Solves a class and its reverse from what is solved already.
pub(crate) fn add_pair(solved: &mut Solved, rules: &RuleSet, class: Class, instructions: Instructions) {
    let mut dependencies = Dependencies::default();
    for values in solved.values() {
        dependencies.add(values);
    }
    let control = Control { instructions, ..Control::default() };
    let pair = solve_pair(rules, class, &dependencies, &control).unwrap();
    solved.extend(pair.into_iter().map(|values| (values.class(), values)));
}

/// Solves all classes of at most `most` cows together.
pub(crate) fn solve_up_to(rules: &RuleSet, most: u8, instructions: Instructions) -> Solved {
    solve_all(rules, most, &Control { instructions, ..Control::default() }).unwrap()
}
