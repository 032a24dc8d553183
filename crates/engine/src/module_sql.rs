//! SQL that functions, and modules of virtual tables, run on the connection that calls them.

use std::any::Any;
use std::rc::Rc;
use std::sync::Weak;

use lithe_functions::{
    Arity, BlobPlace, FunctionError, Kept, KeptTable, PageAccess, Pointer, SqlBlob, SqlConnection, SqlStatement,
};
use lithe_sql::ast::Name;
use lithe_value::ValueRef;
use lithe_vfs::ResultCode;

use crate::blob::Blob;
use crate::connection::Connection;
use crate::connection::statement::{BindValue, Statement, Step};
use crate::error::{Error, Result};
use crate::internal_functions::with_single_quotes;
use crate::module_pages::ModulePages;
use crate::module_rows;
use crate::settings::limit::Limit;

type CallResult<T = ()> = lithe_functions::Result<T>;

impl Connection {
    /// The error of a function's or module's own SQL, as it is told.
    #[cold]
    pub(crate) fn told(&self, error: Error) -> FunctionError {
        let code = error.code().0 & self.settings.code_mask.get();
        FunctionError::with_code(code, error.into_message())
    }
}

fn prepare_for_module(connection: &Connection, sql: &str, may_use_virtual_tables: bool) -> Result<(Statement, usize)> {
    let prepared = match may_use_virtual_tables {
        true => connection.prepare(sql.as_bytes())?,
        false => connection.prepare_without_virtual_tables(sql.as_bytes())?,
    };
    let statement = prepared.statement;
    let statement = statement.ok_or_else(|| Error::new(ResultCode::MISUSE, "the text holds no statement"))?;
    Ok((statement, prepared.tail))
}

fn kept_statement<'c>(
    connection: &'c Connection,
    kept: &Kept,
    continues: bool,
) -> CallResult<Box<dyn SqlStatement + 'c>> {
    let mut tail = kept.sql().len();
    let (mut statement, alive) = match connection.kept.take(kept.key()) {
        Some(statement) => (statement, None),
        None => {
            let prepared = prepare_for_module(connection, kept.sql(), kept.may_use_virtual_tables());
            let (statement, end) = prepared.map_err(|error| connection.told(error))?;
            tail = end;
            (statement, Some(kept.alive()))
        }
    };
    if !continues && statement.is_running() {
        statement.reset(connection).map_err(|error| connection.told(error))?;
    }
    let end = AtDrop::Keep { key: kept.key(), alive, continues };
    Ok(Box::new(ModuleStatement { connection, statement: Some(statement), end, tail }))
}

/// What happens to a statement when the module drops it.
enum AtDrop {
    Finish,
    /// `alive`: the statement is kept for the first time.
    Keep {
        key: u64,
        alive: Option<Weak<u64>>,
        continues: bool,
    },
}

/// A statement that a module holds.
struct ModuleStatement<'c> {
    connection: &'c Connection,
    /// `Some` until the drop.
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
            AtDrop::Keep { key, alive, continues } => {
                if !continues && statement.is_running() {
                    let _ = statement.reset(self.connection); // it runs within the module's own statement, which commits
                }
                self.connection.kept.keep(self.connection, *key, alive.as_ref(), statement);
            }
        }
    }
}

impl SqlStatement for ModuleStatement<'_> {
    fn bind(&mut self, number: usize, value: ValueRef<'_>) -> CallResult {
        let connection = self.connection;
        let statement = self.inner_mut();
        if statement.is_running() {
            statement.reset(connection)?;
        }
        Ok(statement.bind(connection, number, BindValue::Value(value))?)
    }

    fn bind_pointer(&mut self, number: usize, kind: &[u8], value: Box<dyn Any + Send>) -> CallResult {
        let connection = self.connection;
        let statement = self.inner_mut();
        if statement.is_running() {
            statement.reset(connection)?;
        }
        if number == 0 || number > statement.parameter_count() {
            return Err(FunctionError::of_code(ResultCode::RANGE.0));
        }
        Ok(statement.bind_pointer(number, Rc::new(Pointer { kind: kind.into(), value, number: None }))?)
    }

    fn step(&mut self) -> CallResult<bool> {
        let connection = self.connection;
        let step = self.inner_mut().step(connection).map_err(|error| connection.told(error))?;
        Ok(step == Step::Row)
    }

    fn reset(&mut self) {
        let connection = self.connection;
        // The statement runs within another one, which commits.
        let _ = self.inner_mut().reset(connection);
    }

    fn column(&self, index: usize) -> ValueRef<'_> {
        self.inner().value(index)
    }

    fn column_count(&self) -> usize {
        self.inner().column_count()
    }

    fn column_name(&self, index: usize) -> String {
        self.inner().column(index).map(|column| column.name.to_owned()).unwrap_or_default()
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

/// A BLOB that a module holds.
struct ModuleBlob<'c> {
    connection: &'c Connection,
    blob: Blob,
}

impl Drop for ModuleBlob<'_> {
    fn drop(&mut self) {
        // Only a commit could fail here, and the statement that called the module commits later itself.
        let _ = self.blob.close(self.connection);
    }
}

impl SqlBlob for ModuleBlob<'_> {
    fn len(&self) -> usize {
        self.blob.len()
    }

    fn read(&mut self, offset: usize, bytes: &mut [u8]) -> CallResult {
        self.blob.read(self.connection, bytes, offset).map_err(|error| self.connection.told(error))
    }

    fn write(&mut self, offset: usize, bytes: &[u8]) -> CallResult {
        self.blob.write(self.connection, bytes, offset).map_err(|error| self.connection.told(error))
    }

    fn reopen(&mut self, rowid: i64) -> CallResult {
        self.blob.reopen(self.connection, rowid).map_err(|error| self.connection.told(error))
    }
}

impl SqlConnection for Connection {
    fn prepare<'c>(&'c self, sql: &str) -> CallResult<Box<dyn SqlStatement + 'c>> {
        let (statement, tail) = prepare_for_module(self, sql, true).map_err(|error| self.told(error))?;
        Ok(Box::new(ModuleStatement { connection: self, statement: Some(statement), end: AtDrop::Finish, tail }))
    }

    fn statement<'c>(&'c self, kept: &Kept) -> CallResult<Box<dyn SqlStatement + 'c>> {
        kept_statement(self, kept, false)
    }

    fn resume<'c>(&'c self, kept: &Kept) -> CallResult<Box<dyn SqlStatement + 'c>> {
        kept_statement(self, kept, true)
    }

    fn read_row(&self, table: &KeptTable, rowid: i64, read: &mut dyn FnMut(ValueRef<'_>)) -> Option<CallResult<bool>> {
        module_rows::read_row(self, table, rowid, read)
    }

    fn next_row(&self, table: &KeptTable, rowid: i64) -> Option<CallResult<Option<i64>>> {
        module_rows::next_row(self, table, rowid)
    }

    fn write_row(&self, table: &KeptTable, rowid: Option<i64>, value: ValueRef<'_>) -> Option<CallResult<i64>> {
        module_rows::write_row(self, table, rowid, value)
    }

    fn edit_row(
        &self,
        table: &KeptTable,
        rowid: i64,
        edit: &mut dyn FnMut(&mut [u8]) -> bool,
    ) -> Option<CallResult<bool>> {
        module_rows::edit_row(self, table, rowid, edit)
    }

    fn delete_row(&self, table: &KeptTable, rowid: i64) -> Option<CallResult> {
        module_rows::delete_row(self, table, rowid)
    }

    fn execute(&self, sql: &str) -> CallResult {
        let mut rest = sql.as_bytes();
        while !rest.is_empty() {
            let prepared = Connection::prepare(self, rest).map_err(|error| self.told(error))?;
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
            run.map_err(|error| self.told(error))?;
        }
        Ok(())
    }

    fn open_blob<'c>(&'c self, place: &BlobPlace<'_>, rowid: i64) -> CallResult<Box<dyn SqlBlob + 'c>> {
        let blob = Blob::open(self, place, rowid).map_err(|error| self.told(error))?;
        Ok(Box::new(ModuleBlob { connection: self, blob }))
    }

    fn pages<'c>(&'c self, database: &str) -> CallResult<Box<dyn PageAccess + 'c>> {
        Ok(Box::new(ModulePages::open(self, database)?))
    }

    fn has_table(&self, database: &str, table: &str) -> bool {
        // If a schema cannot be read, the statement that needs it reports the error.
        let _ = self.load_schemas();
        let catalog = self.catalog();
        let db = catalog.find_database(Name::new(database.as_bytes()));
        db.is_some_and(|db| catalog.schema(db).table(Name::new(table.as_bytes())).is_some())
    }

    fn with_virtual_table(&self, database: &str, table: &str, f: &mut dyn FnMut(&dyn Any)) -> CallResult {
        let db = self.catalog().find_database(Name::new(database.as_bytes()));
        let db = db.ok_or_else(|| FunctionError::new(format!("no such database: {database}")))?;
        let table = self.virtual_tables.table(self.module_context(), db, Name::new(table.as_bytes()))?;
        f(&*table);
        Ok(())
    }

    fn with_client_data(
        &self,
        name: &'static str,
        make: &dyn Fn() -> Box<dyn Any + Send>,
        f: &mut dyn FnMut(&dyn Any),
    ) {
        f(&*self.client_data.get_or_make(name, make));
    }

    fn deferred_violations(&self) -> i64 {
        self.state.deferred_violations.get() + self.state.deferred_immediate_violations.get()
    }

    fn set_foreign_keys_no_action(&self, on: bool) -> bool {
        let before = self.settings.flags().foreign_keys_no_action;
        self.settings.set_flag(|flags| &mut flags.foreign_keys_no_action, on);
        before
    }

    fn log(&self, code: i32, message: &str) {
        lithe_vfs::log_error(code, message.as_bytes());
    }

    fn overload_function(&self, name: &str) -> CallResult {
        Ok(Connection::overload_function(self, name, Arity::AtLeast(0))?)
    }

    fn with_single_quotes(&self, database: &str, statement: &[u8]) -> CallResult<Vec<u8>> {
        Ok(with_single_quotes(self, database, statement)?)
    }

    fn last_insert_rowid(&self) -> i64 {
        Connection::last_insert_rowid(self)
    }

    fn set_last_insert_rowid(&self, rowid: i64) {
        Connection::set_last_insert_rowid(self, rowid);
    }

    fn changes(&self) -> i64 {
        self.state.changes.get()
    }

    fn total_changes(&self) -> i64 {
        self.state.total_changes.get()
    }

    fn content_version(&self, database: &str) -> Option<u64> {
        if self.databases.shares_cache() {
            return None;
        }
        self.databases.content_version(self.definitions.find_database(Name::new(database.as_bytes()))?)
    }

    fn content_version_at(&self, table: &KeptTable) -> Option<u64> {
        match module_rows::database_of(self, table) {
            Some(db) if !self.databases.shares_cache() => self.databases.content_version(db),
            _ => self.content_version(table.database()),
        }
    }

    fn databases(&self) -> Vec<String> {
        self.catalog().databases().iter().map(|database| database.name.to_string()).collect()
    }

    fn is_defensive(&self) -> bool {
        self.settings.flags().defensive
    }

    fn length_max(&self) -> usize {
        self.settings.limit(Limit::Length, &self.state).unsigned_abs() as usize
    }

    fn is_interrupted(&self) -> bool {
        self.interrupts.is_set()
    }
}
