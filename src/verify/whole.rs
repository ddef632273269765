//! All entries of a class without cows in hand over decoded tables.
//!
//! For one waiting set and all sets of the mover, every quiet turn leads into one block of the reverse class's table,
//! and every shot of one cow into one block of the table below. So the loop runs over waiting sets: for each, the
//! values of all sets of the mover are found together, and then compared with what the class's own table claims.

use std::sync::Arc;

use crate::board::PointSet;
use crate::lookahead::Values;
use crate::probe::{ProbeError, Tablebase};
use crate::rules::{NoRemake, RuleSet};
use crate::space::Class;
#[cfg(test)]
use crate::space::Entry;

use super::cache::TableCache;
use super::claims::Claims;
use super::moves::{Goal, Moves, RestrictedSides};
use super::reply_cache::{ReplyCache, ReplyKey};
use super::report::{Fault, Findings, Progress};
use super::score::{DRAWN, LOST, ValueScore, WON_IN_1, score, value};
use super::scores::{BindingShot, Scorer, Scores};
use super::waiting::Waiting;
use super::walk::{Walk, WalkTables};

/// What all waiting sets of a class have in common.
struct MovingWalk<'a> {
    tables: &'a Tablebase,
    moves: Moves,
    scorer: Scorer,
    claims: Claims<'a>,
    reverse: &'a Values,
    below: Option<&'a Values>,
    /// Decoded tables that positions under a restriction lead to.
    near: Vec<Arc<Values>>,
    /// Answers to questions about such positions.
    answers: ReplyCache,
}

/// A thread's buffers for a waiting set, reused for their memory.
#[derive(Default)]
struct MovingScratch {
    scores: Scores,
    /// What the table claims for each set of the mover.
    claims: Vec<ValueScore>,
}

/// Checks all entries of a class.
pub(super) fn check(
    rules: &RuleSet,
    cache: &mut TableCache,
    class: Class,
    progress: &Progress,
) -> Result<Findings, ProbeError> {
    let tables = WalkTables::new(cache, class)?;
    let WalkTables { own, quiet: reverse, shot: below } = &tables;
    let mut near = Vec::new();
    if rules.no_remake != NoRemake::None
        && let Some(below) = class.successors().shot
    {
        let deeper = [
            Some(below),
            Some(below.successors().quiet),
            below.successors().shot,
            below.successors().quiet.successors().shot,
        ];
        near.extend(deeper.into_iter().flatten().filter_map(|class| cache.get_if_small(class)));
    }
    let walk = MovingWalk {
        tables: cache.tables(),
        moves: Moves::new(rules),
        scorer: Scorer::new(
            rules,
            class,
            [own, reverse, below.as_ref().unwrap_or(own)].map(|values| values.alphabet()),
        ),
        claims: Claims::new(own),
        reverse,
        below: below.as_deref(),
        near,
        answers: ReplyCache::new(rules, class),
    };
    Ok(tables.check(&walk, progress))
}

impl Walk for MovingWalk<'_> {
    type Scratch = MovingScratch;

    fn claims(&self) -> &Claims<'_> {
        &self.claims
    }

    fn check_waiting(&self, block: u32, scratch: &mut MovingScratch) -> Findings {
        let waiting = Waiting::new(&self.moves, self.reverse, self.below, block);
        let class = self.claims.class();
        let MovingScratch { scores, claims } = scratch;
        self.claims.read(&waiting, self.scorer.stored(), claims);
        self.scorer.score(&waiting, scores);
        let mut found = Findings::default();
        for shot in &scores.binding {
            let rank = shot.rank as usize;
            if let Err(error) = self.settle(&waiting, shot, claims[rank], &mut scores.best[rank]) {
                found.add(Fault::Table { class, error });
                // What follows is unknown, so nothing is reported about this entry.
                scores.best[rank] = claims[rank];
            }
        }
        found.and(self.claims.differences(&waiting, [claims, &scores.best], value))
    }
}

impl MovingWalk<'_> {
    /// Examines a binding shot and raises the best score to its value. The restriction can only make it worse than it
    /// would be without it, which shows that most do not matter. The table's claim only determines which question to
    /// ask first.
    fn settle(
        &self,
        waiting: &Waiting,
        shot: &BindingShot,
        claim: ValueScore,
        best: &mut ValueScore,
    ) -> Result<(), ProbeError> {
        let restriction = (waiting.points[shot.from as usize], waiting.points[shot.to as usize]);
        let look_up = |mover: u32, waiting: u32| self.look_up(mover, waiting);
        for (number, target) in waiting.targets.iter().enumerate() {
            if *best == WON_IN_1 {
                break;
            }
            let without = self.scorer.shot(waiting, number, shot.moved);
            if without <= *best {
                continue;
            }
            let sides = [waiting.set & !(1 << target.cow), waiting.outer.of(shot.moved)];
            let reply =
                RestrictedSides { sides, restrictions: [None, Some(restriction)], left: self.moves.fresh(sides) };
            // This follows from the table below, the source of the shot's score.
            let reply_without = if without == WON_IN_1 { LOST } else { 0 };
            let reply_reaches = |goal| -> Result<bool, ProbeError> {
                let key = ReplyKey::new(self.reverse.space().board_kind(), sides, restriction, goal);
                if let Some(answer) = self.answers.get(key) {
                    return Ok(answer);
                }
                let answer = self.moves.reaches_from(&reply, goal, reply_without, &look_up)?;
                self.answers.put(key, answer);
                Ok(answer)
            };
            // If the reply wins, there is no need to ask whether it draws.
            if *best < DRAWN && claim < DRAWN && reply_reaches(Goal::Win)? {
                continue;
            }
            if without == WON_IN_1 && !reply_reaches(Goal::Draw)? {
                *best = WON_IN_1;
            } else if *best < DRAWN && (claim < DRAWN || !reply_reaches(Goal::Win)?) {
                *best = DRAWN;
            }
        }
        Ok(())
    }

    fn look_up(&self, mover: u32, waiting: u32) -> Result<ValueScore, ProbeError> {
        let (mover, waiting) = (PointSet::from_bits_truncate(mover), PointSet::from_bits_truncate(waiting));
        let near = self.near.iter().find(|values| {
            let class = values.class();
            (class.mover(), class.waiting()) == (mover.len(), waiting.len())
        });
        let value = match near {
            Some(values) => values.value(mover, waiting),
            None => self.tables.value(mover, waiting)?,
        };
        Ok(score(value))
    }
}

/// Entries without twins that would be worth more if no shot restricted its owner, so that only the look-ahead gives
/// their values.
#[cfg(test)]
pub(super) fn worse_by_binding(rules: &RuleSet, tables: &Tablebase, [own, reverse, below]: [&Values; 3]) -> Vec<Entry> {
    let class = own.class();
    let walk = MovingWalk {
        tables,
        moves: Moves::new(rules),
        scorer: Scorer::new(rules, class, [own, reverse, below].map(Values::alphabet)),
        claims: Claims::new(own),
        reverse,
        below: Some(below),
        near: Vec::new(),
        answers: ReplyCache::new(rules, class),
    };
    let MovingScratch { mut scores, mut claims } = MovingScratch::default();
    let mut entries = Vec::new();
    for block in 0..reverse.space().blocks() {
        let waiting = Waiting::new(&walk.moves, reverse, Some(below), block);
        walk.claims.read(&waiting, walk.scorer.stored(), &mut claims);
        walk.scorer.score(&waiting, &mut scores);
        for shot in &scores.binding {
            let rank = shot.rank as usize;
            let mut targets = 0..waiting.targets.len();
            if targets.any(|target| walk.scorer.shot(&waiting, target, shot.moved) > claims[rank]) {
                entries.push(walk.claims.entry(&waiting, walk.claims.sets()[rank]));
            }
        }
    }
    entries.sort_unstable();
    entries.dedup();
    entries.retain(|entry| !own.space().mover_orbits().has_twins(entry.block));
    entries
}
