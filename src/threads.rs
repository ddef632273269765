//! The threads that work is distributed over: the only place where they are started.
//!
//! If the system starts no thread because a limit on processes is reached, the calling thread does all the work. So
//! parallel work never requires a second thread, and no resource limit causes a panic. This module does not know what
//! the work is.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Threads for some work: those of a pool, or the calling thread if that could not be started.
#[derive(Debug)]
pub struct Pool(Result<ThreadPool, String>);

impl Pool {
    /// Starts this many threads, or one per core for 0; if that fails it does without, and [`refusal`](Self::refusal)
    /// says why.
    ///
    /// ```
    /// use morabase::threads::Pool;
    /// assert_eq!(Pool::start(2).install(|| 6 * 7), 42);
    /// ```
    pub fn start(threads: usize) -> Self {
        Self(ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string()))
    }

    /// Runs work on these threads.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        if let Ok(pool) = &self.0 {
            return pool.install(work);
        }
        stay();
        work()
    }

    /// Why no threads were started, if that is the case.
    pub fn refusal(&self) -> Option<&str> {
        self.0.as_ref().err().map(String::as_str)
    }
}

/// Makes sure that work distributed over the current pool is done; to be called before distributing it. Outside a pool
/// that is rayon's global one, which would panic if it cannot be started.
pub fn ready() {
    use std::sync::OnceLock;
    static GLOBAL: OnceLock<bool> = OnceLock::new();
    // An error may also say that the program has created its own global pool. Only the system's errors have a cause.
    let start = || {
        ThreadPoolBuilder::new()
            .build_global()
            .map_or_else(|error| std::error::Error::source(&error).is_none(), |()| true)
    };
    if rayon::current_thread_index().is_none() && !GLOBAL.get_or_init(start) {
        stay();
    }
}

/// Makes the current thread a pool of its own, unless it is already in one.
fn stay() {
    if rayon::current_thread_index().is_none() {
        let here = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
        // The thread stays in its pool until it ends; nothing has to be stopped before.
        here.map_or_else(drop, std::mem::forget);
    }
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::*;

    fn sum() -> u64 {
        ready();
        (0..1000u64).into_par_iter().map(|number| number * number).sum()
    }

    #[test]
    fn work_is_done_where_no_thread_was_started() {
        let refused = Pool(Err("no threads".to_owned()));
        assert_eq!((refused.refusal(), Pool::start(2).refusal()), (Some("no threads"), None));
        let expected = sum();
        // In separate threads, as a thread remains in its pool.
        let here =
            std::thread::spawn(move || (refused.install(sum), rayon::current_num_threads(), refused.install(sum)));
        assert_eq!(here.join().unwrap(), (expected, 1, expected));
        assert_eq!(Pool::start(3).install(|| (sum(), rayon::current_num_threads())), (expected, 3));
    }
}
