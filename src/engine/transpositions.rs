//! The transposition table: the search's results for positions, kept in a fixed amount of memory.
//!
//! Every position has two slots, so that costly results are not lost to later ones. A slot is two words: a hash of the
//! position, and score, turn, depth and kind of bound packed. Positions with different restrictions or running counters
//! are different; a counter that is far from its limit is left out, so that positions reached in different ways share
//! results.

use std::collections::TryReserveError;

use crate::board::Point;
use crate::game::{Position, Remake, Step, Turn};
use crate::rules::RuleSet;
use crate::value::Value;

use super::limits::MAX_DEPTH;
use super::score::DECIDED;

/// The largest transposition table, in bytes: 1 GiB.
pub const MAX_HASH: usize = 1 << 30;

/// The memory for a transposition table is not available.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum HashError {
    /// The size is out of bounds.
    #[error("a transposition table of {found} bytes: expected 1 to {MAX_HASH}")]
    Size {
        /// The bytes requested.
        found: usize,
    },
    /// The system refused.
    #[error("not enough memory for a transposition table of {found} bytes; ask for a smaller one")]
    Memory {
        /// The bytes requested.
        found: usize,
        /// The system's reason.
        source: TryReserveError,
    },
}

debug_is_display!(HashError);

/// What a stored score says about the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    Exact = 1,
    /// The true score is at least this.
    Least = 2,
    /// The true score is at most this.
    Most = 3,
}

/// A depth that no search reaches: the value is exact.
pub(super) const EXACT_DEPTH: u8 = u8::MAX;

/// What is known about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TranspositionEntry {
    /// For the side to move, plies counted from the position.
    pub(super) score: i32,
    pub(super) bound: Bound,
    pub(super) depth: u8,
    /// A [`Turn`] as [`pack`] returns it, 0 for none.
    pub(super) turn: u16,
}

/// Whether the system has memory for a table of this size. Zeroed memory arrives untouched, but a refusal would end the
/// program, so the system is asked first.
fn ask_for(bytes: usize) -> Result<(), HashError> {
    let asked = Vec::<[Slot; 2]>::new().try_reserve_exact(slots_in(bytes));
    asked.map_err(|source| HashError::Memory { found: bytes, source })
}

fn slots_in(bytes: usize) -> usize {
    (bytes / SLOT).max(1)
}

pub(super) struct TranspositionTable {
    /// Each position has two places side by side: one for the deepest entry of this search, one for the newest.
    slots: Vec<[Slot; 2]>,
    generation: u8,
}

/// A key and what is known, packed; all zeros if the slot is empty.
type Slot = [u64; 2];

const SLOT: usize = size_of::<[Slot; 2]>();

impl TranspositionTable {
    pub(super) fn new(bytes: usize) -> Result<Self, HashError> {
        if !(1..=MAX_HASH).contains(&bytes) {
            return Err(HashError::Size { found: bytes });
        }
        ask_for(bytes)?;
        Ok(Self { slots: vec![[[0; 2]; 2]; slots_in(bytes)], generation: 0 })
    }

    /// The smallest possible table.
    pub(super) fn smallest() -> Self {
        Self { slots: vec![[[0; 2]; 2]], generation: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.slots = vec![[[0; 2]; 2]; self.slots.len()];
    }

    /// Starts a new search: results of older ones may be overwritten.
    pub(super) const fn begin(&mut self) {
        self.generation = self.generation.wrapping_add(1) & 0x3f;
    }

    fn place(&self, key: u64) -> usize {
        ((u128::from(key) * self.slots.len() as u128) >> 64) as usize
    }

    pub(super) fn get(&self, key: u64, ply: u16) -> Option<TranspositionEntry> {
        let pair = &self.slots[self.place(key)];
        let [_, word] = *pair.iter().find(|[stored, word]| *stored == key && *word != 0)?;
        let bound = match word & 3 {
            1 => Bound::Exact,
            2 => Bound::Least,
            3 => Bound::Most,
            _ => return None,
        };
        let score = i32::from(((word >> 32) as u16).cast_signed());
        // Plies are stored from the position and used from the root of the search.
        let score = if score.abs() >= DECIDED { score - score.signum() * i32::from(ply) } else { score };
        Some(TranspositionEntry { score, bound, depth: depth_of(word), turn: (word >> 16) as u16 })
    }

    pub(super) fn put(&mut self, key: u64, ply: u16, entry: TranspositionEntry) {
        let place = self.place(key);
        let [deepest, newest] = &mut self.slots[place];
        let shift = if entry.score.abs() >= DECIDED { entry.score.signum() * i32::from(ply) } else { 0 };
        let score = (entry.score + shift) as i16;
        let word = entry.bound as u64
            | u64::from(self.generation) << 2
            | u64::from(entry.depth) << 8
            | u64::from(entry.turn) << 16
            | u64::from(score.cast_unsigned()) << 32;
        let is_old = deepest[1] == 0 || (deepest[1] >> 2 & 0x3f) as u8 != self.generation;
        // A table's answer can be had again at any time; the result of a deep search cannot.
        let effort = |depth: u8| if depth == EXACT_DEPTH { 2 } else { depth };
        if deepest[0] == key || is_old || effort(entry.depth) >= effort(depth_of(deepest[1])) {
            if deepest[0] != key {
                *newest = *deepest;
            } else if newest[0] == key {
                *newest = [0; 2];
            }
            *deepest = [key, word];
        } else {
            *newest = [key, word];
        }
    }

    /// How full the table is with entries of this search, in thousandths, from a sample.
    pub(super) fn permille(&self) -> u32 {
        let sample = self.slots.len().min(500);
        let used = |slot: &&Slot| slot[1] != 0 && (slot[1] >> 2 & 0x3f) as u8 == self.generation;
        (self.slots[..sample].as_flattened().iter().filter(used).count() * 1000 / (2 * sample)) as u32
    }
}

const fn depth_of(word: u64) -> u8 {
    (word >> 8) as u8
}

/// Distance in plies from the counter's limit up to which the counter distinguishes positions. Further away it does not
/// cut off any table's distance or any search.
const COUNTER_MATTERS: u16 = Value::MAX_DTC.0 + 1;

const _: () = assert!(COUNTER_MATTERS > MAX_DEPTH as u16);

const NO_POINT: u16 = 31;

fn number(point: Option<Point>) -> u16 {
    point.map_or(NO_POINT, |point| point.index() as u16)
}

/// A turn in 16 bits, never 0: from, to, shot, and a bit for a shot alone.
pub(super) fn pack(turn: Turn) -> u16 {
    let (from, to, alone) = match turn.step {
        Step::Place(to) => (None, to, 0),
        Step::Move(from, to) => (Some(from), to, 0),
        Step::Shoot(at) => (None, at, 1),
    };
    number(from) | number(Some(to)) << 5 | number(turn.shot) << 10 | alone << 15
}

/// A hash of the cows' points, the side to move and what it must do.
pub(super) fn board_key(position: &Position) -> u64 {
    let [first, second] = position.cows.map(|cows| u64::from(cows.bits()));
    let [first_hand, second_hand] = position.hands.map(u64::from);
    let rest = first_hand | second_hand << 4 | (position.to_move.index() as u64) << 8;
    mix(first | second << 24 | (rest | u64::from(position.shot_pending) << 9) << 48)
}

/// A hash of everything that a position's value depends on.
pub(super) fn key(rules: &RuleSet, position: &Position) -> u64 {
    let restriction = |remake: Option<Remake>| {
        remake.map_or(0, |remake| 1 + u64::from(number(Some(remake.from)) << 5 | number(Some(remake.to))))
    };
    let counter = match position.counter_limit(rules) {
        Some(limit) if limit.saturating_sub(position.counter) < COUNTER_MATTERS => u64::from(position.counter) + 1,
        _ => 0,
    };
    let [first, second] = position.remakes.map(restriction);
    mix(board_key(position) ^ (first | second << 11 | counter << 22))
}

/// The mixing step of `SplitMix64`, a bijection.
const fn mix(word: u64) -> u64 {
    let mut mixed = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::error::Error;

    use super::*;
    use crate::rules::Preset;

    #[test]
    fn what_was_put_is_found_with_its_plies_moved_to_the_new_root() {
        let mut table = TranspositionTable::new(1 << 16).unwrap();
        let entry = TranspositionEntry { score: 29_990, bound: Bound::Least, depth: 7, turn: 0x1234 };
        table.put(99, 4, entry);
        assert_eq!(table.get(99, 4), Some(entry));
        assert_eq!(table.get(99, 2), Some(TranspositionEntry { score: 29_992, ..entry }));
        table.put(99, 0, TranspositionEntry { score: -57, bound: Bound::Most, ..entry });
        assert_eq!(table.get(99, 9).map(|entry| (entry.score, entry.bound)), Some((-57, Bound::Most)));
        assert_eq!(table.get(98, 4), None);
        table.clear();
        assert_eq!(table.get(99, 4), None);
    }

    #[test]
    fn memory_that_cannot_be_had_is_an_error_with_its_cause() {
        let refused = ask_for(usize::MAX).unwrap_err();
        assert!(matches!(refused, HashError::Memory { found: usize::MAX, .. }), "{refused:?}");
        assert!(refused.source().is_some_and(<dyn std::error::Error>::is::<TryReserveError>), "{refused:?}");
    }

    #[test]
    fn sizes_out_of_bounds_are_refused() {
        assert_eq!(TranspositionTable::new(0).err(), Some(HashError::Size { found: 0 }));
        assert_eq!(TranspositionTable::new(MAX_HASH + 1).err(), Some(HashError::Size { found: MAX_HASH + 1 }));
        assert!(TranspositionTable::new(1).is_ok());
    }

    #[test]
    fn positions_that_differ_in_anything_that_counts_have_different_keys() {
        let rules = Preset::Gar.rules();
        let texts = [
            "W:Wg1,a1,f2,d2,b2:Bd5,e5,e4,a4",
            "B:Wg1,a1,f2,d2,b2:Bd5,e5,e4,a4",
            "B:Wg1,a1,f2,d2,b2:Bd5,e5,e4,a4:LWd1-d2",
            "W:Wd5,e5,e4,a4:Bg1,a1,f2,d2,b2",
            "W:Wg1,a1,f2,d2,b2:Bd5,e5,e4,a4:H1,0",
            "W:Wg1,a1,f2,d2,b2:Bd5,e5,e4,a4:S",
            "W:Wg1,a1,f2:Bd5,e5,e4,a4",
            "W:Wg1,a1,f2:Bd5,e5,e4,a4:C3",
        ];
        let keys: HashSet<u64> =
            texts.iter().map(|text| key(&rules, &Position::from_notation(text, &rules).unwrap())).collect();
        assert_eq!(keys.len(), texts.len());
        let counted = Position::from_notation("W:Wg1,a1,f2,d2,b2:Bd5,e5,e4,a4:C3", &rules).unwrap();
        assert!(keys.contains(&key(&rules, &counted)), "a counter that does not run counts for nothing");
    }

    #[test]
    fn different_turns_pack_differently() {
        let rules = Preset::Gar.rules();
        for text in ["W:Wa7,d7,b4,c3:Bb6,d6,c5,e4", "W:Wa7,d7,g1:Bb6,d6,c5", "W:Wa7,d7,g7:Bb6,d6,c5:S"] {
            let turns = Position::from_notation(text, &rules).unwrap().turns(&rules);
            let packed: HashSet<u16> = turns.iter().map(|turn| pack(*turn)).collect();
            assert_eq!(packed.len(), turns.len());
            assert!(!packed.contains(&0));
        }
    }
}
