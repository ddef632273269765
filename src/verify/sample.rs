//! Entries checked one by one through the public path, as a user would ask.

use rayon::prelude::*;

use crate::game::Outcome;
use crate::probe::{ProbeError, Tablebase};
use crate::random::Random;
use crate::space::{Class, Entry, Space};
use crate::threads;
use crate::value::{Plies, Value, Wdl};

use super::position::position_of;
use super::report::{Fault, Findings, Progress};

/// Entries per batch for one thread.
const BATCH: u64 = 256;

/// Checks `count` entries of a class, drawn at random with this seed.
pub(super) fn check(tables: &Tablebase, class: Class, count: u64, seed: u64, progress: &Progress) -> Findings {
    let entries = tables.space(class).entries();
    batches(tables, class, count, progress, |batch| {
        // Each batch has its own numbers, so that the sample does not depend on the threads.
        let mut random = Random::new(seed.wrapping_add(batch.wrapping_mul(0x2545_f491_4f6c_dd1d)));
        move |_| random.below(entries)
    })
}

/// Checks all entries of a class.
pub(super) fn check_all(tables: &Tablebase, class: Class, progress: &Progress) -> Findings {
    batches(tables, class, tables.space(class).entries(), progress, |_| |number| number)
}

/// Checks entries in batches; `entries` returns for each batch a function from numbers to entries.
fn batches<E: FnMut(u64) -> u64>(
    tables: &Tablebase,
    class: Class,
    count: u64,
    progress: &Progress,
    entries: impl Fn(u64) -> E + Sync,
) -> Findings {
    let space = tables.space(class);
    threads::ready();
    let batches = (0..count.div_ceil(BATCH)).into_par_iter().map(|batch| {
        let mut entry = entries(batch);
        let numbers = batch * BATCH..count.min((batch + 1) * BATCH);
        let mut found = Findings::default();
        progress.add(numbers.end - numbers.start);
        for number in numbers {
            let Some(entry) = space.entry_at(entry(number)) else { continue };
            match check_entry(tables, space, entry) {
                Ok(None) => {}
                Ok(Some(fault)) => found.add(fault),
                Err(error) => found.add(Fault::Table { class, error }),
            }
        }
        found
    });
    // An indexed parallel iterator reduces in order, so the first faults are the first.
    batches.reduce(Findings::default, Findings::and)
}

fn check_entry(tables: &Tablebase, space: Space, entry: Entry) -> Result<Option<Fault>, ProbeError> {
    let Some(position) = position_of(space, entry) else { return Ok(None) };
    let class = space.class();
    let stored = tables.probe(&position)?.value;
    let follows = match position.outcome(tables.rules()) {
        Some(Outcome::Won(..)) => Value::Lost(Plies(0)),
        Some(Outcome::Drawn(_)) => Value::Drawn,
        None => best(tables.turns(&position)?.iter().map(|turn| {
            let reply = turn.reply.value;
            // A placement may end the placing phase, but the mover's own plies are not counted.
            if class.has_hands() { Value::uncounted(reply.wdl().reversed()) } else { before(reply, turn.turn.shoots()) }
        })),
    };
    Ok((stored != follows).then_some(Fault::Value { class, entry, position, stored, follows }))
}

/// The value of a turn, from the value of the position it leads to.
fn before(reply: Value, shoots: bool) -> Value {
    let plies = if shoots { 1 } else { 1 + reply.dtc().map_or(0, |plies| plies.0) };
    match reply.wdl() {
        Wdl::Lost => Value::Won(Plies(plies)),
        Wdl::Drawn => Value::Drawn,
        Wdl::Won => Value::Lost(Plies(plies)),
    }
}

/// The mover's choice: the quickest win, else a draw, else the slowest loss.
fn best(values: impl Iterator<Item = Value>) -> Value {
    values.max().unwrap_or(Value::Lost(Plies(0)))
}
