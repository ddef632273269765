//! What a build will do: the steps in order and what of them is there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::board::BoardKind;
use crate::rules::RuleSet;
use crate::space::{Class, Space};
use crate::store::{Contents, Scope, check_table, file_name, layer_file_name};
use crate::table::{Access, FileSource, Table};

use super::disk::table_bytes;
use super::layers::Layers;
use super::memory::{MemoryEstimate, held_bytes};
use super::order::Target;
use super::{BuildError, needs};

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

/// What is asked for: tables of these rules, in this directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// The rules.
    pub rules: RuleSet,
    /// Where the tables are; it need not exist yet.
    pub directory: PathBuf,
    /// What is to be built.
    pub target: Target,
    /// How existing tables are looked at.
    pub existing: Existing,
    /// The most memory in bytes, if limited.
    pub memory: Option<u64>,
    /// Which classes with cows in hand are kept. The others are built where those that are kept need them, and removed by the end.
    pub layers: Layers,
}

impl Request {
    /// A request that keeps [checked](Existing::Check) tables and all layers, and has no limit on memory.
    pub fn new(rules: &RuleSet, directory: &Path, target: Target) -> Self {
        let directory = directory.to_owned();
        Self { rules: *rules, directory, target, existing: Existing::Check, memory: None, layers: Layers::All }
    }

    /// Whether tables that are there count.
    fn keeps(&self) -> bool {
        self.existing != Existing::Replace
    }

    /// The file that a class is read from: a table that is kept, or was before, counts whatever this request keeps.
    pub(super) fn present_path(&self, class: Class) -> PathBuf {
        let kept = self.directory.join(file_name(class));
        if kept.exists() { kept } else { self.path(class) }
    }

    /// The file that a class is written to.
    pub(super) fn path(&self, class: Class) -> PathBuf {
        let keeps = self.layers.keeps(&self.rules, class);
        self.directory.join(if keeps { file_name(class) } else { layer_file_name(class) })
    }
}

/// One step of a plan: the classes that are solved together.
#[derive(Clone, Debug)]
pub struct PlanStep {
    /// The class that represents those solved together: the one with more cows to move. One with cows in hand is solved alone.
    pub class: Class,
    /// Entries of all its tables.
    pub entries: u64,
    /// Positions of all its classes that differ under the symmetries.
    pub positions: u64,
    board: BoardKind,
    /// Memory to build it at full speed.
    pub memory: MemoryEstimate,
    /// Memory to build it at all.
    pub least_memory: MemoryEstimate,
    /// The tables of the step that are there, with their bytes.
    pub present: Vec<(Class, u64)>,
    /// The classes that its work may ask for.
    pub dependencies: Vec<Class>,
    /// The steps that must be done first, by the classes that represent them.
    pub requires: Vec<Class>,
    /// Whether its tables are kept, and not removed once nothing needs them any more.
    pub kept: bool,
}

impl PlanStep {
    fn new(request: &Request, class: Class, present: Vec<(Class, u64)>) -> Self {
        let rules = &request.rules;
        let dependencies = needs::all(rules, class);
        let mut requires: Vec<Class> = dependencies.iter().copied().map(Class::representative).collect();
        requires.sort_by_key(|class| class.order());
        requires.dedup();
        let spaces = || class.solved_together().map(|class| Space::new(rules.board, class));
        Self {
            class,
            board: rules.board,
            entries: spaces().map(Space::entries).sum(),
            positions: spaces().map(Space::positions).sum(),
            memory: MemoryEstimate::at_full_speed(rules, class),
            least_memory: MemoryEstimate::least(rules, class),
            present,
            dependencies,
            requires,
            kept: request.layers.keeps(rules, class),
        }
    }

    /// The classes of the step.
    pub fn classes(&self) -> impl Iterator<Item = Class> {
        self.class.solved_together()
    }

    /// Whether all its tables are there.
    pub fn is_done(&self) -> bool {
        self.classes().all(|class| self.has(class))
    }

    fn has(&self, class: Class) -> bool {
        self.present.iter().any(|(present, _)| *present == class)
    }

    /// Bytes of the tables that are still to be written, as estimated.
    pub fn expected_bytes(&self) -> u64 {
        self.classes().filter(|class| !self.has(*class)).map(|class| table_bytes(Space::new(self.board, class))).sum()
    }

    /// Bytes of its tables on disk, those that are there and those expected.
    pub fn disk_bytes(&self) -> u64 {
        self.present.iter().map(|(_, bytes)| bytes).sum::<u64>() + self.expected_bytes()
    }
}

/// What a build will do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What was asked for.
    pub request: Request,
    /// The steps in the order of the work, those that are done among them.
    pub steps: Vec<PlanStep>,
}

impl Plan {
    /// Looks at the directory of a request, which need not exist yet, and plans what to do. Changes nothing and holds nothing: another
    /// build may be at work meanwhile.
    ///
    /// # Errors
    /// [`BuildError`] if the directory or a table in it cannot be used, or the target cannot be met under the rules.
    pub fn new(request: &Request) -> Result<Self, BuildError> {
        let order = request.target.order(&request.rules)?;
        Self::of(request, &order, &Contents::scan(&request.directory)?)
    }

    /// The plan for a directory with these contents.
    pub(super) fn of(request: &Request, order: &[Class], contents: &Contents) -> Result<Self, BuildError> {
        let heads = contents.heads(&request.rules)?;
        // A damaged table may be the reason to build it anew.
        if let Some(fault) = heads.faults.into_iter().next().filter(|_| request.keeps()) {
            return Err(fault.into());
        }
        let mut steps = Vec::with_capacity(order.len());
        for &class in order {
            let mut present = Vec::new();
            for class in class.solved_together().filter(|_| request.keeps()) {
                let passing = || heads.layers.get(&class).filter(|_| !request.layers.keeps(&request.rules, class));
                let Some(&bytes) = heads.lengths.get(&class).or_else(passing) else { continue };
                if request.existing == Existing::Recheck {
                    recheck(request, class)?;
                }
                present.push((class, bytes));
            }
            steps.push(PlanStep::new(request, class, present));
        }
        leave_out_passed(&mut steps);
        Ok(Self { request: request.clone(), steps })
    }

    /// The steps that are still to be taken.
    pub fn missing(&self) -> impl Iterator<Item = &PlanStep> {
        self.steps.iter().filter(|step| !step.is_done())
    }

    /// The memory to take a step in: what full speed takes, or as much of that as the request's limit allows.
    ///
    /// # Errors
    /// [`BuildError::Memory`] if not even the least fits.
    pub fn memory(&self, step: &PlanStep) -> Result<MemoryEstimate, BuildError> {
        let Some(limit) = self.request.memory else { return Ok(step.memory.clone()) };
        let estimate = MemoryEstimate::within(&self.request.rules, step.class, limit);
        estimate.ok_or_else(|| BuildError::Memory { class: step.class, least: step.least_memory.bytes(), limit })
    }

    /// Memory of the step that takes most, of those still to be taken.
    ///
    /// # Errors
    /// [`BuildError::Memory`] if a step does not fit the limit.
    pub fn peak(&self) -> Result<u64, BuildError> {
        self.missing().try_fold(0, |peak, step| Ok(self.memory(step)?.bytes().max(peak)))
    }

    /// The same without a limit.
    pub fn peak_at_full_speed(&self) -> u64 {
        self.missing().map(|step| step.memory.bytes()).max().unwrap_or(0)
    }

    /// The memory limit from which on no table is read twice: what the steps share stays in memory from its first use to its last. More
    /// than that brings nothing; less costs time where classes with cows in hand are built.
    pub fn memory_to_read_once(&self) -> u64 {
        let steps: Vec<&PlanStep> = self.missing().collect();
        let mut last_use = BTreeMap::new();
        for (at, step) in steps.iter().enumerate() {
            last_use.extend(step.dependencies.iter().map(|&class| (class, at)));
        }
        let bytes = |class| held_bytes(&self.request.rules, class);
        let mut held: BTreeMap<Class, u64> = BTreeMap::new();
        let mut most = 0;
        for (at, step) in steps.iter().enumerate() {
            held.retain(|class, _| last_use.get(class).is_some_and(|&last| last >= at));
            let beside =
                held.iter().filter(|(class, _)| !step.memory.holds(**class)).map(|(_, bytes)| bytes).sum::<u64>();
            most = most.max(step.memory.bytes() + beside);
            let touched = step.memory.held().chain(step.classes());
            held.extend(touched.map(|class| (class, bytes(class))));
        }
        most
    }

    /// Entries still to be built.
    pub fn missing_entries(&self) -> u64 {
        self.missing().map(|step| step.entries).sum()
    }
}

/// Takes out the steps that are not kept and that no step which is still to be taken needs.
fn leave_out_passed(steps: &mut Vec<PlanStep>) {
    let mut needed = BTreeSet::new();
    let mut stays = Vec::with_capacity(steps.len());
    for step in steps.iter().rev() {
        let stay = step.kept || needed.contains(&step.class);
        if stay && !step.is_done() {
            needed.extend(step.requires.iter().copied());
        }
        stays.push(stay);
    }
    steps.retain(|_| stays.pop().unwrap_or(true));
}

/// Reads every byte of a table.
fn recheck(request: &Request, class: Class) -> Result<(), BuildError> {
    let table = Table::<FileSource>::open(&request.present_path(class), Access::Positioned)?;
    Ok(check_table(table, class, &request.rules)?.verify()?)
}

/// What a build has to lock. Builds of one class's step may share a directory where all that the step needs is there.
pub(super) fn scope(request: &Request, order: &[Class], contents: &Contents) -> Scope {
    let done = |step: Class| request.keeps() && step.solved_together().all(|class| contents.has(class));
    let alone = |wanted: Class| order.iter().all(|&step| step == wanted || done(step));
    match request.target {
        Target::Only(class) => Scope::Step(class.representative()),
        Target::Class(class) if alone(class.representative()) => Scope::Step(class.representative()),
        Target::Class(_) | Target::MaxCows(_) | Target::Game => Scope::Directory,
    }
}

/// Whether all tables that a request asks for are there, by the names of their files, which are whole once they have them.
pub(super) fn is_met(request: &Request, order: &[Class], contents: &Contents) -> bool {
    let kept = |class: &Class| request.layers.keeps(&request.rules, *class);
    let mut wanted = order.iter().flat_map(|class| class.solved_together()).filter(kept);
    request.keeps() && wanted.all(|class| contents.has(class))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::rules::Preset;
    use crate::table::{Counts, Overwrite, TableError, TableFault, TableMeta, write_table};

    #[test]
    fn every_step_comes_after_all_it_needs() {
        for preset in Preset::ALL {
            let rules = preset.rules();
            let request = Request::new(&rules, Path::new("nowhere"), Target::MaxCows(2 * u32::from(rules.cows)));
            let plan = Plan::new(&request).unwrap();
            for (at, step) in plan.steps.iter().enumerate() {
                for needed in &step.requires {
                    assert!(plan.steps[..at].iter().any(|before| before.class == *needed), "{} {needed}", step.class);
                }
            }
        }
    }

    #[test]
    fn a_step_is_locked_alone_where_the_rest_is_there() {
        let directory = tempfile::tempdir().unwrap();
        let class = "4-4".parse().unwrap();
        let scope = |target, existing| {
            let request = Request { existing, ..Request::new(&Preset::Gar.rules(), directory.path(), target) };
            let order = target.order(&request.rules).unwrap();
            super::scope(&request, &order, &Contents::scan(directory.path()).unwrap())
        };
        let (whole, alone) = (Scope::Directory, Scope::Step(class));
        assert_eq!(scope(Target::Class(class), Existing::Check), whole);
        assert_eq!(scope(Target::Only(class), Existing::Check), alone);
        for name in ["3-3.mora", "4-3.mora", "3-4.mora"] {
            fs::write(directory.path().join(name), "").unwrap();
        }
        assert_eq!(scope(Target::Class(class), Existing::Check), alone);
        assert_eq!(scope(Target::Class(class), Existing::Replace), whole);
        assert_eq!(scope(Target::MaxCows(8), Existing::Check), whole);
    }

    #[test]
    fn twelve_gibibytes_are_enough_to_read_no_table_of_a_whole_game_twice() {
        for rules in [Preset::Plain, Preset::Gar] {
            let plan = Plan::new(&Request::new(&rules.rules(), Path::new("nowhere"), Target::Game)).unwrap();
            let (peak, room) = (plan.peak().unwrap(), plan.memory_to_read_once());
            assert!(peak < room && room <= 12 << 30, "{rules:?}: {peak} {room}");
        }
        // Where each step needs what the one before has made, that is all there is to hold.
        let three = Preset::Gar.rules().with_cows(3);
        let plan = Plan::new(&Request::new(&three, Path::new("nowhere"), Target::Game)).unwrap();
        assert_eq!(plan.memory_to_read_once(), plan.peak().unwrap());
    }

    #[test]
    fn a_table_of_fewer_blocks_than_its_class_has_is_refused() {
        let (rules, class) = (Preset::Plain.rules(), "3-3".parse::<Class>().unwrap());
        let directory = tempfile::tempdir().unwrap();
        let counts = Counts { won: 0, drawn: 1, lost: 0 };
        let meta = TableMeta {
            rules_text: rules.to_string(),
            rules_fingerprint: rules.fingerprint(),
            board: rules.board,
            class,
            blocks: 1,
            full: counts,
            canonical: counts,
            dtc: Vec::new(),
        };
        assert_eq!(meta.space().blocks(), 158);
        let symbols = vec![0; meta.entries() as usize];
        let file = directory.path().join(file_name(class));
        write_table(&file, &meta, &symbols[..], Overwrite::Refuse).unwrap();
        let mut request = Request::new(&rules, directory.path(), Target::MaxCows(6));
        let error = Plan::new(&request).unwrap_err();
        assert!(error.to_string().contains("3-3.mora") && error.to_string().contains("158 blocks, found 1"), "{error}");
        let fault = |error: &TableError| matches!(error.fault(), TableFault::Corrupt { .. });
        assert!(matches!(&error, BuildError::Table(error) if fault(error)), "{error}");
        request.existing = Existing::Replace;
        assert_eq!(Plan::new(&request).unwrap().missing().count(), 1);
    }
}
