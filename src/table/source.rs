//! Where a table's bytes come from: memory, a memory map, or positioned reads of a file.

use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::Mmap;

use super::frame::LONGEST_FRAME;

/// Bytes that a table is read from.
pub trait Source {
    /// How many bytes there are.
    ///
    /// # Errors
    /// The system's, where a file has to be asked.
    fn length(&self) -> io::Result<u64>;

    /// Whether the same bytes may read differently the next time, so that they are checked each time.
    fn rereads(&self) -> bool {
        false
    }

    /// Whether reading bytes for the first time may wait for a disk.
    fn waits(&self) -> bool {
        false
    }

    /// Asks the processor to bring the byte at `at` nearer, if it is in memory. Only speed depends on it.
    fn prefetch(&self, at: u64) {
        let _ = at;
    }

    /// Gives `length` bytes from `at` on to `use_bytes`, all of them or none.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if there are fewer, or the system's.
    fn with<T>(&self, at: u64, length: usize, use_bytes: impl FnOnce(&[u8]) -> T) -> io::Result<T>;
}

/// Bytes in memory: a `Vec`, an array built into the program, a memory map.
#[derive(Debug)]
pub struct Bytes<D>(pub D);

impl<D: AsRef<[u8]>> Source for Bytes<D> {
    fn length(&self) -> io::Result<u64> {
        Ok(self.0.as_ref().len() as u64)
    }

    #[inline]
    fn prefetch(&self, at: u64) {
        if let Some(byte) = usize::try_from(at).ok().and_then(|at| self.0.as_ref().get(at)) {
            prefetch(byte);
        }
    }

    #[inline]
    fn with<T>(&self, at: u64, length: usize, use_bytes: impl FnOnce(&[u8]) -> T) -> io::Result<T> {
        let bytes = self.0.as_ref();
        let start = usize::try_from(at).ok();
        let bytes = start.and_then(|start| bytes.get(start..start.checked_add(length)?));
        bytes.map(use_bytes).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// Asks the processor to bring the byte's cache line nearer; where it cannot be asked, nothing is lost.
#[inline]
pub(super) fn prefetch(byte: &u8) {
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "the intrinsic takes a pointer")]
    // SAFETY: the pointer comes from a reference, and a prefetch reads nothing into the program.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = byte;
}

/// How a file is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Access {
    /// Mapped into memory: the fastest. If someone truncates the file while it is mapped, the system ends the
    /// program with a bus error (an access violation on Windows) at the next read behind the new end.
    #[default]
    Map,
    /// Positioned reads: for network drives, and where address space is short. A file that is truncated gives an error.
    Positioned,
}

/// A file, read in either way.
#[derive(Debug)]
pub enum FileSource {
    /// Mapped into memory. The file itself is closed.
    Map(Bytes<Mmap>),
    /// Read where needed.
    Positioned(File),
}

impl FileSource {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// The system's, or that there is something other than a file.
    pub fn open(path: &Path, access: Access) -> io::Result<Self> {
        // Opening a pipe would wait for its other end.
        if !path.metadata()?.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "expected a file, found something else; move it away",
            ));
        }
        let file = File::open(path)?;
        if access == Access::Positioned {
            return Ok(Self::Positioned(file));
        }
        map(&file).map(|map| Self::Map(Bytes(map)))
    }
}

#[expect(unsafe_code, reason = "a memory map cannot be had without")]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is read-only, and this program never changes a table in place: it writes new files and renames
    // them, which leaves a mapped one as it was. What nobody can promise is that no other program changes the file
    // meanwhile. If one writes into it, values read from it may be wrong though never out of bounds, as all of them are checked
    // before use each time. If one truncates it, the next read behind the new end makes the system end this program with a bus error (SIGBUS; an
    // access violation on Windows). Who cannot rule that out uses `Access::Positioned`.
    unsafe { Mmap::map(file) }
}

impl Source for FileSource {
    fn length(&self) -> io::Result<u64> {
        match self {
            Self::Map(bytes) => bytes.length(),
            Self::Positioned(file) => Ok(file.metadata()?.len()),
        }
    }

    fn rereads(&self) -> bool {
        matches!(self, Self::Positioned(_))
    }

    fn waits(&self) -> bool {
        true
    }

    #[inline]
    fn prefetch(&self, at: u64) {
        if let Self::Map(bytes) = self {
            bytes.prefetch(at);
        }
    }

    #[inline]
    fn with<T>(&self, at: u64, length: usize, use_bytes: impl FnOnce(&[u8]) -> T) -> io::Result<T> {
        match self {
            Self::Map(bytes) => bytes.with(at, length, use_bytes),
            Self::Positioned(file) => with_file(file, at, length, use_bytes),
        }
    }
}

/// Reads small pieces into the stack, so that a probe allocates nothing, and others into a vector.
fn with_file<T>(file: &File, at: u64, length: usize, use_bytes: impl FnOnce(&[u8]) -> T) -> io::Result<T> {
    const RECORDS: usize = 64;
    let mut small;
    let mut large;
    let mut largest;
    let buffer: &mut [u8] = if length <= RECORDS {
        small = [0; RECORDS];
        &mut small[..length]
    } else if length <= LONGEST_FRAME {
        large = [0; LONGEST_FRAME];
        &mut large[..length]
    } else {
        largest = vec![0; length];
        &mut largest
    };
    read_exact_at(file, buffer, at)?;
    Ok(use_bytes(buffer))
}

#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut buffer: &mut [u8], mut at: u64) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !buffer.is_empty() {
        match file.seek_read(buffer, at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                buffer = &mut buffer[count..];
                at += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
fn read_exact_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
