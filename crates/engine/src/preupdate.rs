//! The pre-update hook: the application's, and those who watch changes beside it (sessions).
//!
//! Programs tell of rows only if they are compiled while somebody listens: the first who does makes the programs of the
//! connection stale, and so does the last who leaves.

use std::rc::Rc;

use lithe_functions::sql::quoted;
use lithe_functions::{ChangeWatcher, RowChange, RowOperation};
use lithe_resolve::environment::Flags as CompileFlags;
use lithe_sql::ast::Name;
use lithe_value::{Value, ValueRef};

use crate::connection::Connection;
use crate::connection::hooks::PreUpdateHook;
use crate::connection::statement::{BindValue, Step};
use crate::error::Result;
use crate::foreign_key_check::rowid_name;

impl Connection {
    /// Whom to tell of each row before it is inserted, updated or deleted, REPLACE and foreign-key actions included. While there
    /// is somebody, a DELETE without WHERE deletes row by row.
    pub fn set_preupdate_hook(&self, hook: Option<PreUpdateHook>) {
        self.hooks.preupdate.application.set(hook);
        self.note_preupdate_hooks();
    }

    /// Whom to tell of each row before it changes, beside the hook of the application; the number that
    /// [`Connection::unwatch_changes`] wants.
    pub fn watch_changes(&self, watcher: ChangeWatcher) -> u64 {
        let hooks = &self.hooks.preupdate;
        let number = hooks.next.get();
        hooks.next.set(number + 1);
        hooks.watchers.borrow_mut().push((number, watcher));
        self.note_preupdate_hooks();
        number
    }

    /// The watcher with this number is told no more.
    pub fn unwatch_changes(&self, number: u64) {
        // Dropped after the borrow has ended: dropping it may come back here.
        let _gone: Vec<_> =
            self.hooks.preupdate.watchers.borrow_mut().extract_if(.., |(watcher, _)| *watcher == number).collect();
        self.note_preupdate_hooks();
    }

    pub(crate) fn drop_preupdate_hooks(&self) {
        self.hooks.preupdate.application.set(None);
        let _gone = self.hooks.preupdate.watchers.take();
    }

    fn note_preupdate_hooks(&self) {
        let flags = self.compile_flags.get();
        let preupdate_hook = self.hooks.preupdate.is_wanted();
        if flags.preupdate_hook != preupdate_hook {
            self.compile_flags.set(CompileFlags { preupdate_hook, ..flags });
            self.expire_programs();
        }
    }

    pub(crate) fn tell_preupdate_hooks(&self, change: &RowChange<'_>) {
        let hooks = &self.hooks.preupdate;
        if let Some(hook) = hooks.application.get() {
            hook(change);
        }
        // By position: a watcher may leave while it is told.
        let mut at = 0;
        loop {
            let watcher = hooks.watchers.borrow().get(at).map(|(_, watcher)| Rc::clone(watcher));
            let Some(watcher) = watcher else { return };
            watcher(self, change);
            at += 1;
        }
    }

    pub(crate) fn has_preupdate_hook(&self) -> bool {
        self.hooks.preupdate.is_wanted()
    }

    /// A BLOB is about to be written in place: told as the row's deletion, with the column.
    pub(crate) fn tell_of_blob_write(&self, database: &str, table: &str, column: usize, rowid: i64) -> Result<()> {
        let Some(row) = self.row_values(database, table, rowid)? else { return Ok(()) };
        let values: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
        self.tell_preupdate_hooks(&RowChange {
            operation: RowOperation::Delete,
            database,
            table,
            old_rowid: rowid,
            new_rowid: rowid,
            is_without_rowid: false,
            old_values: Some(&values),
            new_values: None,
            computed: &[],
            column_count: values.len(),
            depth: 0,
            blob_column: Some(column),
        });
        Ok(())
    }

    fn row_values(&self, database: &str, table: &str, rowid: i64) -> Result<Option<Vec<Value>>> {
        let catalog = self.catalog();
        let found = catalog.find_database(Name::new(database.as_bytes()));
        let found = found.and_then(|db| catalog.schema(db).table(Name::new(table.as_bytes())));
        let Some(key) = found.and_then(|table| rowid_name(table)) else { return Ok(None) };
        let sql = format!("SELECT * FROM {}.{} WHERE {key} = ?1", quoted(database), quoted(table));
        let Some(mut statement) = self.prepare(sql.as_bytes())?.statement else { return Ok(None) };
        statement.bind(self, 1, BindValue::Value(ValueRef::Integer(rowid)))?;
        let row = match statement.step(self)? {
            Step::Row => Some((0..statement.column_count()).map(|at| Value::from(statement.value(at))).collect()),
            Step::Done => None,
        };
        self.put_back(statement);
        Ok(row)
    }
}
