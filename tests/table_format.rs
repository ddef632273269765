//! The table format, from outside: what is written comes back by every way of reading, and damage is named.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use morabase::store::file_name;
use morabase::table::{
    Access, Bytes, Counts, DtcCount, FORMAT_VERSION, FileSource, Overwrite, PLACING_FORMAT_VERSION, Source, Table,
    TableError, TableFault, TableMeta, encode_table, write_table,
};
use morabase::{Alphabet, Class, Plies, Preset, RuleSet, Value, Wdl};
use proptest::prelude::*;

use crate::common::files::names;
use crate::common::positions::pick;
use crate::common::random::Random;
use crate::common::text::class;

/// A head that fits these values, each entry counted once.
fn meta_of(class: Class, rules: &RuleSet, values: &[Value]) -> TableMeta {
    let longest = values.iter().filter_map(|value| value.dtc()).max();
    let mut dtc = vec![DtcCount::default(); longest.map_or(0, |plies| usize::from(plies.0) + 1)];
    let mut counts = Counts::default();
    for value in values {
        let row = value.dtc().map(|Plies(plies)| &mut dtc[usize::from(plies)]);
        match (value.wdl(), row) {
            (Wdl::Won, Some(row)) => (counts.won, row.won) = (counts.won + 1, row.won + 1),
            (Wdl::Lost, Some(row)) => (counts.lost, row.lost) = (counts.lost + 1, row.lost + 1),
            (Wdl::Won, None) => counts.won += 1,
            (Wdl::Lost, None) => counts.lost += 1,
            (Wdl::Drawn, _) => counts.drawn += 1,
        }
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
    meta.blocks = values.len() as u32 / meta.entries_per_block();
    meta
}

/// The values in the alphabet of the head.
fn symbols(meta: &TableMeta, values: &[Value]) -> Vec<u8> {
    let alphabet = meta.alphabet().unwrap();
    values.iter().map(|&value| alphabet.symbol(value).unwrap()).collect()
}

fn encode(meta: &TableMeta, values: &[Value]) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let length = encode_table(&mut file, meta, &symbols(meta, values)[..]).unwrap();
    assert_eq!(length, file.get_ref().len() as u64);
    file.into_inner()
}

const fn won(plies: u16) -> Value {
    Value::Won(Plies(plies))
}

const fn lost(plies: u16) -> Value {
    Value::Lost(Plies(plies))
}

const DRAWN: Value = Value::Drawn;

/// Values with runs, noise, stretches of one value, and every so often something rare.
fn sample_values(count: usize) -> Vec<Value> {
    let rare = [DRAWN, won(1), won(2), won(3), won(5), lost(2), lost(3), lost(4), lost(187), won(506)];
    // Not the generator of other tests: the golden files were made of these numbers.
    let mut state = 0x1234_5678_9abc_def0u64;
    let mut last = DRAWN;
    (0..count)
        .map(|at| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let dice = state >> 33;
            if at / 500 % 3 == 1 {
                last = lost(0);
            } else if at / 500 % 7 == 2 {
                last = rare[dice as usize % 10];
            } else if dice.is_multiple_of(5) {
                last = [DRAWN, DRAWN, DRAWN, won(1), won(3), lost(2)][(dice / 5) as usize % 6];
            }
            last
        })
        .collect()
}

/// Class 10-4 has 1,001 entries per block: several units in each.
fn sample() -> (TableMeta, Vec<Value>) {
    let values = sample_values(3 * 1001);
    (meta_of(class("10-4"), &Preset::Gar.rules(), &values), values)
}

/// A table of a few hundred bytes: 12-11 has twelve entries per block, so units gather blocks.
fn tiny() -> (TableMeta, Vec<Value>) {
    let mut values = sample_values(12 * 60);
    values[240..].fill(lost(2));
    (meta_of(class("12-11"), &Preset::Plain.rules(), &values), values)
}

/// With cows in hand there are results without plies.
fn uncounted(values: Vec<Value>) -> Vec<Value> {
    values.into_iter().map(|value| Value::uncounted(value.wdl())).collect()
}

/// Class 10-4 with cows in hand.
fn placing() -> (TableMeta, Vec<Value>) {
    let values = uncounted(sample_values(3 * 1001));
    (meta_of(class("10-4+1-1"), &Preset::Gar.rules(), &values), values)
}

fn all_values<S: Source>(table: &Table<S>) -> Result<Vec<Value>, TableError> {
    let mut out = vec![0; table.meta().entries() as usize];
    table.decode_all(&mut out)?;
    Ok(out.into_iter().map(|symbol| table.alphabet().value(symbol).unwrap()).collect())
}

/// Every way of reading gives these values.
fn assert_reads<S: Source>(table: &Table<S>, values: &[Value]) {
    let size = table.meta().entries_per_block() as usize;
    table.verify().unwrap();
    assert_eq!(all_values(table).unwrap(), values);
    for (block, expected) in values.chunks(size).enumerate() {
        let mut out = vec![0; size];
        table.decode_block(block as u32, &mut out).unwrap();
        assert_eq!(out, symbols(table.meta(), expected), "block {block}");
        for (entry, &value) in expected.iter().enumerate() {
            assert_eq!(table.get(block as u32, entry as u32).unwrap(), value, "block {block}, entry {entry}");
        }
    }
}

const NAME: &str = "some/10-4.mora";

fn open_bytes(bytes: &[u8]) -> Result<Table<Bytes<&[u8]>>, TableError> {
    Table::from_bytes(Path::new(NAME), bytes)
}

/// What reading these bytes gives: the values, or an error that names the file.
fn read_everything(bytes: &[u8]) -> Result<(TableMeta, Vec<Value>), TableError> {
    let table = open_bytes(bytes)?;
    let size = table.meta().entries_per_block();
    // Probes and whole decoding touch the frames for the first time on tables of their own.
    let whole = all_values(&open_bytes(bytes)?)?;
    for (at, &value) in whole.iter().enumerate() {
        let found = table.get(at as u32 / size, at as u32 % size)?;
        assert_eq!(found, value);
    }
    Ok((table.meta().clone(), whole))
}

#[test]
fn every_way_of_reading_agrees() {
    let directory = tempfile::tempdir().unwrap();
    for (meta, values) in [sample(), tiny(), placing()] {
        let path = directory.path().join(file_name(meta.class));
        let length = write_table(&path, &meta, &symbols(&meta, &values)[..], Overwrite::Refuse).unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes.len() as u64, length);
        assert_eq!(bytes, encode(&meta, &values));
        assert_reads(&Table::from_bytes(&path, bytes.clone()).unwrap(), &values);
        assert_reads(&Table::from_bytes(&path, &bytes[..]).unwrap(), &values);
        for access in [Access::Map, Access::Positioned] {
            let table = Table::open(&path, access).unwrap();
            assert_eq!(table.meta(), &meta);
            assert_eq!(table.file_length(), length);
            assert_reads(&table, &values);
        }
    }
}

#[test]
fn every_kind_of_class_comes_back() {
    for (text, blocks) in [("3-3", 2), ("12-12", 1000), ("12-3", 9), ("3-9", 1), ("11-12", 77), ("9-9", 1), ("6-7", 1)]
    {
        let class = class(text);
        for rules in [Preset::Plain.rules(), Preset::NineMensMorris.rules()] {
            let size = meta_of(class, &rules, &[DRAWN]).entries_per_block() as usize;
            let values = sample_values(size * blocks);
            let meta = meta_of(class, &rules, &values);
            assert_reads(&open_bytes(&encode(&meta, &values)).unwrap(), &values);
        }
    }
}

#[test]
fn every_kind_of_class_with_cows_in_hand_comes_back() {
    for (text, blocks) in
        [("0-0+12-12", 1), ("0-1+12-11", 1), ("1-0+11-11", 3), ("3-3+1-1", 2), ("11-12+1-0", 77), ("2-10+2-1", 20)]
    {
        for wanted in [&[Wdl::Won, Wdl::Lost][..], &[Wdl::Lost], &[]] {
            let (class, rules) = (class(text), Preset::Plain.rules());
            let size = meta_of(class, &rules, &[DRAWN]).entries_per_block() as usize;
            let value =
                |value: Value| if wanted.contains(&value.wdl()) { Value::uncounted(value.wdl()) } else { DRAWN };
            let values: Vec<Value> = sample_values(size * blocks).into_iter().map(value).collect();
            let meta = meta_of(class, &rules, &values);
            assert_reads(&open_bytes(&encode(&meta, &values)).unwrap(), &values);
        }
    }
}

#[test]
fn a_head_with_cows_in_hand_has_its_own_version_and_no_list_by_dtc() {
    let (meta, values) = placing();
    let good = encode(&meta, &values);
    assert_eq!(good[8..12], PLACING_FORMAT_VERSION.to_le_bytes());
    assert_eq!((&good[32..36], &good[102..104]), (&[10, 4, 1, 1][..], &[0, 0][..]));
    let with = |at: usize, new: &[u8]| {
        let mut bytes = good.clone();
        bytes[at..at + new.len()].copy_from_slice(new);
        let head = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[..head - 8]);
        bytes[head - 8..head].copy_from_slice(&checksum.to_le_bytes());
        read_everything(&bytes).map(|(meta, _)| meta.class).map_err(|error| error.to_string())
    };
    let refused = with(8, &FORMAT_VERSION.to_le_bytes()).unwrap_err();
    assert!(refused.contains("expected version 4 for class 10-4+1-1, found version 3"), "{refused}");
    let refused = with(34, &[0, 0]).unwrap_err();
    assert!(refused.contains("expected version 3 for class 10-4, found version 4"), "{refused}");
    let refused = with(34, &[3, 1]).unwrap_err();
    assert!(refused.contains("3 to 12 cows on each side"), "{refused}");
    // Whether it is the class of the file's name and one of its rules is for who opens it to say.
    assert_eq!(with(34, &[2, 1]), Ok(class("10-4+2-1")));

    let mut listed = meta;
    listed.dtc = vec![DtcCount::default(); 2];
    let error = encode_table(&mut Cursor::new(Vec::new()), &listed, &symbols(&listed, &values)[..]).unwrap_err();
    assert!(error.to_string().contains("plies are not counted with cows in hand"), "{error}");
}

#[test]
fn a_table_of_one_value_costs_next_to_nothing() {
    for value in [DRAWN, won(1), lost(2)] {
        let values = vec![value; 200 * 1001];
        let bytes = encode(&meta_of(class("10-4"), &Preset::Plain.rules(), &values), &values);
        assert!(bytes.len() < values.len() / 200, "{}", bytes.len());
        assert_eq!(read_everything(&bytes).unwrap().1, values);
    }
}

/// As many different values as there can be.
fn noise(count: usize) -> Vec<Value> {
    let mut random = Random::new(1);
    let all: Vec<Value> =
        (0..127).flat_map(|plies| [won(3 * plies + 1), lost(4 * plies + 2)]).take(253).chain([DRAWN]).collect();
    (0..count).map(|_| pick(&mut random, &all)).collect()
}

#[test]
fn noise_of_all_values_costs_little_more_than_its_bytes() {
    let values = noise(50 * 1001);
    let meta = meta_of(class("10-4"), &Preset::Plain.rules(), &values);
    assert_eq!(meta.alphabet().unwrap().values().len(), Alphabet::MOST);
    let bytes = encode(&meta, &values);
    assert!(bytes.len() < values.len() * 21 / 20 + 4000 + 16 * meta.dtc.len(), "{}", bytes.len());
    assert_reads(&open_bytes(&bytes).unwrap(), &values);
}

#[test]
fn a_head_with_more_values_than_symbols_or_too_long_a_distance_is_refused() {
    let mut meta = meta_of(class("10-4"), &Preset::Plain.rules(), &noise(1001 * 50));
    let refused = |meta: &TableMeta| {
        let error = encode_table(&mut Cursor::new(Vec::new()), meta, &vec![0; 1001 * 50][..]).unwrap_err().to_string();
        assert!(meta.alphabet().is_none());
        error
    };
    (meta.dtc[3].won, meta.full.won) = (1, meta.full.won + 1);
    assert!(refused(&meta).contains("at most 254 different values"), "{}", refused(&meta));
    let mut meta = meta_of(class("10-4"), &Preset::Plain.rules(), &vec![won(1); 50 * 1001]);
    meta.dtc.resize(508, DtcCount::default());
    (meta.dtc[507].lost, meta.full.lost) = (1, 1);
    assert!(refused(&meta).contains("at most 506 plies"), "{}", refused(&meta));
}

/// The bytes of a version of the format never change. After a change of the version, write new golden files with
/// `MORABASE_WRITE_GOLDEN=1 cargo test golden`.
#[test]
fn golden_files_pin_the_format() {
    for (name, (meta, values)) in [("sample", sample()), ("tiny", tiny()), ("placing", placing())] {
        let version = if meta.class.has_hands() { PLACING_FORMAT_VERSION } else { FORMAT_VERSION };
        let path = format!("{}/tests/data/{name}-v{version}.mora", env!("CARGO_MANIFEST_DIR"));
        let bytes = encode(&meta, &values);
        if std::env::var_os("MORABASE_WRITE_GOLDEN").is_some() {
            fs::write(&path, &bytes).unwrap();
        }
        let golden = fs::read(&path).unwrap();
        assert_eq!(read_everything(&golden).unwrap(), (meta, values), "{name}");
        assert!(bytes == golden, "{name}: the writer's bytes changed");
    }
}

#[test]
fn a_flipped_bit_is_reported_with_the_files_name() {
    let (meta, values) = tiny();
    let good = encode(&meta, &values);
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
    let (meta, values) = tiny();
    let mut bytes = encode(&meta, &values);
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
    let (meta, values) = sample();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("10-4.mora");
    let length = write_table(&path, &meta, &symbols(&meta, &values)[..], Overwrite::Refuse).unwrap();
    let table = Table::open(&path, Access::Positioned).unwrap();
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(length - 1).unwrap();
    let error = table.get(2, 1000).unwrap_err();
    assert!(matches!(error.fault(), TableFault::Io { .. }), "{error}");
    assert_eq!(error.file(), path);
}

#[test]
fn other_versions_are_refused_with_advice() {
    let (meta, values) = tiny();
    let mut bytes = encode(&meta, &values);
    for (version, advice) in [
        (1u32, "build the table again"),
        (2, "build the table again"),
        (PLACING_FORMAT_VERSION + 1, "newer version of this program"),
    ] {
        bytes[8..12].copy_from_slice(&version.to_le_bytes());
        let error = open_bytes(&bytes).map(drop).unwrap_err();
        assert!(matches!(error.fault(), TableFault::Version { .. }));
        assert!(error.to_string().contains(advice), "{error}");
    }
}

#[test]
fn what_is_not_there_is_out_of_range() {
    let (meta, values) = sample();
    let bytes = encode(&meta, &values);
    let table = open_bytes(&bytes).unwrap();
    for (block, entry) in [(3, 0), (0, 1001), (u32::MAX, 0), (0, u32::MAX)] {
        assert!(matches!(table.get(block, entry).unwrap_err().fault(), TableFault::OutOfRange { .. }));
    }
    assert!(matches!(table.decode_block(3, &mut [0; 1001]).unwrap_err().fault(), TableFault::OutOfRange { .. }));
    assert!(matches!(table.decode_block(0, &mut [0; 1000]).unwrap_err().fault(), TableFault::Buffer { .. }));
    assert!(matches!(table.decode_all(&mut [0; 1001]).unwrap_err().fault(), TableFault::Buffer { .. }));
}

#[test]
fn a_writer_that_fails_midway_leaves_nothing() {
    let (meta, values) = sample();
    let mut symbols = symbols(&meta, &values);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("10-4.mora");
    // The first that the alphabet does not have, and those that none has.
    for bad in [meta.alphabet().unwrap().values().len() as u8, 254, 255] {
        *symbols.last_mut().unwrap() = bad;
        let error = write_table(&path, &meta, &symbols[..], Overwrite::Refuse).unwrap_err();
        assert!(matches!(error.fault(), TableFault::BadInput { .. }), "{error}");
        assert!(names(directory.path()).is_empty());
    }
}

#[test]
fn a_writer_refuses_too_few_or_too_many_symbols() {
    let (meta, values) = sample();
    let symbols = symbols(&meta, &values);
    let longer = [&symbols[..], &[0]].concat();
    for symbols in [&symbols[1..], &longer[..]] {
        let error = encode_table(&mut Cursor::new(Vec::new()), &meta, symbols).unwrap_err();
        assert!(matches!(error, TableFault::BadInput { what: "number of symbols", .. }), "{error}");
    }
}

#[test]
fn a_writer_refuses_a_head_that_contradicts_itself() {
    let (good, values) = sample();
    let symbols = symbols(&good, &values);
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
        let error = encode_table(&mut Cursor::new(Vec::new()), &meta, &symbols[..]).unwrap_err();
        assert!(matches!(error, TableFault::BadInput { .. }), "{error}");
    }
}

#[test]
fn an_existing_file_is_kept_unless_replacing_is_asked_for() {
    let (meta, values) = tiny();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("12-11.mora");
    fs::write(&path, "mine").unwrap();
    let error = write_table(&path, &meta, &symbols(&meta, &values)[..], Overwrite::Refuse).unwrap_err();
    assert!(matches!(error.fault(), TableFault::Exists));
    assert_eq!(fs::read(&path).unwrap(), b"mine");
    // A failure keeps it too.
    let mut spoilt = symbols(&meta, &values);
    spoilt[0] = 99;
    assert!(write_table(&path, &meta, &spoilt[..], Overwrite::Replace).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"mine");
    write_table(&path, &meta, &symbols(&meta, &values)[..], Overwrite::Replace).unwrap();
    assert_reads(&Table::open(&path, Access::Map).unwrap(), &values);
    assert_eq!(names(directory.path()), ["12-11.mora"]);
}

#[test]
fn a_directory_that_is_not_there_is_named() {
    let (meta, values) = tiny();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("missing/12-11.mora");
    let error = write_table(&path, &meta, &symbols(&meta, &values)[..], Overwrite::Refuse).unwrap_err();
    assert!(matches!(error.fault(), TableFault::Io { .. }));
    assert!(error.to_string().contains("missing"));
    assert!(FileSource::open(&path, Access::Map).is_err());
    assert!(Table::open(&path, Access::Positioned).map(drop).unwrap_err().to_string().contains("missing"));
}

#[test]
fn bytes_do_not_depend_on_the_number_of_threads() {
    let values = sample_values(400 * 1001);
    let meta = meta_of(class("10-4"), &Preset::Plain.rules(), &values);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| encode(&meta, &values))
    };
    let one = with(1);
    assert!(one == with(3));
    let table = open_bytes(&one).unwrap();
    table.verify().unwrap();
    assert!(all_values(&table).unwrap() == values);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_values_come_back(
        which in prop::sample::select(vec!["12-10", "11-4", "10-4", "3-3", "12-12"]),
        blocks in 1usize..4,
        letters in prop::collection::vec(prop_oneof![Just(DRAWN), (1..507u16).prop_map(won), (0..507u16).prop_map(lost)], 1..8),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 5000),
    ) {
        let class = class(which);
        let rules = Preset::Plain.rules();
        let size = meta_of(class, &rules, &[DRAWN]).entries_per_block() as usize;
        let values: Vec<Value> = choices.iter().take(size * blocks).map(|choice| letters[choice.index(letters.len())]).collect();
        let meta = meta_of(class, &rules, &values);
        prop_assert_eq!(read_everything(&encode(&meta, &values)).unwrap().1, values);
    }

    #[test]
    fn garbage_is_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..3000), like_a_table in any::<bool>()) {
        if like_a_table {
            let (meta, values) = tiny();
            let good = encode(&meta, &values);
            let kept = bytes.len().min(12);
            bytes[..kept].copy_from_slice(&good[..kept]);
        }
        let error = read_everything(&bytes).unwrap_err();
        prop_assert!(error.to_string().starts_with(NAME));
    }

    /// Someone who forges the checksum gets wrong values at worst.
    #[test]
    fn a_forged_head_does_no_harm(changes in prop::collection::vec((24usize..2000, any::<u8>()), 1..4)) {
        let (meta, values) = sample();
        let mut bytes = encode(&meta, &values);
        let head = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        for (at, byte) in changes {
            bytes[at % (head - 8)] = byte;
        }
        let head = (u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize).min(bytes.len());
        if head >= 8 {
            let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[..head - 8]);
            bytes[head - 8..head].copy_from_slice(&checksum.to_le_bytes());
        }
        if let Ok((meta, values)) = read_everything(&bytes) {
            prop_assert!(values.iter().all(|value| meta.alphabet().unwrap().values().contains(value)));
            prop_assert_eq!(meta.entries(), values.len() as u64);
        }
    }
}
