//! Counting a class's values, over all placements and over orbits.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::alphabet::Alphabet;
use crate::space::Space;
use crate::value::{Counts, Plies, Wdl};

use super::values::Values;

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
    pub full: Counts,
    /// Over orbits.
    pub canonical: Counts,
    alphabet: Alphabet,
    /// By symbol, over every placement.
    histogram: [u64; 256],
}

impl Tally {
    /// Counts a class, in the current rayon thread pool.
    pub fn of(values: &Values) -> Self {
        let space = values.space();
        let blocks = (0..space.blocks()).into_par_iter().with_min_len(16);
        let empty = || ([0u64; 256], [0u64; 256]);
        let (full, canonical) = blocks
            .fold(empty, |(mut full, mut canonical), block| {
                count_block(values, space, block, &mut full, &mut canonical);
                (full, canonical)
            })
            .reduce(empty, |a, b| (add(a.0, &b.0), add(a.1, &b.1)));
        let alphabet = values.alphabet().clone();
        let [sums, canonical] = [&full, &canonical].map(|histogram| wdl(&alphabet, histogram));
        Self { full: sums, canonical, alphabet, histogram: full }
    }

    /// The longest DTC, if any position is decided.
    pub fn max_dtc(&self) -> Option<Plies> {
        self.rows().last().map(|row| Plies(row.plies))
    }

    /// The DTC histogram over every placement, without empty rows.
    pub fn rows(&self) -> Vec<TallyRow> {
        let mut rows: BTreeMap<u16, TallyRow> = BTreeMap::new();
        for (&value, &count) in self.alphabet.values().iter().zip(&self.histogram).filter(|(_, count)| **count > 0) {
            let Some(Plies(plies)) = value.dtc() else { continue };
            let row = rows.entry(plies).or_insert(TallyRow { plies, won: 0, lost: 0 });
            if value.wdl() == Wdl::Won { row.won += count } else { row.lost += count }
        }
        rows.into_values().collect()
    }
}

fn count_block(values: &Values, space: Space, block: u32, full: &mut [u64; 256], canonical: &mut [u64; 256]) {
    let orbits = space.mover_orbits();
    let symbols = values.block(block);
    // Four counters a symbol, so that one count need not wait for the one before.
    let mut counts = [[0u32; 256]; 4];
    for (i, &symbol) in symbols.iter().enumerate() {
        counts[i % 4][symbol as usize] += 1;
    }
    let has_twins = orbits.has_twins(block);
    for symbol in 0..values.alphabet().len() {
        let count: u64 = counts.iter().map(|counts| u64::from(counts[symbol])).sum();
        full[symbol] += count * u64::from(orbits.orbit_size(block));
        if !has_twins {
            canonical[symbol] += count;
        }
    }
    if has_twins {
        for (&symbol, is_canonical) in symbols.iter().zip(space.canonical_ranks(block)) {
            canonical[symbol as usize] += u64::from(is_canonical);
        }
    }
}

fn add(mut a: [u64; 256], b: &[u64; 256]) -> [u64; 256] {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
    a
}

fn wdl(alphabet: &Alphabet, histogram: &[u64; 256]) -> Counts {
    let mut counts = Counts::default();
    for (value, &count) in alphabet.values().iter().zip(histogram) {
        counts.add(value.wdl(), count);
    }
    counts
}
