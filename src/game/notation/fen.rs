//! The 17-field FEN of the Sanmill program, in its current dialect (`ids:nodes`) and the older one.
//!
//! | fields | hold |
//! |---|---|
//! | 1 | the board: inner/middle/outer ring, each clockwise from its top mid-side; `O` first player, `@` second, `*` empty |
//! | 2, 3, 4 | side `w` or `b`; phase `r`eady, `p`lacing, `m`oving, `o`ver; action `p`lace, `s`elect, `r`emove, `?` none |
//! | 5 to 8 | first player's cows on the board, in hand; second player's |
//! | 9, 10 | removals pending for the first player, for the second |
//! | 11 to 14 | from and to of the first player's last line-making move, of the second's: the no-remake state |
//! | 15, 16, 17 | a bitfield of lines (ignored, written as 0); plies since the last shot; full-move number |

use std::fmt::Write as _;

use crate::board::{Point, PointSet};
use crate::rules::RuleSet;
use crate::token::clip;

use super::super::{Position, Remake, Side};
use super::error::NotationError;
use super::reading::{parse_number, without_mark};
use super::record::{Record, RecordError};

/// How points are numbered in the no-remake fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FenDialect {
    /// Nodes 0 to 23, `-1` for none; the text ends with `ids:nodes`.
    #[default]
    Nodes,
    /// Squares 8 to 31 (node + 8), `0` for none.
    Old,
}

/// A position as a FEN, which also has a move number.
///
/// ```
/// use morabase::{Fen, FenDialect, Preset};
/// let rules = Preset::Gar.rules();
/// let text = "O*****@*/O*****@*/**@***O@ w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 19 32 ids:nodes";
/// let fen = Fen::parse(text, &rules)?;
/// assert_eq!(fen.position.to_string(), "W:Wa4,d6,d5:Ba7,g4,b4,c4:C19");
/// assert_eq!(fen.to_text(FenDialect::Nodes, &rules), text);
/// # Ok::<(), morabase::NotationError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fen {
    /// The position.
    pub position: Position,
    /// The full-move number, 1 for both players' first turns. The rules do not need it.
    pub move_number: u32,
}

/// The position with move number 1.
impl From<Position> for Fen {
    fn from(position: Position) -> Self {
        Self { position, move_number: 1 }
    }
}

const MARK: &str = "ids:nodes";
const RING: usize = 8;

const FIELDS: [&str; 17] = [
    "board",
    "side to move",
    "phase",
    "action",
    "first player's cows on the board",
    "first player's cows in hand",
    "second player's cows on the board",
    "second player's cows in hand",
    "first player's removals pending",
    "second player's removals pending",
    "first player's last line-making move, from",
    "first player's last line-making move, to",
    "second player's last line-making move, from",
    "second player's last line-making move, to",
    "lines",
    "plies since the last shot",
    "full-move number",
];

// Indices of fields in `FIELDS`.
const BOARD: usize = 0;
const SIDE: usize = 1;
const PHASE: usize = 2;
const ACTION: usize = 3;
const ON_BOARD: [usize; 2] = [4, 6];
const IN_HAND: [usize; 2] = [5, 7];
const PENDING: [usize; 2] = [8, 9];
const FROM: [usize; 2] = [10, 12];
const LINES: usize = 14;
const PLIES: usize = 15;
const MOVE: usize = 16;

const SIDES: [char; 2] = ['w', 'b'];
const COWS: [char; 2] = ['O', '@'];

/// The point of a node: the rings from the inside out, each from its top mid-side.
fn point_of(node: usize) -> Option<Point> {
    let ring = 2_usize.checked_sub(node / RING)?;
    Point::new((ring * RING + (node + 1) % RING) as u8)
}

const fn node_of(point: Point) -> usize {
    (2 - point.index() / RING) * RING + (point.index() + RING - 1) % RING
}

impl FenDialect {
    const fn offset(self) -> usize {
        match self {
            Self::Nodes => 0,
            Self::Old => 8,
        }
    }

    const fn none(self) -> &'static str {
        match self {
            Self::Nodes => "-1",
            Self::Old => "0",
        }
    }

    const fn numbers(self) -> &'static str {
        match self {
            Self::Nodes => "a node from 0 to 23, or -1 for none",
            Self::Old => "a square from 8 to 31, or 0 for none (a text without ids:nodes at its end)",
        }
    }
}

/// The fields of a text and its dialect.
struct Fields<'a> {
    texts: [&'a str; 17],
    dialect: FenDialect,
}

impl<'a> Fields<'a> {
    fn split(text: &'a str) -> Result<Self, NotationError> {
        let mut texts: Vec<&str> = text.split_whitespace().collect();
        let dialect = if texts.last() == Some(&MARK) { FenDialect::Nodes } else { FenDialect::Old };
        if dialect == FenDialect::Nodes {
            texts.pop();
        }
        let found = texts.len();
        let texts = texts.try_into().map_err(|_| NotationError::FenLength { found })?;
        Ok(Self { texts, dialect })
    }

    fn error(&self, field: usize, expected: impl Into<String>) -> NotationError {
        let (expected, found) = (expected.into(), clip(self.texts[field]));
        NotationError::FenField { number: field + 1, name: FIELDS[field], expected, found }
    }

    fn number<T: std::str::FromStr>(&self, field: usize, expected: &str) -> Result<T, NotationError> {
        parse_number(self.texts[field]).ok_or_else(|| self.error(field, expected))
    }

    fn cows(&self) -> Result<[PointSet; 2], NotationError> {
        let shape = "three rings of eight signs, each O, @ or *, with a slash between them";
        let rings: Vec<&str> = self.texts[BOARD].split('/').collect();
        if rings.len() != 3 || rings.iter().any(|ring| ring.chars().count() != RING) {
            return Err(self.error(BOARD, shape));
        }
        let mut cows = [PointSet::EMPTY; 2];
        for (node, sign) in rings.concat().chars().enumerate() {
            let owner = COWS.iter().position(|&cow| cow == sign);
            match (owner, point_of(node)) {
                (Some(owner), Some(point)) => cows[owner] = cows[owner].with(point),
                (None, _) if sign == '*' => {}
                _ => return Err(self.error(BOARD, shape)),
            }
        }
        Ok(cows)
    }

    fn letter(&self, field: usize, letters: &[char], expected: &str) -> Result<char, NotationError> {
        let found = letters.iter().find(|letter| self.texts[field].chars().eq([**letter]));
        found.copied().ok_or_else(|| self.error(field, expected))
    }

    fn point(&self, field: usize) -> Result<Option<Point>, NotationError> {
        if self.texts[field] == self.dialect.none() {
            return Ok(None);
        }
        let number: Option<usize> = parse_number(self.texts[field]);
        let node = number.and_then(|number| number.checked_sub(self.dialect.offset()));
        node.and_then(point_of).map(Some).ok_or_else(|| self.error(field, self.dialect.numbers()))
    }

    fn remake(&self, side: Side) -> Result<Option<Remake>, NotationError> {
        let field = FROM[side.index()];
        match (self.point(field)?, self.point(field + 1)?) {
            (Some(from), Some(to)) => Ok(Some(Remake { from, to })),
            // A line made by a placement is written with only the point placed on, and bars nothing.
            (None, _) => Ok(None),
            (Some(_), None) => Err(self.error(field + 1, "a point, as the field before it names one")),
        }
    }

    /// Checks that an empty board goes with the full hands of the rules: no game empties the board again.
    fn check_start(&self, rules: &RuleSet, position: &Position) -> Result<(), NotationError> {
        let wrong = Side::BOTH.into_iter().find(|side| position.hands[side.index()] != rules.cows);
        match wrong {
            Some(side) if position.cows == [PointSet::EMPTY; 2] => {
                Err(self.error(IN_HAND[side.index()], format!("{}, as the board is empty", rules.cows)))
            }
            _ => Ok(()),
        }
    }

    /// Whether phase and action agree with the other fields.
    fn check_phase(&self, rules: &RuleSet, position: &Position) -> Result<(), NotationError> {
        let phase = self.letter(PHASE, &['r', 'p', 'm', 'o'], "r, p, m or o")?;
        let action = self.letter(ACTION, &['p', 's', 'r', '?'], "p, s, r or ?")?;
        let pending = position.shot_pending;
        let refusal = match phase {
            'r' if position.cows != [PointSet::EMPTY; 2] => "p, m or o, as there are cows on the board",
            // The last placement may have made a line; its shot still belongs to the placing phase.
            'p' if position.is_moving_phase() && !pending => "m or o, as both hands are empty",
            'm' if !position.is_moving_phase() => "r, p or o, as there are cows in hand",
            'o' if position.outcome(rules).is_none() => "r, p or m, as the game is not over under these rules",
            _ => "",
        };
        if !refusal.is_empty() {
            return Err(self.error(PHASE, refusal));
        }
        let (fits, expected) = match phase {
            _ if pending => (action == 'r', "r, as a removal is pending"),
            'r' => (matches!(action, 'p' | '?'), "p or ?, as the game has not begun"),
            'p' => (action == 'p', "p, as no removal is pending in the placing phase"),
            'm' => (action == 's', "s, as no removal is pending in the moving phase"),
            // The player who made the last shot may still be listed as having one.
            _ => (matches!(action, '?' | 'r'), "? or r, as the game is over"),
        };
        if fits { Ok(()) } else { Err(self.error(ACTION, expected)) }
    }
}

impl Fen {
    /// The start of a game.
    pub fn start(rules: &RuleSet) -> Self {
        Self { position: Position::start(rules), move_number: 1 }
    }

    /// The end of a record that begins here, with its moves counted.
    ///
    /// # Errors
    /// [`RecordError`] with the first illegal turn.
    pub fn follow(&self, record: &Record, rules: &RuleSet) -> Result<Self, RecordError> {
        let positions = record.positions(&self.position, rules)?;
        let rounds =
            positions.windows(2).filter(|pair| (pair[0].to_move, pair[1].to_move) == (Side::Second, Side::First));
        let move_number = self.move_number.saturating_add(u32::try_from(rounds.count()).unwrap_or(u32::MAX));
        Ok(Self { position: positions.last().copied().unwrap_or(self.position), move_number })
    }

    /// Reads a FEN in either dialect and checks it for consistency and against the rules.
    ///
    /// Restrictions that bar nothing, which some programs keep writing, are left out of the position. Plies counted
    /// before the moving phase are left out too: no draw counter runs there.
    ///
    /// # Errors
    /// [`NotationError`] naming the field that cannot be read or contradicts another, or the impossible position.
    pub fn parse(text: &str, rules: &RuleSet) -> Result<Self, NotationError> {
        let fields = Fields::split(without_mark("FEN", text)?)?;
        let cows = fields.cows()?;
        let side = fields.letter(SIDE, &SIDES, "w or b")?;
        let to_move = if side == SIDES[0] { Side::First } else { Side::Second };
        let mut position = Position::moving(cows, to_move);
        for side in Side::BOTH {
            let at = side.index();
            let on_board: u8 = fields.number(ON_BOARD[at], "a number of cows")?;
            if on_board != cows[at].len() {
                return Err(fields.error(ON_BOARD[at], format!("{}, the cows in field 1", cows[at].len())));
            }
            position.hands[at] = fields.number(IN_HAND[at], "a number of cows")?;
            position.remakes[at] = fields.remake(side)?;
            let pending: u8 = fields.number(PENDING[at], "0 or 1")?;
            match pending {
                0 => {}
                1 if side == to_move => position.shot_pending = true,
                1 => return Err(fields.error(PENDING[at], "0, as the other player is to move")),
                _ => return Err(fields.error(PENDING[at], "0 or 1, as a turn shoots one cow at most")),
            }
        }
        if fields.texts[ACTION] == "r" && fields.texts[PHASE] != "o" && !position.shot_pending {
            return Err(fields.error(PENDING[to_move.index()], "1, as the action is r"));
        }
        let _: u64 = fields.number(LINES, "a bitfield as a number")?;
        let plies = fields.number(PLIES, "a number of plies from 0 to 65535")?;
        position.counter = if position.is_moving_phase() { plies } else { 0 };
        let move_number = fields.number(MOVE, "a number from 0 to 4294967295")?;
        fields.check_start(rules, &position)?;
        // A restriction that bars nothing, such as from a flight that made a line, need not be one that a turn can
        // leave.
        let position = position.without_moot_remakes(rules).settled(rules)?;
        fields.check_phase(rules, &position)?;
        Ok(Self { position, move_number })
    }

    /// The FEN's text. The rules decide whether the game is over.
    pub fn to_text(&self, dialect: FenDialect, rules: &RuleSet) -> String {
        let position = &self.position;
        let (phase, action) = match () {
            () if position.outcome(rules).is_some() => ('o', '?'),
            () if position.is_moving_phase() => ('m', 's'),
            () => ('p', 'p'),
        };
        let mut text = String::with_capacity(90);
        for node in 0..3 * RING {
            if node > 0 && node % RING == 0 {
                text.push('/');
            }
            let owner = point_of(node).and_then(|point| position.cows.iter().position(|cows| cows.contains(point)));
            text.push(owner.map_or('*', |owner| COWS[owner]));
        }
        let mut field = |value: &dyn std::fmt::Display| {
            // Writing to a string cannot fail.
            let _ = write!(text, " {value}");
        };
        field(&SIDES[position.to_move.index()]);
        field(&phase);
        field(if position.shot_pending { &'r' } else { &action });
        for at in 0..2 {
            field(&position.cows[at].len());
            field(&position.hands[at]);
        }
        for side in Side::BOTH {
            field(&u8::from(position.shot_pending && side == position.to_move));
        }
        for remake in position.remakes {
            let points = remake.map_or([None; 2], |remake| [Some(remake.from), Some(remake.to)]);
            for point in points {
                match point {
                    Some(point) => field(&(node_of(point) + dialect.offset())),
                    None => field(&dialect.none()),
                }
            }
        }
        field(&0);
        field(&position.counter);
        field(&self.move_number);
        if dialect == FenDialect::Nodes {
            field(&MARK);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;

    #[test]
    fn nodes_and_points_are_inverse_and_in_the_documented_order() {
        let names = [
            "d5", "e5", "e4", "e3", "d3", "c3", "c4", "c5", "d6", "f6", "f4", "f2", "d2", "b2", "b4", "b6", "d7", "g7",
            "g4", "g1", "d1", "a1", "a4", "a7",
        ];
        for (node, name) in names.into_iter().enumerate() {
            let point = point_of(node).unwrap();
            assert_eq!((point.grid_name(), node_of(point)), (name, node));
        }
        assert_eq!(point_of(24), None);
    }

    #[test]
    fn both_dialects_of_the_published_examples_are_read() {
        let rules = Preset::Gar.rules();
        let old = "******@*/******@O/****O*@O b p r 3 9 3 9 0 1 0 0 0 0 0 0 1";
        let fen = Fen::parse(old, &rules).unwrap();
        assert_eq!(fen.position.to_string(), "B:Wa7,d1,b6:Ba4,b4,c4:H9,9:S");
        assert_eq!(fen.to_text(FenDialect::Old, &rules), old);
        let nodes = fen.to_text(FenDialect::Nodes, &rules);
        assert_eq!(nodes, "******@*/******@O/****O*@O b p r 3 9 3 9 0 1 -1 -1 -1 -1 0 0 1 ids:nodes");
        assert_eq!(Fen::parse(&nodes, &rules), Ok(fen));
        let start = Fen { position: Position::start(&rules), move_number: 1 };
        for text in [
            "********/********/******** w p p 0 12 0 12 0 0 0 0 0 0 0 0 1",
            "********/********/******** w r p 0 12 0 12 0 0 0 0 0 0 0 0 1",
            "********/********/******** w r ? 0 12 0 12 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
        ] {
            assert_eq!(Fen::parse(text, &rules), Ok(start), "{text}");
        }
    }

    #[test]
    fn restrictions_are_numbered_in_both_dialects_and_kept_only_while_they_bar_something() {
        let rules = Preset::Gar.rules();
        // The first player holds g1 and a1 of the line through d1, and has just moved d1-d2.
        let text = "@@@*****/***OOO**/***O*O** b m s 5 0 3 0 0 0 20 12 -1 -1 0 0 1 ids:nodes";
        let fen = Fen::parse(text, &rules).unwrap();
        assert_eq!(fen.position.to_string(), "B:Wg1,a1,f2,d2,b2:Bd5,e5,e4:LWd1-d2");
        assert_eq!(fen.to_text(FenDialect::Nodes, &rules), text);
        assert!(fen.to_text(FenDialect::Old, &rules).contains(" 28 20 0 0 "));
        assert_eq!(Fen::parse(&fen.to_text(FenDialect::Old, &rules), &rules), Ok(fen));
        let without_rule = Fen::parse(text, &Preset::Plain.rules()).unwrap();
        assert_eq!(without_rule.position.remakes, [None; 2]);
        let moot = text.replacen("***OOO**/***O*O**", "***OOO**/O**O****", 1);
        assert_eq!(Fen::parse(&moot, &rules).unwrap().position.remakes, [None; 2]);
    }

    #[test]
    fn contradictions_name_their_field() {
        let rules = Preset::Gar.rules();
        let good = "O*****@*/O*****@*/**@***O@ w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 19 32 ids:nodes";
        let cases = [
            (1, "O*****@/O*****@*/**@***O@"),
            (1, "O*****@*/O*****@*"),
            (1, "O*****@x/O*****@*/**@***O@"),
            (2, "n"),
            (3, "p"),
            (3, "r"),
            (3, "o"),
            (3, "mm"),
            (4, "p"),
            (4, "?"),
            (4, "z"),
            (5, "4"),
            (5, "three"),
            (6, "-1"),
            (7, "3"),
            (8, "256"),
            (9, "2"),
            (10, "1"),
            (11, "24"),
            (11, "-2"),
            (15, "-1"),
            (16, "65536"),
            (17, "x"),
        ];
        assert!(Fen::parse(good, &rules).is_ok());
        for (number, wrong) in cases {
            let mut fields: Vec<&str> = good.split(' ').collect();
            fields[number - 1] = wrong;
            match Fen::parse(&fields.join(" "), &rules) {
                Err(NotationError::FenField { number: named, found, .. }) => {
                    assert_eq!((named, &*found), (number, wrong));
                }
                other => panic!("field {number} as {wrong:?}: {other:?}"),
            }
        }
        let action_without_removal = good.replacen("m s", "m r", 1);
        let error = Fen::parse(&action_without_removal, &rules).unwrap_err().to_string();
        assert!(error.starts_with("FEN field 9 "), "{error}");
        let removal_without_action = good.replacen("4 0 0 0", "4 0 1 0", 1);
        assert!(Fen::parse(&removal_without_action, &rules).is_err());
        for wrong in
            ["", "O/", &good.replace(" 32", ""), &format!("{good} 1"), &good.replace("ids:nodes", "ids:squares")]
        {
            assert!(matches!(Fen::parse(wrong, &rules), Err(NotationError::FenLength { .. })), "{wrong}");
        }
        let old_none = good.replace(" ids:nodes", "");
        let error = Fen::parse(&old_none, &rules).unwrap_err().to_string();
        assert!(error.contains("without ids:nodes"), "{error}");
    }

    #[test]
    fn lines_made_by_a_placement_or_a_flight_are_read_and_bar_nothing() {
        let rules = Preset::Gar.rules();
        for (text, printed) in [
            ("********/******@*/OO*****O b p p 3 9 1 10 0 0 -1 17 -1 -1 0 0 3 ids:nodes", "B:Wa7,d7,g7:Bb4:H9,10"),
            ("********/******@*/OO*****O b p p 3 9 1 10 0 0 0 25 0 0 0 0 3", "B:Wa7,d7,g7:Bb4:H9,10"),
        ] {
            assert_eq!(Fen::parse(text, &rules).unwrap().position.to_string(), printed, "{text}");
        }
        let flight = "*OOO*@@@/*OOO****/*OO***** b m r 8 0 3 0 0 1 19 11 21 5 0 1 29 ids:nodes";
        let fen = Fen::parse(flight, &rules).unwrap();
        assert!(fen.position.shot_pending && fen.position.remakes[1].is_none(), "{}", fen.position);
    }

    #[test]
    fn a_finished_game_may_say_that_a_shot_was_to_come() {
        let text = "OOO*****/********/@@****** b o r 3 0 2 0 0 0 -1 -1 -1 -1 0 0 40 ids:nodes";
        assert!(Fen::parse(text, &Preset::Gar.rules()).is_ok());
    }

    #[test]
    fn an_empty_board_has_the_hands_of_the_rules() {
        let nine = "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
        assert!(Fen::parse(nine, &Preset::NineMensMorris.rules()).is_ok());
        let error = Fen::parse(nine, &Preset::Gar.rules()).unwrap_err().to_string();
        assert!(error.starts_with("FEN field 6 ") && error.contains("12, as the board is empty"), "{error}");
    }

    #[test]
    fn phase_over_agrees_with_the_rules() {
        let text = "O*****@*/O*****@*/**@***O@ w o ? 3 0 4 0 0 0 -1 -1 -1 -1 0 20 32 ids:nodes";
        let rules = Preset::Gar.rules();
        assert_eq!(Fen::parse(text, &rules).unwrap().to_text(FenDialect::Nodes, &rules), text);
        let error = Fen::parse(text, &Preset::Plain.rules()).unwrap_err().to_string();
        assert!(error.contains("not over under these rules"), "{error}");
    }
}
