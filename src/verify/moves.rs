//! Turns and restrictions as plain loops over masks of points, for verifying only: slow because it is simple, and
//! written independently of the solver.

use crate::board::{POINTS, Point, PointSet};
use crate::probe::ProbeError;
use crate::rules::{FLYING_COWS, NoRemake, RuleSet};

use super::score::{ValueScore, WON_IN_1, within};

/// A move that completed a line and may not be undone next: from and to.
pub(super) type Restriction = (usize, usize);

/// The board and rules as masks.
pub(super) struct Moves {
    rules: RuleSet,
    pub(super) neighbours: [u32; POINTS],
    /// For each point, the other two points of each line through it.
    pub(super) partners: [Vec<u32>; POINTS],
}

impl Moves {
    pub(super) fn new(rules: &RuleSet) -> Self {
        let point = |index: usize| Point::new(index as u8);
        let board = rules.board();
        let neighbours = std::array::from_fn(|i| point(i).map_or(0, |point| board.neighbours(point).bits()));
        let through =
            |i| point(i).into_iter().flat_map(|point| board.line_partners(point)).map(PointSet::bits).collect();
        Self { rules: *rules, neighbours, partners: std::array::from_fn(through) }
    }

    /// Whether a cow that comes to `to` completes a line with `rest`.
    fn completes(&self, rest: u32, to: usize) -> bool {
        self.partners[to].iter().any(|pair| pair & !rest == 0)
    }

    /// The cows that may be shot.
    pub(super) fn targets(&self, cows: u32) -> u32 {
        let free = bits(cows).filter(|&cow| !self.completes(cows, cow)).fold(0, |free, cow| free | 1 << cow);
        if free == 0 { cows } else { free }
    }

    /// Whether the line that the move broke could be completed again at some time by its owner's `cows`.
    pub(super) fn is_live(&self, restriction: Restriction, cows: u32) -> bool {
        let (from, to) = restriction;
        self.partners[from].iter().any(|pair| pair & !cows == 0 && pair >> to & 1 == 0)
    }

    /// Whether the mover's restriction forbids the move `from` -> `to`.
    fn is_barred(&self, restriction: Option<Restriction>, mover: u32, from: usize, to: usize) -> bool {
        let Some((broken_at, made_at)) = restriction else { return false };
        let rest = mover & !(1 << from);
        to == broken_at
            && match self.rules.no_remake {
                NoRemake::None => false,
                NoRemake::SameCow => from == made_at && self.completes(rest, to),
                NoRemake::SameLine => self.is_live((broken_at, made_at), rest),
            }
    }

    /// Whether the mover's restriction bars a move that would otherwise be possible.
    fn bars(&self, restriction: Restriction, [mover, waiting]: [u32; 2]) -> bool {
        let to = restriction.0;
        let comers = if flies(mover) { mover } else { mover & self.neighbours[to] };
        let free = (mover | waiting) >> to & 1 == 0;
        free && bits(comers).any(|from| self.is_barred(Some(restriction), mover, from, to))
    }

    /// The plies that the counter leaves after a reset; the most that can be asked for if none runs.
    pub(super) fn fresh(&self, [mover, waiting]: [u32; 2]) -> u16 {
        self.rules.counter_limit(mover.count_ones() as u8, waiting.count_ones() as u8).unwrap_or(u16::MAX)
    }

    /// Whether the mover gets at least `goal`, a draw or a win, in a position with restrictions; both sides have three
    /// or more cows. `look_up` gives the score of positions without restrictions at counter zero.
    pub(super) fn reaches(
        &self,
        position: &RestrictedSides,
        goal: Goal,
        look_up: &impl Fn(u32, u32) -> Result<ValueScore, ProbeError>,
    ) -> Result<bool, ProbeError> {
        let [mover, waiting] = position.sides;
        self.reaches_from(position, goal, look_up(mover, waiting)?, look_up)
    }

    /// [`reaches`](Self::reaches) with the score that the position has without its restrictions, at counter zero.
    ///
    /// It goes through the turns until one does. Three observations save most of that work. A restriction can only hurt
    /// its owner. It bars no quiet turn, so a win that begins with one remains a win. And a side with three cows loses
    /// by a quiet turn that leaves a point where the other completes a line.
    pub(super) fn reaches_from(
        &self,
        position: &RestrictedSides,
        goal: Goal,
        without: ValueScore,
        look_up: &impl Fn(u32, u32) -> Result<ValueScore, ProbeError>,
    ) -> Result<bool, ProbeError> {
        let RestrictedSides { sides, restrictions: [mover_restriction, waiting_restriction], left } = *position;
        let [mover, waiting] = sides;
        let mover_restriction = mover_restriction.filter(|&restriction| self.bars(restriction, sides));
        let waiting_restriction = waiting_restriction.filter(|&restriction| self.is_live(restriction, waiting));
        let without = within(without, left);
        let reached_without = goal.is_met(without);
        match (mover_restriction.is_some(), waiting_restriction.is_some()) {
            (false, false) => return Ok(reached_without),
            (true, false) if !reached_without => return Ok(false),
            (true, false) if without > 0 && without < WON_IN_1 => return Ok(true),
            (false, true) if reached_without => return Ok(true),
            _ => {}
        }
        let empty = !(mover | waiting) & PointSet::ALL.bits();
        let flies = flies(mover);
        let ends = waiting.count_ones() == u32::from(FLYING_COWS);
        let threats = if flies && left >= 2 { self.completing(sides, waiting_restriction) } else { 0 };
        for from in bits(mover) {
            let rest = mover & !(1 << from);
            for to in bits(if flies { empty } else { self.neighbours[from] & empty }) {
                if self.is_barred(mover_restriction, mover, from, to) {
                    continue;
                }
                if left == 0 {
                    // There is a turn, so the counter makes a draw.
                    return Ok(goal == Goal::Draw);
                }
                let moved = rest | 1 << to;
                if !self.completes(rest, to) {
                    if threats & !(1 << to) != 0 {
                        continue;
                    }
                    let left = if left == u16::MAX { left } else { left - 1 };
                    let next =
                        RestrictedSides { sides: [waiting, moved], restrictions: [waiting_restriction, None], left };
                    if !self.reaches(&next, goal.denied_by(), look_up)? {
                        return Ok(true);
                    }
                    continue;
                }
                if ends {
                    return Ok(true);
                }
                for at in bits(self.targets(waiting)) {
                    let sides = [waiting & !(1 << at), moved];
                    let restrictions = [waiting_restriction, Some((from, to))];
                    let next = RestrictedSides { sides, restrictions, left: self.fresh(sides) };
                    if !self.reaches(&next, goal.denied_by(), look_up)? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// The empty points where the waiting side completes a line on its next turn if they stay empty, given this
    /// restriction.
    fn completing(&self, [mover, waiting]: [u32; 2], restriction: Option<Restriction>) -> u32 {
        let empty = !(mover | waiting);
        let completes = |&to: &usize| {
            let comers = if flies(waiting) { waiting } else { self.neighbours[to] & waiting };
            bits(comers).any(|from| {
                self.completes(waiting & !(1 << from), to) && !self.is_barred(restriction, waiting, from, to)
            })
        };
        bits(empty).filter(completes).fold(0, |points, to| points | 1 << to)
    }
}

/// A position with restrictions.
#[derive(Clone, Copy, Debug)]
pub(super) struct RestrictedSides {
    /// The cows of the mover and of the waiting side.
    pub(super) sides: [u32; 2],
    /// Their restrictions.
    pub(super) restrictions: [Option<Restriction>; 2],
    /// The remaining plies before the counter makes a draw.
    pub(super) left: u16,
}

/// The result that a side is asked to reach at least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Goal {
    Draw,
    Win,
}

impl Goal {
    const fn is_met(self, score: ValueScore) -> bool {
        match self {
            Self::Draw => score >= 0,
            Self::Win => score > 0,
        }
    }

    /// What the opponent must reach to prevent this.
    const fn denied_by(self) -> Self {
        match self {
            Self::Draw => Self::Win,
            Self::Win => Self::Draw,
        }
    }
}

fn flies(mover: u32) -> bool {
    mover.count_ones() == u32::from(FLYING_COWS)
}

/// The numbers of the bits of a mask below bit 24.
#[inline]
pub(super) fn bits(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask & PointSet::ALL.bits();
    std::iter::from_fn(move || {
        let bit = rest.trailing_zeros() as usize;
        (rest != 0).then(|| {
            rest &= rest - 1;
            bit
        })
    })
}

#[cfg(test)]
#[cfg(feature = "reference")]
mod tests {
    use super::super::score::score;
    use super::*;

    use crate::game::{Position, Side};
    use crate::random::Random;
    use crate::rules::Preset;
    use crate::space::{Class, Entry, Space};
    use crate::{reference, testing};

    #[test]
    fn goals_under_restrictions_are_reached_exactly_where_the_reference_says() {
        let rules = Preset::Gar.rules();
        let moves = Moves::new(&rules);
        let space = Space::new(rules.board, Class::moving(3, 5).unwrap());
        let source = |mover: PointSet, waiting: PointSet| {
            let class = Class::moving(mover.len(), waiting.len()).unwrap();
            testing::GAR[&class].value(mover, waiting)
        };
        let look_up =
            |a: u32, b: u32| Ok(score(source(PointSet::from_bits_truncate(a), PointSet::from_bits_truncate(b))));
        let mut random = Random::new(2);
        let (mut seen, mut changed) = ([0; 3], 0);
        while seen.iter().sum::<u32>() < 3000 {
            let block = random.below(space.blocks().into()) as u32;
            let rank = random.below(space.block_entries().into()) as u32;
            let (mover, waiting) = space.position(Entry { block, rank }).unwrap();
            let masks = [mover.bits(), waiting.bits()];
            let empty = !(masks[0] | masks[1]);
            let came = |to: usize| bits(moves.neighbours[to] & empty).map(move |from| (from, to));
            let lines = bits(masks[1]).filter(|&to| moves.completes(masks[1], to));
            for restriction in lines.flat_map(came).filter(|&restriction| moves.is_live(restriction, masks[1])) {
                let [from, to] = [restriction.0, restriction.1].map(|point| Point::new(point as u8).unwrap());
                let mut position = Position::moving([mover, waiting], Side::First);
                position.remakes[1] = Some(crate::game::Remake { from, to });
                position.counter = random.below(21) as u16;
                let bare = |position: &Position| Ok::<_, ProbeError>(source(position.mover(), position.waiting()));
                let expected = score(reference::look_ahead(&rules, &position, &bare).unwrap());
                for goal in [Goal::Draw, Goal::Win] {
                    let left = 20 - position.counter;
                    let restricted = RestrictedSides { sides: masks, restrictions: [None, Some(restriction)], left };
                    let reached = moves.reaches(&restricted, goal, &look_up).unwrap();
                    assert_eq!(reached, goal.is_met(expected), "{position} {goal:?}");
                }
                seen[usize::from(expected >= 0) + usize::from(expected > 0)] += 1;
                changed += u32::from(within(score(source(mover, waiting)), 20 - position.counter) != expected);
            }
        }
        // Contrary to appearances, three cows against five with a line do not win.
        assert!(seen[..2].iter().all(|&count| count > 100) && changed > 100, "{seen:?} {changed}");
    }
}
