//! Alpha-beta on whole turns: one ply is a placement or move with its shot, so that the players alternate strictly.
//!
//! Nodes end at the end of the game, at a table's value, at a repetition (nobody has to allow progress, so it counts as
//! a draw), at a sufficient entry of the transposition table, or at the evaluation. Shots are searched first, then
//! turns that take the point of an opponent's line, then those that have refuted much before. Beyond the first
//! iterations, turns late in that order are searched a ply or two less deep, and again to the full depth if they turn
//! out better than expected. Positions reported as decided are proved nevertheless.

use crate::board::Symmetry;
use crate::game::{Outcome, Position, Turn};
use crate::probe::{ProbeError, Tablebase, class_of};
use crate::rules::RuleSet;
use crate::space::Class;

use super::evaluation::{Weights, WeightsByHands};
use super::limits::{Budget, MAX_DEPTH};
use super::ordering::{Experience, Hint, Ranked, image};
use super::score::{DECIDED, END, Score, TABLE, UNCOUNTED};
use super::transpositions::{Bound, EXACT_DEPTH, TranspositionEntry, TranspositionTable, board_key, key, pack};

/// The search was stopped; nothing is known about the node.
#[derive(Debug)]
pub(super) struct Stopped;

/// The scores that matter to the search: what both players already have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) alpha: i32,
    pub(super) beta: i32,
}

impl Window {
    pub(super) const FULL: Self = Self { alpha: -END - 1, beta: END + 1 };

    /// The window seen from the other side.
    const fn reversed(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// The window that only asks whether a turn is better than what the player has.
    const fn question(self) -> Self {
        Self { alpha: self.alpha, beta: self.alpha + 1 }
    }
}

/// A legal turn of the root, the position after it, and the search's result for it.
#[derive(Clone, Debug)]
pub(super) struct RootTurn {
    pub(super) turn: Turn,
    pub(super) after: Position,
    pub(super) score: i32,
    /// The principal variation, starting with the turn itself.
    pub(super) variation: Vec<Turn>,
}

/// Iterations up to this depth search every turn to its full depth.
const FULL_WIDTH: u8 = 4;

pub(super) struct Search<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) tables: &'a Tablebase,
    pub(super) transpositions: &'a mut TranspositionTable,
    pub(super) budget: Budget<'a>,
    /// Positions from the game's last shot or placement to the current node, as board keys.
    path: Vec<u64>,
    experience: Experience,
    weights: WeightsByHands,
    /// The symmetries that keep the root: turns that they map to each other are searched once.
    symmetries: Vec<Symmetry>,
    /// Whether late turns are searched less deep.
    selective: bool,
    pub(super) probes: u64,
    /// Classes whose tables have failed; they are not asked again. The error is kept until it is reported.
    faults: Vec<(Class, Option<ProbeError>)>,
    /// What is wrong with files that could not be read from the start, until the search reaches their class.
    unread: Vec<(Class, ProbeError)>,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        (tables, weights): (&'a Tablebase, &Weights),
        transpositions: &'a mut TranspositionTable,
        budget: Budget<'a>,
    ) -> Self {
        Self {
            rules: tables.rules(),
            tables,
            transpositions,
            budget,
            path: Vec::new(),
            experience: Experience::new(),
            weights: WeightsByHands::new(weights, tables.rules()),
            symmetries: Vec::new(),
            selective: false,
            probes: 0,
            faults: Vec::new(),
            unread: tables.faults().collect(),
        }
    }

    /// Faults of tables that were not reported yet.
    pub(super) fn take_faults(&mut self) -> Vec<ProbeError> {
        self.faults.iter_mut().filter_map(|(_, error)| error.take()).collect()
    }

    /// The turns of the root, most promising first.
    pub(super) fn root(&mut self, position: &Position, earlier: &[Position]) -> Vec<RootTurn> {
        self.path = earlier.iter().chain([position]).map(board_key).collect();
        let keeps = |symmetry: &Symmetry| *symmetry != Symmetry::IDENTITY && position.image(*symmetry) == *position;
        self.symmetries = self.rules.board().group().symmetries().filter(keeps).collect();
        let (key, symmetry) = self.key(position);
        let first = self.transpositions.get(key, 0).map_or(0, |entry| entry.turn);
        let turns = self.experience.order(self.rules, position, 0, Hint { turn: first, symmetry }).into_iter();
        let root = turns.map(|ranked| {
            let turn = ranked.turn;
            RootTurn { turn, after: position.after(self.rules, turn), score: -END, variation: vec![turn] }
        });
        root.collect()
    }

    /// The key of a position and the symmetry that leads to its image with that key. Images under symmetries that keep
    /// the root have the same key.
    fn key(&self, position: &Position) -> (u64, Symmetry) {
        let mut chosen = (*position, Symmetry::IDENTITY);
        for &symmetry in &self.symmetries {
            let image = position.image(symmetry);
            if image.cows < chosen.0.cows {
                chosen = (image, symmetry);
            }
        }
        (key(self.rules, &chosen.0), chosen.1)
    }

    /// Searches the root's turns from `from` on to `depth` plies and moves the best of them to that place.
    pub(super) fn search_root(&mut self, root: &mut [RootTurn], from: usize, depth: u8) -> Result<(), Stopped> {
        self.selective = depth > FULL_WIDTH;
        let mut window = Window::FULL;
        let mut best = from;
        let mut result = Ok(());
        let mut below = Vec::new();
        for (at, candidate) in root.iter_mut().enumerate().skip(from) {
            let Ok(score) = self.child(&candidate.after, (depth - 1, 1, 0), (window, at > from), &mut below) else {
                result = Err(Stopped);
                break;
            };
            candidate.score = score;
            if score > window.alpha {
                window.alpha = score;
                best = at;
                candidate.variation.truncate(1);
                candidate.variation.append(&mut below);
            }
        }
        root[from..=best].rotate_right(1);
        result
    }

    /// The score of a turn for its player, from the position it leads to. If a better turn is already known, the search
    /// first only asks whether this one is better still, at a depth reduced by `less` plies.
    fn child(
        &mut self,
        after: &Position,
        (depth, ply, less): (u8, u16, u8),
        (window, doubtful): (Window, bool),
        variation: &mut Vec<Turn>,
    ) -> Result<i32, Stopped> {
        if doubtful {
            let question = window.question().reversed();
            let mut score = -self.node(after, (depth - less, ply), question, variation)?;
            if less > 0 && score > window.alpha {
                score = -self.node(after, (depth, ply), question, variation)?;
            }
            if score <= window.alpha || score >= window.beta {
                return Ok(score);
            }
        }
        Ok(-self.node(after, (depth, ply), window.reversed(), variation)?)
    }

    /// The score of a position for the side to move. The principal variation is written to `variation` if the score
    /// lies in the window.
    fn node(
        &mut self,
        position: &Position,
        (depth, ply): (u8, u16),
        window: Window,
        variation: &mut Vec<Turn>,
    ) -> Result<i32, Stopped> {
        variation.clear();
        if !self.budget.spend() {
            return Err(Stopped);
        }
        if let Some(outcome) = position.outcome(self.rules) {
            return Ok(ended(outcome, position, ply));
        }
        let (key, symmetry) = self.key(position);
        let stored = self.transpositions.get(key, ply);
        if let Some(entry) = stored.filter(|entry| entry.depth == EXACT_DEPTH) {
            return Ok(entry.score);
        }
        if let Some(score) = self.table_score(position, ply) {
            self.transpositions.put(
                key,
                ply,
                TranspositionEntry { score, bound: Bound::Exact, depth: EXACT_DEPTH, turn: 0 },
            );
            return Ok(score);
        }
        let board = board_key(position);
        if self.is_repeated(position, board) {
            return Ok(0);
        }
        if let Some(entry) = stored.filter(|entry| entry.depth >= depth && settles(*entry, window)) {
            return Ok(entry.score);
        }
        if depth == 0 || ply >= u16::from(MAX_DEPTH) {
            return Ok(self.weights.total(self.rules, position));
        }
        self.path.push(board);
        let hint = stored.map_or(Hint::NONE, |entry| Hint { turn: entry.turn, symmetry });
        let found = self.turns(position, (depth, ply), window, (hint, variation));
        self.path.pop();
        let (score, turn) = found?;
        let bound = match score {
            _ if score >= window.beta => Bound::Least,
            _ if score <= window.alpha => Bound::Most,
            _ => Bound::Exact,
        };
        let turn = turn.map_or(0, |turn| pack(image(turn, symmetry)));
        self.transpositions.put(key, ply, TranspositionEntry { score, bound, depth, turn });
        Ok(score)
    }

    /// The best score among the turns of a node, and the turn that has it, if it is better than what the player has.
    fn turns(
        &mut self,
        position: &Position,
        (depth, ply): (u8, u16),
        mut window: Window,
        (hint, variation): (Hint, &mut Vec<Turn>),
    ) -> Result<(i32, Option<Turn>), Stopped> {
        let mut best = (-END, None);
        let mut below = Vec::new();
        let turns = self.experience.order(self.rules, position, ply, hint);
        for (at, &Ranked { turn, is_quiet, .. }) in turns.iter().enumerate() {
            let after = position.after(self.rules, turn);
            let less = if self.selective && is_quiet { reduction(depth, at) } else { 0 };
            let score = self.child(&after, (depth - 1, ply + 1, less), (window, at > 0), &mut below)?;
            best.0 = best.0.max(score);
            if score > window.alpha {
                window.alpha = score;
                best.1 = Some(turn);
                variation.clear();
                variation.push(turn);
                variation.append(&mut below);
            }
            if score >= window.beta {
                self.experience.learn(position.to_move, &turns[..=at], (depth, ply));
                break;
            }
        }
        Ok(best)
    }

    /// Whether the position has occurred before, since the last turn that cannot be taken back.
    fn is_repeated(&self, position: &Position, board: u64) -> bool {
        // The counter counts plies of the moving phase since the last shot, whether or not the rules use it.
        let plies = usize::from(position.counter).min(self.path.len());
        self.path[self.path.len() - plies..].contains(&board)
    }

    /// Notes that the search has reached a class whose file exists but could not be read from the start.
    fn meet(&mut self, class: Class) {
        if let Some(at) = self.unread.iter().position(|(unread, _)| *unread == class) {
            let (class, error) = self.unread.swap_remove(at);
            self.faults.push((class, Some(error)));
        }
    }

    /// The score of a position from its table, if there is one that answers.
    fn table_score(&mut self, position: &Position, ply: u16) -> Option<i32> {
        let class = class_of(position)?;
        // A class that was left out could also be answered by looking ahead, but then nothing would be cut off.
        if !self.tables.has(class) {
            self.meet(class);
            return None;
        }
        if self.faults.iter().any(|(faulty, _)| *faulty == class) {
            return None;
        }
        match self.tables.probe(position) {
            Ok(probe) => {
                self.probes += 1;
                let score = Score::table(probe.value, probe.verdict()).hundredths();
                let plies = if score.abs() >= DECIDED { score.signum() * i32::from(ply) } else { 0 };
                Some(score - plies)
            }
            // A restriction may need a smaller class that is missing.
            Err(ProbeError::MissingTable { .. }) => None,
            Err(error) => {
                self.faults.push((class, Some(error)));
                None
            }
        }
    }
}

const _: () = assert!(TABLE - UNCOUNTED - 2 * (MAX_DEPTH as i32) > DECIDED);

/// The score of a finished game, for the side to move.
fn ended(outcome: Outcome, position: &Position, ply: u16) -> i32 {
    match outcome {
        Outcome::Drawn(_) => 0,
        Outcome::Won(side, _) => Score::end(side == position.to_move, ply).hundredths(),
    }
}

/// Whether a stored score answers the question of the window.
const fn settles(entry: TranspositionEntry, window: Window) -> bool {
    match entry.bound {
        Bound::Exact => true,
        Bound::Least => entry.score >= window.beta,
        Bound::Most => entry.score <= window.alpha,
    }
}

/// By how many plies the search depth of a quiet turn at this place in the order is reduced.
const fn reduction(depth: u8, at: usize) -> u8 {
    if depth < 3 || at < 3 {
        0
    } else if depth >= 6 && at >= 12 {
        3
    } else if depth >= 4 && at >= 6 {
        2
    } else {
        1
    }
}
