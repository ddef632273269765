//! Where a table's bytes come from: memory, a memory map, positioned reads of a file, or whatever else implements
//! [`Source`].

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

use super::frame::LONGEST_FRAME;
use super::watch::{Watch, changed};

/// Bytes that a table is read from. For tables that are not in files, such as on a network, implement this and pass it
/// to [`Table::read`](super::Table::read) or `Tablebase::from_sources`.
///
/// ```
/// use std::io;
/// use morabase::Class;
/// use morabase::table::{Bytes, Source, Table};
///
/// /// Asks a server for ranges of a file.
/// #[derive(Debug)]
/// struct Remote {
///     url: String,
///     length: u64,
/// }
///
/// impl Source for Remote {
///     fn length(&self) -> io::Result<u64> {
///         Ok(self.length)
///     }
///
///     fn read_at(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
///         // GET with `Range: bytes=at-…`, and the answer's bytes into `out`.
///         # let _ = (at, out, &self.url);
///         Err(io::ErrorKind::NotConnected.into())
///     }
/// }
///
/// let source: Box<dyn Source> = Box::new(Remote { url: "https://example.org/4-3.mora".to_owned(), length: 53_786 });
/// assert!(Table::read("4-3.mora".as_ref(), source).is_err());
/// ```
pub trait Source: fmt::Debug + Send + Sync {
    /// How many bytes there are.
    ///
    /// # Errors
    /// The system's error, if a file has to be queried.
    fn length(&self) -> io::Result<u64>;

    /// All bytes, if they can be borrowed rather than copied: from memory or a map. They must not change. Otherwise
    /// [`read_at`](Self::read_at) is used, and as its result may differ from one read to the next, it is checked each
    /// time.
    fn bytes(&self) -> Option<&[u8]> {
        None
    }

    /// Fills `out` with the bytes from `at` on.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if there are fewer, or the system's. [`io::ErrorKind::WouldBlock`] says that
    /// they are on their way: `Tablebase` ends a question with that error, but only after requesting from the source
    /// everything it is likely to read.
    fn read_at(&self, at: u64, out: &mut [u8]) -> io::Result<()>;

    /// Whether the first read of bytes may have to wait for a disk or a network.
    fn waits(&self) -> bool {
        true
    }
}

impl<S: Source + ?Sized> Source for Arc<S> {
    fn length(&self) -> io::Result<u64> {
        (**self).length()
    }

    #[inline]
    fn bytes(&self) -> Option<&[u8]> {
        (**self).bytes()
    }

    fn read_at(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        (**self).read_at(at, out)
    }

    fn waits(&self) -> bool {
        (**self).waits()
    }
}

impl<S: Source + ?Sized> Source for Box<S> {
    fn length(&self) -> io::Result<u64> {
        (**self).length()
    }

    #[inline]
    fn bytes(&self) -> Option<&[u8]> {
        (**self).bytes()
    }

    fn read_at(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        (**self).read_at(at, out)
    }

    fn waits(&self) -> bool {
        (**self).waits()
    }
}

/// Bytes in memory: a `Vec`, an array built into the program, a memory map.
#[derive(Debug)]
pub struct Bytes<D>(pub D);

impl<D: AsRef<[u8]> + fmt::Debug + Send + Sync> Source for Bytes<D> {
    fn length(&self) -> io::Result<u64> {
        Ok(self.0.as_ref().len() as u64)
    }

    #[inline]
    fn bytes(&self) -> Option<&[u8]> {
        Some(self.0.as_ref())
    }

    fn read_at(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        out.copy_from_slice(part(self.0.as_ref(), at, out.len())?);
        Ok(())
    }

    fn waits(&self) -> bool {
        false
    }
}

/// The `length` bytes from `at` on.
#[inline]
fn part(bytes: &[u8], at: u64, length: usize) -> io::Result<&[u8]> {
    let start = usize::try_from(at).ok();
    let part = start.and_then(|start| bytes.get(start..start.checked_add(length)?));
    part.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// Asks the processor to prefetch the byte's cache line; where that is not possible, nothing is lost.
#[inline]
fn prefetch(byte: &u8) {
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

/// A source with its bytes, which are requested once for all reads of a look-up.
#[derive(Debug)]
pub(super) struct View<'a, S> {
    source: &'a S,
    bytes: Option<&'a [u8]>,
}

impl<'a, S: Source> View<'a, S> {
    #[inline]
    pub(super) fn new(source: &'a S) -> Self {
        Self { source, bytes: source.bytes() }
    }

    /// Whether the same bytes may differ at the next read, so that they must be checked each time.
    #[inline]
    pub(super) const fn rereads(&self) -> bool {
        self.bytes.is_none()
    }

    /// Asks the processor to prefetch the byte at `at`, if it is in memory. Only speed depends on it.
    #[inline]
    pub(super) fn prefetch(&self, at: u64) {
        if let Some(byte) = self.bytes.and_then(|bytes| bytes.get(usize::try_from(at).ok()?)) {
            prefetch(byte);
        }
    }

    /// Passes `length` bytes from `at` on to `use_bytes`, all of them or none. Small pieces are read onto the stack, so
    /// that a probe allocates nothing.
    #[inline]
    pub(super) fn with<T>(&self, at: u64, length: usize, use_bytes: impl FnOnce(&[u8]) -> T) -> io::Result<T> {
        match self.bytes {
            Some(bytes) => part(bytes, at, length).map(use_bytes),
            None => read_and_use(self.source, at, length, use_bytes),
        }
    }
}

/// Separate, so that its buffers do not burden the stack of callers that need none.
#[inline(never)]
fn read_and_use<S: Source, T>(source: &S, at: u64, length: usize, use_bytes: impl FnOnce(&[u8]) -> T) -> io::Result<T> {
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
    source.read_at(at, buffer)?;
    Ok(use_bytes(buffer))
}

/// How a file is read.
///
/// In both cases a table should be replaced by renaming a new file to its name, as this program does: readers continue
/// with the old one until they open the tables again. The two differ if another program writes into an open file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Access {
    /// Mapped into memory: the fastest. Length and time of change are checked a few times a second while there are
    /// look-ups; after a change each look-up is an error, but values read before that may be wrong. If the file is
    /// truncated, the system ends the program with a bus error (an access violation on Windows) at the next read beyond
    /// the new end.
    #[default]
    Map,
    /// Positioned reads: for network drives, for files that others write into, and if address space is short. Length
    /// and time of change are checked after each read, and data from a file that has changed is never used: that is an
    /// error.
    Positioned,
}

/// A file, read in either way, or a copy of it in memory.
#[derive(Debug)]
pub struct FileSource {
    bytes: FileBytes,
    watch: Watch,
}

#[derive(Debug)]
enum FileBytes {
    /// The file itself is closed.
    Map(Mmap),
    Positioned(File),
    /// All of it, as it was when it was opened.
    Memory(Vec<u8>),
}

impl FileSource {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// The system's error, or one that says that this is not a file.
    pub fn open(path: &Path, access: Access) -> io::Result<Self> {
        let (file, watch) = open(path)?;
        let bytes = match access {
            Access::Map => FileBytes::Map(map(&file)?),
            Access::Positioned => FileBytes::Positioned(file),
        };
        Ok(Self { bytes, watch })
    }

    /// Reads a whole file, whose length must fit into memory. Whatever happens to it later, its values stay as they
    /// were.
    ///
    /// # Errors
    /// As [`open`](Self::open), and if the file is written into meanwhile.
    pub fn in_memory(path: &Path) -> io::Result<Self> {
        let (file, watch) = open(path)?;
        let length = file.metadata()?.len();
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX))?;
        (&file).take(length).read_to_end(&mut bytes)?;
        if !watch.is_unchanged(&file.metadata()?) {
            return Err(changed());
        }
        Ok(Self { bytes: FileBytes::Memory(bytes), watch })
    }
}

fn open(path: &Path) -> io::Result<(File, Watch)> {
    // Opening a pipe would wait for its other end.
    if !path.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a file, found something else; move it away"));
    }
    let file = File::open(path)?;
    let watch = Watch::new(path, &file.metadata()?);
    Ok((file, watch))
}

#[expect(unsafe_code, reason = "a memory map cannot be had without")]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is read-only, and this program never changes a table in place: it writes new files and renames
    // them, which leaves a mapped one as it was. Nobody can guarantee that no other program changes the file in the
    // meantime. If one writes into it, values read from it may be wrong until the watch sees it, but reads never go out
    // of bounds, as all values are checked each time before use. If one truncates it, the next read beyond the new end
    // makes the system end this program with a bus error (SIGBUS; an access violation on Windows). Callers that cannot
    // rule that out use `Access::Positioned`.
    unsafe { Mmap::map(file) }
}

impl Source for FileSource {
    fn length(&self) -> io::Result<u64> {
        match &self.bytes {
            FileBytes::Map(map) => Ok(map.len() as u64),
            FileBytes::Positioned(file) => Ok(file.metadata()?.len()),
            FileBytes::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }

    #[inline]
    fn bytes(&self) -> Option<&[u8]> {
        match &self.bytes {
            FileBytes::Memory(bytes) => Some(bytes),
            // Without borrowed bytes they are read, which is refused.
            FileBytes::Map(map) => (!self.watch.sees_change()).then_some(map),
            FileBytes::Positioned(_) => None,
        }
    }

    fn read_at(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        match &self.bytes {
            FileBytes::Memory(bytes) => out.copy_from_slice(part(bytes, at, out.len())?),
            FileBytes::Map(map) => {
                if self.watch.sees_change() {
                    return Err(changed());
                }
                out.copy_from_slice(part(map, at, out.len())?);
            }
            FileBytes::Positioned(file) => {
                let read = read_exact_at(file, out, at);
                if !self.watch.is_unchanged(&file.metadata()?) {
                    return Err(changed());
                }
                read?;
            }
        }
        Ok(())
    }
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
