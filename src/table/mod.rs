//! The file format of one class's table: writing, reading, codec, checksums.
//!
//! A table is `blocks` times [`TableMeta::entries_per_block`] values, each as a byte of the class's
//! [alphabet](TableMeta::alphabet): a block for each orbit of the mover's set and in it an entry for each set of the
//! waiting side's, in the order of [`crate::space`]. This module knows only the canonical text and the fingerprint of
//! the rules; the board's lines help the codec predict values. `docs/format.md` specifies every byte.

mod coder;
mod directory;
mod error;
mod features;
mod frame;
mod header;
mod mismatch;
mod model;
mod read;
mod source;
mod units;
mod watch;
mod write;

pub use crate::value::Counts;
pub(crate) use directory::Directory;
pub use error::{Part, TableError, TableFault};
pub(crate) use error::{corrupt, refused};
pub use header::{DtcCount, FORMAT_VERSION, PLACING_FORMAT_VERSION, TableMeta};
pub use read::Table;
pub use source::{Access, Bytes, FileSource, Source};
pub(crate) use write::write_table_in;
pub use write::{Overwrite, Symbols, encode_table, write_file, write_table};
