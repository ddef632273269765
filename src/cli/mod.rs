//! The command line: one file per subcommand, and here their shared parts: the dispatch and the end of a run.
//!
//! A subcommand reads its arguments, calls the library, and prints what [`present`] makes of the result.
//!
//! Results go to standard output, everything else to standard error. The exit status is 0 if the request was fulfilled,
//! 1 if the job failed, 2 if the request itself was wrong, and 130 if the user stopped it. A reader that closes the
//! pipe early ends a run quietly. `NO_COLOR` is honoured.
//!
//! To add a subcommand, write `NAME.rs` with an `Args` struct and `run(&Args, &mut dyn Write) -> CliResult`, and add it to
//! [`Command`] and to [`run`].

mod args;
mod build;
mod completions;
mod engine;
mod error;
mod export;
mod info;
mod line;
mod man;
mod manifest;
mod output;
mod pack;
mod perft;
mod plan;
mod play;
mod probe;
mod progress;
mod review;
mod rules;
#[cfg(feature = "serve")]
mod serve;
mod show;
mod sidecar;
#[cfg(feature = "serve")]
mod site;
mod solve_reference;
mod stats;
mod tables;
mod turns;
mod unpack;
mod verify;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser, Subcommand};
use morabase::present;
use serde::Serialize;

pub(crate) use error::{CliError, CliResult};

const EXAMPLES: &str = "\
Examples:
  morabase probe 'W:Wd6,d7,f4,f6:Bb4,d3,g1,g4'        the value of a position and of its turns
  morabase line 'W:Wd6,d7,f4,f6:Bb4,d3,g1,g4'         best play from it
  morabase review game.pgn                            a game with what each turn was worth
  morabase play                                       a game against the program
  morabase rules gar                                  what the default rules are
  morabase turns 'W:Wa7,d7,g7:Bb6,d6,c5'              the legal turns of a position
  morabase turns --moves 'd6 d7 b4 a4 b6 g7 b2xa4'    the same after some turns
  morabase show --moves 'd6 d7 b4'                    the board, and the position in every format
  morabase perft 4                                    leaf counts from the empty board

Positions are given in short form or as a FEN of 17 fields, always in quotes. The short form is the side to move, the \
first player's cows (W) and the second player's (B), then as needed :H3,2 (cows in hand), :C7 (plies since the last \
shot), :LWd1-d2 (that player's last turn, if it broke a line and completed one) and :S (a shot still to come).

Exit status: 0 done, 1 the job failed, 2 the request was wrong, 130 stopped by the user.";

/// Exact values for Morabaraba.
#[derive(Parser)]
#[command(name = "morabase", version, about, after_help = EXAMPLES, arg_required_else_help = true, max_term_width = 120)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Build(build::Args),
    Plan(plan::Args),
    Probe(probe::Args),
    Line(line::Args),
    Review(review::Args),
    Play(play::Args),
    Engine(engine::Args),
    #[cfg(feature = "serve")]
    Serve(serve::Args),
    #[cfg(feature = "serve")]
    Site(site::Args),
    Stats(stats::Args),
    Info(info::Args),
    Verify(verify::Args),
    Manifest(manifest::Args),
    Export(export::Args),
    Unpack(unpack::Args),
    Pack(pack::Args),
    Show(show::Args),
    Turns(turns::Args),
    Perft(perft::Args),
    Rules(rules::Args),
    SolveReference(solve_reference::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Runs the command line and returns the exit status.
pub(crate) fn main() -> ExitCode {
    write_beyond_limits_is_an_error();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return show(&shortened(error)),
    };
    let mut out = output::standard_output();
    let result = run(&cli.command, &mut out);
    // Results found before an error are shown before the error.
    let flushed = out.flush().map_err(CliError::from);
    match result.and(flushed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}

/// The error with a value at a bearable length: what is wrong with it comes after it.
fn shortened(mut error: clap::Error) -> clap::Error {
    const MOST: usize = 80;
    if let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidValue)
        && let Some((end, _)) = value.char_indices().nth(MOST)
    {
        let value = format!("{}…", &value[..end]);
        error.insert(ContextKind::InvalidValue, ContextValue::String(value));
    }
    error
}

/// Shows what is wrong with the arguments; also handles the help and the version.
fn show(error: &clap::Error) -> ExitCode {
    let status = ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
    let printed = if error.use_stderr() {
        // If standard error is closed the exit status still tells.
        let _ = error.print();
        Ok(())
    } else {
        output::check().and_then(|()| error.print()).and_then(|()| io::stdout().flush())
    };
    printed.map_or_else(|error| CliError::from(error).report(), |()| status)
}

/// Makes exceeding a file size limit a write error instead of ending the program.
#[cfg(unix)]
fn write_beyond_limits_is_an_error() {
    use std::sync::Arc;
    // A handled signal does not end the program, and the write error carries the same information.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Exceeding a file size limit is always a write error here.
#[cfg(not(unix))]
const fn write_beyond_limits_is_an_error() {}

fn run(command: &Command, out: &mut dyn Write) -> CliResult {
    match command {
        Command::Build(args) => build::run(args, out),
        Command::Plan(args) => plan::run(args, out),
        Command::Probe(args) => probe::run(args, out),
        Command::Line(args) => line::run(args, out),
        Command::Review(args) => review::run(args, out),
        Command::Play(args) => play::run(args, out),
        Command::Engine(args) => engine::run(args, out),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(args, out),
        #[cfg(feature = "serve")]
        Command::Site(args) => site::run(args, out),
        Command::Stats(args) => stats::run(args, out),
        Command::Info(args) => info::run(args, out),
        Command::Verify(args) => verify::run(args, out),
        Command::Manifest(args) => manifest::run(args, out),
        Command::Export(args) => export::run(args, out),
        Command::Unpack(args) => unpack::run(args, out),
        Command::Pack(args) => pack::run(args, out),
        Command::Show(args) => show::run(args, out),
        Command::Turns(args) => turns::run(args, out),
        Command::Perft(args) => perft::run(args, out),
        Command::Rules(args) => rules::run(args, out),
        Command::SolveReference(args) => solve_reference::run(args, out),
        Command::Completions(args) => completions::run(args, out),
        Command::Man(args) => man::run(args, out),
    }
}

/// Prints an object as a line of JSON.
fn write_json(out: &mut dyn Write, object: &impl Serialize) -> CliResult {
    let text = present::to_json(object).map_err(|error| CliError::job(error.to_string()))?;
    Ok(writeln!(out, "{text}")?)
}

/// The whole command line as data, for completions and manual pages.
fn definition() -> clap::Command {
    Cli::command()
}

/// Whether bytes look like text with two bytes per character.
fn looks_wide(bytes: &[u8]) -> bool {
    let marked = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let (pairs, _) = bytes.as_chunks::<2>();
    let wide = |pair: &&[u8; 2]| pair.contains(&0);
    marked || (pairs.len() >= 3 && pairs.iter().filter(wide).count() * 5 >= pairs.len() * 4)
}

#[cfg(test)]
mod tests {
    #[test]
    fn definition_is_consistent() {
        super::definition().debug_assert();
    }
}
