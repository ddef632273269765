//! Solving a class with cows in hand: one pass over its blocks, as no placement can be taken back.
//!
//! A placement leads to the class after a quiet turn or after a shot, both of which are solved before. For one waiting set, what is
//! known after a quiet placement stands in one block of the class after it, and a shot leads into one block for each cow shot, as in
//! the moving phase. So a block is two sets, the positions that some placement wins and those that some placement holds, each found
//! by dense steps. Results are won, drawn and lost; plies are not counted.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::alphabet::Alphabet;
use crate::board::{PointSet, Symmetry};
use crate::lookahead::{Outcomes, Values, shootable};
use crate::rules::{FEWEST_COWS, RuleSet};
use crate::space::subset::{Images, Ranks, subsets};
use crate::space::{Class, Space, Successors};
use crate::value::{Value, Wdl};

use super::bits::is_empty;
use super::control::Control;
use super::dependencies::Dependencies;
use super::error::SolveError;
use super::geometry::Geometry;
use super::isa::{Isa, Kernel, run};
use super::provisional::{ProvisionalTable, Remap};
use super::shape::Shape;
use super::unplace::{DenseUnplace, UnplaceKind};
use super::view::BlockView;
use super::write_back::{Decision, PerDecision, WriteBackBuffer};

/// The codes of a table while it is filled. What stays undecided is drawn.
const WON: u8 = 1;
const LOST: u8 = 2;

/// What a completed line is worth.
#[derive(Clone, Copy)]
enum Shots<'a> {
    /// No placement can complete a line, or a line shoots nothing: the opponent has no cow on the board.
    None,
    /// Every shot leaves the opponent fewer than three cows.
    Win,
    /// Shots lead to a class that is solved.
    To(&'a Outcomes),
}

/// What the work on a block only reads.
struct Placing<'a> {
    rules: &'a RuleSet,
    shape: &'a Shape,
    /// Sets of the mover with one cow more: every inner set in rank order, ranks, and a bit for each, all set.
    placed: Vec<u32>,
    placed_ranks: &'static Ranks,
    placed_last_word: u64,
    quiet: &'a Outcomes,
    shots: Shots<'a>,
}

/// One thread's working memory.
struct Scratch {
    unplace: DenseUnplace,
    /// Sets of positions after a placement: with a line, lost for the opponent, not won by him, and the same after the best shot.
    with_line: Vec<u64>,
    lost: Vec<u64>,
    not_won: Vec<u64>,
    winning: Vec<u64>,
    holding: Vec<u64>,
    /// Sets of positions before it.
    won: Vec<u64>,
    held: Vec<u64>,
    write_back: WriteBackBuffer,
}

/// The classes that must be in memory to solve a class with cows in hand.
pub(super) fn required(class: Class) -> impl Iterator<Item = Class> {
    class.successors().iter()
}

/// Solves a class with cows in hand from the classes its turns lead to. Runs in the current rayon thread pool. The result is the same
/// for any number of threads.
///
/// # Errors
/// [`SolveError`] if the class has no cows in hand or cannot arise under the rules, a class it is built on is missing, or the work is
/// cancelled.
pub fn solve_placing(
    rules: &RuleSet,
    class: Class,
    dependencies: &Dependencies<'_>,
    control: &Control,
) -> Result<Values, SolveError> {
    class.check(rules)?;
    if class.mover_hand() == 0 {
        return Err(SolveError::NoHands { class });
    }
    let missing: Vec<Class> = required(class).filter(|class| dependencies.outcomes(*class).is_none()).collect();
    let (Successors { quiet, shot }, true) = (class.successors(), missing.is_empty()) else {
        return Err(SolveError::MissingDependencies { class, missing });
    };
    let outcomes =
        |class| dependencies.outcomes(class).ok_or(SolveError::MissingDependencies { class, missing: vec![class] });
    let shots = match shot {
        Some(shot) => Shots::To(outcomes(shot)?),
        None if class.waiting() > 0 && class.waiting() + class.waiting_hand() == FEWEST_COWS => Shots::Win,
        None => Shots::None,
    };
    let space = Space::new(rules.board, class);
    let shape = Shape::new(space);
    let placing = Placing::new(rules, &shape, outcomes(quiet)?, shots);
    placing.solve(control)
}

impl<'a> Placing<'a> {
    fn new(rules: &'a RuleSet, shape: &'a Shape, quiet: &'a Outcomes, shots: Shots<'a>) -> Self {
        let cows = shape.cows + 1;
        let placed: Vec<u32> = subsets(cows, shape.free).collect();
        let used = placed.len() % 64;
        let placed_last_word = if used == 0 { u64::MAX } else { (1 << used) - 1 };
        Self { rules, shape, placed, placed_ranks: Ranks::of(cows), placed_last_word, quiet, shots }
    }

    fn solve(&self, control: &Control) -> Result<Values, SolveError> {
        let mut table = ProvisionalTable::undecided(self.shape.own);
        let found = [AtomicBool::new(false), AtomicBool::new(false)];
        let cells = table.cells();
        let block = |scratch: &mut Scratch, block: usize| {
            control.check()?;
            run(control.instructions, PlacingBlock { placing: self, block: block as u32, scratch: &mut *scratch });
            let counts = scratch.write_back.counts();
            for (found, decision) in found.iter().zip([Decision::Won, Decision::Lost]) {
                if counts.get(decision) > 0 {
                    found.store(true, Ordering::Relaxed);
                }
            }
            run(control.instructions, super::pass::Flush { buffer: &scratch.write_back, cells });
            control.seeded.fetch_add(self.shape.entries as u64, Ordering::Relaxed);
            control.decided.fetch_add(counts.sum(), Ordering::Relaxed);
            Ok(())
        };
        let blocks = (0..self.shape.blocks).into_par_iter().with_min_len(4);
        blocks.map_init(|| Scratch::new(self), block).collect::<Result<(), SolveError>>()?;
        Ok(table.remap(&remap(found.map(AtomicBool::into_inner))))
    }

    /// Words of a bit set over the sets after a placement.
    fn placed_words(&self) -> usize {
        self.placed.len().div_ceil(64)
    }
}

/// What the codes become, wins or losses being there or not.
fn remap([won, lost]: [bool; 2]) -> Remap {
    let values = [(won, Wdl::Won), (lost, Wdl::Lost)].into_iter().filter(|(occurs, _)| *occurs);
    let alphabet = Alphabet::new(values.map(|(_, wdl)| Value::uncounted(wdl))).unwrap_or_else(Alphabet::of_draws);
    let mut symbols = [Alphabet::DRAWN; 256];
    for (code, value) in [(WON, Value::Winning), (LOST, Value::Losing)] {
        symbols[code as usize] = alphabet.symbol(value).unwrap_or(Alphabet::DRAWN);
    }
    Remap { alphabet, symbols }
}

impl Scratch {
    fn new(placing: &Placing<'_>) -> Self {
        let placed = || vec![0; placing.placed_words()];
        let own = || vec![0; placing.shape.words()];
        Self {
            unplace: DenseUnplace::new(placing.shape.free, placing.shape.cows),
            with_line: placed(),
            lost: placed(),
            not_won: placed(),
            winning: placed(),
            holding: placed(),
            won: own(),
            held: own(),
            write_back: WriteBackBuffer::default(),
        }
    }
}

/// A block to solve; its results are left in the write-back buffer.
struct PlacingBlock<'a, 'b> {
    placing: &'a Placing<'a>,
    block: u32,
    scratch: &'b mut Scratch,
}

impl Kernel for PlacingBlock<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { placing, block, scratch } = self;
        let shape = placing.shape;
        let waiting = shape.waiting.representative(block);
        let geometry = &Geometry::new(isa, placing.rules.board(), waiting);
        let view = BlockView { isa, shape, geometry, waiting };
        read_quiet(isa, placing, block, &mut scratch.lost, &mut scratch.not_won);
        let quiet = if waiting.is_empty() { UnplaceKind::Any } else { UnplaceKind::Quiet };
        let shoots = !matches!(placing.shots, Shots::None);
        if shoots {
            find_lines(placing, geometry, &mut scratch.with_line);
            assess_shots(view, placing, scratch);
        }
        let Scratch { unplace, lost, not_won, winning, holding, won, held, write_back, .. } = scratch;
        for (after_quiet, after_shot, result) in [(&*lost, &*winning, &mut *won), (&*not_won, &*holding, &mut *held)] {
            unplace.clear();
            unplace.add_predecessors(view, quiet, after_quiet);
            if shoots && !is_empty(after_shot) {
                unplace.add_predecessors(view, UnplaceKind::Shot, after_shot);
            }
            unplace.predecessors(isa, result);
        }
        for (held, all) in held.iter_mut().zip(&shape.all) {
            *held = all & !*held;
        }
        write_back.start(PerDecision::new(WON, LOST, LOST));
        write_back.push(view, Decision::Won, won, None);
        write_back.push(view, Decision::Lost, held, None);
    }
}

/// What is known of the positions after a quiet placement: which are lost for the opponent, and which he has not won.
#[inline(always)]
fn read_quiet<I: Isa>(isa: I, placing: &Placing<'_>, block: u32, lost: &mut [u64], not_won: &mut [u64]) {
    /// The lower of each entry's two bits.
    const LOWER: u64 = 0x5555_5555_5555_5555;
    // A lost entry has the lower bit alone, and a won one the upper.
    const _: () = assert!(Outcomes::LOST == 1 && Outcomes::DRAWN == 0);
    let start = placing.quiet.block_start(block);
    for (at, (lost, not_won)) in lost.iter_mut().zip(&mut *not_won).enumerate() {
        let halves = [0, 32].map(|half| placing.quiet.bits_from(start + 64 * at + half));
        let plane = |shift: u32| {
            let [low, high] = halves.map(|bits| isa.gather64(bits >> shift, LOWER));
            low | high << 32
        };
        let (lower, upper) = (plane(0), plane(1));
        (*lost, *not_won) = (lower & !upper, !upper);
    }
    for set in [lost, not_won] {
        if let Some(last) = set.last_mut() {
            *last &= placing.placed_last_word;
        }
    }
}

/// The sets of the mover that hold a line after a placement.
#[inline(always)]
fn find_lines(placing: &Placing<'_>, geometry: &Geometry, with_line: &mut [u64]) {
    for (word, sets) in with_line.iter_mut().zip(placing.placed.chunks(64)) {
        *word = 0;
        for (bit, set) in sets.iter().enumerate() {
            let holds = geometry.lines().iter().any(|line| line & !set == 0);
            *word |= u64::from(holds) << bit;
        }
    }
}

/// What the best shot is worth once a line is made, for each set with a line.
#[inline(always)]
fn assess_shots<I: Isa>(view: BlockView<'_, I>, placing: &Placing<'_>, scratch: &mut Scratch) {
    let Scratch { with_line, winning, holding, .. } = scratch;
    let Shots::To(outcomes) = placing.shots else {
        winning.copy_from_slice(with_line);
        holding.copy_from_slice(with_line);
        return;
    };
    winning.fill(0);
    holding.fill(0);
    for shot in shootable(placing.rules.board(), view.waiting).iter() {
        let (start, images) = block_after_shot(view, outcomes, view.waiting.without(shot));
        for (at, chunk) in placing.placed.chunks(64).enumerate() {
            let mut rest = with_line[at] & !winning[at];
            let (mut win, mut hold) = (0u64, 0u64);
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                let image = images.of(chunk[bit as usize]);
                let outcome = outcomes.bits(start + placing.placed_ranks.rank(image) as usize);
                win |= u64::from(outcome == Outcomes::LOST) << bit;
                hold |= u64::from(outcome == Outcomes::DRAWN) << bit;
            }
            winning[at] |= win;
            holding[at] |= win | hold;
        }
    }
}

/// Where the block starts in which `left`, what a shot leaves of the waiting set, is to move, and how inner sets are numbered there.
#[inline(always)]
fn block_after_shot<I: Isa>(view: BlockView<'_, I>, outcomes: &Outcomes, left: PointSet) -> (usize, Images<4>) {
    let orbits = outcomes.space().mover_orbits();
    let (orbit, number) = orbits.place_bits(left.bits());
    let symmetry = Symmetry::new(number as u8).unwrap_or(Symmetry::IDENTITY);
    let (free, _) = orbits.free(orbit);
    let points = PointSet::from_bits_truncate(view.geometry.free).iter();
    let images = Images::new(points.map(|point| view.isa.gather(symmetry.apply_bits(point.set().bits()), free)));
    (outcomes.block_start(orbit), images)
}
