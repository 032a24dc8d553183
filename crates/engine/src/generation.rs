//! The counters that tell whether compiled programs are stale.

use std::cell::Cell;
use std::rc::Rc;

/// Counts the changes of what the programs of a connection depend on: schemas, functions, collations, settings, hooks.
/// Each part of the connection that makes such changes has a clone, and advances the same counters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Generation(Rc<Cell<Stamp>>);

/// The state of a connection at which a program was compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// All changes: a text that was compiled at another number may have another program now, or none.
    pub(crate) changes: u64,
    /// Changes that a statement follows when it begins its transaction, which may fail: those of the schema.
    pub(crate) schema: u64,
    /// Changes that expire statements, which are compiled again before anything else.
    pub(crate) expirations: u64,
}

impl Generation {
    /// The present state.
    #[inline]
    pub(crate) fn stamp(&self) -> Stamp {
        self.0.get()
    }

    /// The number of changes so far. A program that was compiled at another number is not used for another statement.
    #[inline]
    pub(crate) fn number(&self) -> u64 {
        self.0.get().changes
    }

    /// Functions, collations, the authorizer or settings have changed: expires all statements.
    pub(crate) fn expire_programs(&self) {
        let stamp = self.0.get();
        self.0.set(Stamp { changes: stamp.changes + 1, expirations: stamp.expirations + 1, ..stamp });
    }

    /// The schema has changed: makes all statements stale.
    pub(crate) fn change_schema(&self) {
        let stamp = self.0.get();
        self.0.set(Stamp { changes: stamp.changes + 1, schema: stamp.schema + 1, ..stamp });
    }

    /// Adds a database, whose schema no compiled statement can name: they do not become stale.
    pub(crate) fn adding_database<T>(&self, add: impl FnOnce() -> T) -> T {
        let schema = self.0.get().schema;
        let result = add();
        self.0.set(Stamp { schema, ..self.0.get() });
        self.add();
        result
    }

    /// A function or collation was defined. As in SQLite, one that replaces none is not called by statements that are compiled already.
    pub(crate) fn define(&self, replaces: bool) {
        if replaces { self.expire_programs() } else { self.add() }
    }

    /// Something was added that statements do not use which are compiled already.
    pub(crate) fn add(&self) {
        let stamp = self.0.get();
        self.0.set(Stamp { changes: stamp.changes + 1, ..stamp });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_count_together() {
        let generation = Generation::default();
        let of_a_part = generation.clone();
        let compiled_at = generation.number();
        of_a_part.expire_programs();
        assert_ne!(generation.number(), compiled_at);
        assert_eq!(generation.number(), of_a_part.number());
    }

    #[test]
    fn each_change_has_its_number() {
        let generation = Generation::default();
        generation.change_schema();
        generation.expire_programs();
        generation.expire_programs();
        generation.add();
        assert_eq!(generation.stamp(), Stamp { changes: 4, schema: 1, expirations: 2 });
    }
}
