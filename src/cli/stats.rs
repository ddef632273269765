//! `stats`: what the tables say about whole classes.

use std::io::Write;

use morabase::present::{ClassStatsJson, LongestJson, StatsJson, grouped};
use morabase::{Class, RuleSet};

use super::args::parse_class;
use super::tables::{TablesArgs, report_faults};
use super::{CliError, CliResult, write_json};

const EXAMPLES: &str = "\
Examples:
  morabase stats
  morabase stats --class 4-3 --json
  morabase stats --longest

\"Full\" counts every placement of the cows, \"canonical\" each orbit under the 16 symmetries once. With --json one object: \
{\"rules\":…,\"fingerprint\":…,\"classes\":[{\"class\":\"4-3\",\"entries\":…,\"full\":{\"positions\":…,\"won\":…,\"drawn\":…,\"lost\":…},\
\"canonical\":{…},\"max_dtc\":…|null,\"dtc\":[{\"plies\":1,\"won\":…,\"lost\":…},…]}]}, the histogram over the full space, without \
empty rows. With --longest each class also has \"longest\":{\"position\":\"W:W…:B…\",\"value\":\"lost\",\"plies\":…}|null, and \"bytes\", the \
length of its file. With cows in hand plies are not counted: \"max_dtc\" and \"longest\" are null and the histogram is empty.";

/// Count won, drawn and lost positions of each class, and their distances
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Only this class; may be given several times
    #[arg(long, value_name = "A-B", value_parser = parse_class)]
    class: Vec<Class>,
    /// Show a position of the longest distance of each class; this reads the tables themselves, not only their heads
    #[arg(long)]
    longest: bool,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: TablesArgs,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let tables = args.tables.open()?;
    let classes = if args.class.is_empty() { tables.classes().collect() } else { args.class.clone() };
    let classes = classes.into_iter().map(|class| {
        let stats = ClassStatsJson::new(tables.meta(class)?);
        Ok(if args.longest { stats.with_longest(LongestJson::find(&tables, class)?) } else { stats })
    });
    let classes = classes.collect::<CliResult<Vec<ClassStatsJson>>>()?;
    if classes.is_empty() && tables.faults().next().is_none() {
        return Err(CliError::job("there are no tables here: build some, or give their directory with --tables"));
    }
    if args.json {
        write_json(out, &StatsJson::new(tables.rules(), classes))?;
    } else {
        write_text(tables.rules(), &classes, out)?;
    }
    if args.class.is_empty() { report_faults(&tables) } else { Ok(()) }
}

fn write_text(rules: &RuleSet, classes: &[ClassStatsJson], out: &mut dyn Write) -> CliResult {
    writeln!(out, "rules {rules}")?;
    for class in classes {
        writeln!(out, "\nclass {}: {} entries", class.class, grouped(class.entries))?;
        writeln!(out, "{:<10} {:>14} {:>14} {:>14} {:>14}", "", "positions", "won", "drawn", "lost")?;
        for (space, counts) in [("full", &class.full), ("canonical", &class.canonical)] {
            let [positions, won, drawn, lost] = [counts.positions, counts.won, counts.drawn, counts.lost].map(grouped);
            writeln!(out, "{space:<10} {positions:>14} {won:>14} {drawn:>14} {lost:>14}")?;
        }
        if class.max_dtc.is_none() {
            let is_decided = class.full.won + class.full.lost > 0;
            writeln!(out, "{}", if is_decided { "plies are not counted" } else { "no position is decided" })?;
            continue;
        }
        if let Some(longest) = class.longest.as_ref().and_then(|added| added.longest.as_ref()) {
            writeln!(out, "longest: {} in {} plies, {}", longest.value, longest.plies, longest.position)?;
        }
        writeln!(out, "{:<10} {:>14} {:>14} {:>14} {:>14}", "plies", "", "won", "", "lost")?;
        for row in &class.dtc {
            writeln!(
                out,
                "{:<10} {:>14} {:>14} {:>14} {:>14}",
                row.plies,
                "",
                grouped(row.won),
                "",
                grouped(row.lost)
            )?;
        }
    }
    Ok(())
}
