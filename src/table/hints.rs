//! What one look at the board says about each entry of a unit, for 64 entries at once: how many points there are where the
//! mover could complete a line now, how many where the other side could if it were to move, and how many of those the mover could occupy.
//!
//! These are hints for the statistics and nothing else: writer and reader only have to mean the same by them.

use super::units::Unit;
use crate::board::{Board, POINTS, Point};
use crate::index::Orbits;
use crate::rules::FLYING_COWS;

/// Hints are numbers below this.
pub(super) const HINTS: usize = 64;

const MOST_NEIGHBOURS: usize = 4;

/// A point where no cow stands.
const NOWHERE: u8 = POINTS as u8;

/// Places for points and [`NOWHERE`], a power of two so that no index needs a check.
const PLACES: usize = 32;

/// A way to complete a line at a point.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    /// The line's other two points.
    pair: [u8; 2],
    /// Neighbours of the point that are not in the line, and [`NOWHERE`]; a cow comes from one of them.
    from: [u8; MOST_NEIGHBOURS],
    pair_set: u32,
    from_set: u32,
}

/// A board as the hints need it.
#[derive(Clone, Debug)]
pub(super) struct Ground {
    ways: [Vec<Way>; POINTS],
    neighbours: [u32; POINTS],
}

/// What is the same for all entries of a block.
pub(super) struct BlockHints {
    /// Points outside the mover's set.
    free: u32,
    /// Free points where the mover could complete a line.
    shots: u32,
    /// Free points that the mover could occupy.
    reach: u32,
}

impl Ground {
    pub(super) fn new(board: &Board) -> Self {
        let ways = |point: Point| {
            let way = |pair: crate::board::PointSet| {
                let mut points = pair.iter().map(|point| point.index() as u8);
                let from = board.neighbours(point).intersection(pair.complement());
                let mut way = Way { pair_set: pair.bits(), from_set: from.bits(), ..Way::default() };
                way.pair = [points.next().unwrap_or_default(), points.next().unwrap_or_default()];
                way.from = [NOWHERE; MOST_NEIGHBOURS];
                for (place, point) in way.from.iter_mut().zip(from.iter()) {
                    *place = point.index() as u8;
                }
                way
            };
            board.line_partners(point).map(way).collect()
        };
        let mut ground = Self { ways: Default::default(), neighbours: [0; POINTS] };
        for point in Point::all() {
            ground.ways[point.index()] = ways(point);
            ground.neighbours[point.index()] = board.neighbours(point).bits();
        }
        ground
    }

    /// Looks at the mover's set of a block.
    pub(super) fn block(&self, own: u8, block: u32) -> BlockHints {
        let mover = Orbits::of(own).representative(block).bits();
        let flies = own == FLYING_COWS;
        let free = !mover & ((1 << POINTS) - 1);
        let (mut shots, mut reach) = (0, 0);
        let mut rest = free;
        while rest != 0 {
            let point = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let completes = |way: &Way| way.pair_set & !mover == 0 && (flies || way.from_set & mover != 0);
            shots |= u32::from(self.ways[point].iter().any(completes)) << point;
            reach |= u32::from(flies || self.neighbours[point] & mover != 0) << point;
        }
        BlockHints { free, shots, reach }
    }

    /// The hints of the entries `64 * word..64 * word + 64` of a list of this unit, in a block with these hints.
    pub(super) fn word(&self, unit: &Unit, block: &BlockHints, word: usize, out: &mut [u8; 64]) {
        // For each point of the board, which entries have a cow of the waiting side there.
        let mut cows = [0u64; PLACES];
        let members = &unit.known().members;
        let mut rest = block.free;
        let mut place = 0;
        while rest != 0 {
            let point = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            cows[point] = if place < unit.points as usize {
                members[place][word]
            } else {
                u64::from(unit.top >> place & 1).wrapping_neg()
            };
            place += 1;
        }
        let waiting = unit.size + unit.top.count_ones() as u8;
        let flies = u64::from(waiting == FLYING_COWS).wrapping_neg();
        let (mut shots, mut threats, mut stoppable) = ([0; 2], [0; 2], [0; 2]);
        let mut rest = block.free;
        while rest != 0 {
            let point = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let empty = !cows[point];
            count(&mut shots, empty & bit(block.shots, point));
            let mut threat = 0;
            for way in &self.ways[point] {
                let [a, b] = way.pair.map(|point| cows[point as usize % PLACES]);
                let from = way.from.map(|point| cows[point as usize % PLACES]);
                threat |= a & b & (from[0] | from[1] | from[2] | from[3] | flies);
            }
            count(&mut threats, threat & empty);
            count(&mut stoppable, threat & empty & bit(block.reach, point));
        }
        let planes = [shots[0], shots[1], threats[0], threats[1], stoppable[0], stoppable[1]];
        for (byte, out) in out.chunks_exact_mut(8).enumerate() {
            let mut eight = 0;
            for (place, plane) in planes.iter().enumerate() {
                eight |= spread((plane >> (8 * byte)) as u8) << place;
            }
            out.copy_from_slice(&eight.to_le_bytes());
        }
    }
}

/// All ones if the set holds the point.
#[inline]
fn bit(set: u32, point: usize) -> u64 {
    u64::from(set >> point & 1).wrapping_neg()
}

/// Adds one to the two-bit counters of these entries; three stays three.
#[inline]
fn count(counters: &mut [u64; 2], entries: u64) {
    let [low, high] = *counters;
    let full = low & high & entries;
    *counters = [(low ^ entries) | full, (high ^ (low & entries)) | full];
}

/// The bits of a byte, each in a byte of its own.
#[inline]
fn spread(bits: u8) -> u64 {
    let bits = u64::from(bits);
    ((bits & 0x7f) * 0x02_0408_1020_4081 & 0x0101_0101_0101_0101) | (bits & 0x80) << 49
}
