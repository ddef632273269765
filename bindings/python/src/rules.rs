//! `Rules`: the options of the game, by preset, canonical text or keyword.

use morabase::{BoardKind, FullBoard, NoRemake, Preset, RuleSet};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::errors::{OrRaise, bad_argument, bad_type};

/// The rules of the game: a preset's name or a canonical text, and options that differ from it.
///
/// Presets are `gar` (the default everywhere), `gar-10`, `wikipedia`, `arcade`, `plain` and `nine-mens-morris`. Wherever this
/// package takes rules, such a text does as well. Raises `RulesError` for what is no rule set.
///
/// >>> Rules("gar", counter="when-three:10") == Rules("gar-10")
/// True
#[pyclass(frozen, eq, hash, module = "morabase")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Rules(pub(crate) RuleSet);

#[pymethods]
impl Rules {
    #[new]
    #[pyo3(signature = (rules = RulesArg::default(), *, board = None, cows = None, counter = None, no_remake = None, full_board = None),
           text_signature = "(rules='gar', *, board=None, cows=None, counter=None, no_remake=None, full_board=None)")]
    fn new(
        py: Python<'_>,
        rules: RulesArg,
        board: Option<&str>,
        cows: Option<Whole>,
        counter: Option<&str>,
        no_remake: Option<&str>,
        full_board: Option<&str>,
    ) -> PyResult<Self> {
        let mut rules = rules.0;
        if let Some(board) = board {
            let found = BoardKind::ALL.into_iter().find(|kind| kind.name() == board);
            rules.board = found.ok_or_else(|| {
                bad_argument(py, &format!("board: expected morabaraba or nine-mens-morris, found {board:?}"))
            })?;
        }
        if let Some(Whole(cows)) = cows {
            rules = rules.with_cows(u8::try_from(cows).unwrap_or(u8::MAX));
        }
        if let Some(counter) = counter {
            rules.counter = morabase::rules::parse_counter(counter).or_raise(py)?;
        }
        if let Some(no_remake) = no_remake {
            rules.no_remake = no_remake.parse::<NoRemake>().or_raise(py)?;
        }
        if let Some(full_board) = full_board {
            rules.full_board = full_board.parse::<FullBoard>().or_raise(py)?;
        }
        Ok(Self(rules.check().or_raise(py)?))
    }

    /// The preset's name, or the canonical text where no preset has these options.
    #[getter]
    fn name(&self) -> String {
        self.0.name()
    }

    /// The canonical text, which tables carry.
    #[getter]
    fn text(&self) -> String {
        self.0.to_string()
    }

    /// A hash of the canonical text (XXH3, 64 bits), which tables carry.
    #[getter]
    fn fingerprint(&self) -> u64 {
        self.0.fingerprint()
    }

    /// `morabaraba` or `nine-mens-morris`.
    #[getter]
    fn board(&self) -> &'static str {
        self.0.board.name()
    }

    /// The cows that each player starts with.
    #[getter]
    fn cows(&self) -> u8 {
        self.0.cows
    }

    /// The draw counter, such as `when-three:20` (plies) or `none`.
    #[getter]
    fn counter(&self) -> String {
        self.0.counter.map_or_else(|| "none".to_owned(), |counter| counter.to_string())
    }

    /// The no-remake rule: `none`, `same-cow` or `same-line`.
    #[getter]
    fn no_remake(&self) -> &'static str {
        self.0.no_remake.name()
    }

    /// What a full board means: `blocked-loses` or `draw`.
    #[getter]
    fn full_board(&self) -> &'static str {
        self.0.full_board.name()
    }

    fn __str__(&self) -> String {
        self.name()
    }

    fn __repr__(&self) -> String {
        format!("Rules('{}')", self.name())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, pyo3::types::PyType>, (String,)) {
        (slf.get_type(), (slf.get().text(),))
    }
}

/// The names of the presets, the default first.
#[pyfunction]
pub(crate) fn presets() -> Vec<&'static str> {
    Preset::ALL.into_iter().map(Preset::name).collect()
}

/// Rules as an argument: `Rules`, a preset's name or a canonical text.
#[derive(Clone, Copy, Default)]
pub(crate) struct RulesArg(pub(crate) RuleSet);

impl<'py> FromPyObject<'_, 'py> for RulesArg {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let py = value.py();
        if let Ok(rules) = value.cast::<Rules>() {
            return Ok(Self(rules.get().0));
        }
        let Ok(text) = value.cast::<PyString>() else {
            return Err(bad_type(&value, "the name of a preset, a canonical text or Rules"));
        };
        let text = text.to_cow()?;
        RuleSet::named(&text).or_raise(py).map(Self)
    }
}

/// A whole number as an argument, from 0 on.
#[derive(Clone, Copy)]
pub(crate) struct Whole(pub(crate) u64);

impl<'py> FromPyObject<'_, 'py> for Whole {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let py = value.py();
        let number = py.import("operator")?.getattr("index")?.call1((value,));
        let Ok(number) = number else { return Err(bad_type(&value, "a whole number")) };
        number
            .extract()
            .map(Self)
            .map_err(|_| bad_argument(py, &format!("expected a whole number from 0 to 2**64 - 1, found {number}")))
    }
}
