//! What the integration tests share: running the program, directories, tables, positions, cases kept as text.

#[cfg(feature = "cli")]
pub(crate) mod cli;
pub(crate) mod files;
#[cfg(all(feature = "cli", feature = "serve"))]
pub(crate) mod http;
pub(crate) mod positions;
pub(crate) mod published;
/// The library's own generator, which is not public.
#[path = "../../src/random.rs"]
pub(crate) mod random;
#[cfg(all(feature = "cli", feature = "serve"))]
pub(crate) mod static_host;
pub(crate) mod tables;
pub(crate) mod text;
#[cfg(feature = "cli")]
pub(crate) mod tools;
