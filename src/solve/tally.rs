//! Counting a class's values, over all placements and over orbits.

use rayon::prelude::*;

use crate::index::{Entry, HAS_TWINS, Layout, Orbits};
use crate::value::{Code, Plies, Value};

use super::values::Values;

/// Numbers of positions by result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WdlCounts {
    /// All positions.
    pub positions: u64,
    /// Positions that the side to move wins.
    pub won: u64,
    /// Drawn positions.
    pub drawn: u64,
    /// Positions that the side to move loses.
    pub lost: u64,
}

/// Numbers of positions decided in exactly `plies` plies, over all placements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TallyRow {
    /// The DTC.
    pub plies: u16,
    /// Positions won in as many plies.
    pub won: u64,
    /// Positions lost in as many plies.
    pub lost: u64,
}

/// The counts of a class: over every placement of the cows ("full") and with each orbit under the sixteen symmetries
/// counted once ("canonical").
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tally {
    /// Over every placement.
    pub full: WdlCounts,
    /// Over orbits.
    pub canonical: WdlCounts,
    /// By code, over every placement.
    histogram: [u64; 256],
}

impl Tally {
    /// Counts a class, in the current rayon thread pool.
    pub fn of(values: &Values) -> Self {
        let layout = values.layout();
        let blocks = (0..layout.blocks()).into_par_iter().with_min_len(16);
        let empty = || ([0u64; 256], [0u64; 256]);
        let (full, canonical) = blocks
            .fold(empty, |(mut full, mut canonical), block| {
                count_block(values, layout, block, &mut full, &mut canonical);
                (full, canonical)
            })
            .reduce(empty, |a, b| (add(a.0, &b.0), add(a.1, &b.1)));
        Self { full: wdl(&full), canonical: wdl(&canonical), histogram: full }
    }

    /// The longest DTC, if any position is decided.
    pub fn max_dtc(&self) -> Option<Plies> {
        self.rows().last().map(|row| Plies(row.plies))
    }

    /// The DTC histogram over every placement, without empty rows.
    pub fn rows(&self) -> Vec<TallyRow> {
        let row = |plies: u16| {
            let count = |value| Code::new(value).map_or(0, |code| self.histogram[code.byte() as usize]);
            TallyRow { plies, won: count(Value::Won(Plies(plies))), lost: count(Value::Lost(Plies(plies))) }
        };
        (0..=Value::MAX_DTC.0).map(row).filter(|row| row.won + row.lost > 0).collect()
    }
}

fn count_block(values: &Values, layout: Layout, block: u32, full: &mut [u64; 256], canonical: &mut [u64; 256]) {
    let orbits = Orbits::of(layout.class().own());
    let codes = values.block(block);
    // Four counters a code, so that one count need not wait for the one before.
    let mut counts = [[0u32; 256]; 4];
    for (i, &code) in codes.iter().enumerate() {
        counts[i % 4][code as usize] += 1;
    }
    let has_twins = orbits.complement_word(block) & HAS_TWINS != 0;
    for code in 0..256 {
        let count: u64 = counts.iter().map(|counts| u64::from(counts[code])).sum();
        full[code] += count * u64::from(orbits.orbit_size(block));
        if !has_twins {
            canonical[code] += count;
        }
    }
    if has_twins {
        for (rank, &code) in (0..).zip(codes) {
            canonical[code as usize] += u64::from(layout.is_canonical(Entry { block, rank }));
        }
    }
}

fn add(mut a: [u64; 256], b: &[u64; 256]) -> [u64; 256] {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
    a
}

fn wdl(histogram: &[u64; 256]) -> WdlCounts {
    let mut counts = WdlCounts::default();
    for (code, &count) in histogram.iter().enumerate() {
        counts.positions += count;
        match code as u8 {
            Code::DRAWN => counts.drawn += count,
            code if code >= Code::LOST => counts.lost += count,
            _ => counts.won += count,
        }
    }
    counts
}
