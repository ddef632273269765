//! A waiting set in terms of the points it leaves free, and where the mover's turns against it lead.

use crate::board::{MOST_LINES_THROUGH, POINTS, PointSet, SYMMETRIES};
use crate::lookahead::Values;
use crate::space::subset::{Images, gather};

use super::moves::{Moves, bits};

/// A waiting set. Its free points are numbered from 0, and sets of the mover are masks of these numbers. A set of three
/// or more cows leaves so few points free that maps of them have three parts; a smaller one, whose side has cows in
/// hand, needs four.
pub(super) struct Waiting<'a, const PARTS: usize = 3> {
    pub(super) set: u32,
    pub(super) points: Vec<usize>,
    pub(super) neighbours: [u32; POINTS],
    /// For each free point, the other two of each line through it that is free of the waiting side, then zeros.
    pub(super) partners: [[u32; MOST_LINES_THROUGH]; POINTS],
    /// Maps a mask of free points to the board.
    pub(super) outer: Images<PARTS>,
    /// Its images under the board's symmetries.
    pub(super) images: [u32; SYMMETRIES],
    /// Symbols after quiet turns, by the rank of the mover's set.
    pub(super) replies: &'a [u8],
    pub(super) targets: Vec<ShotTarget<'a, PARTS>>,
}

/// A cow of the waiting side that may be shot without ending the game.
pub(super) struct ShotTarget<'a, const PARTS: usize> {
    pub(super) cow: usize,
    /// Symbols after the shot.
    pub(super) replies: &'a [u8],
    /// Maps sets of free points to those after the shot.
    pub(super) there: Images<PARTS>,
}

impl<'a, const PARTS: usize> Waiting<'a, PARTS> {
    /// The waiting set with this number; `quiet` and `below` are the tables that quiet turns and shots against it lead
    /// to.
    pub(super) fn new(moves: &Moves, quiet: &'a Values, below: Option<&'a Values>, block: u32) -> Self {
        let (orbits, board) = (quiet.space().mover_orbits(), quiet.space().board());
        let set = orbits.representative(block).bits();
        let points: Vec<usize> = bits(board.points().bits() & !set).collect();
        let inner = |outer: u32| gather(outer, board.points().bits() & !set);
        let mut neighbours = [0; POINTS];
        let mut partners = [[0; MOST_LINES_THROUGH]; POINTS];
        for (i, &point) in points.iter().enumerate() {
            neighbours[i] = inner(moves.neighbours[point] & !set);
            let free = moves.partners[point].iter().filter(|&pair| pair & set == 0);
            for (place, &pair) in partners[i].iter_mut().zip(free) {
                *place = inner(pair);
            }
        }
        let places: Vec<u32> = points.iter().map(|point| 1 << point).collect();
        let mut images = [0; SYMMETRIES];
        for (image, symmetry) in images.iter_mut().zip(board.group().symmetries()) {
            *image = symmetry.apply_bits(set);
        }
        let targets = bits(moves.targets(set));
        let targets = below.map(|below| targets.map(|cow| ShotTarget::new(below, set, cow, &places)).collect());
        Self {
            set,
            outer: Images::new(places.iter().copied()),
            points,
            neighbours,
            partners,
            images,
            replies: quiet.block(block),
            targets: targets.unwrap_or_default(),
        }
    }
}

impl<'a, const PARTS: usize> ShotTarget<'a, PARTS> {
    fn new(below: &'a Values, set: u32, cow: usize, places: &[u32]) -> Self {
        let orbits = below.space().mover_orbits();
        let left = PointSet::from_bits_truncate(set & !(1 << cow));
        let (block, symmetry) = orbits.place(left);
        let free = orbits.free(block).0;
        let there = Images::new(places.iter().map(|&place| gather(symmetry.apply_bits(place), free)));
        Self { cow, replies: below.block(block), there }
    }
}
