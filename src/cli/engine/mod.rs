//! `engine`: the UCI dialect that mill programs speak, on standard input and output.
//!
//! There are three threads: one reads lines, one thinks, and this one, the only one that writes, receives messages from
//! both through one channel. So `stop` and `isready` are answered while the engine thinks, and the program ends if its
//! reader has gone away.

mod command;
mod input;
mod session;

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Instant;

use super::tables::WhichTables;
use super::{CliError, CliResult};
use input::{LONGEST_LINE, Line, read_lines};
use session::Session;

const EXAMPLES: &str = "\
Examples:
  morabase engine
  morabase engine --tables /data/gar --log engine.log
  printf '%s\\n' 'position startpos moves d6 d7' 'go movetime 500' | morabase engine

Commands: uci, isready, ucinewgame, setoption name NAME value VALUE, position startpos|fen FEN [moves TURNS], \
go [depth N] [nodes N] [movetime MS] [mate N] [infinite] [ponder] [searchmoves TURNS], ponderhit, stop, \
analyze startpos|fen FEN [moves TURNS], moves, fen, key, d (the board), eval, quit. Options: TablesPath, Rules, MultiPV, Hash, MoveTime, \
MoveTimeMs, Ponder, UCI_AnalyseMode, InfoWithBestmove. \
If it cannot do something, the engine answers with a line `info string error: …`, and goes on. docs/engine.md describes everything.";

/// Play as an engine: the UCI dialect of mill programs on standard input and output
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Append every line received and sent to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(flatten)]
    tables: WhichTables,
}

/// The most messages queued for the writing thread.
const QUEUE: usize = 16;

/// A message to the writing thread.
#[derive(Debug)]
enum Message {
    /// An input line.
    Line(Line),
    /// A line was longer than [`LONGEST_LINE`] and was discarded.
    TooLong,
    /// So many lines wait for a search that there is no room for more.
    Crowded,
    /// The input has ended, perhaps because it cannot be read.
    End(Option<io::Error>),
    /// Output of the thinking thread.
    Say(String),
    /// The thinking thread has finished, with its answer.
    Done(Vec<String>),
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let log = args.log.as_deref().map(Log::open).transpose()?;
    let (sender, receiver) = sync_channel(QUEUE);
    let mut session = Session::new(&args.tables, sender.clone(), Output { out, log })?;
    thread::Builder::new()
        .name("reader".to_owned())
        .spawn(move || read_lines(&mut io::stdin().lock(), &sender))
        .map_err(|error| CliError::job(format!("cannot start a thread: {error}")))?;
    session.run(&receiver)
}

/// Standard output and the log.
struct Output<'a> {
    out: &'a mut dyn Write,
    log: Option<Log>,
}

impl Output<'_> {
    /// Writes and flushes a line.
    fn line(&mut self, text: &str) -> CliResult {
        self.note('<', text)?;
        writeln!(self.out, "{text}")?;
        Ok(self.out.flush()?)
    }

    /// Reports an error.
    fn error(&mut self, text: &str) -> CliResult {
        self.line(&format!("info string error: {}", one_line(text)))
    }

    /// Writes a line to the log, which is abandoned if it cannot be written.
    fn note(&mut self, direction: char, text: &str) -> CliResult {
        let Some(log) = &mut self.log else { return Ok(()) };
        if let Err(error) = log.write(direction, text) {
            self.log = None;
            self.error(&format!("cannot write the log, which ends here: {error}"))?;
        }
        Ok(())
    }
}

/// The most characters of an error; a peer may have sent a very long text.
const LONGEST_ERROR: usize = 2000;

/// A text as one line of printable characters.
fn one_line(text: &str) -> String {
    let printable = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    let mut line: String = printable.clone().take(LONGEST_ERROR).collect();
    if printable.count() > LONGEST_ERROR {
        line.push('…');
    }
    line
}

/// A file with the whole conversation: seconds since the start, `>` for input lines and `<` for output lines.
struct Log {
    file: std::fs::File,
    started: Instant,
}

impl Log {
    fn open(path: &Path) -> CliResult<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file =
            file.map_err(|error| CliError::usage(format!("{}: cannot open the log: {error}", path.display())))?;
        Ok(Self { file, started: Instant::now() })
    }

    fn write(&mut self, direction: char, text: &str) -> io::Result<()> {
        let seconds = self.started.elapsed().as_secs_f64();
        self.file.write_all(format!("{seconds:.3} {direction} {text}\n").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_one_line_of_a_sane_length() {
        assert_eq!(one_line("a\n  b\u{7}"), "a   b ");
        assert_eq!(one_line(&"x".repeat(9999)).chars().count(), LONGEST_ERROR + 1);
    }
}
