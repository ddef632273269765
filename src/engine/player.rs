//! [`Engine`]: tables, search and memory together, asked for the best turns of a position.

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

/// A position and the ones the game has come through before it, oldest first. They matter for repetitions and nothing else, and may be
/// left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    /// The position to think about.
    pub position: Position,
    /// Positions before it.
    pub earlier: Vec<Position>,
}

impl From<Position> for Game {
    fn from(position: Position) -> Self {
        Self { position, earlier: Vec::new() }
    }
}

/// A turn, what it is worth to its player, and the best play after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// What the turn is worth.
    pub score: Score,
    /// The principal variation: the turn and the best play after it, as far as it is known; never empty.
    pub principal_variation: Vec<Turn>,
    /// The turn's exact value, where the tables know those of all turns of the position.
    pub exact: Option<RankedTurn>,
}

impl Candidate {
    /// The turn itself.
    pub fn turn(&self) -> Turn {
        self.principal_variation[0]
    }
}

/// What is known after an iteration of the search, or once from the tables.
#[derive(Clone, Debug)]
pub struct SearchReport<'a> {
    /// The iteration's depth in plies; 1 for the tables' word.
    pub depth: u8,
    /// The best turns, best first, as many as were asked for and there are.
    pub best: &'a [Candidate],
    /// Positions looked at.
    pub nodes: u64,
    /// Positions that tables answered.
    pub probes: u64,
    /// Time since thinking began.
    pub elapsed: Duration,
    /// How full the transposition table is, in thousandths.
    pub hash_permille: u32,
}

/// What [`Engine::think`] tells on its way.
#[derive(Debug)]
pub enum Event<'a> {
    /// Something new is known.
    Report(SearchReport<'a>),
    /// The position's own value by the tables.
    Table(Probe),
    /// A table that is there cannot be used; thinking goes on without it.
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

/// Bytes of the transposition table of a new engine.
const DEFAULT_HASH: usize = 16 << 20;

/// Questions to each table before it is needed; one that a constant answers does not touch all of it.
const WARMING: usize = 8;

/// The most turns of a principal variation that the tables are asked for: in the first line, which goes on to the end of the game, and
/// in those after it.
const LONGEST_VARIATION: usize = 400;
const LONGEST_OTHER: usize = 12;

impl Engine {
    /// An engine that plays by the rules of these tables, with a transposition table of 16 MiB (or next to none where the system
    /// has not even that). A [`Tablebase`] without a single table will do.
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

    /// The rules, those of the tables.
    pub fn rules(&self) -> &RuleSet {
        self.tables.rules()
    }

    /// Takes other tables, and with them their rules.
    pub fn set_tables(&mut self, tables: Tablebase) {
        self.tables = tables;
        self.forget();
    }

    /// Gives the transposition table this many bytes. It is empty afterwards.
    ///
    /// # Errors
    /// [`HashError`]; the old table stays then.
    pub fn set_hash(&mut self, bytes: usize) -> Result<(), HashError> {
        self.transpositions = TranspositionTable::new(bytes)?;
        Ok(())
    }

    /// Plays with these weights from now on, and forgets what was found out with others.
    pub fn set_weights(&mut self, weights: Weights) {
        self.weights = weights;
        self.forget();
    }

    /// Forgets what earlier searches have found out.
    pub fn forget(&mut self) {
        self.transpositions.clear();
    }

    /// Asks every table a few questions, so that what is read at the first use of each is there when time counts. Errors come
    /// when a table is needed.
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

    /// The best turns of a position, best first: as many as `limits` asks for, fewer if there are fewer, none once the game is over
    /// or if the position cannot occur. With a shot outstanding the turns are shots.
    ///
    /// However short the time, there is a turn if there is a legal one. `observer` is told how thinking goes on.
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

    /// The best turns as tables have them, if they know the values of all turns, and how many turns there are.
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
            // A file that is there and cannot be read is no reason to be silent.
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
        // With cows in hand the turns come in an order that is made for play, and no position comes twice.
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

/// Goes on with a line from the position it has led to, through the tables, until the game is over or drawn.
///
/// # Errors
/// What is wrong with a table. That one is missing is no error: the line ends there.
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

/// A search that goes a ply deeper again and again.
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

    /// Goes on with the line of a decided score where the search has met a table.
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

    /// Searches the best `wanted` turns to `depth`; gives for how many of them something new is known.
    fn deepen(&mut self, root: &mut [RootTurn], wanted: usize, depth: u8) -> usize {
        let before: Vec<RootTurn> = root.to_vec();
        for from in 0..wanted {
            if self.search.search_root(root, from, depth).is_err() {
                // A better turn that was found before time ran out is the better turn. What has not been searched keeps its old score.
                let found = from == 0 && root[0].turn != before[0].turn;
                if !found {
                    root.clone_from_slice(&before);
                }
                return usize::from(found);
            }
        }
        wanted
    }

    /// Whether going deeper can change nothing: there is only one turn, or what decides the game lies within the depth.
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
