//! `man`: manual pages, generated from the same definitions as the help.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::{CliError, CliResult, definition};

const EXAMPLES: &str = "\
Examples:
  morabase man --output man                 all of them: man/morabase.1, man/morabase-probe.1 and so on
  morabase man > morabase.1
  morabase man turns > morabase-turns.1";

/// Print a manual page in roff, or write the pages of all commands
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The command whose page to print
    command: Option<String>,
    /// Write the pages of all commands into this directory, which is made if need be
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let mut all = definition();
    // Gives each command its full name.
    all.build();
    if let Some(directory) = &args.output {
        return write_all(&all, directory);
    }
    let command = match &args.command {
        None => &all,
        Some(name) => {
            let known: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
            let expected = known.join(", ");
            let found = all.find_subcommand(name);
            found.ok_or_else(|| CliError::usage(format!("no command {name:?}: expected one of {expected}")))?
        }
    };
    Ok(out.write_all(page(command)?.as_bytes())?)
}

/// Writes a page for each command and one for the program.
fn write_all(all: &clap::Command, directory: &Path) -> CliResult {
    let failed = |what: &str, path: &Path, error: io::Error| {
        CliError::job(format!("{}: cannot {what}: {error}", path.display()))
    };
    fs::create_dir_all(directory).map_err(|error| failed("make the directory", directory, error))?;
    let pages = all.get_subcommands().filter(|command| command.get_name() != "help");
    for command in std::iter::once(all).chain(pages) {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        let file = directory.join(format!("{name}.1"));
        fs::write(&file, page(command)?).map_err(|error| failed("write it", &file, error))?;
    }
    Ok(())
}

/// The manual page of a command.
fn page(command: &clap::Command) -> CliResult<String> {
    let version = definition().get_version().unwrap_or_default().to_owned();
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let man = Man::new(command.clone()).source(format!("morabase {version}")).manual("Morabase Manual");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    // Long words of JSON leave gaps, as no line around them can be justified.
    Roff::new().control("ad", ["l"]).control("nh", []).to_writer(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    let (examples, notes) = split(&help);
    for line in notes {
        // Each line of the help is a paragraph.
        Roff::new().control("PP", []).text([roman(line)]).to_writer(&mut page)?;
    }
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if !examples.is_empty() {
        let mut section = Roff::new();
        section.control("SH", ["EXAMPLES"]).control("nf", []);
        for line in examples {
            section.text([roman(line)]);
        }
        section.control("fi", []).to_writer(&mut page)?;
    }
    Ok(ascii(&String::from_utf8_lossy(&page)))
}

/// The lines of examples in a help text, and all other lines.
fn split(help: &str) -> (Vec<&str>, Vec<&str>) {
    let lines = help.lines().filter(|line| !line.is_empty() && *line != "Examples:");
    lines.partition(|line| line.starts_with("  "))
}

/// The length from which a word may be broken at its commas, colons and bars.
const LONG_WORD: usize = 30;

/// A page that every troff reads without warnings: in ASCII, and with breakpoints in long words such as JSON.
fn ascii(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    for line in page.split_inclusive('\n') {
        let is_control = line.starts_with(['.', '\'']);
        for word in line.split_inclusive([' ', '\n']) {
            add_word(&mut text, word, !is_control && word.len() > LONG_WORD);
        }
    }
    text
}

/// Adds a word in ASCII, with breakpoints at its punctuation if `breaks` says so.
fn add_word(text: &mut String, word: &str, breaks: bool) {
    for letter in word.chars() {
        match letter {
            '…' => text.push_str("..."),
            letter if letter.is_ascii() => text.push(letter),
            // Writing to a string cannot fail.
            letter => {
                let _ = write!(text, r"\[u{:04X}]", u32::from(letter));
            }
        }
        if breaks && matches!(letter, ',' | ':' | '|') {
            text.push_str(r"\:");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_ascii_and_long_words_can_be_broken() {
        let long = "1".repeat(LONG_WORD);
        assert_eq!(ascii(&format!("{{\"a\":…,{long}}} é\n")), format!("{{\"a\":\\:...,\\:{long}}} \\[u00E9]\n"));
        assert_eq!(ascii(".TH a,b\nd6,d7\n"), ".TH a,b\nd6,d7\n");
    }
}
