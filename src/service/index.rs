//! [`SiteIndex`]: the tables of a static site, as `site.json` lists them.

use serde::{Deserialize, Serialize};

use crate::present::LongestPositionJson;
use crate::value::Wdl;

/// What `site.json` says of the tables beside it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SiteIndex {
    /// The version of this list; [`FORMAT`](Self::FORMAT) is read.
    pub format: u32,
    /// The program that wrote the site, with its version.
    pub program: String,
    /// The rule sets, the one first that answers where none is named.
    pub sets: Vec<IndexedSet>,
    /// The files of the site that are no tables.
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
    /// Where its file is, from the folder of the site.
    pub file: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// The SHA-256 of the file.
    pub sha256: String,
    /// Whether the program that wrote the site carries this table.
    pub built_in: bool,
    /// A position of the longest DTC, where it was looked for.
    pub longest: Option<IndexedLongest>,
}

/// A position of the longest DTC of a class.
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

    /// A list of no tables, of a site with these files.
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
    /// The object of an answer; none where the value is none that a position of the longest DTC can have.
    pub(super) fn object(&self) -> Option<LongestPositionJson> {
        let value = [Wdl::Won, Wdl::Lost].into_iter().map(Wdl::name).find(|name| *name == self.value)?;
        Some(LongestPositionJson { position: self.position.clone(), value, plies: self.plies })
    }
}
