//! `POST /v1/probe`: many positions at once, answered while the client reads.

use std::io;
use std::sync::Arc;
use std::vec;

use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use futures_util::stream::{self, Stream, StreamExt as _};
use tokio::time::{Instant, timeout, timeout_at};

use crate::game::{PointForm, Position};
use crate::present::{self, ProbeJson, RefusalJson};
use crate::probe::Tablebase;
use crate::service::{Parameters, Refusal};

use super::app::App;
use super::replies::{JSON, Reply};
use super::workers::Place;

/// Positions answered by one look-up: enough to justify a change of threads, few enough to let others run in between.
const SHARE: usize = 256;

/// The same if turns are listed for each position.
const SHARE_WITH_TURNS: usize = 4;

/// Shares of a batch that are answered at once, so that the next is ready when one was sent.
const IN_FLIGHT: usize = 2;

/// The media type of one JSON object per line.
const LINES: HeaderValue = HeaderValue::from_static("application/x-ndjson");

/// The format of the positions, and of their answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    Lines,
    Array,
}

/// `POST /v1/probe`.
pub(super) async fn probe(State(app): State<Arc<App>>, request: Request) -> Reply {
    let parameters = Parameters::read(request.uri().query().unwrap_or_default(), &["rules", "points", "turns"])?;
    let (set, form, turns) = (parameters.set(app.sets.all())?, parameters.form()?, parameters.flag("turns")?);
    // Refused before the client is asked for its body, and without waiting for it.
    if declared(request.headers()).is_some_and(|length| length > app.limits.body as u64) {
        return Err(too_large(app.limits.body));
    }
    let place = app.workers.admit_batch()?;
    let is_json = says_json(request.headers());
    let body = timeout(app.limits.time, Bytes::from_request(request, &())).await;
    let body = body.map_err(|_| too_slow())?.map_err(|error| unread(&error, app.limits.body))?;
    let (shape, positions) = read(&body, is_json)?;
    let question = Question { tables: set.tables(), turns: turns.then_some(form), shape };
    let until = Instant::now() + app.limits.batch_time();
    let batch = Batch { question, positions: positions.into_iter(), begun: false, until, place, app };
    let mut response = Response::new(Body::from_stream(batch.stream()));
    let media = if shape == Shape::Array { JSON } else { LINES };
    response.headers_mut().insert(CONTENT_TYPE, media);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

fn too_slow() -> Refusal {
    Refusal::new(408, "body-too-slow", "the body did not arrive in time")
}

/// The length that the head declares for the body, if it does.
fn declared(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_large(most: usize) -> Refusal {
    let error = format!("the body is too large: expected at most {most} bytes, so ask in several requests");
    Refusal::new(413, "body-too-large", error)
}

fn unread(error: &BytesRejection, most: usize) -> Refusal {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(most),
        _ => Refusal::new(400, "bad-body", error.body_text()),
    }
}

/// Whether a body is declared to be JSON, regardless of the media type's parameters.
fn says_json(headers: &HeaderMap) -> bool {
    let media = headers.get(CONTENT_TYPE).and_then(|media| media.to_str().ok()).unwrap_or_default();
    let essence = media.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

/// The positions of a body: a JSON array of strings or, unless it is declared to be JSON, lines, ignoring blank ones
/// and those that begin with `#`.
fn read(body: &[u8], is_json: bool) -> Result<(Shape, Vec<String>), Refusal> {
    let bad = |error: String| Refusal::new(400, "bad-body", error);
    let body = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body);
    if is_json || body.trim_ascii_start().starts_with(b"[") {
        let expected =
            if is_json { "a JSON array of strings, as Content-Type says" } else { "a JSON array of strings, or lines" };
        let read = serde_json::from_slice(body);
        let positions = read.map_err(|error| bad(format!("expected {expected}: {error}")))?;
        return Ok((Shape::Array, positions));
    }
    let lines = body.split(|&byte| byte == b'\n').map(|line| String::from_utf8_lossy(line).trim().to_owned());
    let positions: Vec<String> = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    if positions.is_empty() {
        return Err(bad("expected positions, one a line or in a JSON array, found none".to_owned()));
    }
    Ok((Shape::Lines, positions))
}

/// The question about each position, and the tables that answer it.
#[derive(Clone, Debug)]
struct Question {
    tables: Tablebase,
    /// How points are named in the turns; `None` if no turns are requested.
    turns: Option<PointForm>,
    shape: Shape,
}

/// Positions that are answered together.
struct Share {
    positions: Vec<String>,
    first: bool,
    last: bool,
}

impl Question {
    /// The answers of a share, with the text before, between and after them.
    fn answers(&self, share: &Share) -> Vec<u8> {
        let (begin, between, end) = match self.shape {
            Shape::Lines => ("", "\n", "\n"),
            Shape::Array => (if share.first { "[" } else { "," }, ",", if share.last { "]\n" } else { "" }),
        };
        let mut answers = Vec::from(begin);
        for (at, position) in share.positions.iter().enumerate() {
            if at > 0 {
                answers.extend(between.as_bytes());
            }
            answer(&self.tables, position, self.turns, &mut answers);
        }
        answers.extend(end.as_bytes());
        answers
    }
}

/// Positions in progress.
struct Batch {
    question: Question,
    positions: vec::IntoIter<String>,
    begun: bool,
    until: Instant,
    place: Place,
    app: Arc<App>,
}

impl Batch {
    /// The answers in order. If they cannot continue, the stream is aborted, so that nobody takes a part for the whole.
    fn stream(self) -> impl Stream<Item = io::Result<Bytes>> {
        let answers = stream::unfold(self, |mut batch| async move {
            let share = batch.share()?;
            Some((batch.answers(share), batch))
        });
        answers.buffered(IN_FLIGHT)
    }

    /// The answers of a share, in time.
    fn answers(&self, share: Share) -> impl Future<Output = io::Result<Bytes>> + use<> {
        self.app.metrics.positions(share.positions.len());
        let (question, app, place, until) =
            (self.question.clone(), Arc::clone(&self.app), self.place.clone(), self.until);
        async move {
            let work = move || question.answers(&share);
            let done = timeout_at(until, app.workers.run_admitted(&place, work)).await;
            let text = done.map_err(|_| io::ErrorKind::TimedOut)?.map_err(|_| io::Error::other("a look-up failed"))?;
            Ok(Bytes::from(text))
        }
    }

    /// The next positions. There is a first share even if it is empty, as an empty array has brackets.
    fn share(&mut self) -> Option<Share> {
        let first = !std::mem::replace(&mut self.begun, true);
        let size = if self.question.turns.is_some() { SHARE_WITH_TURNS } else { SHARE };
        let positions: Vec<String> = self.positions.by_ref().take(size).collect();
        let last = self.positions.as_slice().is_empty();
        (first || !positions.is_empty()).then_some(Share { positions, first, last })
    }
}

/// Appends the answer for one position, with its turns if their form is given, or why there is none.
fn answer(tables: &Tablebase, text: &str, turns: Option<PointForm>, answers: &mut Vec<u8>) {
    // Objects of this program can always be serialised.
    let _ = match answered(tables, text, turns) {
        Ok(object) => present::append_json(&object, answers),
        Err(error) => present::append_json(&RefusalJson::new(text, error), answers),
    };
}

fn answered<'a>(tables: &Tablebase, text: &'a str, turns: Option<PointForm>) -> Result<ProbeJson<'a>, String> {
    let position = Position::from_notation(text, tables.rules()).map_err(|error| error.to_string())?;
    let told = |error| Refusal::probe(&error).text().to_owned();
    let object = ProbeJson::new(text, &tables.probe(&position).map_err(told)?);
    let Some(form) = turns else { return Ok(object) };
    let turns = tables.turns(&position).map_err(told)?;
    Ok(object.with_turns(&turns, form))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_lines_or_an_array_and_nothing_else() {
        let lines = b"# two\nW:W:B\r\n\n  B:W:B\n";
        assert_eq!(read(lines, false).unwrap(), (Shape::Lines, vec!["W:W:B".to_owned(), "B:W:B".to_owned()]));
        assert_eq!(read(b" [\"a\",\"b\"]", false).unwrap(), (Shape::Array, vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(read(b"[]", true).unwrap(), (Shape::Array, Vec::new()));
        for bad in [&b""[..], b"\n# nothing\n", b"[1]", b"[\"a\"", b"[\"a\"] b"] {
            assert!(read(bad, false).unwrap_err().text().starts_with("expected"), "{bad:?}");
        }
    }
}
