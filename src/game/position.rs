//! [`Position`]: everything the rules need to continue the game.

use crate::board::{Board, Point, PointSet};
use crate::rules::{FEWEST_COWS, FLYING_COWS, NoRemake, RuleSet};

/// One of the two players. Colour names are only labels: in some places dark plays first, in others white.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// The player who places the first cow.
    First,
    /// The other player.
    Second,
}

impl Side {
    /// Both players.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The other player.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// 0 for the first player, 1 for the second.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// What a player's last turn left for the no-remake rule: the cow went `from` -> `to`, broke at least one own line
/// through `from` and completed a line at `to`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Remake {
    /// Where the cow came from ("P").
    pub from: Point,
    /// Where it completed a line ("Q").
    pub to: Point,
}

impl Remake {
    /// The pairs of points that made a line with `from` before the move and are still held by `cows`. Once there are
    /// none, the restriction bars nothing and never will again.
    pub fn broken_lines(self, board: &Board, cows: PointSet) -> impl Iterator<Item = PointSet> + '_ {
        board.line_partners(self.from).filter(move |pair| !pair.contains(self.to) && pair.intersection(cows) == *pair)
    }

    /// Whether a line broken by the move could still be completed again, judging by its owner's cows alone.
    pub fn is_live(self, board: &Board, cows: PointSet) -> bool {
        self.broken_lines(board, cows).next().is_some()
    }
}

/// A position: board, hands, side to move, draw counter and both players' no-remake restrictions.
///
/// `shot_pending` says that the side to move has made a line and must still shoot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// Cows on the board, first player's then second's.
    pub cows: [PointSet; 2],
    /// Cows in hand, first player's then second's.
    pub hands: [u8; 2],
    /// Whose turn it is.
    pub to_move: Side,
    /// Whether the side to move has completed a line and must still shoot.
    pub shot_pending: bool,
    /// Plies of the moving phase since the last shot. Whether they count depends on the rule set.
    pub counter: u16,
    /// What each player's last turn left for the no-remake rule.
    pub remakes: [Option<Remake>; 2],
}

/// Why a position cannot occur under a rule set.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// Both players have a cow on this point.
    #[error("both players have a cow on {0}")]
    Overlap(Point),
    /// A player has more cows than the rules give.
    #[error("the {} player has {on_board} cows on the board and {in_hand} in hand: expected at most {most} together", side_name(*.side))]
    TooManyCows {
        /// The player.
        side: Side,
        /// Cows on the board.
        on_board: u8,
        /// Cows in hand.
        in_hand: u8,
        /// The most the rules allow.
        most: u8,
    },
    /// Both players have fewer than three cows, but a game ends before that.
    #[error("the players have {} and {} cows, board and hand together: expected three or more of one of them (cows still to place are given at the end, as :H{},{})", .cows[0], .cows[1], .to_place[0], .to_place[1])]
    TooFewCows {
        /// Cows of the first player and of the second.
        cows: [u8; 2],
        /// The most that each of them may still have to place: all that are not on the board.
        to_place: [u8; 2],
    },
    /// A shot is marked as pending, but the side to move holds no line or there is nothing to shoot.
    #[error("a shot is pending for the {} player, but {why}", side_name(*.side))]
    NoShot {
        /// The player who would shoot.
        side: Side,
        /// What contradicts it.
        why: &'static str,
    },
    /// A no-remake restriction that no turn can have left.
    #[error("the last turn {}-{} of the {} player cannot have been made: {why}", .remake.from, .remake.to, side_name(*.side))]
    Remake {
        /// The player.
        side: Side,
        /// The restriction.
        remake: Remake,
        /// What contradicts it.
        why: &'static str,
    },
}

debug_is_display!(PositionError);

fn side_name(side: Side) -> &'static str {
    ["first", "second"][side.index()]
}

impl Position {
    /// The start: an empty board, all cows in hand, the first player to move.
    pub fn start(rules: &RuleSet) -> Self {
        Self { hands: [rules.cows; 2], ..Self::moving([PointSet::EMPTY; 2], Side::First) }
    }

    /// A position with empty hands and no history.
    pub const fn moving(cows: [PointSet; 2], to_move: Side) -> Self {
        Self { cows, hands: [0; 2], to_move, shot_pending: false, counter: 0, remakes: [None; 2] }
    }

    /// The cows of the side to move.
    pub const fn mover(&self) -> PointSet {
        self.cows[self.to_move.index()]
    }

    /// The cows of the waiting side.
    pub const fn waiting(&self) -> PointSet {
        self.cows[self.to_move.other().index()]
    }

    /// The points of the board without a cow.
    pub const fn empty(&self, board: &Board) -> PointSet {
        board.free(self.cows[0].union(self.cows[1]))
    }

    /// A player's cows, on the board and in hand together.
    pub const fn cow_count(&self, side: Side) -> u8 {
        self.cows[side.index()].len().saturating_add(self.hands[side.index()])
    }

    /// Whether both hands are empty.
    pub const fn is_moving_phase(&self) -> bool {
        self.hands[0] == 0 && self.hands[1] == 0
    }

    /// The position with the players exchanged, which has the same value for the side to move.
    #[must_use]
    pub fn with_players_exchanged(mut self) -> Self {
        self.cows.reverse();
        self.hands.reverse();
        self.remakes.reverse();
        self.to_move = self.to_move.other();
        self
    }

    /// Returns the position if it can occur under `rules`. Hands may differ from what strict alternation from the start
    /// leaves: a game may be set up with one side short of cows.
    ///
    /// # Errors
    /// [`PositionError`] naming the first contradiction.
    pub fn check(self, rules: &RuleSet) -> Result<Self, PositionError> {
        if let Some(point) = self.cows[0].intersection(self.cows[1]).iter().next() {
            return Err(PositionError::Overlap(point));
        }
        for side in Side::BOTH {
            let (on_board, in_hand) = (self.cows[side.index()].len(), self.hands[side.index()]);
            if u32::from(on_board) + u32::from(in_hand) > u32::from(rules.cows) {
                return Err(PositionError::TooManyCows { side, on_board, in_hand, most: rules.cows });
            }
        }
        self.check_shot(rules.board())?;
        for side in Side::BOTH {
            self.check_remake(rules.board(), side)?;
        }
        // One of them has lost, but it is unclear who.
        if Side::BOTH.into_iter().all(|side| self.cow_count(side) < FEWEST_COWS) {
            let to_place = self.cows.map(|cows| rules.cows.saturating_sub(cows.len()));
            return Err(PositionError::TooFewCows { cows: Side::BOTH.map(|side| self.cow_count(side)), to_place });
        }
        Ok(self)
    }

    fn check_shot(&self, board: &Board) -> Result<(), PositionError> {
        if !self.shot_pending {
            return Ok(());
        }
        let why = if board.in_lines(self.mover()).is_empty() {
            "none of its cows stands in a line"
        } else if self.waiting().is_empty() {
            "the opponent has no cow on the board"
        } else {
            return Ok(());
        };
        Err(PositionError::NoShot { side: self.to_move, why })
    }

    fn check_remake(&self, board: &Board, side: Side) -> Result<(), PositionError> {
        let Some(remake) = self.remakes[side.index()] else { return Ok(()) };
        let others = self.cows[side.other().index()];
        let own = self.cows[side.index()];
        // Between the owner's last turn and this position lies a whole turn of the opponent, half a turn, or nothing.
        let owner_is_to_move = side == self.to_move;
        let opponent_has_moved = owner_is_to_move && !self.shot_pending;
        let line_stands = own.contains(remake.to) && board.completes_line(own, remake.to);
        let most_plies = match (owner_is_to_move, self.shot_pending) {
            (false, false) => 0,
            (true, true) => u16::MAX,
            _ => 1,
        };
        // A player who flies has three cows, and three cows cannot break one line and complete another.
        let why = if !board.neighbours(remake.from).contains(remake.to) {
            "there is no edge between the points"
        } else if own.contains(remake.from) {
            "the cow is said to have left the first point"
        } else if others.contains(remake.to) {
            "the opponent has a cow on the second point"
        } else if owner_is_to_move == self.shot_pending && others.contains(remake.from) {
            "the opponent has a cow on the first point and has not moved since"
        } else if !(line_stands || opponent_has_moved) {
            "no line stands through the second point and nothing can have been shot since"
        } else if self.counter > most_plies {
            "it shot a cow, and more plies are counted since the last shot"
        } else if self.hands[side.index()] > 0 {
            "its hand is not empty"
        } else {
            return Ok(());
        };
        Err(PositionError::Remake { side, remake, why })
    }

    /// The position without restrictions that can no longer bar anything, so that positions that play alike are equal.
    #[must_use]
    pub fn without_moot_remakes(mut self, rules: &RuleSet) -> Self {
        for side in Side::BOTH {
            let remake = self.remakes[side.index()].filter(|remake| self.may_bar(rules, side, *remake));
            self.remakes[side.index()] = remake;
        }
        self
    }

    /// Whether a restriction may bar a turn of its owner before it expires, which it does with that turn.
    fn may_bar(&self, rules: &RuleSet, side: Side, remake: Remake) -> bool {
        let (board, own) = (rules.board(), self.cows[side.index()]);
        let Remake { from, to } = remake;
        // An opponent's cow moved there in the turn between, so it is still there when the owner's turn comes.
        if self.cows[0].union(self.cows[1]).contains(from) {
            return false;
        }
        match rules.no_remake {
            NoRemake::None => false,
            NoRemake::SameCow => own.contains(to) && remake.is_live(board, own),
            NoRemake::SameLine => {
                // The opponent may shoot before the owner moves, and then the owner may fly.
                let may_be_shot = side != self.to_move || self.shot_pending;
                let flies = own.len() <= FLYING_COWS + u8::from(may_be_shot);
                let near = if flies { own } else { own.intersection(board.neighbours(from)) };
                remake.broken_lines(board, own).any(|pair| !near.difference(pair).is_empty())
            }
        }
    }
}
