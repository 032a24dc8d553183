//! Hooks: callbacks for commits, rollbacks, changed rows, progress.
//!
//! A hook is called while a statement of its connection runs. If a hook itself runs statements, it is not called for
//! those.

use std::cell::RefCell;
use std::rc::Rc;

use lithe_engine as engine;
pub use lithe_engine::authorize::{Action, Permission, Request};
pub use lithe_engine::{Change, RowChange};

use crate::connection::Connection;
use crate::trace::{self, TraceEvent};

impl Connection {
    /// Sets the hook that is called before each commit of a transaction that has written. If it returns true, the
    /// transaction is rolled back, and the statement fails with SQLITE_CONSTRAINT_COMMITHOOK.
    ///
    /// ```
    /// # use lithe::{Connection, ResultCode};
    /// let connection = Connection::open_in_memory()?;
    /// connection.set_commit_hook(Some(|| true));
    /// let error = connection.execute("CREATE TABLE t(a)", []).unwrap_err();
    /// assert_eq!(error.code(), ResultCode::CONSTRAINT_COMMITHOOK);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn set_commit_hook(&self, hook: Option<impl FnMut() -> bool + Send + 'static>) {
        self.core.set_commit_hook(hook.map(|hook| -> engine::CommitHook {
            let hook = RefCell::new(hook);
            Rc::new(move || hook.try_borrow_mut().is_ok_and(|mut hook| hook()))
        }));
    }

    /// Sets the hook that is called after rollbacks, except for a rollback that closing a connection causes.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// connection.set_rollback_hook(Some(|| println!("rolled back")));
    /// connection.execute_batch("BEGIN; DELETE FROM t; ROLLBACK")?;
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn set_rollback_hook(&self, hook: Option<impl FnMut() + Send + 'static>) {
        self.core.set_rollback_hook(hook.map(|hook| -> engine::RollbackHook {
            let hook = RefCell::new(hook);
            Rc::new(move || {
                if let Ok(mut hook) = hook.try_borrow_mut() {
                    hook();
                }
            })
        }));
    }

    /// Sets the hook that is called for each changed row, with the kind of change, the database, the table, and the
    /// rowid (the new one for an UPDATE).
    ///
    /// It is not called for rows of tables WITHOUT ROWID, for rows that REPLACE removes, and for rows that a DELETE
    /// without WHERE removes all at once.
    ///
    /// ```
    /// # use lithe::{Change, Connection};
    /// # use std::sync::{Arc, Mutex};
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE t(a)")?;
    /// let seen = Arc::new(Mutex::new(Vec::new()));
    /// let notes = Arc::clone(&seen);
    /// connection.set_update_hook(Some(move |change, _: &str, table: &str, rowid| {
    ///     notes.lock().unwrap().push((change, table.to_owned(), rowid));
    /// }));
    /// connection.execute("INSERT INTO t VALUES ('x')", [])?;
    /// assert_eq!(*seen.lock().unwrap(), [(Change::Insert, "t".to_owned(), 1)]);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn set_update_hook(&self, hook: Option<impl FnMut(Change, &str, &str, i64) + Send + 'static>) {
        self.core.set_update_hook(hook.map(|hook| -> engine::UpdateHook {
            let hook = RefCell::new(hook);
            Rc::new(move |change, database: &str, table: &str, rowid| {
                if let Ok(mut hook) = hook.try_borrow_mut() {
                    hook(change, database, table, rowid);
                }
            })
        }));
    }

    /// Registers the pre-update hook, which is called before each row is inserted, updated or deleted, with its old and
    /// its new values.
    ///
    /// The hook is also called for changes by triggers, foreign-key actions and REPLACE, and for tables WITHOUT ROWID.
    /// While a hook is set, a DELETE without WHERE deletes row by row. The hook must not change the database.
    ///
    /// ```
    /// # use lithe::{Connection, RowChange};
    /// # use std::sync::{Arc, Mutex};
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'one')")?;
    /// let seen = Arc::new(Mutex::new(Vec::new()));
    /// let notes = Arc::clone(&seen);
    /// connection.set_preupdate_hook(Some(move |change: &RowChange<'_>| {
    ///     let text = |value: lithe::ValueRef<'_>| String::from_utf8_lossy(value.bytes().unwrap_or_default()).into_owned();
    ///     if let (Ok(old), Ok(new)) = (change.old_value(1), change.new_value(1)) {
    ///         notes.lock().unwrap().push((text(old), text(new)));
    ///     }
    /// }));
    /// connection.execute("UPDATE t SET b = 'uno' WHERE a = 1", [])?;
    /// assert_eq!(*seen.lock().unwrap(), [("one".to_owned(), "uno".to_owned())]);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn set_preupdate_hook(&self, hook: Option<impl FnMut(&RowChange<'_>) + Send + 'static>) {
        self.core.set_preupdate_hook(hook.map(|hook| -> engine::PreUpdateHook {
            let hook = RefCell::new(hook);
            Rc::new(move |change: &RowChange<'_>| {
                if let Ok(mut hook) = hook.try_borrow_mut() {
                    hook(change);
                }
            })
        }));
    }

    /// Sets the handler that is called whenever this number of instructions has run. If it returns true, the statement
    /// ends with SQLITE_INTERRUPT.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// connection.set_progress_handler(1000, Some(|| true));
    /// let forever = "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    /// assert_eq!(connection.execute(forever, []).unwrap_err().code(), lithe::ResultCode::INTERRUPT);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn set_progress_handler(&self, instructions: u32, handler: Option<impl FnMut() -> bool + Send + 'static>) {
        self.core.set_progress_handler(
            instructions,
            handler.map(|handler| -> engine::ProgressHandler {
                let handler = RefCell::new(handler);
                Rc::new(move || handler.try_borrow_mut().is_ok_and(|mut handler| handler()))
            }),
        );
    }

    /// Sets the authorizer, which is called while statements are compiled, and allows or denies their actions. A
    /// statement with a denied action fails with SQLITE_AUTH; a column that is to be ignored reads as NULL.
    ///
    /// ```
    /// # use lithe::{Action, Connection, Permission, Request, ResultCode};
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE person(name, salary); INSERT INTO person VALUES ('Ann', 5)")?;
    /// connection.set_authorizer(Some(|request: &Request<'_>| match request.action {
    ///     Action::Read if request.second == Some("salary") => Permission::Ignore,
    ///     Action::Select | Action::Read => Permission::Allow,
    ///     _ => Permission::Deny,
    /// }));
    /// let row = |row: &lithe::Row<'_>| Ok((row.get::<String>(0)?, row.get::<Option<i64>>(1)?));
    /// assert_eq!(connection.query_row("SELECT * FROM person", [], row)?, ("Ann".to_owned(), None));
    /// assert_eq!(connection.execute("DELETE FROM person", []).unwrap_err().code(), ResultCode::AUTH);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn set_authorizer(&self, authorizer: Option<impl FnMut(&Request<'_>) -> Permission + Send + 'static>) {
        self.core.set_authorizer(authorizer.map(|authorizer| -> engine::AuthorizerCallback {
            let authorizer = RefCell::new(authorizer);
            Rc::new(move |request: &Request<'_>| match authorizer.try_borrow_mut() {
                Ok(mut authorizer) => authorizer(request),
                Err(_) => Permission::Deny,
            })
        }));
    }

    /// Sets the callback that decides whether to try again while another connection holds a lock; its argument is the
    /// number of its calls so far. It replaces a timeout.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// connection.set_busy_handler(Some(|asked| {
    ///     std::thread::sleep(std::time::Duration::from_millis(10));
    ///     asked < 100 // a second
    /// }));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn set_busy_handler(&self, handler: Option<impl FnMut(u32) -> bool + Send + 'static>) {
        self.core.set_busy_handler(handler.map(|handler| -> engine::BusyCallback {
            let handler = RefCell::new(handler);
            Rc::new(move |asked| handler.try_borrow_mut().is_ok_and(|mut handler| handler(asked)))
        }));
    }

    /// Registers the trace hook, which is called for the beginning and the end of each statement, for its rows, for
    /// triggers that run, and for the end of the connection.
    ///
    /// ```
    /// # use lithe::{Connection, TraceEvent};
    /// # use std::sync::{Arc, Mutex};
    /// let connection = Connection::open_in_memory()?;
    /// let seen = Arc::new(Mutex::new(Vec::new()));
    /// let log = Arc::clone(&seen);
    /// connection.set_trace_hook(Some(move |event: TraceEvent<'_>| match event {
    ///     TraceEvent::Statement(statement) => log.lock().unwrap().push(statement.expanded_sql()),
    ///     TraceEvent::Row(_) => log.lock().unwrap().push("row".to_owned()),
    ///     _ => {}
    /// }));
    /// connection.query_row("SELECT ?1", ["x"], |_| Ok(()))?;
    /// assert_eq!(*seen.lock().unwrap(), ["SELECT 'x'", "row"]);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn set_trace_hook(&self, hook: Option<impl FnMut(TraceEvent<'_>) + Send + 'static>) {
        let hook: Option<trace::Hook> = hook.map(|hook| -> trace::Hook { Rc::new(RefCell::new(hook)) });
        self.core.set_trigger_trace(hook.clone().map(|hook| -> engine::TriggerTrace {
            Rc::new(move |comment: &str| trace::call(&hook, TraceEvent::Trigger(comment)))
        }));
        self.tracer.set(hook);
    }
}
