//! All tests of the C interface as one program; each file is a module, and its name picks its tests.

// Helpers that are shared with the root package's tests know the library by its own name.
extern crate tablebase as morabase;

mod common;

mod header;
mod install;
mod page;
mod programs;
