//! What unit tests of several rooms share: small classes solved, and their tables in memory.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::LazyLock;

use crate::index::Class;
use crate::probe::Tablebase;
use crate::rules::{Preset, RuleSet};
use crate::solve::{Control, Dependencies, Tally, Values, WdlCounts, solve_pair};
use crate::table::{Counts, DtcCount, TableMeta, encode_table, file_name};

/// Up to eight cows under the default rules.
pub(crate) static GAR: LazyLock<BTreeMap<Class, Values>> = LazyLock::new(|| solved(&Preset::Gar.rules(), 8));

/// All classes of at most `most` cows together.
pub(crate) fn solved(rules: &RuleSet, most: u8) -> BTreeMap<Class, Values> {
    let mut classes: BTreeMap<Class, Values> = BTreeMap::new();
    for class in Class::all(rules.cows).into_iter().filter(|class| class.total() <= most) {
        if classes.contains_key(&class) {
            continue;
        }
        let mut dependencies = Dependencies::default();
        for values in classes.values() {
            dependencies.add(values);
        }
        for values in solve_pair(rules, class, &dependencies, &Control::default()).unwrap() {
            classes.insert(values.class(), values);
        }
    }
    classes
}

/// The name and bytes of a class's table.
pub(crate) fn file(rules: &RuleSet, values: &Values) -> (String, Vec<u8>) {
    let tally = Tally::of(values);
    let counts = |counts: &WdlCounts| Counts { won: counts.won, drawn: counts.drawn, lost: counts.lost };
    let mut dtc = vec![DtcCount::default(); tally.max_dtc().map_or(0, |plies| plies.0 as usize + 1)];
    for row in tally.rows() {
        dtc[row.plies as usize] = DtcCount { won: row.won, lost: row.lost };
    }
    let meta = TableMeta {
        rules_text: rules.to_string(),
        rules_fingerprint: rules.fingerprint(),
        board: rules.board,
        class: values.class(),
        blocks: values.layout().blocks(),
        full: counts(&tally.full),
        canonical: counts(&tally.canonical),
        dtc,
    };
    let mut bytes = Cursor::new(Vec::new());
    encode_table(&mut bytes, &meta, values.symbols()).unwrap();
    (file_name(values.class()), bytes.into_inner())
}

/// A tablebase of these classes.
pub(crate) fn tablebase<'a>(rules: &RuleSet, classes: impl IntoIterator<Item = &'a Values>) -> Tablebase {
    Tablebase::from_bytes(classes.into_iter().map(|values| file(rules, values))).unwrap()
}
