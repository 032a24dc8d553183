//! min and max.
//!
//! Over a window the oldest row is removed again. A value that is followed by a better one can never become the result again, so
//! the state is a queue in which each value is better than those after it:
//!
//! ```text
//!   max over   3 1 4 1 5 2
//!   queue                5 2        the front is the result; 2 follows when 5 has been removed
//! ```

use std::cmp::Ordering;
use std::collections::VecDeque;

use lithe_value::{Collation, Value, ValueRef, compare};

/// The state of min or max after the rows so far.
#[derive(Clone, Debug)]
pub struct Extreme {
    /// How a better value compares with the best one so far.
    better: Ordering,
    best: Value,
    window: Option<Box<Window>>,
}

/// The candidates, with the numbers of their rows.
#[derive(Clone, Debug, Default)]
struct Window {
    candidates: VecDeque<(u64, Value)>,
    added: u64,
    removed: u64,
}

impl Extreme {
    /// The memory of the kept value, besides the state itself.
    pub fn bytes(&self) -> usize {
        self.best.as_ref().bytes().map_or(0, <[u8]>::len)
    }

    /// min
    pub fn smallest() -> Extreme {
        Extreme { better: Ordering::Less, best: Value::NULL, window: None }
    }

    /// max
    pub fn largest() -> Extreme {
        Extreme { better: Ordering::Greater, best: Value::NULL, window: None }
    }

    pub(super) fn for_window(self) -> Extreme {
        Extreme { window: Some(Box::default()), ..self }
    }

    /// Adds a value; NULL is ignored. Returns whether the row of this value is the one that min() or max() shows: its value is the best one so
    /// far, or no row has had a value.
    #[inline]
    pub fn step(&mut self, value: ValueRef<'_>, collation: &Collation) -> bool {
        if let Some(window) = &mut self.window {
            window.step(value, self.better, collation);
            return true;
        }
        let is_best =
            self.best.is_null() || !value.is_null() && compare(value, self.best.as_ref(), collation) == self.better;
        if is_best {
            self.best.set(value);
        }
        is_best
    }

    /// Removes the oldest value.
    pub fn inverse(&mut self) {
        let Some(window) = &mut self.window else { return }; // only a window removes rows
        if window.candidates.front().is_some_and(|&(row, _)| row == window.removed) {
            window.candidates.pop_front();
        }
        window.removed += 1;
    }

    /// The best value; NULL if there is none.
    pub fn value(&self) -> ValueRef<'_> {
        match &self.window {
            None => self.best.as_ref(),
            Some(window) => window.candidates.front().map_or(ValueRef::Null, |(_, best)| best.as_ref()),
        }
    }
}

impl Window {
    fn step(&mut self, value: ValueRef<'_>, better: Ordering, collation: &Collation) {
        let row = self.added;
        self.added += 1;
        if value.is_null() {
            return;
        }
        // Of equal values, which may be 1 and 1.0, the newest is the result.
        let is_overtaken = |(_, old): &(u64, Value)| compare(value, old.as_ref(), collation) != better.reverse();
        while self.candidates.back().is_some_and(is_overtaken) {
            self.candidates.pop_back();
        }
        self.candidates.push_back((row, Value::from(value)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sliding_maximum() {
        let values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5];
        for width in 1..=values.len() {
            let mut max = Extreme::largest().for_window();
            for (at, &value) in values.iter().enumerate() {
                max.step(value.into(), &Collation::Binary);
                if at >= width {
                    max.inverse();
                }
                let expected = values[(at + 1).saturating_sub(width)..=at].iter().max().unwrap();
                assert_eq!(max.value(), ValueRef::Integer(*expected));
            }
        }
    }

    #[test]
    fn null_does_not_count() {
        let mut min = Extreme::smallest();
        let rows = [ValueRef::Null, ValueRef::Null, "b".into(), ValueRef::Null, "b".into(), "a".into(), ValueRef::Null];
        let is_shown = rows.map(|value| min.step(value, &Collation::Binary));
        assert_eq!(is_shown, [true, true, true, false, false, true, false]);
        assert_eq!(min.value(), "a".into());
    }
}
