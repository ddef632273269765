//! `solve-reference`: runs the slow oracle on one small class, with counts like those of `stats`.

use std::io::{self, Write};

use morabase::present::fingerprint_text;
use morabase::reference::{Reference, ReferenceCounts, ReferenceError};
use morabase::{Class, RuleSet};
use serde_json::{Value, json};

use super::args::RuleArgs;
use super::{CliError, CliResult};

const EXAMPLES: &str = "\
Examples:
  morabase solve-reference --class 3-3 --rules plain
  morabase solve-reference --class 4-3 --json

It shares no moves, indexing or induction with the solver of `build`. It keeps two bytes for every placement of the \
cows in memory, and takes seconds for six or seven cows together, minutes for nine.

With --json one object, keys as in `stats --json`: {\"rules\":…,\"fingerprint\":…,\"classes\":[{\"class\":…,\"entries\":…,\
\"full\":{\"positions\":…,\"won\":…,\"drawn\":…,\"lost\":…},\"max_dtc\":…,\"dtc\":[{\"plies\":…,\"won\":…,\"lost\":…},…]}]}. \
There are no canonical counts, for the reference knows no symmetries.";

/// Solve one small class with the slow reference solver
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Class, such as 4-3: four cows to move against three
    #[arg(long)]
    class: Class,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rules: RuleArgs,
}

/// A refusal by the reference is a wrong request; only a decision that is too far away comes up during the work.
impl From<ReferenceError> for CliError {
    fn from(error: ReferenceError) -> Self {
        match error {
            ReferenceError::TooDeep { .. } => Self::job(error.to_string()),
            _ => Self::usage(error.to_string()),
        }
    }
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let rules = args.rules.rules()?;
    let counts = Reference::solve(&rules, args.class)?.counts(args.class)?;
    if args.json {
        writeln!(out, "{}", to_json(&rules, args.class, &counts))?;
    } else {
        write_text(&rules, args.class, &counts, out)?;
    }
    Ok(())
}

fn to_json(rules: &RuleSet, class: Class, counts: &ReferenceCounts) -> Value {
    let dtc = counts.dtc.iter().map(|count| json!({ "plies": count.plies, "won": count.won, "lost": count.lost }));
    json!({
        "rules": rules.to_string(),
        "fingerprint": fingerprint_text(rules),
        "classes": [{
            "class": class.to_string(),
            "entries": counts.positions,
            "full": {
                "positions": counts.positions,
                "won": counts.won,
                "drawn": counts.drawn,
                "lost": counts.lost,
            },
            "max_dtc": (!counts.dtc.is_empty()).then(|| counts.max_dtc()),
            "dtc": dtc.collect::<Value>(),
        }],
    })
}

fn write_text(rules: &RuleSet, class: Class, counts: &ReferenceCounts, out: &mut dyn Write) -> io::Result<()> {
    let ReferenceCounts { positions, won, drawn, lost, .. } = counts;
    writeln!(out, "{class} under {} (reference solver)", rules.name())?;
    writeln!(out, "{positions} positions: {won} won, {drawn} drawn, {lost} lost; longest {} plies", counts.max_dtc())?;
    writeln!(out, "{:>5} {:>13} {:>13}", "plies", "won", "lost")?;
    for count in &counts.dtc {
        writeln!(out, "{:>5} {:>13} {:>13}", count.plies, count.won, count.lost)?;
    }
    Ok(())
}
