//! [`WriteBackBuffer`]: decisions of blocks, kept until no one reads the class's own table.
//!
//! A decision is found in the block of the waiting set, but the reverse class reads it in the block of the mover's set.
//! This file takes it there: a canonicalisation, a rank, and a byte written.

use std::sync::atomic::{AtomicU8, Ordering};

use super::isa::Isa;
use super::provisional::UNDECIDED;
use super::view::BlockView;

/// What a pass decides. Each kind has one provisional code during a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Decision {
    Won,
    Lost,
    /// Lost because there is no turn. Only seeding finds these.
    Blocked,
    /// Neither side can force a win. Only the placing phase writes these.
    Drawn,
}

/// Something for each kind of decision.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct PerDecision<T>([T; 4]);

impl PerDecision<u8> {
    /// Codes for wins, losses and blocked positions, if no draws are written.
    pub(super) const fn new(won: u8, lost: u8, blocked: u8) -> Self {
        Self([won, lost, blocked, UNDECIDED])
    }

    /// Codes for wins, draws and losses, blocked or not.
    pub(super) const fn of_outcomes(won: u8, drawn: u8, lost: u8) -> Self {
        Self([won, lost, lost, drawn])
    }
}

impl<T: Copy> PerDecision<T> {
    pub(super) const fn get(&self, decision: Decision) -> T {
        self.0[decision as usize]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = T> {
        self.0.into_iter()
    }
}

impl PerDecision<u64> {
    pub(super) fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, more)| *sum += more);
    }

    pub(super) fn sum(&self) -> u64 {
        self.0.iter().sum()
    }
}

/// Entries of each kind for which a buffer that is not in use keeps room: 256 KiB. There are several buffers for every
/// thread, and a batch may fill any of them.
const MOST_KEPT: usize = 1 << 16;

/// Entries of a class's own table that have received a value, kept until no one reads the table.
#[derive(Default)]
pub(super) struct WriteBackBuffer {
    codes: PerDecision<u8>,
    /// The step from one block to the next in the numbering of entries.
    stride: u32,
    /// By decision: the entries, twins included.
    entries: [Vec<u32>; 4],
}

impl WriteBackBuffer {
    /// Forgets all entries, and sets the codes and numbering of those to come: `stride` from one block to the next.
    pub(super) fn start(&mut self, codes: PerDecision<u8>, stride: u32) {
        self.codes = codes;
        self.stride = stride;
        self.entries.iter_mut().for_each(Vec::clear);
    }

    /// Adds every position in `bits`, a set of entries of the block. Raises `dirty[block]`, if there are such flags,
    /// for each block of the own table that is affected.
    #[inline(always)]
    pub(super) fn push<I: Isa>(
        &mut self,
        view: BlockView<'_, I>,
        decision: Decision,
        bits: &[u64],
        dirty: Option<&[AtomicU8]>,
    ) {
        let BlockView { isa, shape, geometry, .. } = view;
        let list = &mut self.entries[decision as usize];
        let stride = self.stride;
        let mut add = |orbit: u32, image: u32, free: u32| {
            list.push(orbit * stride + shape.waiting_ranks.rank(isa.gather(image, free)));
        };
        for (chunk, &word) in shape.sets.chunks(64).zip(bits) {
            let mut rest = word;
            while rest != 0 {
                let cows = isa.spread(chunk[rest.trailing_zeros() as usize], geometry.free);
                rest &= rest - 1;
                let (orbit, symmetry) = shape.mover.place_bits(cows);
                let (free, has_twins) = shape.mover.free(orbit);
                let image = geometry.images[symmetry];
                if let Some(dirty) = dirty {
                    dirty[orbit as usize].store(1, Ordering::Relaxed);
                }
                if has_twins {
                    for twin in shape.mover.stabiliser(orbit) {
                        add(orbit, twin.apply_bits(image), free);
                    }
                } else {
                    add(orbit, image, free);
                }
            }
        }
    }

    /// Forgets all entries, and gives back the memory that a batch with many decisions took.
    pub(super) fn trim(&mut self) {
        for entries in &mut self.entries {
            entries.clear();
            entries.shrink_to(MOST_KEPT);
        }
    }

    /// How many entries of each kind there are. A twin is counted each time it was added.
    pub(super) fn counts(&self) -> PerDecision<u64> {
        PerDecision(self.entries.each_ref().map(|entries| entries.len() as u64))
    }

    /// The entries of a kind.
    pub(super) fn entries(&self, decision: Decision) -> &[u32] {
        &self.entries[decision as usize]
    }

    /// Writes the codes into the table.
    #[inline(always)]
    pub(super) fn flush<I: Isa>(&self, isa: I, table: &[AtomicU8]) {
        const AHEAD: usize = 16;
        for (code, entries) in self.codes.iter().zip(&self.entries) {
            for (i, &entry) in entries.iter().enumerate() {
                if let Some(&ahead) = entries.get(i + AHEAD) {
                    isa.will_write(&table[ahead as usize]);
                }
                table[entry as usize].store(code, Ordering::Relaxed);
            }
        }
    }
}
