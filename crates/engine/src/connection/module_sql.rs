//! SQL that functions and modules of virtual tables run on the connection that calls them.
//!
//! A statement that is kept waits here, under the number of its [`Kept`], between two uses; a use takes it out and puts it
//! back. One that was left on a row is a running statement like any other: it holds its locks until it is reset, which
//! happens here once nobody has its [`Kept`] any more, and at the latest with the last statement of the application: a
//! connection that may move to another thread has no row of a module's own.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Weak;

use hashbrown::HashMap;
use lithe_functions::{
    Arity, BlobPlace, FunctionError, Kept, PageAccess, Pointer, SqlBlob, SqlConnection, SqlStatement,
};
use lithe_sql::ast::Name;
use lithe_value::ValueRef;
use lithe_vfs::ResultCode;

use crate::connection::Connection;
use crate::connection::blob::Blob;
use crate::connection::config::Config;
use crate::connection::limit::Limit;
use crate::connection::statement::{BindValue, Statement, Step};
use crate::error::{Error, Result};

type CallResult<T = ()> = lithe_functions::Result<T>;

/// The statements that wait between two uses.
#[derive(Default)]
pub(crate) struct KeptStatements {
    idle: RefCell<HashMap<u64, Waiting>>,
    /// How many of them stand on a row.
    running: Cell<usize>,
    /// When there are so many, those that nobody can ask for any more are looked for.
    sweep_at: Cell<usize>,
}

struct Waiting {
    statement: Statement,
    alive: Weak<u64>,
}

/// What extensions keep for the whole connection, by name.
#[derive(Default)]
pub(crate) struct ClientData(RefCell<HashMap<&'static str, Rc<dyn Any>>>);

/// So many statements are kept before the first look for those that nobody can ask for.
const SWEEP_MIN: usize = 64;

impl KeptStatements {
    fn take(&self, key: u64) -> Option<Statement> {
        let waiting = self.idle.borrow_mut().remove(&key)?;
        if waiting.statement.is_running() {
            self.running.set(self.running.get() - 1);
        }
        Some(waiting.statement)
    }

    /// Puts a statement back; gives it back where there is one already, or nobody can ask for it.
    fn put(&self, key: u64, statement: Statement, alive: &Weak<u64>) -> Option<Statement> {
        let mut idle = self.idle.borrow_mut();
        if alive.strong_count() == 0 || idle.contains_key(&key) {
            return Some(statement);
        }
        if statement.is_running() {
            self.running.set(self.running.get() + 1);
        }
        idle.insert(key, Waiting { statement, alive: alive.clone() });
        None
    }

    /// Takes out those that `is_wanted` does not want.
    fn remove(&self, is_wanted: impl Fn(&Waiting) -> bool) -> Vec<Statement> {
        let removed: Vec<Waiting> =
            self.idle.borrow_mut().extract_if(|_, waiting| !is_wanted(waiting)).map(|(_, waiting)| waiting).collect();
        let running = removed.iter().filter(|waiting| waiting.statement.is_running()).count();
        self.running.set(self.running.get() - running);
        removed.into_iter().map(|waiting| waiting.statement).collect()
    }
}

fn is_alive(waiting: &Waiting) -> bool {
    waiting.alive.strong_count() > 0
}

impl Connection {
    /// A statement has let go of its cursors: statements that only those could have gone on with end as well, and if it is the
    /// last one that a module did not leave on a row, all that are.
    #[inline]
    pub(crate) fn end_orphaned_statements(&self) {
        let on_a_row = self.kept.running.get();
        if on_a_row == 0 {
            return;
        }
        let is_last = self.transaction.active_count() <= on_a_row + 1;
        self.sweep_kept_statements(|waiting| is_alive(waiting) && !(is_last && waiting.statement.is_running()));
    }

    fn sweep_kept_statements(&self, is_wanted: impl Fn(&Waiting) -> bool) {
        for mut statement in self.kept.remove(is_wanted) {
            statement.reset(self);
        }
    }

    /// Lets go of all kept statements.
    pub(crate) fn forget_kept_statements(&self) {
        self.sweep_kept_statements(|_| false);
    }

    fn keep(&self, key: u64, alive: &Weak<u64>, statement: Statement) {
        if let Some(mut unwanted) = self.kept.put(key, statement, alive) {
            unwanted.reset(self);
        }
        let count = self.kept.idle.borrow().len();
        if count > self.kept.sweep_at.get().max(SWEEP_MIN) {
            self.sweep_kept_statements(is_alive);
            let left = self.kept.idle.borrow().len();
            self.kept.sweep_at.set(left * 2);
        }
    }

    fn prepare_for_module(&self, sql: &str, may_use_virtual_tables: bool) -> Result<(Statement, usize)> {
        let prepared = match may_use_virtual_tables {
            true => self.prepare(sql.as_bytes())?,
            false => self.prepare_without_virtual_tables(sql.as_bytes())?,
        };
        let statement = prepared.statement;
        let statement = statement.ok_or_else(|| Error::new(ResultCode::MISUSE, "the text holds no statement"))?;
        Ok((statement, prepared.tail))
    }

    fn kept_statement<'c>(&'c self, kept: &Kept, goes_on: bool) -> CallResult<Box<dyn SqlStatement + 'c>> {
        let mut tail = kept.sql().len();
        let mut statement = match self.kept.take(kept.key()) {
            Some(statement) => statement,
            None => {
                let (statement, end) = self.prepare_for_module(kept.sql(), kept.may_use_virtual_tables())?;
                tail = end;
                statement
            }
        };
        if !goes_on {
            statement.reset(self);
        }
        let end = AtDrop::Keep { key: kept.key(), alive: kept.alive(), goes_on };
        Ok(Box::new(ModuleStatement { connection: self, statement: Some(statement), end, tail }))
    }
}

/// What becomes of a statement when the module lets go of it.
enum AtDrop {
    Finish,
    Keep { key: u64, alive: Weak<u64>, goes_on: bool },
}

/// A statement in a module's hands.
struct ModuleStatement<'c> {
    connection: &'c Connection,
    /// There until it is dropped.
    statement: Option<Statement>,
    end: AtDrop,
    tail: usize,
}

impl ModuleStatement<'_> {
    fn inner(&self) -> &Statement {
        self.statement.as_ref().expect("a statement is taken out only when it is dropped")
    }

    fn inner_mut(&mut self) -> &mut Statement {
        self.statement.as_mut().expect("a statement is taken out only when it is dropped")
    }
}

impl Drop for ModuleStatement<'_> {
    fn drop(&mut self) {
        let Some(mut statement) = self.statement.take() else { return };
        match &self.end {
            AtDrop::Finish => self.connection.put_back(statement),
            AtDrop::Keep { key, alive, goes_on } => {
                if !goes_on {
                    statement.reset(self.connection);
                }
                self.connection.keep(*key, alive, statement);
            }
        }
    }
}

impl SqlStatement for ModuleStatement<'_> {
    fn bind(&mut self, number: usize, value: ValueRef<'_>) -> CallResult {
        let connection = self.connection;
        let statement = self.inner_mut();
        if statement.is_running() {
            statement.reset(connection);
        }
        Ok(statement.bind(connection, number, BindValue::Value(value))?)
    }

    fn bind_pointer(&mut self, number: usize, kind: &[u8], value: Box<dyn Any + Send>) -> CallResult {
        let connection = self.connection;
        let statement = self.inner_mut();
        if statement.is_running() {
            statement.reset(connection);
        }
        if number == 0 || number > statement.parameter_count() {
            return Err(FunctionError::of_code(ResultCode::RANGE.0));
        }
        Ok(statement.bind_pointer(number, Rc::new(Pointer { kind: kind.into(), value }))?)
    }

    fn step(&mut self) -> CallResult<bool> {
        let connection = self.connection;
        Ok(self.inner_mut().step(connection)? == Step::Row)
    }

    fn reset(&mut self) {
        let connection = self.connection;
        self.inner_mut().reset(connection);
    }

    fn column(&self, index: usize) -> ValueRef<'_> {
        self.inner().value(index)
    }

    fn column_count(&self) -> usize {
        self.inner().column_count()
    }

    fn column_name(&self, index: usize) -> String {
        let statement = self.inner();
        if index < statement.column_count() { statement.column(index).name.to_string() } else { String::new() }
    }

    fn parameter_count(&self) -> usize {
        self.inner().parameter_count()
    }

    fn is_read_only(&self) -> bool {
        self.inner().is_read_only()
    }

    fn sql(&self) -> &str {
        self.inner().sql()
    }

    fn tail(&self) -> usize {
        self.tail
    }
}

/// A BLOB in a module's hands.
struct ModuleBlob<'c> {
    connection: &'c Connection,
    blob: Blob,
}

impl Drop for ModuleBlob<'_> {
    fn drop(&mut self) {
        // Nothing can fail but a commit, and the statement that called the module is still to have that.
        let _ = self.blob.close(self.connection);
    }
}

impl SqlBlob for ModuleBlob<'_> {
    fn len(&self) -> usize {
        self.blob.len()
    }

    fn read(&mut self, offset: usize, bytes: &mut [u8]) -> CallResult {
        Ok(self.blob.read(self.connection, bytes, offset)?)
    }

    fn write(&mut self, offset: usize, bytes: &[u8]) -> CallResult {
        Ok(self.blob.write(self.connection, bytes, offset)?)
    }

    fn reopen(&mut self, rowid: i64) -> CallResult {
        Ok(self.blob.reopen(self.connection, rowid)?)
    }
}

impl SqlConnection for Connection {
    fn prepare<'c>(&'c self, sql: &str) -> CallResult<Box<dyn SqlStatement + 'c>> {
        let (statement, tail) = self.prepare_for_module(sql, true)?;
        Ok(Box::new(ModuleStatement { connection: self, statement: Some(statement), end: AtDrop::Finish, tail }))
    }

    fn statement<'c>(&'c self, kept: &Kept) -> CallResult<Box<dyn SqlStatement + 'c>> {
        self.kept_statement(kept, false)
    }

    fn resume<'c>(&'c self, kept: &Kept) -> CallResult<Box<dyn SqlStatement + 'c>> {
        self.kept_statement(kept, true)
    }

    fn execute(&self, sql: &str) -> CallResult {
        let mut rest = sql.as_bytes();
        while !rest.is_empty() {
            let prepared = Connection::prepare(self, rest)?;
            rest = &rest[prepared.tail..];
            let Some(mut statement) = prepared.statement else { continue };
            let run = loop {
                match statement.step(self) {
                    Ok(Step::Row) => {}
                    Ok(Step::Done) => break Ok(()),
                    Err(error) => break Err(error),
                }
            };
            self.put_back(statement);
            run?;
        }
        Ok(())
    }

    fn open_blob<'c>(&'c self, place: &BlobPlace<'_>, rowid: i64) -> CallResult<Box<dyn SqlBlob + 'c>> {
        let blob = self.blob_open(place.database, place.table, place.column, rowid, place.writable)?;
        Ok(Box::new(ModuleBlob { connection: self, blob }))
    }

    fn pages<'c>(&'c self, database: &str) -> CallResult<Box<dyn PageAccess + 'c>> {
        Ok(Box::new(self.module_pages(database)?))
    }

    fn has_table(&self, database: &str, table: &str) -> bool {
        // A schema that cannot be read is the error of the statement that needs it.
        let _ = self.load_schemas();
        let catalog = self.catalog();
        let db = catalog.find_database(Name::new(database.as_bytes()));
        db.is_some_and(|db| catalog.schema(db).table(Name::new(table.as_bytes())).is_some())
    }

    fn with_virtual_table(&self, database: &str, table: &str, f: &mut dyn FnMut(&dyn Any)) -> CallResult {
        let db = self.catalog().find_database(Name::new(database.as_bytes()));
        let db = db.ok_or_else(|| FunctionError::new(format!("no such database: {database}")))?;
        let table = self.virtual_table_named(db, Name::new(table.as_bytes()))?;
        f(&*table);
        Ok(())
    }

    fn with_client_data(
        &self,
        name: &'static str,
        make: &dyn Fn() -> Box<dyn Any + Send>,
        f: &mut dyn FnMut(&dyn Any),
    ) {
        let known = self.client_data.0.borrow().get(name).cloned();
        let data = known.unwrap_or_else(|| {
            let made: Rc<dyn Any> = Rc::from(make() as Box<dyn Any>);
            Rc::clone(self.client_data.0.borrow_mut().entry(name).or_insert(made))
        });
        f(&*data);
    }

    fn deferred_violations(&self) -> i64 {
        self.facts.deferred_violations.get() + self.facts.deferred_immediate_violations.get()
    }

    fn set_foreign_keys_no_action(&self, on: bool) -> bool {
        let mut flags = self.compile_flags.get();
        let before = std::mem::replace(&mut flags.foreign_keys_no_action, on);
        if before != on {
            self.compile_flags.set(flags);
            self.expire_programs();
        }
        before
    }

    fn log(&self, code: i32, message: &str) {
        lithe_vfs::log_error(code, message.as_bytes());
    }

    fn overload_function(&self, name: &str) -> CallResult {
        Ok(Connection::overload_function(self, name, Arity::AtLeast(0))?)
    }

    fn with_single_quotes(&self, database: &str, statement: &[u8]) -> CallResult<Vec<u8>> {
        Ok(Connection::with_single_quotes(self, database, statement)?)
    }

    fn last_insert_rowid(&self) -> i64 {
        Connection::last_insert_rowid(self)
    }

    fn set_last_insert_rowid(&self, rowid: i64) {
        Connection::set_last_insert_rowid(self, rowid);
    }

    fn changes(&self) -> i64 {
        self.facts.changes.get()
    }

    fn total_changes(&self) -> i64 {
        self.facts.total_changes.get()
    }

    fn content_version(&self, database: &str) -> Option<u64> {
        if self.has_shared_cache() {
            return None;
        }
        let db = self.catalog().find_database(Name::new(database.as_bytes()))?;
        let btree = self.btree(db).ok()?;
        btree.pager().is_reading().then(|| btree.pager().write_version())
    }

    fn databases(&self) -> Vec<String> {
        self.catalog().databases().iter().map(|database| database.name.to_string()).collect()
    }

    fn is_defensive(&self) -> bool {
        self.config(Config::Defensive)
    }

    fn length_max(&self) -> usize {
        self.limit(Limit::Length).unsigned_abs() as usize
    }

    fn is_interrupted(&self) -> bool {
        self.interrupts.is_set()
    }
}
