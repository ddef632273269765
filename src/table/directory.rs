//! [`Directory`]: where a file is written, held open from start to finish.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A directory that files are written into. It is opened once, and on Unix all operations use the open handle, wherever
/// its name leads in the meantime: a file system mounted over it, or a directory moved to its place, gets nothing.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    #[cfg(unix)]
    handle: File,
}

impl Directory {
    /// Opens a directory.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        Ok(Self {
            path: path.to_owned(),
            #[cfg(unix)]
            handle: File::open(path)?,
        })
    }

    /// Opens the directory that a file is in, or is to be in.
    pub(crate) fn of(file: &Path) -> io::Result<Self> {
        Self::open(file.parent().unwrap_or(Path::new("")))
    }

    /// The name under which it was opened.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes its entries survive a power failure, if the system and the file system support that: some refuse to sync a
    /// directory, and lose no file that was synced itself.
    pub(crate) fn sync(&self) -> io::Result<()> {
        #[cfg(unix)]
        if let Err(error) = self.handle.sync_all() {
            let refused = matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported);
            return if refused { Ok(()) } else { Err(error) };
        }
        Ok(())
    }
}

/// Access through the handle.
#[cfg(unix)]
impl Directory {
    /// Whether its name still leads to it.
    pub(crate) fn is_in_place(&self) -> bool {
        use std::os::unix::fs::MetadataExt;
        let identity = |found: io::Result<fs::Metadata>| found.map(|found| (found.dev(), found.ino())).ok();
        let ours = identity(self.handle.metadata());
        ours.is_some() && ours == identity(fs::metadata(&self.path))
    }

    /// Whether it has a file of this name.
    pub(crate) fn has(&self, name: &Path) -> bool {
        rustix::fs::statat(&self.handle, name, rustix::fs::AtFlags::empty()).is_ok()
    }

    /// Creates a file that must not exist yet.
    pub(super) fn create_new(&self, name: &Path) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, openat};
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        Ok(openat(&self.handle, name, flags, Mode::from_raw_mode(0o666))?.into())
    }

    /// Renames a file, replacing one that has the new name.
    pub(super) fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.handle, from, &self.handle, to)?)
    }

    /// Removes a file.
    pub(crate) fn remove(&self, name: &Path) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.handle, name, rustix::fs::AtFlags::empty())?)
    }
}

/// Access by name. On Windows too an open directory cannot be moved away while a file in it is open, and a build holds
/// its lock.
#[cfg(not(unix))]
impl Directory {
    /// Whether its name still leads to it, as far as can be determined.
    pub(crate) fn is_in_place(&self) -> bool {
        self.path.is_dir()
    }

    /// Whether it has a file of this name.
    pub(crate) fn has(&self, name: &Path) -> bool {
        self.path.join(name).exists()
    }

    /// Creates a file that must not exist yet.
    pub(super) fn create_new(&self, name: &Path) -> io::Result<File> {
        fs::OpenOptions::new().write(true).create_new(true).open(self.path.join(name))
    }

    /// Renames a file, replacing one that has the new name.
    pub(super) fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }

    /// Removes a file.
    pub(crate) fn remove(&self, name: &Path) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_directory_that_was_moved_is_the_one_that_is_written_into() {
        let parent = tempfile::tempdir().unwrap();
        let [here, away] = ["here", "away"].map(|name| parent.path().join(name));
        fs::create_dir(&here).unwrap();
        let directory = Directory::open(&here).unwrap();
        assert!(directory.is_in_place());
        fs::rename(&here, &away).unwrap();
        assert!(!directory.is_in_place());
        fs::create_dir(&here).unwrap();
        assert!(!directory.is_in_place());

        let [one, other] = ["one", "other"].map(Path::new);
        drop(directory.create_new(one).unwrap());
        assert_eq!(directory.create_new(one).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        directory.rename(one, other).unwrap();
        assert!(directory.has(other) && !directory.has(one) && away.join("other").exists());
        directory.sync().unwrap();
        directory.remove(other).unwrap();
        assert!([&here, &away].map(|path| fs::read_dir(path).unwrap().count()) == [0, 0]);
    }
}
