//! All classes up to a number of cows, solved one after another in memory.

use std::collections::BTreeMap;

use crate::lookahead::Values;
use crate::rules::RuleSet;
use crate::space::Class;

use super::{Control, Dependencies, SolveError, SolvedPair, solve_pair_with_robustness, solve_placing};

/// Solves every class of at most `max_cows` cows in total that has three cows or more a side and none in hand, fewest
/// cows first, in the current rayon thread pool.
///
/// All values stay in memory, one byte per entry: 2 MB up to 7 cows, 51 MB up to 10. To solve more, build tables
/// ([`crate::build`]).
///
/// ```
/// use morabase::solve::{Control, solve_all};
/// use morabase::{Class, Preset};
///
/// let solved = solve_all(&Preset::Plain.rules(), 7, &Control::default())?;
/// assert_eq!(solved.len(), 3);
/// assert_eq!(solved[&Class::moving(4, 3)?].space().entries(), 862_980);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first [`SolveError`].
pub fn solve_all(rules: &RuleSet, max_cows: u8, control: &Control) -> Result<BTreeMap<Class, Values>, SolveError> {
    let mut solved: BTreeMap<Class, Values> = BTreeMap::new();
    let mut robust = Vec::new();
    for class in Class::all_moving(rules.cows).into_iter().filter(|class| class.total() <= max_cows) {
        if solved.contains_key(&class) {
            continue;
        }
        let mut dependencies = Dependencies::default();
        for values in solved.values() {
            dependencies.add(values);
        }
        for robustness in &robust {
            dependencies.add_robustness(robustness);
        }
        let SolvedPair { values, robustness } = solve_pair_with_robustness(rules, class, &dependencies, control)?;
        solved.extend(values.into_iter().map(|values| (values.class(), values)));
        robust.extend(robustness);
    }
    Ok(solved)
}

/// Solves every class of a whole game, from the empty board on, in the current rayon thread pool: first those without
/// cows in hand, then those with, fewest cows in hand first.
///
/// All values stay in memory, one byte per entry: 3 MB with 4 cows each, 80 MB with 5. For larger games, build tables
/// ([`crate::build`]).
///
/// ```
/// use morabase::solve::{Control, solve_game};
/// use morabase::{Class, PointSet, Preset, Value};
///
/// let rules = Preset::Gar.rules().with_cows(3);
/// let solved = solve_game(&rules, &Control::default())?;
/// let start: Class = "0-0+3-3".parse()?;
/// assert_eq!(solved[&start].value(PointSet::EMPTY, PointSet::EMPTY), Value::Winning);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first [`SolveError`].
pub fn solve_game(rules: &RuleSet, control: &Control) -> Result<BTreeMap<Class, Values>, SolveError> {
    let mut solved = solve_all(rules, 2 * rules.cows, control)?;
    for class in Class::all_placing(rules.cows) {
        let mut dependencies = Dependencies::default();
        for next in class.successors().iter() {
            if let Some(values) = solved.get(&next) {
                dependencies.add(values);
            }
        }
        let values = solve_placing(rules, class, &dependencies, control)?;
        solved.insert(class, values);
    }
    Ok(solved)
}
