//! Statements and data that modules of virtual tables keep between two calls.
//!
//! Between two uses a statement is stored here, under the number of its `Kept`; a use takes the statement out of its place
//! and puts it back. A statement that was left on a row is a running statement like any other: it holds its locks until it is
//! reset. That happens here after its `Kept` has been dropped, and at the latest with the last statement of the
//! application, because a connection that moves to another thread must have no row of a module open.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Weak;

use hashbrown::HashMap;

use crate::connection::Connection;
use crate::connection::statement::Statement;

/// The statements that are stored between two uses.
#[derive(Default)]
pub(crate) struct KeptStatements {
    idle: RefCell<HashMap<u64, Stored>>,
    /// How many of the stored statements are on a row.
    running: Cell<usize>,
    /// The number of statements at which those are removed whose `Kept` was dropped.
    sweep_at: Cell<usize>,
}

/// The place of a statement.
struct Stored {
    /// `None` while it is used.
    statement: Option<Statement>,
    alive: Weak<u64>,
}

impl Stored {
    fn is_running(&self) -> bool {
        self.statement.as_ref().is_some_and(Statement::is_running)
    }
}

/// Data of extensions for the whole connection, by name.
#[derive(Default)]
pub(crate) struct ClientData(RefCell<HashMap<&'static str, Rc<dyn Any>>>);

impl ClientData {
    /// The value stored under a name; `make` creates it at the first use.
    pub(crate) fn get_or_make(&self, name: &'static str, make: &dyn Fn() -> Box<dyn Any + Send>) -> Rc<dyn Any> {
        let known = self.0.borrow().get(name).cloned();
        known.unwrap_or_else(|| {
            let made: Rc<dyn Any> = Rc::from(make() as Box<dyn Any>);
            Rc::clone(self.0.borrow_mut().entry(name).or_insert(made))
        })
    }
}

/// The number of stored statements below which those whose `Kept` was dropped are not searched for.
const SWEEP_MIN: usize = 64;

impl KeptStatements {
    /// Takes out the statement with this number.
    pub(crate) fn take(&self, key: u64) -> Option<Statement> {
        let statement = self.idle.borrow_mut().get_mut(&key)?.statement.take()?;
        if statement.is_running() {
            self.count_one_less();
        }
        Some(statement)
    }

    /// Puts a statement back. If its `Kept` was dropped, or another statement is stored under its number, the statement
    /// is reset. `alive` is that of the `Kept`, if the statement was not taken out here.
    pub(crate) fn keep(&self, connection: &Connection, key: u64, alive: Option<&Weak<u64>>, statement: Statement) {
        if let Some(mut unwanted) = self.put(key, statement, alive) {
            let _ = unwanted.reset(connection); // no caller is left to report an error to
        }
        if alive.is_none() {
            return;
        }
        let count = self.idle.borrow().len();
        if count > self.sweep_at.get().max(SWEEP_MIN) {
            self.sweep(connection, is_alive);
            let left = self.idle.borrow().len();
            self.sweep_at.set(left * 2);
        }
    }

    /// Called when a statement has closed its cursors: ends the stored statements whose `Kept` went with those cursors.
    /// If no statement but stored ones is running, ends all stored statements that are on a row.
    #[inline]
    pub(crate) fn end_orphaned(&self, connection: &Connection) {
        let on_a_row = self.running.get();
        if on_a_row == 0 {
            return;
        }
        let is_last = connection.transaction.active_count() <= on_a_row + 1;
        self.sweep(connection, |stored| is_alive(stored) && !(is_last && stored.is_running()));
    }

    /// Ends all statements.
    pub(crate) fn clear(&self, connection: &Connection) {
        self.sweep(connection, |_| false);
    }

    fn sweep(&self, connection: &Connection, is_wanted: impl Fn(&Stored) -> bool) {
        for mut statement in self.remove(is_wanted) {
            let _ = statement.reset(connection); // no caller is left to report an error to
        }
    }

    /// Puts a statement back; returns it if another one is stored under its number, or its `Kept` was dropped.
    fn put(&self, key: u64, statement: Statement, alive: Option<&Weak<u64>>) -> Option<Statement> {
        let mut idle = self.idle.borrow_mut();
        let is_running = statement.is_running();
        match (idle.get_mut(&key), alive) {
            (Some(place), _) if is_alive(place) && place.statement.is_none() => place.statement = Some(statement),
            (None, Some(alive)) if alive.strong_count() > 0 => {
                idle.insert(key, Stored { statement: Some(statement), alive: alive.clone() });
            }
            // (Without a place, all places were cleared while it was used.)
            _ => return Some(statement),
        }
        if is_running {
            self.running.set(self.running.get() + 1);
        }
        self.assert_counted(&idle);
        None
    }

    /// Takes out the statements for which `is_wanted` is false.
    fn remove(&self, is_wanted: impl Fn(&Stored) -> bool) -> Vec<Statement> {
        let mut idle = self.idle.borrow_mut();
        let removed: Vec<Stored> = idle.extract_if(|_, stored| !is_wanted(stored)).map(|(_, stored)| stored).collect();
        let running = removed.iter().filter(|stored| stored.is_running()).count();
        (0..running).for_each(|_| self.count_one_less());
        self.assert_counted(&idle);
        removed.into_iter().filter_map(|stored| stored.statement).collect()
    }

    /// `running` is the number of stored statements that are on a row.
    #[track_caller]
    fn assert_counted(&self, idle: &HashMap<u64, Stored>) {
        let running = || idle.values().filter(|stored| stored.is_running()).count();
        debug_assert!(self.running.get() == running(), "another number of kept statements stands on a row");
    }

    fn count_one_less(&self) {
        let running = self.running.get();
        assert!(running > 0, "a kept statement stands on a row that was not counted");
        self.running.set(running - 1);
    }
}

fn is_alive(stored: &Stored) -> bool {
    stored.alive.strong_count() > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::OpenFlags;
    use std::sync::Arc;

    fn on_a_row(connection: &Connection) -> Statement {
        let mut statement = connection.prepare(b"VALUES (1), (2)").unwrap().statement.unwrap();
        statement.step(connection).unwrap();
        statement
    }

    #[test]
    fn statements_on_a_row_end_with_the_last_of_the_application() {
        let connection = Connection::open(b":memory:", OpenFlags::DEFAULT).unwrap();
        let (kept, one, two) = (&connection.kept, Arc::new(1), Arc::new(2));
        kept.keep(&connection, 1, Some(&Arc::downgrade(&one)), on_a_row(&connection));
        kept.keep(&connection, 2, Some(&Arc::downgrade(&two)), on_a_row(&connection));
        assert_eq!((kept.running.get(), connection.transaction.active_count()), (2, 2));
        let taken = kept.take(1).unwrap();
        assert_eq!((kept.running.get(), kept.take(1).is_none()), (1, true));
        kept.keep(&connection, 1, None, taken);
        on_a_row(&connection).reset(&connection).unwrap();
        assert_eq!((kept.running.get(), connection.transaction.active_count()), (0, 0));
        assert!(kept.take(1).is_none() && kept.take(2).is_none());
    }

    #[test]
    fn a_statement_that_no_module_keeps_ends() {
        let connection = Connection::open(b":memory:", OpenFlags::DEFAULT).unwrap();
        let (kept, number) = (&connection.kept, Arc::new(1));
        let alive = Arc::downgrade(&number);
        drop(number);
        kept.keep(&connection, 1, Some(&alive), on_a_row(&connection));
        assert_eq!((kept.running.get(), connection.transaction.active_count()), (0, 0));
        assert!(kept.take(1).is_none());
    }

    #[test]
    fn data_is_made_once_for_each_name() {
        let data = ClientData::default();
        let get = |name, number: i32| {
            let kept = data.get_or_make(name, &|| Box::new(number));
            kept.downcast_ref::<i32>().copied()
        };
        assert_eq!([get("a", 1), get("a", 2), get("b", 3)], [Some(1), Some(1), Some(3)]);
    }
}
