//! [`Server`]: listens on an address, from its start to its end.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::runtime::{Builder, Runtime};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::app::App;
use super::connections;
use super::error::ServeError;
use super::limits::Limits;
use super::router::router;
use super::sets::TableSets;

/// The time between two checks of the directories.
const REFRESH: Duration = Duration::from_secs(2);

/// The most threads that serve connections. They only pass bytes on: look-ups have threads of their own.
const MOST_THREADS: usize = 4;

/// An event that the operator of a server may want to know.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Notice {
    /// Requests to this address are now being answered.
    Listening(SocketAddr),
    /// The tables of these rules were reopened, as a file was added, removed or changed.
    Reopened {
        /// The name of the rules.
        rules: String,
        /// Number of tables now available.
        tables: usize,
        /// Number of tables whose head cannot be read.
        damaged: usize,
    },
    /// The tables of these rules could not be reopened. Those that were open continue to answer.
    NotReopened {
        /// The name of the rules.
        rules: String,
        /// The reason.
        why: String,
    },
    /// The server was told to stop, and is completing requests in progress.
    Stopping,
    /// Some requests in progress were aborted, as they took too long.
    BrokenOff,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listening(address) => write!(f, "listening on http://{address}"),
            Self::Reopened { rules, tables, damaged } => {
                write!(f, "tables of {rules} have changed: {tables} are there, {damaged} damaged")
            }
            Self::NotReopened { rules, why } => write!(f, "tables of {rules} cannot be opened again: {why}"),
            Self::Stopping => f.write_str("stopping: requests in flight are finished"),
            Self::BrokenOff => f.write_str("some requests took too long and were broken off"),
        }
    }
}

/// A server that has its address and its tables.
#[derive(Debug)]
pub struct Server {
    app: Arc<App>,
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Listens on this address; port 0 takes any free one. Nothing is answered before [`run`](Self::run). Requests that
    /// name no rules are answered by the default ones if they are among these sets, otherwise by the first.
    ///
    /// # Errors
    /// [`ServeError::Listen`] if the address is not available.
    pub fn bind(sets: TableSets, address: SocketAddr, limits: Limits) -> Result<Self, ServeError> {
        let listen = || -> io::Result<(TcpListener, SocketAddr)> {
            let listener = TcpListener::bind(address)?;
            listener.set_nonblocking(true)?;
            let bound = listener.local_addr()?;
            Ok((listener, bound))
        };
        let (listener, bound) = listen().map_err(|source| ServeError::Listen { address, source })?;
        Ok(Self { app: Arc::new(App::new(sets.default_first(), limits)), listener, address: bound })
    }

    /// The address with the actual port.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until SIGTERM or Ctrl-C, then completes requests in progress. A second signal ends it at once.
    ///
    /// # Errors
    /// [`ServeError::System`] if the system provides no threads or signals, [`ServeError::Interrupted`] after the
    /// second signal.
    pub fn run(self, notice: fn(&Notice)) -> Result<(), ServeError> {
        let runtime = runtime(&self.app.limits)?;
        let result = runtime.block_on(async {
            // The signals are handled before anybody learns that the server is up.
            let signals = || Signals::new().map_err(system("listen to signals"));
            let (mut first, mut second) = (signals()?, signals()?);
            let serving = pin!(self.serve(notice, async move { first.next().await }));
            let again = pin!(async move {
                second.next().await;
                second.next().await;
            });
            match select(serving, again).await {
                Either::Left((result, _)) => result,
                Either::Right(_) => Err(ServeError::Interrupted),
            }
        });
        // A look-up that nobody is waiting for does not delay the end.
        runtime.shutdown_background();
        result
    }

    /// Answers until `stop` is done, then completes requests in progress.
    ///
    /// # Errors
    /// [`ServeError::System`] if the system provides no threads.
    pub fn run_until(self, stop: impl Future<Output = ()>, notice: fn(&Notice)) -> Result<(), ServeError> {
        let runtime = runtime(&self.app.limits)?;
        let result = runtime.block_on(self.serve(notice, stop));
        runtime.shutdown_background();
        result
    }

    async fn serve(self, notice: fn(&Notice), stop: impl Future<Output = ()>) -> Result<(), ServeError> {
        let listener = tokio::net::TcpListener::from_std(self.listener).map_err(system("use the address"))?;
        tokio::spawn(keep_in_step(Arc::clone(&self.app), notice));
        notice(&Notice::Listening(self.address));
        let stop = async {
            stop.await;
            notice(&Notice::Stopping);
        };
        let router = router(&self.app);
        if !connections::serve(listener, self.app, router, stop).await {
            notice(&Notice::BrokenOff);
        }
        Ok(())
    }
}

fn system(action: &'static str) -> impl Fn(io::Error) -> ServeError {
    move |source| ServeError::System { action, source }
}

fn runtime(limits: &Limits) -> Result<Runtime, ServeError> {
    let threads = limits.workers.clamp(1, MOST_THREADS);
    // And one thread for a look-up.
    can_start(threads + 1).map_err(system("start threads"))?;
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(threads).enable_all();
    builder.thread_name("serve").build().map_err(system("start threads"))
}

/// Whether the system provides this many threads at once: otherwise the runtime would panic.
fn can_start(threads: usize) -> io::Result<()> {
    let start = |_| {
        let (hold, held) = mpsc::channel::<()>();
        // Waits until the other end is dropped.
        let thread = thread::Builder::new().spawn(move || {
            let _ = held.recv();
        })?;
        Ok((hold, thread))
    };
    let started = (0..threads).map(start).collect::<io::Result<Vec<_>>>()?;
    for (hold, thread) in started {
        drop(hold);
        let _ = thread.join();
    }
    Ok(())
}

/// Checks the directories regularly as long as the server runs.
async fn keep_in_step(app: Arc<App>, notice: fn(&Notice)) {
    loop {
        sleep(REFRESH).await;
        let app = Arc::clone(&app);
        // Success or failure is reported, and then it tries again.
        let _ = spawn_blocking(move || refresh(&app, notice)).await;
    }
}

fn refresh(app: &App, notice: fn(&Notice)) {
    for watched in app.sets.watched() {
        let rules = watched.set().rules().name();
        match watched.refresh() {
            Ok(false) => {}
            Ok(true) => {
                let tables = watched.set().tables();
                let (tables, damaged) = (tables.classes().count(), tables.faults().count());
                notice(&Notice::Reopened { rules, tables, damaged });
            }
            Err(error) => notice(&Notice::NotReopened { rules, why: error.to_string() }),
        }
    }
}

/// The signals that stop the server.
#[cfg(unix)]
struct Signals([tokio::signal::unix::Signal; 2]);

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self([signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?]))
    }

    async fn next(&mut self) {
        let [terminate, interrupt] = &mut self.0;
        select(pin!(terminate.recv()), pin!(interrupt.recv())).await;
    }
}

/// The signal that stops the server.
#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn new() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn next(&mut self) {
        self.0.recv().await;
    }
}
