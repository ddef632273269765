//! [`Workers`]: threads for look-ups, and the queue before them.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Runs look-ups, which compute and wait for disks, beside the threads that serve connections. So many run at once, so many more
/// may wait in order, and the next is refused.
#[derive(Debug)]
pub(super) struct Workers {
    threads: Arc<Semaphore>,
    places: Arc<Semaphore>,
    /// How many of either there are.
    most: [usize; 2],
    time: Duration,
}

/// Why a look-up was not done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NotDone {
    /// Too many wait already.
    Busy,
    /// It took too long, its wait included.
    Late,
    /// It was broken off by an error in this program.
    Failed,
}

/// A place among those who run or wait.
#[derive(Clone, Debug)]
pub(super) struct Place(#[expect(dead_code, reason = "given back when dropped")] Arc<OwnedSemaphorePermit>);

impl Workers {
    /// So many threads, and places for so many more to wait, each for so long.
    pub(super) fn new(threads: usize, waiting: usize, time: Duration) -> Self {
        let threads = threads.clamp(1, 512);
        let places = threads.saturating_add(waiting).min(Semaphore::MAX_PERMITS);
        let semaphores = [threads, places].map(|most| Arc::new(Semaphore::new(most)));
        let [free_threads, free_places] = semaphores;
        Self { threads: free_threads, places: free_places, most: [threads, places], time }
    }

    /// A place for one request, if one is free.
    pub(super) fn admit(&self) -> Result<Place, NotDone> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        place.map(|permit| Place(Arc::new(permit))).map_err(|_| NotDone::Busy)
    }

    /// Runs one look-up in time or not at all.
    pub(super) async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, NotDone> {
        let place = self.admit()?;
        timeout(self.time, self.run_admitted(&place, work)).await.unwrap_or(Err(NotDone::Late))
    }

    /// Runs a part of what was admitted when a thread is free; its place is kept until the work is done, even if nobody waits for it
    /// any more, so that the limits hold for what really runs.
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

    /// Look-ups that run now, and requests that wait for theirs.
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

    #[test]
    fn who_comes_when_all_places_are_taken_is_refused_at_once_and_who_waits_too_long_in_time() {
        block_on(async {
            let workers = Arc::new(Workers::new(1, 1, Duration::from_millis(200)));
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
            assert_eq!(second.await.unwrap(), Err(NotDone::Late));
            // The first is late too, and still holds its thread.
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
            let workers = Workers::new(1, 0, Duration::from_secs(5));
            assert_eq!(workers.run(|| panic!("on purpose")).await, Err::<(), _>(NotDone::Failed));
            assert_eq!(workers.run(|| 1).await, Ok(1));
        });
    }
}
