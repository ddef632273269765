//! What a build will do: the steps in order, and which of their tables exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::board::BoardKind;
use crate::rules::RuleSet;
use crate::space::{Class, Space};
use crate::store::{Contents, Scope, check_table, class_of_file, file_name, layer_file_name};
use crate::table::{Access, FileSource, Table, TableError};

use super::disk::table_bytes;
use super::layers::Layers;
use super::memory::{MemoryEstimate, held_bytes};
use super::order::Target;
use super::{BuildError, needs};

/// How existing tables are checked before they are trusted, and whether they are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Existing {
    /// Trusted if head and length, rules, class and the head's checksum are right.
    #[default]
    Check,
    /// Trusted if every byte is right.
    Recheck,
    /// Rebuilt and replaced.
    Replace,
}

/// What is requested: tables of these rules, in this directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// The rules.
    pub rules: RuleSet,
    /// Where the tables are; it need not exist yet.
    pub directory: PathBuf,
    /// What to build.
    pub target: Target,
    /// How existing tables are checked.
    pub existing: Existing,
    /// The most memory in bytes, if limited.
    pub memory: Option<u64>,
    /// Which classes with cows in hand are kept. The others are built if the kept ones need them, and removed by the
    /// end.
    pub layers: Layers,
}

impl Request {
    /// A request that keeps [checked](Existing::Check) tables and all layers, and has no limit on memory.
    pub fn new(rules: &RuleSet, directory: &Path, target: Target) -> Self {
        let directory = directory.to_owned();
        Self { rules: *rules, directory, target, existing: Existing::Check, memory: None, layers: Layers::All }
    }

    /// Whether existing tables count.
    fn keeps(&self) -> bool {
        self.existing != Existing::Replace
    }

    /// The file that a class is read from: an existing table counts whether or not this request keeps it.
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
    /// The class that represents those solved together: the one with more cows to move. A class with cows in hand is
    /// solved alone.
    pub class: Class,
    /// Entries in all its tables.
    pub entries: u64,
    /// Positions of all its classes that differ under the symmetries.
    pub positions: u64,
    board: BoardKind,
    /// Memory to build it at full speed.
    pub memory: MemoryEstimate,
    /// Memory to build it at all.
    pub least_memory: MemoryEstimate,
    /// The tables of the step that exist, with their bytes.
    pub present: Vec<(Class, u64)>,
    /// The classes that its work may look up.
    pub dependencies: Vec<Class>,
    /// The steps that must be done first, each named by the class that represents it.
    pub requires: Vec<Class>,
    /// Whether its tables are kept, rather than removed once nothing needs them.
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

    /// Whether all its tables exist.
    pub fn is_done(&self) -> bool {
        self.classes().all(|class| self.has(class))
    }

    fn has(&self, class: Class) -> bool {
        self.present.iter().any(|(present, _)| *present == class)
    }

    /// The estimated bytes of the tables still to be written.
    pub fn expected_bytes(&self) -> u64 {
        self.classes().filter(|class| !self.has(*class)).map(|class| table_bytes(Space::new(self.board, class))).sum()
    }

    /// Bytes of its tables on disk, existing and expected.
    pub fn disk_bytes(&self) -> u64 {
        self.present.iter().map(|(_, bytes)| bytes).sum::<u64>() + self.expected_bytes()
    }
}

/// What a build will do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The request.
    pub request: Request,
    /// The steps in working order, including those already done.
    pub steps: Vec<PlanStep>,
}

impl Plan {
    /// Inspects the directory of a request, which need not exist yet, and plans what to do. Changes nothing and locks
    /// nothing, so another build may be running.
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
        // A damaged table may be the reason to rebuild it, and one that has nothing to do with the request stays.
        let matters = |fault: &TableError| {
            let of_order = |class| order.iter().any(|step| step.solved_together().any(|own| own == class));
            class_of_file(fault.file()).is_none_or(of_order)
        };
        if let Some(fault) = heads.faults.into_iter().find(|fault| request.keeps() && matters(fault)) {
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

    /// The steps still to be taken.
    pub fn missing(&self) -> impl Iterator<Item = &PlanStep> {
        self.steps.iter().filter(|step| !step.is_done())
    }

    /// Estimated bytes of the tables still to be built, without those that are removed again.
    pub fn expected_bytes(&self) -> u64 {
        self.missing().filter(|step| step.kept).map(PlanStep::expected_bytes).sum()
    }

    /// The memory for a step: what full speed takes, or as much of that as the request's limit allows.
    ///
    /// # Errors
    /// [`BuildError::Memory`] if not even the least fits.
    pub fn memory(&self, step: &PlanStep) -> Result<MemoryEstimate, BuildError> {
        let Some(limit) = self.request.memory else { return Ok(step.memory.clone()) };
        let estimate = MemoryEstimate::within(&self.request.rules, step.class, limit);
        estimate.ok_or_else(|| BuildError::Memory { class: step.class, least: step.least_memory.bytes(), limit })
    }

    /// The memory of the most demanding step still to be taken.
    ///
    /// # Errors
    /// [`BuildError::Memory`] if a step does not fit the limit.
    pub fn peak(&self) -> Result<u64, BuildError> {
        // If several steps do not fit, the error names the largest need, so that raising the limit once is enough.
        if let Some(largest) = self.missing().max_by_key(|step| step.least_memory.bytes()) {
            self.memory(largest)?;
        }
        self.missing().try_fold(0, |peak, step| Ok(self.memory(step)?.bytes().max(peak)))
    }

    /// The same without a limit.
    pub fn peak_at_full_speed(&self) -> u64 {
        self.missing().map(|step| step.memory.bytes()).max().unwrap_or(0)
    }

    /// The memory limit from which no table is read twice: what steps share stays in memory from first to last use.
    /// More brings nothing; less costs time when classes with cows in hand are built.
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

/// Removes the steps that are not kept and that no remaining step needs.
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

/// What a build must lock. Builds of one class's step may share a directory if everything the step needs exists.
pub(super) fn scope(request: &Request, order: &[Class], contents: &Contents) -> Scope {
    let done = |step: Class| request.keeps() && step.solved_together().all(|class| contents.has(class));
    let alone = |wanted: Class| order.iter().all(|&step| step == wanted || done(step));
    match request.target {
        Target::Only(class) => Scope::Step(class.representative()),
        Target::Class(class) if alone(class.representative()) => Scope::Step(class.representative()),
        Target::Class(_) | Target::MaxCows(_) | Target::Game => Scope::Directory,
    }
}

/// Whether all tables that a request asks for exist. Their file names suffice, as only complete files have them.
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
    use crate::table::{Counts, Overwrite, TableFault, TableMeta, write_table};

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
    fn a_limit_that_is_too_low_for_several_steps_is_answered_with_the_largest_need() {
        let plan = |memory| {
            let target = Target::MaxCows(24);
            let request = Request { memory, ..Request::new(&Preset::Gar.rules(), Path::new("nowhere"), target) };
            Plan::new(&request).unwrap()
        };
        let unlimited = plan(None);
        let largest = unlimited.missing().max_by_key(|step| step.least_memory.bytes()).unwrap();
        let least = largest.least_memory.bytes();
        for limit in [1 << 30, least - 1] {
            let error = plan(Some(limit)).peak().unwrap_err();
            assert!(error.to_string().contains(&format!("--memory {}M or more", least.div_ceil(1 << 20))), "{error}");
            assert!(matches!(error, BuildError::Memory { class, .. } if class == largest.class), "{error}");
        }
        assert!(plan(Some(least)).peak().is_ok());
    }

    #[test]
    fn twelve_gibibytes_are_enough_to_read_no_table_of_a_whole_game_twice() {
        for rules in [Preset::Plain, Preset::Gar] {
            let plan = Plan::new(&Request::new(&rules.rules(), Path::new("nowhere"), Target::Game)).unwrap();
            let (peak, room) = (plan.peak().unwrap(), plan.memory_to_read_once());
            assert!(peak < room && room <= 12 << 30, "{rules:?}: {peak} {room}");
        }
        // If each step needs only what the one before made, nothing else is held.
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
