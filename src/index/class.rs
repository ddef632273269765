//! [`Class`]: positions grouped by material, and which classes a class depends on.

use std::fmt;
use std::str::FromStr;

use crate::rules::{FEWEST_COWS, RuleSet};

/// The most cows a player can have.
pub const MOST_COWS: u8 = 12;

/// A class of positions: cows of the side to move and of the opponent, on the board and in hand.
///
/// Written `4-3`: four cows to move against three. Hands are zero in every class that can be solved today; the two
/// numbers keep their place for the placing phase.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Class {
    own: u8,
    opponent: u8,
    own_hand: u8,
    opponent_hand: u8,
}

/// Why a text or two numbers are no class of the moving phase.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ClassError {
    /// The text is not two numbers with a hyphen.
    #[error("class {found:?}: expected two numbers of cows with a hyphen, such as 4-3")]
    Syntax {
        /// The text that was given.
        found: String,
    },
    /// A number of cows is below three or above what the rules allow.
    #[error("class {own}-{opponent}: expected 3 to {most} cows on each side")]
    Cows {
        /// Cows of the side to move.
        own: u32,
        /// Cows of the opponent.
        opponent: u32,
        /// The most cows a side can have.
        most: u8,
    },
}

impl Class {
    /// The moving-phase class of `own` cows to move against `opponent` cows, hands empty, 3..=12 each.
    ///
    /// # Errors
    /// [`ClassError::Cows`] if a number is out of range.
    pub const fn moving(own: u8, opponent: u8) -> Result<Self, ClassError> {
        if own < FEWEST_COWS || own > MOST_COWS || opponent < FEWEST_COWS || opponent > MOST_COWS {
            return Err(ClassError::Cows { own: own as u32, opponent: opponent as u32, most: MOST_COWS });
        }
        Ok(Self { own, opponent, own_hand: 0, opponent_hand: 0 })
    }

    /// Cows of the side to move on the board.
    pub const fn own(self) -> u8 {
        self.own
    }

    /// Cows of the opponent on the board.
    pub const fn opponent(self) -> u8 {
        self.opponent
    }

    /// Cows of the side to move in hand.
    pub const fn own_hand(self) -> u8 {
        self.own_hand
    }

    /// Cows of the opponent in hand.
    pub const fn opponent_hand(self) -> u8 {
        self.opponent_hand
    }

    /// All cows on the board together.
    pub const fn total(self) -> u8 {
        self.own + self.opponent
    }

    /// The class after a turn without a shot: the other side to move.
    #[must_use]
    pub const fn partner(self) -> Self {
        Self { own: self.opponent, opponent: self.own, own_hand: self.opponent_hand, opponent_hand: self.own_hand }
    }

    /// Whether the class is its own partner.
    pub const fn is_balanced(self) -> bool {
        self.own == self.opponent && self.own_hand == self.opponent_hand
    }

    /// The class after a turn with a shot, unless the shot leaves fewer than three cows and so ends the game.
    pub const fn after_shot(self) -> Option<Self> {
        if self.opponent > FEWEST_COWS {
            Some(Self { own: self.opponent - 1, opponent: self.own, ..self.partner() })
        } else {
            None
        }
    }

    /// Whether the class can occur under these rules.
    ///
    /// # Errors
    /// [`ClassError::Cows`] with the most cows the rules allow.
    pub const fn check(self, rules: &RuleSet) -> Result<Self, ClassError> {
        if self.own > rules.cows || self.opponent > rules.cows {
            return Err(ClassError::Cows { own: self.own as u32, opponent: self.opponent as u32, most: rules.cows });
        }
        Ok(self)
    }

    /// Every moving-phase class with at most `most` cows a side, fewest cows first and partners side by side, so that
    /// each class comes after all it depends on but its partner.
    pub fn all(most: u8) -> Vec<Self> {
        let sides = FEWEST_COWS..=most.min(MOST_COWS);
        let mut classes: Vec<Self> = sides
            .clone()
            .flat_map(|own| sides.clone().filter_map(move |opponent| Self::moving(own, opponent).ok()))
            .collect();
        classes.sort_by_key(|class| (class.total(), class.own.max(class.opponent), class.opponent));
        classes
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}-{}", self.own, self.opponent))
    }
}

impl FromStr for Class {
    type Err = ClassError;

    fn from_str(text: &str) -> Result<Self, ClassError> {
        let number = |part: &str| {
            let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| part.parse::<u32>().unwrap_or(u32::MAX))
        };
        let numbers = text.split_once('-').and_then(|(own, opponent)| Some((number(own)?, number(opponent)?)));
        let (own, opponent) = numbers.ok_or_else(|| ClassError::Syntax { found: text.to_owned() })?;
        match (u8::try_from(own), u8::try_from(opponent)) {
            (Ok(own), Ok(opponent)) => Self::moving(own, opponent),
            _ => Err(ClassError::Cows { own, opponent, most: MOST_COWS }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn there_are_a_hundred_classes_in_fifty_five_pairs() {
        let classes = Class::all(12);
        let expected = (3..=12).flat_map(|own| (3..=12).map(move |opponent| Class::moving(own, opponent).unwrap()));
        assert_eq!((classes.len(), classes.iter().copied().collect::<BTreeSet<_>>()), (100, expected.collect()));
        assert_eq!(classes.iter().filter(|class| class.own() >= class.opponent()).count(), 55);
        assert!(classes.is_sorted_by_key(|class| class.total()));
    }

    #[test]
    fn every_dependency_comes_first() {
        let classes = Class::all(12);
        for (at, class) in classes.iter().enumerate() {
            if let Some(below) = class.after_shot() {
                assert_eq!(below.total() + 1, class.total());
                assert!(classes[..at].contains(&below));
            }
        }
    }

    #[test]
    fn text_and_class_are_inverse_and_bad_texts_are_refused() {
        for class in Class::all(12) {
            assert_eq!(class.to_string().parse(), Ok(class));
        }
        for text in ["", "-", "4", "4-", "-3", "4-3-2", "2-3", "13-3", "4-99999999999", "a-b", "+4-3", " 4-3", "４-3"]
        {
            assert!(text.parse::<Class>().is_err(), "{text}");
        }
    }
}
