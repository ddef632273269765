//! [`FlyingUnmove`]: takes back moves of a side that flies: three cows, any of which may come from anywhere.
//!
//! Two of the three cows stay, so all that matters for each pair that stays is where the third may stand: one mask per
//! pair instead of one check for each of the many moves. No turn of three cows breaks one line and makes another.

use crate::rules::FLYING_COWS;

use super::geometry::{Geometry, MOST_FREE};
use super::isa::Isa;
use super::shape::Shape;
use super::view::{BlockView, UnmoveKind};

// This file assumes three cows.
const _: () = assert!(FLYING_COWS == 3);

/// For each pair of free points (the smaller first), a set of free points as an inner set.
type PairMasks = [[u32; MOST_FREE]; MOST_FREE];

/// Working memory of unmoves of a flying side.
pub(super) struct FlyingUnmove {
    /// For each pair of cows that stay, where the third stands.
    thirds: Box<PairMasks>,
}

impl FlyingUnmove {
    pub(super) fn new() -> Self {
        Self { thirds: Box::new([[0; MOST_FREE]; MOST_FREE]) }
    }

    /// The positions from which a turn of this kind leads into `targets`; both sets are bits in rank order.
    #[inline(always)]
    pub(super) fn predecessors<I: Isa>(
        &mut self,
        view: BlockView<'_, I>,
        kind: UnmoveKind,
        targets: &[u64],
        predecessors: &mut [u64],
    ) {
        let shape = view.shape;
        self.gather(shape, targets);
        self.keep(shape.free, view.geometry, kind);
        for (chunk, word) in shape.sets.chunks(64).zip(predecessors) {
            *word = 0;
            for (bit, &cows) in chunk.iter().enumerate() {
                *word |= u64::from(self.reaches(cows)) << bit;
            }
        }
    }

    #[inline(always)]
    fn gather(&mut self, shape: &Shape, set: &[u64]) {
        for row in &mut self.thirds[..shape.free] {
            row[..shape.free].fill(0);
        }
        for (chunk, &word) in shape.sets.chunks(64).zip(set) {
            let mut rest = word;
            while rest != 0 {
                let [a, b, c] = points(chunk[rest.trailing_zeros() as usize]);
                self.thirds[a][b] |= 1 << c;
                self.thirds[a][c] |= 1 << b;
                self.thirds[b][c] |= 1 << a;
                rest &= rest - 1;
            }
        }
    }

    /// Keeps, for each pair, the third points to which a cow can come by a turn of this kind.
    #[inline(always)]
    fn keep(&mut self, free: usize, geometry: &Geometry, kind: UnmoveKind) {
        match kind {
            UnmoveKind::Quiet => each_line_pair(geometry, |a, b, third| self.thirds[a][b] &= !third),
            UnmoveKind::Shot | UnmoveKind::FreeShot => {
                let mut completing: PairMasks = [[0; MOST_FREE]; MOST_FREE];
                each_line_pair(geometry, |a, b, third| completing[a][b] = third);
                for (row, completing) in self.thirds[..free].iter_mut().zip(&completing) {
                    for (mask, completing) in row.iter_mut().zip(completing) {
                        *mask &= *completing;
                    }
                }
            }
            UnmoveKind::BindingShot => self.thirds.iter_mut().for_each(|row| row.fill(0)),
        }
    }

    /// Whether one of the three cows can go to a third point of the other two other than its own.
    #[inline(always)]
    fn reaches(&self, cows: u32) -> bool {
        let [a, b, c] = points(cows);
        let thirds = &self.thirds;
        let others = thirds[a][b] & !(1 << c) | thirds[a][c] & !(1 << b) | thirds[b][c] & !(1 << a);
        others != 0
    }
}

/// Calls `f(a, b, third)` for each pair `a < b` on a line of free points; `third` holds the line's third point.
#[inline(always)]
fn each_line_pair(geometry: &Geometry, mut f: impl FnMut(usize, usize, u32)) {
    for &line in geometry.lines() {
        let [a, b, c] = points(line);
        f(a, b, 1 << c);
        f(a, c, 1 << b);
        f(b, c, 1 << a);
    }
}

/// The three points of a set of free points, in order.
#[inline(always)]
fn points(set: u32) -> [usize; 3] {
    debug_assert!(set.count_ones() == 3 && set >> MOST_FREE == 0);
    let a = set.trailing_zeros() as usize;
    let rest = set & set.wrapping_sub(1);
    let b = rest.trailing_zeros() as usize;
    let c = (rest & rest.wrapping_sub(1)).trailing_zeros() as usize;
    [a, b, c]
}
