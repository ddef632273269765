//! The points on which a block's moves happen: those that the fixed waiting set leaves free, renumbered 0..m.

use crate::board::{Board, MOST_LINES, MOST_LINES_THROUGH, POINTS, Point, PointSet, SYMMETRIES};

use super::isa::Isa;

/// The most points that a waiting set leaves free: all of them, while the waiting side has all its cows in hand.
pub(super) const MOST_FREE: usize = POINTS;

/// One block's geometry. Sets of free points are masks of their new numbers ("inner" sets), which keep the order.
///
/// The arrays are as wide as the largest board needs; a wider board does not compile.
pub(super) struct Geometry {
    /// The free points.
    pub(super) free: u32,
    /// For each free point, its free neighbours, as an inner set.
    pub(super) neighbours: [u32; MOST_FREE],
    /// For each free point and each line of free points through it, the two others; rows are padded with 0.
    pub(super) partners: [[u32; MOST_LINES_THROUGH]; MOST_FREE],
    /// The lines of free points.
    lines: [u32; MOST_LINES],
    line_count: usize,
    /// The waiting set under each symmetry.
    pub(super) images: [u32; SYMMETRIES],
}

impl Geometry {
    #[inline(always)]
    pub(super) fn new<I: Isa>(isa: I, board: &Board, waiting: PointSet) -> Self {
        let free_points = board.free(waiting);
        let free = free_points.bits();
        let mut geometry = Self {
            free,
            neighbours: [0; MOST_FREE],
            partners: [[0; MOST_LINES_THROUGH]; MOST_FREE],
            lines: [0; MOST_LINES],
            line_count: 0,
            images: [0; SYMMETRIES],
        };
        for (inner, point) in free_points.iter().enumerate() {
            geometry.neighbours[inner] = isa.gather(board.neighbours(point).bits(), free);
            let whole = board.line_partners(point).filter(|pair| pair.bits() & !free == 0);
            for (place, pair) in geometry.partners[inner].iter_mut().zip(whole) {
                *place = isa.gather(pair.bits(), free);
            }
        }
        for line in board.lines().filter(|line| line.bits() & !free == 0) {
            geometry.lines[geometry.line_count] = isa.gather(line.bits(), free);
            geometry.line_count += 1;
        }
        for (image, symmetry) in geometry.images.iter_mut().zip(board.group().symmetries()) {
            *image = symmetry.apply_bits(waiting.bits());
        }
        geometry
    }

    /// The lines of free points.
    #[inline(always)]
    pub(super) fn lines(&self) -> &[u32] {
        &self.lines[..self.line_count]
    }

    /// Whether `set` holds a line through `point`, counting `point` itself as held.
    #[inline(always)]
    pub(super) fn completes_line(&self, set: u32, point: usize) -> bool {
        self.partners[point].iter().any(|&pair| pair != 0 && pair & !set == 0)
    }

    /// Whether a cow that leaves `from` for `to` breaks a line, given that the cows in `rest` stay.
    #[inline(always)]
    pub(super) fn breaks_line(&self, rest: u32, from: usize, to: usize) -> bool {
        self.partners[from].iter().any(|&pair| pair != 0 && pair & !rest == 0 && pair >> to & 1 == 0)
    }

    /// The point behind an inner number.
    pub(super) fn point(&self, inner: usize) -> Option<Point> {
        PointSet::from_bits_truncate(self.free).iter().nth(inner)
    }
}
