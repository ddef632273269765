//! [`Watch`]: whether an open file has been written into since it was opened.
//!
//! Tables are replaced by renaming a new file to their name, so whoever has the old one open keeps it. A program that
//! copies a new table over an old one changes it under its readers instead. Nothing in memory shows that, so the system
//! is asked for the file's length and time of change: at the first look-up in each quarter of a second.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Instant, SystemTime};

/// Length in milliseconds of the period in which a file is checked once.
const PERIOD: u64 = 250;

/// Replaces the period of the last check once the file has changed.
const CHANGED: u32 = u32::MAX;

/// Distinguishes a file from others, and from itself after it was written into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stamp {
    file: Option<(u64, u64)>,
    length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(found: &Metadata) -> Self {
        #[cfg(unix)]
        let file = {
            use std::os::unix::fs::MetadataExt;
            Some((found.dev(), found.ino()))
        };
        // A mapped file cannot be replaced here, so the name is enough.
        #[cfg(not(unix))]
        let file = None;
        Self { file, length: found.len(), modified: found.modified().ok() }
    }
}

/// Watches a file.
#[derive(Debug)]
pub(super) struct Watch {
    path: PathBuf,
    opened: Stamp,
    /// The period in which the file was last checked, or [`CHANGED`].
    asked: AtomicU32,
}

impl Watch {
    /// Watches the file with this name, which was opened with this metadata.
    pub(super) fn new(path: &Path, opened: &Metadata) -> Self {
        // The program may change its working directory.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Self { path, opened: Stamp::of(opened), asked: AtomicU32::new(period()) }
    }

    /// Whether the file is known to have changed; called for each look-up. Only the first in a period costs more than
    /// a look at the clock.
    #[inline]
    pub(super) fn sees_change(&self) -> bool {
        let now = period();
        // Nothing else depends on this number.
        self.asked.load(Ordering::Relaxed) != now && self.ask(now)
    }

    /// Asks the system for the file with that name. If it is a different one now, or none, the open one was not written
    /// into.
    #[cold]
    fn ask(&self, now: u32) -> bool {
        if self.asked.load(Ordering::Relaxed) == CHANGED {
            return true;
        }
        let changed = fs::metadata(&self.path).is_ok_and(|found| {
            let found = Stamp::of(&found);
            found.file == self.opened.file && found != self.opened
        });
        // A thread that finds a change at the same time must not be overruled.
        let _ = self.asked.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |asked| {
            (asked != CHANGED).then_some(if changed { CHANGED } else { now })
        });
        changed
    }

    /// Whether this is the file that was opened, unchanged.
    pub(super) fn is_unchanged(&self, found: &Metadata) -> bool {
        Stamp::of(found) == self.opened
    }
}

/// The number of the current period.
#[inline]
fn period() -> u32 {
    (milliseconds() / PERIOD % u64::from(CHANGED)) as u32
}

/// Milliseconds since the first call.
fn milliseconds() -> u64 {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed().as_millis() as u64
}

/// The error for a reader of a file that has changed.
pub(super) fn changed() -> io::Error {
    io::Error::other(
        "the file was written into while it was in use; open it again, and replace tables only by renaming a new file to the name",
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn sees_change_soon(watch: &Watch) -> bool {
        std::thread::sleep(Duration::from_millis(PERIOD + 50));
        watch.sees_change()
    }

    #[test]
    fn a_file_that_is_written_into_is_seen_and_one_that_is_replaced_or_removed_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let [file, other] = ["4-3.mora", "other"].map(|name| directory.path().join(name));
        let write = |file: &Path, text: &str| fs::write(file, text).unwrap();
        let watch = |file: &Path| Watch::new(file, &fs::metadata(file).unwrap());
        write(&file, "one");
        let first = watch(&file);
        assert!(!sees_change_soon(&first));
        write(&other, "another");
        if cfg!(unix) {
            // A file opened before that still has its content.
            fs::rename(&other, &file).unwrap();
            assert!(!sees_change_soon(&first));
        }
        let second = watch(&file);
        write(&file, "longer than before");
        assert!(sees_change_soon(&second) && second.sees_change(), "of another length");
        let third = watch(&file);
        write(&file, "as long as before.");
        assert!(sees_change_soon(&third), "of another time");
        let fourth = watch(&file);
        fs::remove_file(&file).unwrap();
        assert!(!sees_change_soon(&fourth) && second.sees_change());
    }
}
