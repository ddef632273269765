//! Points: grid names (`a7`) and the ring names of the Generally Accepted Rules (`E1`), read in either case.

use std::fmt;
use std::str::FromStr;

use crate::board::Point;

use super::error::NotationError;
use super::reading::without_mark;
use crate::token::clip;

/// The two ways to name a point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum PointForm {
    /// Column and row, printed small: `a7` to `g1`.
    #[default]
    Grid,
    /// Ring and number as in the Generally Accepted Rules, printed in capitals: `E1` to `R8`.
    Gar,
}

/// A value to be printed with its points named in one [`PointForm`].
///
/// ```
/// use morabase::{PointForm, Turn};
/// let turn: Turn = "d1-d2xc5".parse()?;
/// assert_eq!(turn.in_form(PointForm::Gar).to_string(), "E6-A6xR1");
/// assert_eq!(turn.to_string(), "d1-d2xc5");
/// # Ok::<(), morabase::NotationError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InForm<T> {
    pub(super) value: T,
    pub(super) form: PointForm,
}

/// The form that the names of one text give evidence for.
pub(super) fn form_of<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<PointForm> {
    let (mut grid, mut gar) = (false, false);
    for name in names {
        match (Point::from_grid(name), Point::from_gar(name)) {
            (Some(_), None) => grid = true,
            (None, Some(_)) => gar = true,
            _ => {}
        }
    }
    match (grid, gar) {
        (true, false) => Some(PointForm::Grid),
        (false, true) => Some(PointForm::Gar),
        _ => None,
    }
}

/// Whether this is the name of a point in either form.
pub(super) fn is_name(name: &str) -> bool {
    Point::from_grid(name).or_else(|| Point::from_gar(name)).is_some()
}

/// The point with this name in a text that gives evidence for `form`.
pub(super) fn parse(name: &str, form: Option<PointForm>) -> Result<Point, NotationError> {
    let by_case =
        || if name.starts_with(|letter: char| letter.is_ascii_uppercase()) { PointForm::Gar } else { PointForm::Grid };
    match (Point::from_grid(name), Point::from_gar(name)) {
        (Some(grid), Some(gar)) => Ok(if form.unwrap_or_else(by_case) == PointForm::Gar { gar } else { grid }),
        (Some(point), None) | (None, Some(point)) => Ok(point),
        (None, None) => Err(NotationError::UnknownPoint { found: clip(name) }),
    }
}

/// Reads a single point; for the six ambiguous names, the case decides between the forms.
///
/// ```
/// use morabase::Point;
/// assert_eq!("E6".parse::<Point>()?, "d1".parse()?);
/// assert_eq!("A1".parse::<Point>()?, "b6".parse()?);
/// assert_ne!("A1".parse::<Point>()?, "a1".parse()?);
/// # Ok::<(), morabase::NotationError>(())
/// ```
impl FromStr for Point {
    type Err = NotationError;

    fn from_str(name: &str) -> Result<Self, NotationError> {
        parse(without_mark("point", name)?, None)
    }
}

impl Point {
    /// The point, to be printed in this form.
    pub const fn in_form(self, form: PointForm) -> InForm<Self> {
        InForm { value: self, form }
    }
}

impl fmt::Display for InForm<Point> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.form {
            PointForm::Grid => f.pad(self.value.grid_name()),
            PointForm::Gar => f.pad(&self.value.gar_name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AMBIGUOUS: [&str; 6] = ["a1", "a4", "a7", "e3", "e4", "e5"];

    #[test]
    fn only_six_names_are_ambiguous() {
        let grid = Point::all().map(Point::grid_name);
        let both: Vec<&str> = grid.filter(|name| Point::from_gar(name).is_some()).collect();
        for name in AMBIGUOUS {
            assert!(both.contains(&name));
        }
        assert_eq!(both.len(), AMBIGUOUS.len());
    }

    #[test]
    fn printed_names_read_back_in_both_forms() {
        for point in Point::all() {
            for form in [PointForm::Grid, PointForm::Gar] {
                assert_eq!(point.in_form(form).to_string().parse(), Ok(point));
            }
        }
    }

    #[test]
    fn evidence_beats_case_and_case_decides_without_evidence() {
        assert_eq!(form_of(["A4", "d7"]), Some(PointForm::Grid));
        assert_eq!(form_of(["a4", "r1"]), Some(PointForm::Gar));
        assert_eq!(form_of(["a4", "r1", "d7"]), None);
        assert_eq!(form_of(AMBIGUOUS), None);
        for name in AMBIGUOUS {
            assert_eq!(parse(name, Some(PointForm::Gar)).ok(), Point::from_gar(name));
            assert_eq!(parse(name, None).ok(), Point::from_grid(name));
            assert_eq!(parse(&name.to_uppercase(), None).ok(), Point::from_gar(name));
            assert_eq!(parse(&name.to_uppercase(), Some(PointForm::Grid)).ok(), Point::from_grid(name));
        }
    }

    #[test]
    fn names_of_no_point_are_refused() {
        for name in ["", "a", "d4", "h1", "a0", "e9", "e0", "r9", "a77", "E11", "é1", "A１", " a7", "q3"] {
            assert_eq!(name.parse::<Point>(), Err(NotationError::UnknownPoint { found: name.to_owned() }));
        }
    }
}
