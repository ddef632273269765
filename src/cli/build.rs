//! `build`: solves classes and writes their tables.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use morabase::build::{self, BuildError, Existing, Job, Observer, PairPlan, PairReport, Plan, Stage, Wish};
use morabase::solve::Control;
use morabase::{Class, RuleSet};

use super::args::{RuleArgs, parse_class};
use super::units::{bytes, duration, grouped, parse_bytes};
use super::{CliError, CliResult};

const EXAMPLES: &str = "\
Examples:
  morabase build --max-cows 8                        all classes of up to 8 cows together, under gar
  morabase build --rules plain --class 5-4           5-4, 4-5 and all they depend on
  morabase build --max-cows 24 --memory 8G           everything, in at most 8 GiB
  morabase build --class 6-4 --only                  one pair from the tables that are there

Running the same command again goes on where it was stopped or killed, and ends with the same bytes.";

/// Solve classes and write their tables
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    what: WhatArgs,
    /// Threads to use [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Trust existing tables only after checking all their bytes
    #[arg(long, conflicts_with = "overwrite")]
    recheck: bool,
    /// Build existing tables anew and replace them
    #[arg(long)]
    overwrite: bool,
    /// Say nothing on standard error while all goes well
    #[arg(long, short)]
    quiet: bool,
    /// Print what was built as JSON
    #[arg(long)]
    json: bool,
}

/// What to build, where, and in how much memory: shared with `plan`.
#[derive(clap::Args, Clone)]
pub(crate) struct WhatArgs {
    #[command(flatten)]
    rules: RuleArgs,
    /// All classes with at most this many cows together, 6 to 24
    #[arg(
        long,
        value_name = "N",
        required_unless_present = "class",
        conflicts_with = "class",
        allow_hyphen_values = true
    )]
    max_cows: Option<u32>,
    /// This class, its partner and what they depend on
    #[arg(long, value_name = "A-B", value_parser = parse_class)]
    class: Option<Class>,
    /// Only this pair, from the tables that are there
    #[arg(long, requires = "class")]
    only: bool,
    /// Directory of the tables
    #[arg(long, value_name = "DIR", default_value = "tables")]
    tables: PathBuf,
    /// The most memory to use, such as 8G or 900M
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    memory: Option<u64>,
}

impl WhatArgs {
    pub(crate) fn rules(&self) -> CliResult<RuleSet> {
        self.rules.rules()
    }

    pub(crate) fn plan(&self, existing: Existing) -> CliResult<Plan> {
        let wish = match (self.class, self.only) {
            (Some(class), true) => Wish::Only(class),
            (Some(class), false) => Wish::Class(class),
            (None, _) => Wish::MaxCows(self.max_cows.unwrap_or_default()),
        };
        Ok(Plan::new(&self.rules()?, &self.tables, wish, existing)?)
    }

    pub(crate) const fn memory(&self) -> Option<u64> {
        self.memory
    }
}

impl From<BuildError> for CliError {
    fn from(error: BuildError) -> Self {
        if error.is_wrong_request() { Self::usage(error.to_string()) } else { Self::job(error.to_string()) }
    }
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let existing = match (args.recheck, args.overwrite) {
        (true, _) => Existing::Recheck,
        (_, true) => Existing::Replace,
        _ => Existing::Check,
    };
    let plan = args.what.plan(existing)?;
    let job = Arc::new(Job {
        threads: args.threads.map_or(0, usize::from),
        memory: args.what.memory(),
        existing,
        control: Control::default(),
    });
    let watch = Watch::new(&plan, Arc::clone(&job), args.quiet);
    watch.say(&summary(&plan, job.memory));
    stop_on_signal(&job, args.quiet)?;
    let ticker = watch.ticker();
    let result = build::run(&plan, &job, &watch);
    ticker.stop();
    match result {
        Ok(reports) => {
            watch.say(&format!("done: {} in {}", plan.directory.display(), duration(watch.started.elapsed())));
            print(&plan, &reports, args.json, out)
        }
        Err(error) if error.is_cancelled() => {
            Err(CliError::job("stopped; the tables that are finished stay, and the same command goes on from there"))
        }
        Err(error) => Err(error.into()),
    }
}

fn summary(plan: &Plan, limit: Option<u64>) -> String {
    let (all, missing) = (plan.pairs.len(), plan.missing().count());
    let limit = limit.map_or_else(String::new, |limit| format!(" (limit {})", bytes(limit)));
    let need = if missing == 0 { String::new() } else { format!(", needs {} of memory{limit}", bytes(plan.peak())) };
    format!(
        "{}: {missing} of {all} pairs to build, {} entries{need}",
        plan.rules.name(),
        grouped(plan.missing_entries())
    )
}

/// Lets the first interrupt end the work in order and the second at once.
fn stop_on_signal(job: &Arc<Job>, quiet: bool) -> CliResult {
    let job = Arc::clone(job);
    let handler = move || {
        if job.control.cancel.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
        if !quiet {
            let _ = writeln!(
                io::stderr(),
                "stopping at the next batch of blocks, or after the table that is being written; again to stop at once"
            );
        }
    };
    ctrlc::set_handler(handler).map_err(|error| CliError::job(format!("cannot watch for interrupts: {error}")))
}

fn print(plan: &Plan, reports: &[PairReport], json: bool, out: &mut dyn Write) -> CliResult {
    if json {
        let pairs = reports.iter().map(|report| {
            serde_json::json!({
                "pair": report.class.to_string(),
                "entries": report.entries,
                "bytes": report.bytes,
                "max_dtc": report.longest,
            })
        });
        let built = serde_json::json!({
            "rules": plan.rules.to_string(),
            "tables": plan.directory,
            "present": plan.pairs.len() - plan.missing().count(),
            "built": pairs.collect::<Vec<_>>(),
        });
        writeln!(out, "{built}")?;
        return Ok(());
    }
    let (entries, size) = reports.iter().fold((0, 0), |(e, b), report| (e + report.entries, b + report.bytes));
    let there = plan.pairs.len() - plan.missing().count();
    writeln!(
        out,
        "{} pairs built, {there} were there: {} entries, {} in {}",
        reports.len(),
        grouped(entries),
        bytes(size),
        plan.directory.display()
    )?;
    Ok(())
}

/// Shows on standard error how a build goes on: a bar in a terminal, lines elsewhere.
struct Watch {
    job: Arc<Job>,
    bar: Option<ProgressBar>,
    quiet: bool,
    started: Instant,
    total: u64,
    pairs: usize,
    done: std::sync::Mutex<Done>,
}

#[derive(Default)]
struct Done {
    pairs: usize,
    entries: u64,
    current: Option<(Class, u64, Instant)>,
}

impl Watch {
    fn new(plan: &Plan, job: Arc<Job>, quiet: bool) -> Self {
        let total = plan.missing_entries();
        let terminal = io::stderr().is_terminal() && !quiet;
        let bar = terminal.then(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            let template = "{bar:30} {percent:>3}% {per_sec} {eta} left  {msg}";
            bar.with_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        let done = std::sync::Mutex::new(Done::default());
        Self { job, bar, quiet, started: Instant::now(), total, pairs: plan.missing().count(), done }
    }

    fn say(&self, line: &str) {
        match &self.bar {
            _ if self.quiet => {}
            Some(bar) => bar.println(line),
            // With standard error closed there is nobody to tell.
            None => drop(writeln!(io::stderr(), "{line}")),
        }
    }

    /// Keeps the bar moving while a pair is being solved.
    fn ticker(&self) -> Ticker {
        let stop = Arc::new(AtomicBool::new(false));
        let thread = self.bar.clone().map(|bar| {
            let (stop, job) = (Arc::clone(&stop), Arc::clone(&self.job));
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(200));
                    let (seeded, decided) = (&job.control.seeded, &job.control.decided);
                    let message = bar.message();
                    let pair = message.split(':').next().unwrap_or_default();
                    bar.set_message(format!(
                        "{pair}: {} seeded, {} decided, depth {}",
                        grouped(seeded.load(Ordering::Relaxed)),
                        grouped(decided.load(Ordering::Relaxed)),
                        job.control.depth.load(Ordering::Relaxed)
                    ));
                }
                bar.finish_and_clear();
            })
        });
        Ticker { stop, thread }
    }
}

struct Ticker {
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Ticker {
    fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread {
            let _ = thread.join();
        }
    }
}

impl Observer for Watch {
    fn pair_begins(&self, pair: &PairPlan) {
        if let Some(bar) = &self.bar {
            bar.set_message(pair.class.to_string());
        }
        if let Ok(mut done) = self.done.lock() {
            done.current = Some((pair.class, pair.entries, Instant::now()));
        }
    }

    fn stage(&self, class: Class, stage: Stage) {
        if let (Some(bar), Stage::Writing) = (&self.bar, stage) {
            bar.set_message(format!("{class}, writing"));
        }
    }

    fn pair_done(&self, report: &PairReport) {
        let Ok(mut done) = self.done.lock() else { return };
        done.pairs += 1;
        done.entries += report.entries;
        if let Some(bar) = &self.bar {
            bar.set_position(done.entries);
        }
        let seconds = done.current.map_or(0.0, |(_, _, began)| began.elapsed().as_secs_f64());
        let elapsed = self.started.elapsed().as_secs_f64();
        let left = elapsed / done.entries as f64 * (self.total - done.entries) as f64;
        let line = format!(
            "{}: {} entries in {seconds:.1} s, {:.1} million a second, {}, longest {} plies; {} of {} pairs, {} left",
            report.class,
            grouped(report.entries),
            report.entries as f64 / seconds.max(1e-9) / 1e6,
            bytes(report.bytes),
            report.longest,
            done.pairs,
            self.pairs,
            duration(Duration::from_secs_f64(left.max(0.0)))
        );
        drop(done);
        self.say(&line);
    }
}
