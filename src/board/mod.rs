//! The boards: points, edges and lines as data, and the symmetries that keep them.
//!
//! This room knows no rules. Every other room asks a [`Board`] for its points, neighbours, lines and symmetries and assumes
//! nothing about how many there are. Widths that arrays need at compile time ([`POINTS`], [`MOST_LINES`],
//! [`MOST_LINES_THROUGH`], [`MOST_NEIGHBOURS`]) are those of the largest board, and a board that does not fit them does not compile.

mod symmetry;

pub use symmetry::{SYMMETRIES, Symmetry, SymmetryGroup};

use std::fmt;

/// The most points of any board; both boards have as many.
pub const POINTS: usize = 24;

/// The bits that a [`PointSet`] may have.
const ALL_BITS: u32 = (1 << POINTS) - 1;

/// The most lines of any board.
pub const MOST_LINES: usize = most_lines();

/// The most lines through one point of any board.
pub const MOST_LINES_THROUGH: usize = most_lines_through();

/// The most neighbours of a point of any board.
pub const MOST_NEIGHBOURS: usize = most_neighbours();

/// One of the 24 points, numbered `ring * 8 + (n - 1)`: the exterior ring E1..E8 is 0..8, the middle ring A is 8..16,
/// the inner ring R is 16..24, each clockwise from its top-left corner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(u8);

const GRID_NAMES: [&str; POINTS] = [
    "a7", "d7", "g7", "g4", "g1", "d1", "a1", "a4", "b6", "d6", "f6", "f4", "f2", "d2", "b2", "b4", "c5", "d5", "e5",
    "e4", "e3", "d3", "c3", "c4",
];

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

    /// The point of this grid name (`a7`, `A7`), in either case.
    pub fn from_grid(name: &str) -> Option<Self> {
        let index = GRID_NAMES.iter().position(|grid| grid.eq_ignore_ascii_case(name))?;
        Some(Self(index as u8))
    }

    /// The point of this name in the Generally Accepted Rules (`E1`, `e1`), in either case.
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
pub struct PointSet(u32);

impl PointSet {
    /// The set without points.
    pub const EMPTY: Self = Self(0);
    /// Every point of every board.
    pub const ALL: Self = Self(ALL_BITS);

    /// The set with these bits, if none stands above the 24 points.
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

    /// The set with `point` too.
    #[must_use]
    pub const fn with(self, point: Point) -> Self {
        Self(self.0 | 1 << point.0)
    }

    /// The set without `point`.
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

    /// The points of this set that `other` lacks.
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

/// Which board a game is played on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BoardKind {
    /// Three squares with mid-side links and corner diagonals, 20 lines.
    Morabaraba,
    /// The same points without the diagonals, 16 lines.
    NineMensMorris,
}

impl BoardKind {
    /// Every board there is.
    pub const ALL: [Self; 2] = [Self::Morabaraba, Self::NineMensMorris];

    /// The board's data.
    pub const fn board(self) -> &'static Board {
        match self {
            Self::Morabaraba => &MORABARABA,
            Self::NineMensMorris => &NINE_MENS_MORRIS,
        }
    }

    /// The board's name in rule texts.
    pub const fn name(self) -> &'static str {
        self.board().name
    }

    /// How many cows each player starts with on this board.
    pub const fn default_cows(self) -> u8 {
        match self {
            Self::Morabaraba => 12,
            Self::NineMensMorris => 9,
        }
    }
}

/// A board as data: its points, its edges, its lines and the symmetries that keep them.
#[derive(Debug)]
pub struct Board {
    name: &'static str,
    points: PointSet,
    group: SymmetryGroup,
    lines: &'static [u32],
    neighbours: [u32; POINTS],
    /// For each point and each line through it, the line's two other points; rows are padded with `0`.
    line_partners: [[u32; ROW]; POINTS],
}

/// The length of the rows of a board's line partners.
const ROW: usize = 4;

impl Board {
    /// A board from its edges and lines. A constant board with more points, or more lines through a point, than the widths of
    /// this module allow does not compile.
    const fn new(name: &'static str, group: SymmetryGroup, links: &[(u8, u8)], lines: &'static [u32]) -> Self {
        assert!(group.points() <= POINTS, "raise POINTS to the points of this board");
        let mut neighbours = [0u32; POINTS];
        let mut i = 0;
        while i < links.len() {
            let (a, b) = links[i];
            neighbours[a as usize] |= 1 << b;
            neighbours[b as usize] |= 1 << a;
            i += 1;
        }
        let mut line_partners = [[0u32; ROW]; POINTS];
        let mut point = 0;
        while point < POINTS {
            let mut used = 0;
            let mut line = 0;
            while line < lines.len() {
                if lines[line] >> point & 1 == 1 {
                    assert!(used < ROW, "raise ROW to the lines through a point of this board");
                    line_partners[point][used] = lines[line] & !(1 << point);
                    used += 1;
                }
                line += 1;
            }
            point += 1;
        }
        Self { name, points: PointSet((1 << group.points()) - 1), group, lines, neighbours, line_partners }
    }

    const fn most_lines_through(&self) -> usize {
        let mut most = 0;
        let mut point = 0;
        while point < POINTS {
            let mut used = 0;
            while used < ROW && self.line_partners[point][used] != 0 {
                used += 1;
            }
            if used > most {
                most = used;
            }
            point += 1;
        }
        most
    }

    /// The points of the board.
    pub const fn points(&self) -> PointSet {
        self.points
    }

    /// The points of the board outside a set.
    pub const fn free(&self, taken: PointSet) -> PointSet {
        self.points.difference(taken)
    }

    /// The symmetries that keep the board's edges and lines.
    pub const fn group(&self) -> SymmetryGroup {
        self.group
    }

    /// The board's name in rule texts.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The lines ("mills"), each a set of three points.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = PointSet> + '_ {
        self.lines.iter().map(|&line| PointSet(line))
    }

    /// The points one edge away from `point`.
    pub const fn neighbours(&self, point: Point) -> PointSet {
        PointSet(self.neighbours[point.index()])
    }

    /// For each line through `point`, its two other points.
    pub fn line_partners(&self, point: Point) -> impl Iterator<Item = PointSet> + '_ {
        self.line_partners[point.index()].iter().take_while(|&&pair| pair != 0).map(|&pair| PointSet(pair))
    }

    /// Whether `cows` hold a line through `point`, taking `point` itself as held.
    pub fn completes_line(&self, cows: PointSet, point: Point) -> bool {
        self.line_partners(point).any(|pair| pair.intersection(cows) == pair)
    }

    /// The cows of `cows` that stand in a line.
    pub fn in_lines(&self, cows: PointSet) -> PointSet {
        let whole = self.lines.iter().filter(|&&line| line & !cows.0 == 0);
        PointSet(whole.fold(0, |held, line| held | line))
    }
}

const fn most_lines() -> usize {
    let mut most = 0;
    let mut at = 0;
    while at < BoardKind::ALL.len() {
        let lines = BoardKind::ALL[at].board().lines.len();
        most = if lines > most { lines } else { most };
        at += 1;
    }
    most
}

const fn most_neighbours() -> usize {
    let mut most = 0;
    let mut at = 0;
    while at < BoardKind::ALL.len() * POINTS {
        let neighbours = BoardKind::ALL[at / POINTS].board().neighbours[at % POINTS].count_ones() as usize;
        most = if neighbours > most { neighbours } else { most };
        at += 1;
    }
    most
}

const fn most_lines_through() -> usize {
    let mut most = 0;
    let mut at = 0;
    while at < BoardKind::ALL.len() {
        let through = BoardKind::ALL[at].board().most_lines_through();
        most = if through > most { through } else { most };
        at += 1;
    }
    most
}

const RING_LINKS: usize = 24;

/// Links around the rings, then the links across them that start at numbers `n` of step `step` from `first`.
const fn links<const COUNT: usize>(first: u8, step: u8) -> [(u8, u8); COUNT] {
    let mut out = [(0, 0); COUNT];
    let mut i = 0;
    while i < RING_LINKS {
        let (ring, n) = (i / 8, i % 8);
        out[i] = ((ring * 8 + n) as u8, (ring * 8 + (n + 1) % 8) as u8);
        i += 1;
    }
    let mut n = first;
    while n < 8 {
        out[i] = (n, n + 8);
        out[i + 1] = (n + 8, n + 16);
        i += 2;
        n += step;
    }
    out
}

/// The twelve sides of the rings, then the lines across the rings at numbers `n` of step `step` from `first`.
const fn lines<const COUNT: usize>(first: u8, step: u8) -> [u32; COUNT] {
    let mut out = [0; COUNT];
    let mut i = 0;
    while i < 12 {
        let (ring, corner) = (i / 4, i % 4 * 2);
        out[i] = (1 << (corner + 1) | 1 << corner | 1 << ((corner + 2) % 8)) << (ring * 8);
        i += 1;
    }
    let mut n = first;
    while n < 8 {
        out[i] = (1 | 1 << 8 | 1 << 16) << n;
        i += 1;
        n += step;
    }
    out
}

static MORABARABA_LINES: [u32; 20] = lines(0, 1);
static NINE_MENS_MORRIS_LINES: [u32; 16] = lines(1, 2);

/// The Morabaraba board: 40 edges, 20 lines.
pub static MORABARABA: Board = Board::new("morabaraba", SymmetryGroup::Rings, &links::<40>(0, 1), &MORABARABA_LINES);

/// The nine men's morris board: 32 edges, 16 lines.
pub static NINE_MENS_MORRIS: Board =
    Board::new("nine-mens-morris", SymmetryGroup::Rings, &links::<32>(1, 2), &NINE_MENS_MORRIS_LINES);

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(board: &Board) -> usize {
        Point::all().map(|point| board.neighbours(point).len() as usize).sum::<usize>() / 2
    }

    #[test]
    fn boards_have_the_published_numbers_of_edges_and_lines() {
        assert_eq!((edges(&MORABARABA), MORABARABA.lines().len()), (40, 20));
        assert_eq!((edges(&NINE_MENS_MORRIS), NINE_MENS_MORRIS.lines().len()), (32, 16));
    }

    #[test]
    fn every_line_is_three_points_joined_by_two_edges() {
        for board in BoardKind::ALL.map(BoardKind::board) {
            for line in board.lines() {
                assert_eq!(line.len(), 3);
                let degrees = line.iter().map(|point| board.neighbours(point).intersection(line).len());
                assert_eq!(degrees.sum::<u8>(), 4, "{line:?}");
            }
        }
    }

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
