//! Sets of a block's entries as bits in rank order.

/// Whether a set has no member.
#[inline(always)]
pub(super) fn is_empty(set: &[u64]) -> bool {
    set.iter().all(|&word| word == 0)
}

/// How many members a set has.
#[inline(always)]
pub(super) fn count(set: &[u64]) -> usize {
    set.iter().map(|word| word.count_ones() as usize).sum()
}

/// Whether a set has this member.
#[inline(always)]
pub(super) fn contains(set: &[u64], entry: usize) -> bool {
    set[entry / 64] >> (entry % 64) & 1 == 1
}

/// Adds a member.
#[inline(always)]
pub(super) fn insert(set: &mut [u64], entry: usize) {
    set[entry / 64] |= 1 << (entry % 64);
}

/// Removes the members of `other` from `set`.
#[inline(always)]
pub(super) fn subtract(set: &mut [u64], other: &[u64]) {
    for (set, other) in set.iter_mut().zip(other) {
        *set &= !other;
    }
}

/// Adds the members of `other` to `set`.
#[inline(always)]
pub(super) fn unite(set: &mut [u64], other: &[u64]) {
    for (set, other) in set.iter_mut().zip(other) {
        *set |= other;
    }
}

/// The members of `set` that `other` lacks.
#[inline(always)]
pub(super) fn difference(set: &[u64], other: &[u64], difference: &mut [u64]) {
    for (difference, (set, other)) in difference.iter_mut().zip(set.iter().zip(other)) {
        *difference = set & !other;
    }
}

/// Keeps the members that `other` has too.
#[inline(always)]
pub(super) fn intersect(set: &mut [u64], other: &[u64]) {
    for (set, other) in set.iter_mut().zip(other) {
        *set &= other;
    }
}

/// Calls `f` for each member of a set.
#[inline(always)]
pub(super) fn each(set: &[u64], mut f: impl FnMut(usize)) {
    for (at, &word) in set.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            f(at * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

/// Removes the members that `keep` rejects.
#[inline(always)]
pub(super) fn retain(set: &mut [u64], mut keep: impl FnMut(usize) -> bool) {
    for (at, word) in set.iter_mut().enumerate() {
        let mut rest = *word;
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            if !keep(at * 64 + bit as usize) {
                *word &= !(1 << bit);
            }
        }
    }
}

/// Calls `f` with each point of an inner set.
#[inline(always)]
pub(super) fn each_point(set: u32, mut f: impl FnMut(usize)) {
    let mut rest = set;
    while rest != 0 {
        f(rest.trailing_zeros() as usize);
        rest &= rest - 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use proptest::prelude::*;

    fn members(set: &[u64]) -> BTreeSet<usize> {
        let mut members = BTreeSet::new();
        each(set, |entry| assert!(members.insert(entry)));
        members
    }

    proptest! {
        #[test]
        fn sets_of_bits_are_sets(a in prop::collection::vec(any::<u64>(), 3), b in prop::collection::vec(any::<u64>(), 3)) {
            let (in_a, in_b) = (members(&a), members(&b));
            prop_assert_eq!(count(&a), in_a.len());
            prop_assert!((0..192).all(|entry| contains(&a, entry) == in_a.contains(&entry)));
            let changed = |f: fn(&mut [u64], &[u64])| {
                let mut set = a.clone();
                f(&mut set, &b);
                members(&set)
            };
            prop_assert_eq!(changed(subtract), &in_a - &in_b);
            prop_assert_eq!(changed(intersect), &in_a & &in_b);
            prop_assert_eq!(changed(|set, b| retain(set, |entry| contains(b, entry))), &in_a & &in_b);
            prop_assert_eq!(changed(|set, b| each(b, |entry| insert(set, entry))), &in_a | &in_b);
            prop_assert_eq!(is_empty(&a), in_a.is_empty());
            let mut rest = a.clone();
            subtract(&mut rest, &a);
            prop_assert!(is_empty(&rest));
        }
    }
}
