//! Memory for large arrays with random access: in large pages if the system provides them.
//!
//! A build looks up bytes at random in gigabytes. With pages of 4 KiB most look-ups wait twice, for the byte and for
//! the page's address. Linux backs memory with pages of 2 MiB if asked before the memory is first touched. Other
//! systems are not asked, and only speed depends on it.

#![cfg_attr(target_os = "linux", expect(unsafe_code, reason = "advice on how memory is backed"))]

/// An array of zeros, as from `vec![0; length]`.
pub(crate) fn zeros<T: Zero>(length: usize) -> Vec<T> {
    // Fresh memory from the system is zero without being touched.
    let mut array = vec![T::ZERO; length];
    ask_for_large_pages(array.as_mut_ptr_range());
    array
}

/// An empty array with room for this many elements.
pub(crate) fn room<T>(length: usize) -> Vec<T> {
    let mut array: Vec<T> = Vec::with_capacity(length);
    ask_for_large_pages(array.spare_capacity_mut().as_mut_ptr_range());
    array
}

/// Types whose zero value the allocator can provide.
pub(crate) trait Zero: Copy {
    const ZERO: Self;
}

impl Zero for u8 {
    const ZERO: Self = 0;
}

impl Zero for u64 {
    const ZERO: Self = 0;
}

#[cfg(target_os = "linux")]
fn ask_for_large_pages<T>(range: std::ops::Range<*mut T>) {
    use rustix::mm::{Advice, madvise};

    /// Bytes of a large page. Memory before the first and after the last one remains as it is.
    const PAGE: usize = 1 << 21;
    let (start, end) = (range.start.cast::<u8>(), range.end as usize);
    let before = start.align_offset(PAGE);
    let whole = (end - start as usize).saturating_sub(before) / PAGE * PAGE;
    if whole > 0 {
        // SAFETY: the bytes from `before` on are inside the range, which is one allocation that the caller owns, and
        // the advice changes how they are backed, not their contents. A system that does not support it says so, which
        // does no harm.
        let _ = unsafe { madvise(start.add(before).cast(), whole, Advice::LinuxHugepage) };
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_large_pages<T>(_range: std::ops::Range<*mut T>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_what_they_would_be_without_advice() {
        for length in [0, 1, 4096, 5 << 20] {
            assert_eq!(zeros::<u8>(length), vec![0; length]);
            let mut array = room(length);
            assert!(array.capacity() >= length);
            array.extend((0..length).map(|at| at as u64));
            assert!(array.iter().zip(0..).all(|(found, at)| *found == at));
        }
        assert_eq!(zeros::<u64>(3 << 18), vec![0; 3 << 18]);
    }
}
