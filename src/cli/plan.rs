//! `plan`: what a build would do, and what it would take.

use std::io::Write;
use std::time::Duration;

use morabase::build::{PairPlan, Plan, Speed};
use morabase::table::file_name;
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
    let plan = args.what.plan(args.what.existing())?;
    if args.needs {
        return print_needs(&plan, out);
    }
    let limit = args.what.memory();
    plan.peak(limit)?;
    let times = times(&plan, args.what.threads())?;
    if args.json { print_json(&plan, &times, limit, out) } else { print_table(&plan, &times, limit, out) }
}

/// How long each pair should take, in the order of the plan; nothing for those that are there.
fn times(plan: &Plan, threads: usize) -> CliResult<Vec<Duration>> {
    if plan.missing().next().is_none() {
        return Ok(vec![Duration::ZERO; plan.pairs.len()]);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| CliError::job(format!("cannot start {threads} threads: {error}")))?;
    let speed = pool.install(|| Speed::measure(&plan.rules))?;
    Ok(plan.pairs.iter().map(|pair| if pair.is_done() { Duration::ZERO } else { speed.time(pair) }).collect())
}

/// Bytes of a pair's tables, there and to come.
fn disk(pair: &PairPlan) -> u64 {
    pair.present.iter().map(|(_, bytes)| bytes).sum::<u64>() + pair.expected_bytes()
}

fn print_needs(plan: &Plan, out: &mut dyn Write) -> CliResult {
    for pair in &plan.pairs {
        write!(out, "{}:", pair.class)?;
        for need in &pair.needs {
            write!(out, " {need}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn print_json(plan: &Plan, times: &[Duration], limit: Option<u64>, out: &mut dyn Write) -> CliResult {
    let mut pairs = Vec::new();
    for (pair, time) in plan.pairs.iter().zip(times) {
        pairs.push(json!({
            "pair": pair.class.to_string(),
            "classes": pair.classes().map(|class| class.to_string()).collect::<Vec<_>>(),
            "positions": pair.positions,
            "entries": pair.entries,
            "memory": plan.need(pair, limit)?.bytes(),
            "least_memory": pair.least.bytes(),
            "seconds": time.as_secs_f64(),
            "bytes": disk(pair),
            "needs": pair.needs.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "files": pair.classes().map(file_name).collect::<Vec<_>>(),
            "present": pair.present.iter().map(|(class, _)| class.to_string()).collect::<Vec<_>>(),
            "done": pair.is_done(),
        }));
    }
    let all = json!({
        "rules": plan.rules.to_string(),
        "fingerprint": format!("{:016x}", plan.rules.fingerprint()),
        "tables": plan.directory.to_string_lossy(),
        "pairs": pairs,
        "positions": plan.missing().map(|pair| pair.positions).sum::<u64>(),
        "entries": plan.missing_entries(),
        "memory": plan.peak(limit)?,
        "seconds": times.iter().sum::<Duration>().as_secs_f64(),
        "bytes": plan.missing().map(PairPlan::expected_bytes).sum::<u64>(),
    });
    writeln!(out, "{all}")?;
    Ok(())
}

fn print_table(plan: &Plan, times: &[Duration], limit: Option<u64>, out: &mut dyn Write) -> CliResult {
    writeln!(out, "{} in {}", plan.rules.name(), plan.directory.display())?;
    let header = ["pair", "positions", "entries", "time", "memory", "disk"];
    let line = |cells: [&str; 6], note: &str| {
        let [pair, rest @ ..] = cells;
        let [positions, entries, time, memory, disk] = rest;
        format!("{pair:<6}{positions:>15}{entries:>15}{time:>12}{memory:>11}{disk:>11}  {note}").trim_end().to_owned()
    };
    writeln!(out, "{}", line(header, ""))?;
    for (pair, time) in plan.pairs.iter().zip(times) {
        let note = match (pair.is_done(), pair.present.first()) {
            (true, _) => "there".to_owned(),
            (false, Some((class, _))) => format!("{class} is there"),
            (false, None) => String::new(),
        };
        let (time, memory) = if pair.is_done() {
            ("-".to_owned(), "-".to_owned())
        } else {
            (duration(*time), bytes(plan.need(pair, limit)?.bytes()))
        };
        let cells = [
            &pair.class.to_string(),
            &grouped(pair.positions),
            &grouped(pair.entries),
            &time,
            &memory,
            &bytes(disk(pair)),
        ];
        writeln!(out, "{}", line(cells.map(String::as_str), &note))?;
    }
    let there = plan.pairs.len() - plan.missing().count();
    writeln!(
        out,
        "{there} of {} pairs are there; to build: {} positions in {} entries, about {}, {} of memory at most, about {} of disk",
        plan.pairs.len(),
        grouped(plan.missing().map(|pair| pair.positions).sum()),
        grouped(plan.missing_entries()),
        duration(times.iter().sum()),
        bytes(plan.peak(limit)?),
        bytes(plan.missing().map(PairPlan::expected_bytes).sum()),
    )?;
    Ok(())
}
