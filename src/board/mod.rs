//! The boards: points, edges and lines as data, and the symmetries that keep them.
//!
//! This module knows no rules. Every other module asks a [`Board`] for its points, neighbours, lines and symmetries and
//! assumes nothing about how many there are. Widths that arrays need at compile time ([`POINTS`], [`MOST_LINES`],
//! [`MOST_LINES_THROUGH`], [`MOST_NEIGHBOURS`]) are those of the largest board; a board that exceeds them does not
//! compile.

mod points;
mod symmetry;

pub use points::{POINTS, Point, PointSet};
pub use symmetry::{SYMMETRIES, Symmetry, SymmetryGroup};

/// The most lines of any board.
pub const MOST_LINES: usize = most_lines();

/// The most lines through one point of any board.
pub const MOST_LINES_THROUGH: usize = most_lines_through();

/// The most neighbours of a point of any board.
pub const MOST_NEIGHBOURS: usize = most_neighbours();

/// Which board a game is played on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BoardKind {
    /// Three squares with mid-side links and corner diagonals, 20 lines.
    Morabaraba,
    /// The same points without the diagonals, 16 lines.
    NineMensMorris,
}

impl BoardKind {
    /// All boards.
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
    /// Makes a board from its edges and lines. A constant board that exceeds the widths of this module, in points or in
    /// lines through a point, does not compile.
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

    /// The points of the board that are not in a set.
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

    /// Whether `cows` hold a line through `point`, counting `point` itself as held.
    pub fn completes_line(&self, cows: PointSet, point: Point) -> bool {
        self.line_partners(point).any(|pair| pair.intersection(cows) == pair)
    }

    /// The subset of `cows` that stand in a line.
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

/// The edges around the rings, then the edges across them, which start at every `step`-th number `n` from `first`.
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

/// The twelve sides of the rings, then the lines across the rings at every `step`-th number `n` from `first`.
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
}
