//! `build`: tables built from Python, watched by a callback and stopped by Ctrl-C.
//!
//! The work is done by threads of its own. The thread that called waits, looks for signals and calls the callback; an exception
//! of either stops the work, and is raised when that has ended in order.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use morabase::Class;
use morabase::build::{
    Build, BuildError, Existing, Job, Layers, Observer, Plan, PlanStep, Request, Stage, StepReport, Target,
};
use pyo3::prelude::*;

use crate::answers::{Reduced, restorer};
use crate::errors::{OrRaise, bad_argument, error};
use crate::rules::{RulesArg, Whole};
use crate::tablebase::{ClassArg, PathArg};

/// How often signals are looked for.
const WATCH: Duration = Duration::from_millis(50);

/// How often the callback is called while a pair is being solved.
const INTERVAL: Duration = Duration::from_millis(250);

/// The most threads.
const MOST_THREADS: u64 = 1024;

/// A pair of tables that was built: a class and the one with the sides exchanged.
#[pyclass(frozen, eq, module = "morabase")]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct BuiltPair {
    class: Class,
    /// Entries of both tables.
    #[pyo3(get)]
    entries: u64,
    /// Bytes of both tables.
    #[pyo3(get)]
    bytes: u64,
    /// The longest DTC of both, in plies.
    #[pyo3(get)]
    longest: u16,
}

#[pymethods]
impl BuiltPair {
    /// The class of the pair with more cows to move.
    #[getter]
    fn class_name(&self) -> String {
        self.class.to_string()
    }

    fn __repr__(&self) -> String {
        let Self { class, entries, bytes, longest } = self;
        format!("<BuiltPair {class}, {entries} entries in {bytes} bytes, longest {longest} plies>")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String, u64, u64, u16)> {
        let state = (self.class_name(), self.entries, self.bytes, self.longest);
        Ok((restorer(py, "_restore_built_pair")?, state))
    }
}

/// A built pair from its pickled state.
#[pyfunction]
pub(crate) fn _restore_built_pair(class_name: ClassArg, entries: u64, bytes: u64, longest: u16) -> BuiltPair {
    BuiltPair { class: class_name.0, entries, bytes, longest }
}

impl From<&StepReport> for BuiltPair {
    fn from(report: &StepReport) -> Self {
        Self { class: report.class, entries: report.entries, bytes: report.bytes, longest: report.longest }
    }
}

/// How a build goes on, as its callback is told.
#[pyclass(frozen, module = "morabase")]
#[derive(Clone, Copy)]
pub(crate) struct BuildProgress {
    class: Class,
    /// `loading`, `solving`, `writing` or, once for each pair, `done`.
    #[pyo3(get)]
    stage: &'static str,
    /// Pairs built so far by this call.
    #[pyo3(get)]
    pairs_done: usize,
    /// Pairs that this call builds.
    #[pyo3(get)]
    pairs: usize,
    /// Entries of the pairs built so far.
    #[pyo3(get)]
    entries_done: u64,
    /// Entries of all pairs that this call builds.
    #[pyo3(get)]
    entries: u64,
    /// Plies that the induction of the pair that is being built has come to.
    #[pyo3(get)]
    depth: u64,
    /// Seconds since the build began.
    #[pyo3(get)]
    seconds: f64,
}

#[pymethods]
impl BuildProgress {
    /// The class being built; of a pair, the one with more cows to move.
    #[getter]
    fn class_name(&self) -> String {
        self.class.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<BuildProgress {} {}, {} of {} pairs>", self.class, self.stage, self.pairs_done, self.pairs)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, PickledProgress> {
        let Self { stage, pairs_done, pairs, entries_done, entries, depth, seconds, .. } = *self;
        let state = (self.class_name(), stage.to_owned(), [pairs_done, pairs], [entries_done, entries], depth, seconds);
        Ok((restorer(py, "_restore_progress")?, state))
    }
}

/// The class, the stage, pairs and entries done and in all, the depth, the seconds.
type PickledProgress = (String, String, [usize; 2], [u64; 2], u64, f64);

/// The progress of a build from its pickled state.
#[pyfunction]
pub(crate) fn _restore_progress(
    py: Python<'_>,
    class_name: ClassArg,
    stage: &str,
    pairs: [usize; 2],
    entries: [u64; 2],
    depth: u64,
    seconds: f64,
) -> PyResult<BuildProgress> {
    let stage = STAGES.into_iter().find(|known| *known == stage);
    let stage = stage.ok_or_else(|| bad_argument(py, "this is not the state of a pickled progress"))?;
    let ([pairs_done, pairs], [entries_done, entries]) = (pairs, entries);
    Ok(BuildProgress { class: class_name.0, stage, pairs_done, pairs, entries_done, entries, depth, seconds })
}

/// The stages that a callback is told.
const STAGES: [&str; 4] = ["loading", "solving", "writing", "done"];

/// What the build and the thread that waits for it know together.
struct Shared {
    plan: Plan,
    job: Job,
    state: Mutex<State>,
    ended: AtomicBool,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    current: Option<(Class, Stage)>,
    done: Vec<StepReport>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits a moment, or until something has happened.
    fn wait(&self) {
        let state = self.state();
        if !self.ended.load(Ordering::Acquire) {
            drop(self.wake.wait_timeout(state, WATCH));
        }
    }

    /// Stops the work; the second time without waiting for what is being written.
    fn stop(&self) {
        if self.job.control.cancel.swap(true, Ordering::Relaxed) {
            self.job.abandon.store(true, Ordering::Relaxed);
        }
    }
}

impl Observer for Shared {
    fn stage(&self, step: &PlanStep, stage: Stage) {
        self.state().current = Some((step.class, stage));
    }

    fn step_done(&self, report: &StepReport) {
        let mut state = self.state();
        state.done.push(report.clone());
        state.current = None;
        drop(state);
        self.wake.notify_all();
    }
}

/// Tells that the work has ended, however it did.
struct Ended<'a>(&'a Shared);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        // Under the lock, so that it cannot fall between a look and a wait.
        let state = self.0.state();
        self.0.ended.store(true, Ordering::Release);
        drop(state);
        self.0.wake.notify_all();
    }
}

/// Calls the callback: for each finished pair once, and from time to time in between.
struct Reporter<'a, 'py> {
    shared: &'a Shared,
    callback: &'a Bound<'py, PyAny>,
    began: Instant,
    called: Instant,
    told: usize,
    entries_done: u64,
}

impl Reporter<'_, '_> {
    fn report(&mut self) -> PyResult<()> {
        let (current, finished) = {
            let state = self.shared.state();
            (state.current, state.done[self.told..].to_vec())
        };
        for report in finished {
            self.told += 1;
            self.entries_done += report.entries;
            self.call(report.class, "done")?;
        }
        match current {
            Some((class, stage)) if self.called.elapsed() >= INTERVAL => self.call(class, stage_name(stage)),
            _ => Ok(()),
        }
    }

    fn call(&mut self, class: Class, stage: &'static str) -> PyResult<()> {
        let progress = BuildProgress {
            class,
            stage,
            pairs_done: self.told,
            pairs: self.shared.plan.missing().count(),
            entries_done: self.entries_done,
            entries: self.shared.plan.missing_entries(),
            depth: if stage == "solving" { self.shared.job.control.depth.load(Ordering::Relaxed) } else { 0 },
            seconds: self.began.elapsed().as_secs_f64(),
        };
        self.callback.call1((progress,))?;
        self.called = Instant::now();
        Ok(())
    }
}

const fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Loading => "loading",
        Stage::Solving => "solving",
        Stage::Writing => "writing",
    }
}

/// Builds the tables that are missing in a directory, and says what was built.
///
/// One of three: all classes without cows in hand and of up to `max_cows` cows together (6 to twice what a side has, 24 in
/// Morabaraba); or with `game` everything from the empty board on; or `class_name`, such as `5-4` or `2-3+2-1`, and all it depends on, with `only`
/// this class and those solved with it alone, from tables that are there. With `game`, `layers` says which classes with cows in hand
/// to keep: `'all'`, every second (`'2'`) or third (`'3'`) layer, or `'from:N'`, those in which both sides together have placed N cows or more.
///
/// `threads` is one per core by default, and `memory` the most bytes to use. Tables that are there are kept; with `recheck` only
/// after all their bytes have been checked.
///
/// `progress` is called with a `BuildProgress` about four times a second and once for each pair that is done. What it
/// raises stops the build and is raised here; so does Ctrl-C, where this is the main thread. A pair that is solved is written
/// first, unless Ctrl-C comes again. Finished tables stay, and the same call goes on from there.
///
/// Raises `ArgumentError` or `ClassError` for a target that cannot be met, `PathError` if the directory cannot be used,
/// `RulesDifferError` if it holds tables of other rules, and `BuildError`.
#[pyfunction]
#[pyo3(signature = (directory, max_cows = None, *, game = false, layers = "all", class_name = None, only = false,
                    rules = RulesArg::default(), threads = None, memory = None, recheck = false, progress = None),
       text_signature = "(directory, max_cows=None, *, game=False, layers='all', class_name=None, only=False, rules='gar', threads=None, memory=None, recheck=False, progress=None)")]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn build(
    py: Python<'_>,
    directory: PathArg,
    max_cows: Option<Whole>,
    game: bool,
    layers: &str,
    class_name: Option<ClassArg>,
    only: bool,
    rules: RulesArg,
    threads: Option<Whole>,
    memory: Option<Whole>,
    recheck: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<BuiltPair>> {
    let target = match (max_cows, game, class_name, only) {
        (Some(Whole(cows)), false, None, false) => Target::MaxCows(u32::try_from(cows).unwrap_or(u32::MAX)),
        (None, true, None, false) => Target::Game,
        (None, false, Some(ClassArg(class)), false) => Target::Class(class),
        (None, false, Some(ClassArg(class)), true) => Target::Only(class),
        _ => {
            return Err(bad_argument(
                py,
                "expected one of max_cows, game=True and class_name, and only=True with the last alone",
            ));
        }
    };
    let layers: Layers = layers.parse().map_err(|why| bad_argument(py, &format!("layers: {why}")))?;
    if layers != Layers::All && target != Target::Game {
        return Err(bad_argument(py, "layers: expected game=True beside it"));
    }
    let threads = threads.map_or(0, |threads| threads.0);
    if threads > MOST_THREADS {
        return Err(bad_argument(py, &format!("threads: expected 0 to {MOST_THREADS}, found {threads}")));
    }
    if let Some(progress) = progress.filter(|progress| !progress.is_callable()) {
        return Err(crate::errors::bad_type(progress, "a function to be called with the progress"));
    }
    let request = Request {
        existing: if recheck { Existing::Recheck } else { Existing::Check },
        memory: memory.map(|memory| memory.0),
        layers,
        ..Request::new(&rules.0, &directory.0, target)
    };
    let build = py.detach(|| Build::begin(&request)).or_raise(py)?;
    let plan = build.plan().clone();
    let job = Job { threads: threads as usize, ..Job::default() };
    let ended = AtomicBool::new(false);
    let shared = Arc::new(Shared { plan, job, state: Mutex::default(), ended, wake: Condvar::new() });
    run(py, build, &shared, progress)
}

type Worker = JoinHandle<Result<Vec<StepReport>, BuildError>>;

fn start(build: Build, shared: &Arc<Shared>) -> std::io::Result<Worker> {
    let shared = Arc::clone(shared);
    std::thread::Builder::new().name("morabase-build".to_owned()).spawn(move || {
        let _ended = Ended(&shared);
        build.run(&shared.job, &*shared)
    })
}

fn run(
    py: Python<'_>,
    build: Build,
    shared: &Arc<Shared>,
    callback: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<BuiltPair>> {
    let failed = |why: &str| error(py, "BuildError", why, &[]);
    let worker = start(build, shared).map_err(|why| failed(&format!("cannot start a thread: {why}")))?;
    let now = Instant::now();
    let mut reporter =
        callback.map(|callback| Reporter { shared, callback, began: now, called: now, told: 0, entries_done: 0 });
    let mut raised: Option<PyErr> = None;
    loop {
        py.detach(|| shared.wait());
        let ended = shared.ended.load(Ordering::Acquire);
        let mut seen = py.check_signals();
        if let (Ok(()), None, Some(reporter)) = (&seen, &raised, &mut reporter) {
            seen = reporter.report();
        }
        if let Err(error) = seen {
            shared.stop();
            raised.get_or_insert(error);
        }
        if ended {
            break;
        }
    }
    let result = py.detach(|| worker.join());
    if let Some(error) = raised {
        return Err(error);
    }
    match result {
        Ok(reports) => Ok(reports.or_raise(py)?.iter().map(BuiltPair::from).collect()),
        Err(_) => Err(failed("the build has failed for a reason that it could not say")),
    }
}
