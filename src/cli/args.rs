//! Arguments that several subcommands share: the rules and the position.

use std::ffi::OsStr;
use std::io::{self, Write};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use morabase::{
    Class, ClassError, Fen, FullBoard, NoRemake, PointForm, Position, Preset, Record, RuleError, RuleSet, present,
    rules,
};

use super::{CliError, CliResult};

/// The rules: a preset or a canonical text, and options set by themselves on top of it.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Rules")]
pub(crate) struct RuleArgs {
    /// Preset or canonical rule text (`morabase rules` lists them)
    #[arg(long, value_name = "RULES", default_value = Preset::Gar.name(), value_parser = RulesParser, hide_possible_values = true)]
    rules: RuleSet,
    #[command(flatten)]
    overrides: RuleOverrides,
}

/// Single rule options that replace those of a preset.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Rules")]
pub(crate) struct RuleOverrides {
    /// Draw counter: none, when-three:N or always:N, N in plies
    #[arg(long, value_name = "COUNTER", value_parser = parse_counter)]
    counter: Option<OptionalCounter>,
    /// Which no-remake rule applies: none, or one for the same cow or the same line
    #[arg(long, value_name = "READING", value_parser = one_of::<NoRemake>(NoRemake::ALL.map(NoRemake::name)))]
    no_remake: Option<NoRemake>,
    /// What a full board without a shot means
    #[arg(long, value_name = "MEANING", value_parser = one_of::<FullBoard>(FullBoard::ALL.map(FullBoard::name)))]
    full_board: Option<FullBoard>,
    /// Cows that each player starts with, 3 to 12
    #[arg(long, value_name = "N", value_parser = parse_cows)]
    cows: Option<u8>,
}

fn parse_cows(text: &str) -> Result<u8, &'static str> {
    text.parse().ok().filter(|cows| (3..=12).contains(cows)).ok_or("expected 3 to 12")
}

/// A wrapper, as clap would take a bare `Option` for an optional argument.
#[derive(Clone, Copy, Debug)]
struct OptionalCounter(Option<rules::Counter>);

impl RuleArgs {
    /// The requested rules, or the default ones.
    pub(crate) fn rules(&self) -> CliResult<RuleSet> {
        self.overrides.on(self.rules)
    }
}

impl RuleOverrides {
    /// Whether no option was given.
    pub(crate) const fn is_empty(&self) -> bool {
        matches!(self, Self { counter: None, no_remake: None, full_board: None, cows: None })
    }

    /// `rules` with the given options applied.
    pub(crate) fn on(&self, mut rules: RuleSet) -> CliResult<RuleSet> {
        if let Some(OptionalCounter(counter)) = self.counter {
            rules.counter = counter;
        }
        rules.no_remake = self.no_remake.unwrap_or(rules.no_remake);
        rules = rules.with_cows(self.cows.unwrap_or(rules.cows));
        rules.full_board = self.full_board.unwrap_or(rules.full_board);
        Ok(rules.check()?)
    }
}

/// Reads the same as [`RuleSet::named`], and offers the presets to completions and manual pages.
#[derive(Clone)]
pub(crate) struct RulesParser;

impl TypedValueParser for RulesParser {
    type Value = RuleSet;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<RuleSet, clap::Error> {
        TypedValueParser::parse_ref(&RuleSet::named, command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Preset::ALL.into_iter().map(|preset| PossibleValue::new(preset.name()).help(preset.summary()))))
    }
}

/// Reads a class such as `4-3`.
pub(crate) fn parse_class(text: &str) -> Result<Class, ClassError> {
    text.parse()
}

fn parse_counter(text: &str) -> Result<OptionalCounter, RuleError> {
    rules::parse_counter(text).map(OptionalCounter)
}

/// Reads one of these names, and lists all of them in help and completions.
fn one_of<T>(names: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: std::str::FromStr<Err = RuleError> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names.into_iter().collect::<Vec<_>>()).try_map(|name: String| name.parse::<T>())
}

/// A position, given as one, by the turns that lead to it, or both.
#[derive(Args, Clone, Debug)]
pub(crate) struct PositionArgs {
    /// Position in short form or as a FEN (in quotes)
    position: Option<String>,
    /// Turns from the start, or from POSITION if there is one: 'd6 d7 b4 a4 b6 g7 b2xa4', or a PGN game
    #[arg(long, value_name = "TURNS")]
    moves: Option<String>,
}

impl PositionArgs {
    /// The position, unless neither a position nor turns were given.
    pub(crate) fn read(&self, rules: &RuleSet) -> CliResult<Option<Position>> {
        Ok(self.read_fen(rules)?.map(|fen| fen.position))
    }

    /// The same with the move number: a FEN's own, otherwise 1, advanced by the turns.
    pub(crate) fn read_fen(&self, rules: &RuleSet) -> CliResult<Option<Fen>> {
        if self.position.is_none() && self.moves.is_none() {
            return Ok(None);
        }
        read_position(self.position.as_deref(), self.moves.as_deref(), rules).map(Some)
    }

    /// The given turns, and the position in which they begin.
    pub(crate) fn read_record(&self, rules: &RuleSet) -> CliResult<Option<(Fen, Record)>> {
        let Some(moves) = &self.moves else { return Ok(None) };
        read_game(self.position.as_deref(), Some(moves), rules).map(Some)
    }

    /// The position's own text, if it was given and no turns follow it.
    pub(crate) fn text(&self) -> Option<&str> {
        self.position.as_deref().filter(|_| self.moves.is_none())
    }
}

/// The start or the given position, and the turns after it.
pub(crate) fn read_position(position: Option<&str>, moves: Option<&str>, rules: &RuleSet) -> CliResult<Fen> {
    let (start, record) = read_game(position, moves, rules)?;
    Ok(start.follow(&record, rules)?)
}

/// The start, the given position or the one that the record names, and the turns after it.
pub(crate) fn read_game(position: Option<&str>, moves: Option<&str>, rules: &RuleSet) -> CliResult<(Fen, Record)> {
    let record: Record = moves.unwrap_or_default().parse()?;
    let start = match position {
        Some(text) => Some(read_start(text, rules)?),
        None => record.own_start(rules)?,
    };
    Ok((start.unwrap_or_else(|| Fen::start(rules)), record))
}

/// A position as typed. Turns in its place are recognised, and so are forgotten cows in hand.
fn read_start(text: &str, rules: &RuleSet) -> CliResult<Fen> {
    let fen = match Fen::from_notation(text, rules) {
        Ok(fen) => fen,
        Err(_) if text.parse::<Record>().is_ok_and(|record| !record.turns.is_empty()) => {
            let turns = shell_quoted(text.trim());
            return Err(CliError::usage(format!("expected a position, found turns: give them as --moves {turns}")));
        }
        Err(error) => return Err(error.into()),
    };
    let says_hands = text.to_ascii_uppercase().contains(":H") || text.contains('/');
    if let Some(hint) = present::hands_hint(rules, &fen.position).filter(|_| !says_hands) {
        // If standard error is closed the answer is still printed.
        let _ = writeln!(io::stderr(), "hint: {hint}");
    }
    Ok(fen)
}

/// A word quoted for a POSIX shell: bare if that is safe, otherwise in quotes.
pub(crate) fn shell_quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./+,:=@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// How points are named in the output.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct FormArgs {
    /// How to name points in the output
    #[arg(long = "points", value_name = "FORM", default_value = "grid")]
    form: Form,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Form {
    /// a7 to g1
    Grid,
    /// E1 to R8, as in the Generally Accepted Rules
    Gar,
}

impl FormArgs {
    pub(crate) const fn form(self) -> PointForm {
        match self.form {
            Form::Grid => PointForm::Grid,
            Form::Gar => PointForm::Gar,
        }
    }
}

/// Reads a number of bytes with an optional unit: `900M`, `8G`, `8GiB`.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let bad = || format!("expected a number of bytes such as 900M or 8G, found {text:?}");
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(bad());
    }
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return Err(bad()),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    bytes.ok_or_else(|| format!("too large: expected less than {} EiB, found {text:?}", 1 << 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_read_something_else() {
        for (word, quoted) in
            [("gar", "gar"), ("/data/gar", "/data/gar"), ("my tables", "'my tables'"), ("", "''"), ("a'b", r"'a'\''b'")]
        {
            assert_eq!(shell_quoted(word), quoted);
        }
    }

    #[test]
    fn sizes_are_read_with_and_without_units() {
        assert_eq!(parse_bytes("8G"), Ok(8 << 30));
        assert_eq!(parse_bytes("900mib"), Ok(900 << 20));
        assert_eq!(parse_bytes("17"), Ok(17));
        for bad in ["", "G", "-1", "1.5G", "8X", "８G", "99999999999999999999X"] {
            assert!(parse_bytes(bad).unwrap_err().starts_with("expected a number of bytes"), "{bad}");
        }
        for large in ["99999999T", "16777216T", "99999999999999999999"] {
            assert!(parse_bytes(large).unwrap_err().starts_with("too large"), "{large}");
        }
        assert_eq!(parse_bytes("16777215T"), Ok(16_777_215 << 40));
    }
}
