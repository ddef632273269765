//! Helpers for the unit tests of several modules: small solved classes and their tables in memory.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::LazyLock;

use crate::lookahead::{Tally, Values};
use crate::probe::Tablebase;
use crate::rules::{Preset, RuleSet};
use crate::solve::{Control, solve_all};
use crate::space::Class;
use crate::store::{describe, file_name};
use crate::table::encode_table;

/// Up to eight cows under the default rules.
pub(crate) static GAR: LazyLock<BTreeMap<Class, Values>> = LazyLock::new(|| solved(&Preset::Gar.rules(), 8));

/// All classes with at most `most` cows in total.
pub(crate) fn solved(rules: &RuleSet, most: u8) -> BTreeMap<Class, Values> {
    solve_all(rules, most, &Control::default()).unwrap()
}

/// The name and bytes of a class's table.
pub(crate) fn file(rules: &RuleSet, values: &Values) -> (String, Vec<u8>) {
    let meta = describe(rules, values.class(), &Tally::of(values));
    let mut bytes = Cursor::new(Vec::new());
    encode_table(&mut bytes, &meta, values.symbols()).unwrap();
    (file_name(values.class()), bytes.into_inner())
}

/// A tablebase of these classes.
pub(crate) fn tablebase<'a>(rules: &RuleSet, classes: impl IntoIterator<Item = &'a Values>) -> Tablebase {
    Tablebase::from_bytes(classes.into_iter().map(|values| file(rules, values))).unwrap()
}
