//! Leaf counts of the game tree, the usual check of a move generator, and counts of the distinct positions in it.

use std::collections::HashSet;

use crate::board::Symmetry;
use crate::rules::RuleSet;

use super::{Position, Remake};

/// The number of turn sequences of exactly `depth` turns from `position`.
pub fn perft(rules: &RuleSet, position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let turns = position.turns(rules);
    if depth == 1 {
        return turns.len() as u64;
    }
    let after = turns.into_iter().filter_map(|turn| position.apply(turn, rules).ok());
    after.map(|next| perft(rules, &next, depth - 1)).sum()
}

/// The number of positions, different under the board's symmetries, that are reached by exactly `depth` turns.
///
/// Positions are the same if the rules cannot tell them apart: a counter that does not run is ignored.
pub fn distinct_positions(rules: &RuleSet, position: &Position, depth: u32) -> u64 {
    let mut frontier = HashSet::from([canonical(rules, position)]);
    for _ in 0..depth {
        let mut next = HashSet::with_capacity(2 * frontier.len());
        for position in &frontier {
            let after = position.turns(rules).into_iter().filter_map(|turn| position.apply(turn, rules).ok());
            next.extend(after.map(|after| canonical(rules, &after)));
        }
        frontier = next;
    }
    frontier.len() as u64
}

/// The first of the position's images in some fixed order.
fn canonical(rules: &RuleSet, position: &Position) -> Position {
    let mut settled = *position;
    if settled.counter_limit(rules).is_none() {
        settled.counter = 0;
    }
    let images = rules.board().group().symmetries().map(|symmetry| settled.image(symmetry));
    images.min_by_key(|image| (image.cows, image.remakes)).unwrap_or(settled)
}

impl Position {
    /// The position turned, mirrored or with its rings exchanged; it has the same value.
    #[must_use]
    pub fn image(&self, symmetry: Symmetry) -> Self {
        let point = |point| symmetry.apply_point(point);
        Self {
            cows: self.cows.map(|cows| symmetry.apply(cows)),
            remakes: self
                .remakes
                .map(|remake| remake.map(|Remake { from, to }| Remake { from: point(from), to: point(to) })),
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;

    #[test]
    fn distinct_positions_match_the_published_counts() {
        let rules = Preset::Gar.rules();
        for (depth, count) in [1, 4, 46, 428, 4_200, 26_827].into_iter().enumerate() {
            assert_eq!(distinct_positions(&rules, &Position::start(&rules), depth as u32), count);
        }
    }

    #[test]
    fn images_have_as_many_turns_and_lead_to_images() {
        let rules = Preset::Gar.rules();
        let position = Position::from_notation("B:Wg1,a1,f2,d2,b2:Bd5,e5,e4,a4:LWd1-d2", &rules).unwrap();
        let leaves = perft(&rules, &position, 2);
        for symmetry in rules.board().group().symmetries() {
            let image = position.image(symmetry);
            assert_eq!(image.check(&rules), Ok(image));
            assert_eq!(perft(&rules, &image, 2), leaves);
            assert_eq!(canonical(&rules, &image), canonical(&rules, &position));
            assert_eq!(image.image(symmetry.inverse()), position);
        }
    }

    #[test]
    fn leaf_counts_from_the_empty_board_match_the_published_ones() {
        let rules = Preset::Gar.rules();
        let counts = [24, 552, 12_144, 255_024, 5_150_880];
        for (depth, count) in (1..).zip(counts) {
            assert_eq!(perft(&rules, &Position::start(&rules), depth), count);
        }
    }
}
