//! The numbers of sources, aggregates, windows, subqueries and SELECTs.

use std::cell::Cell;

use lithe_sql::ast::SelectNumber;

use crate::ir::{AggregateId, SourceId, SubqueryId, WindowId};

/// The next numbers of a statement.
#[derive(Default)]
pub(super) struct Numbers {
    source: Cell<u32>,
    aggregate: Cell<u32>,
    window: Cell<u32>,
    subquery: Cell<u32>,
    /// The last number of a SELECT.
    select: Cell<u32>,
}

impl Numbers {
    pub fn new_source(&self) -> SourceId {
        SourceId(next(&self.source))
    }

    pub fn new_aggregate(&self) -> AggregateId {
        AggregateId(next(&self.aggregate))
    }

    pub fn new_window(&self) -> WindowId {
        WindowId(next(&self.window))
    }

    pub fn new_subquery(&self) -> SubqueryId {
        SubqueryId(next(&self.subquery))
    }

    pub fn new_select(&self) -> SelectNumber {
        self.add_selects(1);
        SelectNumber(self.select.get())
    }

    /// Counts `count` more SELECTs.
    pub fn add_selects(&self, count: u32) {
        self.select.set(self.select.get().saturating_add(count));
    }

    /// How many SELECTs have a number.
    pub fn select_count(&self) -> u32 {
        self.select.get()
    }

    /// Runs `f`, which resolves an expression a second time: its SELECTs are not counted again.
    pub fn again<T>(&self, f: impl FnOnce() -> T) -> T {
        let before = self.select.get();
        let result = f();
        self.select.set(before);
        result
    }

    pub fn has_subqueries(&self) -> bool {
        self.subquery.get() > 0
    }
}

fn next(counter: &Cell<u32>) -> u32 {
    let number = counter.get();
    counter.set(number + 1);
    number
}
