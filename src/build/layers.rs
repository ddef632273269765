//! [`Layers`]: which classes with cows in hand stay on disk after a game is built.

use std::fmt;
use std::str::FromStr;

use crate::rules::RuleSet;
use crate::space::Class;
use crate::token::clip;

/// Which layers of a game are kept. A layer is all classes with the same number of cows in hand, both sides together.
/// The moving phase is always kept. Positions in a layer that is not kept are answered from the next one by looking
/// ahead ([`Tablebase::answers`](crate::Tablebase::answers)).
///
/// As text: `all`, `2`, `3` or `from:N`.
///
/// ```
/// use morabase::build::Layers;
/// use morabase::Preset;
///
/// let layers: Layers = "2".parse()?;
/// let rules = Preset::Gar.rules();
/// assert!(layers.keeps(&rules, "8-8+4-4".parse()?) && !layers.keeps(&rules, "8-8+4-3".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Layers {
    /// All of them.
    #[default]
    All,
    /// Every second one, counted from the end of the placing phase, so that a position is at most one ply from a table.
    EverySecond,
    /// Every third one: at most two plies.
    EveryThird,
    /// Those in which at least this many cows have been placed, both sides together. Earlier positions that are more
    /// than two plies away are not answered.
    From(u8),
}

/// A text that does not specify layers.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected all, 2, 3 or from:N with N the cows placed by both sides together, found {:?}", clip(.found))]
pub struct LayersError {
    found: String,
}

debug_is_display!(LayersError);

impl Layers {
    /// Whether the table of a class is kept.
    pub fn keeps(self, rules: &RuleSet, class: Class) -> bool {
        let in_hand = class.mover_hand() + class.waiting_hand();
        match self {
            Self::All => true,
            Self::EverySecond => in_hand.is_multiple_of(2),
            Self::EveryThird => in_hand.is_multiple_of(3),
            Self::From(placed) => in_hand == 0 || u16::from(in_hand) + u16::from(placed) <= 2 * u16::from(rules.cows),
        }
    }
}

impl fmt::Display for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::EverySecond => f.write_str("2"),
            Self::EveryThird => f.write_str("3"),
            Self::From(placed) => write!(f, "from:{placed}"),
        }
    }
}

impl FromStr for Layers {
    type Err = LayersError;

    fn from_str(text: &str) -> Result<Self, LayersError> {
        let from = || text.strip_prefix("from:")?.parse().ok().map(Self::From);
        match text {
            "all" => Some(Self::All),
            "2" => Some(Self::EverySecond),
            "3" => Some(Self::EveryThird),
            _ => from(),
        }
        .ok_or_else(|| LayersError { found: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;

    #[test]
    fn layers_are_text_and_back() {
        for text in ["all", "2", "3", "from:0", "from:16"] {
            assert_eq!(text.parse::<Layers>().unwrap().to_string(), text);
        }
        for text in ["", "1", "4", "from:", "from:-1", "from:300", "ALL", "2 "] {
            assert!(text.parse::<Layers>().unwrap_err().to_string().contains(&format!("{text:?}")), "{text}");
        }
    }

    #[test]
    fn no_class_left_out_is_further_from_a_table_than_the_look_ahead_goes() {
        let rules = Preset::Gar.rules();
        for (layers, most) in [(Layers::EverySecond, 1), (Layers::EveryThird, 2)] {
            for class in Class::all_placing(rules.cows) {
                let (mut classes, mut plies) = (vec![class], 0);
                while classes.iter().any(|class| !layers.keeps(&rules, *class)) {
                    let next = |class: Class| class.successors().iter().collect::<Vec<_>>();
                    classes = classes.into_iter().filter(|it| !layers.keeps(&rules, *it)).flat_map(next).collect();
                    plies += 1;
                }
                assert!(plies <= most, "{class}");
            }
        }
    }

    #[test]
    fn the_moving_phase_is_kept_whatever_is_left_out() {
        let rules = Preset::NineMensMorris.rules();
        for layers in [Layers::All, Layers::EverySecond, Layers::EveryThird, Layers::From(250)] {
            assert!(Class::all_moving(9).into_iter().all(|class| layers.keeps(&rules, class)), "{layers}");
        }
        let kept = |class: &str| Layers::From(16).keeps(&rules, class.parse().unwrap());
        assert!(kept("8-8+1-1") && kept("7-8+1-1") && !kept("7-8+2-1"));
        // More cows than there are to place select no layer.
        let twelve = Preset::Gar.rules();
        assert!(Class::all_placing(12).into_iter().all(|class| !Layers::From(255).keeps(&twelve, class)));
    }
}
