//! `site`: a folder for any static host.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use morabase::OpenOptions;
use morabase::manifest::Progress;
use morabase::present::bytes_text;
use morabase::serve::TableSets;
use morabase::site::{Options, Site, SiteError};
use morabase::table::Access;

use super::manifest::stop_on_signal;
use super::{CliError, CliResult};

const EXAMPLES: &str = "\
Examples:
  morabase site --out public
  morabase site --out /srv/www/mora --tables /data/gar --tables /data/plain
  python3 -m http.server --directory public      to look at it; without ranges, so only files of up to 8 MB are read

The folder has the page of `morabase serve`, the probe as WebAssembly and the tables inside the program (gar, up to 8 cows) and of --tables. It needs \
only a host that sends files. For each position the page reads a few kilobytes of the tables, for which the host \
must support HTTP ranges, as nearly all do. Every table is checked before it is published.

Files appear only when they are whole, and site.json last. After a stop or kill, the same command goes on where it was. Run again later, it \
writes what has changed and removes what is no longer part of the site. A folder that is not empty and holds no site is refused. See \
docs/serve.md.";

/// Write a site for a static host: the page, the probe and tables
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Folder to write; it is made if it is not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Directory with tables to publish too; may be given several times, also for different rules; where no rules are
    /// chosen, gar is used if it is among them, else the rules of the first
    #[arg(long = "tables", value_name = "DIR")]
    directories: Vec<PathBuf>,
    /// Make tables second names of the same files (hard links) instead of copies
    #[arg(long)]
    hard_link: bool,
    /// Show no summary
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let progress = Arc::new(Progress::default());
    stop_on_signal(&progress)?;
    let options = OpenOptions { access: Access::Positioned, shipped: true, ..OpenOptions::default() };
    let sets = TableSets::open(&args.directories, &options)?;
    let site = Site::plan(&sets, &progress)?;
    let written = site.write(&args.out, &Options { hard_link: args.hard_link }, &progress)?;
    if !args.quiet {
        let (tables, bytes) = (site.tables().0, bytes_text(site.bytes()));
        let (new, kept, removed) = (written.written, written.kept, written.removed);
        writeln!(
            out,
            "{}: {tables} tables, {bytes}; files: {new} written, {kept} kept, {removed} removed",
            args.out.display()
        )?;
    }
    Ok(())
}

impl From<SiteError> for CliError {
    fn from(error: SiteError) -> Self {
        match error {
            SiteError::Tables(error) => error.into(),
            SiteError::Stopped => Self::Stopped(error.to_string()),
            SiteError::NotASite { .. } | SiteError::NotOurs { .. } => Self::usage(error.to_string()),
            error => Self::job(error.to_string()),
        }
    }
}
