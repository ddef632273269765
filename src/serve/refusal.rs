//! [`Refusal`]: why a request was not answered, as a status and a JSON object with stable keys.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::probe::ProbeError;
use crate::rules::RuleSet;
use crate::space::Class;
use crate::store::class_of_file;
use crate::table::TableError;

use super::workers::NotDone;

/// A request that was not answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    code: &'static str,
    error: String,
    class: Option<Class>,
    parameter: Option<String>,
}

/// The object that a client gets.
#[derive(Serialize)]
struct RefusalObject<'a> {
    status: u16,
    code: &'static str,
    error: &'a str,
    class: Option<String>,
    parameter: Option<&'a str>,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, code: &'static str, error: impl Into<String>) -> Self {
        Self { status, code, error: error.into(), class: None, parameter: None }
    }

    /// A parameter that cannot be read.
    pub(super) fn parameter(name: &str, error: impl Into<String>) -> Self {
        let refusal = Self::new(StatusCode::BAD_REQUEST, "bad-parameter", error);
        Self { parameter: Some(name.to_owned()), ..refusal }
    }

    /// A text that is no position.
    pub(super) fn position(name: &str, error: impl Into<String>) -> Self {
        Self { code: "bad-position", ..Self::parameter(name, error) }
    }

    /// Nothing is served under these rules.
    pub(super) fn rules<'a>(asked: &RuleSet, served: impl Iterator<Item = &'a RuleSet>) -> Self {
        let served: Vec<String> = served.map(RuleSet::name).collect();
        let error = format!("there are no tables of the rules {}: expected {}", asked.name(), served.join(" or "));
        let refusal = Self::new(StatusCode::NOT_FOUND, "rules-not-served", error);
        Self { parameter: Some("rules".to_owned()), ..refusal }
    }

    /// What tables say when they do not answer. Names files, never where they are.
    pub(super) fn probe(error: &ProbeError) -> Self {
        match error {
            ProbeError::MissingTable { class, file, searched } => {
                let rules = searched.rules.name();
                let error = format!(
                    "there is no table of class {class} under the rules {rules}: expected a file named {file} among the tables"
                );
                Self { class: Some(*class), ..Self::new(StatusCode::NOT_FOUND, "missing-table", error) }
            }
            ProbeError::Unreachable { class, .. } => {
                Self { class: Some(*class), ..Self::new(StatusCode::NOT_FOUND, "unreachable-class", error.to_string()) }
            }
            ProbeError::IllegalPosition { .. } => Self::position("position", error.to_string()),
            ProbeError::Table(error) => Self::table(error),
            ProbeError::Contradiction { class, .. } => Self { class: Some(*class), ..Self::damaged(error.to_string()) },
            // Nothing else is found while answering.
            _ => Self::damaged("the tables cannot be read".to_owned()),
        }
    }

    fn damaged(error: String) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "damaged-table", error)
    }

    fn table(error: &TableError) -> Self {
        let name = error.file().file_name().unwrap_or_default().to_string_lossy();
        Self { class: class_of_file(error.file()), ..Self::damaged(format!("{name}: {}", error.fault())) }
    }

    /// A look-up that was not done.
    pub(super) fn not_done(why: NotDone) -> Self {
        let busy = StatusCode::SERVICE_UNAVAILABLE;
        match why {
            NotDone::Busy => Self::new(busy, "busy", "too many requests wait already: try again in a second"),
            NotDone::Late => Self::new(busy, "late", "the answer took too long: try again, or ask for less"),
            NotDone::Failed => Self::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "this program failed; the request was not to blame",
            ),
        }
    }

    /// The same as words.
    pub(super) fn text(&self) -> &str {
        &self.error
    }

    /// Gives a response the status of a refusal, keeps caches from it, and says when to come again.
    pub(super) fn mark(&self, response: &mut Response) {
        *response.status_mut() = self.status;
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
    }
}

impl From<ProbeError> for Refusal {
    fn from(error: ProbeError) -> Self {
        Self::probe(&error)
    }
}

impl From<NotDone> for Refusal {
    fn from(why: NotDone) -> Self {
        Self::not_done(why)
    }
}

/// The media type of everything that is one JSON value.
pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json");

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let object = RefusalObject {
            status: self.status.as_u16(),
            code: self.code,
            error: &self.error,
            class: self.class.map(|class| class.to_string()),
            parameter: self.parameter.as_deref(),
        };
        // Strings and numbers alone: it cannot fail.
        let text = serde_json::to_string(&object).unwrap_or_default();
        let mut response = Response::new(Body::from(text + "\n"));
        response.headers_mut().insert(CONTENT_TYPE, JSON);
        self.mark(&mut response);
        response
    }
}
