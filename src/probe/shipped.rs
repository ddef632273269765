//! The small set of tables that the library carries, so that probing works before anything is built.

/// The name and bytes of each file that was in `tables/` when the library was compiled.
#[cfg(feature = "shipped")]
pub(super) static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

/// Without the feature `shipped`, there are none.
#[cfg(not(feature = "shipped"))]
pub(super) static FILES: &[(&str, &[u8])] = &[];
