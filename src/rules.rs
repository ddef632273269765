//! Rule sets: every option of the game, the presets people play, and a fingerprint stored in tables.
//!
//! A [`RuleSet`] is plain data. Its canonical text is readable and unique, and the fingerprint is a hash of that text,
//! so two tables belong together exactly when their texts are equal.

use std::fmt;
use std::str::FromStr;

use crate::board::{Board, BoardKind};
use crate::token::{clip, look_alike, without_mark};

/// The number of cows at which a player whose hand is empty may fly.
pub const FLYING_COWS: u8 = 3;

/// The fewest cows, on the board and in hand together, with which a player has not lost.
pub const FEWEST_COWS: u8 = 3;

/// The most cows a player can have, on the board and in hand together.
pub const MOST_COWS: u8 = 12;

/// The highest limit a draw counter may have, in plies.
pub const MAX_COUNTER_LIMIT: u16 = 1000;

/// When the draw counter runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CounterScope {
    /// While either player has exactly three cows and both hands are empty.
    WhenThree,
    /// Through the whole moving phase.
    Always,
}

impl CounterScope {
    /// The name in canonical texts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WhenThree => "when-three",
            Self::Always => "always",
        }
    }
}

/// The draw counter: the game is drawn when it reaches `limit` plies without a shot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Counter {
    /// When the counter runs.
    pub scope: CounterScope,
    /// The limit in plies, at least 1 and at most [`MAX_COUNTER_LIMIT`].
    pub limit: u16,
}

/// The option's text, such as `when-three:20`.
impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.scope.name(), self.limit)
    }
}

/// The interpretation of the no-remake rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NoRemake {
    /// There is no such rule.
    None,
    /// The cow that broke a line and completed another may not go straight back and complete a line there.
    SameCow,
    /// No cow may complete a line that the last turn broke.
    SameLine,
}

impl NoRemake {
    /// All interpretations.
    pub const ALL: [Self; 3] = [Self::None, Self::SameCow, Self::SameLine];

    /// The name in canonical texts and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::SameCow => "same-cow",
            Self::SameLine => "same-line",
        }
    }
}

/// What happens when all 24 points are taken without a shot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FullBoard {
    /// The player to move is blocked and has lost.
    BlockedLoses,
    /// The game is drawn.
    Draw,
}

impl FullBoard {
    /// All interpretations.
    pub const ALL: [Self; 2] = [Self::BlockedLoses, Self::Draw];

    /// The name in canonical texts and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BlockedLoses => "blocked-loses",
            Self::Draw => "draw",
        }
    }
}

/// A named rule set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Preset {
    /// The Generally Accepted Rules of MSSA and IWF, "ten moves" read as ten by each player.
    Gar,
    /// The Generally Accepted Rules, "ten moves" read as ten plies.
    Gar10,
    /// The Wikipedia text and the pages that follow it.
    Wikipedia,
    /// The online "arcade" rules.
    Arcade,
    /// No counter and no restriction: the rules that other mill databases solve.
    Plain,
    /// Nine men's morris on its own board.
    NineMensMorris,
}

impl Preset {
    /// All presets, the default first.
    pub const ALL: [Self; 6] =
        [Self::Gar, Self::Gar10, Self::Wikipedia, Self::Arcade, Self::Plain, Self::NineMensMorris];

    /// The preset's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gar => "gar",
            Self::Gar10 => "gar-10",
            Self::Wikipedia => "wikipedia",
            Self::Arcade => "arcade",
            Self::Plain => "plain",
            Self::NineMensMorris => "nine-mens-morris",
        }
    }

    /// One line about the origin of these rules.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Gar => "MSSA/IWF Generally Accepted Rules, ten moves by each player (default)",
            Self::Gar10 => "MSSA/IWF Generally Accepted Rules, ten plies",
            Self::Wikipedia => "the Wikipedia text and the pages that follow it",
            Self::Arcade => "the online arcade rules",
            Self::Plain => "no counter, no restriction: what other mill databases solve",
            Self::NineMensMorris => "nine men's morris: no diagonals, nine men, flying at three",
        }
    }

    /// The rule set behind the name.
    pub const fn rules(self) -> RuleSet {
        let (no_remake, counter, full_board) = match self {
            Self::Gar => (NoRemake::SameCow, Some((CounterScope::WhenThree, 20)), FullBoard::BlockedLoses),
            Self::Gar10 => (NoRemake::SameCow, Some((CounterScope::WhenThree, 10)), FullBoard::BlockedLoses),
            Self::Wikipedia => (NoRemake::SameLine, Some((CounterScope::WhenThree, 20)), FullBoard::BlockedLoses),
            Self::Arcade => (NoRemake::None, Some((CounterScope::Always, 60)), FullBoard::Draw),
            Self::Plain => (NoRemake::None, None, FullBoard::Draw),
            Self::NineMensMorris => (NoRemake::None, None, FullBoard::BlockedLoses),
        };
        let board = match self {
            Self::NineMensMorris => BoardKind::NineMensMorris,
            _ => BoardKind::Morabaraba,
        };
        let counter = match counter {
            Some((scope, limit)) => Some(Counter { scope, limit }),
            None => None,
        };
        RuleSet { board, cows: board.default_cows(), counter, no_remake, full_board }
    }
}

impl FromStr for Preset {
    type Err = RuleError;

    fn from_str(name: &str) -> Result<Self, RuleError> {
        let bare = without_mark(name);
        let found = Self::ALL.into_iter().find(|preset| preset.name() == bare);
        found.ok_or_else(|| RuleError::UnknownPreset { found: name.to_owned() })
    }
}

/// Why a rule set was refused.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// No preset has this name.
    #[error("there is no rule set {}: expected gar, gar-10, wikipedia, arcade, plain or nine-mens-morris", shown(.found))]
    UnknownPreset {
        /// The name that was given.
        found: String,
    },
    /// An option has an invalid value.
    #[error("rule option {option}: expected {expected}, found {:?}{}", clip(.found), look_alike(.found))]
    BadOption {
        /// The option's name in canonical texts.
        option: &'static str,
        /// The valid values of the option.
        expected: &'static str,
        /// What was given.
        found: String,
    },
    /// A canonical rule text has a missing or an extra part.
    #[error("rule text {:?}{}: expected \"BOARD;cows=N;fly=3;counter=…;no-remake=…;full-board=…\"", clip(.found), look_alike(.found))]
    BadText {
        /// The text that was given.
        found: String,
    },
    /// Two options cannot be combined.
    #[error("these rules contradict each other: {why}")]
    Impossible {
        /// The reason.
        why: &'static str,
    },
}

debug_is_display!(RuleError);

/// A name as an error shows it, unless it is so long that whoever gave it is better off without.
fn shown(found: &str) -> String {
    if clip(found) == found { format!("named {found:?}{}", look_alike(found)) } else { "of that long name".to_owned() }
}

/// All options of the game. Build one from a [`Preset`], change what differs and [`check`](Self::check) it.
///
/// ```
/// use morabase::{NoRemake, Preset, RuleSet};
/// let rules = RuleSet { no_remake: NoRemake::SameLine, ..Preset::Gar.rules() }.check()?;
/// assert_eq!(
///     rules.to_string(),
///     "morabaraba;cows=12;fly=3;counter=when-three:20;no-remake=same-line;full-board=blocked-loses"
/// );
/// assert_eq!(rules.to_string().parse::<RuleSet>()?, rules);
/// # Ok::<(), morabase::RuleError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RuleSet {
    /// The board.
    pub board: BoardKind,
    /// Cows each player starts with, 3..=12.
    pub cows: u8,
    /// The draw counter, if any.
    pub counter: Option<Counter>,
    /// The no-remake rule.
    pub no_remake: NoRemake,
    /// What a full board means.
    pub full_board: FullBoard,
}

impl Default for RuleSet {
    fn default() -> Self {
        Preset::Gar.rules()
    }
}

impl RuleSet {
    /// The board's data.
    pub const fn board(&self) -> &'static Board {
        self.board.board()
    }

    /// The same rules for a smaller game, with `cows` in each hand. If so few cows never fill the board, the meaning of
    /// a full board is left at its default: [`FullBoard::BlockedLoses`].
    ///
    /// ```
    /// use morabase::Preset;
    /// let rules = Preset::Plain.rules().with_cows(4);
    /// assert_eq!(rules.to_string(), "morabaraba;cows=4;fly=3;counter=none;no-remake=none;full-board=blocked-loses");
    /// assert!(rules.check().is_ok());
    /// ```
    #[must_use]
    pub const fn with_cows(self, cows: u8) -> Self {
        let fills = 2 * cows as usize >= self.board().points().len() as usize;
        let full_board = if fills { self.full_board } else { FullBoard::BlockedLoses };
        Self { cows, full_board, ..self }
    }

    /// Returns the rule set if its options can be combined.
    ///
    /// # Errors
    /// [`RuleError::Impossible`] or [`RuleError::BadOption`] with the reason.
    pub fn check(self) -> Result<Self, RuleError> {
        if !(FEWEST_COWS..=MOST_COWS).contains(&self.cows) {
            return Err(bad_option("cows", "3 to 12", &self.cows.to_string()));
        }
        if let Some(Counter { limit, .. }) = self.counter
            && !(1..=MAX_COUNTER_LIMIT).contains(&limit)
        {
            return Err(bad_option("counter", "a limit of 1 to 1000 plies", &limit.to_string()));
        }
        if self.full_board == FullBoard::Draw && self.with_cows(self.cows) != self {
            return Err(RuleError::Impossible {
                why: "full-board=draw needs 12 cows each, for fewer never fill the 24 points",
            });
        }
        Ok(self)
    }

    /// The rules that a preset's name or a canonical text stands for.
    ///
    /// ```
    /// use morabase::{Preset, RuleSet};
    /// assert_eq!(RuleSet::named("plain")?, Preset::Plain.rules());
    /// assert_eq!(RuleSet::named(&Preset::Plain.rules().to_string())?, Preset::Plain.rules());
    /// # Ok::<(), morabase::RuleError>(())
    /// ```
    ///
    /// # Errors
    /// [`RuleError`] if it is neither.
    pub fn named(text: &str) -> Result<Self, RuleError> {
        if text.contains(';') { text.parse() } else { text.parse().map(Preset::rules) }
    }

    /// The preset with exactly these options, if there is one.
    pub fn preset(&self) -> Option<Preset> {
        Preset::ALL.into_iter().find(|preset| preset.rules() == *self)
    }

    /// The preset's name, or the canonical text if no preset has these options.
    pub fn name(&self) -> String {
        self.preset().map_or_else(|| self.to_string(), |preset| preset.name().to_owned())
    }

    /// A stable hash (XXH3, 64 bits) of the canonical text, written into every table.
    pub fn fingerprint(&self) -> u64 {
        xxhash_rust::xxh3::xxh3_64(self.to_string().as_bytes())
    }

    /// The counter's limit in plies, if it runs with these numbers of cows on the board and both hands empty.
    pub fn counter_limit(&self, own: u8, opponent: u8) -> Option<u16> {
        let counter = self.counter?;
        let runs = match counter.scope {
            CounterScope::Always => true,
            CounterScope::WhenThree => own == 3 || opponent == 3,
        };
        runs.then_some(counter.limit)
    }
}

/// The canonical text.
impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};cows={};fly={FLYING_COWS};counter=", self.board.name(), self.cows)?;
        match self.counter {
            None => f.write_str("none")?,
            Some(counter) => write!(f, "{counter}")?,
        }
        write!(f, ";no-remake={};full-board={}", self.no_remake.name(), self.full_board.name())
    }
}

/// Reads a canonical text.
impl FromStr for RuleSet {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let bad_text = || RuleError::BadText { found: text.to_owned() };
        let parts: Vec<&str> = without_mark(text).split(';').collect();
        let [board, cows, fly, counter, no_remake, full_board] = parts[..] else { return Err(bad_text()) };
        let value = |part: &'_ str, key: &str| {
            part.strip_prefix(key).and_then(|rest| rest.strip_prefix('=')).map(str::to_owned).ok_or_else(bad_text)
        };
        let board = BoardKind::ALL
            .into_iter()
            .find(|kind| kind.name() == board)
            .ok_or_else(|| bad_option("board", "morabaraba or nine-mens-morris", board))?;
        let cows_text = value(cows, "cows")?;
        let cows = cows_text.parse().map_err(|_| bad_option("cows", "3 to 12", &cows_text))?;
        let fly = value(fly, "fly")?;
        if fly != FLYING_COWS.to_string() {
            return Err(bad_option("fly", "3", &fly));
        }
        let rules = Self {
            board,
            cows,
            counter: parse_counter(&value(counter, "counter")?)?,
            no_remake: value(no_remake, "no-remake")?.parse()?,
            full_board: value(full_board, "full-board")?.parse()?,
        };
        rules.check()
    }
}

fn bad_option(option: &'static str, expected: &'static str, found: &str) -> RuleError {
    RuleError::BadOption { option, expected, found: found.to_owned() }
}

/// Reads `none`, `when-three:N` or `always:N`.
///
/// # Errors
/// [`RuleError::BadOption`] for anything else.
pub fn parse_counter(text: &str) -> Result<Option<Counter>, RuleError> {
    let bad = || bad_option("counter", "none, when-three:N or always:N, N being 1 to 1000 plies", text);
    if text == "none" {
        return Ok(None);
    }
    let (scope, limit) = text.split_once(':').ok_or_else(bad)?;
    let scope = [CounterScope::WhenThree, CounterScope::Always].into_iter().find(|known| known.name() == scope);
    let limit = limit.parse().ok().filter(|limit| (1..=MAX_COUNTER_LIMIT).contains(limit));
    match (scope, limit) {
        (Some(scope), Some(limit)) => Ok(Some(Counter { scope, limit })),
        _ => Err(bad()),
    }
}

impl FromStr for NoRemake {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let found = Self::ALL.into_iter().find(|known| known.name() == text);
        found.ok_or_else(|| bad_option("no-remake", "none, same-cow or same-line", text))
    }
}

impl FromStr for FullBoard {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let found = Self::ALL.into_iter().find(|known| known.name() == text);
        found.ok_or_else(|| bad_option("full-board", "blocked-loses or draw", text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_texts_of_presets_never_change() {
        let texts = [
            "morabaraba;cows=12;fly=3;counter=when-three:20;no-remake=same-cow;full-board=blocked-loses",
            "morabaraba;cows=12;fly=3;counter=when-three:10;no-remake=same-cow;full-board=blocked-loses",
            "morabaraba;cows=12;fly=3;counter=when-three:20;no-remake=same-line;full-board=blocked-loses",
            "morabaraba;cows=12;fly=3;counter=always:60;no-remake=none;full-board=draw",
            "morabaraba;cows=12;fly=3;counter=none;no-remake=none;full-board=draw",
            "nine-mens-morris;cows=9;fly=3;counter=none;no-remake=none;full-board=blocked-loses",
        ];
        for (preset, text) in Preset::ALL.into_iter().zip(texts) {
            assert_eq!(preset.rules().to_string(), text);
            assert_eq!(text.parse(), Ok(preset.rules()));
            assert_eq!(preset.rules().check(), Ok(preset.rules()));
            assert_eq!(preset.rules().preset(), Some(preset));
            assert_eq!(preset.name().parse(), Ok(preset));
        }
    }

    #[test]
    fn fingerprints_are_pinned_and_differ() {
        let prints = Preset::ALL.map(|preset| preset.rules().fingerprint());
        for (i, print) in prints.iter().enumerate() {
            assert!(!prints[..i].contains(print));
        }
        assert_eq!(format!("{:016x}", prints[0]), "283ccf5972aa2c0b");
    }

    #[test]
    fn impossible_rules_are_refused_with_the_reason() {
        let refused = [
            (
                "morabaraba;cows=2;fly=3;counter=none;no-remake=none;full-board=draw",
                "rule option cows: expected 3 to 12, found \"2\"",
            ),
            (
                "morabaraba;cows=13;fly=3;counter=none;no-remake=none;full-board=draw",
                "rule option cows: expected 3 to 12, found \"13\"",
            ),
            (
                "morabaraba;cows=11;fly=3;counter=none;no-remake=none;full-board=draw",
                "these rules contradict each other: full-board=draw needs 12 cows",
            ),
            (
                "morabaraba;cows=12;fly=4;counter=none;no-remake=none;full-board=draw",
                "rule option fly: expected 3, found \"4\"",
            ),
            ("morabaraba;cows=12;fly=3;counter=always:0;no-remake=none;full-board=draw", "rule option counter: "),
            ("morabaraba;cows=12;fly=3;counter=sometimes:3;no-remake=none;full-board=draw", "rule option counter: "),
            ("morabaraba;cows=12;fly=3;counter=none;no-remake=maybe;full-board=draw", "rule option no-remake: "),
            ("chess;cows=12;fly=3;counter=none;no-remake=none;full-board=draw", "rule option board: "),
            ("morabaraba;cows=12;fly=3;counter=none;no-remake=none", "rule text "),
        ];
        for (text, reason) in refused {
            let error = text.parse::<RuleSet>().unwrap_err().to_string();
            assert!(error.starts_with(reason), "{error}");
        }
    }

    #[test]
    fn counter_runs_only_in_its_scope() {
        let gar = Preset::Gar.rules();
        assert_eq!(gar.counter_limit(3, 9), Some(20));
        assert_eq!(gar.counter_limit(4, 4), None);
        assert_eq!(Preset::Arcade.rules().counter_limit(9, 9), Some(60));
        assert_eq!(Preset::Plain.rules().counter_limit(3, 3), None);
    }
}
