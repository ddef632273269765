//! [`Marks`]: the bytes that stand for decisions while a class is being solved.
//!
//! Which distances occur is known only at the end, so a decision gets its byte when it is first met: wins from 1 up, losses
//! from 255 down, 0 is undecided. So a win in fewer plies has a smaller mark than any later decision, and a byte is enough
//! however far the induction goes, as long as a class has no more different values than an alphabet can have.

use crate::alphabet::Alphabet;
use crate::value::{Plies, Value};

/// The marks of a class's own table.
pub(super) struct Marks {
    /// Plies of the wins met so far, ascending: the first has mark 1.
    won: Vec<u16>,
    /// Of the losses: the first has mark 255.
    lost: Vec<u16>,
}

/// The mark of a win in one ply, and of a loss in none and in one: what seeding tells. They are there from the start.
pub(super) const WON_IN_1: u8 = 1;
pub(super) const LOST_IN_0: u8 = 255;
pub(super) const LOST_IN_1: u8 = 254;

impl Marks {
    pub(super) fn new() -> Self {
        Self { won: vec![1], lost: vec![0, 1] }
    }

    /// The mark of wins in this many plies, or the one they would get. Only wins in fewer plies have smaller ones.
    pub(super) fn won(&self, plies: u16) -> u8 {
        1 + self.won.partition_point(|&met| met < plies) as u8
    }

    /// The mark of losses in this many plies, or the one they would get.
    pub(super) fn lost(&self, plies: u16) -> u8 {
        255 - self.lost.partition_point(|&met| met < plies) as u8
    }

    /// The mark of wins in this many plies, if there are any.
    pub(super) fn met_won(&self, plies: u16) -> Option<u8> {
        self.won.binary_search(&plies).is_ok().then(|| self.won(plies))
    }

    /// The mark of losses in this many plies, if there are any.
    pub(super) fn met_lost(&self, plies: u16) -> Option<u8> {
        self.lost.binary_search(&plies).is_ok().then(|| self.lost(plies))
    }

    /// Keeps the marks of the decisions in this many plies that were met, wins and losses; none if there are too many by now.
    pub(super) fn keep(&mut self, plies: u16, won: bool, lost: bool) -> Option<()> {
        for (list, met) in [(&mut self.won, won), (&mut self.lost, lost)] {
            if met && list.last().is_none_or(|&last| last < plies) {
                list.push(plies);
            }
        }
        (self.won.len() + self.lost.len() < Alphabet::MOST).then_some(())
    }

    /// The alphabet of the values whose marks `occur`, and its symbol for each mark.
    pub(super) fn spell(&self, occur: impl Fn(u8) -> bool) -> Option<(Alphabet, [u8; 256])> {
        let won = self.won.iter().map(|&plies| (self.won(plies), Value::Won(Plies(plies))));
        let lost = self.lost.iter().map(|&plies| (self.lost(plies), Value::Lost(Plies(plies))));
        let values: Vec<(u8, Value)> = won.chain(lost).filter(|&(mark, _)| occur(mark)).collect();
        let alphabet = Alphabet::new(values.iter().map(|&(_, value)| value))?;
        let mut symbols = [Alphabet::DRAWN; 256];
        for (mark, value) in values {
            symbols[mark as usize] = alphabet.symbol(value)?;
        }
        Some((alphabet, symbols))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wins_have_smaller_marks_than_everything_later() {
        let mut marks = Marks::new();
        assert_eq!([marks.won(1), marks.lost(0), marks.lost(1)], [WON_IN_1, LOST_IN_0, LOST_IN_1]);
        assert_eq!((marks.won(2), marks.lost(2), marks.met_won(2), marks.met_lost(2)), (2, 253, None, None));
        marks.keep(2, false, true).unwrap();
        assert_eq!((marks.met_won(2), marks.met_lost(2)), (None, Some(253)));
        marks.keep(3, true, false).unwrap();
        assert_eq!((marks.met_won(3), marks.won(2), marks.won(4), marks.lost(3)), (Some(2), 2, 3, 252));
        let (alphabet, symbols) = marks.spell(|mark| mark != LOST_IN_0).unwrap();
        let value = |mark: u8| alphabet.value(symbols[mark as usize]).unwrap();
        assert_eq!([value(0), value(2), value(254)], [Value::Drawn, Value::Won(Plies(3)), Value::Lost(Plies(1))]);
        assert_eq!(alphabet.symbol(Value::Lost(Plies(0))), None);
    }

    #[test]
    fn there_are_marks_for_as_many_values_as_an_alphabet_can_have() {
        let mut marks = Marks::new();
        let mut plies = 1;
        while marks.keep(plies + 1, plies % 3 == 0, plies % 3 != 0).is_some() {
            plies += 1;
            assert!(marks.won(plies + 1) < marks.lost(plies + 1));
            assert_eq!(marks.spell(|_| true).unwrap().0.values().len(), 3 + usize::from(plies));
        }
        assert_eq!(usize::from(plies) + 3, Alphabet::MOST);
    }
}
