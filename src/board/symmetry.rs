//! The symmetries of the three rings: the eight of the square, each with and without exchanging the exterior and
//! interior rings. A board's [`SymmetryGroup`] says which of them it has; a test checks this for each board.

use super::{Point, PointSet};

/// The most symmetries of any board.
pub const SYMMETRIES: usize = 16;

/// The points of the three rings. The only other point a board can have is its centre, which every symmetry keeps in
/// place.
const RINGS: u32 = 0xff_ffff;

/// The symmetries of a board, which divide its sets of points into orbits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum SymmetryGroup {
    /// The 16 symmetries of three bare rings, 24 points.
    Rings,
    /// The eight of the square, for three rings around a centre, 25 points: the interior ring is joined to the centre,
    /// so it cannot be exchanged. No board of this program uses it yet.
    CentredRings,
}

impl SymmetryGroup {
    /// All groups.
    pub const ALL: [Self; 2] = [Self::Rings, Self::CentredRings];

    /// How many points a board with these symmetries has.
    pub const fn points(self) -> usize {
        match self {
            Self::Rings => 24,
            Self::CentredRings => 25,
        }
    }

    /// How many symmetries there are.
    pub const fn order(self) -> usize {
        match self {
            Self::Rings => 16,
            Self::CentredRings => 8,
        }
    }

    /// The symmetries, the identity first.
    pub fn symmetries(self) -> impl ExactSizeIterator<Item = Symmetry> {
        (0..self.order() as u8).map(Symmetry)
    }
}

/// One of at most sixteen symmetries; number 0 is the identity.
///
/// Bits 0 and 1 of the number are quarter turns, bit 2 a reflection made first, bit 3 the exchange of the rings. So the
/// eight of the square are the first half.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The symmetry that moves no point.
    pub const IDENTITY: Self = Self(0);

    /// The symmetry with this number, if it is below 16.
    pub const fn new(number: u8) -> Option<Self> {
        if (number as usize) < SYMMETRIES { Some(Self(number)) } else { None }
    }

    /// The symmetry's number, 0..16.
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// The image of a set of points.
    #[must_use]
    pub const fn apply(self, set: PointSet) -> PointSet {
        PointSet(self.apply_bits(set.bits()))
    }

    /// The image of a point.
    #[must_use]
    pub const fn apply_point(self, point: Point) -> Point {
        Point(self.apply_bits(point.set().bits()).trailing_zeros() as u8)
    }

    /// The symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Self {
        // A reflection is its own inverse, turned or not, and the exchange of rings commutes with all symmetries.
        if self.0 & 4 != 0 { self } else { Self(self.0 & 8 | (4 - (self.0 & 3)) & 3) }
    }

    /// The points that a point moves to when the symmetry is applied repeatedly, including itself.
    pub(crate) const fn cycle_bits(self, point: usize) -> u32 {
        let mut cycle = 0;
        let mut at = 1 << point;
        while cycle & at == 0 {
            cycle |= at;
            at = self.apply_bits(at);
        }
        cycle
    }

    /// [`apply`](Self::apply) on bare bits.
    #[inline]
    pub(crate) const fn apply_bits(self, bits: u32) -> u32 {
        let centre = bits & !RINGS;
        let mut bits = bits & RINGS;
        if self.0 & 4 != 0 {
            bits = reflect(bits);
        }
        bits = quarter_turns(bits, (self.0 & 3) as u32);
        if self.0 & 8 != 0 {
            bits = bits & 0x00_ff00 | bits >> 16 & 0xff | bits << 16 & 0xff_0000;
        }
        bits | centre
    }
}

/// Turns every ring clockwise by `turns` quarters, two numbers each.
#[inline]
const fn quarter_turns(bits: u32, turns: u32) -> u32 {
    let shift = 2 * turns;
    let stay = 0x01_0101 * (0xff >> shift);
    (bits & stay) << shift | (bits & !stay & RINGS) >> (8 - shift)
}

/// Mirrors every ring so that its numbers 1 and 5 keep their places: number `n` goes to `10 - n`.
#[inline]
const fn reflect(bits: u32) -> u32 {
    let reversed = bits.reverse_bits().swap_bytes() & RINGS;
    (reversed & 0x7f_7f7f) << 1 | reversed >> 7 & 0x01_0101
}

#[cfg(test)]
mod tests {
    use super::super::BoardKind;
    use super::*;
    use std::collections::HashSet;

    fn image(symmetry: Symmetry, point: Point) -> Point {
        let image = symmetry.apply(point.set()).iter().next().unwrap();
        assert_eq!(symmetry.apply_point(point), image);
        image
    }

    #[test]
    fn symmetries_are_sixteen_different_permutations() {
        let images: HashSet<Vec<Point>> = SymmetryGroup::Rings
            .symmetries()
            .map(|symmetry| Point::all().map(|point| image(symmetry, point)).collect())
            .collect();
        assert_eq!(images.len(), SYMMETRIES);
        for permutation in images {
            assert_eq!(permutation.into_iter().collect::<PointSet>(), PointSet::ALL);
        }
    }

    #[test]
    fn symmetries_map_edges_to_edges_and_lines_to_lines_on_both_boards() {
        for board in BoardKind::ALL.map(BoardKind::board) {
            let lines: HashSet<PointSet> = board.lines().collect();
            for symmetry in board.group().symmetries() {
                for line in board.lines() {
                    assert!(lines.contains(&symmetry.apply(line)));
                }
                for point in Point::all() {
                    let moved = board.neighbours(image(symmetry, point));
                    assert_eq!(symmetry.apply(board.neighbours(point)), moved);
                }
            }
        }
    }

    #[test]
    fn inverse_undoes_every_symmetry() {
        for symmetry in SymmetryGroup::Rings.symmetries() {
            for point in Point::all() {
                assert_eq!(image(symmetry.inverse(), image(symmetry, point)), point);
            }
        }
    }

    #[test]
    fn images_of_sets_are_sets_of_images() {
        let set = PointSet::from_bits(0x5a_931c).unwrap();
        for symmetry in SymmetryGroup::Rings.symmetries() {
            assert_eq!(symmetry.apply(set), set.iter().map(|point| image(symmetry, point)).collect());
        }
    }
}
