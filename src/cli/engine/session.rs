//! [`Session`]: what is set and where the game stands; answers commands and has a thread think.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use morabase::engine::{Candidate, Engine, Event, Game, Limits, MAX_DEPTH, MAX_HASH, SearchReport, Stop, evaluate};
use morabase::present;
use morabase::table::Access;
use morabase::{Fen, FenDialect, OpenOptions, Position, Preset, ProbeError, Record, RuleSet, Side, Tablebase};

use super::super::CliResult;
use super::super::args::parse_rules;
use super::super::tables::{self, WhichTables};
use super::command::{Command, Go, Misfit, parse};
use super::{LONGEST_LINE, Message, Output, one_line};

const MEBIBYTE: usize = 1 << 20;
const DEFAULT_HASH: usize = 16;
const MOST_LINES: usize = 100;

/// Commands that wait for the end of the thinking, at most; more stop it.
const MOST_WAITING: usize = 1000;

/// The position, what came before it and the number of the move, or why there is none.
type CurrentGame = Result<(Game, u32), String>;

pub(super) struct Session<'a> {
    output: Output<'a>,
    sender: SyncSender<Message>,
    /// Messages that came while a thinking thread was waited for.
    waiting: VecDeque<Message>,
    engine: Arc<Mutex<Engine>>,
    tables: Tablebase,
    /// Directories named, or none for the places where the program looks by itself.
    directories: Vec<PathBuf>,
    initial: Initial,
    multi_pv: usize,
    game: CurrentGame,
    thinking: Option<Thinking>,
    /// Whether the tables have been used before time counts.
    warm: bool,
}

/// What the options were when the program started, for the answer to `uci`.
struct Initial {
    rules: RuleSet,
    directories: Vec<PathBuf>,
}

/// A thread at work.
struct Thinking {
    stop: Arc<Stop>,
    infinite: bool,
}

impl<'a> Session<'a> {
    pub(super) fn new(which: &WhichTables, sender: SyncSender<Message>, output: Output<'a>) -> CliResult<Self> {
        let directories = which.directories().to_vec();
        let tables = tables::open(&directories, ACCESS, which.rules()?)?;
        Ok(Self {
            output,
            sender,
            waiting: VecDeque::new(),
            engine: Arc::new(Mutex::new(Engine::new(tables.clone()))),
            initial: Initial { rules: *tables.rules(), directories: directories.clone() },
            multi_pv: 1,
            game: Ok(start(tables.rules())),
            tables,
            directories,
            thinking: None,
            warm: false,
        })
    }

    /// Answers what comes until the end.
    pub(super) fn run(&mut self, receiver: &Receiver<Message>) -> CliResult {
        loop {
            let Some(message) = self.waiting.pop_front().or_else(|| receiver.recv().ok()) else { return Ok(()) };
            match message {
                Message::Line(line) => {
                    if !self.answer(&line, receiver)? {
                        return Ok(());
                    }
                }
                Message::TooLong => {
                    self.output.error(&format!("a line of more than {LONGEST_LINE} bytes is ignored"))?;
                }
                Message::Say(text) => self.output.line(&text)?,
                Message::Done => self.thinking = None,
                Message::End => return self.finish(receiver, false),
            }
        }
    }

    /// Answers a line; false at the end of the session.
    fn answer(&mut self, line: &str, receiver: &Receiver<Message>) -> CliResult<bool> {
        self.output.note('>', line.trim_end())?;
        let command = match parse(line) {
            Ok(Some(command)) => command,
            Ok(None) => return Ok(true),
            Err(error) => {
                self.refuse(error, receiver)?;
                return Ok(true);
            }
        };
        match command {
            Command::Uci => self.introduce()?,
            Command::IsReady => {
                if self.thinking.is_none() && !self.warm {
                    self.engine().warm_up();
                    self.warm = true;
                }
                self.output.line("readyok")?;
            }
            Command::Draw => self.draw()?,
            Command::Eval => self.eval()?,
            Command::Stop => self.stop(),
            Command::Quit => {
                self.finish(receiver, true)?;
                return Ok(false);
            }
            Command::NewGame => {
                self.finish(receiver, false)?;
                self.engine().forget();
                self.game = Ok(start(self.tables.rules()));
            }
            Command::SetOption { name, value } => {
                self.finish(receiver, false)?;
                self.set_option(name, value)?;
            }
            Command::Position { start, moves } => {
                self.finish(receiver, false)?;
                self.game = read_game(self.tables.rules(), start, moves);
                if let Err(error) = &self.game {
                    self.output.error(error)?;
                }
            }
            Command::Go(go) => {
                self.finish(receiver, false)?;
                self.go(&go)?;
            }
        }
        Ok(true)
    }

    fn refuse(&mut self, misfit: Misfit, receiver: &Receiver<Message>) -> CliResult {
        match misfit {
            Misfit::Option(why) => self.output.error(why),
            // The position before it is not the one that the peer means, so there is none.
            Misfit::Position(why) => {
                self.finish(receiver, false)?;
                self.game = Err(why.to_owned());
                self.output.error(why)
            }
        }
    }

    fn stop(&self) {
        if let Some(thinking) = &self.thinking {
            thinking.stop.raise();
        }
    }

    /// Waits for the thinking thread, if there is one. It goes on to its limits unless it has none or `stop` says otherwise; a
    /// `stop` or `quit` that comes meanwhile is obeyed at once, and other commands wait their turn.
    fn finish(&mut self, receiver: &Receiver<Message>, stop: bool) -> CliResult {
        if stop || self.thinking.as_ref().is_some_and(|thinking| thinking.infinite) {
            self.stop();
        }
        while self.thinking.is_some() {
            match receiver.recv() {
                Ok(Message::Say(text)) => self.output.line(&text)?,
                Ok(Message::Done) | Err(_) => self.thinking = None,
                Ok(message) => self.put_off(message),
            }
        }
        Ok(())
    }

    /// Keeps a message for later; what stops the thinking does so at once.
    fn put_off(&mut self, message: Message) {
        let stops =
            matches!(&message, Message::Line(line) if matches!(parse(line), Ok(Some(Command::Stop | Command::Quit))));
        self.waiting.push_back(message);
        if stops || self.waiting.len() > MOST_WAITING {
            self.stop();
        }
    }

    fn engine(&self) -> std::sync::MutexGuard<'_, Engine> {
        lock(&self.engine)
    }

    fn introduce(&mut self) -> CliResult {
        let rules = self.initial.rules.name();
        let presets = Preset::ALL.map(|preset| format!("var {}", preset.name())).join(" ");
        let path = std::env::join_paths(&self.initial.directories).unwrap_or_default();
        let path = if path.is_empty() { "<empty>".to_owned() } else { one_line(&path.to_string_lossy()) };
        let lines = [
            format!("id name morabase {}", env!("CARGO_PKG_VERSION")),
            "id author the morabase authors".to_owned(),
            format!("option name TablesPath type string default {path}"),
            format!("option name Rules type combo default {rules} {presets}"),
            format!("option name MultiPV type spin default 1 min 1 max {MOST_LINES}"),
            format!("option name Hash type spin default {DEFAULT_HASH} min 1 max {}", MAX_HASH / MEBIBYTE),
        ];
        lines.iter().try_for_each(|line| self.output.line(line))?;
        self.tell_tables()?;
        self.output.line("uciok")
    }

    fn set_option(&mut self, name: &str, value: &str) -> CliResult {
        match name.to_ascii_lowercase().as_str() {
            "tablespath" => {
                let named = !value.is_empty() && value != "<empty>";
                let directories =
                    if named { tables::split(OsStr::new(value)) } else { self.initial.directories.clone() };
                let opened = tables::open(&directories, ACCESS, Some(*self.tables.rules()));
                // Tables of other rules are remembered, as the option for those may be on its way.
                if matches!(opened, Ok(_) | Err(ProbeError::RulesDiffer { .. })) {
                    self.directories = directories;
                }
                match opened {
                    Ok(tables) => self.take(tables),
                    Err(error) => self.output.error(&format!("TablesPath: {error}; the tables stay as they were")),
                }
            }
            "rules" => match parse_rules(value) {
                Ok(rules) => self.set_rules(rules),
                Err(error) => self.output.error(&format!("Rules: {error}")),
            },
            "multipv" => {
                match number(value, MOST_LINES) {
                    Some(count) => self.multi_pv = count,
                    None => self.output.error(&format!("MultiPV: expected 1 to {MOST_LINES}, found {value:?}"))?,
                }
                Ok(())
            }
            "hash" => {
                let most = MAX_HASH / MEBIBYTE;
                let Some(size) = number(value, most) else {
                    return self.output.error(&format!("Hash: expected 1 to {most} (MiB), found {value:?}"));
                };
                let result = self.engine().set_hash(size * MEBIBYTE);
                result.or_else(|error| self.output.error(&format!("Hash: {error}")))
            }
            _ => {
                self.output.error(&format!("there is no option {name:?}: expected TablesPath, Rules, MultiPV or Hash"))
            }
        }
    }

    /// Takes other rules, and the tables where they were looked for last as far as they are of these rules.
    fn set_rules(&mut self, rules: RuleSet) -> CliResult {
        if rules == *self.tables.rules() {
            return self.tell_tables();
        }
        let tables = match tables::open(&self.directories, ACCESS, Some(rules)) {
            Ok(tables) => tables,
            Err(error) => {
                // That the places where the program looks by itself hold other rules is nobody's mistake.
                if !self.directories.is_empty() || !matches!(error, ProbeError::RulesDiffer { .. }) {
                    self.output.error(&format!("Rules: {error}; playing without them"))?;
                }
                carried_tables(rules)?
            }
        };
        self.game = Ok(start(&rules));
        self.take(tables)
    }

    fn take(&mut self, tables: Tablebase) -> CliResult {
        self.tables = tables.clone();
        self.warm = false;
        self.engine().set_tables(tables);
        self.tell_tables()
    }

    /// Says which tables there are, and what is wrong with some.
    fn tell_tables(&mut self) -> CliResult {
        let faults: Vec<ProbeError> = self.tables.faults().map(|(_, error)| error).collect();
        for error in faults {
            self.output.error(&error.to_string())?;
        }
        let rules = self.tables.rules().name();
        let tables = match self.tables.classes().count() {
            0 => "no tables".to_owned(),
            1 => "1 table".to_owned(),
            count => format!("{count} tables"),
        };
        let all = self.tables.complete_up_to().map(|cows| format!(", all up to {cows} cows")).unwrap_or_default();
        let text = format!("rules {rules}, {tables}{all}");
        self.output.line(&format!("info string {text}"))
    }

    fn go(&mut self, go: &Go) -> CliResult {
        for fault in &go.faults {
            self.output.error(fault)?;
        }
        let game = match &self.game {
            Ok((game, _)) => game.clone(),
            Err(error) => {
                let error = format!("there is no position to think about, as the last one was refused: {error}");
                self.output.error(&error)?;
                return self.output.line(NO_TURN);
            }
        };
        if let Some(outcome) = game.position.outcome(self.tables.rules()) {
            self.output.line(&format!("info string {}", present::outcome_text(outcome)))?;
            return self.output.line(NO_TURN);
        }
        let limits = limits(go, game.position.to_move, self.multi_pv);
        let (stop, infinite) = (Arc::new(Stop::default()), go.infinite);
        let (engine, thread_stop) = (Arc::clone(&self.engine), Arc::clone(&stop));
        let sender = self.sender.clone();
        let spawned = thread::Builder::new().name("thinker".to_owned()).spawn(move || {
            let finish = Finish { sender, answered: false };
            think(&mut lock(&engine), &game, &limits, (&thread_stop, infinite), finish);
        });
        match spawned {
            Ok(_) => self.thinking = Some(Thinking { stop, infinite }),
            Err(error) => {
                self.output.error(&format!("cannot start a thread: {error}"))?;
                self.output.line(NO_TURN)?;
            }
        }
        Ok(())
    }

    fn draw(&mut self) -> CliResult {
        let (game, number) = match &self.game {
            Ok(game) => game,
            Err(error) => {
                let error = format!("there is no position, as the last one was refused: {error}");
                return self.output.error(&error);
            }
        };
        let (rules, position) = (self.tables.rules(), game.position);
        let mut text = present::draw(rules.board(), &position);
        let state = position.outcome(rules).map_or_else(|| present::caption(rules, &position), present::outcome_text);
        let fen = Fen { position, move_number: *number }.to_text(rules, FenDialect::Nodes);
        let table = self.table_text(&position);
        // Writing into a string cannot fail.
        let _ = write!(text, "\n{state}\nfen {fen}\nposition {position}\nrules {}\ntable {table}", rules.name());
        self.output.line(&text)
    }

    fn table_text(&self, position: &Position) -> String {
        match self.tables.probe(position) {
            Ok(probe) if probe.outcome.is_some() => "none: the game is over".to_owned(),
            Ok(probe) => match probe.class {
                Some(class) => format!("{class}, {}", present::answer_text(&probe)),
                None => present::answer_text(&probe),
            },
            Err(error) => format!("none: {}", one_line(&error.to_string())),
        }
    }

    fn eval(&mut self) -> CliResult {
        let position = match &self.game {
            Ok((game, _)) => game.position,
            Err(error) => {
                let error = format!("there is no position, as the last one was refused: {error}");
                return self.output.error(&error);
            }
        };
        let table = self.table_text(&position);
        let parts = evaluate(self.tables.rules(), &position);
        let names = [
            ("cows", parts.cows),
            ("lines", parts.lines),
            ("threats", parts.threats),
            ("freedom", parts.freedom),
            ("prospects", parts.prospects),
        ];
        let names = names.map(|(name, part)| format!("{name} {part:+}")).join(", ");
        self.output.line(&format!("table {table}\nguess {:+} for the side to move: {names}", parts.total()))
    }
}

/// A file that is cut short while it is mapped would end the program, so files are read piece by piece here. Each piece is
/// checked again each time.
const ACCESS: Access = Access::Positioned;

const NO_TURN: &str = "bestmove (none)";

fn lock(engine: &Mutex<Engine>) -> std::sync::MutexGuard<'_, Engine> {
    // An engine whose thread has died has at worst forgotten something.
    engine.lock().unwrap_or_else(PoisonError::into_inner)
}

fn start(rules: &RuleSet) -> (Game, u32) {
    (Position::start(rules).into(), 1)
}

/// The tables inside the program as far as they are of these rules.
fn carried_tables(rules: RuleSet) -> Result<Tablebase, ProbeError> {
    let none: [&str; 0] = [];
    Tablebase::open_with(none, &OpenOptions { rules: Some(rules), shipped: true, ..OpenOptions::default() })
}

fn number(text: &str, most: usize) -> Option<usize> {
    text.parse().ok().filter(|number| (1..=most).contains(number))
}

/// The game that a `position` command gives.
fn read_game(rules: &RuleSet, start: Option<&str>, moves: &str) -> CurrentGame {
    let start = match start {
        Some(text) => Fen::from_notation(text, rules).map_err(|error| error.to_string())?,
        None => Fen::start(rules),
    };
    let record: Record = moves.parse().map_err(|error: morabase::NotationError| error.to_string())?;
    let mut earlier = record.positions(rules, &start.position).map_err(|error| error.to_string())?;
    let rounds = earlier.windows(2).filter(|pair| (pair[0].to_move, pair[1].to_move) == (Side::Second, Side::First));
    let number = start.move_number.saturating_add(u32::try_from(rounds.count()).unwrap_or(u32::MAX));
    let position = earlier.pop().unwrap_or(start.position);
    Ok((Game { position, earlier }, number))
}

/// How long to think where nothing is said about it.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// Kept back from a time given, for the way to the peer: a fifth of it, at most this.
const OVERHEAD: Duration = Duration::from_millis(10);

fn limits(go: &Go, side: Side, multi_pv: usize) -> Limits {
    let clock = go.clocks[side.index()].map(|left| {
        let turns = u32::try_from(go.until_control.unwrap_or(25).clamp(1, 50)).unwrap_or(25);
        (left / turns + go.increments[side.index()] * 3 / 4).min(left / 2)
    });
    let mut time = go.movetime.or(clock);
    if go.infinite {
        time = None;
    } else if time.is_none() && go.depth.is_none() && go.nodes.is_none() {
        time = Some(DEFAULT_TIME);
    }
    let time = time.map(|time| time.saturating_sub((time / 5).min(OVERHEAD)));
    let depth = go.depth.map(|depth| depth.clamp(1, u64::from(MAX_DEPTH)) as u8);
    Limits { depth, nodes: go.nodes, time, multi_pv }
}

/// Says that thinking is over, however it ends.
struct Finish {
    sender: SyncSender<Message>,
    answered: bool,
}

impl Finish {
    fn say(&self, text: String) {
        // If nobody listens the program is ending.
        let _ = self.sender.send(Message::Say(text));
    }
}

impl Drop for Finish {
    fn drop(&mut self) {
        if !thread::panicking() && self.answered {
            let _ = self.sender.send(Message::Done);
            return;
        }
        self.say("info string error: thinking has failed; please report it with the position".to_owned());
        self.say(NO_TURN.to_owned());
        let _ = self.sender.send(Message::Done);
    }
}

/// The thinking thread: says what is found, and the turn at the end.
fn think(engine: &mut Engine, game: &Game, limits: &Limits, (stop, infinite): (&Stop, bool), mut finish: Finish) {
    let best = engine.think(game, limits, stop, &mut |event| match event {
        Event::Report(report) => report_lines(&report).into_iter().for_each(|line| finish.say(line)),
        Event::Table(probe) => finish.say(format!("info string table: {}", present::answer_text(&probe))),
        Event::Fault(error) => finish.say(format!("info string error: {}", one_line(&error.to_string()))),
    });
    if infinite {
        stop.wait();
    }
    finish.say(best.first().map_or_else(|| NO_TURN.to_owned(), |best| format!("bestmove {}", best.turn().step)));
    finish.answered = true;
}

fn report_lines(report: &SearchReport<'_>) -> Vec<String> {
    let milliseconds = report.elapsed.as_millis();
    let rate = u128::from(report.nodes) * 1_000_000 / report.elapsed.as_micros().max(1);
    let line = |(number, best): (usize, &Candidate)| {
        format!(
            "info depth {} multipv {number} score {} nodes {} nps {rate} hashfull {} tbhits {} time {milliseconds} pv {}",
            report.depth,
            best.score,
            report.nodes,
            report.hash_permille,
            report.probes,
            half_turns(best),
        )
    };
    (1..).zip(report.best).map(line).collect()
}

/// A line in half-turns, as the dialect has them.
fn half_turns(best: &Candidate) -> String {
    let mut words = Vec::new();
    for turn in &best.principal_variation {
        words.push(turn.step.to_string());
        words.extend(turn.shot.map(|at| format!("x{at}")));
    }
    words.join(" ")
}
