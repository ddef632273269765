//! Errors of the library as exceptions of the package.
//!
//! The classes themselves are Python (`morabase/_errors.py`), because each derives from `morabase.Error` and from the built-in
//! exception that a Python programmer would catch. Here an error of the library becomes one of them, with the
//! attributes that a program may want to read.

use std::io;
use std::path::Path;

use morabase::build::BuildError;
use morabase::store::StoreError;
use morabase::table::{TableError, TableFault};
use morabase::{ClassError, IllegalTurn, NotationError, PositionError, ProbeError, RecordError, RuleError};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The exception of this name with a message and attributes.
pub(crate) fn error(py: Python<'_>, name: &str, message: &str, attributes: &[(&str, &str)]) -> PyErr {
    let make = || {
        let value = py.import("morabase._errors")?.getattr(name)?.call1((message,))?;
        for (attribute, text) in attributes {
            value.setattr(*attribute, PyString::new(py, text))?;
        }
        Ok(PyErr::from_value(value))
    };
    make().unwrap_or_else(|error: PyErr| error)
}

/// An argument whose value does not fit.
pub(crate) fn bad_argument(py: Python<'_>, message: &str) -> PyErr {
    error(py, "ArgumentError", message, &[])
}

/// An argument of the wrong type: says what was expected and which type came.
pub(crate) fn bad_type(value: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    let found = value.get_type().name().map_or_else(|_| "another type".to_owned(), |name| name.to_string());
    error(value.py(), "ArgumentTypeError", &format!("expected {expected}, found {found}"), &[])
}

/// An error of the library that has an exception here.
pub(crate) trait Raise {
    /// The exception.
    fn raise(&self, py: Python<'_>) -> PyErr;
}

/// Results whose error becomes an exception.
pub(crate) trait OrRaise<T> {
    /// The value, or the exception.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T, E: Raise> OrRaise<T> for Result<T, E> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| error.raise(py))
    }
}

/// Errors that say everything in their message.
macro_rules! raise_as {
    ($($error:ty => $name:literal),* $(,)?) => {$(
        impl Raise for $error {
            fn raise(&self, py: Python<'_>) -> PyErr {
                error(py, $name, &self.to_string(), &[])
            }
        }
    )*};
}

raise_as! {
    PositionError => "PositionError",
    RuleError => "RulesError",
    IllegalTurn => "IllegalTurnError",
    RecordError => "IllegalTurnError",
    ClassError => "ClassError",
}

impl Raise for NotationError {
    fn raise(&self, py: Python<'_>) -> PyErr {
        match self {
            Self::Position(why) => why.raise(py),
            _ => error(py, "NotationError", &self.to_string(), &[]),
        }
    }
}

pub(crate) fn path_error(py: Python<'_>, path: &Path, message: &str, cause: &io::Error) -> PyErr {
    let raised = error(py, "PathError", message, &[]);
    let value = raised.value(py);
    let tell = || {
        value.setattr("filename", path.as_os_str())?;
        match errno(py, cause)? {
            Some(number) => value.setattr("errno", number),
            None => Ok(()),
        }
    };
    // Without them the exception still says it all.
    let _: PyResult<()> = tell();
    raised
}

/// The number that Python's module `errno` has for this error, where it is known.
fn errno<'py>(py: Python<'py>, cause: &io::Error) -> PyResult<Option<Bound<'py, PyAny>>> {
    // Elsewhere the system counts in another way.
    if let Some(number) = cause.raw_os_error().filter(|_| cfg!(unix)) {
        return Ok(Some(number.into_pyobject(py)?.into_any()));
    }
    let name = match cause.kind() {
        io::ErrorKind::NotFound => "ENOENT",
        io::ErrorKind::NotADirectory => "ENOTDIR",
        io::ErrorKind::PermissionDenied => "EACCES",
        io::ErrorKind::StorageFull => "ENOSPC",
        _ => return Ok(None),
    };
    py.import("errno")?.getattr(name).map(Some)
}

fn corrupt(py: Python<'_>, file: &Path, message: &str) -> PyErr {
    error(py, "CorruptTableError", message, &[("filename", &file.to_string_lossy())])
}

impl Raise for ProbeError {
    fn raise(&self, py: Python<'_>) -> PyErr {
        let message = self.to_string();
        match self {
            Self::MissingTable { class, .. } => {
                error(py, "MissingTableError", &message, &[("class_name", &class.to_string())])
            }
            Self::Unreachable { class, .. } => {
                error(py, "PlacingPhaseError", &message, &[("class_name", &class.to_string())])
            }
            Self::IllegalPosition { why } => why.raise(py),
            Self::RulesDiffer { file, expected, found } => error(
                py,
                "RulesDifferError",
                &message,
                &[("filename", &file.to_string_lossy()), ("expected", expected), ("found", found)],
            ),
            Self::Table(fault) => table_error(py, fault, &message),
            Self::Directory(fault) => fault.raise(py),
            Self::Contradiction { .. } => error(py, "CorruptTableError", &message, &[]),
            _ => error(py, "Error", &message, &[]),
        }
    }
}

impl Raise for StoreError {
    fn raise(&self, py: Python<'_>) -> PyErr {
        let message = self.to_string();
        match self {
            Self::Io { path, source, .. } => path_error(py, path, &message, source),
            Self::NotADirectory { path, found } => {
                let kind = if *found == "nothing" { io::ErrorKind::NotFound } else { io::ErrorKind::NotADirectory };
                path_error(py, path, &message, &kind.into())
            }
            Self::OtherRules { path, expected, found } => {
                let attributes = [("filename", &*path.to_string_lossy()), ("expected", expected), ("found", found)];
                error(py, "RulesDifferError", &message, &attributes)
            }
            Self::Table(fault) => table_error(py, fault, &message),
            _ => error(py, "BuildError", &message, &[]),
        }
    }
}

/// The exception for a table that cannot be used; `message` says what to do about it as well.
fn table_error(py: Python<'_>, fault: &TableError, message: &str) -> PyErr {
    match fault.fault() {
        TableFault::Io { source, .. } => path_error(py, fault.file(), message, source),
        _ => corrupt(py, fault.file(), message),
    }
}

/// The messages that speak of options of the command line are said in the words of this package.
impl Raise for BuildError {
    fn raise(&self, py: Python<'_>) -> PyErr {
        match self {
            Self::Class(why) => why.raise(py),
            Self::Cows { .. } => bad_argument(py, &self.to_string()),
            Self::Store(fault) => fault.raise(py),
            Self::Missing { class, missing, directory } => {
                let list = missing.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                let place = directory.display();
                let message = format!("{class} cannot be built alone: {list} missing in {place}; leave out only=True");
                error(py, "MissingTableError", &message, &[("class_name", &class.to_string())])
            }
            Self::Memory { class, least, limit } => {
                let message = format!(
                    "the build needs at least {least} bytes of memory (for {class}), and {limit} are allowed; nothing was started"
                );
                error(py, "BuildError", &message, &[])
            }
            Self::Table(fault) => table_error(py, fault, &self.to_string()),
            _ => error(py, "BuildError", &self.to_string(), &[]),
        }
    }
}
