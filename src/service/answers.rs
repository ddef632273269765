//! One question, one object: the answers to `GET` under `/v1`.

use std::fmt;
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use serde::Serialize;

use crate::game::PointForm;
use crate::present::{
    self, ClassStatsJson, InfoJson, LineJson, LongestJson, PositionJson, ProbeJson, RecordJson, RecordsJson, RulesJson,
    StatsJson, TurnsJson,
};
use crate::probe::Tablebase;
use crate::space::Class;

use super::caching::{Caching, Tag};
use super::refusal::Refusal;
use super::request::{Asked, Parameters};
use super::sets::{TableSet, TableSets};

/// An answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// A JSON value and a line end.
    pub text: String,
    /// How long it is valid.
    pub caching: Caching,
}

/// A question that was read and can be answered.
pub struct Question {
    tag: Option<Tag>,
    asks_tables: bool,
    takes_long: bool,
    work: Box<dyn FnOnce() -> Result<Answer, Refusal> + Send>,
}

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question")
            .field("tag", &self.tag)
            .field("asks_tables", &self.asks_tables)
            .field("takes_long", &self.takes_long)
            .finish_non_exhaustive()
    }
}

impl Question {
    /// Reads a `GET` question: this path, such as `/v1/probe`, with this query, which is the text after the question
    /// mark.
    ///
    /// # Errors
    /// [`Refusal`] if there is no such path, or a parameter cannot be read.
    pub fn read(sets: &TableSets, path: &str, query: &str) -> Result<Self, Refusal> {
        match path {
            "/v1/probe" => exact(sets, query, &PROBE),
            "/v1/line" => exact(sets, query, &LINE),
            "/v1/turns" => turns(sets, query),
            "/v1/show" => show(sets, query),
            "/v1/records" => records(sets, query),
            "/v1/tables" => tables(sets, query),
            "/v1/rules" => rules(sets, query),
            _ => match path.strip_prefix("/v1/stats/").filter(|class| !class.is_empty() && !class.contains('/')) {
                Some(class) => stats(sets, query, class),
                None => Err(no_page(path)),
            },
        }
    }

    /// The tag of the answer, if the answer never changes: a client that has it needs no new one.
    pub fn tag(&self) -> Option<&Tag> {
        self.tag.as_ref()
    }

    /// Whether answering uses tables.
    pub fn asks_tables(&self) -> bool {
        self.asks_tables
    }

    /// Whether that may take long: it may have to wait for a disk, or looks up more than a position and its turns.
    pub fn takes_long(&self) -> bool {
        self.takes_long
    }

    /// Answers it.
    ///
    /// # Errors
    /// [`Refusal`] if a table is missing or damaged.
    pub fn answer(self) -> Result<Answer, Refusal> {
        (self.work)()
    }

    /// A question to these tables, with an answer that is valid until they change.
    fn of_tables(set: Arc<TableSet>, text: impl FnOnce(&TableSet) -> Result<String, Refusal> + Send + 'static) -> Self {
        let work = move || Ok(Answer { text: text(&set)?, caching: Caching::UntilTablesChange });
        Self { tag: None, asks_tables: true, takes_long: true, work: Box::new(work) }
    }

    /// A question that is already answered, without tables.
    fn answered(answer: Answer) -> Self {
        let tag = match &answer.caching {
            Caching::Exact(tag) => Some(tag.clone()),
            _ => None,
        };
        Self { tag, asks_tables: false, takes_long: false, work: Box::new(move || Ok(answer)) }
    }
}

/// Unknown path.
pub(crate) fn no_page(path: &str) -> Refusal {
    let error = format!("there is nothing at {path}: /v1/openapi.json lists what there is");
    Refusal::new(404, "no-such-page", error)
}

/// An object as JSON and a line end.
fn text_of(object: &impl Serialize) -> Result<String, Refusal> {
    // An object of this program can always be serialised.
    present::to_json(object).map(|text| text + "\n").map_err(|_| Refusal::internal())
}

/// The parameters of a question about a position.
const POSITION: [&str; 4] = ["position", "moves", "rules", "points"];

/// The text of an answer, and whether it is complete.
type Text = Result<(String, bool), Refusal>;

/// What tables say of a position, which never changes.
struct Exact {
    /// The endpoint's name, for tags.
    name: &'static str,
    text: fn(&Tablebase, &Asked, PointForm) -> Text,
    /// Whether more is looked up than the position and its turns.
    looks_further: bool,
}

const PROBE: Exact = Exact { name: "probe", text: probe_text, looks_further: false };
const LINE: Exact = Exact { name: "line", text: line_text, looks_further: true };

/// A question to tables about something that never changes.
fn exact(sets: &TableSets, query: &str, endpoint: &'static Exact) -> Result<Question, Refusal> {
    let parameters = Parameters::read(query, &POSITION)?;
    let (set, form) = (parameters.set(sets)?, parameters.form()?);
    let asked = parameters.position(set.rules())?;
    let tag = Tag::new(endpoint.name, set.rules(), &asked, form);
    let takes_long = endpoint.looks_further || !set.tables().never_waits(&asked.position);
    let known = tag.clone();
    let work = move || {
        let (text, whole) = (endpoint.text)(&set.tables(), &asked, form)?;
        Ok(Answer { text, caching: if whole { Caching::Exact(known) } else { Caching::Not } })
    };
    Ok(Question { tag: Some(tag), asks_tables: true, takes_long, work: Box::new(work) })
}

/// `/v1/probe`: the value of a position and of its turns.
fn probe_text(tables: &Tablebase, asked: &Asked, form: PointForm) -> Text {
    // Both are started before either fails: data that must come from a network is fetched together.
    let (probe, turns) = (tables.probe(&asked.position), tables.turns(&asked.position));
    let probe = probe?;
    let object = ProbeJson::new(&asked.text, &probe).with_rules(tables.rules());
    match turns {
        Ok(turns) => Ok((text_of(&object.with_turns(&turns, form))?, true)),
        Err(error) => Ok((text_of(&object.with_error(Refusal::probe(&error).text()))?, false)),
    }
}

/// `/v1/line`: best play from a position.
fn line_text(tables: &Tablebase, asked: &Asked, form: PointForm) -> Text {
    let line = tables.line(&asked.position)?;
    let holding = present::holding_turns(tables, &asked.position, &line)?;
    Ok((text_of(&LineJson::new(&asked.position, &line, form).with_holding(&holding, form))?, true))
}

/// `/v1/turns`: the legal turns of a position, without tables, so under any rules.
fn turns(sets: &TableSets, query: &str) -> Result<Question, Refusal> {
    let parameters = Parameters::read(query, &["position", "moves", "rules", "points", "half"])?;
    let rules = parameters.any_rules(sets)?;
    let (form, half, asked) = (parameters.form()?, parameters.flag("half")?, parameters.position(&rules)?);
    let tag = Tag::new(if half { "half-turns" } else { "turns" }, &rules, &asked, form);
    let make = if half { TurnsJson::half } else { TurnsJson::new };
    let text = text_of(&make(&asked.text, &asked.position, &rules, form))?;
    Ok(Question::answered(Answer { text, caching: Caching::Exact(tag) }))
}

/// `/v1/show`: what the rules alone say about a position, so under any rules.
fn show(sets: &TableSets, query: &str) -> Result<Question, Refusal> {
    let parameters = Parameters::read(query, &["position", "moves", "rules"])?;
    let rules = parameters.any_rules(sets)?;
    let game = parameters.game(&rules)?;
    // The text of the question determines the record and the move number.
    let text = format!("{:?} {:?}", parameters.get("position"), parameters.get("moves"));
    let tag = Tag::new("show", &rules, &Asked { text, position: game.end.position }, PointForm::Grid);
    let shown = PositionJson::new(&game.end, &rules);
    let shown = match &game.record {
        Some(record) => shown.with_record(&game.start, record, &rules),
        None => shown,
    };
    Ok(Question::answered(Answer { text: text_of(&shown)?, caching: Caching::Exact(tag) }))
}

/// `/v1/stats/{class}`: the counts of a class's table.
fn stats(sets: &TableSets, query: &str, class: &str) -> Result<Question, Refusal> {
    let parameters = Parameters::read(query, &["rules", "longest"])?;
    let (set, longest) = (parameters.set(sets)?, parameters.flag("longest")?);
    let class = percent_decode_str(class).decode_utf8_lossy();
    let class = class.parse::<Class>().map_err(|error| Refusal::parameter("class", error.to_string()))?;
    Ok(Question::of_tables(set, move |set| stats_text(set, class, longest)))
}

fn stats_text(set: &TableSet, class: Class, longest: bool) -> Result<String, Refusal> {
    let tables = set.tables();
    let mut stats = ClassStatsJson::new(tables.meta(class)?);
    if longest {
        let bytes = tables.file_length(class).unwrap_or_default();
        stats = stats.with_longest(LongestJson { bytes, longest: set.longest(&tables, class)? });
    }
    text_of(&StatsJson::new(tables.rules(), vec![stats]))
}

/// `/v1/records`: the longest DTC of each class.
fn records(sets: &TableSets, query: &str) -> Result<Question, Refusal> {
    let set = Parameters::read(query, &["rules"])?.set(sets)?;
    Ok(Question::of_tables(set, records_text))
}

fn records_text(set: &TableSet) -> Result<String, Refusal> {
    let tables = set.tables();
    // With cows in hand plies are not counted, so those tables are not needed.
    let classes = tables.classes().filter(|class| !class.has_hands());
    // All are started before one fails: data that must come from a network is fetched together.
    let metas: Vec<_> = classes.map(|class| tables.meta(class)).collect();
    let mut records = Vec::new();
    for meta in metas {
        let meta = meta?;
        let Some(record) = RecordJson::new(meta) else { continue };
        // A faulty table says nothing about the others.
        records.push(record.with_longest(set.longest(&tables, meta.class).unwrap_or_default()));
    }
    text_of(&RecordsJson::new(tables.rules(), records))
}

/// `/v1/tables`: the available tables.
fn tables(sets: &TableSets, query: &str) -> Result<Question, Refusal> {
    let set = Parameters::read(query, &["rules"])?.set(sets)?;
    Ok(Question::of_tables(set, |set| tables_text(&set.tables())))
}

fn tables_text(tables: &Tablebase) -> Result<String, Refusal> {
    let mut info = InfoJson::new(tables)?;
    // The location of the files concerns only the operator.
    for class in &mut info.classes {
        class.file = class.file.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    }
    for (damaged, (_, error)) in info.damaged.iter_mut().zip(tables.faults()) {
        Refusal::probe(&error).text().clone_into(&mut damaged.error);
    }
    text_of(&info)
}

/// `/v1/rules`: the available rule sets, starting with the one that answers if none is named.
fn rules(sets: &TableSets, query: &str) -> Result<Question, Refusal> {
    Parameters::read(query, &[])?;
    let rules: Vec<RulesJson> = sets.rules().map(RulesJson::new).collect();
    Ok(Question::answered(Answer { text: text_of(&rules)?, caching: Caching::UntilTablesChange }))
}
