//! What the best shot is worth once a line is made, for all positions of a block, in both the moving and the placing
//! phase.

use crate::board::{Board, POINTS, PointSet, Symmetry};
use crate::lookahead::{Outcomes, shootable};
use crate::space::Orbits;
use crate::space::subset::{Images, Ranks};

use super::isa::Isa;
use super::robustness::{HOLD, RESULT, ShotTable};
use super::view::BlockView;

/// Points that one part of [`Images`] takes; the parts that are enough if a side has three cows; and those that always
/// are.
const PART: usize = 7;
const FEW: usize = 3;
const ALL: usize = 4;
const _: () = assert!(PART * ALL >= POINTS);

/// What a shot leads to, for all blocks of a class.
pub(super) struct AfterShot<'a> {
    pub(super) board: &'static Board,
    /// The class in which the opponent, with one cow less, is to move.
    pub(super) outcomes: &'a Outcomes,
    pub(super) orbits: &'static Orbits,
    /// The inner sets of the side that shoots, once it has made its line, in rank order, and their ranks.
    pub(super) sets: &'a [u32],
    pub(super) ranks: &'static Ranks,
}

/// What the best shot is worth under a no-remake rule, for all sets of the mover with a line, as bits in rank order.
#[derive(Default)]
pub(super) struct ShotSets {
    /// Some shot leaves the opponent lost, or not won, if it leaves no restriction.
    pub(super) winning: Vec<u64>,
    pub(super) holding: Vec<u64>,
    /// Some shot does so whatever restriction it leaves.
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

/// For the four bits of an entry of a [`ShotTable`]: the sets to which a shot that leads to it belongs, a byte for
/// each, 1 or 0.
const WORTH: [u64; 16] = {
    let mut table = [0; 16];
    let mut bits = 0;
    while bits < 16 {
        table[bits as usize] = u64::from_le_bytes(worth(bits));
        bits += 1;
    }
    table
};

/// The sets of [`ShotSets`], in their order, to which a shot belongs that leads to an entry with these four bits.
const fn worth(bits: u64) -> [u8; 8] {
    let outcome = bits & 3;
    let (lost, drawn) = (outcome == Outcomes::LOST, outcome == Outcomes::DRAWN);
    let (fragile_result, fragile_hold) = (bits & RESULT != 0, bits & HOLD != 0);
    let wins_robustly = lost && !fragile_result;
    let holds_robustly = wins_robustly || lost && !fragile_hold || drawn && !fragile_result;
    let escapes_win = lost || drawn || fragile_result;
    // The second flag of a won entry counts only if the first is set.
    let escapes_loss = lost || fragile_hold && (drawn || fragile_result);
    [
        lost as u8,
        (lost || drawn) as u8,
        wins_robustly as u8,
        holds_robustly as u8,
        escapes_win as u8,
        escapes_loss as u8,
        0,
        0,
    ]
}

impl AfterShot<'_> {
    /// Finds the sets of a block under a no-remake rule, from `table`, which is of the class in which the opponent is
    /// to move.
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
            // If some shot certainly wins, the others do not matter.
            let mut rest = with_line[at] & !sets.winning_robustly[at];
            // For every eight sets of the mover, a byte for each set of `sets`.
            let mut worths = [0u64; 8];
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                let image = images.of(chunk[bit as usize]);
                let worth = WORTH[table.bits(start, self.ranks.rank(image) as usize)];
                worths[bit as usize / 8] |= worth << (bit % 8);
            }
            for (number, set) in sets.each().into_iter().enumerate() {
                set[at] |= u64::from_le_bytes(worths.map(|worth| (worth >> (8 * number)) as u8));
            }
        }
    }

    /// Finds the sets among `with_line` that are `winning` and `holding`: some shot leaves the opponent lost, or not
    /// won. All are bits in rank order.
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

    /// The block in which `left`, what a shot leaves of the waiting set, is to move, and the numbering of inner sets
    /// there.
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
