//! Leaf counts of the game tree, the usual check of a move generator.

use crate::rules::RuleSet;

use super::Position;

/// The number of turn sequences of exactly `depth` turns from `position`.
pub fn perft(rules: &RuleSet, position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let turns = position.turns(rules);
    if depth == 1 {
        return turns.len() as u64;
    }
    let after = turns.into_iter().filter_map(|turn| position.apply(rules, turn).ok());
    after.map(|next| perft(rules, &next, depth - 1)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;

    #[test]
    fn leaf_counts_from_the_empty_board_match_the_published_ones() {
        let rules = Preset::Gar.rules();
        let counts = [24, 552, 12_144, 255_024, 5_150_880];
        for (depth, count) in (1..).zip(counts) {
            assert_eq!(perft(&rules, &Position::start(&rules), depth), count);
        }
    }
}
