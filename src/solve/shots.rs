//! What the best shot is worth once a line is made, for all positions of a block, in the moving phase and in the placing phase.

use crate::board::{Board, POINTS, PointSet, Symmetry};
use crate::lookahead::{Outcomes, shootable};
use crate::space::Orbits;
use crate::space::subset::{Images, Ranks};

use super::isa::Isa;
use super::robustness::{ShotTable, ShotWorth};
use super::view::BlockView;

/// Points that one part of [`Images`] takes, the parts that are enough where a side has three cows, and those that always are.
const PART: usize = 7;
const FEW: usize = 3;
const ALL: usize = 4;
const _: () = assert!(PART * ALL >= POINTS);

/// What a shot leads to, for all blocks of a class.
pub(super) struct AfterShot<'a> {
    pub(super) board: &'static Board,
    /// The class in which the opponent, a cow less, is to move.
    pub(super) outcomes: &'a Outcomes,
    pub(super) orbits: &'static Orbits,
    /// The inner sets of the side that shoots, once it has made its line, in rank order, and their ranks.
    pub(super) sets: &'a [u32],
    pub(super) ranks: &'static Ranks,
}

/// What the best shot is worth under a no-remake rule, for all sets of the mover that hold a line, as bits in rank order.
#[derive(Default)]
pub(super) struct ShotSets {
    /// Some shot leaves the opponent lost, or not won, if it leaves no restriction.
    pub(super) winning: Vec<u64>,
    pub(super) holding: Vec<u64>,
    /// Some shot does whatever restriction it leaves.
    pub(super) winning_robustly: Vec<u64>,
    pub(super) holding_robustly: Vec<u64>,
    /// After some shot the opponent, with a restriction of its own, may not win, or may lose.
    pub(super) escaping_win: Vec<u64>,
    pub(super) escaping_loss: Vec<u64>,
}

impl ShotSets {
    pub(super) fn new(words: usize) -> Self {
        let set = || vec![0; words];
        Self {
            winning: set(),
            holding: set(),
            winning_robustly: set(),
            holding_robustly: set(),
            escaping_win: set(),
            escaping_loss: set(),
        }
    }

    pub(super) fn each(&mut self) -> [&mut Vec<u64>; WORTHS] {
        let Self { winning, holding, winning_robustly, holding_robustly, escaping_win, escaping_loss } = self;
        [winning, holding, winning_robustly, holding_robustly, escaping_win, escaping_loss]
    }
}

/// The sets of [`ShotSets`].
const WORTHS: usize = 6;

/// By the four bits of an entry of a [`ShotTable`]: in which sets a shot that leads to it belongs, a bit for each.
const WORTH: [u8; 16] = {
    let mut table = [0; 16];
    let mut bits = 0;
    while bits < 16 {
        let worth = ShotWorth::of(bits);
        table[bits as usize] = worth.wins as u8
            | (worth.holds as u8) << 1
            | (worth.wins_robustly as u8) << 2
            | (worth.holds_robustly as u8) << 3
            | (worth.escapes_win as u8) << 4
            | (worth.escapes_loss as u8) << 5;
        bits += 1;
    }
    table
};

impl AfterShot<'_> {
    /// Finds the sets of a block under a no-remake rule, from `table`, which is of the class in which the opponent is to move.
    #[inline(always)]
    pub(super) fn assess_robustly<I: Isa>(
        &self,
        view: BlockView<'_, I>,
        table: &ShotTable,
        with_line: &[u64],
        sets: &mut ShotSets,
    ) {
        sets.each().into_iter().for_each(|set| set.fill(0));
        for shot in shootable(self.board, view.waiting).iter() {
            let left = view.waiting.without(shot);
            if view.shape.free <= PART * FEW {
                self.add_robustly::<FEW, I>(view, (table, left), with_line, sets);
            } else {
                self.add_robustly::<ALL, I>(view, (table, left), with_line, sets);
            }
        }
    }

    /// Adds what the shot that leaves `left` is worth.
    #[inline(always)]
    fn add_robustly<const PARTS: usize, I: Isa>(
        &self,
        view: BlockView<'_, I>,
        (table, left): (&ShotTable, PointSet),
        with_line: &[u64],
        sets: &mut ShotSets,
    ) {
        let (orbit, images) = self.block::<PARTS, I>(view, left);
        let start = table.block_start(orbit);
        for (at, chunk) in self.sets.chunks(64).enumerate() {
            // Where some shot wins for sure, the others do not matter.
            let mut rest = with_line[at] & !sets.winning_robustly[at];
            let mut worths = [0u64; WORTHS];
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                let image = images.of(chunk[bit as usize]);
                let worth = u64::from(WORTH[table.bits(start, self.ranks.rank(image) as usize)]);
                for (number, set) in worths.iter_mut().enumerate() {
                    *set |= (worth >> number & 1) << bit;
                }
            }
            for (set, worth) in sets.each().into_iter().zip(worths) {
                set[at] |= worth;
            }
        }
    }

    /// Finds the sets that are `winning` and `holding` among those `with_line`: some shot leaves the opponent lost, or not won. All are
    /// bits in rank order.
    #[inline(always)]
    pub(super) fn assess<I: Isa>(
        &self,
        view: BlockView<'_, I>,
        with_line: &[u64],
        winning: &mut [u64],
        holding: &mut [u64],
    ) {
        winning.fill(0);
        holding.fill(0);
        for shot in shootable(self.board, view.waiting).iter() {
            let left = view.waiting.without(shot);
            if view.shape.free <= PART * FEW {
                self.add::<FEW, I>(view, left, with_line, winning, holding);
            } else {
                self.add::<ALL, I>(view, left, with_line, winning, holding);
            }
        }
    }

    /// Adds the sets for which the shot that leaves `left` wins or holds.
    #[inline(always)]
    fn add<const PARTS: usize, I: Isa>(
        &self,
        view: BlockView<'_, I>,
        left: PointSet,
        with_line: &[u64],
        winning: &mut [u64],
        holding: &mut [u64],
    ) {
        let (orbit, images) = self.block::<PARTS, I>(view, left);
        let start = self.outcomes.block_start(orbit);
        for (at, chunk) in self.sets.chunks(64).enumerate() {
            let mut rest = with_line[at] & !winning[at];
            let (mut win, mut hold) = (0u64, 0u64);
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                let image = images.of(chunk[bit as usize]);
                let outcome = self.outcomes.bits(start + self.ranks.rank(image) as usize);
                win |= u64::from(outcome == Outcomes::LOST) << bit;
                hold |= u64::from(outcome == Outcomes::DRAWN) << bit;
            }
            winning[at] |= win;
            holding[at] |= win | hold;
        }
    }

    /// The block in which `left`, what a shot leaves of the waiting set, is to move, and how inner sets are numbered there.
    #[inline(always)]
    fn block<const PARTS: usize, I: Isa>(&self, view: BlockView<'_, I>, left: PointSet) -> (u32, Images<PARTS>) {
        let (orbit, number) = self.orbits.place_bits(left.bits());
        let symmetry = Symmetry::new(number as u8).unwrap_or(Symmetry::IDENTITY);
        let (free, _) = self.orbits.free(orbit);
        let points = PointSet::from_bits_truncate(view.geometry.free).iter();
        let images = Images::new(points.map(|point| view.isa.gather(symmetry.apply_bits(point.set().bits()), free)));
        (orbit, images)
    }
}
