//! SHA-256 of whole files.

use std::fmt;
use std::io;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sha2::{Digest, Sha256};

use crate::table::Source;

/// Bytes read at a time.
const PIECE: u64 = 1 << 20;

/// The SHA-256 of a file's bytes; as text it has 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FileHash([u8; 32]);

/// How many bytes have been read so far, for showing progress, and a way to stop.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes to read.
    pub total: AtomicU64,
    /// Bytes read.
    pub done: AtomicU64,
    /// Set this to stop: the work ends within a few milliseconds, with
    /// [`ManifestError::Stopped`](super::ManifestError::Stopped).
    pub cancel: AtomicBool,
}

impl Progress {
    pub(crate) fn is_stopped(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}

impl FileHash {
    /// The hash of bytes in memory.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The hash of the first `length` bytes of a source; `None` if it was stopped.
    pub(crate) fn read(source: &dyn Source, length: u64, progress: &Progress) -> io::Result<Option<Self>> {
        let mut state = Sha256::new();
        let mut piece = vec![0; length.min(PIECE) as usize];
        let mut at = 0;
        while at < length {
            if progress.is_stopped() {
                return Ok(None);
            }
            let piece = &mut piece[..(length - at).min(PIECE) as usize];
            source.read_at(at, piece)?;
            state.update(&piece);
            at += piece.len() as u64;
            progress.done.fetch_add(piece.len() as u64, Ordering::Relaxed);
        }
        Ok(Some(Self(state.finalize().into())))
    }
}

impl fmt::Display for FileHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Not 64 hexadecimal digits.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a SHA-256, 64 hexadecimal digits, found {found:?}")]
pub struct NoHash {
    found: String,
}

debug_is_display!(NoHash);

impl FromStr for FileHash {
    type Err = NoHash;

    fn from_str(text: &str) -> Result<Self, NoHash> {
        let digits = text.chars().map(|digit| digit.to_digit(16).map(|digit| digit as u8)).collect::<Option<Vec<u8>>>();
        let bytes = digits.map(|digits| digits.chunks(2).map(|pair| pair[0] << 4 | pair[pair.len() - 1]).collect());
        let bytes: Option<[u8; 32]> =
            bytes.filter(|_| text.len() == 64).and_then(|bytes: Vec<u8>| bytes.try_into().ok());
        bytes.map(Self).ok_or_else(|| NoHash { found: text.chars().take(80).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Bytes;

    /// FIPS 180-4's own examples.
    const PUBLISHED: [(&str, &str); 2] = [
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ];

    #[test]
    fn hashes_are_the_published_ones_and_text_and_hash_are_inverse() {
        for (bytes, text) in PUBLISHED {
            let hash = FileHash::of(bytes.as_bytes());
            assert_eq!(hash.to_string(), text);
            assert_eq!(text.parse(), Ok(hash));
            assert_eq!(text.to_uppercase().parse(), Ok(hash));
        }
        for bad in ["", "ab", &"g".repeat(64), &"a".repeat(63), &"a".repeat(65), &"é".repeat(32)] {
            assert!(bad.parse::<FileHash>().is_err(), "{bad}");
        }
    }

    #[test]
    fn bytes_read_in_pieces_hash_as_in_one() {
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 7] {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let progress = Progress::default();
            let read = FileHash::read(&Bytes(bytes.as_slice()), length, &progress).unwrap();
            assert_eq!(read, Some(FileHash::of(&bytes)));
            assert_eq!(progress.done.into_inner(), length);
        }
    }

    #[test]
    fn reading_stops_on_request() {
        let progress = Progress { cancel: true.into(), ..Progress::default() };
        assert_eq!(FileHash::read(&Bytes(&[1, 2, 3][..]), 3, &progress).unwrap(), None);
    }
}
