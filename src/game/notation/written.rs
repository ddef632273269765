//! A record with its starting position, as a game in the format of chess programs.

use crate::rules::RuleSet;

use super::super::{Outcome, Position, Side, Turn};
use super::error::NotationError;
use super::fen::{Fen, FenDialect};
use super::game_text;
use super::record::{Record, RecordError};

impl Record {
    /// The starting position that the record specifies, if any.
    ///
    /// # Errors
    /// [`NotationError`] if that is not a position.
    pub fn own_start(&self, rules: &RuleSet) -> Result<Option<Fen>, NotationError> {
        self.start.as_ref().map(|text| Fen::from_notation(text, rules)).transpose()
    }

    /// The game from this position in the format of chess programs: tags, numbered turns, the result. It reads back as
    /// the same turns.
    ///
    /// # Errors
    /// [`RecordError`] with the first illegal turn.
    ///
    /// ```
    /// use morabase::{Position, Preset, Record};
    /// let rules = Preset::Gar.rules();
    /// let record: Record = "d6 d7 b4".parse()?;
    /// let text = record.to_game_text(Position::start(&rules), &rules)?;
    /// assert!(text.contains("[Rules \"gar\"]") && text.ends_with("\n\n1. d6 d7 2. b4 *\n"));
    /// assert_eq!(text.parse::<Record>()?.turns, record.turns);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_game_text(&self, start: impl Into<Fen>, rules: &RuleSet) -> Result<String, RecordError> {
        let fen = start.into();
        let start = fen.position;
        let end = self.end(&start, rules)?;
        let result = match end.outcome(rules) {
            Some(Outcome::Won(Side::First, _)) => "1-0",
            Some(Outcome::Won(Side::Second, _)) => "0-1",
            Some(Outcome::Drawn(_)) => "1/2-1/2",
            None => "*",
        };
        let mut tags: Vec<(&str, String)> = game_text::TAGS.map(|(name, value)| (name, value.to_owned())).to_vec();
        tags.extend([("Result", result.to_owned()), ("Rules", rules.name())]);
        if start != Position::start(rules) {
            tags.extend([("SetUp", "1".to_owned()), ("FEN", fen.to_text(FenDialect::Nodes, rules))]);
        }
        let turns: Vec<String> = self.turns.iter().map(Turn::to_string).collect();
        Ok(game_text::write(&tags, &turns, (start.to_move, fen.move_number), result))
    }
}
