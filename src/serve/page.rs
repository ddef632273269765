//! The page at `/`: its content without scripts, a position with its value and its turns as links. Scripts replace it
//! with the explorer ([`files`](super::files)).

use std::fmt::Write;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;

use crate::game::{Outcome, Position, Side};
use crate::present;
use crate::probe::{Probe, RankedTurn, Tablebase, Verdict};
use crate::rules::RuleSet;
use crate::service::{Parameters, Refusal};
use crate::space::Class;

use super::app::App;
use super::files::{INDEX, index as filled, sent};
use super::replies::mark;

/// The parameters of the page. `points` and `opponent` are only for its scripts; any other is ignored.
const NAMES: [&str; 8] = ["position", "moves", "rules", "at", "points", "view", "class", "opponent"];

/// The positions of which the first that tables answer is shown, if none was requested and they do not answer the start.
const EXAMPLES: [&str; 2] = ["W:Wd6,d7,f4,f6:Bb4,d3,g1,g4", "W:Wa7,d7,g1:Bb6,d6,c5"];

const TITLE: &str = "Morabaraba explorer";

/// `GET /`.
pub(super) async fn index(State(app): State<Arc<App>>, uri: Uri, headers: HeaderMap) -> Response {
    let parameters = Parameters::read_known(uri.query().unwrap_or_default(), &NAMES);
    let field = |name: &str| parameters.get(name).unwrap_or_default();
    let mut page = Page(String::new());
    page.form(&app, field("position"), parameters.rules().ok().flatten());
    let result = match View::read(&parameters) {
        Ok(None) => shown(&app, &parameters).await,
        Ok(Some(view)) => parameters.set(app.sets.all()).map(|set| view.shown(&set.rules().name())),
        Err(refusal) => Err(refusal),
    };
    let head = match &result {
        Ok(shown) => {
            page.0.push_str(&shown.text);
            head(shown.title.as_deref())
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
fn head(title: Option<&str>) -> String {
    let about = "Who wins? Play or set up any Morabaraba position and see what every turn is worth, exactly.";
    let title = escaped(&title.map_or_else(|| TITLE.to_owned(), |title| format!("{title} · {TITLE}")));
    format!(
        "<title>{title}</title>\n<meta name=\"description\" content=\"{about}\">\n<meta property=\"og:title\" content=\"{title}\">\n\
         <meta property=\"og:description\" content=\"{about}\">\n"
    )
}

/// What the page shows.
struct Shown {
    /// What a preview of a link says, if there is something to say.
    title: Option<String>,
    /// The content without scripts.
    text: String,
}

/// The views of the page besides the board, chosen as by its scripts.
enum View {
    Tables,
    Class(Class),
    Records,
}

impl View {
    /// The requested view; `None` for the board.
    fn read(parameters: &Parameters) -> Result<Option<Self>, Refusal> {
        let class = parameters.get("class");
        match parameters.get("view").or(class.map(|_| "class")) {
            Some("tables") => Ok(Some(Self::Tables)),
            Some("records") => Ok(Some(Self::Records)),
            Some("class") => match class.unwrap_or_default().parse::<Class>() {
                Ok(class) => Ok(Some(Self::Class(class))),
                Err(error) => Err(Refusal::parameter("class", error.to_string())),
            },
            _ => Ok(None),
        }
    }

    /// What it shows without scripts: where the same is as JSON.
    fn shown(&self, rules: &str) -> Shown {
        let (title, address) = match self {
            Self::Tables => ("Tables".to_owned(), "./v1/tables".to_owned()),
            Self::Class(class) => (format!("Class {class}"), format!("./v1/stats/{class}")),
            Self::Records => ("Records".to_owned(), "./v1/records".to_owned()),
        };
        let rules = encoded(rules);
        let link = |query: &str, text: &str| format!("<a href=\"./?{query}rules={rules}\">{text}</a>");
        let mut page = Page(String::new());
        page.add(format_args!(
            "<h1>{title}</h1>\n<p>This view needs scripts. <a href=\"{address}?rules={rules}\">The same as JSON</a></p>\n\
             <p>{}, {}, {}</p>\n",
            link("", "The board"),
            link("view=tables&amp;", "tables"),
            link("view=records&amp;", "records"),
        ));
        Shown { title: Some(title), text: page.0 }
    }
}

/// The requested position, or the first one available, with its value and turns.
async fn shown(app: &App, parameters: &Parameters) -> Result<Shown, Refusal> {
    let set = parameters.set(app.sets.all())?;
    // The form sends an empty position if nothing was typed.
    let nothing = parameters.get("position").is_none_or(str::is_empty) && parameters.get("moves").is_none();
    let at = turns_shown(parameters)?;
    let position = if nothing { None } else { Some(asked(parameters, at, set.rules())?) };
    let work = move || {
        let tables = set.tables();
        shown_text(&tables, &position.unwrap_or_else(|| first(&tables)))
    };
    Ok(app.workers.run(work).await?)
}

/// The requested number of turns of the record, if there is one.
fn turns_shown(parameters: &Parameters) -> Result<Option<usize>, Refusal> {
    let refused = |at| Refusal::parameter("at", format!("expected a number of turns, found {at:?}"));
    parameters.get("at").map(|at| at.parse().map_err(|_| refused(at))).transpose()
}

/// The position after this many turns of the record, or at its end.
fn asked(parameters: &Parameters, at: Option<usize>, rules: &RuleSet) -> Result<Position, Refusal> {
    let game = parameters.game(rules)?;
    let Some(at) = at else { return Ok(game.end.position) };
    let positions = game.record.unwrap_or_default().positions(&game.start, rules).unwrap_or_default();
    Ok(positions.get(at).copied().unwrap_or(game.end.position))
}

/// The start if tables answer it; otherwise the first example that they answer, if there is one.
fn first(tables: &Tablebase) -> Position {
    let (rules, start) = (tables.rules(), Position::start(tables.rules()));
    let class = Class::with_hands([0, 0], start.hands);
    if class.is_ok_and(|class| tables.answers(class)) {
        return start;
    }
    let mut examples = EXAMPLES.iter().filter_map(|text| Position::from_notation(text, rules).ok());
    examples.find(|position| tables.probe(position).is_ok()).unwrap_or(start)
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
        // The same reason is given only once.
        Err(error) if probe.is_ok() => page.error(&Refusal::probe(&error)),
        Err(_) => {}
    }
    page.add(format_args!(
        "<p>As JSON: <a href=\"./v1/probe?{query}\">probe</a>, <a href=\"./v1/line?{query}\">best line</a></p>\n"
    ));
    Shown { title: probe.ok().map(|probe| verdict(&probe, position.to_move)), text: page.0 }
}

/// Who wins, by the names that the page gives the players: a preview does not show the board.
fn verdict(probe: &Probe, to_move: Side) -> String {
    let name = |side| if side == Side::First { "Light" } else { "Dark" };
    let (mover, other) = (name(to_move), name(to_move.other()));
    // Plies are not counted while there are cows in hand.
    let distance = probe.value.dtc().map(|plies| format!(": next shot or end in {plies}")).unwrap_or_default();
    match (probe.outcome, probe.verdict()) {
        (Some(Outcome::Won(side, _)), _) => format!("The game is over: {} has won", name(side)),
        (Some(Outcome::Drawn(_)), _) => "The game is over: a draw".to_owned(),
        (None, Verdict::Won) => format!("{mover} wins{distance}"),
        (None, Verdict::Lost) => format!("{other} wins{distance}"),
        (None, Verdict::Drawn) => "A draw".to_owned(),
        (None, Verdict::CursedWin) => format!("A draw: the draw counter runs out before {mover} wins"),
        (None, Verdict::BlessedLoss) => format!("A draw: the draw counter runs out before {other} wins"),
    }
}

fn said(rules: &str, probe: &Probe) -> String {
    match (probe.outcome, probe.class) {
        (Some(outcome), _) => present::outcome_text(outcome),
        (None, Some(class)) => format!("{class} under {rules}, {}", present::answer_text(probe)),
        (None, None) => present::answer_text(probe),
    }
}

/// The parameters of a link, escaped for an attribute.
fn query(position: &str, rules: &str) -> String {
    format!("position={}&amp;rules={}", encoded(position), encoded(rules))
}

/// Encodes a text as part of an address. Characters that it leaves unchanged need no escaping in HTML.
fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~:,".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Escapes a text for use between tags or in a quoted attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

/// HTML under construction.
struct Page(String);

impl Page {
    fn add(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.0.write_fmt(text);
    }

    fn error(&mut self, refusal: &Refusal) {
        self.add(format_args!("<p class=\"error\">{}</p>\n", escaped(refusal.text())));
    }

    fn form(&mut self, app: &App, position: &str, asked: Option<RuleSet>) {
        let (position, example) = (escaped(position), EXAMPLES[0]);
        self.add(format_args!(
            "<form action=\"./\"><p><label>Position, in short form or as a FEN <input type=\"text\" name=\"position\" \
             value=\"{position}\" placeholder=\"{example}\"></label></p>\n<p><label>Rules <select name=\"rules\">"
        ));
        // Rules that are not served stay chosen, with the reason why there is no answer below.
        let others = asked.iter().filter(|asked| app.sets.rules().all(|rules| rules != *asked));
        for rules in app.sets.rules().chain(others) {
            let selected = if asked.as_ref() == Some(rules) { " selected" } else { "" };
            self.add(format_args!("<option{selected}>{}</option>", escaped(&rules.name())));
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
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_parameter_of_the_pages_own_addresses_is_accepted_and_described() {
        let address = include_str!("page/address.js");
        let read = address.split("given.get('").skip(1).map(|rest| rest.split('\'').next().unwrap());
        let names = BTreeSet::from(NAMES);
        assert_eq!(read.collect::<BTreeSet<_>>(), names);
        let document: serde_json::Value = serde_json::from_str(super::super::openapi::TEXT).unwrap();
        let listed = document["paths"]["/"]["get"]["parameters"].as_array().unwrap();
        let described = listed.iter().map(|parameter| {
            let place = parameter["$ref"].as_str().unwrap().trim_start_matches('#');
            document.pointer(place).unwrap()["name"].as_str().unwrap()
        });
        assert_eq!(described.collect::<BTreeSet<_>>(), names);
    }

    #[test]
    fn the_examples_are_those_of_the_scripts() {
        let app = include_str!("page/app.js");
        let list = EXAMPLES.map(|text| format!("'{text}'")).join(", ");
        assert!(app.contains(&format!("const EXAMPLES = [{list}];")), "{list}");
    }

    #[test]
    fn nothing_that_a_visitor_writes_becomes_a_tag_or_leaves_its_attribute() {
        assert_eq!(escaped("<b a='\"'>&"), "&lt;b a=&#39;&quot;&#39;&gt;&amp;");
        assert_eq!(encoded("W:Wa7 \"<&%+/é"), "W:Wa7%20%22%3C%26%25%2B%2F%C3%A9");
    }
}
