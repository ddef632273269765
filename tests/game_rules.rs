//! The rules of the game where they are easy to get wrong, played through the public interface.

use crate::common::text::position;
use morabase::{IllegalTurn, Outcome, Point, Position, Preset, Reason, Record, RuleSet, Side, Turn};

fn after(rules: &RuleSet, start: &str, moves: &str) -> Position {
    let record: Record = moves.parse().unwrap();
    record.end(&position(start, rules), rules).unwrap_or_else(|error| panic!("{start}, {moves}: {error}"))
}

fn turn(text: &str) -> Turn {
    text.parse().unwrap()
}

fn point(text: &str) -> Point {
    text.parse().unwrap()
}

/// The GAR text's own example: the line E5-E6-E7 is broken to complete A5-A6-A7.
const REMAKE: &str = "W:WE5,E6,E7,A5,A7:BE1,E3,R1,R3,R5";

#[test]
fn a_cow_may_not_go_straight_back_to_remake_its_line() {
    let back = turn("A6-E6xE1");
    for preset in [Preset::Gar, Preset::Gar10, Preset::Wikipedia] {
        let rules = preset.rules();
        let barred = after(&rules, REMAKE, "E6-A6xR1 E3-E4");
        assert_eq!(barred.apply(back, &rules), Err(IllegalTurn::Remake(point("A6"), point("E6"))));
        assert!(!barred.turns(&rules).contains(&back));
    }
    for preset in [Preset::Plain, Preset::Arcade] {
        let rules = preset.rules();
        let free = after(&rules, REMAKE, "E6-A6xR1 E3-E4");
        assert!(free.turns(&rules).contains(&back));
        assert_eq!(free.remakes, [None; 2]);
    }
}

#[test]
fn another_own_turn_in_between_lifts_the_no_remake_rule() {
    for preset in [Preset::Gar, Preset::Wikipedia] {
        let rules = preset.rules();
        let lifted = after(&rules, REMAKE, "E6-A6xR1 E3-E4 A5-A4 E4-E3");
        assert_eq!(lifted.remakes, [None; 2]);
        assert!(lifted.turns(&rules).contains(&turn("A6-E6xE1")));
        assert_eq!(lifted.apply(turn("A6-E6"), &rules), Err(IllegalTurn::ShotMissing));
    }
}

#[test]
fn the_no_remake_rule_outlives_the_opponents_turn_unless_that_shoots_a_cow_of_the_line() {
    let rules = Preset::Gar.rules();
    let start = "W:WE5,E6,E7,A5,A7:BE1,R1,R3,R5,A4";
    let moot = after(&rules, start, "E6-A6xE1 A4-R4xE7");
    assert_eq!(moot.remakes, [None; 2]);
    assert!(moot.turns(&rules).contains(&turn("A6-E6")));
    let binding = after(&rules, start, "E6-A6xE1 A4-E4");
    assert!(binding.remakes[0].is_some());
    assert!(binding.apply(turn("A6-E6xR1"), &rules).is_err());
}

#[test]
fn without_a_line_to_remake_the_way_back_is_free() {
    let rules = Preset::Gar.rules();
    // E6 broke no line: E7 is missing.
    let position = after(&rules, "W:WE5,E6,A5,A7:BE1,E3,R1,R3,R5", "E6-A6xR1 E3-E4");
    assert!(position.turns(&rules).contains(&turn("A6-E6")));
}

#[test]
fn same_cow_and_same_line_allow_different_turns() {
    // E5-A5 breaks E3-E4-E5; E6 can complete that line again from the other side.
    let (start, moves) = ("W:WE3,E4,E5,E6,A6,A7:BE1,R1,R3,R7", "E5-A5xR1 R3-R4");
    let other_cow = turn("E6-E5xE1");
    let allowed = |preset: Preset| {
        let rules = preset.rules();
        after(&rules, start, moves).turns(&rules)
    };
    assert!(allowed(Preset::Plain).contains(&other_cow));
    assert!(allowed(Preset::Gar).contains(&other_cow));
    assert!(!allowed(Preset::Wikipedia).contains(&other_cow));
    let back = turn("A5-E5xE1");
    assert!(allowed(Preset::Plain).contains(&back));
    assert!(!allowed(Preset::Gar).contains(&back));
    assert!(!allowed(Preset::Wikipedia).contains(&back));
}

#[test]
fn a_player_whose_only_moves_the_no_remake_rule_bars_is_blocked() {
    // Two lines through E5 were broken, and each of the three cows beside E5 would complete one of them.
    let text = "W:WE3,E4,E6,E7,A5,A6,A7:BE2,A3,A4,E8,R5,R6,A8,R7:LWE5-A5";
    let same_line = Preset::Wikipedia.rules();
    let blocked = position(text, &same_line);
    assert_eq!(blocked.outcome(&same_line), Some(Outcome::Won(Side::Second, Reason::Blocked)));
    // Every move completes a line, and each of five cows may be shot.
    let moves_to_e5 = |preset: Preset, from: &[&str]| {
        let rules = preset.rules();
        let mut expected: Vec<Turn> = from
            .iter()
            .flat_map(|from| ["E2", "E8", "A3", "A4", "A8"].map(|at| turn(&format!("{from}-E5x{at}"))))
            .collect();
        let mut found = position(text, &rules).turns(&rules);
        expected.sort_by_key(Turn::to_string);
        found.sort_by_key(Turn::to_string);
        assert_eq!(found, expected, "{preset:?}");
    };
    moves_to_e5(Preset::Gar, &["E4", "E6"]);
    moves_to_e5(Preset::Plain, &["E4", "E6", "A5"]);
}

#[test]
fn a_player_without_a_move_has_lost() {
    for preset in [Preset::Gar, Preset::Wikipedia, Preset::Arcade, Preset::Plain] {
        let rules = preset.rules();
        let blocked = after(&rules, "B:WE1,E3,E5,E7:BE2,E4,E6,E8,A1,A3,A7,R5", "R5-A5");
        assert_eq!(blocked.outcome(&rules), Some(Outcome::Won(Side::Second, Reason::Blocked)));
        assert_eq!(blocked.turns(&rules), []);
        assert_eq!(blocked.apply(turn("E1-E2"), &rules), Err(IllegalTurn::GameOver));
    }
}

#[test]
fn a_decisive_end_beats_the_draw_counter() {
    let rules = Preset::Arcade.rules();
    let start = |counter: u16| format!("B:WE1,E3,E5,E7:BE2,E4,E6,E8,A1,A3,A7,R5:C{counter}");
    let blocked = after(&rules, &start(59), "R5-A5");
    assert_eq!(blocked.outcome(&rules), Some(Outcome::Won(Side::Second, Reason::Blocked)));
    let drawn = after(&rules, &start(59), "R5-R4");
    assert_eq!(drawn.outcome(&rules), Some(Outcome::Drawn(Reason::Counter)));
    assert_eq!(after(&rules, &start(58), "R5-R4").outcome(&rules), None);
}

#[test]
fn a_shot_on_the_last_counted_ply_counts() {
    let rules = Preset::Gar.rules();
    let last = position("W:Wa7,d7,g4:Bb6,d6,c5,d3:C19", &rules);
    let quiet = last.apply(turn("g4-f4"), &rules).unwrap();
    assert_eq!(quiet.outcome(&rules), Some(Outcome::Drawn(Reason::Counter)));
    let shot = last.apply(turn("g4-g7xd3"), &rules).unwrap();
    assert_eq!((shot.outcome(&rules), shot.counter), (None, 0));
}

#[test]
fn the_counter_runs_only_where_its_scope_says() {
    let (start, moves) = ("W:WE1,E3,E5,E7:BR1,R3,R5,R7:C59", "E1-E2");
    for (preset, outcome) in [(Preset::Gar, None), (Preset::Arcade, Some(Outcome::Drawn(Reason::Counter)))] {
        let rules = preset.rules();
        assert_eq!(after(&rules, start, moves).outcome(&rules), outcome);
    }
}

#[test]
fn a_full_board_is_what_the_rules_call_it() {
    // Alternating colours around each ring, the rings shifted so that no line is of one colour.
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for point in Point::all() {
        let (ring, n) = (point.index() / 8, point.index() % 8);
        let side = if (n + usize::from(ring == 1)) % 2 == 0 { &mut first } else { &mut second };
        side.push(point.grid_name());
    }
    let text = format!("W:W{}:B{}", first.join(","), second.join(","));
    let loses = Preset::Gar.rules();
    assert_eq!(position(&text, &loses).outcome(&loses), Some(Outcome::Won(Side::Second, Reason::Blocked)));
    for preset in [Preset::Arcade, Preset::Plain] {
        let draws = preset.rules();
        assert_eq!(position(&text, &draws).outcome(&draws), Some(Outcome::Drawn(Reason::FullBoard)));
    }
}

#[test]
fn cows_in_lines_may_be_shot_only_if_all_are() {
    let rules = Preset::Gar.rules();
    let shots = |text: &str| {
        let position = position(text, &rules);
        position.half_turns(&rules).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(shots("W:Wa7,d7,g7:Bc5,c4,c3,e3:S"), ["xe3"]);
    assert_eq!(shots("W:Wa7,d7,g7:Bc5,c4,c3:S"), ["xc5", "xc3", "xc4"]);
}

#[test]
fn two_lines_at_once_shoot_one_cow_and_an_empty_board_is_not_shot_at() {
    let rules = Preset::Gar.rules();
    let double = position("W:Wa7,d7,f6,e5:Bb4,b2,a4,f2:H8,8", &rules);
    let next = double.apply(turn("g7xb4"), &rules).unwrap();
    assert_eq!((next.to_move, next.cows[1].len()), (Side::Second, 3));
    let alone = position("W:Wa7,d7:B:H10,10", &rules);
    assert_eq!(alone.apply(turn("g7"), &rules).unwrap().to_move, Side::Second);
}

#[test]
fn only_the_player_with_three_cows_flies() {
    let rules = Preset::Gar.rules();
    let flying = position("W:Wa7,d7,g4:Bb6,d6,c5,d3", &rules);
    assert!(flying.apply(turn("a7-e3"), &rules).is_ok());
    let walking = position("B:Wa7,d7,g4:Bb6,d6,c5,d3", &rules);
    let error = walking.apply(turn("b6-g1"), &rules).unwrap_err();
    assert_eq!(error, IllegalTurn::NotAdjacent(point("b6"), point("g1")));
}

#[test]
fn the_middle_of_a_turn_is_a_position_with_shots_alone() {
    let rules = Preset::Gar.rules();
    let middle = after(&rules, REMAKE, "E6-A6");
    assert!(middle.shot_pending && middle.to_move == Side::First);
    let shots: Vec<String> = middle.turns(&rules).iter().map(ToString::to_string).collect();
    assert_eq!(shots, ["xa7", "xg7", "xc5", "xe5", "xe3"]);
    assert_eq!(middle.apply(turn("A6-E6"), &rules), Err(IllegalTurn::ShotPending));
    let whole = after(&rules, REMAKE, "E6-A6xR1");
    assert_eq!(middle.apply(turn("xR1"), &rules), Ok(whole));
}
