//! The order of the work: seeding sweeps, then one sweep over each class of the pair for every depth.
//!
//! A sweep goes over its blocks in batches. While a batch is worked on nobody writes a table; between batches the
//! decisions are written. So the result does not depend on threads, batches or chance.

#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "calls what is compiled for more instructions"))]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use rayon::prelude::*;

use crate::alphabet::Alphabet;
use crate::board::PointSet;
use crate::rules::{FLYING_COWS, NoRemake, RuleSet};
use crate::space::{Class, ClassMap, Space};
use crate::value::Value;

use super::block::{BlockState, Frontier, SEED_MARKS, Scratch, induce, seed};
#[cfg(target_arch = "x86_64")]
use super::isa::Isa;
use super::isa::Portable;
use super::lookahead::Lookahead;
use super::marks::Marks;
use super::outcomes::Outcomes;
use super::recall::Recall;
use super::shape::Shape;
use super::values::Values;
use super::{Below, Dirty, Solved, Task};

/// Values of classes too deep to be held in memory, as looked up when restrictions are looked into.
pub type Deeper<'a> =
    dyn Fn(Class, PointSet, PointSet) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> + Sync + 'a;

/// The solved classes that a pair is built on.
#[derive(Default)]
pub struct Dependencies<'a> {
    known: BTreeMap<Class, Known<'a>>,
    deeper: Option<&'a Deeper<'a>>,
}

/// What is known of a solved class.
pub(super) struct Known<'a> {
    outcomes: Cow<'a, Outcomes>,
    pub(super) values: Option<&'a Values>,
}

impl Known<'_> {
    pub(super) fn outcomes(&self) -> &Outcomes {
        &self.outcomes
    }
}

impl std::fmt::Debug for Dependencies<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.known.keys()).finish()
    }
}

impl<'a> Dependencies<'a> {
    /// Adds a class by its values.
    pub fn add(&mut self, values: &'a Values) {
        let known = Known { outcomes: Cow::Owned(Outcomes::of(values)), values: Some(values) };
        self.known.insert(values.class(), known);
    }

    /// Adds a class by its outcomes and, if they are at hand, its values. Values are only asked for where a draw counter
    /// runs under a no-remake rule.
    pub fn add_outcomes(&mut self, outcomes: &'a Outcomes, values: Option<&'a Values>) {
        self.known.insert(outcomes.class(), Known { outcomes: Cow::Borrowed(outcomes), values });
    }

    /// Whether values of the class are asked for besides its outcomes.
    pub fn asks_for_values(rules: &RuleSet, class: Class) -> bool {
        restricts(rules) && rules.counter_limit(class.mover(), class.waiting()).is_some()
    }

    /// Sets the source for everything that is not in memory.
    pub fn set_deeper(&mut self, deeper: &'a Deeper<'a>) {
        self.deeper = Some(deeper);
    }

    /// The classes that must be in memory to solve `class` and its partner: what a shot leads to.
    pub fn required(class: Class) -> Vec<Class> {
        let mut required: Vec<Class> =
            [class.successors().shot, class.successors().quiet.successors().shot].into_iter().flatten().collect();
        required.sort_unstable();
        required.dedup();
        required
    }

    /// All classes that may be asked for: under a no-remake rule, everything further shots lead to. Those that are not in
    /// memory must be within reach of the deeper source, which is slow.
    pub fn all(rules: &RuleSet, class: Class) -> Vec<Class> {
        let mut all = Self::required(class);
        if rules.no_remake != NoRemake::None {
            let mut at = 0;
            while at < all.len() {
                let class = all[at];
                let next = Self::required(class).into_iter().chain([class.successors().quiet]);
                for class in next.collect::<Vec<_>>() {
                    if !all.contains(&class) {
                        all.push(class);
                    }
                }
                at += 1;
            }
        }
        all.sort_unstable();
        all
    }
}

/// Why a pair was not solved.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// Classes that a shot leads to are missing.
    #[error("{class} cannot be solved before {}", list(.missing))]
    MissingDependencies {
        /// The class to solve.
        class: Class,
        /// What must be solved first.
        missing: Vec<Class>,
    },
    /// The class does not occur under the rules.
    #[error(transparent)]
    Class(#[from] crate::space::ClassError),
    /// The class has cows in hand; only the moving phase is solved.
    #[error("{class} has cows in hand: expected a class of the moving phase, such as 4-3; placing is not solved yet")]
    Hands {
        /// The class.
        class: Class,
    },
    /// There are too many different values. Losses in 0 and 1 plies and wins in 1 are counted whether they occur or not.
    #[error("{class} has too many different values: a table can hold {}, a draw among them", Alphabet::MOST)]
    TooManyValues {
        /// The class.
        class: Class,
    },
    /// The work was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// A smaller class could not be read.
    #[error("a smaller class could not be read: {0}")]
    Deeper(Box<dyn std::error::Error + Send + Sync>),
}

impl SolveError {
    pub(super) fn missing_for_lookahead(class: Class) -> Self {
        Self::Deeper(format!("{class} is neither in memory nor on disk").into())
    }
}

fn list(classes: &[Class]) -> String {
    classes.iter().map(Class::to_string).collect::<Vec<_>>().join(", ")
}

/// Which machine instructions the kernels use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Instructions {
    /// The best the CPU has.
    #[default]
    Best,
    /// Portable code only.
    Portable,
}

/// How a solve is watched and stopped.
#[derive(Debug, Default)]
pub struct Control {
    /// Which instructions to use.
    pub instructions: Instructions,
    /// Raise to stop at the next block.
    pub cancel: AtomicBool,
    /// Entries seeded so far.
    pub seeded: AtomicU64,
    /// Entries decided so far, twins included.
    pub decided: AtomicU64,
    /// Depth of the induction in plies.
    pub depth: AtomicU64,
}

/// One class of the pair while it is being solved.
struct Half {
    shape: Shape,
    walks: bool,
    /// The class's own table, in marks.
    values: Values,
    marks: Marks,
    /// How many entries were told each mark.
    told: [u64; 256],
    /// For each block: undecided, safe and perhaps-safe entries.
    state: Vec<u64>,
    /// Blocks of `values` told something, at even and odd depths.
    dirty: [Dirty; 2],
    pool: Mutex<Vec<Scratch>>,
}

impl Half {
    fn new(class: Class, rules: &RuleSet) -> Self {
        let space = Space::new(rules.board, class);
        let shape = Shape::new(space);
        let walks = class.mover() > FLYING_COWS;
        let sets = if restricts(rules) { 3 } else { 2 };
        let table_blocks = space.blocks() as usize;
        let flags = || (0..table_blocks).map(|_| AtomicU8::new(0)).collect();
        let dirty = || Dirty { won: flags(), lost: flags() };
        Self {
            walks,
            values: Values::drawn(space),
            marks: Marks::new(),
            told: [0; 256],
            state: vec![0; shape.blocks * shape.words() * sets],
            dirty: [dirty(), dirty()],
            pool: Mutex::new(Vec::new()),
            shape,
        }
    }

    /// The values in the class's alphabet.
    fn finish(self) -> Result<Values, SolveError> {
        let class = self.shape.class;
        let spelling = self.marks.spell(|mark| self.told[mark as usize] > 0);
        let (alphabet, symbols) = spelling.ok_or(SolveError::TooManyValues { class })?;
        Ok(self.values.respelt(alphabet, &symbols))
    }

    /// The marks that decisions of this sweep get, in the places where the kernels tell them.
    fn marks_of(&self, work: Work) -> [u8; 3] {
        match work {
            Work::Seed => SEED_MARKS,
            Work::Induce(depth) => [self.marks.won(depth), self.marks.lost(depth), Alphabet::DRAWN],
        }
    }

    /// Notes how many entries were told in each place.
    fn note(&mut self, work: Work, told: [u64; 3]) -> Result<(), SolveError> {
        for (mark, told) in self.marks_of(work).into_iter().zip(told) {
            self.told[mark as usize] += told;
        }
        let Work::Induce(depth) = work else { return Ok(()) };
        let kept = self.marks.keep(depth, told[0] > 0, told[1] > 0);
        kept.ok_or(SolveError::TooManyValues { class: self.shape.class })
    }

    fn take_scratch(&self, marks: [u8; 3]) -> Scratch {
        let pooled = self.pool.lock().ok().and_then(|mut pool| pool.pop());
        let mut scratch = pooled.unwrap_or_else(|| Scratch::new(&self.shape, !self.walks));
        scratch.decided.start(marks);
        scratch
    }
}

fn restricts(rules: &RuleSet) -> bool {
    rules.no_remake != NoRemake::None
}

/// One sweep's kind of work.
#[derive(Clone, Copy)]
enum Work {
    Seed,
    /// What is decided in exactly this many plies.
    Induce(u16),
}

/// Entries worked on before decisions are written.
const BATCH_ENTRIES: usize = 1 << 24;
/// The fewest blocks in a batch, so that every thread has some.
const BATCH_BLOCKS: usize = 64;

/// Solves `class` and its partner; the result holds `class` first and its partner, if that is another class, second.
///
/// Runs in the current rayon thread pool. The result is the same for any number of threads.
///
/// # Errors
/// [`SolveError`] if dependencies are missing, the work is cancelled, or there are too many different values.
pub fn solve_pair(
    rules: &RuleSet,
    class: Class,
    dependencies: &Dependencies<'_>,
    control: &Control,
) -> Result<Vec<Values>, SolveError> {
    seed_pair(rules, class, dependencies, control)?.induce()
}

/// The first half of [`solve_pair`]: what shots and blocked positions decide. [`SeededPair::induce`] does the rest.
///
/// # Errors
/// As [`solve_pair`].
pub fn seed_pair<'a>(
    rules: &'a RuleSet,
    class: Class,
    dependencies: &'a Dependencies<'a>,
    control: &'a Control,
) -> Result<SeededPair<'a>, SolveError> {
    class.check(rules)?;
    if class.has_hands() {
        return Err(SolveError::Hands { class });
    }
    let mut missing = Dependencies::required(class);
    missing.retain(|class| !dependencies.known.contains_key(class));
    if !missing.is_empty() {
        return Err(SolveError::MissingDependencies { class, missing });
    }
    let partner = class.successors().quiet;
    let mut halves = vec![Half::new(class, rules)];
    halves.extend((partner != class).then(|| Half::new(partner, rules)));
    let recall = Recall::helps(rules, class).then(Recall::new);
    let mut pair = Pair { rules, dependencies, control, halves, recall };
    let told = pair.sweep_all(Work::Seed)?;
    Ok(SeededPair { pair, class, told })
}

/// A pair whose decisions by shots are known.
pub struct SeededPair<'a> {
    pair: Pair<'a>,
    class: Class,
    /// How many entries were told a value.
    told: u64,
}

impl SeededPair<'_> {
    /// Spreads the decisions backwards, a ply at a time, until nothing changes or the draw counter ends it.
    ///
    /// # Errors
    /// As [`solve_pair`].
    pub fn induce(self) -> Result<Vec<Values>, SolveError> {
        let Self { mut pair, class, told: mut found } = self;
        let limit = pair.rules.counter_limit(class.mover(), class.waiting()).unwrap_or(u16::MAX);
        for depth in 1..=limit {
            if depth > 1 && found == 0 {
                break;
            }
            pair.control.depth.store(u64::from(depth), Ordering::Relaxed);
            let decided = pair.sweep_all(Work::Induce(depth))?;
            // Decisions in one ply are found while seeding too.
            found = if depth == 1 { found + decided } else { decided };
        }
        pair.halves.into_iter().map(Half::finish).collect()
    }
}

impl std::fmt::Debug for SeededPair<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SeededPair").field("class", &self.class).field("told", &self.told).finish_non_exhaustive()
    }
}

struct Pair<'a> {
    rules: &'a RuleSet,
    dependencies: &'a Dependencies<'a>,
    control: &'a Control,
    halves: Vec<Half>,
    recall: Option<Recall>,
}

impl Pair<'_> {
    /// Sweeps over both classes; how many entries were told.
    fn sweep_all(&mut self, work: Work) -> Result<u64, SolveError> {
        let mut told = 0;
        for at in 0..self.halves.len() {
            let of_each = self.sweep(at, work)?;
            told += of_each.iter().sum::<u64>();
            self.halves[at].note(work, of_each)?;
        }
        if let Work::Induce(depth) = work {
            // What was read at this depth will be written at the next.
            for half in &self.halves {
                let done = &half.dirty[(usize::from(depth) + 1) % 2];
                done.won.iter().chain(&done.lost).for_each(|flag| flag.store(0, Ordering::Relaxed));
            }
        }
        Ok(told)
    }

    /// Sweeps over a class; how many entries were told in each place.
    fn sweep(&mut self, at: usize, work: Work) -> Result<[u64; 3], SolveError> {
        let mut state = std::mem::take(&mut self.halves[at].state);
        let shape = &self.halves[at].shape;
        let batch_blocks = (BATCH_ENTRIES / shape.entries).max(BATCH_BLOCKS);
        let stride = state.len() / shape.blocks;
        let mut told = [0; 3];
        for (batch, states) in state.chunks_mut(batch_blocks * stride).enumerate() {
            if self.control.cancel.load(Ordering::Relaxed) {
                return Err(SolveError::Cancelled);
            }
            let first = batch * batch_blocks;
            let blocks = states.len() / stride;
            let scratches = self.work_on(at, work, first, states, stride)?;
            if self.control.cancel.load(Ordering::Relaxed) {
                // Blocks were left out.
                return Err(SolveError::Cancelled);
            }
            if let Work::Seed = work {
                let seeded = blocks * self.halves[at].shape.entries;
                self.control.seeded.fetch_add(seeded as u64, Ordering::Relaxed);
            }
            let decided = self.write(at, scratches);
            self.control.decided.fetch_add(decided.iter().sum(), Ordering::Relaxed);
            told.iter_mut().zip(decided).for_each(|(told, decided)| *told += decided);
        }
        self.halves[at].state = state;
        Ok(told)
    }

    /// Works on a batch of blocks from `first` on; the decisions are in the scratches.
    fn work_on(
        &self,
        at: usize,
        work: Work,
        first: usize,
        states: &mut [u64],
        stride: usize,
    ) -> Result<Vec<Scratch>, SolveError> {
        let half = &self.halves[at];
        let partner = self.halves.get(1 - at).unwrap_or(half);
        let below = half.shape.class.successors().shot;
        let solved = self.solved();
        let error = Mutex::new(None);
        let task = Task {
            rules: self.rules,
            board: self.rules.board(),
            shape: &half.shape,
            walks: half.walks,
            partner: &partner.values,
            below: below
                .and_then(|class| self.dependencies.known.get(&class))
                .map(|known| Below { outcomes: known.outcomes(), orbits: known.outcomes().space().mover_orbits() }),
            lookahead: Lookahead::new(self.rules, &solved).with_recall(self.recall.as_ref()),
            dirty: &half.dirty,
            depth: match work {
                Work::Seed => 0,
                Work::Induce(depth) => usize::from(depth),
            },
            error: &error,
        };
        let marks = half.marks_of(work);
        let words = half.shape.words();
        let one_block = |mut scratch: Scratch, (i, state): (usize, &mut [u64])| {
            // Looked at for each block, as a batch may take seconds. The pair is given up then, whole.
            if self.control.cancel.load(Ordering::Relaxed) {
                return scratch;
            }
            let block = first + i;
            let (undecided, rest) = state.split_at_mut(words);
            let (safe, perhaps_safe) = rest.split_at_mut(words);
            let state = &mut BlockState { undecided, safe, perhaps_safe };
            match work {
                Work::Seed => self.seed(&task, block, state, &mut scratch),
                Work::Induce(depth) => {
                    let news = &partner.dirty[(usize::from(depth) + 1) % 2];
                    let told = |flags: &[AtomicU8]| flags[block].load(Ordering::Relaxed) != 0;
                    let frontier = Frontier {
                        won: partner.marks.met_won(depth - 1).filter(|_| told(&news.won)),
                        lost: partner.marks.met_lost(depth - 1).filter(|_| told(&news.lost)),
                        won_since: partner.marks.won(depth),
                    };
                    if frontier.won.is_some() || frontier.lost.is_some() {
                        self.induce(&task, block, frontier, state, &mut scratch);
                    }
                }
            }
            scratch
        };
        let scratches: Vec<Scratch> = states
            .par_chunks_mut(stride)
            .enumerate()
            .with_min_len(4)
            .fold(|| half.take_scratch(marks), one_block)
            .collect();
        match error.into_inner() {
            Ok(Some(error)) => Err(error),
            _ => Ok(scratches),
        }
    }

    /// Writes the decisions of a batch and puts the scratches back; how many entries were told in each place.
    fn write(&mut self, at: usize, scratches: Vec<Scratch>) -> [u64; 3] {
        let portable = self.control.instructions == Instructions::Portable;
        let half = &mut self.halves[at];
        let cells = half.values.cells();
        scratches.par_iter().for_each(|scratch| {
            #[cfg(target_arch = "x86_64")]
            if let (false, Some(native)) = (portable, super::isa::Native::detect()) {
                return scratch.decided.write(native, cells);
            }
            let _ = portable;
            scratch.decided.write(Portable, cells);
        });
        let mut decided = [0; 3];
        for scratch in &scratches {
            decided.iter_mut().zip(scratch.decided.counts()).for_each(|(decided, count)| *decided += count);
        }
        if let Ok(mut pool) = half.pool.lock() {
            pool.extend(scratches);
        }
        decided
    }

    fn solved(&self) -> Solved<'_> {
        let known = self.dependencies.known.iter().map(|(class, known)| (*class, known)).collect::<ClassMap<_>>();
        Solved { rules: self.rules, known, deeper: self.dependencies.deeper }
    }

    #[cfg_attr(not(target_arch = "x86_64"), expect(clippy::unused_self, reason = "there is no choice of instructions"))]
    fn seed(&self, task: &Task<'_>, block: usize, state: &mut BlockState<'_>, scratch: &mut Scratch) {
        #[cfg(target_arch = "x86_64")]
        if let Some(native) = self.native() {
            // SAFETY: a `Native` exists only where the CPU has these features.
            return unsafe { seed_native(native, task, block, state, scratch) };
        }
        seed(Portable, task, block, state, scratch);
    }

    #[cfg_attr(not(target_arch = "x86_64"), expect(clippy::unused_self, reason = "there is no choice of instructions"))]
    fn induce(
        &self,
        task: &Task<'_>,
        block: usize,
        frontier: Frontier,
        state: &mut BlockState<'_>,
        scratch: &mut Scratch,
    ) {
        #[cfg(target_arch = "x86_64")]
        if let Some(native) = self.native() {
            // SAFETY: a `Native` exists only where the CPU has these features.
            return unsafe { induce_native(native, task, block, frontier, state, scratch) };
        }
        induce(Portable, task, block, frontier, state, scratch);
    }

    #[cfg(target_arch = "x86_64")]
    fn native(&self) -> Option<super::isa::Native> {
        if self.control.instructions == Instructions::Portable {
            return None;
        }
        super::isa::Native::detect()
    }
}

/// [`seed`] compiled for the instructions that `isa` proves.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn seed_native(isa: impl Isa, task: &Task<'_>, block: usize, state: &mut BlockState<'_>, scratch: &mut Scratch) {
    seed(isa, task, block, state, scratch);
}

/// [`induce`] compiled for the instructions that `isa` proves.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn induce_native(
    isa: impl Isa,
    task: &Task<'_>,
    block: usize,
    frontier: Frontier,
    state: &mut BlockState<'_>,
    scratch: &mut Scratch,
) {
    induce(isa, task, block, frontier, state, scratch);
}
