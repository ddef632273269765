//! [`Outcomes`]: all that solving needs to know about a smaller class, in two bits per entry.

use rayon::prelude::*;

use crate::alphabet::Alphabet;
use crate::pages;
use crate::space::{Class, Entry, Space};
use crate::threads;
use crate::value::{Plies, Value};

use super::values::Values;

/// Won, drawn or lost for every entry of a class, and whether a win takes one ply or more.
///
/// Takes a quarter of the memory of [`Values`], so a build can keep everything that the look-ahead of a no-remake rule
/// may ask for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcomes {
    space: Space,
    block_entries: usize,
    words: Vec<u64>,
}

/// Entries in a word.
const PER_WORD: usize = 32;

impl Outcomes {
    /// The two bits of a drawn entry.
    pub(crate) const DRAWN: u64 = 0;
    /// The two bits of a lost entry.
    pub(crate) const LOST: u64 = 1;
    /// The two bits of an entry won in one ply.
    const WON_NOW: u64 = 2;
    /// The two bits of an entry won in more plies.
    pub(crate) const WON_LATER: u64 = 3;

    /// The outcomes of values, computed in the current rayon thread pool.
    pub fn of(values: &Values) -> Self {
        let space = values.space();
        let outcome = Spelling::new(values.alphabet());
        threads::ready();
        let symbols = values.symbols().par_chunks(PER_WORD).with_min_len(1 << 12);
        let mut words = pages::room(symbols.len());
        symbols.map(|symbols| outcome.pack(symbols)).collect_into_vec(&mut words);
        Self { space, block_entries: space.block_entries() as usize, words }
    }

    /// The class.
    pub const fn class(&self) -> Class {
        self.space.class()
    }

    /// Bytes of memory that the outcomes of a class take.
    pub fn bytes_of(space: Space) -> u64 {
        space.entries().div_ceil(PER_WORD as u64) * 8
    }

    /// The board and class.
    pub(crate) const fn space(&self) -> Space {
        self.space
    }

    /// The index of a block's first entry.
    #[inline(always)]
    pub(crate) fn block_start(&self, block: u32) -> usize {
        block as usize * self.block_entries
    }

    /// The two bits of the entry at this index.
    #[inline(always)]
    pub(crate) fn bits(&self, place: usize) -> u64 {
        self.words[place / PER_WORD] >> (2 * (place % PER_WORD)) & 3
    }

    /// The two bits of each of the 32 entries from this index on, the first lowest; zeros beyond the last entry.
    #[inline(always)]
    pub(crate) fn bits_from(&self, place: usize) -> u64 {
        let (at, shift) = (place / PER_WORD, 2 * (place % PER_WORD) as u32);
        let word = |at: usize| self.words.get(at).copied().unwrap_or(0);
        // Shifting twice keeps the count below 64 if `shift` is 0.
        word(at) >> shift | word(at + 1) << 1 << (63 - shift)
    }

    /// The value of a position as far as it is known here: a win in more than one ply is given as a win in two, a loss
    /// as a loss in one.
    #[inline]
    pub(crate) fn value(&self, entry: Entry) -> Value {
        match self.bits(self.block_start(entry.block) + entry.rank as usize) {
            Self::DRAWN => Value::Drawn,
            Self::LOST => Value::Lost(Plies(1)),
            Self::WON_NOW => Value::Won(Plies(1)),
            _ => Value::Won(Plies(2)),
        }
    }
}

/// How an alphabet spells outcomes. Symbols are compared, not looked up: the compiler makes many comparisons at once.
#[derive(Clone, Copy)]
struct Spelling {
    /// Zero, the symbol of a draw, if nothing is won in one ply.
    won_now: u8,
    first_lost: u8,
}

impl Spelling {
    fn new(alphabet: &Alphabet) -> Self {
        let won_now = alphabet.symbol(Value::Won(Plies(1))).unwrap_or(Alphabet::DRAWN);
        Self { won_now, first_lost: alphabet.first_lost() }
    }

    /// The outcomes of up to 32 symbols, two bits each, the first lowest.
    #[inline(always)]
    fn pack(self, symbols: &[u8]) -> u64 {
        let mut outcomes = [0; PER_WORD];
        for (outcome, &symbol) in outcomes.iter_mut().zip(symbols) {
            *outcome = self.of(symbol);
        }
        let eights = outcomes.as_chunks::<8>().0.iter().rev();
        eights.fold(0, |word, eight| word << 16 | join_pairs(u64::from_le_bytes(*eight)))
    }

    #[inline(always)]
    const fn of(self, symbol: u8) -> u8 {
        let later = if symbol == self.won_now { Outcomes::WON_NOW } else { Outcomes::WON_LATER };
        let decided = if symbol >= self.first_lost { Outcomes::LOST } else { later };
        (if symbol == Alphabet::DRAWN { Outcomes::DRAWN } else { decided }) as u8
    }
}

/// The lowest two bits of each byte, side by side; the other bits are zero.
#[inline(always)]
const fn join_pairs(bytes: u64) -> u64 {
    let fours = (bytes | bytes >> 6) & 0x000f_000f_000f_000f;
    let eights = (fours | fours >> 12) & 0x0000_00ff_0000_00ff;
    (eights | eights >> 24) & 0xffff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alphabet_spells_the_same_outcomes() {
        let [won, lost] = [Value::Won, Value::Lost];
        for values in [
            &[Value::Winning, Value::Losing][..],
            &[won(Plies(1)), won(Plies(9)), lost(Plies(2))],
            &[won(Plies(7))],
            &[lost(Plies(0))],
            &[],
        ] {
            let alphabet = Alphabet::new(values.iter().copied()).unwrap();
            let spelling = Spelling::new(&alphabet);
            for (symbol, value) in (0..).zip(alphabet.values()) {
                let expected = match value {
                    Value::Drawn => Outcomes::DRAWN,
                    Value::Won(Plies(1)) => Outcomes::WON_NOW,
                    Value::Won(_) | Value::Winning => Outcomes::WON_LATER,
                    Value::Lost(_) | Value::Losing => Outcomes::LOST,
                };
                assert_eq!(u64::from(spelling.of(symbol)), expected, "{values:?} {symbol}");
            }
        }
    }
    #[test]
    fn outcomes_are_packed_in_order_whatever_the_number() {
        let values = [Value::Won(Plies(1)), Value::Won(Plies(2)), Value::Lost(Plies(2))];
        let spelling = Spelling::new(&Alphabet::new(values).unwrap());
        let symbols: Vec<u8> = (0..32u32).map(|at| (at * at % 13 % 4) as u8).collect();
        for length in 0..=symbols.len() {
            let packed = spelling.pack(&symbols[..length]);
            for at in 0..32 {
                let expected = symbols[..length].get(at).map_or(0, |&symbol| u64::from(spelling.of(symbol)));
                assert_eq!(packed >> (2 * at) & 3, expected, "{at} of {length}");
            }
        }
    }
}
