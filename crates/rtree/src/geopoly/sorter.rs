//! A merge sort that needs no order: where numbers cannot be compared, because one is not a number, what is sorted is still a permutation,
//! and the same one as in SQLite.

use lithe_vtab::{Grow, OutOfMemory};

/// The end of a list.
const NONE: usize = usize::MAX;
/// A list in this place has two to that power items.
const LISTS_MAX: usize = 32;

/// Sorts numbers of items, as lists.
pub(super) struct Sorter {
    /// The item behind each item in its list.
    next: Vec<usize>,
}

impl Sorter {
    /// A sorter of numbers below `count`.
    pub(super) fn for_items(count: usize) -> Result<Sorter, OutOfMemory> {
        let mut next = Vec::new();
        next.try_resize(count, NONE)?;
        Ok(Sorter { next })
    }

    /// Sorts the items; `compare` is positive where the first one belongs behind the second. Items that are equal stay in their order.
    pub(super) fn sort(&mut self, items: &mut [usize], compare: impl Fn(usize, usize) -> f64) {
        let mut lists = [NONE; LISTS_MAX];
        for item in items.iter().copied() {
            self.link(item, NONE);
            let mut list = item;
            for earlier in &mut lists {
                if *earlier == NONE {
                    *earlier = list;
                    break;
                }
                list = self.merge(std::mem::replace(earlier, NONE), list, &compare);
            }
        }
        let mut sorted = NONE;
        for list in lists.into_iter().filter(|list| *list != NONE) {
            sorted = if sorted == NONE { list } else { self.merge(list, sorted, &compare) };
        }
        for item in items {
            *item = sorted;
            sorted = self.after(sorted);
        }
    }

    fn merge(&mut self, one: usize, other: usize, compare: &impl Fn(usize, usize) -> f64) -> usize {
        let (mut one, mut other, mut first, mut last) = (one, other, NONE, NONE);
        while one != NONE && other != NONE {
            let taken = if compare(one, other) > 0.0 { &mut other } else { &mut one };
            let item = *taken;
            *taken = self.after(item);
            self.append(&mut first, &mut last, item);
        }
        self.append(&mut first, &mut last, if one == NONE { other } else { one });
        first
    }

    fn append(&mut self, first: &mut usize, last: &mut usize, list: usize) {
        if *last == NONE {
            *first = list;
        } else {
            self.link(*last, list);
        }
        *last = list;
    }

    fn after(&self, item: usize) -> usize {
        self.next.get(item).copied().unwrap_or(NONE)
    }

    fn link(&mut self, item: usize, next: usize) {
        if let Some(slot) = self.next.get_mut(item) {
            *slot = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_stay_in_their_order() {
        let keys = [3.0, 1.0, -0.0, 0.0, 3.0, 2.0, 1.0];
        let mut items: Vec<usize> = (0..keys.len()).collect();
        let mut sorter = Sorter::for_items(keys.len()).unwrap();
        sorter.sort(&mut items, |one, other| keys[one] - keys[other]);
        assert_eq!(items, [2, 3, 1, 6, 5, 0, 4]);
    }

    #[test]
    fn what_cannot_be_compared_is_not_lost() {
        let keys = [3.0, f64::NAN, 1.0, f64::NAN, 2.0, 0.0];
        let mut items: Vec<usize> = (0..keys.len()).collect();
        Sorter::for_items(keys.len()).unwrap().sort(&mut items, |one, other| keys[one] - keys[other]);
        items.sort_unstable();
        assert_eq!(items, [0, 1, 2, 3, 4, 5]);
    }
}
