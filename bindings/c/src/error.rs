//! Status codes, the struct that carries an error's text, and [`Failure`], from which both are made.

use std::fmt::Write;
use std::mem::MaybeUninit;

use tablebase::store::StoreError;
use tablebase::{Class, ClassError, IllegalTurn, NotationError, PositionError, ProbeError, RuleError};

use crate::types::MorabaseClass;

/// Length of the text in a MorabaseError in bytes, with its NUL.
pub const MORABASE_ERROR_TEXT_SIZE: usize = 1016;

/// What a function returns: MORABASE_OK, or why there is no answer. Numbers keep their meaning in later versions, and new
/// ones may be added.
#[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "these are the names in C")]
/// cbindgen:rename-all=None
#[repr(i32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MorabaseStatus {
    /// Done; all results are written.
    MORABASE_OK = 0,
    /// A pointer that must not be NULL is NULL.
    MORABASE_ERROR_NULL = 1,
    /// An argument or option has a value it cannot have.
    MORABASE_ERROR_ARGUMENT = 2,
    /// A text is not UTF-8, or is not a position, turn or rule set.
    MORABASE_ERROR_TEXT = 3,
    /// The position cannot occur under the rules of the tables.
    MORABASE_ERROR_POSITION = 4,
    /// The turn is not legal in this position.
    MORABASE_ERROR_TURN = 5,
    /// The game is over, so there is no turn.
    MORABASE_ERROR_GAME_OVER = 6,
    /// There are cows in hand, and no game leads to so many on the board and in hand: there is no table. MorabaseError names the
    /// class.
    MORABASE_ERROR_HANDS = 7,
    /// The table of a class is in no directory. MorabaseError names the class.
    MORABASE_ERROR_MISSING_TABLE = 8,
    /// Tables are of different rules, or not of the rules that were asked for.
    MORABASE_ERROR_RULES = 9,
    /// A path leads to nothing, or to something that is no directory.
    MORABASE_ERROR_NOT_A_DIRECTORY = 10,
    /// A table file is damaged, is no table, or is of another format version.
    MORABASE_ERROR_CORRUPT = 11,
    /// Tables contradict each other. MorabaseError names the class.
    MORABASE_ERROR_CONTRADICTION = 12,
    /// The operating system refused to open or read a file or directory.
    MORABASE_ERROR_IO = 13,
    /// A fault of this library. Please report it with the text.
    MORABASE_ERROR_INTERNAL = -1,
}

use MorabaseStatus as Status;

/// An error as a function leaves it in the caller's struct. Every function that takes a MorabaseError pointer fills the struct
/// in, with MORABASE_OK and an empty text if all went well; NULL is allowed and saves the work.
#[repr(C)]
pub struct MorabaseError {
    /// The same that the function returns.
    pub status: MorabaseStatus,
    /// The class that MORABASE_ERROR_HANDS, _MISSING_TABLE or _CONTRADICTION is about; all zero for any other error.
    pub table_class: MorabaseClass,
    /// What was expected, what was found and what to do, in English, UTF-8, ended by NUL. A text that is too long loses its
    /// middle.
    pub text: [std::ffi::c_char; MORABASE_ERROR_TEXT_SIZE],
}

/// Why a function has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0} is NULL")]
    Null(&'static str),
    #[error("{what}: expected {expected}, found {found}")]
    Argument { what: &'static str, expected: &'static str, found: String },
    #[error("{0} is not UTF-8")]
    NotUtf8(&'static str),
    #[error(transparent)]
    Notation(#[from] NotationError),
    #[error("this position cannot occur: {0}")]
    Position(PositionError),
    #[error("this position cannot occur: {what}: expected {expected}, found {found}")]
    PositionField { what: &'static str, expected: &'static str, found: u32 },
    #[error(transparent)]
    Turn(#[from] IllegalTurn),
    #[error(transparent)]
    Class(#[from] ClassError),
    #[error(transparent)]
    Rules(#[from] RuleError),
    #[error(transparent)]
    Probe(#[from] ProbeError),
    #[error("internal fault: {0}")]
    Internal(String),
}

impl From<PositionError> for Failure {
    fn from(error: PositionError) -> Self {
        Self::Position(error)
    }
}

impl Failure {
    pub(crate) fn status(&self) -> Status {
        match self {
            Self::Null(_) => Status::MORABASE_ERROR_NULL,
            Self::Argument { .. } | Self::Class(_) => Status::MORABASE_ERROR_ARGUMENT,
            Self::Notation(NotationError::Position(_)) | Self::Position(_) | Self::PositionField { .. } => {
                Status::MORABASE_ERROR_POSITION
            }
            Self::NotUtf8(_) | Self::Notation(_) | Self::Rules(_) => Status::MORABASE_ERROR_TEXT,
            Self::Turn(IllegalTurn::GameOver) => Status::MORABASE_ERROR_GAME_OVER,
            Self::Turn(_) => Status::MORABASE_ERROR_TURN,
            Self::Probe(error) => status_of(error),
            Self::Internal(_) => Status::MORABASE_ERROR_INTERNAL,
        }
    }

    const fn class(&self) -> Option<Class> {
        match self {
            Self::Probe(
                ProbeError::MissingTable { class, .. }
                | ProbeError::Unreachable { class, .. }
                | ProbeError::Contradiction { class, .. },
            ) => Some(*class),
            _ => None,
        }
    }
}

fn status_of(error: &ProbeError) -> Status {
    match error {
        ProbeError::MissingTable { .. } => Status::MORABASE_ERROR_MISSING_TABLE,
        ProbeError::RulesDiffer { .. } => Status::MORABASE_ERROR_RULES,
        ProbeError::Unreachable { .. } => Status::MORABASE_ERROR_HANDS,
        ProbeError::IllegalPosition { .. } => Status::MORABASE_ERROR_POSITION,
        ProbeError::Table(error) if error.io_error().is_some() => Status::MORABASE_ERROR_IO,
        ProbeError::Table(_) => Status::MORABASE_ERROR_CORRUPT,
        ProbeError::Contradiction { .. } => Status::MORABASE_ERROR_CONTRADICTION,
        ProbeError::Directory(StoreError::NotADirectory { .. }) => Status::MORABASE_ERROR_NOT_A_DIRECTORY,
        ProbeError::Directory(_) => Status::MORABASE_ERROR_IO,
        // The list may grow before this one does; the text says what it is.
        _ => Status::MORABASE_ERROR_INTERNAL,
    }
}

/// The status of a result, which is also written into the caller's struct if there is one.
pub(crate) fn report(result: &Result<(), Failure>, error: Option<&mut MaybeUninit<MorabaseError>>) -> Status {
    let status = result.as_ref().err().map_or(Status::MORABASE_OK, Failure::status);
    if let Some(slot) = error {
        let mut text = [0; MORABASE_ERROR_TEXT_SIZE];
        let mut class = None;
        if let Err(failure) = result {
            class = failure.class();
            fill(&mut text, &failure.to_string());
        }
        slot.write(MorabaseError { status, table_class: class.map(MorabaseClass::from).unwrap_or_default(), text });
    }
    status
}

/// Copies a text with its NUL. What is too long loses its middle: it begins with a path and ends with what to do.
fn fill(buffer: &mut [std::ffi::c_char; MORABASE_ERROR_TEXT_SIZE], text: &str) {
    let room = MORABASE_ERROR_TEXT_SIZE - 1;
    let mut shown = String::with_capacity(room);
    if text.len() <= room {
        shown.push_str(text);
    } else {
        let half = (room - " ... ".len()) / 2;
        let (head, tail) = (boundary_below(text, half), boundary_above(text, text.len() - half));
        // Writing into a string cannot fail.
        let _ = write!(shown, "{} ... {}", &text[..head], &text[tail..]);
    }
    // A NUL inside would end the text for C; no message has one but what it quotes may.
    let bytes = shown.bytes().map(|byte| if byte == 0 { b'?' } else { byte });
    for (to, byte) in buffer.iter_mut().zip(bytes) {
        *to = byte as std::ffi::c_char;
    }
}

/// The last place between letters up to `at`.
pub(crate) fn boundary_below(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn boundary_above(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    fn filled(text: &str) -> String {
        let mut buffer = [0; MORABASE_ERROR_TEXT_SIZE];
        fill(&mut buffer, text);
        let bytes: Vec<u8> = buffer.iter().map(|byte| byte.to_ne_bytes()[0]).collect();
        CStr::from_bytes_until_nul(&bytes).unwrap().to_str().unwrap().to_owned()
    }

    #[test]
    fn long_texts_lose_their_middle_and_stay_utf_8() {
        for length in [0, 1, 1016, 1017, 1018, 1019, 5000] {
            for letter in ["a", "é", "€", "🐄"] {
                let text = letter.repeat(length / letter.len());
                let shown = filled(&text);
                assert!(shown.len() < MORABASE_ERROR_TEXT_SIZE);
                assert_eq!(shown == text, text.len() < MORABASE_ERROR_TEXT_SIZE, "{length} {letter}");
            }
        }
        let shown = filled(&format!("/begin{}the end", "/x".repeat(3000)));
        assert!(shown.starts_with("/begin") && shown.contains(" ... ") && shown.ends_with("the end"), "{shown}");
        assert_eq!(filled("a\0b"), "a?b");
    }

    #[test]
    fn without_a_struct_only_the_status_comes_back() {
        assert_eq!(report(&Ok(()), None), Status::MORABASE_OK);
        assert_eq!(report(&Err(Failure::Null("position")), None), Status::MORABASE_ERROR_NULL);
    }
}
