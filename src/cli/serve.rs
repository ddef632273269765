//! `serve`: exact values over HTTP.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::value_parser;
use morabase::serve::{Limits, Notice, ServeError, Server, TableSets};
use morabase::table::Access;
use morabase::{OpenOptions, RuleSet};

use super::args::parse_bytes;
use super::output;
use super::tables::places;
use super::{CliError, CliResult};

const EXAMPLES: &str = "\
Examples:
  morabase serve
  morabase serve --tables /data/gar --tables /data/plain
  morabase serve --listen 0.0.0.0:8030 --tables /data/gar
  curl 'http://127.0.0.1:8030/v1/probe?position=W:Wd6,d7,f4,f6:Bb4,d3,g1,g4'

When it is ready it prints one line on standard output, \"listening on http://127.0.0.1:8030\". With port 0 the system chooses the port, and the \
line says which. All other messages go to standard error. On SIGTERM or Ctrl-C it finishes running requests and ends with \
status 0; a second one ends it at once, with 130.

It notices within seconds when tables are built, copied or removed. GET / is a page for people, /v1/openapi.json describes \
the interface, /metrics is for Prometheus. See docs/http.md and docs/serve.md.";

/// Answer over HTTP: a page for browsers, JSON for programs
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Address to listen on; without this only programs on this machine can ask
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8030")]
    listen: SocketAddr,
    #[command(flatten)]
    tables: Tables,
    #[command(flatten)]
    limits: LimitArgs,
}

/// What to answer from.
#[derive(clap::Args)]
#[command(next_help_heading = "Tables")]
struct Tables {
    /// Directory with tables; may be given several times, also for different rules; a request that names no rules uses
    /// gar, or else those of the first directory [default: those in the path list `MORABASE_TABLES`; without that
    /// ./tables and the small set built in]
    #[arg(long = "tables", value_name = "DIR")]
    directories: Vec<PathBuf>,
    /// Map files into memory: faster, but if somebody truncates one the system ends the server
    #[arg(long)]
    mmap: bool,
    /// Memory for whole tables of each rule set: those of the fewest cows that fit are read at the start and answer faster
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = parse_bytes)]
    in_memory: u64,
}

/// What is refused.
#[derive(clap::Args)]
#[command(next_help_heading = "Limits")]
struct LimitArgs {
    /// Look-ups to run at once [default: one per core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=500))]
    workers: Option<u16>,
    /// Requests that may wait for a look-up; the next is refused with 503
    #[arg(long, value_name = "N", default_value_t = 256)]
    queue: u16,
    /// Requests for many positions at once; the next is refused with 503
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = value_parser!(u16).range(1..))]
    batches: u16,
    /// Open connections; on the next, requests are refused with 503
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = value_parser!(u16).range(1..))]
    connections: u16,
    /// Largest body of a request
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = parse_bytes)]
    max_body: u64,
    /// Time limit in seconds for each of these: receiving the head of a request, receiving its body, starting the
    /// answer, and waiting for the client to read more of it
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = value_parser!(u16).range(1..=3600))]
    timeout: u16,
}

impl LimitArgs {
    fn limits(&self) -> Limits {
        let defaults = Limits::default();
        Limits {
            workers: self.workers.map_or(defaults.workers, usize::from),
            waiting: self.queue.into(),
            batches: self.batches.into(),
            connections: self.connections.into(),
            body: usize::try_from(self.max_body).unwrap_or(usize::MAX),
            time: Duration::from_secs(self.timeout.into()),
            ..defaults
        }
    }
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    // With port 0 nobody would learn the address.
    output::check()?;
    let access = if args.tables.mmap { Access::Map } else { Access::Positioned };
    let (directories, shipped) = places(&args.tables.directories);
    let options = OpenOptions { access, rules: None, shipped, in_memory: args.tables.in_memory };
    let sets = TableSets::open(&directories, &options)?;
    let note = other_default(&sets);
    let server = Server::bind(sets, args.listen, args.limits.limits())?;
    if let Some(note) = note {
        // If it is closed the server continues.
        let _ = writeln!(io::stderr(), "{note}");
    }
    out.flush()?;
    Ok(server.run(tell)?)
}

/// A note that requests without rules are not answered by the default ones, as those are not among the sets.
fn other_default(sets: &TableSets) -> Option<String> {
    let (name, default) = (sets.rules().next()?.name(), RuleSet::default());
    let usual = default.name();
    sets.rules().all(|rules| *rules != default).then(|| {
        format!("note: requests that name no rules are answered by those of {name}, as no tables of {usual} are served")
    })
}

/// Prints the address on standard output, for whoever started the server, and everything else on standard error.
fn tell(notice: &Notice) {
    // If either is closed by now the server continues. The line with the address comes from the thread that already
    // holds standard output.
    let _ = match notice {
        Notice::Listening(_) => writeln!(io::stdout(), "{notice}"),
        _ => writeln!(io::stderr(), "{notice}"),
    };
}

impl From<ServeError> for CliError {
    fn from(error: ServeError) -> Self {
        match error {
            ServeError::Tables(error) => error.into(),
            ServeError::Interrupted => Self::Stopped(error.to_string()),
            error => Self::job(error.to_string()),
        }
    }
}
