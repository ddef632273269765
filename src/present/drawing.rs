//! The board in plain characters.

use crate::board::Board;
use crate::game::Position;

/// The board in lines of text, as [`Position::draw`] draws it.
pub fn draw(board: &Board, position: &Position) -> String {
    position.draw(board)
}
