//! The file format of one class's table: writing, reading, codec, checksums.
//!
//! A table is `blocks` times [`TableMeta::entries_per_block`] codes of one byte ([`crate::Code`]). This room knows of the rules their
//! canonical text and fingerprint only, and of the index only that a block lists the placements of the other side's cows on the points
//! that the mover leaves, in the order of their bit patterns. `docs/format.md` specifies every byte.

mod coder;
mod error;
mod frame;
mod header;
mod hints;
mod model;
mod read;
mod source;
mod units;
mod write;

pub use error::{Part, TableError, TableFault};
pub use header::{Counts, DtcCount, FORMAT_VERSION, TableMeta};
pub use read::Table;
pub use source::{Access, Bytes, FileSource, Source};
pub use write::{Codes, Existing, encode_table, write_table};

use crate::index::Class;

/// The extension of table files.
pub const EXTENSION: &str = "mora";

/// The name of the file that holds a class: `4-3.mora`.
pub fn file_name(class: Class) -> String {
    format!("{class}.{EXTENSION}")
}
