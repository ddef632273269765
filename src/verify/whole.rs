//! All entries of a class over decoded tables.
//!
//! For one waiting set and all sets of the mover, every quiet turn leads into one block of the partner's table, and
//! every shot of one cow into one block of the table below. So the loop runs over waiting sets, and with the points they
//! leave free numbered anew a turn is two bits changed and a rank looked up.

use std::sync::Arc;

use rayon::prelude::*;

use crate::board::{PointSet, SYMMETRIES, Symmetry};
use crate::index::subset::{Ranks, gather, subsets};
use crate::index::{self, Class, Entry, HAS_TWINS, Orbits};
use crate::probe::{ProbeError, Tablebase};
use crate::rules::{FEWEST_COWS, FLYING_COWS, FullBoard, NoRemake, RuleSet};
use crate::solve::Values;
use crate::value::{Code, Plies, Value};

use super::cache::Cache;
use super::moves::{self, Goal, Moves, NONE, Remake, Score, WON_IN_1, after_quiet, after_shot, bits, by_code};
use super::{Fault, Found, Progress, position_of};

/// The most points that a set of at least three leaves free.
const MOST_FREE: usize = 21;

/// A move of single points of a mask to other places, by three tables of seven bits each.
type Spread = [[u32; 128]; 3];

/// Fills a table from the place that each bit goes to, as a mask.
fn spread_table(places: &[u32]) -> Spread {
    let mut table = [[0; 128]; 3];
    for (part, places) in table.iter_mut().zip(places.chunks(7)) {
        for (set, image) in part.iter_mut().enumerate() {
            *image = bits(set as u32).filter_map(|bit| places.get(bit)).fold(0, |image, place| image | place);
        }
    }
    table
}

#[inline]
fn spread(table: &Spread, set: u32) -> u32 {
    table[0][set as usize & 127] | table[1][set as usize >> 7 & 127] | table[2][set as usize >> 14 & 127]
}

/// Everything that all waiting sets of a class have in common.
struct Walk<'a> {
    tables: &'a Tablebase,
    rules: &'a RuleSet,
    moves: Moves,
    own: &'a Values,
    partner: &'a Values,
    below: Option<&'a Values>,
    /// Decoded tables that positions under a restriction lead to.
    near: Vec<Arc<Values>>,
    sets: Vec<u32>,
    quiet: [Score; 256],
    shot: [Score; 256],
}

/// A waiting set, seen from the points it leaves free.
struct Waiting<'a> {
    set: u32,
    points: Vec<usize>,
    neighbours: [u32; MOST_FREE],
    /// For each free point, the other two of each line through it that is free of the waiting side.
    partners: [[u32; 3]; MOST_FREE],
    outer: Spread,
    images: [u32; SYMMETRIES],
    /// Values after quiet turns, by the rank of the mover's set.
    replies: &'a [u8],
    targets: Vec<Target<'a>>,
}

/// A cow of the waiting side that may be shot.
struct Target<'a> {
    cow: usize,
    /// Values after the shot, and where each free point stands there.
    replies: Option<(&'a [u8], Spread)>,
}

/// Checks all entries of a class.
pub(super) fn check(
    rules: &RuleSet,
    cache: &mut Cache,
    class: Class,
    progress: &Progress,
) -> Result<Found, ProbeError> {
    let own = cache.get(class)?;
    let partner = cache.get(class.partner())?;
    let below = class.after_shot().map(|below| cache.get(below)).transpose()?;
    let mut near = Vec::new();
    if rules.no_remake != NoRemake::None
        && let Some(below) = class.after_shot()
    {
        let deeper = [Some(below), Some(below.partner()), below.after_shot(), below.partner().after_shot()];
        near.extend(deeper.into_iter().flatten().filter_map(|class| cache.get_if_small(class)));
    }
    let limit = rules.counter_limit(class.own(), class.opponent());
    let walk = Walk {
        tables: cache.tables(),
        rules,
        moves: Moves::new(rules),
        own: &own,
        partner: &partner,
        below: below.as_deref(),
        near,
        sets: subsets(class.own() as usize, 24 - class.opponent() as usize).collect(),
        quiet: by_code(|reply| after_quiet(reply, limit)),
        shot: by_code(after_shot),
    };
    let blocks = 0..Orbits::count_of(class.opponent());
    let found =
        blocks.into_par_iter().map(|block| walk.check_waiting(block, progress)).reduce(Found::default, Found::and);
    Ok(found.and(walk.check_twins()))
}

impl Walk<'_> {
    fn waiting(&self, block: u32) -> Waiting<'_> {
        let orbits = Orbits::of(self.own.class().opponent());
        let set = orbits.representative(block).bits();
        let points: Vec<usize> = bits(!set).collect();
        let inner = |outer: u32| gather(outer, !set & PointSet::ALL.bits());
        let mut neighbours = [0; MOST_FREE];
        let mut partners = [[0; 3]; MOST_FREE];
        for (i, &point) in points.iter().enumerate() {
            neighbours[i] = inner(self.moves.neighbours[point] & !set);
            let free = self.moves.partners[point].iter().filter(|&pair| pair & set == 0);
            for (place, &pair) in partners[i].iter_mut().zip(free) {
                *place = inner(pair);
            }
        }
        let places: Vec<u32> = points.iter().map(|point| 1 << point).collect();
        let mut images = [0; SYMMETRIES];
        for (image, symmetry) in images.iter_mut().zip(Symmetry::all()) {
            *image = symmetry.apply_bits(set);
        }
        let targets = bits(self.moves.targets(set)).map(|cow| self.target(set, cow, &places)).collect();
        Waiting {
            set,
            outer: spread_table(&places),
            points,
            neighbours,
            partners,
            images,
            replies: self.partner.block(block),
            targets,
        }
    }

    fn target(&self, set: u32, cow: usize, places: &[u32]) -> Target<'_> {
        let replies = self.below.map(|below| {
            let orbits = Orbits::of(below.class().own());
            let left = PointSet::from_bits_truncate(set & !(1 << cow));
            let (block, symmetry) = orbits.place(left);
            let free = orbits.complement_word(block) & !HAS_TWINS;
            let there: Vec<u32> = places.iter().map(|&place| gather(symmetry.apply_bits(place), free)).collect();
            (below.block(block), spread_table(&there))
        });
        Target { cow, replies }
    }

    /// Checks all entries with the waiting set of this number.
    fn check_waiting(&self, block: u32, progress: &Progress) -> Found {
        let waiting = self.waiting(block);
        let class = self.own.class();
        let layout = self.own.layout();
        let movers = Orbits::of(class.own());
        let ranks = Ranks::of(class.opponent() as usize);
        let mut found = Found::default();
        let mut restricted = Vec::new();
        for &set in &self.sets {
            let (orbit, symmetry) = movers.place_bits(spread(&waiting.outer, set));
            let rank = ranks.rank(gather(waiting.images[symmetry], movers.complement_word(orbit) & !HAS_TWINS));
            let stored = self.own.block(orbit)[rank as usize];
            let follows = match self.score(&waiting, set, &mut restricted) {
                Ok(score) => moves::value(score),
                Err(error) => {
                    found.add(Fault::Table { class, error });
                    continue;
                }
            };
            if Code::new(follows).map(Code::byte) != Some(stored) {
                let entry = Entry { block: orbit, rank };
                let Some(position) = position_of(layout, entry) else { continue };
                let stored = Code::from_byte(stored).map_or(Value::Drawn, Code::value);
                found.add(Fault::Value { class, entry, position, stored, follows });
            }
        }
        progress.add(self.sets.len() as u64);
        found
    }

    /// What a position is worth by the turns it has. `restricted` is room for shots that leave a restriction.
    #[inline]
    fn score(
        &self,
        waiting: &Waiting,
        set: u32,
        restricted: &mut Vec<(Score, u32, Remake, usize)>,
    ) -> Result<Score, ProbeError> {
        let class = self.own.class();
        let ranks = Ranks::of(class.own() as usize);
        let empty = !set & ((1 << waiting.points.len()) - 1);
        if empty == 0 && self.rules.full_board == FullBoard::Draw {
            return Ok(0);
        }
        let flies = class.own() == FLYING_COWS;
        let remakes = self.rules.no_remake != NoRemake::None;
        restricted.clear();
        let mut best = NONE;
        let mut movers = set;
        while movers != 0 {
            let from = movers.trailing_zeros() as usize;
            movers &= movers - 1;
            let rest = set & !(1 << from);
            let mut goals = if flies { empty } else { waiting.neighbours[from] & empty };
            while goals != 0 {
                let to = goals.trailing_zeros() as usize;
                goals &= goals - 1;
                let moved = rest | 1 << to;
                if !waiting.partners[to].iter().any(|&pair| pair != 0 && pair & !rest == 0) {
                    best = best.max(self.quiet[waiting.replies[ranks.rank(moved) as usize] as usize]);
                    continue;
                }
                if class.opponent() == FEWEST_COWS {
                    return Ok(WON_IN_1);
                }
                let broken = |&pair: &u32| pair != 0 && pair & !rest == 0 && pair >> to & 1 == 0;
                let leaves_remake = remakes && waiting.partners[from].iter().any(broken);
                for target in &waiting.targets {
                    let Some((replies, there)) = &target.replies else { continue };
                    let score = self.shot[replies[ranks.rank(spread(there, moved)) as usize] as usize];
                    if leaves_remake {
                        restricted.push((score, moved, (waiting.points[from], waiting.points[to]), target.cow));
                    } else {
                        best = best.max(score);
                    }
                }
            }
        }
        self.settle(waiting, best, restricted)
    }

    /// The best score once shots that leave a restriction are looked into. A restriction can only make such a shot worse
    /// than it would be without, which says of most that they do not matter.
    fn settle(
        &self,
        waiting: &Waiting,
        mut best: Score,
        restricted: &[(Score, u32, Remake, usize)],
    ) -> Result<Score, ProbeError> {
        let look_up = |mover: u32, waiting: u32| self.look_up(mover, waiting);
        for &(without, moved, remake, cow) in restricted {
            if without <= best {
                continue;
            }
            let sides = [waiting.set & !(1 << cow), spread(&waiting.outer, moved)];
            let left = self.moves.fresh(sides);
            let reply_reaches = |goal| self.moves.reaches(sides, [None, Some(remake)], left, goal, &look_up);
            if without > 0 && !reply_reaches(Goal::Draw)? {
                return Ok(WON_IN_1);
            }
            if best < 0 {
                let loses = without < 0 || reply_reaches(Goal::Win)?;
                best = best.max(if loses { -WON_IN_1 } else { 0 });
            }
        }
        // Without any turn the mover is blocked.
        Ok(if best == NONE { moves::score(Value::Lost(Plies(0))) } else { best })
    }

    fn look_up(&self, mover: u32, waiting: u32) -> Result<Score, ProbeError> {
        let (mover, waiting) = (PointSet::from_bits_truncate(mover), PointSet::from_bits_truncate(waiting));
        let near = self.near.iter().find(|values| {
            let class = values.class();
            (class.own(), class.opponent()) == (mover.len(), waiting.len())
        });
        let value = match near {
            Some(values) => values.value(mover, waiting),
            None => self.tables.value(mover, waiting)?,
        };
        Ok(moves::score(value))
    }

    /// Entries that a symmetry maps to each other must have one value; the walk sees only one of them.
    fn check_twins(&self) -> Found {
        let layout = self.own.layout();
        let class = layout.class();
        let orbits = Orbits::of(class.own());
        let blocks = (0..layout.blocks()).into_par_iter().map(|block| {
            let mut found = Found::default();
            if orbits.complement_word(block) & HAS_TWINS == 0 {
                return found;
            }
            let codes = self.own.block(block);
            let free = orbits.complement_word(block) & !HAS_TWINS;
            let ranks = Ranks::of(class.opponent() as usize);
            let value = |code| Code::from_byte(code).map_or(Value::Drawn, Code::value);
            let sets = subsets(class.opponent() as usize, free.count_ones() as usize);
            for (rank, inside) in (0..).zip(sets) {
                let waiting = index::subset::spread(inside, free);
                for symmetry in orbits.stabiliser(block).skip(1) {
                    let twin = ranks.rank(gather(symmetry.apply_bits(waiting), free));
                    let (code, other) = (codes[rank as usize], codes[twin as usize]);
                    if other != code && twin > rank {
                        let (entry, twin) = (Entry { block, rank }, Entry { block, rank: twin });
                        found.add(Fault::Twins { class, entry, twin, stored: value(code), other: value(other) });
                    }
                }
            }
            found
        });
        blocks.reduce(Found::default, Found::and)
    }
}
