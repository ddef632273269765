//! How much a server handles at once.

use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::Duration;

/// How much a server handles at once. Anything beyond a limit is refused with a suitable status, and nothing waits
/// forever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Concurrent look-ups. Each takes a thread that may wait for a disk.
    pub workers: usize,
    /// Requests that may wait for a look-up, in addition to those that are running one: the next is refused with 503.
    pub waiting: usize,
    /// Concurrent batches, from the head of the request to the end of the answer: the next is refused with 503. They
    /// are counted separately, so that slow ones keep nobody else waiting.
    pub batches: usize,
    /// Open connections: on the next, every request is refused with 503.
    pub connections: usize,
    /// Bytes of a request's body: a longer one is refused with 413.
    pub body: usize,
    /// Bytes of a request's head, including its address: a longer one is refused with 431.
    pub head: usize,
    /// Time for a request's head to arrive, for its body, for its answer to begin, and for the client to take some more
    /// of it; an idle connection is closed after it, and a server that is stopped waits this long for requests in
    /// progress.
    pub time: Duration,
}

impl Limits {
    /// The time for the answer to a batch, which is computed while the client reads.
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
