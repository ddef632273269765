//! Positions with cows in hand: a small game from its empty board, by plain recursion over the placing plies.
//!
//! A player with cows in hand must place one, so hands empty within twice as many plies as there are cows in them, and
//! no position repeats: its value is that of the best of its turns, down to positions with both hands empty. There the
//! moving phase begins with the counter at 0 and no restrictions, and a solved [`Reference`] gives the value.
//!
//! Results are remembered in two bits for each placement of each material, without symmetries.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use rayon::prelude::*;

use crate::board::PointSet;
use crate::game::{Position, Side};
use crate::rules::{FEWEST_COWS, RuleSet};
use crate::space::Class;
use crate::threads;
use crate::value::{Value, Wdl};

use super::ahead::{by_cows, look_ahead};
use super::placements::Placements;
use super::{MOST_PLACEMENTS, Reference, ReferenceError, play};

/// Cows on the board and in hand, of the side to move and of the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Material {
    cows: [u8; 2],
    hands: [u8; 2],
}

impl Material {
    fn of(position: &Position) -> Self {
        let (mover, waiting) = (position.to_move.index(), position.to_move.other().index());
        Self {
            cows: [mover, waiting].map(|side| position.cows[side].len()),
            hands: [mover, waiting].map(|side| position.hands[side]),
        }
    }

    /// Every material with a non-empty hand and no side that has lost by its number of cows.
    fn all(most: u8) -> Vec<Self> {
        let side = |on_board: u8| {
            let in_hand = FEWEST_COWS.saturating_sub(on_board)..=most.saturating_sub(on_board);
            in_hand.map(move |in_hand| (on_board, in_hand))
        };
        let sides: Vec<(u8, u8)> = (0..=most).flat_map(side).collect();
        let pairs = sides.iter().flat_map(|mover| sides.iter().map(move |other| (mover, other)));
        let all = pairs.map(|(mover, other)| Self { cows: [mover.0, other.0], hands: [mover.1, other.1] });
        all.filter(|material| material.hands != [0, 0]).collect()
    }

    fn space(self) -> Placements {
        Placements::new(self.cows[0].into(), self.cows[1].into())
    }

    /// The position with these sets, the first player to move.
    fn position(self, mover: u32, waiting: u32) -> Position {
        let cows = [mover, waiting].map(PointSet::from_bits_truncate);
        Position { hands: self.hands, ..Position::moving(cows, Side::First) }
    }
}

/// What is known about the positions of one material.
struct KnownResults {
    space: Placements,
    /// Two bits each: 0 if nothing is known.
    cells: Vec<AtomicU8>,
}

impl KnownResults {
    fn new(space: Placements) -> Self {
        Self { space, cells: (0..space.len().div_ceil(4)).map(|_| AtomicU8::new(0)).collect() }
    }

    fn get(&self, index: usize) -> Option<Wdl> {
        match self.cells[index / 4].load(Relaxed) >> (index % 4 * 2) & 3 {
            0 => None,
            1 => Some(Wdl::Lost),
            2 => Some(Wdl::Drawn),
            _ => Some(Wdl::Won),
        }
    }

    /// A second thread that found the same result changes nothing.
    fn set(&self, index: usize, result: Wdl) {
        let bits = match result {
            Wdl::Lost => 1,
            Wdl::Drawn => 2,
            Wdl::Won => 3,
        };
        self.cells[index / 4].fetch_or(bits << (index % 4 * 2), Relaxed);
    }
}

/// Values of the moving phase with empty hands, nothing counted and no restrictions.
type Moving<'a, E> = Box<dyn Fn(&Position) -> Result<Value, E> + Send + Sync + 'a>;

/// A whole game with few cows from its empty board: won, drawn or lost for every position with cows in hand, and for
/// those of the moving phase as well.
///
/// The hands may differ from what strict alternation leaves. Memory grows with use: two bits for every placement of a
/// material that an answer touched, in addition to the moving phase.
///
/// ```
/// use morabase::{Position, Preset, RuleSet, Wdl, reference::GameReference};
/// let rules = RuleSet { cows: 3, ..Preset::Gar.rules() };
/// let game = GameReference::solve(&rules)?;
/// assert_eq!(game.value(&Position::start(&rules))?, Wdl::Won);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct GameReference<'a, E = ReferenceError> {
    rules: RuleSet,
    moving: Moving<'a, E>,
    memories: BTreeMap<Material, OnceLock<KnownResults>>,
}

impl<E> fmt::Debug for GameReference<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameReference").field("rules", &self.rules).finish_non_exhaustive()
    }
}

impl GameReference<'static> {
    /// The game of `rules`, with its moving phase solved by [`Reference`].
    ///
    /// The moving phase takes most of the time and memory: two bytes for each of 2.7 million placements with three cows
    /// each, of 78 million with four and of a thousand million with five.
    ///
    /// # Errors
    /// [`ReferenceError`] as for [`Reference::solve`] and [`over`](Self::over).
    pub fn solve(rules: &RuleSet) -> Result<Self, ReferenceError> {
        let solved = Reference::solve(rules, Class::moving(rules.cows, rules.cows)?)?;
        Self::over(rules, move |position| solved.value(position.mover(), position.waiting()))
    }
}

impl<'a, E: From<ReferenceError> + Send> GameReference<'a, E> {
    /// The placing phase of `rules` over any source of moving-phase values, which is asked for positions with empty
    /// hands, nothing counted and no restrictions.
    ///
    /// # Errors
    /// [`ReferenceError::GameTooLarge`] if there are more than [`MOST_PLACEMENTS`] placements with cows in hand, as
    /// there are with more than five cows each.
    pub fn over(
        rules: &RuleSet,
        moving: impl Fn(&Position) -> Result<Value, E> + Send + Sync + 'a,
    ) -> Result<Self, ReferenceError> {
        let materials = Material::all(rules.cows);
        let placements = materials.iter().map(|material| material.space().len() as u64).sum();
        if placements > MOST_PLACEMENTS {
            return Err(ReferenceError::GameTooLarge { cows: rules.cows, placements, most: MOST_PLACEMENTS });
        }
        let memories = materials.into_iter().map(|material| (material, OnceLock::new())).collect();
        Ok(Self { rules: *rules, moving: Box::new(moving), memories })
    }

    /// The rule set.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The result for the side to move, considering the draw counter, the restrictions and an outstanding shot. A
    /// counter in a position with cows in hand is ignored: it starts at 0 with the moving phase.
    ///
    /// # Errors
    /// [`ReferenceError::Overlap`] or [`ReferenceError::Material`] if there is no such position under these rules;
    /// whatever the source of moving-phase values returns.
    pub fn value(&self, position: &Position) -> Result<Wdl, E> {
        if let Some(point) = position.cows[0].intersection(position.cows[1]).iter().next() {
            return Err(ReferenceError::Overlap { point }.into());
        }
        let mut position = *position;
        if position.hands != [0, 0] {
            position.counter = 0;
        }
        self.result(&position)
    }

    /// Every position with these numbers of cows on the board and in hand, of the side to move and of the other, with
    /// its result: the cows of the side to move and of the other, in the order of [`Reference::positions`].
    ///
    /// # Errors
    /// [`ReferenceError::Material`] if no position under these rules has this material, or its hands are empty;
    /// whatever the source of moving-phase values returns.
    pub fn positions(
        &self,
        cows: [u8; 2],
        hands: [u8; 2],
    ) -> Result<impl Iterator<Item = (PointSet, PointSet, Wdl)> + '_, E> {
        let material = Material { cows, hands };
        let memory = self.memory(material)?;
        threads::ready();
        (0..memory.space.len()).into_par_iter().try_for_each(|index| {
            let (mover, waiting) = memory.space.at(index);
            self.result(&material.position(mover, waiting)).map(drop)
        })?;
        Ok((0..memory.space.len()).filter_map(|index| {
            let (mover, waiting) = memory.space.at(index);
            let [mover, waiting] = [mover, waiting].map(PointSet::from_bits_truncate);
            memory.get(index).map(|result| (mover, waiting, result))
        }))
    }

    fn memory(&self, material: Material) -> Result<&KnownResults, ReferenceError> {
        let Material { cows, hands } = material;
        let memory = self.memories.get(&material);
        let memory = memory.ok_or(ReferenceError::Material { cows, hands, most: self.rules.cows })?;
        Ok(memory.get_or_init(|| KnownResults::new(material.space())))
    }

    fn result(&self, position: &Position) -> Result<Wdl, E> {
        if let Some(value) = by_cows(position) {
            return Ok(value.wdl());
        }
        if position.hands == [0, 0] {
            return Ok(look_ahead(&self.rules, position, &*self.moving)?.wdl());
        }
        let memory = self.memory(Material::of(position))?;
        let index = memory.space.index(position.mover().bits(), position.waiting().bits());
        // With an outstanding shot or a barred turn, the same cows are another position. There are few of those.
        let remembered = !position.shot_pending && !play::is_restricted(&self.rules, position);
        if let Some(result) = memory.get(index).filter(|_| remembered) {
            return Ok(result);
        }
        let result = self.best_turn(position)?;
        if remembered {
            memory.set(index, result);
        }
        Ok(result)
    }

    /// The best of all turns. Without any the side to move is blocked and has lost: its hand is empty, the other's is
    /// not.
    fn best_turn(&self, position: &Position) -> Result<Wdl, E> {
        let mut best = Wdl::Lost;
        for (_, next) in play::turns(&self.rules, position) {
            best = best.max(self.result(&next)?.reversed());
            if best == Wdl::Won {
                break;
            }
        }
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_remembered_apart_from_their_neighbours() {
        let memory = KnownResults::new(Placements::new(2, 1));
        for (index, result) in (0..).zip([Wdl::Won, Wdl::Drawn, Wdl::Lost]) {
            memory.set(index, result);
            memory.set(index, result);
        }
        let known: Vec<Option<Wdl>> = (0..5).map(|index| memory.get(index)).collect();
        assert_eq!(known, [Some(Wdl::Won), Some(Wdl::Drawn), Some(Wdl::Lost), None, None]);
    }

    #[test]
    fn materials_have_cows_in_hand_and_three_to_the_most_together() {
        let all = Material::all(4);
        assert!(all.iter().all(|material| material.hands != [0, 0]));
        for side in 0..2 {
            assert!(all.iter().all(|material| (3..=4).contains(&(material.cows[side] + material.hands[side]))));
        }
        // Nine ways to split three or four cows; in four of the pairs both hands are empty.
        assert_eq!(all.len(), 9 * 9 - 4);
    }
}
