//! Legal turns, what they do, and the end of the game.

use crate::board::{Board, POINTS, Point, PointSet};
use crate::rules::{FEWEST_COWS, FLYING_COWS, FullBoard, NoRemake, RuleSet};

use super::{Position, Remake, Side, Step, Turn};

/// How a finished game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// This player has won.
    Won(Side, Reason),
    /// The game is drawn.
    Drawn(Reason),
}

/// Why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// A player has fewer than three cows.
    TooFewCows,
    /// The player to move has no legal turn.
    Blocked,
    /// Every point is taken, which the rules call a draw.
    FullBoard,
    /// The draw counter has reached its limit.
    Counter,
}

/// A turn that the rules do not allow here.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IllegalTurn {
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// The target point of the placement or move is taken.
    #[error("{0} is taken")]
    Taken(Point),
    /// The side to move has no cow on the point to move from.
    #[error("the side to move has no cow on {0}")]
    NoCow(Point),
    /// The points are not adjacent, and the side to move may not fly.
    #[error("there is no edge from {0} to {1}, and only a player with exactly three cows and an empty hand flies")]
    NotAdjacent(Point, Point),
    /// A placement with an empty hand.
    #[error("the hand is empty, so a turn moves a cow; it cannot place one")]
    HandEmpty,
    /// A move with cows in hand.
    #[error("while cows are in hand a turn places a cow; it cannot move one")]
    HandNotEmpty,
    /// The no-remake rule bars the move.
    #[error("the no-remake rule bars {0}-{1} on this turn")]
    Remake(Point, Point),
    /// A line was completed, so a cow must be shot.
    #[error("the turn completes a line, so it must name the cow it shoots")]
    ShotMissing,
    /// No line was completed, or there is no cow to shoot.
    #[error("the turn completes no line, or there is no cow it may shoot, so it cannot shoot a cow on {0}")]
    ShotForbidden(Point),
    /// The waiting side has no cow on the point to shoot.
    #[error("the opponent has no cow on {0} to shoot")]
    NothingToShoot(Point),
    /// The cow stands in a line, and others do not.
    #[error("the cow on {0} stands in a line and may be shot only if every opponent's cow does")]
    Protected(Point),
    /// A shot is outstanding and must come first.
    #[error("a line has been made, so the turn is the shot that is still to come")]
    ShotPending,
    /// A shot on its own, although none is outstanding.
    #[error("no shot is outstanding, so a turn cannot be a shot alone")]
    NoShotPending,
    /// The record says that this player makes the turn, but the other is to move.
    #[error("the numbers of the record give it to the {} player, but it is the other player's turn", ["first", "second"][.0.index()])]
    OtherPlayer(Side),
    /// The record names a starting position, and the game begins from another one.
    #[error("the record's FEN tag gives another starting position; leave one of the two out")]
    OtherStart,
    /// The record names other rules, which are these.
    #[error("the game was played under the rules {}, as its tag Rules says", .0.name())]
    OtherRules(RuleSet),
}

debug_is_display!(IllegalTurn);

impl Position {
    /// How the game ended, or `None` while it is in progress.
    ///
    /// A decisive end takes precedence over the draw counter.
    pub fn outcome(&self, rules: &RuleSet) -> Option<Outcome> {
        let mover = self.to_move;
        for side in [mover, mover.other()] {
            if self.cow_count(side) < FEWEST_COWS {
                return Some(Outcome::Won(side.other(), Reason::TooFewCows));
            }
        }
        if self.shot_pending {
            return None;
        }
        if self.is_full_board_draw(rules) {
            return Some(Outcome::Drawn(Reason::FullBoard));
        }
        if !self.has_turn(rules) {
            return Some(Outcome::Won(mover.other(), Reason::Blocked));
        }
        self.counter_has_run_out(rules).then_some(Outcome::Drawn(Reason::Counter))
    }

    fn is_full_board_draw(&self, rules: &RuleSet) -> bool {
        rules.full_board == FullBoard::Draw && self.empty(rules.board()).is_empty()
    }

    fn counter_has_run_out(&self, rules: &RuleSet) -> bool {
        self.counter_limit(rules).is_some_and(|limit| self.counter >= limit)
    }

    /// The draw counter's limit in plies, if the counter runs in this position.
    pub fn counter_limit(&self, rules: &RuleSet) -> Option<u16> {
        if !self.is_moving_phase() {
            return None;
        }
        rules.counter_limit(self.cows[0].len(), self.cows[1].len())
    }

    /// All legal turns, in the order of their points; none once the game is over.
    ///
    /// ```
    /// use morabase::{Position, Preset};
    /// let rules = Preset::Gar.rules();
    /// assert_eq!(Position::start(&rules).turns(&rules).len(), 24);
    /// ```
    pub fn turns(&self, rules: &RuleSet) -> Vec<Turn> {
        if self.outcome(rules).is_some() { Vec::new() } else { self.turns_while_going(rules) }
    }

    /// The same for a game that is known not to be over.
    pub(crate) fn turns_while_going(&self, rules: &RuleSet) -> Vec<Turn> {
        if self.shot_pending {
            return self.targets(rules.board()).iter().map(|at| Turn::quiet(Step::Shoot(at))).collect();
        }
        let mut turns = Vec::with_capacity(POINTS);
        for step in self.steps(rules) {
            if self.demands_shot(rules.board(), step) {
                turns.extend(self.targets(rules.board()).iter().map(|at| Turn { step, shot: Some(at) }));
            } else {
                turns.push(Turn::quiet(step));
            }
        }
        turns
    }

    /// All legal half-turns: placements and moves without their shots, or the shots if one is outstanding.
    pub fn half_turns(&self, rules: &RuleSet) -> Vec<Step> {
        if self.outcome(rules).is_some() {
            Vec::new()
        } else if self.shot_pending {
            self.targets(rules.board()).iter().map(Step::Shoot).collect()
        } else {
            self.steps(rules).collect()
        }
    }

    fn has_turn(&self, rules: &RuleSet) -> bool {
        self.steps(rules).next().is_some()
    }

    /// The moves that only the no-remake rule takes away from the side to move, each with the lines that it must not
    /// complete again, given the current cows; none if the game is over for another reason.
    pub fn barred_moves(&self, rules: &RuleSet) -> Vec<(Remake, Vec<PointSet>)> {
        let over = self.outcome(rules).is_some_and(|outcome| !matches!(outcome, Outcome::Won(_, Reason::Blocked)));
        let Some(remake) = self.remakes[self.to_move.index()].filter(|_| !(over || self.shot_pending)) else {
            return Vec::new();
        };
        if self.hands[self.to_move.index()] > 0 {
            return Vec::new();
        }
        let (board, to) = (rules.board(), remake.from);
        let cows = self.mover().iter().filter(|&from| self.reach(board, from).contains(to));
        let barred = cows.filter(|&from| self.is_barred(rules, from, to));
        let lines = |from| remake.broken_lines(board, self.mover().without(from)).map(|pair| pair.with(to)).collect();
        barred.map(|from| (Remake { from, to }, lines(from))).collect()
    }

    /// Placements and moves that the rules allow, even if the game is already drawn.
    fn steps<'a>(&'a self, rules: &'a RuleSet) -> impl Iterator<Item = Step> + 'a {
        let placing = self.hands[self.to_move.index()] > 0;
        let places = if placing { self.empty(rules.board()) } else { PointSet::EMPTY };
        let movers = if placing { PointSet::EMPTY } else { self.mover() };
        let moves = movers
            .iter()
            .flat_map(move |from| self.reach(rules.board(), from).iter().map(move |to| (from, to)))
            .filter(|&(from, to)| !self.is_barred(rules, from, to))
            .map(|(from, to)| Step::Move(from, to));
        places.iter().map(Step::Place).chain(moves)
    }

    /// The empty points that the cow on `from` can move to.
    fn reach(&self, board: &Board, from: Point) -> PointSet {
        if self.mover().len() == FLYING_COWS {
            self.empty(board)
        } else {
            board.neighbours(from).intersection(self.empty(board))
        }
    }

    /// Whether the no-remake rule bars this move.
    fn is_barred(&self, rules: &RuleSet, from: Point, to: Point) -> bool {
        let Some(remake) = self.remakes[self.to_move.index()] else { return false };
        if to != remake.from {
            return false;
        }
        let rest = self.mover().without(from);
        match rules.no_remake {
            NoRemake::None => false,
            NoRemake::SameCow => from == remake.to && rules.board().completes_line(rest, to),
            NoRemake::SameLine => remake.broken_lines(rules.board(), rest).next().is_some(),
        }
    }

    /// Whether a placement or move completes a line and there is a cow to shoot.
    fn demands_shot(&self, board: &Board, step: Step) -> bool {
        let completes = match step {
            Step::Place(to) => board.completes_line(self.mover(), to),
            Step::Move(from, to) => board.completes_line(self.mover().without(from), to),
            Step::Shoot(_) => false,
        };
        completes && !self.waiting().is_empty()
    }

    /// The waiting side's cows that may be shot.
    fn targets(&self, board: &Board) -> PointSet {
        let cows = self.waiting();
        let loose = cows.difference(board.in_lines(cows));
        if loose.is_empty() { cows } else { loose }
    }

    /// The position after a turn.
    ///
    /// # Errors
    /// [`IllegalTurn`] with the rule that forbids it.
    pub fn apply(&self, turn: Turn, rules: &RuleSet) -> Result<Self, IllegalTurn> {
        let half = self.apply_half(turn.step, rules)?;
        match (half.shot_pending, turn.shot) {
            (false, None) => Ok(half),
            (true, Some(at)) => half.apply_half(Step::Shoot(at), rules),
            (true, None) => Err(IllegalTurn::ShotMissing),
            (false, Some(at)) => Err(IllegalTurn::ShotForbidden(at)),
        }
    }

    /// The position after a half-turn: if it completed a line, the same player must still shoot.
    ///
    /// # Errors
    /// [`IllegalTurn`] with the rule that forbids it.
    pub fn apply_half(&self, step: Step, rules: &RuleSet) -> Result<Self, IllegalTurn> {
        if self.outcome(rules).is_some() {
            return Err(IllegalTurn::GameOver);
        }
        self.check_step(rules, step)?;
        Ok(self.after_half(rules, step))
    }

    /// The position after a turn that is known to be legal.
    pub(crate) fn after(&self, rules: &RuleSet, turn: Turn) -> Self {
        let half = self.after_half(rules, turn.step);
        turn.shot.map_or(half, |at| half.after_half(rules, Step::Shoot(at)))
    }

    /// The same for a half-turn.
    fn after_half(&self, rules: &RuleSet, step: Step) -> Self {
        let board = rules.board();
        let (mover, waiting) = (self.to_move.index(), self.to_move.other().index());
        let mut next = *self;
        match step {
            Step::Place(to) => {
                next.cows[mover] = next.cows[mover].with(to);
                next.hands[mover] -= 1;
                next.counter = 0;
                next.remakes[mover] = None;
            }
            Step::Move(from, to) => {
                next.cows[mover] = next.cows[mover].without(from).with(to);
                next.counter = if self.is_moving_phase() { self.counter.saturating_add(1) } else { 0 };
                next.remakes[mover] = None;
                if rules.no_remake != NoRemake::None && self.demands_shot(board, step) {
                    next.remakes[mover] = Some(Remake { from, to });
                }
            }
            Step::Shoot(at) => {
                next.cows[waiting] = next.cows[waiting].without(at);
                next.counter = 0;
                next.shot_pending = false;
            }
        }
        next.shot_pending = self.demands_shot(board, step);
        if !next.shot_pending {
            next.to_move = self.to_move.other();
        }
        next.without_moot_remakes(rules)
    }

    fn check_step(&self, rules: &RuleSet, step: Step) -> Result<(), IllegalTurn> {
        let placing = self.hands[self.to_move.index()] > 0;
        let refusal = match step {
            Step::Shoot(_) if !self.shot_pending => IllegalTurn::NoShotPending,
            Step::Shoot(at) if !self.waiting().contains(at) => IllegalTurn::NothingToShoot(at),
            Step::Shoot(at) if !self.targets(rules.board()).contains(at) => IllegalTurn::Protected(at),
            Step::Shoot(_) => return Ok(()),
            _ if self.shot_pending => IllegalTurn::ShotPending,
            Step::Place(_) if !placing => IllegalTurn::HandEmpty,
            Step::Move(..) if placing => IllegalTurn::HandNotEmpty,
            Step::Move(from, _) if !self.mover().contains(from) => IllegalTurn::NoCow(from),
            Step::Place(to) | Step::Move(_, to) if !self.empty(rules.board()).contains(to) => IllegalTurn::Taken(to),
            Step::Move(from, to) if !self.reach(rules.board(), from).contains(to) => IllegalTurn::NotAdjacent(from, to),
            Step::Move(from, to) if self.is_barred(rules, from, to) => IllegalTurn::Remake(from, to),
            Step::Place(_) | Step::Move(..) => return Ok(()),
        };
        Err(refusal)
    }
}
