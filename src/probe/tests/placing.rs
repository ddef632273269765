//! Positions with cows in hand, over small games solved in memory.

use super::*;
use crate::game::Remake;
use crate::solve::{Control, Dependencies, solve_game, solve_placing};

static THREE: LazyLock<Memory> = LazyLock::new(|| game(3));
static FOUR: LazyLock<Memory> = LazyLock::new(|| game(4));

/// A whole game of `cows` cows each under the default rules.
fn game(cows: u8) -> Memory {
    let rules = Preset::Gar.rules().with_cows(cows);
    let classes = solve_game(&rules, &Control::default()).unwrap();
    Memory { rules, classes: Cow::Owned(classes) }
}

impl Memory {
    fn read(&self, text: &str) -> Position {
        Position::from_notation(text, &self.rules).unwrap()
    }

    /// The position of an entry.
    fn at(&self, class: Class, number: u64, to_move: Side) -> Position {
        let space = Space::new(self.rules.board, class);
        let (mover, waiting) = space.position(space.entry_at(number).unwrap()).unwrap();
        let (mut cows, mut hands) = ([mover, waiting], [class.mover_hand(), class.waiting_hand()]);
        if to_move == Side::Second {
            cows.reverse();
            hands.reverse();
        }
        Position { hands, ..Position::moving(cows, to_move) }
    }

    /// Some positions of each class with cows in hand.
    fn placing_positions(&self, each: u64) -> impl Iterator<Item = Position> {
        let mut random = Random::new(each);
        Class::all_placing(self.rules.cows).into_iter().flat_map(move |class| {
            let entries = Space::new(self.rules.board, class).entries();
            let positions = (0..each).map(|_| self.at(class, random.below(entries), Side::First));
            positions.collect::<Vec<_>>()
        })
    }

    fn tables_without(&self, missing: &[&str]) -> Tablebase {
        let kept = self.classes.values().filter(|values| !missing.contains(&values.class().to_string().as_str()));
        testing::tablebase(&self.rules, kept)
    }
}

/// What a turn is worth to the side that makes it if the reply has this value.
fn uncounted_before(reply: Value) -> Value {
    Value::uncounted(reply.wdl().reversed())
}

#[test]
fn every_position_of_a_small_game_is_worth_its_best_turn() {
    let prober = THREE.prober();
    let mut seen = [0; 3];
    for class in Class::all_placing(3) {
        for number in 0..Space::new(THREE.rules.board, class).entries() {
            let side = if number % 2 == 0 { Side::First } else { Side::Second };
            let position = THREE.at(class, number, side);
            let probe = prober.probe(&position).unwrap();
            assert_eq!((probe.class, probe.value.dtc(), probe.outcome), (Some(class), None, None), "{position}");
            let best = position.turns(&THREE.rules).into_iter().map(|turn| {
                let after = position.apply(turn, &THREE.rules).unwrap();
                uncounted_before(prober.probe(&after).unwrap().value)
            });
            assert_eq!(Some(probe.value), best.max(), "{position}");
            seen[probe.value.wdl() as usize] += 1;
        }
    }
    assert!(seen[0] > 0 && seen[2] > 0, "{seen:?}");
    assert_eq!(prober.probe(&Position::start(&THREE.rules)).unwrap().value, Value::Winning);
}

#[test]
fn turns_of_small_games_come_in_the_promised_order() {
    for (game, each) in [(&*THREE, 60), (&*FOUR, 25)] {
        let prober = game.prober();
        for position in game.placing_positions(each) {
            let turns = prober.turns(&position).unwrap();
            let legal = position.turns(&game.rules);
            assert_eq!(turns.iter().map(|turn| turn.turn).collect::<HashSet<_>>(), legal.iter().copied().collect());
            let best = turns[0];
            assert_eq!(best.value, prober.probe(&position).unwrap().value, "{position}");
            let place = |turn: &RankedTurn| legal.iter().position(|other| *other == turn.turn);
            let merits = |turn: &RankedTurn| {
                let holds = turn.value != Value::Losing;
                (turn.value, holds && turn.reply.outcome.is_some(), holds && turn.turn.shoots())
            };
            let kept = |turn: &RankedTurn| {
                let results = turn.after.turns(&game.rules).into_iter().map(|reply| {
                    let after = turn.after.apply(reply, &game.rules).unwrap();
                    prober.probe(&after).unwrap().value.wdl()
                });
                results.filter(|result| *result == turn.value.wdl()).count()
            };
            let key = |turn: &RankedTurn| {
                let kept = if merits(turn) == merits(&best) { kept(turn) } else { 0 };
                (std::cmp::Reverse(merits(turn)), kept, place(turn))
            };
            let keys: Vec<_> = turns.iter().map(key).collect();
            assert!(keys.is_sorted(), "{position}: {keys:?}");
            for turn in &turns {
                assert_eq!(turn.value, uncounted_before(turn.reply.value), "{position} {}", turn.turn);
                assert_eq!(turn.verdict.wdl(), turn.value.wdl());
            }
        }
    }
}

#[test]
fn shots_that_end_the_game_come_first_and_the_loser_leaves_the_fewest_winning_turns() {
    // Both have two cows of a line and one in hand. Whoever completes his line leaves the other two cows.
    let position = THREE.read("W:Wa7,d7:Bb6,d6:H1,1");
    let turns = THREE.prober().turns(&position).unwrap();
    let texts: Vec<String> = turns.iter().map(|turn| format!("{} {}", turn.turn, turn.value)).collect();
    assert_eq!(texts[..2], ["g7xb6 won", "g7xd6 won"]);
    // Here the first player is lost. By a1 he threatens both a4 and g1, so the second must complete his own line at
    // once: three of his turns win, f6 with each of its shots. After any other turn, at least as many win.
    let position = THREE.read("W:Wa7,d1:Bb6,d6:H1,1");
    let turns = THREE.prober().turns(&position).unwrap();
    assert!(turns.iter().all(|turn| turn.value == Value::Losing));
    assert_eq!(turns[0].turn.to_string(), "a1");
    let replies = THREE.prober().turns(&turns[0].after).unwrap();
    let winning: Vec<String> = replies.iter().take(4).map(|reply| format!("{} {}", reply.turn, reply.value)).collect();
    assert_eq!(winning[..3], ["f6xa7 won", "f6xd1 won", "f6xa1 won"]);
    assert!(winning[3].ends_with(" lost"), "{winning:?}");
}

#[test]
fn lines_play_placing_and_moving_to_the_end_and_every_turn_keeps_the_value() {
    for (game, each) in [(&*THREE, 20), (&*FOUR, 20)] {
        let prober = game.prober();
        let mut placed_and_moved = 0;
        let starts = std::iter::once(Position::start(&game.rules)).chain(game.placing_positions(each));
        for position in starts {
            let line = prober.line(&position).unwrap();
            match (line.start.value, line.end) {
                (Value::Drawn, LineEnd::Drawn) => assert!(line.turns.is_empty()),
                (value, LineEnd::Over(Outcome::Won(side, _))) => {
                    assert_eq!(side == position.to_move, value.wdl() == Wdl::Won, "{position}");
                    placed_and_moved += usize::from(line.turns.iter().any(|turn| turn.value.dtc().is_some()));
                }
                other => panic!("{position}: {other:?}"),
            }
            let (mut at, mut result) = (position, line.start.value.wdl());
            for turn in &line.turns {
                assert_eq!(
                    (turn.value.wdl(), turn.value.dtc().is_some()),
                    (result, at.is_moving_phase()),
                    "{position}"
                );
                at = at.apply(turn.turn, &game.rules).unwrap();
                assert_eq!((at, prober.probe(&at).unwrap()), (turn.after, turn.reply), "{position}");
                result = result.reversed();
            }
        }
        assert!(placed_and_moved > 0);
    }
    let start = THREE.prober().line(&Position::start(&THREE.rules)).unwrap();
    assert!(matches!(start.end, LineEnd::Over(Outcome::Won(Side::First, _))) && start.turns.len() >= 5);
}

#[test]
fn the_middle_of_a_placing_turn_is_worth_its_best_shot() {
    let mut values = [0; 3];
    for game in [&*THREE, &*FOUR] {
        let prober = game.prober();
        for position in game.placing_positions(150) {
            for step in position.half_turns(&game.rules) {
                let half = position.apply_half(step, &game.rules).unwrap();
                if !half.shot_pending {
                    continue;
                }
                let probe = prober.probe(&half).unwrap();
                let turns = prober.turns(&position).unwrap();
                let best = turns.iter().filter(|turn| turn.turn.step == step).map(|turn| turn.value).max().unwrap();
                assert_eq!(probe.value.wdl(), best.wdl(), "{half}");
                assert_eq!(probe.value.dtc().is_none(), !half.is_moving_phase() || best == Value::Drawn, "{half}");
                let shots = prober.turns(&half).unwrap();
                assert!(shots.iter().all(|shot| shot.turn.shoots() && shot.value <= shots[0].value));
                assert_eq!(prober.best_turn(&half).unwrap().map(|turn| turn.value), Some(probe.value));
                assert!(prober.line(&half).is_ok());
                values[probe.value.wdl() as usize] += 1;
            }
        }
    }
    assert!(values[Wdl::Won as usize] > 0 && values.iter().filter(|count| **count > 0).count() > 1, "{values:?}");
}

#[test]
fn a_missing_table_is_named_with_its_hands() {
    // If three layers in a row are missing, there is no look-ahead from the first.
    let tables = THREE.tables_without(&["2-2+1-1", "2-3+1-0", "3-3"]);
    let named = |error: &ProbeError| matches!(error, ProbeError::MissingTable { class, file, .. } if class.to_string() == "2-2+1-1" && file == "2-2+1-1.mora");
    let position = THREE.read("B:Wa7,d7:Bb6,d1:H1,1");
    let error = tables.probe(&position).unwrap_err();
    assert!(named(&error) && error.to_string().contains("2-2+1-1.mora"), "{error}");
    let before = THREE.read("B:Wa7,d7:Bb6:H1,2");
    assert_eq!(tables.probe(&before).unwrap(), THREE.prober().probe(&before).unwrap());
    for error in [tables.turns(&before).unwrap_err(), tables.line(&before).unwrap_err()] {
        assert!(named(&error), "{error}");
    }
    // A class two turns away matters only for the order of equal turns.
    let earlier = THREE.read("W:Wa7:Bb6:H2,2");
    let (some, all) = (tables.turns(&earlier).unwrap(), THREE.prober().turns(&earlier).unwrap());
    assert_eq!((some[0].value, some.len()), (all[0].value, all.len()));
}

#[test]
fn hands_that_no_game_leads_to_are_refused_unless_the_game_is_over() {
    for (text, class) in [
        ("W:Wa7,d7,g1:Bb6,d6,c5:H2,0", "3-3+2-0"),
        ("B:Wa7,d7,g1:Bb6,d6,c5:H2,0", "3-3+0-2"),
        ("W:Wa7,d7,g1:Bb6,d6,c5:H0,1", "3-3+0-1"),
        ("W:Wa7:Bb6:H10,11", "1-1+10-11"),
        ("W:W:B:H11,11", "0-0+11-11"),
    ] {
        let position = position(text);
        for error in [GAR.prober().probe(&position).unwrap_err(), GAR.prober().turns(&position).unwrap_err()] {
            assert!(
                matches!(&error, ProbeError::Unreachable { class: found, .. } if found.to_string() == class),
                "{error}"
            );
            assert!(error.to_string().contains("no game with 12 cows each"), "{error}");
        }
        assert!(matches!(GAR.prober().line(&position), Err(ProbeError::Unreachable { .. })));
    }
    let over = position("B:Wa7,d7,g1:Bb6:H0,1");
    let probe = GAR.prober().probe(&over).unwrap();
    assert_eq!((probe.value, probe.class), (Value::Lost(Plies(0)), None));
    assert!(GAR.prober().turns(&over).unwrap().is_empty());
    // Blocked: he has nothing to place, while the other still has.
    let blocked = position("W:Wa7,g7,g1,a1:Bd7,g4,d1,a4,b6,f6,b2,f2:H0,2");
    assert_eq!(GAR.prober().probe(&blocked).unwrap().value, Value::Lost(Plies(0)));
}

/// The class in which the waiting side can have just broken a line: no game leads there by such a move, but a position
/// can be set up.
fn with_last_cow_in_hand() -> (Memory, Class) {
    let (rules, class) = (GAR.rules, "2-5+1-0".parse::<Class>().unwrap());
    let mut dependencies = Dependencies::default();
    class.successors().iter().for_each(|next| dependencies.add(&GAR.classes[&next]));
    let values = solve_placing(&rules, class, &dependencies, &Control::default()).unwrap();
    let mut classes = GAR.classes.clone().into_owned();
    classes.insert(class, values);
    (Memory { rules, classes: Cow::Owned(classes) }, class)
}

#[test]
fn a_restriction_and_a_counter_that_a_position_was_set_up_with_are_met() {
    let (memory, class) = with_last_cow_in_hand();
    let prober = memory.prober();
    let (board, entries) = (memory.rules.board(), Space::new(memory.rules.board, class).entries());
    let mut random = Random::new(3);
    let mut restricted = 0;
    for _ in 0..20_000 {
        let mut position = memory.at(class, random.below(entries), Side::First);
        let (other, empty) = (position.waiting(), position.empty(board));
        let moves =
            other.iter().flat_map(|to| board.neighbours(to).intersection(empty).iter().map(move |from| (from, to)));
        let live = moves
            .map(|(from, to)| Remake { from, to })
            .find(|remake| board.completes_line(other, remake.to) && remake.is_live(board, other));
        position.remakes[1] = live;
        position.counter = if live.is_some() { 0 } else { 19 };
        restricted += u32::from(live.is_some());
        if live.is_none() && random.below(50) > 0 {
            continue;
        }
        let probe = prober.probe(&position).unwrap();
        let turns = prober.turns(&position).unwrap();
        assert_eq!((turns[0].value, probe.unrestricted.dtc()), (probe.value, None), "{position}");
        assert!(turns.iter().all(|turn| turn.after.counter == 0));
    }
    assert!(restricted > 10, "{restricted}");
}

#[test]
fn tables_of_a_small_game_answer_as_the_values_they_were_made_of() {
    let tables = testing::tablebase(&FOUR.rules, FOUR.classes.values());
    assert_eq!(tables.complete_up_to(), Some(8));
    for position in FOUR.placing_positions(50) {
        let expected = FOUR.prober().probe(&position).unwrap();
        assert_eq!(tables.probe(&position).unwrap(), expected, "{position}");
        assert_eq!(tables.probe_cached(&position).unwrap(), Some(expected));
    }
    for class in Class::all_placing(4) {
        for value in [Value::Winning, Value::Losing] {
            if let Some(first) = tables.first_with(class, value).unwrap() {
                let probe = tables.probe(&first).unwrap();
                assert_eq!((probe.class, probe.value), (Some(class), value));
            }
        }
    }
}

#[test]
fn layers_that_are_left_out_are_answered_exactly_from_the_next_ones() {
    for (game, each) in [(&*THREE, 40), (&*FOUR, 25)] {
        for every in [2, 3] {
            let kept = |class: Class| (class.mover_hand() + class.waiting_hand()).is_multiple_of(every);
            let tables = testing::tablebase(&game.rules, game.classes.values().filter(|values| kept(values.class())));
            let missing = Class::all_placing(game.rules.cows).into_iter().find(|class| !kept(*class)).unwrap();
            assert!(!tables.has(missing) && tables.answers(missing));
            for position in game.placing_positions(each) {
                let expected = game.prober().turns(&position).unwrap();
                assert_eq!(tables.probe(&position).unwrap(), game.prober().probe(&position).unwrap(), "{position}");
                assert_eq!(tables.turns(&position).unwrap(), expected, "{position}");
            }
        }
    }
}

#[test]
fn more_layers_in_a_row_than_are_looked_ahead_over_are_missing() {
    let moving = FOUR.classes.values().filter(|values| !values.class().has_hands());
    let tables = testing::tablebase(&FOUR.rules, moving);
    let answered: Vec<u8> = Class::all_placing(4)
        .into_iter()
        .filter(|class| tables.answers(*class))
        .map(|class| class.mover_hand() + class.waiting_hand())
        .collect();
    assert!(answered.contains(&1) && answered.contains(&2) && answered.iter().all(|&hands| hands <= 2), "{answered:?}");
    let error = tables.probe(&Position::start(&FOUR.rules)).unwrap_err();
    assert!(matches!(error, ProbeError::MissingTable { .. }), "{error}");
}
