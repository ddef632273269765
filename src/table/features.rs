//! Context features: what one look at the board says about each entry of a list, computed for all at once.
//!
//! A *shot* is a point where the mover could complete a line now, a *threat* one where the waiting side could if it
//! were to move. The features of an entry are a byte:
//!
//! | bits | |
//! |---|---|
//! | 0, 1 | shots, three standing for more |
//! | 2, 3 | threats at points that the mover cannot occupy now, likewise |
//! | 4, 5 | threats at points that it can |
//! | 6 | whether the waiting side has a whole line |
//! | 7 | whether the mover has one |
//!
//! Features only choose statistics: even wrong features would not make values wrong. Writer and reader only have to
//! agree on them.

use super::units::{UNIT, Unit};
use crate::board::{MOST_NEIGHBOURS, POINTS, Point, PointSet};
use crate::rules::FLYING_COWS;
use crate::space::Space;

/// Features are numbers below this.
pub(super) const FEATURES: usize = 256;

/// Stands for no point.
const NOWHERE: u8 = POINTS as u8;

/// The number of points including [`NOWHERE`], rounded up to a power of two so that no index needs a check.
const PLACES: usize = 32;

/// A line without one of its points.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    /// The point.
    point: u8,
    /// The line's other two points.
    pair: [u8; 2],
    /// Neighbours of the point outside the line, padded with [`NOWHERE`]; the cow that completes the line comes from
    /// one of them.
    from: [u8; MOST_NEIGHBOURS],
}

/// A class's board, laid out for computing features.
#[derive(Clone, Debug)]
pub(super) struct FeatureBoard {
    /// For each line its set and its three ways.
    lines: Vec<(u32, [Way; 3])>,
    neighbours: [u32; PLACES],
    space: Space,
    /// Every point of the board.
    points: u32,
}

/// What all entries of a block have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockFeatures {
    /// Points outside the mover's set.
    free: u32,
    /// Free points where the mover could complete a line.
    shots: u32,
    /// Points that the mover could occupy if they are empty.
    reach: u32,
    /// If the mover has a whole line, the bit that says so in the features of each of eight entries.
    own_line: u64,
}

impl FeatureBoard {
    pub(super) fn new(space: Space) -> Self {
        let board = space.board();
        let way = |line: PointSet, point: Point| {
            let from = board.neighbours(point).difference(line);
            let mut way = Way { point: point.index() as u8, pair: [NOWHERE; 2], from: [NOWHERE; MOST_NEIGHBOURS] };
            let pair = way.pair.iter_mut().zip(line.without(point).iter());
            for (place, point) in pair.chain(way.from.iter_mut().zip(from.iter())) {
                *place = point.index() as u8;
            }
            way
        };
        let line = |line: PointSet| {
            let mut ways = [Way::default(); 3];
            for (place, point) in ways.iter_mut().zip(line.iter()) {
                *place = way(line, point);
            }
            (line.bits(), ways)
        };
        let mut neighbours = [0; PLACES];
        for point in board.points().iter() {
            neighbours[point.index()] = board.neighbours(point).bits();
        }
        Self { lines: board.lines().map(line).collect(), neighbours, space, points: board.points().bits() }
    }

    /// Computes the features of the mover's set of a block.
    pub(super) fn block(&self, block: u32) -> BlockFeatures {
        let mover = self.space.mover_orbits().representative(block).bits();
        let free = !mover & self.points;
        let class = self.space.class();
        let places = class.mover_hand() > 0;
        let from_anywhere = if places || class.mover() == FLYING_COWS { self.points } else { 0 };
        let mut shots = 0;
        let mut own_line = false;
        for &(line, _) in &self.lines {
            // One point of the line is free, and a cow can get there: from the hand, or from outside the line.
            let open = line & free;
            own_line |= open == 0;
            let one = open.is_power_of_two();
            let from = self.neighbours[open.trailing_zeros() as usize % PLACES] | from_anywhere;
            shots |= if one && (places || from & mover & !line != 0) { open } else { 0 };
        }
        let mut reach = from_anywhere;
        let mut rest = mover;
        while rest != 0 {
            reach |= self.neighbours[rest.trailing_zeros() as usize % PLACES];
            rest &= rest - 1;
        }
        let own_line = if own_line { 0x8080_8080_8080_8080 } else { 0 };
        BlockFeatures { free, shots, reach, own_line }
    }

    /// The features of the entries of a list of this unit, in a block with these features.
    pub(super) fn list(&self, unit: &Unit, block: &BlockFeatures, out: &mut [u8; UNIT]) {
        // For each point of the board, which entries have a cow of the waiting side there.
        let mut cows = [0; PLACES];
        let mut rest = block.free;
        let members = &unit.known().members;
        for (place, &some) in members.iter().enumerate() {
            if rest == 0 {
                break;
            }
            let always = u64::from(unit.top >> place & 1).wrapping_neg();
            cows[rest.trailing_zeros() as usize % PLACES] = if place < unit.points as usize { some } else { always };
            rest &= rest - 1;
        }
        let waiting = unit.size + unit.top.count_ones() as u8;
        let places = u64::from(self.space.class().waiting_hand() > 0).wrapping_neg();
        let flies = u64::from(waiting == FLYING_COWS).wrapping_neg();
        let mut threats = [0; PLACES];
        let mut threatened = 0;
        let mut standing = 0;
        for (line, ways) in &self.lines {
            if line & !block.free != 0 {
                continue;
            }
            threatened |= line;
            let [p0, p1] = ways[0].pair;
            standing |= cows[p0 as usize % PLACES] & cows[p1 as usize % PLACES] & cows[ways[0].point as usize % PLACES];
            for way in ways {
                let [a, b] = way.pair.map(|point| cows[point as usize % PLACES]);
                let from = way.from.map(|point| cows[point as usize % PLACES]);
                threats[way.point as usize % PLACES] |=
                    a & b & (from[0] | from[1] | from[2] | from[3] | flies | places);
            }
        }
        let (mut shots, mut unstoppable, mut stoppable) = ([0; 2], [0; 2], [0; 2]);
        for point in points(block.shots) {
            count(&mut shots, !cows[point]);
        }
        for point in points(threatened & !block.reach) {
            count(&mut unstoppable, threats[point] & !cows[point]);
        }
        for point in points(threatened & block.reach) {
            count(&mut stoppable, threats[point] & !cows[point]);
        }
        let planes = [shots[0], shots[1], unstoppable[0], unstoppable[1], stoppable[0], stoppable[1], standing];
        let planes = planes.map(u64::to_le_bytes);
        for (byte, out) in out.chunks_exact_mut(8).enumerate() {
            let mut eight = block.own_line;
            for (place, plane) in planes.iter().enumerate() {
                eight |= SPREAD[plane[byte] as usize] << place;
            }
            out.copy_from_slice(&eight.to_le_bytes());
        }
    }
}

/// The points of a set.
#[inline]
fn points(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let point = set.trailing_zeros() as usize % PLACES;
        let some = set != 0;
        set &= set.wrapping_sub(1);
        some.then_some(point)
    })
}

/// Adds one to the two-bit counters of these entries, up to three.
#[inline]
fn count(counters: &mut [u64; 2], entries: u64) {
    let [low, high] = *counters;
    let full = low & high & entries;
    *counters = [(low ^ entries) | full, (high ^ (low & entries)) | full];
}

/// The bits of a byte, each in its own byte.
static SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= (byte as u64 >> bit & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::super::units::Units;
    use super::*;
    use crate::board::{Board, BoardKind};
    use crate::space::Class;

    /// Points where `mover` could complete a line.
    fn completing(board: &Board, mover: PointSet, waiting: PointSet, places: bool) -> Vec<Point> {
        let empty = board.free(mover.union(waiting));
        let can = |point: &Point| {
            board.line_partners(*point).any(|pair| {
                let rest = mover.difference(pair);
                let from = if mover.len() == FLYING_COWS { rest } else { rest.intersection(board.neighbours(*point)) };
                pair.intersection(mover) == pair && (places || !from.is_empty())
            })
        };
        empty.iter().filter(can).collect()
    }

    fn slow_features(space: Space, mover: PointSet, waiting: PointSet) -> u8 {
        let board = space.board();
        let [places, waiting_places] = [space.class().mover_hand() > 0, space.class().waiting_hand() > 0];
        let anywhere = places || mover.len() == FLYING_COWS;
        let reachable = |point: &Point| anywhere || !board.neighbours(*point).intersection(mover).is_empty();
        let threats = completing(board, waiting, mover, waiting_places);
        let stoppable = threats.iter().filter(|&point| reachable(point)).count();
        let three = |count: usize| count.min(3) as u8;
        let line = |cows| u8::from(!board.in_lines(cows).is_empty());
        three(completing(board, mover, waiting, places).len())
            | three(threats.len() - stoppable) << 2
            | three(stoppable) << 4
            | line(waiting) << 6
            | line(mover) << 7
    }

    /// The `size`-subset with this rank, computed the slow way.
    fn subset(size: u8, rank: u64) -> u32 {
        (0..1u32 << 22).filter(|set| set.count_ones() == u32::from(size)).nth(rank as usize).unwrap()
    }

    fn spread_over(bits: u32, free: PointSet) -> PointSet {
        free.iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1).map(|(_, point)| point).collect()
    }

    #[test]
    fn features_match_their_definition() {
        for kind in BoardKind::ALL {
            let board = kind.board();
            let moving = [("3-3", 158), ("3-5", 90), ("6-4", 2000), ("9-3", 60000), ("8-5", 40000), ("12-9", 999)];
            let placing = [("2-2+1-1", 30), ("3-2+1-1", 99), ("2-3+2-1", 20), ("5-4+1-1", 2000), ("4-5+4-3", 700)];
            for (text, blocks) in moving.into_iter().chain(placing) {
                let class: Class = text.parse().unwrap();
                let space = Space::new(kind, class);
                let (board_features, units) = (FeatureBoard::new(space), Units::new(space, blocks));
                for number in (0..units.units()).step_by(units.units() as usize / 7 + 1) {
                    let unit = units.unit(number);
                    let block_features = board_features.block(unit.block);
                    let mover = space.mover_orbits().representative(unit.block);
                    let first = unit.entries.start % units.block;
                    let mut found = [0; UNIT];
                    board_features.list(&unit, &block_features, &mut found);
                    for at in [0, (unit.list - 1).min(37), unit.list - 1] {
                        let places = subset(class.waiting(), first + at as u64);
                        let waiting = spread_over(places, board.free(mover));
                        assert_eq!(found[at], slow_features(space, mover, waiting), "{class}, {mover:?} {waiting:?}");
                    }
                }
            }
        }
    }
}
