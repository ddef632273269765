//! Manifests, and what was found of the files that they name.

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
    /// Bytes of all files together.
    pub bytes: u64,
    /// The files in the order of building.
    pub files: Vec<ManifestFileJson>,
}

/// A file that a manifest names.
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
    /// What a manifest says.
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

/// What was found of the files that a manifest names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ManifestCheckJson {
    /// The manifest's file.
    pub file: String,
    /// Whether every file that was looked for is there, byte for byte.
    pub sound: bool,
    /// The files in the order of building, those that the manifest does not name last.
    pub files: Vec<FileCheckJson>,
}

/// What was found of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FileCheckJson {
    /// The class that the file's name says.
    pub class: String,
    /// The file; where it is missing, its name.
    pub file: String,
    /// `sound`, `other-bytes`, `other-sha256`, `unreadable`, `missing` or `not-listed`.
    pub finding: &'static str,
    /// What the manifest says, where a file differs: a length, or 64 hexadecimal digits.
    pub expected: Option<String>,
    /// What was found, where a file differs; the system's reason, where it cannot be read.
    pub found: Option<String>,
}

impl ManifestCheckJson {
    /// What was found of the files that the manifest in this file names.
    pub fn new(manifest: &str, reports: &[FileReport]) -> Self {
        Self {
            file: manifest.to_owned(),
            sound: !reports.iter().any(|report| report.finding.is_fault()),
            files: reports.iter().map(FileCheckJson::new).collect(),
        }
    }
}

impl FileCheckJson {
    /// What was found of a file.
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

/// What was found of a file, in a line.
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

/// How many files were found how, in a line: `6 files: 4 sound, 1 differs, 1 missing`.
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
