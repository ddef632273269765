//! Writing a table: encoded in parallel, with the same bytes for any number of threads, and never visible half done.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::coder::Encoder;
use super::directory::Directory;
use super::error::{TableError, TableFault};
use super::frame::{CODED, FrameRecord, LONGEST_FRAME, RECORD};
use super::header::{Head, TableMeta};
use super::mismatch::Mismatch;
use super::model::{BlockCache, Domain, Model, Trainer};
use super::units::Units;
use crate::alphabet::Alphabet;
use crate::threads;

/// The most entries used for the statistics.
const SAMPLE: u64 = 1 << 21;

/// How many frames are encoded before they are written.
const BATCH: u64 = 128;

/// The source of a table's symbols for the writer, which requests any stretches, in any order, from several threads,
/// some twice.
pub trait Symbols: Sync {
    /// Fills `out` with the symbols of the entries from `first` on, one byte each, in block order. A break stops the
    /// writer, which then leaves nothing behind and reports [`TableFault::Cancelled`].
    fn read(&self, first: u64, out: &mut [u8]) -> ControlFlow<()>;

    /// How many entries there are, if known; a writer refuses any number other than the table's.
    fn entries(&self) -> Option<u64> {
        None
    }
}

/// All symbols in memory. A stretch beyond the end remains zero; writers check the length first.
impl Symbols for [u8] {
    fn read(&self, first: u64, out: &mut [u8]) -> ControlFlow<()> {
        let stretch = usize::try_from(first).ok().and_then(|first| self.get(first..first.checked_add(out.len())?));
        if let Some(stretch) = stretch {
            out.copy_from_slice(stretch);
        }
        ControlFlow::Continue(())
    }

    fn entries(&self) -> Option<u64> {
        Some(self.len() as u64)
    }
}

/// Symbols from a function.
impl<F: Fn(u64, &mut [u8]) -> ControlFlow<()> + Sync> Symbols for F {
    fn read(&self, first: u64, out: &mut [u8]) -> ControlFlow<()> {
        self(first, out)
    }
}

/// What to do if the file already exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overwrite {
    /// Leave it and report [`TableFault::Exists`].
    Refuse,
    /// Replace it with the new one.
    Replace,
}

/// Writes the table of `symbols` that `meta` describes, with its [alphabet](TableMeta::alphabet), to `path`, and
/// returns its length in bytes.
///
/// The file appears under its name only once it is complete: it is written under a temporary name in the same
/// directory, synced and renamed. On an error the temporary file is removed.
///
/// # Errors
/// [`TableFault::Exists`], [`TableFault::Io`], [`TableFault::Cancelled`] if `symbols` breaks off, or
/// [`TableFault::BadInput`] if `symbols` and `meta` contradict each other.
pub fn write_table(
    path: &Path,
    meta: &TableMeta,
    symbols: &(impl Symbols + ?Sized),
    overwrite: Overwrite,
) -> Result<u64, TableError> {
    write_file(path, overwrite, |out| encode_table(out, meta, symbols).map_err(|fault| fault.at(path)))
}

/// Writes a file with any content in the same way as [`write_table`]: it appears under its name only once it is
/// complete, and not at all if `write` fails.
///
/// ```
/// use std::io::Write;
/// use morabase::table::{Overwrite, TableError, TableFault, write_file};
/// # let directory = tempfile::tempdir()?;
/// let path = directory.path().join("notes.txt");
/// let write = |text: &str| {
///     write_file(&path, Overwrite::Refuse, |out| {
///         out.write_all(text.as_bytes()).map_err(|source| TableFault::Io { action: "write", source }.at(&path))
///     })
/// };
/// write("first")?;
/// let error: TableError = write("second").unwrap_err();
/// assert!(matches!(error.fault(), TableFault::Exists));
/// assert_eq!(std::fs::read_to_string(&path)?, "first");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The error of `write`, [`TableFault::Exists`] or [`TableFault::Io`].
pub fn write_file<T, E: From<TableError>>(
    path: &Path,
    overwrite: Overwrite,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> Result<T, E>,
) -> Result<T, E> {
    write_through(path, overwrite, |file| buffered(file, path, write))
}

/// [`write_table`] into an open directory, under this name.
pub(crate) fn write_table_in(
    directory: &Directory,
    name: &Path,
    meta: &TableMeta,
    symbols: &(impl Symbols + ?Sized),
    overwrite: Overwrite,
) -> Result<u64, TableError> {
    let path = &directory.path().join(name);
    let encode = |out: &mut BufWriter<&mut File>| encode_table(out, meta, symbols).map_err(|fault| fault.at(path));
    Place { directory, name, path }.write_through(overwrite, |file| buffered(file, path, encode))
}

fn buffered<T, E: From<TableError>>(
    file: &mut File,
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> Result<T, E>,
) -> Result<T, E> {
    let mut out = BufWriter::with_capacity(1 << 20, file);
    let written = write(&mut out)?;
    out.flush().map_err(|error| io_fault("write")(error).at(path))?;
    Ok(written)
}

/// Writes the bytes of the table of `symbols` that `meta` describes to the start of `out`; returns their number.
///
/// # Errors
/// As [`write_table`], without the file.
pub fn encode_table(
    out: &mut (impl Write + Seek),
    meta: &TableMeta,
    symbols: &(impl Symbols + ?Sized),
) -> Result<u64, TableFault> {
    meta.check().map_err(Mismatch::in_input)?;
    let units = Units::new(meta.space(), meta.blocks);
    if let Some(found) = symbols.entries().filter(|&entries| entries != units.entries()) {
        let expected = format!("{} symbols", units.entries());
        return Err(TableFault::BadInput { what: "number of symbols", expected, found: found.to_string() });
    }
    let frames = u32::try_from(units.frames()).map_err(|_| too_large("frames", units.frames()))?;
    let (model, model_bytes) = train(&units, meta, symbols)?;
    let start = Head::length(meta, &model_bytes) + RECORD as u64 * u64::from(frames);
    out.seek(SeekFrom::Start(start)).map_err(io_fault("write"))?;
    threads::ready();
    let mut index = Vec::new();
    let mut data = 0u64;
    for first in (0..u64::from(frames)).step_by(BATCH as usize) {
        let batch = first..(first + BATCH).min(u64::from(frames));
        let encoded = batch.into_par_iter().map(|frame| encode_frame(&units, &model, symbols, frame));
        let encoded = encoded.collect::<Result<Vec<Frame>, TableFault>>()?;
        for (frame, encoded) in (first as u32..).zip(&encoded) {
            let offset = u32::try_from(data).map_err(|_| too_large("bytes of data", data))?;
            index.extend_from_slice(&FrameRecord::new(frame, offset, encoded.tag, &encoded.bytes).to_bytes());
            out.write_all(&encoded.bytes).map_err(io_fault("write"))?;
            data += encoded.bytes.len() as u64;
        }
    }
    let file_length = start + data;
    let head = Head { meta: meta.clone(), model: model_bytes, frames, file_length };
    out.rewind().map_err(io_fault("write"))?;
    out.write_all(&head.to_bytes()).and_then(|()| out.write_all(&index)).map_err(io_fault("write"))?;
    Ok(file_length)
}

fn too_large(what: &'static str, found: u64) -> TableFault {
    TableFault::BadInput { what, expected: format!("less than {}", 1u64 << 32), found: found.to_string() }
}

fn io_fault(action: &'static str) -> impl FnOnce(io::Error) -> TableFault {
    move |source| TableFault::Io { action, source }
}

/// Builds the model from units spread evenly over the table, and checks that the alphabet fits them.
fn train(units: &Units, meta: &TableMeta, symbols: &(impl Symbols + ?Sized)) -> Result<(Model, Vec<u8>), TableFault> {
    let alphabet = meta.alphabet().unwrap_or_else(Alphabet::of_draws);
    let domain = Domain::new(alphabet.clone(), meta.space());
    let step = units.entries().div_ceil(SAMPLE);
    let add = |(mut trainer, mut buffer): (Trainer, Vec<u8>), number: usize| {
        let stretch = number as u64 * step;
        // A unit from anywhere in the stretch: units at even steps could all come from similar places in their blocks.
        let dice = stretch.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let unit = units.unit((stretch + dice % step).min(units.units() - 1));
        buffer.resize(unit.len(), 0);
        read(symbols, unit.entries.start, &mut buffer)?;
        check(&alphabet, &buffer)?;
        trainer.add(&unit, &buffer);
        Ok((trainer, buffer))
    };
    threads::ready();
    let trainer = (0..units.units().div_ceil(step) as usize)
        .into_par_iter()
        .with_min_len(1 << 12)
        .try_fold(|| (Trainer::new(domain.clone()), Vec::new()), add)
        .map(|added| added.map(|(trainer, _)| trainer))
        .try_reduce(|| Trainer::new(domain.clone()), |one, other| Ok(one.merge(other)))?;
    Ok(trainer.finish(units.entries()))
}

fn read(symbols: &(impl Symbols + ?Sized), first: u64, out: &mut [u8]) -> Result<(), TableFault> {
    if symbols.read(first, out).is_break() { Err(TableFault::Cancelled) } else { Ok(()) }
}

fn check(alphabet: &Alphabet, symbols: &[u8]) -> Result<(), TableFault> {
    let Some(found) = symbols.iter().find(|symbol| !alphabet.has_all(&[**symbol])) else { return Ok(()) };
    let expected = format!("symbols below {}, as many as the list by DTC and the counts have", alphabet.len());
    Err(TableFault::BadInput { what: "symbols", expected, found: found.to_string() })
}

struct Frame {
    tag: u8,
    bytes: Vec<u8>,
}

fn encode_frame(
    units: &Units,
    model: &Model,
    symbols: &(impl Symbols + ?Sized),
    frame: u64,
) -> Result<Frame, TableFault> {
    let entries = units.entries_of(frame);
    let mut values = vec![0; (entries.end - entries.start) as usize];
    read(symbols, entries.start, &mut values)?;
    check(model.alphabet(), &values)?;
    if values.iter().all(|value| value == &values[0]) {
        return Ok(Frame { tag: values[0], bytes: Vec::new() });
    }
    let numbers = units.units_of(frame);
    let mut bytes = vec![0; (numbers.end - numbers.start) as usize];
    let (mut encoder, mut cache) = (Encoder::new(), BlockCache::default());
    for (place, number) in numbers.enumerate() {
        let unit = units.unit(number);
        let first = (unit.entries.start - entries.start) as usize;
        let values = &values[first..first + unit.len()];
        bytes[place] = model.encode_unit(&unit, values, &mut encoder, &mut cache, &mut bytes);
    }
    debug_assert!(bytes.len() <= LONGEST_FRAME);
    Ok(Frame { tag: CODED, bytes })
}

/// Runs `write` on a temporary file beside `path` and puts it in place, or removes it.
fn write_through<T, E: From<TableError>>(
    path: &Path,
    overwrite: Overwrite,
    write: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    let directory = Directory::of(path).map_err(|error| io_fault("open the directory of")(error).at(path))?;
    let place = Place { directory: &directory, name: path.file_name().unwrap_or_default().as_ref(), path };
    place.write_through(overwrite, write)
}

/// Where a file is to be written.
struct Place<'a> {
    directory: &'a Directory,
    name: &'a Path,
    /// Its name in errors.
    path: &'a Path,
}

impl Place<'_> {
    fn write_through<T, E: From<TableError>>(
        &self,
        overwrite: Overwrite,
        write: impl FnOnce(&mut File) -> Result<T, E>,
    ) -> Result<T, E> {
        let refuse = overwrite == Overwrite::Refuse;
        if refuse && self.directory.has(self.name) {
            return Err(TableFault::Exists.at(self.path).into());
        }
        let temporary = temporary_name(self.name);
        let mut file = self.directory.create_new(&temporary).map_err(|error| {
            // A name beside the file's, which is more informative than the file's.
            io_fault("create")(error).at(&self.path.with_file_name(&temporary))
        })?;
        let written = write(&mut file).and_then(|out| {
            file.sync_all().map_err(|error| io_fault("sync")(error).at(self.path))?;
            Ok(out)
        });
        drop(file);
        let placed = written.and_then(|out| {
            self.put_in_place(&temporary, refuse).map_err(|fault| fault.at(self.path))?;
            Ok(out)
        });
        if placed.is_err() {
            // The first error is the one reported.
            let _ = self.directory.remove(&temporary);
        }
        placed
    }

    fn put_in_place(&self, temporary: &Path, refuse: bool) -> Result<(), TableFault> {
        if refuse && self.directory.has(self.name) {
            return Err(TableFault::Exists);
        }
        let renamed = self.directory.rename(temporary, self.name);
        renamed.map_err(io_fault("rename the temporary file to this name"))?;
        // The rename itself must survive a power failure.
        self.directory.sync().map_err(io_fault("sync the directory"))
    }
}

/// A name beside this one that no other process or thread uses.
fn temporary_name(name: &Path) -> PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let mut name = name.as_os_str().to_owned();
    name.push(format!(".{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::header::DtcCount;
    use super::super::units::UNIT;
    use super::*;
    use crate::rules::Preset;

    /// A disk that is full after a number of bytes.
    struct Full<'a> {
        file: &'a mut File,
        left: usize,
    }

    impl Write for Full<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let count = bytes.len().min(self.left);
            self.left -= count;
            if count == 0 { Err(io::ErrorKind::StorageFull.into()) } else { self.file.write(&bytes[..count]) }
        }

        fn flush(&mut self) -> io::Result<()> {
            self.file.flush()
        }
    }

    impl Seek for Full<'_> {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.file.seek(to)
        }
    }

    #[test]
    fn a_disk_that_runs_full_at_any_byte_or_a_stop_leaves_nothing() {
        let rules = Preset::Plain.rules();
        let symbols: Vec<u8> = (0..1001u32).map(|at| (at * at % 7 % 3) as u8).collect();
        let count = |wanted: u8| symbols.iter().map(|&symbol| u64::from(symbol == wanted)).sum::<u64>();
        let [drawn, one, two] = [0, 1, 2].map(count);
        let counts = crate::value::Counts { won: one + two, drawn, lost: 0 };
        let meta = TableMeta {
            rules_text: rules.to_string(),
            rules_fingerprint: rules.fingerprint(),
            board: rules.board,
            class: "10-4".parse().unwrap(),
            blocks: 1,
            full: counts,
            canonical: counts,
            dtc: [0, one, two].map(|won| DtcCount { won, lost: 0 }).to_vec(),
        };
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("10-4.mora");
        let write = |left| {
            write_through(&path, Overwrite::Refuse, |file| {
                encode_table(&mut Full { file, left }, &meta, &symbols[..]).map_err(|fault| fault.at(&path))
            })
        };
        let length = write(usize::MAX).unwrap();
        fs::remove_file(&path).unwrap();
        for left in 0..length as usize {
            let error = write(left).unwrap_err();
            assert!(matches!(error.fault(), TableFault::Io { .. }));
            assert_eq!(error.file(), path);
            assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0, "after {left} bytes");
        }
        assert_eq!(write(length as usize).unwrap(), length);
        fs::remove_file(&path).unwrap();
        for in_sample in [true, false] {
            let stops = |_: u64, out: &mut [u8]| {
                if in_sample || out.len() > UNIT { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let error = write_table(&path, &meta, &stops, Overwrite::Refuse).unwrap_err();
            assert!(matches!(error.fault(), TableFault::Cancelled), "{error}");
            assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0, "after it was stopped");
        }
    }
}
