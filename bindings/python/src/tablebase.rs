//! `Tablebase`: opening tables and asking them.

use std::io;
use std::path::PathBuf;
use std::sync::{PoisonError, RwLock};

use morabase::table::{Access, Counts as LibraryCounts, DtcCount, TableMeta as LibraryMeta};
use morabase::{Class, OpenOptions, ProbeError};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyString};

use crate::answers::{Line, Probe, RankedTurn, Reduced, restorer, wdl_number};
use crate::errors::{OrRaise, Raise, bad_argument, bad_type, error, path_error};
use crate::many;
use crate::position::{Position, Text};
use crate::rules::{Rules, RulesArg, Whole};

/// The tables of one rule set, opened and ready to answer; a context manager.
///
/// `paths` is a directory or a sequence of them; the first that has a class answers for it. With `shipped`, the tables that
/// the package carries (rules `gar`, up to 8 cows) stand in for classes that no directory has, if the rules agree.
/// `rules` demands tables of certain rules; without it they are those of the first table found. With `mmap=False`
/// files are read piece by piece, for network drives.
///
/// Raises `PathError` for what is no directory, or if none of those named has a table and `shipped` was not turned off, `ArgumentError` if none is named
/// and the package carries no tables of these rules, and `RulesDifferError` if the tables are not all of the same rules. Opening
/// reads the head of each file only: a damaged one is listed in `faults`, and what needs it raises `CorruptTableError`.
///
/// All methods can be called from several threads at once and let other threads run while they read tables. A position is a
/// `Position` or its text.
#[pyclass(frozen, module = "morabase")]
pub(crate) struct Tablebase {
    open: RwLock<Option<morabase::Tablebase>>,
    /// What it was opened with, to be opened again from a pickle.
    opened: Opened,
}

/// What a tablebase is opened with, but for its rules.
struct Opened {
    paths: Vec<PathBuf>,
    shipped: bool,
    mmap: bool,
}

impl Opened {
    fn open(self, py: Python<'_>, rules: Option<RulesArg>) -> PyResult<Tablebase> {
        let access = if self.mmap { Access::Map } else { Access::Positioned };
        let options =
            OpenOptions { access, rules: rules.map(|rules| rules.0), shipped: self.shipped, ..OpenOptions::default() };
        let tables = py.detach(|| morabase::Tablebase::open_with(&self.paths, &options)).or_raise(py)?;
        // Who names directories does not mean the tables inside the package alone.
        let found = tables.faults().next().is_some() || tables.classes().any(|class| !tables.is_in_memory(class));
        if let Some(first) = self.paths.first().filter(|_| self.shipped && !found) {
            let message = format!(
                "{}: expected tables of the rules {}, found none; give another directory, none for the tables inside the package, or shipped=False",
                first.display(),
                tables.rules().name(),
            );
            return Err(path_error(py, first, &message, &io::ErrorKind::NotFound.into()));
        }
        if self.paths.is_empty() && tables.classes().next().is_none() {
            let message = if self.shipped {
                let (asked, carried) = (tables.rules().name(), morabase::RuleSet::default().name());
                format!(
                    "there are no tables of the rules {asked} to open: those inside the package are {carried}; give a directory"
                )
            } else {
                "there are no tables to open: give a directory, or leave out shipped=False".to_owned()
            };
            return Err(bad_argument(py, &message));
        }
        Ok(Tablebase { open: RwLock::new(Some(tables)), opened: self })
    }
}

/// A tablebase from its pickled state: opened again, and of the same rules.
#[pyfunction]
pub(crate) fn _restore_tablebase(
    py: Python<'_>,
    paths: Paths,
    shipped: bool,
    mmap: bool,
    rules: RulesArg,
) -> PyResult<Tablebase> {
    Opened { paths: paths.0, shipped, mmap }.open(py, Some(rules))
}

impl Tablebase {
    /// The tables, unless they have been closed.
    pub(crate) fn tables(&self, py: Python<'_>) -> PyResult<morabase::Tablebase> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner).clone();
        open.ok_or_else(|| error(py, "ClosedError", "this tablebase has been closed", &[]))
    }

    /// Asks about a position while other threads may run.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        position: &PositionArg,
        ask: impl FnOnce(&morabase::Tablebase, &morabase::Position) -> Result<T, ProbeError> + Send,
    ) -> PyResult<T> {
        let tables = self.tables(py)?;
        let position = match position {
            PositionArg::Position(position) => *position,
            PositionArg::Text(text) => morabase::Position::from_notation(text, tables.rules()).or_raise(py)?,
        };
        py.detach(|| ask(&tables, &position)).or_raise(py)
    }
}

/// `default` where the table needed is missing, as `get` and `get_wdl` promise.
fn or_default<'py>(
    py: Python<'py>,
    answer: PyResult<Bound<'py, PyAny>>,
    default: Py<PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    match answer {
        Err(error) if error.is_instance_of::<PyKeyError>(py) => Ok(default.into_bound(py)),
        answer => answer,
    }
}

#[pymethods]
impl Tablebase {
    #[new]
    #[pyo3(signature = (paths = None, *, shipped = true, rules = None, mmap = true))]
    fn new(py: Python<'_>, paths: Option<Paths>, shipped: bool, rules: Option<RulesArg>, mmap: bool) -> PyResult<Self> {
        Opened { paths: paths.unwrap_or_default().0, shipped, mmap }.open(py, rules)
    }

    /// The rules of the tables.
    #[getter]
    fn rules(&self, py: Python<'_>) -> PyResult<Rules> {
        Ok(Rules(*self.tables(py)?.rules()))
    }

    /// The classes whose tables are there, fewest cows first: `['3-3', '4-3', …]`.
    #[getter]
    fn classes(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.tables(py)?.classes().map(|class| class.to_string()).collect())
    }

    /// The greatest number of cows, both sides together, up to which no class is missing; `None` if there is none.
    #[getter]
    fn complete_up_to(&self, py: Python<'_>) -> PyResult<Option<u8>> {
        Ok(self.tables(py)?.complete_up_to())
    }

    /// What is wrong with files whose heads could not be read: an exception for each class.
    #[getter]
    fn faults<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let faults = PyDict::new(py);
        for (class, fault) in self.tables(py)?.faults() {
            faults.set_item(class.to_string(), fault.raise(py).into_value(py))?;
        }
        Ok(faults)
    }

    /// What the head of a class's table says: counts and the histogram of distances.
    ///
    /// Raises `ClassError`, `MissingTableError` or `CorruptTableError`.
    fn meta(&self, py: Python<'_>, class_name: ClassArg) -> PyResult<TableMeta> {
        let tables = self.tables(py)?;
        let meta = tables.meta(class_name.0).or_raise(py)?;
        let file = tables.file(class_name.0).filter(|_| !tables.is_in_memory(class_name.0));
        Ok(TableMeta {
            meta: meta.clone(),
            file: file.map(std::path::Path::to_owned),
            bytes: tables.file_length(class_name.0).unwrap_or_default(),
        })
    }

    /// Checks all checksums of a class's table. Raises `CorruptTableError` with the first damage found.
    fn check_file(&self, py: Python<'_>, class_name: ClassArg) -> PyResult<()> {
        let tables = self.tables(py)?;
        py.detach(|| tables.check_file(class_name.0)).or_raise(py)
    }

    /// The exact value of a position, history included, for the side to move.
    ///
    /// With cows in hand it is won, drawn or lost, without plies. Raises `MissingTableError` if a table it needs is not there
    /// (`PlacingPhaseError` if no game leads to so many cows on the board and in hand, so that there never is one), `CorruptTableError` if it is damaged, and `PositionError` or `NotationError` for what is no position.
    fn probe(&self, py: Python<'_>, position: PositionArg) -> PyResult<Probe> {
        self.ask(py, &position, morabase::Tablebase::probe).map(Probe)
    }

    /// As `probe` if no disk has to be asked, for use inside a search; `None` where a part of a file would have to be read for the first
    /// time since the tables were opened.
    ///
    /// `preload` reads a class beforehand. Tables inside the package answer always, and files opened with `mmap=False` never. A
    /// part that was read may have been dropped from memory by the system since; then this waits for the disk after all.
    fn probe_cached(&self, py: Python<'_>, position: PositionArg) -> PyResult<Option<Probe>> {
        Ok(self.ask(py, &position, morabase::Tablebase::probe_cached)?.map(Probe))
    }

    /// Reads a class's file whole and checks it, so that `probe_cached` answers about its positions.
    ///
    /// A probe may need the tables of smaller classes as well. Raises `ClassError`, `MissingTableError` or `CorruptTableError`.
    fn preload(&self, py: Python<'_>, class_name: ClassArg) -> PyResult<()> {
        let tables = self.tables(py)?;
        py.detach(|| tables.preload(class_name.0)).or_raise(py)
    }

    /// 1 if the side to move wins, 0 for a draw, -1 if it loses. Raises what `probe` raises.
    fn probe_wdl(&self, py: Python<'_>, position: PositionArg) -> PyResult<i8> {
        self.ask(py, &position, morabase::Tablebase::probe_wdl).map(wdl_number)
    }

    /// As `probe`, but `default` where a table is missing.
    #[pyo3(signature = (position, default = None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        position: PositionArg,
        default: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let answer = self.probe(py, position).and_then(|probe| Ok(probe.into_pyobject(py)?.into_any()));
        or_default(py, answer, default.unwrap_or_else(|| py.None()))
    }

    /// As `probe_wdl`, but `default` where a table is missing.
    #[pyo3(signature = (position, default = None))]
    fn get_wdl<'py>(
        &self,
        py: Python<'py>,
        position: PositionArg,
        default: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let answer = self.probe_wdl(py, position).and_then(|wdl| Ok(wdl.into_pyobject(py)?.into_any()));
        or_default(py, answer, default.unwrap_or_else(|| py.None()))
    }

    /// All legal turns with their values, best first; none once the game is over. Raises what `probe` raises.
    fn turns(&self, py: Python<'_>, position: PositionArg) -> PyResult<Vec<RankedTurn>> {
        let turns = self.ask(py, &position, morabase::Tablebase::turns)?;
        Ok(turns.into_iter().map(RankedTurn).collect())
    }

    /// The best turn, or `None` if the game is over. Raises what `probe` raises.
    fn best_turn(&self, py: Python<'_>, position: PositionArg) -> PyResult<Option<RankedTurn>> {
        Ok(self.ask(py, &position, morabase::Tablebase::best_turn)?.map(RankedTurn))
    }

    /// Best play for both sides to the end of the game, or to where it is drawn. Raises what `probe` raises.
    fn line(&self, py: Python<'_>, position: PositionArg) -> PyResult<Line> {
        self.ask(py, &position, morabase::Tablebase::line).map(Line)
    }

    /// The values of many positions at once: see `morabase.ManyProbes`, which it gives back.
    ///
    /// `own` and `opponent` are arrays of bitboards, the cows of the side to move and of the other, of any integer type and of
    /// shapes that broadcast. Hands are empty (ask `probe` about positions with cows in hand), the draw counter is at zero and
    /// nothing is restricted.
    ///
    /// With `errors="raise"` the first entry that cannot be answered raises what `probe` would, and the exception's `index` is its
    /// place in the flattened arrays. With `errors="mask"` such entries are masked, in masked arrays that `filled()` fills with
    /// -128 (`wdl`) and -2 (`dtc`). Arrays of another type, and masked ones, raise `ArgumentTypeError`, shapes that do
    /// not fit `ArgumentError`.
    ///
    /// The interpreter lock is released; `threads` is the number of threads to use, 0 for one per core. Ctrl-C stops it.
    #[pyo3(signature = (own, opponent, *, errors = None, threads = Whole(1)),
           text_signature = "($self, own, opponent, *, errors='raise', threads=1)")]
    fn probe_many<'py>(
        slf: &Bound<'py, Self>,
        own: &Bound<'py, PyAny>,
        opponent: &Bound<'py, PyAny>,
        errors: Option<Text>,
        threads: Whole,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let errors = errors.map_or_else(|| "raise".to_owned(), |errors| errors.0);
        py.import("morabase._many")?.getattr("probe_many")?.call1((slf, own, opponent, errors, threads.0))
    }

    /// `probe_many` on the bytes of little-endian 32-bit bitboards: the bytes of values and distances.
    fn _probe_bytes<'py>(
        &self,
        py: Python<'py>,
        own: &[u8],
        opponent: &[u8],
        mask: bool,
        threads: Whole,
    ) -> PyResult<many::Arrays<'py>> {
        many::probe(py, &self.tables(py)?, (own, opponent), mask, threads.0)
    }

    /// Closes the files. What is asked afterwards raises `ClosedError`; closing again does nothing.
    fn close(&self) {
        *self.open.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        slf.get().tables(slf.py())?;
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyAny>) {
        self.close();
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        match self.tables(py) {
            Ok(tables) => format!("<Tablebase {}, {} classes>", tables.rules().name(), tables.classes().count()),
            Err(_) => "<Tablebase, closed>".to_owned(),
        }
    }

    /// A pickle holds the names of the directories, and not the tables: they are opened again. So `Pool.map(tables.turns, …)` works.
    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Vec<PathBuf>, bool, bool, Rules)> {
        let rules = self.rules(py)?;
        let Opened { paths, shipped, mmap } = &self.opened;
        // Whoever opens them may be somewhere else.
        let paths = paths.iter().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()));
        Ok((restorer(py, "_restore_tablebase")?, (paths.collect(), *shipped, *mmap, rules)))
    }
}

/// What the head of a class's table says.
#[pyclass(frozen, eq, module = "morabase")]
#[derive(PartialEq, Eq)]
pub(crate) struct TableMeta {
    meta: LibraryMeta,
    file: Option<PathBuf>,
    bytes: u64,
}

#[pymethods]
impl TableMeta {
    /// The class, such as `4-3`.
    #[getter]
    fn class_name(&self) -> String {
        self.meta.class.to_string()
    }

    /// The rules.
    #[getter]
    fn rules(&self, py: Python<'_>) -> PyResult<Rules> {
        self.meta.rules_text.parse().or_raise(py).map(Rules)
    }

    /// The entries of the table.
    #[getter]
    fn entries(&self) -> u64 {
        self.meta.entries()
    }

    /// Positions of the full space, every placement of the cows counted.
    #[getter]
    fn full(&self) -> Counts {
        Counts(self.meta.full)
    }

    /// The same, each orbit under the 16 symmetries counted once.
    #[getter]
    fn canonical(&self) -> Counts {
        Counts(self.meta.canonical)
    }

    /// Positions of the full space by their DTC: a list of `(plies, won, lost)`, from 0 plies to the longest.
    #[getter]
    fn histogram(&self) -> Vec<(usize, u64, u64)> {
        self.meta.dtc.iter().enumerate().map(|(plies, count)| (plies, count.won, count.lost)).collect()
    }

    /// The longest DTC in plies; `None` if no position is decided.
    #[getter]
    fn longest(&self) -> Option<u16> {
        self.meta.max_dtc().map(|plies| plies.0)
    }

    /// The table's file; `None` for one that the package carries.
    #[getter]
    fn file(&self) -> Option<PathBuf> {
        self.file.clone()
    }

    /// The length of the table in bytes.
    #[getter]
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn __repr__(&self) -> String {
        format!("<TableMeta {}, {} entries>", self.meta.class, self.meta.entries())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, PickledMeta> {
        let dtc = self.meta.dtc.iter().map(|count| (count.won, count.lost)).collect();
        let counts = (self.full(), self.canonical());
        let file = (self.file.clone(), self.bytes);
        let state = (self.rules(py)?, self.class_name(), self.meta.blocks, counts, dtc, file);
        Ok((restorer(py, "_restore_meta")?, state))
    }
}

/// The rules, the class, the blocks, both counts, won and lost by DTC, the file and its length.
type PickledMeta = (Rules, String, u32, (Counts, Counts), Vec<(u64, u64)>, (Option<PathBuf>, u64));

/// What the head of a table says, from its pickled state.
#[pyfunction]
pub(crate) fn _restore_meta(
    rules: RulesArg,
    class_name: ClassArg,
    blocks: u32,
    counts: (PyRef<'_, Counts>, PyRef<'_, Counts>),
    dtc: Vec<(u64, u64)>,
    file: (Option<PathBuf>, u64),
) -> TableMeta {
    let dtc = dtc.into_iter().map(|(won, lost)| DtcCount { won, lost }).collect();
    let meta = LibraryMeta {
        rules_text: rules.0.to_string(),
        rules_fingerprint: rules.0.fingerprint(),
        board: rules.0.board,
        class: class_name.0,
        blocks,
        full: counts.0.0,
        canonical: counts.1.0,
        dtc,
    };
    let (file, bytes) = file;
    TableMeta { meta, file, bytes }
}

/// How many positions are won, drawn and lost for the side to move.
#[pyclass(frozen, eq, module = "morabase")]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts(LibraryCounts);

#[pymethods]
impl Counts {
    /// Won positions.
    #[getter]
    fn won(&self) -> u64 {
        self.0.won
    }

    /// Drawn positions.
    #[getter]
    fn drawn(&self) -> u64 {
        self.0.drawn
    }

    /// Lost positions.
    #[getter]
    fn lost(&self) -> u64 {
        self.0.lost
    }

    /// All positions.
    #[getter]
    fn total(&self) -> u64 {
        self.0.total()
    }

    fn __repr__(&self) -> String {
        format!("<Counts won={} drawn={} lost={}>", self.0.won, self.0.drawn, self.0.lost)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (u64, u64, u64)> {
        Ok((restorer(py, "_restore_counts")?, (self.0.won, self.0.drawn, self.0.lost)))
    }
}

/// Counts from their pickled state.
#[pyfunction]
pub(crate) fn _restore_counts(won: u64, drawn: u64, lost: u64) -> Counts {
    Counts(LibraryCounts { won, drawn, lost })
}

/// A position as an argument: a `Position` or a text, which is read under the rules of the tables.
pub(crate) enum PositionArg {
    Position(morabase::Position),
    Text(String),
}

impl<'py> FromPyObject<'_, 'py> for PositionArg {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(position) = value.cast::<Position>() {
            return Ok(Self::Position(position.get().0));
        }
        if value.is_instance_of::<PyString>() {
            return Text::extract(value).map(|text| Self::Text(text.0));
        }
        Err(bad_type(&value, "a Position or its text"))
    }
}

/// A class as an argument.
pub(crate) struct ClassArg(pub(crate) Class);

impl<'py> FromPyObject<'_, 'py> for ClassArg {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Text::extract(value)?.0.parse().or_raise(value.py()).map(Self)
    }
}

/// A path as an argument.
pub(crate) struct PathArg(pub(crate) PathBuf);

impl<'py> FromPyObject<'_, 'py> for PathArg {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let path = PathBuf::extract(value).map_err(|_| bad_type(&value, "a path, as a text or os.PathLike"))?;
        Ok(Self(path))
    }
}

/// Directories as an argument: a path or a sequence of them.
#[derive(Default)]
pub(crate) struct Paths(Vec<PathBuf>);

impl<'py> FromPyObject<'_, 'py> for Paths {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(path) = PathArg::extract(value) {
            return Ok(Self(vec![path.0]));
        }
        let refused = || bad_type(&value, "a path or a sequence of paths");
        if value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyByteArray>() {
            // They are sequences, of numbers.
            return Err(refused());
        }
        let paths = value.try_iter().map_err(|_| refused())?;
        let paths = paths.map(|path| PathArg::extract(path?.as_borrowed()).map(|path| path.0));
        paths.collect::<PyResult<Vec<_>>>().map(Self)
    }
}
