//! Fits the engine's weights to exact values. It plays games against itself. Each position of the placing phase takes
//! the value that the tables give the moving phase it led to; each position of the moving phase takes its own. Then it
//! finds the weights that predict these values best (logistic regression). Run it with `scripts/tune-weights`;
//! docs/engine.md has the results.
//!
//! ```text
//! cargo run --release --example tune -- DIRECTORY [GAMES] [NODES] [WEIGHTS]
//! ```
//! The directory holds all tables of the moving phase. The file of weights to play with holds the output of an earlier
//! run.

use std::error::Error;
use std::{env, fs};

use morabase::engine::{Engine, FEATURE_NAMES, FEATURES, Game, Limits, Stop, features};
use morabase::{Position, Side, Tablebase, Wdl};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let directory = arguments.next().ok_or("expected a directory of tables")?;
    let games: u64 = arguments.next().unwrap_or_else(|| "2000".to_owned()).parse()?;
    let nodes: u64 = arguments.next().unwrap_or_else(|| "1000".to_owned()).parse()?;
    let tables = Tablebase::open([directory])?;
    let mut player = Player { engine: Engine::new(tables.clone()), tables, nodes, random: 1 };
    if let Some(file) = arguments.next() {
        player.engine.set_weights(fs::read_to_string(file)?.parse()?);
    }
    let (mut placing, mut moving) = (Vec::new(), Vec::new());
    for number in 0..games {
        player.random = number + 1;
        player.play(&mut placing, &mut moving)?;
    }
    println!("# {games} games of {nodes} positions a turn, {} and {} samples", placing.len(), moving.len());
    let (placing, error) = fit(&placing)?;
    println!("# placing: mean error {error:.4}");
    let (moving, error) = fit(&moving)?;
    println!("# moving: mean error {error:.4}");
    println!("# {}", FEATURE_NAMES.join(" "));
    // A cow of the moving phase is the unit.
    let unit = 100.0 / moving[0];
    for (name, weights) in
        [("first", &placing[..FEATURES]), ("last", &placing[FEATURES..2 * FEATURES]), ("moving", &moving[..])]
    {
        let weights: Vec<String> = weights.iter().map(|weight| format!("{:.0}", weight * unit)).collect();
        println!("{name} {}", weights.join(" "));
    }
    Ok(())
}

/// The features of a position, and how it ends for the side to move: 1 won, ½ drawn, 0 lost.
struct Sample {
    features: Vec<f64>,
    result: f64,
}

struct Player {
    engine: Engine,
    tables: Tablebase,
    nodes: u64,
    random: u64,
}

impl Player {
    fn below(&mut self, most: usize) -> usize {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.random >> 33) as usize) % most
    }

    /// Plays a game and takes its samples.
    fn play(&mut self, placing: &mut Vec<Sample>, moving: &mut Vec<Sample>) -> Result<()> {
        let rules = *self.tables.rules();
        let opening = self.below(7);
        let mut position = Position::start(&rules);
        let mut seen = Vec::new();
        while !position.is_moving_phase() && position.outcome(&rules).is_none() {
            if seen.len() >= opening {
                seen.push(position);
            }
            // The engine usually plays the turn it thinks best, but not always, so that it also sees what it would
            // never choose.
            let turns = position.turns(&rules);
            let turn = if seen.len() < opening || self.below(12) == 0 {
                turns[self.below(turns.len())]
            } else {
                self.best(position)
            };
            if seen.len() < opening {
                seen.push(position);
            }
            position = position.apply(turn, &rules)?;
        }
        let end = self.tables.probe_wdl(&position)?;
        for at in &seen[opening.min(seen.len())..] {
            let result = if at.to_move == position.to_move { worth(end) } else { 1.0 - worth(end) };
            placing.push(Sample { features: stages(&rules, at), result });
        }
        // Where no side wins by a shot at once, the moving phase is what the weights are for.
        for _ in 0..16 {
            if position.outcome(&rules).is_some() {
                break;
            }
            let result = worth(self.tables.probe_wdl(&position)?);
            let features = features(&rules, &position).map(f64::from).to_vec();
            moving.push(Sample { features, result });
            let turns = self.tables.turns(&position)?;
            let among = if self.below(3) == 0 { turns.len() } else { turns.len().min(3) };
            position = turns[self.below(among)].after;
        }
        Ok(())
    }

    fn best(&mut self, position: Position) -> morabase::Turn {
        let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
        let best = self.engine.think(&Game::from(position), &limits, &Stop::default(), &mut |_| {});
        best[0].turn()
    }
}

const fn worth(value: Wdl) -> f64 {
    match value {
        Wdl::Won => 1.0,
        Wdl::Drawn => 0.5,
        Wdl::Lost => 0.0,
    }
}

/// The counts of a position while cows are placed, each weighted by how far it belongs to the first stage and to the
/// last, and who is to move: the first player is better off whatever is on the board, and that is no merit of the
/// counts.
fn stages(rules: &morabase::RuleSet, position: &Position) -> Vec<f64> {
    let left = f64::from(position.hands[0] + position.hands[1]) / f64::from(2 * rules.cows);
    let counts = features(rules, position).map(f64::from);
    let first = counts.iter().map(|count| count * left);
    let last = counts.iter().map(|count| count * (1.0 - left));
    let side = if position.to_move == Side::First { 1.0 } else { -1.0 };
    first.chain(last).chain([side * left, side * (1.0 - left)]).collect()
}

/// The weights of a logistic regression by Newton's method, and the mean error of their predictions.
fn fit(samples: &[Sample]) -> Result<(Vec<f64>, f64)> {
    let width = samples.first().ok_or("there are no samples")?.features.len();
    let mut weights = vec![0.0; width];
    for _ in 0..12 {
        // A slight pull towards zero keeps the weights of rare features from running away.
        let pull = 1e-4 * samples.len() as f64;
        let mut slope: Vec<f64> = weights.iter().map(|weight| -pull * weight).collect();
        let mut curve = vec![vec![0.0; width]; width];
        for (at, row) in curve.iter_mut().enumerate() {
            row[at] = pull;
        }
        for sample in samples {
            let expected = foretell(&weights, sample);
            let bend = expected * (1.0 - expected);
            for (row, left) in sample.features.iter().enumerate().filter(|(_, left)| **left != 0.0) {
                slope[row] += (sample.result - expected) * left;
                for (column, right) in sample.features.iter().enumerate() {
                    curve[row][column] += bend * left * right;
                }
            }
        }
        for (weight, step) in weights.iter_mut().zip(solve(curve, slope)) {
            *weight += step;
        }
    }
    let error: f64 = samples.iter().map(|sample| (foretell(&weights, sample) - sample.result).powi(2)).sum();
    Ok((weights, error / samples.len() as f64))
}

fn foretell(weights: &[f64], sample: &Sample) -> f64 {
    let sum: f64 = weights.iter().zip(&sample.features).map(|(weight, count)| weight * count).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// Solves linear equations by elimination.
fn solve(mut rows: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let width = right.len();
    for at in 0..width {
        let pivot = (at..width).max_by(|a, b| rows[*a][at].abs().total_cmp(&rows[*b][at].abs())).unwrap_or(at);
        rows.swap(at, pivot);
        right.swap(at, pivot);
        for below in at + 1..width {
            let factor = rows[below][at] / rows[at][at];
            let (upper, lower) = rows.split_at_mut(below);
            lower[0].iter_mut().zip(&upper[at]).for_each(|(to, from)| *to -= factor * from);
            right[below] -= factor * right[at];
        }
    }
    for at in (0..width).rev() {
        let known: f64 = (at + 1..width).map(|column| rows[at][column] * right[column]).sum();
        right[at] = (right[at] - known) / rows[at][at];
    }
    right
}
