//! `GET /v1/openapi.json`: the interface description, for client generators.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, Uri};
use axum::response::IntoResponse;

use crate::service::Parameters;

use super::replies::{JSON, Reply};

/// The document, with a placeholder for the program's version. Tests compare it with the server's answers.
pub(super) const TEXT: &str = include_str!("openapi.json");

/// The document.
pub(super) async fn document(uri: Uri) -> Reply {
    Parameters::read(uri.query().unwrap_or_default(), &[])?;
    let mut response = TEXT.replace("PROGRAM_VERSION", env!("CARGO_PKG_VERSION")).into_response();
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    Ok(response)
}
