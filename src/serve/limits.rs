//! How much a server takes on at once.

use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::Duration;

/// How much a server takes on at once. What is beyond a limit is refused with a status that says so, and never waits without end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Look-ups at once. Each takes a thread that may wait for a disk.
    pub workers: usize,
    /// Requests that may wait for a look-up of theirs, beside those that have one: the next is refused with 503.
    pub waiting: usize,
    /// Batches at once, from the head of the request to the end of the answer: the next is refused with 503. They have places of their own,
    /// so that slow ones keep nobody else waiting.
    pub batches: usize,
    /// Open connections: on the next, every request is refused with 503.
    pub connections: usize,
    /// Bytes of a request's body: a longer one is refused with 413.
    pub body: usize,
    /// Bytes of a request's head, its address among them: a longer one is refused with 431.
    pub head: usize,
    /// Time for a request's head to arrive, for its body, for its answer to begin, and for the client to take some more of it; an idle
    /// connection is closed after it, and a server that is stopped waits as long for what is in flight.
    pub time: Duration,
}

impl Limits {
    /// The time for the answer to a batch, which is made while the client reads.
    pub(super) const fn batch_time(&self) -> Duration {
        self.time.saturating_mul(20)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            workers: available_parallelism().map_or(1, NonZero::get),
            waiting: 256,
            batches: 32,
            connections: 1024,
            body: 1 << 20,
            head: 16 << 10,
            time: Duration::from_secs(30),
        }
    }
}
