//! One block: what it still has to find out, and the working memory for it.

use super::bits::insert;
use super::dense::DenseUnmove;
use super::flying::FlyingUnmove;
use super::isa::Isa;
use super::shape::Shape;
use super::task::Task;
use super::view::{BlockView, UnmoveKind};
use super::write_back::WriteBackBuffer;

/// A block to work on.
pub(super) struct BlockJob<'a> {
    pub(super) task: &'a Task<'a>,
    pub(super) block: u32,
    pub(super) state: BlockState<'a>,
    pub(super) scratch: &'a mut Scratch,
}

/// What a block still has to find out, as bits in rank order.
pub(super) struct BlockState<'a> {
    /// Positions without a value so far.
    pub(super) undecided: &'a mut [u64],
    /// Positions with a shot that does not lose.
    pub(super) safe: &'a mut [u64],
    /// Positions that may have such a shot, but only one that leaves a restriction; empty where the rules know none.
    pub(super) perhaps_safe: &'a mut [u64],
}

/// One thread's working memory for one class. It goes from block to block by value, so it is kept small.
pub(super) struct Scratch {
    pub(super) unmove: Unmove,
    pub(super) seeding: Box<SeedingSets>,
    pub(super) induction: Box<InductionSets>,
    pub(super) write_back: WriteBackBuffer,
}

/// Sets of a block's positions while it is seeded.
pub(super) struct SeedingSets {
    /// Sets of the mover that hold a line.
    pub(super) with_line: Vec<u64>,
    /// Those of them for which some shot leaves the opponent lost.
    pub(super) winning: Vec<u64>,
    /// Those for which some shot leaves the opponent not won.
    pub(super) holding: Vec<u64>,
    /// Positions with a shot that leaves a restriction and may win.
    pub(super) candidates: Vec<u64>,
    /// Positions with a quiet turn.
    pub(super) has_quiet: Vec<u64>,
    /// Positions with a shot.
    pub(super) has_shot: Vec<u64>,
    /// Won in one ply.
    pub(super) won: Vec<u64>,
    /// Lost in one ply.
    pub(super) lost: Vec<u64>,
    /// Lost in none.
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

/// Unmoves along edges or flying, behind one face.
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
                winning: set(),
                holding: set(),
                candidates: set(),
                has_quiet: set(),
                has_shot: set(),
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
