//! How long a build will take and how large its tables will be, before it is begun: estimates, and where they come from.
//!
//! Time: the smallest classes are solved and encoded in memory, under the rules of the plan and with its threads, and what an
//! entry took is multiplied by what entries of larger classes were found to cost beside it. Disk: bits per entry as found.
//! Both lists were measured on the classes that they name; docs/building.md says how to measure them again.

use std::io::Cursor;
use std::time::{Duration, Instant};

use crate::lookahead::Tally;
use crate::rules::{NoRemake, RuleSet};
use crate::solve::{Control, solve_all};
use crate::space::{Class, Orbits, Space};
use crate::store::describe;
use crate::table::encode_table;

use super::BuildError;
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

/// Hundredths of a bit that an entry takes in a table, by the difference of the cows: found in `gar` tables of twelve cows and more. What
/// is nearly balanced is hardest to guess.
const BITS: [(u8, u64); 6] = [(0, 135), (1, 113), (2, 67), (3, 37), (5, 25), (9, 22)];

/// The same of smaller classes, the mover's cows first, which follow no such rule.
const SMALL_BITS: [((u8, u8), u64); 21] = [
    ((3, 3), 115),
    ((3, 4), 108),
    ((3, 5), 54),
    ((3, 6), 151),
    ((3, 7), 151),
    ((3, 8), 70),
    ((4, 3), 46),
    ((4, 4), 49),
    ((4, 5), 50),
    ((4, 6), 188),
    ((4, 7), 72),
    ((5, 3), 53),
    ((5, 4), 66),
    ((5, 5), 57),
    ((5, 6), 128),
    ((6, 3), 119),
    ((6, 4), 149),
    ((6, 5), 110),
    ((7, 3), 67),
    ((7, 4), 40),
    ((8, 3), 37),
];

/// How fast this machine builds under some rules.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Speed {
    /// Wall-clock seconds per entry of the smallest classes.
    seconds_per_entry: f64,
    /// What other classes cost beside them.
    costs: &'static [(u8, u64)],
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
        let cost = interpolate(self.costs, step.class.total()) as f64 / 100.0;
        Duration::from_secs_f64(self.seconds_per_entry * step.entries as f64 * cost)
    }
}

fn costs(rules: &RuleSet) -> &'static [(u8, u64)] {
    if rules.no_remake == NoRemake::None { &FREE_COSTS } else { &BINDING_COSTS }
}

/// The classes of the calibration.
fn calibration(rules: &RuleSet) -> impl Iterator<Item = Class> {
    Class::all_moving(rules.cows).into_iter().filter(|class| class.total() <= CALIBRATION_COWS)
}

/// Bytes that a class's table should have.
pub(super) fn table_bytes(space: Space) -> u64 {
    const HEAD: u64 = 4096;
    let class = space.class();
    let small = SMALL_BITS.iter().find(|(cows, _)| *cows == (class.mover(), class.waiting()));
    let bits = small.map_or_else(|| interpolate(&BITS, class.mover().abs_diff(class.waiting())), |&(_, bits)| bits);
    HEAD + space.entries() * bits / 800
}

/// The value at a number of cows on the lines between the points given, which are in order.
fn interpolate(points: &[(u8, u64)], cows: u8) -> u64 {
    let after = points.iter().position(|point| point.0 >= cows).unwrap_or(points.len() - 1);
    let (before, after) = (points[after.saturating_sub(1)], points[after]);
    let span = u64::from(after.0 - before.0);
    if span == 0 || cows <= before.0 {
        return if cows <= before.0 { before.1 } else { after.1 };
    }
    let along = u64::from(cows - before.0).min(span);
    (before.1 * (span - along) + after.1 * along) / span
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{Plan, Request, Target};

    #[test]
    fn between_two_points_a_value_lies_on_their_line() {
        let points = [(6, 100), (8, 40), (10, 50)];
        let found = [3, 6, 7, 8, 9, 10, 24].map(|cows| interpolate(&points, cows));
        assert_eq!(found, [100, 100, 70, 40, 45, 50, 50]);
    }

    #[test]
    fn lists_are_in_the_order_of_cows() {
        for list in [&FREE_COSTS[..], &BINDING_COSTS, &BITS] {
            assert!(list.is_sorted_by(|a, b| a.0 < b.0));
        }
    }

    #[test]
    fn every_class_of_up_to_eleven_cows_has_its_own_bits() {
        let small: Vec<Class> = Class::all_moving(12).into_iter().filter(|class| class.total() <= 11).collect();
        assert!(small.iter().all(|class| SMALL_BITS.iter().any(|(cows, _)| *cows == (class.mover(), class.waiting()))));
        assert_eq!(small.len(), SMALL_BITS.len());
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
