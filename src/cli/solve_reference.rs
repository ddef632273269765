//! `solve-reference`: the slow oracle on one small class, counted as `stats` counts tables.

use std::io::{self, Write};

use serde_json::{Value as Json, json};

use crate::index::Class;
use crate::reference::{Counts, Reference, ReferenceError};
use crate::rules::RuleSet;

/// Why there are no counts.
#[derive(Debug, thiserror::Error)]
pub enum SolveReferenceError {
    /// The reference refused the class.
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    /// The counts could not be written.
    #[error("could not write the counts: {0}")]
    Write(#[from] io::Error),
}

/// Solves `class` with the reference solver and writes its counts, as text or as one JSON object.
///
/// The JSON has the keys of `stats --json`, without the canonical counts: the reference knows no symmetries.
///
/// # Errors
/// [`SolveReferenceError`] if the class is too large for the reference or no class of these rules, or if writing fails.
pub fn solve_reference(
    rules: &RuleSet,
    class: Class,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<(), SolveReferenceError> {
    let counts = Reference::solve(rules, class)?.counts(class)?;
    if as_json {
        writeln!(out, "{}", json_report(rules, class, &counts))?;
    } else {
        write_text(rules, class, &counts, out)?;
    }
    Ok(())
}

fn json_report(rules: &RuleSet, class: Class, counts: &Counts) -> Json {
    let dtc = counts.dtc.iter().map(|count| json!({"plies": count.plies, "won": count.won, "lost": count.lost}));
    json!({
        "rules": rules.name(),
        "fingerprint": format!("{:016x}", rules.fingerprint()),
        "classes": [{
            "class": class.to_string(),
            "entries": counts.positions,
            "full": {
                "positions": counts.positions,
                "won": counts.won,
                "drawn": counts.drawn,
                "lost": counts.lost,
            },
            "max_dtc": counts.max_dtc(),
            "dtc": dtc.collect::<Vec<_>>(),
        }],
    })
}

fn write_text(rules: &RuleSet, class: Class, counts: &Counts, out: &mut dyn Write) -> io::Result<()> {
    let Counts { positions, won, drawn, lost, .. } = counts;
    writeln!(out, "{class} under {} (reference solver)", rules.name())?;
    writeln!(out, "{positions} positions: {won} won, {drawn} drawn, {lost} lost; longest {} plies", counts.max_dtc())?;
    writeln!(out, "{:>5} {:>13} {:>13}", "plies", "won", "lost")?;
    for count in &counts.dtc {
        writeln!(out, "{:>5} {:>13} {:>13}", count.plies, count.won, count.lost)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;

    fn report(as_json: bool) -> String {
        let mut out = Vec::new();
        solve_reference(&Preset::Plain.rules(), Class::moving(12, 12).unwrap(), as_json, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn json_has_the_keys_of_stats() {
        let report: Json = serde_json::from_str(&report(true)).unwrap();
        assert_eq!(report["rules"], "plain");
        let class = &report["classes"][0];
        assert_eq!(class["class"], "12-12");
        assert_eq!(class["full"]["drawn"], 2_704_156);
        assert_eq!(class["full"]["positions"], class["entries"]);
        assert_eq!(class["dtc"], json!([]));
    }

    #[test]
    fn text_names_class_and_counts() {
        let report = report(false);
        assert!(report.starts_with("12-12 under plain"), "{report}");
        assert!(report.contains("2704156 positions: 0 won, 2704156 drawn, 0 lost"), "{report}");
    }

    #[test]
    fn classes_too_large_are_refused_before_anything_is_solved() {
        let refused =
            solve_reference(&Preset::Gar.rules(), Class::moving(8, 8).unwrap(), false, &mut Vec::new()).unwrap_err();
        assert!(refused.to_string().contains("8-8"), "{refused}");
        let refused =
            solve_reference(&Preset::NineMensMorris.rules(), Class::moving(10, 3).unwrap(), false, &mut Vec::new());
        assert!(refused.is_err());
    }
}
