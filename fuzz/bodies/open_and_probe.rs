//! Any bytes as a table: opening, asking and decoding them gives values or an error, never a panic.
//!
//! The first byte says what is done to the rest before it is opened. A fuzzer cannot guess checksums, so most inputs
//! have theirs made right, and with them the lengths that must add up; the rest are opened as they are. The body is
//! shared with `tests/fuzz_corpus.rs`, which runs the corpus through it.

use std::path::Path;

use morabase::space::Entry;
use morabase::store::file_name;
use morabase::table::Table;
use morabase::{Position, Side, Tablebase, Value};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Bits of the first byte: make the checksums of head and frames right.
const SEAL: u8 = 1;
/// Make the head's length, the file's and the fingerprint right before that.
const MEASURE: u8 = 2;
/// Ask from the last entry down.
const BACKWARDS: u8 = 4;

/// Fields of the head, as docs/format.md lays it out: where they are.
const HEAD_LENGTH: usize = 12;
const FILE_LENGTH: usize = 16;
const FINGERPRINT: usize = 24;
const FRAMES: usize = 44;
const MODEL_LENGTH: usize = 96;
const TEXT_LENGTH: usize = 100;
const DTC_LENGTH: usize = 102;
const FIXED: usize = 108;

/// Entries decoded at most by the readers that decode all.
const MOST_DECODED: u64 = 1 << 16;

/// Entries and blocks asked for one by one.
const ASKED: u64 = 256;

/// Runs one input.
pub(crate) fn run(data: &[u8]) {
    let Some(bytes) = table_bytes(data) else { return };
    let Ok(table) = Table::from_bytes(Path::new("input.mora"), &bytes[..]) else { return };
    ask(&table, data[0] & BACKWARDS != 0);
    let name = file_name(table.meta().class);
    probe(name, bytes);
}

/// The bytes that an input has opened, if it has any.
pub(crate) fn table_bytes(data: &[u8]) -> Option<Vec<u8>> {
    let (&mode, table) = data.split_first()?;
    let mut bytes = table.to_vec();
    if mode & MEASURE != 0 {
        measure(&mut bytes);
    }
    if mode & SEAL != 0 {
        seal(&mut bytes);
    }
    Some(bytes)
}

/// Reads single entries, blocks and, if it is small, the whole table.
fn ask(table: &Table<morabase::table::Bytes<&[u8]>>, backwards: bool) {
    let meta = table.meta();
    let per_block = meta.entries_per_block();
    let entries = meta.entries();
    assert!(meta.blocks > 0 && per_block > 0 && meta.max_dtc().is_none_or(|longest| longest <= Value::MAX_DTC));
    let step = (entries / ASKED).max(1);
    let mut block_symbols = vec![0; per_block as usize];
    let mut decoded = 0;
    for at in (0..entries).step_by(step as usize) {
        let at = if backwards { entries - 1 - at } else { at };
        let (block, entry) = ((at / u64::from(per_block)) as u32, (at % u64::from(per_block)) as u32);
        let value = table.get(block, entry).ok();
        if decoded < MOST_DECODED {
            decoded += u64::from(per_block);
            let decoded = table.decode_block(block, &mut block_symbols).ok();
            // What a block decodes to is what its entries say.
            let expected = table.alphabet().value(block_symbols[entry as usize]);
            assert!(decoded.is_none() || value.is_some() && value == expected);
        }
    }
    assert!(table.get(meta.blocks, 0).is_err() && table.get(0, per_block).is_err());
    if entries <= MOST_DECODED {
        let sound = table.verify().is_ok();
        let mut symbols = vec![0; entries as usize];
        let decoded = table.decode_all(&mut symbols).is_ok();
        assert!(decoded || !sound, "verified, and cannot be decoded");
        assert!(!decoded || symbols.iter().all(|&symbol| table.alphabet().value(symbol).is_some()));
    }
}

/// Asks as a program would: by positions.
fn probe(name: String, bytes: Vec<u8>) {
    let Ok(tables) = Tablebase::from_bytes([(name, bytes)]) else { return };
    for class in tables.classes() {
        let space = tables.space(class);
        for block in (0..space.blocks()).step_by(space.blocks() as usize / 4 + 1) {
            let entry = Entry { block, rank: block % space.block_entries() };
            let Some((mover, waiting)) = space.position(entry) else { continue };
            let position = Position::moving([mover, waiting], Side::First);
            // Turns lead to tables that are not there, mostly.
            let _ = (tables.probe(&position), tables.best_turn(&position));
        }
    }
}

/// Makes the lengths and the fingerprint what the rest of the bytes says.
fn measure(bytes: &mut [u8]) {
    if bytes.len() < FIXED {
        return;
    }
    let (file, text) = (bytes.len() as u64, u16_at(bytes, TEXT_LENGTH) as usize);
    let head = FIXED + text + 16 * u16_at(bytes, DTC_LENGTH) as usize + u32_at(bytes, MODEL_LENGTH) as usize + 8;
    bytes[FILE_LENGTH..][..8].copy_from_slice(&file.to_le_bytes());
    bytes[HEAD_LENGTH..][..4].copy_from_slice(&(head as u32).to_le_bytes());
    if let Some(text) = bytes.get(FIXED..FIXED + text) {
        let print = xxh3_64(text);
        bytes[FINGERPRINT..][..8].copy_from_slice(&print.to_le_bytes());
    }
}

/// Makes the checksums of the head and of all frames right, as far as these are there.
fn seal(bytes: &mut [u8]) {
    if bytes.len() < FIXED {
        return;
    }
    let head = u32_at(bytes, HEAD_LENGTH) as usize;
    if let Some(covered) = head.checked_sub(8).and_then(|end| bytes.get(..end)) {
        let checksum = xxh3_64(covered);
        if let Some(field) = bytes.get_mut(head - 8..head) {
            field.copy_from_slice(&checksum.to_le_bytes());
        }
    }
    let frames = u32_at(bytes, FRAMES) as usize;
    let data = head.saturating_add(16 * frames);
    for frame in 0..frames {
        let at = head + 16 * frame;
        if at + 16 > bytes.len() {
            return;
        }
        let place = u64_at(bytes, at);
        let (offset, length) = (place as u32 as usize, (place >> 32) as usize & 0xff_ffff);
        let Some(covered) = bytes.get(data.saturating_add(offset)..).and_then(|rest| rest.get(..length)) else {
            continue;
        };
        let seed = place ^ (frame as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let checksum = xxh3_64_with_seed(covered, seed);
        bytes[at + 8..at + 16].copy_from_slice(&checksum.to_le_bytes());
    }
}

fn array_at<const COUNT: usize>(bytes: &[u8], at: usize) -> [u8; COUNT] {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; COUNT])
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array_at(bytes, at))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array_at(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array_at(bytes, at))
}
