//! `plan`: what a build would do, and what it would take.

use std::io::Write;
use std::time::Duration;

use morabase::build::{Plan, PlanStep, Speed};
use morabase::store::file_name;
use serde_json::json;

use super::build::WhatArgs;
use super::units::{bytes, duration, grouped};
use super::{CliError, CliResult};

const EXAMPLES: &str = "\
Examples:
  morabase plan --max-cows 24                 everything: order, time, memory, disk
  morabase plan --rules plain --class 6-5
  morabase plan --max-cows 12 --json          the dependency graph, for a scheduler
  morabase plan --max-cows 12 --needs         the same in the form of a makefile: 'pair: pairs that must be there'

Times are estimates from solving the smallest classes now, which takes about a second; disk is estimated too.

With --json one object, {\"rules\":…,\"fingerprint\":…,\"tables\":…,\"pairs\":[{\"pair\":…,\"classes\":[…],\"positions\":…,\
\"entries\":…,\"memory\":…,\"least_memory\":…,\"seconds\":…,\"bytes\":…,\"needs\":[…],\"files\":[…],\"present\":[…],\
\"done\":…}],\"positions\":…,\"entries\":…,\"memory\":…,\"seconds\":…,\"bytes\":…}. Memory and bytes of disk are in \
bytes; a pair's seconds are of what is still to do, its bytes those on disk and those expected. At the end are the sums of \
what is to be built, memory being that of the pair that needs most.";

/// Show what a build would do: pairs in order, time, memory, disk, and what is there
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
    if args.json { print_json(&plan, &times, out) } else { print_table(&plan, &times, out) }
}

/// How long each step should take, in the order of the plan; nothing for those that are there.
fn times(plan: &Plan, threads: usize) -> CliResult<Vec<Duration>> {
    if plan.missing().next().is_none() {
        return Ok(vec![Duration::ZERO; plan.steps.len()]);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| CliError::job(format!("cannot start {threads} threads: {error}")))?;
    let speed = pool.install(|| Speed::measure(&plan.request.rules))?;
    Ok(plan.steps.iter().map(|step| if step.is_done() { Duration::ZERO } else { speed.time(step) }).collect())
}

/// Bytes of a step's tables, there and to come.
fn disk(step: &PlanStep) -> u64 {
    step.present.iter().map(|(_, bytes)| bytes).sum::<u64>() + step.expected_bytes()
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

fn print_json(plan: &Plan, times: &[Duration], out: &mut dyn Write) -> CliResult {
    let mut pairs = Vec::new();
    for (step, time) in plan.steps.iter().zip(times) {
        pairs.push(json!({
            "pair": step.class.to_string(),
            "classes": step.classes().map(|class| class.to_string()).collect::<Vec<_>>(),
            "positions": step.positions,
            "entries": step.entries,
            "memory": plan.memory(step)?.bytes(),
            "least_memory": step.least_memory.bytes(),
            "seconds": time.as_secs_f64(),
            "bytes": disk(step),
            "needs": step.requires.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "files": step.classes().map(file_name).collect::<Vec<_>>(),
            "present": step.present.iter().map(|(class, _)| class.to_string()).collect::<Vec<_>>(),
            "done": step.is_done(),
        }));
    }
    let all = json!({
        "rules": plan.request.rules.to_string(),
        "fingerprint": format!("{:016x}", plan.request.rules.fingerprint()),
        "tables": plan.request.directory.to_string_lossy(),
        "pairs": pairs,
        "positions": plan.missing().map(|step| step.positions).sum::<u64>(),
        "entries": plan.missing_entries(),
        "memory": plan.peak()?,
        "seconds": times.iter().sum::<Duration>().as_secs_f64(),
        "bytes": plan.missing().map(PlanStep::expected_bytes).sum::<u64>(),
    });
    writeln!(out, "{all}")?;
    Ok(())
}

fn print_table(plan: &Plan, times: &[Duration], out: &mut dyn Write) -> CliResult {
    writeln!(out, "{} in {}", plan.request.rules.name(), plan.request.directory.display())?;
    let header = ["pair", "positions", "entries", "time", "memory", "disk"];
    let line = |cells: [&str; 6], note: &str| {
        let [pair, rest @ ..] = cells;
        let [positions, entries, time, memory, disk] = rest;
        format!("{pair:<6}{positions:>15}{entries:>15}{time:>12}{memory:>11}{disk:>11}  {note}").trim_end().to_owned()
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
            (duration(*time), bytes(plan.memory(step)?.bytes()))
        };
        let cells = [
            &step.class.to_string(),
            &grouped(step.positions),
            &grouped(step.entries),
            &time,
            &memory,
            &bytes(disk(step)),
        ];
        writeln!(out, "{}", line(cells.map(String::as_str), &note))?;
    }
    let there = plan.steps.len() - plan.missing().count();
    writeln!(
        out,
        "{there} of {} pairs are there; to build: {} positions in {} entries, about {}, {} of memory at most, about {} of disk",
        plan.steps.len(),
        grouped(plan.missing().map(|step| step.positions).sum()),
        grouped(plan.missing_entries()),
        duration(times.iter().sum()),
        bytes(plan.peak()?),
        bytes(plan.missing().map(PlanStep::expected_bytes).sum()),
    )?;
    Ok(())
}
