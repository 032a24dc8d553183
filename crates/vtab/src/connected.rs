//! The connected virtual tables of a connection, and the numbers that identify them.

use std::fmt;
use std::rc::Rc;

use crate::VirtualTable;

/// A virtual table of the connection, identified by the number that [`VirtualTables::add`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VirtualId(pub u32);

/// The connected tables of a connection, by the numbers that the catalog and programs use.
#[derive(Clone, Default)]
pub struct VirtualTables(Rc<std::cell::RefCell<Tables>>);

#[derive(Default)]
struct Tables {
    next: u32,
    all: Vec<(u32, Rc<dyn VirtualTable>)>,
    /// Those that are disconnected while statements run: a statement that began with such a table still opens it.
    replaced: Vec<(u32, Rc<dyn VirtualTable>)>,
}

impl VirtualTables {
    /// The table with that number, if it is still connected.
    pub fn get(&self, number: u32) -> Option<Rc<dyn VirtualTable>> {
        let tables = self.0.borrow();
        tables.all.iter().find(|(known, _)| *known == number).map(|(_, table)| Rc::clone(table))
    }

    /// The table with that number, for a statement that runs: it may be disconnected.
    pub fn get_to_run(&self, number: u32) -> Option<Rc<dyn VirtualTable>> {
        let tables = self.0.borrow();
        let mut known = tables.all.iter().chain(&tables.replaced);
        known.find(|(known, _)| *known == number).map(|(_, table)| Rc::clone(table))
    }

    /// Adds a table; returns its number.
    pub fn add(&self, table: Box<dyn VirtualTable>) -> u32 {
        let mut tables = self.0.borrow_mut();
        let number = tables.next;
        tables.next += 1;
        tables.all.push((number, Rc::from(table)));
        number
    }

    /// Whether no table is connected.
    pub fn is_empty(&self) -> bool {
        self.0.borrow().all.is_empty()
    }

    /// Disconnects the tables for which `is_kept` is false. A table that is in use is dropped when its last use ends.
    pub fn retain(&self, is_kept: impl Fn(u32) -> bool) {
        // Dropped only after the borrow has ended: the destructor of a table may use this list.
        drop(self.take_unless(is_kept));
    }

    /// The same while statements run, which may still open the tables, until [`VirtualTables::drop_replaced`]. Answers whether there are
    /// any.
    pub fn replace_unless(&self, is_kept: impl Fn(u32) -> bool) -> bool {
        let gone = self.take_unless(is_kept);
        let mut tables = self.0.borrow_mut();
        tables.replaced.extend(gone);
        !tables.replaced.is_empty()
    }

    /// No statement runs that has begun with a table that is disconnected.
    pub fn drop_replaced(&self) {
        let replaced = std::mem::take(&mut self.0.borrow_mut().replaced);
        drop(replaced);
    }

    fn take_unless(&self, is_kept: impl Fn(u32) -> bool) -> Vec<(u32, Rc<dyn VirtualTable>)> {
        let (kept, gone): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.0.borrow_mut().all).into_iter().partition(|(number, _)| is_kept(*number));
        let mut tables = self.0.borrow_mut();
        let added = std::mem::replace(&mut tables.all, kept);
        tables.all.extend(added);
        gone
    }
}

impl fmt::Debug for VirtualTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VirtualTables({})", self.0.borrow().all.len())
    }
}
