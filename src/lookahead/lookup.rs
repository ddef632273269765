//! [`Lookup`]: where values of unrestricted positions come from.

use crate::board::PointSet;
use crate::space::{Class, PlacedMover};
use crate::value::Value;

/// Where values of positions without restrictions come from, the draw counter at zero.
pub trait Lookup {
    /// Why a value may be unavailable.
    type Error;

    /// Whether a look-up costs much more than making a turn, as from a compressed table. The look-ahead then tries turns that are
    /// likely to save one.
    const IS_COSTLY: bool = true;

    /// Whether the class is there at all, so that [`value`](Self::value) fails only where it is damaged. A source that does not say has
    /// every class.
    fn has(&self, _class: Class) -> bool {
        true
    }

    /// The value of the position of `class` in which `mover` is to move against `waiting`. The sets are as large as the
    /// class says, which also says what is in hand.
    ///
    /// # Errors
    /// Whatever keeps the source from answering.
    fn value(&self, class: Class, mover: PointSet, waiting: PointSet) -> Result<Value, Self::Error>;

    /// The same of a position whose mover is placed, for sources that save time by that.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn value_against(&self, class: Class, placed: &PlacedMover, waiting: PointSet) -> Result<Value, Self::Error> {
        self.value(class, placed.mover(), waiting)
    }

    /// What a restriction may change in that value, if the source knows.
    fn fragility(&self, _class: Class, _placed: &PlacedMover, _waiting: PointSet) -> Option<Fragility> {
        None
    }
}

/// What a restriction may change in the result of a position with the draw counter at zero or one. A move of the mover is barred, or
/// a move of the waiting side at its next turn, but never both.
///
/// | value | result | hold |
/// |---|---|---|
/// | won | a bar may cost the mover the win: it has no quiet turn that wins in time | a bar may make the mover lose |
/// | drawn | a bar on the waiting side may make the mover win | a bar may make the mover lose |
/// | lost | a bar on the waiting side may save the mover | it may even make the mover win |
///
/// What is not fragile holds whichever move is barred. What is may hold all the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fragility {
    /// The result may change.
    pub result: bool,
    /// The result may change to the third kind.
    pub hold: bool,
}
