//! `unpack`: tables as plain bytes, one or two per entry, with a sidecar that explains how to find a position in them.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use morabase::present::grouped;
use morabase::raw::{self, RawError};
use morabase::table::{Overwrite, TableError, TableFault, write_file};
use morabase::{Class, Tablebase};
use serde_json::json;

use super::args::parse_class;
use super::sidecar::{self, Sidecar};
use super::tables::{TablesArgs, report_faults};
use super::{CliError, CliResult};

const EXAMPLES: &str = "\
Examples:
  morabase unpack --class 4-3                       4-3.raw and 4-3.json in this directory
  morabase unpack --output raw --tables /data/gar   all classes there, into the directory raw
  morabase unpack --class 4-3 --output - | wc -c    the bytes alone, on standard output

A raw file has one byte for each entry and nothing else: 0 drawn, 1 to 126 won in that many plies, 128 + n lost in n plies. With cows in hand plies are not counted: 1 won, 128 lost. A class with \
distances beyond 126 plies has two, little-endian: n won, 32768 + n lost. The sidecar (A-B.json) names the class, the rules and the mover's set of each block; docs/raw.md finds a \
position in the bytes in five lines of Python or C. `morabase pack` turns the bytes back into a table.

With --json one object: {\"rules\":…,\"unpacked\":[{\"class\":…,\"file\":…,\"sidecar\":…,\"bytes\":…},…]}.";

/// Write tables as plain bytes
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Only this class; may be given several times [default: every class there is a table of]
    #[arg(long, value_name = "A-B", value_parser = parse_class)]
    class: Vec<Class>,
    /// Directory for the files, made if need be; `-` for the bytes of one class on standard output
    #[arg(long, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// Replace files that are there already
    #[arg(long)]
    overwrite: bool,
    /// Print what was unpacked as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: TablesArgs,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let tables = args.tables.open()?;
    if args.output == Path::new("-") {
        return to_output(args, &tables, out);
    }
    let mut classes = if args.class.is_empty() { tables.classes().collect() } else { args.class.clone() };
    let mut seen = Vec::new();
    classes.retain(|class| !seen.contains(class) && (seen.push(*class), true).1);
    if classes.is_empty() && tables.faults().next().is_none() {
        return Err(CliError::job("there are no tables here: build some, or give their directory with --tables"));
    }
    for class in &classes {
        tables.meta(*class)?;
    }
    create_directory(&args.output)?;
    let overwrite = if args.overwrite { Overwrite::Replace } else { Overwrite::Refuse };
    let mut unpacked = Vec::new();
    for class in classes {
        let file = to_files(args, &tables, class, overwrite)?;
        let bytes = tables.meta(class)?.entries() * raw::width(&tables, class)?.bytes() as u64;
        if args.json {
            let [file, sidecar] = [&file, &sidecar::beside(&file)].map(|path| path.display().to_string());
            unpacked.push(json!({ "class": class.to_string(), "file": file, "sidecar": sidecar, "bytes": bytes }));
        } else {
            writeln!(out, "{class:<6} {:>14} bytes: {}", grouped(bytes), file.display())?;
            out.flush()?;
        }
    }
    if args.json {
        writeln!(out, "{}", json!({ "rules": tables.rules().to_string(), "unpacked": unpacked }))?;
    }
    if args.class.is_empty() { report_faults(&tables) } else { Ok(()) }
}

fn to_output(args: &Args, tables: &Tablebase, out: &mut dyn Write) -> CliResult {
    let [class] = args.class[..] else {
        return Err(CliError::usage("--output - writes the bytes of one class: name it with --class"));
    };
    if args.json {
        return Err(CliError::usage("--json reports on files, but --output - writes none: leave one of them out"));
    }
    match raw::unpack(tables, class, out) {
        Ok(_) => Ok(()),
        Err(RawError::Output(error)) => Err(error.into()),
        Err(error) => Err(error.into()),
    }
}

/// Writes a class's raw file and its sidecar, and returns the name of the former.
fn to_files(args: &Args, tables: &Tablebase, class: Class, overwrite: Overwrite) -> CliResult<PathBuf> {
    let file = args.output.join(format!("{class}.{}", raw::EXTENSION));
    let sidecar = sidecar::beside(&file);
    if overwrite == Overwrite::Refuse && sidecar.exists() {
        // Checked before the raw file is written, which takes longer.
        return Err(RawError::from(TableFault::Exists.at(&sidecar)).into());
    }
    let checksum = write_file(&file, overwrite, |out| match raw::unpack(tables, class, out) {
        Err(RawError::Output(error)) => Err(cannot_write(&file)(error).into()),
        unpacked => unpacked,
    })?;
    let text = serde_json::to_string(&Sidecar::new(tables.rules(), class, raw::width(tables, class)?, checksum));
    let text = text.map_err(|error| CliError::job(error.to_string()))?;
    write_file::<_, RawError>(&sidecar, overwrite, |out| {
        writeln!(out, "{text}").map_err(|error| cannot_write(&sidecar)(error).into())
    })?;
    Ok(file)
}

fn cannot_write(file: &Path) -> impl FnOnce(io::Error) -> TableError {
    move |source| TableFault::Io { action: "write", source }.at(file)
}

fn create_directory(directory: &Path) -> CliResult {
    if directory.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(directory).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => CliError::usage(format!(
            "{}: expected a directory for raw files, found a file; give another --output",
            directory.display()
        )),
        _ => CliError::job(format!("{}: cannot create the directory: {error}", directory.display())),
    })
}

impl From<RawError> for CliError {
    fn from(error: RawError) -> Self {
        match error {
            RawError::Class(error) => error.into(),
            RawError::Directory(error) => error.into(),
            RawError::Read(error) => error.into(),
            RawError::Table(error) if matches!(error.fault(), TableFault::Exists) => Self::job(format!(
                "{}: the file exists already and was left as it is; remove it, or give --overwrite",
                error.file().display()
            )),
            error => Self::job(error.to_string()),
        }
    }
}
