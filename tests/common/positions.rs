//! Positions for tests, the same in each run.

use morabase::{PointSet, Position, Side};

use super::random::Random;

/// A number below `limit`, to index with.
pub(crate) fn index(random: &mut Random, limit: usize) -> usize {
    random.below(limit as u64) as usize
}

/// One of these.
pub(crate) fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[index(random, from.len())]
}

/// A set of so many points outside `taken`.
pub(crate) fn cows(random: &mut Random, count: u8, taken: PointSet) -> PointSet {
    let mut cows = PointSet::EMPTY;
    while cows.len() < count {
        let free: Vec<_> = PointSet::ALL.difference(cows.union(taken)).iter().collect();
        cows = cows.with(pick(random, &free));
    }
    cows
}

/// A position of the moving phase without history: so many cows of the first and of the second player, either to move.
pub(crate) fn moving(random: &mut Random, counts: [u8; 2]) -> Position {
    let first = cows(random, counts[0], PointSet::EMPTY);
    let second = cows(random, counts[1], first);
    Position::moving([first, second], pick(random, &Side::BOTH))
}
