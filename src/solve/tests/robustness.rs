//! Checks the claims of [`Robustness`] against the look-ahead with every restriction that a side can have.

use std::collections::BTreeMap;
use std::convert::Infallible;

use crate::board::{BoardKind, Point, PointSet};
use crate::game::Remake;
use crate::lookahead::{Fragility, Lookahead, Lookup, Refutation, RestrictedPosition, Values};
use crate::random::Random;
use crate::rules::{Preset, RuleSet};
use crate::solve::{Control, Dependencies, Robustness, SolvedPair, solve_pair_with_robustness};
use crate::space::{Class, PlacedMover, Space};
use crate::value::{Value, Wdl};

/// Everything up to nine cows, except three against six.
struct Solved {
    values: BTreeMap<Class, Values>,
    robust: Vec<Robustness>,
}

impl Solved {
    fn new(rules: &RuleSet) -> Self {
        let mut solved = Self { values: BTreeMap::new(), robust: Vec::new() };
        for text in ["3-3", "4-3", "4-4", "5-3", "5-4"] {
            let mut dependencies = Dependencies::default();
            solved.values.values().for_each(|values| dependencies.add(values));
            solved.robust.iter().for_each(|robust| dependencies.add_robustness(robust));
            let control = Control::default();
            let SolvedPair { values, robustness } =
                solve_pair_with_robustness(rules, text.parse().unwrap(), &dependencies, &control).unwrap();
            solved.values.extend(values.into_iter().map(|values| (values.class(), values)));
            solved.robust.extend(robustness);
        }
        solved
    }
}

impl Lookup for Solved {
    type Error = Infallible;

    fn value(&self, class: Class, mover: PointSet, waiting: PointSet) -> Result<Value, Infallible> {
        Ok(self.values[&class].value(mover, waiting))
    }
}

/// The same, but it tells what a restriction may change.
struct Telling<'a>(&'a Solved);

impl Lookup for Telling<'_> {
    type Error = Infallible;

    fn value(&self, class: Class, mover: PointSet, waiting: PointSet) -> Result<Value, Infallible> {
        self.0.value(class, mover, waiting)
    }

    fn fragility(&self, class: Class, placed: &PlacedMover, waiting: PointSet) -> Option<Fragility> {
        let robust = self.0.robust.iter().find(|robust| robust.class() == class)?;
        Some(robust.fragility(Space::new(BoardKind::Morabaraba, class).entry_against(placed, waiting)))
    }
}

/// Every move that a restriction may bar to a side with these cows on a board with these free points: the cow came from
/// a point that is free now to where it stands.
fn remakes(cows: PointSet, free: PointSet) -> impl Iterator<Item = Remake> {
    cows.iter().flat_map(move |to| free.iter().map(move |from| Remake { from, to }))
}

#[test]
fn what_is_not_fragile_holds_with_every_restriction() {
    for preset in [Preset::Gar, Preset::Wikipedia] {
        let rules = preset.rules();
        let solved = Solved::new(&rules);
        let lookahead = Lookahead::new(&rules, &solved);
        let told = Telling(&solved);
        let telling = Lookahead::new(&rules, &told);
        let mut random = Random::new(9);
        let mut claims = BTreeMap::new();
        for robust in &solved.robust {
            let values = &solved.values[&robust.class()];
            for _ in 0..600 {
                let (mover, waiting) = random_position(&mut random, robust.class());
                let free = rules.board().free(mover.union(waiting));
                let bare = RestrictedPosition { mover, waiting, mover_remake: None, waiting_remake: None };
                let reaches = |position: &RestrictedPosition, goal| {
                    let reaches = lookahead.reaches(position, goal, &Refutation::default()).unwrap();
                    assert_eq!(telling.reaches(position, goal, &Refutation::default()), Ok(reaches), "{position:?}");
                    reaches
                };
                let value = values.value(mover, waiting).wdl();
                let Fragility { result, hold } =
                    robust.fragility(Space::new(rules.board, robust.class()).entry(mover, waiting));
                let barred = |remake| RestrictedPosition { mover_remake: Some(remake), ..bare };
                let waits = |remake| RestrictedPosition { waiting_remake: Some(remake), ..bare };
                let claim = |goal: Wdl| remakes(mover, free).all(|remake| reaches(&barred(remake), goal));
                let stays_below = |goal: Wdl| remakes(waiting, free).all(|remake| !reaches(&waits(remake), goal));
                let checks = match value {
                    Wdl::Won => [(!result, claim(Wdl::Won)), (!hold, claim(Wdl::Drawn))],
                    Wdl::Drawn => [(!result, stays_below(Wdl::Won)), (!hold, claim(Wdl::Drawn))],
                    Wdl::Lost => [(!result, stays_below(Wdl::Drawn)), (!hold, stays_below(Wdl::Won))],
                };
                for (number, (claimed, true_of_it)) in checks.into_iter().enumerate() {
                    assert!(!claimed || true_of_it, "{preset:?}: {mover:?} {waiting:?}, flag {number} of {value:?}");
                    let count: &mut [u32; 3] = claims.entry((value as u8, number)).or_default();
                    count[0] += u32::from(claimed);
                    count[1] += u32::from(!claimed && !true_of_it);
                    count[2] += u32::from(!claimed && true_of_it);
                }
            }
        }
        // The flags are not vacuous: there are claims of every kind, and results that a restriction does change.
        assert!(claims.values().all(|count| count[0] > 0), "{claims:?}");
        assert!(claims.values().any(|count| count[1] > 0), "{claims:?}");
    }
}

fn random_position(random: &mut Random, class: Class) -> (PointSet, PointSet) {
    let mut sets = [PointSet::EMPTY; 2];
    for (number, cows) in [class.mover(), class.waiting()].into_iter().enumerate() {
        while sets[number].len() < cows {
            let point = Point::all().nth(random.below(24) as usize).unwrap();
            if !sets[0].union(sets[1]).contains(point) {
                sets[number] = sets[number].with(point);
            }
        }
    }
    (sets[0], sets[1])
}
