//! Recomputes the counts in a table's head.
//!
//! The solver counts an orbit by its first entry among twins, which it compares. Here every entry counts as its
//! fraction of an orbit: if `s` symmetries fix the mover's set and `f` of them the waiting side's set too, the position
//! has `s / f` twins, and each of them is `f / s` of an orbit. The sum of all `f` equals that of the entries that each
//! of the `s` symmetries fixes (Burnside's lemma), and these are found as unions of the symmetry's cycles. Nothing of
//! `solve` is used except [`Values`], the decoded table.

use rayon::prelude::*;

use crate::board::{Board, PointSet, Symmetry};
use crate::lookahead::Values;
use crate::space::subset::{Ranks, gather};
use crate::table::{Counts, DtcCount, TableMeta};
use crate::threads;
use crate::value::{Plies, Value, Wdl};

/// Entries by symbol.
type Histogram = [u64; 256];

/// Entries of the blocks whose mover's sets are fixed by this many symmetries.
struct Group {
    symmetries: u64,
    /// Separate for even and odd ranks: neighbours are often equal, and incrementing one counter twice in a row would
    /// stall.
    entries: [Histogram; 2],
    /// Entries that a symmetry fixes, summed over all symmetries except the identity, which fixes all.
    fixed: Histogram,
}

impl Group {
    const fn new(symmetries: u64) -> Self {
        Self { symmetries, entries: [[0; 256]; 2], fixed: [0; 256] }
    }

    fn count(&mut self, symbols: &[u8]) {
        let [even, odd] = &mut self.entries;
        let (pairs, last) = symbols.as_chunks::<2>();
        for [a, b] in pairs {
            even[*a as usize] += 1;
            odd[*b as usize] += 1;
        }
        for symbol in last {
            even[*symbol as usize] += 1;
        }
    }

    fn add(&mut self, other: &Self) {
        let sums = self.entries.iter_mut().chain([&mut self.fixed]).flatten();
        sums.zip(other.entries.iter().chain([&other.fixed]).flatten()).for_each(|(sum, part)| *sum += part);
    }

    /// Placements of the cows with this symbol on a board with `order` symmetries, and their orbits.
    const fn counts(&self, symbol: usize, order: u64) -> [u64; 2] {
        let entries = self.entries[0][symbol] + self.entries[1][symbol];
        // If twins differ, which is a separate fault, the second is not a whole number.
        [entries * (order / self.symmetries), (entries + self.fixed[symbol]) / self.symmetries]
    }
}

/// Groups of blocks, in no particular order.
#[derive(Default)]
struct Groups(Vec<Group>);

impl Groups {
    fn of(&mut self, symmetries: u64) -> &mut Group {
        let place = self.0.iter().position(|group| group.symmetries == symmetries).unwrap_or_else(|| {
            self.0.push(Group::new(symmetries));
            self.0.len() - 1
        });
        &mut self.0[place]
    }

    /// The sum of both.
    fn and(mut self, other: Self) -> Self {
        for group in other.0 {
            self.of(group.symmetries).add(&group);
        }
        self
    }
}

/// The totals over the entries of a class.
pub(super) struct Recount {
    /// Each value that occurs in the class, with the number of placements of the cows that have it and of orbits.
    values: Vec<(Value, u64, u64)>,
}

impl Recount {
    /// Counts a class, in the current rayon thread pool.
    pub(super) fn of(values: &Values) -> Self {
        let space = values.space();
        threads::ready();
        let blocks = (0..space.blocks()).into_par_iter().with_min_len(64);
        let groups = blocks.fold(Groups::default, |mut groups, block| {
            add_block(&mut groups, values, block);
            groups
        });
        let groups = groups.reduce(Groups::default, Groups::and);
        let order = space.board().group().order() as u64;
        let counted = values.alphabet().values().iter().enumerate().map(|(symbol, &value)| {
            let counts = groups.0.iter().map(|group| group.counts(symbol, order));
            let [full, canonical] = counts.fold([0, 0], |[a, b], [full, canonical]| [a + full, b + canonical]);
            (value, full, canonical)
        });
        Self { values: counted.collect() }
    }

    /// The longest DTC of any position, if any is decided.
    fn longest(&self) -> Option<Plies> {
        self.values.iter().filter(|(_, full, _)| *full > 0).filter_map(|(value, ..)| value.dtc()).max()
    }

    /// Placements of the cows with this value.
    fn placements(&self, value: Value) -> u64 {
        self.values.iter().filter(|(other, ..)| *other == value).map(|(_, full, _)| full).sum()
    }

    fn counts(&self) -> [Counts; 2] {
        let [mut full, mut canonical] = [Counts::default(); 2];
        for (value, placements, orbits) in &self.values {
            full.add(value.wdl(), *placements);
            canonical.add(value.wdl(), *orbits);
        }
        [full, canonical]
    }

    /// The counts of a head that differ from these: what they count, what the head says, and the actual number.
    pub(super) fn differences(&self, meta: &TableMeta) -> Vec<(String, u64, u64)> {
        let mut all = Vec::new();
        let [full, canonical] = self.counts();
        for (space, stored, counted) in [("full", meta.full, full), ("canonical", meta.canonical, canonical)] {
            for result in [Wdl::Won, Wdl::Drawn, Wdl::Lost] {
                all.push((format!("{result} positions ({space})"), stored.of(result), counted.of(result)));
            }
        }
        let rows = self.longest().map_or(0, |longest| longest.0 + 1).max(meta.dtc.len() as u16);
        for plies in 0..rows {
            let DtcCount { won, lost } = meta.dtc.get(usize::from(plies)).copied().unwrap_or_default();
            for (result, stored, value) in
                [("won", won, Value::Won(Plies(plies))), ("lost", lost, Value::Lost(Plies(plies)))]
            {
                all.push((format!("positions {result} in {plies}"), stored, self.placements(value)));
            }
        }
        all.retain(|(_, stored, counted)| stored != counted);
        all
    }
}

fn add_block(groups: &mut Groups, values: &Values, block: u32) {
    let space = values.space();
    let (board, mover) = (space.board(), space.mover_orbits().representative(block));
    let fixing = || board.group().symmetries().filter(move |symmetry| symmetry.apply(mover) == mover);
    let group = groups.of(fixing().count() as u64);
    let symbols = values.block(block);
    group.count(symbols);
    for symmetry in fixing().filter(|symmetry| *symmetry != Symmetry::IDENTITY) {
        fixed_ranks(board, mover, symmetry, space.class().waiting(), &mut |rank| {
            group.fixed[symbols[rank as usize] as usize] += 1;
        });
    }
}

/// The ranks of the sets of `size` points, disjoint from the mover's, that a symmetry maps to themselves.
fn fixed_ranks(board: &Board, mover: PointSet, symmetry: Symmetry, size: u8, use_rank: &mut impl FnMut(u32)) {
    let free = board.free(mover);
    let mut cycles: Vec<u32> = free.iter().map(|point| symmetry.cycle_bits(point.index())).collect();
    cycles.sort_unstable();
    cycles.dedup();
    let ranks = Ranks::of(usize::from(size));
    unions(&cycles, 0, u32::from(size), &mut |set| use_rank(ranks.rank(gather(set, free.bits()))));
}

/// The unions of `set` with disjoint cycles of `size` points in total.
fn unions(cycles: &[u32], set: u32, size: u32, use_set: &mut impl FnMut(u32)) {
    if size == 0 {
        return use_set(set);
    }
    for (place, cycle) in cycles.iter().enumerate() {
        if cycle.count_ones() <= size {
            unions(&cycles[place + 1..], set | cycle, size - cycle.count_ones(), use_set);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{BoardKind, POINTS};
    use crate::rules::Preset;
    use crate::solve::{Control, solve_game};
    use crate::space::subset::subsets;
    use crate::space::{Class, Entry, Space};
    use crate::testing::GAR;

    #[test]
    fn fixed_ranks_are_those_of_the_sets_that_the_symmetry_leaves() {
        for (mover, waiting) in [(3, 3), (4, 4), (12, 11)] {
            let space = Space::new(BoardKind::Morabaraba, Class::moving(mover, waiting).unwrap());
            for block in (0..space.blocks()).filter(|&block| space.mover_orbits().has_twins(block)).step_by(11) {
                let mover = space.mover_orbits().representative(block);
                for symmetry in space.mover_orbits().stabiliser(block) {
                    let mut found = Vec::new();
                    fixed_ranks(space.board(), mover, symmetry, waiting, &mut |rank| found.push(rank));
                    found.sort_unstable();
                    let is_fixed = |&rank: &u32| {
                        let (_, set) = space.position(Entry { block, rank }).unwrap();
                        symmetry.apply(set) == set
                    };
                    assert!((0..space.block_entries()).filter(is_fixed).eq(found), "{block} {symmetry:?}");
                }
            }
        }
    }

    /// Calls `use_value` with the value of every placement of the cows, and whether it is the smallest of its images.
    fn each_placement(values: &Values, mut use_value: impl FnMut(Value, bool)) {
        let class = values.class();
        let sets = |size: u8| subsets(size.into(), POINTS).map(PointSet::from_bits_truncate);
        for mover in sets(class.mover()) {
            for waiting in sets(class.waiting()).filter(|waiting| waiting.intersection(mover).is_empty()) {
                let symmetries = values.space().board().group().symmetries();
                let mut images = symmetries.map(|it| [mover, waiting].map(|set| it.apply(set)));
                use_value(values.value(mover, waiting), images.all(|image| image >= [mover, waiting]));
            }
        }
    }

    #[test]
    fn counts_are_those_of_all_placements_and_of_the_least_images() {
        let game = solve_game(&Preset::Gar.rules().with_cows(3), &Control::default()).unwrap();
        for values in game.values() {
            let [mut full, mut canonical] = [Counts::default(); 2];
            each_placement(values, |value, is_least| {
                full.add(value.wdl(), 1);
                canonical.add(value.wdl(), is_least.into());
            });
            assert_eq!(Recount::of(values).counts(), [full, canonical], "{}", values.class());
        }
    }

    #[test]
    fn counts_by_plies_are_those_of_all_placements() {
        let values = &GAR[&Class::moving(3, 3).unwrap()];
        let mut lost_in_2 = 0;
        each_placement(values, |value, _| lost_in_2 += u64::from(value == Value::Lost(Plies(2))));
        assert!(lost_in_2 > 0);
        assert_eq!(Recount::of(values).placements(Value::Lost(Plies(2))), lost_in_2);
    }
}
