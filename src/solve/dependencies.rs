//! [`Dependencies`]: the solved classes that a class is built on.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::board::PointSet;
use crate::lookahead::{Fragility, Lookup, Outcomes, Values};
use crate::rules::{NoRemake, RuleSet};
use crate::space::{Class, ClassMap, PlacedMover, Space};
use crate::value::Value;

use super::error::SolveError;
use super::robustness::Robustness;

/// Looks up values of classes too deep to be held in memory, for the search of restrictions.
pub type Deeper<'a> =
    dyn Fn(Class, PointSet, PointSet) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> + Sync + 'a;

/// The solved classes that a class and its reverse are built on.
#[derive(Default)]
pub struct Dependencies<'a> {
    known: BTreeMap<Class, SolvedClass<'a>>,
    deeper: Option<&'a Deeper<'a>>,
}

/// What is known about a solved class.
struct SolvedClass<'a> {
    outcomes: Cow<'a, Outcomes>,
    values: Option<&'a Values>,
    robustness: Option<&'a Robustness>,
}

impl std::fmt::Debug for Dependencies<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.known.keys()).finish()
    }
}

impl<'a> Dependencies<'a> {
    /// Adds a class by its values.
    pub fn add(&mut self, values: &'a Values) {
        let known = SolvedClass { outcomes: Cow::Owned(Outcomes::of(values)), values: Some(values), robustness: None };
        self.known.insert(values.class(), known);
    }

    /// Adds a class by its outcomes and, if available, its values. Values are only needed if a draw counter runs under
    /// a no-remake rule.
    pub fn add_outcomes(&mut self, outcomes: &'a Outcomes, values: Option<&'a Values>) {
        let known = SolvedClass { outcomes: Cow::Borrowed(outcomes), values, robustness: None };
        self.known.insert(outcomes.class(), known);
    }

    /// Adds which results of a class, added before, hold whatever a restriction bars. This saves most of the look-ahead
    /// and does not change the values found.
    pub fn add_robustness(&mut self, robustness: &'a Robustness) {
        if let Some(known) = self.known.get_mut(&robustness.class()) {
            known.robustness = Some(robustness);
        }
    }

    /// Whether values of the class are needed besides its outcomes.
    pub fn asks_for_values(rules: &RuleSet, class: Class) -> bool {
        rules.no_remake != NoRemake::None && rules.counter_limit(class.mover(), class.waiting()).is_some()
    }

    /// Sets the source for everything not in memory.
    pub fn set_deeper(&mut self, deeper: &'a Deeper<'a>) {
        self.deeper = Some(deeper);
    }

    /// The classes that must be in memory to solve `class` and its reverse: those that a shot leads to.
    pub fn required(class: Class) -> Vec<Class> {
        let mut required: Vec<Class> =
            [class.successors().shot, class.successors().quiet.successors().shot].into_iter().flatten().collect();
        required.sort_unstable();
        required.dedup();
        required
    }

    /// All classes that may be needed: under a no-remake rule, everything that further shots lead to. Those not in
    /// memory must be available from the deeper source, which is slow.
    pub fn all(rules: &RuleSet, class: Class) -> Vec<Class> {
        let mut all = Self::required(class);
        if rules.no_remake != NoRemake::None {
            let mut at = 0;
            while at < all.len() {
                let class = all[at];
                let next = Self::required(class).into_iter().chain([class.successors().quiet]);
                for class in next.collect::<Vec<_>>() {
                    if !all.contains(&class) {
                        all.push(class);
                    }
                }
                at += 1;
            }
        }
        all.sort_unstable();
        all
    }

    /// The outcomes of a class, if they are in memory.
    pub(super) fn outcomes(&self, class: Class) -> Option<&Outcomes> {
        self.known.get(&class).map(|known| &*known.outcomes)
    }

    /// Which results of a class hold whatever a restriction bars, if that is known.
    pub(super) fn robustness(&self, class: Class) -> Option<&Robustness> {
        self.known.get(&class)?.robustness
    }

    /// The values as the look-ahead asks for them.
    pub(super) fn solved(&'a self, rules: &'a RuleSet) -> Solved<'a> {
        let known = self.known.iter().map(|(class, known)| (*class, known)).collect();
        Solved { rules, known, deeper: self.deeper }
    }
}

/// Values of all solved classes: those in memory, and a slower source for the rest.
pub(super) struct Solved<'a> {
    rules: &'a RuleSet,
    known: ClassMap<&'a SolvedClass<'a>>,
    deeper: Option<&'a Deeper<'a>>,
}

impl Lookup for Solved<'_> {
    type Error = SolveError;

    const IS_COSTLY: bool = false;

    fn value(&self, class: Class, mover: PointSet, waiting: PointSet) -> Result<Value, SolveError> {
        self.value_against(class, &Space::new(self.rules.board, class).place_mover(mover), waiting)
    }

    #[inline]
    fn value_against(&self, class: Class, placed: &PlacedMover, waiting: PointSet) -> Result<Value, SolveError> {
        if let Some(known) = self.known.get(class) {
            let entry = known.outcomes.space().entry_against(placed, waiting);
            if let Some(values) = known.values {
                return Ok(values.value_of(entry));
            }
            // If the counter runs, the plies decide whether a win counts.
            if self.rules.counter_limit(class.mover(), class.waiting()).is_none() {
                return Ok(known.outcomes.value(entry));
            }
        }
        let missing = || SolveError::missing_for_lookahead(class);
        self.deeper.ok_or_else(missing)?(class, placed.mover(), waiting).map_err(SolveError::Deeper)
    }

    #[inline]
    fn fragility(&self, class: Class, placed: &PlacedMover, waiting: PointSet) -> Option<Fragility> {
        let known = self.known.get(class)?;
        let robustness = known.robustness?;
        Some(robustness.fragility(known.outcomes.space().entry_against(placed, waiting)))
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::io;

    use super::super::UnavailableClass;
    use super::*;
    use crate::rules::Preset;

    #[test]
    fn what_keeps_the_look_ahead_from_a_class_is_the_cause_of_its_error() {
        let rules = Preset::Gar.rules();
        let class = Class::moving(3, 3).unwrap();
        let value = |dependencies: &Dependencies<'_>| {
            let [mover, waiting] = [0b111, 0b11_1000].map(PointSet::from_bits_truncate);
            dependencies.solved(&rules).value(class, mover, waiting).unwrap_err()
        };
        let error = value(&Dependencies::default());
        assert_eq!(error.source().and_then(|cause| cause.downcast_ref()), Some(&UnavailableClass { class }));

        let refuse = |_: Class, _: PointSet, _: PointSet| Err(io::Error::from(io::ErrorKind::PermissionDenied).into());
        let mut dependencies = Dependencies::default();
        dependencies.set_deeper(&refuse);
        let error = value(&dependencies);
        let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
        assert_eq!(cause.map(io::Error::kind), Some(io::ErrorKind::PermissionDenied));
    }
}
