//! [`Tablebase`]: opens the tables of one rule set in one or more directories, and answers from them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use crate::alphabet::Alphabet;
use crate::board::PointSet;
use crate::game::{Position, Side};
use crate::lookahead::{LayerLookahead, Lookup, Values};
use crate::rules::{FEWEST_COWS, RuleSet};
use crate::space::{Class, ClassMap, Entry, Space};
use crate::store::{Contents, check_head, class_of_file, file_name};
use crate::table::{Access, Bytes, FileSource, Part, Source, Table, TableError, TableFault, TableMeta, corrupt};
use crate::threads;
use crate::value::{Value, Wdl};

use super::answer::{Line, Probe, RankedTurn};
use super::awaiting::Awaiting;
use super::error::{ProbeError, Searched};
use super::prober::Prober;
use super::shipped;

/// How to open tables.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenOptions {
    /// How to read files.
    pub access: Access,
    /// The rules that all tables must have; if none are given, those of the first table found.
    pub rules: Option<RuleSet>,
    /// Whether the tables inside the library answer for classes that no directory has, if they have the same rules.
    pub shipped: bool,
    /// Bytes of memory for whole files: those of the fewest cows that fit together are read when they are opened. They
    /// are probed fastest, and whatever happens to the files later, the values stay as they were. 0 reads none.
    pub in_memory: u64,
}

/// The tables of one rule set, ready to answer. Cheap to clone and to share between threads.
///
/// Opening reads the head of each file and nothing else. A damaged file does not keep the others from answering: a
/// question that needs it gets the error, and [`faults`](Self::faults) lists all.
///
/// ```
/// use morabase::{Position, Preset, Tablebase};
/// # let folder = tempfile::tempdir()?;
/// # let directory = folder.path();
/// let tables = Tablebase::open([directory])?;
/// // Two cows have lost, and no table is needed to know it.
/// let position = Position::from_notation("W:Wa7,d7:Bb6,d6,c5", tables.rules())?;
/// assert_eq!(tables.probe(&position)?.value.to_string(), "lost in 0 plies");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tablebase(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    rules: RuleSet,
    searched: Arc<Searched>,
    tables: ClassMap<AnyTable>,
    /// Tables whose heads are read when first needed.
    listed: BTreeMap<Class, Listed>,
    faults: BTreeMap<Class, TableError>,
    /// All tables of the moving phase of up to so many cows are in memory.
    cows_in_memory: u8,
}

/// The most cows, both sides together, such that all tables of the moving phase of so many or fewer are in memory.
fn cows_in_memory(rules: &RuleSet, tables: &ClassMap<AnyTable>, read: &BTreeSet<Class>) -> u8 {
    let waits = |class: Class| tables.get(class).is_none_or(|table| table.source().waits());
    let is_in_memory = |class: &Class| read.contains(class) || !waits(*class);
    let first_missing =
        Class::all_moving(rules.cows).into_iter().filter(|class| !is_in_memory(class)).map(Class::total);
    first_missing.min().map_or(2 * rules.cows, |cows| cows - 1)
}

/// A table, wherever its bytes come from.
type AnyTable = Table<Box<dyn Source>>;

/// A table that is said to exist.
#[derive(Debug)]
struct Listed {
    name: PathBuf,
    source: Arc<dyn Source>,
    /// The table, once its head has been read. A failed read is tried again each time.
    table: OnceLock<AnyTable>,
}

impl Listed {
    /// The table of `class`, which must have these rules.
    fn table(&self, class: Class, rules: &RuleSet) -> Result<&AnyTable, ProbeError> {
        if let Some(table) = self.table.get() {
            return Ok(table);
        }
        let table = Table::read(&self.name, Box::new(Arc::clone(&self.source)) as Box<dyn Source>)?;
        let found = check_head(&table, Some(class))?;
        if found != *rules {
            return Err(rules_differ(&self.name, rules, &found));
        }
        Ok(self.table.get_or_init(|| table))
    }
}

fn rules_differ(file: &Path, expected: &RuleSet, found: &RuleSet) -> ProbeError {
    ProbeError::RulesDiffer { file: file.to_owned(), expected: expected.to_string(), found: found.to_string() }
}

/// Collects tables, the first of each class.
struct Collector {
    rules: Option<RuleSet>,
    tables: ClassMap<AnyTable>,
    faults: BTreeMap<Class, TableError>,
    directories: Vec<PathBuf>,
    shipped: bool,
    /// Bytes that may still be read into memory.
    room: u64,
    /// Classes whose files were read into memory, if that went well.
    read: BTreeSet<Class>,
}

impl Collector {
    fn new(rules: Option<RuleSet>) -> Self {
        let (tables, faults, directories) = (ClassMap::new(), BTreeMap::new(), Vec::new());
        Self { rules, tables, faults, directories, shipped: false, room: 0, read: BTreeSet::new() }
    }

    fn has(&self, class: Class) -> bool {
        self.tables.get(class).is_some() || self.faults.contains_key(&class)
    }

    /// Adds what was read for `class`. If the class is already there, only checks the rules.
    fn add(&mut self, class: Class, table: Result<AnyTable, TableError>) -> Result<(), ProbeError> {
        let known = self.has(class);
        match table.and_then(|table| Ok((check_head(&table, Some(class))?, table))) {
            Err(error) => {
                if !known {
                    self.faults.insert(class, error);
                }
            }
            Ok((rules, table)) => {
                let expected = *self.rules.get_or_insert(rules);
                if rules != expected {
                    return Err(rules_differ(table.file(), &expected, &rules));
                }
                if !known {
                    self.tables.insert(class, table);
                }
            }
        }
        Ok(())
    }

    fn add_directory(&mut self, path: &Path, access: Access) -> Result<(), ProbeError> {
        self.directories.push(path.to_owned());
        let contents = Contents::scan_existing(path)?;
        let in_memory = self.fitting(contents.tables());
        for (class, file) in contents.tables() {
            let whole = in_memory.contains(class);
            if whole {
                self.read.insert(*class);
            }
            let source = if whole { FileSource::in_memory(file) } else { FileSource::open(file, access) };
            let source = source.map_err(|source| TableFault::Io { action: "open", source }.at(file));
            self.add(*class, source.and_then(|source| Table::read(file, Box::new(source) as Box<dyn Source>)))?;
        }
        Ok(())
    }

    /// Those of the fewest cows among these files that fit into the room that is left, which is then taken.
    fn fitting(&mut self, files: &BTreeMap<Class, PathBuf>) -> BTreeSet<Class> {
        if self.room == 0 {
            return BTreeSet::new();
        }
        let mut new: Vec<_> = files.iter().filter(|(class, _)| !self.has(**class)).collect();
        new.sort_by_key(|(class, _)| class.order());
        let mut fitting = BTreeSet::new();
        for (class, file) in new {
            let Ok(about) = file.metadata() else { continue };
            let Some(rest) = self.room.checked_sub(about.len()) else { break };
            self.room = rest;
            fitting.insert(*class);
        }
        fitting
    }

    fn add_source(&mut self, name: &str, source: Box<dyn Source>) -> Result<(), ProbeError> {
        let path = Path::new(name);
        let class = class_of_file(path).ok_or_else(|| TableFault::BadName.at(path))?;
        self.add(class, Table::read(path, source))
    }

    fn finish(self) -> Tablebase {
        let rules = self.rules.unwrap_or_default();
        let searched = Arc::new(Searched { rules, directories: self.directories, shipped: self.shipped });
        let (tables, faults) = (self.tables, self.faults);
        let cows_in_memory = cows_in_memory(&rules, &tables, &self.read);
        Tablebase(Arc::new(Inner { rules, searched, tables, listed: BTreeMap::new(), faults, cows_in_memory }))
    }
}

impl Tablebase {
    /// Opens the tables in these directories. If several have a class, the first of them answers for it.
    ///
    /// # Errors
    /// [`ProbeError::Directory`] if one cannot be listed or is not a directory, and [`ProbeError::RulesDiffer`] if the
    /// tables do not all have the same rules.
    pub fn open<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Self, ProbeError> {
        Self::open_with(paths, &OpenOptions::default())
    }

    /// [`open`](Self::open) with options.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with<P: AsRef<Path>>(
        paths: impl IntoIterator<Item = P>,
        options: &OpenOptions,
    ) -> Result<Self, ProbeError> {
        let mut collector = Collector { room: options.in_memory, ..Collector::new(options.rules) };
        for path in paths {
            collector.add_directory(path.as_ref(), options.access)?;
        }
        if options.shipped {
            let shipped = Self::shipped()?;
            collector.shipped = true;
            if collector.rules.is_none_or(|rules| rules == *shipped.rules()) {
                for &(name, bytes) in shipped::FILES {
                    collector.add_source(name, Box::new(Bytes(bytes)))?;
                }
            }
        }
        Ok(collector.finish())
    }

    /// Opens tables from bytes, each with the name its file has or would have (`4-3.mora`).
    ///
    /// # Errors
    /// As [`from_sources`](Self::from_sources).
    pub fn from_bytes<N: AsRef<str>, B: Into<Cow<'static, [u8]>>>(
        files: impl IntoIterator<Item = (N, B)>,
    ) -> Result<Self, ProbeError> {
        Self::from_sources(files.into_iter().map(|(name, bytes)| {
            let source: Box<dyn Source> = Box::new(Bytes(bytes.into()));
            (name, source)
        }))
    }

    /// Opens tables from sources of bytes, such as files behind a network. Each has the name its file has or would have
    /// (`4-3.mora`).
    ///
    /// # Errors
    /// [`ProbeError::RulesDiffer`], and [`TableFault::BadName`] if a name does not name a class.
    pub fn from_sources<N: AsRef<str>>(
        files: impl IntoIterator<Item = (N, Box<dyn Source>)>,
    ) -> Result<Self, ProbeError> {
        let mut collector = Collector::new(None);
        for (name, source) in files {
            collector.add_source(name.as_ref(), source)?;
        }
        Ok(collector.finish())
    }

    /// Opens tables of these rules from sources that are not read until someone asks about their class, such as files
    /// behind a slow network of which you have a list. Each has the name its file has or would have (`4-3.mora`). If
    /// two are of one class, the first is taken. A file that turns out to be damaged is then an error about its class,
    /// not a [fault](Self::faults).
    ///
    /// # Errors
    /// [`TableFault::BadName`] if a name does not name a class.
    pub fn from_list<N: AsRef<str>>(
        rules: &RuleSet,
        files: impl IntoIterator<Item = (N, Arc<dyn Source>)>,
    ) -> Result<Self, ProbeError> {
        let mut listed = BTreeMap::new();
        for (name, source) in files {
            let name = PathBuf::from(name.as_ref());
            let class = class_of_file(&name).ok_or_else(|| TableFault::BadName.at(&name))?;
            listed.entry(class).or_insert_with(|| Listed { name, source, table: OnceLock::new() });
        }
        let (tables, faults) = (ClassMap::new(), BTreeMap::new());
        let searched = Arc::new(Searched { rules: *rules, directories: Vec::new(), shipped: false });
        Ok(Self(Arc::new(Inner { rules: *rules, searched, tables, listed, faults, cows_in_memory: 0 })))
    }

    /// The tables that the library carries; none without the feature `shipped`.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes).
    pub fn shipped() -> Result<Self, ProbeError> {
        Self::from_bytes(shipped::FILES.iter().copied())
    }

    /// The rules of all tables; the default rules if there is no table and none were asked for.
    pub fn rules(&self) -> &RuleSet {
        &self.0.rules
    }

    /// The positions of a class on the board of these rules.
    pub fn space(&self, class: Class) -> Space {
        Space::new(self.rules().board, class)
    }

    /// The classes whose tables are present and have a sound head, fewest cows first.
    pub fn classes(&self) -> impl Iterator<Item = Class> + '_ {
        let opened = self.0.tables.iter().map(|(class, _)| class);
        let mut classes: Vec<Class> = opened.chain(self.0.listed.keys().copied()).collect();
        classes.sort_by_key(|class| class.order());
        classes.into_iter()
    }

    /// Whether questions about a position are answered from memory alone: it has no cows in hand, and all tables of so
    /// many cows or fewer are there. Then they take some processor time, but never wait for a disk or a network.
    pub fn never_waits(&self, position: &Position) -> bool {
        let cows = u32::from(position.cow_count(Side::First)) + u32::from(position.cow_count(Side::Second));
        position.is_moving_phase() && cows <= u32::from(self.0.cows_in_memory)
    }

    /// Whether the table of a class is present and has a sound head.
    pub fn has(&self, class: Class) -> bool {
        self.0.has_table(class)
    }

    /// Whether positions of a class can be answered: from its table or, with cows in hand, by looking one or two plies
    /// ahead to the tables of the classes that follow it.
    pub fn answers(&self, class: Class) -> bool {
        !self.0.faults.contains_key(&class) && LayerLookahead::new(self.rules(), &*self.0).has(class)
    }

    /// What is wrong with files whose heads could not be read, by class.
    pub fn faults(&self) -> impl Iterator<Item = (Class, ProbeError)> + '_ {
        self.0.faults.iter().map(|(class, error)| (*class, error.clone().into()))
    }

    /// The same, as the errors themselves.
    pub(crate) fn damaged(&self) -> impl Iterator<Item = (Class, &TableError)> + '_ {
        self.0.faults.iter().map(|(class, error)| (*class, error))
    }

    /// Where the bytes of a class's table come from.
    pub(crate) fn source(&self, class: Class) -> Option<&dyn Source> {
        let stored = self.0.tables.get(class).map(|stored| stored.source().as_ref());
        stored.or_else(|| self.0.listed.get(&class).map(|listed| &*listed.source))
    }

    /// The file that holds a class, or the name given to its bytes.
    pub fn file(&self, class: Class) -> Option<&Path> {
        let stored = self.0.tables.get(class).map(Table::file);
        stored.or_else(|| self.0.listed.get(&class).map(|listed| listed.name.as_path()))
    }

    /// Whether a class is answered from bytes in memory, such as the carried tables, rather than from a file.
    pub fn is_in_memory(&self, class: Class) -> bool {
        self.source(class).is_some_and(|source| !source.waits())
    }

    /// The length of a class's file in bytes.
    pub fn file_length(&self, class: Class) -> Option<u64> {
        let stored = self.0.tables.get(class).map(Table::file_length);
        stored.or_else(|| self.0.listed.get(&class)?.source.length().ok())
    }

    /// What the head of a class's table says.
    ///
    /// # Errors
    /// [`ProbeError::MissingTable`], or what is wrong with the file.
    pub fn meta(&self, class: Class) -> Result<&TableMeta, ProbeError> {
        self.0.table(class).map(Table::meta)
    }

    /// The greatest number of cows, both sides together, up to which no class without cows in hand is missing.
    pub fn complete_up_to(&self) -> Option<u8> {
        let classes = Class::all_moving(self.rules().cows);
        let gap = classes.iter().find(|class| !self.has(**class)).map(|class| class.total() - 1);
        gap.or_else(|| classes.last().map(|class| class.total())).filter(|total| *total >= 2 * FEWEST_COWS)
    }

    /// The classes that turns from positions of `class` lead to and that cannot be [answered](Self::answers): no table
    /// is present, or only a damaged one, which [`faults`](Self::faults) names.
    pub fn missing_successors(&self, class: Class) -> Vec<Class> {
        class.successors().iter().filter(|next| !self.answers(*next)).collect()
    }

    /// The exact value of a position, history included, for the side to move. While there are cows in hand, it is won,
    /// drawn or lost, without plies.
    ///
    /// # Errors
    /// [`ProbeError`] if the position is illegal, no game leads to so many cows on the board and in hand, or it needs a
    /// table that is missing or damaged.
    pub fn probe(&self, position: &Position) -> Result<Probe, ProbeError> {
        self.ask(|prober| prober.probe(position))
    }

    /// [`probe`](Self::probe), but only if it need not read from disk: for use inside a search. None if it would have
    /// to read part of a file for the first time since the tables were opened ([`preload`](Self::preload) reads a class
    /// beforehand), and for everything read with [`Access::Positioned`].
    ///
    /// The system may since have dropped from memory a part that was read; then this waits for the disk after all.
    ///
    /// # Errors
    /// As [`probe`](Self::probe).
    ///
    #[cfg_attr(feature = "shipped", doc = "```")]
    #[cfg_attr(not(feature = "shipped"), doc = "```no_run")]
    /// use morabase::{Position, Tablebase};
    ///
    /// // Tables carried by the library are in memory already.
    /// let tables = Tablebase::shipped()?;
    /// let position = Position::from_notation("W:Wd6,d7,f4,f6:Bb4,d3,g1,g4", tables.rules())?;
    /// let answer = tables.probe_cached(&position)?.expect("in memory");
    /// assert_eq!(answer.value.to_string(), "won in 9 plies");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn probe_cached(&self, position: &Position) -> Result<Option<Probe>, ProbeError> {
        let near = Near(&self.0);
        match Prober::new(self.rules(), &LayerLookahead::new(self.rules(), &near)).probe(position) {
            Ok(probe) => Ok(Some(probe)),
            Err(NotNear::OnDisk) => Ok(None),
            Err(NotNear::Error(error)) => Err(error),
        }
    }

    /// Reads and checks a class's whole file, so that [`probe_cached`](Self::probe_cached) answers about its positions.
    ///
    /// # Errors
    /// [`ProbeError::MissingTable`], or the first damage found.
    pub fn preload(&self, class: Class) -> Result<(), ProbeError> {
        let stored = self.0.table(class)?;
        stored.preload().map_err(ProbeError::from)
    }

    /// Won, drawn or lost for the side to move.
    ///
    /// # Errors
    /// As [`probe`](Self::probe).
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        self.probe(position).map(|probe| probe.value.wdl())
    }

    /// All legal turns with their values, best first.
    ///
    /// With empty hands, the winner's fewest plies come first and the loser's most. With cows in hand, plies are not
    /// counted: won turns come first, then draws, then losses, and among equals shots, then turns that leave the
    /// opponent the fewest turns that keep the result. [`Prober::turns`] has the exact order.
    ///
    /// # Errors
    /// As [`probe`](Self::probe), for the position and for every position a turn leads to.
    pub fn turns(&self, position: &Position) -> Result<Vec<RankedTurn>, ProbeError> {
        self.ask(|prober| prober.turns(position))
    }

    /// The best turn, if the game is not over.
    ///
    /// # Errors
    /// As [`turns`](Self::turns).
    pub fn best_turn(&self, position: &Position) -> Result<Option<RankedTurn>, ProbeError> {
        self.ask(|prober| prober.best_turn(position))
    }

    /// Best play for both sides to the end of the game, or to where it is drawn; see [`Prober::line`].
    ///
    /// # Errors
    /// As [`turns`](Self::turns), and [`ProbeError::Contradiction`] if no turn reaches what a table promises.
    pub fn line(&self, position: &Position) -> Result<Line, ProbeError> {
        self.ask(|prober| prober.line(position))
    }

    /// What the symbols of a class's table mean.
    ///
    /// # Errors
    /// [`ProbeError::MissingTable`].
    pub fn alphabet(&self, class: Class) -> Result<&Alphabet, ProbeError> {
        let stored = self.0.table(class)?;
        Ok(stored.alphabet())
    }

    /// All values of a class, decoded into memory: one byte per entry. Runs on all threads of the current rayon pool.
    ///
    /// # Errors
    /// [`ProbeError::MissingTable`], or damage anywhere in the file.
    pub fn decode(&self, class: Class) -> Result<Values, ProbeError> {
        let stored = self.0.table(class)?;
        let mut symbols = vec![0; self.space(class).entries() as usize];
        stored.decode_all(&mut symbols).map_err(ProbeError::from)?;
        let values = Values::new(self.space(class), stored.alphabet().clone(), symbols);
        values.ok_or_else(|| corrupt(Part::Index, "a value for each entry", "something else").at(stored.file()).into())
    }

    /// Decodes the values of one block of a class into `out`, which must have [`TableMeta::entries_per_block`] bytes: a
    /// symbol of the class's [`alphabet`](Self::alphabet) for each entry, in the order of its [`Space`].
    ///
    /// # Errors
    /// [`ProbeError::MissingTable`], damage to the block, and [`ProbeError::Table`] if there is no such block or `out`
    /// has another size.
    pub fn decode_block(&self, class: Class, block: u32, out: &mut [u8]) -> Result<(), ProbeError> {
        let stored = self.0.table(class)?;
        stored.decode_block(block, out).map_err(ProbeError::from)
    }

    /// The first position of a class, in the order of its table, that has this value; white is to move. Decodes as much
    /// of the class as needed, on all threads of the current rayon pool.
    ///
    /// # Errors
    /// [`ProbeError::MissingTable`], or damage to what is decoded.
    ///
    #[cfg_attr(feature = "shipped", doc = "```")]
    #[cfg_attr(not(feature = "shipped"), doc = "```no_run")]
    /// use morabase::{Class, Tablebase, Value};
    ///
    /// let tables = Tablebase::shipped()?;
    /// let class = Class::moving(3, 3)?;
    /// let longest = tables.meta(class)?.max_dtc().expect("decided positions");
    /// let position = tables.first_with(class, Value::Lost(longest))?.expect("the longest is a loss");
    /// assert_eq!(tables.probe(&position)?.value, Value::Lost(longest));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn first_with(&self, class: Class, value: Value) -> Result<Option<Position>, ProbeError> {
        let (stored, space) = (self.0.table(class)?, self.space(class));
        let Some(symbol) = self.alphabet(class)?.symbol(value) else { return Ok(None) };
        let hands = [class.mover_hand(), class.waiting_hand()];
        let find = |symbols: &mut Vec<u8>, block| {
            symbols.resize(space.block_entries() as usize, 0);
            let decoded = stored.decode_block(block, symbols);
            decoded.map_err(ProbeError::from).map(|()| {
                let rank = symbols.iter().position(|&each| each == symbol)? as u32;
                let (mover, waiting) = space.position(Entry { block, rank })?;
                Some(Position { hands, ..Position::moving([mover, waiting], Side::First) })
            })
        };
        threads::ready();
        let found = (0..space.blocks()).into_par_iter().map_init(Vec::new, find);
        found.find_map_first(Result::transpose).transpose()
    }

    /// Checks all checksums of a class's file.
    ///
    /// # Errors
    /// [`ProbeError::MissingTable`], or the first damage found.
    pub fn check_file(&self, class: Class) -> Result<(), ProbeError> {
        let stored = self.0.table(class)?;
        stored.verify().map_err(ProbeError::from)
    }

    /// The part of [`check_file`](Self::check_file) that [`decode`](Self::decode) does not do: whether the file has
    /// nothing but its frames.
    pub(crate) fn check_places(&self, class: Class) -> Result<(), ProbeError> {
        let stored = self.0.table(class)?;
        stored.check_places().map_err(ProbeError::from)
    }

    /// The value of the position in which `mover` is to move against `waiting`, at counter zero and with nothing
    /// restricted. Each has three cows or more, and they share no point.
    pub(crate) fn value(&self, mover: PointSet, waiting: PointSet) -> Result<Value, ProbeError> {
        self.0.value(Class::of_sets(mover, waiting), mover, waiting)
    }

    /// What a prober says over all tables, including for classes that can be answered by looking ahead.
    fn ask<T>(
        &self,
        ask: impl FnOnce(Prober<'_, LayerLookahead<'_, Awaiting<'_, Inner>>>) -> Result<T, ProbeError>,
    ) -> Result<T, ProbeError> {
        let source = Awaiting::new(&*self.0);
        let answer = ask(Prober::new(self.rules(), &LayerLookahead::new(self.rules(), &source)));
        source.settle(answer)
    }
}

impl Inner {
    fn has_table(&self, class: Class) -> bool {
        self.tables.get(class).is_some() || self.listed.contains_key(&class)
    }

    #[inline]
    fn table(&self, class: Class) -> Result<&AnyTable, ProbeError> {
        match self.tables.get(class) {
            Some(table) => Ok(table),
            None => self.listed_table(class),
        }
    }

    #[cold]
    fn listed_table(&self, class: Class) -> Result<&AnyTable, ProbeError> {
        if let Some(listed) = self.listed.get(&class) {
            return listed.table(class, &self.rules);
        }
        Err(match self.faults.get(&class) {
            Some(error) => error.clone().into(),
            None => match class.check(&self.rules) {
                // Nobody can build a table that cannot exist.
                Err(why) if class.has_hands() => ProbeError::Unreachable { class, why },
                _ => ProbeError::MissingTable { class, file: file_name(class), searched: Arc::clone(&self.searched) },
            },
        })
    }
}

impl Lookup for Inner {
    type Error = ProbeError;

    fn has(&self, class: Class) -> bool {
        // A damaged table should be reported with what is wrong with it.
        self.has_table(class) || self.faults.contains_key(&class)
    }

    fn value(&self, class: Class, mover: PointSet, waiting: PointSet) -> Result<Value, ProbeError> {
        let stored = self.table(class)?;
        let entry = stored.meta().space().entry(mover, waiting);
        let value = stored.get(entry.block, entry.rank);
        value.map_err(ProbeError::from)
    }
}

/// Tables that answer only from what has been read before.
struct Near<'a>(&'a Inner);

/// Why those tables do not answer.
enum NotNear {
    OnDisk,
    Error(ProbeError),
}

impl From<ProbeError> for NotNear {
    fn from(error: ProbeError) -> Self {
        Self::Error(error)
    }
}

impl Lookup for Near<'_> {
    type Error = NotNear;

    fn has(&self, class: Class) -> bool {
        self.0.has(class)
    }

    fn value(&self, class: Class, mover: PointSet, waiting: PointSet) -> Result<Value, NotNear> {
        let stored = self.0.table(class)?;
        let entry = stored.meta().space().entry(mover, waiting);
        let value = stored.get_cached(entry.block, entry.rank);
        value.map_err(ProbeError::from)?.ok_or(NotNear::OnDisk)
    }
}
