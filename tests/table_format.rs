//! The table format, from outside: what is written comes back by every way of reading, and damage is named.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use morabase::table::{
    Access, Bytes, Counts, DtcCount, Existing, FORMAT_VERSION, FileSource, Source, Table, TableError, TableFault,
    TableMeta, encode_table, file_name, write_table,
};
use morabase::{Class, Code, Preset, RuleSet};
use proptest::prelude::*;

fn class(text: &str) -> Class {
    text.parse().unwrap()
}

/// A head that fits these codes, each entry counted once.
fn meta_of(class: Class, rules: &RuleSet, codes: &[u8]) -> TableMeta {
    let mut dtc = vec![DtcCount::default(); 127];
    let mut counts = Counts::default();
    for &code in codes {
        match code {
            0 => counts.drawn += 1,
            1..128 => (counts.won, dtc[code as usize].won) = (counts.won + 1, dtc[code as usize].won + 1),
            _ => (counts.lost, dtc[code as usize - 128].lost) = (counts.lost + 1, dtc[code as usize - 128].lost + 1),
        }
    }
    while dtc.last() == Some(&DtcCount::default()) {
        dtc.pop();
    }
    let mut meta = TableMeta {
        rules_text: rules.to_string(),
        rules_fingerprint: rules.fingerprint(),
        board: rules.board,
        class,
        blocks: 1,
        full: counts,
        canonical: counts,
        dtc,
    };
    meta.blocks = codes.len() as u32 / meta.entries_per_block();
    meta
}

fn encode(meta: &TableMeta, codes: &[u8]) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let length = encode_table(&mut file, meta, codes).unwrap();
    assert_eq!(length, file.get_ref().len() as u64);
    file.into_inner()
}

/// Codes with runs, noise, stretches of one value, and every so often something rare.
fn sample_codes(count: usize) -> Vec<u8> {
    let mut state = 0x1234_5678_9abc_def0u64;
    let mut last = 0;
    (0..count)
        .map(|at| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let dice = state >> 33;
            if at / 500 % 3 == 1 {
                last = 128;
            } else if at / 500 % 7 == 2 {
                last = [0, 1, 2, 3, 5, 130, 131, 132, 254, 126][dice as usize % 10];
            } else if dice.is_multiple_of(5) {
                last = [0, 0, 0, 1, 3, 130][(dice / 5) as usize % 6];
            }
            last
        })
        .collect()
}

/// Class 10-4 has 1,001 entries per block: several units in each.
fn sample() -> (TableMeta, Vec<u8>) {
    let codes = sample_codes(3 * 1001);
    (meta_of(class("10-4"), &Preset::Gar.rules(), &codes), codes)
}

/// A table of a few hundred bytes: 12-11 has twelve entries per block, so units gather blocks.
fn tiny() -> (TableMeta, Vec<u8>) {
    let mut codes = sample_codes(12 * 60);
    codes[240..].fill(130);
    (meta_of(class("12-11"), &Preset::Plain.rules(), &codes), codes)
}

fn all_codes<S: Source + Sync>(table: &Table<S>) -> Result<Vec<u8>, TableError> {
    let mut out = vec![0; table.meta().entries() as usize];
    table.decode_all(&mut out)?;
    Ok(out)
}

/// Every way of reading gives these codes.
fn assert_reads<S: Source + Sync>(table: &Table<S>, codes: &[u8]) {
    let size = table.meta().entries_per_block() as usize;
    table.verify().unwrap();
    assert_eq!(all_codes(table).unwrap(), codes);
    for (block, expected) in codes.chunks(size).enumerate() {
        let mut out = vec![0; size];
        table.decode_block(block as u32, &mut out).unwrap();
        assert_eq!(out, expected, "block {block}");
        for (entry, &code) in expected.iter().enumerate() {
            assert_eq!(table.get(block as u32, entry as u32).unwrap().byte(), code, "block {block}, entry {entry}");
        }
    }
}

const NAME: &str = "some/10-4.mora";

fn open_bytes(bytes: &[u8]) -> Result<Table<Bytes<&[u8]>>, TableError> {
    Table::from_bytes(Path::new(NAME), bytes)
}

/// What reading these bytes gives: the codes, or an error that names the file.
fn read_everything(bytes: &[u8]) -> Result<(TableMeta, Vec<u8>), TableError> {
    let table = open_bytes(bytes)?;
    let size = table.meta().entries_per_block();
    // Probes and whole decoding touch the frames for the first time on tables of their own.
    let whole = all_codes(&open_bytes(bytes)?)?;
    for (at, &code) in whole.iter().enumerate() {
        let found = table.get(at as u32 / size, at as u32 % size)?;
        assert_eq!(found.byte(), code);
    }
    Ok((table.meta().clone(), whole))
}

#[test]
fn every_way_of_reading_agrees() {
    let directory = tempfile::tempdir().unwrap();
    for (meta, codes) in [sample(), tiny()] {
        let path = directory.path().join(file_name(meta.class));
        let length = write_table(&path, &meta, &codes[..], Existing::Keep).unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes.len() as u64, length);
        assert_eq!(bytes, encode(&meta, &codes));
        assert_reads(&Table::from_bytes(&path, bytes.clone()).unwrap(), &codes);
        assert_reads(&Table::from_bytes(&path, &bytes[..]).unwrap(), &codes);
        for access in [Access::Map, Access::Positioned] {
            let table = Table::open(&path, access).unwrap();
            assert_eq!(table.meta(), &meta);
            assert_eq!(table.file_length(), length);
            assert_reads(&table, &codes);
        }
    }
}

#[test]
fn every_kind_of_class_comes_back() {
    for (text, blocks) in [("3-3", 2), ("12-12", 1000), ("12-3", 9), ("3-9", 1), ("11-12", 77), ("9-9", 1), ("6-7", 1)]
    {
        let class = class(text);
        for rules in [Preset::Plain.rules(), Preset::NineMensMorris.rules()] {
            let size = meta_of(class, &rules, &[0]).entries_per_block() as usize;
            let codes = sample_codes(size * blocks);
            let meta = meta_of(class, &rules, &codes);
            assert_reads(&open_bytes(&encode(&meta, &codes)).unwrap(), &codes);
        }
    }
}

#[test]
fn a_table_of_one_value_costs_next_to_nothing() {
    for code in [0, 1, 130] {
        let codes = vec![code; 200 * 1001];
        let bytes = encode(&meta_of(class("10-4"), &Preset::Plain.rules(), &codes), &codes);
        assert!(bytes.len() < codes.len() / 200, "{}", bytes.len());
        assert_eq!(read_everything(&bytes).unwrap().1, codes);
    }
}

#[test]
fn noise_costs_little_more_than_its_bytes() {
    let mut state = 1u64;
    let codes: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 40) as u8 & 0xbf
    })
    .take(50 * 1001)
    .collect();
    let bytes = encode(&meta_of(class("10-4"), &Preset::Plain.rules(), &codes), &codes);
    assert!(bytes.len() < codes.len() * 21 / 20 + 4000, "{}", bytes.len());
    assert_eq!(read_everything(&bytes).unwrap().1, codes);
}

/// The bytes of a version of the format never change. After a change of the version, write new golden files with
/// `MORABASE_WRITE_GOLDEN=1 cargo test golden`.
#[test]
fn golden_files_pin_the_format() {
    for (name, (meta, codes)) in [("sample", sample()), ("tiny", tiny())] {
        let path = format!("{}/tests/data/{name}-v{FORMAT_VERSION}.mora", env!("CARGO_MANIFEST_DIR"));
        let bytes = encode(&meta, &codes);
        if std::env::var_os("MORABASE_WRITE_GOLDEN").is_some() {
            fs::write(&path, &bytes).unwrap();
        }
        let golden = fs::read(&path).unwrap();
        assert_eq!(read_everything(&golden).unwrap(), (meta, codes), "{name}");
        assert!(bytes == golden, "{name}: the writer's bytes changed");
    }
}

#[test]
fn a_flipped_bit_is_reported_with_the_files_name() {
    let (meta, codes) = tiny();
    let good = encode(&meta, &codes);
    for bit in 0..good.len() * 8 {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        match read_everything(&bytes) {
            Err(error) => assert!(error.to_string().starts_with(NAME), "{error}"),
            Ok(_) => panic!("flipping bit {bit} went unnoticed"),
        }
        if let Ok(table) = open_bytes(&bytes) {
            assert!(table.verify().is_err(), "bit {bit}");
        }
    }
}

#[test]
fn a_cut_or_grown_file_is_refused_at_opening() {
    let (meta, codes) = tiny();
    let mut bytes = encode(&meta, &codes);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("12-11.mora");
    for length in 0..bytes.len() {
        let error = open_bytes(&bytes[..length]).map(drop).unwrap_err();
        assert!(matches!(error.fault(), TableFault::Length { .. } | TableFault::NotATable { .. }), "{length}: {error}");
        assert!(error.to_string().starts_with(NAME));
        if length % 16 == 0 {
            fs::write(&path, &bytes[..length]).unwrap();
            for access in [Access::Map, Access::Positioned] {
                let error = Table::open(&path, access).map(drop).unwrap_err();
                assert_eq!(error.file(), path);
            }
        }
    }
    bytes.push(0);
    assert!(matches!(open_bytes(&bytes).map(drop).unwrap_err().fault(), TableFault::Length { .. }));
}

#[test]
fn a_file_that_shrinks_after_opening_gives_an_error_to_positioned_reads() {
    let (meta, codes) = sample();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("10-4.mora");
    let length = write_table(&path, &meta, &codes[..], Existing::Keep).unwrap();
    let table = Table::open(&path, Access::Positioned).unwrap();
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(length - 1).unwrap();
    let error = table.get(2, 1000).unwrap_err();
    assert!(matches!(error.fault(), TableFault::Io { .. }), "{error}");
    assert_eq!(error.file(), path);
}

#[test]
fn other_versions_are_refused_with_advice() {
    let (meta, codes) = tiny();
    let mut bytes = encode(&meta, &codes);
    for (version, advice) in [(1u32, "build the table again"), (FORMAT_VERSION + 1, "newer version of this program")] {
        bytes[8..12].copy_from_slice(&version.to_le_bytes());
        let error = open_bytes(&bytes).map(drop).unwrap_err();
        assert!(matches!(error.fault(), TableFault::Version { .. }));
        assert!(error.to_string().contains(advice), "{error}");
    }
}

#[test]
fn another_class_or_other_rules_are_refused_with_both_named() {
    let (meta, codes) = sample();
    let bytes = encode(&meta, &codes);
    let (gar, plain) = (Preset::Gar.rules(), Preset::Plain.rules());
    let open =
        |class, rules: &RuleSet| open_bytes(&bytes).unwrap().expect(class, &rules.to_string(), rules.fingerprint());
    assert!(open(class("10-4"), &gar).is_ok());
    let error = open(class("4-10"), &gar).map(drop).unwrap_err().to_string();
    assert!(error.contains(NAME) && error.contains("class 10-4") && error.contains("class 4-10"), "{error}");
    let error = open(class("10-4"), &plain).map(drop).unwrap_err().to_string();
    assert!(error.contains(&gar.to_string()) && error.contains(&plain.to_string()), "{error}");
}

#[test]
fn what_is_not_there_is_out_of_range() {
    let (meta, codes) = sample();
    let bytes = encode(&meta, &codes);
    let table = open_bytes(&bytes).unwrap();
    for (block, entry) in [(3, 0), (0, 1001), (u32::MAX, 0), (0, u32::MAX)] {
        assert!(matches!(table.get(block, entry).unwrap_err().fault(), TableFault::OutOfRange { .. }));
    }
    assert!(matches!(table.decode_block(3, &mut [0; 1001]).unwrap_err().fault(), TableFault::OutOfRange { .. }));
    assert!(matches!(table.decode_block(0, &mut [0; 1000]).unwrap_err().fault(), TableFault::Buffer { .. }));
    assert!(matches!(table.decode_all(&mut [0; 1001]).unwrap_err().fault(), TableFault::Buffer { .. }));
}

/// Names of the files in a directory.
fn names(directory: &Path) -> Vec<String> {
    fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_writer_that_fails_midway_leaves_nothing() {
    let (meta, mut codes) = sample();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("10-4.mora");
    // A value that the head does not have, and one that no code has.
    for bad in [77, 127, 255] {
        *codes.last_mut().unwrap() = bad;
        let error = write_table(&path, &meta, &codes[..], Existing::Keep).unwrap_err();
        assert!(matches!(error.fault(), TableFault::BadInput { .. }), "{error}");
        assert!(names(directory.path()).is_empty());
    }
}

#[test]
fn a_writer_refuses_too_few_or_too_many_codes() {
    let (meta, codes) = sample();
    let longer = [&codes[..], &[0]].concat();
    for codes in [&codes[1..], &longer[..]] {
        let error = encode_table(&mut Cursor::new(Vec::new()), &meta, codes).unwrap_err();
        assert!(matches!(error, TableFault::BadInput { what: "number of codes", .. }), "{error}");
    }
}

#[test]
fn a_writer_refuses_a_head_that_contradicts_itself() {
    let (good, codes) = sample();
    let spoil: [fn(&mut TableMeta); 7] = [
        |meta| meta.rules_fingerprint ^= 1,
        |meta| meta.rules_text.clear(),
        |meta| meta.blocks = 0,
        |meta| meta.blocks = 124_125,
        |meta| meta.full.won += 1,
        |meta| meta.dtc.push(DtcCount::default()),
        |meta| meta.dtc[0].won = 1,
    ];
    for spoil in spoil {
        let mut meta = good.clone();
        spoil(&mut meta);
        let error = encode_table(&mut Cursor::new(Vec::new()), &meta, &codes[..]).unwrap_err();
        assert!(matches!(error, TableFault::BadInput { .. }), "{error}");
    }
}

#[test]
fn an_existing_file_is_kept_unless_replacing_is_asked_for() {
    let (meta, codes) = tiny();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("12-11.mora");
    fs::write(&path, "mine").unwrap();
    let error = write_table(&path, &meta, &codes[..], Existing::Keep).unwrap_err();
    assert!(matches!(error.fault(), TableFault::Exists));
    assert_eq!(fs::read(&path).unwrap(), b"mine");
    // A failure keeps it too.
    let mut spoilt = codes.clone();
    spoilt[0] = 99;
    assert!(write_table(&path, &meta, &spoilt[..], Existing::Replace).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"mine");
    write_table(&path, &meta, &codes[..], Existing::Replace).unwrap();
    assert_reads(&Table::open(&path, Access::Map).unwrap(), &codes);
    assert_eq!(names(directory.path()), ["12-11.mora"]);
}

#[test]
fn a_directory_that_is_not_there_is_named() {
    let (meta, codes) = tiny();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("missing/12-11.mora");
    let error = write_table(&path, &meta, &codes[..], Existing::Keep).unwrap_err();
    assert!(matches!(error.fault(), TableFault::Io { .. }));
    assert!(error.to_string().contains("missing"));
    assert!(FileSource::open(&path, Access::Map).is_err());
    assert!(Table::open(&path, Access::Positioned).map(drop).unwrap_err().to_string().contains("missing"));
}

#[test]
fn bytes_do_not_depend_on_the_number_of_threads() {
    let codes = sample_codes(400 * 1001);
    let meta = meta_of(class("10-4"), &Preset::Plain.rules(), &codes);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| encode(&meta, &codes))
    };
    let one = with(1);
    assert!(one == with(3));
    let table = open_bytes(&one).unwrap();
    table.verify().unwrap();
    assert!(all_codes(&table).unwrap() == codes);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_codes_come_back(
        which in prop::sample::select(vec!["12-10", "11-4", "10-4", "3-3", "12-12"]),
        blocks in 1usize..4,
        letters in prop::collection::vec((0u8..=255).prop_map(|byte| if byte & 127 == 127 { 0 } else { byte }), 1..8),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 5000),
    ) {
        let class = class(which);
        let rules = Preset::Plain.rules();
        let size = meta_of(class, &rules, &[0]).entries_per_block() as usize;
        let codes: Vec<u8> = choices.iter().take(size * blocks).map(|choice| letters[choice.index(letters.len())]).collect();
        let meta = meta_of(class, &rules, &codes);
        prop_assert_eq!(read_everything(&encode(&meta, &codes)).unwrap().1, codes);
    }

    #[test]
    fn garbage_is_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..3000), like_a_table in any::<bool>()) {
        if like_a_table {
            let (meta, codes) = tiny();
            let good = encode(&meta, &codes);
            let kept = bytes.len().min(12);
            bytes[..kept].copy_from_slice(&good[..kept]);
        }
        let error = read_everything(&bytes).unwrap_err();
        prop_assert!(error.to_string().starts_with(NAME));
    }

    /// Someone who forges the checksum gets wrong values at worst.
    #[test]
    fn a_forged_head_does_no_harm(changes in prop::collection::vec((24usize..2000, any::<u8>()), 1..4)) {
        let (meta, codes) = sample();
        let mut bytes = encode(&meta, &codes);
        let head = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        for (at, byte) in changes {
            bytes[at % (head - 8)] = byte;
        }
        let head = (u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize).min(bytes.len());
        if head >= 8 {
            let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[..head - 8]);
            bytes[head - 8..head].copy_from_slice(&checksum.to_le_bytes());
        }
        if let Ok((meta, codes)) = read_everything(&bytes) {
            prop_assert!(codes.iter().all(|&byte| Code::from_byte(byte).is_some()));
            prop_assert_eq!(meta.entries(), codes.len() as u64);
        }
    }
}
