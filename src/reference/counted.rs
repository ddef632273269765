//! A second oracle, which knows no distances: positions whose state includes the draw counter.
//!
//! A quiet turn always goes from counter `c` to `c + 1`, so the states of a class and its reverse form layers in which
//! each follows from the next: at the limit nobody can win any more, one ply before it only by a shot now, and so on
//! down to 0. The result is won, drawn or lost, by the rules of the counter alone.

use std::sync::Arc;

use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::board::PointSet;
use crate::rules::FullBoard;
use crate::space::Class;
use crate::threads;
use crate::value::Wdl;

use super::ground::{bits, empty};
use super::placements::Placements;
use super::{Reference, ReferenceError};

/// The results of one class for one state of the counter: the sets of won and of lost positions.
#[derive(PartialEq, Debug)]
struct Results {
    won: BitVec,
    lost: BitVec,
}

impl Results {
    fn new(results: &[Wdl]) -> Self {
        let set = |wanted| results.iter().map(|&result| result == wanted).collect();
        Self { won: set(Wdl::Won), lost: set(Wdl::Lost) }
    }

    fn at(&self, index: usize) -> Wdl {
        match (self.won[index], self.lost[index]) {
            (true, _) => Wdl::Won,
            (false, true) => Wdl::Lost,
            (false, false) => Wdl::Drawn,
        }
    }
}

type Layer = Arc<Results>;

/// A class and its reverse, solved for every state of the draw counter.
#[derive(Debug)]
pub struct CounterReference {
    limit: u16,
    /// For the class and its reverse (once, if they are the same): the layers for counters from 0 to the limit.
    classes: Vec<(Placements, Vec<Layer>)>,
}

impl CounterReference {
    /// Solves `class` and its reverse under the rules of `below`, which must hold the classes their shots lead to.
    ///
    /// # Errors
    /// [`ReferenceError::NoCounter`] if no counter runs in this class, [`ReferenceError::Unsolved`] if `below` lacks a
    /// class.
    pub fn solve(below: &Reference, class: Class) -> Result<Self, ReferenceError> {
        let rules = below.rules();
        super::moving(rules, class)?;
        let limit = rules.counter_limit(class.mover(), class.waiting()).ok_or(ReferenceError::NoCounter { class })?;
        let mut pair = vec![class, class.successors().quiet];
        pair.dedup();
        for lower in pair.iter().filter_map(|class| class.successors().shot) {
            if !below.classes().any(|solved| solved == lower) {
                return Err(ReferenceError::Unsolved { class: lower });
            }
        }
        let mut classes: Vec<(Placements, Vec<Layer>)> = pair
            .iter()
            .map(|class| (Placements::new(class.mover().into(), class.waiting().into()), Vec::new()))
            .collect();
        threads::ready();
        // Built from the limit down, reversed at the end.
        for left in 0..=limit {
            let layers: Vec<Layer> = (0..classes.len())
                .map(|at| {
                    let space = classes[at].0;
                    let (reverse, layers) = &classes[classes.len() - 1 - at];
                    let next = layers.last().map(|layer| (reverse, &**layer));
                    let results = (0..space.len()).into_par_iter().map(|index| {
                        let (mover, waiting) = space.at(index);
                        result(below, mover, waiting, next)
                    });
                    let results: Vec<Wdl> = results.collect::<Result<_, _>>()?;
                    Ok(Arc::new(Results::new(&results)))
                })
                .collect::<Result<_, ReferenceError>>()?;
            // A layer follows from the next one alone, so once one equals its successor, all earlier ones do too.
            let repeats = left > 0 && classes.iter().zip(&layers).all(|((_, all), new)| all.last() == Some(new));
            for ((_, all), new) in classes.iter_mut().zip(layers) {
                all.push(new);
            }
            if repeats {
                break;
            }
        }
        for (_, layers) in &mut classes {
            if let Some(last) = layers.last().cloned() {
                layers.resize(usize::from(limit) + 1, last);
            }
            layers.reverse();
        }
        Ok(Self { limit, classes })
    }

    /// The counter's limit in plies.
    pub const fn limit(&self) -> u16 {
        self.limit
    }

    /// The result for the side to move, `counter` plies after the last shot.
    ///
    /// # Errors
    /// [`ReferenceError`] if the sets overlap, the class is a different one or the counter is beyond the limit.
    pub fn wdl(&self, mover: PointSet, waiting: PointSet, counter: u16) -> Result<Wdl, ReferenceError> {
        if let Some(point) = mover.intersection(waiting).iter().next() {
            return Err(ReferenceError::Overlap { point });
        }
        let class = Class::moving(mover.len(), waiting.len())?;
        let sizes = (u32::from(class.mover()), u32::from(class.waiting()));
        let found = self.classes.iter().find(|(space, _)| (space.mover, space.waiting) == sizes);
        let (space, layers) = found.ok_or(ReferenceError::Unsolved { class })?;
        let layer =
            layers.get(usize::from(counter)).ok_or(ReferenceError::CounterBeyond { counter, limit: self.limit })?;
        Ok(layer.at(space.index(mover.bits(), waiting.bits())))
    }
}

/// The result of a position from those with the counter one ply further on; at the limit there are none.
fn result(
    below: &Reference,
    mover: u32,
    waiting: u32,
    next: Option<(&Placements, &Results)>,
) -> Result<Wdl, ReferenceError> {
    let ground = below.ground();
    let mut moves = ground.moves(mover, waiting).peekable();
    if moves.peek().is_none() {
        let full = empty(mover, waiting) == 0;
        return Ok(if full && below.rules().full_board == FullBoard::Draw { Wdl::Drawn } else { Wdl::Lost });
    }
    let Some((space, results)) = next else { return Ok(Wdl::Drawn) };
    let mut best = Wdl::Lost;
    for (from, to) in moves {
        let rest = mover & !(1 << from);
        let here = if ground.completes(rest, to) {
            let mut worst: Option<Wdl> = None;
            for at in bits(ground.targets(waiting)) {
                let after = below.entered(mover, from, to, waiting & !(1 << at))?.wdl();
                worst = Some(worst.map_or(after, |worst| worst.min(after)));
            }
            worst.unwrap_or(Wdl::Drawn)
        } else {
            results.at(space.index(waiting, rest | 1 << to))
        };
        best = best.max(here.reversed());
        if best == Wdl::Won {
            break;
        }
    }
    Ok(best)
}
