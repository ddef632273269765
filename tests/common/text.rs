//! Cases kept as text, and the texts of classes, rules and positions.

use morabase::{Class, Position, Preset, RuleSet};

/// The lines of a file of cases without remarks and empty lines.
pub(crate) fn cases(text: &'static str) -> Vec<&'static str> {
    let cases: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert!(!cases.is_empty());
    cases
}

/// A text as UTF-16, with its mark.
pub(crate) fn wide(text: &str) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

/// The fields of a case, of which there must be `N`.
pub(crate) fn fields<const N: usize>(line: &'static str) -> [&'static str; N] {
    line.split(" | ").collect::<Vec<_>>().try_into().unwrap_or_else(|_| panic!("expected {N} fields: {line}"))
}

/// A position and its values under rule sets, in the texts of both.
pub(crate) type Witness = (&'static str, Vec<(&'static str, &'static str)>);

/// Positions whose value a rule changes.
pub(crate) fn witnesses(text: &'static str) -> Vec<Witness> {
    let witness = |line: &'static str| {
        let mut fields = line.split(" | ");
        let position = fields.next().unwrap();
        // Canonical texts hold equals signs of their own.
        (position, fields.map(|field| field.rsplit_once(" = ").unwrap()).collect())
    };
    cases(text).into_iter().map(witness).collect()
}

pub(crate) fn class(text: &str) -> Class {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// A rule set by the name of a preset or by its canonical text.
pub(crate) fn rules(text: &str) -> RuleSet {
    text.parse::<Preset>().map_or_else(|_| text.parse().unwrap(), Preset::rules)
}

pub(crate) fn position(text: &str, rules: &RuleSet) -> Position {
    Position::from_notation(text, rules).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The words of a shell line with single quotes.
#[cfg(feature = "cli")]
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.split('\'').enumerate() {
        if at % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}
