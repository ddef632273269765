//! [`Refusal`]: why a request was not answered, as a status and a JSON object with stable keys.

use serde::Serialize;

use crate::probe::ProbeError;
use crate::rules::RuleSet;
use crate::space::Class;
use crate::store::class_of_file;
use crate::table::TableError;

/// A request that was not answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    status: u16,
    code: &'static str,
    error: String,
    class: Option<Class>,
    parameter: Option<String>,
}

/// The object for the client.
#[derive(Serialize)]
struct RefusalObject<'a> {
    status: u16,
    code: &'static str,
    error: &'a str,
    class: Option<String>,
    parameter: Option<&'a str>,
}

impl Refusal {
    pub(crate) fn new(status: u16, code: &'static str, error: impl Into<String>) -> Self {
        Self { status, code, error: error.into(), class: None, parameter: None }
    }

    /// A parameter that cannot be read.
    pub(crate) fn parameter(name: &str, error: impl Into<String>) -> Self {
        let refusal = Self::new(400, "bad-parameter", error);
        Self { parameter: Some(name.to_owned()), ..refusal }
    }

    /// A text that is not a position.
    pub(crate) fn position(name: &str, error: impl Into<String>) -> Self {
        Self { code: "bad-position", ..Self::parameter(name, error) }
    }

    /// There are no tables of these rules.
    pub(crate) fn rules<'a>(asked: &RuleSet, served: impl Iterator<Item = &'a RuleSet>) -> Self {
        let served: Vec<String> = served.map(RuleSet::name).collect();
        let error = format!("there are no tables of the rules {}: expected {}", asked.name(), served.join(" or "));
        let refusal = Self::new(404, "rules-not-served", error);
        Self { parameter: Some("rules".to_owned()), ..refusal }
    }

    /// Converts an error of tables that do not answer. Names files, but never their location.
    pub(crate) fn probe(error: &ProbeError) -> Self {
        match error {
            ProbeError::MissingTable { class, file, searched } => {
                let rules = searched.rules.name();
                let error = format!(
                    "there is no table of class {class} under the rules {rules}: expected a file named {file} among the tables"
                );
                Self { class: Some(*class), ..Self::new(404, "missing-table", error) }
            }
            ProbeError::Unreachable { class, .. } => {
                Self { class: Some(*class), ..Self::new(404, "unreachable-class", error.to_string()) }
            }
            ProbeError::IllegalPosition { .. } => Self::position("position", error.to_string()),
            ProbeError::Table(error) => Self::table(error),
            ProbeError::Contradiction { class, .. } => Self { class: Some(*class), ..Self::damaged(error.to_string()) },
            // No other error occurs while answering.
            _ => Self::damaged("the tables cannot be read".to_owned()),
        }
    }

    fn damaged(error: String) -> Self {
        Self::new(500, "damaged-table", error)
    }

    fn table(error: &TableError) -> Self {
        let name = error.file().file_name().unwrap_or_default().to_string_lossy();
        Self { class: class_of_file(error.file()), ..Self::damaged(format!("{name}: {}", error.fault())) }
    }

    /// A table whose bytes are not available.
    pub(crate) fn not_fetched(class: Option<Class>, error: String) -> Self {
        Self { class, ..Self::new(502, "not-fetched", error) }
    }

    /// A failure of this program although the request was right.
    pub(crate) fn internal() -> Self {
        Self::new(500, "internal", "this program failed; the request was not to blame")
    }

    /// The HTTP status, such as 404.
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// The same as words.
    pub fn text(&self) -> &str {
        &self.error
    }

    /// The object for the client, with a line end.
    pub fn json(&self) -> String {
        let object = RefusalObject {
            status: self.status,
            code: self.code,
            error: &self.error,
            class: self.class.map(|class| class.to_string()),
            parameter: self.parameter.as_deref(),
        };
        // Only strings and numbers: it cannot fail.
        serde_json::to_string(&object).unwrap_or_default() + "\n"
    }
}

impl From<ProbeError> for Refusal {
    fn from(error: ProbeError) -> Self {
        Self::probe(&error)
    }
}
