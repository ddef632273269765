//! Estimates how long a build will take before it begins.
//!
//! The smallest classes are solved and encoded in memory, under the plan's rules and with its threads; the time per
//! entry is multiplied by the measured relative cost of entries of larger classes. The lists of costs were measured on
//! the classes that they name; docs/building.md says how to measure them again.

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

/// The most cows in total in the classes that a calibration solves: 2,018,750 entries.
const CALIBRATION_COWS: u8 = 7;
/// How often it solves them, about half a second on one core, as a machine's speed varies from moment to moment.
const ROUNDS: u32 = 3;

/// The cost of a step's entry in hundredths of that of a calibration entry, by its cows in total, without a no-remake
/// rule: measured in a `plain` build of all classes. Large classes are cheap, as most of their decided positions are
/// decided at once; the last ones are so small that their fixed costs show.
const FREE_COSTS: [(u8, u64); 11] =
    [(7, 100), (8, 60), (9, 50), (10, 52), (11, 43), (14, 31), (16, 31), (18, 38), (20, 64), (21, 115), (24, 500)];

/// The same with such a rule, from a `gar` build: the more cows, the more shots bind, and the longer the exchanges to
/// examine.
const BINDING_COSTS: [(u8, u64); 12] = [
    (7, 100),
    (8, 60),
    (9, 50),
    (11, 52),
    (13, 54),
    (15, 52),
    (16, 74),
    (18, 98),
    (20, 132),
    (21, 190),
    (22, 400),
    (24, 800),
];

/// The cost of an entry of a class with cows in hand, in hundredths of that of a calibration entry without a no-remake
/// rule, by how many more cows the waiting side has on the board, plus [`EVEN`]: measured in a `gar` game of twelve
/// cows each. The side to move shoots more often the further it is behind; if it is far ahead, nearly all entries have
/// one value.
const PLACING_COSTS: [(u8, u64); 9] =
    [(9, 7), (10, 8), (11, 10), (12, 17), (13, 24), (14, 22), (15, 15), (16, 11), (17, 10)];

/// The index in [`PLACING_COSTS`] where both sides have equally many cows.
const EVEN: u8 = 12;

/// The fixed cost of a class of any size, mostly for writing a file to disk.
const PER_CLASS: Duration = Duration::from_millis(25);

/// Seconds per calibration entry on one core of an ordinary machine of 2024, with a no-remake rule and without.
const ORDINARY: [f64; 2] = [6.4e-7, 3.4e-7];

/// How fast a machine builds under some rules.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Speed {
    /// Wall-clock seconds per entry of the smallest classes.
    moving: f64,
    /// The same if no shot binds. A class with cows in hand costs the same under any rules.
    free: f64,
    /// The relative cost of other classes, by the cows on the board.
    costs: &'static [(u8, u64)],
}

impl Speed {
    /// Measures the speed in the current rayon thread pool, in about a second on one core.
    ///
    /// # Errors
    /// [`BuildError`] if the rules have no such classes.
    pub fn measure(rules: &RuleSet) -> Result<Self, BuildError> {
        let free_rules = RuleSet { no_remake: NoRemake::None, ..*rules };
        let free = seconds_per_entry(&free_rules)?;
        if rules.no_remake == NoRemake::None {
            return Ok(Self { moving: free, free, costs: &FREE_COSTS });
        }
        Ok(Self { moving: seconds_per_entry(rules)?, free, costs: &BINDING_COSTS })
    }

    /// The speed of this many ordinary cores, without measuring: good enough to tell seconds from hours.
    pub fn ordinary(rules: &RuleSet, cores: usize) -> Self {
        let [binding, free] = ORDINARY.map(|seconds| seconds / cores.max(1) as f64);
        match rules.no_remake {
            NoRemake::None => Self { moving: free, free, costs: &FREE_COSTS },
            _ => Self { moving: binding, free, costs: &BINDING_COSTS },
        }
    }

    /// The estimated time of a step.
    pub fn time(self, step: &PlanStep) -> Duration {
        let class = step.class;
        let (seconds, cost) = if class.has_hands() {
            (self.free, interpolate(&PLACING_COSTS, EVEN + class.waiting() - class.mover()))
        } else {
            (self.moving, interpolate(self.costs, class.total()))
        };
        PER_CLASS + Duration::from_secs_f64(seconds * step.entries as f64 * cost as f64 / 100.0)
    }
}

/// Wall-clock seconds that an entry of the smallest classes takes, solved and encoded in memory.
fn seconds_per_entry(rules: &RuleSet) -> Result<f64, BuildError> {
    // Orbit tables are built only once, however much is solved.
    for class in calibration(rules) {
        Orbits::of(rules.board(), class.mover());
    }
    let began = Instant::now();
    let mut entries = 0;
    for _ in 0..ROUNDS {
        for (class, values) in solve_all(rules, CALIBRATION_COWS, &Control::default())? {
            let meta = describe(rules, class, &Tally::of(&values));
            let written = encode_table(&mut Cursor::new(Vec::new()), &meta, values.symbols());
            written.map_err(|fault| fault.at(std::path::Path::new("calibration")))?;
            entries += values.space().entries();
        }
    }
    Ok(began.elapsed().as_secs_f64() / entries.max(1) as f64)
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
        for list in [&FREE_COSTS[..], &BINDING_COSTS, &PLACING_COSTS] {
            assert!(list.is_sorted_by(|a, b| a.0 < b.0));
        }
    }

    #[test]
    fn a_larger_step_is_expected_to_take_longer_and_more_room() {
        let rules = RuleSet::default();
        let speed = Speed { moving: 1e-7, free: 5e-8, costs: &BINDING_COSTS };
        let request = Request::new(&rules, std::path::Path::new("nowhere"), Target::MaxCows(24));
        let plan = Plan::new(&request).unwrap();
        let of = |text: &str| plan.steps.iter().find(|step| step.class == text.parse().unwrap()).unwrap();
        assert!(speed.time(of("9-8")) > 10 * speed.time(of("6-5")));
        assert!(of("9-8").expected_bytes() > 5 * of("6-5").expected_bytes());
        let all: f64 = plan.steps.iter().map(|step| speed.time(step).as_secs_f64()).sum();
        assert!((1e-7 * 0.5..1e-7).contains(&(all / plan.missing_entries() as f64)), "{all}");
    }

    #[test]
    fn an_entry_with_cows_in_hand_is_expected_to_cost_most_where_the_sides_are_even() {
        let rules = RuleSet::default();
        let speed = Speed { moving: 1e-7, free: 1e-7, costs: &BINDING_COSTS };
        let request = Request::new(&rules, std::path::Path::new("nowhere"), Target::Game);
        let plan = Plan::new(&request).unwrap();
        let cost = |text: &str| {
            let step = plan.steps.iter().find(|step| step.class == text.parse().unwrap()).unwrap();
            speed.time(step).as_secs_f64() / step.entries as f64
        };
        assert!(cost("8-8+1-1") > cost("10-6+1-1"));
        assert!(cost("8-8+1-1") > cost("5-11+1-1"));
        // There is an estimate however far apart the sides are.
        assert!(plan.steps.iter().all(|step| speed.time(step) >= PER_CLASS));
    }
}
