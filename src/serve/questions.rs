//! `GET` under `/v1`: questions of [`service`](crate::service), answered by the workers.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, Uri};

use crate::service::{self, Question, Refusal};

use super::app::App;
use super::replies::{Reply, is_known, not_modified, reply};

/// `GET` at any path that [`Question`] knows.
pub(super) async fn answer(State(app): State<Arc<App>>, uri: Uri, headers: HeaderMap) -> Reply {
    let question = Question::read(app.sets.all(), uri.path(), uri.query().unwrap_or_default())?;
    if let Some(tag) = question.tag().filter(|tag| is_known(tag, &headers)) {
        return Ok(not_modified(tag));
    }
    let answered = match (question.asks_tables(), question.takes_long()) {
        (false, _) => question.answer(),
        (true, false) => app.workers.run_here(|| question.answer()).await?,
        (true, true) => app.workers.run(move || question.answer()).await?,
    };
    answered.map(reply)
}

/// Unknown path.
pub(super) async fn no_page(uri: Uri) -> Refusal {
    service::no_page(uri.path())
}

/// A path that requires another method.
pub(super) async fn no_method() -> Refusal {
    let error = "this method is not for this address: the header Allow lists those that are";
    Refusal::new(405, "method-not-allowed", error)
}
