//! `verify`: checks every claim of the tables again.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use indicatif::{ProgressBar, ProgressStyle};
use morabase::manifest::FileReport;
use morabase::present::{ManifestCheckJson, VerifyJson, files_text, grouped};
use morabase::threads::Pool;
use morabase::verify::{ClassReport, Depth, Options, Progress, Report, Verifier};
use morabase::{Class, Tablebase};

use super::args::{parse_bytes, parse_class};
use super::manifest::ManifestCheck;
use super::progress::{start_threads, while_watched};
use super::tables::TablesArgs;
use super::{CliError, CliResult, write_json};

const EXAMPLES: &str = "\
Examples:
  morabase verify                            everything, every entry
  morabase verify --sample 1000000           checksums, and a million entries of all classes
  morabase verify --class 5-4 --probed       one class, each entry through the path that probe takes
  morabase verify --manifest gar.manifest    is it that set, byte for byte?

It checks the checksums of each file, the counts in its head, and for every entry (or those of the sample) that its value \
follows from the values its turns lead to. By default it does so on whole decoded tables, with loops that share \
no code with the solver, and checks a small sample through the public probe too. It names the first faults of each class \
with block, entry and position. The exit status is 1 if there is any fault.

With --manifest it compares the files with the lengths and SHA-256 that `morabase manifest` wrote, and looks at no values. This is as fast as \
the disk. It shows that your set is the same as another one, which somebody should have verified. A file that \
differs or is missing is a fault; for an incomplete set, name the classes with --class. A table that the manifest does not name is only mentioned. \
With --files, --sample or --probed what those check is checked too, after the manifest.

With --json one object: {\"rules\":…,\"sound\":true|false,\"classes\":[{\"class\":…,\"walked\":…,\"probed\":…,\"faults\":…,\"first\":[…]},…]}, \
and with --manifest \"manifest\":{\"file\":…,\"sound\":…,\"files\":[{\"class\":…,\"file\":…,\"finding\":\"sound|other-bytes|other-sha256|unreadable|\
missing|not-listed\",\"expected\":…|null,\"found\":…|null},…]}.";

/// Check the checksums, counts and every value of the tables
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "they are the flags of a command line")]
pub(super) struct Args {
    /// Only this class; may be given several times
    #[arg(long, value_name = "A-B", value_parser = parse_class)]
    class: Vec<Class>,
    /// Compare the files with this manifest, byte for byte, instead of checking their values
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    /// Check this many entries, drawn evenly from all classes, instead of every one; all if there are no more
    #[arg(long, value_name = "N", conflicts_with_all = ["probed", "files"])]
    sample: Option<u64>,
    /// Seed of the sample: the same seed draws the same entries
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Check every entry through the path that probe takes: much slower
    #[arg(long, conflicts_with = "files")]
    probed: bool,
    /// Check files only, not values: heads and checksums
    #[arg(long)]
    files: bool,
    /// Threads to use [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Memory for decoded tables beyond the few that a class needs at once, such as 4G; under a no-remake rule
    /// up to 128 MiB more for cached answers
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "1G")]
    memory: u64,
    /// Print only what is wrong
    #[arg(long, short)]
    quiet: bool,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: TablesArgs,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let tables = args.tables.open()?;
    if args.class.is_empty() && tables.classes().next().is_none() && tables.faults().next().is_none() {
        return Err(CliError::job("there are no tables here: build some, or give their directory with --tables"));
    }
    let pool = start_threads(args.threads);
    let files = check_manifest(args, &tables, &pool, out)?;
    let report = if args.checks_values() { check_values(args, &tables, &pool, out)? } else { Report::default() };
    if args.json {
        let object = VerifyJson::new(tables.rules(), &report);
        let manifest = args.manifest.as_ref().map(|file| ManifestCheckJson::new(&file.display().to_string(), &files));
        write_json(out, &manifest.into_iter().fold(object, VerifyJson::with_manifest))?;
    }
    let faults = [file_faults(args, &files), value_faults(&report)];
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    if faults.is_empty() { Ok(()) } else { Err(CliError::job(faults.join("; "))) }
}

impl Args {
    /// Whether more than the files of a manifest is to be checked.
    const fn checks_values(&self) -> bool {
        self.manifest.is_none() || self.sample.is_some() || self.probed || self.files
    }

    fn options(&self) -> Options {
        let depth = match (self.sample, self.probed, self.files) {
            (Some(count), ..) => Depth::Sample(count),
            (None, true, _) => Depth::Probed,
            (None, false, true) => Depth::Files,
            (None, false, false) => Depth::Whole,
        };
        Options { classes: self.class.clone(), depth, seed: self.seed, memory: self.memory }
    }
}

/// Compares the tables with the manifest, if there is one.
fn check_manifest(args: &Args, tables: &Tablebase, pool: &Pool, out: &mut dyn Write) -> CliResult<Vec<FileReport>> {
    let Some(file) = &args.manifest else { return Ok(Vec::new()) };
    let held = ManifestCheck { file, tables, classes: &args.class, quiet: args.quiet };
    let files = held.check(pool)?;
    if !args.json {
        held.print(&files, out)?;
    }
    Ok(files)
}

fn check_values(args: &Args, tables: &Tablebase, pool: &Pool, out: &mut dyn Write) -> CliResult<Report> {
    let progress = Progress::default();
    let bar = if args.quiet || !io::stderr().is_terminal() { ProgressBar::hidden() } else { bar() };
    let mut verifier = Verifier::new(tables, &args.options(), &progress);
    let look = || {
        bar.set_length(progress.total.load(Ordering::Relaxed));
        bar.set_position(progress.checked.load(Ordering::Relaxed));
    };
    let report = while_watched(look, || -> CliResult<Report> {
        let mut report = Report::default();
        while let Some(class) = pool.install(|| verifier.next()) {
            let silent = args.json || args.quiet && class.fault_count == 0;
            if !silent {
                bar.suspend(|| write_class(&class, out))?;
            }
            report.classes.push(class);
        }
        Ok(report)
    })?;
    bar.finish_and_clear();
    Ok(report)
}

/// The faults of files in a manifest, in one line.
fn file_faults(args: &Args, files: &[FileReport]) -> Option<String> {
    let manifest = args.manifest.as_ref().filter(|_| files.iter().any(|file| file.finding.is_fault()))?;
    Some(format!("{}: not this set: {}", manifest.display(), files_text(files)))
}

/// The faults of values, in one line.
fn value_faults(report: &Report) -> Option<String> {
    let faults: u64 = report.classes.iter().map(|class| class.fault_count).sum();
    let faulty = report.classes.iter().filter(|class| class.fault_count > 0).count();
    (!report.is_sound())
        .then(|| format!("faults: {}, in {faulty} of {} classes", grouped(faults), report.classes.len()))
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {human_pos} of {human_len} entries, {eta} left");
    ProgressBar::no_length().with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn write_class(class: &ClassReport, out: &mut dyn Write) -> CliResult {
    let result = match class.fault_count {
        0 => "sound".to_owned(),
        1 => "1 fault".to_owned(),
        count => format!("{} faults", grouped(count)),
    };
    let checked = match (class.walked, class.probed) {
        (0, 0) => "files".to_owned(),
        (0, probed) => format!("{} entries probed", grouped(probed)),
        (walked, probed) => format!("{} entries, {} probed", grouped(walked), grouped(probed)),
    };
    writeln!(out, "{:<6} {checked}: {result}", class.class)?;
    for fault in &class.faults {
        writeln!(out, "  {fault}")?;
    }
    out.flush()?;
    Ok(())
}
