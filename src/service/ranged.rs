//! [`RangedFile`]: a file of which only some blocks are available.
//!
//! Its holder supplies the blocks. A read of other blocks fails, and the file remembers which they are, so that all of
//! them can be fetched at once. The tables validate the bytes, as their frames have checksums.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use crate::table::Source;

/// Bytes that are fetched and kept together.
pub const BLOCK: u64 = 4096;

/// The bytes of a file that a question needs and does not have yet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FileNeeds {
    /// The number to use when giving the bytes.
    pub number: usize,
    /// The path of the file, relative to the folder of the site.
    pub file: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// The SHA-256 of the file.
    pub sha256: String,
    /// Start and end, in ascending order: each range begins at a multiple of [`BLOCK`] and ends at one or at the end of
    /// the file.
    pub ranges: Vec<[u64; 2]>,
}

/// A file of which only some blocks are available.
#[derive(Debug)]
pub(super) struct RangedFile {
    length: u64,
    built_in: bool,
    blocks: Mutex<Blocks>,
}

#[derive(Debug, Default)]
struct Blocks {
    here: BTreeMap<u64, Box<[u8]>>,
    needed: BTreeSet<u64>,
}

impl RangedFile {
    /// A file of this length, with no blocks available. Content built into a program counts as local.
    pub(super) fn new(length: u64, built_in: bool) -> Self {
        Self { length, built_in, blocks: Mutex::default() }
    }

    fn blocks(&self) -> MutexGuard<'_, Blocks> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The byte range of a block in the file.
    fn place(&self, block: u64) -> Range<u64> {
        let start = block.saturating_mul(BLOCK);
        start..start.saturating_add(BLOCK).min(self.length)
    }

    /// Takes bytes that begin at `at`: all blocks completely within them. Returns whether there were any.
    pub(super) fn give(&self, at: u64, bytes: &[u8]) -> bool {
        let end = at.saturating_add(bytes.len() as u64);
        let mut any = false;
        for block in at.div_ceil(BLOCK).. {
            let place = self.place(block);
            if place.end > end || place.is_empty() {
                return any;
            }
            let part = &bytes[(place.start - at) as usize..(place.end - at) as usize];
            let mut blocks = self.blocks();
            blocks.here.insert(block, part.into());
            blocks.needed.remove(&block);
            any = true;
        }
        any
    }

    /// Returns the ranges that were requested and are not available, and forgets them.
    pub(super) fn take_needs(&self) -> Vec<[u64; 2]> {
        let needed = std::mem::take(&mut self.blocks().needed);
        let mut ranges: Vec<[u64; 2]> = Vec::new();
        for place in needed.into_iter().map(|block| self.place(block)) {
            match ranges.last_mut() {
                Some([_, end]) if *end == place.start => *end = place.end,
                _ => ranges.push([place.start, place.end]),
            }
        }
        ranges
    }

    /// Number of available bytes.
    pub(super) fn held(&self) -> u64 {
        self.blocks().here.len() as u64 * BLOCK
    }

    /// Forgets all bytes.
    pub(super) fn forget(&self) {
        *self.blocks() = Blocks::default();
    }
}

impl Source for RangedFile {
    fn length(&self) -> io::Result<u64> {
        Ok(self.length)
    }

    fn read_at(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let end = at.checked_add(out.len() as u64).filter(|end| *end <= self.length);
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        let mut blocks = self.blocks();
        let missing: Vec<u64> =
            (at / BLOCK..end.div_ceil(BLOCK)).filter(|block| !blocks.here.contains_key(block)).collect();
        if !missing.is_empty() {
            blocks.needed.extend(missing);
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let mut filled = 0;
        while filled < out.len() {
            let from = at + filled as u64;
            let block = blocks.here.get(&(from / BLOCK)).ok_or(io::ErrorKind::WouldBlock)?;
            let rest = block.get((from % BLOCK) as usize..).unwrap_or_default();
            let length = rest.len().min(out.len() - filled);
            if length == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            out[filled..filled + length].copy_from_slice(&rest[..length]);
            filled += length;
        }
        Ok(())
    }

    fn waits(&self) -> bool {
        !self.built_in
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(length: u64) -> Vec<u8> {
        (0..length).map(|at| (at % 251) as u8).collect()
    }

    #[test]
    fn what_is_missing_is_named_in_whole_blocks_and_read_once_it_is_given() {
        let all = bytes(3 * BLOCK + 100);
        let file = RangedFile::new(all.len() as u64, false);
        let mut out = [0; 10];
        for at in [5, BLOCK - 5, 3 * BLOCK + 50] {
            assert_eq!(file.read_at(at, &mut out).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        }
        assert_eq!(file.take_needs(), [[0, 2 * BLOCK], [3 * BLOCK, 3 * BLOCK + 100]]);
        assert!(file.take_needs().is_empty());
        assert!(file.give(0, &all[..2 * BLOCK as usize]) && file.give(3 * BLOCK, &all[3 * BLOCK as usize..]));
        for at in [5, BLOCK - 5, 3 * BLOCK + 50] {
            file.read_at(at, &mut out).unwrap();
            assert_eq!(out, all[at as usize..][..10]);
        }
        assert_eq!(file.read_at(3 * BLOCK - 5, &mut out).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        assert_eq!(file.take_needs(), [[2 * BLOCK, 3 * BLOCK]]);
        file.forget();
        assert!(file.held() == 0 && file.read_at(5, &mut out).is_err());
    }

    #[test]
    fn a_whole_file_can_be_given_at_once_and_a_part_of_a_block_is_none() {
        let all = bytes(2 * BLOCK + 1);
        let file = RangedFile::new(all.len() as u64, false);
        assert!(!file.give(0, &all[..100]) && !file.give(1, &all[1..BLOCK as usize]) && !file.give(9 * BLOCK, &all));
        assert!(file.give(0, &all));
        let mut out = vec![0; all.len()];
        file.read_at(0, &mut out).unwrap();
        assert_eq!(out, all);
        for (at, length) in [(2 * BLOCK, 2), (u64::MAX, 1), (3 * BLOCK, 1)] {
            let kind = file.read_at(at, &mut out[..length]).unwrap_err().kind();
            assert_eq!(kind, io::ErrorKind::UnexpectedEof, "{at}");
        }
    }
}
