//! The C interface of morabase: `libmorabase.so`, `libmorabase.a` and the generated header `include/morabase.h`.
//!
//! A thin face of the library. C passes plain structs and an opaque handle; each function turns them into the library's types,
//! asks, and turns the answer back. `boundary.rs` is the only module that touches the caller's pointers; no panic leaves it.
//! `docs/c.md` is the page for those who use it. The comments on public items become the header's, so they speak to C.

mod ask;
mod boundary;
mod error;
mod notation;
mod play;
mod tables;
mod types;

pub use ask::*;
pub use error::*;
pub use notation::*;
pub use play::*;
pub use tables::*;
pub use types::*;
