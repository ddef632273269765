//! `Position` and `Turn`, their text formats, and bitboards from point names.

use morabase::{Class, Fen, FenDialect, Point, PointForm, PointSet, Record, Remake, Side, Step};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use crate::answers::{self, Outcome, RankedTurn};
use crate::errors::{OrRaise, bad_argument, bad_type, error};
use crate::rules::{RulesArg, Whole};

/// A position: the cows of both players, hands, the side to move, the draw counter and the no-remake restrictions.
///
/// Made from a text, in short form (`W:Wa7,d7,g7:Bb6,d6,c5`) or as a FEN of 17 fields, and checked against the rules;
/// raises `NotationError` or `PositionError`. Immutable, hashable and picklable.
///
/// Bitboards are numbers of 24 bits: `ring * 8 + (n - 1)` for the points E1 to E8, A1 to A8, R1 to R8. The functions
/// `bitboard` and `points` translate.
///
/// >>> Position("W:Wd6,d7,f4,f6:Bb4,d3,g1,g4").class_name
/// '4-4'
#[pyclass(frozen, eq, hash, module = "morabase")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Position(pub(crate) morabase::Position);

type Restriction = Option<(&'static str, &'static str)>;
type State = (u32, u32, u8, u8, bool, bool, u16, Option<(u8, u8)>, Option<(u8, u8)>);

#[pymethods]
impl Position {
    #[new]
    #[pyo3(signature = (text, rules = RulesArg::default()), text_signature = "(text, rules='gar')")]
    fn new(py: Python<'_>, text: Text, rules: RulesArg) -> PyResult<Self> {
        morabase::Position::from_notation(&text.0, &rules.0).or_raise(py).map(Self)
    }

    /// The start of a game: an empty board, all cows in hand, the first player to move.
    #[staticmethod]
    #[pyo3(signature = (rules = RulesArg::default()), text_signature = "(rules='gar')")]
    fn start(rules: RulesArg) -> Self {
        Self(morabase::Position::start(&rules.0))
    }

    /// A position with empty hands. `own` are the cows of the side to move, `opponent` the other's: bitboards, or names of
    /// points such as `"a7 d7 g7"` or a list of them. `counter` is the number of plies since the last shot.
    ///
    /// Raises `PositionError` if it cannot occur under the rules.
    #[staticmethod]
    #[pyo3(signature = (own, opponent, to_move = "first", *, counter = Whole(0), rules = RulesArg::default()),
           text_signature = "(own, opponent, to_move='first', *, counter=0, rules='gar')")]
    fn moving(
        py: Python<'_>,
        own: Points,
        opponent: Points,
        to_move: &str,
        counter: Whole,
        rules: RulesArg,
    ) -> PyResult<Self> {
        let (to_move, cows) = match to_move {
            "first" => (Side::First, [own.0, opponent.0]),
            "second" => (Side::Second, [opponent.0, own.0]),
            _ => return Err(bad_argument(py, &format!("to_move: expected 'first' or 'second', found {to_move:?}"))),
        };
        let counter = u16::try_from(counter.0)
            .map_err(|_| bad_argument(py, &format!("counter: expected 0 to 65535 plies, found {}", counter.0)))?;
        let position = morabase::Position { counter, ..morabase::Position::moving(cows, to_move) };
        position.check(&rules.0).or_raise(py).map(Self)
    }

    /// The position at the end of a game, given by its turns: `"d6 d7 b4 a4 b6 g7 b2xa4"`. It begins at `start`, by
    /// default at the start of a game.
    ///
    /// Raises `NotationError` for what is no record and `IllegalTurnError` for the first turn that the rules do not allow.
    #[staticmethod]
    #[pyo3(signature = (record, rules = RulesArg::default(), start = None), text_signature = "(record, rules='gar', start=None)")]
    fn from_record(py: Python<'_>, record: Text, rules: RulesArg, start: Option<&Bound<'_, Self>>) -> PyResult<Self> {
        let record: Record = record.0.parse::<Record>().or_raise(py)?;
        let start = if let Some(start) = start {
            start.get().0
        } else {
            let own = record.own_start(&rules.0).or_raise(py)?;
            own.map_or_else(|| morabase::Position::start(&rules.0), |fen| fen.position)
        };
        record.end(&start, &rules.0).or_raise(py).map(Self)
    }

    /// The cows of the side to move, as a bitboard.
    #[getter]
    fn own(&self) -> u32 {
        self.0.mover().bits()
    }

    /// The cows of the side that waits, as a bitboard.
    #[getter]
    fn opponent(&self) -> u32 {
        self.0.waiting().bits()
    }

    /// The first player's cows, as a bitboard.
    #[getter]
    fn first(&self) -> u32 {
        self.0.cows[0].bits()
    }

    /// The second player's cows, as a bitboard.
    #[getter]
    fn second(&self) -> u32 {
        self.0.cows[1].bits()
    }

    /// Whose turn it is: `first` or `second`.
    #[getter]
    fn to_move(&self) -> &'static str {
        answers::side_name(self.0.to_move)
    }

    /// Cows in hand, the first player's and the second's.
    #[getter]
    fn hands(&self) -> (u8, u8) {
        (self.0.hands[0], self.0.hands[1])
    }

    /// Plies of the moving phase since the last shot.
    #[getter]
    fn counter(&self) -> u16 {
        self.0.counter
    }

    /// Whether the side to move has completed a line and must still shoot.
    #[getter]
    fn shot_pending(&self) -> bool {
        self.0.shot_pending
    }

    /// What each player's last turn left for the no-remake rule: the points it went from and to, or `None`.
    #[getter]
    fn restrictions(&self) -> (Restriction, Restriction) {
        let names = |remake: Option<Remake>| remake.map(|remake| (remake.from.grid_name(), remake.to.grid_name()));
        (names(self.0.remakes[0]), names(self.0.remakes[1]))
    }

    /// The class, such as `4-3` for four cows to move against three, or `2-3+2-1` with two and one in hand as well; `None` with fewer
    /// than three cows on a side.
    #[getter]
    fn class_name(&self) -> Option<String> {
        let [mut mover_hand, mut waiting_hand] = self.0.hands;
        if self.0.to_move == Side::Second {
            std::mem::swap(&mut mover_hand, &mut waiting_hand);
        }
        let board = [self.0.mover().len(), self.0.waiting().len()];
        Class::with_hands(board, [mover_hand, waiting_hand]).ok().map(|class| class.to_string())
    }

    /// All legal turns; none once the game is over. No tables are needed.
    #[pyo3(signature = (rules = RulesArg::default()), text_signature = "($self, rules='gar')")]
    fn turns(&self, rules: RulesArg) -> Vec<Turn> {
        self.0.turns(&rules.0).into_iter().map(Turn).collect()
    }

    /// The position after a turn, given as a `Turn`, a `RankedTurn` or a text such as `d2-d3xa7`.
    ///
    /// Raises `IllegalTurnError` with the rule that forbids it, or `NotationError`.
    #[pyo3(signature = (turn, rules = RulesArg::default()), text_signature = "($self, turn, rules='gar')")]
    fn apply(&self, py: Python<'_>, turn: TurnArg, rules: RulesArg) -> PyResult<Self> {
        self.0.apply(turn.0, &rules.0).or_raise(py).map(Self)
    }

    /// How the game has ended, or `None` while it goes on.
    #[pyo3(signature = (rules = RulesArg::default()), text_signature = "($self, rules='gar')")]
    fn outcome(&self, rules: RulesArg) -> Option<Outcome> {
        self.0.outcome(&rules.0).map(Outcome)
    }

    /// The short form, with grid names (`form="grid"`) or ring names (`form="gar"`); `str()` gives the first.
    #[pyo3(signature = (form = Form(PointForm::Grid)), text_signature = "($self, form='grid')")]
    fn notation(&self, form: Form) -> String {
        self.0.in_form(form.0).to_string()
    }

    /// The FEN of 17 fields that the Sanmill program reads, in the dialect `nodes` (its present one) or `old`.
    #[pyo3(signature = (rules = RulesArg::default(), *, dialect = "nodes", move_number = Whole(1)),
           text_signature = "($self, rules='gar', *, dialect='nodes', move_number=1)")]
    fn fen(&self, py: Python<'_>, rules: RulesArg, dialect: &str, move_number: Whole) -> PyResult<String> {
        let dialect = match dialect {
            "nodes" => FenDialect::Nodes,
            "old" => FenDialect::Old,
            _ => return Err(bad_argument(py, &format!("dialect: expected 'nodes' or 'old', found {dialect:?}"))),
        };
        let move_number =
            u32::try_from(move_number.0).map_err(|_| bad_argument(py, "move_number: expected a number below 2**32"))?;
        Ok(Fen { position: self.0, move_number }.to_text(dialect, &rules.0))
    }

    /// The board drawn in text: `O` for the first player's cows, `@` for the second's, `+` for free points.
    #[pyo3(signature = (rules = RulesArg::default()), text_signature = "($self, rules='gar')")]
    fn draw(&self, rules: RulesArg) -> String {
        self.0.draw(rules.0.board())
    }

    /// The board as an SVG image; a notebook shows a position so.
    #[pyo3(signature = (rules = RulesArg::default()), text_signature = "($self, rules='gar')")]
    fn svg(&self, rules: RulesArg) -> String {
        self.0.to_svg(rules.0.board())
    }

    fn _repr_svg_(&self) -> String {
        self.svg(RulesArg::default())
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Position('{}')", self.0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (State,))> {
        let position = &self.0;
        let remake = |at: usize| position.remakes[at].map(|r: Remake| (r.from.index() as u8, r.to.index() as u8));
        let state = (
            position.cows[0].bits(),
            position.cows[1].bits(),
            position.hands[0],
            position.hands[1],
            position.to_move == Side::Second,
            position.shot_pending,
            position.counter,
            remake(0),
            remake(1),
        );
        Ok((py.import("morabase._morabase")?.getattr("_restore_position")?, (state,)))
    }
}

/// A position from its pickled state.
#[pyfunction]
pub(crate) fn _restore_position(py: Python<'_>, state: State) -> PyResult<Position> {
    let (first, second, first_hand, second_hand, second_moves, shot_pending, counter, first_last, second_last) = state;
    let restore = || {
        let remake = |points: Option<(u8, u8)>| match points {
            None => Some(None),
            Some((from, to)) => Some(Some(Remake { from: Point::new(from)?, to: Point::new(to)? })),
        };
        Some(morabase::Position {
            cows: [PointSet::from_bits(first)?, PointSet::from_bits(second)?],
            hands: [first_hand, second_hand],
            to_move: if second_moves { Side::Second } else { Side::First },
            shot_pending,
            counter,
            remakes: [remake(first_last)?, remake(second_last)?],
        })
    };
    restore().map(Position).ok_or_else(|| bad_argument(py, "this is not the state of a pickled position"))
}

/// A turn, shot included: `d2` places a cow, `d2-d3` moves one, `d2-d3xa7` completes a line and shoots, `xa7` is the
/// shot alone where the line has been made. Raises `NotationError`.
///
/// >>> Turn("E6-A6xR1")
/// Turn('d1-d2xc5')
#[pyclass(frozen, eq, hash, module = "morabase")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Turn(pub(crate) morabase::Turn);

#[pymethods]
impl Turn {
    #[new]
    fn new(py: Python<'_>, text: Text) -> PyResult<Self> {
        text.0.parse().or_raise(py).map(Self)
    }

    /// `place`, `move` or `shoot` (a shot alone).
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0.step {
            Step::Place(_) => "place",
            Step::Move(..) => "move",
            Step::Shoot(_) => "shoot",
        }
    }

    /// The point that a moved cow leaves.
    #[getter]
    fn origin(&self) -> Option<&'static str> {
        match self.0.step {
            Step::Move(from, _) => Some(from.grid_name()),
            _ => None,
        }
    }

    /// The point that a cow comes to; `None` for a shot alone.
    #[getter]
    fn target(&self) -> Option<&'static str> {
        match self.0.step {
            Step::Place(to) | Step::Move(_, to) => Some(to.grid_name()),
            Step::Shoot(_) => None,
        }
    }

    /// The point whose cow is shot, if one is.
    #[getter]
    fn shot(&self) -> Option<&'static str> {
        match self.0.step {
            Step::Shoot(at) => Some(at.grid_name()),
            _ => self.0.shot.map(Point::grid_name),
        }
    }

    /// The turn's text, with grid names (`form="grid"`) or ring names (`form="gar"`); `str()` gives the first.
    #[pyo3(signature = (form = Form(PointForm::Grid)), text_signature = "($self, form='grid')")]
    fn notation(&self, form: Form) -> String {
        self.0.in_form(form.0).to_string()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Turn('{}')", self.0)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (String,)) {
        (slf.get_type(), (slf.get().0.to_string(),))
    }
}

/// The bitboard of points: names in one text (`"a7 d7,g7"`) or a sequence of them, with grid or ring names. A bitboard is
/// given back as it is. Raises `NotationError` for an unknown name.
///
/// >>> bitboard("a7 d7 g7")
/// 7
#[pyfunction]
#[pyo3(signature = (points, /))]
pub(crate) fn bitboard(points: Points) -> u32 {
    points.0.bits()
}

/// The grid names of a bitboard's points. Raises `ArgumentError` for bits that are no points.
///
/// >>> points(0b111)
/// ['a7', 'd7', 'g7']
#[pyfunction]
#[pyo3(signature = (bitboard, /))]
pub(crate) fn points(bitboard: Points) -> Vec<&'static str> {
    bitboard.0.iter().map(Point::grid_name).collect()
}

/// A text as an argument.
pub(crate) struct Text(pub(crate) String);

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let text = value.cast::<PyString>().map_err(|_| bad_type(&value, "a text"))?;
        // What no reader of this package accepts: half a surrogate pair.
        let text =
            text.to_cow().map_err(|_| error(value.py(), "NotationError", "the text is not valid Unicode", &[]))?;
        Ok(Self(text.into_owned()))
    }
}

/// The form of point names as an argument.
pub(crate) struct Form(PointForm);

impl<'py> FromPyObject<'_, 'py> for Form {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match &*Text::extract(value)?.0 {
            "grid" => Ok(Self(PointForm::Grid)),
            "gar" => Ok(Self(PointForm::Gar)),
            found => Err(bad_argument(value.py(), &format!("form: expected 'grid' or 'gar', found {found:?}"))),
        }
    }
}

/// A turn as an argument: a `Turn`, a `RankedTurn` or a text.
pub(crate) struct TurnArg(morabase::Turn);

impl<'py> FromPyObject<'_, 'py> for TurnArg {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(turn) = value.cast::<Turn>() {
            return Ok(Self(turn.get().0));
        }
        if let Ok(ranked) = value.cast::<RankedTurn>() {
            return Ok(Self(ranked.get().0.turn));
        }
        let text = Text::extract(value).map_err(|_| bad_type(&value, "a Turn, a RankedTurn or a text"))?;
        text.0.parse().or_raise(value.py()).map(Self)
    }
}

/// Points as an argument: a bitboard, a text with names, or a sequence of names.
pub(crate) struct Points(pub(crate) PointSet);

impl<'py> FromPyObject<'_, 'py> for Points {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let py = value.py();
        if let Ok(text) = value.cast::<PyString>() {
            return names(py, &text.to_cow()?).map(Self);
        }
        if let Ok(iterator) = value.try_iter() {
            let mut text = String::new();
            for name in iterator {
                let name = Text::extract(name?.as_borrowed())?;
                text.push_str(&name.0);
                text.push(' ');
            }
            return names(py, &text).map(Self);
        }
        let expected = "a bitboard, a text with names of points or a sequence of names";
        let number =
            py.import("operator")?.getattr("index")?.call1((value,)).map_err(|_| bad_type(&value, expected))?;
        let bits = number.extract().ok().and_then(PointSet::from_bits);
        bits.map(Self)
            .ok_or_else(|| bad_argument(py, &format!("bitboard: expected a number from 0 to 0xffffff, found {number}")))
    }
}

/// The points named in a text, read as a record of placements: one form for all names of the text.
fn names(py: Python<'_>, text: &str) -> PyResult<PointSet> {
    if let Some(found) = text.chars().find(|letter| "([{%$".contains(*letter)) {
        let message = format!("points: expected names of points, found {found:?}");
        return Err(error(py, "NotationError", &message, &[]));
    }
    let mut turns = text.replace([',', ';'], " ").parse::<Record>().or_raise(py)?.turns.into_iter();
    turns.try_fold(PointSet::EMPTY, |points, turn| match turn {
        morabase::Turn { step: Step::Place(at), shot: None } if !points.contains(at) => Ok(points.with(at)),
        morabase::Turn { step: Step::Place(at), shot: None } => {
            Err(error(py, "NotationError", &format!("points: {at} is named twice"), &[]))
        }
        _ => Err(error(py, "NotationError", &format!("points: expected the name of a point, found \"{turn}\""), &[])),
    })
}
