//! The board in plain signs.

use crate::board::{Board, Point};
use crate::game::{Position, Side};

use super::words::side_sign;

const FREE: char = '+';

/// Signs from one column of the grid to the next, and lines from one row to the next.
const ACROSS: usize = 4;
const DOWN: usize = 2;
const GRID: usize = 7;
/// Where the board begins, after the names of the rows.
const MARGIN: usize = 3;

/// The board in lines of text: `O` for the first player's cows, `@` for the second's and `+` for free points, with the rows
/// and columns named along the sides.
pub fn draw(board: &Board, position: &Position) -> String {
    let width = MARGIN + ACROSS * (GRID - 1) + 1;
    let mut canvas = vec![vec![' '; width]; DOWN * (GRID - 1) + 1];
    for from in Point::all() {
        for to in board.neighbours(from).iter() {
            draw_edge(&mut canvas, place(from), place(to));
        }
    }
    for point in Point::all() {
        let (row, column) = place(point);
        let owner = Side::BOTH.into_iter().find(|side| position.cows[side.index()].contains(point));
        canvas[row][column] = owner.map_or(FREE, side_sign);
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

/// A point's line and column on the canvas, from its grid name.
fn place(point: Point) -> (usize, usize) {
    let name = point.grid_name().as_bytes();
    let (column, row) = ((name[0] - b'a') as usize, (name[1] - b'1') as usize);
    (DOWN * (GRID - 1 - row), MARGIN + ACROSS * column)
}

/// Draws what lies between two points; their own places are drawn over later.
fn draw_edge(canvas: &mut [Vec<char>], from: (usize, usize), to: (usize, usize)) {
    let (rows, columns) = (from.0.abs_diff(to.0), from.1.abs_diff(to.1));
    let sign = match (rows, columns) {
        (0, _) => '-',
        (_, 0) => '|',
        _ if (from.0 < to.0) == (from.1 < to.1) => '\\',
        _ => '/',
    };
    // A slope of one line to two columns leaves a sign on each line.
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
        let drawn = draw(rules.board(), &position);
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
        let morris = draw(Preset::NineMensMorris.rules().board(), &position);
        assert!(!morris.contains(['/', '\\']));
    }
}
