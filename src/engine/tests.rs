//! Tests the engine: tables as an oracle for the search, plain negamax for its pruning, and limits.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;
use std::time::Duration;

use super::score::{DECIDED, TABLE};
use super::*;
use crate::board::PointSet;
use crate::game::{Outcome, Position, Side};
use crate::lookahead::Values;
use crate::probe::{OpenOptions, Tablebase};
use crate::random::Random;
use crate::rules::{Preset, RuleSet};
use crate::solve::{Control, solve_game};
use crate::space::Class;
use crate::testing;
use crate::value::{Value, Wdl};

/// All tables of up to seven cows under the plain rules, and of these only three against three.
static WHOLE: LazyLock<Tablebase> = LazyLock::new(|| plain_tables(7));
static SMALL: LazyLock<Tablebase> = LazyLock::new(|| plain_tables(6));

fn plain_tables(most: u8) -> Tablebase {
    let rules = Preset::Plain.rules();
    testing::tablebase(&rules, testing::solved(&rules, most).values())
}

fn without_tables(rules: RuleSet) -> Tablebase {
    let none: [&str; 0] = [];
    Tablebase::open_with(none, &OpenOptions { rules: Some(rules), ..OpenOptions::default() }).unwrap()
}

fn think(engine: &mut Engine, position: Position, limits: &Limits) -> Vec<Candidate> {
    engine.think(&position.into(), limits, &Stop::default(), &mut |_| {})
}

fn to_depth(depth: u8) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

/// Cows on random points, this many on each side, with the first player to move.
fn random_position(random: &mut Random, cows: [u8; 2]) -> Position {
    let mut sets = [PointSet::EMPTY; 2];
    for (side, count) in cows.into_iter().enumerate() {
        while sets[side].len() < count {
            let free: Vec<_> = PointSet::ALL.difference(sets[0].union(sets[1])).iter().collect();
            sets[side] = sets[side].with(free[random.below(free.len() as u64) as usize]);
        }
    }
    Position::moving(sets, Side::First)
}

/// The reference for alpha-beta: searches every turn and remembers nothing.
fn negamax(rules: &RuleSet, position: &Position, depth: u8) -> i32 {
    if position.outcome(rules).is_some() {
        return -32_000;
    }
    if depth == 0 {
        return evaluate(rules, position).total();
    }
    let turns = position.turns(rules).into_iter();
    turns.map(|turn| -negamax(rules, &position.apply(turn, rules).unwrap(), depth - 1)).max().unwrap()
}

#[test]
fn alpha_beta_finds_what_plain_negamax_finds() {
    let rules = Preset::Gar.rules();
    let mut random = Random::new(1);
    for case in 0..6 {
        // With cows in hand no position repeats in a variation, so both see the same tree.
        let hands = [4, 4];
        let position = Position { hands, ..random_position(&mut random, [4 + case % 2, 5]) };
        let expected = negamax(&rules, &position, 3);
        let mut engine = Engine::new(without_tables(rules));
        let best = think(&mut engine, position, &to_depth(3));
        assert_eq!(best[0].score.hundredths(), expected, "{position}");
        // With almost no memory for results the answer is the same.
        engine.set_hash(1).unwrap();
        assert_eq!(think(&mut engine, position, &to_depth(3))[0].score.hundredths(), expected, "{position}");
    }
}

#[test]
fn positions_that_a_symmetry_maps_to_each_other_are_searched_once_and_worth_the_same() {
    let rules = Preset::Gar.rules();
    for text in ["W:W:B:H12,12", "W:Wd7,d1:Bb4,f4:H10,10", "B:Wa7,g1:Ba1:H10,11"] {
        let position = Position::from_notation(text, &rules).unwrap();
        let best = &think(&mut Engine::new(without_tables(rules)), position, &to_depth(3))[0];
        assert_eq!(best.score.hundredths(), negamax(&rules, &position, 3), "{text}");
        let turns = &best.principal_variation;
        turns.iter().fold(position, |at, turn| at.apply(*turn, &rules).unwrap());
    }
}

#[test]
fn nine_plies_from_the_start_cost_a_quarter_of_what_they_did() {
    let mut engine = Engine::new(without_tables(Preset::Plain.rules()));
    let position = Position::start(engine.rules());
    let mut nodes = 0;
    engine.think(&position.into(), &to_depth(9), &Stop::default(), &mut |event| {
        if let Event::Report(report) = event {
            nodes = report.nodes;
        }
    });
    assert!(nodes > 0 && nodes < 2_609_629 / 4, "{nodes}");
}

#[test]
fn without_tables_the_search_proves_the_ends_that_tables_know() {
    let tables = SMALL.clone();
    let mut engine = Engine::new(without_tables(*tables.rules()));
    let mut random = Random::new(2);
    let mut proved = [0; 2];
    for _ in 0..150 {
        let position = random_position(&mut random, [3, 3]);
        let score = match tables.probe(&position).unwrap().value {
            Value::Won(plies) if plies.0 <= 3 => Score::end(true, plies.0),
            Value::Lost(plies) if plies.0 <= 2 => Score::end(false, plies.0),
            _ => continue,
        };
        let found = think(&mut engine, position, &to_depth(3))[0].score;
        assert_eq!(found, score, "{position}");
        proved[usize::from(score.hundredths() > 0)] += 1;
    }
    assert!(proved[0] > 0 && proved[1] > 5, "{proved:?}");
}

#[test]
fn beyond_the_tables_a_shot_into_them_is_scored_by_their_value() {
    // Of all tables only 3-3 exists: four cows against three are not in it.
    let small = SMALL.clone();
    let whole = WHOLE.clone();
    let mut engine = Engine::new(small);
    let mut random = Random::new(3);
    let mut decided = 0;
    for _ in 0..60 {
        let position = random_position(&mut random, [3, 4]);
        let best = &think(&mut engine, position, &to_depth(2))[0];
        let value = whole.probe(&position).unwrap().value;
        match value {
            // The flier's shot leaves three against three, and that class's table says won for its side.
            Value::Won(plies) if plies.0 == 1 => {
                assert!(best.score.hundredths() > DECIDED && best.score.hundredths() < TABLE, "{position}");
                let after = position.apply(best.turn(), whole.rules()).unwrap();
                assert!(matches!(whole.probe(&after).unwrap().value, Value::Lost(_)), "{position}");
                decided += 1;
            }
            // Whatever is proved is true.
            _ if best.score.hundredths() > DECIDED => assert!(matches!(value, Value::Won(_)), "{position}"),
            _ if best.score.hundredths() < -DECIDED => assert!(matches!(value, Value::Lost(_)), "{position}"),
            _ => {}
        }
    }
    assert!(decided > 3, "{decided}");
}

#[test]
fn among_draws_those_come_first_that_leave_the_fewest_drawing_replies() {
    let tables = WHOLE.clone();
    let mut engine = Engine::new(tables.clone());
    let mut random = Random::new(4);
    let mut chosen = 0;
    for _ in 0..30 {
        let position = random_position(&mut random, [4, 3]);
        let turns = tables.turns(&position).unwrap();
        if tables.probe(&position).unwrap().value != Value::Drawn {
            continue;
        }
        let holding = |after| tables.turns(after).unwrap().iter().filter(|turn| turn.value == Value::Drawn).count();
        let fewest = turns.iter().filter(|turn| turn.value == Value::Drawn).map(|turn| holding(&turn.after)).min();
        let best = think(&mut engine, position, &Limits::default());
        let exact = best[0].exact.unwrap();
        assert_eq!((exact.value, Some(holding(&exact.after))), (Value::Drawn, fewest), "{position}");
        chosen += 1;
    }
    assert!(chosen > 5, "{chosen}");
}

#[test]
fn as_many_variations_come_as_were_asked_for_and_each_can_be_played() {
    let rules = Preset::Gar.rules();
    let mut engine = Engine::new(without_tables(rules));
    let position = Position::from_notation("W:Wa7,d7,b4,f2:Bb6,d6,c5:H4,5", &rules).unwrap();
    let limits = Limits { depth: Some(3), multi_pv: 4, ..Limits::default() };
    let best = think(&mut engine, position, &limits);
    assert_eq!(best.len(), 4);
    assert!(best.windows(2).all(|pair| pair[0].score >= pair[1].score && pair[0].turn() != pair[1].turn()));
    for candidate in &best {
        let play = |at: Position, turn: &crate::game::Turn| at.apply(*turn, &rules).unwrap();
        candidate.principal_variation.iter().fold(position, play);
    }
    let many = Limits { multi_pv: 10_000, ..limits };
    let all = think(&mut engine, position, &many);
    let (said, legal) = (all.iter().map(Candidate::turn), position.turns(&rules));
    assert_eq!(said.collect::<HashSet<_>>(), legal.iter().copied().collect());
    assert_eq!(all.len(), legal.len());
}

/// The whole game of three cows each, from the empty board, without these classes.
fn game_tables(without: &[&str]) -> Tablebase {
    static SOLVED: LazyLock<BTreeMap<Class, Values>> =
        LazyLock::new(|| solve_game(&Preset::Gar.rules().with_cows(3), &Control::default()).unwrap());
    let kept = SOLVED.values().filter(|values| !without.contains(&&*values.class().to_string()));
    testing::tablebase(&Preset::Gar.rules().with_cows(3), kept)
}

#[test]
fn a_game_won_from_the_empty_board_is_won_against_every_defence() {
    let tables = game_tables(&[]);
    let rules = *tables.rules();
    let mut engine = Engine::new(tables.clone());
    engine.warm_up();
    let mut random = Random::new(8);
    for game in 0..20 {
        let mut position = Position::start(&rules);
        while position.outcome(&rules).is_none() {
            let turn = if position.to_move == Side::First {
                let best = think(&mut engine, position, &Limits::default());
                let exact = best[0].exact.expect("the tables know the whole game");
                assert_eq!(exact.value.wdl(), Wdl::Won, "{position}");
                assert!(best[0].score.is_decided());
                best[0].turn()
            } else if game % 2 == 0 {
                tables.best_turn(&position).unwrap().unwrap().turn
            } else {
                let turns = position.turns(&rules);
                turns[random.below(turns.len() as u64) as usize]
            };
            position = position.apply(turn, &rules).unwrap();
        }
        assert!(matches!(position.outcome(&rules), Some(Outcome::Won(Side::First, _))), "{position}");
    }
}

#[test]
fn layers_that_were_left_out_are_played_by_the_tables_all_the_same() {
    let all = game_tables(&[]);
    let start = Position::start(all.rules());
    let best = &think(&mut Engine::new(game_tables(&["0-0+3-3", "1-1+2-2"])), start, &Limits::default())[0];
    assert_eq!(best.exact, Some(all.best_turn(&start).unwrap().unwrap()));
}

#[test]
fn where_placing_tables_are_missing_the_search_reaches_those_that_are_there() {
    let all = game_tables(&[]);
    let start = Position::start(all.rules());
    // One layer more than looking ahead covers.
    let mut engine = Engine::new(game_tables(&["0-0+3-3", "0-1+3-2", "1-1+2-2"]));
    let best = &think(&mut engine, start, &to_depth(3))[0];
    assert!(best.exact.is_none() && best.score.is_decided() && best.score.hundredths() > 0, "{best:?}");
    let after = start.apply(best.turn(), all.rules()).unwrap();
    assert_eq!(all.probe_wdl(&after).unwrap(), Wdl::Lost);
    // Hands that no game produces are searched too, without reporting a fault of any table.
    let odd = Position::from_notation("W:Wa7,d7,f2:Bb6:H0,2", all.rules()).unwrap();
    let mut fault = false;
    let limits = to_depth(1);
    engine.think(&odd.into(), &limits, &Stop::default(), &mut |event| fault |= matches!(event, Event::Fault(_)));
    assert!(!fault);
}

#[test]
fn however_little_may_be_spent_there_is_a_legal_turn() {
    let rules = Preset::Wikipedia.rules();
    let mut engine = Engine::new(without_tables(rules));
    let position = Position::start(&rules);
    let no_time = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    let no_nodes = Limits { nodes: Some(0), ..Limits::default() };
    for limits in [no_time, no_nodes, Limits { multi_pv: 0, ..to_depth(0) }] {
        let best = think(&mut engine, position, &limits);
        assert!(position.apply(best[0].turn(), &rules).is_ok());
    }
    let stop = Stop::default();
    stop.raise();
    let best = engine.think(&position.into(), &Limits::default(), &stop, &mut |_| {});
    assert!(best.len() == 1 && position.apply(best[0].turn(), &rules).is_ok());
    let over = Position::from_notation("W:Wa7,d7:Bb6,d6,c5", &rules).unwrap();
    assert!(think(&mut engine, over, &Limits::default()).is_empty());
}

#[test]
fn positions_looked_at_stay_within_the_limit() {
    let mut engine = Engine::new(without_tables(Preset::Gar.rules()));
    let position = Position::start(engine.rules());
    let mut most = 0;
    let limits = Limits { nodes: Some(5_000), ..Limits::default() };
    engine.think(&position.into(), &limits, &Stop::default(), &mut |event| {
        if let Event::Report(report) = event {
            most = report.nodes;
        }
    });
    assert!(most > 500 && most <= 5_000, "{most}");
}
