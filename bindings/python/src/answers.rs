//! What a tablebase answers: `ExactValue`, `Probe`, `RankedTurn`, `Line` and `Outcome`, all immutable. `Verdict` is an enum of the Python half.

use morabase::{LineEnd, Reason, Side, Wdl};
use pyo3::exceptions::{PyIndexError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PySlice, PyTuple};

use crate::errors::bad_argument;
use crate::position::{Position, Turn};

pub(crate) const fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "first",
        Side::Second => "second",
    }
}

pub(crate) const fn wdl_number(wdl: Wdl) -> i8 {
    match wdl {
        Wdl::Lost => -1,
        Wdl::Drawn => 0,
        Wdl::Won => 1,
    }
}

/// Won, drawn or lost for the side to move, and in how many plies the next shot or the end comes (DTC). With cows in hand plies are
/// not counted.
///
/// Values compare: a faster win and a slower loss are greater. One without plies is taken for the slowest.
#[pyclass(frozen, eq, ord, hash, module = "morabase")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Hash)]
pub(crate) struct ExactValue(pub(crate) morabase::Value);

#[pymethods]
impl ExactValue {
    /// `won`, `drawn` or `lost`.
    #[getter]
    fn value(&self) -> &'static str {
        self.0.wdl().name()
    }

    /// 1 for won, 0 for drawn, -1 for lost.
    #[getter]
    fn wdl(&self) -> i8 {
        wdl_number(self.0.wdl())
    }

    /// Plies to the next shot or the end; `None` for a draw, and with cows in hand.
    #[getter]
    fn dtc(&self) -> Option<u16> {
        self.0.dtc().map(|plies| plies.0)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<ExactValue {}>", self.0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (i8, Option<u16>)> {
        Ok((restorer(py, "_restore_value")?, (self.wdl(), self.dtc())))
    }
}

/// What pickling asks for: a function and the arguments with which it makes the object again.
pub(crate) type Reduced<'py, State> = PyResult<(Bound<'py, PyAny>, State)>;

/// The function of this name, which makes an object of its pickled state.
pub(crate) fn restorer<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("morabase._morabase")?.getattr(name)
}

/// A value from its pickled state.
#[pyfunction]
#[pyo3(signature = (wdl, dtc))]
pub(crate) fn _restore_value(py: Python<'_>, wdl: i8, dtc: Option<u16>) -> PyResult<ExactValue> {
    let value = match (wdl, dtc.map(morabase::Plies)) {
        (-1, Some(plies)) => morabase::Value::Lost(plies),
        (-1, None) => morabase::Value::Losing,
        // Older versions have pickled a draw with 0 plies.
        (0, _) => morabase::Value::Drawn,
        (1, Some(plies)) => morabase::Value::Won(plies),
        (1, None) => morabase::Value::Winning,
        _ => return Err(bad_argument(py, "this is not the state of a pickled value")),
    };
    Ok(ExactValue(value))
}

/// The member of the enum `Verdict`.
fn member(py: Python<'_>, verdict: morabase::Verdict) -> PyResult<Bound<'_, PyAny>> {
    static VERDICT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class =
        VERDICT.get_or_try_init(py, || Ok::<_, PyErr>(py.import("morabase._verdict")?.getattr("Verdict")?.unbind()))?;
    class.bind(py).call1((verdict.name(),))
}

/// How a game has ended.
#[pyclass(frozen, eq, hash, module = "morabase")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Outcome(pub(crate) morabase::Outcome);

#[pymethods]
impl Outcome {
    /// The player who has won, `first` or `second`; `None` if the game is drawn.
    #[getter]
    fn winner(&self) -> Option<&'static str> {
        match self.0 {
            morabase::Outcome::Won(side, _) => Some(side_name(side)),
            morabase::Outcome::Drawn(_) => None,
        }
    }

    /// Why: `too-few-cows`, `blocked`, `full-board` or `counter`.
    #[getter]
    fn reason(&self) -> &'static str {
        let (morabase::Outcome::Won(_, reason) | morabase::Outcome::Drawn(reason)) = self.0;
        match reason {
            Reason::TooFewCows => "too-few-cows",
            Reason::Blocked => "blocked",
            Reason::FullBoard => "full-board",
            Reason::Counter => "counter",
        }
    }

    fn __repr__(&self) -> String {
        match self.winner() {
            Some(winner) => format!("<Outcome {winner} player has won, {}>", self.reason()),
            None => format!("<Outcome drawn, {}>", self.reason()),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Option<&'static str>, &'static str)> {
        Ok((restorer(py, "_restore_outcome")?, (self.winner(), self.reason())))
    }
}

/// An outcome from its pickled state.
#[pyfunction]
pub(crate) fn _restore_outcome(py: Python<'_>, winner: Option<&str>, reason: &str) -> PyResult<Outcome> {
    let reasons = [Reason::TooFewCows, Reason::Blocked, Reason::FullBoard, Reason::Counter];
    let outcomes = reasons.into_iter().flat_map(|reason| {
        let sides = [Side::First, Side::Second].map(|side| morabase::Outcome::Won(side, reason));
        sides.into_iter().chain([morabase::Outcome::Drawn(reason)])
    });
    let found = outcomes.map(Outcome).find(|outcome| outcome.winner() == winner && outcome.reason() == reason);
    found.ok_or_else(|| bad_argument(py, "this is not the state of a pickled outcome"))
}

/// The exact value of a position, for the side to move.
#[pyclass(frozen, eq, hash, module = "morabase")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Probe(pub(crate) morabase::Probe);

#[pymethods]
impl Probe {
    /// `won`, `drawn` or `lost`, with the draw counter and all restrictions where they stand.
    #[getter]
    fn value(&self) -> &'static str {
        self.0.value.wdl().name()
    }

    /// The same with its distance, to be compared.
    #[getter]
    fn exact(&self) -> ExactValue {
        ExactValue(self.0.value)
    }

    /// 1 for won, 0 for drawn, -1 for lost.
    #[getter]
    fn wdl(&self) -> i8 {
        wdl_number(self.0.value.wdl())
    }

    /// Plies to the next shot or the end; `None` for a draw, and with cows in hand.
    #[getter]
    fn dtc(&self) -> Option<u16> {
        self.0.value.dtc().map(|plies| plies.0)
    }

    /// Won, drawn or lost, with the draws told apart that only the draw counter makes.
    #[getter]
    fn verdict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        member(py, self.0.verdict())
    }

    /// The value if the draw counter stood at zero.
    #[getter]
    fn at_zero(&self) -> ExactValue {
        ExactValue(self.0.at_zero)
    }

    /// The value at counter zero without the no-remake restrictions.
    #[getter]
    fn unrestricted(&self) -> ExactValue {
        ExactValue(self.0.unrestricted)
    }

    /// Whether the draw counter, where it stands, turns a decision into a draw.
    #[getter]
    fn counter_matters(&self) -> bool {
        self.0.counter_matters()
    }

    /// Whether a no-remake restriction changes the value or its distance.
    #[getter]
    fn restriction_matters(&self) -> bool {
        self.0.restriction_matters()
    }

    /// The class, such as `4-3`, or `2-3+2-1` with cows in hand; `None` with fewer than three cows on a side.
    #[getter]
    fn class_name(&self) -> Option<String> {
        self.0.class.map(|class| class.to_string())
    }

    /// How the game has ended, if it has.
    #[getter]
    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome.map(Outcome)
    }

    fn __str__(&self) -> String {
        described(self.0.value, self.0.verdict())
    }

    fn __repr__(&self) -> String {
        let class = self.class_name().map_or_else(String::new, |class| format!("{class}, "));
        format!("<Probe {class}{}>", self.__str__())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, PickledProbe> {
        let probe = &self.0;
        let values = [probe.value, probe.at_zero, probe.unrestricted].map(ExactValue);
        let [value, at_zero, unrestricted] = values;
        let state = (value, at_zero, unrestricted, self.class_name(), self.outcome());
        Ok((restorer(py, "_restore_probe")?, state))
    }
}

/// The value, the value at counter zero and that without restrictions, the class, the outcome.
type PickledProbe = (ExactValue, ExactValue, ExactValue, Option<String>, Option<Outcome>);

/// A probe from its pickled state.
#[pyfunction]
pub(crate) fn _restore_probe(
    py: Python<'_>,
    value: PyRef<'_, ExactValue>,
    at_zero: PyRef<'_, ExactValue>,
    unrestricted: PyRef<'_, ExactValue>,
    class_name: Option<&str>,
    outcome: Option<PyRef<'_, Outcome>>,
) -> PyResult<Probe> {
    let class = class_name.map(str::parse).transpose();
    let class = class.map_err(|_| bad_argument(py, "this is not the state of a pickled probe"))?;
    let [value, at_zero, unrestricted] = [value.0, at_zero.0, unrestricted.0];
    Ok(Probe(morabase::Probe { value, at_zero, unrestricted, class, outcome: outcome.map(|outcome| outcome.0) }))
}

/// The value, or the verdict where that says more.
fn described(value: morabase::Value, verdict: morabase::Verdict) -> String {
    match verdict {
        morabase::Verdict::CursedWin | morabase::Verdict::BlessedLoss => verdict.name().to_owned(),
        _ => value.to_string(),
    }
}

/// A legal turn and what it is worth to the side that makes it.
#[pyclass(frozen, eq, module = "morabase")]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct RankedTurn(pub(crate) morabase::RankedTurn);

#[pymethods]
impl RankedTurn {
    /// The turn.
    #[getter]
    fn turn(&self) -> Turn {
        Turn(self.0.turn)
    }

    /// `won`, `drawn` or `lost`, for the side that makes the turn.
    #[getter]
    fn value(&self) -> &'static str {
        self.0.value.wdl().name()
    }

    /// The same with its distance, to be compared. The distance includes this turn, and is 1 for a shot; there is none if there were
    /// cows in hand before the turn.
    #[getter]
    fn exact(&self) -> ExactValue {
        ExactValue(self.0.value)
    }

    /// 1 for won, 0 for drawn, -1 for lost, for the side that makes the turn.
    #[getter]
    fn wdl(&self) -> i8 {
        wdl_number(self.0.value.wdl())
    }

    /// Plies to the next shot or the end, this turn included; `None` for a draw, and with cows in hand.
    #[getter]
    fn dtc(&self) -> Option<u16> {
        self.0.value.dtc().map(|plies| plies.0)
    }

    /// The same with draws told apart that only the draw counter makes.
    #[getter]
    fn verdict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        member(py, self.0.verdict)
    }

    /// The position that the turn leads to.
    #[getter]
    fn after(&self) -> Position {
        Position(self.0.after)
    }

    /// The answer on that position, for the other side.
    #[getter]
    fn reply(&self) -> Probe {
        Probe(self.0.reply)
    }

    fn __str__(&self) -> String {
        format!("{} {}", self.0.turn, described(self.0.value, self.0.verdict))
    }

    fn __repr__(&self) -> String {
        format!("<RankedTurn {}>", self.__str__())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, PickledTurn> {
        let state = (self.turn(), self.exact(), self.0.verdict.name(), self.after(), self.reply());
        Ok((restorer(py, "_restore_ranked_turn")?, state))
    }
}

/// The turn, its value, the verdict, the position after it and the answer on that.
type PickledTurn = (Turn, ExactValue, &'static str, Position, Probe);

/// A ranked turn from its pickled state.
#[pyfunction]
pub(crate) fn _restore_ranked_turn(
    py: Python<'_>,
    turn: PyRef<'_, Turn>,
    value: PyRef<'_, ExactValue>,
    verdict: &str,
    after: PyRef<'_, Position>,
    reply: PyRef<'_, Probe>,
) -> PyResult<RankedTurn> {
    use morabase::Verdict::{BlessedLoss, CursedWin, Drawn, Lost, Won};
    let found = [Lost, BlessedLoss, Drawn, CursedWin, Won].into_iter().find(|known| known.name() == verdict);
    let verdict = found.ok_or_else(|| bad_argument(py, "this is not the state of a pickled turn"))?;
    let (turn, value, after, reply) = (turn.0, value.0, after.0, reply.0);
    Ok(RankedTurn(morabase::RankedTurn { turn, value, verdict, after, reply }))
}

/// Best play for both sides: a sequence of `RankedTurn`.
#[pyclass(frozen, eq, sequence, module = "morabase")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Line(pub(crate) morabase::Line);

impl Line {
    /// The turns as a list, which knows all that a sequence can do.
    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.0.turns.iter().copied().map(RankedTurn))
    }
}

#[pymethods]
impl Line {
    /// The answer on the position that the line starts from.
    #[getter]
    fn start(&self) -> Probe {
        Probe(self.0.start)
    }

    /// The turns, each the best of its position.
    #[getter]
    fn turns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.turns.iter().copied().map(RankedTurn))
    }

    /// How the game ends; `None` if the line stops because neither side can win.
    #[getter]
    fn outcome(&self) -> Option<Outcome> {
        match self.0.end {
            LineEnd::Over(outcome) => Some(Outcome(outcome)),
            LineEnd::Drawn => None,
        }
    }

    fn __len__(&self) -> usize {
        self.0.turns.len()
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = index.py();
        if index.is_instance_of::<PySlice>() {
            return self.list(py)?.as_any().get_item(index);
        }
        let length = self.0.turns.len();
        let at = match index.extract::<isize>() {
            Ok(index) if index < 0 => length.checked_add_signed(index),
            Ok(index) => Some(index.unsigned_abs()),
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => None,
            Err(error) => return Err(error),
        };
        let turn = at.and_then(|at| self.0.turns.get(at)).copied();
        let turn = turn.ok_or_else(|| PyIndexError::new_err(format!("the line has {length} turns")))?;
        Ok(RankedTurn(turn).into_pyobject(py)?.into_any())
    }

    /// The place of the first turn that equals `value`, from `start` on and before `stop`. Raises `ValueError` if there is none.
    #[pyo3(signature = (value, start = 0, stop = None))]
    fn index(&self, value: &Bound<'_, PyAny>, start: isize, stop: Option<isize>) -> PyResult<usize> {
        let list = self.list(value.py())?;
        list.call_method1("index", (value, start, stop.unwrap_or(isize::MAX)))?.extract()
    }

    /// How many of the turns equal `value`.
    fn count(&self, value: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.list(value.py())?.call_method1("count", (value,))?.extract()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.list(py)?.into_any().try_iter().map(Bound::into_any)
    }

    fn __str__(&self) -> String {
        self.0.turns.iter().map(|turn| turn.turn.to_string()).collect::<Vec<_>>().join(" ")
    }

    fn __repr__(&self) -> String {
        format!("<Line {}, {} turns>", self.0.start.value, self.0.turns.len())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Probe, Bound<'py, PyTuple>, Option<Outcome>)> {
        Ok((restorer(py, "_restore_line")?, (self.start(), self.turns(py)?, self.outcome())))
    }
}

/// A line from its pickled state.
#[pyfunction]
pub(crate) fn _restore_line(
    start: PyRef<'_, Probe>,
    turns: Vec<PyRef<'_, RankedTurn>>,
    outcome: Option<PyRef<'_, Outcome>>,
) -> Line {
    let end = outcome.map_or(LineEnd::Drawn, |outcome| LineEnd::Over(outcome.0));
    Line(morabase::Line { start: start.0, turns: turns.iter().map(|turn| turn.0).collect(), end })
}
