//! PRAGMA: a table with one entry for each pragma.
//!
//! | module | pragmas |
//! | --- | --- |
//! | `settings` | switches of the connection |
//! | `schema_info` | information of the catalog: table_info, index_list, … |
//! | `store` | information of the pager and the file's header: page_size, journal_mode, … |
//! | `check` | integrity_check, quick_check, foreign_key_check |
//!
//! As in SQLite, a pragma that is not in the table does nothing and returns no rows, so that a program may use pragmas
//! of older or newer versions.

mod check;
mod optimize;
mod schema_info;
mod settings;
mod store;

use lithe_catalog::{Catalog, Table};
use lithe_sql::ast::{self, Name};
use lithe_value::Value;
use lithe_vfs::ResultCode;
use lithe_vm::operand::Db;
use lithe_vm::result_columns::ResultColumns;

use crate::connection::Connection;
use crate::connection::statement::command::CommandRow;
use crate::connection::transaction::StatementRun;
use crate::error::{Error, Result};
use crate::setting_text::{boolean, integer, whole_integer};

/// A pragma of SQLite.
struct Pragma {
    name: &'static str,
    /// The names of the result columns; an empty list stands for one column with the pragma's own name.
    columns: &'static [&'static str],
    traits: u16,
    run: fn(&Call<'_>) -> Result<Vec<CommandRow>>,
}

/// The pragma never has result columns.
const SILENT: u16 = 1;
/// The pragma has no result columns if a value is given.
const SILENT_WHEN_SET: u16 = 2;
/// Uses the catalog: that of the named database, else of all.
const NEEDS_SCHEMA: u16 = 4;
/// Setting it changes the database file.
const WRITES: u16 = 8;
/// The pragma may change the database file, whether a value is given or not.
const ALWAYS_WRITES: u16 = 16;
/// The pragma is not a table-valued function, although it has rows.
const NO_FUNCTION: u16 = 32;

/// Asking for it does not use the statement up.
const REUSABLE: u16 = 64;

/// Reads the schemas when it is compiled.
const READS_SCHEMA: u16 = 128;

/// Of the catalog, uses the database of the table that the value names, or main.
const OF_TABLE: u16 = 256;

/// With [`OF_TABLE`]: only if a table has foreign keys.
const OF_KEYS: u16 = 1024;

/// Shows the columns of a view, which are found when it is compiled.
const OF_VIEW: u16 = 2048;

/// Of the catalog, uses the database of the index that the value names.
const OF_INDEX: u16 = 512;

/// One run of a pragma.
struct Call<'c> {
    connection: &'c Connection,
    run: &'c StatementRun,
    /// The schema that was named.
    schema: Option<Db>,
    value: Option<&'c [u8]>,
    /// The value was quoted, or is the argument of a table-valued function.
    is_quoted: bool,
}

/// A compiled PRAGMA statement.
#[derive(Debug)]
pub(crate) struct PragmaCall {
    /// `None` for a pragma that is not in the table.
    pragma: Option<&'static Pragma>,
    schema: Option<Db>,
    value: Option<Box<[u8]>>,
    is_quoted: bool,
    /// The file of the database has run the pragma itself, with this answer.
    taken_over: Option<String>,
}

impl std::fmt::Debug for Pragma {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Compiles a pragma of the statement `sql`; returns its result columns, too.
pub(crate) fn compile(
    connection: &Connection,
    sql: &[u8],
    pragma: &ast::Pragma<'_>,
) -> Result<(PragmaCall, ResultColumns)> {
    let schema = pragma.name.schema.map(|schema| connection.catalog().named_database(schema, sql)).transpose()?;
    open_temporary(connection, schema)?;
    if let Some(taken) = taken_over(connection, pragma, schema)? {
        return Ok(taken);
    }
    let entry = groups().find(|entry| pragma.name.name.name.is(entry.name));
    let call = PragmaCall {
        pragma: entry,
        schema,
        value: pragma.value.map(Into::into),
        is_quoted: pragma.is_quoted,
        taken_over: None,
    };
    let Some(entry) = entry else { return Ok((call, ResultColumns::default())) };
    if entry.traits & (NEEDS_SCHEMA | READS_SCHEMA) != 0 {
        connection.load_schemas()?;
    }
    call.check_early(connection, entry)?;
    let is_silent = entry.traits & SILENT != 0 || (entry.traits & SILENT_WHEN_SET != 0 && pragma.value.is_some());
    let names = match entry.columns {
        _ if is_silent => &[][..],
        [] => std::slice::from_ref(&entry.name),
        names => names,
    };
    Ok((call, ResultColumns::of_names(names)))
}

/// Opens the temporary database, if it is named. PRAGMA database_list shows that, and temp_store asks whether it is open.
fn open_temporary(connection: &Connection, schema: Option<Db>) -> Result<()> {
    if schema == Some(Db::TEMP) {
        connection.databases.btree(Db::TEMP)?;
    }
    Ok(())
}

/// Calls a file of an application's VFS, which may run a pragma itself.
fn taken_over(
    connection: &Connection,
    pragma: &ast::Pragma<'_>,
    schema: Option<Db>,
) -> Result<Option<(PragmaCall, ResultColumns)>> {
    let database = connection.databases.get(schema.unwrap_or(Db::MAIN))?;
    let Some(file) = database.opened().and_then(|btree| btree.pager().file()) else { return Ok(None) };
    if file.as_any().is_none() {
        return Ok(None);
    }
    let name = pragma.name.name.name.to_str_lossy();
    let value = pragma.value.map(String::from_utf8_lossy);
    match file.pragma(&name, value.as_deref()) {
        None => Ok(None),
        Some(Err((code, message))) => Err(Error::new(code, message)),
        Some(Ok(answer)) => {
            let columns = ResultColumns::of_names(if answer.is_some() { &["result"] } else { &[] });
            Ok(Some((PragmaCall { pragma: None, schema, value: None, is_quoted: false, taken_over: answer }, columns)))
        }
    }
}

/// The pragmas that are table-valued functions, with their columns: those that return rows.
pub(crate) fn table_functions() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    groups().filter(|pragma| pragma.traits & (SILENT | NO_FUNCTION) == 0).map(|pragma| {
        let columns = if pragma.columns.is_empty() { std::slice::from_ref(&pragma.name) } else { pragma.columns };
        (pragma.name, columns)
    })
}

/// The rows of a pragma called as a function.
pub(crate) fn call(
    connection: &Connection,
    run: &StatementRun,
    name: &str,
    schema: Option<Db>,
    value: Option<Vec<u8>>,
) -> Result<Vec<CommandRow>> {
    let pragma = groups().find(|pragma| pragma.name == name);
    open_temporary(connection, schema)?;
    let call =
        PragmaCall { pragma, schema, value: value.map(Vec::into_boxed_slice), is_quoted: true, taken_over: None };
    call.run(connection, run)
}

fn groups() -> impl Iterator<Item = &'static Pragma> {
    [settings::PRAGMAS, schema_info::PRAGMAS, store::PRAGMAS, check::PRAGMAS, LIST].into_iter().flatten()
}

const LIST: &[Pragma] = &[Pragma { name: "pragma_list", columns: &["name"], traits: 0, run: pragma_list }];

fn pragma_list(_: &Call<'_>) -> Result<Vec<CommandRow>> {
    let mut names: Vec<&str> = groups().map(|pragma| pragma.name).collect();
    names.sort_unstable();
    Ok(names.into_iter().map(|name| vec![Value::from(name)]).collect())
}

impl PragmaCall {
    /// Whether the pragma changes no database file.
    pub(crate) fn is_read_only(&self) -> bool {
        let writes = |pragma: &Pragma| {
            pragma.traits & ALWAYS_WRITES != 0 || (pragma.traits & WRITES != 0 && self.value.is_some())
        };
        !self.pragma.is_some_and(writes)
    }

    /// Whether the statement is compiled again for each run, as SQLite does with nearly all pragmas.
    pub(crate) fn is_for_one_run(&self) -> bool {
        !self.pragma.is_some_and(|pragma| pragma.traits & REUSABLE != 0 && self.value.is_none())
    }

    /// Whether it goes on by another step when a database is locked, as a statement does that begins a transaction.
    pub(crate) fn waits(&self) -> bool {
        self.pragma.is_none_or(|pragma| !matches!(pragma.name, "journal_mode" | "optimize"))
    }

    /// Whether SQLite reads tables between the rows.
    pub(crate) fn reads_between_rows(&self) -> bool {
        self.pragma.is_some_and(|pragma| pragma.name == "foreign_key_check")
    }

    /// What SQLite refuses when the pragma is compiled.
    fn check_early(&self, connection: &Connection, entry: &Pragma) -> Result<()> {
        if entry.traits & OF_VIEW != 0 {
            self.check_view(connection)?;
        }
        let value = self.value.as_deref().map(String::from_utf8_lossy);
        match (entry.name, value) {
            ("foreign_key_check", table) => {
                crate::foreign_key_check::check_keys(connection, self.schema, table.as_deref())
            }
            ("integrity_check" | "quick_check", _) => {
                check::check_names(connection, self.schema, self.value.as_deref(), self.is_quoted)
            }
            ("temp_store", Some(value)) => store::check_temp_store(connection, &value),
            ("synchronous", Some(_)) => store::check_safety_level(connection),
            _ => Ok(()),
        }
    }

    /// Fails if the value names a view that cannot be resolved.
    fn check_view(&self, connection: &Connection) -> Result<()> {
        let catalog = connection.catalog();
        let schema = self.schema.map(|db| catalog.database_name(db).name());
        let found = self.value.as_deref().and_then(|name| catalog.find_table(schema, Name::new(name)));
        match found.filter(|found| found.table.view().is_some()) {
            Some(found) => connection.view_columns(found.db, found.table).map(drop),
            None => Ok(()),
        }
    }

    /// Makes sure that the catalog agrees with the files that the pragma shows. As in SQLite, an object's database is in use from then on, and
    /// none for an object that is not found. (Another connection may have created it: SQLite does not look.)
    fn verify_schemas(&self, connection: &Connection, pragma: &Pragma, run: &StatementRun) -> Result<()> {
        if pragma.traits & (OF_TABLE | OF_INDEX) == 0 {
            return connection.verify_schemas(self.schema, run);
        }
        let catalog = connection.catalog();
        match self.found_in(&catalog, pragma) {
            Some(db) => connection.verify_schemas(Some(db), run),
            None if connection.databases.forget_stale_schemas(&catalog, 0) => Err(Error::from_code(ResultCode::SCHEMA)),
            None => Ok(()),
        }
    }

    /// The database in which the pragma finds the object that its value names.
    fn found_in(&self, catalog: &Catalog, pragma: &Pragma) -> Option<Db> {
        let is_shown = |table: &Table| pragma.traits & OF_KEYS == 0 || !table.foreign_keys.is_empty();
        let Some(name) = self.value.as_deref().map(Name::new) else {
            let db = self.schema.unwrap_or(Db::MAIN);
            return catalog.schema(db).tables().iter().any(|table| is_shown(table)).then_some(db);
        };
        let schema = self.schema.map(|db| catalog.database_name(db).name());
        let index = catalog.find_index(schema, name).map(|found| found.db).filter(|_| pragma.traits & OF_INDEX != 0);
        let table = || catalog.find_table(schema, name).filter(|found| is_shown(found.table)).map(|found| found.db);
        index.or_else(table)
    }

    pub(crate) fn run(&self, connection: &Connection, run: &StatementRun) -> Result<Vec<CommandRow>> {
        if let Some(answer) = &self.taken_over {
            return Ok(vec![vec![Value::from(answer.as_str())]]);
        }
        let Some(pragma) = self.pragma else { return Ok(Vec::new()) };
        if pragma.traits & NEEDS_SCHEMA != 0 {
            self.verify_schemas(connection, pragma, run)?;
        }
        let value = self.value.as_deref();
        (pragma.run)(&Call { connection, run, schema: self.schema, value, is_quoted: self.is_quoted })
    }
}

impl Call<'_> {
    /// The named database, else main.
    fn db(&self) -> Db {
        self.schema.unwrap_or(Db::MAIN)
    }

    /// The value as text.
    fn text(&self) -> Option<String> {
        self.value.map(|value| String::from_utf8_lossy(value).into_owned())
    }

    /// The value as an integer of 32 bits: 0 if it is not one.
    fn integer(&self) -> Option<i64> {
        self.value.map(integer)
    }

    /// The value as an integer of 64 bits, if it is one.
    fn long_integer(&self) -> Option<i64> {
        self.value.and_then(whole_integer)
    }

    /// The value as a boolean.
    fn boolean(&self) -> Option<bool> {
        self.value.map(|value| boolean(value, false))
    }
}

/// One row with one value.
fn answer(value: impl Into<Value>) -> Result<Vec<CommandRow>> {
    Ok(vec![vec![value.into()]])
}

/// No rows.
fn nothing() -> Result<Vec<CommandRow>> {
    Ok(Vec::new())
}
