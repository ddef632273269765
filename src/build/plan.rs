//! What a build will do: the pairs in order and what of them is there.

use std::io;
use std::path::{Path, PathBuf};

use crate::board::BoardKind;
use crate::rules::RuleSet;
use crate::solve::{Dependencies, SolveError};
use crate::space::{Class, Space};
use crate::table::{Access, EXTENSION, FileSource, Table, TableFault, file_name};

use super::BuildError;
use super::estimate;
use super::memory::Need;

/// What is wished for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wish {
    /// All classes with at most this many cows together.
    MaxCows(u32),
    /// This class, its partner and all they depend on.
    Class(Class),
    /// This class and its partner, from what is there.
    Only(Class),
}

/// How existing tables are looked at before they are trusted, and whether they are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Existing {
    /// Trusted when head and length, rules, class and the head's checksum are right.
    #[default]
    Check,
    /// Trusted when every byte is right.
    Recheck,
    /// Built anew and replaced.
    Replace,
}

/// One pair of a plan.
#[derive(Clone, Debug)]
pub struct PairPlan {
    /// The class of the pair with more cows to move.
    pub class: Class,
    /// Entries of both tables.
    pub entries: u64,
    /// Positions of both classes that differ under the symmetries.
    pub positions: u64,
    board: BoardKind,
    /// Memory to build it at full speed.
    pub need: Need,
    /// Memory to build it at all.
    pub least: Need,
    /// The tables of the pair that are there, with their bytes.
    pub present: Vec<(Class, u64)>,
    /// The classes that its work may ask for.
    pub asks: Vec<Class>,
    /// The pairs that must be there first, by their class with more cows to move.
    pub needs: Vec<Class>,
}

impl PairPlan {
    /// The classes of the pair.
    pub fn classes(&self) -> impl Iterator<Item = Class> {
        self.class.solved_together()
    }

    /// Whether both tables are there.
    pub fn is_done(&self) -> bool {
        self.classes().all(|class| self.has(class))
    }

    fn has(&self, class: Class) -> bool {
        self.present.iter().any(|(present, _)| *present == class)
    }

    /// Bytes of the tables that are still to be written, as estimated.
    pub fn expected_bytes(&self) -> u64 {
        self.classes()
            .filter(|class| !self.has(*class))
            .map(|class| estimate::table_bytes(Space::new(self.board, class)))
            .sum()
    }

    /// Bytes of its tables on disk, those that are there and those expected.
    pub fn disk_bytes(&self) -> u64 {
        self.present.iter().map(|(_, bytes)| bytes).sum::<u64>() + self.expected_bytes()
    }
}

/// What a build will do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The rules.
    pub rules: RuleSet,
    /// Where the tables are.
    pub directory: PathBuf,
    /// What was wished for.
    pub wish: Wish,
    /// How existing tables were looked at.
    pub existing: Existing,
    /// The pairs in the order of the work, those that are there among them.
    pub pairs: Vec<PairPlan>,
}

impl Plan {
    /// Looks at a directory, which need not exist yet, and plans what to do for a wish. Changes nothing.
    ///
    /// # Errors
    /// [`BuildError`] if the directory or a table in it cannot be used, or the wish cannot be met under the rules.
    pub fn new(rules: &RuleSet, directory: &Path, wish: Wish, existing: Existing) -> Result<Self, BuildError> {
        check_directory(directory, rules, existing)?;
        let mut pairs = Vec::new();
        for class in wished(rules, wish)? {
            let mut present = Vec::new();
            for class in class.solved_together().filter(|_| existing != Existing::Replace) {
                present.extend(look_at(directory, rules, class, existing)?.map(|bytes| (class, bytes)));
            }
            let asks = Dependencies::all(rules, class);
            let mut needs: Vec<Class> = asks.iter().copied().map(Class::representative).collect();
            needs.sort_by_key(|class| (class.total(), *class));
            needs.dedup();
            let spaces = || class.solved_together().map(|class| Space::new(rules.board, class));
            pairs.push(PairPlan {
                class,
                board: rules.board,
                entries: spaces().map(Space::entries).sum(),
                positions: spaces().map(Space::positions).sum(),
                need: Need::comfortable(rules, class),
                least: Need::least(rules, class),
                present,
                asks,
                needs,
            });
        }
        Ok(Self { rules: *rules, directory: directory.to_owned(), wish, existing, pairs })
    }

    /// The pair to be built if it is one class's own and all that it needs is there: then other such builds may work in
    /// the same directory at the same time.
    pub fn single(&self) -> Option<Class> {
        match self.wish {
            Wish::MaxCows(_) => None,
            Wish::Only(class) => Some(class.representative()),
            Wish::Class(class) => {
                Some(class.representative()).filter(|&wanted| self.missing().all(|pair| pair.class == wanted))
            }
        }
    }

    /// The pairs that are still to be built.
    pub fn missing(&self) -> impl Iterator<Item = &PairPlan> {
        self.pairs.iter().filter(|pair| !pair.is_done())
    }

    /// The memory to build a pair in: what full speed takes, or as much of that as a limit allows.
    ///
    /// # Errors
    /// [`BuildError::Memory`] if not even the least fits.
    pub fn need(&self, pair: &PairPlan, limit: Option<u64>) -> Result<Need, BuildError> {
        let Some(limit) = limit else { return Ok(pair.need.clone()) };
        let need = Need::within(&self.rules, pair.class, limit);
        need.ok_or_else(|| BuildError::Memory { class: pair.class, need: pair.least.bytes(), limit })
    }

    /// Memory of the pair that needs most, of those still to be built.
    ///
    /// # Errors
    /// [`BuildError::Memory`] if a pair does not fit the limit.
    pub fn peak(&self, limit: Option<u64>) -> Result<u64, BuildError> {
        let needs = self.missing().map(|pair| Ok(self.need(pair, limit)?.bytes()));
        needs.collect::<Result<Vec<u64>, _>>().map(|needs| needs.into_iter().max().unwrap_or(0))
    }

    /// Entries still to be built.
    pub fn missing_entries(&self) -> u64 {
        self.missing().map(|pair| pair.entries).sum()
    }
}

/// The pairs of a wish, each by its leader, in the order of the work.
fn wished(rules: &RuleSet, wish: Wish) -> Result<Vec<Class>, BuildError> {
    let most = 2 * rules.cows;
    let leaders = Class::all_moving(rules.cows).into_iter().filter(|class| class.representative() == *class);
    match wish {
        Wish::MaxCows(cows) => {
            let cows = u8::try_from(cows).ok().filter(|cows| (6..=24).contains(cows));
            let Some(cows) = cows else {
                let Wish::MaxCows(found) = wish else { unreachable!("matched above") };
                return Err(BuildError::Cows { found, most });
            };
            Ok(leaders.filter(|class| class.total() <= cows).collect())
        }
        Wish::Only(class) => Ok(vec![solvable(rules, class)?]),
        Wish::Class(class) => {
            let class = solvable(rules, class)?;
            let mut needed = vec![class];
            let mut at = 0;
            while let Some(&class) = needed.get(at) {
                let below = Dependencies::all(rules, class).into_iter().map(Class::representative);
                let below: Vec<Class> = below.filter(|class| !needed.contains(class)).collect();
                needed.extend(below);
                needed.dedup();
                at += 1;
            }
            Ok(leaders.filter(|class| needed.contains(class)).collect())
        }
    }
}

/// The representative of a class that can be solved under the rules.
fn solvable(rules: &RuleSet, class: Class) -> Result<Class, BuildError> {
    let class = class.check(rules)?.representative();
    if class.has_hands() { Err(SolveError::Hands { class }.into()) } else { Ok(class) }
}

/// Refuses a directory that is none or holds tables of other rules. One that does not exist yet is fine.
pub(crate) fn check_directory(directory: &Path, rules: &RuleSet, existing: Existing) -> Result<(), BuildError> {
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Err(BuildError::NotADirectory { path: directory.to_owned() });
        }
        Err(error) => return Err(BuildError::io(directory, "read the directory")(error)),
    };
    for entry in entries {
        let path = entry.map_err(BuildError::io(directory, "read the directory"))?.path();
        if path.extension().is_none_or(|extension| extension != EXTENSION) {
            continue;
        }
        let table = match Table::open(&path, Access::Positioned) {
            Ok(table) => table,
            // A damaged table may be the reason to build it anew.
            Err(_) if existing == Existing::Replace => continue,
            Err(error) => return Err(error.into()),
        };
        let theirs = &table.meta().rules_text;
        if *theirs != rules.to_string() {
            return Err(BuildError::OtherRules { path, theirs: theirs.clone(), ours: rules.to_string() });
        }
    }
    Ok(())
}

/// The bytes of a class's table if it is there and right.
fn look_at(directory: &Path, rules: &RuleSet, class: Class, existing: Existing) -> Result<Option<u64>, BuildError> {
    let Some(table) = open(directory, rules, class)? else { return Ok(None) };
    if existing == Existing::Recheck {
        table.verify()?;
    }
    Ok(Some(table.file_length()))
}

/// A class's table, if there is one.
fn open(directory: &Path, rules: &RuleSet, class: Class) -> Result<Option<Table<FileSource>>, BuildError> {
    let path = directory.join(file_name(class));
    match Table::open(&path, Access::Positioned) {
        Ok(table) => Ok(Some(table.expect(class, &rules.to_string(), rules.fingerprint())?)),
        Err(error) => match error.fault() {
            TableFault::Io { error: cause, .. } if cause.kind() == io::ErrorKind::NotFound => Ok(None),
            _ => Err(error.into()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;

    fn classes(rules: Preset, wish: Wish) -> Vec<String> {
        wished(&rules.rules(), wish).unwrap().iter().map(Class::to_string).collect()
    }

    #[test]
    fn a_class_brings_what_it_depends_on_in_order() {
        let class = "5-4".parse().unwrap();
        assert_eq!(classes(Preset::Plain, Wish::Class(class)), ["3-3", "4-3", "4-4", "5-3", "5-4"]);
        assert_eq!(classes(Preset::Plain, Wish::Only(class.successors().quiet)), ["5-4"]);
        assert_eq!(classes(Preset::Plain, Wish::MaxCows(7)), ["3-3", "4-3"]);
    }

    #[test]
    fn every_pair_comes_after_all_it_needs() {
        for preset in Preset::ALL {
            let rules = preset.rules();
            let plan = Plan::new(&rules, Path::new("nowhere"), Wish::MaxCows(24), Existing::Check).unwrap();
            for (at, pair) in plan.pairs.iter().enumerate() {
                for need in &pair.needs {
                    assert!(plan.pairs[..at].iter().any(|before| before.class == *need), "{} {need}", pair.class);
                }
            }
        }
    }

    #[test]
    fn impossible_wishes_are_refused() {
        let rules = Preset::NineMensMorris.rules();
        for cows in [0, 5, 25, u32::MAX] {
            assert!(wished(&rules, Wish::MaxCows(cows)).is_err());
        }
        assert!(wished(&rules, Wish::Class("10-3".parse().unwrap())).is_err());
    }
}
