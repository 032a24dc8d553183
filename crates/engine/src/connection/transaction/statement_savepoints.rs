//! Savepoints of running statements: a stack above the application's savepoints.
//!
//! A statement with RETURNING has its savepoint open between two steps, and statements that begin after it may end
//! after it. If a savepoint is not the topmost when its statement succeeds, it stays in the stack, unused, until those
//! above it are gone, because a pager knows savepoints by their positions only.

use std::cell::{Cell, RefCell};

/// The savepoints, from the oldest.
#[derive(Default)]
pub(crate) struct StatementSavepoints {
    stack: RefCell<Vec<StatementSavepoint>>,
    made: Cell<u64>,
}

struct StatementSavepoint {
    number: u64,
    /// The savepoint's statement may still fail.
    is_wanted: bool,
}

impl StatementSavepoints {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.stack.borrow().len()
    }

    /// Opens a savepoint above the others. Returns its number.
    pub fn open(&self) -> u64 {
        let number = self.made.get() + 1;
        self.made.set(number);
        let mut stack = self.stack.borrow_mut();
        assert!(stack.last().is_none_or(|top| top.number < number), "the youngest savepoint is on top");
        stack.push(StatementSavepoint { number, is_wanted: true });
        number
    }

    /// The statement of a savepoint has succeeded. Returns the position from which on the stack was released; `None` if
    /// all savepoints stay.
    pub fn release(&self, number: u64) -> Option<usize> {
        let mut stack = self.stack.borrow_mut();
        let before = stack.len();
        stack
            .iter_mut()
            .filter(|savepoint| savepoint.number == number)
            .for_each(|savepoint| savepoint.is_wanted = false);
        while stack.pop_if(|top| !top.is_wanted).is_some() {}
        (stack.len() < before).then_some(stack.len())
    }

    /// The statement of a savepoint has failed: its changes are undone, and the savepoints above are removed. Returns
    /// the position of the savepoint; `None` if it was removed before.
    pub fn undo(&self, number: u64) -> Option<usize> {
        let mut stack = self.stack.borrow_mut();
        let position = stack.iter().position(|savepoint| savepoint.number == number)?;
        stack.truncate(position);
        Some(position)
    }

    /// The transaction has ended.
    pub fn clear(&self) {
        self.stack.borrow_mut().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::StatementSavepoints;

    #[test]
    fn savepoints_below_others_wait_for_them() {
        let savepoints = StatementSavepoints::default();
        let [first, second, third] = std::array::from_fn(|_| savepoints.open());
        assert_eq!(savepoints.release(first), None);
        assert_eq!(savepoints.release(third), Some(2));
        assert_eq!(savepoints.release(second), Some(0));
        assert_eq!(savepoints.release(second), None);
    }

    #[test]
    fn undoing_takes_those_above_along() {
        let savepoints = StatementSavepoints::default();
        let [first, second, third] = std::array::from_fn(|_| savepoints.open());
        assert_eq!(savepoints.undo(second), Some(1));
        let fourth = savepoints.open();
        assert_eq!((savepoints.undo(third), savepoints.len()), (None, 2));
        assert_eq!((savepoints.release(fourth), savepoints.undo(first)), (Some(1), Some(0)));
    }
}
