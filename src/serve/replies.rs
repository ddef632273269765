//! Answers and refusals in HTTP terms: status, media type, caching.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::service::{Answer, Caching, Refusal, Tag};

use super::workers::NotDone;

/// How long an answer that never changes is cached, and the page's own files.
const EXACT: HeaderValue = HeaderValue::from_static("public, max-age=86400");
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");
const NEVER: HeaderValue = HeaderValue::from_static("no-store");

/// The media type of every single JSON value.
pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The result of a handler.
pub(super) type Reply = Result<Response, Refusal>;

/// Whether the client already has the answer with this tag.
pub(super) fn is_known(tag: &Tag, headers: &HeaderMap) -> bool {
    tag.is_known(headers.get_all(IF_NONE_MATCH).iter().filter_map(|list| list.to_str().ok()))
}

/// Tells the client that it already has the answer, which never changes.
pub(super) fn not_modified(tag: &Tag) -> Response {
    let mut response = not_changed(tag);
    response.headers_mut().insert(CACHE_CONTROL, EXACT);
    response
}

/// Tells the client that it already has the text.
pub(super) fn not_changed(tag: &Tag) -> Response {
    let mut response = StatusCode::NOT_MODIFIED.into_response();
    put(tag, &mut response);
    response
}

/// Adds the tag for the client.
pub(super) fn put(tag: &Tag, response: &mut Response) {
    response.headers_mut().extend(HeaderValue::from_str(tag.text()).ok().map(|tag| (ETAG, tag)));
}

/// Converts an answer to a response.
pub(super) fn reply(answer: Answer) -> Response {
    let mut response = answer.text.into_response();
    let control = match &answer.caching {
        Caching::Exact(tag) => {
            put(tag, &mut response);
            EXACT
        }
        Caching::UntilTablesChange => REVALIDATE,
        Caching::Not => NEVER,
    };
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response.headers_mut().insert(CACHE_CONTROL, control);
    response
}

/// Gives a response the status of a refusal, keeps it out of caches, and says when to retry.
pub(super) fn mark(refusal: &Refusal, response: &mut Response) {
    let status = StatusCode::from_u16(refusal.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    *response.status_mut() = status;
    response.headers_mut().insert(CACHE_CONTROL, NEVER);
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = self.json().into_response();
        response.headers_mut().insert(CONTENT_TYPE, JSON);
        mark(&self, &mut response);
        response
    }
}

impl From<NotDone> for Refusal {
    fn from(why: NotDone) -> Self {
        match why {
            NotDone::Busy => Self::new(503, "busy", "too many requests wait already: try again in a second"),
            NotDone::Late => Self::new(503, "late", "the answer took too long: try again, or ask for less"),
            NotDone::Failed => Self::internal(),
        }
    }
}
