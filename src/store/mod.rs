//! What a directory of tables holds, and who may write into it.
//!
//! A directory holds tables of one rule set, a file for each class (`4-3.mora`), and temporary files and locks while
//! something writes into it. This module knows the names ([`file_name`]), scans a directory (`Contents`, the only place
//! that does), checks the head of each table against its file's name and the rules (`head`), and takes the locks.
//! Building, probing and packing all use it, so they accept and refuse the same files. It knows the files' heads, not
//! their values.

mod contents;
mod error;
mod head;
mod lock;
mod names;

pub(crate) use contents::{Contents, create};
pub use error::StoreError;
pub(crate) use head::{check_head, check_table, describe};
pub(crate) use lock::{Lock, Scope, is_whole_lock};
pub(crate) use names::layer_file_name;
pub use names::{EXTENSION, class_of_file, file_name};
