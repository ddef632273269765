//! Any text as a position, a FEN, a turn, a record, rules or a class: it is read or refused, never a panic, and what was read is
//! printed so that it reads the same again.
//!
//! The first byte chooses the rules. The body is shared with `tests/fuzz_corpus.rs`, which runs the corpus through it.

use morabase::{Class, Fen, FenDialect, PointForm, Position, Preset, Record, RuleSet, Turn};

/// Runs one input.
pub(crate) fn run(data: &[u8]) {
    let Some((&mode, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let rules = Preset::ALL[mode as usize % Preset::ALL.len()].rules();
    position(text, &rules);
    turn(text);
    record(text, &rules);
    if let Ok(class) = text.parse::<Class>() {
        assert_eq!(class.to_string().parse(), Ok(class));
    }
    if let Ok(rules) = text.parse::<RuleSet>() {
        assert_eq!(rules.to_string().parse(), Ok(rules));
        position("W:Wa7,d7,g7:Bb6,d6,c5", &rules);
    }
}

fn position(text: &str, rules: &RuleSet) {
    let Ok(fen) = Fen::from_notation(text, rules) else { return };
    let position = fen.position;
    for form in [PointForm::Grid, PointForm::Gar] {
        let printed = position.in_form(form).to_string();
        assert_eq!(Position::from_notation(&printed, rules).as_ref(), Ok(&position), "{printed}");
    }
    for dialect in [FenDialect::Nodes, FenDialect::Old] {
        let printed = fen.to_text(dialect, rules);
        assert_eq!(Fen::from_notation(&printed, rules).map(|fen| fen.position).as_ref(), Ok(&position), "{printed}");
    }
    // A position that was read can be played on from.
    let over = position.outcome(rules).is_some();
    for turn in position.turns(rules) {
        assert!(!over && position.apply(turn, rules).is_ok(), "{position}: {turn}");
        assert_eq!(turn.to_string().parse(), Ok(turn));
    }
}

fn turn(text: &str) {
    let Ok(turn) = text.parse::<Turn>() else { return };
    for form in [PointForm::Grid, PointForm::Gar] {
        let printed = turn.in_form(form).to_string();
        assert_eq!(printed.parse(), Ok(turn), "{printed}");
    }
}

fn record(text: &str, rules: &RuleSet) {
    let Ok(record) = text.parse::<Record>() else { return };
    for form in [PointForm::Grid, PointForm::Gar] {
        let printed = record.in_form(form).to_string();
        assert_eq!(printed.parse().as_ref(), Ok(&record), "{printed}");
    }
    if let Ok(end) = record.end(&Position::start(rules), rules) {
        position(&end.to_string(), rules);
    }
}
