//! [`Lookup`]: where values of unrestricted positions come from.

use crate::board::PointSet;
use crate::space::{Class, PlacedMover};
use crate::value::Value;

/// Where values of positions without restrictions come from, the draw counter at zero.
pub trait Lookup {
    /// Why a value may be unavailable.
    type Error;

    /// Whether a look-up costs much more than making a turn, for example from a compressed table. The look-ahead then
    /// tries turns that are likely to save one.
    const IS_COSTLY: bool = true;

    /// Whether the source has the class at all, so that [`value`](Self::value) fails only if it is damaged. By default,
    /// a source has every class.
    fn has(&self, _class: Class) -> bool {
        true
    }

    /// The value of the position of `class` in which `mover` is to move against `waiting`. The sets have the sizes that
    /// the class says, and it also says what is in hand.
    ///
    /// # Errors
    /// Whatever keeps the source from answering.
    fn value(&self, class: Class, mover: PointSet, waiting: PointSet) -> Result<Value, Self::Error>;

    /// The same with the mover already placed, for sources that save time by it.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn value_against(&self, class: Class, placed: &PlacedMover, waiting: PointSet) -> Result<Value, Self::Error> {
        self.value(class, placed.mover(), waiting)
    }

    /// What a restriction may change about that value, if the source knows.
    fn fragility(&self, _class: Class, _placed: &PlacedMover, _waiting: PointSet) -> Option<Fragility> {
        None
    }
}

/// What a restriction may change about the result of a position with the draw counter at zero or one. It bars a move of
/// the mover, or of the waiting side at its next turn, but never both.
///
/// | value | result | hold |
/// |---|---|---|
/// | won | a bar may cost the mover the win: it has no quiet turn that wins in time | a bar may make the mover lose |
/// | drawn | a bar on the waiting side may make the mover win | a bar may make the mover lose |
/// | lost | a bar on the waiting side may save the mover | it may even make the mover win |
///
/// A result that is not fragile holds whichever move is barred. A fragile one may hold too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fragility {
    /// The result may change.
    pub result: bool,
    /// The result may change to the third kind.
    pub hold: bool,
}
