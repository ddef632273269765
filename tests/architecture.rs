//! The top-level modules of the source as docs/ARCHITECTURE.md shows them, held against what the files import.
//!
//! Reads the source with a parser: every `use` and every path outside code for tests. A name that a module re-exports counts as
//! taken from the file that defines it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::Visit;

/// A module by its path, such as `["probe", "tablebase"]`; the library's root is the empty path.
type Module = Vec<String>;

/// A file's imports.
struct File {
    path: PathBuf,
    /// Paths that it names, each from the root of the crate, with where a plain name may be found.
    uses: Vec<Module>,
    /// Names that it re-exports, and the path of each from the root.
    exports: BTreeMap<String, Module>,
}

/// The files of a crate by module.
type Files = BTreeMap<Module, File>;

fn is_test_only(attributes: &[syn::Attribute]) -> bool {
    let is_test_only = |attribute: &syn::Attribute| {
        let condition = attribute.meta.require_list().map(|list| list.tokens.to_string()).unwrap_or_default();
        attribute.path().is_ident("cfg") && (condition == "test" || condition.replace(' ', "").starts_with("all(test,"))
    };
    attributes.iter().any(is_test_only)
}

/// Collects what a file names.
struct Imports<'a> {
    module: &'a Module,
    uses: Vec<Module>,
    exports: BTreeMap<String, Module>,
}

impl Imports<'_> {
    /// The path from the root of the crate; none for other crates and plain names.
    fn resolve(&self, path: &[String]) -> Option<Module> {
        let first = path.first()?;
        let mut base = match first.as_str() {
            "crate" => Vec::new(),
            "self" | "super" => self.module.clone(),
            _ => return None,
        };
        let up = path.iter().take_while(|part| *part == "super").count();
        base.truncate(base.len().checked_sub(up)?);
        base.extend(path.iter().filter(|part| !matches!(part.as_str(), "crate" | "self" | "super")).cloned());
        Some(base)
    }

    fn tree(&mut self, tree: &syn::UseTree, mut before: Vec<String>, exported: bool) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.tree(&path.tree, before, exported);
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.tree(tree, before.clone(), exported);
                }
            }
            syn::UseTree::Name(name) => self.name(before, &name.ident, &name.ident, exported),
            syn::UseTree::Rename(rename) => self.name(before, &rename.ident, &rename.rename, exported),
            syn::UseTree::Glob(_) => self.uses.extend(self.resolve(&before)),
        }
    }

    fn name(&mut self, mut path: Vec<String>, name: &syn::Ident, here: &syn::Ident, exported: bool) {
        path.push(name.to_string());
        let found = self.resolve(&path);
        if exported {
            // `pub use block::Block` in a module's own file names a file beside it.
            let found = found.unwrap_or_else(|| [self.module.clone(), path].concat());
            self.exports.insert(here.to_string(), found);
        } else {
            // `use block::Block` likewise, or another crate: then no file has the path.
            self.uses.push(found.unwrap_or_else(|| [self.module.clone(), path].concat()));
        }
    }
}

impl<'ast> Visit<'ast> for Imports<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Struct(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if !is_test_only(attributes) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test_only(&item.attrs) {
            syn::visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree(&item.tree, Vec::new(), !matches!(item.vis, syn::Visibility::Inherited));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if parts.len() > 1 {
            let found = self.resolve(&parts);
            self.uses.push(found.unwrap_or_else(|| [self.module.clone(), parts].concat()));
        }
        syn::visit::visit_path(self, path);
    }
}

/// Reads a file and the files of its modules.
fn read(path: &Path, module: &Module, files: &mut Files) {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut imports = Imports { module, uses: Vec::new(), exports: BTreeMap::new() };
    imports.visit_file(&parsed);
    let folder = match path.file_name().and_then(|name| name.to_str()) {
        Some("lib.rs" | "main.rs" | "mod.rs") => path.parent().unwrap().to_owned(),
        _ => path.with_extension(""),
    };
    let (uses, exports) = (imports.uses, imports.exports);
    files.insert(module.clone(), File { path: path.to_owned(), uses, exports });
    for item in parsed.items {
        let syn::Item::Mod(item) = item else { continue };
        if item.content.is_some() || is_test_only(&item.attrs) {
            continue;
        }
        let name = item.ident.to_string();
        let beside = folder.join(format!("{name}.rs"));
        let path = if beside.exists() { beside } else { folder.join(&name).join("mod.rs") };
        read(&path, &[module.clone(), vec![name]].concat(), files);
    }
}

/// The file that a path leads to, through re-exports; none outside the crate.
fn target<'a>(files: &'a Files, path: &[String]) -> Option<&'a Module> {
    let (module, file) = (0..=path.len()).rev().find_map(|length| files.get_key_value(&path[..length]))?;
    match path.get(module.len()).and_then(|name| file.exports.get(name)) {
        Some(export) if export != path => target(files, export),
        _ => Some(module),
    }
}

fn library() -> Files {
    let mut files = Files::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs"), &Vec::new(), &mut files);
    files
}

/// Which files each file takes names from.
fn file_graph(files: &Files) -> BTreeMap<&Module, BTreeSet<&Module>> {
    let targets = |module: &Module, file: &File| {
        let found = file.uses.iter().filter_map(|path| target(files, path));
        found.filter(|found| !found.is_empty() && **found != *module).collect::<BTreeSet<_>>()
    };
    files
        .iter()
        .map(|(module, file)| {
            let own = targets(module, file);
            (module, own)
        })
        .collect()
}

/// Which top-level modules each one takes names from, the command line's among them.
fn module_graph(files: &Files) -> BTreeMap<String, BTreeSet<String>> {
    let mut parts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, targets) in file_graph(files) {
        let Some(part) = module.first() else { continue };
        let known = parts.entry(part.clone()).or_default();
        known.extend(targets.into_iter().map(|target| target[0].clone()).filter(|target| target != part));
    }
    parts.insert("cli".to_owned(), modules_of_the_command_line(files));
    parts
}

/// The command line belongs to the binary, so it names the library's items by the name of the package.
fn modules_of_the_command_line(library: &Files) -> BTreeSet<String> {
    let mut binary = Files::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/main.rs"), &Vec::new(), &mut binary);
    let package = |(module, file): (&Module, &File)| {
        let outside = file.uses.iter().filter_map(|path| path.strip_prefix(&module[..]).map(<[String]>::to_vec));
        outside.collect::<Vec<_>>()
    };
    let named = binary.iter().flat_map(package).filter(|path| path.first().is_some_and(|first| first == "morabase"));
    let found = named.filter_map(|path| target(library, &path[1..]).and_then(|module| module.first().cloned()));
    found.collect()
}

/// Every top-level module that one reaches.
fn reached(parts: &BTreeMap<String, BTreeSet<String>>, part: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = vec![part];
    while let Some(next) = open.pop() {
        for known in parts.get(next).into_iter().flatten() {
            if found.insert(known.clone()) {
                open.push(known);
            }
        }
    }
    found
}

/// The arrows from a top-level module to those that it knows and does not reach through another.
fn arrows(parts: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<(String, String)> {
    let mut arrows = BTreeSet::new();
    for (part, known) in parts {
        for target in known {
            let around = known.iter().any(|other| other != target && reached(parts, other).contains(target));
            if !around {
                arrows.insert((part.clone(), target.clone()));
            }
        }
    }
    arrows
}

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ARCHITECTURE.md")).unwrap()
}

/// The rows of the page's table of modules: each module and those it is said to know.
fn rows(page: &str) -> Vec<(String, BTreeSet<String>)> {
    let table = page.lines().skip_while(|line| !line.starts_with("| module |")).skip(2);
    table
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let name = cells[1].trim_matches('`').trim_end_matches('/').trim_end_matches(".rs").to_owned();
            let known = cells[3].split(", ").filter(|part| *part != "nothing").map(str::to_owned).collect();
            (name, known)
        })
        .collect()
}

#[test]
fn no_file_takes_names_from_a_file_that_takes_names_from_it() {
    let files = library();
    let graph = file_graph(&files);
    let mut reach: BTreeMap<&Module, BTreeSet<&Module>> = BTreeMap::new();
    for module in files.keys() {
        let mut open = vec![module];
        while let Some(next) = open.pop() {
            for target in graph[next].iter().copied() {
                if reach.entry(module).or_default().insert(target) {
                    open.push(target);
                }
            }
        }
    }
    let in_circles: Vec<String> = files
        .iter()
        .filter(|(module, _)| reach.get(module).is_some_and(|reached| reached.contains(module)))
        .map(|(module, file)| {
            let back = graph[module].iter().filter(|next| reach.get(*next).is_some_and(|it| it.contains(module)));
            let back: Vec<String> = back.map(|next| next.join("::")).collect();
            format!("{} takes names from {}", file.path.display(), back.join(", "))
        })
        .collect();
    assert!(in_circles.is_empty(), "files in circles:\n{}", in_circles.join("\n"));
}

#[test]
fn the_table_of_rooms_says_what_each_room_knows() {
    let parts = module_graph(&library());
    let rows = rows(&page());
    let listed: BTreeSet<&String> = rows.iter().map(|(part, _)| part).collect();
    assert_eq!(listed, parts.keys().collect(), "docs/ARCHITECTURE.md has a row for each module");
    let mut above: BTreeSet<String> = BTreeSet::new();
    for (part, known) in rows {
        let list = |set: &BTreeSet<String>| set.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        assert_eq!(
            list(&known),
            list(&parts[&part]),
            "docs/ARCHITECTURE.md, row {part}: left the page, right the imports"
        );
        assert!(known.is_subset(&above), "{part} knows a module below it in docs/ARCHITECTURE.md: {known:?}");
        above.insert(part);
    }
}

#[test]
fn the_drawing_of_rooms_has_the_arrows_of_the_imports() {
    let page = page();
    let drawing = page.split("```mermaid\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a drawing");
    let drawn: BTreeSet<(String, String)> = drawing
        .lines()
        .filter_map(|line| line.trim().split_once(" --> "))
        .map(|(from, to)| (from.to_owned(), to.to_owned()))
        .collect();
    let found = arrows(&module_graph(&library()));
    let lines: Vec<String> = found.iter().map(|(from, to)| format!("    {from} --> {to}")).collect();
    assert!(drawn == found, "the drawing in docs/ARCHITECTURE.md should be\n{}", lines.join("\n"));
}

#[test]
fn work_is_spread_over_threads_only_after_it_was_made_sure_that_it_is_done() {
    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { sources(&path, found) } else { found.push(path) }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    sources(&root, &mut found);
    for path in found {
        let text = fs::read_to_string(&path).unwrap_or_default();
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let place = path.strip_prefix(&root).unwrap().display();
        let is_own = path == root.join("threads.rs");
        if text.contains("use rayon::prelude") {
            assert!(text.contains("threads::ready();"), "{place}: call `threads::ready` before work is spread");
        }
        let makes =
            ["ThreadPoolBuilder", "thread::spawn(", "scope.spawn("].into_iter().find(|name| text.contains(name));
        let is_test = path.to_string_lossy().contains("tests");
        assert!(is_own || is_test || makes.is_none(), "{place}: {makes:?} panics where no thread can be started");
    }
}

/// `scripts/wasm` hashes what the page's program is built from: what no answer is made of may change without that.
#[test]
fn the_page_s_program_is_of_the_rooms_that_its_answers_are_made_of() {
    let script = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/wasm")).unwrap();
    let listed = script.lines().find_map(|line| line.strip_prefix("modules=(")?.strip_suffix(')')).expect("a list");
    // Known to `present` for objects that no question has, and what only these reach.
    let apart = ["build", "manifest", "random", "solve", "verify"].map(str::to_owned);
    let mut parts = reached(&module_graph(&library()), "service");
    parts.insert("service".to_owned());
    parts.retain(|part| !apart.contains(part));
    assert_eq!(listed.split(' ').map(str::to_owned).collect::<BTreeSet<_>>(), parts);
}
