//! [`SiteFile`]: a file of a site, what it holds, and how it comes to be there.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::manifest::{FileHash, Progress};
use crate::table::{Access, FileSource, Overwrite, Source, TableFault, write_file};

use super::error::SiteError;

/// A file of a site.
#[derive(Clone, Debug)]
pub(super) struct SiteFile {
    /// Where it is, from the folder of the site, with slashes.
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) hash: FileHash,
    content: Content,
}

/// What a file holds.
#[derive(Clone, Debug)]
enum Content {
    Bytes(Cow<'static, [u8]>),
    Table(PathBuf),
}

impl SiteFile {
    /// A file with these bytes.
    pub(super) fn of_bytes(path: impl Into<String>, bytes: impl Into<Cow<'static, [u8]>>) -> Self {
        let bytes = bytes.into();
        let hash = FileHash::of(&bytes);
        Self { path: path.into(), bytes: bytes.len() as u64, hash, content: Content::Bytes(bytes) }
    }

    /// A copy of a file, which has this length and hash.
    pub(super) fn copy_of(file: &Path, path: String, bytes: u64, hash: FileHash) -> Self {
        Self { path, bytes, hash, content: Content::Table(file.to_owned()) }
    }

    /// Where it is in this folder.
    pub(super) fn place(&self, folder: &Path) -> PathBuf {
        folder.join(&self.path)
    }

    /// Whether the file is there as it is to be.
    pub(super) fn is_there(&self, folder: &Path, progress: &Progress) -> Result<bool, SiteError> {
        let place = self.place(folder);
        let cannot = |source: io::Error| SiteError::io(&place, "read")(source);
        match place.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(cannot(error)),
            Ok(found) if !found.is_file() || found.len() != self.bytes => return Ok(false),
            Ok(_) => {}
        }
        let source = FileSource::open(&place, Access::Positioned).map_err(cannot)?;
        let length = source.length().map_err(cannot)?;
        let hash = FileHash::read(&source, length, progress).map_err(cannot)?.ok_or(SiteError::Stopped)?;
        Ok(length == self.bytes && hash == self.hash)
    }

    /// Puts the file into the folder, all of it or nothing, in place of one that is there.
    pub(super) fn write(&self, folder: &Path, hard_link: bool) -> Result<(), SiteError> {
        let place = self.place(folder);
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent).map_err(SiteError::io(parent, "create the folder"))?;
        }
        let cannot = |source| TableFault::Io { action: "write", source }.at(&place);
        match &self.content {
            Content::Bytes(bytes) => {
                write_file(&place, Overwrite::Replace, |out| out.write_all(bytes).map_err(cannot))?;
            }
            Content::Table(table) if hard_link => link(table, &place)?,
            Content::Table(table) => {
                let mut from = File::open(table).map_err(SiteError::io(table, "open"))?;
                write_file(&place, Overwrite::Replace, |out| io::copy(&mut from, out).map_err(cannot))?;
            }
        }
        Ok(())
    }
}

/// Gives a file a second name, in place of what has that name.
fn link(table: &Path, place: &Path) -> Result<(), SiteError> {
    // A link cannot replace a file, and a name can.
    let mut temporary = place.as_os_str().to_owned();
    temporary.push(".link.tmp");
    let temporary = PathBuf::from(temporary);
    // Of a run that was killed.
    let _ = fs::remove_file(&temporary);
    fs::hard_link(table, &temporary).map_err(SiteError::io(&temporary, "make a hard link of a table here"))?;
    // Two names of one file are not renamed but left as they are.
    let renamed = fs::rename(&temporary, place).map_err(SiteError::io(place, "rename a file to this"));
    let _ = fs::remove_file(&temporary);
    renamed
}
