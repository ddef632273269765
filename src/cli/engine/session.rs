//! [`Session`]: holds the options and the game; answers commands and runs searches in a thread.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use morabase::engine::{
    Candidate, Engine, Event, FEATURE_NAMES, Game, Limits, MAX_DEPTH, MAX_HASH, SearchReport, Stop, evaluate,
};
use morabase::present;
use morabase::table::Access;
use morabase::{
    Fen, FenDialect, NotationError, OpenOptions, Position, Preset, ProbeError, Record, RuleSet, Side, Step, Tablebase,
    Turn, Wdl,
};

use super::super::tables::{self, WhichTables};
use super::super::{CliError, CliResult, looks_wide};
use super::command::{Command, Go, Misfit, Word, find, parse};
use super::{LONGEST_LINE, Line, Message, Output, one_line};

const MEBIBYTE: usize = 1 << 20;
const DEFAULT_HASH: usize = 16;
const MOST_LINES: usize = 100;

/// How long searches may continue after the end of input: searches with a short time of their own at most the second,
/// all others the first. All of them together end within it.
const GRACE: Duration = Duration::from_millis(800);
const LONG_GRACE: Duration = Duration::from_secs(10);

/// The game up to the current position with its move number, or why there is none.
type CurrentGame = Result<(Game, u32), String>;

pub(super) struct Session<'a> {
    output: Output<'a>,
    sender: SyncSender<Message>,
    /// Messages still to be answered, in order.
    waiting: VecDeque<Waiting>,
    /// When the input ended.
    ended: Option<Instant>,
    /// Why it ended early.
    unread: Option<io::Error>,
    engine: Arc<Mutex<Engine>>,
    tables: Tablebase,
    /// The named directories; if empty, the default places.
    directories: Vec<PathBuf>,
    initial: Initial,
    options: Options,
    game: CurrentGame,
    thinking: Option<Thinking>,
    /// Whether the tables were touched in advance, before time counts.
    warm: bool,
}

/// A message waiting for its answer.
enum Waiting {
    /// A line, and its effect on a search.
    Line(Line, Effect),
    /// A line that was too long.
    TooLong,
    /// There is no room for more.
    Crowded,
}

/// The effect of a line on a search that is still running.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// It ends the search and those waiting before it.
    Stops { waits: bool },
    /// It waits for the search.
    Waits,
    /// It asks whether the engine is alive.
    Ready,
    /// None.
    None,
}

impl Effect {
    /// Determined from the word alone, as a line may be long.
    fn of(word: Result<Option<Word<'_>>, Misfit>) -> Self {
        match word {
            Ok(Some(("stop", _))) => Self::Stops { waits: false },
            Ok(Some(("quit", _))) => Self::Stops { waits: true },
            Ok(Some(("isready", _))) => Self::Ready,
            Ok(Some(("ucinewgame" | "setoption" | "position" | "go" | "analyze" | "analyse", _))) | Err(_) => {
                Self::Waits
            }
            Ok(_) => Self::None,
        }
    }
}

impl Waiting {
    const fn stops(&self) -> bool {
        matches!(self, Self::Crowded | Self::Line(_, Effect::Stops { .. }))
    }

    const fn waits(&self) -> bool {
        matches!(self, Self::TooLong | Self::Line(_, Effect::Waits | Effect::Stops { waits: true }))
    }
}

/// The options when the program started, for the answer to `uci`.
struct Initial {
    rules: RuleSet,
    directories: Vec<PathBuf>,
}

/// Options other than rules and tables.
struct Options {
    multi_pv: usize,
    /// How long to think if `go` does not say.
    time: Duration,
    ponder: bool,
    /// Whether the draw counter is treated as zero.
    analyse: bool,
    /// Whether the score is on the same line as the turn.
    one_line: bool,
}

/// A running search.
struct Thinking {
    stop: Arc<Stop>,
    /// Set when the answer may be given.
    release: Arc<Stop>,
    /// Its own time limit.
    time: Option<Duration>,
    /// When it will be stopped.
    deadline: Option<Instant>,
}

impl Thinking {
    fn is_held(&self) -> bool {
        !self.release.is_raised()
    }

    fn stop(&self) {
        self.stop.raise();
        self.release.raise();
    }

    /// When it must end if the input ended at `ended`.
    fn last_moment(&self, ended: Option<Instant>) -> Option<Instant> {
        let grace = if self.time.is_some_and(|time| time <= LONG_GRACE) { LONG_GRACE } else { GRACE };
        let grace = if self.is_held() { Duration::ZERO } else { grace };
        let moments = [self.deadline, ended.and_then(|ended| ended.checked_add(grace))];
        moments.into_iter().flatten().min()
    }
}

impl<'a> Session<'a> {
    pub(super) fn new(which: &WhichTables, sender: SyncSender<Message>, output: Output<'a>) -> CliResult<Self> {
        let directories = which.directories().to_vec();
        let tables = match tables::open(&directories, ACCESS, which.rules()?) {
            // It is not an error if the default places hold tables of other rules.
            Err(ProbeError::RulesDiffer { .. }) if directories.is_empty() => {
                carried_tables(which.rules()?.unwrap_or_default())?
            }
            opened => opened?,
        };
        let options = Options { multi_pv: 1, time: DEFAULT_TIME, ponder: false, analyse: false, one_line: false };
        Ok(Self {
            output,
            sender,
            waiting: VecDeque::new(),
            ended: None,
            unread: None,
            engine: Arc::new(Mutex::new(Engine::new(tables.clone()))),
            initial: Initial { rules: *tables.rules(), directories: directories.clone() },
            options,
            game: Ok(start(tables.rules())),
            tables,
            directories,
            thinking: None,
            warm: false,
        })
    }

    /// Answers messages until the end.
    pub(super) fn run(&mut self, receiver: &Receiver<Message>) -> CliResult {
        loop {
            // New messages are received first, as they may end a search that earlier ones wait for.
            while let Ok(message) = receiver.try_recv() {
                self.hear(message)?;
            }
            if let Some(next) = self.next() {
                if !self.answer_next(&next)? {
                    return Ok(());
                }
            } else if self.ended.is_some() && self.thinking.is_none() && self.waiting.is_empty() {
                let unread = self.unread.take().map(|error| format!("cannot read standard input: {error}"));
                return unread.map_or(Ok(()), |error| Err(CliError::job(error)));
            } else if let Some(message) = self.wait(receiver) {
                self.hear(message)?;
            }
        }
    }

    /// Answers whatever can be answered now.
    fn next(&mut self) -> Option<Waiting> {
        if let Some(thinking) = &self.thinking
            && self.waiting.front()?.waits()
        {
            // Without a limit it would never end.
            if thinking.is_held() {
                thinking.stop();
            }
            return None;
        }
        self.waiting.pop_front()
    }

    /// The next message; `None` if the search's time has run out, in which case it is stopped.
    fn wait(&mut self, receiver: &Receiver<Message>) -> Option<Message> {
        let running = self.thinking.as_ref().filter(|thinking| !thinking.stop.is_raised());
        let Some((thinking, moment)) = running.and_then(|thinking| Some((thinking, thinking.last_moment(self.ended)?)))
        else {
            return receiver.recv().ok();
        };
        let message = receiver.recv_timeout(moment.saturating_duration_since(Instant::now())).ok();
        if message.is_none() {
            thinking.stop();
        }
        message
    }

    /// Handles a message: writes output of the thinking thread, queues lines, and stops a search at once if a line does
    /// so.
    fn hear(&mut self, message: Message) -> CliResult {
        match message {
            Message::Line(line) => return self.hear_line(line),
            Message::TooLong => self.waiting.push_back(Waiting::TooLong),
            Message::Crowded => {
                self.stop();
                self.waiting.push_back(Waiting::Crowded);
            }
            Message::Say(text) => return self.output.line(&text),
            Message::Done(answer) => {
                // A peer that has read the answer can rely on the search being over.
                self.thinking = None;
                return answer.iter().try_for_each(|line| self.output.line(line));
            }
            Message::End(failure) => {
                self.ended = Some(Instant::now());
                self.unread = failure;
            }
        }
        Ok(())
    }

    fn hear_line(&mut self, line: Line) -> CliResult {
        self.output.note('>', line.text.trim_end())?;
        let word = find(&line.text);
        let effect = Effect::of(word);
        match effect {
            Effect::Ready if self.thinking.is_some() => return self.output.line("readyok"),
            Effect::Stops { .. } => self.stop(),
            _ => {}
        }
        if word != Ok(None) {
            self.waiting.push_back(Waiting::Line(line, effect));
        } else if looks_wide(line.bytes()) {
            self.output.error("the input looks like UTF-16: expected UTF-8")?;
        }
        Ok(())
    }

    /// Answers queued messages; returns false at the end of the session.
    fn answer_next(&mut self, next: &Waiting) -> CliResult<bool> {
        match next {
            Waiting::Line(line, _) => return self.answer(line),
            Waiting::TooLong => {
                let why = format!("a line of more than {LONGEST_LINE} bytes is dropped");
                self.output.error(&why)?;
                self.game = Err(format!("{why}, and it may have been a position"));
            }
            Waiting::Crowded => {}
        }
        Ok(true)
    }

    /// Answers a line; returns false at the end of the session.
    fn answer(&mut self, line: &Line) -> CliResult<bool> {
        let command = match parse(&line.text) {
            Ok(Some(command)) => command,
            Ok(None) => return Ok(true),
            Err(error) => {
                self.refuse(error)?;
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
            Command::PonderHit => self.ponder_hit(),
            Command::Quit => return Ok(false),
            Command::NewGame => {
                self.engine().forget();
                self.game = Ok(start(self.tables.rules()));
            }
            Command::SetOption { name, .. } if name.eq_ignore_ascii_case("TablesPath") => {
                self.set_path(&path_of(line.bytes()))?;
            }
            Command::SetOption { name, value } => self.set_option(name, value)?,
            Command::Position { start, moves } => {
                self.game = read_game(self.tables.rules(), start, moves);
                if let Err(error) = &self.game {
                    self.output.error(error)?;
                }
            }
            Command::Analyze { start, moves } => self.analyze(start, moves)?,
            Command::Moves => self.list_moves()?,
            Command::Fen => self.tell(|session, position, number| {
                let fen = Fen { position: *position, move_number: number };
                format!("fen {}", fen.to_text(FenDialect::Nodes, session.tables.rules()))
            })?,
            Command::Key => self.tell(|_, position, _| {
                format!("key {:016x}", xxhash_rust::xxh3::xxh3_64(position.to_string().as_bytes()))
            })?,
            Command::Go(go) => {
                self.go(&go)?;
                self.answer_ready()?;
            }
        }
        Ok(true)
    }

    /// Answers queued questions whether the engine is alive, even during a search.
    fn answer_ready(&mut self) -> CliResult {
        let before = self.waiting.len();
        self.waiting.retain(|waiting| !matches!(waiting, Waiting::Line(_, Effect::Ready)));
        (self.waiting.len()..before).try_for_each(|_| self.output.line("readyok"))
    }

    fn refuse(&mut self, misfit: Misfit) -> CliResult {
        match misfit {
            Misfit::Option(why) => self.output.error(why),
            // The previous position is not the one that the peer means, so there is none.
            Misfit::Position(why) => {
                self.game = Err(why.to_owned());
                self.output.error(why)
            }
        }
    }

    fn stop(&self) {
        if let Some(thinking) = &self.thinking {
            thinking.stop();
        }
    }

    /// The time of a pondering search counts from now on.
    fn ponder_hit(&mut self) {
        if let Some(thinking) = self.thinking.as_mut().filter(|thinking| thinking.is_held()) {
            thinking.release.raise();
            thinking.deadline = thinking.time.and_then(|time| Instant::now().checked_add(time));
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
            format!("option name MoveTime type spin default 0 min 0 max {}", LONGEST_TIME.as_secs()),
            format!("option name MoveTimeMs type spin default 0 min 0 max {}", LONGEST_TIME.as_millis()),
            "option name SkillLevel type spin default 30 min 0 max 30".to_owned(),
            "option name Ponder type check default false".to_owned(),
            "option name UCI_AnalyseMode type check default false".to_owned(),
            "option name InfoWithBestmove type check default false".to_owned(),
        ];
        lines.iter().try_for_each(|line| self.output.line(line))?;
        self.tell_tables()?;
        self.output.line("uciok")
    }

    fn set_path(&mut self, path: &OsStr) -> CliResult {
        let named = !path.is_empty() && path != "<empty>";
        let directories = if named { tables::split(path) } else { self.initial.directories.clone() };
        let opened = tables::open(&directories, ACCESS, Some(*self.tables.rules()));
        // Tables of other rules are remembered, as the option for those rules may follow.
        if matches!(opened, Ok(_) | Err(ProbeError::RulesDiffer { .. })) {
            self.directories = directories;
        }
        match opened {
            Ok(tables) => self.take(tables),
            Err(error) => self.output.error(&format!("TablesPath: {error}; the tables stay as they were")),
        }
    }

    fn set_option(&mut self, name: &str, value: &str) -> CliResult {
        match name.to_ascii_lowercase().as_str() {
            "rules" => match RuleSet::named(value) {
                Ok(rules) => self.set_rules(rules),
                Err(error) => {
                    // The peer means other rules than those of the position, so no position is better than that one.
                    self.game = Err("the rules set since are unknown".to_owned());
                    self.output.error(&format!("Rules: {error}"))
                }
            },
            "multipv" => {
                match number(value, MOST_LINES) {
                    Some(count) => self.options.multi_pv = count,
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
            "movetime" => self.set_time("MoveTime", value, Duration::from_secs),
            "movetimems" => self.set_time("MoveTimeMs", value, Duration::from_millis),
            // It always plays at full strength.
            "skilllevel" => Ok(()),
            "ponder" | "uci_analysemode" | "infowithbestmove" => self.set_switch(name, value),
            "piecescount" | "hasdiagonallines" | "nmoverule" => self.compare_rules(name, value),
            _ => self.output.error(&format!("there is no option {name:?}: expected one of those that uci lists")),
        }
    }

    /// Sets how long to think if `go` does not say; 0 restores the initial setting.
    fn set_time(&mut self, name: &str, value: &str, unit: fn(u64) -> Duration) -> CliResult {
        match value.parse::<u64>() {
            Ok(time) if unit(time) <= LONGEST_TIME => {
                self.options.time = if time == 0 { DEFAULT_TIME } else { unit(time) };
                Ok(())
            }
            _ => self.output.error(&format!("{name}: expected a time of at most a day, found {value:?}")),
        }
    }

    fn set_switch(&mut self, name: &str, value: &str) -> CliResult {
        let Ok(on) = value.to_ascii_lowercase().parse() else {
            return self.output.error(&format!("{name}: expected true or false, found {value:?}"));
        };
        match name.to_ascii_lowercase().as_str() {
            "ponder" => self.options.ponder = on,
            "uci_analysemode" => self.options.analyse = on,
            _ => self.options.one_line = on,
        }
        Ok(())
    }

    /// Other programs set rules one by one. That does not change the rules used here, but the peer is told if they
    /// differ.
    fn compare_rules(&mut self, name: &str, value: &str) -> CliResult {
        let rules = self.tables.rules();
        let diagonals = rules.board().lines().len() == Preset::Gar.rules().board().lines().len();
        let played = match name.to_ascii_lowercase().as_str() {
            "piecescount" => rules.cows.to_string(),
            "hasdiagonallines" => diagonals.to_string(),
            _ => rules.counter.map_or(0, |counter| counter.limit).to_string(),
        };
        if value.eq_ignore_ascii_case(&played) {
            return Ok(());
        }
        let rules = rules.name();
        self.output
            .error(&format!("{name}: found {value:?}, and the rules {rules} are played, with {played}; set Rules"))
    }

    /// Switches to other rules, with the tables of the last searched directories that have these rules.
    fn set_rules(&mut self, rules: RuleSet) -> CliResult {
        if rules == *self.tables.rules() {
            return self.tell_tables();
        }
        let tables = match tables::open(&self.directories, ACCESS, Some(rules)) {
            Ok(tables) => tables,
            Err(error) => {
                // It is not an error if the default places hold tables of other rules.
                if !self.directories.is_empty() || !matches!(error, ProbeError::RulesDiffer { .. }) {
                    self.output.error(&format!("Rules: {error}; playing without them"))?;
                }
                carried_tables(rules)?
            }
        };
        // Only a peer that has not set a position can mean the start of the new rules.
        let untouched = matches!(&self.game, Ok((game, _)) if *game == start(self.tables.rules()).0);
        self.game = if untouched { Ok(start(&rules)) } else { Err("it was given under other rules".to_owned()) };
        self.take(tables)
    }

    fn take(&mut self, tables: Tablebase) -> CliResult {
        self.tables = tables.clone();
        self.warm = false;
        self.engine().set_tables(tables);
        self.tell_tables()
    }

    /// Reports which tables exist, and the faults of some.
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
                let error = format!("no position to search: the last one was refused: {error}");
                self.output.error(&error)?;
                return self.start_thinking(None, go, Limits::default());
            }
        };
        let game = Game { position: self.considered(game.position), ..game };
        if let Some(outcome) = game.position.outcome(self.tables.rules()) {
            self.output.line(&format!("info string {}", present::outcome_text(outcome)))?;
            return self.start_thinking(None, go, Limits::default());
        }
        let mut limits = limits(go, game.position.to_move, &self.options);
        for only in &go.only {
            match read_only(only, &game.position, self.tables.rules()) {
                Ok(turn) => limits.among.push(turn),
                Err(error) => self.output.error(&format!("go searchmoves {only}: {error}, which is ignored"))?,
            }
        }
        self.start_thinking(Some(game), go, limits)
    }

    /// Runs a search in a thread, or just waits there until it may report that there is no turn.
    fn start_thinking(&mut self, game: Option<Game>, go: &Go, mut limits: Limits) -> CliResult {
        let (stop, release) = (Arc::new(Stop::default()), Arc::new(Stop::default()));
        let held = go.infinite || go.ponder;
        let time = limits.time;
        if held {
            limits.time = None;
        } else {
            release.raise();
        }
        let thinking = Thinking { stop: Arc::clone(&stop), release: Arc::clone(&release), time, deadline: None };
        let is_over = thinking.last_moment(self.ended).is_some_and(|moment| moment <= Instant::now());
        if is_over || self.waiting.iter().any(Waiting::stops) {
            thinking.stop();
        }
        let style = Style { ponder: self.options.ponder, one_line: self.options.one_line };
        let task = ThinkingTask { game, limits, stop, release, style, engine: Arc::clone(&self.engine) };
        let (sender, own) = (self.sender.clone(), task.clone());
        match thread::Builder::new().name("thinker".to_owned()).spawn(move || own.run(sender)) {
            Ok(_) => {
                self.thinking = Some(thinking);
                Ok(())
            }
            Err(error) => {
                self.output
                    .error(&format!("cannot start a thread, so nothing else is heard during the search: {error}"))?;
                self.think_here(task)
            }
        }
    }

    /// Runs a search in this thread. It must end by itself, as nobody can stop it.
    fn think_here(&mut self, mut task: ThinkingTask) -> CliResult {
        const MOST_MESSAGES: usize = 1 << 16;
        if task.limits.depth.is_none() && task.limits.nodes.is_none() {
            task.limits.time = task.limits.time.or(Some(self.options.time));
        }
        task.release.raise();
        let (sender, receiver) = sync_channel(MOST_MESSAGES);
        task.run(sender);
        receiver.try_iter().try_for_each(|message| self.hear(message))
    }

    /// The position to search: in analysis with the draw counter at zero. If the counter has ended the game, analysis
    /// continues.
    fn considered(&self, position: Position) -> Position {
        Position { counter: if self.options.analyse { 0 } else { position.counter }, ..position }
    }

    /// The position and the move number, if there is one.
    fn tell(&mut self, text: impl FnOnce(&Self, &Position, u32) -> String) -> CliResult {
        match &self.game {
            Ok((game, number)) => {
                let text = text(self, &game.position, *number);
                self.output.line(&text)
            }
            Err(error) => {
                let error = format!("no position: the last one was refused: {error}");
                self.output.error(&error)
            }
        }
    }

    fn list_moves(&mut self) -> CliResult {
        self.tell(|session, position, _| {
            let mut words = vec!["moves".to_owned()];
            words.extend(session.considered(*position).half_turns(session.tables.rules()).iter().map(Step::to_string));
            words.join(" ")
        })
    }

    /// Reports the value of every half-turn, in the form that clients of the Sanmill program read.
    fn analyze(&mut self, start: Option<&str>, moves: &str) -> CliResult {
        let (game, _) = match read_game(self.tables.rules(), start, moves) {
            Ok(game) => game,
            Err(error) => return self.output.error(&format!("analyze: {error}")),
        };
        let turns = match self.tables.turns(&self.considered(game.position)) {
            Ok(turns) => turns,
            Err(error) => return self.output.error(&format!("analyze: {error}")),
        };
        let mut words = vec!["info analysis".to_owned()];
        let mut said: Vec<Step> = Vec::new();
        // The best shot of a half-turn comes first.
        for turn in turns {
            if !said.contains(&turn.turn.step) {
                said.push(turn.turn.step);
                let outcome = match turn.value.wdl() {
                    Wdl::Won => "win",
                    Wdl::Drawn => "draw",
                    Wdl::Lost => "loss",
                };
                words.push(format!("{}={outcome}", turn.turn.step));
            }
        }
        self.output.line(&words.join(" "))
    }

    fn draw(&mut self) -> CliResult {
        let (game, number) = match &self.game {
            Ok(game) => game,
            Err(error) => {
                let error = format!("no position: the last one was refused: {error}");
                return self.output.error(&error);
            }
        };
        let (rules, position) = (self.tables.rules(), game.position);
        let mut text = present::draw(rules.board(), &position);
        let state = position.outcome(rules).map_or_else(|| present::caption(rules, &position), present::outcome_text);
        let fen = Fen { position, move_number: *number }.to_text(FenDialect::Nodes, rules);
        let table = self.table_text(&position);
        // Writing to a string cannot fail.
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
            Ok((game, _)) => self.considered(game.position),
            Err(error) => {
                let error = format!("no position: the last one was refused: {error}");
                return self.output.error(&error);
            }
        };
        let table = self.table_text(&position);
        let parts = evaluate(self.tables.rules(), &position);
        let names = FEATURE_NAMES.iter().zip(parts.parts).filter(|(_, part)| *part != 0);
        let names = names.map(|(name, part)| format!("{name} {part:+}")).collect::<Vec<_>>().join(", ");
        self.output.line(&format!("table {table}\nguess {:+} for the side to move: {names}", parts.total()))
    }
}

/// Truncating a mapped file would end the program, so files are read piece by piece here. Each piece is checked every
/// time.
const ACCESS: Access = Access::Positioned;

const NO_TURN: &str = "bestmove (none)";

fn lock(engine: &Mutex<Engine>) -> std::sync::MutexGuard<'_, Engine> {
    // An engine whose thread has died has lost results at worst.
    engine.lock().unwrap_or_else(PoisonError::into_inner)
}

fn start(rules: &RuleSet) -> (Game, u32) {
    (Position::start(rules).into(), 1)
}

/// The included tables that are of these rules.
fn carried_tables(rules: RuleSet) -> Result<Tablebase, ProbeError> {
    let none: [&str; 0] = [];
    Tablebase::open_with(none, &OpenOptions { rules: Some(rules), shipped: true, ..OpenOptions::default() })
}

fn number(text: &str, most: usize) -> Option<usize> {
    text.parse().ok().filter(|number| (1..=most).contains(number))
}

/// The game given by a `position` command.
fn read_game(rules: &RuleSet, start: Option<&str>, moves: &str) -> CurrentGame {
    let record: Record = moves.parse().map_err(|error: NotationError| error.to_string())?;
    let start = start.map(|text| Fen::from_notation(text, rules)).transpose().map_err(|error| error.to_string())?;
    let start = start.unwrap_or_else(|| Fen::start(rules));
    let mut earlier = record.positions(&start.position, rules).map_err(|error| error.to_string())?;
    let rounds = earlier.windows(2).filter(|pair| (pair[0].to_move, pair[1].to_move) == (Side::Second, Side::First));
    let number = start.move_number.saturating_add(u32::try_from(rounds.count()).unwrap_or(u32::MAX));
    let position = earlier.pop().unwrap_or(start.position);
    Ok((Game { position, earlier }, number))
}

/// A turn in a `go` command, or the first half of one.
fn read_only(text: &str, position: &Position, rules: &RuleSet) -> Result<Turn, String> {
    let turn: Turn = text.parse().map_err(|error: NotationError| error.to_string())?;
    let result = match turn.shot {
        Some(_) => position.apply(turn, rules),
        None => position.apply_half(turn.step, rules),
    };
    result.map(|_| turn).map_err(|error| error.to_string())
}

/// The value of an option as a path. On Unix it need not be valid text.
fn path_of(line: &[u8]) -> OsString {
    let is_word = |at: usize| {
        let around = [at.checked_sub(1).map(|before| line[before]), line.get(at + 5).copied()];
        around.into_iter().flatten().all(|byte| byte.is_ascii_whitespace())
    };
    let found = line.windows(5).enumerate().find(|(at, word)| *word == b"value" && is_word(*at));
    let path = found.map_or(&[][..], |(at, _)| line[at + 5..].trim_ascii());
    os_string(path)
}

#[cfg(unix)]
fn os_string(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn os_string(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// How long to think if nothing is specified.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// The maximum value of the options for it.
const LONGEST_TIME: Duration = Duration::from_secs(86_400);

/// Reserved out of a given time for communication with the peer: a fifth of it, at most this.
const OVERHEAD: Duration = Duration::from_millis(10);

fn limits(go: &Go, side: Side, options: &Options) -> Limits {
    let clock = go.clocks[side.index()].map(|left| {
        let turns = u32::try_from(go.until_control.unwrap_or(25).clamp(1, 50)).unwrap_or(25);
        let share = left / turns + go.increments[side.index()] * 3 / 4;
        // Nothing has to be left for turns after the time control.
        share.min(if go.until_control == Some(1) { left } else { left / 2 })
    });
    let mate = go.mate.map(|turns| turns.saturating_mul(2).saturating_sub(1));
    let depth = go.depth.into_iter().chain(mate).min();
    let mut time = go.movetime.or(clock);
    if go.infinite {
        time = None;
    } else if time.is_none() && depth.is_none() && go.nodes.is_none() {
        time = Some(options.time);
    }
    let time = time.map(|time| time.saturating_sub((time / 5).min(OVERHEAD)));
    let depth = depth.map(|depth| depth.clamp(1, u64::from(MAX_DEPTH)) as u8);
    Limits { depth, nodes: go.nodes, time, multi_pv: options.multi_pv, among: Vec::new() }
}

/// The format of the answer.
#[derive(Clone, Copy)]
struct Style {
    ponder: bool,
    one_line: bool,
}

/// A search to be run.
#[derive(Clone)]
struct ThinkingTask {
    /// `None` if there is nothing to search.
    game: Option<Game>,
    limits: Limits,
    stop: Arc<Stop>,
    release: Arc<Stop>,
    style: Style,
    engine: Arc<Mutex<Engine>>,
}

impl ThinkingTask {
    fn run(self, sender: SyncSender<Message>) {
        let Self { game, limits, stop, release, style, engine } = self;
        let mut finish = Finish { sender, release, style, answer: None, score: None };
        match game {
            Some(game) => think(&mut lock(&engine), &game, (&limits, &stop), finish),
            None => finish.answer = Some(NO_TURN.to_owned()),
        }
    }
}

/// Reports the turn and the end of thinking, however it ends, as soon as that is allowed.
struct Finish {
    sender: SyncSender<Message>,
    release: Arc<Stop>,
    style: Style,
    answer: Option<String>,
    score: Option<i32>,
}

impl Finish {
    fn say(&self, text: String) {
        // If nobody receives it the program is ending.
        let _ = self.sender.send(Message::Say(text));
    }

    fn answer(&mut self, best: Option<&Candidate>) {
        let turn = best.map_or_else(|| NO_TURN.to_owned(), |best| format!("bestmove {}", best.turn().step));
        self.score = best.map(|best| best.score.hundredths());
        // The opponent's answer can only be pondered if the turn is complete without a shot.
        let reply = best.filter(|best| self.style.ponder && best.turn().shot.is_none());
        let reply = reply.and_then(|best| best.principal_variation.get(1));
        let reply = reply.map(|reply| format!(" ponder {}", reply.step)).unwrap_or_default();
        self.answer = Some(turn + &reply);
    }
}

impl Drop for Finish {
    fn drop(&mut self) {
        self.release.wait();
        let lines = match (self.answer.take(), self.score) {
            (Some(answer), Some(score)) if self.style.one_line => vec![format!("info score {score} {answer}")],
            (Some(answer), _) => vec![answer],
            (None, _) => {
                let failed = "info string error: thinking has failed; please report it with the position";
                vec![failed.to_owned(), NO_TURN.to_owned()]
            }
        };
        let _ = self.sender.send(Message::Done(lines));
    }
}

/// The thinking thread: reports results, and the turn at the end.
fn think(engine: &mut Engine, game: &Game, (limits, stop): (&Limits, &Stop), mut finish: Finish) {
    // A table is asked for more than one reason, and each may find the same fault.
    let mut told = Vec::new();
    let best = engine.think(game, limits, stop, &mut |event| match event {
        Event::Report(report) => report_lines(&report).into_iter().for_each(|line| finish.say(line)),
        Event::Table(probe) => finish.say(format!("info string table: {}", present::answer_text(&probe))),
        Event::Fault(error) => {
            let text = one_line(&error.to_string());
            if !told.contains(&text) {
                finish.say(format!("info string error: {text}"));
                told.push(text);
            }
        }
    });
    finish.answer(best.first());
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

/// A line in half-turns, as the protocol requires.
fn half_turns(best: &Candidate) -> String {
    let mut words = Vec::new();
    for turn in &best.principal_variation {
        words.push(turn.step.to_string());
        words.extend(turn.shot.map(|at| format!("x{at}")));
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_a_time_control_the_last_turn_may_use_the_whole_clock_but_the_reserve() {
        let options = Options { multi_pv: 1, time: DEFAULT_TIME, ponder: false, analyse: false, one_line: false };
        let second = Duration::from_secs(1);
        let time = |until_control| {
            let go = Go { clocks: [Some(second), None], until_control, ..Go::default() };
            limits(&go, Side::First, &options).time.unwrap()
        };
        assert_eq!(time(Some(1)), Duration::from_millis(990));
        assert_eq!(time(Some(2)), Duration::from_millis(490));
        assert_eq!(time(None), Duration::from_millis(32));
        // The other player's clock is not a limit.
        let go = Go { clocks: [None, Some(second)], ..Go::default() };
        assert_eq!(limits(&go, Side::First, &options).time, Some(Duration::from_millis(990)));
    }
}
