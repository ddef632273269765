//! Carrying out a plan, a pair at a time.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;

use crate::board::PointSet;
use crate::index::{Class, Layout};
use crate::rules::RuleSet;
use crate::solve::{Control, Dependencies, Outcomes, SolveError, Tally, Values, WdlCounts, solve_pair};
use crate::table::{self, Counts, DtcCount, FileSource, Table, TableMeta, file_name, write_table};
use crate::value::Value;

use super::BuildError;
use super::lock::Lock;
use super::memory::{Need, held_bytes};
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
    let wanted = choose_memory(&plan, job)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(job.threads)
        .build()
        .map_err(|error| BuildError::Threads { threads: job.threads, why: error.to_string() })?;
    let mut reports = Vec::new();
    let mut held = BTreeMap::new();
    for pair in plan.missing() {
        if job.control.cancel.load(Ordering::Relaxed) {
            return Err(SolveError::Cancelled.into());
        }
        observer.pair_begins(pair);
        let report = pool.install(|| build_pair(&plan, pair, &wanted[&pair.class], &mut held, job, observer))?;
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

/// For each missing pair the classes to hold in memory, within the limit: all that may be asked for, or as many of the
/// larger ones as there is room for, as those are asked for most.
fn choose_memory(plan: &Plan, job: &Job) -> Result<BTreeMap<Class, Vec<Class>>, BuildError> {
    let limit = job.memory.unwrap_or(u64::MAX);
    let rules = &plan.rules;
    let choose = |pair: &PairPlan| {
        let least = Need::least(rules, pair.class).bytes();
        let mut room = limit.checked_sub(least).ok_or(BuildError::Memory { class: pair.class, need: least, limit })?;
        let mut held = Dependencies::required(pair.class);
        let mut more = Dependencies::all(rules, pair.class);
        more.retain(|class| !held.contains(class));
        more.sort_by_key(|class| std::cmp::Reverse(class.total()));
        for class in more {
            match room.checked_sub(held_bytes(rules, class)) {
                Some(rest) => room = rest,
                None => break,
            }
            held.push(class);
        }
        Ok((pair.class, held))
    };
    plan.missing().map(choose).collect()
}

/// Drops what neither this pair nor, as far as there is room for it, a later one asks for.
fn make_room(plan: &Plan, pair: &PairPlan, wanted: &[Class], held: &mut BTreeMap<Class, Held>, limit: Option<u64>) {
    let rules = &plan.rules;
    let limit = limit.unwrap_or_else(|| plan.peak());
    let mut room = limit.saturating_sub(Need::new(rules, pair.class, wanted).bytes());
    let later: Vec<Class> =
        plan.missing().skip_while(|other| other.class != pair.class).flat_map(|pair| pair.asks.clone()).collect();
    let mut others: Vec<Class> = held.keys().copied().filter(|class| !wanted.contains(class)).collect();
    others.sort_by_key(|class| std::cmp::Reverse(class.total()));
    for class in others {
        match room.checked_sub(held_bytes(rules, class)) {
            Some(rest) if later.contains(&class) => room = rest,
            _ => drop(held.remove(&class)),
        }
    }
}

/// What is kept in memory of a solved class.
struct Held {
    outcomes: Outcomes,
    values: Option<Values>,
}

impl Held {
    fn new(rules: &RuleSet, values: Values) -> Self {
        let outcomes = Outcomes::of(&values);
        let keep = Dependencies::asks_for_values(rules, values.class());
        Self { outcomes, values: keep.then_some(values) }
    }
}

fn build_pair(
    plan: &Plan,
    pair: &PairPlan,
    wanted: &[Class],
    held: &mut BTreeMap<Class, Held>,
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
    make_room(plan, pair, wanted, held, job.memory);
    for class in wanted {
        if !held.contains_key(class) {
            held.insert(*class, Held::new(rules, load(&below[class])?));
        }
    }
    let mut dependencies = Dependencies::default();
    for known in held.values() {
        dependencies.add_outcomes(&known.outcomes, known.values.as_ref());
    }
    let deeper = |mover: PointSet, waiting: PointSet| look_up(&below, mover, waiting);
    dependencies.set_deeper(&deeper);

    observer.stage(pair.class, Stage::Solving);
    let solved = solve_pair(rules, pair.class, &dependencies, control)?;
    drop(dependencies);

    observer.stage(pair.class, Stage::Writing);
    let mut report = PairReport { class: pair.class, entries: pair.entries, bytes: 0, longest: 0 };
    for values in solved {
        let tally = Tally::of(&values);
        report.longest = report.longest.max(tally.max_dtc().map_or(0, |plies| plies.0));
        report.bytes += match pair.present.iter().find(|(class, _)| *class == values.class()) {
            // Its twin was lost, it was not.
            Some((_, bytes)) => *bytes,
            None => write(rules, directory, &values, &tally, job.existing)?,
        };
        held.insert(values.class(), Held::new(rules, values));
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
