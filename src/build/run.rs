//! [`Build`]: locks a directory, makes a plan, and executes it step by step.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use crate::space::Class;
use crate::store::{Contents, Lock, Scope, StoreError, check_table, create, file_name, is_whole_lock};
use crate::table::{Access, FileSource, Table};
use crate::threads::Pool;

use super::job::{Job, Observer, StepReport};
use super::order::Target;
use super::plan::{Plan, PlanStep, Request, is_met, scope};
use super::step::{StepRun, make_room};
use super::{BuildError, needs};

/// A build that is about to begin: its directory is locked, and its plan is based on the existing tables. Dropping it
/// unlocks the directory.
///
/// If all requested tables exist, nothing needs to be locked or changed: a finished directory may be read-only, and
/// another build may be running in it. Leftovers of a killed build are removed if possible.
#[derive(Debug)]
pub struct Build {
    plan: Plan,
    peak: u64,
    /// `None` if there is nothing to do.
    lock: Option<Lock>,
    /// Temporary files of a killed build.
    leftovers: Vec<PathBuf>,
    /// Tables that are only there for those built on them, and are not kept.
    layers: BTreeMap<Class, PathBuf>,
}

impl Build {
    /// Locks the directory of a request, creating it if necessary, and plans what to do.
    ///
    /// # Errors
    /// [`BuildError`] if the request cannot be met; in that case no table was touched, and a wrong request created no
    /// directory.
    pub fn begin(request: &Request) -> Result<Self, BuildError> {
        let order = request.target.order(&request.rules)?;
        let contents = Contents::scan(&request.directory)?;
        let scope = scope(request, &order, &contents);
        if is_met(request, &order, &contents) {
            let plan = Plan::of(request, &order, &contents)?;
            tidy_up(&plan, &contents, scope);
            return Ok(Self { plan, peak: 0, lock: None, leftovers: Vec::new(), layers: BTreeMap::new() });
        }
        if let Target::Only(class) = request.target {
            let mut needed = needs::all(&request.rules, class);
            needed.retain(|class| !contents.has(*class));
            if !needed.is_empty() {
                return Err(BuildError::Missing { class, missing: needed, directory: request.directory.clone() });
            }
        }
        let planned = |contents| {
            let plan = Plan::of(request, &order, contents)?;
            Ok::<_, BuildError>((plan.peak()?, plan))
        };
        // A wrong request must not create a directory, so a build into a new one is planned first.
        let of_nothing = if contents.exists() { None } else { Some(planned(&contents)?) };
        create(&request.directory)?;
        let lock = Lock::take(&request.directory, scope)?;
        let contents = Contents::scan(&request.directory)?;
        let (peak, plan) = match of_nothing.filter(|_| contents.is_empty()) {
            Some(planned) => planned,
            None => planned(&contents)?,
        };
        if let Scope::Step(class) = scope {
            // They existed when the scope of the lock was chosen.
            let others = plan.missing().filter(|step| step.class != class);
            still_there(request, others.flat_map(PlanStep::classes).filter(|class| !contents.has(*class)).collect())?;
        }
        let leftovers = leftovers(&contents, scope);
        let layers = if scope == Scope::Directory { contents.layers().clone() } else { BTreeMap::new() };
        Ok(Self { plan, peak, lock: Some(lock), leftovers, layers })
    }

    /// What will be done.
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Memory of the most demanding step, within the request's limit.
    pub const fn peak(&self) -> u64 {
        self.peak
    }

    /// Builds what is missing and returns a report per step.
    ///
    /// The result on disk is the same for any number of threads and any interruption.
    ///
    /// # Errors
    /// [`BuildError`]; the tables finished before it are complete and in place.
    pub fn run(self, job: &Job, observer: &dyn Observer) -> Result<Vec<StepReport>, BuildError> {
        let Self { plan, peak, lock, leftovers, mut layers } = self;
        let Some(lock) = lock else { return Ok(Vec::new()) };
        for path in leftovers {
            remove(&lock, &path).map_err(StoreError::io(&path, "remove the leftover"))?;
        }
        remove_passed(&plan, None, &mut layers, &lock)?;
        let pool = Pool::start(job.threads);
        if let Some(why) = pool.refusal() {
            observer.works_alone(why);
        }
        let limit = plan.request.memory.unwrap_or(peak);
        let mut reports = Vec::new();
        let mut kept = BTreeMap::new();
        for step in plan.missing() {
            if job.is_stopped() {
                return Err(BuildError::Cancelled);
            }
            observer.step_begins(step);
            let memory = plan.memory(step)?;
            make_room(&plan, step, &memory, &mut kept, limit);
            let builds_on = |later: &PlanStep| !later.class.has_hands() && later.class.total() > step.class.total();
            let run = StepRun {
                request: &plan.request,
                step,
                robustness: plan.missing().any(builds_on),
                memory: &memory,
                lock: &lock,
                job,
                observer,
            };
            let report = pool.install(|| run.build(&mut kept))?;
            observer.step_done(&report);
            reports.push(report);
            if !step.kept {
                layers.insert(step.class, plan.request.path(step.class));
            }
            remove_passed(&plan, Some(step.class), &mut layers, &lock)?;
        }
        if !lock.is_in_place() {
            return Err(BuildError::Vanished { path: plan.request.directory });
        }
        let all = plan.steps.iter().filter(|step| step.kept).flat_map(PlanStep::classes);
        let lost = all.filter(|class| !lock.place().has(file_name(*class).as_ref())).collect();
        still_there(&plan.request, lost)?;
        for class in plan.steps.iter().filter(|step| step.kept).flat_map(PlanStep::classes) {
            still_whole(&plan.request, class)?;
        }
        Ok(reports)
    }
}

/// Removes the tables that are not kept and that no step after `done` needs, or no step at all if that is `None`.
fn remove_passed(
    plan: &Plan,
    done: Option<Class>,
    layers: &mut BTreeMap<Class, PathBuf>,
    lock: &Lock,
) -> Result<(), BuildError> {
    if layers.is_empty() {
        return Ok(());
    }
    let steps = || plan.missing();
    let passed = done.map_or(0, |done| steps().take_while(|step| step.class != done).count() + 1);
    let needed: BTreeSet<Class> = steps().skip(passed).flat_map(|step| &step.dependencies).copied().collect();
    for (_, path) in layers.iter().filter(|(class, _)| !needed.contains(class)) {
        remove(lock, path).map_err(StoreError::io(path, "remove a table that is not kept"))?;
    }
    layers.retain(|class, _| needed.contains(class));
    Ok(())
}

/// Removes whatever file has this name now from the locked directory.
fn remove(lock: &Lock, file: &Path) -> io::Result<()> {
    lock.place().remove(file.file_name().unwrap_or_default().as_ref())
}

/// Leftovers of dead builds in what is about to be locked: files they were writing and, for the whole directory, also
/// locks on single steps.
fn leftovers(contents: &Contents, scope: Scope) -> Vec<PathBuf> {
    let (classes, locks) = match scope {
        Scope::Directory => (None, contents.locks()),
        Scope::Step(class) => (Some(class.solved_together().collect::<Vec<_>>()), &[][..]),
    };
    let written = contents.leftovers(classes.as_deref()).into_iter().map(PathBuf::from);
    written.chain(locks.iter().filter(|lock| !is_whole_lock(lock)).cloned()).collect()
}

/// Removes leftovers of dead builds from a directory in which nothing is to be built, if it can be locked and changed.
fn tidy_up(plan: &Plan, contents: &Contents, scope: Scope) {
    let leftovers = leftovers(contents, scope);
    let mut layers = if scope == Scope::Directory { contents.layers().clone() } else { BTreeMap::new() };
    if leftovers.is_empty() && layers.is_empty() && contents.locks().is_empty() {
        return;
    }
    // The lock's own files are removed with it.
    if let Ok(lock) = Lock::take(&plan.request.directory, scope) {
        for path in leftovers {
            let _ = remove(&lock, &path);
        }
        let _ = remove_passed(plan, None, &mut layers, &lock);
    }
}

/// Refuses to continue if tables have disappeared.
fn still_there(request: &Request, lost: Vec<Class>) -> Result<(), BuildError> {
    if lost.is_empty() {
        return Ok(());
    }
    Err(BuildError::Lost { lost, directory: request.directory.clone() })
}

/// Refuses a table whose file was cut short while the build ran.
fn still_whole(request: &Request, class: Class) -> Result<(), BuildError> {
    let path = request.path(class);
    let file = FileSource::open(&path, Access::Positioned).map_err(StoreError::io(&path, "open"))?;
    let table = Table::read(&path, file).map_err(StoreError::from)?;
    check_table(table, class, &request.rules)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::build::{Existing, Stage};
    use crate::lookahead::Tally;
    use crate::rules::Preset;
    use crate::store::describe;
    use crate::table::{Overwrite, write_table};
    use crate::testing;

    fn request(directory: &std::path::Path, cows: u32) -> Request {
        Request::new(&Preset::Plain.rules(), directory, Target::MaxCows(cows))
    }

    #[test]
    fn a_build_holds_its_directory_until_it_ends_and_one_with_nothing_to_do_holds_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("tables");
        let files = || fs::read_dir(&directory).unwrap().count();
        let build = Build::begin(&request(&directory, 6)).unwrap();
        let error = Build::begin(&request(&directory, 6)).unwrap_err();
        assert!(matches!(error, BuildError::Store(StoreError::Locked { .. })), "{error}");
        assert_eq!(build.run(&Job::default(), &()).unwrap().len(), 1);
        assert_eq!(files(), 1, "the lock is gone");
        let [first, second] = [(); 2].map(|()| Build::begin(&request(&directory, 6)).unwrap());
        assert_eq!((files(), first.plan().missing().count()), (1, 0));
        assert!(second.run(&Job::default(), &()).unwrap().is_empty());
    }

    #[test]
    fn a_wrong_request_creates_no_directory() {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("tables");
        let little = Request { memory: Some(1 << 20), ..request(&directory, 6) };
        assert!(matches!(Build::begin(&little), Err(BuildError::Memory { .. })));
        let alone = Request { target: Target::Only("4-3".parse().unwrap()), ..request(&directory, 6) };
        assert!(matches!(Build::begin(&alone), Err(BuildError::Missing { .. })));
        assert!(Build::begin(&request(&directory, 25)).is_err() && !directory.exists());
    }

    /// Abandons writing what was solved.
    struct Impatient<'a>(&'a Job);

    impl Observer for Impatient<'_> {
        fn stage(&self, _: &PlanStep, stage: Stage) {
            if stage == Stage::Writing {
                self.0.control.cancel.store(true, Ordering::Relaxed);
                self.0.abandon.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Cuts a file short once the last of the tables is solved.
    struct Cutting(PathBuf);

    impl Observer for Cutting {
        fn stage(&self, _: &PlanStep, stage: Stage) {
            if stage == Stage::Writing {
                fs::OpenOptions::new().write(true).open(&self.0).unwrap().set_len(10).unwrap();
            }
        }
    }

    #[test]
    fn a_table_from_before_that_is_cut_short_during_a_build_is_noticed_at_its_end() {
        let directory = tempfile::tempdir().unwrap();
        let build = |cows| Build::begin(&request(directory.path(), cows)).unwrap();
        build(6).run(&Job::default(), &()).unwrap();
        let older = directory.path().join("3-3.mora");
        let error = build(7).run(&Job::default(), &Cutting(older)).unwrap_err();
        assert!(error.to_string().contains("3-3.mora"), "{error}");
    }

    #[test]
    fn a_table_whose_entries_do_not_have_the_counts_of_its_head_is_not_built_upon() {
        let rules = Preset::Plain.rules();
        let directory = tempfile::tempdir().unwrap();
        Build::begin(&request(directory.path(), 6)).unwrap().run(&Job::default(), &()).unwrap();
        let values = &testing::solved(&rules, 6)[&"3-3".parse().unwrap()];
        let meta = describe(&rules, values.class(), &Tally::of(values));
        let mut symbols = values.symbols().to_vec();
        // Won in three in place of won in one would leave the counts as they are.
        let result = |symbol: u8| values.alphabet().value(symbol).unwrap().wdl();
        let other = symbols.iter().copied().find(|symbol| result(*symbol) != result(symbols[0])).unwrap();
        symbols[0] = other;
        let file = directory.path().join("3-3.mora");
        write_table(&file, &meta, &symbols[..], Overwrite::Replace).unwrap();
        let error = Build::begin(&request(directory.path(), 7)).unwrap().run(&Job::default(), &()).unwrap_err();
        assert!(error.to_string().contains("3-3.mora: the file is damaged: head: expected the counts"), "{error}");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn writing_that_is_abandoned_is_a_cancelled_build_and_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        for existing in [Existing::Check, Existing::Replace] {
            let job = Job::default();
            let build = Build::begin(&Request { existing, ..request(directory.path(), 6) }).unwrap();
            let error = build.run(&job, &Impatient(&job)).unwrap_err();
            assert!(error.is_cancelled(), "{error}");
            assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        }
    }
}
