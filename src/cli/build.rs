//! `build`: solves classes and writes their tables.

use std::io::{self, Write};
use std::num::{IntErrorKind, ParseIntError};
use std::path::PathBuf;
use std::sync::Arc;

use clap::ArgGroup;
use morabase::build::{Build, BuildError, Existing, Job, Layers, Plan, Request, StepReport, Target};
use morabase::present::{BuildJson, bytes_text, duration_text, grouped};
use morabase::store::StoreError;
use morabase::{Class, RuleSet};

use super::args::{RuleArgs, parse_bytes, parse_class};
use super::progress::Watch;
use super::tables::{place_of, place_to_build, rules_option};
use super::{CliError, CliResult, write_json};

const EXAMPLES: &str = "\
Examples:
  morabase build --max-cows 8                        all classes of up to 8 cows together, under gar
  morabase build --rules plain --class 5-4 --tables plain    5-4, 4-5 and all they depend on, in a directory of their own
  morabase build --max-cows 24 --memory 8G           the whole moving phase, in at most 8 GiB
  morabase build --class 6-4 --only                  one pair from the tables that are there
  morabase build --cows 4 --game --tables four       a whole game of four cows each, from the empty board
  morabase build --game --layers 2 --memory 12G      the whole game, with tables for every second layer: 3.6 GiB, not 6.3
  morabase build --cows 4 --class 2-3+2-1 --tables four    two cows to move against three, two in hand against one

Running the same command again goes on where it was stopped or killed, and ends with the same bytes. One build at a \
time works in a directory; builds of single pairs, or of single classes with cows in hand, may share it where all that they need is there.

Exit status: 0 done, 1 the job failed, 2 the request was wrong, 130 stopped by Ctrl-C (SIGINT) or SIGTERM.";

/// Solve classes and write their tables
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Build all tables again, replacing those that exist
    #[arg(long, conflicts_with = "recheck")]
    overwrite: bool,
    /// Print nothing on standard error unless something goes wrong
    #[arg(long, short)]
    quiet: bool,
    /// Print what was built as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    what: WhatArgs,
}

/// What to build, where, and in how much memory: shared with `plan`.
#[derive(clap::Args, Clone)]
#[command(group = ArgGroup::new("classes").required(true).args(["max_cows", "game", "class"]))]
pub(crate) struct WhatArgs {
    /// All classes of the moving phase with at most this many cows together: 6 to twice what a side has, 24 in Morabaraba
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = parse_cows)]
    max_cows: Option<u32>,
    /// Everything from the empty board on: the moving phase, and then every class with cows in hand
    #[arg(long)]
    game: bool,
    /// This class and its reverse, such as 6-5, and all missing classes that they depend on; A-B+C-D for a class with
    /// cows in hand
    #[arg(long, value_name = "A-B", value_parser = parse_class)]
    class: Option<Class>,
    /// Build only this pair (or class with cows in hand); fail if a table that it needs is missing
    #[arg(long, requires = "class", conflicts_with_all = ["max_cows", "game"])]
    only: bool,
    /// With --game: which layers of the placing phase to keep (a layer is all classes with the same number of cows in
    /// hand): all, every second (2) or third (3), or from:N, those in which both sides together have placed N cows or
    /// more. Tables of other layers are removed once they are no longer needed
    #[arg(long, value_name = "LAYERS", requires = "game", default_value = "all")]
    layers: Layers,
    /// Directory of the tables [default: the first in the path list `MORABASE_TABLES`; without that ./tables]
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    /// The most memory to use, such as 8G or 900M
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    memory: Option<u64>,
    /// Threads to use [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Check every byte of existing tables before using them
    #[arg(long)]
    recheck: bool,
    // Last, as its heading applies to everything after it.
    #[command(flatten)]
    rules: RuleArgs,
}

fn parse_cows(text: &str) -> Result<u32, String> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => format!("too large: expected at most 24 cows, found {text:?}"),
        _ => format!("expected a number of cows, 6 or more, found {text:?}"),
    })
}

impl WhatArgs {
    pub(crate) fn rules(&self) -> CliResult<RuleSet> {
        self.rules.rules()
    }

    pub(crate) const fn existing(&self) -> Existing {
        if self.recheck { Existing::Recheck } else { Existing::Check }
    }

    pub(crate) fn request(&self, existing: Existing) -> CliResult<Request> {
        let target = match (self.class, self.only) {
            (Some(class), true) => Target::Only(class),
            (Some(class), false) => Target::Class(class),
            (None, _) if self.game => Target::Game,
            (None, _) => Target::MaxCows(self.max_cows.unwrap_or_default()),
        };
        let (rules, memory, layers) = (self.rules()?, self.memory, self.layers);
        let directory = self.tables.clone().unwrap_or_else(place_to_build);
        Ok(Request { existing, memory, layers, ..Request::new(&rules, &directory, target) })
    }

    /// The number of threads, if it is not one per core.
    pub(crate) const fn threads(&self) -> Option<u16> {
        self.threads
    }
}

impl From<BuildError> for CliError {
    fn from(error: BuildError) -> Self {
        if let BuildError::Store(StoreError::OtherRules { expected, found, .. }) = &error
            && let (Ok(expected), Ok(found)) = (expected.parse::<RuleSet>(), found.parse::<RuleSet>())
        {
            let (place, rules) = (place_of(&expected), rules_option(&found));
            return Self::usage(format!(
                "{error}: --tables {}, or --rules {rules} (and no other rule option)",
                place.display()
            ));
        }
        if error.is_wrong_request() { Self::usage(error.to_string()) } else { Self::job(error.to_string()) }
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        if error.is_wrong_request() { Self::usage(error.to_string()) } else { Self::job(error.to_string()) }
    }
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let existing = if args.overwrite { Existing::Replace } else { args.what.existing() };
    let build = Build::begin(&args.what.request(existing)?)?;
    let plan = build.plan().clone();
    let job = Arc::new(Job { threads: args.what.threads().map_or(0, usize::from), ..Job::default() });
    let watch = Watch::new(&plan, Arc::clone(&job), args.quiet);
    watch.say(&summary(&plan, build.peak()));
    watch.stop_on_signal().map_err(|error| CliError::job(format!("cannot watch for interrupts: {error}")))?;
    let result = build.run(&job, &watch);
    let elapsed = watch.finish();
    match result {
        Ok(reports) => {
            if !args.quiet {
                // If standard error is closed there is nobody to tell.
                let _ = writeln!(io::stderr(), "finished in {}", duration_text(elapsed));
            }
            print(&plan, &reports, args.json, out)
        }
        Err(error) if error.is_cancelled() => {
            Err(CliError::Stopped("stopped; finished tables stay, and the same command goes on from there".to_owned()))
        }
        Err(error) => Err(error.into()),
    }
}

/// What the steps of a plan are called collectively: pairs, unless they include classes with cows in hand.
pub(crate) fn steps_name(plan: &Plan) -> &'static str {
    if plan.steps.iter().any(|step| step.class.has_hands()) { "steps" } else { "pairs" }
}

/// What will be done and what it needs, in one line.
fn summary(plan: &Plan, peak: u64) -> String {
    let (all, missing) = (plan.steps.len(), plan.missing().count());
    let (name, entries) = (plan.request.rules.name(), grouped(plan.missing_entries()));
    let work = format!("{name}: {missing} of {all} {} to build, {entries} entries", steps_name(plan));
    if missing == 0 {
        return work;
    }
    let limited = match plan.request.memory {
        Some(limit) => {
            format!(" (limit {}, at full speed {})", bytes_text(limit), bytes_text(plan.peak_at_full_speed()))
        }
        None => String::new(),
    };
    let limited = limited + &room_to_read_once(plan, peak);
    let (memory, disk) = (bytes_text(peak), bytes_text(plan.expected_bytes()));
    format!("{work}, needs {memory} of memory{limited} and about {disk} of disk{}", besides(plan))
}

/// A note about tables that are built and removed again.
pub(crate) fn besides(plan: &Plan) -> &'static str {
    if plan.missing().all(|step| step.kept) { "" } else { ", besides tables that are removed again" }
}

/// How much memory would make a build with cows in hand faster, if any.
fn room_to_read_once(plan: &Plan, peak: u64) -> String {
    let (room, given) = (plan.memory_to_read_once(), plan.request.memory.unwrap_or(peak));
    if room <= given || !plan.missing().any(|step| step.class.has_hands()) {
        return String::new();
    }
    format!(" (with --memory {}M no table is read twice)", room.div_ceil(1 << 20))
}

fn print(plan: &Plan, reports: &[StepReport], json: bool, out: &mut dyn Write) -> CliResult {
    if json {
        return write_json(out, &BuildJson::new(plan, reports));
    }
    let (entries, size) = reports.iter().fold((0, 0), |(e, b), report| (e + report.entries, b + report.bytes));
    // Another build had finished some steps before this one reached them.
    let existed = match plan.steps.len() - reports.len() {
        0 => String::new(),
        there => format!(", {there} already existed"),
    };
    writeln!(
        out,
        "built {} of {} {}{existed}: {} entries, {} in {}",
        reports.len(),
        plan.steps.len(),
        steps_name(plan),
        grouped(entries),
        bytes_text(size),
        plan.request.directory.display()
    )?;
    Ok(())
}
