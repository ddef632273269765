//! [`DenseUnmove`]: takes back one move for all positions of a block at once.
//!
//! The mover's inner sets are the corners of a cube with one coordinate per free point. A set of positions is a bit
//! vector over the cube, and a move is a shift and a mask. Nine coordinates lie inside a 512-bit vector, and the others
//! number the vectors; a CPU with narrower ones processes a vector in parts. Between unmoves, sets of positions are
//! kept as bits in rank order, which only the corners with the right number of cows have. Ranks follow the order of the
//! corners, so spreading and gathering bits word by word converts between the two.

use crate::board::{MOST_LINES_THROUGH, POINTS};
use crate::space::MOST_COWS;

use super::bits::each_point;
use super::geometry::Geometry;
use super::isa::Isa;
use super::shape::Shape;
use super::view::{BlockView, UnmoveKind};

/// Coordinates inside one word of a vector.
const WORD: usize = 6;
/// Words of a vector.
const WORDS: usize = 8;
/// Coordinates inside a vector.
pub(super) const INNER: usize = WORD + WORDS.ilog2() as usize;

/// 512 corners of the cube.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
pub(super) struct Corners([u64; WORDS]);

// The free points fill at least one vector.
const _: () = assert!(POINTS - MOST_COWS as usize >= INNER);

pub(super) const NONE: Corners = Corners([0; WORDS]);
const EVERY: Corners = Corners([u64::MAX; WORDS]);

/// The corners of a vector for which the coordinate is set.
const COORDINATES: [Corners; INNER] = {
    let mut coordinates = [NONE; INNER];
    let mut corner = 0;
    while corner < 64 * WORDS {
        let mut at = 0;
        while at < INNER {
            coordinates[at].0[corner / 64] |= (corner as u64 >> at & 1) << (corner % 64);
            at += 1;
        }
        corner += 1;
    }
    coordinates
};

/// In a word of 64 corners, those with this many of the six coordinates set.
const SIZES: [u64; WORD + 1] = sizes();

const fn sizes() -> [u64; WORD + 1] {
    let mut masks = [0; WORD + 1];
    let mut corner = 0u32;
    while corner < 64 {
        masks[corner.count_ones() as usize] |= 1 << corner;
        corner += 1;
    }
    masks
}

/// In a vector, the corners with this many of its coordinates set.
const VECTOR_SIZES: [Corners; INNER + 1] = {
    let mut sizes = [NONE; INNER + 1];
    let mut corner = 0u32;
    while corner < 64 * WORDS as u32 {
        sizes[corner.count_ones() as usize].0[corner as usize / 64] |= 1 << (corner % 64);
        corner += 1;
    }
    sizes
};

/// The corners of vector `at` whose sets hold a point.
#[inline(always)]
fn coordinate(point: usize, at: usize) -> Corners {
    match COORDINATES.get(point) {
        Some(corners) => *corners,
        None if at >> (point - INNER) & 1 == 1 => EVERY,
        None => NONE,
    }
}

impl Corners {
    #[inline(always)]
    fn is_none(self) -> bool {
        self.0.into_iter().fold(0, |any, word| any | word) == 0
    }

    #[inline(always)]
    fn map(mut self, f: impl Fn(u64) -> u64) -> Self {
        for word in &mut self.0 {
            *word = f(*word);
        }
        self
    }

    #[inline(always)]
    fn zip(mut self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word = f(*word, other);
        }
        self
    }

    #[inline(always)]
    pub(super) fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    #[inline(always)]
    pub(super) fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }

    #[inline(always)]
    pub(super) fn and_not(self, other: Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    /// Removes point `P` from every set that holds it; the others vanish.
    #[inline(always)]
    fn without<const P: usize>(self) -> Self {
        let [_, b, c, d, e, f, g, h] = self.0;
        match P {
            6 => Self([b, 0, d, 0, f, 0, h, 0]),
            7 => Self([c, d, 0, 0, g, h, 0, 0]),
            8 => Self([e, f, g, h, 0, 0, 0, 0]),
            _ => self.map(|word| (word & COORDINATES[P].0[0]) >> (1 << P)),
        }
    }

    /// Adds point `P` to every set that lacks it; the others vanish.
    #[inline(always)]
    fn with<const P: usize>(self) -> Self {
        let [a, b, c, d, e, f, g, _] = self.0;
        match P {
            6 => Self([0, a, 0, c, 0, e, 0, g]),
            7 => Self([0, 0, a, b, 0, 0, e, f]),
            8 => Self([0, 0, 0, 0, a, b, c, d]),
            _ => self.map(|word| (word & !COORDINATES[P].0[0]) << (1 << P)),
        }
    }
}

/// Sets of points as a condition on corners, one for each line through a point. A corner meets it if its set holds all
/// points of one of them.
#[derive(Clone, Copy)]
pub(super) struct Condition {
    count: usize,
    outer: [usize; MOST_LINES_THROUGH],
    inner: [Corners; MOST_LINES_THROUGH],
}

impl Condition {
    /// The condition that no corner meets.
    const NEVER: Self = Self { count: 0, outer: [0; MOST_LINES_THROUGH], inner: [EVERY; MOST_LINES_THROUGH] };

    /// The condition that a set holds one of these inner sets. Empty ones do not count.
    #[inline(always)]
    pub(super) fn new(sets: [u32; MOST_LINES_THROUGH]) -> Self {
        let mut made = Self::NEVER;
        for set in sets.into_iter().filter(|&set| set != 0) {
            let inside = (0..INNER).filter(|at| set >> at & 1 == 1);
            made.outer[made.count] = (set >> INNER) as usize;
            made.inner[made.count] = inside.fold(EVERY, |corners, at| corners.and(COORDINATES[at]));
            made.count += 1;
        }
        made
    }

    /// Whether there is no set to hold, so that no corner can meet the condition.
    #[inline(always)]
    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The corners of vector `at` that meet the condition.
    #[inline(always)]
    pub(super) fn met(&self, at: usize) -> Corners {
        let mut met = NONE;
        for i in 0..self.count {
            if at & self.outer[i] == self.outer[i] {
                met = met.or(self.inner[i]);
            }
        }
        met
    }
}

/// Which of a vector's corners to keep: those that meet a condition, or those that do not. Not a closure, because one
/// might not be inlined and would then not be compiled for its caller's instructions.
#[derive(Clone, Copy)]
struct Keep<'a> {
    condition: &'a Condition,
    /// Every corner to keep those that do not meet it, otherwise none.
    others: Corners,
}

impl<'a> Keep<'a> {
    const EVERY: Self = Self::not(&Condition::NEVER);

    #[inline(always)]
    const fn only(condition: &'a Condition) -> Self {
        Self { condition, others: NONE }
    }

    #[inline(always)]
    const fn not(condition: &'a Condition) -> Self {
        Self { condition, others: EVERY }
    }

    #[inline(always)]
    fn of(self, at: usize, corners: Corners) -> Corners {
        corners.and(self.condition.met(at).xor(self.others))
    }
}

/// Working memory of dense unmoves in blocks of one shape.
pub(super) struct DenseUnmove {
    /// The positions that turns lead to.
    targets: Vec<Corners>,
    /// Those with the moved cow removed.
    lifted: Vec<Corners>,
    /// The positions that turns start from.
    origins: Vec<Corners>,
    /// Those that at least two turns start from, if those are counted.
    twice: Vec<Corners>,
    /// The words of the cube that hold sets of the right size.
    words: Vec<WordMask>,
    /// The vectors that hold sets with a cow removed.
    lifted_vectors: SizedVectors,
    /// Moves from one point to another, and what completes a line.
    moves: Vec<(usize, usize, Condition)>,
}

impl DenseUnmove {
    pub(super) fn new(shape: &Shape) -> Self {
        let vectors = 1usize << (shape.free - INNER);
        Self {
            targets: vec![NONE; vectors],
            lifted: vec![NONE; vectors],
            origins: vec![NONE; vectors],
            twice: Vec::new(),
            words: sized_words(vectors, shape.cows),
            lifted_vectors: SizedVectors::new(vectors, shape.cows - 1),
            moves: Vec::new(),
        }
    }

    /// The positions from which a turn of this kind along an edge leads into `targets`. Both are bits in rank order.
    #[inline(always)]
    pub(super) fn predecessors<I: Isa>(
        &mut self,
        view: BlockView<'_, I>,
        kind: UnmoveKind,
        targets: &[u64],
        predecessors: &mut [u64],
    ) {
        let BlockView { isa, shape, geometry, .. } = view;
        read_words(isa, &self.words, targets, &mut self.targets);
        self.origins.fill(NONE);
        for to in 0..shape.free {
            if geometry.neighbours[to] != 0 {
                self.unmove_to::<false>(geometry, to, kind);
            }
        }
        write_words(isa, &self.words, &self.origins, predecessors);
    }

    /// The positions with a move that makes a line and leads into `targets`, and in `twice` those with two or more such
    /// moves.
    #[inline(always)]
    pub(super) fn shooting_moves<I: Isa>(
        &mut self,
        view: BlockView<'_, I>,
        targets: &[u64],
        once: &mut [u64],
        twice: &mut [u64],
    ) {
        let BlockView { isa, shape, geometry, .. } = view;
        read_words(isa, &self.words, targets, &mut self.targets);
        self.origins.fill(NONE);
        self.twice.clear();
        self.twice.resize(self.origins.len(), NONE);
        for to in 0..shape.free {
            if geometry.neighbours[to] != 0 {
                self.unmove_to::<true>(geometry, to, UnmoveKind::Shot);
            }
        }
        write_words(isa, &self.words, &self.origins, once);
        write_words(isa, &self.words, &self.twice, twice);
    }

    /// The positions with a turn along an edge that completes no line.
    #[inline(always)]
    pub(super) fn with_quiet_turn<I: Isa>(&mut self, view: BlockView<'_, I>, having: &mut [u64]) {
        let BlockView { isa, shape, geometry, .. } = view;
        let Self { moves, origins, .. } = self;
        moves.clear();
        for to in 0..shape.free {
            each_point(geometry.neighbours[to], |from| {
                // The move breaks a line through both points.
                let completing = geometry.partners[to].map(|pair| if pair >> from & 1 == 0 { pair } else { 0 });
                moves.push((from, to, Condition::new(completing)));
            });
        }
        for (at, origins) in origins.iter_mut().enumerate() {
            let Some(sized) = shape.cows.checked_sub(at.count_ones() as usize).and_then(|rest| VECTOR_SIZES.get(rest))
            else {
                continue;
            };
            *origins = NONE;
            for (from, to, completing) in &*moves {
                let turn = coordinate(*from, at).and_not(coordinate(*to, at)).and_not(completing.met(at));
                *origins = origins.or(turn);
                // Usually a few moves are enough.
                if sized.and_not(*origins).is_none() {
                    break;
                }
            }
        }
        write_words(isa, &self.words, &self.origins, having);
    }

    /// The number of vectors of the cube.
    #[inline(always)]
    pub(super) fn vectors(&self) -> usize {
        self.targets.len()
    }

    /// The positions whose set holds one of the block's lines.
    #[inline(always)]
    pub(super) fn with_line<I: Isa>(&mut self, view: BlockView<'_, I>, holding: &mut [u64]) {
        find_lines(view.geometry, &mut self.origins);
        write_words(view.isa, &self.words, &self.origins, holding);
    }

    /// Takes back all turns to one point, and with `COUNT` notes the positions that two turns start from.
    #[inline(always)]
    fn unmove_to<const COUNT: bool>(&mut self, geometry: &Geometry, to: usize, kind: UnmoveKind) {
        let Self { targets, lifted, origins, twice, lifted_vectors, .. } = self;
        let origins = &mut Origins::<COUNT> { once: origins, twice };
        let completing = Condition::new(geometry.partners[to]);
        if kind == UnmoveKind::Quiet {
            take_out(targets, lifted, to, lifted_vectors, Keep::not(&completing));
        } else if completing.is_empty() {
            return;
        } else {
            take_out(targets, lifted, to, lifted_vectors, Keep::only(&completing));
        }
        // A loop, not a closure, for the same reason as above.
        let mut rest = geometry.neighbours[to];
        while rest != 0 {
            let from = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let points = [from, to];
            if let UnmoveKind::Quiet | UnmoveKind::Shot = kind {
                put_in(lifted, origins, points, lifted_vectors, Keep::EVERY);
                continue;
            }
            // A line through both points stays broken, whatever the cow does.
            let without_to = |set: u32| if set >> to & 1 == 0 { set } else { 0 };
            let breaking = Condition::new(geometry.partners[from].map(without_to));
            if kind == UnmoveKind::FreeShot {
                put_in(lifted, origins, points, lifted_vectors, Keep::not(&breaking));
            } else if !breaking.is_empty() {
                put_in(lifted, origins, points, lifted_vectors, Keep::only(&breaking));
            }
        }
    }
}

/// The corners whose sets hold one of the block's lines.
#[inline(always)]
pub(super) fn find_lines(geometry: &Geometry, corners: &mut [Corners]) {
    corners.fill(NONE);
    for &line in geometry.lines() {
        let mut sets = [0; MOST_LINES_THROUGH];
        sets[0] = line;
        let condition = Condition::new(sets);
        for (at, out) in corners.iter_mut().enumerate() {
            *out = out.or(condition.met(at));
        }
    }
}

/// A word of the cube, and the index in [`SIZES`] of its corners with sets of the right size.
pub(super) type WordMask = (u32, u8);

/// The words of a cube of this many vectors that hold sets of `cows` points.
pub(super) fn sized_words(vectors: usize, cows: usize) -> Vec<WordMask> {
    let sized = |word: u32| match cows.checked_sub(word.count_ones() as usize) {
        Some(rest) if rest <= WORD => Some((word, rest as u8)),
        _ => None,
    };
    (0..(WORDS * vectors) as u32).filter_map(sized).collect()
}

/// Spreads bits in rank order over the corners of their sets.
#[inline(always)]
pub(super) fn read_words<I: Isa>(isa: I, words: &[WordMask], bits: &[u64], corners: &mut [Corners]) {
    let mut reader = BitReader { bits, at: 0 };
    for &(word, size) in words {
        let mask = SIZES[size as usize];
        corners[word as usize / WORDS].0[word as usize % WORDS] = isa.spread64(reader.next(mask.count_ones()), mask);
    }
}

/// Gathers the corners of sets as bits in rank order.
#[inline(always)]
pub(super) fn write_words<I: Isa>(isa: I, words: &[WordMask], corners: &[Corners], bits: &mut [u64]) {
    let mut writer = BitWriter { bits, at: 0, word: 0 };
    for &(word, size) in words {
        let mask = SIZES[size as usize];
        let corners = corners[word as usize / WORDS].0[word as usize % WORDS];
        writer.push(isa.gather64(corners, mask), mask.count_ones());
    }
    writer.finish();
}

/// The vectors that hold sets of one size, for any one or two points that the sets lack.
pub(super) struct SizedVectors {
    /// One more than the points that number the vectors.
    places: usize,
    /// The numbers of the vectors, by the places of two points.
    lists: Vec<Vec<u16>>,
}

impl SizedVectors {
    /// Those of a cube of this many vectors that hold sets of `size` points.
    pub(super) fn new(vectors: usize, size: usize) -> Self {
        let places = vectors.ilog2() as usize + 1;
        let holding = |at: &u16| (size.saturating_sub(INNER)..=size).contains(&(at.count_ones() as usize));
        // All points inside a vector share place 0.
        let lists = (0..places * places).map(|pair| {
            let bits = (1u32 << (pair / places) | 1 << (pair % places)) >> 1;
            (0..vectors as u16).filter(|at| u32::from(*at) & bits == 0).filter(holding).collect()
        });
        Self { places, lists: lists.collect() }
    }

    /// The vectors with sets that lack both points; a point inside a vector excludes none.
    #[inline(always)]
    fn lacking(&self, [one, other]: [usize; 2]) -> &[u16] {
        let place = |point: usize| (point + 1).saturating_sub(INNER);
        &self.lists[place(one) * self.places + place(other)]
    }
}

/// Adds to `out` the sets that hold `point` and meet the condition, with the point removed. `vectors` hold the sets
/// without it.
#[inline(always)]
pub(super) fn drop_point(
    set: &[Corners],
    out: &mut [Corners],
    point: usize,
    vectors: &SizedVectors,
    meets: impl Fn(usize, Corners) -> Corners,
) {
    macro_rules! inside {
        ($($p:literal)*) => {
            match point {
                $($p => for at in each(vectors.lacking([$p; 2])) {
                    out[at] = out[at].or(meets(at, set[at]).without::<$p>());
                },)*
                _ => {
                    let bit = 1 << (point - INNER);
                    for at in each(vectors.lacking([point; 2])) {
                        out[at] = out[at].or(meets(at | bit, set[at | bit]));
                    }
                }
            }
        };
    }
    inside!(0 1 2 3 4 5 6 7 8);
}

/// Removes point `to` from the sets that hold it and meet the condition. `vectors` hold the sets without it.
#[inline(always)]
fn take_out(set: &[Corners], step: &mut [Corners], to: usize, vectors: &SizedVectors, keep: Keep<'_>) {
    macro_rules! inside {
        ($($p:literal)*) => {
            match to {
                $($p => for at in each(vectors.lacking([$p; 2])) {
                    step[at] = keep.of(at, set[at]).without::<$p>();
                },)*
                _ => {
                    let bit = 1 << (to - INNER);
                    for at in each(vectors.lacking([to; 2])) {
                        step[at] = keep.of(at | bit, set[at | bit]);
                    }
                }
            }
        };
    }
    inside!(0 1 2 3 4 5 6 7 8);
}

/// The positions that turns start from, and with `COUNT` those that at least two turns start from.
struct Origins<'a, const COUNT: bool> {
    once: &'a mut [Corners],
    twice: &'a mut [Corners],
}

impl<const COUNT: bool> Origins<'_, COUNT> {
    #[inline(always)]
    fn add(&mut self, at: usize, corners: Corners) {
        if COUNT {
            self.twice[at] = self.twice[at].or(self.once[at].and(corners));
        }
        self.once[at] = self.once[at].or(corners);
    }
}

/// Adds to `out` the sets of `step`, which lack `to`, with point `from` added if they lack it and meet the condition.
/// `vectors` hold the sets that lack both.
#[inline(always)]
fn put_in<const COUNT: bool>(
    step: &[Corners],
    out: &mut Origins<'_, COUNT>,
    [from, to]: [usize; 2],
    vectors: &SizedVectors,
    keep: Keep<'_>,
) {
    macro_rules! inside {
        ($($p:literal)*) => {
            match from {
                $($p => for at in each(vectors.lacking([$p, to])) {
                    out.add(at, keep.of(at, step[at]).with::<$p>());
                },)*
                _ => {
                    let bit = 1 << (from - INNER);
                    for at in each(vectors.lacking([from, to])) {
                        out.add(at | bit, keep.of(at, step[at]));
                    }
                }
            }
        };
    }
    inside!(0 1 2 3 4 5 6 7 8);
}

#[inline(always)]
fn each(vectors: &[u16]) -> impl Iterator<Item = usize> {
    vectors.iter().map(|&at| usize::from(at))
}

struct BitReader<'a> {
    bits: &'a [u64],
    at: usize,
}

impl BitReader<'_> {
    /// The next `count` bits (1..=20), with garbage above them.
    #[inline(always)]
    fn next(&mut self, count: u32) -> u64 {
        let (word, shift) = (self.at / 64, self.at as u32 % 64);
        let low = self.bits[word] >> shift;
        // Shifting twice keeps the count below 64 if `shift` is 0.
        let high = self.bits.get(word + 1).map_or(0, |next| next << 1 << (63 - shift));
        self.at += count as usize;
        low | high
    }
}

struct BitWriter<'a> {
    bits: &'a mut [u64],
    at: usize,
    word: u64,
}

impl BitWriter<'_> {
    #[inline(always)]
    fn push(&mut self, bits: u64, count: u32) {
        let shift = self.at as u32 % 64;
        self.word |= bits << shift;
        self.at += count as usize;
        if shift + count >= 64 {
            self.bits[self.at / 64 - 1] = self.word;
            self.word = bits >> 1 >> (63 - shift);
        }
    }

    #[inline(always)]
    fn finish(self) {
        if !self.at.is_multiple_of(64) {
            self.bits[self.at / 64] = self.word;
        }
    }
}
