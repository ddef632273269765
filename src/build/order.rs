//! What a build is to make, and the order of the work.

use crate::rules::{FEWEST_COWS, RuleSet};
use crate::solve::{Dependencies, SolveError};
use crate::space::{Class, MOST_COWS};

use super::BuildError;

/// What is to be built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// All classes with at most this many cows together: 6 to twice as many as a side can have under the rules.
    MaxCows(u32),
    /// This class, those solved with it and all they depend on.
    Class(Class),
    /// This class and those solved with it, from what is there.
    Only(Class),
}

impl Target {
    /// The steps to take, each by the class that represents those solved together, in an order in which each comes after all it
    /// needs.
    pub(super) fn order(self, rules: &RuleSet) -> Result<Vec<Class>, BuildError> {
        let all = Class::all_moving(rules.cows).into_iter().filter(|class| class.representative() == *class);
        match self {
            Self::MaxCows(found) => {
                let most = 2 * rules.cows.min(MOST_COWS);
                if !(2 * u32::from(FEWEST_COWS)..=u32::from(most)).contains(&found) {
                    return Err(BuildError::Cows { found, most });
                }
                Ok(all.filter(|class| u32::from(class.total()) <= found).collect())
            }
            Self::Only(class) => Ok(vec![solvable(rules, class)?]),
            Self::Class(class) => {
                let mut needed = vec![solvable(rules, class)?];
                let mut at = 0;
                while let Some(&class) = needed.get(at) {
                    for class in Dependencies::all(rules, class).into_iter().map(Class::representative) {
                        if !needed.contains(&class) {
                            needed.push(class);
                        }
                    }
                    at += 1;
                }
                Ok(all.filter(|class| needed.contains(class)).collect())
            }
        }
    }
}

/// The representative of a class that can be solved under the rules.
fn solvable(rules: &RuleSet, class: Class) -> Result<Class, BuildError> {
    let class = class.check(rules)?.representative();
    if class.has_hands() { Err(SolveError::Hands { class }.into()) } else { Ok(class) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;

    fn classes(rules: Preset, target: Target) -> Vec<String> {
        target.order(&rules.rules()).unwrap().iter().map(Class::to_string).collect()
    }

    #[test]
    fn a_class_brings_what_it_depends_on_in_order() {
        let class = "5-4".parse().unwrap();
        assert_eq!(classes(Preset::Plain, Target::Class(class)), ["3-3", "4-3", "4-4", "5-3", "5-4"]);
        assert_eq!(classes(Preset::Plain, Target::Only(class.successors().quiet)), ["5-4"]);
        assert_eq!(classes(Preset::Plain, Target::MaxCows(7)), ["3-3", "4-3"]);
    }

    #[test]
    fn impossible_targets_are_refused_with_the_bound_of_the_rules() {
        let nine = Preset::NineMensMorris.rules();
        assert_eq!(Target::MaxCows(18).order(&nine).unwrap().len(), 28);
        for cows in [0, 5, 19, 24, 25, u32::MAX] {
            let error = Target::MaxCows(cows).order(&nine).unwrap_err();
            assert!(matches!(error, BuildError::Cows { found, most: 18 } if found == cows));
            assert!(error.to_string().contains("expected 6 to 18 under these rules"), "{error}");
        }
        assert!(Target::MaxCows(24).order(&Preset::Gar.rules()).is_ok());
        assert!(Target::MaxCows(25).order(&Preset::Gar.rules()).is_err());
        for class in ["10-3", "3-3+1-1"] {
            assert!(Target::Class(class.parse().unwrap()).order(&nine).is_err(), "{class}");
        }
    }
}
