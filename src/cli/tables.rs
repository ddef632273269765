//! Where tables are searched for: shared by the subcommands that read tables, with advice on building missing ones.

use std::env;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;

use clap::Args;
use morabase::build::{Plan, PlanStep, Request, Speed, Target};
use morabase::present::{bytes_text, duration_text};
use morabase::store::StoreError;
use morabase::table::Access;
use morabase::{Class, OpenOptions, Preset, ProbeError, RuleSet, Tablebase};

use super::args::{RuleOverrides, RulesParser, shell_quoted};
use super::{CliError, CliResult};

/// The environment variable with the directories to search, as a path list.
const VARIABLE: &str = "MORABASE_TABLES";

/// The directory to search if none is named.
const DEFAULT: &str = "tables";

/// Tables to answer from, and how to read them.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Tables")]
pub(crate) struct TablesArgs {
    #[command(flatten)]
    which: WhichTables,
    /// Read files piece by piece instead of mapping them into memory; use it for network drives
    #[arg(long, help_heading = "Tables")]
    no_mmap: bool,
}

/// Where tables are, and the rules they must be of.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Tables")]
pub(crate) struct WhichTables {
    /// Directory with tables; may be given several times; for each class the first directory that has it is used
    /// [default: those in the path list `MORABASE_TABLES`; without that ./tables, and the small set built in for what is
    /// missing there]
    #[arg(long = "tables", value_name = "DIR")]
    directories: Vec<PathBuf>,
    /// Rules that the tables must have been built for: preset or canonical text [default: those of the tables found; gar where no directory is named]
    #[arg(long, value_name = "RULES", value_parser = RulesParser, hide_possible_values = true)]
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

    /// The requested rules, or the default ones.
    pub(super) fn default_rules(&self) -> CliResult<RuleSet> {
        Ok(self.which.rules()?.unwrap_or_default())
    }
}

impl WhichTables {
    /// The named directories.
    pub(super) fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// The requested rules, if any.
    pub(super) fn rules(&self) -> CliResult<Option<RuleSet>> {
        if self.rules.is_none() && self.overrides.is_empty() {
            return Ok(None);
        }
        self.overrides.on(self.rules.unwrap_or_default()).map(Some)
    }
}

/// Opens the tables in `directories`, or those that [`places`] finds if none are named. A problem with places that this
/// command did not name is a warning, and the included tables answer. If no rules are given anywhere the default ones
/// apply; if tables of other rules answer, that is reported.
pub(super) fn open(directories: &[PathBuf], access: Access, rules: Option<RuleSet>) -> Result<Tablebase, ProbeError> {
    let (mut found, shipped) = places(directories);
    if directories.is_empty() && found.iter().any(|place| place.is_dir()) {
        found.retain(|place| {
            let exists = place.is_dir();
            if !exists {
                say(&format!("warning: {VARIABLE}: {} is not a directory and is ignored", place.display()));
            }
            exists
        });
    }
    let expected = rules.or_else(|| shipped.then(RuleSet::default));
    match Tablebase::open_with(found, &OpenOptions { access, rules: expected, shipped, ..OpenOptions::default() }) {
        // A user who has set the path list and requests rules should learn that the tables there have others.
        Err(error)
            if directories.is_empty()
                && (rules.is_none() || shipped || !matches!(error, ProbeError::RulesDiffer { .. })) =>
        {
            let built_in = built_in(access, expected)?;
            let why = other_rules(&error, built_in.rules()).filter(|_| shipped).unwrap_or_else(|| error.to_string());
            let instead = if built_in.classes().next().is_some() { "; using the built-in tables" } else { "" };
            say(&format!("warning: {why}{instead}"));
            Ok(built_in)
        }
        Ok(tables) if directories.is_empty() && !shipped && is_empty(&tables) => {
            let built_in = built_in(access, expected)?;
            say(&format!("warning: {VARIABLE}: there are no tables there; using the built-in tables"));
            Ok(built_in)
        }
        Ok(tables) if directories.is_empty() && rules.is_none() && *tables.rules() != RuleSet::default() => {
            let (name, default) = (tables.rules().name(), RuleSet::default().name());
            say(&format!(
                "note: using the tables in {VARIABLE}, which are for the rules {name}; for the default rules add --rules {default}"
            ));
            Ok(tables)
        }
        opened => opened,
    }
}

/// The tables in the library alone.
fn built_in(access: Access, rules: Option<RuleSet>) -> Result<Tablebase, ProbeError> {
    let none: [&str; 0] = [];
    Tablebase::open_with(none, &OpenOptions { access, rules, shipped: true, ..OpenOptions::default() })
}

/// Whether no table was found, not even a damaged one.
fn is_empty(tables: &Tablebase) -> bool {
    tables.classes().next().is_none() && tables.faults().next().is_none()
}

/// Prints a message on standard error; if that is closed the answers are still printed.
fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// A note that the default directory has tables of other rules than the intended ones, and how to request them.
fn other_rules(error: &ProbeError, meant: &RuleSet) -> Option<String> {
    let ProbeError::RulesDiffer { found, .. } = error else { return None };
    let found = rules_option(&found.parse().ok()?);
    let meant = meant.name();
    Some(format!(
        "./{DEFAULT} holds tables for other rules than {meant} and is ignored (to use it, give --rules {found})"
    ))
}

/// The name of these rules for `--rules`.
pub(super) fn rules_option(rules: &RuleSet) -> String {
    shell_quoted(&rules.name())
}

/// Where to look for tables, and whether to include those in the library: the named directories; if there are none,
/// those in the path list of the environment; otherwise the default directory and the included tables.
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

/// Where tables are built if no directory is named: the first place that is searched.
pub(super) fn place_to_build() -> PathBuf {
    places(&[]).0.into_iter().next().unwrap_or_else(|| PathBuf::from(DEFAULT))
}

/// The directories of a path list.
pub(super) fn split(list: &OsStr) -> Vec<PathBuf> {
    env::split_paths(list).filter(|path| !path.as_os_str().is_empty()).collect()
}

impl From<ProbeError> for CliError {
    fn from(error: ProbeError) -> Self {
        let message = error.to_string();
        match error {
            ProbeError::MissingTable { class, searched, .. } => {
                let directory = searched.directories.first().cloned().unwrap_or_else(place_to_build);
                Self::job(format!("{message}\n{}", how_to_build(class, &searched.rules, &directory)))
            }
            ProbeError::RulesDiffer { .. }
            | ProbeError::Directory(StoreError::NotADirectory { .. })
            | ProbeError::IllegalPosition { .. } => Self::usage(message),
            _ => Self::job(message),
        }
    }
}

/// A place for tables of these rules where the usual one has tables of others.
pub(super) fn place_of(rules: &RuleSet) -> PathBuf {
    PathBuf::from(format!("{DEFAULT}-{}", rules.preset().map_or("other", Preset::name)))
}

/// A command that builds the table of a class, and its approximate cost.
fn how_to_build(class: Class, rules: &RuleSet, directory: &Path) -> String {
    let plan = |directory: &Path| Plan::new(&Request::new(rules, directory, Target::Class(class)));
    let command = |directory: &Path| {
        let (rules, place) = (rules_option(rules), shell_quoted(&directory.display().to_string()));
        format!("  morabase build --rules {rules} --class {class} --tables {place}")
    };
    match plan(directory) {
        Ok(plan) => format!("{}\n{}", command(directory), what_it_takes(&plan)),
        // The directory has tables of other rules.
        Err(error) if error.is_wrong_request() => {
            let other = place_of(rules);
            match plan(&other) {
                Ok(plan) => {
                    let takes = what_it_takes(&plan);
                    format!("{}\n{takes}; afterwards ask with --tables {}", command(&other), other.display())
                }
                Err(_) => command(directory),
            }
        }
        // The build itself will report any other problem there.
        Err(_) => command(directory),
    }
}

/// The approximate cost of a build, without measuring this machine's speed.
fn what_it_takes(plan: &Plan) -> String {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let speed = Speed::ordinary(&plan.request.rules, cores);
    let time = plan.missing().map(|step| speed.time(step)).sum();
    let disk: u64 = plan.missing().map(PlanStep::expected_bytes).sum();
    let s = if cores == 1 { "" } else { "s" };
    format!(
        "about {} on {cores} ordinary core{s} (morabase plan measures it), {} of memory, {} of disk",
        duration_text(time),
        bytes_text(plan.peak_at_full_speed()),
        bytes_text(disk)
    )
}

/// Reports on standard error the faults of files whose heads cannot be read, and fails if there are any.
pub(super) fn report_faults(tables: &Tablebase) -> CliResult {
    let mut faults = 0;
    for (_, error) in tables.faults() {
        faults += 1;
        // If standard error is closed the exit status still tells.
        let _ = writeln!(io::stderr(), "error: {error}");
    }
    match faults {
        0 => Ok(()),
        1 => Err(CliError::job("1 table cannot be read")),
        _ => Err(CliError::job(format!("{faults} tables cannot be read"))),
    }
}
