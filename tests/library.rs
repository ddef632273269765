//! The library's face as a program with a search of its own uses it.

use std::path::Path;

use morabase::table::Access;
use morabase::{Class, OpenOptions, Position, ProbeError, Tablebase};
use tempfile::TempDir;

use crate::common::files::{change, copy_of_tables};
use crate::common::tables::SHIPPED;
use crate::common::text::position;

const POSITIONS: [&str; 3] = ["W:Wd6,d7,f4,f6:Bb4,d3,g1,g4", "B:Wd6,d7,f4:Bb4,d3,g1,g4", "W:Wd6,d7,f4,b2:Bb4,d3,g1"];

fn directory_of_shipped_tables() -> TempDir {
    copy_of_tables(Path::new(SHIPPED))
}

fn positions(tables: &Tablebase) -> Vec<Position> {
    POSITIONS.iter().map(|text| position(text, tables.rules())).collect()
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
    let directory = directory_of_shipped_tables();
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
    let directory = directory_of_shipped_tables();
    let tables = Tablebase::open([directory.path()]).unwrap();
    let over = position("W:Wa7,d7:Bb6,d6,c5", tables.rules());
    assert_eq!(tables.probe_cached(&over).unwrap(), Some(tables.probe(&over).unwrap()));
}

#[test]
fn memory_is_always_near_and_positioned_reads_never_are() {
    let tables = Tablebase::shipped().unwrap();
    let directory = directory_of_shipped_tables();
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
fn tables_of_the_fewest_cows_are_read_into_memory_as_far_as_there_is_room() {
    let shipped = Tablebase::shipped().unwrap();
    let directory = directory_of_shipped_tables();
    let length = |name: &str| directory.path().join(name).metadata().unwrap().len();
    let up_to_seven = ["3-3.mora", "4-3.mora", "3-4.mora"].map(length).iter().sum::<u64>();
    let open = |in_memory| {
        let options = OpenOptions { access: Access::Positioned, in_memory, ..OpenOptions::default() };
        Tablebase::open_with([directory.path()], &options).unwrap()
    };
    // The positions have eight, seven and seven cows.
    let cases =
        [(0, [false; 3]), (up_to_seven - 1, [false; 3]), (up_to_seven, [false, true, true]), (u64::MAX, [true; 3])];
    for (room, never_waits) in cases {
        let tables = open(room);
        for (position, never_waits) in positions(&shipped).iter().zip(never_waits) {
            assert_eq!(tables.never_waits(position), never_waits, "{room}: {position}");
            assert_eq!(tables.turns(position).unwrap(), shipped.turns(position).unwrap(), "{room}: {position}");
        }
    }
    assert!(!open(u64::MAX).never_waits(&Position::start(shipped.rules())), "there are no tables with cows in hand");

    // Whatever happens to the file, what was read stays.
    let tables = open(u64::MAX);
    change(&directory.path().join("4-4.mora"), |bytes| bytes.truncate(100));
    let position = position(POSITIONS[0], shipped.rules());
    assert_eq!(tables.probe(&position).unwrap(), shipped.probe(&position).unwrap());
}

#[test]
fn preloading_finds_damage_and_names_the_file() {
    let directory = directory_of_shipped_tables();
    let file = directory.path().join("4-4.mora");
    change(&file, |bytes| *bytes.last_mut().unwrap() ^= 1);
    let tables = Tablebase::open([directory.path()]).unwrap();
    let error = tables.preload(Class::moving(4, 4).unwrap()).unwrap_err();
    assert!(matches!(&error, ProbeError::Table(error) if error.file() == file), "{error}");
    let missing = tables.preload(Class::moving(6, 6).unwrap()).unwrap_err();
    assert!(
        matches!(&missing, ProbeError::MissingTable { class, .. } if *class == Class::moving(6, 6).unwrap()),
        "{missing}"
    );
}

#[test]
fn an_error_that_main_returns_prints_as_its_message() {
    let tables = Tablebase::shipped().unwrap();
    let start = Position::start(tables.rules());
    let missing = tables.probe(&start).unwrap_err();
    let text = Position::from_notation("W:", tables.rules()).unwrap_err();
    let illegal = start.apply("d6-d7".parse().unwrap(), tables.rules()).unwrap_err();
    assert_eq!(format!("{missing:?}"), missing.to_string());
    assert_eq!(format!("{text:?}"), text.to_string());
    assert_eq!(format!("{illegal:?}"), illegal.to_string());
    // What `main` returns in a box too.
    let boxed: Box<dyn std::error::Error> = missing.into();
    assert!(format!("{boxed:?}").starts_with("there is no table of class 0-0+12-12"));
}
