//! The tables of a WITH clause, as a place in a statement sees them.

use std::cell::{Cell, RefCell};

use lithe_catalog::{Result, fail};
use lithe_sql::ast::{self, Name};

use super::Scope;
use crate::ir::{CommonTable, Derived};

/// The tables of one WITH.
pub struct WithScope<'s, 'a> {
    /// The WITH around it.
    parent: Option<&'s WithScope<'s, 'a>>,
    tables: Vec<KnownTable<'a>>,
    /// The text that the tables are written in.
    text: &'a [u8],
}

/// One table of a WITH.
struct KnownTable<'a> {
    written: &'a ast::CommonTable<'a>,
    state: RefCell<State<'a>>,
    /// Whether it has been used. A table that depends on rows of an enclosing query is resolved for each use.
    was_used: Cell<bool>,
}

/// How far a common table is resolved.
#[derive(Clone, Copy)]
pub(crate) enum State<'a> {
    /// Not at all.
    Unused,
    /// It is being resolved: a reference to it is this error.
    Busy(&'static str),
    /// Wholly, for all uses.
    Done(Done<'a>),
}

/// A common table that is resolved.
#[derive(Clone, Copy)]
pub(crate) struct Done<'a> {
    pub derived: &'a Derived<'a>,
    pub table: &'a CommonTable<'a>,
    /// How many new numbers its SELECTs took. SQLite expands a common table at each use, so that another use takes as many.
    pub new_selects: u32,
}

impl<'s, 'a> WithScope<'s, 'a> {
    /// The tables of `with`, seen beside those of `scope`.
    pub(crate) fn new(scope: &Scope<'s, 'a>, with: &'a ast::With<'a>) -> Result<WithScope<'s, 'a>> {
        for (at, table) in with.tables.iter().enumerate() {
            if with.tables[..at].iter().any(|before| before.name.name == table.name.name) {
                return fail(format!("duplicate WITH table name: {}", table.name.name));
            }
        }
        let known = |written| KnownTable { written, state: RefCell::new(State::Unused), was_used: Cell::new(false) };
        Ok(WithScope { parent: scope.with, tables: with.tables.iter().map(known).collect(), text: scope.text })
    }

    /// The table of that name: its WITH, and its position there.
    pub(crate) fn find(&'s self, name: Name<'a>) -> Option<(&'s WithScope<'s, 'a>, usize)> {
        let mut with = Some(self);
        while let Some(here) = with {
            if let Some(at) = here.tables.iter().position(|table| table.written.name.name == name) {
                return Some((here, at));
            }
            with = here.parent;
        }
        None
    }

    /// The table as it is written.
    pub(crate) fn table(&self, at: usize) -> &'a ast::CommonTable<'a> {
        self.tables[at].written
    }

    /// The text that the tables are written in.
    pub(crate) fn text(&self) -> &'a [u8] {
        self.text
    }

    /// How far the table is resolved.
    pub(crate) fn state(&self, at: usize) -> State<'a> {
        *self.tables[at].state.borrow()
    }

    pub(crate) fn set_state(&self, at: usize, state: State<'a>) {
        *self.tables[at].state.borrow_mut() = state;
        self.tables[at].was_used.set(true);
    }

    /// The tables that have not been used.
    pub(crate) fn unused(&self) -> impl Iterator<Item = usize> {
        (0..self.tables.len()).filter(|&at| !self.tables[at].was_used.get())
    }
}
