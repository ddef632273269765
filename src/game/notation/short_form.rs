//! The short form for people: the side to move, both players' cows, and everything else in optional sections.
//!
//! An example is `W:Wa7,d7,g7:Bb6,d6,c5`, where `W` is the first player and `B` the second (spaces may replace commas).
//! Then follow, in any order, `:H3,2` (cows in hand), `:C7` (plies since the last shot), `:LWd1-d2` (the first player's
//! last turn went d1-d2, breaking a line and completing one; `:LB…` the second's) and `:S` (the side to move has made a
//! line and must still shoot).

use std::fmt;

use crate::board::{Point, PointSet};
use crate::rules::RuleSet;

use super::super::{Position, Remake, Side};
use super::error::{NotationError, unexpected};
use super::points::{self, InForm, PointForm};
use super::reading::parse_number;

const WHAT: &str = "short form";
const SECTIONS: &str =
    "a section W… or B… (cows), H… (hands), C… (counter), LW… or LB… (last turn) or S (shot to come)";
const LETTERS: [char; 2] = ['W', 'B'];

/// The sections as written, each at most once.
#[derive(Default)]
struct Sections<'a> {
    cows: [Option<&'a str>; 2],
    hands: Option<&'a str>,
    counter: Option<&'a str>,
    remakes: [Option<&'a str>; 2],
    shot_pending: Option<&'a str>,
}

pub(super) fn parse(text: &str, rules: &RuleSet) -> Result<Position, NotationError> {
    let mut parts = text.trim().split(':').map(str::trim);
    let side = parts.next().unwrap_or_default();
    let to_move = match split_letter(side) {
        Some((letter, "")) => side_of(letter),
        _ => None,
    };
    let to_move = to_move.ok_or_else(|| unexpected(WHAT, "W or B for the side to move", side))?;
    let mut sections = Sections::default();
    for part in parts {
        sections.add(part)?;
    }
    let form = points::form_of(sections.names());
    let mut position = Position::moving([PointSet::EMPTY; 2], to_move);
    for side in Side::BOTH {
        let at = side.index();
        let expected = ["the first player's cows, W…", "the second player's cows, B…"][at];
        let cows = sections.cows[at].ok_or(NotationError::TooShort { text: WHAT, expected })?;
        position.cows[at] = parse_cows(cows, form)?;
        position.remakes[at] = sections.remakes[at].map(|remake| parse_remake(remake, form)).transpose()?;
    }
    position.hands = sections.hands.map_or(Ok([0; 2]), parse_hands)?;
    position.counter = sections.counter.map_or(Ok(0), parse_counter)?;
    position.shot_pending = sections.shot_pending.is_some();
    if position.counter > 0 && !position.is_moving_phase() {
        let found = sections.counter.unwrap_or_default();
        return Err(unexpected(WHAT, "no counter C while there are cows in hand", found));
    }
    Ok(position.settled(rules)?)
}

impl<'a> Sections<'a> {
    fn add(&mut self, part: &'a str) -> Result<(), NotationError> {
        let misfit = || unexpected(WHAT, SECTIONS, part);
        let (letter, rest) = split_letter(part).ok_or_else(misfit)?;
        let (place, rest) = match (letter, side_of(letter)) {
            (_, Some(side)) => (&mut self.cows[side.index()], rest),
            ('H', _) => (&mut self.hands, rest),
            // A small letter and a number that name a point are a cow after a wrong separator.
            ('C', _) if Point::from_grid(part).is_some_and(|point| part == point.grid_name()) => return Err(cow(part)),
            ('C', _) => (&mut self.counter, rest),
            ('S', _) if rest.is_empty() => (&mut self.shot_pending, rest),
            ('L', _) => {
                let (letter, rest) = split_letter(rest).ok_or_else(misfit)?;
                let side = side_of(letter).ok_or_else(misfit)?;
                (&mut self.remakes[side.index()], rest)
            }
            _ => return Err(misfit()),
        };
        match place.replace(rest) {
            None => Ok(()),
            Some(_) => Err(unexpected(WHAT, "each section once", part)),
        }
    }

    fn names(&self) -> impl Iterator<Item = &'a str> {
        let texts = self.cows.into_iter().chain(self.remakes).flatten();
        texts.flat_map(|text| text.split(|letter: char| matches!(letter, ',' | '-' | '–') || letter.is_whitespace()))
    }
}

fn cow(name: &str) -> NotationError {
    unexpected(WHAT, "a comma before each further cow, or a capital C for the counter", name)
}

/// The first letter, in capitals, and the rest.
fn split_letter(text: &str) -> Option<(char, &str)> {
    let letter = text.chars().next()?;
    Some((letter.to_ascii_uppercase(), text[letter.len_utf8()..].trim_start()))
}

fn side_of(letter: char) -> Option<Side> {
    Side::BOTH.into_iter().find(|side| LETTERS[side.index()] == letter)
}

fn parse_cows(text: &str, form: Option<PointForm>) -> Result<PointSet, NotationError> {
    let mut cows = PointSet::EMPTY;
    if text.is_empty() {
        return Ok(cows);
    }
    for name in text.split(',').flat_map(spaced) {
        let point = points::parse(name, form)?;
        if cows.contains(point) {
            return Err(unexpected(WHAT, "each of a player's cows on a point of its own", name));
        }
        cows = cows.with(point);
    }
    Ok(cows)
}

/// The names between two commas: just one, unless spaces replace commas. An empty text counts as an empty name, which
/// is refused.
fn spaced(text: &str) -> impl Iterator<Item = &str> {
    let empty = Some("").filter(|_| text.trim().is_empty());
    empty.into_iter().chain(text.split_whitespace())
}

fn parse_remake(text: &str, form: Option<PointForm>) -> Result<Remake, NotationError> {
    let (from, to) = text
        .split_once(['-', '–'])
        .ok_or_else(|| unexpected(WHAT, "two points with a hyphen after LW or LB, such as LWd1-d2", text))?;
    Ok(Remake { from: points::parse(from.trim(), form)?, to: points::parse(to.trim(), form)? })
}

fn parse_hands(text: &str) -> Result<[u8; 2], NotationError> {
    let numbers = text
        .split_once(',')
        .and_then(|(first, second)| Some([parse_number(first.trim())?, parse_number(second.trim())?]));
    numbers.ok_or_else(|| unexpected(WHAT, "two numbers of cows in hand after H, such as H3,2", text))
}

fn parse_counter(text: &str) -> Result<u16, NotationError> {
    parse_number(text).ok_or_else(|| unexpected(WHAT, "a number of plies from 0 to 65535 after C, such as C7", text))
}

impl Position {
    /// The position in short form, with its points named in this form.
    ///
    /// ```
    /// use morabase::{PointForm, Position, Preset};
    /// let rules = Preset::Gar.rules();
    /// let position = Position::from_notation("B:WA7,D7,G7:BB6,D6,C5:H0,1", &rules)?;
    /// assert_eq!(position.to_string(), "B:Wa7,d7,g7:Bb6,d6,c5:H0,1");
    /// assert_eq!(position.in_form(PointForm::Gar).to_string(), "B:WE1,E2,E3:BA1,A2,R1:H0,1");
    /// # Ok::<(), morabase::NotationError>(())
    /// ```
    pub const fn in_form(&self, form: PointForm) -> InForm<&Self> {
        InForm { value: self, form }
    }
}

impl fmt::Display for InForm<&Position> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |point: Point| point.in_form(self.form);
        let position = self.value;
        write!(f, "{}", LETTERS[position.to_move.index()])?;
        for side in Side::BOTH {
            write!(f, ":{}", LETTERS[side.index()])?;
            for (at, cow) in position.cows[side.index()].iter().enumerate() {
                write!(f, "{}{}", if at == 0 { "" } else { "," }, name(cow))?;
            }
        }
        if !position.is_moving_phase() {
            write!(f, ":H{},{}", position.hands[0], position.hands[1])?;
        }
        if position.counter > 0 {
            write!(f, ":C{}", position.counter)?;
        }
        for side in Side::BOTH {
            if let Some(Remake { from, to }) = position.remakes[side.index()] {
                write!(f, ":L{}{}-{}", LETTERS[side.index()], name(from), name(to))?;
            }
        }
        if position.shot_pending { f.write_str(":S") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;

    fn read(text: &str) -> Result<String, String> {
        let position = parse(text, &Preset::Gar.rules());
        position.map(|position| position.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn every_spelling_of_a_position_reads_the_same() {
        let spellings = [
            ("W:Wa7,d7,g7:Bb6,d6,c5", "W:Wa7,d7,g7:Bb6,d6,c5"),
            (" w : w a7, D7 ,g7 : b B6,d6,c5 ", "W:Wa7,d7,g7:Bb6,d6,c5"),
            ("W:Bb6,d6,c5:Wa7,d7,g7", "W:Wa7,d7,g7:Bb6,d6,c5"),
            ("W:Wa7 d7 g7:B b6, d6 c5", "W:Wa7,d7,g7:Bb6,d6,c5"),
            ("w:wE1 E2 E3:ba1 a2 R1", "W:Wa7,d7,g7:Bb6,d6,c5"),
            ("w:wa7,d7,g7:bb6,d6,c5:c7", "W:Wa7,d7,g7:Bb6,d6,c5:C7"),
            ("W:WE1,E2,E3:BA1,A2,R1", "W:Wa7,d7,g7:Bb6,d6,c5"),
            ("w:we1,e2,e3:ba1,a2,r1", "W:Wa7,d7,g7:Bb6,d6,c5"),
            ("B:C7:Wa4:Bc4,e5,e4:H0,0", "B:Wa4:Be5,e4,c4:C7"),
            ("W:W:B:H12,12", "W:W:B:H12,12"),
            ("B:WA1,A4,A7:BR1", "B:Wb6,f4,b2:Bc5"),
            ("B:Wa7,a4,a1,e5:Be4,e3", "B:Wa7,a1,a4,e5:Be4,e3"),
            ("B:WA7,A4,A1,E5:BE4,E3", "B:Wg1,b6,f4,b2:Bg7,g4"),
        ];
        for (text, printed) in spellings {
            assert_eq!(read(text), Ok(printed.to_owned()), "{text}");
        }
    }

    #[test]
    fn restrictions_stay_while_they_bar_something() {
        for text in ["B:Wg1,a1,f2,d2,b2:Bd5:LWd1-d2", "W:Wg1,a1,f2,d2:Bd7,d5:C1:LWd1-d2"] {
            assert_eq!(read(text), Ok(text.to_owned()));
        }
        // The line is gone, the point is taken, the cow is gone.
        for without in ["W:Wg1,f2,d2,b2:Bd5", "W:Wg1,a1,f2,d2:Bd1,d5:C1", "W:Wg1,a1,f2:Bd5"] {
            assert_eq!(read(&format!("{without}:LWd1-d2")), Ok(without.to_owned()));
        }
    }

    #[test]
    fn bad_positions_name_the_token_and_what_was_expected() {
        let cases = [
            ("X:Wa7:Bb6", "W or B for the side to move, found \"X\""),
            ("WB:Wa7:Bb6", "W or B for the side to move, found \"WB\""),
            ("W:Wa7", "the second player's cows"),
            ("W:Ba7", "the first player's cows"),
            ("W:Wa7,d4:Bb6", "no point \"d4\""),
            ("W:Wa7,:Bb6", "no point \"\""),
            ("W:Wa7,a7:Bb6", "a point of its own, found \"a7\""),
            ("W:Wa7:Ba7", "both players have a cow on a7"),
            ("W:Wa7:Bb6:Wd7", "each section once, found \"Wd7\""),
            ("W:Wa7:Bb6:S:S", "each section once, found \"S\""),
            ("W:Wa7:Bb6:Q3", "found \"Q3\""),
            ("W:Wa7:Bb6:", "found \"\""),
            ("W:Wa7:Bb6:H3", "two numbers of cows in hand after H, such as H3,2, found \"3\""),
            ("W:Wa7:Bb6:H-1,0", "found \"-1,0\""),
            ("W:Wa7:Bb6:H999,999", "found \"999,999\""),
            ("W:Wa7:Bb6:C70000", "found \"70000\""),
            ("W:Wa7:Bb6,d6:c5", "a comma before each further cow, or a capital C for the counter, found \"c5\""),
            ("W:Wa7:Bb6:H3,3:C4", "no counter C while there are cows in hand, found \"4\""),
            ("W:Wa7:Bb6:La7-a4", "found \"La7-a4\""),
            ("W:Wa7:Bb6:LWa7", "two points with a hyphen"),
            ("W:Wa7:Bb6:LWa4-d7", "no edge between the points"),
            ("W:Wd1,a1,g1:Bb6:LWd1-d2", "said to have left the first point"),
            ("W:Wa1,g1:Bd2:LWd1-d2", "the opponent has a cow on the second point"),
            ("B:Wg1,a1,f2,d2,b2:Bd1:LWd1-d2", "a cow on the first point and has not moved since"),
            ("B:Wg1,a1,f2,d2:Bd5:LWd1-d2", "no line stands through the second point"),
            ("W:Wg1,a1,f2,d2,b2:Bd5:C2:LWd1-d2", "more plies are counted since the last shot"),
            ("B:Wg1,a1,f2,d2,b2:Bd5:H0,1:LWd1-d2:LBd6-d7", "its hand is not empty"),
            ("W:Wa7:Bb6:S", "none of its cows stands in a line"),
            ("W:Wa7,d7,g7,g4,g1,d1,a1,a4,b6,d6,f6,f4,f2:Bd2", "13 cows on the board"),
        ];
        for (text, part) in cases {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
