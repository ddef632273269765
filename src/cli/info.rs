//! `info`: which tables exist, and whether all classes they depend on are there.

use std::io::Write;

use morabase::present::{InfoJson, grouped};

use super::tables::{TablesArgs, report_faults};
use super::{CliResult, write_json};

const EXAMPLES: &str = "\
Examples:
  morabase info
  morabase info --tables /data/gar --tables /data/more --json

With --json one object: {\"rules\":…,\"fingerprint\":…,\"complete_up_to\":8|null,\"bytes\":…,\"entries\":…,\
\"classes\":[{\"class\":\"4-3\",\"file\":…,\"bytes\":…,\"entries\":…,\"missing\":[\"3-4\"]},…],\"damaged\":[{\"class\":…,\"error\":…},…]}; \
file is \"(inside the program)\" for the built-in set, missing are the classes that turns lead to and that are not there.";

/// List the tables that are there, with their sizes and the classes that are missing
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: TablesArgs,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let tables = args.tables.open()?;
    let info = InfoJson::new(&tables)?;
    if args.json {
        write_json(out, &info)?;
    } else {
        write_text(&info, out)?;
    }
    report_faults(&tables)
}

fn write_text(info: &InfoJson, out: &mut dyn Write) -> CliResult {
    if info.classes.is_empty() && !info.damaged.is_empty() {
        writeln!(out, "no table here can be read:")?;
        for damaged in &info.damaged {
            writeln!(out, "{}, damaged: {}", damaged.class, damaged.error)?;
        }
        return Ok(());
    }
    if info.classes.is_empty() {
        return Ok(writeln!(out, "there are no tables here: build some, or give their directory with --tables")?);
    }
    writeln!(out, "rules {} ({})", info.rules, info.fingerprint)?;
    match info.complete_up_to {
        Some(cows) => writeln!(out, "complete up to {cows} cows together")?,
        None => writeln!(out, "not complete for any number of cows")?,
    }
    let width = info.classes.iter().map(|class| class.class.len()).max().unwrap_or(0).max(6);
    writeln!(out, "\n{:<width$} {:>15} {:>15} {:>9}  file", "class", "entries", "bytes", "bits/pos")?;
    for class in &info.classes {
        let (entries, bytes) = (grouped(class.entries), grouped(class.bytes));
        write!(
            out,
            "{:<width$} {entries:>15} {bytes:>15} {:>9.3}  {}",
            class.class,
            bits(class.bytes, class.entries),
            class.file
        )?;
        writeln!(out, "{}", gaps(info, &class.missing))?;
    }
    let (entries, bytes) = (grouped(info.entries), grouped(info.bytes));
    writeln!(out, "{:<width$} {entries:>15} {bytes:>15} {:>9.3}", "all", bits(info.bytes, info.entries))?;
    Ok(())
}

/// A message about classes that no table answers for: which are missing, and which are damaged and how.
fn gaps(info: &InfoJson, missing: &[String]) -> String {
    let damage = |class: &String| info.damaged.iter().find(|damaged| damaged.class == *class);
    let absent: Vec<&str> = missing.iter().filter(|class| damage(class).is_none()).map(String::as_str).collect();
    let mut text = String::new();
    if !absent.is_empty() {
        text.extend(["  (leads to ", &absent.join(" and "), ", not here)"]);
    }
    for damaged in missing.iter().filter_map(damage) {
        text.extend(["  (leads to ", &damaged.class, ", damaged: ", &damaged.error, ")"]);
    }
    text
}

fn bits(bytes: u64, entries: u64) -> f64 {
    bytes as f64 * 8.0 / entries.max(1) as f64
}
