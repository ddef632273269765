//! [`Claims`]: what a class's own table says, compared with what follows.
//!
//! A walk goes through waiting sets and finds for each one the values of all sets of the mover. This module has the
//! places of those values in the table, the faults if the table disagrees, and the entries that no walk sees: the
//! twins.

use std::collections::HashSet;

use rayon::prelude::*;

use crate::board::PointSet;
use crate::lookahead::Values;
use crate::space::subset::subsets;
use crate::space::{Class, Entry};
use crate::threads;
use crate::value::Value;

use super::position::{position_of, position_with};
use super::report::{Fault, Findings};
use super::waiting::Waiting;

/// Entries that are looked up together.
const AT_ONCE: usize = 128;

/// The table of the class that is checked.
pub(super) struct Claims<'a> {
    own: &'a Values,
    sets: Vec<u32>,
}

impl<'a> Claims<'a> {
    pub(super) fn new(own: &'a Values) -> Self {
        let sets = subsets(own.class().mover() as usize, own.space().points_free_of_waiting()).collect();
        Self { own, sets }
    }

    pub(super) const fn class(&self) -> Class {
        self.own.class()
    }

    /// All sets of the mover in rank order, as masks of the points that a waiting set leaves free.
    pub(super) fn sets(&self) -> &[u32] {
        &self.sets
    }

    /// What the table says about each set of the mover against this waiting set; `meaning` translates its symbols.
    pub(super) fn read<T: Copy, const PARTS: usize>(
        &self,
        waiting: &Waiting<'_, PARTS>,
        meaning: &[T; 256],
        claims: &mut Vec<T>,
    ) {
        let (symbols, per_block) = (self.own.symbols(), self.own.space().block_entries() as usize);
        claims.clear();
        // The places are scattered over the table. With the addresses known in advance, many loads run at once.
        let mut places = [0; AT_ONCE];
        for sets in self.sets.chunks(AT_ONCE) {
            for (place, &set) in places.iter_mut().zip(sets) {
                let Entry { block, rank } = self.entry(waiting, set);
                *place = block as usize * per_block + rank as usize;
            }
            claims.extend(places[..sets.len()].iter().map(|&place| meaning[symbols[place] as usize]));
        }
    }

    /// The place in the class of a set of the mover against this waiting set.
    #[inline]
    pub(super) fn entry<const PARTS: usize>(&self, waiting: &Waiting<'_, PARTS>, set: u32) -> Entry {
        self.own.space().entry_among(waiting.outer.of(set), &waiting.images)
    }

    /// A fault for each entry whose claim differs from what follows. Both are in the order of [`sets`](Self::sets);
    /// `value` translates them to values.
    pub(super) fn differences<T: Copy + PartialEq, const PARTS: usize>(
        &self,
        waiting: &Waiting<'_, PARTS>,
        [claims, follows]: [&[T]; 2],
        value: impl Fn(T) -> Value,
    ) -> Findings {
        let mut found = Findings::default();
        if claims == follows {
            return found;
        }
        // If a symmetry fixes the waiting set, two sets of the mover may share one entry.
        let mut seen = HashSet::new();
        for ((&set, &claim), &follows) in self.sets.iter().zip(claims).zip(follows) {
            if claim != follows && seen.insert(self.entry(waiting, set)) {
                found.add(self.wrong_value(waiting, set, [claim, follows].map(&value)));
            }
        }
        found
    }

    fn wrong_value<const PARTS: usize>(
        &self,
        waiting: &Waiting<'_, PARTS>,
        set: u32,
        [stored, follows]: [Value; 2],
    ) -> Fault {
        let (class, entry) = (self.class(), self.entry(waiting, set));
        let sets = [waiting.outer.of(set), waiting.set].map(PointSet::from_bits_truncate);
        let position = position_of(self.own.space(), entry).unwrap_or_else(|| position_with(class, sets));
        Fault::Value { class, entry, position, stored, follows }
    }

    /// Entries that a symmetry maps to each other must have one value; a walk sees only one of them.
    pub(super) fn check_twins(&self) -> Findings {
        let (space, class) = (self.own.space(), self.class());
        let value = |symbol| self.own.alphabet().value(symbol).unwrap_or(Value::Drawn);
        threads::ready();
        let blocks = (0..space.blocks()).into_par_iter().map(|block| {
            let mut found = Findings::default();
            let symbols = self.own.block(block);
            for (rank, twin) in space.twin_ranks(block) {
                let [stored, other] = [rank, twin].map(|rank| symbols[rank as usize]);
                if stored != other {
                    let [entry, twin] = [rank, twin].map(|rank| Entry { block, rank });
                    found.add(Fault::Twins { class, entry, twin, stored: value(stored), other: value(other) });
                }
            }
            found
        });
        blocks.reduce(Findings::default, Findings::and)
    }
}
