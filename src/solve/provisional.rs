//! The table of a class while it is being solved, and its provisional codes.
//!
//! Which distances occur is known only at the end, so each decision gets its code when it is first met: wins from 1 up,
//! losses from 255 down; 0 is undecided. So a win in fewer plies has a smaller code than any later decision, and one
//! byte is enough however far the induction goes, as long as a class has no more different values than an alphabet can
//! hold. At the end, the codes become symbols of the class's alphabet.

#![expect(unsafe_code, reason = "bytes that threads share as atomics")]

use std::sync::atomic::AtomicU8;

use rayon::prelude::*;

use crate::alphabet::Alphabet;
use crate::lookahead::Values;
use crate::pages;
use crate::space::Space;
use crate::threads;
use crate::value::{Plies, Value};

/// The code of an entry without a decision.
pub(super) const UNDECIDED: u8 = 0;
/// The codes of wins in one ply, and of losses in zero and in one: what seeding finds. They exist from the start.
pub(super) const WON_IN_1: u8 = 1;
pub(super) const LOST_IN_0: u8 = 255;
pub(super) const LOST_IN_1: u8 = 254;

/// A code for each entry of a class, block after block.
pub(super) struct ProvisionalTable {
    space: Space,
    block_entries: usize,
    codes: Vec<u8>,
}

impl ProvisionalTable {
    /// All entries undecided.
    pub(super) fn undecided(space: Space) -> Self {
        Self::filled(space, UNDECIDED)
    }

    /// The same code for all entries.
    pub(super) fn filled(space: Space, code: u8) -> Self {
        let mut codes = pages::zeros(space.entries() as usize);
        if code != 0 {
            codes.fill(code);
        }
        Self { space, block_entries: space.block_entries() as usize, codes }
    }

    /// The codes of one block.
    #[inline(always)]
    pub(super) fn block(&self, block: u32) -> &[u8] {
        &self.codes[block as usize * self.block_entries..][..self.block_entries]
    }

    /// The codes as cells that several threads may write to at once.
    pub(super) fn cells(&mut self) -> &[AtomicU8] {
        let codes = self.codes.as_mut_slice();
        // SAFETY: `AtomicU8` has the size and alignment of `u8`, and the exclusive borrow that we turn into a shared
        // one of atomics lasts as long as the result.
        unsafe { &*(std::ptr::from_mut(codes) as *const [AtomicU8]) }
    }

    /// The values that the codes stand for. Runs in the current rayon thread pool.
    pub(super) fn remap(self, remap: &Remap) -> Values {
        const AT_ONCE: usize = 1 << 16;
        let Self { space, mut codes, .. } = self;
        threads::ready();
        codes.par_chunks_mut(AT_ONCE).for_each(|chunk| {
            for code in chunk {
                *code = remap.symbols[*code as usize];
            }
        });
        Values::trusted(space, remap.alphabet.clone(), codes)
    }
}

/// What codes become at the end.
pub(super) struct Remap {
    pub(super) alphabet: Alphabet,
    /// By code: the alphabet's symbol.
    pub(super) symbols: [u8; 256],
}

/// The codes assigned so far for one class.
pub(super) struct Codes {
    /// Plies of the wins met so far, ascending: the first has code 1.
    won: Vec<u16>,
    /// Plies of the losses: the first has code 255.
    lost: Vec<u16>,
}

impl Codes {
    pub(super) fn new() -> Self {
        Self { won: vec![1], lost: vec![0, 1] }
    }

    /// The code of wins in this many plies, or the one they would get. Only wins in fewer plies have smaller ones.
    pub(super) fn won(&self, plies: u16) -> u8 {
        1 + self.won.partition_point(|&met| met < plies) as u8
    }

    /// The code of losses in this many plies, or the one they would get.
    pub(super) fn lost(&self, plies: u16) -> u8 {
        255 - self.lost.partition_point(|&met| met < plies) as u8
    }

    /// The code of wins in this many plies, if there are any.
    pub(super) fn met_won(&self, plies: u16) -> Option<u8> {
        self.won.binary_search(&plies).is_ok().then(|| self.won(plies))
    }

    /// The code of losses in this many plies, if there are any.
    pub(super) fn met_lost(&self, plies: u16) -> Option<u8> {
        self.lost.binary_search(&plies).is_ok().then(|| self.lost(plies))
    }

    /// Assigns codes to the decisions in this many plies, wins and losses, as far as any were found. None if there are
    /// now too many.
    pub(super) fn add(&mut self, plies: u16, won: bool, lost: bool) -> Option<()> {
        for (list, met) in [(&mut self.won, won), (&mut self.lost, lost)] {
            if met && list.last().is_none_or(|&last| last < plies) {
                list.push(plies);
            }
        }
        (self.won.len() + self.lost.len() < Alphabet::MOST).then_some(())
    }

    /// The alphabet of the values whose codes `occur`, and its symbol for each code.
    pub(super) fn remap(&self, occur: impl Fn(u8) -> bool) -> Option<Remap> {
        let won = self.won.iter().map(|&plies| (self.won(plies), Value::Won(Plies(plies))));
        let lost = self.lost.iter().map(|&plies| (self.lost(plies), Value::Lost(Plies(plies))));
        let values: Vec<(u8, Value)> = won.chain(lost).filter(|&(code, _)| occur(code)).collect();
        let alphabet = Alphabet::new(values.iter().map(|&(_, value)| value))?;
        let mut symbols = [Alphabet::DRAWN; 256];
        for (code, value) in values {
            symbols[code as usize] = alphabet.symbol(value)?;
        }
        Some(Remap { alphabet, symbols })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::board::BoardKind;
    use crate::space::Class;

    #[test]
    fn wins_have_smaller_codes_than_everything_later() {
        let mut codes = Codes::new();
        assert_eq!([codes.won(1), codes.lost(0), codes.lost(1)], [WON_IN_1, LOST_IN_0, LOST_IN_1]);
        assert_eq!((codes.won(2), codes.lost(2), codes.met_won(2), codes.met_lost(2)), (2, 253, None, None));
        codes.add(2, false, true).unwrap();
        assert_eq!((codes.met_won(2), codes.met_lost(2)), (None, Some(253)));
        codes.add(3, true, false).unwrap();
        assert_eq!((codes.met_won(3), codes.won(2), codes.won(4), codes.lost(3)), (Some(2), 2, 3, 252));
        let Remap { alphabet, symbols } = codes.remap(|code| code != LOST_IN_0).unwrap();
        let value = |code: u8| alphabet.value(symbols[code as usize]).unwrap();
        assert_eq!(
            [value(UNDECIDED), value(2), value(254)],
            [Value::Drawn, Value::Won(Plies(3)), Value::Lost(Plies(1))]
        );
        assert_eq!(alphabet.symbol(Value::Lost(Plies(0))), None);
    }

    #[test]
    fn there_are_codes_for_as_many_values_as_an_alphabet_can_have() {
        let mut codes = Codes::new();
        let mut plies = 1;
        while codes.add(plies + 1, plies % 3 == 0, plies % 3 != 0).is_some() {
            plies += 1;
            assert!(codes.won(plies + 1) < codes.lost(plies + 1));
            assert_eq!(codes.remap(|_| true).unwrap().alphabet.values().len(), 3 + usize::from(plies));
        }
        assert_eq!(usize::from(plies) + 3, Alphabet::MOST);
    }

    #[test]
    fn a_remapped_table_has_the_value_of_each_code_in_its_place() {
        let space = Space::new(BoardKind::Morabaraba, Class::moving(3, 3).unwrap());
        let mut codes = Codes::new();
        codes.add(5, true, false).unwrap();
        let mut table = ProvisionalTable::undecided(space);
        let last = space.entries() as usize - 1;
        for (place, code) in [(0, WON_IN_1), (70_000, codes.won(5)), (last, LOST_IN_1)] {
            table.cells()[place].store(code, Ordering::Relaxed);
        }
        let values = table.remap(&codes.remap(|code| code != LOST_IN_0).unwrap());
        let decided = [(0, Value::Won(Plies(1))), (70_000, Value::Won(Plies(5))), (last, Value::Lost(Plies(1)))];
        assert_eq!(values.alphabet().values().len(), 4);
        for place in [0, 1, 65_535, 69_999, 70_000, 70_001, last] {
            let expected = decided.iter().find(|(decided, _)| *decided == place).map_or(Value::Drawn, |it| it.1);
            assert_eq!(values.at(place), expected);
        }
    }
}
