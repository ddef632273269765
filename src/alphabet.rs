//! [`Alphabet`]: the different values of one class, numbered, so that solver and tables can keep an entry in one byte
//! however large the class's DTCs are.

use crate::value::{Plies, Value};

/// The values that the entries of a class have, each once: a draw, then wins, fastest first, then losses, fastest
/// first; a win or a loss without plies comes after those with plies. A *symbol* is an index in this order and takes
/// one byte.
///
/// ```
/// use morabase::{Alphabet, Plies, Value};
/// let values = [Value::Lost(Plies(186)), Value::Won(Plies(1)), Value::Won(Plies(187))];
/// let alphabet = Alphabet::new(values).expect("few values");
/// assert_eq!(alphabet.values(), [Value::Drawn, values[1], values[2], values[0]]);
/// assert_eq!(alphabet.symbol(Value::Won(Plies(187))), Some(2));
/// assert_eq!(alphabet.value(3), Some(Value::Lost(Plies(186))));
/// assert_eq!(alphabet.symbol(Value::Won(Plies(3))), None);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alphabet {
    values: Vec<Value>,
}

/// The order of the symbols.
const fn order(value: Value) -> (u8, u16) {
    match value {
        Value::Drawn => (0, 0),
        Value::Won(Plies(plies)) => (1, plies),
        Value::Winning => (1, u16::MAX),
        Value::Lost(Plies(plies)) => (2, plies),
        Value::Losing => (2, u16::MAX),
    }
}

impl Alphabet {
    /// The most values in an alphabet; no symbol is 254 or 255.
    pub const MOST: usize = 254;

    /// The symbol of a draw, which every alphabet has.
    pub const DRAWN: u8 = 0;

    /// The alphabet of these values, in any order and with any repetitions, and a draw. `None` if there are more than
    /// [`MOST`](Self::MOST), or if one of them is impossible: won in no plies, or in more than [`Value::MAX_DTC`].
    pub fn new(values: impl IntoIterator<Item = Value>) -> Option<Self> {
        let mut values: Vec<Value> = values.into_iter().chain([Value::Drawn]).collect();
        values.sort_unstable_by_key(|&value| order(value));
        values.dedup();
        let can_be =
            |value: &Value| *value != Value::Won(Plies(0)) && value.dtc().is_none_or(|it| it <= Value::MAX_DTC);
        (values.len() <= Self::MOST && values.iter().all(can_be)).then_some(Self { values })
    }

    /// The alphabet with only a draw.
    pub(crate) fn of_draws() -> Self {
        Self { values: vec![Value::Drawn] }
    }

    /// The value of each symbol.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// How many symbols there are; the largest is one less.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// The value of a symbol, if it exists.
    #[inline]
    pub fn value(&self, symbol: u8) -> Option<Value> {
        self.values.get(symbol as usize).copied()
    }

    /// The symbol of a value, if it has one.
    pub fn symbol(&self, value: Value) -> Option<u8> {
        let found = self.values.binary_search_by_key(&order(value), |&value| order(value));
        found.ok().map(|symbol| symbol as u8)
    }

    /// The first symbol of a loss, or the number of symbols: all losses follow.
    pub(crate) fn first_lost(&self) -> u8 {
        self.values.partition_point(|&value| order(value).0 < 2) as u8
    }

    /// Whether all of these are symbols.
    pub(crate) fn has_all(&self, symbols: &[u8]) -> bool {
        // Checks the largest of all, as the compiler compares many at once in a loop that never ends early.
        let largest = symbols.iter().fold(0, |largest: u8, &symbol| largest.max(symbol));
        usize::from(largest) < self.values.len()
    }

    /// A function of the value, as a table by symbol. Invalid symbols get the default.
    pub(crate) fn table<T: Copy + Default>(&self, f: impl Fn(Value) -> T) -> [T; 256] {
        let mut table = [T::default(); 256];
        for (place, &value) in table.iter_mut().zip(&self.values) {
            *place = f(value);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_and_values_are_inverse_up_to_the_last() {
        let wins = (1..=200).map(|plies| Value::Won(Plies(2 * plies - 1)));
        let losses = (0..53).map(|plies| Value::Lost(Plies(plies)));
        let alphabet = Alphabet::new(wins.clone().chain(losses)).unwrap();
        assert_eq!(alphabet.len(), Alphabet::MOST);
        for symbol in 0..=u8::MAX {
            let value = alphabet.value(symbol);
            assert_eq!(value.is_some(), (symbol as usize) < Alphabet::MOST);
            assert!(value.is_none_or(|value| alphabet.symbol(value) == Some(symbol)));
        }
        assert_eq!(alphabet.value(Alphabet::DRAWN), Some(Value::Drawn));
        assert_eq!(alphabet.value(alphabet.first_lost()), Some(Value::Lost(Plies(0))));
        assert_eq!(alphabet.value(alphabet.first_lost() - 1), Some(Value::Won(Plies(399))));
        assert_eq!(alphabet.table(|value| value.wdl() as u8 + 1)[254..], [0, 0]);
        assert_eq!(Alphabet::new(wins.chain((0..54).map(|plies| Value::Lost(Plies(plies))))), None);
    }

    #[test]
    fn values_that_cannot_be_have_no_alphabet() {
        let Plies(most) = Value::MAX_DTC;
        assert!(Alphabet::new([Value::Won(Plies(most)), Value::Lost(Plies(most))]).is_some());
        for value in [Value::Won(Plies(0)), Value::Won(Plies(most + 1)), Value::Lost(Plies(most + 1))] {
            assert_eq!(Alphabet::new([value]), None);
        }
        assert_eq!(Alphabet::new([]), Some(Alphabet::of_draws()));
    }
}
