//! `completions`: a completion script for a shell.

use std::io::Write;

use clap_complete::Shell;

use super::{CliResult, definition};

const EXAMPLES: &str = "\
Examples:
  morabase completions bash > ~/.local/share/bash-completion/completions/morabase
  morabase completions zsh > ~/.zfunc/_morabase                  where ~/.zfunc is in fpath
  morabase completions fish > ~/.config/fish/completions/morabase.fish
  morabase completions powershell > morabase.ps1                 to be loaded by a line in $PROFILE";

/// Print a completion script for a shell
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    // Written to memory first, as the generator would panic on a closed pipe.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut definition(), "morabase", &mut script);
    Ok(out.write_all(&script)?)
}
