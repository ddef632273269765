//! Records: the turns of a game from the start, or from any other position, one after the other.
//!
//! Turns stand between spaces, commas, semicolons or line ends; move numbers (`1.`, `1...`) are ignored. A turn given as
//! two half-turns (`d6-d5 xb4`) is one turn. The last turn may stop before its shot.

use std::fmt;
use std::str::FromStr;

use crate::rules::RuleSet;

use super::super::{IllegalTurn, Position, Step, Turn};
use super::error::NotationError;
use super::points::{InForm, PointForm};
use super::reading::parse_number;
use super::turns::{Token, Tokens};

/// The turns of a game.
///
/// ```
/// use morabase::{Preset, Position, Record};
/// let rules = Preset::Gar.rules();
/// let record: Record = "1. d6 d7 2. b4 a4 3. b6 g7 4. b2xa4".parse()?;
/// let position = record.end(&rules, &Position::start(&rules))?;
/// assert_eq!(position.to_string(), "B:Wb6,d6,b2,b4:Bd7,g7:H8,9");
/// assert_eq!(record.to_string(), "d6 d7 b4 a4 b6 g7 b2xa4");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Record {
    /// The turns in their order. Only the last may lack the shot that it demands, and only the first may be a shot alone.
    pub turns: Vec<Turn>,
}

/// A record that cannot have been played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("turn {number} of the record, {turn}: {why}")]
pub struct RecordError {
    /// The turn's place in the record, from 1.
    pub number: usize,
    /// The turn.
    pub turn: Turn,
    /// The rule that forbids it.
    #[source]
    pub why: IllegalTurn,
}

impl Record {
    /// Every position of the game, `start` included, so one more than there are turns.
    ///
    /// # Errors
    /// [`RecordError`] with the first illegal turn.
    pub fn positions(&self, rules: &RuleSet, start: &Position) -> Result<Vec<Position>, RecordError> {
        let mut positions = vec![*start];
        let mut position = *start;
        for (at, &turn) in self.turns.iter().enumerate() {
            let is_last = at + 1 == self.turns.len();
            let next = match position.apply(rules, turn) {
                Err(IllegalTurn::ShotMissing) if is_last => position.apply_half(rules, turn.step),
                next => next,
            };
            position = next.map_err(|why| RecordError { number: at + 1, turn, why })?;
            positions.push(position);
        }
        Ok(positions)
    }

    /// The position at the end of the game.
    ///
    /// # Errors
    /// [`RecordError`] with the first illegal turn.
    pub fn end(&self, rules: &RuleSet, start: &Position) -> Result<Position, RecordError> {
        self.positions(rules, start).map(|positions| positions.last().copied().unwrap_or(*start))
    }

    /// The record, to be printed with its points in this form.
    pub const fn in_form(&self, form: PointForm) -> InForm<&Self> {
        InForm { value: self, form }
    }
}

impl FromStr for Record {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let mut tokens = Tokens::new("record", text);
        let mut turns: Vec<Turn> = Vec::new();
        while let Some(token) = tokens.peek() {
            if matches!(token, Token::Separator(_)) || is_move_number(token) {
                tokens.next();
                continue;
            }
            let turn = tokens.turn()?;
            match (turn.step, turns.last_mut()) {
                (Step::Shoot(at), Some(last)) if !last.shoots() => last.shot = Some(at),
                _ => turns.push(turn),
            }
        }
        Ok(Self { turns })
    }
}

fn is_move_number(token: Token<'_>) -> bool {
    let Token::Word(word) = token else { return false };
    let digits = word.trim_end_matches(['.', '…']);
    digits.len() < word.len() && parse_number::<u32>(digits).is_some()
}

impl fmt::Display for InForm<&Record> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, turn) in self.value.turns.iter().enumerate() {
            let space = if at == 0 { "" } else { " " };
            write!(f, "{space}{}", turn.in_form(self.form))?;
        }
        Ok(())
    }
}

/// The turns with grid names, a space between them.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.in_form(PointForm::Grid).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;

    #[test]
    fn half_turns_and_move_numbers_are_read_as_whole_turns() {
        let whole: Record = "d6 d7 b6 a4 f6xa4".parse().unwrap();
        for text in ["1. d6 d7 2. b6 a4 3. f6 xa4", "d6,d7;b6, a4, f6, xa4", "1.d6 1...d7\n2. b6 a4\n3. f6\nxa4"] {
            let read = text.parse::<Record>();
            if text.contains("1.d6") {
                assert!(read.is_err(), "a number sticks to its turn only with a space between");
            } else {
                assert_eq!(read.as_ref(), Ok(&whole), "{text}");
            }
        }
        assert_eq!("".parse(), Ok(Record::default()));
    }

    #[test]
    fn only_the_last_turn_may_lack_its_shot() {
        let rules = Preset::Gar.rules();
        let start = Position::start(&rules);
        let unfinished: Record = "d6 d7 b6 a4 f6".parse().unwrap();
        assert!(unfinished.end(&rules, &start).unwrap().shot_pending);
        let broken: Record = "d6 d7 b6 a4 f6 g7".parse().unwrap();
        let error = broken.end(&rules, &start).unwrap_err();
        assert_eq!((error.number, error.why), (5, IllegalTurn::ShotMissing));
        assert!(error.to_string().starts_with("turn 5 of the record, f6: "), "{error}");
    }

    #[test]
    fn one_ring_name_settles_a_whole_record() {
        let record: Record = "a1 e3 e4 r1".parse().unwrap();
        assert_eq!(record.to_string(), "b6 g7 g4 c5");
        let record: Record = "A1 E3 E4 D7".parse().unwrap();
        assert_eq!(record.to_string(), "a1 e3 e4 d7");
    }
}
