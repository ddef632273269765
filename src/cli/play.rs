//! `play`: a game in the terminal, or over a pipe, against the program or between two people at one board.
//!
//! A player types lines: turns or commands. Every answer ends with whose turn it is, so a program can play as well.

use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::time::Duration;

use clap::{ValueEnum, value_parser};
use morabase::engine::{Candidate, Engine, Event, Game, Limits, Stop};
use morabase::present;
use morabase::{Fen, IllegalTurn, PointForm, Position, Record, RuleSet, Side, Step, Turn};

use super::args::{FormArgs, PositionArgs, shell_quoted};
use super::tables::TablesArgs;
use super::{CliError, CliResult};

const EXAMPLES: &str = "\
Examples:
  morabase play
  morabase play --side second
  morabase play 'W:Wd6,d7,f4,f6:Bb4,d3,g1,g4'
  printf '%s\\n' d6-b6 hint undo quit | morabase play 'W:Wd6,d7,f4,f6:Bb4,d3,g1,g4'
  morabase play --side none --moves 'd6 d7' --cows 3 --movetime 10

Type a turn (d6 places a cow, d6-b6 moves one, d6-b6xa4 shoots as well) or a command: undo, hint, turns, board, record, help, quit; \
their first letters will do. If your turn completes a line and names no cow to shoot, you are asked for one. Where tables know the position the program makes no \
mistake; elsewhere it searches for --movetime.

With --side none the program plays both sides; such a game stops after 100 plies without a shot.";

/// Play a game at the terminal
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    position: PositionArgs,
    /// The side that you play
    #[arg(long, value_name = "SIDE", default_value = "first")]
    side: Sides,
    /// Milliseconds that the program thinks about a turn, where no table has the position
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = value_parser!(u32).range(1..=3_600_000))]
    movetime: u32,
    #[command(flatten)]
    form: FormArgs,
    #[command(flatten)]
    tables: TablesArgs,
}

/// Who sits at the terminal.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Sides {
    /// The first player (O), who begins
    First,
    /// The second player (@)
    Second,
    /// Both: two people at one board
    Both,
    /// Neither: the program plays against itself
    None,
}

impl Sides {
    fn has(self, side: Side) -> bool {
        match self {
            Self::Both => true,
            Self::None => false,
            Self::First => side == Side::First,
            Self::Second => side == Side::Second,
        }
    }
}

/// Plies without a shot after which a game of the program against itself stops: neither side is making progress.
const IDLE: u16 = 100;

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    let tables = args.tables.open()?;
    let rules = *tables.rules();
    let (start, record) = match args.position.read_record(&rules)? {
        Some(game) => game,
        None => (args.position.read_fen(&rules)?.unwrap_or_else(|| Fen::start(&rules)), Record::default()),
    };
    let positions = record.positions(&start.position, &rules)?;
    let limits = Limits { time: Some(Duration::from_millis(args.movetime.into())), ..Limits::default() };
    let form = args.form.form();
    let mut play = Play {
        out,
        engine: Engine::new(tables),
        rules,
        record,
        number: start.move_number,
        positions,
        sides: args.side,
        limits,
        form,
    };
    play.run(&mut io::stdin().lock(), io::stdin().is_terminal())
}

/// A game in progress and its players.
struct Play<'a> {
    out: &'a mut dyn Write,
    engine: Engine,
    rules: RuleSet,
    record: Record,
    /// The move number at the start.
    number: u32,
    /// The position at the start and after each turn of the record.
    positions: Vec<Position>,
    sides: Sides,
    limits: Limits,
    form: PointForm,
}

/// The meaning of a typed line.
enum Command {
    Turn(Turn),
    Undo,
    Hint,
    Turns,
    Board,
    Record,
    Help,
    Quit,
}

impl Command {
    fn read(line: &str) -> Result<Self, String> {
        Ok(match line.to_ascii_lowercase().as_str() {
            "undo" | "u" => Self::Undo,
            "hint" | "h" => Self::Hint,
            "turns" | "t" => Self::Turns,
            "board" | "b" => Self::Board,
            "record" | "r" => Self::Record,
            "help" | "?" => Self::Help,
            "quit" | "q" | "exit" => Self::Quit,
            _ => Self::Turn(line.parse().map_err(|error| format!("{error}; help lists what can be typed"))?),
        })
    }
}

const HELP: &str = "\
d6         places a cow (with d6xa4 shoots as well)
d6-b6      moves a cow (with d6-b6xa4 shoots as well)
xa4        shoots, where a line was completed without a shot
undo       takes the last turn back, and the program's turn after it
hint       says what to play
turns      lists the legal turns
board      draws the board again
record     writes the game down
quit       ends";

/// The most bytes of a line that are read at once; no turn is that long.
const LONGEST_LINE: u64 = 4096;

impl Play<'_> {
    /// Plays until the game or the input ends, or the player quits.
    fn run(&mut self, input: &mut impl BufRead, prompts: bool) -> CliResult {
        self.greet()?;
        self.draw()?;
        loop {
            if let Some(outcome) = self.position().outcome(&self.rules) {
                writeln!(self.out, "{}", present::outcome_text(outcome))?;
                break;
            }
            if !self.sides.has(self.position().to_move) {
                if self.sides == Sides::None && self.position().counter >= IDLE {
                    writeln!(self.out, "stopped: {IDLE} plies without a shot")?;
                    break;
                }
                self.answer()?;
                continue;
            }
            if prompts {
                write!(self.out, "> ")?;
            }
            self.out.flush()?;
            let Some(line) = read_line(input)? else { break };
            match Command::read(line.trim()) {
                _ if line.trim().is_empty() => {}
                Ok(Command::Quit) => break,
                Ok(command) => self.obey(&command)?,
                Err(message) => writeln!(self.out, "{message}")?,
            }
        }
        self.part()
    }

    fn position(&self) -> &Position {
        // The start is always there.
        &self.positions[self.positions.len() - 1]
    }

    /// The players, and where the program can only search.
    fn greet(&mut self) -> CliResult {
        let name = self.rules.name();
        let who = match self.sides {
            Sides::First => format!("you play the {}", present::side_label(Side::First)),
            Sides::Second => format!("you play the {}", present::side_label(Side::Second)),
            Sides::Both => "you play both sides".to_owned(),
            Sides::None => "the program plays both sides".to_owned(),
        };
        writeln!(self.out, "rules {name}; {who}; help lists what can be typed")?;
        if self.engine.tables().turns(self.position()).is_err() {
            writeln!(self.out, "no table has this position: the program searches until one has")?;
        }
        Ok(writeln!(self.out)?)
    }

    fn draw(&mut self) -> CliResult {
        let position = *self.position();
        writeln!(self.out, "{}", present::draw(self.rules.board(), &position))?;
        self.say_who()
    }

    /// Whose turn it is.
    fn say_who(&mut self) -> CliResult {
        if self.position().outcome(&self.rules).is_some() {
            return Ok(());
        }
        let position = *self.position();
        writeln!(self.out, "{}", present::caption(&self.rules, &position))?;
        if position.shot_pending && self.sides.has(position.to_move) {
            let shots: Vec<String> = position.turns(&self.rules).iter().map(|turn| self.name(*turn)).collect();
            writeln!(self.out, "a line: which cow do you shoot? {}", shots.join(" "))?;
        }
        Ok(())
    }

    fn name(&self, turn: Turn) -> String {
        turn.in_form(self.form).to_string()
    }

    fn obey(&mut self, command: &Command) -> CliResult {
        match command {
            Command::Turn(turn) => return self.try_turn(*turn),
            Command::Undo => return self.undo(),
            Command::Hint => self.hint()?,
            Command::Turns => {
                let turns: Vec<String> =
                    self.position().turns(&self.rules).iter().map(|turn| self.name(*turn)).collect();
                writeln!(self.out, "{}", turns.join(" "))?;
            }
            Command::Board => return self.draw(),
            Command::Record => {
                let start = Fen { position: self.positions[0], move_number: self.number };
                write!(self.out, "{}", self.record.to_game_text(start, &self.rules)?)?;
            }
            Command::Help => writeln!(self.out, "{HELP}")?,
            Command::Quit => {}
        }
        self.say_who()
    }

    /// Makes a typed turn if it is legal.
    fn try_turn(&mut self, turn: Turn) -> CliResult {
        let turn = match turn {
            // If only a shot is possible, its point is enough.
            Turn { step: Step::Place(at), shot: None } if self.position().shot_pending => Turn::quiet(Step::Shoot(at)),
            turn => turn,
        };
        let after = match self.position().apply(turn, &self.rules) {
            // Asks for the shot.
            Err(IllegalTurn::ShotMissing) => self.position().apply_half(turn.step, &self.rules),
            after => after,
        };
        match after {
            Ok(after) => {
                self.make(turn, after);
                if after.shot_pending {
                    self.say_who()
                } else if self.sides.has(after.to_move) || after.outcome(&self.rules).is_some() {
                    self.draw()
                } else {
                    // The board is drawn after the program has answered.
                    Ok(())
                }
            }
            Err(why) => {
                let name = self.name(turn);
                writeln!(self.out, "{name} is not legal: {why}; turns lists what is")?;
                self.say_who()
            }
        }
    }

    /// Adds a turn to the record, or adds the missing shot to its last turn.
    fn make(&mut self, turn: Turn, after: Position) {
        match (turn.step, self.record.turns.last_mut()) {
            (Step::Shoot(at), Some(last))
                if self.positions.len() > 1 && self.positions[self.positions.len() - 1].shot_pending =>
            {
                last.shot = Some(at);
                self.positions.pop();
            }
            _ => self.record.turns.push(turn),
        }
        self.positions.push(after);
    }

    /// Takes back turns until it is the requesting player's turn again.
    fn undo(&mut self) -> CliResult {
        // A game given with its turns may begin with either side's turn.
        let earlier =
            self.positions[..self.positions.len() - 1].iter().rposition(|before| self.sides.has(before.to_move));
        let Some(at) = earlier else {
            writeln!(self.out, "there is no turn to take back")?;
            return self.say_who();
        };
        self.positions.truncate(at + 1);
        self.record.turns.truncate(at);
        self.draw()
    }

    /// The best turn that the program knows, and the faults of tables that it would have asked.
    fn think(&mut self) -> CliResult<Option<Candidate>> {
        let game = Game { position: *self.position(), earlier: self.positions[..self.positions.len() - 1].to_vec() };
        let mut faults = Vec::new();
        let best = self.engine.think(&game, &self.limits, &Stop::default(), &mut |event| {
            if let Event::Fault(error) = event {
                faults.push(error.to_string());
            }
        });
        for fault in faults {
            writeln!(self.out, "note: {fault}")?;
        }
        Ok(best.into_iter().next())
    }

    fn hint(&mut self) -> CliResult {
        let Some(best) = self.think()? else { return Ok(()) };
        let name = self.name(best.turn());
        let worth = match best.exact {
            Some(exact) => exact.value.to_string(),
            None => "found by searching, as no table has this position".to_owned(),
        };
        Ok(writeln!(self.out, "hint: {name}, {worth}")?)
    }

    /// Makes a turn of the program.
    fn answer(&mut self) -> CliResult {
        let position = *self.position();
        // Thinking returns a turn whenever there is one.
        let Some(turn) = self.think()?.map(|best| best.turn()).or_else(|| position.turns(&self.rules).first().copied())
        else {
            return Err(CliError::job("the program found no turn"));
        };
        let after = position.apply(turn, &self.rules)?;
        writeln!(self.out, "{} plays {}\n", present::side_label(position.to_move), self.name(turn))?;
        self.make(turn, after);
        self.draw()
    }

    /// Advice on what to do with the game afterwards.
    fn part(&mut self) -> CliResult {
        if self.record.turns.is_empty() {
            return Ok(());
        }
        let start = self.positions[0];
        let from = if start == Position::start(&self.rules) { String::new() } else { format!("--from '{start}' ") };
        let default = RuleSet::default();
        let rules = if self.rules == default {
            String::new()
        } else {
            format!("--rules {} ", shell_quoted(&self.rules.name()))
        };
        let record = Record { begins: None, start: None, rules: None, ..self.record.clone() };
        Ok(writeln!(self.out, "what each turn was worth: morabase review {rules}{from}'{record}'")?)
    }
}

/// The next line, or `None` at the end of the input.
fn read_line(input: &mut impl BufRead) -> CliResult<Option<String>> {
    let mut line = Vec::new();
    let read = input.take(LONGEST_LINE).read_until(b'\n', &mut line);
    let length = read.map_err(|error| CliError::job(format!("cannot read standard input: {error}")))?;
    Ok((length > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
}
