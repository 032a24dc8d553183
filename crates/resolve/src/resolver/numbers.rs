//! The numbers of sources, aggregates, windows, subqueries and SELECTs.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use bumpalo::Bump;
use bumpalo::collections::Vec;
use lithe_sql::ast::SelectNumber;

use crate::ir::{AggregateId, SourceId, SubqueryId, WindowId};

/// The next numbers of a statement.
pub(super) struct Numbers<'a> {
    arena: &'a Bump,
    source: Cell<u32>,
    aggregate: Cell<u32>,
    window: Cell<u32>,
    subquery: Cell<u32>,
    /// The last number of a SELECT.
    select: Cell<u32>,
    /// The numbers of SELECTs that are not those of the text.
    new_selects: RefCell<Vec<'a, &'a Cell<SelectNumber>>>,
}

impl<'a> Numbers<'a> {
    /// `arena`: the arena of the resolver, which is never dropped.
    pub fn new(arena: &'a Bump) -> Numbers<'a> {
        let new_selects = RefCell::new(Vec::new_in(arena));
        let [source, aggregate, window, subquery, select] = [0; 5].map(Cell::new);
        Numbers { arena, source, aggregate, window, subquery, select, new_selects }
    }

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

    /// The number of a SELECT that stands in no text, or in that of a view.
    pub fn new_select(&self) -> &'a Cell<SelectNumber> {
        self.add_selects(1);
        let number: &'a Cell<SelectNumber> = self.arena.alloc(Cell::new(SelectNumber(self.select.get())));
        self.new_selects.borrow_mut().push(number);
        number
    }

    /// Runs `f`. Returns its result and the counts of SELECTs before and after.
    pub fn counted<T>(&self, f: impl FnOnce() -> T) -> (T, Range<u32>) {
        let before = self.select.get();
        (f(), before..self.select.get())
    }

    /// Renumbers the SELECTs that were counted in `moved`, which were resolved early, behind those that were counted since.
    pub fn move_behind(&self, moved: Range<u32>) {
        let (count, others) = (moved.end - moved.start, self.select.get().saturating_sub(moved.end));
        if count == 0 || others == 0 {
            return;
        }
        for number in self.new_selects.borrow().iter() {
            match number.get() {
                SelectNumber(at) if at > moved.end => number.set(SelectNumber(at - count)),
                SelectNumber(at) if at > moved.start => number.set(SelectNumber(at + others)),
                _ => {}
            }
        }
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
