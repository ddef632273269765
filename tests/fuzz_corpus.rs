//! What fuzzing has collected, run again: each file of `fuzz/corpus` through the body of its fuzz target.

use std::fs;
use std::path::{Path, PathBuf};

#[path = "../fuzz/bodies/notation.rs"]
mod notation;
#[path = "../fuzz/bodies/open_and_probe.rs"]
mod open_and_probe;

/// The files of a target's corpus in a fixed order.
fn corpus(target: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut files: Vec<PathBuf> = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 20, "{}: {} files", directory.display(), files.len());
    files
}

/// Runs a body on all files and names the one that it panics on.
fn run_all(target: &str, body: fn(&[u8])) {
    for file in corpus(target) {
        let data = fs::read(&file).unwrap();
        let run = std::panic::catch_unwind(|| body(&data));
        assert!(run.is_ok(), "{}: see the panic above", file.display());
    }
}

#[test]
fn no_table_of_the_corpus_makes_a_reader_panic() {
    run_all("open_and_probe", open_and_probe::run);
}

#[test]
fn no_text_of_the_corpus_makes_a_parser_panic() {
    run_all("notation", notation::run);
}

/// Otherwise the corpus would test little but the refusal of checksums.
#[test]
fn tables_of_the_corpus_are_opened_and_decoded() {
    let (mut opened, mut damaged) = (0, 0);
    for file in corpus("open_and_probe") {
        let data = fs::read(&file).unwrap();
        let Some(bytes) = open_and_probe::table_bytes(&data) else { continue };
        let Ok(table) = morabase::table::Table::from_bytes(&file, bytes) else { continue };
        opened += 1;
        damaged += usize::from(table.get(0, 0).is_err());
    }
    assert!(opened >= 20 && damaged >= 5, "{opened} opened, {damaged} with damage behind the head");
}
