//! Making a manifest of existing tables.

use std::sync::atomic::Ordering;

use rayon::prelude::*;

use crate::probe::Tablebase;
use crate::space::Class;
use crate::table::TableFault;
use crate::threads;

use super::error::ManifestError;
use super::hash::{FileHash, Progress};
use super::list::{Listed, Manifest};

impl Manifest {
    /// The manifest of all tables of a tablebase. Reads every file once, on all threads of the current rayon pool.
    ///
    /// Only the heads are checked, as when opening: use [`verify`](crate::verify) first to make sure that the tables
    /// are right.
    ///
    /// # Errors
    /// [`ManifestError::Table`] if one cannot be read, [`ManifestError::NoTables`] and [`ManifestError::Stopped`].
    pub fn of(tables: &Tablebase, progress: &Progress) -> Result<Self, ManifestError> {
        if let Some((_, error)) = tables.damaged().next() {
            return Err(error.clone().into());
        }
        let classes: Vec<Class> = tables.classes().collect();
        if classes.is_empty() {
            return Err(ManifestError::NoTables);
        }
        let total = classes.iter().filter_map(|class| tables.file_length(*class)).sum();
        progress.total.store(total, Ordering::Relaxed);
        threads::ready();
        let files = classes.par_iter().with_max_len(1).map(|class| list(tables, *class, progress));
        Ok(Self::new(*tables.rules(), files.collect::<Result<_, _>>()?))
    }
}

fn list(tables: &Tablebase, class: Class, progress: &Progress) -> Result<Listed, ManifestError> {
    let (Some(source), Some(bytes)) = (tables.source(class), tables.file_length(class)) else {
        return Err(ManifestError::NoTables);
    };
    let hash = FileHash::read(source, bytes, progress)
        .map_err(|source| TableFault::Io { action: "read", source }.at(tables.file(class).unwrap_or("".as_ref())))?;
    let hash = hash.ok_or(ManifestError::Stopped)?;
    Ok(Listed { class, bytes, hash })
}
