//! [`Mismatch`]: a field with a value it must not have, before it is known whose fault that is.
//!
//! The same checks run over heads and models that are read and over those to be written. A reader turns a mismatch into
//! a damaged file, a writer into input that it refuses.

use std::fmt;

use super::error::{Part, TableFault, corrupt};

/// A field with an invalid value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Mismatch {
    /// The field.
    what: &'static str,
    /// The valid values.
    expected: String,
    /// The value found.
    found: String,
}

impl Mismatch {
    pub(super) fn new(what: &'static str, expected: impl fmt::Display, found: impl fmt::Display) -> Self {
        Self { what, expected: expected.to_string(), found: found.to_string() }
    }

    /// The mismatch as damage to a part of a file.
    pub(super) fn in_file(&self, part: Part) -> TableFault {
        let expected = format!("{} ({})", self.expected, self.what);
        corrupt(part, expected, &self.found)
    }

    /// The mismatch as a fault in a writer's input.
    pub(super) fn in_input(self) -> TableFault {
        TableFault::BadInput { what: self.what, expected: self.expected, found: self.found }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_faults_say_what_was_expected_and_found() {
        let mismatch = Mismatch::new("blocks", "1 to 158", 159);
        let read = mismatch.in_file(Part::Head).to_string();
        let written = mismatch.in_input().to_string();
        for text in [read, written] {
            assert!(["blocks", "expected 1 to 158", "found 159"].iter().all(|part| text.contains(part)), "{text}");
        }
    }
}
