//! Reading a table: opened by its head alone, probed without lock or allocation, or decoded whole.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::error::{Part, TableError, TableFault, corrupt};
use super::frame::{FrameRecord, RECORD};
use super::header::{Head, PREFIX, Prefix, TableMeta};
use super::model::{BlockCache, Domain, Model, unit_bytes};
use super::source::{Access, Bytes, FileSource, Source, View};
use super::units::{FRAME, Unit, Units};
use crate::alphabet::Alphabet;
use crate::threads;
use crate::value::Value;

/// Bytes that a processor fetches at once.
const CACHE_LINE: usize = 64;

/// A table of one class, over bytes from any [`Source`].
///
/// Opening checks the head; a frame of the data is checked against its checksum when it is first touched, and
/// [`verify`](Self::verify) checks all of them.
///
/// ```
/// use std::io::Cursor;
/// use morabase::{Class, Preset, Value, Plies};
/// use morabase::table::{Bytes, Counts, DtcCount, Table, TableMeta, encode_table};
///
/// // Class 12-11: every block has the 12 places that the opponent's empty point can have.
/// let rules = Preset::Plain.rules();
/// let meta = TableMeta {
///     rules_text: rules.to_string(),
///     rules_fingerprint: rules.fingerprint(),
///     board: rules.board,
///     class: Class::moving(12, 11)?,
///     blocks: 2,
///     full: Counts { won: 23, drawn: 1, lost: 0 },
///     canonical: Counts { won: 23, drawn: 1, lost: 0 },
///     dtc: vec![DtcCount::default(), DtcCount { won: 23, lost: 0 }],
/// };
/// let alphabet = meta.alphabet().expect("two values");
/// let [drawn, won] = [Value::Drawn, Value::Won(Plies(1))];
/// let mut symbols = [alphabet.symbol(won).expect("counted in the list by DTC"); 24];
/// symbols[17] = alphabet.symbol(drawn).expect("always there");
/// let mut file = Cursor::new(Vec::new());
/// encode_table(&mut file, &meta, &symbols[..])?;
/// let table = Table::read("12-11.mora".as_ref(), Bytes(file.into_inner()))?;
/// assert_eq!([table.get(1, 5)?, table.get(1, 6)?], [drawn, won]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Table<S> {
    file: PathBuf,
    source: S,
    meta: TableMeta,
    alphabet: Alphabet,
    file_length: u64,
    units: Units,
    /// The model as stored; it is prepared for use when the table is first probed, as opening many tables must be
    /// cheap.
    model_bytes: Vec<u8>,
    model: OnceLock<Model>,
    /// Where the index begins, and where the data begins, in the file.
    index: u64,
    data: u64,
    /// One bit for each frame that was found intact.
    whole: Box<[AtomicU64]>,
}

/// The place of an entry.
struct Place {
    /// The number of its unit.
    number: u64,
    unit: Unit,
    /// The entry's number in the unit.
    at: usize,
}

impl Place {
    const fn frame(&self) -> u32 {
        (self.number / FRAME) as u32
    }
}

impl Table<FileSource> {
    /// Opens a file and checks its head.
    ///
    /// # Errors
    /// [`TableError`] with the file's name.
    pub fn open(path: &Path, access: Access) -> Result<Self, TableError> {
        let source =
            FileSource::open(path, access).map_err(|source| TableFault::Io { action: "open", source }.at(path))?;
        Self::read(path, source)
    }
}

impl<D: AsRef<[u8]> + fmt::Debug + Send + Sync> Table<Bytes<D>> {
    /// Reads a table from bytes, which errors call `name`, and checks its head.
    ///
    /// # Errors
    /// [`TableError`] with this name.
    pub fn from_bytes(name: &Path, bytes: D) -> Result<Self, TableError> {
        Self::read(name, Bytes(bytes))
    }
}

impl<S: Source> Table<S> {
    /// Reads a table from a source, which errors call `name`, and checks its head.
    ///
    /// # Errors
    /// [`TableError`] with this name.
    pub fn read(name: &Path, source: S) -> Result<Self, TableError> {
        Self::read_head(name, source).map_err(|fault| fault.at(name))
    }

    fn read_head(name: &Path, source: S) -> Result<Self, TableFault> {
        let file_length = source.length().map_err(cannot_read)?;
        let view = View::new(&source);
        let prefix = view.with(0, file_length.min(PREFIX as u64) as usize, |bytes| Prefix::read(bytes, file_length));
        let prefix = prefix.map_err(cannot_read)??;
        let head = view.with(0, prefix.head, |bytes| Head::read(&prefix, bytes)).map_err(cannot_read)??;
        let meta = head.meta;
        let alphabet = meta.alphabet().ok_or_else(|| corrupt(Part::Head, "a list by DTC", "an impossible one"))?;
        let units = Units::new(meta.space(), meta.blocks);
        if units.frames() != u64::from(head.frames) {
            return Err(corrupt(Part::Head, format!("{} frames", units.frames()), head.frames));
        }
        let index = prefix.head as u64;
        let data = index + RECORD as u64 * u64::from(head.frames);
        if data > file_length {
            return Err(TableFault::Length { expected: data, found: file_length });
        }
        let whole = (0..head.frames.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Self {
            file: name.to_owned(),
            source,
            meta,
            alphabet,
            file_length,
            units,
            model_bytes: head.model,
            model: OnceLock::new(),
            index,
            data,
            whole,
        })
    }

    #[inline]
    fn model(&self) -> Result<&Model, TableFault> {
        match self.model.get() {
            Some(model) => Ok(model),
            None => self.read_model(),
        }
    }

    #[cold]
    fn read_model(&self) -> Result<&Model, TableFault> {
        // Several threads may read it at once, and the first to finish wins. Failed reads are retried each time.
        let domain = Domain::new(self.alphabet.clone(), self.meta.space());
        let model = Model::read(domain, &self.model_bytes).map_err(|mismatch| mismatch.in_file(Part::Model))?;
        Ok(self.model.get_or_init(|| model))
    }

    #[inline]
    fn view(&self) -> View<'_, S> {
        View::new(&self.source)
    }

    /// The name of the file, or the name given to the bytes.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Where the bytes come from.
    pub fn source(&self) -> &S {
        &self.source
    }

    /// What the head says.
    pub fn meta(&self) -> &TableMeta {
        &self.meta
    }

    /// What the table's symbols mean.
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// Bytes of the file.
    pub fn file_length(&self) -> u64 {
        self.file_length
    }

    fn error(&self, fault: TableFault) -> TableError {
        fault.at(&self.file)
    }

    /// The value of an entry of a block. No lock is taken, and nothing is allocated except for an error.
    ///
    /// # Errors
    /// [`TableFault::OutOfRange`], or damage to the frame that holds the entry.
    #[inline]
    pub fn get(&self, block: u32, entry: u32) -> Result<Value, TableError> {
        self.locate(block, entry).and_then(|place| self.look_up(place)).map_err(|fault| self.error(fault))
    }

    /// Like [`get`](Self::get), if that needs no disk access as far as the table knows: the bytes are in memory anyway,
    /// or a probe or [`preload`](Self::preload) has read and checked the frame since the table was opened. (The system
    /// may have dropped its pages since.) Otherwise `None`; always `None` for [`Access::Positioned`].
    ///
    /// # Errors
    /// As [`get`](Self::get).
    #[inline]
    pub fn get_cached(&self, block: u32, entry: u32) -> Result<Option<Value>, TableError> {
        let near = |place: Place| {
            let waits = self.source.waits() && (self.view().rereads() || !self.is_whole(place.frame()));
            if waits { Ok(None) } else { self.look_up(place).map(Some) }
        };
        self.locate(block, entry).and_then(near).map_err(|fault| self.error(fault))
    }

    /// Reads the whole file and checks its frames, so that later probes find them in memory.
    ///
    /// # Errors
    /// The first damage found.
    pub fn preload(&self) -> Result<(), TableError> {
        let view = self.view();
        let load = |frame| self.record(&view, frame).and_then(|record| self.check_frame(&view, frame, record));
        (0..self.units.frames() as u32).try_for_each(load).map_err(|fault| self.error(fault))
    }

    #[inline]
    fn locate(&self, block: u32, entry: u32) -> Result<Place, TableFault> {
        check_range("block", u64::from(block), self.units.blocks)?;
        check_range("entry", u64::from(entry), self.units.block)?;
        let (number, unit) = self.units.locate(block, entry);
        let at = (u64::from(block) * self.units.block + u64::from(entry) - unit.entries.start) as usize;
        Ok(Place { number, unit, at })
    }

    #[inline]
    fn look_up(&self, place: Place) -> Result<Value, TableFault> {
        let (view, frame) = (self.view(), place.frame());
        let Place { number, unit, at } = place;
        let units = self.units.units_of(u64::from(frame));
        let (place, count) = ((number - units.start) as usize, (units.end - units.start) as usize);

        // Most of a probe is waiting for memory, so the board is looked at while record and frame are being fetched.
        view.prefetch(self.index + RECORD as u64 * u64::from(frame));
        let block = self.model().map(|model| model.look_at_block(&unit));
        let record = self.record(&view, frame)?;
        if let Some(symbol) = record.constant() {
            self.check_once(&view, frame, record, &[])?;
            return self.alphabet.value(symbol).ok_or_else(|| self.bad_symbol(frame, symbol));
        }
        self.prefetch_unit(&view, &record, place, count);
        let list = block?.look_at_list();
        self.with_frame(&view, frame, record, |bytes| {
            let bad = || bad_unit(frame);
            let (tag, bytes) = unit_bytes(bytes, count, place).ok_or_else(bad)?;
            let symbol = list.decode_one(bytes, tag, at).ok_or_else(bad)?;
            self.alphabet.value(symbol).ok_or_else(|| self.bad_symbol(frame, symbol))
        })
    }

    /// Prefetches the tags of a frame of `count` units, and the place where the bytes of a unit would be if all units
    /// were equally long.
    #[inline]
    fn prefetch_unit(&self, view: &View<'_, S>, record: &FrameRecord, place: usize, count: usize) {
        let frame = self.data + u64::from(record.offset);
        for line in (0..count).step_by(CACHE_LINE) {
            view.prefetch(frame + line as u64);
        }
        let bytes = (record.length as usize).saturating_sub(count);
        view.prefetch(frame + (count + bytes * place / count.max(1)) as u64);
    }

    /// A frame's record, with its place checked.
    #[inline]
    fn record(&self, view: &View<'_, S>, frame: u32) -> Result<FrameRecord, TableFault> {
        let at = self.index + RECORD as u64 * u64::from(frame);
        let record = view.with(at, RECORD, |bytes| {
            let mut copy = [0; RECORD];
            copy.copy_from_slice(bytes);
            FrameRecord::from_bytes(copy)
        });
        let record = record.map_err(cannot_read)?;
        record.check_place(frame, self.file_length - self.data)?;
        Ok(record)
    }

    /// Passes a frame's bytes to `use_bytes`, checking them unless that was done before and they cannot have changed.
    #[inline]
    fn with_frame<T>(
        &self,
        view: &View<'_, S>,
        frame: u32,
        record: FrameRecord,
        use_bytes: impl FnOnce(&[u8]) -> Result<T, TableFault>,
    ) -> Result<T, TableFault> {
        let at = self.data + u64::from(record.offset);
        let used = view.with(at, record.length as usize, |bytes| {
            self.check_once(view, frame, record, bytes)?;
            use_bytes(bytes)
        });
        used.map_err(cannot_read)?
    }

    #[inline]
    fn is_whole(&self, frame: u32) -> bool {
        self.whole[frame as usize / 64].load(Ordering::Relaxed) >> (frame % 64) & 1 == 1
    }

    /// Checks a frame's bytes unless that was done before and they cannot have changed.
    #[inline]
    fn check_once(&self, view: &View<'_, S>, frame: u32, record: FrameRecord, bytes: &[u8]) -> Result<(), TableFault> {
        // No other memory depends on the bit, and checking a frame twice does no harm.
        let first = !self.is_whole(frame);
        if first || view.rereads() {
            record.check_bytes(frame, bytes)?;
        }
        if first {
            self.check_neighbour(view, frame, record)?;
            self.whole[frame as usize / 64].fetch_or(1 << (frame % 64), Ordering::Relaxed);
        }
        Ok(())
    }

    /// Checks that the next frame, or the end of the file, follows a frame without a gap or an overlap.
    #[cold]
    fn check_neighbour(&self, view: &View<'_, S>, frame: u32, record: FrameRecord) -> Result<(), TableFault> {
        let end = u64::from(record.offset) + u64::from(record.length);
        let next = frame + 1;
        let follows = if u64::from(next) < self.units.frames() {
            u64::from(self.record(view, next)?.offset)
        } else {
            self.file_length - self.data
        };
        if follows != end {
            return Err(corrupt(Part::Frame(frame), format!("its bytes to end at {follows}"), end));
        }
        Ok(())
    }

    /// Decodes one frame into `out`, which has its length.
    fn decode_frame(&self, frame: u32, out: &mut [u8]) -> Result<(), TableFault> {
        let view = self.view();
        let record = self.record(&view, frame)?;
        if let Some(symbol) = record.constant() {
            self.check_once(&view, frame, record, &[])?;
            if !self.alphabet.has_all(&[symbol]) {
                return Err(self.bad_symbol(frame, symbol));
            }
            out.fill(symbol);
            return Ok(());
        }
        let units = self.units.units_of(u64::from(frame));
        let count = (units.end - units.start) as usize;
        self.with_frame(&view, frame, record, |bytes| {
            let mut rest = out;
            let mut cache = BlockCache::default();
            for (place, number) in units.enumerate() {
                let unit = self.units.unit(number);
                let (symbols, after) = rest.split_at_mut(unit.len());
                self.decode_unit(frame, &unit, unit_bytes(bytes, count, place), &mut cache, symbols)?;
                rest = after;
            }
            Ok(())
        })
    }

    fn decode_unit(
        &self,
        frame: u32,
        unit: &Unit,
        found: Option<(u8, &[u8])>,
        cache: &mut BlockCache,
        out: &mut [u8],
    ) -> Result<(), TableFault> {
        let model = self.model()?;
        found.and_then(|(tag, bytes)| model.decode_unit(unit, bytes, tag, cache, out)).ok_or_else(|| bad_unit(frame))
    }

    /// The error for a frame whose entries all have a symbol that does not exist.
    fn bad_symbol(&self, frame: u32, symbol: u8) -> TableFault {
        corrupt(Part::Frame(frame), format!("a symbol below {}", self.alphabet.len()), symbol)
    }

    /// Decodes the symbols of a block, one byte each in the table's [alphabet](Self::alphabet), into `out`, which must
    /// have [`TableMeta::entries_per_block`] bytes.
    ///
    /// # Errors
    /// [`TableFault::OutOfRange`], [`TableFault::Buffer`], or damage to a frame that holds a part of the block.
    pub fn decode_block(&self, block: u32, out: &mut [u8]) -> Result<(), TableError> {
        self.decode_block_into(block, out).map_err(|fault| self.error(fault))
    }

    fn decode_block_into(&self, block: u32, out: &mut [u8]) -> Result<(), TableFault> {
        check_range("block", u64::from(block), self.units.blocks)?;
        check_buffer(out, self.units.block)?;
        let start = u64::from(block) * self.units.block;
        let entries = start..start + self.units.block;
        let (mut number, _) = self.units.locate(block, 0);
        let mut scratch = [0; super::units::UNIT];
        let mut filled = 0;
        while filled < out.len() {
            let unit = self.units.unit(number);
            let scratch = &mut scratch[..unit.len()];
            self.decode_unit_numbered(number, &unit, scratch)?;
            let part = overlap(&unit.entries, &entries);
            let [start, end] = [part.start, part.end].map(|entry| (entry - unit.entries.start) as usize);
            out[filled..filled + end - start].copy_from_slice(&scratch[start..end]);
            filled += end - start;
            number += 1;
        }
        Ok(())
    }

    fn decode_unit_numbered(&self, number: u64, unit: &Unit, out: &mut [u8]) -> Result<(), TableFault> {
        let frame = (number / FRAME) as u32;
        let units = self.units.units_of(u64::from(frame));
        let view = self.view();
        let record = self.record(&view, frame)?;
        if let Some(symbol) = record.constant() {
            self.check_once(&view, frame, record, &[])?;
            if !self.alphabet.has_all(&[symbol]) {
                return Err(self.bad_symbol(frame, symbol));
            }
            out.fill(symbol);
            return Ok(());
        }
        self.with_frame(&view, frame, record, |bytes| {
            let place = (number - units.start) as usize;
            let found = unit_bytes(bytes, (units.end - units.start) as usize, place);
            self.decode_unit(frame, unit, found, &mut BlockCache::default(), out)
        })
    }

    /// Checks every frame against its checksum and decodes it, as [`get`](Self::get) would for all entries.
    ///
    /// # Errors
    /// The first damage found.
    pub fn verify(&self) -> Result<(), TableError> {
        self.verify_all().map_err(|fault| self.error(fault))
    }

    fn verify_all(&self) -> Result<(), TableFault> {
        self.check_frame_places()?;
        threads::ready();
        let frames = self.units.frames() as u32;
        (0..frames).into_par_iter().try_for_each_init(Vec::new, |symbols, frame| {
            let view = self.view();
            let record = self.record(&view, frame)?;
            self.check_frame(&view, frame, record)?;
            let entries = self.units.entries_of(u64::from(frame));
            symbols.resize((entries.end - entries.start) as usize, 0);
            self.decode_frame(frame, symbols)
        })
    }

    /// Checks that the model can be used and that the frames are contiguous up to the end of the file. Together with
    /// [`decode_all`](Self::decode_all), which checks each frame the first time it is read, this checks as much as
    /// [`verify`](Self::verify).
    ///
    /// # Errors
    /// The first damage found.
    pub fn check_places(&self) -> Result<(), TableError> {
        self.check_frame_places().map_err(|fault| self.error(fault))
    }

    fn check_frame_places(&self) -> Result<(), TableFault> {
        // How many records are read at once.
        const AT_ONCE: usize = 1 << 12;
        self.model()?;
        let view = self.view();
        let data = self.file_length - self.data;
        let frames = self.units.frames() as u32;
        let mut end = 0;
        for first in (0..frames).step_by(AT_ONCE) {
            let count = AT_ONCE.min((frames - first) as usize);
            let at = self.index + RECORD as u64 * u64::from(first);
            let check = |bytes: &[u8]| {
                for (frame, bytes) in (first..).zip(bytes.as_chunks::<RECORD>().0) {
                    let record = FrameRecord::from_bytes(*bytes);
                    record.check_place(frame, data)?;
                    if u64::from(record.offset) != end {
                        return Err(corrupt(Part::Frame(frame), format!("its bytes at {end}"), record.offset));
                    }
                    end += u64::from(record.length);
                }
                Ok(())
            };
            view.with(at, RECORD * count, check).map_err(cannot_read)??;
        }
        if end != data {
            return Err(corrupt(Part::Index, format!("{data} bytes of data"), end));
        }
        Ok(())
    }

    /// Checks a frame, even if it was checked before.
    fn check_frame(&self, view: &View<'_, S>, frame: u32, record: FrameRecord) -> Result<(), TableFault> {
        let at = self.data + u64::from(record.offset);
        let checked = view.with(at, record.length as usize, |bytes| record.check_bytes(frame, bytes));
        checked.map_err(cannot_read)??;
        self.check_neighbour(view, frame, record)?;
        self.whole[frame as usize / 64].fetch_or(1 << (frame % 64), Ordering::Relaxed);
        Ok(())
    }

    /// Decodes all symbols, one byte each, block after block, into `out`, which must have [`TableMeta::entries`] bytes.
    /// Runs on all threads of the current rayon pool.
    ///
    /// # Errors
    /// [`TableFault::Buffer`], or damage to any frame.
    pub fn decode_all(&self, out: &mut [u8]) -> Result<(), TableError> {
        check_buffer(out, self.units.entries()).map_err(|fault| self.error(fault))?;
        let mut rest = out;
        let frames = 0..self.units.frames() as u32;
        let parts: Vec<(u32, &mut [u8])> = frames
            .map(|frame| {
                let entries = self.units.entries_of(u64::from(frame));
                let (part, after) = std::mem::take(&mut rest).split_at_mut((entries.end - entries.start) as usize);
                rest = after;
                (frame, part)
            })
            .collect();
        threads::ready();
        let decoded = parts.into_par_iter().try_for_each(|(frame, part)| self.decode_frame(frame, part));
        decoded.map_err(|fault| self.error(fault))
    }
}

fn cannot_read(source: io::Error) -> TableFault {
    TableFault::Io { action: "read", source }
}

#[inline]
fn check_range(what: &'static str, found: u64, limit: u64) -> Result<(), TableFault> {
    if found < limit { Ok(()) } else { Err(TableFault::OutOfRange { what, found, limit }) }
}

fn check_buffer(out: &[u8], expected: u64) -> Result<(), TableFault> {
    let found = out.len() as u64;
    if found == expected { Ok(()) } else { Err(TableFault::Buffer { expected, found }) }
}

fn overlap(a: &Range<u64>, b: &Range<u64>) -> Range<u64> {
    a.start.max(b.start)..a.end.min(b.end)
}

fn bad_unit(frame: u32) -> TableFault {
    corrupt(Part::Frame(frame), "units of coded values", "something else")
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::super::frame::CODED;
    use super::super::header::DtcCount;
    use super::super::write::encode_table;
    use super::*;
    use crate::rules::Preset;

    fn three_values(blocks: u32) -> Vec<u8> {
        let rules = Preset::Plain.rules();
        let symbols: Vec<u8> = (0..blocks * 1001).map(|at| (at * at % 7 % 3) as u8).collect();
        let count = |wanted: u8| symbols.iter().map(|&symbol| u64::from(symbol == wanted)).sum::<u64>();
        let [drawn, won, lost] = [0, 1, 2].map(count);
        let counts = crate::value::Counts { won, drawn, lost };
        let meta = TableMeta {
            rules_text: rules.to_string(),
            rules_fingerprint: rules.fingerprint(),
            board: rules.board,
            class: "10-4".parse().unwrap(),
            blocks,
            full: counts,
            canonical: counts,
            dtc: [(0, 0), (won, 0), (0, lost)].map(|(won, lost)| DtcCount { won, lost }).to_vec(),
        };
        let mut file = Cursor::new(Vec::new());
        encode_table(&mut file, &meta, &symbols[..]).unwrap();
        file.into_inner()
    }

    #[test]
    fn a_forged_record_that_points_at_another_frame_is_damage_to_every_reader() {
        let bytes = three_values(30);
        let head = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
        let record = |frame: usize| {
            let bytes = &bytes[head + RECORD * frame..][..RECORD];
            FrameRecord::from_bytes(bytes.try_into().unwrap())
        };
        let sound = Table::from_bytes("10-4.mora".as_ref(), bytes.clone()).unwrap();
        assert!(sound.units.frames() > 3 && sound.check_places().is_ok());
        let [from, to] = [2, 3];
        let (start, length) = (record(from).offset as usize, record(from).length as usize);
        let data = bytes[sound.data as usize + start..][..length].to_vec();
        let mut forged = bytes.clone();
        let twice = FrameRecord::new(to as u32, record(from).offset, CODED, &data).to_bytes();
        forged[head + RECORD * to..][..RECORD].copy_from_slice(&twice);
        let table = Table::from_bytes("10-4.mora".as_ref(), forged).unwrap();
        assert!(table.check_places().is_err());
        let mut refused = 0;
        for block in 0..30 {
            for entry in 0..1001 {
                match table.get(block, entry) {
                    Ok(value) => assert_eq!(value, sound.get(block, entry).unwrap()),
                    Err(error) => {
                        assert!(error.to_string().contains("its bytes to end at"), "{error}");
                        refused += 1;
                    }
                }
            }
        }
        assert!(refused > 0);
    }

    proptest! {
        /// Data with a right checksum that no writer would write.
        #[test]
        fn a_forged_frame_gives_values_or_an_error(data in prop::collection::vec(any::<u8>(), 1..400), tag in any::<u8>()) {
            let mut bytes = three_values(1);
            let head = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
            bytes.truncate(head);
            let data = if tag < 8 { &[][..] } else { &data };
            bytes.extend_from_slice(&FrameRecord::new(0, 0, if tag < 8 { tag } else { CODED }, data).to_bytes());
            bytes.extend_from_slice(data);
            let length = (bytes.len() as u64).to_le_bytes();
            bytes[16..24].copy_from_slice(&length);
            let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[..head - 8]).to_le_bytes();
            bytes[head - 8..head].copy_from_slice(&checksum);
            let table = Table::from_bytes("10-4.mora".as_ref(), bytes).unwrap();
            let mut symbols = [0; 1001];
            let decoded = table.decode_all(&mut symbols);
            match &decoded {
                Ok(()) => prop_assert!(symbols.iter().all(|&symbol| symbol < 3)),
                Err(error) => prop_assert!(error.to_string().starts_with("10-4.mora: the file is damaged")),
            }
            for (entry, &symbol) in (0..).zip(&symbols) {
                let found = table.get(0, entry).ok();
                prop_assert!(found.is_some() || decoded.is_err());
                prop_assert!(decoded.is_err() || found == table.alphabet().value(symbol));
            }
        }
    }
}
