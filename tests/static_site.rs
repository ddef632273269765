//! `morabase site`: the folder it writes, and the answers of its page's program, run by node, against those of a server.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::common::cli::{fed, morabase, stderr, stdout};
use crate::common::files::{assert_same_file, change, contents, copy_of_tables, names};
use crate::common::http::Server;
use crate::common::static_host::{Ranges, StaticHost};
use crate::common::tables::{SHIPPED, built};
use crate::common::text::cases;
use crate::common::tools::{have, left_out, runs};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A whole game with three cows each.
static GAME: LazyLock<TempDir> = LazyLock::new(|| built("gar", &["--game", "--cows", "3"]));

/// The tables that the program carries, as files.
static CARRIED: LazyLock<TempDir> = LazyLock::new(|| copy_of_tables(SHIPPED.as_ref()));

/// A site with both.
static SITE: LazyLock<TempDir> = LazyLock::new(|| site(&[CARRIED.path(), GAME.path()]));

fn write(out: &Path, tables: &[&Path]) -> Command {
    let mut command = morabase(&["site", "--out"]);
    command.arg(out);
    for directory in tables {
        command.arg("--tables").arg(directory);
    }
    command
}

fn site(tables: &[&Path]) -> TempDir {
    let out = TempDir::new().unwrap();
    stdout(&mut write(out.path(), tables));
    out
}

fn index(site: &Path) -> Json {
    serde_json::from_slice(&fs::read(site.join("site.json")).unwrap()).unwrap()
}

/// The text of the game's rules, as a part of an address.
fn game_rules() -> String {
    let index = index(SITE.path());
    index["sets"][1]["rules"].as_str().unwrap().replace(';', "%3B").replace('=', "%3D")
}

fn requests() -> Vec<String> {
    cases(include_str!("data/requests.txt")).into_iter().map(|line| line.replace("{other}", &game_rules())).collect()
}

/// What the page's program says to a request.
#[derive(Clone, Debug)]
struct Said(Json);

impl Said {
    fn status(&self) -> u64 {
        self.0["status"].as_u64().unwrap_or_else(|| panic!("{self:?}"))
    }

    fn text(&self) -> &str {
        self.0["texts"][0].as_str().unwrap_or_else(|| panic!("{self:?}"))
    }

    fn json(&self) -> Json {
        serde_json::from_str(self.text()).unwrap()
    }
}

/// Asks the site on a host as its page does.
fn ask(site: &Path, host: &StaticHost, requests: &[impl AsRef<str>]) -> Vec<Said> {
    let mut node = Command::new("node");
    node.arg(format!("{ROOT}/tests/static_site/ask.mjs")).arg(site).arg(host.url());
    let lines: Vec<&str> = requests.iter().map(AsRef::as_ref).collect();
    let output = fed(&mut node, lines.join("\n") + "\n");
    assert!(output.status.success(), "{}", stderr(&output));
    let answers = String::from_utf8(output.stdout).unwrap();
    answers.lines().map(|line| Said(serde_json::from_str(line).unwrap())).collect()
}

fn answers_as_a_server(site: &Path, ranges: Ranges, server: &Server) {
    if !have(&["node"]) {
        return;
    }
    let host = StaticHost::start(site, ranges);
    let requests = requests();
    let said = ask(site, &host, &requests);
    assert_eq!(said.len(), requests.len());
    for (request, said) in requests.iter().zip(said) {
        let reply = server.get(request);
        assert_eq!((said.status(), said.text()), (u64::from(reply.status), reply.text()), "{request}");
    }
}

#[test]
fn a_static_site_answers_byte_for_byte_as_a_server() {
    answers_as_a_server(SITE.path(), Ranges::Sent, &Server::start(&[CARRIED.path(), GAME.path()], &[]));
}

#[test]
fn the_default_rules_come_first_unless_only_the_program_has_them() {
    let default = "morabaraba;cows=12;fly=3;counter=when-three:20;no-remake=same-cow;full-board=blocked-loses";
    for (tables, place) in [(vec![GAME.path(), CARRIED.path()], 0), (vec![GAME.path()], 1)] {
        let index = index(site(&tables).path());
        let at = index["sets"].as_array().unwrap().iter().position(|set| set["rules"] == default);
        assert_eq!(at, Some(place), "{index}");
    }
}

#[test]
fn a_site_of_the_tables_inside_the_program_answers_as_the_program_alone() {
    answers_as_a_server(own_site().path(), Ranges::Sent, &Server::start(&[], &[]));
}

#[test]
fn a_host_that_sends_whole_files_only_changes_no_answer() {
    answers_as_a_server(SITE.path(), Ranges::Ignored, &Server::start(&[CARRIED.path(), GAME.path()], &[]));
}

const FIVE: &str = "/v1/probe?rules=gar&position=W:Wa7,a4,d6,c5,g1:Bg4,d5,d3";

#[test]
fn a_position_takes_some_kilobytes_and_what_was_fetched_is_kept() {
    if !have(&["node"]) {
        return;
    }
    let host = StaticHost::start(SITE.path(), Ranges::Sent);
    let together = format!("{FIVE} & {FIVE}");
    let said = ask(SITE.path(), &host, &[FIVE, FIVE]);
    let spent = |said: &Said, what: &str| said.0[what].as_u64().unwrap();
    // All turns, of which a third is in a part of its own, are in tables of 400 kB.
    assert!((1..=200_000).contains(&spent(&said[0], "bytes")), "{:?}", said[0].0);
    assert_eq!([spent(&said[1], "requests"), spent(&said[1], "bytes")], [0, 0]);
    // Whoever asks at the same time does not fetch again.
    let twice = ask(SITE.path(), &host, &[together]);
    assert_eq!(twice[0].0["texts"][0], twice[0].0["texts"][1]);
    assert_eq!(spent(&twice[0], "requests"), spent(&said[0], "requests"));
}

/// A site of its own for a test that changes it.
fn own_site() -> TempDir {
    site(&[])
}

#[test]
fn damaged_bytes_are_an_error_about_their_class_and_others_go_on() {
    if !have(&["node"]) {
        return;
    }
    let site = own_site();
    let host = StaticHost::start(site.path(), Ranges::Sent);
    let sound = ask(site.path(), &host, &["/v1/probe?position=W:Wa7,d7,g1,c3:Bb6,d6,c4"]);
    assert_eq!(sound[0].status(), 200);
    // The checksum of every frame, in its record of 16 bytes after the head.
    change(&site.path().join("tables/gar/4-3.mora"), |bytes| {
        let head = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        bytes[head..].iter_mut().skip(8).step_by(16).for_each(|byte| *byte ^= 1);
    });
    change(&site.path().join("tables/gar/3-5.mora"), |bytes| bytes[200] ^= 1);
    let requests =
        ["/v1/line?position=W:Wd6,d7,f4,f6:Bb4,d3,g1", "/v1/stats/3-5", "/v1/probe?position=W:Wa7,d7,g1:Bb6,d6,c5"];
    let said = ask(site.path(), &host, &requests);
    for (said, class) in said.iter().zip(["4-3", "3-5"]) {
        let object = said.json();
        assert_eq!((said.status(), &object["code"], &object["class"]), (500, &json!("damaged-table"), &json!(class)));
        assert!(object["error"].as_str().unwrap().contains("checksum"), "{object}");
    }
    assert_eq!(said[2].status(), 200);
}

#[test]
fn a_file_that_is_gone_or_another_is_an_error_about_its_class_and_others_go_on() {
    if !have(&["node"]) {
        return;
    }
    let site = own_site();
    let host = StaticHost::start(site.path(), Ranges::Sent);
    fs::remove_file(site.path().join("tables/gar/4-3.mora")).unwrap();
    change(&site.path().join("tables/gar/3-5.mora"), |bytes| bytes.extend([0; 9]));
    let said = ask(site.path(), &host, &["/v1/stats/4-3", "/v1/stats/3-5", "/v1/stats/3-3"]);
    for (said, class, why) in [(&said[0], "4-3", "no such file"), (&said[1], "3-5", "load the page again")] {
        let object = said.json();
        assert_eq!((said.status(), &object["code"], &object["class"]), (502, &json!("not-fetched"), &json!(class)));
        let error = object["error"].as_str().unwrap();
        assert!(error.contains(&format!("tables/gar/{class}.mora")) && error.contains(why), "{error}");
    }
    assert_eq!(said[2].status(), 200);
    // Without ranges it is the whole file that has another length.
    let whole = StaticHost::start(site.path(), Ranges::Ignored);
    let said = ask(site.path(), &whole, &["/v1/stats/4-3", "/v1/stats/3-5", "/v1/stats/3-3"]);
    assert_eq!(said.iter().map(Said::status).collect::<Vec<_>>(), [502, 502, 200]);
}

#[test]
fn a_large_file_on_a_host_without_ranges_is_refused_in_words() {
    if !have(&["node"]) {
        return;
    }
    let site = own_site();
    let mut list = index(site.path());
    let tables = list["sets"][0]["tables"].as_array_mut().unwrap();
    let table = tables.iter_mut().find(|table| table["class"] == "4-4").unwrap();
    table["bytes"] = json!(9 << 20);
    fs::write(site.path().join("site.json"), list.to_string()).unwrap();
    let host = StaticHost::start(site.path(), Ranges::Ignored);
    let said = ask(site.path(), &host, &["/v1/stats/4-4", "/v1/stats/4-3"]);
    assert_eq!((said[0].status(), said[1].status()), (502, 200));
    let error = said[0].json()["error"].as_str().unwrap().to_owned();
    assert!(error.contains("this host sends no parts of files (HTTP ranges)") && error.contains("9437184"), "{error}");
}

#[test]
fn a_list_that_cannot_be_read_is_told_and_nothing_is_answered() {
    if !have(&["node"]) {
        return;
    }
    let site = own_site();
    let host = StaticHost::start(site.path(), Ranges::Sent);
    for (list, why) in [
        ("{", "site.json cannot be read"),
        (r#"{"format":9,"program":"x","sets":[],"files":[]}"#, "format 9"),
        (r#"{"format":1,"program":"x","sets":[],"files":[]}"#, "no rule set"),
        (r#"{"format":1,"program":"x","sets":[{"rules":"chess","tables":[]}],"files":[]}"#, "chess"),
    ] {
        fs::write(site.path().join("site.json"), list).unwrap();
        let failed = ask(site.path(), &host, &["/v1/rules"])[0].0["failed"].clone();
        assert!(failed.as_str().is_some_and(|failed| failed.contains(why)), "{failed}");
    }
    fs::remove_file(site.path().join("site.json")).unwrap();
    let failed = ask(site.path(), &host, &["/v1/rules"])[0].0["failed"].clone();
    assert!(failed.as_str().unwrap().contains("site.json: the host answers with status 404"), "{failed}");
}

/// All files below a folder by their path.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        for name in names(&folder.join(&below)) {
            let path = below.join(name);
            if folder.join(&path).is_dir() {
                open.push(path);
            } else {
                found.insert(path.to_str().unwrap().to_owned(), fs::read(folder.join(&path)).unwrap());
            }
        }
    }
    found
}

#[test]
fn a_site_has_the_page_its_program_and_whole_tables_and_lists_them() {
    let site = SITE.path();
    let list = index(site);
    let sets = list["sets"].as_array().unwrap();
    assert_eq!(sets.len(), 2);
    let gar: Json = stdout(&mut morabase(&["rules", "gar", "--json"])).parse().unwrap();
    assert_eq!(sets[0]["rules"], gar["rules"]);
    let file_names = list["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap().to_owned());
    let mut listed: Vec<String> = file_names.collect();
    for (set, directory) in sets.iter().zip([&CARRIED, &GAME]) {
        let tables = set["tables"].as_array().unwrap();
        assert_eq!(tables.len(), names(directory.path()).len());
        for table in tables {
            let file = table["file"].as_str().unwrap();
            let source = directory.path().join(file.rsplit('/').next().unwrap());
            assert_same_file(&site.join(file), &source);
            assert_eq!(
                (&table["bytes"], &table["built_in"]),
                (&json!(fs::metadata(source).unwrap().len()), &json!(false))
            );
            listed.push(file.to_owned());
        }
    }
    let own = index(own_site().path());
    assert!(own["sets"][0]["tables"].as_array().unwrap().iter().all(|table| table["built_in"] == true), "{own}");
    listed.push("site.json".to_owned());
    listed.sort();
    assert_eq!(tree(site).into_keys().collect::<Vec<_>>(), listed);
    let page = fs::read_to_string(site.join("index.html")).unwrap();
    assert!(page.contains("<meta name=\"morabase-source\" content=\"static\">"), "{page}");
}

#[test]
fn a_site_is_written_once_and_follows_its_tables() {
    let out = TempDir::new().unwrap();
    let first = stdout(&mut write(out.path(), &[GAME.path()]));
    let files = tree(out.path());
    assert!(first.contains(&format!("files: {} written, 0 kept, 0 removed", files.len() - 1)), "{first}");
    let again = stdout(&mut write(out.path(), &[GAME.path()]));
    assert!(again.contains(&format!("files: 0 written, {} kept, 0 removed", files.len() - 1)), "{again}");
    assert!(tree(out.path()) == files);
    // Without the other tables they go, and the site is as if they had never been there.
    let less = stdout(&mut write(out.path(), &[]));
    assert!(less.contains(&format!("{} removed", names(GAME.path()).len())), "{less}");
    assert!(tree(out.path()) == tree(own_site().path()));
    assert!(names(&out.path().join("tables")) == ["gar"]);
}

#[test]
fn a_killed_run_is_finished_by_the_next() {
    let out = TempDir::new().unwrap();
    stdout(&mut write(out.path(), &[]));
    let whole = tree(out.path());
    // As a run leaves it that was killed while it wrote a table.
    let files: Vec<&String> = whole.keys().collect();
    let part = json!({ "program": "morabase", "files": files });
    fs::write(out.path().join("site.part.json"), part.to_string()).unwrap();
    fs::remove_file(out.path().join("site.json")).unwrap();
    let tables = out.path().join("tables/gar");
    fs::remove_file(tables.join("4-4.mora")).unwrap();
    fs::write(tables.join("4-4.mora.17-0.tmp"), "half").unwrap();
    change(&tables.join("4-3.mora"), |bytes| bytes.truncate(100));
    let said = stdout(&mut write(out.path(), &[]));
    assert!(said.contains("files: 2 written"), "{said}");
    assert!(tree(out.path()) == whole);
}

#[test]
fn what_no_site_wrote_is_never_replaced() {
    let refused = |out: &Path, why: &str| {
        let before = tree(out);
        let output = write(out, &[]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(
            stderr(&output).contains(why) && stderr(&output).contains("nothing was changed"),
            "{}",
            stderr(&output)
        );
        assert!(tree(out) == before);
    };
    let home = TempDir::new().unwrap();
    fs::write(home.path().join("thesis.txt"), "mine").unwrap();
    refused(home.path(), "holds no site");
    fs::write(home.path().join("site.json"), "{}").unwrap();
    refused(home.path(), "site.json: this is in the way");
    // A file that lies where the site has got one since.
    let site = own_site();
    let mut list = index(site.path());
    list["files"].as_array_mut().unwrap().retain(|file| file != "style.css");
    fs::write(site.path().join("site.json"), list.to_string()).unwrap();
    fs::write(site.path().join("style.css"), "mine").unwrap();
    refused(site.path(), "style.css: this is in the way");
    // A list that names files elsewhere makes nobody remove them.
    let other = TempDir::new().unwrap();
    let mine = other.path().join("mine");
    fs::write(&mine, "mine").unwrap();
    list["files"].as_array_mut().unwrap().extend([json!(mine), json!("../mine"), json!("style.css")]);
    fs::write(site.path().join("site.json"), list.to_string()).unwrap();
    stdout(&mut write(site.path(), &[]));
    assert_eq!(fs::read_to_string(mine).unwrap(), "mine");
}

#[test]
fn a_damaged_table_is_not_published() {
    let tables = copy_of_tables(SHIPPED.as_ref());
    change(&tables.path().join("4-4.mora"), |bytes| *bytes.last_mut().unwrap() ^= 1);
    let out = TempDir::new().unwrap();
    let output = write(out.path(), &[tables.path()]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("4-4.mora: the file is damaged"), "{}", stderr(&output));
    assert!(contents(out.path()).is_empty());
}

#[cfg(unix)]
#[test]
fn tables_can_be_second_names_of_the_same_files() {
    use std::os::unix::fs::MetadataExt;
    let out = TempDir::new_in(GAME.path().parent().unwrap()).unwrap();
    for _ in 0..2 {
        stdout(write(out.path(), &[GAME.path()]).arg("--hard-link"));
        let inode = |file: &Path| fs::metadata(file).unwrap().ino();
        let list = index(out.path());
        for table in list["sets"][0]["tables"].as_array().unwrap() {
            let file = out.path().join(table["file"].as_str().unwrap());
            assert_eq!(inode(&file), inode(&GAME.path().join(file.file_name().unwrap())));
        }
    }
}

/// What `morabase.wasm` was built by and from.
fn recorded() -> Json {
    serde_json::from_str(include_str!("../src/site/morabase.wasm.json")).unwrap()
}

fn script(arguments: &[&str]) -> String {
    stdout(Command::new("bash").arg(format!("{ROOT}/scripts/wasm")).args(arguments))
}

#[test]
fn the_program_of_the_page_is_small_and_built_from_these_sources() {
    let wasm = fs::read(format!("{ROOT}/src/site/morabase.wasm")).unwrap();
    assert!(wasm.starts_with(b"\0asm") && wasm.len() <= 600 << 10, "{} bytes", wasm.len());
    // Paths of whoever built it would differ from machine to machine.
    let sources = format!("{ROOT}/src/");
    for place in [&sources, "/home/", "/Users/", ".cargo"] {
        assert!(!wasm.windows(place.len()).any(|bytes| bytes == place.as_bytes()), "{place} is in the file");
    }
    if have(&["bash", "sha256sum"]) {
        let sources = script(&["--sources"]);
        assert_eq!(
            recorded()["sources"],
            sources.trim(),
            "the sources have changed: run scripts/wasm and check in what it writes"
        );
    }
}

/// Takes a compiler for the target, and some minutes.
#[test]
fn the_program_of_the_page_can_be_built_again_and_answers_the_same() {
    let target = runs("rustc", &["--print", "target-libdir", "--target", "wasm32-unknown-unknown"])
        && Path::new(
            stdout(Command::new("rustc").args(["--print", "target-libdir", "--target", "wasm32-unknown-unknown"]))
                .trim(),
        )
        .is_dir();
    if !target && std::env::var_os("MORABASE_WASM_TOOLS").is_none() {
        left_out("no compiler for wasm32-unknown-unknown: set MORABASE_WASM_TOOLS, see scripts/wasm");
        return;
    }
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("morabase.wasm");
    let built: Json = script(&["--to", file.to_str().unwrap()]).parse().unwrap();
    assert_eq!(built["sources"], recorded()["sources"]);
    if !have(&["node"]) {
        return;
    }
    // The bytes depend on the compiler and the place; the answers do not.
    let site = own_site();
    let host = StaticHost::start(site.path(), Ranges::Sent);
    let requests = requests();
    let before = ask(site.path(), &host, &requests);
    fs::copy(&file, site.path().join("morabase.wasm")).unwrap();
    for ((request, before), after) in requests.iter().zip(before).zip(ask(site.path(), &host, &requests)) {
        assert_eq!((before.status(), before.text()), (after.status(), after.text()), "{request}");
    }
}
