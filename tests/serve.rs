//! The real binary as a server: the same answers as the command line, refusals, caching, limits, signals, and tables that go.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::common::cli::{fed, json_lines, morabase, on, stdout};
use crate::common::files::{change, copy_of_tables};
use crate::common::http::{Reply, Server};
use crate::common::tables::{SHIPPED, built};

static GAME: LazyLock<TempDir> = LazyLock::new(|| built("gar", &["--game", "--cows", "3"]));
static PLAIN: LazyLock<TempDir> = LazyLock::new(|| built("plain", &["--max-cows", "6"]));

const FLYING: &str = "W:Wa7,d7,g1:Bb6,d6,c5";

/// Positions of every kind that the small set answers.
const POSITIONS: [&str; 9] = [
    "W:Wd6,d7,f4,f6:Bb4,d3,g1,g4",
    FLYING,
    "w:wE1,E2,R8:bA1,A2,c5",
    "W:Wb4,d3,d7,g4:Ba7,f4,g1:C16",
    "W:Wa7,d7,g1:Bb6,f6,c5:C20",
    "W:Wa7,d7,g7:Bb6,d6,c5,c4:S",
    "W:Wa7,d7:Bb6,d6,c5",
    "B:Wa7,d7,g1,c3:Bb6,d6,c4",
    "O*****@*/O*****@*/**@***O@ w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 19 32 ids:nodes",
];

/// A text as a part of an address.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~:,".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn about(endpoint: &str, position: &str) -> String {
    format!("/v1/{endpoint}?position={}", encoded(position))
}

/// Asks until the answer is as wanted; the last answer if that takes too long.
fn wait_for(ask: impl Fn() -> Reply, wanted: impl Fn(&Reply) -> bool) -> Reply {
    let began = Instant::now();
    loop {
        let reply = ask();
        if wanted(&reply) || began.elapsed() > Duration::from_secs(30) {
            return reply;
        }
        sleep(Duration::from_millis(100));
    }
}

#[test]
fn the_command_line_and_the_server_say_the_same_byte_by_byte() {
    let server = Server::start(&[], &[]);
    for position in POSITIONS {
        for (command, endpoint) in [("probe", "probe"), ("line", "line"), ("turns", "turns")] {
            let reply = server.get(&about(endpoint, position));
            assert_eq!(reply.status, 200, "{position}: {reply:?}");
            assert_eq!(reply.text(), stdout(&mut morabase(&[command, "--json", position])), "{endpoint} {position}");
        }
        let ring = server.get(&(about("probe", position) + "&points=gar"));
        assert_eq!(ring.text(), stdout(&mut morabase(&["probe", "--json", "--points", "gar", position])));
        let half = server.get(&(about("turns", position) + "&half=true"));
        assert_eq!(half.text(), stdout(&mut morabase(&["turns", "--json", "--half", position])));
    }
    let after = server.get(&(about("probe", FLYING) + "&moves=g1-f2%20b6-b4"));
    assert_eq!(after.text(), stdout(&mut morabase(&["probe", "--json", FLYING, "--moves", "g1-f2 b6-b4"])));
    let stats = server.get("/v1/stats/4-3");
    assert_eq!(stats.text(), stdout(&mut morabase(&["stats", "--json", "--class", "4-3"])));
    let tables = server.get("/v1/tables");
    assert_eq!(tables.text(), stdout(&mut morabase(&["info", "--json"])));
    for (query, arguments) in [
        (format!("position={}", encoded(FLYING)), &["show", "--json", FLYING][..]),
        ("moves=d6+d7+b4".to_owned(), &["show", "--json", "--moves", "d6 d7 b4"]),
    ] {
        assert_eq!(server.get(&format!("/v1/show?{query}")).text(), stdout(&mut morabase(arguments)), "{query}");
    }
    let longest = server.get("/v1/stats/4-3?longest=true");
    assert_eq!(longest.text(), stdout(&mut morabase(&["stats", "--json", "--longest", "--class", "4-3"])));
    assert_eq!(
        server.get("/v1/rules").json(),
        json!([serde_json::from_str::<Json>(&stdout(&mut morabase(&["rules", "gar", "--json"]))).unwrap()])
    );
}

#[test]
fn a_turn_says_where_it_leads_so_a_client_can_follow_best_play_without_rules() {
    let server = Server::start(&[], &[]);
    let mut position = POSITIONS[0].to_owned();
    let mut made = Vec::new();
    loop {
        let answer = server.get(&about("probe", &position)).json();
        let Some(best) = answer["turns"].get(0) else { break };
        made.push(best["turn"].clone());
        best["position"].as_str().unwrap().clone_into(&mut position);
    }
    let line = server.get(&about("line", POSITIONS[0])).json();
    let turns = line["turns"].as_array().unwrap().iter().map(|turn| turn["turn"].clone());
    assert_eq!(turns.collect::<Vec<_>>(), made);
}

#[test]
fn positions_with_cows_in_hand_are_answered_without_plies() {
    let server = Server::start(&[GAME.path()], &[]);
    for position in ["W:W:B:H3,3", "W:Wa7,d7,g7:Bb6,d6:H0,1:S", FLYING] {
        for command in ["probe", "line"] {
            let said = stdout(&mut on(GAME.path(), &[command, "--json", position]));
            assert_eq!(server.get(&about(command, position)).text(), said, "{command} {position}");
        }
    }
    // The example of the page has more cows than this game.
    let page = server.get("/");
    assert!(page.status == 200 && page.text().contains("0-0+3-3 under morabaraba;cows=3;"), "{}", page.text());
    let moves = server.get("/v1/probe?moves=d6+d7").json();
    assert_eq!((&moves["class"], &moves["dtc"]), (&"1-1+2-2".into(), &Json::Null));
    assert!(moves["turns"].as_array().unwrap().iter().all(|turn| turn["dtc"].is_null()));
    // No game of three cows each leads to these hands.
    let never = server.get(&about("probe", "W:Wa7,d7,g1:Bb6:H0,2"));
    assert_eq!((never.status, &never.json()["code"]), (404, &"unreachable-class".into()));
    assert_eq!(never.json()["class"], "3-1+0-2");
    assert_eq!(server.get("/v1/stats/0-0+3-3").json()["classes"][0]["max_dtc"], Json::Null);
}

#[test]
fn each_directory_says_its_rules_and_the_first_answers_where_none_are_named() {
    let server = Server::start(&[SHIPPED.as_ref(), PLAIN.path()], &[]);
    let rules = server.get("/v1/rules").json();
    assert_eq!([&rules[0]["name"], &rules[1]["name"]], ["gar", "plain"]);
    // The default rules come first, wherever their directory stands.
    assert_eq!(Server::start(&[PLAIN.path(), SHIPPED.as_ref()], &[]).get("/v1/rules").json(), rules);
    let asked = |rules: &str| server.get(&(about("probe", "W:Wg1,a1,d6:Bd1,d2,d3:C10") + rules)).json();
    assert_eq!([&asked("")["verdict"], &asked("&rules=gar")["verdict"]], ["blessed-loss"; 2]);
    let plain = asked("&rules=plain");
    assert_eq!((&plain["value"], &plain["dtc"]), (&"lost".into(), &16.into()));
    let text = encoded(plain["rules"].as_str().unwrap());
    assert_eq!(asked(&format!("&rules={text}")), plain);
    let other = server.get(&(about("probe", FLYING) + "&rules=wikipedia"));
    assert_eq!((other.status, &other.json()["code"]), (404, &"rules-not-served".into()));
    assert!(other.json()["error"].as_str().unwrap().contains("gar or plain"));
    // Turns need no tables.
    assert_eq!(server.get(&(about("turns", FLYING) + "&rules=wikipedia")).status, 200);
}

#[cfg(unix)]
#[test]
fn requests_without_rules_get_the_default_ones_and_a_note_tells_where_they_do_not() {
    let said = |server: Server| {
        let first = server.get("/v1/rules").json()[0]["name"].as_str().unwrap().to_owned();
        server.terminate();
        (first, server.wait().1)
    };
    // Beside the tables inside the program.
    let place = TempDir::new().unwrap();
    let tables = place.path().join("tables");
    fs::create_dir(&tables).unwrap();
    fs::copy(PLAIN.path().join("3-3.mora"), tables.join("3-3.mora")).unwrap();
    let (first, notes) = said(Server::start_in(place.path()));
    assert!(first == "gar" && !notes.contains("note"), "{first}: {notes}");
    let (first, notes) = said(Server::start(&[PLAIN.path()], &[]));
    assert_eq!(first, "plain");
    let notes: Vec<&str> = notes.lines().filter(|line| line.starts_with("note: ")).collect();
    assert!(notes.len() == 1 && notes[0].contains("answered by those of plain"), "{notes:?}");
}

#[test]
fn refusals_have_a_status_a_code_and_say_what_was_expected() {
    let server = Server::start(&[], &[]);
    let cases = [
        ("GET", "/v1/probe", 400, "bad-position", "expected a position"),
        ("GET", "/v1/probe?position=hello", 400, "bad-position", "expected a short form"),
        ("GET", "/v1/probe?position=W:Wa7:Ba7", 400, "bad-position", "both players have a cow on a7"),
        ("GET", "/v1/probe?moves=d6+d6", 400, "bad-position", "turn 2 of the record"),
        ("GET", "/v1/probe?postion=x", 400, "bad-parameter", "expected position, moves, rules, points"),
        ("GET", "/v1/probe?position=x&position=y", 400, "bad-parameter", "twice"),
        ("GET", "/v1/line?position=W:Wa7,d7,g7:B&rules=chess", 400, "bad-parameter", "no rule set named"),
        ("GET", "/v1/turns?position=W:Wa7,d7,g7:B&half=maybe", 400, "bad-parameter", "expected true or false"),
        ("GET", "/v1/probe?position=W:Wa7,d7,g7:B&points=x", 400, "bad-parameter", "expected grid or gar"),
        ("GET", "/v1/probe?position=W:Wa7,a4,a1,b2,b4:Bg7,g4,g1,f2", 404, "missing-table", "5-4"),
        ("GET", "/v1/line?position=W:Wa7,a4,a1,b2,b4:Bg7,g4,g1,f2", 404, "missing-table", "5-4"),
        ("GET", "/v1/stats/5-4", 404, "missing-table", "5-4.mora"),
        ("GET", "/v1/stats/pawns", 400, "bad-parameter", "two numbers of cows"),
        ("GET", "/v1/stats/%FF", 400, "bad-parameter", ""),
        ("GET", "/v2/probe", 404, "no-such-page", "/v1/openapi.json"),
        ("DELETE", "/v1/probe", 405, "method-not-allowed", "Allow"),
        ("POST", "/v1/line", 405, "method-not-allowed", "Allow"),
        ("POST", "/v1/probe", 400, "bad-body", "expected positions"),
    ];
    for (method, path, status, code, words) in cases {
        let reply = server.send(method, path, &[], b"");
        assert_eq!(reply.status, status, "{method} {path}: {reply:?}");
        let error = reply.json();
        let keys: Vec<&String> = error.as_object().unwrap().keys().collect();
        assert_eq!(keys.len(), 5, "{keys:?}");
        assert_eq!((&error["status"], &error["code"]), (&status.into(), &code.into()), "{path}");
        assert!(error["error"].as_str().unwrap().contains(words), "{path}: {error}");
        assert_eq!(
            error["class"].as_str(),
            (status == 404 && path.contains("Wa7") || path.ends_with("5-4")).then_some("5-4")
        );
        assert_eq!(reply.header("cache-control"), Some("no-store"), "{path}");
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"), "{path}");
    }
    assert_eq!(server.send("DELETE", "/v1/probe", &[], b"").header("allow"), Some("GET,HEAD,POST"));
}

#[test]
fn a_position_whose_turns_lead_to_a_missing_table_is_answered_and_not_kept_by_caches() {
    let tables = copy_of_tables(SHIPPED.as_ref());
    fs::remove_file(tables.path().join("3-4.mora")).unwrap();
    let server = Server::start(&[tables.path()], &[]);
    let reply = server.get(&about("probe", "W:Wa7,d7,g1,c3:Bb6,d6,c5"));
    assert_eq!((reply.status, reply.header("cache-control"), reply.header("etag")), (200, Some("no-store"), None));
    let answer = reply.json();
    assert!(answer["turns"].is_null() && answer["value"] == "drawn", "{answer}");
    assert!(answer["error"].as_str().unwrap().contains("3-4"), "{answer}");
}

#[test]
fn an_answer_has_a_tag_and_whoever_has_it_gets_304() {
    let server = Server::start(&[], &[]);
    let path = about("probe", FLYING);
    let reply = server.get(&path);
    let tag = reply.header("etag").unwrap().to_owned();
    assert!(tag.starts_with(&format!("W/\"{}-", server.get("/v1/rules").json()[0]["fingerprint"].as_str().unwrap())));
    assert_eq!(reply.header("cache-control"), Some("public, max-age=86400"));
    let again = server.send("GET", &path, &[&format!("If-None-Match: {tag}")], b"");
    assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, Some(tag.as_str())));
    let other = server.send("GET", &about("line", FLYING), &[&format!("If-None-Match: {tag}")], b"");
    assert_eq!(other.status, 200);
    let head = server.send("HEAD", &path, &[], b"");
    assert_eq!((head.status, head.body.len(), head.header("etag")), (200, 0, Some(tag.as_str())));
    assert_eq!(server.get("/v1/tables").header("cache-control"), Some("no-cache"));
}

#[test]
fn pages_of_others_may_ask_and_answers_are_compressed_for_who_can_read_that() {
    let server = Server::start(&[], &[]);
    let path = about("probe", POSITIONS[0]);
    let lines = ["Origin: https://example.org", "Accept-Encoding: gzip"];
    let reply = server.send("GET", &path, &lines, b"");
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    assert_eq!(reply.header("content-encoding"), Some("gzip"));
    assert!(reply.body.starts_with(&[0x1f, 0x8b]) && reply.body.len() < server.get(&path).body.len());
    let preflight = ["Origin: https://example.org", "Access-Control-Request-Method: POST"];
    let reply = server.send("OPTIONS", "/v1/probe", &preflight, b"");
    assert_eq!(reply.status, 200);
    assert!(reply.header("access-control-allow-methods").unwrap().contains("POST"));
    assert!(reply.header("access-control-allow-headers").unwrap().contains("content-type"));
}

#[test]
fn many_positions_are_answered_as_by_probe_stdin_in_lines_and_in_an_array() {
    let server = Server::start(&[], &[]);
    let mut positions: Vec<&str> = POSITIONS.repeat(30);
    // What a missing table is called differs: here the places that were looked in are nobody's business.
    positions.push("no position");
    let lines = format!("# many\n\n{}\n", positions.join("\n"));
    for (arguments, query) in
        [(&["probe", "--stdin", "--json"][..], ""), (&["probe", "--stdin", "--json", "--turns"], "?turns=true")]
    {
        let said = fed(&mut morabase(arguments), lines.clone()).stdout;
        let reply = server.post(&format!("/v1/probe{query}"), lines.as_bytes());
        assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/x-ndjson")));
        assert!(reply.body == said, "{}", reply.text());
        let array = server.post(&format!("/v1/probe{query}"), serde_json::to_string(&positions).unwrap().as_bytes());
        assert_eq!(array.header("content-type"), Some("application/json"));
        assert_eq!(array.json(), Json::Array(json_lines(&said)));
    }
    assert_eq!(server.post("/v1/probe", b"[]").json(), json!([]));
    for media in ["Content-Type: application/json", "content-type: Application/JSON; charset=utf-8"] {
        assert_eq!(server.send("POST", "/v1/probe", &[media], b"[]").json(), json!([]));
        for body in ["W:Wa7,d7,g1:Bb6,d6,c5", "{}", "\"W:W:B\"", "null"] {
            let refused = server.send("POST", "/v1/probe", &[media], body.as_bytes());
            assert_eq!((refused.status, &refused.json()["code"]), (400, &"bad-body".into()), "{body}");
            assert!(refused.text().contains("as Content-Type says"), "{}", refused.text());
        }
    }
    let text = server.send("POST", "/v1/probe", &["Content-Type: text/plain"], lines.as_bytes());
    assert_eq!(text.header("content-type"), Some("application/x-ndjson"));
    let bad = server.post("/v1/probe", b"[1]");
    assert_eq!((bad.status, &bad.json()["code"]), (400, &"bad-body".into()));
}

#[test]
fn the_longest_lines_are_listed_with_positions_that_have_them() {
    let server = Server::start(&[], &[]);
    let records = server.get("/v1/records").json();
    let records = records["records"].as_array().unwrap();
    assert_eq!(records.len(), 6);
    assert!(records.is_sorted_by_key(|record| -record["max_dtc"].as_i64().unwrap()));
    for record in records {
        let longest = &record["longest"];
        let answer = server.get(&about("probe", longest["position"].as_str().unwrap())).json();
        assert_eq!([&answer["value"], &answer["dtc"]], [&longest["value"], &record["max_dtc"]], "{record}");
        assert!(record["won"].as_u64().unwrap() + record["lost"].as_u64().unwrap() > 0);
    }
}

#[test]
fn the_page_works_without_scripts_and_its_links_lead_on() {
    let server = Server::start(&[], &[]);
    let mut page = server.get("/");
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert!(page.header("content-security-policy").unwrap().starts_with("default-src 'none'; script-src 'self';"));
    assert!(page.text().contains("4-4 under gar, won: shot or end in 9 plies"), "{}", page.text());
    assert!(page.text().contains("<title>Light wins: next shot or end in 9 plies"), "{}", page.text());
    for _ in 0..20 {
        let Some(link) = page.text().split("<td><a href=\".").nth(1).and_then(|rest| rest.split('"').next()) else {
            break;
        };
        page = server.get(&link.replace("&amp;", "&"));
        assert_eq!(page.status, 200);
    }
    assert!(page.text().contains("the game is over: first player (O) has won"), "{}", page.text());
    let bad = server.get("/?position=%3Cb%3E");
    assert_eq!(bad.status, 400);
    assert!(bad.text().contains("&lt;b&gt;") && !bad.text().contains("<b>"), "{}", bad.text());
    let missing = server.get("/?position=W:Wa7,a4,a1,b2,b4:Bg7,g4,g1,f2&rules=gar");
    assert!(missing.status == 200 && missing.text().contains("no table of class 5-4"), "{}", missing.text());
    // As many turns of a record are shown as are played.
    let undone = server.get("/?position=W:Wd6,d7,f4,f6:Bb4,d3,g1,g4&moves=d6-b6&at=0");
    assert!(undone.text().contains("won: shot or end in 9 plies"), "{}", undone.text());
    assert_eq!(server.get("/?moves=d6&at=one").status, 400);
    assert_eq!(server.get("/?at=one").status, 400);
}

#[test]
fn the_page_takes_its_own_addresses_and_what_others_add_to_them_and_only_it_does() {
    let server = Server::start(&[], &[]);
    let query = format!("position={}&points=gar&opponent=second&rules=gar", encoded(FLYING));
    for more in ["", "&fbclid=x", "&utm_source=a&utm_source=b", "&position=second"] {
        let page = server.get(&format!("/?{query}{more}"));
        assert!(page.status == 200 && page.text().contains("won: shot or end in 1 ply"), "{more}: {}", page.text());
        assert_eq!(server.get(&format!("/v1/probe?{query}{more}")).status, 400);
    }
    assert_eq!(server.get(&format!("/v1/probe?position={}&fbclid=x", encoded(FLYING))).status, 400);
}

#[test]
fn a_preview_says_who_wins_or_what_is_shown() {
    let server = Server::start(&[], &[]);
    let hands = Server::start(&[GAME.path()], &[]);
    let title = |server: &Server, query: &str| {
        let page = server.get(&format!("/?{query}"));
        let title = page.text().split("<title>").nth(1).unwrap().split("</title>").next().unwrap().to_owned();
        assert!(page.text().contains(&format!("<meta property=\"og:title\" content=\"{title}\">")), "{}", page.text());
        title.strip_suffix(" · Morabaraba explorer").unwrap_or_default().to_owned()
    };
    for (position, said) in [
        ("W:Wa7,d7,g1:Bb6,d6,c5", "Light wins: next shot or end in 1 ply"),
        ("B:Wb6,d6,c5:Ba7,d7,g1", "Dark wins: next shot or end in 1 ply"),
        ("W:Wg1,a1,d6:Bd1,d2,d3", "Dark wins: next shot or end in 16 plies"),
        ("W:Wg1,a1,d6:Bd1,d2,d3:C10", "A draw: the draw counter runs out before Dark wins"),
        ("W:Wa7,d7:Bb6,d6,c5", "The game is over: Dark has won"),
        ("W:Wa7,d7,g1:Bb6,d6,b4:C20", "The game is over: a draw"),
        // Not answered, and not a position.
        ("W:Wa7,a4,a1,b2,b4:Bg7,g4,g1,f2", ""),
        ("hello", ""),
    ] {
        assert_eq!(title(&server, &format!("position={}", encoded(position))), said, "{position}");
    }
    let begun = title(&hands, "");
    assert!(["Light wins", "Dark wins", "A draw"].contains(&begun.as_str()), "{begun}");
    let views = [("view=records", "Records"), ("view=tables&rules=gar", "Tables"), ("class=3-4", "Class 3-4")];
    for (query, said) in views {
        assert_eq!(title(&server, query), said);
    }
}

#[test]
fn without_scripts_each_view_says_that_it_needs_them_and_leads_to_its_answer() {
    let server = Server::start(&[SHIPPED.as_ref(), PLAIN.path()], &[]);
    for (query, heading, address) in [
        ("view=records", "Records", "/v1/records?rules=gar"),
        ("view=tables&rules=plain", "Tables", "/v1/tables?rules=plain"),
        ("class=3-3", "Class 3-3", "/v1/stats/3-3?rules=gar"),
        ("view=class&class=2-3%2B2-1", "Class 2-3+2-1", "/v1/stats/2-3+2-1?rules=gar"),
    ] {
        let page = server.get(&format!("/?{query}&position={}", encoded(FLYING)));
        assert_eq!(page.status, 200, "{query}");
        let text = page.text();
        assert!(text.contains(&format!("<h1>{heading}</h1>")) && text.contains("needs scripts"), "{text}");
        assert!(text.contains(&format!("<a href=\".{address}\">")) && !text.contains("<pre>"), "{text}");
        // There is no such table, but the address is right.
        let there = if heading.contains('+') { 404 } else { 200 };
        assert_eq!(server.get(address).status, there, "{address}");
    }
    let explorer = server.get("/?view=something");
    assert!(explorer.status == 200 && explorer.text().contains("<pre>"), "{}", explorer.text());
    for (query, status) in [("class=pawns", 400), ("view=class", 400), ("view=tables&rules=wikipedia", 404)] {
        let page = server.get(&format!("/?{query}"));
        assert!(page.status == status && page.text().contains("class=\"error\""), "{query}: {}", page.text());
    }
    // The rules that are asked for stay chosen.
    let other = server.get("/?view=tables&rules=wikipedia");
    assert!(other.text().contains("<option selected>wikipedia</option>"), "{}", other.text());
}

#[test]
fn the_page_begins_with_an_example_that_the_tables_answer() {
    // No more than six cows.
    let page = Server::start(&[PLAIN.path()], &[]).get("/");
    assert!(page.text().contains("3-3 under plain, won: shot or end in 1 ply"), "{}", page.text());
    // Only the larger class is damaged.
    let tables = copy_of_tables(SHIPPED.as_ref());
    change(&tables.path().join("4-4.mora"), |bytes| bytes.truncate(100));
    let page = Server::start(&[tables.path()], &[]).get("/");
    assert!(page.text().contains("3-3 under gar, won: shot or end in 1 ply"), "{}", page.text());
}

#[test]
fn the_files_of_the_page_have_types_and_are_asked_for_again_only_where_they_changed() {
    let server = Server::start(&[], &[]);
    for (name, media) in [
        ("app.js", "text/javascript; charset=utf-8"),
        ("style.css", "text/css; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
        ("manifest.webmanifest", "application/manifest+json"),
    ] {
        let path = format!("/{name}");
        let file = server.get(&path);
        assert_eq!((file.status, file.header("content-type")), (200, Some(media)), "{name}");
        assert_eq!(file.header("cache-control"), Some("no-cache"), "{name}");
        let tag = file.header("etag").unwrap().to_owned();
        let again = server.send("GET", &path, &[&format!("If-None-Match: {tag}")], b"");
        assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, Some(tag.as_str())), "{name}");
    }
    assert_eq!(server.get("/page.rs").status, 404);
}

#[test]
fn what_the_rules_say_of_a_position_needs_no_tables_and_is_enough_to_play() {
    let server = Server::start(&[], &[]);
    let shown = server.get("/v1/show?moves=d6%20d7%20b4%20a4%20b6%20g7%20b2xa4&rules=wikipedia").json();
    let record = shown["record"]["turns"].as_array().unwrap();
    assert_eq!((&shown["record"]["start"], record.len()), (&"W:W:B:H12,12".into(), 7));
    assert_eq!(record[6], json!({"turn": "b2xa4", "position": shown["position"]}));
    assert_eq!(shown["lines"], json!({"first": ["b6-b2-b4"], "second": []}));
    assert_eq!((&shown["to_move"], &shown["hands"]), (&"second".into(), &json!({"first": 8, "second": 9})));
    assert_eq!(shown["images"].as_array().unwrap().len(), 16);
    // Its turns lead on, to the end of a game.
    let mut position = "W:W:B:H3,3".to_owned();
    for _ in 0..400 {
        let shown = server.get(&about("show", &position)).json();
        let Some(turn) = shown["turns"].as_array().unwrap().last() else { break };
        assert_eq!(shown["ended"], Json::Null);
        turn["position"].as_str().unwrap().clone_into(&mut position);
    }
    let barred = "W:Wa7,d7,g4,b4:Bb6,f2,d1,c3:LWg7-g4";
    let shown = server.get(&about("show", barred)).json();
    assert_eq!(shown["barred"], json!([{"turn": "g4-g7", "lines": ["a7-d7-g7"]}]));
    let restriction = json!([{"side": "first", "from": "g7", "to": "g4", "lines": ["a7-d7-g7"]}]);
    assert_eq!(shown["restrictions"], restriction);
    let same_line = server.get(&(about("show", "W:Wa7,d7,g4,f6,b4:Bb6,f2,d1,c3:LWg7-g4") + "&rules=wikipedia")).json();
    let turns = same_line["barred"].as_array().unwrap().iter().map(|barred| barred["turn"].as_str().unwrap());
    assert_eq!(turns.collect::<Vec<_>>(), ["g4-g7", "f6-g7"]);
    let over = server.get(&about("show", "W:Wa7,d7:Bb6,d6,c5")).json();
    assert_eq!((&over["ended"], &over["turns"]), (&json!({"winner": "second", "reason": "too-few-cows"}), &json!([])));
}

#[test]
fn what_counter_and_no_remake_rule_change_is_in_the_answer() {
    let server = Server::start(&[], &[]);
    let blessed = server.get(&about("probe", "W:Wg1,a1,d6:Bd1,d2,d3:C10")).json();
    assert_eq!(blessed["at_zero"], json!({"value": "lost", "dtc": 16}));
    let plain = server.get(&about("probe", POSITIONS[0])).json();
    assert!(plain["at_zero"].is_null() && plain["unrestricted"].is_null(), "{plain}");
    let ends = server.get(&about("probe", FLYING)).json();
    assert!(ends["turns"][0]["outcome"].as_str().unwrap().starts_with("the game is over"), "{ends}");
}

#[test]
fn a_table_that_goes_or_is_damaged_is_an_error_about_its_class_and_others_go_on() {
    // From memory, from the files, and the smaller classes from memory alone.
    for memory in ["64M", "0", "300K"] {
        tables_go_and_are_damaged(&["--in-memory", memory]);
    }
}

fn tables_go_and_are_damaged(options: &[&str]) {
    let tables = copy_of_tables(SHIPPED.as_ref());
    let server = Server::start(&[tables.path()], options);
    let file = tables.path().join("4-4.mora");
    let ask = || server.get(&about("probe", POSITIONS[0]));
    assert_eq!(ask().status, 200);

    fs::remove_file(&file).unwrap();
    let gone = wait_for(ask, |reply| reply.status != 200);
    assert_eq!(
        (gone.status, &gone.json()["code"], &gone.json()["class"]),
        (404, &"missing-table".into(), &"4-4".into())
    );

    fs::copy(Path::new(SHIPPED).join("4-4.mora"), &file).unwrap();
    assert_eq!(wait_for(ask, |reply| reply.status == 200).status, 200);

    // All of the values; the head is sound.
    change(&file, |bytes| {
        let half = bytes.len() / 4;
        bytes[half..].fill(0);
    });
    // Until the server looks at its directories, an answer from memory is that of the whole table.
    let damaged = wait_for(ask, |reply| reply.status != 200);
    assert_eq!((damaged.status, &damaged.json()["code"]), (500, &"damaged-table".into()), "{damaged:?}");
    assert_eq!(damaged.json()["class"], "4-4");
    let error = damaged.json()["error"].as_str().unwrap().to_owned();
    assert!(error.starts_with("4-4.mora: ") && !error.contains(tables.path().to_str().unwrap()), "{error}");

    change(&file, |bytes| bytes.truncate(100));
    let cut = ask();
    assert_eq!((cut.status, &cut.json()["class"]), (500, &"4-4".into()), "{cut:?}");
    let listed = wait_for(|| server.get("/v1/tables"), |reply| reply.json()["damaged"] != json!([]));
    assert_eq!(listed.json()["damaged"][0]["class"], "4-4");
    assert!(!listed.text().contains(tables.path().to_str().unwrap()), "{}", listed.text());
    assert_eq!(server.get(&about("probe", FLYING)).status, 200);
}

#[test]
fn a_body_or_head_that_is_too_long_is_refused() {
    let server = Server::start(&[], &["--max-body", "1K"]);
    let long = server.post("/v1/probe", &[b'x'; 1500]);
    assert_eq!((long.status, &long.json()["code"]), (413, &"body-too-large".into()));
    let chunk = format!("5DC\r\n{}\r\n0\r\n\r\n", "x".repeat(1500));
    let mut stream = server.connect();
    let head = "POST /v1/probe HTTP/1.1\r\nHost: test\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all((head.to_owned() + &chunk).as_bytes()).unwrap();
    assert_eq!(Reply::read(&mut stream).status, 413);
    // Where the length is declared nobody waits for the body, and nobody is asked for it.
    for expect in ["", "Expect: 100-continue\r\n"] {
        let mut stream = server.connect();
        let head = format!("POST /v1/probe HTTP/1.1\r\nHost: test\r\nContent-Length: 1025\r\n{expect}\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let began = Instant::now();
        let refused = Reply::read(&mut stream);
        assert_eq!((refused.status, &refused.json()["code"]), (413, &"body-too-large".into()), "{expect}");
        assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    }
    let head = server.send("GET", "/healthz", &[&format!("X: {}", "x".repeat(20_000))], b"");
    assert_eq!(head.status, 431);
    assert_eq!(server.get("/healthz").text(), "ok\n");
}

#[test]
fn a_client_that_does_not_send_on_is_cut() {
    let server = Server::start(&[], &["--timeout", "1"]);
    let began = Instant::now();
    let mut silent = server.connect();
    let mut slow_head = server.connect();
    slow_head.write_all(b"GET /healthz HTTP/1.1\r\nHost:").unwrap();
    let mut slow_body = server.connect();
    slow_body.write_all(b"POST /v1/probe HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nW:W").unwrap();
    let late = Reply::read(&mut slow_body);
    assert_eq!((late.status, &late.json()["code"]), (408, &"body-too-slow".into()));
    for stream in [&mut silent, &mut slow_head] {
        let mut said = Vec::new();
        // Closed, with or without a word.
        let _ = stream.read_to_end(&mut said);
    }
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_client_that_does_not_read_on_is_cut() {
    let server = Server::start(&[], &["--timeout", "1"]);
    let body = format!("{FLYING}\n").repeat(20_000);
    let mut stream = server.connect();
    let head = format!("POST /v1/probe?turns=true HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all((head + &body).as_bytes()).unwrap();
    let open = |count: u64| {
        let line = format!("\nmorabase_connections {count}\n");
        wait_for(|| server.get("/metrics"), move |reply| reply.text().contains(&line))
            .text()
            .contains(&format!("\nmorabase_connections {count}\n"))
    };
    // Its own connection is counted too.
    assert!(open(2) && open(1));
    drop(stream);
}

#[test]
fn what_is_beyond_a_limit_is_told_to_come_again() {
    let server = Server::start(&[], &["--batches", "1"]);
    // A batch has its place from its head on, and is asked for its body only then.
    let mut batch = server.connect();
    let length = FLYING.len();
    let head = format!(
        "POST /v1/probe HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: {length}\r\n\r\n"
    );
    batch.write_all(head.as_bytes()).unwrap();
    let mut asked = [0; 25];
    batch.read_exact(&mut asked).unwrap();
    assert_eq!(&asked, b"HTTP/1.1 100 Continue\r\n\r\n");
    let busy = wait_for(|| server.post("/v1/probe", b"[]"), |reply| reply.status != 200);
    assert_eq!((busy.status, &busy.json()["code"], busy.header("retry-after")), (503, &"busy".into(), Some("1")));
    // It keeps nobody else waiting.
    assert_eq!(server.get(&about("probe", FLYING)).status, 200);
    batch.write_all(FLYING.as_bytes()).unwrap();
    assert_eq!(Reply::read(&mut batch).json()["value"], "won");
    assert_eq!(wait_for(|| server.post("/v1/probe", b"[]"), |reply| reply.status == 200).status, 200);

    let server = Server::start(&[], &["--connections", "1"]);
    let mut first = server.connect();
    first.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut answer = [0; 15];
    first.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200 OK");
    let second = server.get("/healthz");
    assert_eq!((second.status, second.header("retry-after")), (503, Some("1")));
    drop(first);
    assert_eq!(wait_for(|| server.get("/healthz"), |reply| reply.status == 200).status, 200);
}

#[cfg(unix)]
#[test]
fn a_request_in_flight_is_finished_after_sigterm_and_an_idle_connection_is_closed() {
    let server = Server::start(&[], &[]);
    let mut idle = server.connect();
    let mut batch = server.connect();
    let head = format!("POST /v1/probe HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", FLYING.len());
    batch.write_all(head.as_bytes()).unwrap();
    wait_for(|| server.get("/metrics"), |reply| reply.text().contains("\nmorabase_requests_in_flight 2\n"));
    server.terminate();
    assert_eq!(idle.read(&mut [0]).unwrap(), 0);
    batch.write_all(FLYING.as_bytes()).unwrap();
    assert_eq!(Reply::read(&mut batch).json()["value"], "won");
    let (status, said) = server.wait();
    assert!(status.success() && said.contains("stopping"), "{status}: {said}");
}

#[cfg(unix)]
#[test]
fn a_second_sigterm_does_not_wait_for_what_is_in_flight() {
    let server = Server::start(&[], &[]);
    let mut idle = server.connect();
    let mut batch = server.connect();
    batch.write_all(b"POST /v1/probe HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n").unwrap();
    wait_for(|| server.get("/metrics"), |reply| reply.text().contains("\nmorabase_requests_in_flight 2\n"));
    server.terminate();
    assert_eq!(idle.read(&mut [0]).unwrap(), 0);
    // Signals that come together are one.
    sleep(Duration::from_millis(200));
    server.terminate();
    let (status, said) = server.wait();
    assert_eq!(status.code(), Some(130), "{said}");
}

#[test]
fn only_programs_on_this_machine_can_ask_unless_another_address_is_named() {
    assert!(stdout(&mut morabase(&["serve", "--help"])).contains("[default: 127.0.0.1:8030]"));
}

#[test]
fn what_cannot_be_served_is_said_at_once() {
    let empty = TempDir::new().unwrap();
    let error = |arguments: &[&str]| {
        let output = morabase(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, text) = error(&["serve", "--listen", "127.0.0.1:0", "--tables", empty.path().to_str().unwrap()]);
    assert!(status == Some(1) && text.contains("there are no tables in"), "{text}");
    let (status, text) = error(&["serve", "--tables", "/nowhere/at/all"]);
    assert!(status == Some(2) && text.contains("/nowhere/at/all"), "{text}");
    let (status, text) = error(&["serve", "--listen", "everywhere"]);
    assert!(status == Some(2) && text.contains("--listen"), "{text}");
    let server = Server::start(&[], &[]);
    let (status, text) = error(&["serve", "--listen", &server.address]);
    assert!(status == Some(1) && text.contains("cannot listen on"), "{text}");
}

/// The interface as the server describes it.
struct Interface(Json);

impl Interface {
    fn resolve<'a>(&'a self, value: &'a Json) -> &'a Json {
        let Some(path) = value["$ref"].as_str() else { return value };
        self.0.pointer(path.trim_start_matches('#')).unwrap_or_else(|| panic!("{path}"))
    }

    fn operation(&self, path: &str, method: &str) -> &Json {
        &self.0["paths"][path][method]
    }

    fn parameters(&self, path: &str, method: &str) -> Vec<&str> {
        let parameters = self.operation(path, method)["parameters"].as_array().unwrap().iter();
        let query = parameters.map(|parameter| self.resolve(parameter)).filter(|parameter| parameter["in"] == "query");
        query.map(|parameter| parameter["name"].as_str().unwrap()).collect()
    }

    /// Holds an answer to what is said of its status.
    fn check_reply(&self, path: &str, method: &str, reply: &Reply) {
        let said = &self.operation(path, method)["responses"][reply.status.to_string()];
        assert!(said.is_object(), "{method} {path} gives {}, which is not listed", reply.status);
        if said["content"].is_null() {
            return assert!(reply.body.is_empty());
        }
        let media = reply.header("content-type").unwrap();
        let schema = &said["content"][media]["schema"];
        assert!(schema.is_object(), "{method} {path} gives {media}, which is not listed");
        match media {
            "application/json" => self.check(&reply.json(), schema, path),
            "application/x-ndjson" => json_lines(&reply.body).iter().for_each(|line| self.check(line, schema, path)),
            _ => {}
        }
    }

    fn check(&self, value: &Json, schema: &Json, place: &str) {
        if let Err(why) = self.fits(value, schema) {
            panic!("{place}: {why}");
        }
    }

    /// Whether a value is as a schema says, in the part of JSON Schema that the document uses.
    fn fits(&self, value: &Json, schema: &Json) -> Result<(), String> {
        let schema = self.resolve(schema);
        if let Some(choices) = schema["oneOf"].as_array() {
            let fitting = choices.iter().filter(|choice| self.fits(value, choice).is_ok()).count();
            return if fitting == 1 { Ok(()) } else { Err(format!("{value} fits {fitting} of {schema}")) };
        }
        let kind = match value {
            Json::Null => "null",
            Json::Bool(_) => "boolean",
            Json::Number(_) => "integer",
            Json::String(_) => "string",
            Json::Array(_) => "array",
            Json::Object(_) => "object",
        };
        let kinds = &schema["type"];
        if kinds != kind && !kinds.as_array().is_some_and(|kinds| kinds.contains(&kind.into())) {
            return Err(format!("{value} is not {kinds}"));
        }
        if schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
            return Err(format!("{value} is not among {}", schema["enum"]));
        }
        if let Some(items) = value.as_array() {
            return items.iter().try_for_each(|item| self.fits(item, &schema["items"]));
        }
        let (Some(keys), Some(known)) = (value.as_object(), schema["properties"].as_object()) else { return Ok(()) };
        for required in schema["required"].as_array().unwrap() {
            if !keys.contains_key(required.as_str().unwrap()) {
                return Err(format!("{value} lacks {required}"));
            }
        }
        keys.iter().try_for_each(|(key, value)| {
            let schema = known.get(key).ok_or_else(|| format!("{key} is not in the schema"))?;
            self.fits(value, schema).map_err(|why| format!("{key}: {why}"))
        })
    }
}

#[test]
fn the_openapi_document_is_true_to_what_the_server_answers() {
    let server = Server::start(&[SHIPPED.as_ref(), GAME.path()], &[]);
    let interface = Interface(server.get("/v1/openapi.json").json());
    assert_eq!(interface.0["info"]["version"], env!("CARGO_PKG_VERSION"));
    let game = encoded(server.get("/v1/rules").json()[1]["rules"].as_str().unwrap());
    for (path, operations) in interface.0["paths"].as_object().unwrap() {
        let real = path.replace("{class}", "4-3");
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            let reply = server.send(method, &real, &[], b"");
            let listed = operations.get(method.to_lowercase()).is_some();
            assert_eq!(reply.status != 405, listed, "{method} {path}");
            if listed {
                interface.check_reply(path, &method.to_lowercase(), &reply);
            }
        }
        // The parameters that are there are named where a misspelt one is refused. The page ignores such a one.
        for (method, _) in
            operations.as_object().unwrap().iter().filter(|_| !["/", "/healthz", "/metrics"].contains(&path.as_str()))
        {
            let reply = server.send(&method.to_uppercase(), &format!("{real}?misspelt=1"), &[], b"");
            interface.check_reply(path, method, &reply);
            let text = reply.text().replace("&quot;", "\"");
            let named = text.split("expected ").nth(1).unwrap().split(['"', '<']).next().unwrap();
            let named: BTreeSet<&str> = named.split(", ").filter(|name| *name != "none").collect();
            assert_eq!(named, interface.parameters(path, method).into_iter().collect(), "{method} {path}");
        }
    }
    let mut asked = 0;
    let mut get = |path: &str, query: &str| {
        interface.check_reply(path, "get", &server.get(&(path.replace("{class}", "4-3") + query)));
        asked += 1;
    };
    for position in POSITIONS.into_iter().chain(["no position", "W:Wa7,a4,a1,b2,b4:Bg7,g4,g1,f2"]) {
        for path in ["/v1/probe", "/v1/line", "/v1/turns", "/v1/show", "/"] {
            get(path, &format!("?position={}", encoded(position)));
        }
    }
    for query in ["?view=tables", "?view=records&rules=plain", "?class=4-3", "?class=x", "?opponent=first&misspelt=1"] {
        get("/", query);
    }
    for path in ["/v1/probe", "/v1/line", "/v1/turns"] {
        get(path, &format!("?position=W:W:B:H3,3&rules={game}"));
        get(path, "?moves=d6+d7");
    }
    for path in ["/v1/stats/{class}", "/v1/records", "/v1/tables"] {
        get(path, "");
        get(path, &format!("?rules={game}"));
        get(path, "?rules=plain");
    }
    assert!(asked > 50);
    for body in [format!("{FLYING}\nno position\n"), format!("[\"{FLYING}\",\"no position\"]"), "[1]".to_owned()] {
        for query in ["", "?turns=true", "?rules=plain", "?points=gar"] {
            interface.check_reply("/v1/probe", "post", &server.post(&format!("/v1/probe{query}"), body.as_bytes()));
        }
    }
}

#[test]
fn metrics_count_what_was_asked() {
    let server = Server::start(&[], &[]);
    server.get(&about("probe", FLYING));
    server.get("/v1/stats/5-4");
    server.get("/nowhere");
    server.post("/v1/probe", FLYING.as_bytes());
    let metrics = server.get("/metrics");
    assert!(metrics.header("content-type").unwrap().starts_with("text/plain; version=0.0.4"));
    for line in [
        "morabase_requests_total{route=\"/v1/probe\",method=\"GET\",status=\"200\"} 1",
        "morabase_requests_total{route=\"/v1/stats/{class}\",method=\"GET\",status=\"404\"} 1",
        "morabase_requests_total{route=\"other\",method=\"GET\",status=\"404\"} 1",
        "morabase_request_seconds_count{route=\"/v1/probe\"} 2",
        "morabase_batch_positions_total 1",
        "morabase_tables{rules=\"gar\"} 6",
        "morabase_tables_damaged{rules=\"gar\"} 0",
    ] {
        assert!(metrics.text().lines().any(|found| found == line), "{line} is not in\n{}", metrics.text());
    }
}

/// Whether `printed` is what `shown` shows, where `…` stands for anything.
fn shows(shown: &str, printed: &str) -> bool {
    let pieces: Vec<&str> = shown.split('…').collect();
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return false };
    let mut rest = printed;
    let in_order = pieces.iter().all(|piece| {
        let found = rest.find(piece);
        found.is_some_and(|at| {
            rest = &rest[at + piece.len()..];
            true
        })
    });
    in_order && printed.starts_with(first) && printed.ends_with(last)
}

#[test]
fn the_page_about_http_shows_what_the_server_answers() {
    let server = Server::start(&[], &[]);
    let page = include_str!("../docs/http.md");
    let blocks = page.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut tried = 0;
    for session in blocks.flat_map(|block| block.split("$ curl -s ")).filter(|text| !text.is_empty()) {
        let (command, shown) = session.split_once('\n').unwrap();
        let words: Vec<&str> = command.split('\'').collect();
        let (data, address) = match words[..] {
            ["", address, ""] => (None, address),
            ["-d ", data, " ", address, ""] => (Some(data), address),
            _ => panic!("{command}"),
        };
        let path = address.strip_prefix("http://127.0.0.1:8030").unwrap();
        let reply = data.map_or_else(|| server.get(path), |data| server.post(path, data.as_bytes()));
        // The quoted text of an error has the mark of what is left out itself.
        let printed = reply.text();
        assert!(shows(shown, printed), "{command} gives\n{printed}\nand the page shows\n{shown}");
        tried += 1;
    }
    assert!(tried >= 12, "{tried}");
    for (address, _) in server.get("/v1/openapi.json").json()["paths"].as_object().unwrap() {
        assert!(page.contains(&format!("GET {address}`")), "docs/http.md lacks {address}");
    }
}
