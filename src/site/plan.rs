//! [`Site`]: the files of a site.

use crate::manifest::{Listed, Manifest, Progress};
use crate::present::fingerprint_text;
use crate::probe::Tablebase;
use crate::rules::RuleSet;
use crate::serve::TableSets;
use crate::service::{IndexedSet, IndexedTable, SiteIndex, TableSet};
use crate::store::file_name;

use super::error::SiteError;
use super::files::SiteFile;
use super::page;

/// The files of a site.
#[derive(Clone, Debug)]
pub struct Site {
    pub(super) files: Vec<SiteFile>,
    pub(super) index: SiteIndex,
}

impl Site {
    /// Plans the site of these tables. Every table is read completely and checked against its checksums, so that no
    /// damaged one is published.
    ///
    /// # Errors
    /// [`SiteError`] if a table is damaged or cannot be read, or if the work was stopped.
    pub fn plan(sets: &TableSets, progress: &Progress) -> Result<Self, SiteError> {
        let mut files: Vec<SiteFile> = page::files();
        let mut index = SiteIndex::new(files.iter().map(|file| file.path.clone()).collect());
        for set in sets.all().iter() {
            index.sets.push(indexed(set, &mut files, progress)?);
        }
        Ok(Self { files, index })
    }

    /// The number of its tables, and their bytes.
    pub fn tables(&self) -> (usize, u64) {
        let tables = self.index.sets.iter().flat_map(|set| &set.tables);
        (tables.clone().count(), tables.map(|table| table.bytes).sum())
    }

    /// Bytes of all files except `site.json`.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

/// The folder of the tables of these rules, relative to that of the site.
fn folder_of(rules: &RuleSet) -> String {
    let name = rules.preset().map_or_else(|| fingerprint_text(rules), |preset| preset.name().to_owned());
    format!("tables/{name}")
}

/// Lists the tables of a set, and adds their files.
fn indexed(set: &TableSet, files: &mut Vec<SiteFile>, progress: &Progress) -> Result<IndexedSet, SiteError> {
    let tables = set.tables();
    let manifest = Manifest::of(&tables, progress)?;
    let folder = folder_of(set.rules());
    let mut indexed = IndexedSet { rules: set.rules().to_string(), tables: Vec::new() };
    for listed in manifest.files() {
        if progress.is_stopped() {
            return Err(SiteError::Stopped);
        }
        tables.preload(listed.class)?;
        let file = site_file(&tables, listed, &folder);
        indexed.tables.push(IndexedTable {
            class: listed.class.to_string(),
            file: file.path.clone(),
            bytes: listed.bytes,
            sha256: listed.hash.to_string(),
            built_in: tables.is_in_memory(listed.class),
            longest: set.longest(&tables, listed.class)?.map(Into::into),
        });
        files.push(file);
    }
    Ok(indexed)
}

fn site_file(tables: &Tablebase, listed: &Listed, folder: &str) -> SiteFile {
    let path = format!("{folder}/{}", file_name(listed.class));
    let carried = tables.source(listed.class).filter(|source| !source.waits()).and_then(|source| source.bytes());
    match (carried, tables.file(listed.class)) {
        (None, Some(file)) => SiteFile::copy_of(file, path, listed.bytes, listed.hash),
        (bytes, _) => SiteFile::of_bytes(path, bytes.unwrap_or_default().to_vec()),
    }
}
