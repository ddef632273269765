//! Which solved classes a step is built on, and which parts of them stay in memory.
//!
//! A class with cows in hand needs only the outcomes of the classes that its turns lead to. The solver says what a pair
//! of the moving phase needs.

use crate::rules::RuleSet;
use crate::solve::Dependencies;
use crate::space::Class;

/// The classes that must be in memory to solve the step of `class`.
pub(super) fn required(class: Class) -> Vec<Class> {
    if class.has_hands() { class.successors().iter().collect() } else { Dependencies::required(class) }
}

/// All classes that the step of `class` may look up.
pub(super) fn all(rules: &RuleSet, class: Class) -> Vec<Class> {
    if class.has_hands() { required(class) } else { Dependencies::all(rules, class) }
}

/// Whether values of a solved class are kept in addition to its outcomes.
pub(super) fn keeps_values(rules: &RuleSet, class: Class) -> bool {
    !class.has_hands() && Dependencies::asks_for_values(rules, class)
}
