//! Which solved classes a step is built on, and what of them stays in memory.
//!
//! A class with cows in hand needs the classes that its turns lead to, and of those the outcomes alone. What a pair of the moving
//! phase needs the solver says.

use crate::rules::RuleSet;
use crate::solve::Dependencies;
use crate::space::Class;

/// The classes that must be in memory to solve the step of `class`.
pub(super) fn required(class: Class) -> Vec<Class> {
    if class.has_hands() { class.successors().iter().collect() } else { Dependencies::required(class) }
}

/// All classes that the step of `class` may ask for.
pub(super) fn all(rules: &RuleSet, class: Class) -> Vec<Class> {
    if class.has_hands() { required(class) } else { Dependencies::all(rules, class) }
}

/// Whether values of a solved class are kept besides its outcomes.
pub(super) fn keeps_values(rules: &RuleSet, class: Class) -> bool {
    !class.has_hands() && Dependencies::asks_for_values(rules, class)
}
