//! Unmoves and write-back against plain loops over turns and symmetries, in blocks of every kind.

mod robustness;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::board::{Board, BoardKind, MORABARABA, Point, PointSet};
use crate::random::Random;
use crate::rules::FLYING_COWS;
use crate::space::subset::{Ranks, subsets};
use crate::space::{Class, MOST_COWS, Space};

use super::bits;
use super::block::{Scratch, Unmove};
use super::control::Instructions;
use super::geometry::Geometry;
use super::isa::{Isa, Kernel, run};
use super::shape::Shape;
use super::unplace::DenseUnplace;
use super::view::{BlockView, UnmoveKind};
use super::write_back::{Decision, PerDecision, WriteBackBuffer};

const KINDS: [UnmoveKind; 4] = [UnmoveKind::Quiet, UnmoveKind::Shot, UnmoveKind::FreeShot, UnmoveKind::BindingShot];

const INSTRUCTIONS: [Instructions; 3] = [Instructions::Best, Instructions::Avx2, Instructions::Portable];

/// A block of a class, and what a plain loop needs to know about it.
struct Block {
    board: &'static Board,
    shape: Shape,
    waiting: PointSet,
    free: Vec<Point>,
}

impl Block {
    fn new(kind: BoardKind, cows: u8, waiting: PointSet) -> Self {
        let class = Class::moving(cows, waiting.len()).unwrap();
        let free = kind.board().free(waiting).iter().collect();
        Self { board: kind.board(), shape: Shape::new(Space::new(kind, class)), waiting, free }
    }

    fn on_board(&self, inner: u32) -> PointSet {
        (0..).zip(&self.free).filter(|(number, _)| inner >> number & 1 == 1).map(|(_, &point)| point).collect()
    }

    /// Calls `f` with the entry of each position, the entry after each of its turns, and what the turn is.
    fn each_turn(&self, flies: bool, mut f: impl FnMut(usize, usize, &[UnmoveKind])) {
        for (entry, &inner) in self.shape.sets.iter().enumerate() {
            let cows = self.on_board(inner);
            let empty = self.board.free(cows.union(self.waiting));
            for (from_number, &from) in self.free.iter().enumerate().filter(|(_, point)| cows.contains(**point)) {
                let rest = cows.without(from);
                let reach = if flies { empty } else { empty.intersection(self.board.neighbours(from)) };
                let breaks = self.board.completes_line(rest, from);
                for (to_number, &to) in self.free.iter().enumerate().filter(|(_, point)| reach.contains(**point)) {
                    let kinds: &[UnmoveKind] = match (self.board.completes_line(rest, to), breaks) {
                        (false, _) => &[UnmoveKind::Quiet],
                        (true, false) => &[UnmoveKind::Shot, UnmoveKind::FreeShot],
                        (true, true) => &[UnmoveKind::Shot, UnmoveKind::BindingShot],
                    };
                    let moved = inner & !(1 << from_number) | 1 << to_number;
                    f(entry, self.shape.ranks.rank(moved) as usize, kinds);
                }
            }
        }
    }

    fn random_targets(&self, random: &mut Random, one_in: u64) -> Vec<u64> {
        let mut targets = vec![0; self.shape.words()];
        (0..self.shape.entries)
            .filter(|_| random.below(one_in) == 0)
            .for_each(|entry| bits::insert(&mut targets, entry));
        targets
    }
}

/// An unmove in a block.
struct Predecessors<'a> {
    block: &'a Block,
    unmove: &'a mut Unmove,
    kind: UnmoveKind,
    targets: &'a [u64],
}

impl Kernel for Predecessors<'_> {
    type Output = Vec<u64>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Vec<u64> {
        let Block { board, ref shape, waiting, .. } = *self.block;
        let geometry = &Geometry::new(isa, board, waiting);
        // The previous contents must not matter.
        let mut predecessors = vec![u64::MAX; shape.words()];
        let view = BlockView { isa, shape, geometry, waiting };
        self.unmove.predecessors(view, self.kind, self.targets, &mut predecessors);
        predecessors
    }
}

/// The sets that hold a line of a block.
struct WithLine<'a>(&'a Block, &'a mut Unmove);

impl Kernel for WithLine<'_> {
    type Output = Vec<u64>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Vec<u64> {
        let Block { board, ref shape, waiting, .. } = *self.0;
        let geometry = &Geometry::new(isa, board, waiting);
        let mut holding = vec![u64::MAX; shape.words()];
        self.1.with_line(BlockView { isa, shape, geometry, waiting }, &mut holding);
        holding
    }
}

fn random_set(random: &mut Random, board: &Board, count: u8) -> PointSet {
    let mut set = PointSet::EMPTY;
    while set.len() < count {
        let free = board.free(set);
        let chosen = free.iter().nth(random.below(u64::from(free.len())) as usize);
        set = chosen.map_or(set, |point| set.with(point));
    }
    set
}

/// Checks all kinds of unmoves in one block. Returns how many predecessors each kind had.
fn check_block(block: &Block, flies: bool, random: &mut Random) -> [usize; KINDS.len()] {
    let targets = [2, 40].map(|one_in| block.random_targets(random, one_in));
    let mut expected = KINDS.map(|_| targets.each_ref().map(|_| vec![0; block.shape.words()]));
    block.each_turn(flies, |entry, next, kinds| {
        for (at, _) in targets.iter().enumerate().filter(|(_, targets)| bits::contains(targets, next)) {
            for &kind in kinds {
                bits::insert(&mut expected[kind as usize][at], entry);
            }
        }
    });
    let mut with_line = vec![0; block.shape.words()];
    for (entry, &inner) in block.shape.sets.iter().enumerate() {
        let cows = block.on_board(inner);
        if block.board.lines().any(|line| line.difference(cows).is_empty()) {
            bits::insert(&mut with_line, entry);
        }
    }
    let mut unmove = Scratch::new(&block.shape, flies).unmove;
    let what = |instructions, kind| {
        format!("{instructions:?} {kind}: {} against {:?}, {}", block.shape.cows, block.waiting, block.board.name())
    };
    for instructions in INSTRUCTIONS {
        assert!(run(instructions, WithLine(block, &mut unmove)) == with_line, "{}", what(instructions, "lines"));
        for (kind, expected) in KINDS.into_iter().zip(&expected) {
            for (targets, expected) in targets.iter().zip(expected) {
                let found = run(instructions, Predecessors { block, unmove: &mut unmove, kind, targets });
                assert!(found == *expected, "{}", what(instructions, &format!("{kind:?}")));
            }
        }
    }
    expected.map(|expected| bits::count(&expected[0]))
}

/// Checks blocks of both boards against waiting sets of these sizes. Returns how many predecessors each kind had.
fn check_blocks(cows: u8, flies: bool, sizes_of_waiting: &[u8]) -> [usize; KINDS.len()] {
    let mut random = Random::new(u64::from(cows));
    let mut found = [0; KINDS.len()];
    for &size in sizes_of_waiting {
        for kind in BoardKind::ALL {
            let waiting = random_set(&mut random, kind.board(), size);
            let in_block = check_block(&Block::new(kind, cows, waiting), flies, &mut random);
            found.iter_mut().zip(in_block).for_each(|(all, more)| *all += more);
        }
    }
    found
}

#[test]
fn dense_unmoves_are_those_of_a_plain_loop_for_every_number_of_cows() {
    for cows in 3..=MOST_COWS {
        // The widest blocks take longest: from 8 cows on, only even numbers of cows have them.
        let widest = if (8..=MOST_COWS).contains(&cows) && cows % 2 == 1 { 4 } else { 3 };
        let found = check_blocks(cows, false, &[widest, 5, 8, 12]);
        // Breaking one line and making another takes five cows, as no edge joins two lines that cross.
        let expected = [true, true, true, cows >= 5];
        assert_eq!(found.map(|count| count > 0), expected, "{cows} cows: {found:?}");
    }
}

#[test]
fn flying_unmoves_are_those_of_a_plain_loop() {
    let [quiet, shot, free_shot, binding_shot] = check_blocks(FLYING_COWS, true, &[3, 4, 5, 7, 9, 12]);
    assert!(quiet > 1000 && shot > 100, "{quiet} {shot}");
    assert_eq!((free_shot, binding_shot), (shot, 0));
}

/// Buffers and writes all positions of a set.
struct WriteBack<'a> {
    block: &'a Block,
    positions: &'a [u64],
    dirty: &'a [AtomicU8],
    table: &'a [AtomicU8],
}

impl Kernel for WriteBack<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> u64 {
        let Block { board, ref shape, waiting, .. } = *self.block;
        let geometry = &Geometry::new(isa, board, waiting);
        let mut buffer = WriteBackBuffer::default();
        buffer.start(PerDecision::new(0, 17, 0), self.block.shape.own.block_entries());
        buffer.push(BlockView { isa, shape, geometry, waiting }, Decision::Lost, self.positions, Some(self.dirty));
        buffer.flush(isa, self.table);
        buffer.counts().get(Decision::Lost)
    }
}

#[test]
fn decisions_are_written_to_every_entry_of_the_position() {
    let mut random = Random::new(11);
    let symmetries = || MORABARABA.group().symmetries();
    for (cows, waiting) in [(3, 3), (4, 5), (4, 3), (5, 3)] {
        let waiting = random_set(&mut random, &MORABARABA, waiting);
        let block = Block::new(BoardKind::Morabaraba, cows, waiting);
        let space = block.shape.own;
        let positions = block.random_targets(&mut random, 5);
        let (mut entries, mut blocks) = (BTreeSet::new(), BTreeSet::new());
        bits::each(&positions, |entry| {
            let mover = block.on_board(block.shape.sets[entry]);
            for symmetry in symmetries() {
                let image = space.entry(symmetry.apply(mover), symmetry.apply(waiting));
                entries.insert(space.number(image));
                blocks.insert(u64::from(image.block));
            }
        });
        for instructions in INSTRUCTIONS {
            let cells = |count: u64| (0..count).map(|_| AtomicU8::new(0)).collect::<Vec<_>>();
            let (dirty, table) = (cells(u64::from(space.blocks())), cells(space.entries()));
            let kernel = WriteBack { block: &block, positions: &positions, dirty: &dirty, table: &table };
            assert!(run(instructions, kernel) >= entries.len() as u64);
            for (cells, set, mark) in [(&dirty, &blocks, 1), (&table, &entries, 17)] {
                let found = (0..).zip(cells).filter(|(_, cell)| cell.load(Ordering::Relaxed) == mark);
                assert!(found.map(|(place, _)| place).eq(set.iter().copied()), "{instructions:?} {cows}");
            }
        }
    }
}

/// Takes back placements in a block.
struct Unplaced<'a> {
    block: &'a Block,
    unplace: &'a mut DenseUnplace,
    quiet: &'a [u64],
    shots: Option<&'a [u64]>,
}

impl Kernel for Unplaced<'_> {
    /// The predecessors, and the sets after a placement that hold a line.
    type Output = [Vec<u64>; 2];

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> [Vec<u64>; 2] {
        let Block { board, ref shape, waiting, .. } = *self.block;
        let geometry = &Geometry::new(isa, board, waiting);
        let view = BlockView { isa, shape, geometry, waiting };
        let mut found = [vec![u64::MAX; shape.words()], vec![u64::MAX; self.quiet.len()]];
        self.unplace.predecessors(view, self.quiet, self.shots, &mut found[0]);
        self.unplace.with_line(view, &mut found[1]);
        found
    }
}

#[test]
fn dense_unplacements_are_those_of_a_plain_loop_for_every_number_of_cows() {
    let mut random = Random::new(5);
    for (kind, most) in [(BoardKind::Morabaraba, MOST_COWS), (BoardKind::NineMensMorris, 9)] {
        for cows in 0..most {
            for waiting in [most, 7, if (4..9).contains(&cows) { 6 } else { 3 }] {
                let waiting = random_set(&mut random, kind.board(), waiting);
                // The cows in hand decide nothing here; a side has three cows or more.
                let in_hand = 3u8.saturating_sub(cows).max(1);
                let class = Class::with_hands([cows, waiting.len()], [in_hand, 0]);
                let class = class.unwrap_or_else(|error| panic!("{error}"));
                let free: Vec<Point> = kind.board().free(waiting).iter().collect();
                let block = Block { board: kind.board(), shape: Shape::new(Space::new(kind, class)), waiting, free };
                check_unplacements(&block, &mut random);
            }
        }
    }
}

fn check_unplacements(block: &Block, random: &mut Random) {
    let cows = block.shape.cows + 1;
    let placed: Vec<u32> = subsets(cows, block.shape.free).collect();
    let ranks = Ranks::of(cows);
    let mut some = || {
        let mut set = vec![0; placed.len().div_ceil(64)];
        (0..placed.len()).filter(|_| random.below(9) == 0).for_each(|entry| bits::insert(&mut set, entry));
        set
    };
    let (quiet, shots) = (some(), some());
    let mut with_line = vec![0; quiet.len()];
    for (entry, &inner) in placed.iter().enumerate() {
        let cows = block.on_board(inner);
        if block.board.lines().any(|line| line.difference(cows).is_empty()) {
            bits::insert(&mut with_line, entry);
        }
    }
    let mut unplace = DenseUnplace::new(block.shape.free, block.shape.cows);
    for shots in [Some(&shots[..]), None] {
        let mut expected = vec![0; block.shape.words()];
        for (entry, &inner) in block.shape.sets.iter().enumerate() {
            for (number, &point) in block.free.iter().enumerate().filter(|(number, _)| inner >> number & 1 == 0) {
                let next = ranks.rank(inner | 1 << number) as usize;
                let shoots = block.board.completes_line(block.on_board(inner), point);
                let leads = if shoots {
                    shots.is_some_and(|shots| bits::contains(shots, next))
                } else {
                    bits::contains(&quiet, next)
                };
                if leads {
                    bits::insert(&mut expected, entry);
                }
            }
        }
        for instructions in INSTRUCTIONS {
            let kernel = Unplaced { block, unplace: &mut unplace, quiet: &quiet, shots };
            let what = format!("{instructions:?}: {cows} against {:?}, {}", block.waiting, block.board.name());
            assert!(run(instructions, kernel) == [expected.clone(), with_line.clone()], "{what}");
        }
    }
}
