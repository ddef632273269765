//! [`Server`]: an address that is listened on, and the way from its start to its end.

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

/// The time between two looks at the directories.
const REFRESH: Duration = Duration::from_secs(2);

/// The most threads that serve connections. They only pass bytes on: look-ups have threads of their own.
const MOST_THREADS: usize = 4;

/// An event that the operator of a server may want to know.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Notice {
    /// Requests to this address are answered from now on.
    Listening(SocketAddr),
    /// The tables of these rules were opened again, as a file came, went or changed.
    Reopened {
        /// The name of the rules.
        rules: String,
        /// Tables that are there now.
        tables: usize,
        /// Tables whose head cannot be read.
        damaged: usize,
    },
    /// The tables of these rules could not be opened again. Those that were open go on answering.
    NotReopened {
        /// The name of the rules.
        rules: String,
        /// Why.
        why: String,
    },
    /// The server was told to stop, and finishes what is in flight.
    Stopping,
    /// Some of what was in flight was broken off, as it took too long.
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
    /// Listens on this address; port 0 takes any that is free. Nothing is answered before [`run`](Self::run).
    ///
    /// # Errors
    /// [`ServeError::Listen`] if the address cannot be had.
    pub fn bind(sets: TableSets, address: SocketAddr, limits: Limits) -> Result<Self, ServeError> {
        let listen = || -> io::Result<(TcpListener, SocketAddr)> {
            let listener = TcpListener::bind(address)?;
            listener.set_nonblocking(true)?;
            let bound = listener.local_addr()?;
            Ok((listener, bound))
        };
        let (listener, bound) = listen().map_err(|source| ServeError::Listen { address, source })?;
        Ok(Self { app: Arc::new(App::new(sets, limits)), listener, address: bound })
    }

    /// The address with the port that was taken.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until SIGTERM or Ctrl-C, then finishes what is in flight. A second one ends it at once.
    ///
    /// # Errors
    /// [`ServeError::System`] if the system gives no threads or signals, [`ServeError::Interrupted`] after the second one.
    pub fn run(self, notice: fn(&Notice)) -> Result<(), ServeError> {
        let runtime = runtime(&self.app.limits)?;
        let result = runtime.block_on(async {
            // Listened to before anybody hears that the server is there.
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
        // A look-up that nobody waits for any more does not delay the end.
        runtime.shutdown_background();
        result
    }

    /// Answers until `stop` is done, then finishes what is in flight.
    ///
    /// # Errors
    /// [`ServeError::System`] if the system gives no threads.
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
    // And one for a look-up.
    can_start(threads + 1).map_err(system("start threads"))?;
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(threads).enable_all();
    builder.thread_name("serve").build().map_err(system("start threads"))
}

/// Whether the system gives so many threads at once: the runtime would panic where it does not.
fn can_start(threads: usize) -> io::Result<()> {
    let start = |_| {
        let (hold, held) = mpsc::channel::<()>();
        // Until the other end is dropped.
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

/// Looks at the directories now and then for as long as the server runs.
async fn keep_in_step(app: Arc<App>, notice: fn(&Notice)) {
    loop {
        sleep(REFRESH).await;
        let app = Arc::clone(&app);
        // Whether it went well is told, and tried again.
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

/// What tells the server to stop.
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

/// What tells the server to stop.
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
