//! Printers and readers are inverse on every position that play can reach, including in the middle of a turn.

use proptest::prelude::*;

use super::*;
use crate::game::{Step, Turn};
use crate::rules::Preset;

const FORMS: [PointForm; 2] = [PointForm::Grid, PointForm::Gar];

/// A game played by numbers: each picks a turn, odd ones among the turns that shoot, if any. With `half`, the last turn
/// stops before its shot if it has one.
fn play(rules: &RuleSet, picks: &[u16], half: bool) -> (Record, Position) {
    let mut record = Record::default();
    let mut position = Position::start(rules);
    for (at, &pick) in picks.iter().enumerate() {
        let turns = position.turns(rules);
        let shooting: Vec<Turn> = turns.iter().copied().filter(|turn| turn.shot.is_some()).collect();
        let pool = if pick % 2 == 1 && !shooting.is_empty() { shooting } else { turns };
        let Some(&turn) = pool.get(usize::from(pick / 2) % pool.len().max(1)) else { break };
        if half && at + 1 == picks.len() && turn.shot.is_some() {
            record.turns.push(Turn::quiet(turn.step));
            position = position.apply_half(turn.step, rules).unwrap();
        } else {
            record.turns.push(turn);
            position = position.apply(turn, rules).unwrap();
        }
    }
    (record, position)
}

fn rules_and_game() -> impl Strategy<Value = (RuleSet, Record, Position)> {
    let preset = prop::sample::select(Preset::ALL.to_vec());
    (preset, prop::collection::vec(any::<u16>(), 0..160), any::<bool>()).prop_map(|(preset, picks, half)| {
        let rules = preset.rules();
        let (record, position) = play(&rules, &picks, half);
        (rules, record, position)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn short_forms_read_back((rules, _, position) in rules_and_game()) {
        for form in FORMS {
            let text = position.in_form(form).to_string();
            prop_assert_eq!(Position::from_notation(&text, &rules), Ok(position), "{}", text);
        }
    }

    #[test]
    fn fens_read_back((rules, _, position) in rules_and_game(), move_number: u32) {
        let fen = Fen { position, move_number };
        for dialect in [FenDialect::Nodes, FenDialect::Old] {
            let text = fen.to_text(dialect, &rules);
            prop_assert_eq!(Fen::parse(&text, &rules), Ok(fen), "{}", text);
            prop_assert_eq!(Position::from_notation(&text, &rules), Ok(position));
        }
    }

    #[test]
    fn records_read_back_and_lead_to_the_same_position((rules, record, position) in rules_and_game()) {
        for form in FORMS {
            let text = record.in_form(form).to_string();
            let read: Record = text.parse().unwrap();
            prop_assert_eq!(&read, &record, "{}", text);
            prop_assert_eq!(read.end(&Position::start(&rules), &rules), Ok(position));
        }
        let halves: Vec<String> = record.turns.iter().flat_map(|turn| {
            let shot = turn.shot.map(Step::Shoot);
            std::iter::once(turn.step).chain(shot).map(|step| step.to_string())
        }).collect();
        prop_assert_eq!(halves.join(" ").parse(), Ok(record));
    }

    #[test]
    fn legal_turns_and_half_turns_read_back((rules, _, position) in rules_and_game()) {
        for form in FORMS {
            for turn in position.turns(&rules) {
                prop_assert_eq!(turn.in_form(form).to_string().parse(), Ok(turn));
            }
            for step in position.half_turns(&rules) {
                prop_assert_eq!(step.in_form(form).to_string().parse(), Ok(step));
            }
        }
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in "[WBwb:aAbcdeErR1-9,xX×/O@*HCLS \\-–]{0,60}|\\PC{0,40}") {
        let rules = Preset::Gar.rules();
        let _ = Position::from_notation(&text, &rules);
        let _ = Fen::parse(&text, &rules);
        let _ = short_form::parse(&text, &rules);
        let _ = text.parse::<Turn>();
        if let Ok(record) = text.parse::<Record>() {
            let _ = record.end(&Position::start(&rules), &rules);
        }
    }
}

/// The games above must include everything a text can express, or they prove little.
#[test]
fn played_positions_cover_restrictions_counters_hands_and_pending_shots() {
    let mut seen = [false; 6];
    let mut state = 1_u64;
    for game in 0..600 {
        let rules = Preset::ALL[game % 3].rules();
        let picks: Vec<u16> = (0..game % 160)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 48) as u16
            })
            .collect();
        let (_, position) = play(&rules, &picks, game % 2 == 0);
        let facts = [
            position.remakes[0].is_some(),
            position.remakes[1].is_some(),
            position.counter > 0,
            !position.is_moving_phase(),
            position.shot_pending,
            position.outcome(&rules).is_some(),
        ];
        for (seen, fact) in seen.iter_mut().zip(facts) {
            *seen |= fact;
        }
        for form in FORMS {
            assert_eq!(Position::from_notation(&position.in_form(form).to_string(), &rules), Ok(position));
        }
    }
    assert_eq!(seen, [true; 6], "restrictions of both, counter, hands, pending shot, game over");
}
