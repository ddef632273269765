//! [`SiteIndex`]: the tables of a static site, as `site.json` lists them.

use serde::{Deserialize, Serialize};

use crate::present::LongestPositionJson;
use crate::value::Wdl;

/// What `site.json` says about the tables beside it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SiteIndex {
    /// The version of this list; only [`FORMAT`](Self::FORMAT) is accepted.
    pub format: u32,
    /// The program that wrote the site, with its version.
    pub program: String,
    /// The rule sets, starting with the one that answers if none is named.
    pub sets: Vec<IndexedSet>,
    /// The files of the site that are not tables.
    pub files: Vec<String>,
}

/// The tables of one rule set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct IndexedSet {
    /// The canonical text of the rules.
    pub rules: String,
    /// The tables.
    pub tables: Vec<IndexedTable>,
}

/// A table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct IndexedTable {
    /// Its class, such as `4-3`.
    pub class: String,
    /// The path of its file, relative to the folder of the site.
    pub file: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// The SHA-256 of the file.
    pub sha256: String,
    /// Whether the program that wrote the site includes this table.
    pub built_in: bool,
    /// A position with the longest DTC, if one was searched for.
    pub longest: Option<IndexedLongest>,
}

/// A position with the longest DTC of a class.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct IndexedLongest {
    /// The position in short form, the first player to move.
    pub position: String,
    /// `won` or `lost`, for the side to move.
    pub value: String,
    /// Its DTC, in plies.
    pub plies: u16,
}

impl SiteIndex {
    /// The version that this program writes and reads.
    pub const FORMAT: u32 = 1;

    /// A list without tables, for a site with these files.
    pub fn new(files: Vec<String>) -> Self {
        let program = concat!("morabase ", env!("CARGO_PKG_VERSION")).to_owned();
        Self { format: Self::FORMAT, program, sets: Vec::new(), files }
    }
}

impl From<LongestPositionJson> for IndexedLongest {
    fn from(longest: LongestPositionJson) -> Self {
        Self { position: longest.position, value: longest.value.to_owned(), plies: longest.plies }
    }
}

impl IndexedLongest {
    /// The object of an answer; `None` if the value cannot be that of a position with the longest DTC.
    pub(super) fn object(&self) -> Option<LongestPositionJson> {
        let value = [Wdl::Won, Wdl::Lost].into_iter().map(Wdl::name).find(|name| *name == self.value)?;
        Some(LongestPositionJson { position: self.position.clone(), value, plies: self.plies })
    }
}
