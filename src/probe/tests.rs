//! Probing over values in memory: everything that does not depend on files.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use super::*;
use crate::board::PointSet;
use crate::game::{Outcome, Position, Reason, Side, Turn};
use crate::lookahead::{Lookup, Values};
use crate::random::Random;
#[cfg(feature = "reference")]
use crate::reference;
use crate::rules::{Preset, RuleSet};
use crate::space::{Class, Entry, Space};
use crate::store::file_name;
use crate::table::{Access, Source, Table};
use crate::testing;
use crate::value::{Plies, Value, Wdl};

mod placing;

/// Solved classes by name.
struct Memory {
    rules: RuleSet,
    classes: Cow<'static, BTreeMap<Class, Values>>,
}

impl Memory {
    fn solved(rules: RuleSet, most: u8) -> Self {
        Self { rules, classes: Cow::Owned(testing::solved(&rules, most)) }
    }

    fn prober(&self) -> Prober<'_, Self> {
        Prober::new(&self.rules, self)
    }

    fn random_position(&self, random: &mut Random) -> Position {
        let classes: Vec<&Class> = self.classes.keys().collect();
        let class = *classes[random.below(classes.len() as u64) as usize];
        let space = Space::new(self.rules.board, class);
        let block = random.below(space.blocks().into()) as u32;
        let rank = random.below(space.block_entries().into()) as u32;
        let (mover, waiting) = space.position(Entry { block, rank }).unwrap();
        match random.below(2) {
            0 => Position::moving([mover, waiting], Side::First),
            _ => Position::moving([waiting, mover], Side::Second),
        }
    }
}

impl Lookup for Memory {
    type Error = ProbeError;

    fn value(&self, class: Class, mover: PointSet, waiting: PointSet) -> Result<Value, ProbeError> {
        let missing = || ProbeError::MissingTable { class, file: format!("{class}.mora"), searched: Arc::default() };
        Ok(self.classes.get(&class).ok_or_else(missing)?.value(mover, waiting))
    }
}

static GAR: LazyLock<Memory> =
    LazyLock::new(|| Memory { rules: Preset::Gar.rules(), classes: Cow::Borrowed(&*testing::GAR) });
static GAR_10: LazyLock<Memory> = LazyLock::new(|| Memory::solved(Preset::Gar10.rules(), 8));
static WIKIPEDIA: LazyLock<Memory> = LazyLock::new(|| Memory::solved(Preset::Wikipedia.rules(), 8));
static ARCADE: LazyLock<Memory> = LazyLock::new(|| Memory::solved(Preset::Arcade.rules(), 7));

fn position(text: &str) -> Position {
    Position::from_notation(text, &Preset::Gar.rules()).unwrap()
}

/// What a position is worth by the answers on the positions after each turn, by the definition of DTC.
fn from_successors(memory: &Memory, position: &Position) -> Value {
    let rules = &memory.rules;
    match position.outcome(rules) {
        Some(Outcome::Drawn(_)) => return Value::Drawn,
        Some(Outcome::Won(side, _)) if side == position.to_move => return Value::Won(Plies(0)),
        Some(Outcome::Won(..)) => return Value::Lost(Plies(0)),
        None => {}
    }
    let values = position.turns(rules).into_iter().map(|turn| {
        let after = memory.prober().probe(&position.apply(turn, rules).unwrap()).unwrap().value;
        let plies = if turn.shoots() { 1 } else { after.dtc().map_or(0, |plies| plies.0 + 1) };
        match after.wdl() {
            Wdl::Won => Value::Lost(Plies(plies)),
            Wdl::Drawn => Value::Drawn,
            Wdl::Lost => Value::Won(Plies(plies)),
        }
    });
    values.max().unwrap()
}

/// The value by the reference's plain recursion over the same bare values, which knows nothing of this module.
#[cfg(feature = "reference")]
fn by_reference(memory: &Memory, position: &Position) -> Value {
    let bare = |position: &Position| {
        let class = Class::of_sets(position.mover(), position.waiting());
        memory.value(class, position.mover(), position.waiting())
    };
    reference::look_ahead(&memory.rules, position, &bare).unwrap()
}

/// Random games through positions with all their history, checking each position on the way.
fn check_games(memory: &Memory, games: u32, seed: u64) -> [u32; 3] {
    let mut random = Random::new(seed);
    let (mut restricted, mut counted, mut decided) = (0, 0, 0);
    for _ in 0..games {
        let mut position = memory.random_position(&mut random);
        if let Some(limit) = position.counter_limit(&memory.rules) {
            position.counter = random.below(u64::from(limit) + 2) as u16;
        }
        for _ in 0..12 {
            let probe = memory.prober().probe(&position).unwrap();
            assert_eq!(probe.value, from_successors(memory, &position), "{position}");
            #[cfg(feature = "reference")]
            assert_eq!(probe.value, by_reference(memory, &position), "{position}");
            assert_eq!(probe.outcome, position.outcome(&memory.rules));
            let turns = memory.prober().turns(&position).unwrap();
            assert!(turns.is_sorted_by(|a, b| a.value >= b.value));
            let legal: HashSet<Turn> = position.turns(&memory.rules).into_iter().collect();
            assert_eq!(turns.len(), legal.len());
            assert_eq!(turns.iter().map(|turn| turn.turn).collect::<HashSet<_>>(), legal, "{position}");
            if let Some(best) = turns.first() {
                assert_eq!((best.value, best.verdict.wdl()), (probe.value, probe.value.wdl()), "{position}");
            }
            restricted += u32::from(probe.restriction_matters());
            counted += u32::from(probe.counter_matters());
            decided += u32::from(probe.value != Value::Drawn);
            let Some(turn) = pick(&mut random, &position, &memory.rules) else { break };
            position = position.apply(turn, &memory.rules).unwrap();
        }
    }
    [restricted, counted, decided]
}

/// A legal turn, with a shot if possible.
fn pick(random: &mut Random, position: &Position, rules: &RuleSet) -> Option<Turn> {
    let turns = position.turns(rules);
    let shots: Vec<Turn> = turns.iter().copied().filter(|turn| turn.shoots()).collect();
    let turns = if shots.is_empty() { turns } else { shots };
    (!turns.is_empty()).then(|| turns[random.below(turns.len() as u64) as usize])
}

#[test]
fn values_follow_from_successors_with_counters_and_restrictions() {
    let [_, counted, decided] = check_games(&GAR, 2000, 1);
    assert!(counted > 20 && decided > 500, "{counted} {decided}");
    let [_, counted, _] = check_games(&GAR_10, 1000, 2);
    assert!(counted > 20);
    check_games(&WIKIPEDIA, 1000, 3);
    check_games(&ARCADE, 1000, 4);
}

/// A side of five cows that has just remade a line in its class, against three or four, with the restriction that this
/// leaves.
fn restricted_positions(memory: &Memory, random: &mut Random) -> Position {
    loop {
        let mut position = memory.random_position(random);
        let (own, other) = (position.mover(), position.waiting());
        if own.len() != 3 || other.len() != 5 {
            continue;
        }
        let board = memory.rules.board();
        let side = position.to_move.other();
        // The restriction that some move of the waiting side from an empty point would have left.
        let remakes = other
            .iter()
            .flat_map(|to| board.neighbours(to).intersection(position.empty(board)).iter().map(move |from| (from, to)));
        let live = remakes
            .map(|(from, to)| crate::game::Remake { from, to })
            .find(|remake| board.completes_line(other, remake.to) && remake.is_live(board, other));
        if live.is_some() {
            position.remakes[side.index()] = live;
            return position;
        }
    }
}

#[test]
fn restrictions_change_some_values_and_every_value_follows_from_its_turns() {
    for memory in [&*GAR, &*WIKIPEDIA] {
        let mut random = Random::new(9);
        let mut matters = 0;
        for _ in 0..1500 {
            let mut position = restricted_positions(memory, &mut random);
            for _ in 0..4 {
                let probe = memory.prober().probe(&position).unwrap();
                assert_eq!(probe.value, from_successors(memory, &position), "{position}");
                #[cfg(feature = "reference")]
                assert_eq!(probe.value, by_reference(memory, &position), "{position}");
                matters += u32::from(probe.restriction_matters());
                let Some(turn) = pick(&mut random, &position, &memory.rules) else { break };
                position = position.apply(turn, &memory.rules).unwrap();
            }
        }
        assert!(matters > 10, "{matters}");
    }
}

#[test]
fn lines_reach_the_promised_end_and_shoot_when_promised() {
    let mut random = Random::new(5);
    let mut decided = 0;
    for _ in 0..1000 {
        let position = GAR.random_position(&mut random);
        let line = GAR.prober().line(&position).unwrap();
        match (line.start.value, line.end) {
            (Value::Drawn, LineEnd::Drawn) => assert!(line.turns.is_empty()),
            (value, LineEnd::Over(Outcome::Won(side, _))) => {
                assert_eq!(side == position.to_move, value.wdl() == Wdl::Won);
                let first = line.turns.iter().position(|turn| turn.turn.shoots() || turn.reply.outcome.is_some());
                let plies = first.map_or(0, |before| before as u16 + 1);
                assert_eq!(value.dtc(), Some(Plies(plies)), "{position}");
                decided += 1;
            }
            other => panic!("{position}: {other:?}"),
        }
        let mut at = position;
        for turn in &line.turns {
            at = at.apply(turn.turn, &GAR.rules).unwrap();
            assert_eq!((at, GAR.prober().probe(&at).unwrap()), (turn.after, turn.reply));
        }
    }
    assert!(decided > 100);
}

#[test]
fn a_decision_that_the_counter_outruns_is_a_draw_told_apart_from_others() {
    let mut random = Random::new(6);
    let mut seen = BTreeMap::new();
    for _ in 0..3000 {
        let mut position = GAR_10.random_position(&mut random);
        let fresh = GAR_10.prober().probe(&position).unwrap();
        for counter in 0..=11 {
            position.counter = counter;
            let probe = GAR_10.prober().probe(&position).unwrap();
            assert_eq!(probe.at_zero, fresh.value);
            let limited = position.counter_limit(&GAR_10.rules).is_some();
            let left = Plies(10u16.saturating_sub(counter));
            assert_eq!(probe.value, if limited { fresh.value.within(left) } else { fresh.value });
            *seen.entry(probe.verdict()).or_insert(0) += 1;
        }
    }
    assert_eq!(seen.len(), 5, "{seen:?}");
    let [lost, blessed, drawn, cursed, won] =
        [Verdict::Lost, Verdict::BlessedLoss, Verdict::Drawn, Verdict::CursedWin, Verdict::Won];
    assert!(lost < blessed && blessed < drawn && drawn < cursed && cursed < won);
    assert_eq!(blessed.reversed(), cursed);
}

#[test]
fn an_outstanding_shot_is_worth_its_best_shot_in_one_ply() {
    let mut random = Random::new(7);
    let mut values = [0; 3];
    for _ in 0..3000 {
        let position = GAR.random_position(&mut random);
        for step in position.half_turns(&GAR.rules) {
            let half = position.apply_half(step, &GAR.rules).unwrap();
            if !half.shot_pending {
                continue;
            }
            let probe = GAR.prober().probe(&half).unwrap();
            let turns = GAR.prober().turns(&position).unwrap();
            let best = turns.iter().filter(|turn| turn.turn.step == step).map(|turn| turn.value).max();
            assert_eq!(Some(probe.value), best);
            assert_eq!(GAR.prober().best_turn(&half).unwrap().map(|turn| turn.value), best);
            assert!(probe.value.dtc().is_none_or(|plies| plies == Plies(1)));
            values[probe.value.wdl() as usize] += 1;
        }
    }
    assert!(values.iter().all(|&count| count > 0), "{values:?}");
}

#[test]
fn games_that_are_over_need_no_tables() {
    let nothing = |rules: RuleSet| Memory { rules, classes: Cow::Owned(BTreeMap::new()) };
    let gar = nothing(Preset::Gar.rules());
    let cases = [
        ("W:Wa7,d7:Bb6,d6,c5", Value::Lost(Plies(0)), Reason::TooFewCows),
        ("B:Wa7,d7:Bb6,d6,c5", Value::Won(Plies(0)), Reason::TooFewCows),
        ("W:Wa7,g7,g1,a1:Bd7,g4,d1,a4,b6,f6,b2,f2", Value::Lost(Plies(0)), Reason::Blocked),
    ];
    for (text, value, reason) in cases {
        let probe = gar.prober().probe(&position(text)).unwrap();
        assert_eq!(probe.value, value, "{text}");
        assert!(matches!(probe.outcome, Some(Outcome::Won(_, found)) if found == reason), "{text}");
        assert_eq!(gar.prober().turns(&position(text)).unwrap(), []);
        assert_eq!(gar.prober().line(&position(text)).unwrap().turns, []);
    }
    let first = PointSet::from_bits(0x5a_a55a).unwrap();
    let full = Position::moving([first, PointSet::ALL.difference(first)], Side::First);
    assert_eq!(gar.prober().probe(&full).unwrap().value, Value::Lost(Plies(0)));
    let arcade = nothing(Preset::Arcade.rules());
    let probe = arcade.prober().probe(&full).unwrap();
    assert_eq!((probe.value, probe.outcome), (Value::Drawn, Some(Outcome::Drawn(Reason::FullBoard))));
    let counted = Position { counter: 20, ..position("W:Wa7,d7,c5:Bb6,d6,c4") };
    let probe = gar.prober().probe(&counted).unwrap();
    assert_eq!((probe.value, probe.outcome), (Value::Drawn, Some(Outcome::Drawn(Reason::Counter))));
}

#[test]
fn what_cannot_be_answered_says_why() {
    let missing = GAR.prober().probe(&position("W:Wa7,d7,g7,a1,g1,d1:Bb6,d6,c5")).unwrap_err();
    assert!(matches!(&missing, ProbeError::MissingTable { class, .. } if class.to_string() == "6-3"));
    assert!(missing.to_string().contains("6-3.mora"));
    let placing = GAR.prober().probe(&Position::start(&GAR.rules)).unwrap_err();
    assert!(matches!(placing, ProbeError::MissingTable { file, .. } if file == "0-0+12-12.mora"));
    let overlap = PointSet::from_bits(7).unwrap();
    let bad = Position::moving([overlap, overlap], Side::First);
    assert!(matches!(GAR.prober().probe(&bad), Err(ProbeError::IllegalPosition { .. })));
    assert!(matches!(GAR.prober().turns(&bad), Err(ProbeError::IllegalPosition { .. })));
}

#[test]
fn tables_answer_as_the_values_they_were_made_of() {
    let tables = testing::tablebase(&GAR.rules, GAR.classes.values());
    assert_eq!(tables.rules(), &GAR.rules);
    let mut classes: Vec<Class> = tables.classes().collect();
    classes.sort_unstable();
    assert_eq!(classes, GAR.classes.keys().copied().collect::<Vec<_>>());
    assert_eq!(tables.complete_up_to(), Some(8));
    let mut random = Random::new(11);
    for _ in 0..5000 {
        let mut position = GAR.random_position(&mut random);
        position.counter = random.below(22) as u16;
        assert_eq!(tables.probe(&position).unwrap(), GAR.prober().probe(&position).unwrap());
    }
    for class in tables.classes() {
        assert_eq!(&tables.decode(class).unwrap(), &GAR.classes[&class]);
        assert_eq!(tables.missing_successors(class), []);
        tables.check_file(class).unwrap();
    }
}

#[test]
fn a_tablebase_is_shared_between_threads_and_cloned() {
    const fn check<T: Send + Sync + Clone>() {}
    check::<Tablebase>();
}

#[test]
fn partial_sets_answer_what_they_can_and_name_the_missing_file() {
    let class = |text: &str| text.parse::<Class>().unwrap();
    let tables = testing::tablebase(&GAR.rules, [&GAR.classes[&class("4-3")], &GAR.classes[&class("3-3")]]);
    assert_eq!(tables.complete_up_to(), Some(6));
    assert_eq!(tables.missing_successors(class("4-3")), [class("3-4")]);
    let position = position("W:Wa7,d7,g1,c3:Bb6,d6,c5");
    assert_eq!(tables.probe(&position).unwrap(), GAR.prober().probe(&position).unwrap());
    let error = tables.turns(&position).unwrap_err();
    assert!(
        matches!(&error, ProbeError::MissingTable { class: missing, file, .. } if *missing == class("3-4") && file == "3-4.mora")
    );
}

#[test]
fn tables_of_other_rules_are_refused_with_both_texts() {
    let class = "3-3".parse::<Class>().unwrap();
    let files = [
        testing::file(&GAR.rules, &GAR.classes[&class]),
        ("4-3.mora".to_owned(), testing::file(&GAR_10.rules, &GAR_10.classes[&"4-3".parse().unwrap()]).1),
    ];
    let error = Tablebase::from_bytes(files).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, ProbeError::RulesDiffer { .. }));
    assert!(
        text.contains(&GAR.rules.to_string()) && text.contains(&GAR_10.rules.to_string()) && text.contains("4-3.mora")
    );
}

#[test]
fn a_damaged_or_misnamed_table_fails_what_needs_it_and_nothing_else() {
    let class = |text: &str| text.parse::<Class>().unwrap();
    let (name, mut bytes) = testing::file(&GAR.rules, &GAR.classes[&class("3-3")]);
    bytes.truncate(bytes.len() - 1);
    let (_, four) = testing::file(&GAR.rules, &GAR.classes[&class("4-3")]);
    let files = [(name, bytes), ("3-4.mora".to_owned(), four.clone()), ("4-3.mora".to_owned(), four)];
    let tables = Tablebase::from_bytes(files).unwrap();
    let faults: HashSet<String> = tables.faults().map(|(class, _)| class.to_string()).collect();
    assert_eq!(faults, HashSet::from(["3-3".to_owned(), "3-4".to_owned()]));
    assert!(tables.probe(&position("W:Wa7,d7,g1,c3:Bb6,d6,c5")).is_ok());
    for text in ["W:Wa7,d7,g1:Bb6,d6,c5", "W:Wa7,d7,g1:Bb6,d6,c5,c4"] {
        let error = tables.probe(&position(text)).unwrap_err();
        assert!(
            matches!(&error, ProbeError::Table(table) if error.to_string().contains(&*table.file().to_string_lossy()))
        );
    }
}

/// Ranges of bytes from far away, which may be unreachable.
#[derive(Debug)]
struct Remote {
    bytes: Vec<u8>,
    /// The number of requests that are still answered.
    answers: &'static AtomicU64,
}

impl Source for Remote {
    fn length(&self) -> io::Result<u64> {
        Ok(self.bytes.len() as u64)
    }

    fn read_at(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let count = |left: u64| left.checked_sub(1);
        if self.answers.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count).is_err() {
            return Err(io::Error::new(io::ErrorKind::ConnectionReset, "the line is dead"));
        }
        let part = self.bytes.get(at as usize..).and_then(|bytes| bytes.get(..out.len()));
        out.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

#[test]
fn memory_maps_positioned_reads_and_a_network_answer_alike() {
    static ANSWERS: AtomicU64 = AtomicU64::new(u64::MAX);
    let directory = tempfile::tempdir().unwrap();
    let files = || GAR.classes.values().map(|values| testing::file(&GAR.rules, values));
    for (name, bytes) in files() {
        std::fs::write(directory.path().join(name), bytes).unwrap();
    }
    let open =
        |access| Tablebase::open_with([directory.path()], &OpenOptions { access, ..OpenOptions::default() }).unwrap();
    let remote = files().map(|(name, bytes)| (name, Box::new(Remote { bytes, answers: &ANSWERS }) as Box<dyn Source>));
    let remote = Tablebase::from_sources(remote).unwrap();
    let memory = Tablebase::from_bytes(files()).unwrap();
    let all = [open(Access::Map), open(Access::Positioned), remote.clone(), memory];
    let mut random = Random::new(12);
    for _ in 0..1000 {
        let position = GAR.random_position(&mut random);
        let expected = GAR.prober().probe(&position).unwrap();
        assert!(all.iter().all(|tables| tables.probe(&position).unwrap() == expected), "{position}");
        let cached = [&all[1], &all[2]].map(|tables| tables.probe_cached(&position).unwrap());
        assert_eq!(cached, [None, None], "what is not in memory is not asked for");
        assert_eq!(all[3].probe_cached(&position).unwrap(), Some(expected));
    }
    let class = "3-3".parse().unwrap();
    assert_eq!(all.each_ref().map(|tables| tables.is_in_memory(class)), [false, false, false, true]);
    for tables in &all {
        assert_eq!(&tables.decode(class).unwrap(), &GAR.classes[&class]);
        tables.check_file(class).unwrap();
    }
    let file = directory.path().join(file_name(class));
    let heads = [Access::Map, Access::Positioned].map(|access| Table::open(&file, access).unwrap().meta().clone());
    assert!(heads.iter().all(|head| head == remote.meta(class).unwrap()));

    ANSWERS.store(1, Ordering::Relaxed);
    let error = remote.probe(&GAR.random_position(&mut random)).unwrap_err();
    let mut causes = std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source());
    let io = causes.find_map(|error| error.downcast_ref::<io::Error>()).expect("the cause is kept");
    assert_eq!((io.kind(), io.to_string().as_str()), (io::ErrorKind::ConnectionReset, "the line is dead"));
    assert!(error.to_string().contains(".mora: cannot read: the line is dead"), "{error}");
}

#[test]
fn a_contradiction_says_as_its_cause_what_the_tables_say() {
    let values = &GAR.classes[&"3-3".parse().unwrap()];
    let slow = |place: &usize| matches!(values.at(*place), Value::Won(Plies(5..)));
    let place = (0..values.symbols().len()).find(slow).unwrap();
    let said = Value::Won(Plies(3));
    let tables = testing::tablebase(&GAR.rules, [&values.with(&[(place, said)])]);
    let entry = values.space().entry_at(place as u64).unwrap();
    let (mover, waiting) = values.space().position(entry).unwrap();
    let error = tables.line(&Position::moving([mover, waiting], Side::First)).unwrap_err();
    let cause = std::error::Error::source(&error).and_then(|cause| cause.downcast_ref());
    assert_eq!(cause, Some(&Contradiction::NoTurn { value: said }), "{error}");
}
