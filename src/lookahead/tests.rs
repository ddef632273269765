//! The look-ahead against the reference's plain recursion, on solved classes.

use std::collections::BTreeMap;
use std::convert::Infallible;

use crate::board::{Board, Point, PointSet};
use crate::game::{Position, Remake, Side};
use crate::random::Random;
use crate::reference;
use crate::rules::{Preset, RuleSet};
use crate::solve::{Control, Dependencies, solve_pair};
use crate::space::Class;
use crate::testing::{GAR, solved};
use crate::value::{Value, Wdl};

use super::{AnswerCache, Lookahead, Lookup, Refutation, RestrictedPosition, Values};

struct InMemory(BTreeMap<Class, Values>);

/// Five against four, built on smaller classes.
fn five_against_four(rules: &RuleSet, below: &BTreeMap<Class, Values>) -> impl Iterator<Item = (Class, Values)> {
    let mut dependencies = Dependencies::default();
    for values in below.values() {
        dependencies.add(values);
    }
    let pair = solve_pair(rules, Class::moving(5, 4).unwrap(), &dependencies, &Control::default()).unwrap();
    pair.into_iter().map(|values| (values.class(), values))
}

impl Lookup for InMemory {
    type Error = Infallible;

    fn value(&self, class: Class, mover: PointSet, waiting: PointSet) -> Result<Value, Infallible> {
        assert_eq!(class, Class::of_sets(mover, waiting));
        Ok(self.0[&class].value(mover, waiting))
    }
}

/// All ways for a side of five cows to have incurred a restriction: its cows, and the move that broke one line and
/// completed another.
fn restrictions(board: &'static Board) -> impl Iterator<Item = (PointSet, Remake)> {
    let moves = Point::all().flat_map(|from| board.neighbours(from).iter().map(move |to| (from, to)));
    moves.flat_map(move |(from, to)| {
        let broken = board.line_partners(from).filter(move |pair| !pair.contains(to));
        broken.flat_map(move |broken| {
            let made = board.line_partners(to).filter(move |pair| !pair.contains(from));
            made.map(move |made| (broken.union(made).with(to), Remake { from, to })).filter(|(cows, _)| cows.len() == 5)
        })
    })
}

/// Positions in which the side of five has a restriction, with each side to move.
fn positions(board: &'static Board, others: u8, random: &mut Random) -> Vec<RestrictedPosition> {
    let mut positions = Vec::new();
    for (cows, remake) in restrictions(board) {
        let mut opponent = PointSet::EMPTY;
        while opponent.len() < others {
            let free = board.free(cows.union(opponent).with(remake.from));
            let chosen = free.iter().nth(random.below(u64::from(free.len())) as usize).unwrap();
            opponent = opponent.with(chosen);
        }
        let (mover, waiting) = (cows, opponent);
        positions.push(RestrictedPosition { mover, waiting, mover_remake: Some(remake), waiting_remake: None });
        let (mover, waiting) = (opponent, cows);
        positions.push(RestrictedPosition { mover, waiting, mover_remake: None, waiting_remake: Some(remake) });
    }
    positions
}

#[test]
fn values_with_restrictions_are_those_of_the_reference() {
    let [gar, wikipedia] = [Preset::Gar, Preset::Wikipedia].map(Preset::rules);
    let mut classes = GAR.clone();
    classes.extend(five_against_four(&gar, &GAR));
    let with_gar = (gar, InMemory(classes), [3, 4, 4, 4]);
    for (rules, solved, numbers) in [with_gar, (wikipedia, InMemory(solved(&wikipedia, 8)), [3; 4])] {
        let bare = |position: &Position| {
            let (mover, waiting) = (position.mover(), position.waiting());
            solved.value(Class::of_sets(mover, waiting), mover, waiting)
        };
        let plain = Lookahead::new(&rules, &solved);
        let cache = AnswerCache::new();
        let cached = Lookahead::new(&rules, &solved).with_cache(Some(&cache));
        let refutation = Refutation::default();
        let mut random = Random::new(3);
        let (mut checked, mut changed) = (0, 0);
        for others in numbers {
            for restricted in positions(rules.board(), others, &mut random) {
                let RestrictedPosition { mover, waiting, mover_remake, waiting_remake } = restricted;
                let mut position = Position::moving([mover, waiting], Side::First);
                let unrestricted = bare(&position).unwrap();
                position.remakes = [mover_remake, waiting_remake];
                let value = reference::look_ahead(&rules, &position, &bare).unwrap();
                for lookahead in [&plain, &cached] {
                    assert_eq!(lookahead.value(&restricted), Ok(value), "{position} under {rules}");
                    for goal in [Wdl::Lost, Wdl::Drawn, Wdl::Won] {
                        let reaches = lookahead.reaches(&restricted, goal, &refutation);
                        assert_eq!(reaches, Ok(value.wdl() >= goal), "{position}, {goal:?}, under {rules}");
                    }
                }
                checked += 1;
                changed += u32::from(value != unrestricted);
            }
        }
        assert!(checked > 1000 && changed > 20, "{rules}: {changed} of {checked}");
    }
}
