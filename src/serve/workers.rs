//! [`Workers`]: threads for look-ups, with a queue.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::limits::Limits;

/// Runs look-ups, which compute and wait for disks, on threads separate from those that serve connections. A limited
/// number run at once, a limited number may wait in order, and the next is refused.
#[derive(Debug)]
pub(super) struct Workers {
    threads: Arc<Semaphore>,
    places: Arc<Semaphore>,
    batches: Arc<Semaphore>,
    /// How many threads and places there are.
    most: [usize; 2],
    time: Duration,
}

/// The most threads for look-ups. tokio has 512 for blocking work, and the server needs some of them itself.
const MOST_THREADS: usize = 500;

/// Why a look-up was not done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NotDone {
    /// Too many are already waiting.
    Busy,
    /// It took too long, including its wait.
    Late,
    /// It was aborted by an error in this program.
    Failed,
}

/// A place among those that run or wait.
#[derive(Clone, Debug)]
pub(super) struct Place(#[expect(dead_code, reason = "given back when dropped")] Arc<OwnedSemaphorePermit>);

fn admit(places: &Arc<Semaphore>) -> Result<Place, NotDone> {
    let place = Arc::clone(places).try_acquire_owned();
    place.map(|permit| Place(Arc::new(permit))).map_err(|_| NotDone::Busy)
}

impl Workers {
    /// Creates as many threads and places as the limits allow.
    pub(super) fn new(limits: &Limits) -> Self {
        let threads = limits.workers.clamp(1, MOST_THREADS);
        let places = threads.saturating_add(limits.waiting).min(Semaphore::MAX_PERMITS);
        let batches = limits.batches.clamp(1, Semaphore::MAX_PERMITS);
        let [free_threads, free_places, batches] =
            [threads, places, batches].map(|most| Arc::new(Semaphore::new(most)));
        Self { threads: free_threads, places: free_places, batches, most: [threads, places], time: limits.time }
    }

    /// A place for a batch, if one is free.
    pub(super) fn admit_batch(&self) -> Result<Place, NotDone> {
        admit(&self.batches)
    }

    /// Runs one look-up in time, or not at all.
    pub(super) async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, NotDone> {
        let place = admit(&self.places)?;
        timeout(self.time, self.run_admitted(&place, work)).await.unwrap_or(Err(NotDone::Late))
    }

    /// Runs one short look-up, which waits for nothing, on the thread that serves its connection: passing it to another
    /// would take longer. The limits apply to it as to others.
    pub(super) async fn run_here<T>(&self, work: impl FnOnce() -> T) -> Result<T, NotDone> {
        let place = admit(&self.places)?;
        let thread = timeout(self.time, self.threads.acquire()).await.map_err(|_| NotDone::Late)?;
        let thread = thread.map_err(|_| NotDone::Failed)?;
        let result = catch_unwind(AssertUnwindSafe(work)).map_err(|_| NotDone::Failed);
        drop((thread, place));
        result
    }

    /// Runs a part of an admitted look-up when a thread is free; its place is kept until the work is done, even if
    /// nobody is waiting for it any more, so that the limits apply to the work actually running.
    pub(super) async fn run_admitted<T: Send + 'static>(
        &self,
        place: &Place,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NotDone> {
        let place = place.clone();
        let thread = Arc::clone(&self.threads).acquire_owned().await.map_err(|_| NotDone::Failed)?;
        let done = spawn_blocking(move || {
            let result = work();
            drop((thread, place));
            result
        });
        done.await.map_err(|_| NotDone::Failed)
    }

    /// The numbers of running look-ups and of requests waiting for theirs.
    pub(super) fn load(&self) -> [usize; 2] {
        let running = self.most[0].saturating_sub(self.threads.available_permits());
        let admitted = self.most[1].saturating_sub(self.places.available_permits());
        [running, admitted.saturating_sub(running)]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap().block_on(future)
    }

    /// One thread, and this many places for waiting.
    fn workers(waiting: usize, time: Duration) -> Workers {
        Workers::new(&Limits { workers: 1, waiting, batches: 1, time, ..Limits::default() })
    }

    #[test]
    fn who_comes_when_all_places_are_taken_is_refused_at_once_and_who_waits_too_long_in_time() {
        block_on(async {
            let workers = Arc::new(workers(1, Duration::from_secs(2)));
            let (free, held) = mpsc::channel::<()>();
            let first = tokio::spawn({
                let workers = Arc::clone(&workers);
                async move { workers.run(move || held.recv().is_ok()).await }
            });
            while workers.threads.available_permits() > 0 {
                tokio::task::yield_now().await;
            }
            let second = tokio::spawn({
                let workers = Arc::clone(&workers);
                async move { workers.run(|| 2).await }
            });
            while workers.places.available_permits() > 0 {
                tokio::task::yield_now().await;
            }
            assert_eq!(workers.run(|| 3).await, Err(NotDone::Busy));
            assert_eq!(workers.run_here(|| 3).await, Err(NotDone::Busy));
            // Batches have places of their own.
            let batch = workers.admit_batch().unwrap();
            assert_eq!(workers.admit_batch().unwrap_err(), NotDone::Busy);
            drop(batch);
            assert_eq!(second.await.unwrap(), Err(NotDone::Late));
            // The first is late too, and still occupies its thread.
            assert_eq!(first.await.unwrap(), Err(NotDone::Late));
            assert_eq!(workers.threads.available_permits(), 0);
            free.send(()).unwrap();
            while workers.threads.available_permits() == 0 {
                tokio::task::yield_now().await;
            }
            assert_eq!(workers.run(|| 4).await, Ok(4));
        });
    }

    #[test]
    fn a_look_up_that_panics_is_a_failure_and_gives_its_thread_back() {
        block_on(async {
            let workers = workers(0, Duration::from_secs(5));
            assert_eq!(workers.run(|| panic!("on purpose")).await, Err::<(), _>(NotDone::Failed));
            assert_eq!(workers.run_here(|| panic!("on purpose")).await, Err::<(), _>(NotDone::Failed));
            assert_eq!(workers.run(|| 1).await, Ok(1));
            assert_eq!(workers.run_here(|| 2).await, Ok(2));
        });
    }
}
