//! [`Robustness`]: which results of a class hold whatever the no-remake rule bars.
//!
//! A shot may leave a restriction, which binds the side that shot at its next turn and never after. That restriction
//! usually costs nothing: the result holds whichever single move is barred. Two dense passes over a solved pair find
//! the positions for which this cannot be shown. The pairs with one more cow then ask the look-ahead about those
//! positions only.
//!
//! Everything here errs on the safe side: a result that is not fragile holds; one that is may hold too.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::lookahead::{Fragility, Outcomes};
use crate::pages;
use crate::rules::{NoRemake, RuleSet};
use crate::space::{Class, Entry, Space};
use crate::threads;

use super::write_back::{Decision, WriteBackBuffer};

/// The lists of a buffer in which fragile entries are kept.
pub(super) const RESULT_FLAG: Decision = Decision::Won;
pub(super) const HOLD_FLAG: Decision = Decision::Lost;

/// The [`Fragility`] of each entry of a class.
#[derive(Debug)]
pub struct Robustness {
    space: Space,
    /// Words per block.
    stride: usize,
    result: Vec<AtomicU64>,
    hold: Vec<AtomicU64>,
}

impl Robustness {
    /// Nothing is fragile yet.
    pub(super) fn new(space: Space) -> Self {
        let stride = Self::words(space);
        let plane = || {
            let words = stride * space.blocks() as usize;
            let mut plane = pages::room(words);
            plane.resize_with(words, AtomicU64::default);
            plane
        };
        Self { space, stride, result: plane(), hold: plane() }
    }

    /// The class.
    pub const fn class(&self) -> Class {
        self.space.class()
    }

    /// Bytes of memory for the flags of a class: zero without a no-remake rule.
    pub fn bytes_of(rules: &RuleSet, space: Space) -> u64 {
        if rules.no_remake == NoRemake::None {
            0
        } else {
            2 * 8 * Self::words(space) as u64 * u64::from(space.blocks())
        }
    }

    /// Bytes of memory for restrictions while a class is solved: first for what shots lead to, at the end for its own
    /// flags.
    pub fn working_bytes(rules: &RuleSet, space: Space) -> u64 {
        let shot = space.class().successors().shot.filter(|_| rules.no_remake != NoRemake::None);
        let table = shot.map_or(0, |class| ShotTable::bytes_of(Space::new(rules.board, class)));
        table.max(Self::bytes_of(rules, space))
    }

    fn words(space: Space) -> usize {
        (space.block_entries() as usize).div_ceil(64)
    }

    /// The step from one block to the next in the numbering of [`mark`](Self::mark).
    pub(super) fn stride(space: Space) -> u32 {
        64 * Self::words(space) as u32
    }

    /// Marks the entries of a buffer, numbered with [`stride`](Self::stride), as fragile.
    pub(super) fn mark(&self, buffer: &WriteBackBuffer) {
        for (plane, decision) in [(&self.result, RESULT_FLAG), (&self.hold, HOLD_FLAG)] {
            for &entry in buffer.entries(decision) {
                plane[entry as usize / 64].fetch_or(1 << (entry % 64), Ordering::Relaxed);
            }
        }
    }

    /// The flags of an entry.
    #[inline]
    pub(super) fn fragility(&self, entry: Entry) -> Fragility {
        let word = entry.block as usize * self.stride + entry.rank as usize / 64;
        let flag = |plane: &[AtomicU64]| plane[word].load(Ordering::Relaxed) >> (entry.rank % 64) & 1 == 1;
        Fragility { result: flag(&self.result), hold: flag(&self.hold) }
    }

    /// The flags of a block.
    pub(super) fn block(&self, block: u32) -> [&[AtomicU64]; 2] {
        let start = block as usize * self.stride;
        [&self.result[start..start + self.stride], &self.hold[start..start + self.stride]]
    }
}

/// Outcomes with their flags, four bits per entry: what a block's shots look up.
pub(super) struct ShotTable {
    stride: usize,
    words: Vec<u64>,
}

/// The lowest bit of each four.
const LOWEST: u64 = 0x1111_1111_1111_1111;

/// The low sixteen pairs of bits, each at the low end of four.
#[inline(always)]
const fn spread_pairs(pairs: u64) -> u64 {
    let mut spread = pairs & 0xffff_ffff;
    spread = (spread | spread << 16) & 0x0000_ffff_0000_ffff;
    spread = (spread | spread << 8) & 0x00ff_00ff_00ff_00ff;
    spread = (spread | spread << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    (spread | spread << 2) & 0x3333_3333_3333_3333
}

/// The low sixteen bits, each at the low end of four.
#[inline(always)]
const fn spread_bits(bits: u64) -> u64 {
    let mut spread = bits & 0xffff;
    spread = (spread | spread << 24) & 0x0000_00ff_0000_00ff;
    spread = (spread | spread << 12) & 0x000f_000f_000f_000f;
    spread = (spread | spread << 6) & 0x0303_0303_0303_0303;
    (spread | spread << 3) & LOWEST
}

/// Entries in a word of a [`ShotTable`].
const PER_WORD: usize = 16;
/// The flags above an entry's outcome.
pub(super) const RESULT: u64 = 4;
pub(super) const HOLD: u64 = 8;

impl ShotTable {
    /// Joins them. If no flags are known, all are set except those of quiet wins, from which a bar takes nothing.
    pub(super) fn new(outcomes: &Outcomes, robustness: Option<&Robustness>) -> Self {
        let space = outcomes.space();
        let entries = space.block_entries() as usize;
        let stride = entries.div_ceil(PER_WORD);
        let mut words = pages::zeros(stride * space.blocks() as usize);
        threads::ready();
        words.par_chunks_mut(stride).enumerate().for_each(|(block, words)| {
            let start = outcomes.block_start(block as u32);
            let flags = robustness.map(|robustness| robustness.block(block as u32));
            for (at, word) in words.iter_mut().enumerate() {
                let entry = at * PER_WORD;
                let outcomes = spread_pairs(outcomes.bits_from(start + entry));
                let [result, hold] = match flags {
                    Some(planes) => {
                        planes.map(|plane| spread_bits(plane[entry / 64].load(Ordering::Relaxed) >> (entry % 64)))
                    }
                    None => [!(outcomes & outcomes >> 1) & LOWEST; 2],
                };
                // Bits beyond the last entry belong to whatever follows the block.
                let used = 4 * (entries - entry).min(PER_WORD) as u32;
                *word = (outcomes | result << 2 | hold << 3) & u64::MAX >> (64 - used);
            }
        });
        Self { stride, words }
    }

    /// Bytes of memory that the table of a class takes.
    pub(super) fn bytes_of(space: Space) -> u64 {
        8 * u64::from(space.block_entries()).div_ceil(PER_WORD as u64) * u64::from(space.blocks())
    }

    /// Where a block starts.
    #[inline(always)]
    pub(super) fn block_start(&self, block: u32) -> usize {
        block as usize * self.stride
    }

    /// The four bits of an entry of the block that starts there.
    #[inline(always)]
    pub(super) fn bits(&self, start: usize, entry: usize) -> usize {
        (self.words[start + entry / PER_WORD] >> (4 * (entry % PER_WORD)) & 15) as usize
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{spread_bits, spread_pairs};

    proptest! {
        #[test]
        fn bits_and_pairs_are_spread_over_fours(bits in any::<u64>()) {
            for at in 0..16 {
                prop_assert_eq!(spread_bits(bits) >> (4 * at) & 15, bits >> at & 1);
                prop_assert_eq!(spread_pairs(bits) >> (4 * at) & 15, bits >> (2 * at) & 3);
            }
        }
    }
}
