//! Where tables are looked for: what the subcommands that read tables share.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use morabase::table::Access;
use morabase::{OpenOptions, ProbeError, RuleSet, Tablebase};

use super::args::{RuleOverrides, parse_rules};
use super::{CliError, CliResult};

/// The environment variable with the directories to look in, as a path list.
const VARIABLE: &str = "MORABASE_TABLES";

/// The directory to look in when none is named.
const DEFAULT: &str = "tables";

/// Tables to answer from, and the rules they must be of.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Tables")]
pub(crate) struct TablesArgs {
    /// Directory with tables; may be given several times, the first that has a class answers for it [default: those in
    /// the path list `MORABASE_TABLES`; without that ./tables, and the small set built in for what is missing there]
    #[arg(long = "tables", value_name = "DIR")]
    directories: Vec<PathBuf>,
    /// Read files piece by piece instead of mapping them into memory, as for network drives
    #[arg(long)]
    no_mmap: bool,
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
        let mut options = OpenOptions { access, rules: self.rules()?, shipped: false };
        let mut directories = self.directories.clone();
        if directories.is_empty()
            && let Some(list) = env::var_os(VARIABLE).filter(|list| !list.is_empty())
        {
            directories = env::split_paths(&list).filter(|path| !path.as_os_str().is_empty()).collect();
        }
        if directories.is_empty() {
            options.shipped = true;
            directories.extend(Some(PathBuf::from(DEFAULT)).filter(|path| path.exists()));
        }
        Ok(Tablebase::open_with(directories, &options)?)
    }

    /// The rules asked for, if any were.
    fn rules(&self) -> CliResult<Option<RuleSet>> {
        if self.rules.is_none() && self.overrides.is_empty() {
            return Ok(None);
        }
        self.overrides.on(self.rules.unwrap_or_default()).map(Some)
    }
}

impl From<ProbeError> for CliError {
    fn from(error: ProbeError) -> Self {
        let message = error.to_string();
        match error {
            ProbeError::MissingTable { class, .. } => Self::job(format!(
                "{message} (build it with `morabase build --class {class}` and the same --rules and --tables)"
            )),
            ProbeError::RulesDiffer { .. } | ProbeError::NotADirectory { .. } | ProbeError::IllegalPosition { .. } => {
                Self::usage(message)
            }
            _ => Self::job(message),
        }
    }
}

/// A file's name for people.
pub(super) fn file_text(file: Option<&Path>) -> String {
    file.map_or_else(|| "-".to_owned(), |file| file.display().to_string())
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
