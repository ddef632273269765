//! Telling a decision: from the block where it was found to the class's own table, which the partner reads.

use std::sync::atomic::{AtomicU8, Ordering};

use super::geometry::Geometry;
use super::isa::Isa;
use super::shape::Shape;

/// Entries of a class's own table that got a value, kept until no one reads the table.
#[derive(Default)]
pub(crate) struct Decided {
    /// The mark and the entries that got it.
    lists: [(u8, Vec<u32>); 3],
}

impl Decided {
    /// Forgets all entries and sets the marks that `tell` will speak of by their places.
    pub(crate) fn start(&mut self, marks: [u8; 3]) {
        for ((mark, list), new) in self.lists.iter_mut().zip(marks) {
            *mark = new;
            list.clear();
        }
    }

    /// Notes entries with the mark in place `place` for every position in `bits` (in rank order) of a block.
    ///
    /// Twins of an entry are noted with it. `dirty[block]` is raised for each block of the table that is concerned.
    #[inline(always)]
    pub(crate) fn tell<I: Isa>(
        &mut self,
        isa: I,
        shape: &Shape,
        geometry: &Geometry,
        place: usize,
        bits: &[u64],
        dirty: &[AtomicU8],
    ) {
        let list = &mut self.lists[place].1;
        let entries = shape.own.block_entries();
        let mut note = |orbit: u32, image: u32, free: u32| {
            list.push(orbit * entries + shape.waiting_ranks.rank(isa.gather(image, free)));
        };
        for (chunk, &word) in shape.sets.chunks(64).zip(bits) {
            let mut rest = word;
            while rest != 0 {
                let cows = isa.spread(chunk[rest.trailing_zeros() as usize], geometry.free);
                rest &= rest - 1;
                let (orbit, symmetry) = shape.mover.place_bits(cows);
                let (free, has_twins) = shape.mover.free(orbit);
                let image = geometry.images[symmetry];
                dirty[orbit as usize].store(1, Ordering::Relaxed);
                if !has_twins {
                    note(orbit, image, free);
                } else {
                    for twin in shape.mover.stabiliser(orbit) {
                        note(orbit, twin.apply_bits(image), free);
                    }
                }
            }
        }
    }

    /// How many entries got the mark in each place, twins counted each time they were told.
    pub(crate) fn counts(&self) -> [u64; 3] {
        self.lists.each_ref().map(|(_, list)| list.len() as u64)
    }

    /// Writes the marks into the table.
    #[inline(always)]
    pub(crate) fn write<I: Isa>(&self, isa: I, table: &[AtomicU8]) {
        const AHEAD: usize = 16;
        for (mark, list) in &self.lists {
            for (i, &entry) in list.iter().enumerate() {
                if let Some(&ahead) = list.get(i + AHEAD) {
                    isa.will_write(&table[ahead as usize]);
                }
                table[entry as usize].store(*mark, Ordering::Relaxed);
            }
        }
    }
}
