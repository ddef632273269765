//! The results of verifying.

use serde::Serialize;

use crate::rules::RuleSet;
use crate::verify::{ClassReport, Report};

use super::manifest::ManifestCheckJson;

/// What was checked, and the results.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct VerifyJson {
    /// The canonical text of the tables' rules.
    pub rules: String,
    /// Whether no fault was found.
    pub sound: bool,
    /// The classes in the order of checking.
    pub classes: Vec<ClassVerifyJson>,
    /// The results for the files in a manifest, if they were compared with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest: Option<ManifestCheckJson>,
}

impl VerifyJson {
    /// A report on tables of these rules.
    pub fn new(rules: &RuleSet, report: &Report) -> Self {
        let classes = report.classes.iter().map(ClassVerifyJson::new).collect();
        Self { rules: rules.to_string(), sound: report.is_sound(), classes, manifest: None }
    }

    /// The same with the results for the files in a manifest.
    #[must_use]
    pub fn with_manifest(self, manifest: ManifestCheckJson) -> Self {
        Self { sound: self.sound && manifest.sound, manifest: Some(manifest), ..self }
    }
}

/// The results for a class.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ClassVerifyJson {
    /// The class, such as `4-3`.
    pub class: String,
    /// Entries checked over decoded tables.
    pub walked: u64,
    /// Entries checked through the same path as a probe.
    pub probed: u64,
    /// Number of faults found.
    pub faults: u64,
    /// The first of them, in words.
    pub first: Vec<String>,
}

impl ClassVerifyJson {
    /// A report on a class.
    pub fn new(report: &ClassReport) -> Self {
        Self {
            class: report.class.to_string(),
            walked: report.walked,
            probed: report.probed,
            faults: report.fault_count,
            first: report.faults.iter().map(ToString::to_string).collect(),
        }
    }
}
