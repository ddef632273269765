//! [`SiteFile`]: a file of a site, its content, and how it is created.

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
    /// Its path relative to the folder of the site, with slashes.
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) hash: FileHash,
    content: Content,
}

/// The content of a file.
#[derive(Clone, Debug)]
enum Content {
    Bytes(Cow<'static, [u8]>),
    Table(PathBuf),
}

impl SiteFile {
    /// A file consisting of these bytes.
    pub(super) fn of_bytes(path: impl Into<String>, bytes: impl Into<Cow<'static, [u8]>>) -> Self {
        let bytes = bytes.into();
        let hash = FileHash::of(&bytes);
        Self { path: path.into(), bytes: bytes.len() as u64, hash, content: Content::Bytes(bytes) }
    }

    /// A copy of a file with this length and hash.
    pub(super) fn copy_of(file: &Path, path: String, bytes: u64, hash: FileHash) -> Self {
        Self { path, bytes, hash, content: Content::Table(file.to_owned()) }
    }

    /// Its path in this folder.
    pub(super) fn place(&self, folder: &Path) -> PathBuf {
        folder.join(&self.path)
    }

    /// Whether the file is already there with the right content.
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

    /// Puts the file into the folder, completely or not at all, replacing an existing one.
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

/// Gives a file a second name, replacing whatever has that name.
fn link(table: &Path, place: &Path) -> Result<(), SiteError> {
    // A link cannot replace a file, but a rename can.
    let mut temporary = place.as_os_str().to_owned();
    temporary.push(".link.tmp");
    let temporary = PathBuf::from(temporary);
    // A leftover of a killed run.
    let _ = fs::remove_file(&temporary);
    fs::hard_link(table, &temporary).map_err(SiteError::io(&temporary, "make a hard link of a table here"))?;
    // Renaming one name of a file to another name of the same file does nothing and leaves both.
    let renamed = fs::rename(&temporary, place).map_err(SiteError::io(place, "rename a file to this"));
    let _ = fs::remove_file(&temporary);
    renamed
}
