//! Tables as plain bytes and back: a byte for each entry, for programs that have no reader for tables.
//!
//! A raw file is the codes of a class and nothing else, in the order of the class's [`Layout`]: the entry of block `b`
//! and rank `r` stands at `b * block_entries + r`. `docs/raw.md` shows how to find a position in it from other languages.
//! Packing takes nothing but these bytes, the class and the rules; all counts in a table's head are made from the bytes
//! anew. So a table that is unpacked and packed again is the same, byte for byte.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::build::{self, BuildError, Lock, check_directory, leader, table_meta};
use crate::index::{Class, ClassError, Entry, HAS_TWINS, Layout, Orbits};
use crate::probe::{ProbeError, Tablebase};
use crate::random::Random;
use crate::rules::RuleSet;
use crate::solve::{Tally, Values};
use crate::table::{Existing, TableError, TableMeta, file_name, write_table};
use crate::value::Code;

/// The extension of raw files.
pub const EXTENSION: &str = "raw";

/// Entries decoded before they are written, about.
const BATCH: u32 = 1 << 24;

/// Why a table was not unpacked or bytes were not packed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RawError {
    /// There are too few bytes or too many.
    #[error("class {class} has {expected} entries of one byte, found {found} bytes; give the whole file of this class")]
    Length {
        /// The class.
        class: Class,
        /// Entries of the class.
        expected: u64,
        /// Bytes given.
        found: u64,
    },
    /// A byte is the code of no value.
    #[error(
        "byte {at} (block {}, rank {}) is {found}: expected 0 (drawn), 1 to 126 (won) or 128 to 254 (lost)",
        .entry.block, .entry.rank
    )]
    NoCode {
        /// The byte's place.
        at: u64,
        /// The entry it stands for.
        entry: Entry,
        /// The byte.
        found: u8,
    },
    /// Two entries that a symmetry maps to each other differ.
    #[error(
        "block {block}: ranks {} and {} are images of each other, expected the same byte, found {} and {}; are the bytes in the order of docs/raw.md?",
        .ranks[0], .ranks[1], .codes[0], .codes[1]
    )]
    Twins {
        /// The block.
        block: u32,
        /// The ranks of the two entries.
        ranks: [u32; 2],
        /// Their bytes.
        codes: [u8; 2],
    },
    /// The class does not occur under the rules.
    #[error(transparent)]
    Class(#[from] ClassError),
    /// The directory is not one to put the table in.
    #[error(transparent)]
    Directory(#[from] BuildError),
    /// The table cannot be written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The table cannot be read.
    #[error(transparent)]
    Read(#[from] ProbeError),
    /// The bytes cannot be written.
    #[error("cannot write the bytes: {0}")]
    Output(#[from] io::Error),
}

/// A table that was packed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packed {
    /// Its file.
    pub file: PathBuf,
    /// What its head says.
    pub meta: TableMeta,
    /// The file's length in bytes.
    pub bytes: u64,
}

/// Writes the codes of all entries of a class to `out` and gives their [`checksum`]. A part of the table is in memory at a
/// time; decoding runs on all threads of the current rayon pool.
///
#[cfg_attr(feature = "shipped", doc = "```")]
#[cfg_attr(not(feature = "shipped"), doc = "```no_run")]
/// use morabase::index::Layout;
/// use morabase::{Class, Code, Plies, Position, Tablebase, Value, raw};
///
/// let tables = Tablebase::shipped()?;
/// let class = Class::moving(4, 4)?;
/// let mut bytes = Vec::new();
/// raw::unpack(&tables, class, &mut bytes)?;
///
/// let layout = Layout::new(class);
/// let position = Position::from_notation("W:Wd6,d7,f4,f6:Bb4,d3,g1,g4", tables.rules())?;
/// let entry = layout.entry(position.own(), position.opponent());
/// let at = entry.block as usize * layout.block_entries() as usize + entry.rank as usize;
/// assert_eq!(Code::from_byte(bytes[at]).map(Code::value), Some(Value::Won(Plies(9))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RawError::Read`] if the table is missing or damaged, [`RawError::Output`] if `out` cannot be written.
pub fn unpack(tables: &Tablebase, class: Class, out: &mut (impl Write + ?Sized)) -> Result<u64, RawError> {
    tables.meta(class)?;
    let layout = Layout::new(class);
    let blocks_at_once = (BATCH / layout.block_entries()).max(1);
    let mut hash = Xxh3::new();
    let mut codes = Vec::new();
    for first in (0..layout.blocks()).step_by(blocks_at_once as usize) {
        let blocks = first..(first + blocks_at_once).min(layout.blocks());
        codes.resize(blocks.len() * layout.block_entries() as usize, 0);
        let parts = codes.par_chunks_mut(layout.block_entries() as usize);
        blocks.into_par_iter().zip(parts).try_for_each(|(block, part)| tables.decode_block(class, block, part))?;
        hash.update(&codes);
        out.write_all(&codes)?;
    }
    Ok(hash.digest())
}

/// The checksum of raw bytes that [`unpack`] gives: their XXH3 hash of 64 bits.
pub fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// Writes the table of a class from its codes, as [`unpack`] gives them, into a directory, which is made if need be. What
/// [`build`] does it does too: the directory must hold no tables of other rules, no build of the
/// class may be at work in it, and the file appears only once it is whole.
///
/// ```
/// use morabase::index::Layout;
/// use morabase::table::Existing;
/// use morabase::{Class, Preset, raw};
///
/// # let directory = tempfile::tempdir()?;
/// # let directory = directory.path();
/// // Twelve cows against eleven: 170,854 orbits with 12 entries each. Say that nobody can win.
/// let class = Class::moving(12, 11)?;
/// let packed = raw::pack(directory, &Preset::Plain.rules(), class, vec![0; 170_854 * 12], Existing::Keep)?;
/// assert_eq!(packed.file, directory.join("12-11.mora"));
/// assert_eq!(packed.meta.canonical.drawn, Layout::new(class).positions());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RawError`]; with [`Existing::Keep`] also where the class is there already.
pub fn pack(
    directory: &Path,
    rules: &RuleSet,
    class: Class,
    codes: Vec<u8>,
    existing: Existing,
) -> Result<Packed, RawError> {
    let layout = Layout::new(class.check(rules)?);
    let values = checked(layout, codes)?;
    let builds = match existing {
        Existing::Keep => build::Existing::Check,
        Existing::Replace => build::Existing::Replace,
    };
    check_directory(directory, rules, builds)?;
    build::create(directory)?;
    let _lock = Lock::pair(directory, leader(class))?;
    let meta = table_meta(rules, class, &Tally::of(&values));
    let file = directory.join(file_name(class));
    let bytes = write_table(&file, &meta, values.codes(), existing)?;
    Ok(Packed { file, meta, bytes })
}

/// The codes as values, if there are as many as entries, each of them is one and twins agree.
fn checked(layout: Layout, codes: Vec<u8>) -> Result<Values, RawError> {
    let length = RawError::Length { class: layout.class(), expected: layout.entries(), found: codes.len() as u64 };
    if codes.len() as u64 != layout.entries() {
        return Err(length);
    }
    if let Some(at) = codes.iter().position(|&code| Code::from_byte(code).is_none()) {
        let (found, at, per_block) = (codes[at], at as u64, u64::from(layout.block_entries()));
        let entry = Entry { block: (at / per_block) as u32, rank: (at % per_block) as u32 };
        return Err(RawError::NoCode { at, entry, found });
    }
    let values = Values::from_codes(layout.class(), codes).ok_or(length)?;
    (0..layout.blocks()).into_par_iter().try_for_each(|block| check_twins(&values, block))?;
    Ok(values)
}

/// Whether entries of a block that symmetries map to each other have the same code.
fn check_twins(values: &Values, block: u32) -> Result<(), RawError> {
    let (layout, codes) = (values.layout(), values.block(block));
    let orbits = Orbits::of(layout.class().own());
    if orbits.complement_word(block) & HAS_TWINS == 0 {
        return Ok(());
    }
    let fixing: Vec<_> = orbits.stabiliser(block).skip(1).collect();
    for (rank, &code) in (0..).zip(codes) {
        let Some((mover, waiting)) = layout.position(Entry { block, rank }) else { continue };
        for symmetry in &fixing {
            let twin = layout.entry(mover, symmetry.apply(waiting)).rank;
            let other = codes[twin as usize];
            if other != code {
                return Err(RawError::Twins { block, ranks: [rank, twin], codes: [code, other] });
            }
        }
    }
    Ok(())
}

/// Draws `count` different numbers below `total`, all sets equally likely, and gives them ascending; all numbers if there are not
/// more. The same seed draws the same on every machine. Takes memory for `count` numbers.
///
/// ```
/// let drawn = morabase::raw::sample(1_000_000, 3, 7);
/// assert_eq!(drawn, morabase::raw::sample(1_000_000, 3, 7));
/// assert!(drawn.is_sorted() && drawn[0] < drawn[1] && drawn[1] < drawn[2] && drawn[2] < 1_000_000);
/// assert_eq!(morabase::raw::sample(3, 10, 7), [0, 1, 2]);
/// ```
pub fn sample(total: u64, count: u64, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed);
    let mut drawn = BTreeSet::new();
    // Floyd's algorithm: each step adds one number, whether or not it draws one that is there.
    for last in total - count.min(total)..total {
        let number = random.below(last + 1);
        if !drawn.insert(number) {
            drawn.insert(last);
        }
    }
    drawn.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn samples_are_different_numbers_below_the_total_and_reach_all_of_them() {
        let mut hits = [0; 10];
        for seed in 0..3000 {
            let drawn = sample(10, 4, seed);
            assert!(drawn.len() == 4 && drawn.windows(2).all(|pair| pair[0] < pair[1]));
            for number in drawn {
                hits[number as usize] += 1;
            }
        }
        assert!(hits.iter().all(|hit| (1050..1350).contains(hit)), "{hits:?}");
        assert_eq!(sample(0, 5, 1), []);
        assert_eq!(sample(5, 0, 1), []);
    }

    #[test]
    fn a_change_to_one_of_two_twins_is_found() {
        let values = &testing::GAR[&"4-3".parse().unwrap()];
        let layout = values.layout();
        let is_twin = |block| {
            (0..layout.block_entries())
                .find(|&rank| !layout.is_canonical(Entry { block, rank }))
                .map(|rank| (block, rank))
        };
        let (block, rank) = (0..layout.blocks()).find_map(is_twin).unwrap();
        let mut codes = values.codes().to_vec();
        assert!(checked(layout, codes.clone()).is_ok());
        let at = block as usize * layout.block_entries() as usize + rank as usize;
        codes[at] = codes[at].wrapping_add(1);
        let error = checked(layout, codes).unwrap_err();
        assert!(matches!(error, RawError::Twins { block: found, .. } if found == block), "{error}");
    }
}
