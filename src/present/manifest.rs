//! Manifests, and the results of checking their files.

use std::fmt::Write;

use serde::Serialize;

use crate::manifest::{FileReport, Finding, Manifest};
use crate::store::file_name;

use super::units::grouped;

/// A manifest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ManifestJson {
    /// The canonical text of the rules.
    pub rules: String,
    /// The total bytes of all files.
    pub bytes: u64,
    /// The files in build order.
    pub files: Vec<ManifestFileJson>,
}

/// A file listed in a manifest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ManifestFileJson {
    /// The class, such as `4-3`.
    pub class: String,
    /// The name of the file.
    pub file: String,
    /// Its length.
    pub bytes: u64,
    /// The SHA-256 of its bytes, 64 hexadecimal digits.
    pub sha256: String,
}

impl ManifestJson {
    /// The contents of a manifest.
    pub fn new(manifest: &Manifest) -> Self {
        let files = manifest.files().iter().map(|file| ManifestFileJson {
            class: file.class.to_string(),
            file: file_name(file.class),
            bytes: file.bytes,
            sha256: file.hash.to_string(),
        });
        Self { rules: manifest.rules().to_string(), bytes: manifest.bytes(), files: files.collect() }
    }
}

/// The results of checking the files of a manifest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ManifestCheckJson {
    /// The manifest's file.
    pub file: String,
    /// Whether every checked file exists and matches, byte for byte.
    pub sound: bool,
    /// The files in build order, with those that the manifest does not list last.
    pub files: Vec<FileCheckJson>,
}

/// The result of checking a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FileCheckJson {
    /// The class in the file's name.
    pub class: String,
    /// The file, or just its name if it is missing.
    pub file: String,
    /// `sound`, `other-bytes`, `other-sha256`, `unreadable`, `missing` or `not-listed`.
    pub finding: &'static str,
    /// The manifest's value, if a file differs: a length, or 64 hexadecimal digits.
    pub expected: Option<String>,
    /// The actual value, if a file differs; the system's reason, if it cannot be read.
    pub found: Option<String>,
}

impl ManifestCheckJson {
    /// The results of checking the files listed in this manifest file.
    pub fn new(manifest: &str, reports: &[FileReport]) -> Self {
        Self {
            file: manifest.to_owned(),
            sound: !reports.iter().any(|report| report.finding.is_fault()),
            files: reports.iter().map(FileCheckJson::new).collect(),
        }
    }
}

impl FileCheckJson {
    /// The result of checking a file.
    pub fn new(report: &FileReport) -> Self {
        let [expected, found] = match &report.finding {
            Finding::OtherBytes { expected, found } => [Some(expected.to_string()), Some(found.to_string())],
            Finding::OtherHash { expected, found } => [Some(expected.to_string()), Some(found.to_string())],
            Finding::Unreadable(error) => [None, Some(error.to_string())],
            Finding::Sound { .. } | Finding::Missing | Finding::NotListed => [None, None],
        };
        Self {
            class: report.class.to_string(),
            file: report.file.display().to_string(),
            finding: finding_name(&report.finding),
            expected,
            found,
        }
    }
}

const fn finding_name(finding: &Finding) -> &'static str {
    match finding {
        Finding::Sound { .. } => "sound",
        Finding::OtherBytes { .. } => "other-bytes",
        Finding::OtherHash { .. } => "other-sha256",
        Finding::Unreadable(_) => "unreadable",
        Finding::Missing => "missing",
        Finding::NotListed => "not-listed",
    }
}

/// The result of checking a file, in one line.
pub fn file_text(report: &FileReport) -> String {
    let file = report.file.display();
    match &report.finding {
        Finding::Sound { bytes } => format!("{file}  {} bytes: sound", grouped(*bytes)),
        Finding::OtherBytes { expected, found } => {
            format!("{file}  differs: {} bytes, expected {}", grouped(*found), grouped(*expected))
        }
        Finding::OtherHash { expected, found } => {
            format!("{file}  differs: SHA-256 {found}, expected {expected}")
        }
        Finding::Unreadable(error) => error.to_string(),
        Finding::Missing => format!("{file}  missing"),
        Finding::NotListed => format!("{file}  not named by the manifest"),
    }
}

/// The number of files by result, in one line: `6 files: 4 sound, 1 differs, 1 missing`.
pub fn files_text(reports: &[FileReport]) -> String {
    let count = |is: fn(&Finding) -> bool| reports.iter().filter(|report| is(&report.finding)).count();
    let differ = count(|finding| matches!(finding, Finding::OtherBytes { .. } | Finding::OtherHash { .. }));
    let unreadable = count(|finding| matches!(finding, Finding::Unreadable(_)));
    let missing = count(|finding| matches!(finding, Finding::Missing));
    let others = count(|finding| matches!(finding, Finding::NotListed));
    let all = reports.len() - others;
    let mut text = format!("{all} {}: {} sound", if all == 1 { "file" } else { "files" }, count(Finding::is_sound));
    let differs = if differ == 1 { "differs" } else { "differ" };
    for (count, what) in [(differ, differs), (unreadable, "unreadable"), (missing, "missing")] {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    }
    if others > 0 {
        let _ = write!(text, "; {others} more not named by the manifest");
    }
    text
}
