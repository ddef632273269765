//! Carrying out a plan, a pair at a time.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::board::PointSet;
use crate::lookahead::{Outcomes, Tally, Values, WdlCounts};
use crate::rules::RuleSet;
use crate::solve::{Control, Dependencies, SolveError, solve_pair};
use crate::space::{Class, Space};
use crate::table::{
    self, Access, Counts, DtcCount, EXTENSION, FileSource, Source, Table, TableFault, TableMeta, file_name, write_table,
};
use crate::value::Value;

use super::BuildError;
use super::lock::Lock;
use super::memory::{Need, held_bytes};
use super::plan::{Existing, PairPlan, Plan, Wish};

/// What a job may use and how it is stopped.
#[derive(Debug, Default)]
pub struct Job {
    /// Threads; 0 for one a core.
    pub threads: usize,
    /// The most memory in bytes, if limited.
    pub memory: Option<u64>,
    /// Counters to watch, and the flag that stops the work. It is obeyed at once while tables are loaded and a pair is
    /// solved. A pair that is solved is written first.
    pub control: Control,
    /// Raise as well not to wait for what is being written; it is lost then.
    pub abandon: AtomicBool,
    /// Entries of smaller classes to be loaded for the pair in work.
    pub to_load: AtomicU64,
    /// Those loaded so far.
    pub loaded: AtomicU64,
}

impl Job {
    fn is_stopped(&self) -> bool {
        self.control.cancel.load(Ordering::Relaxed)
    }

    /// What stopped the work, where it failed because it was stopped.
    fn or_stopped(&self, error: impl Into<BuildError>) -> BuildError {
        if self.is_stopped() { SolveError::Cancelled.into() } else { error.into() }
    }
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
    /// Wall-clock time for all of it.
    pub time: Duration,
    /// The part of it that went into packing: counting, encoding, writing and syncing.
    pub packing: Duration,
}

/// Is told how a job goes on.
pub trait Observer: Sync {
    /// Work on a pair begins.
    fn pair_begins(&self, _pair: &PairPlan) {}
    /// A part of a pair's work begins.
    fn stage(&self, _pair: &PairPlan, _stage: Stage) {}
    /// A pair is built.
    fn pair_done(&self, _report: &PairReport) {}
}

/// Nobody watches.
impl Observer for () {}

/// Builds what is missing of a plan; gives what was built.
///
/// The result on disk is the same for any number of threads and any interruption. Where nothing is missing nothing is
/// touched but what a killed build left, so that a finished directory may be read-only.
///
/// # Errors
/// [`BuildError`]; the tables finished before it are whole and in place.
pub fn run(plan: &Plan, job: &Job, observer: &dyn Observer) -> Result<Vec<PairReport>, BuildError> {
    let directory = &plan.directory;
    if plan.missing().next().is_none() && leftovers(directory, None)?.is_empty() {
        Lock::remove_abandoned(directory, plan.single());
        return Ok(Vec::new());
    }
    plan.peak(job.memory)?;
    if let Wish::Only(class) = plan.wish {
        check_below(plan, class)?;
    }
    create(directory)?;
    let lock = match plan.single() {
        Some(class) => Lock::pair(directory, class)?,
        None => Lock::directory(directory)?,
    };
    let plan = plan_again(plan, &lock)?;
    let ours = lock.is_shared().then(|| plan.pairs[0].classes().collect::<Vec<_>>());
    for path in leftovers(directory, ours.as_deref())? {
        fs::remove_file(&path).map_err(BuildError::io(&path, "remove the leftover"))?;
    }
    let peak = plan.peak(job.memory)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(job.threads)
        .build()
        .map_err(|error| BuildError::Threads { threads: job.threads, why: error.to_string() })?;
    let mut reports = Vec::new();
    let mut held = BTreeMap::new();
    for pair in plan.missing() {
        if job.is_stopped() {
            return Err(SolveError::Cancelled.into());
        }
        observer.pair_begins(pair);
        let need = plan.need(pair, job.memory)?;
        make_room(&plan, pair, &need, &mut held, job.memory.unwrap_or(peak));
        let work = Work { plan: &plan, pair, need: &need, lock: &lock, job, observer };
        let report = pool.install(|| work.build(&mut held))?;
        observer.pair_done(&report);
        reports.push(report);
    }
    Ok(reports)
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

/// Drops what neither this pair nor, as far as there is room for it, a later one asks for.
fn make_room(plan: &Plan, pair: &PairPlan, need: &Need, held: &mut BTreeMap<Class, Held>, limit: u64) {
    let mut room = limit.saturating_sub(need.bytes());
    let later: Vec<Class> =
        plan.missing().skip_while(|other| other.class != pair.class).flat_map(|pair| pair.asks.clone()).collect();
    let mut others: Vec<Class> = held.keys().copied().filter(|class| !need.holds(*class)).collect();
    others.sort_by_key(|class| std::cmp::Reverse(class.total()));
    for class in others {
        match room.checked_sub(held_bytes(&plan.rules, class)) {
            Some(rest) if later.contains(&class) => room = rest,
            _ => drop(held.remove(&class)),
        }
    }
}

/// Refuses a pair alone where tables that it is built on are missing.
fn check_below(plan: &Plan, class: Class) -> Result<(), BuildError> {
    let mut missing = Dependencies::all(&plan.rules, class);
    missing.retain(|class| !plan.directory.join(file_name(*class)).exists());
    if missing.is_empty() {
        return Ok(());
    }
    Err(BuildError::Missing { class, missing, directory: plan.directory.clone() })
}

/// Creates the directory, and makes sure that a power failure leaves it.
pub(crate) fn create(directory: &Path) -> Result<(), BuildError> {
    if directory.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(directory).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            BuildError::NotADirectory { path: directory.to_owned() }
        }
        _ => BuildError::io(directory, "create the directory")(error),
    })?;
    if cfg!(unix) {
        // Not every file system can do this, and nothing is lost that was there before.
        let parent = directory.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let _ = fs::File::open(parent).and_then(|parent| parent.sync_all());
    }
    Ok(())
}

/// The plan as it is now that the lock is ours: another build may have ended in between.
fn plan_again(plan: &Plan, lock: &Lock) -> Result<Plan, BuildError> {
    // Bytes that were checked a moment ago are not read again.
    let existing = if plan.existing == Existing::Recheck { Existing::Check } else { plan.existing };
    let wish = match plan.single() {
        // What it builds on is looked for when it is begun.
        Some(class) if lock.is_shared() => Wish::Only(class),
        _ => plan.wish,
    };
    Plan::new(&plan.rules, &plan.directory, wish, existing)
}

/// Temporary files that a killed build left: all in the directory, or those of some classes.
fn leftovers(directory: &Path, classes: Option<&[Class]>) -> Result<Vec<PathBuf>, BuildError> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(BuildError::io(directory, "read the directory")(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(BuildError::io(directory, "read the directory"))?;
        let name = entry.file_name();
        let class = name.to_str().and_then(leftover_of);
        if class.is_some_and(|class| classes.is_none_or(|classes| classes.contains(&class))) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// The class of a temporary file with this name: `4-3.mora.PROCESS-NUMBER.tmp`.
fn leftover_of(name: &str) -> Option<Class> {
    let (class, rest) = name.strip_suffix(".tmp")?.split_once('.')?;
    rest.strip_prefix(EXTENSION)?.starts_with('.').then(|| class.parse().ok())?
}

/// The work on one pair.
struct Work<'a> {
    plan: &'a Plan,
    pair: &'a PairPlan,
    need: &'a Need,
    lock: &'a Lock,
    job: &'a Job,
    observer: &'a dyn Observer,
}

impl Work<'_> {
    fn build(&self, held: &mut BTreeMap<Class, Held>) -> Result<PairReport, BuildError> {
        let (pair, job) = (self.pair, self.job);
        for counter in [&job.control.seeded, &job.control.decided, &job.control.depth, &job.to_load, &job.loaded] {
            counter.store(0, Ordering::Relaxed);
        }
        let began = Instant::now();
        self.observer.stage(pair, Stage::Loading);
        self.check_place()?;
        let solved = self.solve(held)?;
        let solving = began.elapsed();

        self.observer.stage(pair, Stage::Writing);
        self.check_place()?;
        let (class, entries, no_time) = (pair.class, pair.entries, Duration::ZERO);
        let mut report = PairReport { class, entries, bytes: 0, longest: 0, time: no_time, packing: no_time };
        for values in solved {
            let tally = Tally::of(&values);
            report.longest = report.longest.max(tally.max_dtc().map_or(0, |plies| plies.0));
            report.bytes += match pair.present.iter().find(|(class, _)| *class == values.class()) {
                // Its twin was lost, it was not.
                Some((_, bytes)) => *bytes,
                None => self.write(&values, &tally)?,
            };
            held.insert(values.class(), Held::new(&self.plan.rules, values));
        }
        report.time = began.elapsed();
        report.packing = report.time.saturating_sub(solving);
        Ok(report)
    }

    /// Refuses to go on in a directory that is not the one that was locked, where nothing would be found again.
    fn check_place(&self) -> Result<(), BuildError> {
        if self.lock.is_in_place() {
            return Ok(());
        }
        Err(BuildError::Vanished { path: self.plan.directory.clone() })
    }

    /// Loads what the pair is built on, as far as it is not held, and solves it.
    fn solve(&self, held: &mut BTreeMap<Class, Held>) -> Result<Vec<Values>, BuildError> {
        let (rules, class, job) = (&self.plan.rules, self.pair.class, self.job);
        let below = self.open_below()?;
        let to_load: Vec<Class> = self.need.held().filter(|class| !held.contains_key(class)).collect();
        let entries = to_load.iter().map(|class| Space::new(rules.board, *class).entries()).sum();
        job.to_load.store(entries, Ordering::Relaxed);
        for class in to_load {
            let values = load(&below[&class]).map_err(|error| job.or_stopped(error))?;
            job.loaded.fetch_add(values.space().entries(), Ordering::Relaxed);
            held.insert(class, Held::new(rules, values));
        }
        let mut dependencies = Dependencies::default();
        for known in held.values() {
            dependencies.add_outcomes(&known.outcomes, known.values.as_ref());
        }
        let deeper = |class: Class, mover: PointSet, waiting: PointSet| look_up(&below, class, mover, waiting);
        dependencies.set_deeper(&deeper);
        self.observer.stage(self.pair, Stage::Solving);
        solve_pair(rules, class, &dependencies, &job.control).map_err(|error| job.or_stopped(error))
    }

    /// Opens the tables that the pair builds on.
    fn open_below(&self) -> Result<Below<'_>, BuildError> {
        let Plan { rules, directory, .. } = self.plan;
        let class = self.pair.class;
        let mut below = Below::new();
        let mut missing = Vec::new();
        for needed in Dependencies::all(rules, class) {
            let path = directory.join(file_name(needed));
            // A map is faster for scattered look-ups. What is read once and whole is read without: where the file
            // vanishes, that is an error and not a crash.
            let access = if self.need.holds(needed) { Access::Positioned } else { Access::Map };
            match FileSource::open(&path, access) {
                Ok(file) => {
                    let table = Table::read(&path, Stoppable { file, stop: &self.job.control.cancel });
                    let table = table.and_then(|table| table.expect(needed, &rules.to_string(), rules.fingerprint()));
                    below.insert(needed, table.map_err(|error| self.job.or_stopped(error))?);
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(needed),
                Err(error) => return Err(BuildError::io(&path, "open")(error)),
            }
        }
        if missing.is_empty() {
            return Ok(below);
        }
        self.check_place()?;
        Err(BuildError::Missing { class, missing, directory: directory.clone() })
    }

    fn write(&self, values: &Values, tally: &Tally) -> Result<u64, BuildError> {
        let Plan { rules, directory, .. } = self.plan;
        let meta = table_meta(rules, values.class(), tally);
        let replace = match self.plan.existing {
            Existing::Replace => table::Existing::Replace,
            Existing::Check | Existing::Recheck => table::Existing::Keep,
        };
        let symbols = values.symbols();
        let abandoned = || self.job.abandon.load(Ordering::Relaxed);
        let read = |first: u64, out: &mut [u8]| {
            if abandoned() {
                // No table has this symbol, so that the writer gives up and removes what it has written.
                out.fill(u8::MAX);
                return;
            }
            let first = first as usize;
            out.copy_from_slice(&symbols[first..first + out.len()]);
        };
        let written = write_table(&directory.join(file_name(values.class())), &meta, &read, replace);
        written.map_err(|error| match error.fault() {
            TableFault::BadInput { .. } if abandoned() => SolveError::Cancelled.into(),
            _ => error.into(),
        })
    }
}

/// A table's file that cannot be read any more once the work is stopped, so that reading all of it ends soon.
struct Stoppable<'a> {
    file: FileSource,
    stop: &'a AtomicBool,
}

impl Source for Stoppable<'_> {
    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn with<T>(&self, at: u64, length: usize, use_bytes: impl FnOnce(&[u8]) -> T) -> io::Result<T> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        self.file.with(at, length, use_bytes)
    }
}

type Below<'a> = BTreeMap<Class, Table<Stoppable<'a>>>;

fn load(table: &Table<Stoppable<'_>>) -> Result<Values, BuildError> {
    let meta = table.meta();
    let expected = meta.space().entries();
    let found = meta.entries();
    let wrong_length = || table::TableFault::Length { expected, found }.at(table.file());
    if found != expected {
        return Err(wrong_length().into());
    }
    let mut symbols = vec![0; found as usize];
    table.decode_all(&mut symbols)?;
    Values::new(meta.space(), table.alphabet().clone(), symbols).ok_or_else(|| wrong_length().into())
}

fn look_up(
    below: &Below<'_>,
    class: Class,
    mover: PointSet,
    waiting: PointSet,
) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
    let table = below.get(&class).ok_or_else(|| format!("{class} is missing"))?;
    let entry = table.meta().space().entry(mover, waiting);
    Ok(table.get(entry.block, entry.rank)?)
}

/// What the head of a class's table says.
pub(crate) fn table_meta(rules: &RuleSet, class: Class, tally: &Tally) -> TableMeta {
    let mut dtc = vec![DtcCount::default(); tally.max_dtc().map_or(0, |longest| usize::from(longest.0) + 1)];
    for row in tally.rows() {
        dtc[usize::from(row.plies)] = DtcCount { won: row.won, lost: row.lost };
    }
    let counts = |counts: WdlCounts| Counts { won: counts.won, drawn: counts.drawn, lost: counts.lost };
    TableMeta {
        rules_text: rules.to_string(),
        rules_fingerprint: rules.fingerprint(),
        board: rules.board,
        class,
        blocks: Space::new(rules.board, class).blocks(),
        full: counts(tally.full),
        canonical: counts(tally.canonical),
        dtc,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_temporary_files_of_tables_are_leftovers() {
        for (name, class) in [("4-3.mora.17-0.tmp", Some("4-3")), ("12-11.mora.1-22.tmp", Some("12-11"))] {
            assert_eq!(leftover_of(name).map(|class| class.to_string()).as_deref(), class);
        }
        for name in ["4-3.mora", "4-3.tmp", "notes.tmp", "4-3.morals.tmp", "x.mora.1-0.tmp", ".tmp", "4-3.mora.tmp.gz"]
        {
            assert_eq!(leftover_of(name), None, "{name}");
        }
    }
}
