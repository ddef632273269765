//! One block: what it still has to find, and the working memory for it.

use crate::rules::{NoRemake, RuleSet};

use super::bits::{count, insert};
use super::dense::DenseUnmove;
use super::flying::FlyingUnmove;
use super::isa::Isa;
use super::shape::Shape;
use super::shots::ShotSets;
use super::task::Task;
use super::view::{BlockView, UnmoveKind, each_predecessor};
use super::write_back::WriteBackBuffer;

/// A block to work on.
pub(super) struct BlockJob<'a> {
    pub(super) task: &'a Task<'a>,
    pub(super) block: u32,
    pub(super) state: BlockState<'a>,
    pub(super) scratch: &'a mut Scratch,
}

/// What a block still has to find, as bits in rank order.
pub(super) struct BlockState<'a> {
    /// Positions without a value yet.
    pub(super) undecided: &'a mut [u64],
    /// Positions with a shot that does not lose.
    pub(super) safe: &'a mut [u64],
    /// Positions that may have such a shot, but only one that leaves a restriction. Empty if the rules have no
    /// restrictions.
    pub(super) perhaps_safe: &'a mut [u64],
    /// Positions won. This set and those below are empty unless robustness is asked for.
    pub(super) won: &'a mut [u64],
    /// Of those, the ones with two or more moves that win by a shot. Of the others, those with a shot after which the
    /// opponent, if barred from a move, may not win.
    pub(super) several_or_saved: &'a mut [u64],
    /// Positions not won with a shot after which the opponent, if barred from a move, may lose.
    pub(super) perhaps_winning: &'a mut [u64],
}

/// Bits of memory per entry while a class is solved, besides its code: with or without those for finding its
/// [robustness](super::robustness::Robustness).
pub fn bits_per_entry(rules: &RuleSet, robustness: bool) -> u64 {
    match (rules.no_remake, robustness) {
        (NoRemake::None, _) => 2,
        (_, false) => 3,
        (_, true) => 6,
    }
}

impl<'a> BlockState<'a> {
    /// Splits a block's words into its sets.
    pub(super) fn new(state: &'a mut [u64], words: usize) -> Self {
        let mut rest = state;
        let mut next = || {
            let (set, others) = std::mem::take(&mut rest).split_at_mut_checked(words).unwrap_or_default();
            rest = others;
            set
        };
        Self {
            undecided: next(),
            safe: next(),
            perhaps_safe: next(),
            won: next(),
            several_or_saved: next(),
            perhaps_winning: next(),
        }
    }

    /// Whether the block records what a bar may change.
    pub(super) fn keeps_flags(&self) -> bool {
        !self.several_or_saved.is_empty()
    }
}

/// One thread's working memory for one class. It is moved from block to block by value, so it is kept small.
pub(super) struct Scratch {
    pub(super) unmove: Unmove,
    pub(super) seeding: Box<SeedingSets>,
    pub(super) induction: Box<InductionSets>,
    pub(super) fragility: Box<FragilitySets>,
    pub(super) write_back: WriteBackBuffer,
}

/// Sets of a block's positions during seeding.
pub(super) struct SeedingSets {
    /// Sets of the mover that hold a line.
    pub(super) with_line: Vec<u64>,
    /// What the best shot is worth for those; without a no-remake rule, only which sets win and which hold.
    pub(super) shots: ShotSets,
    /// Positions with two or more moves that win by a shot.
    pub(super) twice: Vec<u64>,
    /// Some of the sets after a shot.
    pub(super) targets: Vec<u64>,
    /// Positions with a shot that leaves a restriction and may win.
    pub(super) candidates: Vec<u64>,
    /// Positions with a quiet turn.
    pub(super) has_quiet: Vec<u64>,
    /// Positions without one that are not won.
    pub(super) stuck: Vec<u64>,
    /// Won in one ply.
    pub(super) won: Vec<u64>,
    /// Lost in one ply.
    pub(super) lost: Vec<u64>,
    /// Lost in zero plies.
    pub(super) blocked: Vec<u64>,
}

/// Sets of a block's positions during the induction.
pub(super) struct InductionSets {
    /// The reverse class's positions that were decided at the last depth.
    pub(super) frontier: Vec<u64>,
    /// The reverse class's positions that it has not won in fewer plies.
    pub(super) not_won: Vec<u64>,
    /// Undecided positions without a safe shot.
    pub(super) candidates: Vec<u64>,
    /// Positions with a quiet turn to one that the reverse class has not won in fewer plies.
    pub(super) escapes: Vec<u64>,
    /// Found won at this depth.
    pub(super) won: Vec<u64>,
    /// Found lost at this depth.
    pub(super) lost: Vec<u64>,
}

/// Sets of a block's positions while finding what a bar may change.
pub(super) struct FragilitySets {
    pub(super) targets: Vec<u64>,
    pub(super) quiet: Vec<u64>,
    /// The results: the flags of [`Robustness`](super::robustness::Robustness).
    pub(super) result: Vec<u64>,
    pub(super) hold: Vec<u64>,
}

/// Unmoves along edges or flying, behind one interface.
pub(super) enum Unmove {
    Dense(DenseUnmove),
    Flying(FlyingUnmove),
}

impl Scratch {
    pub(super) fn new(shape: &Shape, flies: bool) -> Self {
        let set = || vec![0; shape.words()];
        Self {
            unmove: if flies { Unmove::Flying(FlyingUnmove::new()) } else { Unmove::Dense(DenseUnmove::new(shape)) },
            seeding: Box::new(SeedingSets {
                with_line: set(),
                shots: ShotSets::new(shape.words()),
                twice: set(),
                targets: set(),
                candidates: set(),
                has_quiet: set(),
                stuck: set(),
                won: set(),
                lost: set(),
                blocked: set(),
            }),
            induction: Box::new(InductionSets {
                frontier: set(),
                not_won: set(),
                candidates: set(),
                escapes: set(),
                won: set(),
                lost: set(),
            }),
            fragility: Box::new(FragilitySets { targets: set(), quiet: set(), result: set(), hold: set() }),
            write_back: WriteBackBuffer::default(),
        }
    }
}

impl Unmove {
    /// The positions from which a turn of this kind leads into `targets`; both sets are bits in rank order.
    #[inline(always)]
    pub(super) fn predecessors<I: Isa>(
        &mut self,
        view: BlockView<'_, I>,
        kind: UnmoveKind,
        targets: &[u64],
        predecessors: &mut [u64],
    ) {
        match self {
            Self::Dense(dense) => dense.predecessors(view, kind, targets, predecessors),
            Self::Flying(flying) => flying.predecessors(view, kind, targets, predecessors),
        }
    }

    /// The positions with a move that makes a line and leads into `targets`; `twice`, those certain to have two such
    /// moves.
    #[inline(always)]
    pub(super) fn shooting_moves<I: Isa>(
        &mut self,
        view: BlockView<'_, I>,
        targets: &[u64],
        once: &mut [u64],
        twice: &mut [u64],
    ) {
        match self {
            Self::Dense(dense) => dense.shooting_moves(view, targets, once, twice),
            Self::Flying(flying) => {
                flying.predecessors(view, UnmoveKind::Shot, targets, once);
                twice.fill(0);
            }
        }
    }

    /// As [`predecessors`](Self::predecessors), for targets that may be few.
    #[inline(always)]
    pub(super) fn predecessors_of_few<I: Isa>(
        &mut self,
        view: BlockView<'_, I>,
        kind: UnmoveKind,
        targets: &[u64],
        predecessors: &mut [u64],
    ) {
        if self.are_few(targets) {
            predecessors.fill(0);
            each_predecessor(view, kind, targets, |rank| insert(predecessors, rank));
        } else {
            self.predecessors(view, kind, targets, predecessors);
        }
    }

    /// For targets that may be few: adds the positions from which a turn of this kind leads into `targets` to `once`.
    /// Adds those that were already there to `twice`, and, if the targets are few, those with two such turns. `added`
    /// is overwritten.
    #[inline(always)]
    pub(super) fn add_predecessors<I: Isa>(
        &mut self,
        view: BlockView<'_, I>,
        kind: UnmoveKind,
        targets: &[u64],
        [once, twice, added]: [&mut [u64]; 3],
    ) {
        if self.are_few(targets) {
            each_predecessor(view, kind, targets, |rank| {
                let bit = 1 << (rank % 64);
                twice[rank / 64] |= once[rank / 64] & bit;
                once[rank / 64] |= bit;
            });
        } else {
            self.predecessors(view, kind, targets, added);
            for ((once, twice), added) in once.iter_mut().zip(twice).zip(added) {
                *twice |= *once & *added;
                *once |= *added;
            }
        }
    }

    /// The positions with a quiet turn.
    #[inline(always)]
    pub(super) fn with_quiet_turn<I: Isa>(&mut self, view: BlockView<'_, I>, having: &mut [u64]) {
        match self {
            Self::Dense(dense) => dense.with_quiet_turn(view, having),
            Self::Flying(flying) => flying.predecessors(view, UnmoveKind::Quiet, &view.shape.all, having),
        }
    }

    /// Whether it is cheaper to examine targets one by one than to take back the turns to all positions at once.
    #[inline(always)]
    fn are_few(&self, targets: &[u64]) -> bool {
        match self {
            // A target costs about as much as a vector.
            Self::Dense(dense) => count(targets) < dense.vectors(),
            Self::Flying(_) => false,
        }
    }

    /// The positions whose set holds one of the block's lines.
    #[inline(always)]
    pub(super) fn with_line<I: Isa>(&mut self, view: BlockView<'_, I>, holding: &mut [u64]) {
        match self {
            Self::Dense(dense) => dense.with_line(view, holding),
            Self::Flying(_) => {
                holding.fill(0);
                for &line in view.geometry.lines() {
                    insert(holding, view.rank(line));
                }
            }
        }
    }
}
