//! The work of one step: loading what it is built on, solving, writing.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::board::PointSet;
use crate::lookahead::{Outcomes, Tally, Values};
use crate::pages;
use crate::rules::RuleSet;
use crate::solve::{
    Dependencies, Robustness, SolvedPair, UnavailableClass, solve_pair, solve_pair_with_robustness, solve_placing,
};
use crate::space::{Class, Space};
use crate::store::{Lock, StoreError, check_table, describe};
use crate::table::{Access, FileSource, Overwrite, Part, Source, Table, TableFault, corrupt, write_table_in};
use crate::threads;
use crate::value::Value;

use super::job::{Job, Observer, Stage, StepReport};
use super::memory::{MemoryEstimate, held_bytes};
use super::plan::{Existing, Plan, PlanStep, Request};
use super::{BuildError, needs};

/// The data of a solved class that is kept in memory.
pub(super) struct Kept {
    outcomes: Outcomes,
    values: Option<Values>,
    /// Only for classes solved in this run, and only while pairs with one more cow are built.
    robustness: Option<Robustness>,
}

impl Kept {
    fn new(rules: &RuleSet, values: Values) -> Self {
        let outcomes = Outcomes::of(&values);
        let keep = needs::keeps_values(rules, values.class());
        Self { outcomes, values: keep.then_some(values), robustness: None }
    }

    /// Its size in memory.
    fn bytes(&self, rules: &RuleSet) -> u64 {
        let class = self.outcomes.class();
        let robustness = self.robustness.as_ref().map(|_| Robustness::bytes_of(rules, Space::new(rules.board, class)));
        held_bytes(rules, class) + robustness.unwrap_or(0)
    }
}

/// Drops what this step does not need, unless a later one needs it and there is room for it.
pub(super) fn make_room(
    plan: &Plan,
    step: &PlanStep,
    memory: &MemoryEstimate,
    kept: &mut BTreeMap<Class, Kept>,
    limit: u64,
) {
    let mut room = limit.saturating_sub(memory.bytes());
    let later = plan.missing().skip_while(|other| other.class != step.class).flat_map(|step| &step.dependencies);
    let mut asked = BTreeMap::new();
    for (turn, &class) in later.enumerate() {
        asked.entry(class).or_insert(turn);
    }
    let mut others: Vec<Class> = kept.keys().copied().filter(|class| !memory.holds(*class)).collect();
    others.sort_by_key(|class| {
        // In the placing phase each class is needed only once or twice, so what matters is how soon.
        if step.class.has_hands() {
            asked.get(class).copied().unwrap_or(usize::MAX)
        } else {
            usize::from(u8::MAX - class.total())
        }
    });
    for (class, kept) in kept.iter_mut() {
        if class.total() + 1 < step.class.total() {
            kept.robustness = None;
        }
    }
    for class in others {
        match room.checked_sub(kept[&class].bytes(&plan.request.rules)) {
            Some(rest) if asked.contains_key(&class) => room = rest,
            _ => drop(kept.remove(&class)),
        }
    }
}

/// Everything that the work on one step refers to.
pub(super) struct StepRun<'a> {
    pub(super) request: &'a Request,
    pub(super) step: &'a PlanStep,
    /// Whether later steps need to know which results of this one hold whatever a restriction bars.
    pub(super) robustness: bool,
    pub(super) memory: &'a MemoryEstimate,
    pub(super) lock: &'a Lock,
    pub(super) job: &'a Job,
    pub(super) observer: &'a dyn Observer,
}

impl StepRun<'_> {
    pub(super) fn build(&self, kept: &mut BTreeMap<Class, Kept>) -> Result<StepReport, BuildError> {
        let (step, job) = (self.step, self.job);
        for counter in [&job.control.seeded, &job.control.decided, &job.control.depth, &job.to_load, &job.loaded] {
            counter.store(0, Ordering::Relaxed);
        }
        let began = Instant::now();
        self.observer.stage(step, Stage::Loading);
        self.check_place()?;
        self.check_memory(kept)?;
        let SolvedPair { values: solved, robustness } = self.solve(kept)?;
        let solving = began.elapsed();

        self.observer.stage(step, Stage::Writing);
        let (class, entries, no_time) = (step.class, step.entries, Duration::ZERO);
        let mut report = StepReport { class, entries, bytes: 0, longest: 0, time: no_time, packing: no_time };
        threads::ready();
        // Both tables of a pair at once: parts of the work on each are single-threaded or wait for the disk.
        let written: Vec<(u64, u16)> =
            solved.par_iter().map(|values| self.place_table(values)).collect::<Result<_, _>>()?;
        for (bytes, longest) in written {
            report.bytes += bytes;
            report.longest = report.longest.max(longest);
        }
        kept.extend(solved.into_iter().map(|values| (values.class(), Kept::new(&self.request.rules, values))));
        for robustness in robustness {
            if let Some(kept) = kept.get_mut(&robustness.class()) {
                kept.robustness = Some(robustness);
            }
        }
        self.check_place()?;
        report.time = began.elapsed();
        report.packing = report.time.saturating_sub(solving);
        Ok(report)
    }

    /// Writes the table of these values unless it existed before; returns its length in bytes and its longest distance.
    fn place_table(&self, values: &Values) -> Result<(u64, u16), BuildError> {
        self.check_place()?;
        let tally = Tally::of(values);
        let longest = tally.max_dtc().map_or(0, |plies| plies.0);
        let bytes = match self.step.present.iter().find(|(class, _)| *class == values.class()) {
            // Another table of the step was missing, but not this one.
            Some((_, bytes)) => *bytes,
            None => self.write(values, &tally)?,
        };
        Ok((bytes, longest))
    }

    /// Refuses to continue in a directory other than the locked one, where nothing would be found again.
    fn check_place(&self) -> Result<(), BuildError> {
        if self.lock.is_in_place() {
            return Ok(());
        }
        Err(BuildError::Vanished { path: self.request.directory.clone() })
    }

    /// Refuses a step for which the system does not give memory, as running out of it would end the program.
    fn check_memory(&self, kept: &BTreeMap<Class, Kept>) -> Result<(), BuildError> {
        let held: u64 = kept.values().map(|kept| kept.bytes(&self.request.rules)).sum();
        let needed = self.memory.bytes().saturating_sub(held);
        let room = usize::try_from(needed).map(|needed| Vec::<u8>::new().try_reserve_exact(needed));
        if matches!(room, Ok(Ok(()))) {
            return Ok(());
        }
        Err(BuildError::OutOfMemory { class: self.step.class, needed })
    }

    /// Loads what the step is built on, except what is in memory, and solves it.
    fn solve(&self, kept: &mut BTreeMap<Class, Kept>) -> Result<SolvedPair, BuildError> {
        let (rules, class, job) = (&self.request.rules, self.step.class, self.job);
        let tables = self.open_dependencies()?;
        let to_load: Vec<Class> = self.memory.held().filter(|class| !kept.contains_key(class)).collect();
        let entries = to_load.iter().map(|class| Space::new(rules.board, *class).entries()).sum();
        job.to_load.store(entries, Ordering::Relaxed);
        for class in to_load {
            let values = load(&tables[&class]).map_err(|error| job.or_stopped(error))?;
            job.loaded.fetch_add(values.space().entries(), Ordering::Relaxed);
            kept.insert(class, Kept::new(rules, values));
        }
        let mut dependencies = Dependencies::default();
        for known in kept.values() {
            dependencies.add_outcomes(&known.outcomes, known.values.as_ref());
            if let Some(robustness) = &known.robustness {
                dependencies.add_robustness(robustness);
            }
        }
        let deeper = |class: Class, mover: PointSet, waiting: PointSet| look_up(&tables, class, mover, waiting);
        dependencies.set_deeper(&deeper);
        self.observer.stage(self.step, Stage::Solving);
        let solved = if class.has_hands() {
            solve_placing(rules, class, &dependencies, &job.control).map(|values| SolvedPair::from(vec![values]))
        } else if self.robustness {
            solve_pair_with_robustness(rules, class, &dependencies, &job.control)
        } else {
            solve_pair(rules, class, &dependencies, &job.control).map(SolvedPair::from)
        };
        solved.map_err(|error| job.or_stopped(error))
    }

    /// Opens the tables that the step is built on.
    fn open_dependencies(&self) -> Result<DependencyTables<'_>, BuildError> {
        let Request { rules, directory, .. } = self.request;
        let mut tables = DependencyTables::new();
        let mut missing = Vec::new();
        for &needed in &self.step.dependencies {
            let path = self.request.present_path(needed);
            // A map is faster for scattered look-ups. But a build takes days, and truncating a file in the meantime
            // must cause an error, not a crash.
            match FileSource::open(&path, Access::Positioned) {
                Ok(file) => {
                    let table = Table::read(&path, Stoppable { file, stop: &self.job.control.cancel });
                    let table = table.map_err(StoreError::from).and_then(|table| check_table(table, needed, rules));
                    tables.insert(needed, table.map_err(|error| self.job.or_stopped(error))?);
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(needed),
                Err(error) => return Err(StoreError::io(&path, "open")(error).into()),
            }
        }
        if missing.is_empty() {
            return Ok(tables);
        }
        self.check_place()?;
        Err(BuildError::Lost { lost: missing, directory: directory.clone() })
    }

    fn write(&self, values: &Values, tally: &Tally) -> Result<u64, BuildError> {
        let Request { rules, existing, .. } = self.request;
        let meta = describe(rules, values.class(), tally);
        let overwrite = match existing {
            Existing::Replace => Overwrite::Replace,
            Existing::Check | Existing::Recheck => Overwrite::Refuse,
        };
        let symbols = values.symbols();
        let read = |first: u64, out: &mut [u8]| {
            if self.job.abandon.load(Ordering::Relaxed) {
                return ControlFlow::Break(());
            }
            let first = first as usize;
            out.copy_from_slice(&symbols[first..first + out.len()]);
            ControlFlow::Continue(())
        };
        let path = self.request.path(values.class());
        let name = path.file_name().unwrap_or_default().as_ref();
        let written = write_table_in(self.lock.place(), name, &meta, &read, overwrite);
        written.map_err(|error| match (error.fault(), self.check_place()) {
            (TableFault::Cancelled, _) => BuildError::Cancelled,
            // Of a directory that was removed, the system says only that there is no such file.
            (_, Err(vanished)) => vanished,
            (_, Ok(())) => error.into(),
        })
    }
}

/// A table file that becomes unreadable once the work is stopped, so that reading all of it ends soon.
#[derive(Debug)]
struct Stoppable<'a> {
    file: FileSource,
    stop: &'a AtomicBool,
}

impl Stoppable<'_> {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl Source for Stoppable<'_> {
    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn bytes(&self) -> Option<&[u8]> {
        // Without borrowed bytes they are read, which is refused.
        if self.is_stopped() { None } else { self.file.bytes() }
    }

    fn read_at(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        if self.is_stopped() { Err(io::ErrorKind::Interrupted.into()) } else { self.file.read_at(at, out) }
    }
}

/// The tables of smaller classes that a step may look up.
type DependencyTables<'a> = BTreeMap<Class, Table<Stoppable<'a>>>;

fn load(table: &Table<Stoppable<'_>>) -> Result<Values, BuildError> {
    let meta = table.meta();
    let mut symbols = pages::zeros(meta.entries() as usize);
    table.decode_all(&mut symbols)?;
    let values = Values::new(meta.space(), table.alphabet().clone(), symbols);
    let other = |part, expected: &str| corrupt(part, expected, "something else").at(table.file());
    let values = values.ok_or_else(|| other(Part::Index, "a value for each entry"))?;
    let tally = Tally::of(&values);
    if [tally.full, tally.canonical] != [meta.full, meta.canonical] {
        return Err(other(Part::Head, "the counts of its own entries").into());
    }
    Ok(values)
}

fn look_up(
    tables: &DependencyTables<'_>,
    class: Class,
    mover: PointSet,
    waiting: PointSet,
) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
    let table = tables.get(&class).ok_or(UnavailableClass { class })?;
    let entry = table.meta().space().entry(mover, waiting);
    Ok(table.get(entry.block, entry.rank)?)
}
