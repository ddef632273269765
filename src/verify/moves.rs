//! Turns and restrictions as plain loops over masks of points, for verifying only: slow where it is simple, and
//! written without a look at the solver.

use crate::board::{POINTS, Point, PointSet};
use crate::probe::ProbeError;
use crate::rules::{FLYING_COWS, NoRemake, RuleSet};
use crate::value::{Code, Plies, Value};

/// What a position is worth to its mover, as a number: greater is better. A win in `n` plies is `WIN - n`.
pub(super) type Score = i16;

/// The score of a win in 0 plies; scores of wins stay well above 0.
const WIN: Score = 1000;

/// The best score a turn can have: a winning shot, or an end.
pub(super) const WON_IN_1: Score = WIN - 1;

/// No turn was seen yet: less than any score.
pub(super) const NONE: Score = Score::MIN;

/// A move that completed a line: from and to.
pub(super) type Remake = (usize, usize);

pub(super) const fn score(value: Value) -> Score {
    match value {
        Value::Won(Plies(n)) => WIN - n.cast_signed(),
        Value::Drawn => 0,
        Value::Lost(Plies(n)) => n.cast_signed() - WIN,
    }
}

pub(super) const fn value(score: Score) -> Value {
    match score {
        0 => Value::Drawn,
        1.. => Value::Won(Plies((WIN - score).cast_unsigned())),
        _ => Value::Lost(Plies((score + WIN).cast_unsigned())),
    }
}

/// The score of a quiet turn, from the score of the position it leads to.
pub(super) const fn after_quiet(reply: Score, limit: Option<u16>) -> Score {
    let score = match reply {
        0 => 0,
        1.. => 1 - reply,
        _ => -1 - reply,
    };
    match (limit, value(score).dtc()) {
        (Some(limit), Some(Plies(plies))) if plies > limit => 0,
        _ => score,
    }
}

/// The score of a shot, from the score of the position it leads to.
pub(super) const fn after_shot(reply: Score) -> Score {
    match reply {
        0 => 0,
        1.. => -WON_IN_1,
        _ => WON_IN_1,
    }
}

/// [`after_quiet`] and [`after_shot`] by the code of the position a turn leads to.
pub(super) fn by_code(f: impl Fn(Score) -> Score) -> [Score; 256] {
    let mut scores = [0; 256];
    for code in (0..=255).filter_map(Code::from_byte) {
        scores[code.byte() as usize] = f(score(code.value()));
    }
    scores
}

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

    /// Whether what `remake` broke could be completed again by its owner's `cows`, some time.
    pub(super) fn is_live(&self, remake: Remake, cows: u32) -> bool {
        let (from, to) = remake;
        self.partners[from].iter().any(|pair| pair & !cows == 0 && pair >> to & 1 == 0)
    }

    /// Whether the mover's restriction forbids the move `from` -> `to`.
    fn is_barred(&self, remake: Option<Remake>, mover: u32, from: usize, to: usize) -> bool {
        let Some((broken_at, made_at)) = remake else { return false };
        let rest = mover & !(1 << from);
        to == broken_at
            && match self.rules.no_remake {
                NoRemake::None => false,
                NoRemake::SameCow => from == made_at && self.completes(rest, to),
                NoRemake::SameLine => self.is_live((broken_at, made_at), rest),
            }
    }

    /// The score of a position at counter zero, both sides with three cows or more, restrictions included: a walk
    /// through all turns until nothing is restricted, and there `look_up` tells.
    pub(super) fn score(
        &self,
        [mover, waiting]: [u32; 2],
        [mover_remake, waiting_remake]: [Option<Remake>; 2],
        look_up: &impl Fn(u32, u32) -> Result<Score, ProbeError>,
    ) -> Result<Score, ProbeError> {
        let waiting_remake = waiting_remake.filter(|&remake| self.is_live(remake, waiting));
        let empty = !(mover | waiting);
        let flies = mover.count_ones() == u32::from(FLYING_COWS);
        let reach = |from: usize| if flies { empty } else { self.neighbours[from] & empty };
        let moves = || bits(mover).flat_map(|from| bits(reach(from)).map(move |to| (from, to)));
        let bars = moves().any(|(from, to)| self.is_barred(mover_remake, mover, from, to));
        if !bars && waiting_remake.is_none() {
            return look_up(mover, waiting);
        }
        let limit = self.rules.counter_limit(mover.count_ones() as u8, waiting.count_ones() as u8);
        let mut best = NONE;
        for (from, to) in moves().filter(|&(from, to)| !self.is_barred(mover_remake, mover, from, to)) {
            let rest = mover & !(1 << from);
            let moved = rest | 1 << to;
            if !self.completes(rest, to) {
                let reply = self.score([waiting, moved], [waiting_remake, None], look_up)?;
                best = best.max(after_quiet(reply, limit));
            } else if waiting.count_ones() == u32::from(FLYING_COWS) {
                return Ok(WON_IN_1);
            } else {
                for at in bits(self.targets(waiting)) {
                    let sides = [waiting & !(1 << at), moved];
                    best = best.max(after_shot(self.score(sides, [waiting_remake, Some((from, to))], look_up)?));
                }
            }
            if best == WON_IN_1 {
                break;
            }
        }
        Ok(if best == NONE { -WIN } else { best })
    }
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
mod tests {
    use super::*;

    #[test]
    fn scores_and_values_are_inverse_and_in_the_same_order() {
        let mut values: Vec<Value> = (0..=255).filter_map(Code::from_byte).map(Code::value).collect();
        assert!(values.iter().all(|&each| value(score(each)) == each));
        values.sort_unstable();
        assert!(values.is_sorted_by_key(|&value| score(value)));
    }

    #[test]
    fn a_turn_counts_a_ply_and_the_counter_cuts_it_off() {
        assert_eq!(value(after_quiet(score(Value::Lost(Plies(4))), Some(5))), Value::Won(Plies(5)));
        assert_eq!(value(after_quiet(score(Value::Lost(Plies(5))), Some(5))), Value::Drawn);
        assert_eq!(value(after_quiet(score(Value::Won(Plies(3))), None)), Value::Lost(Plies(4)));
        assert_eq!(value(after_shot(score(Value::Won(Plies(3))))), Value::Lost(Plies(1)));
        assert_eq!(value(after_shot(score(Value::Lost(Plies(3))))), Value::Won(Plies(1)));
    }
}
