//! [`Lookup`]: where values of unrestricted positions come from.

use crate::board::PointSet;
use crate::space::Class;
use crate::value::Value;

/// Where values of positions without restrictions come from, the draw counter at zero.
pub trait Lookup {
    /// Why a value may be unavailable.
    type Error;

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
}
