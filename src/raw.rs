//! Tables as plain bytes and back: one byte per entry, or two for classes with long DTCs, for programs without a reader
//! for tables.
//!
//! A raw file contains only the codes of a class ([`Width`]), in the order of the class's [`Space`]: the entry of block
//! `b` and rank `r` is number `b * block_entries + r` ([`Space::number`]). `docs/raw.md` shows how to find a position
//! in it from other languages. Packing requires only these bytes, the class and the rules; all counts in a table's head
//! are computed from the bytes. So a table that is unpacked and packed again is the same, byte for byte.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::alphabet::Alphabet;
use crate::lookahead::{Tally, Values};
use crate::probe::{ProbeError, Tablebase};
use crate::random::Random;
use crate::rules::RuleSet;
use crate::space::{Class, ClassError, Entry, Space};
use crate::store::{Contents, Lock, Scope, StoreError, create, describe, file_name};
use crate::table::{Overwrite, TableError, TableMeta, write_table};
use crate::threads;
use crate::value::{Plies, Value};

/// The file name extension of raw files.
pub const EXTENSION: &str = "raw";

/// Approximate number of entries decoded before they are written.
const BATCH: u32 = 1 << 24;

/// The number of bytes per entry in a raw file, which determines the codes: 0 drawn, `n` won in `n` plies, `lost + n`
/// lost in `n` plies, where `lost` is 128 in one byte and 32,768 in two (little-endian). If plies are not counted, with
/// cows in hand, 1 is won and `lost` is lost.
///
/// ```
/// use morabase::raw::Width;
/// use morabase::{Plies, Value};
/// let width = Width::of(Some(Plies(126)));
/// assert_eq!((width, width.code(Value::Lost(Plies(4)))), (Width::Byte, Some(132)));
/// assert_eq!(width.code(Value::Won(Plies(127))), None);
/// let width = Width::of(Some(Plies(127)));
/// assert_eq!((width, width.code(Value::Won(Plies(127)))), (Width::Word, Some(127)));
/// assert_eq!(width.value(32_772), Some(Value::Lost(Plies(4))));
/// let placing = "2-3+2-1".parse()?;
/// assert_eq!(Width::Byte.code(Value::Losing), Some(128));
/// assert_eq!(Width::Byte.value_in(placing, 128), Some(Value::Losing));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// One byte, for classes with no DTC longer than 126 plies.
    Byte,
    /// Two bytes.
    Word,
}

impl Width {
    /// The width for a class with this longest DTC.
    pub fn of(longest: Option<Plies>) -> Self {
        if longest > Some(Self::Byte.longest()) { Self::Word } else { Self::Byte }
    }

    /// Bytes per entry.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Word => 2,
        }
    }

    /// The width with this many bytes per entry.
    pub const fn with_bytes(bytes: u64) -> Option<Self> {
        match bytes {
            1 => Some(Self::Byte),
            2 => Some(Self::Word),
            _ => None,
        }
    }

    /// The offset added to the plies of a loss.
    const fn lost(self) -> u16 {
        match self {
            Self::Byte => 1 << 7,
            Self::Word => 1 << 15,
        }
    }

    const fn longest(self) -> Plies {
        match self {
            Self::Byte => Plies(126),
            Self::Word => Value::MAX_DTC,
        }
    }

    /// The code of a value, if it has one.
    pub fn code(self, value: Value) -> Option<u16> {
        match value {
            Value::Drawn => Some(0),
            Value::Won(plies @ Plies(n)) if n >= 1 && plies <= self.longest() => Some(n),
            Value::Lost(plies @ Plies(n)) if plies <= self.longest() => Some(self.lost() + n),
            Value::Winning => Some(1),
            Value::Losing => Some(self.lost()),
            Value::Won(_) | Value::Lost(_) => None,
        }
    }

    /// The value of a code in a class's raw file, if it is valid.
    pub fn value_in(self, class: Class, code: u16) -> Option<Value> {
        if !class.has_hands() {
            return self.value(code);
        }
        [Value::Drawn, Value::Winning, Value::Losing].into_iter().find(|value| self.code(*value) == Some(code))
    }

    /// The value of a code in the raw file of a class without cows in hand, if it is valid.
    pub fn value(self, code: u16) -> Option<Value> {
        let value = match code.checked_sub(self.lost()) {
            Some(plies) => Value::Lost(Plies(plies)),
            None if code == 0 => Value::Drawn,
            None => Value::Won(Plies(code)),
        };
        value.dtc().is_none_or(|plies| plies <= self.longest()).then_some(value)
    }

    /// The codes in bytes that [`write`](Self::write) wrote.
    fn codes(self, bytes: &[u8]) -> impl Iterator<Item = u16> + '_ {
        bytes.chunks_exact(self.bytes()).map(move |entry| match (self, entry) {
            (Self::Word, &[low, high]) => u16::from_le_bytes([low, high]),
            _ => entry[0].into(),
        })
    }

    /// Appends the codes of these symbols.
    fn write(self, codes: &[u16; 256], symbols: &[u8], out: &mut Vec<u8>) {
        let codes = symbols.iter().map(|&symbol| codes[symbol as usize].to_le_bytes());
        match self {
            Self::Byte => out.extend(codes.map(|[low, _]| low)),
            Self::Word => out.extend(codes.flatten()),
        }
    }
}

/// Why a table was not unpacked, or bytes were not packed.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum RawError {
    /// There are too few or too many bytes.
    #[error(
        "class {class} has {expected} entries of one byte or two, found {found} bytes; give the whole file of this class"
    )]
    Length {
        /// The class.
        class: Class,
        /// Entries of the class.
        expected: u64,
        /// Bytes given.
        found: u64,
    },
    /// A code does not stand for a value.
    #[error(
        "entry {at} (block {}, rank {}) is {found}: expected 0 (drawn), 1 to {} (won) or {} to {} (lost)",
        .entry.block, .entry.rank, .width.longest().0, .width.lost(), .width.lost() + .width.longest().0
    )]
    NoCode {
        /// The entry's number.
        at: u64,
        /// The entry.
        entry: Entry,
        /// The width of the codes.
        width: Width,
        /// The code.
        found: u16,
    },
    /// In a class with cows in hand, a code does not stand for a result.
    #[error(
        "entry {at} (block {}, rank {}) is {found}: expected 0 (drawn), 1 (won) or {} (lost), as plies are not counted with cows in hand",
        .entry.block, .entry.rank, .width.lost()
    )]
    NoResult {
        /// The entry's number.
        at: u64,
        /// The entry.
        entry: Entry,
        /// The width of the codes.
        width: Width,
        /// The code.
        found: u16,
    },
    /// There are too many different values.
    #[error(
        "class {class} has {found} different values, counting the draw in any case; expected at most {}, as many as a table can hold",
        Alphabet::MOST
    )]
    TooManyValues {
        /// The class.
        class: Class,
        /// How many there are.
        found: usize,
    },
    /// Two entries that a symmetry maps to each other differ.
    #[error(
        "block {block}: ranks {} and {} are images of each other, expected the same value, found {} and {}; are the bytes in the order of docs/raw.md?",
        .ranks[0], .ranks[1], .values[0], .values[1]
    )]
    Twins {
        /// The block.
        block: u32,
        /// The ranks of the two entries.
        ranks: [u32; 2],
        /// Their values.
        values: [Value; 2],
    },
    /// The class does not occur under the rules.
    #[error(transparent)]
    Class(#[from] ClassError),
    /// The table cannot be put into the directory.
    #[error(transparent)]
    Directory(#[from] StoreError),
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

debug_is_display!(RawError);

/// A packed table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packed {
    /// Its file.
    pub file: PathBuf,
    /// The contents of its head.
    pub meta: TableMeta,
    /// The file's length in bytes.
    pub bytes: u64,
}

/// The width of a class's raw file.
///
/// # Errors
/// [`ProbeError`] if there is no such table.
pub fn width(tables: &Tablebase, class: Class) -> Result<Width, ProbeError> {
    Ok(Width::of(tables.meta(class)?.max_dtc()))
}

/// Writes the codes of all entries of a class to `out`, in its [`width`], and returns their [`checksum`]. Only a part
/// of the table is in memory at a time; decoding runs on all threads of the current rayon pool.
///
#[cfg_attr(feature = "shipped", doc = "```")]
#[cfg_attr(not(feature = "shipped"), doc = "```no_run")]
/// use morabase::{Class, Plies, Position, Tablebase, Value, raw};
///
/// let tables = Tablebase::shipped()?;
/// let class = Class::moving(4, 4)?;
/// let mut bytes = Vec::new();
/// raw::unpack(&tables, class, &mut bytes)?;
///
/// let space = tables.space(class);
/// let position = Position::from_notation("W:Wd6,d7,f4,f6:Bb4,d3,g1,g4", tables.rules())?;
/// let entry = space.entry(position.mover(), position.waiting());
/// let at = space.number(entry) as usize;
/// let width = raw::width(&tables, class)?;
/// assert_eq!((width, width.value(bytes[at].into())), (raw::Width::Byte, Some(Value::Won(Plies(9)))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RawError::Read`] if the table is missing or damaged, [`RawError::Output`] if `out` cannot be written.
pub fn unpack(tables: &Tablebase, class: Class, out: &mut (impl Write + ?Sized)) -> Result<u64, RawError> {
    let (width, alphabet) = (width(tables, class)?, tables.alphabet(class)?);
    // The longest DTC fits the width, so every value has a code.
    let codes = alphabet.table(|value| width.code(value).unwrap_or_default());
    let space = tables.space(class);
    let blocks_at_once = (BATCH / space.block_entries()).max(1);
    threads::ready();
    let mut hash = Xxh3::new();
    let (mut symbols, mut bytes) = (Vec::new(), Vec::new());
    for first in (0..space.blocks()).step_by(blocks_at_once as usize) {
        let blocks = first..(first + blocks_at_once).min(space.blocks());
        symbols.resize(blocks.len() * space.block_entries() as usize, 0);
        let parts = symbols.par_chunks_mut(space.block_entries() as usize);
        blocks.into_par_iter().zip(parts).try_for_each(|(block, part)| tables.decode_block(class, block, part))?;
        bytes.clear();
        width.write(&codes, &symbols, &mut bytes);
        hash.update(&bytes);
        out.write_all(&bytes)?;
    }
    Ok(hash.digest())
}

/// The checksum of raw bytes that [`unpack`] returns: their 64-bit XXH3 hash.
pub fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// Writes the table of a class from its codes, as [`unpack`] writes them, in either [`Width`], into a directory,
/// creating it if necessary. The same conditions hold as for a [build](crate::build): the directory must hold no tables
/// of other rules, no build of the class may be running in it, and the file appears only once it is complete.
///
/// ```
/// use morabase::table::Overwrite;
/// use morabase::{Class, Preset, raw};
///
/// # let directory = tempfile::tempdir()?;
/// # let directory = directory.path();
/// // Twelve cows against eleven: 170,854 orbits with 12 entries each. Say that nobody can win.
/// let class = Class::moving(12, 11)?;
/// let packed = raw::pack(directory, &Preset::Plain.rules(), class, vec![0; 170_854 * 12], Overwrite::Refuse)?;
/// assert_eq!(packed.file, directory.join("12-11.mora"));
/// assert_eq!(packed.meta.canonical.drawn, packed.meta.space().positions());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RawError`]; with [`Overwrite::Refuse`] also if the class already exists.
pub fn pack(
    directory: &Path,
    rules: &RuleSet,
    class: Class,
    bytes: Vec<u8>,
    overwrite: Overwrite,
) -> Result<Packed, RawError> {
    let space = Space::new(rules.board, class.check(rules)?);
    let values = checked(space, bytes)?;
    let heads = Contents::scan(directory)?.heads(rules)?;
    // A damaged table may be the reason to replace it.
    if let Some(fault) = heads.faults.into_iter().next().filter(|_| overwrite == Overwrite::Refuse) {
        return Err(fault.into());
    }
    create(directory)?;
    let _lock = Lock::take(directory, Scope::Step(class.representative()))?;
    let meta = describe(rules, class, &Tally::of(&values));
    let file = directory.join(file_name(class));
    let bytes = write_table(&file, &meta, values.symbols(), overwrite)?;
    Ok(Packed { file, meta, bytes })
}

/// The codes as values, if there is one per entry, each is valid and twins agree.
fn checked(space: Space, mut bytes: Vec<u8>) -> Result<Values, RawError> {
    let (class, entries, found) = (space.class(), space.entries(), bytes.len() as u64);
    let length = || RawError::Length { class, expected: entries, found };
    let width =
        found.is_multiple_of(entries).then(|| Width::with_bytes(found / entries)).flatten().ok_or_else(length)?;
    let mut occurs = vec![false; 1 << 16];
    width.codes(&bytes).for_each(|code| occurs[code as usize] = true);
    let mut values = Vec::new();
    for code in (0..=u16::MAX).filter(|&code| occurs[code as usize]) {
        let Some(value) = width.value_in(class, code) else { return Err(no_code(space, width, &bytes, code)) };
        values.push(value);
    }
    let found = values.len() + usize::from(!values.contains(&Value::Drawn));
    let too_many = RawError::TooManyValues { class, found };
    let alphabet = Alphabet::new(values.iter().copied()).ok_or(too_many)?;
    let mut symbol_of = vec![Alphabet::DRAWN; 1 << 16];
    for (value, symbol) in alphabet.values().iter().zip(0..) {
        symbol_of[usize::from(width.code(*value).unwrap_or_default())] = symbol;
    }
    match width {
        Width::Byte => bytes.iter_mut().for_each(|byte| *byte = symbol_of[usize::from(*byte)]),
        Width::Word => bytes = width.codes(&bytes).map(|code| symbol_of[usize::from(code)]).collect(),
    }
    let values = Values::new(space, alphabet, bytes).ok_or_else(length)?;
    threads::ready();
    (0..space.blocks()).into_par_iter().try_for_each(|block| check_twins(&values, block))?;
    Ok(values)
}

/// The error for the first entry with this code.
fn no_code(space: Space, width: Width, bytes: &[u8], found: u16) -> RawError {
    let at = width.codes(bytes).position(|code| code == found).unwrap_or_default() as u64;
    // Every entry has a code.
    let entry = space.entry_at(at).unwrap_or(Entry { block: 0, rank: 0 });
    if space.class().has_hands() {
        return RawError::NoResult { at, entry, width, found };
    }
    RawError::NoCode { at, entry, width, found }
}

/// Checks that entries of a block that symmetries map to each other have the same value.
fn check_twins(values: &Values, block: u32) -> Result<(), RawError> {
    let symbols = values.block(block);
    let differ = |&(rank, twin): &(u32, u32)| symbols[rank as usize] != symbols[twin as usize];
    let Some((rank, twin)) = values.space().twin_ranks(block).find(differ) else { return Ok(()) };
    let ranks = [rank, twin];
    let value = |rank: u32| values.alphabet().value(symbols[rank as usize]).unwrap_or(Value::Drawn);
    Err(RawError::Twins { block, ranks, values: ranks.map(value) })
}

/// Draws `count` different numbers below `total`, all sets equally likely, and returns them in ascending order; all
/// numbers if there are not more. The same seed draws the same numbers on every machine. Uses memory for `count`
/// numbers.
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
    // Floyd's algorithm: each step adds one number, even if it draws one that was already drawn.
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

    fn bytes_of(values: &Values, width: Width) -> Vec<u8> {
        let mut bytes = Vec::new();
        let codes = values.alphabet().table(|value| width.code(value).unwrap());
        width.write(&codes, values.symbols(), &mut bytes);
        bytes
    }

    #[test]
    fn codes_and_values_are_inverse_in_both_widths() {
        for (width, values) in [(Width::Byte, 254), (Width::Word, 1014)] {
            let codes = (0..=u16::MAX).filter(|&code| width.value(code).is_some());
            let given =
                codes.inspect(|&code| assert_eq!(width.value(code).and_then(|value| width.code(value)), Some(code)));
            assert_eq!(given.count(), values);
            assert_eq!(width.code(Value::Won(Plies(0))), None);
        }
    }

    #[test]
    fn values_come_back_from_bytes_of_either_width_and_from_distances_beyond_a_byte() {
        let values = &testing::GAR[&"4-3".parse().unwrap()];
        let space = values.space();
        for width in [Width::Byte, Width::Word] {
            assert!(checked(space, bytes_of(values, width)).unwrap() == *values);
        }
        let place = (0..space.blocks()).find(|&block| space.mover_orbits().stabiliser(block).count() == 1).unwrap();
        let place = place as usize * space.block_entries() as usize;
        let long = values.with(&[(place, Value::Won(Plies(187))), (place + 1, Value::Lost(Plies(188)))]);
        assert_eq!(Width::of(Tally::of(&long).max_dtc()), Width::Word);
        let bytes = bytes_of(&long, Width::Word);
        assert_eq!(bytes[2 * place..2 * place + 4], [187, 0, 188, 0x80]);
        let back = checked(space, bytes).unwrap();
        assert_eq!((back.at(place), back.at(place + 1)), (Value::Won(Plies(187)), Value::Lost(Plies(188))));
        assert!(
            back.symbols()
                .iter()
                .zip(long.symbols())
                .all(|(a, b)| back.alphabet().value(*a) == long.alphabet().value(*b))
        );
    }

    #[test]
    fn bytes_that_are_no_values_or_too_many_are_refused() {
        let space = testing::GAR[&"3-3".parse().unwrap()].space();
        let entries = space.entries() as usize;
        let error = |bytes| checked(space, bytes).unwrap_err().to_string();
        let mut bytes = vec![0; entries];
        bytes[1331] = 255;
        let expected = "entry 1331 (block 1, rank 1) is 255: expected 0 (drawn), 1 to 126 (won) or 128 to 254 (lost)";
        assert_eq!(error(bytes), expected);
        let mut words = vec![0; 2 * entries];
        words[2662..2664].copy_from_slice(&507u16.to_le_bytes());
        let expected =
            "entry 1331 (block 1, rank 1) is 507: expected 0 (drawn), 1 to 506 (won) or 32768 to 33274 (lost)";
        assert_eq!(error(words), expected);
        let words = (0..entries).flat_map(|at| (at as u16 % 300).to_le_bytes()).collect();
        assert_eq!(
            error(words),
            "class 3-3 has 300 different values, counting the draw in any case; expected at most 254, as many as a table can hold"
        );
        let words = (0..entries).flat_map(|at| (1 + at as u16 % 254).to_le_bytes()).collect();
        assert!(error(words).starts_with("class 3-3 has 255 different values"));
        assert!(error(vec![0; 3 * entries]).contains("found"));
        assert!(error(Vec::new()).contains("found 0 bytes"));
    }

    #[test]
    fn results_with_cows_in_hand_come_back_from_bytes_and_plies_are_refused() {
        let rules = crate::rules::Preset::Gar.rules().with_cows(3);
        for values in crate::solve::solve_game(&rules, &crate::solve::Control::default()).unwrap().values() {
            assert!(checked(values.space(), bytes_of(values, Width::Byte)).unwrap() == *values, "{}", values.class());
        }
        let space = Space::new(rules.board, "2-2+1-1".parse().unwrap());
        let mut bytes = vec![0; space.entries() as usize];
        bytes[..3].copy_from_slice(&[1, 128, 2]);
        let expected = "entry 2 (block 0, rank 2) is 2: expected 0 (drawn), 1 (won) or 128 (lost), as plies are not counted with cows in hand";
        assert_eq!(checked(space, bytes).unwrap_err().to_string(), expected);
    }

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
        assert!(sample(0, 5, 1).is_empty());
        assert!(sample(5, 0, 1).is_empty());
    }

    #[test]
    fn a_change_to_one_of_two_twins_is_found() {
        let values = &testing::GAR[&"4-3".parse().unwrap()];
        let space = values.space();
        let is_twin = |block| {
            (0..space.block_entries())
                .find(|&rank| !space.is_canonical(Entry { block, rank }))
                .map(|rank| (block, rank))
        };
        let (block, rank) = (0..space.blocks()).find_map(is_twin).unwrap();
        let mut bytes = bytes_of(values, Width::Byte);
        assert!(checked(space, bytes.clone()).is_ok());
        let at = space.number(Entry { block, rank }) as usize;
        bytes[at] = bytes[at].wrapping_add(1);
        let error = checked(space, bytes).unwrap_err();
        assert!(matches!(error, RawError::Twins { block: found, .. } if found == block), "{error}");
    }
}
