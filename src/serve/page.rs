//! The page at `/`: what it shows without scripts, a position with its value and its turns as links. Scripts put the explorer in its place
//! ([`files`](super::files)).

use std::fmt::Write;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;

use crate::game::Position;
use crate::present;
use crate::probe::{Probe, RankedTurn, Tablebase};
use crate::rules::RuleSet;
use crate::service::{Parameters, Refusal};
use crate::space::Class;

use super::app::App;
use super::files::{INDEX, index as filled, sent};
use super::replies::mark;

/// The parameters of the page. All but the first four are for its scripts.
const NAMES: [&str; 7] = ["position", "moves", "rules", "at", "points", "view", "class"];

/// What is shown where nothing was asked and the start cannot be answered.
const EXAMPLE: &str = "W:Wd6,d7,f4,f6:Bb4,d3,g1,g4";

const TITLE: &str = "Morabaraba explorer";

/// `GET /`.
pub(super) async fn index(State(app): State<Arc<App>>, uri: Uri, headers: HeaderMap) -> Response {
    let asked = Parameters::read(uri.query().unwrap_or_default(), &NAMES);
    let parameters = asked.as_ref().ok();
    let field = |name: &str| parameters.and_then(|parameters| parameters.get(name)).unwrap_or_default().to_owned();
    let mut page = Page(String::new());
    page.form(&app, &field("position"), &field("rules"));
    let result = match asked {
        Ok(parameters) => shown(&app, &parameters).await,
        Err(refusal) => Err(refusal),
    };
    let head = match &result {
        Ok(shown) => {
            page.0.push_str(&shown.text);
            head(shown.value.as_deref())
        }
        Err(refusal) => {
            page.error(refusal);
            head(None)
        }
    };
    page.add(format_args!("<p><a href=\"./v1/openapi.json\">The interface for programs</a></p>\n"));
    let mut response = sent(INDEX.media, filled(&head, &page.0), &headers);
    if let Err(refusal) = &result {
        mark(refusal, &mut response);
    }
    response
}

/// The description in the head of the page, for previews of a link.
fn head(value: Option<&str>) -> String {
    let about = "Who wins? Play or set up any Morabaraba position and see what every turn is worth, exactly.";
    let title = escaped(&value.map_or_else(|| TITLE.to_owned(), |value| format!("{value} · {TITLE}")));
    format!(
        "<title>{title}</title>\n<meta name=\"description\" content=\"{about}\">\n<meta property=\"og:title\" content=\"{title}\">\n\
         <meta property=\"og:description\" content=\"{about}\">\n"
    )
}

/// What is shown of a position.
struct Shown {
    /// Its value in a line, where there is one.
    value: Option<String>,
    /// The board, its value and its turns.
    text: String,
}

/// The position that was asked about, or the first that there is, with its value and turns.
async fn shown(app: &App, parameters: &Parameters) -> Result<Shown, Refusal> {
    let set = parameters.set(app.sets.all())?;
    // The form sends an empty position where nothing was typed.
    let nothing = parameters.get("position").is_none_or(str::is_empty) && parameters.get("moves").is_none();
    let position = if nothing { first(&set.tables()) } else { asked(parameters, set.rules())? };
    Ok(app.workers.run(move || shown_text(&set.tables(), &position)).await?)
}

/// The position after as many turns of the record as are to be played.
fn asked(parameters: &Parameters, rules: &RuleSet) -> Result<Position, Refusal> {
    let game = parameters.game(rules)?;
    let Some(at) = parameters.get("at") else { return Ok(game.end.position) };
    let at: usize =
        at.parse().map_err(|_| Refusal::parameter("at", format!("expected a number of turns, found {at:?}")))?;
    let positions = game.record.unwrap_or_default().positions(&game.start, rules).unwrap_or_default();
    Ok(positions.get(at).copied().unwrap_or(game.end.position))
}

/// The start where tables answer it; else the example, if the game has as many cows.
fn first(tables: &Tablebase) -> Position {
    let (rules, start) = (tables.rules(), Position::start(tables.rules()));
    let class = Class::with_hands([0, 0], start.hands);
    if class.is_ok_and(|class| tables.answers(class)) {
        return start;
    }
    Position::from_notation(EXAMPLE, rules).unwrap_or(start)
}

fn shown_text(tables: &Tablebase, position: &Position) -> Shown {
    let rules = tables.rules();
    let mut page = Page(String::new());
    page.add(format_args!("<pre>{}</pre>\n", escaped(&present::draw(rules.board(), position))));
    page.add(format_args!("<p>{}</p>\n", escaped(&present::caption(rules, position))));
    let probe = tables.probe(position);
    let query = query(&position.to_string(), &rules.name());
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
        "<p>As JSON: <a href=\"./v1/probe?{query}\">probe</a>, <a href=\"./v1/line?{query}\">best line</a></p>\n"
    ));
    let value =
        probe.ok().map(|probe| probe.outcome.map_or_else(|| present::answer_text(&probe), present::outcome_text));
    Shown { value, text: page.0 }
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
            "<form action=\"./\"><p><label>Position, in short form or as a FEN <input type=\"text\" name=\"position\" \
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
                "<tr><td><a href=\"./?{query}\">{turn}</a></td><td>{value}</td><td>{note}</td></tr>\n"
            ));
        }
        self.add(format_args!("</table>\n"));
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
