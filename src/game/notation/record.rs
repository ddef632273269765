//! Records: the turns of a game in order, from the start or from any other position.
//!
//! Turns are separated by spaces, commas, semicolons or line ends. Move numbers (`1.`) are ignored, and `1...` says
//! that the next turn is the second player's. A turn given as two half-turns (`d6-d5 xb4`) is one turn. The last turn
//! may stop before its shot. Records in the format of chess programs are read too: comments, variations, the result and
//! all tags but `FEN` and `Rules` are ignored.

use std::fmt;
use std::str::FromStr;

use crate::rules::RuleSet;

use super::super::{IllegalTurn, Position, Side, Step, Turn};
use super::error::{NotationError, unexpected};
use super::game_text::{self, SECOND};
use super::points::{InForm, PointForm};
use super::turns::{Token, Tokens};

/// The turns of a game.
///
/// ```
/// use morabase::{Preset, Position, Record};
/// let rules = Preset::Gar.rules();
/// let record: Record = "1. d6 d7 2. b4 a4 3. b6 g7 4. b2xa4".parse()?;
/// let position = record.end(&Position::start(&rules), &rules)?;
/// assert_eq!(position.to_string(), "B:Wb6,d6,b2,b4:Bd7,g7:H8,9");
/// assert_eq!(record.to_string(), "d6 d7 b4 a4 b6 g7 b2xa4");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Record {
    /// The turns in order. Only the last may lack the shot that it requires, and only the first may be a shot alone.
    pub turns: Vec<Turn>,
    /// The player who makes the first turn, if a number with three points (`1...`) says so.
    pub begins: Option<Side>,
    /// The position from which the game begins, if the record has a `FEN` tag.
    pub start: Option<String>,
    /// The rules under which the game was played, if the record has a `Rules` tag.
    pub rules: Option<RuleSet>,
}

/// A record that cannot have been played.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
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

debug_is_display!(RecordError);

impl Record {
    /// Every position of the game, including `start`, so one more than there are turns.
    ///
    /// # Errors
    /// [`RecordError`] with the first illegal turn.
    pub fn positions(&self, start: &Position, rules: &RuleSet) -> Result<Vec<Position>, RecordError> {
        if let (Some(why), Some(&turn)) = (self.misfit(rules, start), self.turns.first()) {
            return Err(RecordError { number: 1, turn, why });
        }
        let mut positions = vec![*start];
        let mut position = *start;
        for (at, &turn) in self.turns.iter().enumerate() {
            let is_last = at + 1 == self.turns.len();
            let next = match position.apply(turn, rules) {
                Err(IllegalTurn::ShotMissing) if is_last => position.apply_half(turn.step, rules),
                next => next,
            };
            position = next.map_err(|why| RecordError { number: at + 1, turn, why })?;
            positions.push(position);
        }
        Ok(positions)
    }

    /// Why the game cannot begin here, according to the record itself.
    fn misfit(&self, rules: &RuleSet, start: &Position) -> Option<IllegalTurn> {
        match self.begins {
            Some(side) if side != start.to_move => return Some(IllegalTurn::OtherPlayer(side)),
            _ => {}
        }
        if let Some(own) = self.rules.filter(|own| own != rules) {
            return Some(IllegalTurn::OtherRules(own));
        }
        let own = Position::from_notation(self.start.as_ref()?, rules);
        (own.as_ref() != Ok(start)).then_some(IllegalTurn::OtherStart)
    }

    /// The position at the end of the game.
    ///
    /// # Errors
    /// [`RecordError`] with the first illegal turn.
    pub fn end(&self, start: &Position, rules: &RuleSet) -> Result<Position, RecordError> {
        self.positions(start, rules).map(|positions| positions.last().copied().unwrap_or(*start))
    }

    /// The record, to be printed with its points in this form.
    pub const fn in_form(&self, form: PointForm) -> InForm<&Self> {
        InForm { value: self, form }
    }
}

impl FromStr for Record {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let plain = game_text::plain(text)?;
        let mut tokens = Tokens::new("record", &plain.turns);
        let rules = plain.rules.as_deref().map(read_rules).transpose()?;
        let mut record = Self { start: plain.start, rules, ..Self::default() };
        while let Some(token) = tokens.peek() {
            match token {
                Token::Separator(_) => {
                    tokens.next();
                }
                Token::Word(SECOND) => {
                    tokens.next();
                    let shoots = matches!(tokens.peek(), Some(Token::Cross(_)));
                    record.note_second(shoots)?;
                }
                _ => record.push(tokens.turn()?),
            }
        }
        Ok(record)
    }
}

/// The rules in a tag: a preset's name or a canonical text.
fn read_rules(text: &str) -> Result<RuleSet, NotationError> {
    let expected = "in the tag Rules the name of a preset or a canonical rule text";
    RuleSet::named(text).map_err(|_| unexpected("record", expected, text))
}

impl Record {
    /// Notes that the next turn, or if that is only the shot of the last turn, that turn is marked as the second
    /// player's.
    fn note_second(&mut self, shoots: bool) -> Result<(), NotationError> {
        let completes = shoots && self.turns.last().is_some_and(|last| !last.shoots());
        let marked = self.turns.len() - usize::from(completes);
        let begins = if marked.is_multiple_of(2) { Side::Second } else { Side::First };
        if self.begins.is_some_and(|known| known != begins) {
            let expected = "a turn of the first player by the numbers before";
            return Err(unexpected("record", expected, SECOND));
        }
        self.begins = Some(begins);
        Ok(())
    }

    /// Adds a turn, or adds the missing shot to the last one.
    fn push(&mut self, turn: Turn) {
        match (turn.step, self.turns.last_mut()) {
            (Step::Shoot(at), Some(last)) if !last.shoots() => last.shot = Some(at),
            _ => self.turns.push(turn),
        }
    }
}

impl fmt::Display for InForm<&Record> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Record { turns, begins, start, rules } = self.value;
        let mut words: Vec<String> = turns.iter().map(|turn| turn.in_form(self.form).to_string()).collect();
        match begins {
            Some(Side::Second) => words.insert(0, format!("1{SECOND}")),
            Some(Side::First) => words.insert(words.len().min(1), format!("1{SECOND}")),
            None => {}
        }
        if let Some(start) = start {
            words.insert(0, format!("[FEN \"{start}\"]"));
        }
        if let Some(rules) = rules {
            words.insert(0, format!("[Rules \"{}\"]", rules.name()));
        }
        f.write_str(&words.join(" "))
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
    use super::super::Fen;
    use super::*;
    use crate::rules::Preset;

    #[test]
    fn half_turns_and_move_numbers_are_read_as_whole_turns() {
        let whole: Record = "d6 d7 b6 a4 f6xa4".parse().unwrap();
        for text in [
            "1. d6 d7 2. b6 a4 3. f6 xa4",
            "d6,d7;b6, a4, f6, xa4",
            "1.d6 1...d7\n2. b6 a4\n3. f6\nxa4",
            "\u{feff}1. d6 … d7 2.b6,2...a4 3. f6xa4",
        ] {
            assert_eq!(text.parse::<Record>().map(|read| read.turns), Ok(whole.turns.clone()), "{text}");
        }
        assert_eq!("".parse(), Ok(Record::default()));
    }

    #[test]
    fn only_the_last_turn_may_lack_its_shot() {
        let rules = Preset::Gar.rules();
        let start = Position::start(&rules);
        let unfinished: Record = "d6 d7 b6 a4 f6".parse().unwrap();
        assert!(unfinished.end(&start, &rules).unwrap().shot_pending);
        let broken: Record = "d6 d7 b6 a4 f6 g7".parse().unwrap();
        let error = broken.end(&start, &rules).unwrap_err();
        assert_eq!((error.number, error.why), (5, IllegalTurn::ShotMissing));
        assert!(error.to_string().starts_with("turn 5 of the record, f6: "), "{error}");
    }

    #[test]
    fn a_number_with_three_points_gives_the_turn_to_the_second_player() {
        let rules = Preset::Gar.rules();
        let start = Position::start(&rules);
        let black: Record = "1... d6 2. d7".parse().unwrap();
        assert_eq!((black.begins, black.to_string().as_str()), (Some(Side::Second), "1... d6 d7"));
        let error = black.end(&start, &rules).unwrap_err();
        assert_eq!((error.number, error.why), (1, IllegalTurn::OtherPlayer(Side::Second)));
        let after = Position::from_notation("B:Wa1:B:H11,12", &rules).unwrap();
        assert_eq!(black.end(&after, &rules).unwrap().to_string(), "B:Wd7,a1:Bd6:H10,11");
        let white: Record = "1. d6 1... d7".parse().unwrap();
        assert!(white.end(&start, &rules).is_ok() && white.end(&after, &rules).is_err());
        assert_eq!(white.to_string().parse(), Ok(white));
        assert!("1... d6 1... d7".parse::<Record>().is_err());
        let shot = "1. d6 d7 2. b6 a4 3. f6 3... xa4".parse::<Record>();
        assert!(shot.unwrap().end(&start, &rules).unwrap_err().to_string().contains("the second player"));
        assert!("1. d6 d7 2. b6 2... xa4 3. f6".parse::<Record>().is_ok());
    }

    #[test]
    fn a_game_under_other_rules_is_refused() {
        let (gar, plain) = (Preset::Gar.rules(), Preset::Plain.rules());
        let text = "d6 d7".parse::<Record>().unwrap().to_game_text(Position::start(&plain), &plain).unwrap();
        let record: Record = text.parse().unwrap();
        assert_eq!(record.rules, Some(plain));
        assert!(record.end(&Position::start(&plain), &plain).is_ok());
        let error = record.end(&Position::start(&gar), &gar).unwrap_err();
        assert_eq!((error.number, error.why), (1, IllegalTurn::OtherRules(plain)));
        assert!(error.to_string().ends_with("under the rules plain, as its tag Rules says"), "{error}");
        assert_eq!(record.to_string().parse(), Ok(record));
        assert!("[Rules \"chess\"] d6".parse::<Record>().unwrap_err().to_string().contains("tag Rules"));
        let small = plain.with_cows(4);
        let text = format!("[Rules \"{small}\"] d6");
        assert_eq!(text.parse::<Record>().unwrap().rules, Some(small));
    }

    #[test]
    fn move_numbers_go_on_from_the_fen() {
        let rules = Preset::Gar.rules();
        let position = Position::from_notation("B:Wa1:B:H11,12", &rules).unwrap();
        let record: Record = "d6 d7".parse().unwrap();
        let text = record.to_game_text(Fen { position, move_number: 14 }, &rules).unwrap();
        assert!(text.contains("\n\n14... d6 15. d7 *\n"), "{text}");
        assert_eq!(text.parse::<Record>().unwrap().own_start(&rules).unwrap().unwrap().move_number, 14);
    }

    #[test]
    fn games_are_written_and_read_with_the_position_they_begin_from() {
        let rules = Preset::Gar.rules();
        let start = Position::from_notation("B:Wa1:B:H11,12", &rules).unwrap();
        let record: Record = "d6 d7 f6".parse().unwrap();
        let text = record.to_game_text(start, &rules).unwrap();
        assert!(text.contains("\n\n1... d6 2. d7 f6 *\n"), "{text}");
        let read: Record = text.parse().unwrap();
        assert_eq!(read.own_start(&rules).unwrap().unwrap().position, start);
        assert_eq!((&read.turns, read.end(&start, &rules)), (&record.turns, record.end(&start, &rules)));
        let other = read.end(&Position::start(&rules), &rules).unwrap_err();
        assert_eq!(other.why, IllegalTurn::OtherPlayer(Side::Second));
        let plain: Record = "[FEN \"W:Wa1:Bd6:H11,11\"] d7".parse().unwrap();
        assert_eq!(plain.end(&Position::start(&rules), &rules).unwrap_err().why, IllegalTurn::OtherStart);
        assert_eq!(plain.to_string().parse(), Ok(plain));
    }

    #[test]
    fn one_ring_name_settles_a_whole_record() {
        let record: Record = "a1 e3 e4 r1".parse().unwrap();
        assert_eq!(record.to_string(), "b6 g7 g4 c5");
        let record: Record = "A1 E3 E4 D7".parse().unwrap();
        assert_eq!(record.to_string(), "a1 e3 e4 d7");
    }
}
