//! What caches may keep. An exact value never changes, so neither does the answer to a question under the same rules.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use crate::game::PointForm;
use crate::present;
use crate::rules::RuleSet;

use super::refusal::{JSON, Refusal};
use super::request::Asked;
use super::workers::NotDone;

/// How long an answer that never changes is kept, and a program's own pages.
const EXACT: HeaderValue = HeaderValue::from_static("public, max-age=86400");
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");
const NEVER: HeaderValue = HeaderValue::from_static("no-store");

/// How long an answer is good.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Caching {
    /// For ever, under this tag.
    Exact(Tag),
    /// Until tables come or go.
    UntilTablesChange,
    /// It depends on what is missing now.
    Not,
}

/// A weak entity tag: the fingerprint of the rules, and a hash of the canonical position and of what shapes the answer otherwise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tag(String);

impl Tag {
    /// The tag of the answer to `asked` at this endpoint.
    pub(super) fn new(endpoint: &str, rules: &RuleSet, asked: &Asked, form: PointForm) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        let shape = format!("{version} {endpoint} {form:?}\n{}\n{}", asked.position, asked.text);
        Self(format!("W/\"{:016x}-{:016x}\"", rules.fingerprint(), xxh3_64(shape.as_bytes())))
    }

    /// The tag of this very text.
    pub(super) fn of_text(text: &str) -> Self {
        Self(format!("W/\"{:016x}\"", xxh3_64(text.as_bytes())))
    }

    /// Tells the client the tag.
    pub(super) fn put(&self, response: &mut Response) {
        response.headers_mut().extend(self.header().map(|tag| (ETAG, tag)));
    }

    /// Whether the client has the answer already. It had it from here, so it need not be looked up again.
    pub(super) fn is_known(&self, headers: &HeaderMap) -> bool {
        let lists = headers.get_all(IF_NONE_MATCH).iter().filter_map(|list| list.to_str().ok());
        let mut tags = lists.flat_map(|list| list.split(',')).map(str::trim);
        let bare = self.0.trim_start_matches("W/");
        tags.any(|tag| tag.trim_start_matches("W/") == bare)
    }

    fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.0).ok()
    }
}

/// Says that the client has the answer already, which never changes.
pub(super) fn not_modified(tag: &Tag) -> Response {
    let mut response = not_changed(tag);
    response.headers_mut().insert(CACHE_CONTROL, EXACT);
    response
}

/// Says that the client has the text already.
pub(super) fn not_changed(tag: &Tag) -> Response {
    let mut response = StatusCode::NOT_MODIFIED.into_response();
    tag.put(&mut response);
    response
}

/// An object as JSON and a line end.
pub(super) fn text_of(object: &impl Serialize) -> Result<String, Refusal> {
    // An object of this program can always be serialised.
    present::to_json(object).map(|text| text + "\n").map_err(|_| NotDone::Failed.into())
}

/// The answer with this text, which is JSON.
pub(super) fn answer(text: String, caching: &Caching) -> Response {
    let mut response = text.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, JSON);
    let control = match caching {
        Caching::Exact(tag) => {
            headers.extend(tag.header().map(|tag| (ETAG, tag)));
            EXACT
        }
        Caching::UntilTablesChange => REVALIDATE,
        Caching::Not => NEVER,
    };
    headers.insert(CACHE_CONTROL, control);
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Position;
    use crate::rules::Preset;

    fn tag(preset: Preset, text: &str, form: PointForm) -> Tag {
        let rules = preset.rules();
        let asked = Asked { text: text.to_owned(), position: Position::from_notation(text, &rules).unwrap() };
        Tag::new("probe", &rules, &asked, form)
    }

    #[test]
    fn a_tag_differs_where_the_answer_does() {
        let text = "W:Wa7,d7,g1:Bb6,d6,c5";
        let tags = [
            tag(Preset::Gar, text, PointForm::Grid),
            tag(Preset::Plain, text, PointForm::Grid),
            tag(Preset::Gar, text, PointForm::Gar),
            tag(Preset::Gar, "B:Wa7,d7,g1:Bb6,d6,c5", PointForm::Grid),
        ];
        for (at, one) in tags.iter().enumerate() {
            assert!(tags[..at].iter().all(|other| other != one), "{tags:?}");
        }
        assert!(tags[0].0.starts_with(&format!("W/\"{:016x}-", Preset::Gar.rules().fingerprint())));
        assert_eq!(tags[0], tag(Preset::Gar, text, PointForm::Grid));
    }

    #[test]
    fn a_tag_is_known_in_a_list_and_without_its_mark() {
        let tag = tag(Preset::Gar, "W:Wa7,d7,g1:Bb6,d6,c5", PointForm::Grid);
        let known = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(IF_NONE_MATCH, text.parse().unwrap());
            tag.is_known(&headers)
        };
        assert!(known(&format!("\"x\", {}", tag.0)) && known(tag.0.trim_start_matches("W/")));
        assert!(!known("\"x\"") && !known("*") && !tag.is_known(&HeaderMap::new()));
    }
}
