//! The board as a picture: in plain characters, and as SVG.

use std::fmt::Write as _;

use crate::board::{Board, Point};

use super::{Position, Side};

const FREE: char = '+';

/// Characters from one column of the grid to the next, and text lines from one row to the next.
const ACROSS: usize = 4;
const DOWN: usize = 2;
const GRID: usize = 7;
/// Where the board begins, after the row labels.
const MARGIN: usize = 3;

impl Side {
    /// The sign of the player's cows in drawings and in the FEN: `O` or `@`.
    pub const fn sign(self) -> char {
        match self {
            Self::First => 'O',
            Self::Second => '@',
        }
    }
}

impl Position {
    /// The board as lines of text: `O` for the first player's cows, `@` for the second's and `+` for free points, with
    /// labels for the rows and columns along the sides.
    ///
    /// ```
    /// use morabase::{Position, Preset};
    /// let rules = Preset::Gar.rules();
    /// let position = Position::from_notation("W:Wa7,d7,g7:Bb6,d6,c5", &rules)?;
    /// assert!(position.draw(rules.board()).starts_with("7  O-----------O-----------O\n"));
    /// # Ok::<(), morabase::NotationError>(())
    /// ```
    pub fn draw(&self, board: &Board) -> String {
        let width = MARGIN + ACROSS * (GRID - 1) + 1;
        let mut canvas = vec![vec![' '; width]; DOWN * (GRID - 1) + 1];
        for (from, to) in edges(board) {
            draw_edge(&mut canvas, place(from), place(to));
        }
        for point in board.points().iter() {
            let (row, column) = place(point);
            canvas[row][column] = self.owner(point).map_or(FREE, Side::sign);
        }
        for (number, row) in (1..=GRID).rev().zip(canvas.iter_mut().step_by(DOWN)) {
            row[0] = char::from_digit(number as u32, 10).unwrap_or(' ');
        }
        let mut text: String = canvas.into_iter().map(|row| row.into_iter().collect::<String>() + "\n").collect();
        text.push('\n');
        let columns: Vec<String> = ('a'..='g').map(String::from).collect();
        text.push_str(&" ".repeat(MARGIN));
        text.push_str(&columns.join(&" ".repeat(ACROSS - 1)));
        text.push('\n');
        text
    }

    /// The board as an SVG image, for notebooks and web pages: light cows are the first player's, dark ones the
    /// second's.
    ///
    /// ```
    /// use morabase::{Position, Preset};
    /// let rules = Preset::Gar.rules();
    /// let svg = Position::start(&rules).to_svg(rules.board());
    /// assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>"));
    /// ```
    pub fn to_svg(&self, board: &Board) -> String {
        let side = CELL * GRID + CELL;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{side}\" height=\"{side}\" viewBox=\"0 0 {side} {side}\" role=\"img\">\
             <title>{self}</title><rect width=\"{side}\" height=\"{side}\" fill=\"#f4ecd8\"/><g stroke=\"#6b5a3e\" stroke-width=\"2\">"
        );
        // Writing into a string cannot fail.
        for (from, to) in edges(board) {
            let ((x1, y1), (x2, y2)) = (pixel(from), pixel(to));
            let _ = write!(svg, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>");
        }
        svg.push_str("</g>");
        for point in board.points().iter() {
            let (x, y) = pixel(point);
            let (radius, fill) = match self.owner(point) {
                Some(Side::First) => (CELL / 3, "#fffdf7"),
                Some(Side::Second) => (CELL / 3, "#3a2f22"),
                None => (CELL / 10, "#6b5a3e"),
            };
            let _ = write!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"#3a2f22\"/>");
        }
        svg.push_str("<g font-family=\"sans-serif\" font-size=\"12\" fill=\"#6b5a3e\" text-anchor=\"middle\">");
        for at in 0..GRID {
            let (along, edge) = (CELL + CELL * at, CELL / 4);
            let (column, row) = (char::from(b'a' + at as u8), GRID - at);
            let _ = write!(svg, "<text x=\"{along}\" y=\"{}\">{column}</text>", side - edge / 2);
            let _ = write!(svg, "<text x=\"{edge}\" y=\"{}\">{row}</text>", along + 4);
        }
        svg.push_str("</g></svg>");
        svg
    }

    /// The player whose cow is on a point.
    fn owner(&self, point: Point) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.cows[side.index()].contains(point))
    }
}

/// Pixels from one column or row of the image to the next, and from its border to the first.
const CELL: usize = 40;

/// Each edge of the board, once.
fn edges(board: &Board) -> impl Iterator<Item = (Point, Point)> + '_ {
    let from = board.points().iter();
    let pairs = from.flat_map(move |from| board.neighbours(from).iter().map(move |to| (from, to)));
    pairs.filter(|(from, to)| from.index() < to.index())
}

/// A point's column from `a` and its row from 1, both as numbers from 0.
fn grid(point: Point) -> (usize, usize) {
    let name = point.grid_name().as_bytes();
    ((name[0] - b'a') as usize, (name[1] - b'1') as usize)
}

/// A point's place in the image.
fn pixel(point: Point) -> (usize, usize) {
    let (column, row) = grid(point);
    (CELL + CELL * column, CELL + CELL * (GRID - 1 - row))
}

/// A point's line and column on the canvas.
fn place(point: Point) -> (usize, usize) {
    let (column, row) = grid(point);
    (DOWN * (GRID - 1 - row), MARGIN + ACROSS * column)
}

/// Draws the edge between two points; the points themselves are drawn over it later.
fn draw_edge(canvas: &mut [Vec<char>], from: (usize, usize), to: (usize, usize)) {
    let (rows, columns) = (from.0.abs_diff(to.0), from.1.abs_diff(to.1));
    let sign = match (rows, columns) {
        (0, _) => '-',
        (_, 0) => '|',
        _ if (from.0 < to.0) == (from.1 < to.1) => '\\',
        _ => '/',
    };
    // A slope of one line per two columns gives one character on each line.
    let steps = if rows == 0 { columns } else { rows };
    let between = |a: usize, b: usize, step: usize| (a * (steps - step) + b * step) / steps;
    for step in 1..steps {
        canvas[between(from.0, to.0, step)][between(from.1, to.1, step)] = sign;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;

    #[test]
    fn drawing_shows_cows_edges_and_coordinates() {
        let rules = Preset::Gar.rules();
        let position = Position::from_notation("W:Wa7,d7,c3:Bb6,g1,e4:C5", &rules).unwrap();
        let drawn = position.draw(rules.board());
        let expected = "\
7  O-----------O-----------+
   | \\         |         / |
6  |   @-------+-------+   |
   |   | \\     |     / |   |
5  |   |   +---+---+   |   |
   |   |   |       |   |   |
4  +---+---+       @---+---+
   |   |   |       |   |   |
3  |   |   O---+---+   |   |
   |   | /     |     \\ |   |
2  |   +-------+-------+   |
   | /         |         \\ |
1  +-----------+-----------@

   a   b   c   d   e   f   g
";
        assert_eq!(drawn, expected);
        let morris = position.draw(Preset::NineMensMorris.rules().board());
        assert!(!morris.contains(['/', '\\']));
    }

    #[test]
    fn an_image_has_every_edge_point_and_cow() {
        let rules = Preset::Gar.rules();
        let position = Position::from_notation("W:Wa7,d7,c3:Bb6,g1,e4:C5", &rules).unwrap();
        let svg = position.to_svg(rules.board());
        let count = |part: &str| svg.matches(part).count();
        assert_eq!((count("<line "), count("<circle "), count("fill=\"#fffdf7\"")), (40, 24, 3));
        // The dark of the cows is also the colour of the outlines.
        assert_eq!(count("fill=\"#3a2f22\" stroke"), 3);
        let morris = position.to_svg(Preset::NineMensMorris.rules().board());
        assert_eq!(morris.matches("<line ").count(), 32);
    }
}
