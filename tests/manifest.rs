//! The real binary on manifests: written, held against the same set and against damaged ones, and read by the usual tool.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;

use assert_cmd::assert::OutputAssertExt;
use morabase::Tablebase;
use morabase::manifest::{Manifest, ManifestError, Progress};
use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::common::cli::{json, morabase, on, stderr, stdout};
use crate::common::files::{change, copy_of_tables, names};
use crate::common::tables::{SHIPPED, built};
use crate::common::text::wide;
use crate::common::tools::have;

static GAR: LazyLock<TempDir> = LazyLock::new(|| built("gar", &["--max-cows", "7"]));
static PLAIN: LazyLock<TempDir> = LazyLock::new(|| built("plain", &["--max-cows", "6"]));

/// The manifest of `GAR`.
static TEXT: LazyLock<String> = LazyLock::new(|| stdout(&mut on(GAR.path(), &["manifest"])));

/// A copy of the tables of `GAR`, and the manifest beside it.
struct Copy {
    tables: TempDir,
    place: TempDir,
}

impl Copy {
    fn new() -> Self {
        let copy = Self { tables: copy_of_tables(GAR.path()), place: TempDir::new().unwrap() };
        copy.write(&TEXT);
        copy
    }

    fn manifest(&self) -> PathBuf {
        self.place.path().join("gar.manifest")
    }

    fn write(&self, text: &str) {
        fs::write(self.manifest(), text).unwrap();
    }

    fn table(&self, name: &str) -> PathBuf {
        self.tables.path().join(name)
    }

    fn verify(&self, arguments: &[&str]) -> Command {
        verify(&self.manifest(), self.tables.path(), arguments)
    }

    /// What is found of each file.
    fn findings(&self, arguments: &[&str]) -> Vec<(String, String)> {
        let output = self.verify(arguments).arg("--json").output().unwrap();
        let report: Json = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)));
        assert_eq!(report["sound"], output.status.success(), "{report}");
        let files = report["manifest"]["files"].as_array().unwrap();
        let text = |file: &Json, key: &str| file[key].as_str().unwrap().to_owned();
        files.iter().map(|file| (text(file, "class"), text(file, "finding"))).collect()
    }
}

fn verify(manifest: &Path, tables: &Path, arguments: &[&str]) -> Command {
    let mut command = on(tables, &["verify"]);
    command.arg("--manifest").arg(manifest).args(arguments);
    command
}

fn found(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(class, finding)| ((*class).to_owned(), (*finding).to_owned())).collect()
}

#[test]
fn a_manifest_is_the_same_with_any_number_of_threads_and_its_own_set_is_sound() {
    let lines: Vec<&str> = TEXT.lines().collect();
    assert_eq!(lines[0], "# morabase manifest 1");
    assert!(lines[1].starts_with("# rules morabaraba;cows=12;") && lines[2] == "# files 3", "{}", *TEXT);
    let files: Vec<&str> = lines.iter().filter_map(|line| Some(line.split_once("  ")?.1)).collect();
    assert_eq!(files, ["3-3.mora", "4-3.mora", "3-4.mora"]);
    for options in [&["--threads", "1"][..], &["--threads", "3", "--no-mmap"], &["--quiet"]] {
        assert_eq!(stdout(on(GAR.path(), &["manifest"]).args(options)), *TEXT);
    }
    let copy = Copy::new();
    copy.verify(&[])
        .assert()
        .success()
        .stdout(contains("4-3.mora").and(contains("bytes: sound\n3 files: 3 sound\n")))
        .stderr(is_empty());
    copy.verify(&["--quiet"]).assert().success().stdout("");
}

#[test]
fn a_manifest_goes_into_a_file_and_never_over_another_unasked() {
    let place = TempDir::new().unwrap();
    let file = place.path().join("gar.manifest");
    let write = |arguments: &[&str]| {
        let mut command = on(GAR.path(), &["manifest"]);
        command.arg("--output").arg(&file).args(arguments);
        command
    };
    write(&[]).assert().success().stdout(starts_with("3 files, ").and(contains("gar.manifest")));
    assert_eq!(fs::read_to_string(&file).unwrap(), *TEXT);
    fs::write(&file, "mine").unwrap();
    write(&[]).assert().code(1).stdout("").stderr(contains("exists already").and(contains("--overwrite")));
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    let object = json(&mut write(&["--overwrite", "--json"]));
    assert_eq!(fs::read_to_string(&file).unwrap(), *TEXT);
    assert_eq!(names(place.path()), ["gar.manifest"]);
    let files = object["files"].as_array().unwrap();
    let hashes: Vec<&str> = files.iter().map(|file| file["sha256"].as_str().unwrap()).collect();
    assert!(hashes.len() == 3 && hashes.iter().all(|hash| TEXT.contains(hash)), "{object}");
    let length = fs::metadata(GAR.path().join("3-3.mora")).unwrap().len();
    assert_eq!((&files[0]["class"], &files[0]["file"]), (&"3-3".into(), &"3-3.mora".into()));
    assert_eq!(files[0]["bytes"], length);
    let bytes: u64 = files.iter().map(|file| file["bytes"].as_u64().unwrap()).sum();
    assert_eq!(object["bytes"], bytes);
    assert_eq!(json(&mut on(GAR.path(), &["manifest", "--json"])), object);
    on(GAR.path(), &["manifest", "--overwrite"]).assert().code(2).stderr(contains("--output"));
    let nowhere = place.path().join("nowhere/gar.manifest");
    on(GAR.path(), &["manifest"]).arg("--output").arg(nowhere).assert().code(1).stderr(contains("gar.manifest"));
}

#[test]
fn work_that_is_stopped_ends_with_neither_a_manifest_nor_findings() {
    let tables = Tablebase::open([GAR.path()]).unwrap();
    let stopped = Progress { cancel: true.into(), ..Progress::default() };
    assert!(matches!(Manifest::of(&tables, &stopped), Err(ManifestError::Stopped)));
    let manifest: Manifest = TEXT.parse().unwrap();
    assert!(matches!(manifest.check(&tables, &[], &stopped), Err(ManifestError::Stopped)));
    let progress = Progress::default();
    assert_eq!(Manifest::of(&tables, &progress).unwrap(), manifest);
    assert_eq!([progress.total, progress.done].map(AtomicU64::into_inner), [manifest.bytes(); 2]);
}

#[test]
fn there_is_no_manifest_of_damaged_tables_or_of_none() {
    let copy = Copy::new();
    change(&copy.table("4-3.mora"), |bytes| bytes.truncate(100));
    let output = copy.place.path().join("new");
    on(copy.tables.path(), &["manifest"]).arg("--output").arg(&output).assert().code(1).stderr(contains("4-3.mora"));
    assert!(!output.exists());
    let empty = TempDir::new().unwrap();
    on(empty.path(), &["manifest"]).assert().code(1).stderr(contains("there are no tables here"));
}

#[test]
fn a_flipped_byte_is_named_with_both_hashes_wherever_it_is() {
    // In the magic bytes, where the head cannot be read either, and in the data.
    for place in [3, 20_000] {
        let copy = Copy::new();
        change(&copy.table("3-4.mora"), |bytes| bytes[place] ^= 1);
        let expected = TEXT.lines().find(|line| line.ends_with("3-4.mora")).unwrap().split_once("  ").unwrap().0;
        copy.verify(&[])
            .assert()
            .code(1)
            .stdout(contains("3-4.mora  differs: SHA-256 ").and(contains(format!("expected {expected}"))))
            .stderr(contains("gar.manifest: not this set: 3 files: 2 sound, 1 differs\n"));
        copy.verify(&["--quiet"]).assert().code(1).stdout(contains("3-4.mora").and(contains("sound").not()));
        let findings = found(&[("3-3", "sound"), ("4-3", "sound"), ("3-4", "other-sha256")]);
        assert_eq!(copy.findings(&[]), findings);
        copy.verify(&["--class", "3-3", "--class", "4-3"]).assert().success();
        copy.verify(&["--class", "3-4"]).assert().code(1);
    }
}

#[test]
fn a_truncated_or_longer_file_is_named_with_both_lengths() {
    let length = fs::metadata(GAR.path().join("4-3.mora")).unwrap().len() as usize;
    for other in [0, 5, length - 1, length + 1] {
        let copy = Copy::new();
        change(&copy.table("4-3.mora"), |bytes| bytes.resize(other, 0));
        assert_eq!(copy.findings(&[])[1], ("4-3".to_owned(), "other-bytes".to_owned()));
        copy.verify(&[]).assert().code(1).stdout(contains("4-3.mora  differs: ").and(contains(" bytes, expected ")));
        let report = copy.verify(&["--json"]).output().unwrap();
        let report: Json = serde_json::from_slice(&report.stdout).unwrap();
        let file = &report["manifest"]["files"][1];
        let texts = [&file["expected"], &file["found"]].map(|text| text.as_str().unwrap());
        assert_eq!(texts, [length, other].map(|bytes| bytes.to_string()));
    }
}

#[test]
fn a_missing_file_is_a_fault_unless_only_others_were_asked_for() {
    let copy = Copy::new();
    fs::remove_file(copy.table("3-4.mora")).unwrap();
    assert_eq!(copy.findings(&[]), found(&[("3-3", "sound"), ("4-3", "sound"), ("3-4", "missing")]));
    copy.verify(&[]).assert().code(1).stdout(contains("3-4.mora  missing\n")).stderr(contains("2 sound, 1 missing"));
    assert_eq!(copy.findings(&["--class", "4-3"]), found(&[("4-3", "sound")]));
    copy.verify(&["--class", "3-4"]).assert().code(1).stderr(contains("0 sound, 1 missing"));
    copy.verify(&["--class", "9-9"]).assert().code(2).stderr(contains("names no table of class 9-9"));
}

#[test]
fn a_table_that_the_manifest_does_not_name_is_mentioned_and_other_files_are_not() {
    let copy = Copy::new();
    let text = TEXT.replace("# files 3", "# files 2");
    let (kept, _) = text.rsplit_once("# bytes").unwrap();
    copy.write(kept);
    fs::write(copy.table("notes.txt"), "mine").unwrap();
    assert_eq!(copy.findings(&[]), found(&[("3-3", "sound"), ("4-3", "sound"), ("3-4", "not-listed")]));
    copy.verify(&[]).assert().success().stdout(
        contains("3-4.mora  not named by the manifest\n2 files: 2 sound; 1 more not named by the manifest\n")
            .and(contains("notes").not()),
    );
    // A file that is no table under the name of one is mentioned likewise.
    fs::write(copy.table("5-5.mora"), "mine").unwrap();
    assert_eq!(copy.findings(&[])[3], ("5-5".to_owned(), "not-listed".to_owned()));
    // Under the name of one that the manifest has it is another file.
    fs::copy(copy.table("3-4.mora"), copy.table("4-3.mora")).unwrap();
    assert_ne!(copy.findings(&[])[1].1, "sound");
}

#[test]
fn a_manifest_with_the_line_ends_of_windows_is_the_same() {
    let copy = Copy::new();
    copy.write(&TEXT.replace('\n', "\r\n"));
    copy.verify(&[]).assert().success().stdout(contains("3 files: 3 sound"));
}

#[test]
fn a_byte_order_mark_is_ignored_and_utf_16_is_named() {
    let copy = Copy::new();
    copy.write(&format!("\u{feff}{}", *TEXT));
    copy.verify(&[]).assert().success().stdout(contains("3 files: 3 sound"));
    fs::write(copy.manifest(), wide(&TEXT)).unwrap();
    copy.verify(&[])
        .assert()
        .code(1)
        .stdout("")
        .stderr(contains("gar.manifest: line 1: the manifest looks like UTF-16"));
}

#[test]
fn tables_of_other_rules_are_refused_before_anything_is_read() {
    let copy = Copy::new();
    let both = contains("counter=none").and(contains("counter=when-three:20"));
    verify(&copy.manifest(), PLAIN.path(), &[])
        .assert()
        .code(2)
        .stdout("")
        .stderr(both.and(contains("other rules than the manifest")));
    copy.verify(&["--rules", "plain"]).assert().code(2).stdout("");
    let known = TEXT.lines().nth(1).unwrap();
    copy.write(&TEXT.replace(known, "# rules morabaraba;cows=12;fly=9000"));
    copy.verify(&[]).assert().code(1).stdout("").stderr(contains("gar.manifest: line 2: rules: "));
}

#[test]
fn malformed_manifests_are_refused_by_line() {
    let copy = Copy::new();
    let hash = "  4-3.mora";
    let hostile = ["/etc/passwd", "/4-3.mora", "../4-3.mora", "sub/4-3.mora", "..\\4-3.mora", "4-3.raw"];
    for name in hostile {
        copy.write(&TEXT.replace(hash, &format!("  {name}")));
        let says = contains("gar.manifest: line 7: file ").and(contains("without a directory"));
        copy.verify(&[]).assert().code(1).stdout("").stderr(says);
    }
    let cases: [(&str, &str, &str); 6] = [
        ("# morabase manifest 1", "# morabase manifest 7", "line 1: not a manifest"),
        (hash, " 4-3.mora", "line 7: expected 64 hexadecimal digits, two spaces"),
        (hash, "0  4-3.mora", "line 7: expected a SHA-256"),
        (hash, "  3-3.mora", "line 7: class 3-3 is named twice"),
        ("# files 3", "# files 4", "expected 4 files, found 3"),
        ("# bytes ", "# bytes x", "line 4: # bytes: expected a whole number"),
    ];
    for (from, to, says) in cases {
        copy.write(&TEXT.replacen(from, to, 1));
        let alone = predicate::function(|text: &str| text.lines().count() == 1 && text.starts_with("error: "));
        copy.verify(&[]).assert().code(1).stdout("").stderr(contains(says).and(alone));
    }
    fs::write(copy.manifest(), [0xff; 2000]).unwrap();
    copy.verify(&[]).assert().code(1).stderr(contains("line 1: not a manifest"));
    fs::write(copy.manifest(), vec![b'#'; 2 << 20]).unwrap();
    copy.verify(&[]).assert().code(1).stderr(contains("expected at most"));
    fs::remove_file(copy.manifest()).unwrap();
    copy.verify(&[]).assert().code(2).stderr(contains("gar.manifest: cannot read this manifest"));
}

#[test]
fn other_checks_come_after_the_manifest_where_they_are_asked_for() {
    let copy = Copy::new();
    let report = json(&mut copy.verify(&["--json"]));
    assert_eq!((report["sound"].as_bool(), report["classes"].as_array().map(Vec::len)), (Some(true), Some(0)));
    for (mode, probed) in [(&["--files"][..], 0), (&["--sample", "300"], 300)] {
        let report = json(copy.verify(mode).arg("--json"));
        let classes = report["classes"].as_array().unwrap();
        assert_eq!(classes.iter().map(|class| class["probed"].as_u64().unwrap()).sum::<u64>(), probed);
        assert_eq!(report["manifest"]["sound"], true);
        copy.verify(mode).assert().success().stdout(contains("3 files: 3 sound\n3-3  "));
    }
    // Both say what is wrong, in one line.
    change(&copy.table("3-4.mora"), |bytes| bytes[20_000] ^= 1);
    let says = contains("2 sound, 1 differs; faults: 1, in 1 of 3 classes");
    copy.verify(&["--files"]).assert().code(1).stderr(says);
    // Without a manifest the object is as before.
    assert_eq!(json(&mut on(GAR.path(), &["verify", "--files", "--json"])).get("manifest"), None);
}

#[test]
fn tables_with_cows_in_hand_come_after_the_others() {
    let game = built("gar", &["--cows", "3", "--game"]);
    let text = stdout(&mut on(game.path(), &["manifest"]));
    let files: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once("  ")?.1)).collect();
    assert_eq!(
        files,
        ["3-3.mora", "2-3+1-0.mora", "2-2+1-1.mora", "1-2+2-1.mora", "1-1+2-2.mora", "0-1+3-2.mora", "0-0+3-3.mora"]
    );
    let place = TempDir::new().unwrap();
    let file = place.path().join("three.manifest");
    fs::write(&file, text).unwrap();
    verify(&file, game.path(), &[]).assert().success().stdout(contains("7 files: 7 sound"));
}

#[test]
fn the_usual_tool_takes_a_manifest_and_finds_the_same() {
    if !have(&["sha256sum"]) {
        return;
    }
    let copy = Copy::new();
    let check = || {
        let mut command = Command::new("sha256sum");
        command.args(["--check", "--strict"]).arg(copy.manifest()).current_dir(copy.tables.path()).env("LC_ALL", "C");
        command
    };
    check().assert().success().stdout("3-3.mora: OK\n4-3.mora: OK\n3-4.mora: OK\n").stderr(is_empty());
    change(&copy.table("4-3.mora"), |bytes| bytes[20_000] ^= 1);
    check().assert().code(1).stdout(contains("4-3.mora: FAILED"));
}

#[test]
fn the_shipped_tables_are_those_of_their_manifest() {
    let manifest = Path::new(SHIPPED).join("shipped.manifest");
    let inside = morabase(&["verify", "--manifest"]).arg(&manifest).assert();
    inside.success().stdout(contains("6 files: 6 sound\n"));
    // Beside the files of the repository a developer may have built others.
    verify(&manifest, SHIPPED.as_ref(), &[]).assert().success().stdout(contains("6 files: 6 sound"));
    let text = fs::read_to_string(&manifest).unwrap();
    assert_eq!(stdout(&mut morabase(&["manifest"])), text, "run scripts/build-shipped");
}
