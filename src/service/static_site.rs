//! [`StaticSite`]: answers from tables that lie on a static host, whose bytes come a few at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::probe::{ProbeError, Tablebase};
use crate::rules::{RuleError, RuleSet};
use crate::space::{Class, ClassError};
use crate::table::Source;

use super::answers::Question;
use super::index::{IndexedSet, IndexedTable, SiteIndex};
use super::ranged::{FileNeeds, RangedFile};
use super::refusal::Refusal;
use super::sets::{TableSet, TableSets};

/// Bytes that are kept between questions.
const MOST_HELD: u64 = 64 << 20;

/// The status of a refusal that tells of damage, or of a failure in this program.
const DAMAGED: u16 = 500;

/// Why a site cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StaticSiteError {
    /// The list of tables is none.
    #[error("site.json cannot be read: {0}")]
    Index(#[from] serde_json::Error),
    /// The list is of another version.
    #[error("site.json has format {found}, expected {}: write the whole site with one program", SiteIndex::FORMAT)]
    Format {
        /// The version.
        found: u32,
    },
    /// The rules of a set are none that this program knows.
    #[error("site.json has the rules {rules:?}: {source}")]
    Rules {
        /// The text.
        rules: String,
        /// What is wrong with it.
        source: RuleError,
    },
    /// A table is listed with a class that is none.
    #[error("site.json has the class {class:?}: {source}")]
    Class {
        /// The text.
        class: String,
        /// What is wrong with it.
        source: ClassError,
    },
    /// A table's file has no name that says its class.
    #[error(transparent)]
    File(#[from] ProbeError),
    /// There is nothing to answer from.
    #[error("site.json lists no rule set")]
    Empty,
}

/// What comes of a question to a [`StaticSite`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SiteReply {
    /// The answer or a refusal, as HTTP has it.
    Answered {
        /// 200, or what a refusal has.
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
    /// Opens a site by the text of its `site.json`. No table is read.
    ///
    /// # Errors
    /// [`StaticSiteError`] if that is not such a list.
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

    /// Answers what `GET` asks at this path with this query, or says which bytes it takes. No answer has a value in it that was read from
    /// bytes that are not those that the table's checksums are of.
    pub fn ask(&self, path: &str, query: &str) -> SiteReply {
        let answered = Question::read(&self.sets, path, query).and_then(Question::answer);
        let needs = self.take_needs();
        if !needs.is_empty() {
            // Whatever was said without these bytes is no answer.
            return SiteReply::Needs(needs);
        }
        let (status, text) = match answered {
            Ok(answer) => (200, answer.text),
            Err(refusal) => (refusal.status(), refusal.json()),
        };
        if status == DAMAGED || self.files.iter().map(|file| file.file.held()).sum::<u64>() > MOST_HELD {
            // Damage on the way is gone when the bytes are fetched again.
            self.files.iter().for_each(|file| file.file.forget());
        }
        SiteReply::Answered { status, text }
    }

    /// Takes bytes of a file that begin at `at`. Whether they were of use: there is such a file, and a whole block in them.
    pub fn give(&self, number: usize, at: u64, bytes: &[u8]) -> bool {
        self.files.get(number).is_some_and(|file| file.file.give(at, bytes))
    }

    /// A refusal for a file that cannot be had, with the status and the object that its damage would have.
    pub fn cannot_fetch(&self, number: usize, why: &str) -> SiteReply {
        let listed = self.files.get(number).map(|file| &file.listed);
        let class = listed.and_then(|table| table.class.parse().ok());
        let file = listed.map_or("", |table| table.file.as_str());
        let refusal = Refusal::not_fetched(class, format!("cannot read {file}: {why}"));
        SiteReply::Answered { status: refusal.status(), text: refusal.json() }
    }

    fn take_needs(&self) -> Vec<FileNeeds> {
        let needs = self.files.iter().enumerate().map(|(number, file)| {
            let IndexedTable { file: name, bytes, sha256, .. } = &file.listed;
            let ranges = file.file.take_needs();
            FileNeeds { number, file: name.clone(), bytes: *bytes, sha256: sha256.clone(), ranges }
        });
        needs.filter(|needs| !needs.ranges.is_empty()).collect()
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
        longest.insert(class, listed.longest.as_ref().and_then(|longest| longest.object()));
        let file = Arc::new(RangedFile::new(listed.bytes, listed.built_in));
        sources.push((listed.file.clone(), Arc::clone(&file) as Arc<dyn Source>));
        files.push(ListedFile { file, listed });
    }
    Ok(TableSet::new(Tablebase::from_list(&rules, sources)?).with_longest(longest))
}
