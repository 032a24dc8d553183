//! The numbers of sources, aggregates, windows and subqueries.

use std::cell::Cell;

use crate::ir::{AggregateId, SourceId, SubqueryId, WindowId};

/// The next numbers of a statement.
#[derive(Default)]
pub(super) struct Numbers {
    source: Cell<u32>,
    aggregate: Cell<u32>,
    window: Cell<u32>,
    subquery: Cell<u32>,
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

    pub fn has_subqueries(&self) -> bool {
        self.subquery.get() > 0
    }
}

fn next(counter: &Cell<u32>) -> u32 {
    let number = counter.get();
    counter.set(number + 1);
    number
}
