//! [`Bounds`]: what one look-up says about the result of a restricted position.

use crate::value::Wdl;

use super::lookup::Fragility;
use super::position::RestrictedPosition;

/// Bounds on the result of a position, for its side to move. A restriction can only hurt its owner, so the result
/// without restrictions bounds the result from one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The position without moot restrictions.
    pub(super) position: RestrictedPosition,
    /// The result if there were no restrictions.
    pub(super) unrestricted: Wdl,
    /// The result is at least this.
    pub(super) floor: Wdl,
    /// The result is at most this.
    pub(super) ceiling: Wdl,
    /// It is known that no quiet turn wins.
    pub(super) wins_by_shot_only: bool,
}

impl Bounds {
    /// Bounds that leave no doubt.
    pub(super) const fn exact(position: RestrictedPosition, result: Wdl) -> Self {
        Self { position, unrestricted: result, floor: result, ceiling: result, wins_by_shot_only: false }
    }

    /// Bounds from the result without restrictions and what a restriction may change about it. A restriction can only
    /// hurt its owner.
    #[inline]
    pub(super) fn new(position: RestrictedPosition, unrestricted: Wdl, fragility: Option<Fragility>) -> Self {
        let Fragility { result, hold } = fragility.unwrap_or(Fragility { result: true, hold: true });
        let floor = match unrestricted {
            _ if position.mover_remake.is_none() => unrestricted,
            Wdl::Won if !result => Wdl::Won,
            Wdl::Won | Wdl::Drawn if !hold => Wdl::Drawn,
            _ => Wdl::Lost,
        };
        let ceiling = match unrestricted {
            _ if position.waiting_remake.is_none() => unrestricted,
            Wdl::Lost if !result => Wdl::Lost,
            Wdl::Drawn if !result => Wdl::Drawn,
            Wdl::Lost if !hold => Wdl::Drawn,
            _ => Wdl::Won,
        };
        Self { position, unrestricted, floor, ceiling, wins_by_shot_only: false }
    }

    /// The result, if it is known as far as it matters between `low` and `high`.
    #[inline]
    pub(super) fn settle(&self, low: Wdl, high: Wdl) -> Option<Wdl> {
        if self.ceiling == self.floor || self.ceiling <= low {
            Some(self.ceiling)
        } else {
            (self.floor >= high).then_some(self.floor)
        }
    }
}

/// A question about a position: its result, exact between `low` and `high`, otherwise on the right side of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchWindow {
    /// Plies until the draw counter ends the game; [`u16::MAX`] if none runs.
    pub(super) plies_left: u16,
    pub(super) low: Wdl,
    pub(super) high: Wdl,
}
