//! A short list of small values, which allocates memory only if it grows long.
//!
//! Most lists of the planner have one element: the constraints that a path uses, the loops of a plan. A list on the heap costs each of them two
//! calls of the allocator.

use std::ops::{Deref, DerefMut};

/// A list that stores up to `N` values in itself.
#[derive(Clone, Debug)]
pub struct Few<T, const N: usize> {
    short: [T; N],
    /// How many values `short` holds; 0 if `long` holds them.
    len: usize,
    /// All values, if there are more than `N`.
    long: Vec<T>,
}

impl<T: Copy + Default, const N: usize> Few<T, N> {
    /// An empty list.
    pub fn new() -> Few<T, N> {
        Few { short: [T::default(); N], len: 0, long: Vec::new() }
    }

    /// A list of one value.
    pub fn one(value: T) -> Few<T, N> {
        let mut few = Few::new();
        few.push(value);
        few
    }

    /// Adds a value at the end.
    pub fn push(&mut self, value: T) {
        if !self.long.is_empty() {
            self.long.push(value);
        } else if self.len < N {
            self.short[self.len] = value;
            self.len += 1;
        } else {
            self.long.reserve(2 * N + 1);
            self.long.extend_from_slice(&self.short);
            self.long.push(value);
            self.len = 0;
        }
        debug_assert!(self.long.is_empty() || self.len == 0, "the values are in one place");
    }

    /// Removes the value at this place.
    pub fn remove(&mut self, at: usize) {
        assert!(at < self.deref().len(), "a value is removed that there is");
        if self.long.is_empty() {
            self.short.copy_within(at + 1..self.len, at);
            self.len -= 1;
        } else {
            self.long.remove(at);
        }
    }
}

impl<T: Copy + Default, const N: usize> Default for Few<T, N> {
    fn default() -> Few<T, N> {
        Few::new()
    }
}

impl<T, const N: usize> Deref for Few<T, N> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        if self.long.is_empty() { &self.short[..self.len] } else { &self.long }
    }
}

impl<T, const N: usize> DerefMut for Few<T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        if self.long.is_empty() { &mut self.short[..self.len] } else { &mut self.long }
    }
}

impl<T: PartialEq, const N: usize> PartialEq for Few<T, N> {
    fn eq(&self, other: &Few<T, N>) -> bool {
        **self == **other
    }
}

impl<T: Copy + Default, const N: usize> Extend<T> for Few<T, N> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.push(value));
    }
}

impl<T: Copy + Default, const N: usize> FromIterator<T> for Few<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Few<T, N> {
        let mut few = Few::new();
        few.extend(values);
        few
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list does what a Vec does, at every length around the one at which it moves.
    #[test]
    fn as_a_vec() {
        for count in 0..10 {
            let mut vec: Vec<u16> = (0..count).collect();
            let mut few: Few<u16, 4> = (0..count).collect();
            assert_eq!(*few, *vec);
            assert_eq!(few.clone(), few);
            for at in (0..vec.len()).rev().step_by(2) {
                few.remove(at);
                vec.remove(at);
                assert_eq!(*few, *vec);
            }
            few.push(77);
            vec.push(77);
            few.iter_mut().chain(vec.iter_mut()).for_each(|value| *value += 1);
            assert_eq!(*few, *vec);
        }
        assert_eq!(*Few::<u16, 2>::one(5), [5]);
    }
}
