//! The work on one block: seeding it from the classes below, and one depth of the induction.
//!
//! A block holds all positions with one waiting set. What the partner's table says about the positions after a quiet
//! turn stands in one block too, so a block is worked on from one slice of marks and a few small bit sets.

use crate::alphabet::Alphabet;
use crate::board::{PointSet, Symmetry};
use crate::game::Remake;
use crate::rules::{FullBoard, NoRemake};
use crate::space::subset::Images;
use crate::value::Wdl;

use super::cube::{Cube, Turns};
use super::flying::Thirds;
use super::geometry::Geometry;
use super::isa::Isa;
use super::lookahead::{Hint, Restricted, shootable};
use super::marks::{LOST_IN_0, LOST_IN_1, WON_IN_1};
use super::shape::Shape;
use super::told::Decided;
use super::{Below, Task, outcomes};

/// What a block still has to find out, as bits in rank order.
pub(crate) struct BlockState<'a> {
    /// Positions without a value so far.
    pub(crate) undecided: &'a mut [u64],
    /// Positions with a shot that does not lose.
    pub(crate) safe: &'a mut [u64],
    /// Positions that may have such a shot, but only one that leaves a restriction; empty where the rules know none.
    pub(crate) perhaps_safe: &'a mut [u64],
}

/// Un-made moves, dense or flying, behind one face.
enum Mover {
    Walks(Cube),
    Flies(Thirds),
}

/// One thread's working memory for one class.
pub(crate) struct Scratch {
    mover: Mover,
    sets: [Vec<u64>; 6],
    /// Decisions to be told once no one reads the table.
    pub(crate) decided: Decided,
}

/// The largest share of a block's entries, as entries for one, at which positions are still looked at one by one.
const SPARSE_WINS: usize = 24;
const SPARSE_LOSSES: usize = 96;

impl Scratch {
    pub(crate) fn new(shape: &Shape, flies: bool) -> Self {
        let mover = if flies { Mover::Flies(Thirds::new()) } else { Mover::Walks(Cube::new(shape)) };
        Self { mover, sets: std::array::from_fn(|_| vec![0; shape.words()]), decided: Decided::default() }
    }
}

impl Mover {
    #[inline(always)]
    fn before<I: Isa>(
        &mut self,
        isa: I,
        shape: &Shape,
        geometry: &Geometry,
        turns: Turns,
        set: &[u64],
        before: &mut [u64],
    ) {
        match self {
            Self::Walks(cube) => cube.before(isa, shape, geometry, turns, set, before),
            Self::Flies(thirds) => thirds.before(shape, geometry, turns, set, before),
        }
    }

    #[inline(always)]
    fn with_line<I: Isa>(&mut self, isa: I, shape: &Shape, geometry: &Geometry, holding: &mut [u64]) {
        match self {
            Self::Walks(cube) => cube.with_line(isa, geometry, holding),
            Self::Flies(_) => {
                holding.fill(0);
                for &line in geometry.lines() {
                    let rank = shape.ranks.rank(line) as usize;
                    holding[rank / 64] |= 1 << (rank % 64);
                }
            }
        }
    }
}

/// Fills a set with all entries of a block.
#[inline(always)]
fn fill(set: &mut [u64], shape: &Shape) {
    set.fill(u64::MAX);
    if let Some(last) = set.last_mut() {
        *last = shape.last_word();
    }
}

#[inline(always)]
fn is_empty(set: &[u64]) -> bool {
    set.iter().all(|&word| word == 0)
}

#[inline(always)]
fn count(set: &[u64]) -> usize {
    set.iter().map(|word| word.count_ones() as usize).sum()
}

/// Calls `f` for each member of a set.
#[inline(always)]
fn each(set: &[u64], mut f: impl FnMut(usize)) {
    for (at, &word) in set.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            f(at * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

/// Calls `f` with each point of an inner set.
#[inline(always)]
fn each_point(set: u32, mut f: impl FnMut(usize)) {
    let mut rest = set;
    while rest != 0 {
        f(rest.trailing_zeros() as usize);
        rest &= rest - 1;
    }
}

/// Places in [`Decided`] while seeding.
pub(crate) const SEED_MARKS: [u8; 3] = [LOST_IN_0, WON_IN_1, LOST_IN_1];

/// Finds all decisions of a block that need no quiet turn: blocked positions, wins by a shot, and positions whose
/// turns are all losing shots. Tells them, and leaves the block's state for the induction.
#[inline(always)]
pub(crate) fn seed<I: Isa>(isa: I, task: &Task<'_>, block: usize, state: &mut BlockState<'_>, scratch: &mut Scratch) {
    let shape = task.shape;
    let waiting = shape.waiting.representative(block as u32);
    fill(state.undecided, shape);
    if shape.free == shape.cows && task.rules.full_board == FullBoard::Draw {
        return;
    }
    let geometry = &Geometry::new(isa, task.board, waiting.bits());
    let Scratch { mover, sets, decided } = scratch;
    let [wins, holds, won, quiet, lost, shots] = sets;
    let restricts = task.rules.no_remake != NoRemake::None && shape.cows > 3;

    mover.with_line(isa, shape, geometry, shots);
    shot_results(isa, task, geometry, waiting, shots, wins, holds);

    let free_shot = if restricts { Turns::FreeShot } else { Turns::Shot };
    mover.before(isa, shape, geometry, free_shot, wins, won);
    mover.before(isa, shape, geometry, free_shot, holds, state.safe);
    if restricts {
        mover.before(isa, shape, geometry, Turns::BindingShot, wins, quiet);
        each(quiet, |entry| {
            let (word, bit) = (entry / 64, 1u64 << (entry % 64));
            if won[word] & bit == 0 && bound_shot(isa, task, geometry, waiting, shape.sets[entry], Wdl::Won) {
                won[word] |= bit;
            }
        });
        mover.before(isa, shape, geometry, Turns::BindingShot, holds, state.perhaps_safe);
        for ((perhaps, safe), won) in state.perhaps_safe.iter_mut().zip(&*state.safe).zip(&*won) {
            *perhaps &= !(safe | won);
        }
    }

    fill(holds, shape);
    mover.before(isa, shape, geometry, Turns::Quiet, holds, quiet);
    let all = holds;
    for ((quiet, all), won) in quiet.iter_mut().zip(&*all).zip(&*won) {
        // From here on: positions with neither a quiet turn nor a winning shot.
        *quiet = all & !*quiet & !won;
    }
    let stuck = quiet;
    lost.fill(0);
    if !is_empty(stuck) {
        mover.before(isa, shape, geometry, Turns::Shot, all, shots);
        for ((lost, stuck), (shots, safe)) in lost.iter_mut().zip(&*stuck).zip(shots.iter().zip(&*state.safe)) {
            *lost = stuck & shots & !safe;
        }
        for (stuck, shots) in stuck.iter_mut().zip(&*shots) {
            *stuck &= !shots;
        }
        keep_lost(isa, task, geometry, waiting, lost, state.safe, state.perhaps_safe);
        decided.tell(isa, shape, geometry, 0, stuck, &task.dirty[0].lost);
        decided.tell(isa, shape, geometry, 2, lost, &task.dirty[1].lost);
    }
    decided.tell(isa, shape, geometry, 1, won, &task.dirty[1].won);
    for ((undecided, won), (stuck, lost)) in state.undecided.iter_mut().zip(&*won).zip(stuck.iter().zip(&*lost)) {
        *undecided &= !(won | stuck | lost);
    }
}

/// What a shot is worth after it has been made possible: for each set of the mover with a line, whether some shot
/// leaves the opponent lost, and whether some shot leaves him not won.
#[inline(always)]
fn shot_results<I: Isa>(
    isa: I,
    task: &Task<'_>,
    geometry: &Geometry,
    waiting: PointSet,
    with_line: &[u64],
    wins: &mut [u64],
    holds: &mut [u64],
) {
    let shape = task.shape;
    let Some(below) = &task.below else {
        wins.copy_from_slice(with_line);
        holds.copy_from_slice(with_line);
        return;
    };
    wins.fill(0);
    holds.fill(0);
    for shot in shootable(task.board, waiting).iter() {
        let (start, images) = below_block(isa, below, geometry, waiting.without(shot));
        for (at, chunk) in shape.sets.chunks(64).enumerate() {
            let mut rest = with_line[at] & !wins[at];
            let (mut win, mut hold) = (0u64, 0u64);
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                let image = images.of(chunk[bit as usize]);
                let outcome = below.outcomes.bits(start + shape.ranks.rank(image) as usize);
                win |= u64::from(outcome == outcomes::LOST) << bit;
                hold |= u64::from(outcome == outcomes::DRAWN) << bit;
            }
            wins[at] |= win;
            holds[at] |= win | hold;
        }
    }
}

/// Where the block below starts in which `left`, what a shot leaves of the waiting set, is to move, and how inner sets
/// are numbered there.
#[inline(always)]
fn below_block<I: Isa>(isa: I, below: &Below<'_>, geometry: &Geometry, left: PointSet) -> (usize, Images) {
    let (orbit, number) = below.orbits.place_bits(left.bits());
    let symmetry = Symmetry::new(number as u8).unwrap_or(Symmetry::IDENTITY);
    let (free, _) = below.orbits.free(orbit);
    let points = PointSet::from_bits_truncate(geometry.free).iter();
    let images = Images::new(points.map(|point| isa.gather(symmetry.apply_bits(point.set().bits()), free)));
    (below.outcomes.block_start(orbit), images)
}

/// Whether the mover has a line-making turn that breaks a line and leads to a result of at least `goal` (won, or
/// drawn), the restriction it leaves taken into account.
#[inline(never)]
fn bound_shot<I: Isa>(isa: I, task: &Task<'_>, geometry: &Geometry, waiting: PointSet, cows: u32, goal: Wdl) -> bool {
    let targets = shootable(task.board, waiting);
    let hint = &Hint::default();
    let mut found = false;
    each_point(cows, |from| {
        let rest = cows & !(1 << from);
        each_point(geometry.neighbours[from] & !cows, |to| {
            if !found && geometry.completes_line(rest, to) && geometry.breaks_line(rest, from, to) {
                let moved = PointSet::from_bits_truncate(isa.spread(rest | 1 << to, geometry.free));
                let remake = geometry.point(from).zip(geometry.point(to)).map(|(from, to)| Remake { from, to });
                found = targets.iter().any(|at| shot_reaches(task, waiting.without(at), moved, remake, goal, hint));
            }
        });
    });
    found
}

/// Whether the position after a shot is worth at least `goal` to the side that shot.
fn shot_reaches(
    task: &Task<'_>,
    mover: PointSet,
    waiting: PointSet,
    remake: Option<Remake>,
    goal: Wdl,
    hint: &Hint,
) -> bool {
    if mover.len() < 3 {
        return true;
    }
    // The shot reaches the goal when the opponent stays below this.
    let too_good = match goal {
        Wdl::Won => Wdl::Drawn,
        Wdl::Drawn | Wdl::Lost => Wdl::Won,
    };
    let reached = |position: &Restricted| {
        task.lookahead.reaches(position, too_good, hint).unwrap_or_else(|error| {
            task.report(error);
            true
        })
    };
    // A restriction can only hurt its owner, who is the side that shot: one look-up says most of the time.
    let unbound = Restricted { mover, waiting, mover_remake: None, waiting_remake: None };
    if reached(&unbound) {
        return false;
    }
    !reached(&Restricted { waiting_remake: remake, ..unbound })
}

/// Takes out of `lost` the positions that a shot saves which leaves a restriction, and notes those as safe.
#[inline(always)]
fn keep_lost<I: Isa>(
    isa: I,
    task: &Task<'_>,
    geometry: &Geometry,
    waiting: PointSet,
    lost: &mut [u64],
    safe: &mut [u64],
    perhaps_safe: &mut [u64],
) {
    for ((lost, safe), (at, perhaps)) in lost.iter_mut().zip(safe).zip(perhaps_safe.iter_mut().enumerate()) {
        let mut doubtful = *lost & *perhaps;
        *perhaps &= !doubtful;
        while doubtful != 0 {
            let bit = doubtful.trailing_zeros();
            doubtful &= doubtful - 1;
            let cows = task.shape.sets[at * 64 + bit as usize];
            if bound_shot(isa, task, geometry, waiting, cows, Wdl::Drawn) {
                *lost &= !(1 << bit);
                *safe |= 1 << bit;
            }
        }
    }
}

/// Finds the positions of a block that are decided a ply after its frontier, and tells them.
#[inline(always)]
pub(crate) fn induce<I: Isa>(
    isa: I,
    task: &Task<'_>,
    block: usize,
    frontier: Frontier,
    state: &mut BlockState<'_>,
    scratch: &mut Scratch,
) {
    let shape = task.shape;
    if is_empty(state.undecided) {
        return;
    }
    let marks = task.partner.block(block as u32);
    let Scratch { mover, sets, decided } = scratch;
    let [reached, won, lost, escapes, not_won, _] = sets;
    let waiting = shape.waiting.representative(block as u32);
    let geometry = &Geometry::new(isa, task.board, waiting.bits());

    won.fill(0);
    if let Some(mark) = frontier.lost
        && scan(marks, shape, reached, |chunk| isa.equal(chunk, mark))
    {
        if count(reached) * SPARSE_WINS < shape.entries && task.walks {
            step_back(shape, geometry, reached, state.undecided, won);
        } else {
            mover.before(isa, shape, geometry, Turns::Quiet, reached, won);
            for (won, undecided) in won.iter_mut().zip(&*state.undecided) {
                *won &= undecided;
            }
        }
        decided.tell(isa, shape, geometry, 0, won, &task.next_dirty().won);
        for (won, undecided) in won.iter().zip(state.undecided.iter_mut()) {
            *undecided &= !won;
        }
    }
    if let Some(mark) = frontier.won
        && scan(marks, shape, reached, |chunk| isa.equal(chunk, mark))
    {
        for (not_won, (undecided, safe)) in not_won.iter_mut().zip(state.undecided.iter().zip(&*state.safe)) {
            *not_won = undecided & !safe;
        }
        let candidates = not_won;
        if count(reached) * SPARSE_LOSSES < shape.entries && task.walks {
            lost.fill(0);
            step_back(shape, geometry, reached, candidates, lost);
            without_escape(shape, geometry, marks, frontier.won_since, lost);
        } else {
            mover.before(isa, shape, geometry, Turns::Quiet, reached, lost);
            for (lost, candidates) in lost.iter_mut().zip(&*candidates) {
                *lost &= candidates;
            }
            if is_empty(lost) {
                return;
            }
            let not_won = candidates;
            scan(marks, shape, not_won, |chunk| isa.zero_or_at_least(chunk, frontier.won_since));
            mover.before(isa, shape, geometry, Turns::Quiet, not_won, escapes);
            for (lost, escapes) in lost.iter_mut().zip(&*escapes) {
                *lost &= !escapes;
            }
        }
        keep_lost(isa, task, geometry, waiting, lost, state.safe, state.perhaps_safe);
        decided.tell(isa, shape, geometry, 1, lost, &task.next_dirty().lost);
        for (lost, undecided) in lost.iter().zip(state.undecided.iter_mut()) {
            *undecided &= !lost;
        }
    }
}

/// What the partner has told this block at the last depth, by its marks.
#[derive(Clone, Copy)]
pub(crate) struct Frontier {
    /// The mark of wins, if it has told some.
    pub(crate) won: Option<u8>,
    /// The mark of losses, if it has told some.
    pub(crate) lost: Option<u8>,
    /// The partner's first mark, apart from that of the undecided, that is not a win of the last depth or before.
    pub(crate) won_since: u8,
}

/// Sets the bits of the marks that `matches` picks; whether there is any.
#[inline(always)]
fn scan(marks: &[u8], shape: &Shape, set: &mut [u64], matches: impl Fn(&[u8; 64]) -> u64) -> bool {
    let (whole, rest) = marks.as_chunks::<64>();
    let mut any = 0;
    for (word, chunk) in set.iter_mut().zip(whole) {
        *word = matches(chunk);
        any |= *word;
    }
    if let (false, Some(last)) = (rest.is_empty(), set.last_mut()) {
        let mut chunk = [0; 64];
        chunk[..rest.len()].copy_from_slice(rest);
        *last = matches(&chunk) & shape.last_word();
        any |= *last;
    }
    any != 0
}

/// Adds to `before` those members of `among` from which a quiet turn leads into `set`.
#[inline(always)]
fn step_back(shape: &Shape, geometry: &Geometry, set: &[u64], among: &[u64], before: &mut [u64]) {
    each(set, |entry| {
        let cows = shape.sets[entry];
        each_point(cows, |to| {
            let rest = cows & !(1 << to);
            let origins = geometry.neighbours[to] & !cows;
            if origins == 0 || geometry.completes_line(rest, to) {
                return;
            }
            each_point(origins, |from| {
                let rank = shape.ranks.rank(rest | 1 << from) as usize;
                before[rank / 64] |= among[rank / 64] & 1 << (rank % 64);
            });
        });
    });
}

/// Keeps of `set` the positions from which every quiet turn leads to a win of the opponent whose mark is below
/// `won_since`.
#[inline(always)]
fn without_escape(shape: &Shape, geometry: &Geometry, marks: &[u8], won_since: u8, set: &mut [u64]) {
    for (at, word) in set.iter_mut().enumerate() {
        let mut rest = *word;
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            if escapes(shape, geometry, marks, won_since, shape.sets[at * 64 + bit as usize]) {
                *word &= !(1 << bit);
            }
        }
    }
}

/// Whether some quiet turn leads to a position that the opponent has not won, or not with a mark below
/// `won_since`.
#[inline(always)]
fn escapes(shape: &Shape, geometry: &Geometry, marks: &[u8], won_since: u8, cows: u32) -> bool {
    let mut movers = cows;
    while movers != 0 {
        let from = movers.trailing_zeros() as usize;
        movers &= movers - 1;
        let rest = cows & !(1 << from);
        let mut targets = geometry.neighbours[from] & !cows;
        while targets != 0 {
            let to = targets.trailing_zeros() as usize;
            targets &= targets - 1;
            let mark = marks[shape.ranks.rank(rest | 1 << to) as usize];
            if (mark == Alphabet::DRAWN || mark >= won_since) && !geometry.completes_line(rest, to) {
                return true;
            }
        }
    }
    false
}
