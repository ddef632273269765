//! How a build shows its progress on standard error, and how it is stopped: bars in a terminal, lines elsewhere.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use morabase::Class;
use morabase::build::{Job, Observer, Plan, PlanStep, Stage, StepReport};
use morabase::present::{bytes_text, duration_text, grouped};
use morabase::threads::Pool;

use super::build::steps_name;
use super::error::STOPPED;

/// The interval at which bars are updated.
const BAR_INTERVAL: Duration = Duration::from_millis(200);

/// The interval of messages about a long step if there are no bars.
const LINE_INTERVAL: Duration = Duration::from_secs(60);

/// Watches a build.
pub(crate) struct Watch {
    shared: Arc<Shared>,
    ticker: Option<thread::JoinHandle<()>>,
}

/// Shared state of the build, the ticker and the signal handler.
struct Shared {
    job: Arc<Job>,
    quiet: bool,
    started: Instant,
    total: u64,
    steps: usize,
    steps_name: &'static str,
    bars: Option<Bars>,
    state: Mutex<State>,
    ended: AtomicBool,
    wake: Condvar,
}

struct Bars {
    all: MultiProgress,
    overall: ProgressBar,
    step: ProgressBar,
}

#[derive(Default)]
struct State {
    steps: usize,
    entries: u64,
    current: Option<Current>,
}

#[derive(Clone, Copy)]
struct Current {
    class: Class,
    entries: u64,
    began: Instant,
    stage: Stage,
}

impl Watch {
    pub(crate) fn new(plan: &Plan, job: Arc<Job>, quiet: bool) -> Self {
        let total = plan.missing_entries();
        let terminal = io::stderr().is_terminal() && !quiet && total > 0;
        let shared = Arc::new(Shared {
            job,
            quiet,
            started: Instant::now(),
            total,
            steps: plan.missing().count(),
            steps_name: steps_name(plan),
            bars: terminal.then(|| Bars::new(total)),
            state: Mutex::default(),
            ended: AtomicBool::new(false),
            wake: Condvar::new(),
        });
        let ticker = (!quiet).then(|| {
            let shared = Arc::clone(&shared);
            // Without the thread the display does not move, but the work continues.
            thread::Builder::new().spawn(move || shared.tick()).ok()
        });
        Self { shared, ticker: ticker.flatten() }
    }

    pub(crate) fn say(&self, line: &str) {
        self.shared.say(line);
    }

    /// Ends the bars; returns the elapsed time.
    pub(crate) fn finish(self) -> Duration {
        self.shared.ended.store(true, Ordering::Relaxed);
        self.shared.wake.notify_all();
        if let Some(ticker) = self.ticker {
            let _ = ticker.join();
        }
        self.shared.started.elapsed()
    }

    /// Makes the first interrupt end the work cleanly, the second without waiting for a table being written, and the
    /// third at once.
    pub(crate) fn stop_on_signal(&self) -> io::Result<()> {
        let shared = Arc::clone(&self.shared);
        on_interrupt(move || shared.stop())
    }
}

/// Calls the function for each interrupt.
#[cfg(unix)]
pub(super) fn on_interrupt(mut handle: impl FnMut() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    // The thread comes first: if none can be started, an interrupt ends the process as it does by default, which does
    // no harm.
    let (sender, receiver) = mpsc::channel::<Signals>();
    let waiting = thread::Builder::new().spawn(move || {
        if let Ok(mut signals) = receiver.recv() {
            signals.forever().for_each(|_| handle());
        }
    });
    if waiting.is_ok() {
        // A hang-up keeps its default: `nohup` ignores it, and otherwise it ends the process, which does no harm
        // either.
        let _ = sender.send(Signals::new([SIGINT, SIGTERM])?);
    }
    Ok(())
}

/// Calls the function for each interrupt.
#[cfg(not(unix))]
pub(super) fn on_interrupt(handle: impl FnMut() + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(handle).map_err(io::Error::other)
}

/// A pool of this many threads, or one per core, with a warning if none can be started.
pub(super) fn start_threads(threads: Option<u16>) -> Pool {
    let pool = Pool::start(threads.map_or(0, usize::from));
    if let Some(why) = pool.refusal() {
        // If standard error is closed there is nobody to tell.
        let _ = writeln!(io::stderr(), "{}", alone(why));
    }
    pool
}

fn alone(why: &str) -> String {
    format!("warning: no threads can be started ({why}); one does all the work")
}

/// Does the work and reports its progress at intervals, if a thread for that can be started.
pub(super) fn while_watched<T>(look: impl Fn() + Send, work: impl FnOnce() -> T) -> T {
    thread::scope(|scope| {
        let (ended, wait) = mpsc::channel::<()>();
        let _ = thread::Builder::new().spawn_scoped(scope, move || {
            // Waits until the other end is dropped.
            while wait.recv_timeout(BAR_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                look();
            }
        });
        let done = work();
        drop(ended);
        done
    })
}

impl Shared {
    fn current(&self) -> Option<Current> {
        self.state.lock().ok().and_then(|state| state.current)
    }

    fn say(&self, line: &str) {
        match &self.bars {
            _ if self.quiet => {}
            // If standard error is closed there is nobody to tell.
            Some(bars) => drop(bars.all.println(line)),
            None => drop(writeln!(io::stderr(), "{line}")),
        }
    }

    fn stop(&self) {
        let stopped_before = self.job.control.cancel.swap(true, Ordering::Relaxed);
        let writing = self.current().filter(|current| current.stage == Stage::Writing);
        match writing {
            Some(current) if !stopped_before => {
                let class = current.class;
                self.say(&format!("{class} is solved: stopping once it is written; interrupt again to discard it"));
            }
            _ if !stopped_before => match self.current() {
                Some(current) => self.say(&format!("stopping; {} will start over next time", current.class)),
                None => self.say("stopping"),
            },
            Some(_) if !self.job.abandon.swap(true, Ordering::Relaxed) => self.say("stopping at once"),
            _ => std::process::exit(i32::from(STOPPED)),
        }
    }

    /// Shows the progress of the current step until the end.
    fn tick(&self) {
        let interval = if self.bars.is_some() { BAR_INTERVAL } else { LINE_INTERVAL };
        loop {
            let Ok(state) = self.state.lock() else { return };
            let Ok((state, _)) = self.wake.wait_timeout_while(state, interval, |_| !self.ended.load(Ordering::Relaxed))
            else {
                return;
            };
            let (current, done) = (state.current, state.entries);
            drop(state);
            if self.ended.load(Ordering::Relaxed) {
                break;
            }
            let Some(current) = current else { continue };
            if let Some(bars) = &self.bars {
                bars.overall.set_position(done + self.worked_off(&current));
                bars.step.set_message(self.describe(&current));
                bars.step.tick();
            } else if current.began.elapsed() >= interval {
                self.say(&self.describe(&current));
            }
        }
        if let Some(bars) = &self.bars {
            bars.overall.finish_and_clear();
            bars.step.finish_and_clear();
        }
    }

    /// Roughly how many of a step's entries correspond to the work done so far: seeding is a third of the work, and
    /// each ply decides fewer than the one before. With cows in hand only writing follows the seeding.
    fn worked_off(&self, current: &Current) -> u64 {
        let share = if current.class.has_hands() { [9, 0] } else { [3, 6] };
        let [seeding, induction] = share.map(|tenths| current.entries * tenths / 10);
        let seeded = self.job.control.seeded.load(Ordering::Relaxed).min(current.entries) * share[0] / 10;
        let depth = self.job.control.depth.load(Ordering::Relaxed).min(100);
        match current.stage {
            Stage::Loading => 0,
            Stage::Solving => seeded + induction - (0..depth).fold(induction, |left, _| left * 85 / 100),
            Stage::Writing => seeding + induction,
        }
    }

    fn describe(&self, current: &Current) -> String {
        let control = &self.job.control;
        let get = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        let percent = |part: u64, whole: u64| part * 100 / whole.max(1);
        let work = match (current.stage, get(&control.depth)) {
            (Stage::Loading, _) => format!("loading, {}%", percent(get(&self.job.loaded), get(&self.job.to_load))),
            (Stage::Solving, 0) => {
                let work = if current.class.has_hands() { "solving" } else { "seeding" };
                format!("{work}, {}%", percent(get(&control.seeded), current.entries))
            }
            (Stage::Solving, depth) => format!("{} decided, depth {depth}", grouped(get(&control.decided))),
            (Stage::Writing, _) => "writing".to_owned(),
        };
        format!("{}: {work}, {}", current.class, duration_text(current.began.elapsed()))
    }
}

impl Bars {
    fn new(total: u64) -> Self {
        // `MultiProgress` draws to standard error.
        let all = MultiProgress::new();
        let style = |template| ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let overall = all.add(ProgressBar::new(total));
        let speed = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = write!(out, "{:.1} million a second", state.per_sec() / 1e6);
        };
        let template = "{bar:30} {percent:>3}%  {human_pos} of {human_len} entries, {speed}, {eta} left";
        overall.set_style(style(template).with_key("speed", speed));
        let step = all.add(ProgressBar::new_spinner());
        step.set_style(style("{spinner} {msg}"));
        Self { all, overall, step }
    }
}

impl Observer for Watch {
    fn works_alone(&self, why: &str) {
        self.say(&alone(why));
    }

    fn step_begins(&self, step: &PlanStep) {
        if let Ok(mut state) = self.shared.state.lock() {
            let (class, entries) = (step.class, step.entries);
            state.current = Some(Current { class, entries, began: Instant::now(), stage: Stage::Loading });
        }
    }

    fn stage(&self, _: &PlanStep, stage: Stage) {
        if let Ok(mut state) = self.shared.state.lock() {
            state.current = state.current.map(|current| Current { stage, ..current });
        }
    }

    fn step_done(&self, report: &StepReport) {
        let shared = &self.shared;
        let Ok(mut state) = shared.state.lock() else { return };
        let seconds = state.current.take().map_or(0.0, |current| current.began.elapsed().as_secs_f64());
        state.steps += 1;
        state.entries += report.entries;
        let (steps, entries) = (state.steps, state.entries);
        drop(state);
        if let Some(bars) = &shared.bars {
            bars.overall.set_position(entries);
        }
        let left =
            shared.started.elapsed().as_secs_f64() / entries as f64 * shared.total.saturating_sub(entries) as f64;
        let longest =
            if report.class.has_hands() { String::new() } else { format!(", longest {} plies", report.longest) };
        self.say(&format!(
            "{}: {} entries in {seconds:.1} s, {:.1} million a second, packing {:.0} % of it, {}{longest}; {steps} of {} {}, {} left",
            report.class,
            grouped(report.entries),
            report.entries as f64 / seconds.max(1e-9) / 1e6,
            100.0 * report.packing.as_secs_f64() / report.time.as_secs_f64().max(1e-9),
            bytes_text(report.bytes),
            shared.steps,
            shared.steps_name,
            duration_text(Duration::from_secs_f64(left))
        ));
    }
}
