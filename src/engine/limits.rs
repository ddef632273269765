//! How long to think, and how to stop it from another thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::game::Turn;

/// The deepest iteration of the search, in plies.
pub const MAX_DEPTH: u8 = 64;

/// Limits on thinking; whichever is reached first ends it. Without any limit it goes on to [`MAX_DEPTH`].
#[derive(Clone, Debug)]
pub struct Limits {
    /// The depth of the last iteration, in plies.
    pub depth: Option<u8>,
    /// Number of positions searched.
    pub nodes: Option<u64>,
    /// Time from the start of the call.
    pub time: Option<Duration>,
    /// How many of the best turns to return, each with its principal variation; at least 1.
    pub multi_pv: usize,
    /// Only these turns, if any are given. One without its required shot stands for all its shots.
    pub among: Vec<Turn>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: None, nodes: None, time: None, multi_pv: 1, among: Vec::new() }
    }
}

impl Limits {
    /// Whether the turn is one of those to consider.
    pub(super) fn allow(&self, turn: Turn) -> bool {
        let is_it = |only: &Turn| only.step == turn.step && only.shot.is_none_or(|shot| turn.shot == Some(shot));
        self.among.is_empty() || self.among.iter().any(is_it)
    }
}

/// A flag that stops the thinking and can be set from any thread.
#[derive(Debug, Default)]
pub struct Stop {
    raised: AtomicBool,
    lock: Mutex<()>,
    bell: Condvar,
}

impl Stop {
    /// Stops the thinking. It cannot be reset: the next search gets a flag of its own.
    pub fn raise(&self) {
        let _lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.raised.store(true, Ordering::Relaxed);
        self.bell.notify_all();
    }

    /// Whether it was set.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// Waits until it is set.
    pub fn wait(&self) {
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_raised() {
            lock = self.bell.wait(lock).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The limits in use: what has been spent, and whether that is enough.
pub(super) struct Budget<'a> {
    started: Instant,
    deadline: Option<Instant>,
    most_nodes: u64,
    stop: &'a Stop,
    pub(super) nodes: u64,
    /// While this is set nothing ends the search: its first iteration is always completed, so that no turn is a guess.
    pub(super) assured: bool,
}

/// Positions between two checks of the clock.
const CLOCK: u64 = 32;

impl<'a> Budget<'a> {
    pub(super) fn new(limits: &Limits, stop: &'a Stop) -> Self {
        let started = Instant::now();
        let deadline = limits.time.and_then(|time| started.checked_add(time));
        Self { started, deadline, most_nodes: limits.nodes.unwrap_or(u64::MAX), stop, nodes: 0, assured: false }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Counts a position, unless thinking has to end.
    pub(super) fn spend(&mut self) -> bool {
        if self.assured {
            self.nodes += 1;
            return true;
        }
        if self.nodes >= self.most_nodes || self.stop.is_raised() {
            return false;
        }
        self.nodes += 1;
        !self.nodes.is_multiple_of(CLOCK) || !self.is_late()
    }

    /// Whether time is up or somebody has stopped it.
    pub(super) fn is_over(&self) -> bool {
        self.stop.is_raised() || self.is_late()
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiting_thread_wakes_when_the_flag_is_raised() {
        let stop = Stop::default();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| stop.wait());
            assert!(!stop.is_raised());
            stop.raise();
            waiting.join().unwrap();
        });
        assert!(stop.is_raised());
    }

    #[test]
    fn positions_are_counted_up_to_the_limit() {
        let stop = Stop::default();
        let mut budget = Budget::new(&Limits { nodes: Some(3), ..Limits::default() }, &stop);
        assert_eq!((0..9).filter(|_| budget.spend()).count(), 3);
        stop.raise();
        assert!(budget.is_over() && !Budget::new(&Limits::default(), &stop).spend());
    }
}
