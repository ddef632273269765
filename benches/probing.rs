//! How long single probes take, through the public interface: `cargo bench --bench probing -- DIR [DIR…]`.
//!
//! Criterion averages, but a search cares about the slow probe too. So each probe is timed alone, over random positions
//! of all classes in the directories, drawn by their number of entries, after one round that warms the page cache. The
//! cost of reading the clock is measured and subtracted. The sample is `MOST` positions. Without directories, the
//! carried tables are probed; they are small, so the result is flattering.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use morabase::space::{Entry, Space};
use morabase::{Class, OpenOptions, Position, Side, Tablebase};

use self::random::Random;

/// The library's own generator, which is not public.
#[path = "../src/random.rs"]
mod random;

/// Probes timed.
const MOST: usize = 400_000;
/// Positions for which all turns are requested.
const ROOTS: usize = 20_000;
/// Opening is so quick that it is tried more than once.
const OPENINGS: usize = 20;

/// A position, and where its byte would be in a file of raw bytes.
struct Case {
    position: Position,
    space: Space,
    start: u64,
}

fn cases(tables: &Tablebase, many: usize, seed: u64) -> Vec<Case> {
    cases_of(&tables.classes().map(|class| tables.space(class)).collect::<Vec<_>>(), many, seed)
}

/// The classes without a table that are answered from those of later layers.
fn between_layers(tables: &Tablebase) -> Vec<Space> {
    let classes = Class::all_placing(tables.rules().cows).into_iter();
    classes.filter(|class| !tables.has(*class) && tables.answers(*class)).map(|class| tables.space(class)).collect()
}

fn cases_of(spaces: &[Space], many: usize, seed: u64) -> Vec<Case> {
    let total: u64 = spaces.iter().map(|space| space.entries()).sum();
    let mut random = Random::new(seed);
    let draw = || {
        let mut number = random.below(total);
        let mut start = 0;
        let space = spaces.iter().find(|space| {
            let here = number < space.entries();
            if !here {
                number -= space.entries();
                start += space.entries();
            }
            here
        });
        let space = *space.expect("below the total");
        let size = u64::from(space.block_entries());
        let entry = Entry { block: (number / size) as u32, rank: (number % size) as u32 };
        let (mover, waiting) = space.position(entry).expect("an entry");
        // Half of them have Black to move. None are turned, as the probe has to find the symmetry itself in any case.
        let hands = [space.class().mover_hand(), space.class().waiting_hand()];
        let position = if number & 1 == 0 {
            Position { hands, ..Position::moving([mover, waiting], Side::First) }
        } else {
            Position { hands: [hands[1], hands[0]], ..Position::moving([waiting, mover], Side::Second) }
        };
        Case { position, space, start }
    };
    std::iter::repeat_with(draw).take(many).collect()
}

/// The times of single calls in nanoseconds, sorted, less the cost of reading the clock.
fn times<T>(cases: &[Case], mut call: impl FnMut(&Case) -> T) -> Vec<u64> {
    let clock = {
        let mut costs: Vec<u64> = (0..10_000).map(|_| Instant::now().elapsed().as_nanos() as u64).collect();
        costs.sort_unstable();
        costs[costs.len() / 2]
    };
    let mut times: Vec<u64> = cases
        .iter()
        .map(|case| {
            let start = Instant::now();
            black_box(call(black_box(case)));
            (start.elapsed().as_nanos() as u64).saturating_sub(clock)
        })
        .collect();
    times.sort_unstable();
    times
}

fn print(what: &str, times: &[u64]) {
    let at = |percent: usize| times[(times.len() - 1) * percent / 100] as f64 / 1000.0;
    let mean = times.iter().sum::<u64>() as f64 / times.len() as f64 / 1000.0;
    let [median, most, worst] = [50, 99, 100].map(at);
    println!("{what:<26} median {median:>7.2} µs   99% {most:>7.2} µs   mean {mean:>7.2} µs   worst {worst:>9.2} µs");
}

/// Probes per second on this many threads at once.
fn throughput(tables: &Tablebase, cases: &[Case], threads: usize) -> f64 {
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for case in cases {
                    black_box(tables.probe(&case.position).expect("sound tables"));
                }
            });
        }
    });
    (threads * cases.len()) as f64 / start.elapsed().as_secs_f64()
}

fn opening(directories: &[PathBuf]) -> Duration {
    let open = || {
        let start = Instant::now();
        black_box(Tablebase::open(directories).expect("readable"));
        start.elapsed()
    };
    std::iter::repeat_with(open).take(OPENINGS).min().unwrap_or_default()
}

fn main() {
    // `cargo bench` adds arguments of its own, all of which begin with a dash.
    let directories: Vec<PathBuf> =
        std::env::args_os().skip(1).filter(|arg| !arg.to_string_lossy().starts_with('-')).map(PathBuf::from).collect();
    let options = OpenOptions { shipped: directories.is_empty(), ..OpenOptions::default() };
    let tables = Tablebase::open_with(&directories, &options).expect("directories with tables");
    let classes = tables.classes().count();
    assert!(classes > 0, "expected tables in {directories:?}");

    let probes = cases(&tables, MOST, 1);
    println!("{classes} classes, {MOST} random positions");
    throughput(&tables, &probes, 1);

    print("probe", &times(&probes, |case| tables.probe(&case.position).expect("sound tables")));
    let total = tables.classes().map(|class| tables.space(class).entries()).sum::<u64>();
    if usize::try_from(total).is_ok_and(|total| total <= 1 << 30) {
        let raw: Vec<u8> = (0..total).map(|at| at as u8).collect();
        let read = |case: &Case| {
            let entry = case.space.entry(case.position.mover(), case.position.waiting());
            let at =
                case.start + u64::from(entry.block) * u64::from(case.space.block_entries()) + u64::from(entry.rank);
            raw[at as usize]
        };
        print("raw byte, same index", &times(&probes, read));
    }
    let roots = cases(&tables, ROOTS, 2);
    let turns = |case: &Case| tables.turns(&case.position).map(|turns| turns.len()).ok();
    print("all turns of a position", &times(&roots, turns));

    let between = between_layers(&tables);
    if !between.is_empty() {
        let probes = cases_of(&between, ROOTS, 3);
        print("probe in a layer left out", &times(&probes, |case| tables.probe(&case.position).expect("sound tables")));
    }
    let start = Position::start(tables.rules());
    if tables.turns(&start).is_ok() {
        let opening = times(&probes[..ROOTS], |_| tables.turns(&start).map(|turns| turns.len()).ok());
        print("all turns of the start", &opening);
    }

    let [one, two] = [1, 2].map(|threads| throughput(&tables, &probes, threads));
    println!("{:<26} {one:.0} probes/s; two threads {two:.0}, {:.2} times as many", "one thread", two / one);
    if !directories.is_empty() {
        println!("{:<26} {:.2} ms", format!("opening {classes} tables"), opening(&directories).as_secs_f64() * 1000.0);
    }
}
