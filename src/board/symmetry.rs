//! The sixteen symmetries of the three rings: the square's eight, each with and without exchanging the exterior and
//! the interior ring. They map edges to edges and lines to lines on every board; a test holds each board to it.

use super::{Point, PointSet};

/// How many symmetries there are.
pub const SYMMETRIES: usize = 16;

/// One of the sixteen symmetries; number 0 is the identity.
///
/// Bits 0 and 1 of the number are quarter turns, bit 2 a reflection made first, bit 3 the exchange of the rings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The symmetry that moves nothing.
    pub const IDENTITY: Self = Self(0);

    /// The symmetry with this number, if it is below 16.
    pub const fn new(number: u8) -> Option<Self> {
        if (number as usize) < SYMMETRIES { Some(Self(number)) } else { None }
    }

    /// The symmetry's number, 0..16.
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// All symmetries, the identity first.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        (0..SYMMETRIES as u8).map(Self)
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
        // A reflection is its own inverse, turned or not, and the exchange of rings commutes with all.
        if self.0 & 4 != 0 { self } else { Self(self.0 & 8 | (4 - (self.0 & 3)) & 3) }
    }

    /// [`apply`](Self::apply) on bare bits.
    #[inline]
    pub(crate) const fn apply_bits(self, bits: u32) -> u32 {
        let mut bits = bits;
        if self.0 & 4 != 0 {
            bits = reflect(bits);
        }
        bits = quarter_turns(bits, (self.0 & 3) as u32);
        if self.0 & 8 != 0 {
            bits = bits & 0x00_ff00 | bits >> 16 & 0xff | bits << 16 & 0xff_0000;
        }
        bits
    }
}

/// Every ring turned clockwise by `turns` quarters, two numbers each.
#[inline]
const fn quarter_turns(bits: u32, turns: u32) -> u32 {
    let shift = 2 * turns;
    let stay = 0x01_0101 * (0xff >> shift);
    (bits & stay) << shift | (bits & !stay & 0xff_ffff) >> (8 - shift)
}

/// Every ring mirrored so that its numbers 1 and 5 keep their places: number `n` goes to `10 - n`.
#[inline]
const fn reflect(bits: u32) -> u32 {
    let reversed = bits.reverse_bits().swap_bytes() & 0xff_ffff;
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
        let images: HashSet<Vec<Point>> =
            Symmetry::all().map(|symmetry| Point::all().map(|point| image(symmetry, point)).collect()).collect();
        assert_eq!(images.len(), SYMMETRIES);
        for permutation in images {
            assert_eq!(permutation.into_iter().collect::<PointSet>(), PointSet::ALL);
        }
    }

    #[test]
    fn symmetries_map_edges_to_edges_and_lines_to_lines_on_both_boards() {
        for board in BoardKind::ALL.map(BoardKind::board) {
            let lines: HashSet<PointSet> = board.lines().collect();
            for symmetry in Symmetry::all() {
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
        for symmetry in Symmetry::all() {
            for point in Point::all() {
                assert_eq!(image(symmetry.inverse(), image(symmetry, point)), point);
            }
        }
    }

    #[test]
    fn images_of_sets_are_sets_of_images() {
        let set = PointSet::from_bits(0x5a_931c).unwrap();
        for symmetry in Symmetry::all() {
            assert_eq!(symmetry.apply(set), set.iter().map(|point| image(symmetry, point)).collect());
        }
    }
}
