//! Un-made moves of a side that flies: three cows, any of which may come from anywhere.
//!
//! Two of the three cows stay, so all that matters is, for each pair that stays, where the third may stand: one mask
//! a pair instead of one look at each of the many moves. No turn of three cows breaks one line and makes another.

use super::cube::Turns;
use super::geometry::{Geometry, MOST_FREE};
use super::shape::Shape;

/// For each pair of points (the smaller first), where the third cow may stand.
pub(crate) struct Thirds {
    masks: Box<[[u32; MOST_FREE]; MOST_FREE]>,
}

impl Thirds {
    pub(crate) fn new() -> Self {
        Self { masks: Box::new([[0; MOST_FREE]; MOST_FREE]) }
    }

    /// The positions from which a turn of this kind leads into `set`; all sets are bits in rank order.
    #[inline(always)]
    pub(crate) fn before(&mut self, shape: &Shape, geometry: &Geometry, turns: Turns, set: &[u64], before: &mut [u64]) {
        self.gather(shape, set);
        self.keep(shape.free, geometry, turns);
        for (chunk, word) in shape.sets.chunks(64).zip(before) {
            *word = 0;
            for (bit, &cows) in chunk.iter().enumerate() {
                *word |= u64::from(self.reaches(cows)) << bit;
            }
        }
    }

    #[inline(always)]
    fn gather(&mut self, shape: &Shape, set: &[u64]) {
        for row in &mut self.masks[..shape.free] {
            row[..shape.free].fill(0);
        }
        for (chunk, &word) in shape.sets.chunks(64).zip(set) {
            let mut rest = word;
            while rest != 0 {
                let [a, b, c] = points(chunk[rest.trailing_zeros() as usize]);
                self.masks[a][b] |= 1 << c;
                self.masks[a][c] |= 1 << b;
                self.masks[b][c] |= 1 << a;
                rest &= rest - 1;
            }
        }
    }

    /// Keeps, of each pair's third points, those where coming there is a turn of the kind.
    #[inline(always)]
    fn keep(&mut self, free: usize, geometry: &Geometry, turns: Turns) {
        match turns {
            Turns::Quiet => each_line_pair(geometry, |a, b, third| self.masks[a][b] &= !third),
            Turns::Shot | Turns::FreeShot => {
                let mut shots = [[0; MOST_FREE]; MOST_FREE];
                each_line_pair(geometry, |a, b, third| shots[a][b] = third);
                for (row, shots) in self.masks[..free].iter_mut().zip(&shots) {
                    for (mask, shot) in row.iter_mut().zip(shots) {
                        *mask &= *shot;
                    }
                }
            }
            Turns::BindingShot => self.masks.iter_mut().for_each(|row| row.fill(0)),
        }
    }

    /// Whether some cow of the three can go to a third point of the other two other than its own.
    #[inline(always)]
    fn reaches(&self, cows: u32) -> bool {
        let [a, b, c] = points(cows);
        let others = self.masks[a][b] & !(1 << c) | self.masks[a][c] & !(1 << b) | self.masks[b][c] & !(1 << a);
        others != 0
    }
}

/// Calls `f(a, b, third)` for each pair `a < b` on a line of free points, `third` holding the line's third point.
#[inline(always)]
fn each_line_pair(geometry: &Geometry, mut f: impl FnMut(usize, usize, u32)) {
    for &line in geometry.lines() {
        let [a, b, c] = points(line);
        f(a, b, 1 << c);
        f(a, c, 1 << b);
        f(b, c, 1 << a);
    }
}

/// The three points of a set, in order. Sets of another size give numbers that are in range all the same.
#[inline(always)]
fn points(set: u32) -> [usize; 3] {
    let a = set.trailing_zeros() as usize;
    let rest = set & set.wrapping_sub(1);
    let b = rest.trailing_zeros() as usize;
    let c = (rest & rest.wrapping_sub(1)).trailing_zeros() as usize;
    [a.min(MOST_FREE - 1), b.min(MOST_FREE - 1), c.min(MOST_FREE - 1)]
}
