//! Carrying out a plan, a pair at a time.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;

use crate::board::PointSet;
use crate::index::{Class, Layout};
use crate::rules::RuleSet;
use crate::solve::{Control, Dependencies, SolveError, Tally, Values, WdlCounts, solve_pair};
use crate::table::{self, Counts, DtcCount, FileSource, Table, TableMeta, file_name, write_table};
use crate::value::Value;

use super::BuildError;
use super::lock::Lock;
use super::memory::Need;
use super::plan::{self, Existing, PairPlan, Plan, Wish};

/// What a job may use and how it is stopped.
#[derive(Debug, Default)]
pub struct Job {
    /// Threads; 0 for one a core.
    pub threads: usize,
    /// The most memory in bytes, if limited.
    pub memory: Option<u64>,
    /// What to do with tables that are there.
    pub existing: Existing,
    /// Counters to watch, and the flag that stops the work.
    pub control: Control,
}

/// The part of a pair's work that begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Reading tables of smaller classes.
    Loading,
    /// Solving.
    Solving,
    /// Counting, encoding, writing and syncing. A stop is obeyed after it.
    Writing,
}

/// What building a pair came to.
#[derive(Clone, Debug)]
pub struct PairReport {
    /// The class of the pair with more cows to move.
    pub class: Class,
    /// Entries of both tables.
    pub entries: u64,
    /// Bytes of both tables.
    pub bytes: u64,
    /// The longest DTC of both, in plies.
    pub longest: u16,
}

/// Is told how a job goes on.
pub trait Observer: Sync {
    /// Work on a pair begins.
    fn pair_begins(&self, _pair: &PairPlan) {}
    /// A part of a pair's work begins.
    fn stage(&self, _class: Class, _stage: Stage) {}
    /// A pair is built.
    fn pair_done(&self, _report: &PairReport) {}
}

/// Nobody watches.
impl Observer for () {}

/// Builds what is missing of a plan; gives what was built.
///
/// The result on disk is the same for any number of threads and any interruption.
///
/// # Errors
/// [`BuildError`]; the tables finished before it are whole and in place.
pub fn run(plan: &Plan, job: &Job, observer: &dyn Observer) -> Result<Vec<PairReport>, BuildError> {
    let directory = &plan.directory;
    fs::create_dir_all(directory).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            BuildError::NotADirectory { path: directory.clone() }
        }
        _ => BuildError::io(directory, "create the directory")(error),
    })?;
    let _lock = match plan.wish {
        Wish::Only(_) => Lock::pair(directory, plan.pairs[0].class)?,
        _ => Lock::directory(directory)?,
    };
    // What was there when the plan was made may have changed before the lock was ours.
    let plan = Plan::new(&plan.rules, directory, plan.wish, job.existing)?;
    remove_leftovers(&plan)?;
    let held = choose_memory(&plan, job)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(job.threads)
        .build()
        .map_err(|error| BuildError::Threads { threads: job.threads, why: error.to_string() })?;
    let mut reports = Vec::new();
    for pair in plan.missing() {
        if job.control.cancel.load(Ordering::Relaxed) {
            return Err(SolveError::Cancelled.into());
        }
        observer.pair_begins(pair);
        let report = pool.install(|| build_pair(&plan, pair, &held[&pair.class], job, observer))?;
        observer.pair_done(&report);
        reports.push(report);
    }
    Ok(reports)
}

/// Removes temporary files that a killed build left. Only files of the pairs that we hold the lock of are touched.
fn remove_leftovers(plan: &Plan) -> Result<(), BuildError> {
    let ours: Vec<String> = plan.pairs.iter().flat_map(PairPlan::classes).map(file_name).collect();
    let directory = &plan.directory;
    for entry in fs::read_dir(directory).map_err(BuildError::io(directory, "read the directory"))? {
        let entry = entry.map_err(BuildError::io(directory, "read the directory"))?;
        let name = entry.file_name();
        let Some(stem) = name.to_str().and_then(|name| name.strip_suffix(".tmp")) else { continue };
        if ours.iter().any(|table| stem.strip_prefix(table.as_str()).is_some_and(|rest| rest.starts_with('.'))) {
            fs::remove_file(entry.path()).map_err(BuildError::io(&entry.path(), "remove the leftover"))?;
        }
    }
    Ok(())
}

/// For each missing pair the classes to hold in memory, within the limit.
fn choose_memory(plan: &Plan, job: &Job) -> Result<BTreeMap<Class, Vec<Class>>, BuildError> {
    let limit = job.memory.unwrap_or(u64::MAX);
    let choose = |pair: &PairPlan| {
        if pair.need.bytes() <= limit {
            return Ok((pair.class, Dependencies::wanted(&plan.rules, pair.class)));
        }
        let least = Need::least(&plan.rules, pair.class).bytes();
        if least > limit {
            return Err(BuildError::Memory { class: pair.class, need: least, limit });
        }
        Ok((pair.class, Dependencies::required(pair.class)))
    };
    plan.missing().map(choose).collect()
}

fn build_pair(
    plan: &Plan,
    pair: &PairPlan,
    held: &[Class],
    job: &Job,
    observer: &dyn Observer,
) -> Result<PairReport, BuildError> {
    let (rules, directory) = (&plan.rules, plan.directory.as_path());
    let control = &job.control;
    for counter in [&control.seeded, &control.decided, &control.depth] {
        counter.store(0, Ordering::Relaxed);
    }
    observer.stage(pair.class, Stage::Loading);
    let below = open_below(rules, directory, pair.class)?;
    let loaded = held.iter().map(|class| load(&below[class])).collect::<Result<Vec<Values>, BuildError>>()?;
    let mut dependencies = Dependencies::default();
    for values in &loaded {
        dependencies.add(values);
    }
    let deeper = |mover: PointSet, waiting: PointSet| look_up(&below, mover, waiting);
    dependencies.set_deeper(&deeper);

    observer.stage(pair.class, Stage::Solving);
    let solved = solve_pair(rules, pair.class, &dependencies, control)?;
    drop(dependencies);
    drop(loaded);

    observer.stage(pair.class, Stage::Writing);
    let mut report = PairReport { class: pair.class, entries: pair.entries, bytes: 0, longest: 0 };
    for values in &solved {
        let tally = Tally::of(values);
        report.longest = report.longest.max(tally.max_dtc().map_or(0, |plies| plies.0));
        report.bytes += match pair.present.iter().find(|(class, _)| *class == values.class()) {
            // Its twin was lost, it was not.
            Some((_, bytes)) => *bytes,
            None => write(rules, directory, values, &tally, job.existing)?,
        };
    }
    Ok(report)
}

type Below = BTreeMap<Class, Table<FileSource>>;

/// Opens the tables that a pair builds on.
fn open_below(rules: &RuleSet, directory: &Path, class: Class) -> Result<Below, BuildError> {
    let mut below = Below::new();
    let mut missing = Vec::new();
    for needed in Dependencies::all(rules, class) {
        match plan::open(directory, rules, needed)? {
            Some(table) => {
                below.insert(needed, table);
            }
            None => missing.push(needed),
        }
    }
    if missing.is_empty() {
        return Ok(below);
    }
    Err(BuildError::Missing { class, missing, directory: directory.to_owned() })
}

fn load(table: &Table<FileSource>) -> Result<Values, BuildError> {
    let meta = table.meta();
    let mut codes = vec![0; meta.entries() as usize];
    table.decode_all(&mut codes)?;
    let found = codes.len() as u64;
    let values = Values::from_codes(meta.class, codes);
    values.ok_or_else(|| {
        let expected = Layout::new(meta.class).entries();
        table::TableFault::Length { expected, found }.at(table.file()).into()
    })
}

fn look_up(
    below: &Below,
    mover: PointSet,
    waiting: PointSet,
) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
    let class = Class::moving(mover.len(), waiting.len())?;
    let table = below.get(&class).ok_or_else(|| format!("{class} is missing"))?;
    let entry = Layout::new(class).entry(mover, waiting);
    Ok(table.get(entry.block, entry.rank)?.value())
}

fn write(
    rules: &RuleSet,
    directory: &Path,
    values: &Values,
    tally: &Tally,
    existing: Existing,
) -> Result<u64, BuildError> {
    let mut dtc = vec![DtcCount::default(); tally.max_dtc().map_or(0, |longest| usize::from(longest.0) + 1)];
    for row in tally.rows() {
        dtc[usize::from(row.plies)] = DtcCount { won: row.won, lost: row.lost };
    }
    let counts = |counts: WdlCounts| Counts { won: counts.won, drawn: counts.drawn, lost: counts.lost };
    let meta = TableMeta {
        rules_text: rules.to_string(),
        rules_fingerprint: rules.fingerprint(),
        board: rules.board,
        class: values.class(),
        blocks: values.layout().blocks(),
        full: counts(tally.full),
        canonical: counts(tally.canonical),
        dtc,
    };
    let replace = match existing {
        Existing::Replace => table::Existing::Replace,
        Existing::Check | Existing::Recheck => table::Existing::Keep,
    };
    Ok(write_table(&directory.join(file_name(values.class())), &meta, values.codes(), replace)?)
}
