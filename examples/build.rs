//! Builds small tables in a directory, shows the progress, and counts what is in them.
//!
//! `cargo run --example build [DIRECTORY [PRESET [COWS]]]`; without a directory it builds in a temporary one.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use morabase::build::{Build, Job, Observer, PlanStep, Request, Stage, StepReport, Target};
use morabase::{Preset, Tablebase};

/// Hears when work on a step (one class or two) begins, and what it came to.
struct Progress;

impl Observer for Progress {
    fn stage(&self, step: &PlanStep, stage: Stage) {
        println!("{}: {stage:?}", step.class);
    }

    fn step_done(&self, report: &StepReport) {
        let StepReport { class, entries, bytes, longest, .. } = report;
        println!("{class}: {entries} entries in {bytes} bytes, the longest distance is {longest} plies");
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let temporary = tempfile::tempdir()?;
    let directory = arguments.next().map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    let rules = arguments.next().map_or(Ok(Preset::Plain), |name| name.parse())?.rules();
    let cows = arguments.next().map_or(Ok(7), |cows| cows.parse())?;

    // The directory is locked and checked for tables that are already there, so a build that was stopped can go on.
    let request = Request { memory: Some(2 << 30), ..Request::new(&rules, &directory, Target::MaxCows(cows)) };
    let build = Build::begin(&request)?;
    println!("{} steps to take in {}", build.plan().missing().count(), directory.display());

    // A job can be watched, and stopped, from other threads while it runs.
    let job = Job { threads: 2, ..Job::default() };
    thread::scope(|scope| {
        let building = scope.spawn(|| build.run(&job, &Progress));
        while !building.is_finished() {
            thread::sleep(Duration::from_millis(200));
            println!(
                "  {} of {} entries loaded",
                job.loaded.load(Ordering::Relaxed),
                job.to_load.load(Ordering::Relaxed)
            );
        }
        let built = building.join().map_err(|_| "the building thread has failed".to_owned())?;
        built.map_err(|error| error.to_string())
    })?;

    let tables = Tablebase::open([&directory])?;
    println!("class         won       drawn        lost");
    for class in tables.classes() {
        let counts = &tables.meta(class)?.full;
        println!("{class} {:>12} {:>11} {:>11}", counts.won, counts.drawn, counts.lost);
    }
    Ok(())
}
