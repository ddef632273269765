//! `manifest`: the files of a set of tables with lengths and hashes; also the comparison of tables with one for
//! `verify`.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use indicatif::{ProgressBar, ProgressStyle};
use morabase::manifest::{FileReport, Manifest, ManifestError, Progress};
use morabase::present::{ManifestJson, bytes_text, file_text, files_text};
use morabase::table::{Overwrite, TableError, TableFault, write_file};
use morabase::threads::Pool;
use morabase::{Class, Tablebase};

use super::error::STOPPED;
use super::progress::{on_interrupt, start_threads, while_watched};
use super::tables::TablesArgs;
use super::{CliError, CliResult, write_json};

const EXAMPLES: &str = "\
Examples:
  morabase manifest --tables /data/gar --output gar.manifest
  morabase verify --manifest gar.manifest --tables /data/mine     is it the same set, byte for byte?
  (cd /data/mine && sha256sum -c) < gar.manifest                  the same with the usual tool

A manifest has the length and the SHA-256 of each file, and the rules. Every machine builds the same bytes for a class and rules, \
so you can compare any other build with it. The order is that of building: without cows in hand first, then layer by layer. Every \
file is read once and not checked, so run `morabase verify` first. docs/manifest.md describes the format.

With --json one object: {\"rules\":…,\"bytes\":…,\"files\":[{\"class\":…,\"file\":…,\"bytes\":…,\"sha256\":…},…]}.";

/// Write a list of all tables with length and SHA-256, to compare other sets with
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// File for the manifest, which appears only when it is whole [default: standard output]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it is there already
    #[arg(long, requires = "output")]
    overwrite: bool,
    /// Threads to use, each on a file of its own [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Show no progress and no summary
    #[arg(long, short)]
    quiet: bool,
    /// Print a JSON object, in place of the manifest or beside its file
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: TablesArgs,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    if let Some(file) = args.output.as_deref().filter(|file| !args.overwrite && file.exists()) {
        // Checked before the tables are read, which takes longer.
        return Err(cannot_write(&TableFault::Exists.at(file)));
    }
    let tables = args.tables.open()?;
    let pool = start_threads(args.threads);
    let progress = Arc::new(Progress::default());
    stop_on_signal(&progress)?;
    let manifest = watched(&progress, args.quiet, || pool.install(|| Manifest::of(&tables, &progress)))?;
    match &args.output {
        Some(file) => write(&manifest, file, args.overwrite)?,
        None if args.json => {}
        None => write!(out, "{manifest}")?,
    }
    if args.json {
        return write_json(out, &ManifestJson::new(&manifest));
    }
    if let Some(file) = args.output.as_deref().filter(|_| !args.quiet) {
        let (files, bytes) = (manifest.files().len(), bytes_text(manifest.bytes()));
        writeln!(out, "{files} files, {bytes}: {}", file.display())?;
    }
    Ok(())
}

fn write(manifest: &Manifest, file: &Path, overwrite: bool) -> CliResult {
    let overwrite = if overwrite { Overwrite::Replace } else { Overwrite::Refuse };
    let write = |out: &mut dyn Write| write!(out, "{manifest}");
    write_file(file, overwrite, |out| write(out).map_err(|source| TableFault::Io { action: "write", source }.at(file)))
        .map_err(|error: TableError| cannot_write(&error))
}

fn cannot_write(error: &TableError) -> CliError {
    match error.fault() {
        TableFault::Exists => CliError::job(format!(
            "{}: the file exists already and was left as it is; remove it, or give --overwrite",
            error.file().display()
        )),
        _ => CliError::job(error.to_string()),
    }
}

/// Makes the first interrupt end the work cleanly, and the second at once.
pub(super) fn stop_on_signal(progress: &Arc<Progress>) -> CliResult {
    let progress = Arc::clone(progress);
    let stop = move || {
        if progress.cancel.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(STOPPED));
        }
    };
    on_interrupt(stop).map_err(|error| CliError::job(format!("cannot watch for interrupts: {error}")))
}

/// Does the work, which counts bytes, while a bar in a terminal shows its progress.
fn watched<T>(progress: &Progress, quiet: bool, work: impl FnOnce() -> T) -> T {
    let bar = if quiet || !io::stderr().is_terminal() { ProgressBar::hidden() } else { bar() };
    let look = || {
        bar.set_length(progress.total.load(Ordering::Relaxed));
        bar.set_position(progress.done.load(Ordering::Relaxed));
    };
    let done = while_watched(look, work);
    bar.finish_and_clear();
    done
}

fn bar() -> ProgressBar {
    let template = "{wide_bar} {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left";
    let style = ProgressStyle::with_template(template);
    ProgressBar::no_length().with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Tables to compare with a manifest.
pub(super) struct ManifestCheck<'a> {
    /// The path of the manifest.
    pub(super) file: &'a Path,
    /// The tables.
    pub(super) tables: &'a Tablebase,
    /// The classes; all if there are none.
    pub(super) classes: &'a [Class],
    /// Whether to report only faults.
    pub(super) quiet: bool,
}

impl ManifestCheck<'_> {
    /// The results for the files of the manifest, read on the current threads.
    pub(super) fn check(&self, pool: &Pool) -> CliResult<Vec<FileReport>> {
        let manifest = Manifest::read(self.file)?;
        let progress = Progress::default();
        let check = || pool.install(|| manifest.check(self.tables, self.classes, &progress));
        watched(&progress, self.quiet, check).map_err(|error| match error {
            error @ (ManifestError::OtherRules { .. } | ManifestError::NotListed { .. }) => {
                CliError::usage(format!("{}: {error}", self.file.display()))
            }
            error => error.into(),
        })
    }

    /// A line for each file, or for each with a fault, and a summary if there are none.
    pub(super) fn print(&self, reports: &[FileReport], out: &mut dyn Write) -> CliResult {
        for report in reports.iter().filter(|report| !self.quiet || report.finding.is_fault()) {
            writeln!(out, "{}", file_text(report))?;
        }
        if !self.quiet && !reports.iter().any(|report| report.finding.is_fault()) {
            writeln!(out, "{}", files_text(reports))?;
        }
        Ok(out.flush()?)
    }
}

impl From<ManifestError> for CliError {
    fn from(error: ManifestError) -> Self {
        let message = error.to_string();
        match error {
            ManifestError::Stopped => Self::Stopped("stopped; nothing was written".to_owned()),
            ManifestError::OtherRules { .. } => Self::usage(message),
            ManifestError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => Self::usage(message),
            ManifestError::NoTables => {
                Self::job("there are no tables here: build some, or give their directory with --tables")
            }
            _ => Self::job(message),
        }
    }
}
