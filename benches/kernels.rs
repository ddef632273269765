//! The kernels one by one, through the public interface, on one thread: `cargo bench`.
//!
//! Criterion's `elem/s` are positions or entries per second. `scripts/bench-build` measures whole builds.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::Cursor;
use std::path::Path;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use morabase::lookahead::{Tally, Values};
use morabase::solve::{Control, Dependencies, seed_pair, solve_all};
use morabase::space::{Entry, Space};
use morabase::table::{Bytes, DtcCount, Table, TableMeta, encode_table};
use morabase::{BoardKind, Class, PointSet, Preset, RuleSet};

/// How many items each small kernel runs on: they fit the second-level cache, but the tables they use do not.
const MANY: usize = 4096;

fn class(text: &str) -> Class {
    text.parse().expect("a class")
}

/// Entries that look random and are the same in every run.
fn entries(space: Space) -> Vec<Entry> {
    let mut state = 1u64;
    let mut below = |limit: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % u64::from(limit)) as u32
    };
    (0..MANY).map(|_| Entry { block: below(space.blocks()), rank: below(space.block_entries()) }).collect()
}

fn index(criterion: &mut Criterion) {
    let space = Space::new(BoardKind::Morabaraba, class("8-8"));
    let entries = entries(space);
    let positions: Vec<(PointSet, PointSet)> =
        entries.iter().map(|&entry| space.position(entry).expect("an entry")).collect();
    let orbits = space.mover_orbits();
    let mut group = criterion.benchmark_group("index 8-8");
    group.throughput(Throughput::Elements(MANY as u64));
    group.bench_function("rank", |bench| {
        bench.iter(|| {
            positions.iter().map(|&(mover, waiting)| space.entry(mover, waiting).rank).fold(0, u32::wrapping_add)
        });
    });
    group.bench_function("unrank", |bench| {
        bench.iter(|| {
            for &entry in &entries {
                let _ = black_box(space.position(entry));
            }
        });
    });
    group.bench_function("canonicalise", |bench| {
        let sets = positions.iter().map(|&(_, waiting)| waiting);
        bench.iter(|| sets.clone().map(|set| orbits.place(set).0).fold(0, u32::wrapping_add));
    });
    group.finish();
}

/// The classes with fewer cows than 4-4.
fn below(rules: &RuleSet) -> BTreeMap<Class, Values> {
    solve_all(rules, 7, &Control::default()).expect("solvable")
}

/// A class in which both sides walk and most positions are drawn, and one in which the mover or the other side flies.
fn solve(criterion: &mut Criterion) {
    for preset in [Preset::Plain, Preset::Gar] {
        let rules = preset.rules();
        let below = below(&rules);
        let mut dependencies = Dependencies::default();
        for values in below.values() {
            dependencies.add(values);
        }
        let control = Control::default();
        let mut group = criterion.benchmark_group(format!("solve {}", preset.name()));
        group.sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(4));
        for pair in ["4-4", "4-3"].map(class) {
            let entries = pair.solved_together().map(|class| Space::new(rules.board, class).entries()).sum();
            group.throughput(Throughput::Elements(entries));
            let seed = || seed_pair(&rules, pair, &dependencies, &control).expect("solvable");
            group.bench_function(format!("seed {pair}"), |bench| bench.iter(seed));
            group.bench_function(format!("induce {pair}"), |bench| {
                bench.iter_batched(seed, |seeded| seeded.induce().expect("solvable"), BatchSize::PerIteration);
            });
        }
        group.finish();
    }
}

fn meta(rules: &RuleSet, values: &Values) -> TableMeta {
    let tally = Tally::of(values);
    let mut dtc = vec![DtcCount::default(); tally.max_dtc().map_or(0, |longest| usize::from(longest.0) + 1)];
    for row in tally.rows() {
        dtc[usize::from(row.plies)] = DtcCount { won: row.won, lost: row.lost };
    }
    TableMeta {
        rules_text: rules.to_string(),
        rules_fingerprint: rules.fingerprint(),
        board: rules.board,
        class: values.class(),
        blocks: values.space().blocks(),
        full: tally.full,
        canonical: tally.canonical,
        dtc,
    }
}

fn table(criterion: &mut Criterion) {
    let rules = Preset::Gar.rules();
    let below = below(&rules);
    let values = &below[&class("3-4")];
    let meta = meta(&rules, values);
    let encode = || {
        let mut file = Cursor::new(Vec::new());
        encode_table(&mut file, &meta, values.symbols()).expect("encodable");
        file.into_inner()
    };
    let read = Table::read(Path::new("3-4.mora"), Bytes(encode())).expect("a table");
    let mut group = criterion.benchmark_group("table 3-4");
    group.sample_size(20).measurement_time(Duration::from_secs(3));
    group.throughput(Throughput::Elements(meta.entries()));
    group.bench_function("encode", |bench| bench.iter(encode));
    let mut symbols = vec![0; meta.entries() as usize];
    group.bench_function("decode", |bench| bench.iter(|| read.decode_all(&mut symbols).expect("whole")));
    let entries = entries(values.space());
    group.throughput(Throughput::Elements(MANY as u64));
    group.bench_function("get", |bench| {
        let get = |entry: &Entry| read.get(entry.block, entry.rank).expect("an entry").dtc().map_or(0, |plies| plies.0);
        bench.iter(|| entries.iter().map(get).fold(0, u16::wrapping_add));
    });
    group.finish();
}

/// One thread for all, so that the benchmark measures work and not waiting.
fn on_one_thread(criterion: &mut Criterion) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("a thread");
    index(criterion);
    solve(criterion);
    table(criterion);
}

criterion_group!(
    name = kernels;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2)).sample_size(30);
    targets = on_one_thread
);
criterion_main!(kernels);
