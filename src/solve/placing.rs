//! Solving a class with cows in hand: a single pass over its blocks, as no placement can be taken back.
//!
//! A placement leads to the class after a quiet turn or after a shot, both of which are already solved. For one waiting
//! set, what is known after a quiet placement is in one block of the class after it, and a shot leads into one block
//! for each cow shot, as in the moving phase. So a block is two sets, the positions that some placement wins and those
//! that some placement holds, each found by dense steps. Results are won, drawn and lost; plies are not counted.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::alphabet::Alphabet;
use crate::lookahead::{Outcomes, Values};
use crate::rules::{FEWEST_COWS, RuleSet};
use crate::space::subset::{Ranks, subsets};
use crate::space::{Class, Space, Successors};
use crate::threads;
use crate::value::{Value, Wdl};

use super::bits::{count, is_empty};
use super::control::Control;
use super::dependencies::Dependencies;
use super::error::SolveError;
use super::geometry::Geometry;
use super::isa::{Isa, Kernel, run};
use super::provisional::{ProvisionalTable, Remap};
use super::shape::Shape;
use super::shots::AfterShot;
use super::unplace::DenseUnplace;
use super::view::BlockView;
use super::write_back::{Decision, PerDecision, WriteBackBuffer};

/// The codes of a table while it is filled.
const DRAWN: u8 = 0;
const WON: u8 = 1;
const LOST: u8 = 2;

/// Blocks examined to find the most common value.
const SAMPLE_BLOCKS: usize = 24;

/// What a completed line is worth.
enum Shots<'a> {
    /// No placement can complete a line, or a line shoots nothing because the opponent has no cow on the board.
    None,
    /// Every shot leaves the opponent fewer than three cows.
    Win,
    /// Shots lead to a solved class.
    To(AfterShot<'a>),
}

/// The read-only inputs of the work on a block.
struct Placing<'a> {
    rules: &'a RuleSet,
    shape: &'a Shape,
    /// The inner sets of the mover with one more cow, in rank order.
    placed: &'a [u32],
    quiet: &'a Outcomes,
    shots: Shots<'a>,
}

/// One thread's working memory.
struct PlacingScratch {
    unplace: DenseUnplace,
    /// Sets of positions after a placement: with a line, lost for the opponent, not won by him, and the same after the
    /// best shot.
    with_line: Vec<u64>,
    lost: Vec<u64>,
    not_won: Vec<u64>,
    winning: Vec<u64>,
    holding: Vec<u64>,
    before: Before,
    write_back: WriteBackBuffer,
}

/// Sets of positions before a placement.
struct Before {
    won: Vec<u64>,
    drawn: Vec<u64>,
    lost: Vec<u64>,
}

/// The classes that must be in memory to solve a class with cows in hand.
pub(super) fn required(class: Class) -> impl Iterator<Item = Class> {
    class.successors().iter()
}

/// Solves a class with cows in hand from the classes that its turns lead to. Runs in the current rayon thread pool. The
/// result is the same for any number of threads.
///
/// # Errors
/// [`SolveError`] if the class has no cows in hand or cannot arise under the rules, a class it is built on is missing,
/// or the work is cancelled.
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
    let space = Space::new(rules.board, class);
    let shape = Shape::new(space);
    let cows = shape.cows + 1;
    let placed: Vec<u32> = subsets(cows, shape.free).collect();
    let shots = match shot {
        Some(shot) => {
            let outcomes = outcomes(shot)?;
            let (orbits, ranks) = (outcomes.space().mover_orbits(), Ranks::of(cows));
            Shots::To(AfterShot { board: rules.board(), outcomes, orbits, sets: &placed, ranks })
        }
        None if class.waiting() > 0 && class.waiting() + class.waiting_hand() == FEWEST_COWS => Shots::Win,
        None => Shots::None,
    };
    Placing { rules, shape: &shape, placed: &placed, quiet: outcomes(quiet)?, shots }.solve(control)
}

impl Placing<'_> {
    fn solve(&self, control: &Control) -> Result<Values, SolveError> {
        threads::ready();
        let usual = self.usual_code(control)?;
        let mut table = ProvisionalTable::filled(self.shape.own, usual);
        let found = [AtomicBool::new(false), AtomicBool::new(false)];
        let cells = table.cells();
        let block = |scratch: &mut PlacingScratch, block: usize| {
            control.check()?;
            let decided = self.solve_block(control, block, Some(usual), scratch);
            for (found, decided) in found.iter().zip(decided) {
                if decided > 0 {
                    found.store(true, Ordering::Relaxed);
                }
            }
            run(control.instructions, super::pass::Flush { buffer: &scratch.write_back, cells });
            control.seeded.fetch_add(self.shape.entries as u64, Ordering::Relaxed);
            control.decided.fetch_add(decided.iter().sum(), Ordering::Relaxed);
            Ok(())
        };
        let blocks = (0..self.shape.blocks).into_par_iter().with_min_len(4);
        blocks.map_init(|| PlacingScratch::new(self), block).collect::<Result<(), SolveError>>()?;
        Ok(table.remap(&remap(found.map(AtomicBool::into_inner))))
    }

    /// The code that most positions of a few blocks have. The table starts filled with it, and only the others are
    /// written: a class of the placing phase is often almost all won or lost.
    fn usual_code(&self, control: &Control) -> Result<u8, SolveError> {
        let step = self.shape.blocks.div_ceil(SAMPLE_BLOCKS);
        let blocks: Vec<usize> = (step / 2..self.shape.blocks).step_by(step).collect();
        let count = |scratch: &mut PlacingScratch, block| {
            control.check()?;
            Ok(self.solve_block(control, block, None, scratch))
        };
        let counted = blocks.into_par_iter().map_init(|| PlacingScratch::new(self), count);
        let counted = counted.collect::<Result<Vec<[u64; 2]>, SolveError>>()?;
        let [won, lost] = [0, 1].map(|at| counted.iter().map(|counts| counts[at]).sum::<u64>());
        let drawn = (counted.len() * self.shape.entries) as u64 - won - lost;
        Ok(if drawn >= won.max(lost) {
            DRAWN
        } else if won >= lost {
            WON
        } else {
            LOST
        })
    }

    /// Solves a block. Returns how many of its positions are won, and how many lost. All but those with the usual code,
    /// if there is one, are left in the write-back buffer.
    fn solve_block(
        &self,
        control: &Control,
        block: usize,
        usual: Option<u8>,
        scratch: &mut PlacingScratch,
    ) -> [u64; 2] {
        run(control.instructions, PlacingBlock { placing: self, block: block as u32, usual, scratch })
    }

    /// Words of a bit set over the sets after a placement.
    fn placed_words(&self) -> usize {
        self.placed.len().div_ceil(64)
    }
}

/// What the codes become, depending on whether wins and losses occur.
fn remap([won, lost]: [bool; 2]) -> Remap {
    let values = [(won, Wdl::Won), (lost, Wdl::Lost)].into_iter().filter(|(occurs, _)| *occurs);
    let alphabet = Alphabet::new(values.map(|(_, wdl)| Value::uncounted(wdl))).unwrap_or_else(Alphabet::of_draws);
    let mut symbols = [Alphabet::DRAWN; 256];
    for (code, value) in [(WON, Value::Winning), (LOST, Value::Losing)] {
        symbols[code as usize] = alphabet.symbol(value).unwrap_or(Alphabet::DRAWN);
    }
    Remap { alphabet, symbols }
}

impl PlacingScratch {
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
            before: Before { won: own(), drawn: own(), lost: own() },
            write_back: WriteBackBuffer::default(),
        }
    }
}

/// A block to solve. Its results are left in the write-back buffer, except those with the usual code. Without a usual
/// code, they are only counted.
struct PlacingBlock<'a, 'b> {
    placing: &'a Placing<'a>,
    block: u32,
    usual: Option<u8>,
    scratch: &'b mut PlacingScratch,
}

impl Kernel for PlacingBlock<'_, '_> {
    /// How many positions are won, and how many lost.
    type Output = [u64; 2];

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> [u64; 2] {
        let Self { placing, block, usual, scratch } = self;
        let shape = placing.shape;
        let waiting = shape.waiting.representative(block);
        let geometry = &Geometry::new(isa, placing.rules.board(), waiting);
        let view = BlockView { isa, shape, geometry, waiting };
        read_quiet(isa, placing, block, &mut scratch.lost, &mut scratch.not_won);
        let shoots = !matches!(placing.shots, Shots::None);
        if shoots {
            scratch.unplace.with_line(view, &mut scratch.with_line);
        }
        let PlacingScratch { unplace, with_line, lost, not_won, winning, holding, before, write_back } = scratch;
        match &placing.shots {
            Shots::None => {}
            Shots::Win => [&mut *winning, holding].into_iter().for_each(|set| set.copy_from_slice(with_line)),
            Shots::To(after_shot) => after_shot.assess(view, with_line, winning, holding),
        }
        for (quiet, shots, result) in [(lost, winning, &mut before.won), (not_won, holding, &mut before.drawn)] {
            let shots = if waiting.is_empty() {
                // A completed line shoots nothing if the opponent has no cow on the board.
                Some(&**quiet)
            } else {
                (shoots && !is_empty(shots)).then_some(&**shots)
            };
            unplace.predecessors(view, quiet, shots, result);
        }
        before.part(&shape.all);
        if let Some(usual) = usual {
            write_back.start(PerDecision::of_outcomes(WON, DRAWN, LOST), placing.shape.own.block_entries());
            let sets = [(WON, Decision::Won, &before.won), (DRAWN, Decision::Drawn, &before.drawn)];
            for (code, decision, set) in sets.into_iter().chain([(LOST, Decision::Lost, &before.lost)]) {
                if code != usual {
                    write_back.push(view, decision, set, None);
                }
            }
        }
        [&before.won, &before.lost].map(|set| count(set) as u64)
    }
}

impl Before {
    /// Makes the won and the held positions, in place of the drawn, into three sets that do not overlap.
    #[inline(always)]
    fn part(&mut self, all: &[u64]) {
        for (at, all) in all.iter().enumerate() {
            let held = self.drawn[at];
            self.drawn[at] = held & !self.won[at];
            self.lost[at] = all & !held;
        }
    }
}

/// What is known about the positions after a quiet placement: which the opponent has lost, and which he has not won.
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
    let used = placing.placed.len() % 64;
    let last_word = if used == 0 { u64::MAX } else { (1 << used) - 1 };
    for set in [lost, not_won] {
        if let Some(last) = set.last_mut() {
            *last &= last_word;
        }
    }
}
