//! `export`: the positions of a class with their values, one per line, for machine learning or cross-checks.

use std::io::Write;

use clap::{ArgGroup, ValueEnum};
use morabase::board::Symmetry;
use morabase::present::EntryJson;
use morabase::space::{Entry, Orbits, Space};
use morabase::{Alphabet, Class, Tablebase, Value, Wdl, raw, threads};
use rayon::prelude::*;

use super::CliResult;
use super::args::parse_class;
use super::tables::TablesArgs;

const EXAMPLES: &str = "\
Examples:
  morabase export --class 4-3 --csv > 4-3.csv
  morabase export --class 4-3 --jsonl --canonical --values won,lost
  morabase export --class 5-3 --csv --sample 10000 --seed 7

A line is an entry of the table: a position up to symmetry, with the first player to move, and its value for the side to move at \
counter zero with no turn barred. Columns and keys, in this order:
  class       cows of the side to move and of the other, those in hand after a plus
  entry       number of the entry, which is its place in the file of `morabase unpack`
  position    in short form
  mover       cows of the side to move, a bit for each point: E1 to E8, A1 to A8, R1 to R8
  waiting     cows of the other side
  value       won, drawn or lost
  wdl         the same as 1, 0 or -1
  dtc         plies to the next shot or the end; nothing (JSON: null) for a draw and with cows in hand
  placements  how many placements of the cows are images of this position: 16 or a divisor of it
  twin        whether an earlier entry is an image of this one

Twins occur where the mover's cows stand symmetrically; --canonical leaves them out. A sample is drawn without repetition, evenly from all lines that there would be, and comes in the order \
of entries; the same seed draws the same.";

/// Approximate number of entries decoded and written at a time.
const BATCH: u32 = 1 << 17;

/// Lines per thread at a time.
const LINES: usize = 1 << 12;

/// Print the positions of a class with their values
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = ArgGroup::new("format").required(true).args(["csv", "jsonl"]))]
pub(super) struct Args {
    /// Class, such as 4-3: four cows to move against three
    #[arg(long, value_name = "A-B", value_parser = parse_class)]
    class: Class,
    /// Comma-separated values, with a header line
    #[arg(long)]
    csv: bool,
    /// A JSON object on each line
    #[arg(long)]
    jsonl: bool,
    /// Only this many, drawn at random
    #[arg(long, value_name = "N")]
    sample: Option<u64>,
    /// Seed of the sample
    #[arg(long, value_name = "N", default_value_t = 0, requires = "sample")]
    seed: u64,
    /// Only positions with these values
    #[arg(long, value_name = "VALUES", value_delimiter = ',')]
    values: Vec<Wanted>,
    /// Each position once: leave out entries that are images of earlier ones
    #[arg(long)]
    canonical: bool,
    #[command(flatten)]
    tables: TablesArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Won,
    Drawn,
    Lost,
}

impl Wanted {
    const fn wdl(self) -> Wdl {
        match self {
            Self::Won => Wdl::Won,
            Self::Drawn => Wdl::Drawn,
            Self::Lost => Wdl::Lost,
        }
    }
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    threads::ready();
    let tables = args.tables.open()?;
    tables.meta(args.class)?;
    let export = Export::new(args, &tables)?;
    let drawn = args.sample.map(|count| export.draw(count, args.seed)).transpose()?;
    if args.csv {
        writeln!(out, "{}", EntryJson::COLUMNS)?;
    }
    export.write(drawn.as_ref(), out)
}

/// What is exported, and in which form.
struct Export<'a> {
    tables: &'a Tablebase,
    space: Space,
    orbits: &'static Orbits,
    alphabet: &'a Alphabet,
    /// By symbol.
    wanted: Vec<bool>,
    /// Whether that is all of them.
    all: bool,
    canonical: bool,
    csv: bool,
}

/// A sample: for each block the number of lines in the blocks before it, and the drawn lines, ascending.
struct Drawn {
    before: Vec<u64>,
    lines: Vec<u64>,
}

impl Drawn {
    /// The numbers of the drawn lines within a block.
    fn within(&self, block: u32) -> &[u64] {
        let block = block as usize;
        let first = self.lines.partition_point(|&line| line < self.before[block]);
        let end = self.lines.partition_point(|&line| line < self.before[block + 1]);
        &self.lines[first..end]
    }
}

impl<'a> Export<'a> {
    fn new(args: &Args, tables: &'a Tablebase) -> CliResult<Self> {
        let alphabet = tables.alphabet(args.class)?;
        let is_wanted =
            |value: &Value| args.values.is_empty() || args.values.iter().any(|wanted| wanted.wdl() == value.wdl());
        let wanted = alphabet.values().iter().map(is_wanted).collect();
        let all = [Wanted::Won, Wanted::Drawn, Wanted::Lost].iter().all(|value| args.values.contains(value));
        Ok(Self {
            tables,
            space: tables.space(args.class),
            orbits: tables.space(args.class).mover_orbits(),
            alphabet,
            wanted,
            all: all || args.values.is_empty(),
            canonical: args.canonical,
            csv: args.csv,
        })
    }

    /// Draws a sample of the potential lines.
    fn draw(&self, count: u64, seed: u64) -> CliResult<Drawn> {
        let blocks = (0..self.space.blocks()).into_par_iter();
        let lines = blocks.map_init(Vec::new, |symbols, block| {
            if self.all && !(self.canonical && self.has_twins(block)) {
                return Ok(u64::from(self.space.block_entries()));
            }
            self.decode(block, symbols)?;
            Ok(self.ranks(block, symbols).count() as u64)
        });
        let lines = lines.collect::<CliResult<Vec<u64>>>()?;
        let mut before = vec![0];
        let mut total = 0;
        before.extend(lines.into_iter().map(|lines| {
            total += lines;
            total
        }));
        Ok(Drawn { before, lines: raw::sample(total, count, seed) })
    }

    fn decode(&self, block: u32, symbols: &mut Vec<u8>) -> CliResult {
        symbols.resize(self.space.block_entries() as usize, 0);
        Ok(self.tables.decode_block(self.space.class(), block, symbols)?)
    }

    /// Whether symmetries map entries of the block to each other.
    fn has_twins(&self, block: u32) -> bool {
        self.orbits.stabiliser(block).count() > 1
    }

    /// The ranks of a block's entries that become lines, not considering the sample.
    fn ranks<'b>(&'b self, block: u32, symbols: &'b [u8]) -> impl Iterator<Item = u32> + 'b {
        let once = self.canonical && self.has_twins(block);
        let ranks = (0..).zip(symbols).filter(|(_, symbol)| self.wanted[usize::from(**symbol)]).map(|(rank, _)| rank);
        ranks.filter(move |&rank| !once || self.space.is_canonical(Entry { block, rank }))
    }

    /// Writes all lines, or the drawn ones.
    fn write(&self, drawn: Option<&Drawn>, out: &mut dyn Write) -> CliResult {
        let blocks =
            (0..self.space.blocks()).filter(|&block| drawn.is_none_or(|drawn| !drawn.within(block).is_empty()));
        let blocks: Vec<u32> = blocks.collect();
        for batch in blocks.chunks((BATCH / self.space.block_entries()).max(1) as usize) {
            let picked = batch.par_iter().map(|&block| self.pick(block, drawn));
            let picked: Vec<(u32, Vec<(u32, u8)>)> = picked.collect::<CliResult<_>>()?;
            // One large block is written by several threads, and so are many small ones.
            let parts: Vec<(u32, &[(u32, u8)])> = picked
                .iter()
                .flat_map(|(block, entries)| entries.chunks(LINES).map(|entries| (*block, entries)))
                .collect();
            let texts: Vec<Vec<u8>> =
                parts.into_par_iter().map(|(block, entries)| self.lines(block, entries)).collect::<CliResult<_>>()?;
            for text in texts {
                out.write_all(&text)?;
            }
        }
        Ok(())
    }

    /// The ranks and symbols of a block that become lines.
    fn pick(&self, block: u32, drawn: Option<&Drawn>) -> CliResult<(u32, Vec<(u32, u8)>)> {
        let mut symbols = Vec::new();
        self.decode(block, &mut symbols)?;
        let with_symbol = |rank: u32| (rank, symbols[rank as usize]);
        let Some(drawn) = drawn else {
            return Ok((block, self.ranks(block, &symbols).map(with_symbol).collect()));
        };
        let first = drawn.before[block as usize];
        let mut lines = drawn.within(block).iter().map(|line| line - first).peekable();
        let ranks = (0..).zip(self.ranks(block, &symbols)).filter(|(line, _)| lines.next_if_eq(line).is_some());
        Ok((block, ranks.map(|(_, rank)| with_symbol(rank)).collect()))
    }

    /// The text of some lines of a block.
    fn lines(&self, block: u32, entries: &[(u32, u8)]) -> CliResult<Vec<u8>> {
        let class = self.space.class().to_string();
        let fixing: Vec<Symmetry> = self.orbits.stabiliser(block).collect();
        let mut text = Vec::with_capacity(entries.len() * 200);
        for &(rank, symbol) in entries {
            let Some(value) = self.alphabet.value(symbol) else { continue };
            let line = EntryJson::new(self.space, &class, Entry { block, rank }, value, &fixing);
            let Some(line) = line else { continue };
            if self.csv { line.write_csv(&mut text)? } else { line.write_json(&mut text)? }
        }
        Ok(text)
    }
}
