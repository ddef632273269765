//! Frames: the checksummed pieces of the data, and their records in the index.
//!
//! A record is 16 bytes: where the frame's bytes begin in the data (u32), how many there are (u24), a tag, and a
//! checksum (u64). The tag is [`CODED`], or the symbol that all entries of the frame have, which then has no bytes.
//! The checksum covers the frame's bytes, the other fields of the record and the frame's number, so that nothing in the
//! file can pass for anything else.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::error::{Part, TableFault, corrupt};
use super::units::{FRAME, UNIT};

/// Bytes of a record.
pub(super) const RECORD: usize = 16;

/// The tag of a frame that has bytes; no symbol has this number.
pub(super) const CODED: u8 = 255;

/// The most bytes a frame can have: a tag for each unit, and all its units stored uncompressed.
pub(super) const LONGEST_FRAME: usize = FRAME as usize * (1 + UNIT);

/// A frame's place in the data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FrameRecord {
    pub(super) offset: u32,
    pub(super) length: u32,
    pub(super) tag: u8,
    pub(super) checksum: u64,
}

impl FrameRecord {
    /// The record of the frame with this number, these bytes and this tag.
    pub(super) fn new(frame: u32, offset: u32, tag: u8, bytes: &[u8]) -> Self {
        let mut record = Self { offset, length: bytes.len() as u32, tag, checksum: 0 };
        record.checksum = record.checksum_of(frame, bytes);
        record
    }

    fn place(self) -> u64 {
        u64::from(self.offset) | u64::from(self.length) << 32 | u64::from(self.tag) << 56
    }

    /// The checksum of these bytes under this record.
    fn checksum_of(self, frame: u32, bytes: &[u8]) -> u64 {
        // An odd factor separates every two pairs of place and number that differ in only one of the two.
        xxh3_64_with_seed(bytes, self.place() ^ u64::from(frame).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(super) fn to_bytes(self) -> [u8; RECORD] {
        let mut out = [0; RECORD];
        out[..8].copy_from_slice(&self.place().to_le_bytes());
        out[8..].copy_from_slice(&self.checksum.to_le_bytes());
        out
    }

    #[inline]
    pub(super) fn from_bytes(bytes: [u8; RECORD]) -> Self {
        let [place, checksum] = [0, 8].map(|at| {
            let mut field = [0; 8];
            field.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(field)
        });
        Self { offset: place as u32, length: (place >> 32) as u32 & 0xff_ffff, tag: (place >> 56) as u8, checksum }
    }

    /// The symbol of all entries, if the frame has only one.
    #[inline]
    pub(super) fn constant(self) -> Option<u8> {
        (self.tag != CODED).then_some(self.tag)
    }

    /// Whether the frame lies within this many bytes of data and its tag fits its length.
    pub(super) fn check_place(self, frame: u32, data: u64) -> Result<(), TableFault> {
        let end = u64::from(self.offset) + u64::from(self.length);
        let (length, coded) = (self.length as usize, self.tag == CODED);
        if end > data || length > LONGEST_FRAME || coded == (length == 0) {
            let expected = format!("a place within {data} bytes of data");
            let found = format!("{length} bytes at {} with tag {}", self.offset, self.tag);
            return Err(corrupt(Part::Frame(frame), expected, found));
        }
        Ok(())
    }

    /// Whether these bytes belong to the record.
    pub(super) fn check_bytes(self, frame: u32, bytes: &[u8]) -> Result<(), TableFault> {
        let found = self.checksum_of(frame, bytes);
        if found != self.checksum {
            return Err(TableFault::Checksum { part: Part::Frame(frame), expected: self.checksum, found });
        }
        Ok(())
    }
}
