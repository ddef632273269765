//! The head of a table file: everything before the index, as `docs/format.md` lays it out.

use xxhash_rust::xxh3::xxh3_64;

use super::error::{Part, TableFault, corrupt, refused};
use super::mismatch::Mismatch;
use crate::alphabet::Alphabet;
use crate::board::BoardKind;
use crate::space::{Class, Space};
use crate::value::{Counts, Plies, Value};

/// The first bytes of every table: as in PNG, they reveal a transfer that changed line ends or the eighth bit.
pub(super) const MAGIC: [u8; 8] = *b"\x89MORA\r\n\x1a";

/// The version of the format for classes without cows in hand, which this program writes and reads.
pub const FORMAT_VERSION: u32 = 3;

/// The version for classes with cows in hand. Its head differs: it has the hands, and no list by DTC.
pub const PLACING_FORMAT_VERSION: u32 = 4;

/// The version that a class's table has.
const fn version_of(class: Class) -> u32 {
    if class.has_hands() { PLACING_FORMAT_VERSION } else { FORMAT_VERSION }
}

/// Bytes of the head before its first variable-length part.
const FIXED: usize = 108;

/// The shortest possible head, and the part of it that is read first.
pub(super) const PREFIX: usize = 24;

/// The longest head that is accepted.
const LONGEST_HEAD: u32 = 1 << 20;

/// The longest canonical rule text.
const LONGEST_RULES: usize = 1024;

/// How many positions are won and lost in one number of plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DtcCount {
    /// Won positions.
    pub won: u64,
    /// Lost positions.
    pub lost: u64,
}

/// What the head of a table says about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableMeta {
    /// The canonical text of the rules.
    pub rules_text: String,
    /// The XXH3 hash (64 bits) of that text, which is the rules' fingerprint.
    pub rules_fingerprint: u64,
    /// The board, whose lines the codec looks at.
    pub board: BoardKind,
    /// The class: cows of the side to move and of the other on the board, and their hands.
    pub class: Class,
    /// How many blocks the table has.
    pub blocks: u32,
    /// Positions of the full space, counting every placement of the cows.
    pub full: Counts,
    /// The same, counting each orbit under the 16 symmetries once.
    pub canonical: Counts,
    /// The positions of the full space by their DTC, which is the index in the list; it ends with the longest.
    pub dtc: Vec<DtcCount>,
}

impl TableMeta {
    /// The board and class, which determine what each entry stands for.
    pub const fn space(&self) -> Space {
        Space::new(self.board, self.class)
    }

    /// Entries in each block: the ways to place the other side's cows on the points the mover leaves.
    pub fn entries_per_block(&self) -> u32 {
        self.space().block_entries()
    }

    /// Entries in all blocks.
    pub fn entries(&self) -> u64 {
        u64::from(self.blocks) * u64::from(self.entries_per_block())
    }

    /// The longest DTC, if any position is decided.
    pub fn max_dtc(&self) -> Option<Plies> {
        self.dtc.len().checked_sub(1).map(|longest| Plies(longest as u16))
    }

    /// The values that occur, and a draw: the meaning of the symbols in the table. With cows in hand plies are not
    /// counted. `None` if no table can have this list by DTC: more different values than [`Alphabet::MOST`], DTCs
    /// beyond [`Value::MAX_DTC`] or positions won in no plies.
    pub fn alphabet(&self) -> Option<Alphabet> {
        if self.class.has_hands() {
            let results = [(self.full.won, Value::Winning), (self.full.lost, Value::Losing)];
            return Alphabet::new(results.into_iter().filter(|(count, _)| *count > 0).map(|(_, value)| value));
        }
        let mut values = Vec::new();
        for (plies, count) in (0..).map(Plies).zip(&self.dtc) {
            values.extend((count.won > 0).then_some(Value::Won(plies)));
            values.extend((count.lost > 0).then_some(Value::Lost(plies)));
        }
        Alphabet::new(values)
    }

    /// Whether the fields agree with each other and with what this version of the format can hold.
    pub(super) fn check(&self) -> Result<(), Mismatch> {
        self.check_rules()?;
        let most = self.space().blocks();
        if !(1..=most).contains(&self.blocks) {
            return Err(Mismatch::new("blocks", format!("1 to {most}"), self.blocks));
        }
        self.check_counts()
    }

    fn check_rules(&self) -> Result<(), Mismatch> {
        if !(1..=LONGEST_RULES).contains(&self.rules_text.len()) {
            let found = format!("{} bytes", self.rules_text.len());
            return Err(Mismatch::new("length of the rule text", format!("1 to {LONGEST_RULES} bytes"), found));
        }
        let fingerprint = xxh3_64(self.rules_text.as_bytes());
        if self.rules_fingerprint != fingerprint {
            let [expected, found] = [fingerprint, self.rules_fingerprint].map(|print| format!("{print:016x}"));
            return Err(Mismatch::new("fingerprint", expected, found));
        }
        Ok(())
    }

    fn check_counts(&self) -> Result<(), Mismatch> {
        if self.dtc.len() > usize::from(Value::MAX_DTC.0) + 1 {
            let found = format!("{} plies", self.dtc.len() - 1);
            return Err(Mismatch::new("longest DTC", format!("at most {}", Value::MAX_DTC), found));
        }
        if self.full.total() == 0 {
            return Err(Mismatch::new("counts", "at least one position", "none"));
        }
        if self.class.has_hands() {
            let plies = self.dtc.len();
            return match plies {
                0 => Ok(()),
                _ => Err(Mismatch::new("list by DTC", "none, as plies are not counted with cows in hand", plies)),
            };
        }
        let sum = |part: fn(&DtcCount) -> u64| self.dtc.iter().map(part).fold(0, u64::saturating_add);
        let (won, lost) = (sum(|count| count.won), sum(|count| count.lost));
        if (won, lost) != (self.full.won, self.full.lost) {
            let expected = format!("{won} won and {lost} lost as in the list by DTC");
            return Err(Mismatch::new("counts", expected, format!("{} and {}", self.full.won, self.full.lost)));
        }
        if self.dtc.last().is_some_and(|last| *last == DtcCount::default()) {
            return Err(Mismatch::new("list by DTC", "a position with the longest DTC", "none"));
        }
        if self.dtc.first().is_some_and(|first| first.won > 0) {
            return Err(Mismatch::new("list by DTC", "no position won in 0 plies", "some"));
        }
        if self.alphabet().is_none() {
            return Err(Mismatch::new("list by DTC", format!("at most {} different values", Alphabet::MOST), "more"));
        }
        Ok(())
    }
}

/// The head as read: information about the table, and where its parts are.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) meta: TableMeta,
    pub(super) model: Vec<u8>,
    /// The number of frames in the data.
    pub(super) frames: u32,
    /// Bytes of the whole file.
    pub(super) file_length: u64,
}

impl Head {
    /// Bytes of the head with its checksum.
    pub(super) fn length(meta: &TableMeta, model: &[u8]) -> u64 {
        (FIXED + meta.rules_text.len() + 16 * meta.dtc.len() + model.len() + 8) as u64
    }

    /// The head's bytes.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let meta = &self.meta;
        let mut out = Vec::new();
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&version_of(meta.class).to_le_bytes());
        out.extend_from_slice(&(Self::length(meta, &self.model) as u32).to_le_bytes());
        out.extend_from_slice(&self.file_length.to_le_bytes());
        out.extend_from_slice(&meta.rules_fingerprint.to_le_bytes());
        let class = meta.class;
        out.extend_from_slice(&[class.mover(), class.waiting(), class.mover_hand(), class.waiting_hand()]);
        out.extend_from_slice(&meta.blocks.to_le_bytes());
        out.extend_from_slice(&meta.entries_per_block().to_le_bytes());
        out.extend_from_slice(&self.frames.to_le_bytes());
        for counts in [&meta.full, &meta.canonical] {
            for count in [counts.won, counts.drawn, counts.lost] {
                out.extend_from_slice(&count.to_le_bytes());
            }
        }
        out.extend_from_slice(&(self.model.len() as u32).to_le_bytes());
        out.extend_from_slice(&(meta.rules_text.len() as u16).to_le_bytes());
        out.extend_from_slice(&(meta.dtc.len() as u16).to_le_bytes());
        let board = BoardKind::ALL.iter().position(|board| *board == meta.board).unwrap_or_default();
        out.extend_from_slice(&(board as u32).to_le_bytes());
        debug_assert_eq!(out.len(), FIXED);
        out.extend_from_slice(meta.rules_text.as_bytes());
        for count in &meta.dtc {
            out.extend_from_slice(&count.won.to_le_bytes());
            out.extend_from_slice(&count.lost.to_le_bytes());
        }
        out.extend_from_slice(&self.model);
        let checksum = xxh3_64(&out);
        out.extend_from_slice(&checksum.to_le_bytes());
        out
    }
}

/// What the first [`PREFIX`] bytes of a file say.
pub(super) struct Prefix {
    /// The version of the format.
    version: u32,
    /// Bytes of the head with its checksum.
    pub(super) head: usize,
    /// Bytes of the file.
    file: u64,
}

impl Prefix {
    /// Reads the first bytes, fewer than [`PREFIX`] if the file has no more, of a file of this length.
    pub(super) fn read(bytes: &[u8], file_length: u64) -> Result<Self, TableFault> {
        if !bytes.starts_with(&MAGIC) {
            let begins = bytes.iter().take(MAGIC.len()).copied().collect::<Vec<u8>>();
            // A table cut off within its first bytes is a short table.
            if begins.is_empty() || !MAGIC.starts_with(&begins) {
                return Err(TableFault::NotATable { expected: MAGIC, found: begins });
            }
        }
        let mut fields = FieldReader { rest: bytes.get(MAGIC.len()..).unwrap_or_default(), length: file_length };
        let version = fields.u32()?;
        if ![FORMAT_VERSION, PLACING_FORMAT_VERSION].contains(&version) {
            let advice = if version < FORMAT_VERSION {
                "build the table again"
            } else {
                "get a newer version of this program, or build the table again"
            };
            return Err(TableFault::Version { expected: FORMAT_VERSION, found: version, advice });
        }
        let (head, file) = (fields.u32()?, fields.u64()?);
        if head < (FIXED + 8) as u32 || head > LONGEST_HEAD {
            return Err(corrupt(Part::Head, format!("{} to {LONGEST_HEAD} bytes of head", FIXED + 8), head));
        }
        if file != file_length || u64::from(head) > file_length {
            return Err(TableFault::Length { expected: file.max(u64::from(head)), found: file_length });
        }
        Ok(Self { version, head: head as usize, file })
    }
}

impl Head {
    /// Reads the head, which is all of `bytes`.
    pub(super) fn read(prefix: &Prefix, bytes: &[u8]) -> Result<Self, TableFault> {
        let short = TableFault::Length { expected: prefix.head as u64, found: bytes.len() as u64 };
        let Some((covered, checksum)) = bytes.split_last_chunk() else { return Err(short) };
        let (expected, found) = (u64::from_le_bytes(*checksum), xxh3_64(covered));
        if expected != found {
            return Err(TableFault::Checksum { part: Part::Head, expected, found });
        }
        let mut fields = FieldReader { rest: covered.get(PREFIX..).unwrap_or_default(), length: prefix.file };
        let rules_fingerprint = fields.u64()?;
        let [mover, waiting, mover_hand, waiting_hand] = fields.array()?;
        let class = Class::with_hands([mover, waiting], [mover_hand, waiting_hand])
            .map_err(|error| refused(Part::Head, "a class", error))?;
        if prefix.version != version_of(class) {
            let expected = format!("version {} for class {class}", version_of(class));
            return Err(corrupt(Part::Head, expected, format!("version {}", prefix.version)));
        }
        let (blocks, entries_per_block, frames) = (fields.u32()?, fields.u32()?, fields.u32()?);
        let [full, canonical] = [fields.counts()?, fields.counts()?];
        let model_length = fields.u32()? as usize;
        let text_length = fields.u16()? as usize;
        let dtc_length = fields.u16()?;
        let board = fields.u32()?;
        let board = BoardKind::ALL.get(board as usize).copied();
        let board = board.ok_or_else(|| corrupt(Part::Head, "a board", "an unknown one"))?;
        let text = fields.bytes(text_length)?.to_vec();
        let rules_text = String::from_utf8(text).map_err(|error| refused(Part::Head, "a rule text in UTF-8", error))?;
        let mut dtc = Vec::new();
        for _ in 0..dtc_length {
            dtc.push(DtcCount { won: fields.u64()?, lost: fields.u64()? });
        }
        let model = fields.bytes(model_length)?.to_vec();
        if !fields.rest.is_empty() {
            return Err(corrupt(Part::Head, "no bytes after the model", format!("{} bytes", fields.rest.len())));
        }
        let meta = TableMeta { rules_text, rules_fingerprint, board, class, blocks, full, canonical, dtc };
        meta.check().map_err(|mismatch| mismatch.in_file(Part::Head))?;
        if entries_per_block != meta.entries_per_block() {
            let expected = format!("{} entries per block of class {class}", meta.entries_per_block());
            return Err(corrupt(Part::Head, expected, entries_per_block));
        }
        Ok(Self { meta, model, frames, file_length: prefix.file })
    }
}

/// Reads fields one after another from the start of bytes.
struct FieldReader<'a> {
    rest: &'a [u8],
    /// Bytes of the whole file, to name in an error.
    length: u64,
}

impl<'a> FieldReader<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], TableFault> {
        let short = TableFault::Length { expected: self.length.saturating_add(count as u64), found: self.length };
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(short)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], TableFault> {
        let mut out = [0; COUNT];
        out.copy_from_slice(self.bytes(COUNT)?);
        Ok(out)
    }

    fn u16(&mut self) -> Result<u16, TableFault> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, TableFault> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, TableFault> {
        self.array().map(u64::from_le_bytes)
    }

    fn counts(&mut self) -> Result<Counts, TableFault> {
        Ok(Counts { won: self.u64()?, drawn: self.u64()?, lost: self.u64()? })
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;
    use crate::space::ClassError;

    fn meta(class: Class) -> TableMeta {
        let rules_text = "any rules".to_owned();
        let counts = Counts { won: 0, drawn: 1, lost: 0 };
        TableMeta {
            rules_fingerprint: xxh3_64(rules_text.as_bytes()),
            rules_text,
            board: BoardKind::Morabaraba,
            class,
            blocks: 1,
            full: counts,
            canonical: counts,
            dtc: Vec::new(),
        }
    }

    /// The head with these cows instead of its own, and a matching checksum.
    fn read_with_cows(cows: [u8; 4]) -> Result<Head, TableFault> {
        let meta = meta(Class::moving(3, 3).unwrap());
        let head = Head { file_length: 1 << 12, meta, model: Vec::new(), frames: 1 };
        let mut bytes = head.to_bytes();
        bytes[32..36].copy_from_slice(&cows);
        let covered = bytes.len() - 8;
        let checksum = xxh3_64(&bytes[..covered]);
        bytes[covered..].copy_from_slice(&checksum.to_le_bytes());
        Head::read(&Prefix::read(&bytes, head.file_length)?, &bytes)
    }

    #[test]
    fn a_class_with_cows_in_hand_has_a_version_of_its_own_and_no_list_by_dtc() {
        let placing = meta("2-3+2-1".parse().unwrap());
        assert_eq!(placing.check(), Ok(()));
        let head = Head { file_length: 1 << 12, meta: placing.clone(), model: Vec::new(), frames: 1 };
        let bytes = head.to_bytes();
        assert_eq!(bytes[8], 4);
        let read = Head::read(&Prefix::read(&bytes, head.file_length).unwrap(), &bytes).unwrap();
        assert_eq!(read.meta, placing);
        // Hands in a table of the other version are damage.
        assert!(read_with_cows([3, 3, 0, 0]).is_ok());
        let error = read_with_cows([3, 3, 1, 1]).map(drop).unwrap_err().to_string();
        assert!(error.contains("version 4 for class 3-3+1-1") && error.contains("found version 3"), "{error}");
        let counted = TableMeta { dtc: vec![DtcCount { won: 0, lost: 1 }], ..placing };
        assert!(counted.check().is_err());
    }

    #[test]
    fn numbers_of_cows_that_make_no_class_are_damage() {
        for cows in [[2, 3, 0, 0], [3, 13, 0, 0], [3, 3, 10, 0], [255; 4]] {
            let error = read_with_cows(cows).map(drop).unwrap_err();
            assert!(matches!(error, TableFault::Corrupt { part: Part::Head, .. }), "{error}");
            let cause = error.source().and_then(|cause| cause.downcast_ref());
            assert!(matches!(cause, Some(ClassError::Cows { .. })), "{cause:?}");
        }
    }
}
