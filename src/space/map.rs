//! [`ClassMap`]: a value for each class, found in one step.

use super::class::{Class, MOST_COWS};

/// A map from classes to values, dense enough for look-ups inside a probe.
#[derive(Clone, Debug)]
pub(crate) struct ClassMap<T> {
    /// By [`key`]: the value's index plus one; 0 if there is none.
    places: Box<[u16; KEYS]>,
    values: Vec<(Class, T)>,
}

/// How many values a side's number of cows can have, on the board or in hand.
const NUMBERS: usize = MOST_COWS as usize + 1;

/// How many keys there are.
const KEYS: usize = NUMBERS * NUMBERS * NUMBERS * 2;

/// A number for each class whose hands come from placing in turn: the mover then has as many in hand as the waiting
/// side, or one more. `None` for others, which have no tables.
#[inline(always)]
fn key(class: Class) -> Option<usize> {
    let more = class.mover_hand().wrapping_sub(class.waiting_hand());
    let board = class.mover() as usize * NUMBERS + class.waiting() as usize;
    (more <= 1).then(|| (board * NUMBERS + class.waiting_hand() as usize) * 2 + more as usize)
}

impl<T> ClassMap<T> {
    pub(crate) fn new() -> Self {
        Self { places: Box::new([0; KEYS]), values: Vec::new() }
    }

    /// The value of a class.
    #[inline]
    pub(crate) fn get(&self, class: Class) -> Option<&T> {
        let place = usize::from(self.places[key(class)?]);
        self.values.get(place.wrapping_sub(1)).map(|(_, value)| value)
    }

    /// Sets the value of a class; returns whether the class can have one, which requires hands that come from placing
    /// in turn.
    pub(crate) fn insert(&mut self, class: Class, value: T) -> bool {
        let Some(key) = key(class) else { return false };
        match usize::from(self.places[key]) {
            0 => {
                self.values.push((class, value));
                self.places[key] = self.values.len() as u16;
            }
            place => self.values[place - 1].1 = value,
        }
        true
    }

    /// All classes with their values, in insertion order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Class, &T)> {
        self.values.iter().map(|(class, value)| (*class, value))
    }
}

impl<T> Default for ClassMap<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> FromIterator<(Class, T)> for ClassMap<T> {
    fn from_iter<I: IntoIterator<Item = (Class, T)>>(values: I) -> Self {
        let mut map = Self::new();
        for (class, value) in values {
            map.insert(class, value);
        }
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_that_differ_only_in_hands_have_places_of_their_own() {
        let texts = ["3-3", "3-3+1-0", "3-3+1-1", "3-3+2-1", "0-0+12-12", "0-3+3-2", "4-3", "3-4", "12-12"];
        let classes = texts.map(|text| text.parse::<Class>().unwrap());
        let mut map: ClassMap<usize> = classes.into_iter().zip(0..).collect();
        assert!(classes.into_iter().zip(0..).all(|(class, at)| map.get(class) == Some(&at)));
        assert!(map.insert(classes[1], 17) && map.iter().count() == texts.len());
        assert_eq!((map.get(classes[1]), map.get(classes[0])), (Some(&17), Some(&0)));
        assert_eq!(map.get("5-5".parse().unwrap()), None);
        let out_of_turn = "3-3+0-1".parse().unwrap();
        assert!(!map.insert(out_of_turn, 1) && map.get(out_of_turn).is_none());
    }
}
