//! Writing a site into a folder, beside or in place of an existing one.
//!
//! `site.json` lists all files of an existing site. While one is being written, `site.part.json` lists the files being
//! written and those that existed before, so that the next run recognises its own files, however this one ends.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::manifest::Progress;
use crate::service::SiteIndex;
use crate::store::{self, Lock, Scope, StoreError};
use crate::table::{Overwrite, TableFault, write_file};

use super::error::SiteError;
use super::plan::Site;

/// The list of a site's tables and files.
const INDEX: &str = "site.json";

/// The list of what an unfinished run may have written.
const PART: &str = "site.part.json";

/// How to write a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Whether tables become second names of the same files instead of copies, which takes no space; only within one
    /// file system.
    pub hard_link: bool,
}

/// The result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Written {
    /// Number of files written.
    pub written: usize,
    /// Number of files that were already there.
    pub kept: usize,
    /// Number of removed files of the previous site.
    pub removed: usize,
}

/// The content of [`PART`].
#[derive(Serialize, Deserialize)]
struct Part {
    program: String,
    files: BTreeSet<String>,
}

impl Site {
    /// Writes the site into a folder, creating it if necessary.
    ///
    /// # Errors
    /// [`SiteError`]; files already written are kept, and the same call resumes from there.
    pub fn write(&self, folder: &Path, options: &Options, progress: &Progress) -> Result<Written, SiteError> {
        store::create(folder).map_err(SiteError::Folder)?;
        let _lock = Lock::take(folder, Scope::Directory).map_err(|error| match error {
            StoreError::Locked { .. } => SiteError::Locked { path: folder.to_owned() },
            error => SiteError::Folder(error),
        })?;
        let mut owned = owned(folder)?;
        let mut missing = Vec::new();
        let mut done = Written::default();
        for file in &self.files {
            if file.is_there(folder, progress)? {
                done.kept += 1;
            } else if !owned.contains(&file.path) && file.place(folder).symlink_metadata().is_ok() {
                return Err(SiteError::NotOurs { path: file.place(folder) });
            } else {
                missing.push(file);
            }
        }
        let new: BTreeSet<String> = self.files.iter().map(|file| file.path.clone()).collect();
        owned.extend(new.iter().cloned());
        let part = Part { program: self.index.program.clone(), files: owned };
        write_json(&folder.join(PART), &part)?;
        for file in missing {
            if progress.is_stopped() {
                return Err(SiteError::Stopped);
            }
            remove_leftovers(&file.place(folder));
            file.write(folder, options.hard_link)?;
            // It is now known that a table did not change between its check and its copy.
            if !file.is_there(folder, progress)? {
                return Err(SiteError::Changed { path: file.place(folder) });
            }
            done.written += 1;
        }
        write_json(&folder.join(INDEX), &self.index)?;
        done.removed = part.files.difference(&new).filter(|path| remove(folder, path)).count();
        let part = folder.join(PART);
        fs::remove_file(&part).map_err(SiteError::io(&part, "remove"))?;
        Ok(done)
    }
}

/// The files in a folder that a site has written; none in an empty one.
fn owned(folder: &Path) -> Result<BTreeSet<String>, SiteError> {
    let index: Option<SiteIndex> = read_json(&folder.join(INDEX))?;
    let part: Option<Part> = read_json(&folder.join(PART))?;
    if index.is_none() && part.is_none() {
        let mut entries = fs::read_dir(folder).map_err(SiteError::io(folder, "list this folder"))?;
        // The lock already exists by now.
        let other = |entry: io::Result<fs::DirEntry>| entry.is_ok_and(|entry| !store::is_whole_lock(&entry.path()));
        if entries.any(other) {
            return Err(SiteError::NotASite { path: folder.to_owned() });
        }
    }
    let tables = |index: &SiteIndex| -> Vec<String> {
        index.sets.iter().flat_map(|set| &set.tables).map(|table| table.file.clone()).collect()
    };
    let listed = index.into_iter().flat_map(|index| [tables(&index), index.files].concat());
    let owned = listed.chain(part.into_iter().flat_map(|part| part.files));
    // A list that names files elsewhere was not written here, and the lists themselves are tracked separately.
    let is_file = |path: &String| {
        path != INDEX && path != PART && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
    };
    Ok(owned.filter(is_file).collect())
}

/// Reads a list; `None` if there is no file.
fn read_json<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<Option<T>, SiteError> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|_| SiteError::NotOurs { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(SiteError::io(path, "read")(error)),
    }
}

fn write_json(path: &Path, list: &impl Serialize) -> Result<(), SiteError> {
    let cannot = |source: io::Error| TableFault::Io { action: "write", source }.at(path);
    // Only strings and numbers: it can always be serialised.
    let text = serde_json::to_vec(list).map_err(|error| cannot(error.into()))?;
    Ok(write_file(path, Overwrite::Replace, |out| out.write_all(&text).map_err(cannot))?)
}

/// Removes temporary files of killed runs for a file.
fn remove_leftovers(place: &Path) {
    let (Some(parent), Some(name)) = (place.parent(), place.file_name().and_then(|name| name.to_str())) else { return };
    let Ok(entries) = fs::read_dir(parent) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let rest = path.file_name().and_then(|found| found.to_str()).and_then(|found| found.strip_prefix(name));
        if rest.and_then(|rest| rest.strip_suffix(".tmp")).is_some_and(|rest| rest.starts_with('.')) {
            // One that remains does no harm.
            let _ = fs::remove_file(&path);
        }
    }
}

/// Removes a file of an earlier site, and folders that become empty. Returns whether it existed.
fn remove(folder: &Path, path: &str) -> bool {
    let file = folder.join(path);
    let removed = fs::remove_file(&file).is_ok();
    let mut parent: Option<PathBuf> = file.parent().map(Path::to_owned);
    while let Some(empty) = parent.filter(|parent| parent != folder && fs::remove_dir(parent).is_ok()) {
        parent = empty.parent().map(Path::to_owned);
    }
    removed
}
