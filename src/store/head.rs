//! The head of a table: made for a class's values, and checked against the file's name, the board and the rules.

use crate::lookahead::Tally;
use crate::rules::RuleSet;
use crate::space::{Class, Space};
use crate::table::{DtcCount, Part, Source, Table, TableError, TableFault, TableMeta, corrupt, refused};

use super::StoreError;

/// The contents of the head of a class's table.
pub(crate) fn describe(rules: &RuleSet, class: Class, tally: &Tally) -> TableMeta {
    let mut dtc = vec![DtcCount::default(); tally.max_dtc().map_or(0, |longest| usize::from(longest.0) + 1)];
    for row in tally.rows() {
        dtc[usize::from(row.plies)] = DtcCount { won: row.won, lost: row.lost };
    }
    TableMeta {
        rules_text: rules.to_string(),
        rules_fingerprint: rules.fingerprint(),
        board: rules.board,
        class,
        blocks: Space::new(rules.board, class).blocks(),
        full: tally.full,
        canonical: tally.canonical,
        dtc,
    }
}

/// The rules of a table, if its head is that of a complete table of `class`, of known rules that have the class and the
/// board. If `class` is `None`, any class will do: the file's name does not name one.
pub(crate) fn check_head<S: Source>(table: &Table<S>, class: Option<Class>) -> Result<RuleSet, TableError> {
    check(table.meta(), class).map_err(|fault| fault.at(table.file()))
}

fn check(meta: &TableMeta, class: Option<Class>) -> Result<RuleSet, TableFault> {
    if let Some(expected) = class.filter(|class| *class != meta.class) {
        return Err(TableFault::WrongClass { expected, found: meta.class });
    }
    let blocks = meta.space().blocks();
    if meta.blocks != blocks {
        return Err(corrupt(Part::Head, format!("{blocks} blocks"), meta.blocks));
    }
    let positions = meta.space().positions();
    if meta.canonical.total() != positions {
        return Err(corrupt(Part::Head, format!("counts of {positions} positions together"), meta.canonical.total()));
    }
    let text = &meta.rules_text;
    let unknown = |source| TableFault::UnknownRules { found: text.clone(), source };
    let rules = text.parse::<RuleSet>().map_err(|error| unknown(Some(error)))?;
    if rules.to_string() != *text {
        return Err(unknown(None));
    }
    if meta.board != rules.board {
        return Err(corrupt(Part::Head, format!("the board of its rules, {}", rules.board.name()), meta.board.name()));
    }
    meta.class.check(&rules).map_err(|error| refused(Part::Head, "a class that its rules have", error))?;
    Ok(rules)
}

/// Returns the table if its head is that of a complete table of this class and these rules, and its frames are
/// contiguous. A build looks up single values of some tables and reads others completely; neither begins before this
/// check.
pub(crate) fn check_table<S: Source>(table: Table<S>, class: Class, rules: &RuleSet) -> Result<Table<S>, StoreError> {
    same_rules(&table, rules, check_head(&table, Some(class))?)?;
    table.check_places()?;
    Ok(table)
}

pub(super) fn same_rules<S: Source>(table: &Table<S>, expected: &RuleSet, found: RuleSet) -> Result<(), StoreError> {
    if found == *expected {
        return Ok(());
    }
    let (expected, found) = (expected.to_string(), found.to_string());
    Err(StoreError::OtherRules { path: table.file().to_owned(), expected, found })
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;
    use crate::rules::{Preset, RuleError};
    use crate::space::ClassError;
    use crate::table::Counts;

    /// A head of class 10-4 under `plain` with this many blocks.
    fn meta(blocks: u32) -> TableMeta {
        let rules = Preset::Plain.rules();
        let class = "10-4".parse().unwrap();
        let counts = Counts { won: 0, drawn: Space::new(rules.board, class).positions(), lost: 0 };
        TableMeta {
            rules_text: rules.to_string(),
            rules_fingerprint: rules.fingerprint(),
            board: rules.board,
            class,
            blocks,
            full: counts,
            canonical: counts,
            dtc: Vec::new(),
        }
    }

    #[test]
    fn a_head_must_fit_name_blocks_rules_and_board() {
        let class = |text: &str| text.parse::<Class>().unwrap();
        let whole = meta(meta(1).space().blocks());
        for asked in [Some(class("10-4")), None] {
            assert_eq!(check(&whole, asked).unwrap(), Preset::Plain.rules());
        }
        assert!(matches!(check(&whole, Some(class("4-10"))), Err(TableFault::WrongClass { .. })));
        let says = |meta: &TableMeta| check(meta, None).unwrap_err().to_string();
        assert!(says(&meta(1)).contains("blocks, found 1;"), "{}", says(&meta(1)));
        for won in [1, u64::MAX] {
            let canonical = Counts { won, ..whole.canonical };
            let miscounted = TableMeta { canonical, ..whole.clone() };
            assert!(says(&miscounted).contains("positions together, found"), "{}", says(&miscounted));
        }

        let unknown = TableMeta { rules_text: "morabase-rules-9;board=cube".to_owned(), ..whole.clone() };
        let fault = check(&unknown, None).unwrap_err();
        assert!(matches!(&fault, TableFault::UnknownRules { found, .. } if *found == unknown.rules_text), "{fault}");
        assert!(fault.source().is_some_and(<dyn std::error::Error>::is::<RuleError>), "{:?}", fault.source());
        // Rules that can be read but are not in canonical form.
        let padded = TableMeta { rules_text: whole.rules_text.replace("cows=12", "cows=012"), ..whole.clone() };
        assert!(matches!(check(&padded, None), Err(TableFault::UnknownRules { source: None, .. })));

        let nine = Preset::NineMensMorris.rules();
        let other_board = TableMeta { rules_text: nine.to_string(), ..whole.clone() };
        assert!(says(&other_board).contains("board"), "{}", says(&other_board));
        let mut too_many = TableMeta { rules_text: nine.to_string(), board: nine.board, ..whole };
        too_many.blocks = too_many.space().blocks();
        assert!(says(&too_many).contains("a class that its rules have"), "{}", says(&too_many));
        // The fault of a file still has the reader's error as its source.
        let error = check(&too_many, None).unwrap_err().at("10-4.mora".as_ref());
        let cause = error.source().and_then(|cause| cause.downcast_ref());
        assert!(matches!(cause, Some(ClassError::Cows { most: 9, .. })), "{cause:?}");
    }
}
