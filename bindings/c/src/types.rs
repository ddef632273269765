//! The plain structs that cross the boundary, and the way between them and the library's types.
//!
//! Structs that C fills in hold numbers only, as any bits may come; enums stand in results alone.

use tablebase::{
    Class, ClassError, Outcome, Point, PointSet, Position, Probe, RankedTurn, Reason, Remake, Side, Step, Turn, Value,
    Verdict, Wdl,
};

use crate::error::Failure;

/// Stands for no point in a MorabaseTurn.
pub const MORABASE_NO_POINT: u8 = 255;

/// A capacity that the turns of any position fit in: each of the 40 edges leads one way, or 3 cows fly, or a cow is placed; and at
/// most 12 cows can be shot.
pub const MORABASE_MAX_TURNS: usize = 512;

/// The two players. The first places the first cow; names of colours are labels.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MorabaseSide {
    /// The player who places the first cow, `W` in texts.
    First = 0,
    /// The other player, `B` in texts.
    Second = 1,
}

/// Who wins under best play, seen from the side to move.
#[repr(i8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MorabaseWdl {
    /// The side to move loses.
    Lost = -1,
    /// Neither side can win.
    Drawn = 0,
    /// The side to move wins.
    Won = 1,
}

/// Won, drawn or lost with the draws told apart that only the draw counter makes. The numbers are those of Fathom's results.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MorabaseVerdict {
    /// The side to move loses.
    Lost = 0,
    /// Lost with the counter at zero, but the counter runs out first: a draw.
    BlessedLoss = 1,
    /// Drawn, wherever the counter stands.
    Drawn = 2,
    /// Won with the counter at zero, but the counter runs out first: a draw.
    CursedWin = 3,
    /// The side to move wins.
    Won = 4,
}

/// Whether and how the game has ended.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MorabaseOutcome {
    /// The game goes on.
    None = 0,
    /// The first player has won.
    FirstWon = 1,
    /// The second player has won.
    SecondWon = 2,
    /// The game is drawn.
    Drawn = 3,
}

/// Why the game is over.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MorabaseReason {
    /// It is not over.
    None = 0,
    /// A player has fewer than three cows.
    TooFewCows = 1,
    /// The player to move has no legal turn.
    Blocked = 2,
    /// All 24 points are taken and the rules call that a draw.
    FullBoard = 3,
    /// The draw counter has reached its limit.
    Counter = 4,
}

/// What a player's last turn left for the no-remake rule: the cow that went `from` -> `to` broke a line and completed one. Equal
/// points, such as two zeros, stand for nothing left.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MorabaseRemake {
    /// The point the cow left, 0 to 23.
    pub from: u8,
    /// The point where it completed a line, 0 to 23.
    pub to: u8,
}

/// A position. Start from a struct of zeros: what is not filled in then means that there is nothing of it.
///
/// Bit `p` of a bitboard is point `p` = ring * 8 + (n - 1): the exterior ring E1..E8 is bits 0 to 7, the middle ring A 8 to 15, the
/// inner ring R 16 to 23, each clockwise from its top-left corner. On the grid, from bit 0: a7 d7 g7 g4 g1 d1 a1 a4,
/// b6 d6 f6 f4 f2 d2 b2 b4, c5 d5 e5 e4 e3 d3 c3 c4.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MorabasePosition {
    /// Cows on the board, the first player's and the second's; bits 24 to 31 are zero.
    pub cows: [u32; 2],
    /// Plies of the moving phase since the last shot. Whether they count is the rules' matter.
    pub counter: u16,
    /// Cows in hand, the first player's and the second's.
    pub hands: [u8; 2],
    /// A MorabaseSide: whose turn it is.
    pub to_move: u8,
    /// 1 if the side to move has completed a line and its shot is still to come, 0 otherwise.
    pub shot_pending: u8,
    /// What each player's last turn left for the no-remake rule.
    pub remakes: [MorabaseRemake; 2],
    /// Zero.
    pub reserved: [u8; 2],
}

/// A turn. MORABASE_NO_POINT (not zero, which is a point) stands where there is no point.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MorabaseTurn {
    /// The point that the cow leaves; none if it is placed from the hand.
    pub from: u8,
    /// The point that the cow goes to or is placed on; none if the turn is the shot alone that was still to come.
    pub to: u8,
    /// The point of the opponent's cow that is shot; none if nothing is shot.
    pub shot: u8,
}

/// A value for the side to move, and its distance (DTC): plies to the next shot or to the end of the game, where the winner
/// hurries and the loser delays. While there are cows in hand plies are not counted: each placement is progress.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MorabaseValue {
    /// Who wins.
    pub wdl: MorabaseWdl,
    /// Zero.
    pub reserved: u8,
    /// The distance in plies: 0 if the game is over, for every draw, and where plies are not counted.
    pub dtc: u16,
}

/// A class of positions by material, `4-3` or with cows in hand `2-3+2-1`. All zero where there is none.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MorabaseClass {
    /// Cows of the side to move on the board, 0 to 12.
    pub mover: u8,
    /// Cows of the waiting side on the board, 0 to 12.
    pub waiting: u8,
    /// Cows of the side to move in hand, 0 to 12; 0 in the moving phase.
    pub mover_hand: u8,
    /// Cows of the waiting side in hand, 0 to 12; 0 in the moving phase.
    pub waiting_hand: u8,
}

/// What a probe answers.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MorabaseProbe {
    /// The value, with the draw counter and all restrictions where they stand.
    pub value: MorabaseValue,
    /// The value if the draw counter stood at zero. It differs from `value` only where that is a draw.
    pub at_zero: MorabaseValue,
    /// The value at counter zero without the no-remake restrictions.
    pub unrestricted: MorabaseValue,
    /// The value with draws told apart that only the counter makes.
    pub verdict: MorabaseVerdict,
    /// Whether and how the game has ended.
    pub outcome: MorabaseOutcome,
    /// Why the game is over.
    pub reason: MorabaseReason,
    /// The class of the position, cows in hand included; all zero with fewer than three cows on a side.
    pub table_class: MorabaseClass,
    /// Zero.
    pub reserved: u8,
}

/// A legal turn and what it is worth to the side that makes it.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MorabaseRankedTurn {
    /// The turn.
    pub turn: MorabaseTurn,
    /// The value with draws told apart that only the counter makes.
    pub verdict: MorabaseVerdict,
    /// The value for the side that makes the turn; the distance includes this turn, and is 1 for a shot. It is 0, as not
    /// counted, if there were cows in hand before the turn.
    pub value: MorabaseValue,
    /// The position it leads to.
    pub after: MorabasePosition,
    /// The answer on that position, for the other side.
    pub reply: MorabaseProbe,
}

// A program compiled against one version of the header must find the same structs in the next.
const _: () = assert!(size_of::<MorabasePosition>() == 20 && align_of::<MorabasePosition>() == 4);
const _: () = assert!(size_of::<MorabaseTurn>() == 3 && size_of::<MorabaseValue>() == 4);
const _: () = assert!(size_of::<MorabaseProbe>() == 20 && size_of::<MorabaseRankedTurn>() == 48);
const _: () = assert!(size_of::<crate::error::MorabaseError>() == 1024);

fn bad_field(what: &'static str, expected: &'static str, found: u32) -> Failure {
    Failure::PositionField { what, expected, found }
}

fn flag(value: u8, what: &'static str) -> Result<bool, Failure> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        found => Err(bad_field(what, "0 or 1", found.into())),
    }
}

impl MorabaseRemake {
    fn read(self) -> Result<Option<Remake>, Failure> {
        let point = |point| Point::new(point).ok_or_else(|| bad_field("remakes", "points from 0 to 23", point.into()));
        let (from, to) = (point(self.from)?, point(self.to)?);
        Ok((from != to).then_some(Remake { from, to }))
    }
}

impl MorabasePosition {
    /// The position that the numbers stand for; whether it can occur is not asked yet.
    pub(crate) fn read(self) -> Result<Position, Failure> {
        let cows = |bits| PointSet::from_bits(bits).ok_or_else(|| bad_field("cows", "no bit above bit 23", bits));
        if let Some(found) = self.reserved.into_iter().find(|byte| *byte != 0) {
            return Err(bad_field("reserved", "0, as in a struct that was zeroed first", found.into()));
        }
        let second = flag(self.to_move, "to_move")?;
        Ok(Position {
            cows: [cows(self.cows[0])?, cows(self.cows[1])?],
            hands: self.hands,
            to_move: if second { Side::Second } else { Side::First },
            shot_pending: flag(self.shot_pending, "shot_pending")?,
            counter: self.counter,
            remakes: [self.remakes[0].read()?, self.remakes[1].read()?],
        })
    }
}

impl From<Option<Remake>> for MorabaseRemake {
    fn from(remake: Option<Remake>) -> Self {
        remake.map_or(Self { from: 0, to: 0 }, |remake| Self { from: number(remake.from), to: number(remake.to) })
    }
}

impl From<&Position> for MorabasePosition {
    fn from(position: &Position) -> Self {
        Self {
            cows: position.cows.map(PointSet::bits),
            counter: position.counter,
            hands: position.hands,
            to_move: match position.to_move {
                Side::First => MorabaseSide::First as u8,
                Side::Second => MorabaseSide::Second as u8,
            },
            shot_pending: position.shot_pending.into(),
            remakes: position.remakes.map(Into::into),
            reserved: [0; 2],
        }
    }
}

fn number(point: Point) -> u8 {
    point.index() as u8
}

fn point(number: u8, what: &'static str) -> Result<Option<Point>, Failure> {
    if number == MORABASE_NO_POINT {
        return Ok(None);
    }
    let expected = "a point from 0 to 23, or MORABASE_NO_POINT";
    let bad = || Failure::Argument { what, expected, found: number.to_string() };
    Point::new(number).map(Some).ok_or_else(bad)
}

impl MorabaseTurn {
    pub(crate) fn read(self) -> Result<Turn, Failure> {
        let (from, to, shot) = (point(self.from, "from")?, point(self.to, "to")?, point(self.shot, "shot")?);
        let (step, shot) = match (from, to, shot) {
            (Some(from), Some(to), shot) => (Step::Move(from, to), shot),
            (None, Some(to), shot) => (Step::Place(to), shot),
            (None, None, Some(shot)) => (Step::Shoot(shot), None),
            (_, None, _) => {
                let expected = "from and to, to alone, or shot alone, the others MORABASE_NO_POINT";
                let found = format!("from {}, to {}, shot {}", self.from, self.to, self.shot);
                return Err(Failure::Argument { what: "turn", expected, found });
            }
        };
        Ok(Turn { step, shot })
    }
}

impl From<Turn> for MorabaseTurn {
    fn from(turn: Turn) -> Self {
        let (from, to, alone) = match turn.step {
            Step::Place(to) => (None, Some(to), None),
            Step::Move(from, to) => (Some(from), Some(to), None),
            Step::Shoot(at) => (None, None, Some(at)),
        };
        let [from, to, shot] = [from, to, alone.or(turn.shot)].map(|point| point.map_or(MORABASE_NO_POINT, number));
        Self { from, to, shot }
    }
}

impl From<Wdl> for MorabaseWdl {
    fn from(wdl: Wdl) -> Self {
        match wdl {
            Wdl::Lost => Self::Lost,
            Wdl::Drawn => Self::Drawn,
            Wdl::Won => Self::Won,
        }
    }
}

impl From<Verdict> for MorabaseVerdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Lost => Self::Lost,
            Verdict::BlessedLoss => Self::BlessedLoss,
            Verdict::Drawn => Self::Drawn,
            Verdict::CursedWin => Self::CursedWin,
            Verdict::Won => Self::Won,
        }
    }
}

impl From<Value> for MorabaseValue {
    fn from(value: Value) -> Self {
        Self { wdl: value.wdl().into(), reserved: 0, dtc: value.dtc().map_or(0, |plies| plies.0) }
    }
}

impl From<Reason> for MorabaseReason {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::TooFewCows => Self::TooFewCows,
            Reason::Blocked => Self::Blocked,
            Reason::FullBoard => Self::FullBoard,
            Reason::Counter => Self::Counter,
        }
    }
}

impl From<Class> for MorabaseClass {
    fn from(class: Class) -> Self {
        Self {
            mover: class.mover(),
            waiting: class.waiting(),
            mover_hand: class.mover_hand(),
            waiting_hand: class.waiting_hand(),
        }
    }
}

impl TryFrom<MorabaseClass> for Class {
    type Error = ClassError;

    fn try_from(class: MorabaseClass) -> Result<Self, ClassError> {
        Self::with_hands([class.mover, class.waiting], [class.mover_hand, class.waiting_hand])
    }
}

impl From<&Probe> for MorabaseProbe {
    fn from(probe: &Probe) -> Self {
        let (outcome, reason) = match probe.outcome {
            None => (MorabaseOutcome::None, MorabaseReason::None),
            Some(Outcome::Won(Side::First, reason)) => (MorabaseOutcome::FirstWon, reason.into()),
            Some(Outcome::Won(Side::Second, reason)) => (MorabaseOutcome::SecondWon, reason.into()),
            Some(Outcome::Drawn(reason)) => (MorabaseOutcome::Drawn, reason.into()),
        };
        Self {
            value: probe.value.into(),
            at_zero: probe.at_zero.into(),
            unrestricted: probe.unrestricted.into(),
            verdict: probe.verdict().into(),
            outcome,
            reason,
            table_class: probe.class.map(MorabaseClass::from).unwrap_or_default(),
            reserved: 0,
        }
    }
}

impl From<&RankedTurn> for MorabaseRankedTurn {
    fn from(ranked: &RankedTurn) -> Self {
        Self {
            turn: ranked.turn.into(),
            verdict: ranked.verdict.into(),
            value: ranked.value.into(),
            after: (&ranked.after).into(),
            reply: (&ranked.reply).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_with_cows_in_hand_has_a_class_with_hands_and_no_distance() {
        let class = Class::with_hands([2, 3], [2, 1]).unwrap();
        let value = Value::Winning;
        let probe = Probe { value, at_zero: value, unrestricted: value, class: Some(class), outcome: None };
        let probe = MorabaseProbe::from(&probe);
        assert_eq!((probe.value.wdl, probe.value.dtc, probe.verdict), (MorabaseWdl::Won, 0, MorabaseVerdict::Won));
        assert_eq!(probe.table_class, MorabaseClass { mover: 2, waiting: 3, mover_hand: 2, waiting_hand: 1 });
    }
}
