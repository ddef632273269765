//! The sidecar of a raw file: a JSON object that describes the bytes, which `unpack` writes and `pack` reads.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use morabase::raw::{self, Width};
use morabase::space::Space;
use morabase::{Class, RuleSet};
use serde::{Deserialize, Serialize};

use super::{CliError, CliResult, looks_wide};

/// The format that this program writes and reads.
const FORMAT: &str = "morabase raw 1";

/// The longest sidecar that is accepted; that of class 12-3 has 1.5 million bytes.
const LONGEST: u64 = 1 << 24;

/// The object. Reading requires the class and the rules; all other keys must be right if they are present.
#[derive(Serialize, Deserialize)]
pub(super) struct Sidecar {
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    class: String,
    rules: String,
    fingerprint: Option<String>,
    entries: Option<u64>,
    blocks: Option<u32>,
    entries_per_block: Option<u32>,
    bytes_per_entry: Option<u64>,
    checksum: Option<String>,
    /// Last, so that a reader in C finds the object's only array with a single line of code.
    representatives: Option<Vec<u32>>,
}

/// The contents of a sidecar, parsed and checked.
pub(super) struct Described {
    /// The class.
    pub(super) class: Class,
    /// The rules.
    pub(super) rules: RuleSet,
    /// Bytes per entry, if given.
    pub(super) width: Option<Width>,
    /// The checksum of the raw bytes, if given.
    pub(super) checksum: Option<String>,
}

impl Sidecar {
    /// The sidecar of a class's raw bytes with this width and this checksum.
    pub(super) fn new(rules: &RuleSet, class: Class, width: Width, checksum: u64) -> Self {
        let space = Space::new(rules.board, class);
        let orbits = space.mover_orbits();
        Self {
            format: Some(FORMAT.to_owned()),
            class: class.to_string(),
            rules: rules.to_string(),
            fingerprint: Some(hex(rules.fingerprint())),
            entries: Some(space.entries()),
            blocks: Some(space.blocks()),
            entries_per_block: Some(space.block_entries()),
            bytes_per_entry: Some(width.bytes() as u64),
            checksum: Some(hex(checksum)),
            representatives: Some((0..space.blocks()).map(|block| orbits.representative(block).bits()).collect()),
        }
    }

    /// Reads a sidecar and checks everything in it.
    pub(super) fn read(file: &Path) -> CliResult<Described> {
        let text = read_text(file)?;
        let sidecar: Self = serde_json::from_str(&text).map_err(|error| {
            CliError::job(format!(
                "{}: not the sidecar of a raw file: {error}; give the one that `unpack` wrote, or see docs/raw.md",
                file.display()
            ))
        })?;
        sidecar.check().map_err(|why| CliError::job(format!("{}: {why}", file.display())))
    }

    fn check(self) -> Result<Described, String> {
        if let Some(format) = self.format.filter(|format| format != FORMAT) {
            return Err(format!("format: expected {FORMAT:?}, found {format:?}; get a newer version of this program"));
        }
        let class: Class = self.class.parse().map_err(|error| format!("class: {error}"))?;
        let rules: RuleSet = self.rules.parse().map_err(|error| format!("rules: {error}"))?;
        let class = class.check(&rules).map_err(|error| format!("{error} under the rules {rules}"))?;
        let width = self.bytes_per_entry.map(|bytes| Width::with_bytes(bytes).ok_or(bytes)).transpose();
        let width = width.map_err(|found| format!("bytes_per_entry: expected 1 or 2, found {found}"))?;
        let right = Self::new(&rules, class, Width::Byte, 0);
        agree("fingerprint", right.fingerprint.as_ref(), self.fingerprint.as_ref())?;
        agree("entries", right.entries.as_ref(), self.entries.as_ref())?;
        agree("blocks", right.blocks.as_ref(), self.blocks.as_ref())?;
        agree("entries_per_block", right.entries_per_block.as_ref(), self.entries_per_block.as_ref())?;
        if self.representatives.is_some() && self.representatives != right.representatives {
            return Err(format!("representatives: not those of class {class}, which docs/raw.md defines"));
        }
        Ok(Described { class, rules, width, checksum: self.checksum })
    }
}

impl Described {
    /// Whether these are the bytes for which the sidecar was written.
    pub(super) fn check_bytes(&self, file: &Path, bytes: &[u8]) -> CliResult {
        let found = hex(raw::checksum(bytes));
        match &self.checksum {
            Some(expected) if *expected != found => Err(CliError::job(format!(
                "{}: these are not the bytes that the sidecar is of: checksum {found}, expected {expected}; if you changed \
                 them on purpose, take the key \"checksum\" out of the sidecar",
                file.display()
            ))),
            _ => Ok(()),
        }
    }
}

/// The sidecar that belongs to a raw file: `4-3.json` beside `4-3.raw`.
pub(super) fn beside(raw: &Path) -> PathBuf {
    raw.with_extension("json")
}

/// Checks that the sidecar lacks this key or has the right value for it.
fn agree<T: PartialEq + std::fmt::Debug>(key: &str, expected: Option<&T>, found: Option<&T>) -> Result<(), String> {
    match (expected, found) {
        (Some(expected), Some(found)) if expected != found => {
            Err(format!("{key}: expected {expected:?} from its class and rules, found {found:?}"))
        }
        _ => Ok(()),
    }
}

fn read_text(file: &Path) -> CliResult<String> {
    let job = |why: String| CliError::job(format!("{}: {why}", file.display()));
    let length = fs::metadata(file).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => job(
            "there is no sidecar here to say what the raw bytes are of; name it with --sidecar, or see docs/raw.md for how to \
             write one"
                .to_owned(),
        ),
        _ => job(format!("cannot read: {error}")),
    })?;
    if length.len() > LONGEST {
        return Err(job(format!("not a sidecar: {} bytes, expected at most {LONGEST}", length.len())));
    }
    let bytes = fs::read(file).map_err(|error| job(format!("cannot read: {error}")))?;
    if bytes.is_empty() {
        let why = "not the sidecar of a raw file: the file is empty; give the one that `unpack` wrote";
        return Err(job(why.to_owned()));
    }
    if looks_wide(&bytes) {
        return Err(job("the sidecar looks like UTF-16: expected UTF-8; save it as UTF-8".to_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|error| job(format!("not a sidecar: {error}")))?;
    // Editors on some systems begin every file with a byte order mark.
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
}

fn hex(number: u64) -> String {
    format!("{number:016x}")
}
