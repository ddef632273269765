//! Verifying: checks every claim of a table again.
//!
//! A table claims a value for each entry, counts in its head, and checksums. Checksums and counts are simply
//! recomputed. A value must follow from the values that the position's turns lead to: won in `n` plies is one more than
//! the quickest lost reply, lost in `n` one more than the slowest won reply, a shot counts one ply, and the draw
//! counter turns what takes too long into a draw. Values that follow from each other everywhere are the only right
//! ones, because each step towards a decision counts down. With cows in hand plies are not counted, and placements
//! cannot be taken back: a position is won if a placement leads to a lost one, and lost if all lead to won ones.
//!
//! Whole classes are walked over decoded tables. A sample of entries, or all on request, goes through
//! [`Tablebase::probe`] and [`Tablebase::turns`] as a user's would.
//!
//! This module shares with the solver the board's data, the rules' options, [`space`](crate::space) and decoded tables
//! ([`Values`]), which say which position an entry is. The position's value is found by code of its own: moves, shots,
//! examining binding shots, plies, counter and counts. (The sample goes through the public look-ahead, which the solver
//! uses too.)

mod cache;
mod claims;
mod moves;
mod placing;
mod position;
mod recount;
mod reply_cache;
mod report;
mod sample;
mod score;
mod scores;
#[cfg(test)]
mod tests;
mod waiting;
mod walk;
mod whole;

use std::sync::atomic::Ordering;

use crate::lookahead::Values;
use crate::probe::{ProbeError, Tablebase};
use crate::space::Class;

pub use report::{ClassReport, Fault, Progress, Report};

use cache::TableCache;
use recount::Recount;

/// Entries of each class that go through the public path when all are checked over decoded tables.
const CROSS_CHECKED: u64 = 2_000;

/// What to check.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The classes; if empty, all that exist.
    pub classes: Vec<Class>,
    /// How values are checked.
    pub depth: Depth,
    /// The seed of a sample: the same seed and tables give the same sample.
    pub seed: u64,
    /// The most bytes of decoded tables to keep, beyond the four that a class needs at once; 1 GiB if 0. Under a
    /// no-remake rule there are up to 128 MiB of answers in addition.
    pub memory: u64,
}

/// How values are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Depth {
    /// Every entry over decoded tables, and a few of each class through the public path.
    #[default]
    Whole,
    /// Every entry through the public path: much slower.
    Probed,
    /// This many entries, drawn evenly from all classes, through the public path.
    Sample(u64),
    /// Checksums only.
    Files,
}

/// Checks tables class by class, as an iterator; see [`verify`].
pub struct Verifier<'a> {
    tables: &'a Tablebase,
    depth: Depth,
    seed: u64,
    progress: &'a Progress,
    cache: TableCache<'a>,
    classes: std::vec::IntoIter<Class>,
    /// Entries of all classes and of the finished ones.
    all: u64,
    before: u64,
}

impl<'a> Verifier<'a> {
    /// A verifier that has checked nothing yet.
    pub fn new(tables: &'a Tablebase, options: &Options, progress: &'a Progress) -> Self {
        let mut classes = options.classes.clone();
        if classes.is_empty() {
            classes = tables.classes().chain(tables.faults().map(|(class, _)| class)).collect();
        }
        classes.sort_by_key(|class| class.order());
        classes.dedup();
        let all = classes.iter().map(|class| tables.space(*class).entries()).sum();
        let total = match options.depth {
            Depth::Sample(count) => count.min(all),
            Depth::Files => 0,
            Depth::Whole | Depth::Probed => all,
        };
        progress.total.store(total, Ordering::Relaxed);
        Self {
            tables,
            depth: options.depth,
            seed: options.seed,
            progress,
            cache: TableCache::new(tables, if options.memory == 0 { 1 << 30 } else { options.memory }),
            classes: classes.into_iter(),
            all,
            before: 0,
        }
    }

    fn check(&mut self, class: Class, found: &mut ClassReport) -> Result<(), ProbeError> {
        let (tables, progress) = (self.tables, self.progress);
        let entries = tables.space(class).entries();
        // Decoding checks the checksums itself.
        match self.depth {
            Depth::Files => tables.check_file(class)?,
            Depth::Sample(_) => tables.check_places(class).and_then(|()| tables.preload(class))?,
            Depth::Whole | Depth::Probed => tables.check_places(class)?,
        }
        let numbers = [class.mover(), class.waiting(), class.mover_hand(), class.waiting_hand()];
        let seed = self.seed ^ u64::from(u32::from_le_bytes(numbers)) << 32;
        match self.depth {
            Depth::Files => {}
            Depth::Sample(count) => {
                // Shares in proportion to the entries, which add up to the count.
                let share = |done: u64| (u128::from(count) * u128::from(done) / u128::from(self.all.max(1))) as u64;
                found.probed = (share(self.before + entries) - share(self.before)).min(entries);
                found.extend(if found.probed == entries {
                    sample::check_all(tables, class, progress)
                } else {
                    sample::check(tables, class, found.probed, seed, progress)
                });
            }
            Depth::Whole => {
                self.walk(class, found)?;
                found.probed = CROSS_CHECKED.min(entries);
                found.extend(sample::check(tables, class, found.probed, seed, &Progress::default()));
            }
            Depth::Probed => {
                count(tables, &tables.decode(class)?, found)?;
                found.probed = entries;
                found.extend(sample::check_all(tables, class, progress));
            }
        }
        Ok(())
    }

    /// Checks the counts and every entry over decoded tables.
    fn walk(&mut self, class: Class, found: &mut ClassReport) -> Result<(), ProbeError> {
        let values = self.cache.get(class)?;
        count(self.tables, &values, found)?;
        found.walked = values.space().entries();
        let check = if class.has_hands() { placing::check } else { whole::check };
        found.extend(check(self.tables.rules(), &mut self.cache, class, self.progress)?);
        Ok(())
    }
}

impl Iterator for Verifier<'_> {
    type Item = ClassReport;

    /// Checks the next class, on all threads of the current rayon pool.
    fn next(&mut self) -> Option<ClassReport> {
        let class = self.classes.next()?;
        let mut found = ClassReport::new(class);
        if let Err(error) = self.check(class, &mut found) {
            found.add(Fault::Table { class, error });
        }
        self.before += self.tables.space(class).entries();
        Some(found)
    }
}

/// Checks tables. Runs on all threads of the current rayon pool.
///
/// Tables that cannot be read or checked are reported as faults and do not end the run.
pub fn verify(tables: &Tablebase, options: &Options) -> Report {
    Report { classes: Verifier::new(tables, options, &Progress::default()).collect() }
}

/// Compares the counts in the head with those of the values.
fn count(tables: &Tablebase, values: &Values, found: &mut ClassReport) -> Result<(), ProbeError> {
    let class = values.class();
    for (what, stored, counted) in Recount::of(values).differences(tables.meta(class)?) {
        let file = tables.file(class).unwrap_or("".as_ref()).to_owned();
        found.add(Fault::Count { class, file, what, stored, counted });
    }
    Ok(())
}
