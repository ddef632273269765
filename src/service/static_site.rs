//! [`StaticSite`]: answers from tables on a static host, whose bytes are fetched a few at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::probe::{ProbeError, Tablebase};
use crate::rules::{RuleError, RuleSet};
use crate::space::{Class, ClassError};
use crate::table::Source;

use super::answers::Question;
use super::caching::Caching;
use super::index::{IndexedLongest, IndexedSet, IndexedTable, SiteIndex};
use super::ranged::{FileNeeds, RangedFile};
use super::refusal::Refusal;
use super::sets::{TableSet, TableSets};

/// The most bytes that are kept between questions.
const MOST_HELD: u64 = 64 << 20;

/// The status of a refusal because of damage, or of a failure of this program.
const DAMAGED: u16 = 500;

/// Why a site cannot be opened.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum StaticSiteError {
    /// The list of tables is not valid.
    #[error("site.json cannot be read: {0}")]
    Index(#[from] serde_json::Error),
    /// The list has another version.
    #[error("site.json has format {found}, expected {}: write the whole site with one program", SiteIndex::FORMAT)]
    Format {
        /// The version.
        found: u32,
    },
    /// This program does not know the rules of a set.
    #[error("site.json has the rules {rules:?}: {source}")]
    Rules {
        /// The text.
        rules: String,
        /// What is wrong with it.
        source: RuleError,
    },
    /// A table is listed with a class that does not exist.
    #[error("site.json has the class {class:?}: {source}")]
    Class {
        /// The text.
        class: String,
        /// What is wrong with it.
        source: ClassError,
    },
    /// The name of a table's file does not name its class.
    #[error(transparent)]
    File(#[from] ProbeError),
    /// There are no tables to answer from.
    #[error("site.json lists no rule set")]
    Empty,
}

debug_is_display!(StaticSiteError);

/// The result of a question to a [`StaticSite`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SiteReply {
    /// The answer or a refusal, in HTTP terms.
    Answered {
        /// 200, or the status of the refusal.
        status: u16,
        /// A JSON value and a line end.
        text: String,
    },
    /// These bytes must be [given](StaticSite::give) before the same question is asked again.
    Needs(Vec<FileNeeds>),
}

/// The tables of a static site.
#[derive(Debug)]
pub struct StaticSite {
    sets: TableSets,
    files: Vec<ListedFile>,
}

#[derive(Debug)]
struct ListedFile {
    file: Arc<RangedFile>,
    listed: IndexedTable,
}

impl StaticSite {
    /// Opens a site from the text of its `site.json`. No table is read.
    ///
    /// # Errors
    /// [`StaticSiteError`] if that is not a valid list.
    pub fn open(index: &str) -> Result<Self, StaticSiteError> {
        let index: SiteIndex = serde_json::from_str(index)?;
        if index.format != SiteIndex::FORMAT {
            return Err(StaticSiteError::Format { found: index.format });
        }
        let mut files = Vec::new();
        let sets = index.sets.into_iter().map(|set| open_set(set, &mut files));
        let sets = sets.collect::<Result<Vec<_>, _>>()?;
        if sets.is_empty() {
            return Err(StaticSiteError::Empty);
        }
        Ok(Self { sets: sets.into_iter().map(Arc::new).collect(), files })
    }

    /// Answers `GET` with this path and query, or says which bytes it needs. No answer contains a value read from bytes
    /// that do not match the table's checksums.
    pub fn ask(&self, path: &str, query: &str) -> SiteReply {
        let answered = Question::read(&self.sets, path, query).and_then(Question::answer);
        let needs = self.take_needs();
        if !needs.is_empty() {
            // Anything computed without these bytes is not an answer.
            return SiteReply::Needs(needs);
        }
        let (status, text, whole) = match answered {
            Ok(answer) => (200, answer.text, answer.caching != Caching::Not),
            Err(refusal) => (refusal.status(), refusal.json(), refusal.status() != DAMAGED),
        };
        if !whole || self.files.iter().map(|file| file.file.held()).sum::<u64>() > MOST_HELD {
            // Damage during transfer disappears when the bytes are fetched again.
            self.files.iter().for_each(|file| file.file.forget());
        }
        SiteReply::Answered { status, text }
    }

    /// Takes bytes of a file that begin at `at`. Returns whether they were useful: the file exists, and they contain a
    /// complete block.
    pub fn give(&self, number: usize, at: u64, bytes: &[u8]) -> bool {
        self.files.get(number).is_some_and(|file| file.file.give(at, bytes))
    }

    /// A refusal for a file that is not available, with the status and the object that its damage would have.
    pub fn cannot_fetch(&self, number: usize, why: &str) -> SiteReply {
        let listed = self.files.get(number).map(|file| &file.listed);
        let class = listed.and_then(|table| table.class.parse().ok());
        let file = listed.map_or("", |table| table.file.as_str());
        let refusal = Refusal::not_fetched(class, format!("cannot read {file}: {why}"));
        SiteReply::Answered { status: refusal.status(), text: refusal.json() }
    }

    fn take_needs(&self) -> Vec<FileNeeds> {
        let needs = self.files.iter().enumerate().filter_map(|(number, file)| {
            let ranges = file.file.take_needs();
            let IndexedTable { file: name, bytes, sha256, .. } = &file.listed;
            let needed = !ranges.is_empty();
            needed.then(|| FileNeeds { number, file: name.clone(), bytes: *bytes, sha256: sha256.clone(), ranges })
        });
        needs.collect()
    }
}

fn open_set(set: IndexedSet, files: &mut Vec<ListedFile>) -> Result<TableSet, StaticSiteError> {
    let read = set.rules.parse::<RuleSet>();
    let rules = read.map_err(|source| StaticSiteError::Rules { rules: set.rules.clone(), source })?;
    let mut longest = BTreeMap::new();
    let mut sources: Vec<(String, Arc<dyn Source>)> = Vec::new();
    for listed in set.tables {
        let class = listed.class.parse::<Class>();
        let class = class.map_err(|source| StaticSiteError::Class { class: listed.class.clone(), source })?;
        longest.insert(class, listed.longest.as_ref().and_then(IndexedLongest::object));
        let file = Arc::new(RangedFile::new(listed.bytes, listed.built_in));
        sources.push((listed.file.clone(), Arc::clone(&file) as Arc<dyn Source>));
        files.push(ListedFile { file, listed });
    }
    Ok(TableSet::new(Tablebase::from_list(&rules, sources)?).with_longest(longest))
}

#[cfg(all(test, feature = "shipped"))]
mod tests {
    use super::*;
    use crate::manifest::FileHash;

    /// The tables included in the library, as files of a site.
    fn carried() -> (String, Vec<Vec<u8>>) {
        let tables = Tablebase::shipped().unwrap();
        let mut index = SiteIndex::new(Vec::new());
        let mut files = Vec::new();
        let mut set = IndexedSet { rules: tables.rules().to_string(), tables: Vec::new() };
        for class in tables.classes() {
            let bytes = tables.source(class).unwrap().bytes().unwrap().to_vec();
            set.tables.push(IndexedTable {
                class: class.to_string(),
                file: format!("tables/{class}.mora"),
                bytes: bytes.len() as u64,
                sha256: FileHash::of(&bytes).to_string(),
                built_in: true,
                longest: None,
            });
            files.push(bytes);
        }
        index.sets.push(set);
        (serde_json::to_string(&index).unwrap(), files)
    }

    /// Asks until there is an answer, giving what is needed; returns how many rounds and bytes that took.
    fn answered(site: &StaticSite, files: &[Vec<u8>], path: &str, query: &str) -> (u16, String, [usize; 2]) {
        let (mut rounds, mut bytes) = (0, 0);
        loop {
            match site.ask(path, query) {
                SiteReply::Answered { status, text } => return (status, text, [rounds, bytes]),
                SiteReply::Needs(needs) => {
                    rounds += 1;
                    assert!(rounds < 1000 && !needs.is_empty());
                    for need in needs {
                        assert_eq!(need.bytes, files[need.number].len() as u64);
                        for [start, end] in need.ranges {
                            let part = &files[need.number][start as usize..end as usize];
                            bytes += part.len();
                            assert!(site.give(need.number, start, part));
                        }
                    }
                }
            }
        }
    }

    const POSITION: &str = "position=W:Wd6,d7,f4,f6:Bb4,d3,g1,g4";

    #[test]
    fn bytes_that_come_a_few_at_a_time_give_the_answers_of_the_whole_and_in_few_rounds() {
        let (index, files) = carried();
        let sets = TableSets::from_iter([Tablebase::shipped().unwrap()]);
        for (path, query, most_rounds) in [
            ("/v1/probe", POSITION, 8),
            ("/v1/probe", "position=W:Wb4,d3,d7,g4:Ba7,f4,g1:C16", 8),
            ("/v1/probe", "position=W:Wa7,d7,g7:Bb6,d6,c5,c4:S", 8),
            ("/v1/line", POSITION, 100),
            ("/v1/stats/4-4", "", 4),
            ("/v1/probe", "position=W:Wa7,d7,g1,a4,b4:Bb6,d6,c5,e3", 0),
        ] {
            let expected = Question::read(&sets, path, query).and_then(Question::answer);
            let expected = expected.map_or_else(|error| (error.status(), error.json()), |answer| (200, answer.text));
            let site = StaticSite::open(&index).unwrap();
            let (status, text, [rounds, _]) = answered(&site, &files, path, query);
            assert_eq!((status, text), expected, "{path}?{query}");
            assert!(rounds <= most_rounds, "{path}?{query}: {rounds} rounds");
            assert_eq!(answered(&site, &files, path, query).2, [0, 0]);
        }
    }

    #[test]
    fn damage_is_told_and_forgotten_so_that_sound_bytes_are_taken_the_next_time() {
        let (index, sound) = carried();
        let mut damaged = sound.clone();
        for file in &mut damaged {
            let data = file.len() / 2;
            file[data..].iter_mut().for_each(|byte| *byte ^= 4);
        }
        let site = StaticSite::open(&index).unwrap();
        let (status, text, _) = answered(&site, &damaged, "/v1/line", POSITION);
        assert!(status == 500 && text.contains("damaged-table"), "{text}");
        assert_eq!(answered(&site, &sound, "/v1/line", POSITION).0, 200);
        // The head of a different file.
        let mut swapped = sound.clone();
        swapped.swap(0, 1);
        let lengths = |files: &[Vec<u8>]| files.iter().map(Vec::len).collect::<Vec<_>>();
        assert_ne!(lengths(&swapped), lengths(&sound));
        swapped[0].resize(sound[0].len(), 0);
        swapped[1].resize(sound[1].len(), 0);
        let site = StaticSite::open(&index).unwrap();
        assert_eq!(answered(&site, &swapped, "/v1/stats/3-3", "").0, 500);
        assert_eq!(answered(&site, &sound, "/v1/stats/3-3", "").0, 200);
    }

    #[test]
    fn a_file_that_cannot_be_had_is_named_with_its_class() {
        let (index, _) = carried();
        let site = StaticSite::open(&index).unwrap();
        let SiteReply::Answered { status, text } = site.cannot_fetch(1, "status 404") else { panic!("needs bytes") };
        assert!(status == 502 && text.contains("not-fetched") && text.contains(".mora: status 404"), "{text}");
        assert!(!site.give(99, 0, &[0; 5000]));
    }
}
