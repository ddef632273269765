//! [`Manifest`] and its text.

use std::fmt;
use std::fs;
use std::path::Path;
use std::str::FromStr;

use crate::rules::RuleSet;
use crate::space::Class;
use crate::store::{class_of_file, file_name};

use super::error::{LineError, LineFault, ManifestError};
use super::hash::FileHash;

const FIRST: &str = "# morabase manifest 1";
const RULES: &str = "# rules";
const FILES: &str = "# files";
const BYTES: &str = "# bytes";

/// The longest text that is accepted; that of all classes has some 90,000 bytes.
const LONGEST: u64 = 1 << 20;

/// The files of a set of tables, with their lengths and hashes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manifest {
    rules: RuleSet,
    files: Vec<Listed>,
}

/// A file in a manifest: `4-3.mora` for class 4-3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Listed {
    /// The class of the table.
    pub class: Class,
    /// The length of the file.
    pub bytes: u64,
    /// The hash of its bytes.
    pub hash: FileHash,
}

impl Manifest {
    pub(super) fn new(rules: RuleSet, mut files: Vec<Listed>) -> Self {
        files.sort_by_key(|file| file.class.order());
        Self { rules, files }
    }

    /// The rules of all tables.
    pub const fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The files in build order: those without cows in hand first, fewest cows on the board first, then layer by layer.
    pub fn files(&self) -> &[Listed] {
        &self.files
    }

    /// The total bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.bytes))
    }

    /// The manifest's entry for a class's file.
    pub fn get(&self, class: Class) -> Option<&Listed> {
        self.files.iter().find(|file| file.class == class)
    }

    /// Reads a manifest from a file.
    ///
    /// # Errors
    /// [`ManifestError::Io`] and [`ManifestError::Line`].
    pub fn read(path: &Path) -> Result<Self, ManifestError> {
        let cannot = |source| ManifestError::Io { path: path.to_owned(), source };
        let found = fs::metadata(path).map_err(cannot)?.len();
        let too_long = LineFault::TooLong { found, most: LONGEST };
        let wrong = |source| ManifestError::Line { path: path.to_owned(), source };
        if found > LONGEST {
            return Err(wrong(LineError { line: 1, fault: too_long }));
        }
        let bytes = fs::read(path).map_err(cannot)?;
        // Text that is not UTF-8 is refused in the line where it occurs.
        String::from_utf8_lossy(&bytes).parse().map_err(wrong)
    }
}

/// The input format of `sha256sum -c`, and the same bytes for the same tables.
impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{FIRST}\n{RULES} {}\n{FILES} {}", self.rules, self.files.len())?;
        self.files
            .iter()
            .try_for_each(|file| writeln!(f, "{BYTES} {}\n{}  {}", file.bytes, file.hash, file_name(file.class)))
    }
}

/// Lines end with a line feed, optionally preceded by a carriage return. Lines that begin with `#` but do not belong to
/// the format are comments.
impl FromStr for Manifest {
    type Err = LineError;

    fn from_str(text: &str) -> Result<Self, LineError> {
        let mut reader = Reader::default();
        let mut lines = 0;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        // Plain letters are paired with a zero byte there.
        if text.lines().next().is_some_and(|first| first.contains('\0')) {
            return Err(LineError { line: 1, fault: LineFault::Wide });
        }
        for (line, text) in (1..).zip(text.lines()) {
            lines = line;
            reader.line(line, text).map_err(|fault| LineError { line, fault })?;
        }
        reader.finish().map_err(|fault| LineError { line: lines + 1, fault })
    }
}

/// What has been read so far.
#[derive(Default)]
struct Reader {
    begun: bool,
    rules: Option<RuleSet>,
    count: Option<u64>,
    /// The length in bytes of the file that the next line names.
    bytes: Option<u64>,
    files: Vec<Listed>,
}

impl Reader {
    fn line(&mut self, line: usize, text: &str) -> Result<(), LineFault> {
        if line == 1 {
            self.begun = text == FIRST;
            return if self.begun { Ok(()) } else { Err(not_a_manifest(text)) };
        }
        if let Some(rules) = value(text, RULES) {
            let rules = rules.parse().map_err(LineFault::Rules)?;
            return once(&mut self.rules, RULES, rules);
        }
        if let Some(count) = value(text, FILES) {
            return once(&mut self.count, FILES, number(FILES, count)?);
        }
        if let Some(bytes) = value(text, BYTES) {
            return once(&mut self.bytes, BYTES, number(BYTES, bytes)?);
        }
        if text.starts_with('#') || text.trim().is_empty() {
            return Ok(());
        }
        let file = self.file(text)?;
        self.files.push(file);
        Ok(())
    }

    fn file(&mut self, text: &str) -> Result<Listed, LineFault> {
        let (hash, name) = text.split_once("  ").ok_or_else(|| LineFault::Syntax { found: shortened(text) })?;
        let hash = hash.parse().map_err(LineFault::Hash)?;
        let class = class_of_file(name.as_ref()).filter(|class| file_name(*class) == name);
        let class = class.ok_or_else(|| LineFault::Name { found: shortened(name) })?;
        let rules = self.rules.ok_or_else(|| missing(RULES))?;
        class.check(&rules).map_err(LineFault::Class)?;
        let bytes = self.bytes.take().ok_or_else(|| missing(BYTES))?;
        if self.files.iter().any(|file| file.class == class) {
            return Err(LineFault::Twice { class });
        }
        Ok(Listed { class, bytes, hash })
    }

    fn finish(self) -> Result<Manifest, LineFault> {
        if !self.begun {
            return Err(not_a_manifest(""));
        }
        let rules = self.rules.ok_or_else(|| missing(RULES))?;
        let expected = self.count.ok_or_else(|| missing(FILES))?;
        let found = self.files.len() as u64;
        if found != expected || self.bytes.is_some() {
            return Err(LineFault::Count { expected, found });
        }
        Ok(Manifest::new(rules, self.files))
    }
}

/// The rest of a line after these words.
fn value<'a>(line: &'a str, words: &str) -> Option<&'a str> {
    line.strip_prefix(words)?.strip_prefix(' ')
}

fn once<T>(place: &mut Option<T>, what: &'static str, value: T) -> Result<(), LineFault> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(LineFault::Header { what, found: "two" }),
    }
}

fn missing(what: &'static str) -> LineFault {
    LineFault::Header { what, found: "none" }
}

fn number(what: &'static str, text: &str) -> Result<u64, LineFault> {
    let digits = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    digits.and_then(|text| text.parse().ok()).ok_or_else(|| LineFault::Number { what, found: shortened(text) })
}

fn not_a_manifest(found: &str) -> LineFault {
    LineFault::NotAManifest { expected: FIRST, found: shortened(found) }
}

/// The part of a line that fits into a message.
fn shortened(text: &str) -> String {
    text.chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;

    fn sample() -> Manifest {
        let listed = |class: &str| {
            let class: Class = class.parse().unwrap();
            Listed { class, bytes: 10 * u64::from(class.total()), hash: FileHash::of(class.to_string().as_bytes()) }
        };
        Manifest::new(Preset::Gar.rules(), ["2-3+1-1", "3-4", "12-12", "4-3", "3-3"].map(listed).to_vec())
    }

    /// What is wrong with the sample's text after a modification.
    fn fault(from: &str, to: &str) -> (usize, String) {
        let text = sample().to_string();
        assert!(text.contains(from), "{from}");
        let error = text.replacen(from, to, 1).parse::<Manifest>().unwrap_err();
        (error.line, error.fault.to_string())
    }

    #[test]
    fn text_and_manifest_are_inverse_in_the_order_of_building() {
        let manifest = sample();
        let text = manifest.to_string();
        assert_eq!(text.parse(), Ok(manifest.clone()));
        let names: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once("  ")?.1)).collect();
        assert_eq!(names, ["3-3.mora", "4-3.mora", "3-4.mora", "12-12.mora", "2-3+1-1.mora"]);
        assert_eq!(manifest.bytes(), 60 + 70 + 70 + 240 + 50);
    }

    #[test]
    fn line_ends_of_other_systems_remarks_empty_lines_and_another_order_say_the_same() {
        let manifest = sample();
        let text = manifest.to_string();
        assert_eq!(text.replace('\n', "\r\n").parse(), Ok(manifest.clone()));
        assert_eq!(text.replacen("# bytes", "#\n# built in June\n\n# bytes", 1).parse(), Ok(manifest.clone()));
        assert_eq!(text.trim_end().parse(), Ok(manifest.clone()));
        let lines: Vec<&str> = text.lines().collect();
        let files = lines[3..].chunks(2).rev().flatten().copied();
        let turned: Vec<&str> = lines[..3].iter().copied().chain(files).collect();
        assert_eq!(turned.join("\n").parse(), Ok(manifest));
    }

    #[test]
    fn a_manifest_that_was_saved_as_utf_16_is_called_that() {
        // The result of replacing the bytes that are not text.
        for mark in ["", "\u{fffd}\u{fffd}"] {
            let wide: String = mark.chars().chain(FIRST.chars().flat_map(|letter| [letter, '\0'])).collect();
            assert_eq!(wide.parse::<Manifest>().unwrap_err(), LineError { line: 1, fault: LineFault::Wide });
        }
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let hostile = [
            "/3-4.mora",
            "/etc/passwd",
            "../3-4.mora",
            "..",
            "sub/3-4.mora",
            "./3-4.mora",
            "sub\\3-4.mora",
            "C:\\3-4.mora",
            "3-4.mora ",
            " 3-4.mora",
            "*3-4.mora",
            "3-4.mora/",
            "03-4.mora",
            "3-4.raw",
            "3-4.mora\0",
            "",
        ];
        for name in hostile {
            let (line, says) = fault("  3-4.mora", &format!("  {name}"));
            assert!(line == 9 && says.contains("without a directory"), "{name}: {line} {says}");
        }
    }

    #[test]
    fn malformed_texts_are_refused_by_line() {
        let fourth = FileHash::of(b"3-4").to_string();
        let cases = [
            ("# morabase manifest 1", "# morabase manifest 2", 1, "\"# morabase manifest 1\""),
            ("# morabase manifest 1\n", "", 1, "not a manifest"),
            ("# rules morabaraba", "# rules chess", 2, "rules: "),
            ("# rules ", "# rule ", 5, "\"# rules …\" before this one, found none"),
            ("# files 5", "# files 5\n# files 5", 4, "found two"),
            ("# files 5", "# files five", 3, "\"five\""),
            ("# files 5", "# files 6", 14, "expected 6 files, found 5"),
            ("# files 5", "#", 14, "\"# files …\""),
            ("# bytes 60", "# bytes +60", 4, "whole number"),
            ("# bytes 60\n", "", 4, "\"# bytes …\" before this one, found none"),
            ("# bytes 60", "# bytes 99999999999999999999", 4, "whole number"),
            (&fourth, &fourth[1..], 9, "64 hexadecimal digits"),
            (&fourth, &fourth.replace(&fourth[..1], "x"), 9, "64 hexadecimal digits"),
            ("  3-4.mora", " 3-4.mora", 9, "two spaces"),
            ("  3-4.mora", "  3-3.mora", 9, "class 3-3 is named twice"),
            ("  2-3+1-1.mora", "  2-2+1-1.mora", 13, "no game"),
        ];
        for (from, to, line, says) in cases {
            let found = fault(from, to);
            assert!(found.0 == line && found.1.contains(says), "{from} → {to}: {found:?}");
        }
        assert_eq!("".parse::<Manifest>().unwrap_err().line, 1);
        let cut = sample().to_string();
        let cut = &cut[..cut.rfind("# bytes").unwrap()];
        assert!(matches!(cut.parse::<Manifest>(), Err(LineError { fault: LineFault::Count { .. }, .. })));
    }
}
