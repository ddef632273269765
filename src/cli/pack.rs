//! `pack`: tables from plain bytes and their sidecars, as `unpack` writes them.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use morabase::present::grouped;
use morabase::raw::{self, Packed, RawError, Width};
use morabase::space::Space;
use morabase::store::file_name;
use morabase::table::Overwrite;
use serde_json::json;

use super::sidecar::{self, Described, Sidecar};
use super::{CliError, CliResult};

const EXAMPLES: &str = "\
Examples:
  morabase pack raw/4-3.raw raw/3-4.raw --tables /data/gar      with raw/4-3.json and raw/3-4.json
  morabase pack values.bin --sidecar about.json --tables mine

A raw file has one byte for each entry, or two (see `morabase unpack` and docs/raw.md). Next to it is its sidecar, which must \
have \"class\" and \"rules\"; any other keys must be right if they are there. Counts and distances come from the bytes. All \
files are checked before the first table is written, and a table gets its name only when it is whole. The bytes \
of one class at a time are in memory. To find out whether the values are true, run `morabase verify`.

With --json one object: {\"rules\":…,\"tables\":…,\"packed\":[{\"class\":…,\"file\":…,\"entries\":…,\"bytes\":…},…]}.";

/// Make tables from plain bytes
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Raw files
    #[arg(required = true, value_name = "RAW")]
    raw: Vec<PathBuf>,
    /// Directory of the tables, made if need be
    #[arg(long, value_name = "DIR")]
    tables: PathBuf,
    /// The sidecar of the one raw file [default: its name with the extension json]
    #[arg(long, value_name = "FILE")]
    sidecar: Option<PathBuf>,
    /// Replace tables that are there already
    #[arg(long)]
    overwrite: bool,
    /// Print what was packed as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    if args.sidecar.is_some() && args.raw.len() > 1 {
        return Err(CliError::usage("--sidecar belongs to a single raw file: give only one, or leave it out"));
    }
    let described = args.raw.iter().map(|file| describe(args, file)).collect::<CliResult<Vec<Described>>>()?;
    check_together(args, &described)?;
    let overwrite = if args.overwrite { Overwrite::Replace } else { Overwrite::Refuse };
    let mut packed = Vec::new();
    for (file, described) in args.raw.iter().zip(&described) {
        let table = pack(args, file, described, overwrite)?;
        if args.json {
            let Packed { file, meta, bytes } = table;
            let [class, file] = [meta.class.to_string(), file.display().to_string()];
            packed.push(json!({ "class": class, "file": file, "entries": meta.entries(), "bytes": bytes }));
        } else {
            let [entries, bytes] = [table.meta.entries(), table.bytes].map(grouped);
            writeln!(out, "{:<6} {entries:>14} entries in {bytes} bytes: {}", described.class, table.file.display())?;
            out.flush()?;
        }
    }
    if let Some(first) = described.first().filter(|_| args.json) {
        let tables = args.tables.display().to_string();
        writeln!(out, "{}", json!({ "rules": first.rules.to_string(), "tables": tables, "packed": packed }))?;
    }
    Ok(())
}

/// The contents of a raw file's sidecar, after checking that the file has the length it says.
fn describe(args: &Args, file: &Path) -> CliResult<Described> {
    let metadata = fs::metadata(file).map_err(cannot_read(file))?;
    if !metadata.is_file() {
        return Err(CliError::usage(format!("{}: expected a raw file, found something else", file.display())));
    }
    let described = Sidecar::read(args.sidecar.as_deref().unwrap_or(&sidecar::beside(file)))?;
    let (entries, found) = (Space::new(described.rules.board, described.class).entries(), metadata.len());
    // If a sidecar does not give the bytes per entry, the length determines them.
    let widths = [Width::Byte, Width::Word].map(|width| entries * width.bytes() as u64);
    let expected = described.width.map_or(widths[0], |width| entries * width.bytes() as u64);
    if found != expected && !(described.width.is_none() && found == widths[1]) {
        return Err(CliError::job(format!(
            "{}: expected {} bytes, {} for each entry of class {}, found {}; is this the whole file, and the sidecar its own?",
            file.display(),
            grouped(expected),
            described.width.map_or("one (or two)".to_owned(), |width| width.bytes().to_string()),
            described.class,
            grouped(found)
        )));
    }
    Ok(described)
}

/// Checks that all can be in one directory, before anything is written.
fn check_together(args: &Args, described: &[Described]) -> CliResult {
    for (at, this) in described.iter().enumerate() {
        let file = args.raw[at].display();
        if this.rules != described[0].rules {
            return Err(CliError::usage(format!(
                "{file}: the rules are {}, those of {} are {}; keep tables of different rules in different directories",
                this.rules,
                args.raw[0].display(),
                described[0].rules
            )));
        }
        if described[..at].iter().any(|other| other.class == this.class) {
            return Err(CliError::usage(format!("{file}: class {} is given twice", this.class)));
        }
        let table = args.tables.join(file_name(this.class));
        if !args.overwrite && table.exists() {
            return Err(CliError::job(format!(
                "{}: the file exists already and was left as it is; remove it, or give --overwrite",
                table.display()
            )));
        }
    }
    Ok(())
}

fn pack(args: &Args, file: &Path, described: &Described, overwrite: Overwrite) -> CliResult<Packed> {
    let bytes = fs::read(file).map_err(cannot_read(file))?;
    described.check_bytes(file, &bytes)?;
    raw::pack(&args.tables, &described.rules, described.class, bytes, overwrite).map_err(|error| match error {
        error @ (RawError::NoCode { .. }
        | RawError::NoResult { .. }
        | RawError::TooManyValues { .. }
        | RawError::Twins { .. }
        | RawError::Length { .. }) => CliError::job(format!("{}: {error}", file.display())),
        error => error.into(),
    })
}

fn cannot_read(file: &Path) -> impl FnOnce(std::io::Error) -> CliError {
    move |error| CliError::job(format!("{}: cannot read: {error}", file.display()))
}
