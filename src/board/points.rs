//! Points and sets of points: numbers, bits and names.
//!
//! The 24 points of the three rings are numbered once for all boards. Which of them a board joins, and which lie on a
//! line, is the [`Board`](super::Board)'s business; nothing here depends on it.

use std::fmt;

/// The most points of any board; both boards have this many.
pub const POINTS: usize = 24;

/// The bits that a [`PointSet`] may use.
const ALL_BITS: u32 = (1 << POINTS) - 1;

/// One of the 24 points, numbered `ring * 8 + (n - 1)`: the exterior ring E1..E8 is 0..8, the middle ring A is 8..16,
/// the inner ring R is 16..24, each clockwise from its top-left corner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(pub(super) u8);

const GRID_NAMES: [&str; POINTS] = [
    "a7", "d7", "g7", "g4", "g1", "d1", "a1", "a4", "b6", "d6", "f6", "f4", "f2", "d2", "b2", "b4", "c5", "d5", "e5",
    "e4", "e3", "d3", "c3", "c4",
];

/// Columns and rows of the grid.
const GRID: usize = 7;

/// The point at each crossing of the grid, row by row from the bottom. Names are parsed by the hundred thousand.
const CROSSINGS: [Option<Point>; GRID * GRID] = {
    let mut crossings = [None; GRID * GRID];
    let mut index = 0;
    while index < POINTS {
        let name = GRID_NAMES[index].as_bytes();
        crossings[(name[1] - b'1') as usize * GRID + (name[0] - b'a') as usize] = Some(Point(index as u8));
        index += 1;
    }
    crossings
};

impl Point {
    /// The point with this number, if it is below 24.
    pub const fn new(index: u8) -> Option<Self> {
        if (index as usize) < POINTS { Some(Self(index)) } else { None }
    }

    /// The point's number, 0..24, which is also its bit in a [`PointSet`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The set holding only this point.
    pub const fn set(self) -> PointSet {
        PointSet(1 << self.0)
    }

    /// All points in the order of their numbers.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..POINTS as u8).map(Self)
    }

    /// The name on the grid, `a7` to `g1`: column `a`..`g` from the left, row 1..7 from the bottom.
    pub const fn grid_name(self) -> &'static str {
        GRID_NAMES[self.0 as usize]
    }

    /// The name in the Generally Accepted Rules: ring `E`, `A` or `R` and 1..8 clockwise from the top-left corner.
    pub fn gar_name(self) -> String {
        format!("{}{}", ['E', 'A', 'R'][self.index() / 8], self.0 % 8 + 1)
    }

    /// The point with this grid name (`a7`, `A7`), in either case.
    pub fn from_grid(name: &str) -> Option<Self> {
        let [column, row @ b'1'..=b'7'] = name.as_bytes() else { return None };
        let column @ b'a'..=b'g' = column.to_ascii_lowercase() else { return None };
        CROSSINGS[usize::from(row - b'1') * GRID + usize::from(column - b'a')]
    }

    /// The point with this name in the Generally Accepted Rules (`E1`, `e1`), in either case.
    pub fn from_gar(name: &str) -> Option<Self> {
        let [letter, digit @ b'1'..=b'8'] = name.as_bytes() else { return None };
        let ring = b"EAR".iter().position(|ring| ring.eq_ignore_ascii_case(letter))?;
        Some(Self(ring as u8 * 8 + (digit - b'1')))
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.grid_name())
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.grid_name())
    }
}

/// A set of points: bit `p` stands for point `p`, bits 24..32 are zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct PointSet(pub(super) u32);

impl PointSet {
    /// The set without points.
    pub const EMPTY: Self = Self(0);
    /// Every point of every board.
    pub const ALL: Self = Self(ALL_BITS);

    /// The set with these bits, if none is outside the 24 points.
    pub const fn from_bits(bits: u32) -> Option<Self> {
        if bits & !ALL_BITS == 0 { Some(Self(bits)) } else { None }
    }

    /// The set with the low 24 of these bits.
    pub const fn from_bits_truncate(bits: u32) -> Self {
        Self(bits & ALL_BITS)
    }

    /// The bits of the set.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// How many points the set holds.
    pub const fn len(self) -> u8 {
        self.0.count_ones() as u8
    }

    /// Whether the set holds no point.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set holds `point`.
    pub const fn contains(self, point: Point) -> bool {
        self.0 >> point.0 & 1 == 1
    }

    /// The set with `point` added.
    #[must_use]
    pub const fn with(self, point: Point) -> Self {
        Self(self.0 | 1 << point.0)
    }

    /// The set with `point` removed.
    #[must_use]
    pub const fn without(self, point: Point) -> Self {
        Self(self.0 & !(1 << point.0))
    }

    /// The points of both sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The points the two sets share.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The points of this set that are not in `other`.
    #[must_use]
    pub const fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The points in the order of their numbers.
    pub fn iter(self) -> impl Iterator<Item = Point> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let point = rest.trailing_zeros();
            (rest != 0).then(|| {
                rest &= rest - 1;
                Point(point as u8)
            })
        })
    }
}

impl FromIterator<Point> for PointSet {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Self {
        points.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl fmt::Debug for PointSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_the_rule_table() {
        let pairs = [("a7", "E1"), ("d1", "E6"), ("a4", "E8"), ("b6", "A1"), ("f4", "A4"), ("c5", "R1"), ("c4", "R8")];
        for (grid, gar) in pairs {
            let point = Point::from_grid(grid).unwrap();
            assert_eq!(point.gar_name(), gar);
            assert_eq!(Point::from_gar(gar), Some(point));
        }
        for point in Point::all() {
            assert_eq!(Point::from_grid(&point.grid_name().to_uppercase()), Some(point));
            assert_eq!(Point::from_gar(&point.gar_name().to_lowercase()), Some(point));
        }
    }
}
