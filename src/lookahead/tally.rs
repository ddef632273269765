//! Counting a class's values, over all placements and over orbits.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::alphabet::Alphabet;
use crate::space::Space;
use crate::threads;
use crate::value::{Counts, Plies, Wdl};

use super::values::Values;

/// Numbers of positions decided in exactly `plies` plies, over all placements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TallyRow {
    /// The DTC.
    pub plies: u16,
    /// Positions won in this many plies.
    pub won: u64,
    /// Positions lost in this many plies.
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
    /// Counts by symbol, over every placement.
    histogram: [u64; 256],
}

impl Tally {
    /// Counts a class, in the current rayon thread pool.
    pub fn of(values: &Values) -> Self {
        let space = values.space();
        threads::ready();
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

    /// The longest DTC, if any position is decided in a counted number of plies: never with cows in hand.
    pub fn max_dtc(&self) -> Option<Plies> {
        self.rows().last().map(|row| Plies(row.plies))
    }

    /// The DTC histogram over every placement, without empty rows or decisions whose plies are not counted.
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
    // Four counters per symbol, so that one increment need not wait for the one before.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::PointSet;
    use crate::rules::Preset;
    use crate::solve::{Control, solve_game};
    use crate::space::Class;
    use crate::space::subset::subsets;
    use crate::testing::solved;

    /// Counts placement by placement. Of placements that symmetries map to one another, the smallest is the canonical
    /// one.
    fn counted(values: &Values) -> (Counts, Counts, BTreeMap<(u16, Wdl), u64>) {
        let (class, board) = (values.class(), values.space().board());
        let sets = |size: u8| subsets(size as usize, board.points().len() as usize).filter_map(PointSet::from_bits);
        let (mut full, mut canonical, mut rows) = (Counts::default(), Counts::default(), BTreeMap::new());
        let add = |counts: &mut Counts, wdl| {
            *match wdl {
                Wdl::Won => &mut counts.won,
                Wdl::Drawn => &mut counts.drawn,
                Wdl::Lost => &mut counts.lost,
            } += 1;
        };
        for mover in sets(class.mover()) {
            for waiting in sets(class.waiting()).filter(|waiting| waiting.intersection(mover).is_empty()) {
                let value = values.value(mover, waiting);
                add(&mut full, value.wdl());
                if let Some(Plies(plies)) = value.dtc() {
                    *rows.entry((plies, value.wdl())).or_default() += 1;
                }
                let images = board.group().symmetries().map(|it| (it.apply(mover), it.apply(waiting)));
                if images.min() == Some((mover, waiting)) {
                    add(&mut canonical, value.wdl());
                }
            }
        }
        (full, canonical, rows)
    }

    #[test]
    fn counts_are_those_of_a_loop_over_all_placements() {
        for (preset, class) in [(Preset::Gar, (3, 3)), (Preset::NineMensMorris, (3, 3)), (Preset::Plain, (4, 3))] {
            let class = Class::moving(class.0, class.1).unwrap();
            let values = &solved(&preset.rules(), class.total())[&class];
            let (full, canonical, rows) = counted(values);
            let tally = Tally::of(values);
            assert_eq!((tally.full, tally.canonical), (full, canonical), "{preset:?} {class}");
            let count = |plies, wdl| rows.get(&(plies, wdl)).copied().unwrap_or(0);
            for row in tally.rows() {
                assert_eq!((row.won, row.lost), (count(row.plies, Wdl::Won), count(row.plies, Wdl::Lost)), "{row:?}");
            }
            assert_eq!(tally.rows().iter().map(|row| row.won + row.lost).sum::<u64>(), rows.values().sum::<u64>());
            assert_eq!(tally.max_dtc().map(|plies| plies.0), rows.keys().map(|(plies, _)| *plies).max());
        }
    }

    #[test]
    fn decisions_without_plies_are_counted_and_have_no_rows() {
        let rules = Preset::Gar.rules().with_cows(3);
        for (class, values) in solve_game(&rules, &Control::default()).unwrap() {
            let (full, canonical, _) = counted(&values);
            let tally = Tally::of(&values);
            assert_eq!((tally.full, tally.canonical), (full, canonical), "{class}");
            assert_eq!(canonical.total(), values.space().positions(), "{class}");
            assert_eq!(tally.rows().is_empty() && tally.max_dtc().is_none(), class.has_hands(), "{class}");
        }
    }
}
