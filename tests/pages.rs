//! No page names a command, option, rule set, file, heading or JSON key that does not exist. What exists is asked of the program itself and
//! of the repository; `data/names_of_others.txt` lists what belongs to other programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::common::cli::{morabase, stdout};
use crate::common::files::{has_extension, names};
use crate::common::text::{cases, fields, words};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Where a name of a file on a page may begin, beside the page's own directory.
const BASES: [&str; 12] = [
    "",
    "src",
    "src/serve/page",
    "src/site",
    "tests",
    "tables",
    "bindings",
    "bindings/c",
    "bindings/c/src",
    "bindings/python",
    "fuzz",
    "docs",
];

#[test]
fn every_name_on_a_page_exists() {
    let pages = pages();
    assert!(pages.len() >= 25, "{pages:?}");
    let faults: Vec<String> = pages
        .iter()
        .flat_map(|page| {
            let text = fs::read_to_string(Path::new(ROOT).join(page)).unwrap();
            KNOWN.faults(page, &text).into_iter().map(move |fault| format!("{page}: {fault}"))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_wrong_name_on_a_page_is_found() {
    for line in cases(include_str!("data/planted_names.txt")) {
        let [wrong, right, fault] = fields(line);
        let [wrong, right] = [wrong, right].map(|text| text.replace('⏎', "\n"));
        let page = "docs/planted.md";
        assert_eq!(KNOWN.faults(page, &wrong), [fault], "{wrong}");
        assert_eq!(KNOWN.faults(page, &right), [""; 0], "{right}");
    }
}

/// The pages that people read, from the root. The changelog is left out: it names what there once was.
fn pages() -> Vec<String> {
    let mut pages = vec!["bindings/python/README.md".to_owned(), "tests/data/README.md".to_owned()];
    for directory in ["", "docs", ".github", ".github/ISSUE_TEMPLATE"] {
        let found = names(&Path::new(ROOT).join(directory));
        let found = found.into_iter().filter(|name| has_extension(name, "md") && name != "CHANGELOG.md");
        pages.extend(found.map(|name| if directory.is_empty() { name } else { format!("{directory}/{name}") }));
    }
    pages
}

static KNOWN: LazyLock<Known> = LazyLock::new(Known::ask);

/// What there is to be named.
struct Known {
    /// Each command with its options.
    commands: BTreeMap<String, BTreeSet<String>>,
    presets: BTreeSet<String>,
    keys: BTreeSet<String>,
    others: BTreeSet<&'static str>,
}

impl Known {
    fn ask() -> Self {
        let help = stdout(&mut morabase(&["--help"]));
        let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
        let options = |arguments: &[&str]| options(&stdout(&mut morabase(arguments)));
        // A line that goes on from the one above is indented further.
        let listed = listed.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
        let mut commands: BTreeMap<_, _> =
            listed.filter(|name| *name != "help").map(|name| (name.to_owned(), options(&[name, "--help"]))).collect();
        assert!(commands.len() >= 20, "{commands:?}");
        commands.insert(String::new(), options(&["--help"]));
        let presets = stdout(&mut morabase(&["rules"]));
        let presets = presets.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
        let others = cases(include_str!("data/names_of_others.txt")).into_iter().collect();
        Self { commands, presets, keys: keys(), others }
    }

    fn faults(&self, page: &str, text: &str) -> Vec<String> {
        let mut faults = Vec::new();
        for code in pieces_of_code(text) {
            faults.extend(self.command_faults(&code));
            faults.extend(self.file_faults(page, &code));
            faults.extend(self.key_faults(&code));
        }
        faults.extend(self.key_table_faults(text));
        faults.extend(link_faults(page, text));
        faults
    }

    fn command_faults(&self, code: &Code) -> Vec<String> {
        let mut faults = Vec::new();
        for command in commands(&code.text) {
            let Some(first) = command.first() else { continue };
            if first == "morabase" || first.ends_with("/morabase") {
                faults.extend(self.call_faults(&command[1..]));
            } else if code.inline && first.starts_with("--") {
                faults.extend(self.option_faults(None, &command));
            } else if code.inline && self.commands.contains_key(first) {
                faults.extend(self.option_faults(Some(first), &command[1..]));
            }
        }
        faults
    }

    /// Of a call of the program, from the command on.
    fn call_faults(&self, words: &[String]) -> Vec<String> {
        match words.first().map(|word| word.trim_start_matches('[')) {
            None => Vec::new(),
            Some(option) if option.starts_with('-') => self.option_faults(Some(""), words),
            Some(name) if self.commands.contains_key(name) || name == "help" => {
                self.option_faults(Some(name), &words[1..])
            }
            // A placeholder, or prose such as a version.
            Some(name) if !name.starts_with(|first: char| first.is_ascii_lowercase()) => Vec::new(),
            Some(name) => vec![format!("no command {name}")],
        }
    }

    /// Options that this command lacks, or any command; and rule sets that nobody has.
    fn option_faults(&self, command: Option<&str>, words: &[String]) -> Vec<String> {
        let mut faults = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let name: String = word.trim_start_matches(['[', '(']).chars().take_while(|&c| is_name(c)).collect();
            if !name.starts_with("--") || name == "--" || self.others.contains(name.as_str()) {
                continue;
            }
            let has = |options: &BTreeSet<String>| options.contains(&name);
            let known = match command {
                Some(command) => self.commands.get(command).is_none_or(has),
                None => self.commands.values().any(has),
            };
            if !known {
                faults.push(format!("no option {name}"));
            }
            if name == "--rules" {
                let value = words.get(at + 1).map(String::as_str).unwrap_or_default();
                let named = value.starts_with(|first: char| first.is_ascii_lowercase()) && !value.contains(';');
                if named && !self.presets.contains(value) {
                    faults.push(format!("no rule set {value}"));
                }
            }
        }
        faults
    }

    fn file_faults(&self, page: &str, code: &Code) -> Vec<String> {
        let tops =
            ["src/", "docs/", "tests/", "scripts/", "bindings/", "examples/", "fuzz/", "benches/", ".github/", ".ci/"];
        let extensions = ["rs", "md", "toml", "js", "yml", "py", "manifest"];
        let names = code.text.split([' ', '\n', '\'', '"', '=', '(', ')', ',']).filter_map(|word| {
            let word = word.split('[').next()?.trim_start_matches("./");
            let of_ours = tops.iter().any(|top| word.starts_with(top));
            let a_file = extensions.iter().any(|extension| has_extension(word, extension));
            // Files of others are named in programs; of ours only those in known places.
            (of_ours || (code.inline && a_file)).then_some(word)
        });
        let plain = |name: &&str| name.chars().all(|c| is_name(c) || c == '/' || c == '.');
        let missing = names.filter(plain).filter(|name| !self.others.contains(name) && !exists(page, name));
        missing.map(|name| format!("no file {name}")).collect()
    }

    /// Keys of objects as they are printed: `"value":`.
    fn key_faults(&self, code: &Code) -> Vec<String> {
        let pieces: Vec<&str> = code.text.split('"').collect();
        let named = pieces.windows(2).filter(|pair| pair[1].starts_with(':')).map(|pair| pair[0]);
        named.filter_map(|name| self.key_fault(name)).collect()
    }

    /// Keys in tables that explain keys.
    fn key_table_faults(&self, text: &str) -> Vec<String> {
        let mut inside = false;
        let mut faults = Vec::new();
        for line in text.lines() {
            inside = line.starts_with("| key") || (inside && line.starts_with('|'));
            let first = line.split('|').nth(1).unwrap_or_default();
            for name in first.split('`').skip(1).step_by(2).filter(|_| inside) {
                faults.extend(name.split(['.', '[', ']']).filter_map(|key| self.key_fault(key)));
            }
        }
        faults
    }

    fn key_fault(&self, name: &str) -> Option<String> {
        let a_key = name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        (a_key && !self.keys.contains(name) && !self.others.contains(name)).then(|| format!("no key {name}"))
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

/// The long options that a help text lists.
fn options(help: &str) -> BTreeSet<String> {
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let names = lines.flat_map(|line| line.split([' ', ',', '=', '['])).filter(|word| word.starts_with("--"));
    names.map(str::to_owned).collect()
}

/// All keys that the program prints and that its interface over HTTP describes.
fn keys() -> BTreeSet<String> {
    let directory = TempDir::new().unwrap();
    let mut keys = BTreeSet::new();
    for line in cases(include_str!("data/json_commands.txt")) {
        let words = words(line);
        let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = morabase(&arguments).current_dir(directory.path()).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains('{'), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        printed.lines().for_each(|line| collect_keys(&serde_json::from_str(line).unwrap(), &mut keys));
    }
    // The sidecar that `unpack` has written.
    let sidecar = fs::read_to_string(directory.path().join("raw/3-3.json")).unwrap();
    collect_keys(&serde_json::from_str(&sidecar).unwrap(), &mut keys);
    collect_keys(&serde_json::from_str(include_str!("../src/serve/openapi.json")).unwrap(), &mut keys);
    keys
}

fn collect_keys(object: &Json, keys: &mut BTreeSet<String>) {
    match object {
        Json::Object(members) => members.iter().for_each(|(key, value)| {
            keys.insert(key.clone());
            collect_keys(value, keys);
        }),
        Json::Array(values) => values.iter().for_each(|value| collect_keys(value, keys)),
        _ => {}
    }
}

/// Whether a page may name this file: from its own directory, the root, or where its readers are.
fn exists(page: &str, name: &str) -> bool {
    let own = Path::new(page).parent().unwrap();
    BASES.iter().map(Path::new).chain([own]).any(|base| Path::new(ROOT).join(base).join(name).exists())
}

/// Links to files that are not there, or to headings that they do not have.
fn link_faults(page: &str, text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let local = targets.filter(|target| !target.contains("://"));
    local
        .filter_map(|target| {
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path: PathBuf = if file.is_empty() {
                Path::new(ROOT).join(page)
            } else {
                Path::new(ROOT).join(page).parent().unwrap().join(file)
            };
            let there = if heading.is_empty() {
                file.is_empty() || path.exists()
            } else {
                // The text at hand stands for the page itself.
                let other =
                    if file.is_empty() { text.to_owned() } else { fs::read_to_string(path).unwrap_or_default() };
                headings(&other).any(|found| found == heading)
            };
            (!there).then(|| format!("no target {target}"))
        })
        .collect()
}

/// The anchors of a page's headings, as sites make them.
fn headings(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter(|line| line.starts_with('#')).map(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        words.chars().filter(|&c| c.is_alphanumeric() || c == '-' || c == '_').collect()
    })
}

/// A piece of code on a page: a span within prose, or a line of a block.
struct Code {
    text: String,
    inline: bool,
}

fn pieces_of_code(text: &str) -> Vec<Code> {
    let mut pieces = Vec::new();
    let mut fence: Option<&str> = None;
    let mut prose = String::new();
    for line in text.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(language) };
        } else if fence.is_some() || line.starts_with("    ") {
            pieces.push(Code { text: line.trim().to_owned(), inline: false });
        } else {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    // A span may go on on the next line, but not in the next paragraph.
    for paragraph in prose.split("\n\n") {
        let spans = paragraph.split('`').skip(1).step_by(2);
        pieces.extend(spans.map(|span| Code { text: span.replace('\n', " "), inline: true }));
    }
    pieces
}

/// The commands of a line of a shell, each as words. What `cargo run --release --` runs is the program.
fn commands(line: &str) -> Vec<Vec<String>> {
    let line = line.trim_start_matches("$ ");
    let line = line.split(" #").next().unwrap_or_default().replace("ExecStart=", "");
    let line = line.replace("cargo run --release --", "morabase").replace(" && ", "\n").replace(" | ", "\n");
    line.replace("; ", "\n").lines().map(words).collect()
}
