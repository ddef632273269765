//! One question, one object: what `GET` gives under `/v1`.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;

use crate::game::PointForm;
use crate::present::{
    ClassStatsJson, InfoJson, LineJson, LongestJson, PositionJson, ProbeJson, RecordJson, RecordsJson, RulesJson,
    StatsJson, TurnsJson,
};
use crate::probe::Tablebase;
use crate::space::Class;

use super::app::App;
use super::caching::{Caching, Tag, answer, not_modified, text_of};
use super::refusal::Refusal;
use super::request::{Asked, Parameters};
use super::sets::TableSet;

/// What a handler gives.
pub(super) type Answer = Result<Response, Refusal>;

/// The parameters of a question about a position.
const POSITION: [&str; 4] = ["position", "moves", "rules", "points"];

/// The text of an answer, and whether nothing is missing in it.
type Text = Result<(String, bool), Refusal>;

/// `GET /v1/probe`: the value of a position and of its turns.
pub(super) async fn probe(State(app): State<Arc<App>>, uri: Uri, headers: HeaderMap) -> Answer {
    exact(&app, &Request { uri: &uri, headers: &headers, endpoint: "probe" }, probe_text).await
}

/// `GET /v1/line`: best play from a position on.
pub(super) async fn line(State(app): State<Arc<App>>, uri: Uri, headers: HeaderMap) -> Answer {
    exact(&app, &Request { uri: &uri, headers: &headers, endpoint: "line" }, line_text).await
}

/// A request for something that never changes.
struct Request<'a> {
    uri: &'a Uri,
    headers: &'a HeaderMap,
    endpoint: &'static str,
}

async fn exact(app: &App, request: &Request<'_>, make: fn(&Tablebase, &Asked, PointForm) -> Text) -> Answer {
    let parameters = Parameters::read(request.uri, &POSITION)?;
    let (set, form) = (parameters.set(&app.sets)?, parameters.form()?);
    let asked = parameters.position(set.rules())?;
    let tag = Tag::new(request.endpoint, set.rules(), &asked, form);
    if tag.is_known(request.headers) {
        return Ok(not_modified(&tag));
    }
    let (text, whole) = app.workers.run(move || make(&set.tables(), &asked, form)).await??;
    Ok(answer(text, &if whole { Caching::Exact(tag) } else { Caching::Not }))
}

fn probe_text(tables: &Tablebase, asked: &Asked, form: PointForm) -> Text {
    let probe = tables.probe(&asked.position)?;
    let object = ProbeJson::new(&asked.text, &probe).with_rules(tables.rules());
    match tables.turns(&asked.position) {
        Ok(turns) => Ok((text_of(&object.with_turns(&turns, form))?, true)),
        Err(error) => Ok((text_of(&object.with_error(Refusal::probe(&error).text()))?, false)),
    }
}

fn line_text(tables: &Tablebase, asked: &Asked, form: PointForm) -> Text {
    let line = tables.line(&asked.position)?;
    Ok((text_of(&LineJson::new(&asked.position, &line, form))?, true))
}

/// `GET /v1/turns`: the legal turns of a position, without tables, so under any rules.
pub(super) async fn turns(State(app): State<Arc<App>>, uri: Uri, headers: HeaderMap) -> Answer {
    let parameters = Parameters::read(&uri, &["position", "moves", "rules", "points", "half"])?;
    let rules = parameters.any_rules(&app.sets)?;
    let (form, half, asked) = (parameters.form()?, parameters.flag("half")?, parameters.position(&rules)?);
    let tag = Tag::new(if half { "half-turns" } else { "turns" }, &rules, &asked, form);
    if tag.is_known(&headers) {
        return Ok(not_modified(&tag));
    }
    let make = if half { TurnsJson::half } else { TurnsJson::new };
    Ok(answer(text_of(&make(&asked.text, &asked.position, &rules, form))?, &Caching::Exact(tag)))
}

/// `GET /v1/show`: what the rules alone say of a position, so under any rules.
pub(super) async fn show(State(app): State<Arc<App>>, uri: Uri, headers: HeaderMap) -> Answer {
    let parameters = Parameters::read(&uri, &["position", "moves", "rules"])?;
    let rules = parameters.any_rules(&app.sets)?;
    let game = parameters.game(&rules)?;
    // How it was asked decides the record and the number of the move.
    let text = format!("{:?} {:?}", parameters.get("position"), parameters.get("moves"));
    let tag = Tag::new("show", &rules, &Asked { text, position: game.end.position }, PointForm::Grid);
    if tag.is_known(&headers) {
        return Ok(not_modified(&tag));
    }
    let shown = PositionJson::new(&game.end, &rules);
    let shown = match &game.record {
        Some(record) => shown.with_record(&game.start, record, &rules),
        None => shown,
    };
    Ok(answer(text_of(&shown)?, &Caching::Exact(tag)))
}

/// `GET /v1/stats/{class}`: what the table of a class counts.
pub(super) async fn stats(State(app): State<Arc<App>>, uri: Uri, class: Result<Path<String>, PathRejection>) -> Answer {
    let parameters = Parameters::read(&uri, &["rules", "longest"])?;
    let (set, longest) = (parameters.set(&app.sets)?, parameters.flag("longest")?);
    let class = class.map_err(|error| Refusal::parameter("class", error.to_string()))?;
    let class = class.parse::<Class>().map_err(|error| Refusal::parameter("class", error.to_string()))?;
    let text = app.workers.run(move || stats_text(&set, class, longest)).await??;
    Ok(answer(text, &Caching::UntilTablesChange))
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

/// `GET /v1/records`: the longest DTC of each class.
pub(super) async fn records(State(app): State<Arc<App>>, uri: Uri) -> Answer {
    let set = Parameters::read(&uri, &["rules"])?.set(&app.sets)?;
    let text = app.workers.run(move || records_text(&set)).await??;
    Ok(answer(text, &Caching::UntilTablesChange))
}

fn records_text(set: &TableSet) -> Result<String, Refusal> {
    let tables = set.tables();
    let mut records = Vec::new();
    for class in tables.classes() {
        let Some(record) = RecordJson::new(tables.meta(class)?) else { continue };
        // What is wrong with one table says nothing of the others.
        records.push(record.with_longest(set.longest(&tables, class).unwrap_or_default()));
    }
    text_of(&RecordsJson::new(tables.rules(), records))
}

/// `GET /v1/tables`: which tables there are.
pub(super) async fn tables(State(app): State<Arc<App>>, uri: Uri) -> Answer {
    let set = Parameters::read(&uri, &["rules"])?.set(&app.sets)?;
    let text = app.workers.run(move || tables_text(&set.tables())).await??;
    Ok(answer(text, &Caching::UntilTablesChange))
}

fn tables_text(tables: &Tablebase) -> Result<String, Refusal> {
    let mut info = InfoJson::new(tables)?;
    // Where the files are is nobody's business but the operator's.
    for class in &mut info.classes {
        class.file = class.file.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    }
    for (damaged, (_, error)) in info.damaged.iter_mut().zip(tables.faults()) {
        Refusal::probe(&error).text().clone_into(&mut damaged.error);
    }
    text_of(&info)
}

/// `GET /v1/rules`: the rule sets that are served, the one first that answers where none is named.
pub(super) async fn rules(State(app): State<Arc<App>>, uri: Uri) -> Answer {
    Parameters::read(&uri, &[])?;
    let rules: Vec<RulesJson> = app.sets.rules().map(RulesJson::new).collect();
    Ok(answer(text_of(&rules)?, &Caching::UntilTablesChange))
}

/// No such address.
pub(super) async fn no_page(uri: Uri) -> Refusal {
    let error = format!("there is nothing at {}: /v1/openapi.json lists what there is", uri.path());
    Refusal::new(StatusCode::NOT_FOUND, "no-such-page", error)
}

/// An address that is asked in another way.
pub(super) async fn no_method() -> Refusal {
    let error = "this method is not for this address: the header Allow lists those that are";
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", error)
}
