//! Standard output, where results go: that nothing is lost without a word.
//!
//! The standard library puts `/dev/null` in the place of a closed output before `main`, and takes the refusal of one that is
//! open for reading only for success. A program that writes into either has lost what it was asked for.

use std::io::{self, BufWriter, Write};

/// Standard output, or a writer that says why there is none.
pub(super) fn standard_output() -> Box<dyn Write> {
    match check() {
        Ok(()) => Box::new(BufWriter::new(io::stdout().lock())),
        Err(error) => Box::new(Refused(error)),
    }
}

/// Whether anything can be written.
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

/// Whether anything can be written, as far as can be told beforehand.
#[cfg(not(unix))]
pub(super) const fn check() -> io::Result<()> {
    Ok(())
}

/// What is not writable, and why.
struct Refused(io::Error);

impl Write for Refused {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other(self.0.to_string()))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is seen only before the standard library has begun.
#[cfg(unix)]
mod at_start {
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    #[ctor::ctor(unsafe)]
    fn look() {
        let found = rustix::io::fcntl_getfd(rustix::stdio::stdout());
        CLOSED.store(found == Err(rustix::io::Errno::BADF), Ordering::Relaxed);
    }

    /// Whether standard output was closed when the program began.
    pub(super) fn was_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }
}
