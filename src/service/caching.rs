//! What caches may keep. An exact value never changes, so neither does the answer to a question under the same rules.

use xxhash_rust::xxh3::xxh3_64;

use crate::game::PointForm;
use crate::rules::RuleSet;

use super::request::Asked;

/// How long an answer is valid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Caching {
    /// Forever, under this tag.
    Exact(Tag),
    /// Until tables are added or removed.
    UntilTablesChange,
    /// It depends on what is currently missing.
    Not,
}

/// A weak entity tag: the fingerprint of the rules, and a hash of the canonical position and of everything else that
/// affects the answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tag(String);

impl Tag {
    /// The tag of this endpoint's answer to `asked`.
    pub(super) fn new(endpoint: &str, rules: &RuleSet, asked: &Asked, form: PointForm) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        let shape = format!("{version} {endpoint} {form:?}\n{}\n{}", asked.position, asked.text);
        Self(format!("W/\"{:016x}-{:016x}\"", rules.fingerprint(), xxh3_64(shape.as_bytes())))
    }

    /// The tag of this exact text.
    #[cfg(feature = "serve")]
    pub(crate) fn of_text(text: &str) -> Self {
        Self(format!("W/\"{:016x}\"", xxh3_64(text.as_bytes())))
    }

    /// Whether a client that has the answers with these tags, in comma-separated lists, has this one. It received it
    /// from here, so it need not be looked up again.
    pub fn is_known<'a>(&self, lists: impl IntoIterator<Item = &'a str>) -> bool {
        let mut tags = lists.into_iter().flat_map(|list| list.split(',')).map(str::trim);
        let bare = self.0.trim_start_matches("W/");
        tags.any(|tag| tag.trim_start_matches("W/") == bare)
    }

    /// The text of the tag.
    pub fn text(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Position;
    use crate::rules::Preset;

    fn tag(preset: Preset, text: &str, form: PointForm) -> Tag {
        let rules = preset.rules();
        let asked = Asked { text: text.to_owned(), position: Position::from_notation(text, &rules).unwrap() };
        Tag::new("probe", &rules, &asked, form)
    }

    #[test]
    fn a_tag_differs_where_the_answer_does() {
        let text = "W:Wa7,d7,g1:Bb6,d6,c5";
        let tags = [
            tag(Preset::Gar, text, PointForm::Grid),
            tag(Preset::Plain, text, PointForm::Grid),
            tag(Preset::Gar, text, PointForm::Gar),
            tag(Preset::Gar, "B:Wa7,d7,g1:Bb6,d6,c5", PointForm::Grid),
        ];
        for (at, one) in tags.iter().enumerate() {
            assert!(tags[..at].iter().all(|other| other != one), "{tags:?}");
        }
        assert!(tags[0].0.starts_with(&format!("W/\"{:016x}-", Preset::Gar.rules().fingerprint())));
        assert_eq!(tags[0], tag(Preset::Gar, text, PointForm::Grid));
    }

    #[test]
    fn a_tag_is_known_in_a_list_and_without_its_mark() {
        let tag = tag(Preset::Gar, "W:Wa7,d7,g1:Bb6,d6,c5", PointForm::Grid);
        let known = |text: &str| tag.is_known([text]);
        assert!(known(&format!("\"x\", {}", tag.0)) && known(tag.0.trim_start_matches("W/")));
        assert!(!known("\"x\"") && !known("*") && !tag.is_known([]));
    }
}
