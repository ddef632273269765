//! The loop behind `probe_many`: bitboards in, values and distances out, with the interpreter lock released.
//!
//! Arrays come and go as bytes, a copy that costs a thousandth of the probes. So numpy is needed only by those who use it, the
//! stable ABI is enough, and nobody can change an array while it is read.

use std::panic::resume_unwind;
use std::thread::ScopedJoinHandle;

use morabase::{PointSet, Position, ProbeError, Side, Tablebase, Value};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use crate::answers::wdl_number;
use crate::errors::{Raise, bad_argument, error};

/// Positions between two looks at whether Ctrl-C has been pressed, for each thread.
const STRETCH: usize = 1 << 14;

/// The most threads.
const MOST_THREADS: u64 = 1024;

/// The value where there is no answer. The Python half says the same.
const NO_WDL: i8 = i8::MIN;
/// The distance where there is no answer. The Python half says the same.
const NO_DTC: i16 = -2;
/// The distance of a draw.
const DRAWN_DTC: i16 = -1;

/// Values (`i8`) and distances (`i16`, of this machine's byte order) as bytes.
pub(crate) type Arrays<'py> = (Bound<'py, PyByteArray>, Bound<'py, PyByteArray>);

/// Why an entry was not answered.
enum Fault {
    /// The bitboard of this player has bits that are no points.
    Bits(&'static str, u32),
    Probe(ProbeError),
}

impl Fault {
    fn raise(&self, py: Python<'_>, index: usize) -> PyErr {
        let raised = match self {
            // What the Python half puts where a number has no 32 bits says nothing to the user.
            Self::Bits(whose, u32::MAX) => {
                bad_argument(py, &format!("{whose}: expected a bitboard from 0 to 0xffffff, found another number"))
            }
            Self::Bits(whose, bits) => {
                bad_argument(py, &format!("{whose}: expected a bitboard from 0 to 0xffffff, found {bits:#x}"))
            }
            Self::Probe(error) => error.raise(py),
        };
        let value = raised.value(py);
        // Which entry it is must be in the message as well as in the attribute.
        let told = value.str().and_then(|text| {
            value.setattr("args", (format!("entry {index}: {text}"),))?;
            value.setattr("index", index)
        });
        told.err().unwrap_or(raised)
    }
}

/// What is read and written for a stretch of entries.
struct Stretch<'a> {
    first: usize,
    own: &'a [[u8; 4]],
    opponent: &'a [[u8; 4]],
    wdl: &'a mut [i8],
    dtc: &'a mut [i16],
}

impl Stretch<'_> {
    /// Answers the entries; gives the first that could not be answered, at which it stops unless told to go on.
    fn answer(self, tables: &Tablebase, go_on: bool) -> Option<(usize, Fault)> {
        let cows = self.own.iter().zip(self.opponent);
        let answers = self.wdl.iter_mut().zip(self.dtc);
        let mut fault = None;
        for (at, ((own, opponent), (wdl, dtc))) in cows.zip(answers).enumerate() {
            match probe_one(tables, u32::from_le_bytes(*own), u32::from_le_bytes(*opponent)) {
                Ok(value) => {
                    *wdl = wdl_number(value.wdl());
                    // Hands are empty, so that only draws are without plies.
                    *dtc = value.dtc().map_or(DRAWN_DTC, |plies| i16::try_from(plies.0).unwrap_or(i16::MAX));
                }
                Err(why) => {
                    fault.get_or_insert((self.first + at, why));
                    if !go_on {
                        break;
                    }
                }
            }
        }
        fault
    }
}

fn probe_one(tables: &Tablebase, own: u32, opponent: u32) -> Result<Value, Fault> {
    let set = |whose, bits| PointSet::from_bits(bits).ok_or(Fault::Bits(whose, bits));
    let cows = [set("own", own)?, set("opponent", opponent)?];
    let probe = tables.probe(&Position::moving(cows, Side::First)).map_err(Fault::Probe)?;
    Ok(probe.value)
}

/// Answers all entries, some in each thread.
pub(crate) fn probe<'py>(
    py: Python<'py>,
    tables: &Tablebase,
    (own, opponent): (&[u8], &[u8]),
    mask: bool,
    threads: u64,
) -> PyResult<Arrays<'py>> {
    if threads > MOST_THREADS {
        return Err(bad_argument(py, &format!("threads: expected 0 to {MOST_THREADS}, found {threads}")));
    }
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads as usize,
    };
    let (own, rest) = own.as_chunks::<4>();
    let (opponent, other_rest) = opponent.as_chunks::<4>();
    if own.len() != opponent.len() || !rest.is_empty() || !other_rest.is_empty() {
        return Err(bad_argument(py, "expected as many bitboards of the opponent as own ones, of four bytes each"));
    }
    let mut wdl = vec![NO_WDL; own.len()];
    let mut dtc = vec![NO_DTC; own.len()];
    let round = STRETCH * threads;
    for first in (0..own.len()).step_by(round) {
        let end = own.len().min(first + round);
        let all = Stretch {
            first,
            own: &own[first..end],
            opponent: &opponent[first..end],
            wdl: &mut wdl[first..end],
            dtc: &mut dtc[first..end],
        };
        let fault = py.detach(|| answer_round(tables, all, threads, mask));
        let fault = fault.map_err(|why| error(py, "Error", &format!("cannot start {threads} threads: {why}"), &[]))?;
        if let Some((index, fault)) = fault.filter(|_| !mask) {
            return Err(fault.raise(py, index));
        }
        py.check_signals()?;
    }
    let wdl: Vec<u8> = wdl.into_iter().map(i8::cast_unsigned).collect();
    let dtc: Vec<u8> = dtc.into_iter().flat_map(i16::to_ne_bytes).collect();
    Ok((PyByteArray::new(py, &wdl), PyByteArray::new(py, &dtc)))
}

/// Answers the entries of one round; gives the first of all that could not be answered.
fn answer_round(
    tables: &Tablebase,
    all: Stretch<'_>,
    threads: usize,
    mask: bool,
) -> std::io::Result<Option<(usize, Fault)>> {
    if threads == 1 {
        return Ok(all.answer(tables, mask));
    }
    let share = all.own.len().div_ceil(threads).max(1);
    let cows = all.own.chunks(share).zip(all.opponent.chunks(share));
    let answers = all.wdl.chunks_mut(share).zip(all.dtc.chunks_mut(share));
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for (at, ((own, opponent), (wdl, dtc))) in cows.zip(answers).enumerate() {
            let stretch = Stretch { first: all.first + at * share, own, opponent, wdl, dtc };
            let work = move || stretch.answer(tables, mask);
            workers.push(std::thread::Builder::new().spawn_scoped(scope, work)?);
        }
        // Each thread goes through its entries in order, so the first fault found is the first there is.
        let join = |worker: ScopedJoinHandle<'_, _>| worker.join().unwrap_or_else(|panic| resume_unwind(panic));
        Ok(workers.into_iter().find_map(join))
    })
}
