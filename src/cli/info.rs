//! `info`: which tables are there, and whether they answer for each other.

use std::io::Write;

use morabase::{Class, Tablebase};
use serde::Serialize;

use super::tables::{TablesArgs, file_text, report_faults};
use super::units::grouped;
use super::{CliError, CliResult};

const EXAMPLES: &str = "\
Examples:
  morabase info
  morabase info --tables /data/gar --tables /data/more --json

With --json one object: {\"rules\":…,\"fingerprint\":…,\"complete_up_to\":8|null,\"bytes\":…,\"entries\":…,
\"classes\":[{\"class\":\"4-3\",\"file\":…,\"bytes\":…,\"entries\":…,\"missing\":[\"3-4\"]},…],\"damaged\":[{\"class\":…,\"error\":…},…]}; \
missing are the classes that turns lead to and that are not there.";

/// Show which tables are there, their sizes and what they lack
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: TablesArgs,
}

#[derive(Serialize)]
struct Info {
    rules: String,
    fingerprint: String,
    complete_up_to: Option<u8>,
    bytes: u64,
    entries: u64,
    classes: Vec<ClassInfo>,
    damaged: Vec<Damaged>,
}

#[derive(Serialize)]
struct ClassInfo {
    class: String,
    file: String,
    bytes: u64,
    entries: u64,
    missing: Vec<String>,
}

#[derive(Serialize)]
struct Damaged {
    class: String,
    error: String,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let tables = args.tables.open()?;
    let info = gather(&tables)?;
    if args.json {
        let text = serde_json::to_string(&info).map_err(|error| CliError::job(error.to_string()))?;
        writeln!(out, "{text}")?;
    } else {
        write_text(&info, out)?;
    }
    report_faults(&tables)
}

fn gather(tables: &Tablebase) -> CliResult<Info> {
    let class_info = |class: Class| -> CliResult<ClassInfo> {
        Ok(ClassInfo {
            class: class.to_string(),
            file: file_text(tables.file(class)),
            bytes: tables.file_length(class).unwrap_or(0),
            entries: tables.meta(class)?.entries(),
            missing: tables.missing_successors(class).iter().map(Class::to_string).collect(),
        })
    };
    let classes = tables.classes().map(class_info).collect::<CliResult<Vec<ClassInfo>>>()?;
    let damaged = tables.faults().map(|(class, error)| Damaged { class: class.to_string(), error: error.to_string() });
    Ok(Info {
        rules: tables.rules().to_string(),
        fingerprint: format!("{:016x}", tables.rules().fingerprint()),
        complete_up_to: tables.complete_up_to(),
        bytes: classes.iter().map(|class| class.bytes).sum(),
        entries: classes.iter().map(|class| class.entries).sum(),
        damaged: damaged.collect(),
        classes,
    })
}

fn write_text(info: &Info, out: &mut dyn Write) -> CliResult {
    if info.classes.is_empty() {
        return Ok(writeln!(out, "there are no tables here: build some, or name their directory with --tables")?);
    }
    writeln!(out, "rules {} ({})", info.rules, info.fingerprint)?;
    match info.complete_up_to {
        Some(cows) => writeln!(out, "complete up to {cows} cows together")?,
        None => writeln!(out, "not complete for any number of cows")?,
    }
    writeln!(out, "\n{:<6} {:>15} {:>15} {:>9}  file", "class", "entries", "bytes", "bits/pos")?;
    for class in &info.classes {
        let (entries, bytes) = (grouped(class.entries), grouped(class.bytes));
        write!(
            out,
            "{:<6} {entries:>15} {bytes:>15} {:>9.3}  {}",
            class.class,
            bits(class.bytes, class.entries),
            class.file
        )?;
        if !class.missing.is_empty() {
            write!(out, "  (leads to {}, not here)", class.missing.join(" and "))?;
        }
        writeln!(out)?;
    }
    let (entries, bytes) = (grouped(info.entries), grouped(info.bytes));
    writeln!(out, "{:<6} {entries:>15} {bytes:>15} {:>9.3}", "all", bits(info.bytes, info.entries))?;
    Ok(())
}

fn bits(bytes: u64, entries: u64) -> f64 {
    bytes as f64 * 8.0 / entries.max(1) as f64
}
