//! How an engine uses the tables: an alpha-beta search that stops at a table's value and so plays the placing phase
//! better.
//!
//! Two players with the same search, and the same number of positions to examine per turn, play a small Morabaraba with
//! four cows each. The tables may cover positions with cows in hand too, so every game begins before those. One player
//! asks the tables whenever its search reaches them; the other never does, and loses a quarter of the games and wins
//! next to none.
//!
//! `cargo run --release --example search [COWS [GAMES [POSITIONS]]]`

use std::error::Error;

use morabase::build::{Build, Job, Request, Target};
use morabase::{FullBoard, Outcome, Plies, Position, Preset, RuleSet, Side, Tablebase, Turn, Value};

/// The score of a won game; a table's win scores the same.
const WIN: i32 = 10_000;

/// Turns after which a game is called a draw.
const LONGEST_GAME: usize = 120;

struct Player<'a> {
    rules: &'a RuleSet,
    tables: Option<&'a Tablebase>,
    /// Positions that may still be examined for this turn.
    left: u32,
}

impl Player<'_> {
    /// The best turn found by examining this many positions, deeper and deeper.
    fn choose(&mut self, position: &Position, budget: u32) -> Option<Turn> {
        self.left = budget;
        let mut turns = position.turns(self.rules);
        for depth in 0..20 {
            let mut best = -WIN - 1;
            let mut order = turns.clone();
            for &turn in &turns {
                let after = position.apply(turn, self.rules).ok()?;
                let Some(score) = self.search(&after, depth, -WIN - 1, -best) else { return turns.first().copied() };
                if -score > best {
                    best = -score;
                    // The next round examines the best turn so far first.
                    order.retain(|&other| other != turn);
                    order.insert(0, turn);
                }
            }
            turns = order;
        }
        turns.first().copied()
    }

    /// The value of a position for the side to move, between alpha and beta; none once the budget is spent.
    fn search(&mut self, position: &Position, depth: u32, mut alpha: i32, beta: i32) -> Option<i32> {
        self.left = self.left.checked_sub(1)?;
        if let Some(outcome) = position.outcome(self.rules) {
            return Some(match outcome {
                Outcome::Won(side, _) if side == position.to_move => WIN,
                Outcome::Won(..) => -WIN,
                Outcome::Drawn(_) => 0,
            });
        }
        // This is all that tables change: an exact value, with no need to search below it.
        if let Some(probe) = self.tables.and_then(|tables| tables.probe(position).ok()) {
            return Some(match probe.value {
                Value::Won(Plies(plies)) => WIN - i32::from(plies),
                // With cows in hand, plies are not counted.
                Value::Winning => WIN / 2,
                Value::Drawn => 0,
                Value::Losing => -WIN / 2,
                Value::Lost(Plies(plies)) => i32::from(plies) - WIN,
            });
        }
        if depth == 0 {
            return Some(self.guess(position));
        }
        let mut best = -WIN;
        for turn in position.turns(self.rules) {
            let after = position.apply(turn, self.rules).ok()?;
            best = best.max(-self.search(&after, depth - 1, -beta, -alpha)?);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        Some(best)
    }

    /// Counts cows, and lines that lack one cow.
    fn guess(&self, position: &Position) -> i32 {
        let count = |side: Side| {
            let (own, others) = (position.cows[side.index()], position.cows[side.other().index()]);
            let open =
                |line: &morabase::PointSet| line.intersection(own).len() == 2 && line.intersection(others).is_empty();
            let open: i32 = self.rules.board().lines().filter(open).map(|_| 10).sum();
            100 * i32::from(position.cow_count(side)) + open
        };
        count(position.to_move) - count(position.to_move.other())
    }
}

/// Plays on from a position. Returns who has won.
fn play(start: Position, mut players: [Player<'_>; 2], budget: u32) -> Option<Side> {
    let rules = players[0].rules;
    let mut position = start;
    for _ in 0..LONGEST_GAME {
        let Some(turn) = players[position.to_move.index()].choose(&position, budget) else { break };
        let Ok(after) = position.apply(turn, rules) else { break };
        position = after;
    }
    match position.outcome(rules) {
        Some(Outcome::Won(side, _)) => Some(side),
        _ => None,
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let cows = arguments.next().map_or(Ok(4), |text| text.parse())?;
    let games = arguments.next().map_or(Ok(100), |text| text.parse())?;
    let budget = arguments.next().map_or(Ok(300), |text| text.parse())?;

    let rules = RuleSet { cows, full_board: FullBoard::BlockedLoses, ..Preset::Plain.rules() }.check()?;
    let directory = tempfile::tempdir()?;
    let request = Request::new(&rules, directory.path(), Target::MaxCows(u32::from(2 * cows)));
    println!("building the tables of {rules}");
    Build::begin(&request)?.run(&Job::default(), &())?;
    let tables = Tablebase::open([directory.path()])?;

    let (mut won, mut drawn, mut lost) = (0, 0, 0);
    for game in 0..games {
        // Each opening, one placement by each player, is played twice with the sides exchanged.
        let mut start = Position::start(&rules);
        for step in [game / 2 * 7 + 3, game / 2 * 11 + 5] {
            let turns = start.turns(&rules);
            start = start.apply(turns[step % turns.len()], &rules)?;
        }
        let with = if game % 2 == 0 { Side::First } else { Side::Second };
        let players =
            Side::BOTH.map(|side| Player { rules: &rules, tables: (side == with).then_some(&tables), left: 0 });
        match play(start, players, budget) {
            Some(side) if side == with => won += 1,
            Some(_) => lost += 1,
            None => drawn += 1,
        }
    }
    println!(
        "{games} games at {budget} positions a turn, with tables against without: {won} won, {drawn} drawn, {lost} lost"
    );
    Ok(())
}
