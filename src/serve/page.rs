//! The page at `/`: a position, its value, and its turns as links. Plain HTML, without scripts.

use std::fmt::Write;
use std::sync::Arc;

use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderValue, Uri};
use axum::response::{IntoResponse, Response};

use crate::game::Position;
use crate::present;
use crate::probe::{Probe, RankedTurn, Tablebase};
use crate::rules::RuleSet;

use super::app::App;
use super::refusal::Refusal;
use super::request::{Asked, Parameters};

/// The parameters of the page.
const NAMES: [&str; 3] = ["position", "moves", "rules"];

/// What is shown where nothing was asked.
const EXAMPLE: &str = "W:Wd6,d7,f4,f6:Bb4,d3,g1,g4";

/// Nothing but the page's own style and form.
const POLICY: HeaderValue =
    HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'");

const STYLE: &str = "body{font-family:sans-serif;max-width:60em;margin:1em auto;padding:0 1em}\
input[type=text]{width:100%;box-sizing:border-box}td,th{text-align:left;padding:0 1em 0 0}.error{color:#a00}";

/// `GET /`.
pub(super) async fn index(State(app): State<Arc<App>>, uri: Uri) -> Response {
    let asked = Parameters::read(&uri, &NAMES);
    let parameters = asked.as_ref().ok();
    let field = |name: &str| parameters.and_then(|parameters| parameters.get(name)).unwrap_or_default().to_owned();
    let mut page = Page::begin();
    page.form(&app, &field("position"), &field("rules"));
    let result = match asked {
        Ok(parameters) => shown(&app, &parameters).await,
        Err(refusal) => Err(refusal),
    };
    match &result {
        Ok(text) => page.0.push_str(text),
        Err(refusal) => page.error(refusal),
    }
    let mut response = page.end().into_response();
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Err(refusal) = &result {
        refusal.mark(&mut response);
    }
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, POLICY);
    response
}

/// The position that was asked about, or the example, with its value and turns.
async fn shown(app: &App, parameters: &Parameters) -> Result<String, Refusal> {
    let set = parameters.set(&app.sets)?;
    // The form sends an empty position where nothing was typed.
    let nothing = parameters.get("position").is_none_or(str::is_empty) && parameters.get("moves").is_none();
    let asked = if nothing { example(set.rules()) } else { parameters.position(set.rules())? };
    Ok(app.workers.run(move || shown_text(&set.tables(), &asked)).await?)
}

/// The example, or the start where a game has not as many cows.
fn example(rules: &RuleSet) -> Asked {
    let position = Position::from_notation(EXAMPLE, rules).unwrap_or_else(|_| Position::start(rules));
    Asked { text: position.to_string(), position }
}

fn shown_text(tables: &Tablebase, asked: &Asked) -> String {
    let (rules, position) = (tables.rules(), &asked.position);
    let mut page = Page(String::new());
    page.add(format_args!("<pre>{}</pre>\n", escaped(&present::draw(rules.board(), position))));
    page.add(format_args!("<p>{}</p>\n", escaped(&present::caption(rules, position))));
    let probe = tables.probe(position);
    let query = query(&asked.position.to_string(), &rules.name());
    match &probe {
        Ok(probe) => page.add(format_args!("<p><strong>{}</strong></p>\n", escaped(&said(&rules.name(), probe)))),
        Err(error) => page.error(&Refusal::probe(error)),
    }
    match tables.turns(position) {
        Ok(turns) => page.turns(&turns, &rules.name()),
        // The same reason is told once.
        Err(error) if probe.is_ok() => page.error(&Refusal::probe(&error)),
        Err(_) => {}
    }
    page.add(format_args!(
        "<p>As JSON: <a href=\"/v1/probe?{query}\">probe</a>, <a href=\"/v1/line?{query}\">best line</a></p>\n"
    ));
    page.0
}

fn said(rules: &str, probe: &Probe) -> String {
    match (probe.outcome, probe.class) {
        (Some(outcome), _) => present::outcome_text(outcome),
        (None, Some(class)) => format!("{class} under {rules}, {}", present::answer_text(probe)),
        (None, None) => present::answer_text(probe),
    }
}

/// The parameters of a link, ready for an attribute.
fn query(position: &str, rules: &str) -> String {
    format!("position={}&amp;rules={}", encoded(position), encoded(rules))
}

/// A text as a part of an address. What it leaves alone needs no escaping in HTML.
fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~:,".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing into a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// A text between tags or in a quoted attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

/// HTML that grows.
struct Page(String);

impl Page {
    fn begin() -> Self {
        Self(format!(
            "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" \
             content=\"width=device-width\"><title>morabase</title><style>{STYLE}</style></head>\n<body>\n<h1>morabase</h1>\n"
        ))
    }

    fn add(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing into a string cannot fail.
        let _ = self.0.write_fmt(text);
    }

    fn error(&mut self, refusal: &Refusal) {
        self.add(format_args!("<p class=\"error\">{}</p>\n", escaped(refusal.text())));
    }

    fn form(&mut self, app: &App, position: &str, rules: &str) {
        let position = escaped(position);
        self.add(format_args!(
            "<form action=\"/\"><p><label>Position, in short form or as a FEN <input type=\"text\" name=\"position\" \
             value=\"{position}\" placeholder=\"{EXAMPLE}\"></label></p>\n<p><label>Rules <select name=\"rules\">"
        ));
        for name in app.sets.rules().map(RuleSet::name) {
            let selected = if name == rules { " selected" } else { "" };
            self.add(format_args!("<option{selected}>{}</option>", escaped(&name)));
        }
        self.add(format_args!("</select></label> <input type=\"submit\" value=\"Probe\"></p></form>\n"));
    }

    fn turns(&mut self, turns: &[RankedTurn], rules: &str) {
        if turns.is_empty() {
            return;
        }
        self.add(format_args!("<table>\n<tr><th>turn</th><th>value</th><th></th></tr>\n"));
        for turn in turns {
            let query = query(&turn.after.to_string(), rules);
            let note = present::turn_note(turn).unwrap_or_default();
            let (turn, value) = (turn.turn, turn.value);
            self.add(format_args!(
                "<tr><td><a href=\"/?{query}\">{turn}</a></td><td>{value}</td><td>{note}</td></tr>\n"
            ));
        }
        self.add(format_args!("</table>\n"));
    }

    fn end(mut self) -> String {
        self.add(format_args!(
            "<p><a href=\"/v1/openapi.json\">The interface for programs</a></p>\n</body>\n</html>\n"
        ));
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_visitor_writes_becomes_a_tag_or_leaves_its_attribute() {
        assert_eq!(escaped("<b a='\"'>&"), "&lt;b a=&#39;&quot;&#39;&gt;&amp;");
        assert_eq!(encoded("W:Wa7 \"<&%+/é"), "W:Wa7%20%22%3C%26%25%2B%2F%C3%A9");
    }
}
