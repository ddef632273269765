//! Estimates the size of tables before they are written, in bits per entry as measured in tables of earlier builds.
//!
//! The lists were measured on the classes that they name; docs/building.md says how to measure them again.

use crate::space::{Class, Space};

use super::interpolate::interpolate;

/// Hundredths of a bit per entry of a table, by the difference in cows: measured in `gar` tables of twelve cows and
/// more. Nearly balanced positions are the hardest to predict.
const BITS: [(u8, u64); 6] = [(0, 135), (1, 113), (2, 67), (3, 37), (5, 25), (9, 22)];

/// The same for smaller classes, with the mover's cows first; they follow no such rule.
const SMALL_BITS: [((u8, u8), u64); 21] = [
    ((3, 3), 115),
    ((3, 4), 108),
    ((3, 5), 54),
    ((3, 6), 151),
    ((3, 7), 151),
    ((3, 8), 70),
    ((4, 3), 46),
    ((4, 4), 49),
    ((4, 5), 50),
    ((4, 6), 188),
    ((4, 7), 72),
    ((5, 3), 53),
    ((5, 4), 66),
    ((5, 5), 57),
    ((5, 6), 128),
    ((6, 3), 119),
    ((6, 4), 149),
    ((6, 5), 110),
    ((7, 3), 67),
    ((7, 4), 40),
    ((8, 3), 37),
];

/// The same for classes with cows in hand, by how many more cows the waiting side has on the board, plus [`EVEN`]:
/// measured in a `gar` game of twelve cows each.
const PLACING_BITS: [(u8, u64); 10] =
    [(8, 3), (9, 4), (10, 12), (11, 28), (12, 61), (13, 96), (14, 87), (15, 46), (16, 18), (17, 6)];

/// The index in [`PLACING_BITS`] where both sides have equally many cows.
const EVEN: u8 = 12;

/// The expected size of a class's table in bytes.
pub(super) fn table_bytes(space: Space) -> u64 {
    const HEAD: u64 = 4096;
    let class = space.class();
    HEAD + space.entries() * bits(class) / 800
}

/// The expected size of an entry of a class, in hundredths of a bit.
fn bits(class: Class) -> u64 {
    if class.has_hands() {
        return interpolate(&PLACING_BITS, EVEN + class.waiting() - class.mover());
    }
    let small = SMALL_BITS.iter().find(|(cows, _)| *cows == (class.mover(), class.waiting()));
    small.map_or_else(|| interpolate(&BITS, class.mover().abs_diff(class.waiting())), |&(_, bits)| bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_bits_are_in_order() {
        assert!(BITS.is_sorted_by(|a, b| a.0 < b.0));
        assert!(PLACING_BITS.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn every_class_of_up_to_eleven_cows_has_its_own_bits() {
        let small: Vec<Class> = Class::all_moving(12).into_iter().filter(|class| class.total() <= 11).collect();
        assert!(small.iter().all(|class| SMALL_BITS.iter().any(|(cows, _)| *cows == (class.mover(), class.waiting()))));
        assert_eq!(small.len(), SMALL_BITS.len());
    }
}
