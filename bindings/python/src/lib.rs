//! The compiled half of the Python package `morabase`: classes and functions over the library of the same name.
//!
//! Nothing is decided here that the library does not decide. This crate translates arguments, lets other Python threads run while tables
//! are read, and turns errors into exceptions. The package's Python half (`python/morabase`) holds the exceptions, the
//! part of `probe_many` that speaks numpy, and the type stubs.

// What pyo3 hands over is owned, and `self` a reference, whether or not a method needs it so; names and docstrings are Python's.
#![allow(clippy::needless_pass_by_value, clippy::trivially_copy_pass_by_ref, clippy::wrong_self_convention)]
#![allow(clippy::doc_link_with_quotes)]

mod answers;
mod build;
mod errors;
mod many;
mod position;
mod rules;
mod tablebase;

/// The compiled half of the package.
#[pyo3::pymodule]
mod _morabase {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::answers::{_restore_line, _restore_outcome, _restore_probe, _restore_ranked_turn, _restore_value};
    #[pymodule_export]
    use crate::answers::{ExactValue, Line, Outcome, Probe, RankedTurn};
    #[pymodule_export]
    use crate::build::{_restore_built_pair, _restore_progress, BuildProgress, BuiltPair, build};
    #[pymodule_export]
    use crate::position::{_restore_position, Position, Turn, bitboard, points};
    #[pymodule_export]
    use crate::rules::{Rules, presets};
    #[pymodule_export]
    use crate::tablebase::{_restore_counts, _restore_meta, _restore_tablebase, Counts, TableMeta, Tablebase};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
