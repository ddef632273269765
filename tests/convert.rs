//! The real binary to plain bytes and back, and to lines of text: `unpack`, `pack` and `export`.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use assert_cmd::assert::OutputAssertExt;
use morabase::raw::Width;
use morabase::space::Space;
use morabase::{BoardKind, PointSet, Position, Preset, Tablebase, Wdl};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::common::cli::{fed, json_lines, morabase, stderr, stdout};
use crate::common::files::{assert_same_file, change, copy, names};
use crate::common::tables::SHIPPED;
use crate::common::text::{cases, class, fields};
use crate::common::{cli, tools};

const CLASSES: [&str; 6] = ["3-3", "3-4", "3-5", "4-3", "4-4", "5-3"];

/// All shipped tables, unpacked by the program.
static RAW: LazyLock<TempDir> = LazyLock::new(|| {
    let directory = TempDir::new().unwrap();
    morabase(&["unpack", "--output"]).arg(directory.path()).assert().success();
    directory
});

/// A directory with a raw file and its sidecar that a test may damage.
fn copy_of(class: &str) -> TempDir {
    copy(RAW.path(), |name| ["raw", "json"].iter().any(|extension| *name == format!("{class}.{extension}")))
}

fn sidecar(directory: &Path, class: &str) -> Json {
    serde_json::from_slice(&fs::read(directory.join(format!("{class}.json"))).unwrap()).unwrap()
}

fn change_sidecar(directory: &Path, class: &str, change: impl FnOnce(&mut serde_json::Map<String, Json>)) {
    let mut sidecar = sidecar(directory, class);
    change(sidecar.as_object_mut().unwrap());
    fs::write(directory.join(format!("{class}.json")), sidecar.to_string()).unwrap();
}

/// Packs the raw file of a class in this directory into its directory `out`.
fn pack(directory: &Path, class: &str, arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = morabase(&["pack"]);
    command.arg(directory.join(format!("{class}.raw"))).arg("--tables").arg(directory.join("out")).args(arguments);
    command.assert()
}

fn assert_nothing_packed(directory: &Path) {
    assert_eq!(names(&directory.join("out")), [""; 0], "something was written");
}

/// What was packed is the shipped table.
fn assert_packed_as_shipped(directory: &Path, class: &str) {
    let name = format!("{class}.mora");
    assert_same_file(&directory.join("out").join(&name), &Path::new(SHIPPED).join(&name));
}

#[test]
fn every_shipped_table_comes_back_byte_for_byte() {
    let directory = TempDir::new().unwrap();
    let mut command = morabase(&["pack", "--json", "--tables"]);
    command.arg(directory.path().join("out")).args(CLASSES.map(|class| RAW.path().join(format!("{class}.raw"))));
    let report = cli::json(&mut command);
    assert_eq!(report["packed"].as_array().unwrap().len(), CLASSES.len());
    for (at, class) in CLASSES.into_iter().enumerate() {
        assert_packed_as_shipped(directory.path(), class);
        assert_eq!(report["packed"][at]["class"], class);
        let shipped = fs::metadata(Path::new(SHIPPED).join(format!("{class}.mora"))).unwrap();
        assert_eq!(report["packed"][at]["bytes"], shipped.len());
    }
    assert_eq!(names(&directory.path().join("out")), CLASSES.map(|class| format!("{class}.mora")));
}

#[test]
fn raw_files_are_the_values_in_the_order_of_the_layout() {
    let tables = Tablebase::shipped().unwrap();
    for name in CLASSES {
        let raw = fs::read(RAW.path().join(format!("{name}.raw"))).unwrap();
        let values = tables.decode(class(name)).unwrap();
        let stored = raw.iter().map(|&byte| Width::Byte.value(byte.into()));
        assert!(stored.eq(values.symbols().iter().map(|&symbol| values.alphabet().value(symbol))), "{name}");
        let sidecar = sidecar(RAW.path(), name);
        assert_eq!(sidecar["class"], name);
        assert_eq!(sidecar["rules"], Preset::Gar.rules().to_string());
        assert_eq!(sidecar["entries"], raw.len());
        assert_eq!(sidecar["bytes_per_entry"], 1);
        assert_eq!(
            sidecar["blocks"].as_u64().unwrap() * sidecar["entries_per_block"].as_u64().unwrap(),
            raw.len() as u64
        );
        assert_eq!(sidecar["representatives"].as_array().unwrap().len() as u64, sidecar["blocks"].as_u64().unwrap());
    }
}

#[test]
fn bytes_of_one_class_go_to_standard_output() {
    let output = morabase(&["unpack", "--class", "3-3", "--output", "-"]).output().unwrap();
    assert!(output.status.success());
    assert!(output.stdout == fs::read(RAW.path().join("3-3.raw")).unwrap());
    morabase(&["unpack", "--output", "-"]).assert().code(2).stderr(contains("--class"));
    morabase(&["unpack", "--class", "3-3", "--output", "-", "--json"]).assert().code(2).stderr(contains("--json"));
}

#[test]
fn unpacking_replaces_only_when_told() {
    let directory = copy_of("3-3");
    let unpack = |arguments: &[&str]| {
        let mut command = morabase(&["unpack", "--class", "3-3", "--output"]);
        command.arg(directory.path()).args(arguments).assert()
    };
    for kept in ["3-3.raw", "3-3.json"] {
        let [other] = ["3-3.raw", "3-3.json"].into_iter().filter(|name| *name != kept).collect::<Vec<_>>()[..] else {
            panic!()
        };
        let _ = fs::remove_file(directory.path().join(other));
        fs::write(directory.path().join(kept), "mine").unwrap();
        unpack(&[]).code(1).stdout(is_empty()).stderr(contains(kept).and(contains("--overwrite")));
        assert_eq!(fs::read_to_string(directory.path().join(kept)).unwrap(), "mine");
        assert!(!directory.path().join(other).exists());
    }
    unpack(&["--overwrite"]).success();
    for name in ["3-3.raw", "3-3.json"] {
        assert_same_file(&directory.path().join(name), &RAW.path().join(name));
    }
}

#[test]
fn unpacking_what_is_not_there_or_to_where_it_cannot_be_is_refused() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    morabase(&["unpack", "--class", "9-9", "--output"])
        .arg(directory.path())
        .assert()
        .code(1)
        .stderr(contains("morabase build --rules gar --class 9-9"));
    for output in [file.clone(), file.join("below")] {
        morabase(&["unpack", "--class", "3-3", "--output"])
            .arg(&output)
            .assert()
            .code(2)
            .stderr(contains("expected a directory").and(contains("--output")));
    }
    // A directory in the place of the raw file.
    fs::create_dir(directory.path().join("3-3.raw")).unwrap();
    let unpack = |arguments: &[&str]| {
        let mut command = morabase(&["unpack", "--class", "3-3", "--output"]);
        command.arg(directory.path()).args(arguments).assert()
    };
    unpack(&[]).code(1).stderr(contains("exists already"));
    unpack(&["--overwrite"]).code(1).stderr(contains("3-3.raw"));
    assert_eq!(names(directory.path()), ["3-3.raw", "file"], "nothing half done is left");
    morabase(&["unpack", "--tables"]).arg(directory.path()).assert().code(1).stderr(contains("no tables here"));
}

#[test]
fn raw_files_of_the_wrong_length_are_refused() {
    let directory = copy_of("3-3");
    let file = directory.path().join("3-3.raw");
    let bytes = fs::read(&file).unwrap();
    for damaged in [&bytes[..bytes.len() - 1], &[], &[&bytes[..], &[0]].concat()] {
        fs::write(&file, damaged).unwrap();
        let found = contains("3-3.raw: expected 210,140 bytes");
        pack(directory.path(), "3-3", &[]).code(1).stdout(is_empty()).stderr(found);
    }
    assert_nothing_packed(directory.path());
}

#[test]
fn changed_bytes_are_refused_and_bytes_that_are_no_values() {
    let directory = copy_of("3-3");
    let file = directory.path().join("3-3.raw");
    let whole = fs::read(&file).unwrap();
    let write = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        fs::write(&file, bytes).unwrap();
    };
    write(5000, whole[5000] ^ 2);
    pack(directory.path(), "3-3", &[]).code(1).stderr(contains("not the bytes that the sidecar is of"));
    change_sidecar(directory.path(), "3-3", |sidecar| drop(sidecar.remove("checksum")));
    for byte in [127, 255] {
        write(5000, byte);
        let named = contains("3-3.raw: entry 5000 (block 3, rank 1010)").and(contains(byte.to_string()));
        pack(directory.path(), "3-3", &[]).code(1).stderr(named);
    }
    // The first block's set is symmetrical, so one of its entries alone cannot change.
    let space = Space::new(BoardKind::Morabaraba, class("3-3"));
    let twin = (0..space.block_entries())
        .find(|&rank| !space.is_canonical(morabase::space::Entry { block: 0, rank }))
        .unwrap() as usize;
    write(twin, 42);
    pack(directory.path(), "3-3", &[]).code(1).stderr(contains("block 0").and(contains("images of each other")));
    assert_nothing_packed(directory.path());
}

/// A raw file with two bytes for each entry, of one with one.
fn widened(bytes: &[u8]) -> Vec<u8> {
    let code = |byte: &u8| Width::Word.code(Width::Byte.value((*byte).into()).unwrap()).unwrap();
    bytes.iter().flat_map(|byte| code(byte).to_le_bytes()).collect()
}

#[test]
fn two_bytes_for_each_entry_make_the_same_table() {
    let directory = copy_of("3-3");
    let file = directory.path().join("3-3.raw");
    change(&file, |bytes| *bytes = widened(bytes));
    pack(directory.path(), "3-3", &[]).code(1).stderr(contains("expected 210,140 bytes, 1 for each entry"));
    change_sidecar(directory.path(), "3-3", |sidecar| drop(sidecar.insert("bytes_per_entry".to_owned(), 2.into())));
    pack(directory.path(), "3-3", &[]).code(1).stderr(contains("not the bytes that the sidecar is of"));
    change_sidecar(directory.path(), "3-3", |sidecar| drop(sidecar.remove("checksum")));
    assert_nothing_packed(directory.path());
    pack(directory.path(), "3-3", &[]).success();
    assert_packed_as_shipped(directory.path(), "3-3");
    // The length says it too.
    change_sidecar(directory.path(), "3-3", |sidecar| drop(sidecar.remove("bytes_per_entry")));
    pack(directory.path(), "3-3", &["--overwrite"]).success();
    assert_packed_as_shipped(directory.path(), "3-3");
}

/// Class 4-4 with three values farther off than a byte can say, packed and unpacked again, in a directory: what was packed, what
/// came out, and the table.
fn long_playing() -> (TempDir, Vec<u8>) {
    let directory = copy_of("4-4");
    let mut words = widened(&fs::read(directory.path().join("4-4.raw")).unwrap());
    let space = Space::new(BoardKind::Morabaraba, class("4-4"));
    let lonely = |block: &u32| space.mover_orbits().stabiliser(*block).count() == 1;
    for (block, code) in (0..space.blocks()).filter(lonely).zip([187, 32_768 + 188, 506]) {
        let at = 2 * (block * space.block_entries() + 17) as usize;
        words[at..at + 2].copy_from_slice(&u16::to_le_bytes(code));
    }
    fs::write(directory.path().join("4-4.raw"), &words).unwrap();
    change_sidecar(directory.path(), "4-4", |sidecar| sidecar.retain(|key, _| key == "class" || key == "rules"));
    pack(directory.path(), "4-4", &[]).success();
    let mut unpack = morabase(&["unpack", "--overwrite", "--tables"]);
    unpack.arg(directory.path().join("out")).arg("--output").arg(directory.path()).assert().success();
    (directory, words)
}

#[test]
fn a_class_with_long_distances_comes_back_in_two_bytes_and_every_reader_of_the_page_reads_them() {
    let (directory, words) = long_playing();
    assert!(fs::read(directory.path().join("4-4.raw")).unwrap() == words);
    let sidecar = sidecar(directory.path(), "4-4");
    assert_eq!((&sidecar["bytes_per_entry"], &sidecar["entries"]), (&2.into(), &(words.len() / 2).into()));
    let tables = directory.path().join("out");
    let lines = stdout(morabase(&["export", "--class", "4-4", "--jsonl", "--tables"]).arg(&tables));
    let lines = json_lines(lines.as_bytes());
    let far: Vec<&Json> = lines.iter().filter(|line| line["dtc"].as_u64() > Some(126)).collect();
    let said: Vec<_> = far.iter().map(|line| (line["value"].as_str(), line["dtc"].as_u64())).collect();
    assert_eq!(said, [(Some("won"), Some(187)), (Some("lost"), Some(188)), (Some("won"), Some(506))]);
    if tools::have(&["python3"]) {
        let questions: Vec<[u32; 3]> = lines
            .iter()
            .step_by(20_011)
            .chain(far)
            .map(|line| {
                let value = match (line["wdl"].as_i64(), line["dtc"].as_u64()) {
                    (Some(1), Some(plies)) => plies,
                    (Some(-1), Some(plies)) => 32_768 + plies,
                    _ => 0,
                };
                [number(line, "mover"), number(line, "waiting"), value].map(|number| u32::try_from(number).unwrap())
            })
            .collect();
        let expected: Vec<u32> = questions.iter().map(|[.., code]| *code).collect();
        let asked = "import sys\nfor line in sys.stdin:\n    print(value_of_any(*map(int, line.split())))\n";
        let program = [code("python canonical"), code("python any"), asked].concat();
        let mut python = Command::new("python3");
        assert_eq!(answers(python.arg("-c").arg(program), directory.path(), &questions), expected);
    }
}

#[test]
fn a_sidecar_that_is_wrong_in_anything_is_refused() {
    for case in cases(include_str!("data/wrong_sidecars.txt")) {
        let [key, value, named] = fields(case);
        let value: Json = serde_json::from_str(value).unwrap();
        let directory = copy_of("3-3");
        change_sidecar(directory.path(), "3-3", |sidecar| drop(sidecar.insert(key.to_owned(), value)));
        let message = contains("3-3.json").and(contains(named));
        pack(directory.path(), "3-3", &[]).code(1).stdout(is_empty()).stderr(message);
        assert_nothing_packed(directory.path());
    }
    for needed in ["class", "rules"] {
        let directory = copy_of("3-3");
        change_sidecar(directory.path(), "3-3", |sidecar| drop(sidecar.remove(needed)));
        pack(directory.path(), "3-3", &[]).code(1).stderr(contains(format!("missing field `{needed}`")));
    }
    let directory = copy_of("3-3");
    for text in ["", "[]", "{", "no json", "\u{0}"] {
        fs::write(directory.path().join("3-3.json"), text).unwrap();
        pack(directory.path(), "3-3", &[]).code(1).stderr(contains("not the sidecar of a raw file"));
    }
    fs::write(directory.path().join("3-3.json"), "").unwrap();
    pack(directory.path(), "3-3", &[]).code(1).stderr(contains("the file is empty"));
    let wide = sidecar(RAW.path(), "3-3").to_string();
    for text in [wide.clone(), format!("\u{feff}{wide}")] {
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        fs::write(directory.path().join("3-3.json"), bytes).unwrap();
        pack(directory.path(), "3-3", &[]).code(1).stderr(contains("3-3.json: the sidecar looks like UTF-16"));
    }
    fs::remove_file(directory.path().join("3-3.json")).unwrap();
    pack(directory.path(), "3-3", &[]).code(1).stderr(contains("no sidecar here").and(contains("--sidecar")));
}

#[test]
fn class_and_rules_are_all_that_a_sidecar_needs() {
    let directory = copy_of("3-3");
    fs::remove_file(directory.path().join("3-3.json")).unwrap();
    let about = directory.path().join("about.json");
    let rules = Preset::Gar.rules();
    fs::write(&about, format!("{{\"class\":\"3-3\",\"rules\":\"{rules}\",\"by\":\"me\"}}")).unwrap();
    pack(directory.path(), "3-3", &["--sidecar", about.to_str().unwrap()])
        .success()
        .stdout(contains("210,140 entries"));
    assert_packed_as_shipped(directory.path(), "3-3");
}

#[test]
fn packing_replaces_only_when_told_and_keeps_other_rules_apart() {
    let directory = copy_of("3-3");
    let out = directory.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("3-3.mora"), "mine").unwrap();
    pack(directory.path(), "3-3", &[]).code(1).stderr(contains("3-3.mora").and(contains("--overwrite")));
    assert_eq!(fs::read_to_string(out.join("3-3.mora")).unwrap(), "mine");
    pack(directory.path(), "3-3", &["--overwrite"]).success();
    assert_packed_as_shipped(directory.path(), "3-3");
    change_sidecar(directory.path(), "3-3", |sidecar| {
        sidecar.insert("rules".to_owned(), Preset::Plain.rules().to_string().into());
        sidecar.remove("fingerprint");
    });
    pack(directory.path(), "3-3", &["--overwrite"]).code(2).stderr(contains("tables for other rules"));
    let mut both = morabase(&["pack", "--tables"]);
    both.arg(directory.path().join("new")).arg(RAW.path().join("3-4.raw")).arg(directory.path().join("3-3.raw"));
    both.assert().code(2).stdout(is_empty()).stderr(contains("different directories"));
    assert!(!directory.path().join("new").exists());
}

#[test]
fn packing_from_or_to_where_nothing_can_be_is_refused() {
    let directory = copy_of("3-3");
    fs::write(directory.path().join("out"), "a file").unwrap();
    pack(directory.path(), "3-3", &[]).code(2).stderr(contains("expected a directory"));
    let pack = |file: &str, tables: &str| {
        let mut command = morabase(&["pack"]);
        command.current_dir(directory.path()).arg(file).args(["--tables", tables]).assert()
    };
    pack("3-3.raw", "out/below").code(2).stderr(contains("out/below"));
    pack("4-4.raw", "new").code(1).stderr(contains("4-4.raw: cannot read"));
    pack(".", "new").code(2).stderr(contains("expected a raw file"));
    fs::create_dir(directory.path().join("held")).unwrap();
    fs::create_dir(directory.path().join("held/3-3.mora")).unwrap();
    pack("3-3.raw", "held").code(1).stderr(contains("3-3.mora"));
    assert_eq!(names(&directory.path().join("held")), ["3-3.mora"], "nothing half done is left");
    morabase(&["pack", "--tables", "new"]).assert().code(2).stderr(contains("required"));
    morabase(&["pack", "3-3.raw"]).assert().code(2).stderr(contains("--tables"));
    morabase(&["pack", "a.raw", "b.raw", "--sidecar", "c.json", "--tables", "new"])
        .assert()
        .code(2)
        .stderr(contains("--sidecar"));
    let twice = RAW.path().join("3-3.raw");
    morabase(&["pack", "--tables", "new"]).args([&twice, &twice]).assert().code(2).stderr(contains("given twice"));
}

/// A page's block of code with this head, such as ```` ```c any ````.
fn code(head: &str) -> &'static str {
    let page = include_str!("../docs/raw.md");
    let (_, rest) = page.split_once(&format!("```{head}\n")).unwrap();
    rest.split_once("```").unwrap().0
}

/// Positions of class 4-4 from all over it and what they are worth: first some whose mover's set is a block's, then images of them.
fn questions() -> Vec<[u32; 3]> {
    let tables = Tablebase::shipped().unwrap();
    let values = tables.decode(class("4-4")).unwrap();
    let space = values.space();
    let code_of = |symbol| u32::from(Width::Byte.code(values.alphabet().value(symbol).unwrap()).unwrap());
    let count = space.entries();
    let entries = (0..200u64).map(|i| i * 7919 * 6151 % count);
    let canonical: Vec<[u32; 3]> = entries
        .map(|at| {
            let [block, rank] = [at / u64::from(space.block_entries()), at % u64::from(space.block_entries())];
            let entry = morabase::space::Entry { block: block as u32, rank: rank as u32 };
            let (mover, waiting) = space.position(entry).unwrap();
            [mover.bits(), waiting.bits(), code_of(values.symbols()[at as usize])]
        })
        .collect();
    let images = (0..).zip(&canonical).map(|(i, &[mover, waiting, code])| {
        let symmetry = morabase::board::Symmetry::new(i % 16).unwrap();
        let image = |set| symmetry.apply(PointSet::from_bits(set).unwrap()).bits();
        [image(mover), image(waiting), code]
    });
    let all = canonical.iter().copied().chain(images).collect();
    assert!(canonical.iter().map(|[.., code]| code).collect::<HashSet<_>>().len() > 4);
    all
}

/// The answers of a program that reads lines with a mover's and a waiting set and prints a number for each.
fn answers(program: &mut Command, directory: &Path, questions: &[[u32; 3]]) -> Vec<u32> {
    let input: Vec<String> = questions.iter().map(|[mover, waiting, _]| format!("{mover} {waiting}")).collect();
    let output = fed(program.current_dir(directory), input.join("\n"));
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| line.trim().parse().unwrap()).collect()
}

#[test]
fn the_python_of_the_page_finds_every_position() {
    if !tools::have(&["python3"]) {
        return;
    }
    let questions = questions();
    let expected: Vec<u32> = questions.iter().map(|[.., code]| *code).collect();
    let asked = "import sys\nfor at, line in enumerate(sys.stdin):\n    mover, waiting = map(int, line.split())\n    \
                 if at < 200: assert value(mover, waiting) == value_of_any(mover, waiting)\n    \
                 print(value_of_any(mover, waiting))\n";
    let program = [code("python canonical"), code("python any"), asked].concat();
    assert_eq!(answers(Command::new("python3").arg("-c").arg(program), RAW.path(), &questions), expected);
}

#[test]
fn the_numpy_of_the_page_counts_every_entry() {
    if !tools::runs("python3", &["-c", "import numpy"]) {
        return;
    }
    let raw = fs::read(RAW.path().join("4-4.raw")).unwrap();
    let mut expected = vec![0; 256];
    for &byte in &raw {
        expected[usize::from(byte)] += 1;
    }
    let longest = raw.iter().copied().max().unwrap();
    let asked = "for count in histogram: print(count)\nprint(values[block, rank])\n";
    let program = [code("python numpy"), asked].concat();
    let mut found = answers(Command::new("python3").arg("-c").arg(program), RAW.path(), &[]);
    assert_eq!(found.pop(), Some(u32::from(longest)));
    assert_eq!(found, expected);
}

#[test]
fn the_c_of_the_page_finds_every_position() {
    if !tools::have(&["cc"]) {
        return;
    }
    let questions = questions();
    let expected: Vec<u32> = questions.iter().map(|[.., code]| *code).collect();
    let asked = r#"
int main(void) {
    read_sets("4-4.json");
    FILE *raw = fopen("4-4.raw", "rb");
    uint32_t mover, waiting, per_block = choose(20, 4);
    while (scanf("%u %u", &mover, &waiting) == 2) {
        int best = 0;
        for (int symmetry = 1; symmetry < 16; symmetry++)
            if (image(mover, symmetry) < image(mover, best)) best = symmetry;
        fseek(raw, entry(image(mover, best), image(waiting, best), per_block), SEEK_SET);
        printf("%d\n", fgetc(raw));
    }
    return 0;
}
"#;
    let directory = TempDir::new().unwrap();
    let [source, program] = ["page.c", "page"].map(|name| directory.path().join(name));
    fs::write(&source, [code("c canonical"), code("c any"), asked].concat()).unwrap();
    Command::new("cc").args(["-Wall", "-Wextra", "-Werror", "-O1", "-o"]).args([&program, &source]).assert().success();
    assert_eq!(answers(&mut Command::new(program), RAW.path(), &questions), expected);
}

fn export(arguments: &[&str]) -> Vec<Json> {
    let text = stdout(morabase(&["export", "--jsonl"]).args(arguments));
    json_lines(text.as_bytes())
}

/// All lines of class 3-3.
static LINES: LazyLock<Vec<Json>> = LazyLock::new(|| export(&["--class", "3-3"]));

fn number(line: &Json, key: &str) -> u64 {
    line[key].as_u64().unwrap()
}

#[test]
fn exported_lines_are_the_entries_of_the_table_and_add_up_to_its_counts() {
    let tables = Tablebase::shipped().unwrap();
    let meta = tables.meta(class("3-3")).unwrap();
    let values = tables.decode(class("3-3")).unwrap();
    let lines = &*LINES;
    assert_eq!(lines.len() as u64, meta.entries());
    let mut full: BTreeMap<&str, u64> = BTreeMap::new();
    let mut canonical: BTreeMap<&str, u64> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        assert_eq!(number(line, "entry"), at as u64);
        let value = values.alphabet().value(values.symbols()[at]).unwrap();
        assert_eq!(line["value"], value.wdl().name());
        assert_eq!(line["dtc"].as_u64(), value.dtc().map(|plies| u64::from(plies.0)));
        let wdl = match value.wdl() {
            Wdl::Won => 1,
            Wdl::Drawn => 0,
            Wdl::Lost => -1,
        };
        assert_eq!(line["wdl"], wdl);
        if line["twin"] == false {
            *full.entry(value.wdl().name()).or_default() += number(line, "placements");
            *canonical.entry(value.wdl().name()).or_default() += 1;
        }
    }
    let counts = |counts: &morabase::table::Counts| {
        let all = [("won", counts.won), ("drawn", counts.drawn), ("lost", counts.lost)];
        all.into_iter().filter(|(_, count)| *count > 0).collect::<BTreeMap<&str, u64>>()
    };
    assert_eq!(full, counts(&meta.full));
    assert_eq!(canonical, counts(&meta.canonical));
    // What a line says of its position is what a probe of it says.
    for line in lines.iter().step_by(997) {
        let position = Position::from_notation(line["position"].as_str().unwrap(), tables.rules()).unwrap();
        assert_eq!(u64::from(position.mover().bits()), number(line, "mover"));
        assert_eq!(u64::from(position.waiting().bits()), number(line, "waiting"));
        assert_eq!(line["value"], tables.probe(&position).unwrap().value.wdl().name());
    }
}

#[test]
fn csv_has_the_columns_of_jsonl() {
    let arguments = ["--class", "4-3", "--sample", "500", "--seed", "3"];
    let csv = stdout(morabase(&["export", "--csv"]).args(arguments));
    let mut rows = csv.lines();
    let names: Vec<&str> = rows.next().unwrap().split(',').collect();
    let text = stdout(morabase(&["export", "--jsonl"]).args(arguments));
    assert!(text.starts_with(&format!("{{\"{}\":", names[0])));
    let mut count = 0;
    for (row, line) in rows.zip(text.lines()) {
        let object: Json = serde_json::from_str(line).unwrap();
        let (before, rest) = row.split_once('"').unwrap();
        let (position, after) = rest.split_once('"').unwrap();
        let columns = before.trim_end_matches(',').split(',').chain([position]).chain(after[1..].split(','));
        let columns: Vec<&str> = columns.collect();
        assert_eq!(columns.len(), names.len());
        assert_eq!(object.as_object().unwrap().len(), names.len());
        for (name, column) in names.iter().zip(columns) {
            let expected = match &object[name] {
                Json::String(text) => text.clone(),
                Json::Null => String::new(),
                other => other.to_string(),
            };
            assert_eq!(column, expected, "{name}");
        }
        // The same order of the keys as of the columns.
        assert!(names.iter().map(|name| line.find(&format!("\"{name}\":")).unwrap()).is_sorted());
        count += 1;
    }
    assert_eq!(count, 500);
}

#[test]
fn filters_leave_what_they_say_and_twins_can_be_left_out() {
    let all = &*LINES;
    let kept = |keep: &dyn Fn(&Json) -> bool| -> Vec<u64> {
        all.iter().filter(|line| keep(line)).map(|line| number(line, "entry")).collect()
    };
    let entries = |filters: &[&str]| -> Vec<u64> {
        let text = stdout(morabase(&["export", "--csv", "--class", "3-3"]).args(filters));
        text.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().parse().unwrap()).collect()
    };
    let canonical = kept(&|line| line["twin"] == false);
    assert!(canonical.len() < all.len());
    assert_eq!(entries(&["--canonical"]), canonical);
    let lost = kept(&|line| line["value"] == "lost");
    assert_eq!(entries(&["--values", "lost"]), lost);
    let decided = kept(&|line| line["twin"] == false && line["value"] != "drawn");
    assert_eq!(entries(&["--canonical", "--values", "won,lost"]), decided);
    // A twin is the image of an earlier entry with the same value.
    let space = Space::new(BoardKind::Morabaraba, class("3-3"));
    for line in all.iter().filter(|line| line["twin"] == true).step_by(101) {
        let sets = [number(line, "mover"), number(line, "waiting")].map(|set| PointSet::from_bits(set as u32).unwrap());
        let first = space
            .mover_orbits()
            .stabiliser(space.entry(sets[0], sets[1]).block)
            .map(|symmetry| space.entry(sets[0], symmetry.apply(sets[1])))
            .min()
            .unwrap();
        let first = first.block as usize * space.block_entries() as usize + first.rank as usize;
        assert!((first as u64) < number(line, "entry"));
        assert_eq!((&all[first]["value"], &all[first]["dtc"]), (&line["value"], &line["dtc"]));
    }
}

#[test]
fn samples_are_parts_of_the_whole_and_the_same_for_the_same_seed() {
    let whole = stdout(&mut morabase(&["export", "--jsonl", "--class", "3-3", "--values", "lost", "--canonical"]));
    let lines: Vec<&str> = whole.lines().collect();
    let sample = |count: &str, seed: &str| {
        let arguments = ["--class", "3-3", "--values", "lost", "--canonical", "--sample", count, "--seed", seed];
        stdout(morabase(&["export", "--jsonl"]).args(arguments))
    };
    let drawn = sample("300", "1");
    assert_eq!(drawn, sample("300", "1"));
    assert_ne!(drawn, sample("300", "2"));
    let places: Vec<usize> =
        drawn.lines().map(|line| lines.binary_search_by_key(&key(line), |line| key(line)).unwrap()).collect();
    assert!(places.len() == 300 && places.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(drawn.lines().zip(&places).all(|(line, &at)| line == lines[at]));
    assert_eq!(sample("100000000", "1"), whole);
    assert_eq!(sample("0", "1"), "");
    let threads = |count: &str| {
        let arguments = ["export", "--csv", "--class", "4-3", "--sample", "2000", "--canonical"];
        stdout(morabase(&arguments).env("RAYON_NUM_THREADS", count))
    };
    assert_eq!(threads("1"), threads("7"));
}

/// A line's entry, to find it by.
fn key(line: &str) -> u64 {
    number(&serde_json::from_str(line).unwrap(), "entry")
}

#[test]
fn wrong_exports_are_refused() {
    morabase(&["export", "--class", "9-9", "--csv"]).assert().code(1).stdout(is_empty()).stderr(contains("9-9"));
    for (arguments, named) in [
        (&["--class", "3-3"][..], "--csv"),
        (&["--csv"], "--class"),
        (&["--class", "3-3", "--csv", "--jsonl"], "--jsonl"),
        (&["--class", "3-2", "--csv"], "3-2"),
        (&["--class", "3-3", "--csv", "--values", "good"], "good"),
        (&["--class", "3-3", "--csv", "--sample", "-1"], "-1"),
        (&["--class", "3-3", "--csv", "--seed", "1"], "--sample"),
    ] {
        morabase(&["export"]).args(arguments).assert().code(2).stdout(is_empty()).stderr(contains(named));
    }
}

#[test]
fn a_reader_that_has_seen_enough_ends_the_stream_quietly() {
    let readers: [&[&str]; 3] = [
        &["export", "--class", "4-4", "--csv"],
        &["export", "--class", "4-4", "--jsonl"],
        &["unpack", "--class", "4-4", "--output", "-"],
    ];
    for arguments in readers {
        let mut command = morabase(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::with_capacity(16, child.stdout.take().unwrap());
        stdout.fill_buf().unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}
