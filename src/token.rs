//! Tokens of texts as error messages show them: at a bearable length, with a note about letters that only look right.

/// A token as shown: complete, unless it is excessively long.
pub(crate) fn clip(token: &str) -> String {
    const MOST: usize = 80;
    let mut clipped: String = token.chars().take(MOST).collect();
    if clipped.len() < token.len() {
        clipped.push('…');
    }
    clipped
}

/// The text without the byte order mark that some programs put at its start.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Letters of other scripts, with the Latin letters that they look like.
const LOOK_ALIKES: [(&str, &str, &str); 2] = [
    ("Cyrillic", "абеһіјорсѕухԁԝАВЕНІЈКМОРЅТСХ", "a6ehijopcsyxdwABEHIJKMOPSTCX"),
    ("Greek", "αορνΑΒΕΗΙΚΜΝΟΡΤΧΥΖ", "aopvABEHIKMNOPTXYZ"),
];

/// The first letter of a token that only looks like a Latin one, worded to follow the token; empty if there is none.
pub(crate) fn look_alike(token: &str) -> String {
    let found = token.chars().find_map(|letter| {
        let of_script = LOOK_ALIKES.iter().find_map(|(script, letters, latin)| {
            let at = letters.chars().position(|known| known == letter)?;
            Some((format!("the {script} letter"), latin.chars().nth(at)?))
        });
        // Full-width forms are in ASCII order.
        let full_width = || {
            let ascii = char::from_u32(u32::from(letter).checked_sub(0xfee0)?).filter(char::is_ascii_graphic)?;
            Some(("the full-width character".to_owned(), ascii))
        };
        of_script.or_else(full_width).map(|(what, latin)| (letter, what, latin))
    });
    found.map_or_else(String::new, |(letter, what, latin)| {
        format!(" ({letter:?} is {what} U+{:04X}, which only looks like {latin:?})", u32::from(letter))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_look_alike_has_a_latin_letter_and_is_none() {
        for (script, letters, latin) in LOOK_ALIKES {
            assert_eq!(letters.chars().count(), latin.chars().count(), "{script}");
            assert!(!letters.chars().any(|letter| letter.is_ascii()) && latin.is_ascii(), "{script}");
        }
        assert_eq!(look_alike("\u{430}7"), " ('\u{430}' is the Cyrillic letter U+0430, which only looks like 'a')");
        assert_eq!(
            look_alike("d\u{ff17}"),
            " ('\u{ff17}' is the full-width character U+FF17, which only looks like '7')"
        );
        for token in ["a7", "é1", "", "…"] {
            assert_eq!(look_alike(token), "");
        }
    }

    #[test]
    fn a_long_token_is_cut_between_letters() {
        assert_eq!(clip(&"é".repeat(80)), "é".repeat(80));
        assert_eq!(clip(&"é".repeat(81)), "é".repeat(80) + "…");
    }
}
