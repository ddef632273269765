//! Where tables are looked for: what the subcommands that read tables share.

use std::env;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use morabase::store::StoreError;
use morabase::table::Access;
use morabase::{OpenOptions, ProbeError, RuleSet, Tablebase};

use super::args::{RuleOverrides, parse_rules};
use super::{CliError, CliResult};

/// The environment variable with the directories to look in, as a path list.
const VARIABLE: &str = "MORABASE_TABLES";

/// The directory to look in when none is named.
const DEFAULT: &str = "tables";

/// Tables to answer from, and how to read them.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Tables")]
pub(crate) struct TablesArgs {
    #[command(flatten)]
    which: WhichTables,
    /// Read files piece by piece instead of mapping them into memory, as for network drives
    #[arg(long)]
    no_mmap: bool,
}

/// Where tables are, and the rules they must be of.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Tables")]
pub(crate) struct WhichTables {
    /// Directory with tables; may be given several times, the first that has a class answers for it [default: those in
    /// the path list `MORABASE_TABLES`; without that ./tables, and the small set built in for what is missing there]
    #[arg(long = "tables", value_name = "DIR")]
    directories: Vec<PathBuf>,
    /// Rules that the tables must be of: preset or canonical text [default: those of the tables found]
    #[arg(long, value_name = "RULES", value_parser = parse_rules)]
    rules: Option<RuleSet>,
    #[command(flatten)]
    overrides: RuleOverrides,
}

impl TablesArgs {
    /// The tables to answer from.
    pub(crate) fn open(&self) -> CliResult<Tablebase> {
        let access = if self.no_mmap { Access::Positioned } else { Access::Map };
        Ok(open(&self.which.directories, access, self.which.rules()?)?)
    }
}

impl WhichTables {
    /// The directories that were named.
    pub(super) fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// The rules asked for, if any were.
    pub(super) fn rules(&self) -> CliResult<Option<RuleSet>> {
        if self.rules.is_none() && self.overrides.is_empty() {
            return Ok(None);
        }
        self.overrides.on(self.rules.unwrap_or_default()).map(Some)
    }
}

/// Opens the tables in `directories`, or those that [`places`] finds if none are named. What is wrong with places that nobody named in
/// this command is a warning, and the carried tables answer.
pub(super) fn open(directories: &[PathBuf], access: Access, rules: Option<RuleSet>) -> Result<Tablebase, ProbeError> {
    let (found, shipped) = places(directories);
    match Tablebase::open_with(found, &OpenOptions { access, rules, shipped }) {
        // Who asks for rules means to know that these tables have others.
        Err(error)
            if directories.is_empty() && (rules.is_none() || !matches!(error, ProbeError::RulesDiffer { .. })) =>
        {
            // With standard error closed the answers still come.
            let _ = writeln!(io::stderr(), "warning: {error}; the built-in tables answer");
            let none: [&str; 0] = [];
            Tablebase::open_with(none, &OpenOptions { access, rules, shipped: true })
        }
        opened => opened,
    }
}

/// Where to look for tables, and whether in those that the library carries too: the directories that are named; if none are, those in
/// the path list of the environment; without that the default directory and the carried ones.
pub(super) fn places(directories: &[PathBuf]) -> (Vec<PathBuf>, bool) {
    let mut directories = directories.to_vec();
    if directories.is_empty()
        && let Some(list) = env::var_os(VARIABLE).filter(|list| !list.is_empty())
    {
        directories = split(&list);
    }
    let shipped = directories.is_empty();
    if shipped {
        directories.extend(Some(PathBuf::from(DEFAULT)).filter(|path| path.exists()));
    }
    (directories, shipped)
}

/// The directories of a path list.
pub(super) fn split(list: &OsStr) -> Vec<PathBuf> {
    env::split_paths(list).filter(|path| !path.as_os_str().is_empty()).collect()
}

impl From<ProbeError> for CliError {
    fn from(error: ProbeError) -> Self {
        let message = error.to_string();
        match error {
            ProbeError::MissingTable { class, .. } => Self::job(format!(
                "{message} (build it with `morabase build --class {class}` and the same --rules and --tables)"
            )),
            ProbeError::RulesDiffer { .. }
            | ProbeError::Directory(StoreError::NotADirectory { .. })
            | ProbeError::IllegalPosition { .. } => Self::usage(message),
            _ => Self::job(message),
        }
    }
}

/// Says on standard error what is wrong with files whose heads cannot be read, and fails if there are any.
pub(super) fn report_faults(tables: &Tablebase) -> CliResult {
    let mut faults = 0;
    for (_, error) in tables.faults() {
        faults += 1;
        // With standard error closed the status still tells.
        let _ = writeln!(io::stderr(), "error: {error}");
    }
    match faults {
        0 => Ok(()),
        1 => Err(CliError::job("1 table cannot be read")),
        _ => Err(CliError::job(format!("{faults} tables cannot be read"))),
    }
}
