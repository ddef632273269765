//! Standard output, where results go: makes sure that nothing is lost silently.
//!
//! The standard library replaces a closed output with `/dev/null` before `main`, and treats errors from one that is
//! open for reading only as success. A program that writes into either loses its results.

use std::io::{self, BufWriter, Write};

/// Standard output, or a writer that reports why there is none.
pub(super) fn standard_output() -> Box<dyn Write> {
    match check() {
        Ok(()) => Box::new(BufWriter::new(io::stdout().lock())),
        Err(error) => Box::new(Refused(error)),
    }
}

/// Checks whether standard output can be written.
#[cfg(unix)]
pub(super) fn check() -> io::Result<()> {
    use rustix::fs::{OFlags, fcntl_getfl};
    if at_start::was_closed() {
        return Err(io::Error::other("it is closed"));
    }
    let flags = fcntl_getfl(rustix::stdio::stdout())?;
    if flags & OFlags::RWMODE == OFlags::RDONLY {
        return Err(io::Error::other("it is open for reading only"));
    }
    Ok(())
}

/// Checks whether standard output can be written, as far as that can be determined in advance.
#[cfg(not(unix))]
pub(super) const fn check() -> io::Result<()> {
    Ok(())
}

/// A writer that refuses everything, for this reason.
struct Refused(io::Error);

impl Write for Refused {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other(self.0.to_string()))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Facts that can only be observed before the standard library starts.
#[cfg(unix)]
mod at_start {
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    #[ctor::ctor(unsafe)]
    fn look() {
        let found = rustix::io::fcntl_getfd(rustix::stdio::stdout());
        CLOSED.store(found == Err(rustix::io::Errno::BADF), Ordering::Relaxed);
    }

    /// Whether standard output was closed when the program started.
    pub(super) fn was_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }
}
