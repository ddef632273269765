//! The contents of a request: its parameters, the rules, the position.

use std::sync::Arc;

use crate::game::{Fen, PointForm, Position, Record};
use crate::rules::RuleSet;

use super::refusal::Refusal;
use super::sets::{TableSet, TableSets};

/// The parameters after the question mark, each at most once.
#[derive(Debug)]
pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Reads the parameters, which must have these names: a misspelt one would go unnoticed.
    pub(crate) fn read(query: &str, names: &[&str]) -> Result<Self, Refusal> {
        let pairs: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        for (at, (name, _)) in pairs.iter().enumerate() {
            if !names.contains(&name.as_str()) {
                let expected = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                let error = format!("there is no parameter {name:?} here: expected {expected}");
                return Err(Refusal::parameter(name, error));
            }
            if pairs[..at].iter().any(|(earlier, _)| earlier == name) {
                return Err(Refusal::parameter(name, format!("the parameter {name} is there twice: expected it once")));
            }
        }
        Ok(Self(pairs))
    }

    /// Reads only the parameters with these names, of which the first counts: a page for people gets links to which others
    /// have added something.
    #[cfg(feature = "serve")]
    pub(crate) fn read_known(query: &str, names: &[&str]) -> Self {
        let pairs = form_urlencoded::parse(query.as_bytes()).into_owned();
        Self(pairs.filter(|(name, _)| names.contains(&name.as_str())).collect())
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether the value is `true`; `false` if it is absent.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Refusal> {
        match self.get(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(found) => Err(Refusal::parameter(name, format!("expected true or false, found {found:?}"))),
        }
    }

    /// How points are named in the answer.
    pub(crate) fn form(&self) -> Result<PointForm, Refusal> {
        match self.get("points") {
            None | Some("grid") => Ok(PointForm::Grid),
            Some("gar") => Ok(PointForm::Gar),
            Some(found) => Err(Refusal::parameter("points", format!("expected grid or gar, found {found:?}"))),
        }
    }

    /// The named rules, which need no tables here; without a name, those of the first set.
    pub(crate) fn any_rules(&self, sets: &TableSets) -> Result<RuleSet, Refusal> {
        match self.rules()? {
            Some(rules) => Ok(rules),
            None => Ok(*self.set(sets)?.rules()),
        }
    }

    /// The named rules.
    pub(crate) fn rules(&self) -> Result<Option<RuleSet>, Refusal> {
        let read = self.get("rules").map(RuleSet::named).transpose();
        read.map_err(|error| Refusal::parameter("rules", error.to_string()))
    }

    /// The tables of the named rules, or the first.
    pub(crate) fn set(&self, sets: &TableSets) -> Result<Arc<TableSet>, Refusal> {
        let rules = self.rules()?;
        let set = sets.find(rules.as_ref()).cloned();
        set.ok_or_else(|| Refusal::rules(&rules.unwrap_or_default(), sets.rules()))
    }

    /// The position: the given one or the start, after the turns that follow it.
    pub(crate) fn position(&self, rules: &RuleSet) -> Result<Asked, Refusal> {
        let game = self.game(rules)?;
        let text = match (game.record, self.get("position")) {
            (None, Some(text)) => text.to_owned(),
            _ => game.end.position.to_string(),
        };
        Ok(Asked { text, position: game.end.position })
    }

    /// The same with the turns.
    pub(crate) fn game(&self, rules: &RuleSet) -> Result<Game, Refusal> {
        let (text, moves) = (self.get("position"), self.get("moves"));
        let start = match (text, moves) {
            (None, None) => {
                return Err(Refusal::position(
                    "position",
                    "expected a position such as W:Wa7,d7,g7:Bb6,d6,c5, or moves",
                ));
            }
            (Some(text), _) => {
                Fen::from_notation(text, rules).map_err(|error| Refusal::position("position", error.to_string()))?
            }
            (None, Some(moves)) => {
                let record: Record = moves.parse().map_err(|error| bad_moves(&error))?;
                let own = record.own_start(rules).map_err(|error| bad_moves(&error))?;
                own.unwrap_or_else(|| Fen::start(rules))
            }
        };
        let Some(moves) = moves else { return Ok(Game { start: start.position, record: None, end: start }) };
        let record: Record = moves.parse().map_err(|error| bad_moves(&error))?;
        let end = start.follow(&record, rules).map_err(|error| bad_moves(&error))?;
        Ok(Game { start: start.position, record: Some(record), end })
    }
}

fn bad_moves(error: &dyn std::error::Error) -> Refusal {
    Refusal::position("moves", error.to_string())
}

/// The position in question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Asked {
    /// Its text as given; the short form if turns followed it.
    pub(crate) text: String,
    /// The position.
    pub(crate) position: Position,
}

/// The game in question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Game {
    /// Its starting position.
    pub(crate) start: Position,
    /// Its turns, if the request had any.
    pub(crate) record: Option<Record>,
    /// The position after them.
    pub(crate) end: Fen,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;

    fn read(query: &str, names: &[&str]) -> Result<Parameters, Refusal> {
        Parameters::read(query, names)
    }

    #[test]
    fn a_misspelt_or_doubled_parameter_is_refused_with_what_was_expected() {
        let error = read("postion=x", &["position", "rules"]).unwrap_err();
        assert!(error.text().contains("\"postion\"") && error.text().contains("expected position, rules"), "{error:?}");
        assert!(read("rules=gar&rules=gar", &["rules"]).unwrap_err().text().contains("twice"));
        assert!(read("x=1", &[]).unwrap_err().text().contains("expected none"));
    }

    #[test]
    fn a_position_is_repeated_as_it_was_given_and_in_short_form_after_turns() {
        let rules = Preset::Gar.rules();
        let asked = |query: &str| read(query, &["position", "moves"]).unwrap().position(&rules);
        let ring = asked("position=W:WE1,E2,E3:BA1,A2,A8").unwrap();
        assert_eq!(
            (ring.text.as_str(), ring.position.to_string().as_str()),
            ("W:WE1,E2,E3:BA1,A2,A8", "W:Wa7,d7,g7:Bb6,d6,b4")
        );
        assert_eq!(asked("moves=d6+d7").unwrap().text, "W:Wd6:Bd7:H11,11");
        assert!(asked("").unwrap_err().text().contains("expected a position"));
        assert!(asked("moves=d6+d6").unwrap_err().text().starts_with("turn 2 of the record"));
    }
}
