//! [`Engine`]: combines tables, search and memory to find the best turns of a position.

use std::time::Duration;

use crate::board::PointSet;
use crate::game::{Position, Side, Turn};
use crate::probe::{Contradiction, Probe, ProbeError, RankedTurn, Tablebase, class_of};
use crate::random::Random;
use crate::rules::RuleSet;
use crate::value::Value;

use super::choice::order_draws;
use super::evaluation::Weights;
use super::limits::{Budget, Limits, MAX_DEPTH, Stop};
use super::score::Score;
use super::search::{RootTurn, Search};
use super::transpositions::{HashError, TranspositionTable};

/// A position and the previous ones of the game, oldest first. These matter only for repetitions and may be left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    /// The position to analyse.
    pub position: Position,
    /// The previous positions.
    pub earlier: Vec<Position>,
}

impl From<Position> for Game {
    fn from(position: Position) -> Self {
        Self { position, earlier: Vec::new() }
    }
}

/// A turn, its value for its player, and the best play after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The value of the turn.
    pub score: Score,
    /// The principal variation: the turn and the best play after it, as far as known; never empty.
    pub principal_variation: Vec<Turn>,
    /// The turn's exact value, if the tables know those of all turns of the position.
    pub exact: Option<RankedTurn>,
}

impl Candidate {
    /// The turn itself.
    pub fn turn(&self) -> Turn {
        self.principal_variation[0]
    }
}

/// The state of knowledge after an iteration of the search, or once from the tables.
#[derive(Clone, Debug)]
pub struct SearchReport<'a> {
    /// The iteration's depth in plies; 1 for an answer from the tables.
    pub depth: u8,
    /// The best turns, best first, as many as requested if there are that many.
    pub best: &'a [Candidate],
    /// Number of positions searched.
    pub nodes: u64,
    /// Number of positions answered by tables.
    pub probes: u64,
    /// Time since thinking began.
    pub elapsed: Duration,
    /// How full the transposition table is, in thousandths.
    pub hash_permille: u32,
}

/// The events that [`Engine::think`] reports.
#[derive(Debug)]
pub enum Event<'a> {
    /// Something new is known.
    Report(SearchReport<'a>),
    /// The position's own value according to the tables.
    Table(Probe),
    /// An existing table cannot be used; thinking continues without it.
    Fault(ProbeError),
}

/// A player under the rules of its tables.
///
#[cfg_attr(feature = "shipped", doc = "```")]
#[cfg_attr(not(feature = "shipped"), doc = "```no_run")]
/// use morabase::engine::{Engine, Limits, Stop};
/// use morabase::{Position, Tablebase};
///
/// let mut engine = Engine::new(Tablebase::shipped()?);
/// // Within the tables the answer is exact and comes at once.
/// let position = Position::from_notation("W:Wd6,d7,f4,f6:Bb4,d3,g1,g4", engine.rules())?;
/// let best = engine.think(&position.into(), &Limits::default(), &Stop::default(), &mut |_| {});
/// assert_eq!(best[0].turn().to_string(), "d6-b6");
///
/// // Elsewhere it searches as long as it may.
/// let limits = Limits { depth: Some(3), ..Limits::default() };
/// let position = Position::from_notation("W:Wa7,d7:Bb6,d6:H10,10", engine.rules())?;
/// let best = engine.think(&position.into(), &limits, &Stop::default(), &mut |_| {});
/// assert!(best[0].turn().shoots());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine {
    tables: Tablebase,
    weights: Weights,
    transpositions: TranspositionTable,
}

/// Size in bytes of a new engine's transposition table.
const DEFAULT_HASH: usize = 16 << 20;

/// Questions to each table before it is needed; a single question that a constant answers does not touch all of it.
const WARMING: usize = 8;

/// The most turns of a principal variation that the tables are asked for: in the first line, which continues to the end
/// of the game, and in the others.
const LONGEST_VARIATION: usize = 400;
const LONGEST_OTHER: usize = 12;

impl Engine {
    /// An engine that plays by the rules of these tables, with a transposition table of 16 MiB (or almost none if the
    /// system lacks even that). A [`Tablebase`] without any tables will do.
    pub fn new(tables: Tablebase) -> Self {
        Self {
            tables,
            weights: Weights::default(),
            transpositions: TranspositionTable::new(DEFAULT_HASH).unwrap_or_else(|_| TranspositionTable::smallest()),
        }
    }

    /// The tables.
    pub const fn tables(&self) -> &Tablebase {
        &self.tables
    }

    /// The rules of the tables.
    pub fn rules(&self) -> &RuleSet {
        self.tables.rules()
    }

    /// Switches to other tables, and so to their rules.
    pub fn set_tables(&mut self, tables: Tablebase) {
        self.tables = tables;
        self.forget();
    }

    /// Resizes the transposition table to this many bytes. It is empty afterwards.
    ///
    /// # Errors
    /// [`HashError`]; the old table is then kept.
    pub fn set_hash(&mut self, bytes: usize) -> Result<(), HashError> {
        self.transpositions = TranspositionTable::new(bytes)?;
        Ok(())
    }

    /// Plays with these weights from now on, and forgets the results found with others.
    pub fn set_weights(&mut self, weights: Weights) {
        self.weights = weights;
        self.forget();
    }

    /// Forgets the results of earlier searches.
    pub fn forget(&mut self) {
        self.transpositions.clear();
    }

    /// Asks every table a few questions, so that whatever is read on first use is in memory when time counts. Errors
    /// are only reported when a table is needed.
    pub fn warm_up(&self) {
        let mut random = Random::new(0);
        for class in self.tables.classes() {
            for _ in 0..WARMING {
                let mut free = self.tables.rules().board().points();
                let mut take = |count: u8| -> PointSet {
                    let point = |_| {
                        let point = free.iter().nth(random.below(u64::from(free.len())) as usize)?;
                        free = free.without(point);
                        Some(point)
                    };
                    (0..count).filter_map(point).collect()
                };
                let cows = [take(class.mover()), take(class.waiting())];
                let hands = [class.mover_hand(), class.waiting_hand()];
                let _ = self.tables.probe_wdl(&Position { hands, ..Position::moving(cows, Side::First) });
            }
        }
    }

    /// The best turns of a position, best first: as many as `limits` asks for, fewer if there are fewer, none if the
    /// game is over or the position cannot occur. With a shot outstanding the turns are shots.
    ///
    /// However short the time, a turn is returned if there is a legal one. `observer` is notified of the progress.
    pub fn think(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &Stop,
        observer: &mut dyn FnMut(Event<'_>),
    ) -> Vec<Candidate> {
        let position = game.position;
        if position.check(self.tables.rules()).is_err() || position.outcome(self.tables.rules()).is_some() {
            return Vec::new();
        }
        let budget = Budget::new(limits, stop);
        if let Some((best, probes)) = self.ask_tables(game, limits, &budget, observer) {
            let elapsed = budget.elapsed();
            observer(Event::Report(SearchReport {
                depth: 1,
                best: &best,
                nodes: 0,
                probes,
                elapsed,
                hash_permille: 0,
            }));
            return best;
        }
        self.transpositions.begin();
        Deepening {
            search: Search::new((&self.tables, &self.weights), &mut self.transpositions, budget),
            limits,
            observer,
        }
        .run(game)
    }

    /// The best turns according to the tables, if they know the values of all turns, and the number of turns.
    fn ask_tables(
        &self,
        game: &Game,
        limits: &Limits,
        budget: &Budget<'_>,
        observer: &mut dyn FnMut(Event<'_>),
    ) -> Option<(Vec<Candidate>, u64)> {
        let position = &game.position;
        let class = class_of(position)?;
        // With a shot outstanding the class on the board is that before the shot, whose table is not needed.
        if !(self.tables.answers(class) || position.shot_pending) {
            // An existing file that cannot be read must be reported.
            if let Some((_, error)) = self.tables.faults().find(|(faulty, _)| *faulty == class) {
                observer(Event::Fault(error));
            }
            return None;
        }
        let mut fault = |error| {
            if !matches!(error, ProbeError::MissingTable { .. } | ProbeError::Unreachable { .. }) {
                observer(Event::Fault(error));
            }
        };
        let (probe, mut turns) =
            match self.tables.probe(position).and_then(|probe| Ok((probe, self.tables.turns(position)?))) {
                Ok(answer) => answer,
                Err(error) => {
                    fault(error);
                    return None;
                }
            };
        if let Some(best) = turns.first()
            && best.value != probe.value
        {
            let why = Contradiction::BestTurn { value: probe.value, turn: best.turn, best: best.value };
            fault(ProbeError::Contradiction { class, why });
        }
        // With cows in hand the turns come in an order made for play, and no position repeats.
        if position.is_moving_phase()
            && let Err(error) = order_draws(&self.tables, &mut turns, &game.earlier, budget)
        {
            fault(error);
        }
        observer(Event::Table(probe));
        let probes = turns.len() as u64;
        turns.retain(|turn| limits.allow(turn.turn));
        turns.truncate(limits.multi_pv.max(1));
        let mut best = Vec::with_capacity(turns.len());
        for (number, turn) in turns.into_iter().enumerate() {
            let most = if number == 0 { LONGEST_VARIATION } else { LONGEST_OTHER };
            let mut candidate = candidate(&turn);
            if turn.value != Value::Drawn {
                let line = &mut candidate.principal_variation;
                if let Err(error) = extend(&self.tables, line, &turn.after, (most, budget)) {
                    observer(Event::Fault(error));
                }
            }
            best.push(candidate);
        }
        Some((best, probes))
    }
}

fn candidate(turn: &RankedTurn) -> Candidate {
    let ends = turn.reply.outcome.is_some() && turn.value != Value::Drawn;
    let score = if ends { Score::end(true, 1) } else { Score::table(turn.value, turn.verdict) };
    Candidate { score, principal_variation: vec![turn.turn], exact: Some(*turn) }
}

/// Extends a line through the tables, from the position it has led to, until the game is over or drawn.
///
/// # Errors
/// What is wrong with a table. A missing table is not an error: the line ends there.
fn extend(
    tables: &Tablebase,
    line: &mut Vec<Turn>,
    last: &Position,
    (most, budget): (usize, &Budget<'_>),
) -> Result<(), ProbeError> {
    let mut last = *last;
    while line.len() < most && !budget.is_over() {
        let next = match tables.best_turn(&last) {
            Ok(Some(next)) if next.value != Value::Drawn => next,
            Ok(_) | Err(ProbeError::MissingTable { .. } | ProbeError::Unreachable { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        line.push(next.turn);
        last = next.after;
    }
    Ok(())
}

/// An iteratively deepened search.
struct Deepening<'a, 'o> {
    search: Search<'a>,
    limits: &'a Limits,
    observer: &'o mut dyn FnMut(Event<'_>),
}

impl Deepening<'_, '_> {
    fn run(mut self, game: &Game) -> Vec<Candidate> {
        let mut root = self.search.root(&game.position, &game.earlier);
        root.retain(|turn| self.limits.allow(turn.turn));
        let wanted = self.limits.multi_pv.clamp(1, root.len().max(1));
        let mut best = candidates(&root[..wanted.min(root.len())]);
        for depth in 1..=self.limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH) {
            self.search.budget.assured = depth == 1;
            let done = self.deepen(&mut root, wanted, depth);
            self.search.budget.assured = false;
            for error in self.search.take_faults() {
                (self.observer)(Event::Fault(error));
            }
            if done == 0 {
                break;
            }
            best = candidates(&root[..wanted]);
            if let Some(best) = best.first_mut() {
                self.complete(&game.position, best);
            }
            self.report(depth, &best);
            if done < wanted || self.is_settled(&root, depth) {
                break;
            }
        }
        best
    }

    /// Extends the line of a decided score from where the search has met a table.
    fn complete(&mut self, position: &Position, best: &mut Candidate) {
        if !best.score.is_decided() || best.score.plies_to_end().is_some() {
            return;
        }
        let line = &mut best.principal_variation;
        let end = line.iter().try_fold(*position, |position, &turn| position.apply(turn, self.search.rules));
        let Ok(end) = end else { return };
        if let Err(error) = extend(self.search.tables, line, &end, (LONGEST_VARIATION, &self.search.budget)) {
            (self.observer)(Event::Fault(error));
        }
    }

    /// Searches the best `wanted` turns to `depth`; returns for how many of them something new is known.
    fn deepen(&mut self, root: &mut [RootTurn], wanted: usize, depth: u8) -> usize {
        let before: Vec<RootTurn> = root.to_vec();
        for from in 0..wanted {
            if self.search.search_root(root, from, depth).is_err() {
                // A better turn that was found before time ran out is still better. Turns not yet searched keep their
                // old scores.
                let found = from == 0 && root[0].turn != before[0].turn;
                if !found {
                    root.clone_from_slice(&before);
                }
                return usize::from(found);
            }
        }
        wanted
    }

    /// Whether going deeper cannot change anything: there is only one turn, or the game is decided within the depth.
    fn is_settled(&self, root: &[RootTurn], depth: u8) -> bool {
        let one = root.len() == 1 && self.limits.depth.is_none();
        let seen = Score::new(root[0].score).plies().is_some_and(|plies| plies <= i32::from(depth));
        one || seen
    }

    fn report(&mut self, depth: u8, best: &[Candidate]) {
        let report = SearchReport {
            depth,
            best,
            nodes: self.search.budget.nodes,
            probes: self.search.probes,
            elapsed: self.search.budget.elapsed(),
            hash_permille: self.search.transpositions.permille(),
        };
        (self.observer)(Event::Report(report));
    }
}

fn candidates(root: &[RootTurn]) -> Vec<Candidate> {
    let candidate = |turn: &RootTurn| Candidate {
        score: Score::new(turn.score),
        principal_variation: turn.variation.clone(),
        exact: None,
    };
    root.iter().map(candidate).collect()
}
