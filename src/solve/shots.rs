//! What the best shot is worth once a line is made, for all positions of a block, in the moving phase and in the placing phase.

use crate::board::{Board, POINTS, PointSet, Symmetry};
use crate::lookahead::{Outcomes, shootable};
use crate::space::Orbits;
use crate::space::subset::{Images, Ranks};

use super::isa::Isa;
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

impl AfterShot<'_> {
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
        let (start, images) = self.block::<PARTS, I>(view, left);
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

    /// Where the block starts in which `left`, what a shot leaves of the waiting set, is to move, and how inner sets are
    /// numbered there.
    #[inline(always)]
    fn block<const PARTS: usize, I: Isa>(&self, view: BlockView<'_, I>, left: PointSet) -> (usize, Images<PARTS>) {
        let (orbit, number) = self.orbits.place_bits(left.bits());
        let symmetry = Symmetry::new(number as u8).unwrap_or(Symmetry::IDENTITY);
        let (free, _) = self.orbits.free(orbit);
        let points = PointSet::from_bits_truncate(view.geometry.free).iter();
        let images = Images::new(points.map(|point| view.isa.gather(symmetry.apply_bits(point.set().bits()), free)));
        (self.outcomes.block_start(orbit), images)
    }
}
