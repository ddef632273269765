//! `man`: manual pages, made from the same definitions as the help.

use std::io::Write;

use super::{CliError, CliResult, definition};

const EXAMPLES: &str = "\
Examples:
  morabase man > morabase.1
  morabase man turns > morabase-turns.1";

/// Print the manual page, or that of one command, in roff
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The command whose page to print
    command: Option<String>,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let mut all = definition();
    // Gives each command its full name.
    all.build();
    let page = match &args.command {
        None => all,
        Some(name) => {
            let known: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
            let expected = known.join(", ");
            let found = all.find_subcommand(name).cloned();
            found.ok_or_else(|| CliError::usage(format!("no command {name:?}: expected one of {expected}")))?
        }
    };
    Ok(clap_mangen::Man::new(page).render(out)?)
}
