//! Published counts of whole classes.

use morabase::Class;

use super::text::{cases, class, fields};

/// How many positions of a class are won, drawn and lost.
pub(crate) struct Published {
    pub(crate) class: Class,
    /// One position of each orbit, or else every placement.
    pub(crate) canonical: bool,
    /// Won, drawn, lost.
    pub(crate) counts: [u64; 3],
    pub(crate) longest: Option<u16>,
}

/// All counts under a rule set.
pub(crate) fn counts(rules: &str) -> Vec<Published> {
    let lines = cases(include_str!("../data/published_counts.txt")).into_iter().map(fields::<7>);
    let published = |[_, name, what, won, drawn, lost, longest]: [&str; 7]| Published {
        class: class(name),
        canonical: what == "canonical",
        counts: [won, drawn, lost].map(|count| count.parse().unwrap()),
        longest: (longest != "-").then(|| longest.parse().unwrap()),
    };
    let found: Vec<Published> = lines.filter(|line| line[0] == rules).map(published).collect();
    assert!(!found.is_empty(), "{rules}");
    found
}

/// Plies and how many placements are won and lost in so many.
pub(crate) fn plies(rules: &str, class: &str) -> Vec<(u16, u64, u64)> {
    let lines = cases(include_str!("../data/published_plies.txt")).into_iter().map(fields::<5>);
    let of_class = lines.filter(|line| line[..2] == [rules, class]);
    let rows: Vec<_> = of_class
        .map(|[.., plies, won, lost]| (plies.parse().unwrap(), won.parse().unwrap(), lost.parse().unwrap()))
        .collect();
    assert!(!rows.is_empty(), "{class} under {rules}");
    rows
}
