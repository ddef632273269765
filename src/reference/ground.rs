//! The board as the reference sees it: bit masks copied from the board's data, and who can move, shoot or be shot.

use std::sync::LazyLock;

use crate::board::{BoardKind, POINTS, Point, PointSet};

const FULL: u32 = (1 << POINTS) - 1;

/// Neighbours and lines as bare masks, bit `p` for point `p`.
#[derive(Debug)]
pub(super) struct Ground {
    neighbours: [u32; POINTS],
    lines: Vec<u32>,
    /// For each point, every line through it without the point itself.
    pairs: [Vec<u32>; POINTS],
}

static MORABARABA: LazyLock<Ground> = LazyLock::new(|| Ground::new(BoardKind::Morabaraba));
static NINE_MENS_MORRIS: LazyLock<Ground> = LazyLock::new(|| Ground::new(BoardKind::NineMensMorris));

impl Ground {
    fn new(kind: BoardKind) -> Self {
        let board = kind.board();
        let lines: Vec<u32> = board.lines().map(PointSet::bits).collect();
        let mut ground = Self { neighbours: [0; POINTS], pairs: std::array::from_fn(|_| Vec::new()), lines };
        for point in Point::all() {
            let bit = 1 << point.index();
            ground.neighbours[point.index()] = board.neighbours(point).bits();
            ground.pairs[point.index()] =
                ground.lines.iter().filter(|&line| line & bit != 0).map(|line| line & !bit).collect();
        }
        ground
    }

    pub(super) fn of(kind: BoardKind) -> &'static Self {
        match kind {
            BoardKind::Morabaraba => &MORABARABA,
            BoardKind::NineMensMorris => &NINE_MENS_MORRIS,
        }
    }

    /// Whether a cow arriving at `at` completes a line with `others`.
    pub(super) fn completes(&self, others: u32, at: u32) -> bool {
        self.pairs[at as usize].iter().any(|pair| pair & others == *pair)
    }

    /// The lines through `at` without `at`.
    pub(super) fn pairs(&self, at: u32) -> &[u32] {
        &self.pairs[at as usize]
    }

    /// The points to which a player with these cows and an empty hand may move the cow on `from`.
    pub(super) fn reach(&self, mover: u32, waiting: u32, from: u32) -> u32 {
        let empty = FULL & !mover & !waiting;
        if mover.count_ones() == 3 { empty } else { empty & self.neighbours[from as usize] }
    }

    /// Every move that the board and the cows allow.
    pub(super) fn moves(&self, mover: u32, waiting: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        bits(mover).flat_map(move |from| bits(self.reach(mover, waiting, from)).map(move |to| (from, to)))
    }

    /// The points a quiet move to `to` may have come from, if its owner's cows are now `cows`.
    pub(super) fn origins(&self, cows: u32, others: u32, to: u32) -> u32 {
        self.reach(cows, others, to)
    }

    /// Which of these cows may be shot by a player who has made a line.
    pub(super) fn targets(&self, cows: u32) -> u32 {
        let in_lines = self.lines.iter().filter(|&line| line & cows == *line).fold(0, |all, line| all | line);
        if in_lines == cows { cows } else { cows & !in_lines }
    }
}

/// The numbers of the set bits, lowest first.
pub(super) fn bits(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros();
        (mask != 0).then(|| {
            mask &= mask - 1;
            bit
        })
    })
}

/// The mask of the empty points.
pub(super) fn empty(mover: u32, waiting: u32) -> u32 {
    FULL & !mover & !waiting
}
