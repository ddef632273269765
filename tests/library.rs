//! The library's face as a program with a search of its own uses it.
#![cfg(feature = "shipped")]

use std::fs;
use std::path::Path;

use morabase::table::Access;
use morabase::{Class, OpenOptions, Position, ProbeError, Tablebase};

const POSITIONS: [&str; 3] = ["W:Wd6,d7,f4,f6:Bb4,d3,g1,g4", "B:Wd6,d7,f4:Bb4,d3,g1,g4", "W:Wd6,d7,f4,b2:Bb4,d3,g1"];

fn carried() -> impl Iterator<Item = std::path::PathBuf> {
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tables")).unwrap();
    files.map(|file| file.unwrap().path()).filter(|file| file.extension().is_some_and(|name| name == "mora"))
}

fn directory_of_carried_tables() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for file in carried() {
        fs::copy(&file, directory.path().join(file.file_name().unwrap())).unwrap();
    }
    directory
}

fn positions(tables: &Tablebase) -> Vec<Position> {
    POSITIONS.iter().map(|text| Position::from_notation(text, tables.rules()).unwrap()).collect()
}

#[test]
fn tables_are_shared_between_threads_by_cheap_clones() {
    fn is_shareable<T: Send + Sync + Clone>(_: &T) {}
    let tables = Tablebase::shipped().unwrap();
    is_shareable(&tables);
    let expected: Vec<_> = positions(&tables).iter().map(|position| tables.probe(position).unwrap()).collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let (tables, expected) = (tables.clone(), &expected);
            scope.spawn(move || {
                for (position, expected) in positions(&tables).iter().zip(expected) {
                    assert_eq!(tables.probe(position).unwrap(), *expected);
                }
            });
        }
    });
}

#[test]
fn a_cached_probe_answers_only_from_what_was_read_before() {
    let directory = directory_of_carried_tables();
    let tables = Tablebase::open([directory.path()]).unwrap();
    for position in positions(&tables) {
        assert_eq!(tables.probe_cached(&position).unwrap(), None);
        let probe = tables.probe(&position).unwrap();
        assert_eq!(tables.probe_cached(&position).unwrap(), Some(probe));
    }
    let fresh = Tablebase::open([directory.path()]).unwrap();
    let positions = positions(&fresh);
    fresh.preload(Class::moving(4, 4).unwrap()).unwrap();
    assert_eq!(fresh.probe_cached(&positions[0]).unwrap(), Some(tables.probe(&positions[0]).unwrap()));
    assert_eq!(fresh.probe_cached(&positions[1]).unwrap(), None);
}

#[test]
fn a_cached_probe_knows_what_the_rules_alone_decide() {
    let directory = directory_of_carried_tables();
    let tables = Tablebase::open([directory.path()]).unwrap();
    let over = Position::from_notation("W:Wa7,d7:Bb6,d6,c5", tables.rules()).unwrap();
    assert_eq!(tables.probe_cached(&over).unwrap(), Some(tables.probe(&over).unwrap()));
}

#[test]
fn memory_is_always_near_and_positioned_reads_never_are() {
    let tables = Tablebase::shipped().unwrap();
    let directory = directory_of_carried_tables();
    let options = OpenOptions { access: Access::Positioned, ..OpenOptions::default() };
    let positioned = Tablebase::open_with([directory.path()], &options).unwrap();
    for position in positions(&tables) {
        let probe = tables.probe(&position).unwrap();
        assert_eq!(tables.probe_cached(&position).unwrap(), Some(probe));
        assert_eq!(positioned.probe(&position).unwrap(), probe);
        assert_eq!(positioned.probe_cached(&position).unwrap(), None);
    }
}

#[test]
fn preloading_finds_damage_and_names_the_file() {
    let directory = directory_of_carried_tables();
    let file = directory.path().join("4-4.mora");
    let mut bytes = fs::read(&file).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&file, bytes).unwrap();
    let tables = Tablebase::open([directory.path()]).unwrap();
    let error = tables.preload(Class::moving(4, 4).unwrap()).unwrap_err();
    assert!(matches!(&error, ProbeError::Table(error) if error.file() == file), "{error}");
    let missing = tables.preload(Class::moving(6, 6).unwrap()).unwrap_err();
    assert!(matches!(missing, ProbeError::MissingTable { .. }), "{missing}");
}
