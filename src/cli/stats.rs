//! `stats`: what the tables say about whole classes.

use std::io::Write;

use morabase::table::{Counts, TableMeta};
use morabase::{Class, Tablebase, Value};
use serde::Serialize;

use super::args::parse_class;
use super::tables::{TablesArgs, report_faults};
use super::units::grouped;
use super::{CliError, CliResult};

const EXAMPLES: &str = "\
Examples:
  morabase stats
  morabase stats --class 4-3 --json
  morabase stats --longest

\"Full\" counts every placement of the cows, \"canonical\" each orbit under the 16 symmetries once. With --json one object:
{\"rules\":…,\"fingerprint\":…,\"classes\":[{\"class\":\"4-3\",\"entries\":…,\"full\":{\"positions\":…,\"won\":…,\"drawn\":…,\"lost\":…},
\"canonical\":{…},\"max_dtc\":…|null,\"dtc\":[{\"plies\":1,\"won\":…,\"lost\":…},…]}]}, the histogram over the full space, without
empty rows. With --longest each class also has \"longest\":{\"position\":\"W:W…:B…\",\"value\":\"lost\",\"plies\":…}|null, and \"bytes\", the
length of its file.";

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

#[derive(Serialize)]
struct Stats {
    rules: String,
    fingerprint: String,
    classes: Vec<ClassStats>,
}

#[derive(Serialize)]
struct ClassStats {
    class: String,
    entries: u64,
    full: CountsJson,
    canonical: CountsJson,
    max_dtc: Option<u16>,
    dtc: Vec<Row>,
    #[serde(flatten)]
    longest: Option<LongestJson>,
}

/// What `--longest` adds.
#[derive(Serialize)]
struct LongestJson {
    bytes: u64,
    longest: Option<Example>,
}

#[derive(Serialize)]
struct Example {
    position: String,
    value: &'static str,
    plies: u16,
}

impl LongestJson {
    fn new(tables: &Tablebase, class: Class) -> CliResult<Self> {
        let bytes = tables.file_length(class).unwrap_or_default();
        let Some(plies) = tables.meta(class)?.max_dtc() else { return Ok(Self { bytes, longest: None }) };
        for value in [Value::Won(plies), Value::Lost(plies)] {
            if let Some(position) = tables.first_with(class, value)? {
                let value = value.wdl().name();
                let longest = Some(Example { position: position.to_string(), value, plies: plies.0 });
                return Ok(Self { bytes, longest });
            }
        }
        Ok(Self { bytes, longest: None })
    }
}

#[derive(Serialize)]
struct CountsJson {
    positions: u64,
    won: u64,
    drawn: u64,
    lost: u64,
}

#[derive(Serialize)]
struct Row {
    plies: usize,
    won: u64,
    lost: u64,
}

impl From<&Counts> for CountsJson {
    fn from(counts: &Counts) -> Self {
        let Counts { won, drawn, lost } = *counts;
        Self { positions: counts.total(), won, drawn, lost }
    }
}

impl ClassStats {
    fn new(meta: &TableMeta, longest: Option<LongestJson>) -> Self {
        let rows = meta.dtc.iter().enumerate().filter(|(_, count)| count.won + count.lost > 0);
        Self {
            class: meta.class.to_string(),
            entries: meta.entries(),
            full: (&meta.full).into(),
            canonical: (&meta.canonical).into(),
            max_dtc: meta.max_dtc().map(|plies| plies.0),
            dtc: rows.map(|(plies, count)| Row { plies, won: count.won, lost: count.lost }).collect(),
            longest,
        }
    }
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let tables = args.tables.open()?;
    let classes = if args.class.is_empty() { tables.classes().collect() } else { args.class.clone() };
    let classes = classes.into_iter().map(|class| {
        let longest = args.longest.then(|| LongestJson::new(&tables, class)).transpose()?;
        Ok(ClassStats::new(tables.meta(class)?, longest))
    });
    let classes = classes.collect::<CliResult<Vec<ClassStats>>>()?;
    if classes.is_empty() && tables.faults().next().is_none() {
        return Err(CliError::job("there are no tables here: build some, or name their directory with --tables"));
    }
    if args.json {
        write_json(&tables, classes, out)?;
    } else {
        write_text(&tables, &classes, out)?;
    }
    if args.class.is_empty() { report_faults(&tables) } else { Ok(()) }
}

fn write_json(tables: &Tablebase, classes: Vec<ClassStats>, out: &mut dyn Write) -> CliResult {
    let rules = tables.rules();
    let stats = Stats { rules: rules.to_string(), fingerprint: format!("{:016x}", rules.fingerprint()), classes };
    let text = serde_json::to_string(&stats).map_err(|error| CliError::job(error.to_string()))?;
    Ok(writeln!(out, "{text}")?)
}

fn write_text(tables: &Tablebase, classes: &[ClassStats], out: &mut dyn Write) -> CliResult {
    writeln!(out, "rules {}", tables.rules())?;
    for class in classes {
        writeln!(out, "\nclass {}: {} entries", class.class, grouped(class.entries))?;
        writeln!(out, "{:<10} {:>14} {:>14} {:>14} {:>14}", "", "positions", "won", "drawn", "lost")?;
        for (space, counts) in [("full", &class.full), ("canonical", &class.canonical)] {
            let [positions, won, drawn, lost] = [counts.positions, counts.won, counts.drawn, counts.lost].map(grouped);
            writeln!(out, "{space:<10} {positions:>14} {won:>14} {drawn:>14} {lost:>14}")?;
        }
        if class.max_dtc.is_none() {
            writeln!(out, "no position is decided")?;
            continue;
        }
        if let Some(Example { position, value, plies }) =
            class.longest.as_ref().and_then(|added| added.longest.as_ref())
        {
            writeln!(out, "longest: {value} in {plies} plies, {position}")?;
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
