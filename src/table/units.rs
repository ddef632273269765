//! The layout: blocks and entries, units and frames, and which earlier entries predict an entry.
//!
//! A block lists the `k`-subsets of `m` points in the order of their bit patterns (colexicographic order). The subsets
//! without the highest point come first and are all `k`-subsets of `m - 1` points; those with it follow, and without
//! that point they are all `(k - 1)`-subsets of `m - 1` points. A block longer than [`UNIT`] is split that way
//! recursively until each piece has at most `UNIT` entries: a *unit*, itself the list of all `k'`-subsets of `m'`
//! points. Short blocks are gathered into one unit, as many as fit. A unit is decoded as a whole; [`FRAME`] units make
//! a *frame*, which has a checksum.

use std::ops::Range;
use std::sync::LazyLock;

use crate::board::POINTS;
use crate::space::subset::{Ranks, binomial};
use crate::space::{MOST_COWS, Space};

/// The most entries in a unit: the number of bits in a word, so that the features of all are computed at once.
pub(super) const UNIT: usize = u64::BITS as usize;

/// The most blocks gathered in a unit.
const GATHERED: usize = 4;

/// Units in a frame.
pub(super) const FRAME: u64 = 128;

/// How many earlier entries predict an entry.
pub(super) const NEIGHBOURS: usize = 3;

/// The leaves of a block are listed at every multiple of this, so that entries are found a bit faster.
const STEP: usize = 64;

/// For an entry of a list of subsets, the distances back to the entries that predict it; for a missing one, one more
/// than the entry's own index in the list.
pub(super) type Distances = [u8; NEIGHBOURS];

/// Precomputed data about the first [`UNIT`] subsets of one size.
pub(super) struct List {
    /// The `j`-th neighbour has the `j`-th lowest member replaced by the highest lower number that is not a member.
    pub(super) distances: Vec<Distances>,
    /// For each point, a bit for each of the subsets it is a member of.
    pub(super) members: [u64; POINTS],
}

static LISTS: LazyLock<Vec<List>> =
    LazyLock::new(|| (0..=MOST_COWS as usize).map(|size| List::new(size, UNIT)).collect());

impl List {
    fn new(size: usize, count: usize) -> Self {
        let mut list = Self { distances: Vec::with_capacity(count), members: [0; POINTS] };
        let mut set = (1u64 << size) - 1;
        for at in 0..count {
            list.distances.push(distances(size, set, at));
            for (point, members) in list.members.iter_mut().enumerate() {
                *members |= (set >> point & 1) << at;
            }
            // The next subset of the same size.
            let lowest = set & set.wrapping_neg();
            let ripple = set + lowest;
            set = ripple | ((set ^ ripple) >> 2).checked_div(lowest).unwrap_or_default();
            if lowest == 0 || set >> POINTS != 0 {
                break;
            }
        }
        list
    }
}

fn distances(size: usize, set: u64, at: usize) -> Distances {
    let mut out = [at as u8 + 1; NEIGHBOURS];
    let mut rest = set;
    for distance in &mut out {
        let member = rest & rest.wrapping_neg();
        rest &= rest.wrapping_sub(1);
        let free = !set & member.wrapping_sub(1);
        if member != 0 && free != 0 {
            let lower = 1u64 << free.ilog2();
            *distance = (at - Ranks::of(size).rank((set ^ member ^ lower) as u32) as usize) as u8;
        }
    }
    out
}

/// A piece of a block: all subsets of `size` points among some lowest ones.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    start: u32,
    /// Points that the listed subsets are made of, the lowest.
    points: u8,
    size: u8,
    /// Additional points in all sets of the piece.
    top: u32,
}

/// A unit: its entries in the whole table, and what it lists.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unit {
    /// Its entries, counted from the table's first.
    pub(super) entries: Range<u64>,
    /// Entries in each of its lists: all, or those of a gathered block.
    pub(super) list: usize,
    /// The block, or the first of those gathered.
    pub(super) block: u32,
    /// Points that the listed subsets are made of, the lowest of the block's.
    pub(super) points: u8,
    /// The size of the listed subsets.
    pub(super) size: u8,
    /// Additional points in all sets of the unit.
    pub(super) top: u32,
}

impl Unit {
    /// How many entries it has.
    pub(super) fn len(&self) -> usize {
        (self.entries.end - self.entries.start) as usize
    }

    /// Precomputed data about its lists.
    pub(super) fn known(&self) -> &'static List {
        &LISTS[self.size as usize]
    }
}

/// The units of a class's table.
#[derive(Clone, Debug)]
pub(super) struct Units {
    pub(super) blocks: u64,
    /// Entries per block.
    pub(super) block: u64,
    split: Split,
}

#[derive(Clone, Debug)]
enum Split {
    /// A block is several units, which start at these entries of it.
    Leaves { leaves: Vec<Leaf>, at: Vec<u16> },
    /// A unit is this many blocks of subsets of this size.
    Gathered { blocks: u64, points: u8, size: u8 },
}

impl Units {
    /// The units of a table with the first `blocks` blocks of a class.
    pub(super) fn new(space: Space, blocks: u32) -> Self {
        let (points, size) = (space.free_points(), space.class().waiting() as usize);
        let block = space.block_entries() as usize;
        let split = if block <= UNIT {
            let blocks = (UNIT / block.max(1)).clamp(1, GATHERED) as u64;
            Split::Gathered { blocks, points: points as u8, size: size as u8 }
        } else {
            let mut leaves = Vec::new();
            split(points, size, 0, 0, &mut leaves);
            let mut leaf = 0;
            let leaf_of = |step| {
                while leaves.get(leaf + 1).is_some_and(|next: &Leaf| next.start as usize <= step * STEP) {
                    leaf += 1;
                }
                leaf as u16
            };
            let at = (0..block.div_ceil(STEP)).map(leaf_of).collect();
            Split::Leaves { leaves, at }
        };
        Self { blocks: u64::from(blocks), block: block as u64, split }
    }

    /// All entries.
    pub(super) fn entries(&self) -> u64 {
        self.blocks * self.block
    }

    /// How many units there are.
    pub(super) fn units(&self) -> u64 {
        match &self.split {
            Split::Leaves { leaves, .. } => self.blocks * leaves.len() as u64,
            Split::Gathered { blocks, .. } => self.blocks.div_ceil(*blocks),
        }
    }

    /// How many frames there are.
    pub(super) fn frames(&self) -> u64 {
        self.units().div_ceil(FRAME)
    }

    /// The number of the unit that holds this entry of this block, both of which must exist, and the unit.
    #[inline]
    pub(super) fn locate(&self, block: u32, entry: u32) -> (u64, Unit) {
        match &self.split {
            Split::Leaves { leaves, at } => {
                let mut leaf = usize::from(at[entry as usize / STEP]);
                while leaves.get(leaf + 1).is_some_and(|next| next.start <= entry) {
                    leaf += 1;
                }
                (u64::from(block) * leaves.len() as u64 + leaf as u64, self.leaf_unit(leaves, block, leaf))
            }
            Split::Gathered { blocks, .. } => {
                let number = u64::from(block) / blocks;
                (number, self.unit(number))
            }
        }
    }

    /// The unit with this number, which must exist.
    #[inline]
    pub(super) fn unit(&self, number: u64) -> Unit {
        match &self.split {
            Split::Leaves { leaves, .. } => {
                let (block, leaf) = (number / leaves.len() as u64, (number % leaves.len() as u64) as usize);
                self.leaf_unit(leaves, block as u32, leaf)
            }
            Split::Gathered { blocks, points, size } => {
                let first = number * blocks;
                let entries = first * self.block..(first + blocks).min(self.blocks) * self.block;
                Unit { entries, list: self.block as usize, block: first as u32, points: *points, size: *size, top: 0 }
            }
        }
    }

    #[inline]
    fn leaf_unit(&self, leaves: &[Leaf], block: u32, leaf: usize) -> Unit {
        let Leaf { start, points, size, top } = leaves[leaf];
        let (before, start) = (u64::from(block) * self.block, u64::from(start));
        let end = leaves.get(leaf + 1).map_or(self.block, |next| u64::from(next.start));
        Unit { entries: before + start..before + end, list: (end - start) as usize, block, points, size, top }
    }

    /// The units of a frame.
    pub(super) fn units_of(&self, frame: u64) -> Range<u64> {
        frame * FRAME..((frame + 1) * FRAME).min(self.units())
    }

    /// The entries of a frame.
    pub(super) fn entries_of(&self, frame: u64) -> Range<u64> {
        let units = self.units_of(frame);
        self.unit(units.start).entries.start..self.unit(units.end - 1).entries.end
    }
}

/// Splits all `size`-subsets of `points` points, each combined with `top` and starting at `start`, into leaves.
fn split(points: usize, size: usize, start: usize, top: u32, leaves: &mut Vec<Leaf>) {
    if binomial(points, size) as usize <= UNIT {
        leaves.push(Leaf { start: start as u32, points: points as u8, size: size as u8, top });
    } else {
        split(points - 1, size, start, top, leaves);
        split(points - 1, size - 1, start + binomial(points - 1, size) as usize, top | 1 << (points - 1), leaves);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::BoardKind;
    use crate::space::Class;

    #[test]
    fn units_tile_every_class_and_are_found_by_entry() {
        for class in Class::all_moving(12) {
            let units = Units::new(Space::new(BoardKind::Morabaraba, class), 130);
            let mut next = 0;
            for number in 0..units.units() {
                let unit = units.unit(number);
                assert_eq!(unit.entries.start, next);
                assert!((1..=UNIT).contains(&unit.len()), "{class}: {unit:?}");
                assert_eq!(binomial(unit.points as usize, unit.size as usize) as usize, unit.list);
                for at in [unit.entries.start, unit.entries.end - 1] {
                    let (block, entry) = (at / units.block, at % units.block);
                    assert_eq!(units.locate(block as u32, entry as u32), (number, unit.clone()));
                }
                next = unit.entries.end;
            }
            assert_eq!(next, units.entries());
            let last = units.frames() - 1;
            assert_eq!(units.entries_of(last).end, units.entries());
        }
    }

    #[test]
    fn neighbours_lie_before_an_entry_and_differ_by_one_member() {
        for size in 0..=12 {
            let mut sets: Vec<u32> = (0..1u32 << 16).filter(|set| set.count_ones() == size).collect();
            sets.truncate(UNIT);
            let list = List::new(size as usize, sets.len());
            for (at, distances) in list.distances.into_iter().enumerate() {
                assert!((0..16).all(|point| list.members[point] >> at & 1 == u64::from(sets[at] >> point & 1)));
                for distance in distances.into_iter().filter(|&distance| usize::from(distance) <= at) {
                    let neighbour = sets[at - usize::from(distance)];
                    assert_eq!((neighbour ^ sets[at]).count_ones(), 2);
                }
            }
        }
    }
}
