//! How long a build will take, before it is begun: an estimate, and where it comes from.
//!
//! The smallest classes are solved and encoded in memory, under the rules of the plan and with its threads, and what an entry
//! took is multiplied by what entries of larger classes were found to cost beside it. The lists of costs were measured on the
//! classes that they name; docs/building.md says how to measure them again.

use std::io::Cursor;
use std::time::{Duration, Instant};

use crate::lookahead::Tally;
use crate::rules::{NoRemake, RuleSet};
use crate::solve::{Control, solve_all};
use crate::space::{Class, Orbits};
use crate::store::describe;
use crate::table::encode_table;

use super::BuildError;
use super::interpolate::interpolate;
use super::plan::PlanStep;

/// The cows together, at most, of the classes that a calibration solves: 2,018,750 entries, well under a second.
const CALIBRATION_COWS: u8 = 7;

/// Hundredths of what an entry of the calibration costs that an entry of a step costs, by its cows together, without a
/// no-remake rule: found in a `plain` build of all classes. Large classes are cheap, as most of what is decided there is decided at once; the
/// last ones are so small that their fixed costs show.
const FREE_COSTS: [(u8, u64); 10] =
    [(7, 100), (8, 56), (9, 44), (10, 46), (11, 35), (14, 25), (18, 28), (20, 48), (21, 103), (24, 400)];

/// The same with one, from a `gar` build: the more cows, the more shots bind, and the longer the exchanges that have to be looked into.
const BINDING_COSTS: [(u8, u64); 11] =
    [(7, 100), (8, 42), (9, 33), (11, 36), (15, 44), (16, 69), (18, 82), (20, 102), (21, 134), (22, 254), (24, 500)];

/// The same of a class with cows in hand, by its cows on the board: found in `plain` and `gar` games of six cows each. What
/// shots bind does not matter to it, so beside the calibration under a no-remake rule, which is dearer, it costs less.
const FREE_PLACING_COSTS: [(u8, u64); 1] = [(7, 20)];
const BINDING_PLACING_COSTS: [(u8, u64); 1] = [(7, 20)];

/// How fast this machine builds under some rules.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Speed {
    /// Wall-clock seconds per entry of the smallest classes.
    seconds_per_entry: f64,
    /// What other classes cost beside them, and what classes with cows in hand do.
    costs: Costs,
}

/// Lists by the cows on the board.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Costs {
    moving: &'static [(u8, u64)],
    placing: &'static [(u8, u64)],
}

impl Speed {
    /// Measures it in the current rayon thread pool, in well under a second on one core.
    ///
    /// # Errors
    /// [`BuildError`] if the rules know no such classes.
    pub fn measure(rules: &RuleSet) -> Result<Self, BuildError> {
        // Tables of orbits are built once however much is solved.
        for class in calibration(rules) {
            Orbits::of(rules.board(), class.mover());
        }
        let began = Instant::now();
        let mut entries = 0;
        for (class, values) in solve_all(rules, CALIBRATION_COWS, &Control::default())? {
            let meta = describe(rules, class, &Tally::of(&values));
            let written = encode_table(&mut Cursor::new(Vec::new()), &meta, values.symbols());
            written.map_err(|fault| fault.at(std::path::Path::new("calibration")))?;
            entries += values.space().entries();
        }
        Ok(Self { seconds_per_entry: began.elapsed().as_secs_f64() / entries.max(1) as f64, costs: costs(rules) })
    }

    /// How long a step should take.
    pub fn time(self, step: &PlanStep) -> Duration {
        let costs = if step.class.has_hands() { self.costs.placing } else { self.costs.moving };
        let cost = interpolate(costs, step.class.total()) as f64 / 100.0;
        Duration::from_secs_f64(self.seconds_per_entry * step.entries as f64 * cost)
    }
}

fn costs(rules: &RuleSet) -> Costs {
    if rules.no_remake == NoRemake::None {
        Costs { moving: &FREE_COSTS, placing: &FREE_PLACING_COSTS }
    } else {
        Costs { moving: &BINDING_COSTS, placing: &BINDING_PLACING_COSTS }
    }
}

/// The classes of the calibration.
fn calibration(rules: &RuleSet) -> impl Iterator<Item = Class> {
    Class::all_moving(rules.cows).into_iter().filter(|class| class.total() <= CALIBRATION_COWS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{Plan, Request, Target};

    #[test]
    fn lists_are_in_the_order_of_cows() {
        for list in [&FREE_COSTS[..], &BINDING_COSTS, &FREE_PLACING_COSTS, &BINDING_PLACING_COSTS] {
            assert!(list.is_sorted_by(|a, b| a.0 < b.0));
        }
    }

    #[test]
    fn a_larger_step_is_expected_to_take_longer_and_more_room() {
        let rules = RuleSet::default();
        let speed = Speed { seconds_per_entry: 1e-7, costs: costs(&rules) };
        let request = Request::new(&rules, std::path::Path::new("nowhere"), Target::MaxCows(24));
        let plan = Plan::new(&request).unwrap();
        let of = |text: &str| plan.steps.iter().find(|step| step.class == text.parse().unwrap()).unwrap();
        assert!(speed.time(of("9-8")) > 10 * speed.time(of("6-5")));
        assert!(of("9-8").expected_bytes() > 5 * of("6-5").expected_bytes());
        let all: f64 = plan.steps.iter().map(|step| speed.time(step).as_secs_f64()).sum();
        assert!((1e-7 * 0.5..1e-7).contains(&(all / plan.missing_entries() as f64)), "{all}");
    }
}
