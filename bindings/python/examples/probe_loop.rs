//! The loop that `probe_many` is measured against: `cargo run --release --example probe_loop -- POSITIONS [DIR…]`.
//!
//! `POSITIONS` holds pairs of little-endian 32-bit bitboards, the cows to move and the opponent's, as
//! `scripts/bench_many.py` writes them. Prints nanoseconds a probe, the best of five rounds after one that warms the page cache.

use std::hint::black_box;
use std::time::{Duration, Instant};

use morabase::{OpenOptions, PointSet, Position, Side, Tablebase};

const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let file = arguments.next().ok_or("expected a file of positions")?;
    let tables = Tablebase::open_with(arguments, &OpenOptions { shipped: true, ..OpenOptions::default() })?;
    let bytes = std::fs::read(file)?;
    let (pairs, _) = bytes.as_chunks::<8>();
    let bitboards: Vec<[u32; 2]> = pairs
        .iter()
        .map(|&[a, b, c, d, e, f, g, h]| [u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])])
        .collect();
    let mut best = Duration::MAX;
    for round in 0..=ROUNDS {
        let start = Instant::now();
        for &[own, opponent] in &bitboards {
            let cows = [own, opponent].map(PointSet::from_bits_truncate);
            black_box(tables.probe(black_box(&Position::moving(cows, Side::First)))?);
        }
        if round > 0 {
            best = best.min(start.elapsed());
        }
    }
    println!("{:.1}", best.as_nanos() as f64 / bitboards.len() as f64);
    Ok(())
}
