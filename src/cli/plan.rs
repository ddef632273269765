//! `plan`: what a build would do and need.

use std::io::Write;
use std::time::Duration;

use morabase::build::{Plan, Speed};
use morabase::present::{PlanJson, bytes_text, duration_text, grouped};

use super::build::{WhatArgs, besides, steps_name};
use super::progress::start_threads;
use super::{CliResult, write_json};

const EXAMPLES: &str = "\
Examples:
  morabase plan --max-cows 24                 the moving phase: order, time, memory, disk
  morabase plan --rules plain --class 6-5 --tables plain
  morabase plan --game                        the whole game, from the empty board on: 793 steps
  morabase plan --game --layers 2             with every second layer of classes with cows in hand kept
  morabase plan --max-cows 12 --json          the dependency graph, for a scheduler
  morabase plan --max-cows 12 --needs         the same in the form of a makefile: 'pair: pairs that must be there'

Times are estimates from solving the smallest classes now, which takes about a second. They hold under the load of the moment: \
on a busy machine they are longer, and the build is faster once the machine is idle. Disk use is an estimate too.

With --json one object, {\"rules\":…,\"fingerprint\":…,\"tables\":…,\"pairs\":[{\"pair\":…,\"classes\":[…],\"positions\":…,\
\"entries\":…,\"memory\":…,\"least_memory\":…,\"seconds\":…,\"bytes\":…,\"needs\":[…],\"files\":[…],\"present\":[…],\
\"done\":…,\"keep\":…}],\"positions\":…,\"entries\":…,\"memory\":…,\"seconds\":…,\"bytes\":…}. Memory and bytes of disk are in \
bytes; a pair's seconds are of what is still to do, its bytes those on disk and those expected. At the end are the sums of \
what is to be built, memory being that of the pair that needs most. A class with cows in hand is built alone and stands where a pair does.";

/// Show what a build would do: its steps in order, time, memory and disk
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print the dependency graph and all figures as JSON
    #[arg(long, conflicts_with = "needs")]
    json: bool,
    /// Print only 'pair: pairs that must be there first'
    #[arg(long)]
    needs: bool,
    #[command(flatten)]
    what: WhatArgs,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let plan = Plan::new(&args.what.request(args.what.existing())?)?;
    if args.needs {
        return print_needs(&plan, out);
    }
    plan.peak()?;
    let times = times(&plan, args.what.threads())?;
    if args.json {
        return write_json(out, &PlanJson::new(&plan, &times)?);
    }
    print_table(&plan, &times, out)
}

/// The estimated time of each step, in the order of the plan; zero for those that are done.
fn times(plan: &Plan, threads: Option<u16>) -> CliResult<Vec<Duration>> {
    if plan.missing().next().is_none() {
        return Ok(vec![Duration::ZERO; plan.steps.len()]);
    }
    let speed = start_threads(threads).install(|| Speed::measure(&plan.request.rules))?;
    Ok(plan.steps.iter().map(|step| if step.is_done() { Duration::ZERO } else { speed.time(step) }).collect())
}

fn print_needs(plan: &Plan, out: &mut dyn Write) -> CliResult {
    for step in &plan.steps {
        write!(out, "{}:", step.class)?;
        for needed in &step.requires {
            write!(out, " {needed}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn print_table(plan: &Plan, times: &[Duration], out: &mut dyn Write) -> CliResult {
    writeln!(out, "{} in {}", plan.request.rules.name(), plan.request.directory.display())?;
    let name = steps_name(plan);
    let header = [name.trim_end_matches('s'), "positions", "entries", "time", "memory", "disk"];
    let width = plan.steps.iter().map(|step| step.class.to_string().len()).max().unwrap_or(0) + 1;
    let width = width.max(6);
    let line = |cells: [&str; 6], note: &str| {
        let [pair, rest @ ..] = cells;
        let [positions, entries, time, memory, disk] = rest;
        let cells = format!("{pair:<width$}{positions:>15}{entries:>15}{time:>12}{memory:>11}{disk:>11}  {note}");
        cells.trim_end().to_owned()
    };
    writeln!(out, "{}", line(header, ""))?;
    for (step, time) in plan.steps.iter().zip(times) {
        let note = match (step.is_done(), step.present.first()) {
            (true, _) => "there".to_owned(),
            (false, Some((class, _))) => format!("{class} is there"),
            (false, None) => String::new(),
        };
        let (time, memory) = if step.is_done() {
            ("-".to_owned(), "-".to_owned())
        } else {
            (duration_text(*time), bytes_text(plan.memory(step)?.bytes()))
        };
        let cells = [
            &step.class.to_string(),
            &grouped(step.positions),
            &grouped(step.entries),
            &time,
            &memory,
            &bytes_text(step.disk_bytes()),
        ];
        writeln!(out, "{}", line(cells.map(String::as_str), &note))?;
    }
    let there = plan.steps.len() - plan.missing().count();
    writeln!(
        out,
        "{there} of {} {name} exist already; to build: {} positions in {} entries, about {}{}, {} of memory at most, about {} of disk{}",
        plan.steps.len(),
        grouped(plan.missing().map(|step| step.positions).sum()),
        grouped(plan.missing_entries()),
        duration_text(times.iter().sum()),
        if there < plan.steps.len() { " under the present load" } else { "" },
        bytes_text(plan.peak()?),
        bytes_text(plan.expected_bytes()),
        besides(plan),
    )?;
    Ok(())
}
