//! Interpolates between the points of a measured list, for estimates of time and disk space.

/// Interpolates linearly at `at` between points in ascending order; outside them, returns the value of the nearest
/// point.
pub(super) fn interpolate(points: &[(u8, u64)], at: u8) -> u64 {
    let after = points.iter().position(|point| point.0 >= at).unwrap_or(points.len() - 1);
    let (before, after) = (points[after.saturating_sub(1)], points[after]);
    let span = u64::from(after.0 - before.0);
    if span == 0 || at <= before.0 {
        return if at <= before.0 { before.1 } else { after.1 };
    }
    let along = u64::from(at - before.0).min(span);
    (before.1 * (span - along) + after.1 * along) / span
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_two_points_a_value_lies_on_their_line() {
        let points = [(6, 100), (8, 40), (10, 50)];
        let found = [3, 6, 7, 8, 9, 10, 24].map(|cows| interpolate(&points, cows));
        assert_eq!(found, [100, 100, 70, 40, 45, 50, 50]);
    }
}
