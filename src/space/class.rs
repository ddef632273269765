//! [`Class`]: positions grouped by material, and which classes the turns of a class lead to.

use std::fmt;
use std::str::FromStr;

use crate::board::PointSet;
pub use crate::rules::MOST_COWS;
use crate::rules::{FEWEST_COWS, RuleSet};
use crate::token::{clip, look_alike, without_mark};

/// A class of positions: cows of the side to move and of the waiting side, on the board and in hand.
///
/// Without cows in hand it is written `4-3`: four cows to move against three. With cows in hand these follow after a
/// plus: `2-3+2-1` has two cows on the board to move against three, two cows in hand against one.
///
/// ```
/// use morabase::Class;
/// let class: Class = "2-3+2-1".parse()?;
/// assert_eq!((class.mover(), class.mover_hand()), (2, 2));
/// // The mover places a cow, which may complete a line and shoot.
/// let next = class.successors();
/// assert_eq!(next.quiet.to_string(), "3-3+1-1");
/// assert_eq!(next.shot.map(|class| class.to_string()).as_deref(), Some("2-3+1-1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Class {
    mover: u8,
    waiting: u8,
    mover_hand: u8,
    waiting_hand: u8,
}

/// The classes that the turns of a class lead to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Successors {
    /// After a turn without a shot.
    pub quiet: Class,
    /// After a turn with a shot. `None` if no turn can shoot, or if a shot leaves fewer than three cows and so ends the
    /// game.
    pub shot: Option<Class>,
}

impl Successors {
    /// The classes that exist, the quiet one first.
    pub fn iter(self) -> impl Iterator<Item = Class> {
        std::iter::once(self.quiet).chain(self.shot)
    }
}

/// Why a text or some numbers do not make a class.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClassError {
    /// The text is not two numbers with a hyphen, and two more after a plus if there are cows in hand.
    #[error(
        "class {:?}{}: expected two numbers of cows with a hyphen, such as 4-3, or with cows in hand, such as 2-3+2-1",
        clip(.found), look_alike(.found)
    )]
    Syntax {
        /// The text that was given.
        found: String,
    },
    /// A side has fewer than three cows or more than the rules allow.
    #[error("class {}: expected 3 to {most} cows on each side{}", clip(.found), if *hands { ", those in hand included" } else { "" })]
    Cows {
        /// The class that was given.
        found: String,
        /// The most cows a side can have.
        most: u8,
        /// Whether there are cows in hand.
        hands: bool,
    },
    /// No game from the empty board leads to the class.
    #[error(
        "class {found}: no game with {cows} cows each leads to these numbers of cows on the board and in hand; players place in turn, and a shot \
         takes a line of three"
    )]
    Unreachable {
        /// The class that was given.
        found: String,
        /// The cows that each player begins with.
        cows: u8,
    },
}

debug_is_display!(ClassError);

impl Class {
    /// The class of `mover` cows to move against `waiting` cows on the board, both hands empty: 3..=12 each.
    ///
    /// # Errors
    /// [`ClassError::Cows`] if a number is out of range.
    pub fn moving(mover: u8, waiting: u8) -> Result<Self, ClassError> {
        Self::with_hands([mover, waiting], [0, 0])
    }

    /// The class with these cows on the board and in hand, the side to move first. Each side has 3..=12 altogether.
    ///
    /// # Errors
    /// [`ClassError::Cows`] if a side has too few or too many.
    pub fn with_hands(board: [u8; 2], hands: [u8; 2]) -> Result<Self, ClassError> {
        let error = || ClassError::Cows { found: spell(board, hands), most: MOST_COWS, hands: hands != [0, 0] };
        Self::from_numbers(board, hands).ok_or_else(error)
    }

    /// The class of two sets of cows on the board with empty hands. Each must have 3..=12 cows, or no table has the
    /// class.
    #[inline(always)]
    pub(crate) const fn of_sets(mover: PointSet, waiting: PointSet) -> Self {
        Self { mover: mover.len(), waiting: waiting.len(), mover_hand: 0, waiting_hand: 0 }
    }

    /// The class with these numbers, unless a side has too few or too many cows.
    fn from_numbers(board: [u8; 2], hands: [u8; 2]) -> Option<Self> {
        let allowed = FEWEST_COWS..=MOST_COWS;
        let fits = board.iter().zip(hands).all(|(cows, hand)| allowed.contains(&cows.saturating_add(hand)));
        let ([mover, waiting], [mover_hand, waiting_hand]) = (board, hands);
        fits.then_some(Self { mover, waiting, mover_hand, waiting_hand })
    }

    /// Cows of the side to move on the board.
    pub const fn mover(self) -> u8 {
        self.mover
    }

    /// Cows of the waiting side on the board.
    pub const fn waiting(self) -> u8 {
        self.waiting
    }

    /// Cows of the side to move in hand.
    pub const fn mover_hand(self) -> u8 {
        self.mover_hand
    }

    /// Cows of the waiting side in hand.
    pub const fn waiting_hand(self) -> u8 {
        self.waiting_hand
    }

    /// All cows on the board together.
    pub const fn total(self) -> u8 {
        self.mover + self.waiting
    }

    /// Whether either side has cows in hand.
    pub const fn has_hands(self) -> bool {
        self.mover_hand + self.waiting_hand > 0
    }

    /// The classes that the turns of this class lead to, seen from the side that is then to move.
    ///
    /// A side with cows in hand places one, a side without moves one. A shot takes a cow from the board and needs a
    /// line, and therefore three cows of the side to move.
    pub const fn successors(self) -> Successors {
        let placed = (self.mover_hand > 0) as u8;
        let quiet = Self {
            mover: self.waiting,
            waiting: self.mover + placed,
            mover_hand: self.waiting_hand,
            waiting_hand: self.mover_hand - placed,
        };
        let shoots = quiet.waiting >= 3 && quiet.mover > 0 && quiet.mover + quiet.mover_hand > FEWEST_COWS;
        let shot = if shoots { Some(Self { mover: quiet.mover - 1, ..quiet }) } else { None };
        Successors { quiet, shot }
    }

    /// The classes that are solved together, because quiet turns lead from one to the other and back: this one and,
    /// with empty hands, the same seen from the other side. [`representative`](Self::representative) first.
    pub fn solved_together(self) -> impl Iterator<Item = Self> {
        let first = self.representative();
        let reverse = first.successors().quiet;
        std::iter::once(first).chain((!first.has_hands() && reverse != first).then_some(reverse))
    }

    /// The class that represents those [solved together](Self::solved_together): the one with more cows to move.
    #[must_use]
    pub const fn representative(self) -> Self {
        if self.mover < self.waiting && !self.has_hands() { self.successors().quiet } else { self }
    }

    /// Whether the class can occur under these rules.
    ///
    /// # Errors
    /// [`ClassError::Cows`] with the most cows the rules allow, [`ClassError::Unreachable`] for a class with cows in
    /// hand that no game leads to.
    pub fn check(self, rules: &RuleSet) -> Result<Self, ClassError> {
        if self.mover + self.mover_hand > rules.cows || self.waiting + self.waiting_hand > rules.cows {
            let (found, hands) = (self.to_string(), self.has_hands());
            return Err(ClassError::Cows { found, most: rules.cows, hands });
        }
        if self.has_hands() && !self.is_reachable(rules.cows) {
            return Err(ClassError::Unreachable { found: self.to_string(), cows: rules.cows });
        }
        Ok(self)
    }

    /// Whether a game from the empty board, `cows` in each hand, can lead to this class with cows in hand.
    ///
    /// The players place in turn, so the first player is to move if both hands are equal. A shot needs three cows of
    /// the shooter on the board, so nobody shoots before the third placement, and nobody with fewer than three cows
    /// left plays on. If the first player has shot at each placement from the third on, the second has never had three
    /// cows on the board, and so has not shot. A test compares this with all sequences of turns.
    fn is_reachable(self, cows: u8) -> bool {
        let mover_is_first = self.mover_hand == self.waiting_hand;
        if !mover_is_first && self.mover_hand != self.waiting_hand + 1 || self.mover_hand > cows {
            return false;
        }
        let sides = [(self.mover, self.mover_hand), (self.waiting, self.waiting_hand)];
        let [first, second] = if mover_is_first { sides } else { [sides[1], sides[0]] };
        let placed = [first, second].map(|(_, hand)| cows - hand);
        let lost = |(board, _): (u8, u8), placed: u8| placed.checked_sub(board);
        let (Some(by_second), Some(by_first)) = (lost(first, placed[0]), lost(second, placed[1])) else { return false };
        let most = placed.map(|placed| placed.saturating_sub(2));
        let at_each = by_first > 0 && by_first == most[0];
        by_first <= most[0] && by_second <= most[1] && !(at_each && by_second > 0)
    }

    /// Every class without cows in hand and with at most `most` cows a side, fewest cows first and those [solved
    /// together](Self::solved_together) side by side, so that each comes after all it depends on but its reverse.
    pub fn all_moving(most: u8) -> Vec<Self> {
        let sides = FEWEST_COWS..=most.min(MOST_COWS);
        let mut classes: Vec<Self> = sides
            .clone()
            .flat_map(|mover| sides.clone().filter_map(move |waiting| Self::moving(mover, waiting).ok()))
            .collect();
        classes.sort_by_key(|class| class.order());
        classes
    }

    /// Every class with cows in hand that a game from the empty board with `cows` (at most 12) in each hand can lead
    /// to, in solving order: fewest cows in hand first, so that each comes after the classes its turns lead to.
    pub fn all_placing(cows: u8) -> Vec<Self> {
        let cows = cows.min(MOST_COWS);
        let hands = (0..=cows).flat_map(|hand| [[hand, hand], [hand + 1, hand]]);
        let boards = |[mover_hand, waiting_hand]: [u8; 2]| {
            let sides = move || 0..=cows.saturating_sub(mover_hand);
            let all = sides().flat_map(move |mover| (0..=cows - waiting_hand).map(move |waiting| [mover, waiting]));
            all.filter_map(move |board| Self::with_hands(board, [mover_hand, waiting_hand]).ok())
        };
        let mut classes: Vec<Self> =
            hands.flat_map(boards).filter(|class| class.has_hands() && class.is_reachable(cows)).collect();
        classes.sort_by_key(|class| class.order());
        classes
    }

    /// A sort key that puts each class after all those its turns lead to, except its reverse: fewest cows in hand
    /// first, then fewest cows on the board, those [solved together](Self::solved_together) side by side.
    pub(crate) fn order(self) -> impl Ord {
        let hands = self.mover_hand + self.waiting_hand;
        (hands, self.total(), self.mover.max(self.waiting), self.waiting)
    }
}

fn spell([mover, waiting]: [u8; 2], [mover_hand, waiting_hand]: [u8; 2]) -> String {
    if mover_hand == 0 && waiting_hand == 0 {
        format!("{mover}-{waiting}")
    } else {
        format!("{mover}-{waiting}+{mover_hand}-{waiting_hand}")
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&spell([self.mover, self.waiting], [self.mover_hand, self.waiting_hand]))
    }
}

impl FromStr for Class {
    type Err = ClassError;

    fn from_str(text: &str) -> Result<Self, ClassError> {
        let number = |part: &str| {
            let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            // An arbitrarily large number is just too many cows.
            digits.then(|| part.parse::<u8>().unwrap_or(u8::MAX))
        };
        let pair = |text: &str| {
            let (mover, waiting) = text.split_once('-')?;
            Some([number(mover)?, number(waiting)?])
        };
        let text = without_mark(text);
        let numbers = match text.split_once('+') {
            Some((board, hands)) => pair(board).zip(pair(hands)),
            None => pair(text).map(|board| (board, [0, 0])),
        };
        let (board, hands) = numbers.ok_or_else(|| ClassError::Syntax { found: text.to_owned() })?;
        let as_given = || ClassError::Cows { found: text.to_owned(), most: MOST_COWS, hands: hands != [0, 0] };
        Self::from_numbers(board, hands).ok_or_else(as_given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn there_are_a_hundred_moving_classes_in_fifty_five_pairs() {
        let classes = Class::all_moving(12);
        assert_eq!(classes.len(), 100);
        assert_eq!(classes.iter().filter(|class| class.representative() == **class).count(), 55);
        assert!(classes.is_sorted_by_key(|class| class.total()));
        let together: Vec<Class> =
            classes.iter().filter(|it| it.representative() == **it).flat_map(|it| it.solved_together()).collect();
        assert_eq!(together, classes);
    }

    #[test]
    fn every_dependency_comes_first() {
        let classes = Class::all_moving(12);
        for (at, class) in classes.iter().enumerate() {
            if let Some(below) = class.successors().shot {
                assert_eq!(below.total() + 1, class.total());
                assert!(classes[..at].contains(&below));
            }
        }
    }

    /// The classes with cows in hand that turns from the empty board lead to, one after the other.
    fn by_turns(cows: u8) -> BTreeSet<Class> {
        let mut found = BTreeSet::new();
        let mut open = vec![Class::with_hands([0, 0], [cows, cows]).unwrap()];
        while let Some(class) = open.pop() {
            if class.has_hands() && found.insert(class) {
                open.extend(class.successors().iter());
            }
        }
        found
    }

    #[test]
    fn classes_with_cows_in_hand_are_those_that_sequences_of_turns_lead_to() {
        for (cows, count) in (3..=MOST_COWS).zip([6, 14, 31, 61, 108, 176, 269, 391, 546, 738]) {
            let classes = Class::all_placing(cows);
            assert_eq!(classes.len(), count, "{cows} cows");
            assert_eq!(classes.iter().copied().collect::<BTreeSet<_>>(), by_turns(cows), "{cows} cows");
            let rules = RuleSet { cows, ..RuleSet::default() };
            assert!(classes.iter().all(|class| class.check(&rules) == Ok(*class)));
        }
    }

    #[test]
    fn every_class_with_cows_in_hand_comes_after_those_its_turns_lead_to() {
        let classes = Class::all_placing(MOST_COWS);
        for (at, class) in classes.iter().enumerate() {
            let before = |next: Class| !next.has_hands() || classes[..at].contains(&next);
            assert!(class.successors().iter().all(before), "{class}");
        }
    }

    #[test]
    fn text_and_class_are_inverse_and_bad_texts_are_refused() {
        for class in Class::all_moving(12).into_iter().chain(Class::all_placing(12)) {
            assert_eq!(class.to_string().parse(), Ok(class));
        }
        for (text, same) in [("0-0+12-12", "0-0+12-12"), ("0-3+3-2", "0-3+3-2"), ("4-3+0-0", "4-3")] {
            assert_eq!(text.parse::<Class>().map(|class| class.to_string()).as_deref(), Ok(same));
        }
        for text in [
            "",
            "-",
            "4",
            "4-",
            "-3",
            "4-3-2",
            "2-3",
            "13-3",
            "4-99999999999",
            "a-b",
            "+4-3",
            " 4-3",
            "４-3",
            "4-3+",
            "4-3+1",
            "4-3+1-",
            "4-3+1-1+1-1",
            "1-3+1-2",
            "12-3+1-1",
            "3-3+4294967295-4294967295",
        ] {
            assert!(text.parse::<Class>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_refused_text_is_reported_as_it_was_given() {
        for text in ["4294967299-3", "99999999999-3", "259-3", "04-2", "2-3+256-1", "13-3"] {
            let error = text.parse::<Class>().unwrap_err();
            assert!(matches!(&error, ClassError::Cows { found, most: MOST_COWS, .. } if found == text), "{error}");
        }
    }

    #[test]
    fn a_placement_takes_a_cow_from_the_hand_and_a_shot_one_from_the_board() {
        let classes = Class::all_placing(12);
        assert!(classes.contains(&"0-0+12-12".parse().unwrap()));
        for class in classes {
            let Successors { quiet, shot } = class.successors();
            assert_eq!((quiet.mover(), quiet.mover_hand()), (class.waiting(), class.waiting_hand()));
            assert_eq!((quiet.waiting(), quiet.waiting_hand()), (class.mover() + 1, class.mover_hand() - 1));
            if let Some(shot) = shot {
                assert_eq!(shot.total() + 1, quiet.total(), "{class}");
                assert!(quiet.waiting() >= 3 && shot.mover() + shot.mover_hand() >= 3);
            }
            assert!(class.solved_together().eq([class]));
        }
    }

    #[test]
    fn cows_in_hand_that_no_game_leads_to_are_refused() {
        for text in ["3-3+0-1", "3-3+2-0", "3-3+1-2", "0-0+3-3", "2-2+9-9"] {
            let class = text.parse::<Class>().unwrap();
            assert!(matches!(class.check(&RuleSet::default()), Err(ClassError::Unreachable { cows: 12, .. })));
        }
        let few = RuleSet { cows: 3, ..RuleSet::default() };
        let [fits, many] = ["2-2+1-1", "2-2+2-1"].map(|text| text.parse::<Class>().unwrap());
        assert!(fits.check(&few).is_ok());
        assert!(matches!(many.check(&few), Err(ClassError::Cows { most: 3, .. })));
    }
}
