//! What a build will make, and the order of the work.

use crate::rules::{FEWEST_COWS, RuleSet};
use crate::space::{Class, MOST_COWS};

use super::{BuildError, needs};

/// What to build.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// All classes without cows in hand and with at most this many cows in total: 6 to twice the most a side can have
    /// under the rules.
    MaxCows(u32),
    /// A whole game from the empty board: all classes without cows in hand, then all those with.
    Game,
    /// This class, those solved with it, and everything they depend on.
    Class(Class),
    /// This class and those solved with it, from existing tables.
    Only(Class),
}

impl Target {
    /// The steps to take, each named by the class that represents those solved together, ordered so that each comes
    /// after everything it needs.
    pub(super) fn order(self, rules: &RuleSet) -> Result<Vec<Class>, BuildError> {
        match self {
            Self::MaxCows(found) => {
                let most = 2 * rules.cows.min(MOST_COWS);
                if !(2 * u32::from(FEWEST_COWS)..=u32::from(most)).contains(&found) {
                    return Err(BuildError::Cows { found, most });
                }
                Ok(moving(rules).filter(|class| u32::from(class.total()) <= found).collect())
            }
            Self::Game => Ok(game(rules).collect()),
            Self::Only(class) => Ok(vec![class.check(rules)?.representative()]),
            Self::Class(class) => {
                let mut needed = vec![class.check(rules)?.representative()];
                let mut at = 0;
                while let Some(&class) = needed.get(at) {
                    for class in needs::all(rules, class).into_iter().map(Class::representative) {
                        if !needed.contains(&class) {
                            needed.push(class);
                        }
                    }
                    at += 1;
                }
                Ok(game(rules).filter(|class| needed.contains(class)).collect())
            }
        }
    }
}

/// The steps of the moving phase in order.
fn moving(rules: &RuleSet) -> impl Iterator<Item = Class> {
    Class::all_moving(rules.cows).into_iter().filter(|class| class.representative() == *class)
}

/// All steps of a game in order: the moving phase, then the classes with cows in hand, fewest in hand first.
///
/// Classes with equally many cows in hand are independent, so their order is free. A step needs the class after a quiet
/// placement and the one after a shot, and the class that one step reaches quietly is reached by a shot from the step
/// with one more waiting cow. With the mover's cows as the outer loop such steps are consecutive, and each table is
/// read once.
fn game(rules: &RuleSet) -> impl Iterator<Item = Class> {
    let mut placing = Class::all_placing(rules.cows);
    placing.sort_by_key(|class| (class.mover_hand() + class.waiting_hand(), class.mover(), class.waiting()));
    moving(rules).chain(placing)
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
        // Nine men's morris begins with nine cows each, so a side with four cows in hand has placed five.
        for class in ["10-3", "3-3+1-2", "6-5+4-4"] {
            for target in [Target::Class, Target::Only] {
                assert!(target(class.parse().unwrap()).order(&nine).is_err(), "{class}");
            }
        }
    }

    #[test]
    fn a_game_is_the_moving_phase_and_then_every_class_with_cows_in_hand_after_those_it_leads_to() {
        for (cows, pairs, placing) in [(3, 1, 6), (4, 3, 14), (12, 55, 738)] {
            let rules = Preset::Gar.rules().with_cows(cows);
            let order = Target::Game.order(&rules).unwrap();
            assert_eq!(order.len(), pairs + placing);
            assert!(order[..pairs].iter().all(|class| !class.has_hands()));
            for (at, &class) in order.iter().enumerate() {
                let needed = needs::all(&rules, class).into_iter().map(Class::representative);
                assert!(needed.into_iter().all(|needed| order[..at].contains(&needed)), "{class}");
            }
        }
    }

    #[test]
    fn a_class_with_cows_in_hand_brings_what_its_turns_lead_to_and_all_that_needs() {
        let rules = Preset::Gar.rules().with_cows(3);
        let order = |target: Target| target.order(&rules).unwrap().iter().map(Class::to_string).collect::<Vec<_>>();
        let all = ["3-3", "2-3+1-0", "2-2+1-1", "1-2+2-1", "1-1+2-2", "0-1+3-2", "0-0+3-3"];
        assert_eq!(order(Target::Game), all);
        assert_eq!(order(Target::Class("2-2+1-1".parse().unwrap())), all[..3]);
        assert_eq!(order(Target::Only("2-2+1-1".parse().unwrap())), all[2..3]);
        // Under a no-remake rule the moving phase below is looked up too.
        let five = Preset::Gar.rules().with_cows(5);
        let order = Target::Class("4-5+1-0".parse().unwrap()).order(&five).unwrap();
        assert_eq!(
            order.iter().map(Class::to_string).collect::<Vec<_>>(),
            ["3-3", "4-3", "4-4", "5-3", "5-4", "5-5", "4-5+1-0"]
        );
    }
}
