//! The board in plain signs, and a position's other facts in words.

use morabase::board::Board;
use morabase::{Outcome, Point, Position, Reason, RuleSet, Side};

/// The signs of the first and second player's cows, as in the FEN.
const COWS: [char; 2] = ['O', '@'];
const FREE: char = '+';

/// Signs from one column of the grid to the next, and lines from one row to the next.
const ACROSS: usize = 4;
const DOWN: usize = 2;
const GRID: usize = 7;
/// Where the board begins, after the names of the rows.
const MARGIN: usize = 3;

/// The board with `O` for the first player's cows and `@` for the second's, its rows and columns named along the sides.
pub(super) fn draw(board: &Board, position: &Position) -> String {
    let width = MARGIN + ACROSS * (GRID - 1) + 1;
    let mut canvas = vec![vec![' '; width]; DOWN * (GRID - 1) + 1];
    for from in Point::all() {
        for to in board.neighbours(from).iter() {
            draw_edge(&mut canvas, place(from), place(to));
        }
    }
    for point in Point::all() {
        let (row, column) = place(point);
        let owner = position.cows.iter().position(|cows| cows.contains(point));
        canvas[row][column] = owner.map_or(FREE, |owner| COWS[owner]);
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

/// Whose turn it is, and hands, counter and restrictions where there are any, in one line.
pub(super) fn caption(rules: &RuleSet, position: &Position) -> String {
    let doing = if position.shot_pending { "shoot" } else { "move" };
    let mut parts = vec![format!("{} to {doing}", name(position.to_move))];
    if !position.is_moving_phase() {
        parts.push(format!("in hand {} and {}", position.hands[0], position.hands[1]));
    }
    if let Some(limit) = position.counter_limit(rules) {
        parts.push(format!("counter {} of {limit}", position.counter));
    }
    for side in Side::BOTH {
        if let Some(remake) = position.remakes[side.index()] {
            parts.push(format!("{} may not remake what {}-{} broke", name(side), remake.from, remake.to));
        }
    }
    parts.join("; ")
}

/// How a game has ended, in one line.
pub(super) fn outcome_text(outcome: Outcome) -> String {
    let (result, reason) = match outcome {
        Outcome::Won(side, reason) => (format!("{} has won", name(side)), reason),
        Outcome::Drawn(reason) => ("drawn".to_owned(), reason),
    };
    let why = match reason {
        Reason::TooFewCows => "the opponent has fewer than three cows",
        Reason::Blocked => "the opponent has no legal turn",
        Reason::FullBoard => "the board is full",
        Reason::Counter => "the draw counter has run out",
    };
    format!("the game is over: {result}, as {why}")
}

const fn name(side: Side) -> &'static str {
    match side {
        Side::First => "first player (O)",
        Side::Second => "second player (@)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use morabase::Preset;

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
        assert_eq!(caption(&rules, &position), "first player (O) to move; counter 5 of 20");
    }
}
