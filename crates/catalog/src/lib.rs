//! The catalog: which tables, indexes, views and triggers exist, and how large they are.
//!
//! ```text
//!   Catalog            of one connection: an Arc that a statement being compiled holds
//!    ├─ main     Arc<Schema>          copied on write: DDL changes a copy while statements read the old one, and
//!    │                                the copy shares all objects and most of the maps with it
//!    ├─ temp     Arc<Schema>
//!    └─ attached Arc<Schema> ...
//!                  ├─ Arc<Table>      columns, Arc<Index>..., Arc<Trigger>..., checks, foreign keys
//!                  └─ Arc<Trigger>    TEMP triggers on tables of other databases are only here
//! ```
//!
//! Expressions (CHECK, DEFAULT, generated columns, index expressions, WHERE of partial indexes) and the bodies of
//! views and triggers are kept as text, and parsed into the arena of each statement that needs them: an owned tree
//! beside the arena's would be a second representation, and the file stores the text anyway. Literal
//! defaults, nearly all there are, are kept as values.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `schema` | the objects of one database |
//! | `persistent_map` | objects by name, in a map whose copies share what did not change |
//! | `table`, `index`, `trigger` | the objects |
//! | `statistics` | sqlite_stat1 and sqlite_stat4 |
//! | `measure` | sizes of trees without ANALYZE's statistics |
//! | `name` | names that are kept |
//! | `build` | objects from CREATE statements, with SQLite's checks; loading the schema table's rows |
//! | `error` | why a statement cannot be compiled |
//!
//! Read first: [`Catalog`], [`Schema`], [`Table`].
//!
//! This crate must not know statements: it resolves no expression; [`KnownNames`] tells it whether a function or a collation exists.

#![forbid(unsafe_code)]

mod build;
mod error;
mod index;
mod measure;
mod name;
mod persistent_map;
mod schema;
mod statistics;
mod table;
mod trigger;

use std::sync::Arc;

use lithe_base::Db;
use lithe_sql::ast::{Ident, Name, QualifiedName};

pub use build::*;
pub use error::{CompileError, ErrorKind, Result, Unconnected, fail};
pub use index::*;
pub use measure::*;
pub use name::{CollationName, NameBuf};
pub use schema::*;
pub use statistics::*;
pub use table::*;
pub use trigger::*;

/// The databases of a connection and what is in them.
#[derive(Clone, Debug)]
pub struct Catalog {
    databases: Vec<Database>,
    /// Table-valued functions; a table of the same name comes first.
    functions: Arc<Vec<Arc<Table>>>,
}

/// A database under the name that the connection has for it.
#[derive(Clone, Debug)]
pub struct Database {
    /// "main", "temp", or the name that ATTACH gave.
    pub name: NameBuf,
    /// What is in it.
    pub schema: Arc<Schema>,
    /// Distinguishes it from a database that has or had the same name. Earlier and later catalogs share it.
    identity: Arc<()>,
}

impl Database {
    fn new(name: NameBuf, schema: Arc<Schema>) -> Database {
        Database { name, schema, identity: Arc::default() }
    }
}

/// A table that was found, and where.
#[derive(Clone, Copy, Debug)]
pub struct FoundTable<'c> {
    /// Its database.
    pub db: Db,
    /// The table.
    pub table: &'c Arc<Table>,
}

/// An index that was found, and where.
#[derive(Clone, Copy, Debug)]
pub struct FoundIndex<'c> {
    /// Its database.
    pub db: Db,
    /// Its table.
    pub table: &'c Arc<Table>,
    /// The index.
    pub index: &'c Arc<Index>,
}

/// A trigger that was found, and where.
#[derive(Clone, Copy, Debug)]
pub struct FoundTrigger<'c> {
    /// Its database.
    pub db: Db,
    /// The trigger.
    pub trigger: &'c Arc<Trigger>,
}

impl Default for Catalog {
    fn default() -> Catalog {
        Catalog::new()
    }
}

impl Catalog {
    /// The catalog of a new connection: main and temp, both empty.
    pub fn new() -> Catalog {
        let database = |name: &str, temporary| Database::new(name.into(), Arc::new(Schema::new(temporary)));
        let databases = vec![database("main", false), database("temp", true)];
        Catalog { databases, functions: Arc::default() }
    }

    /// All databases: main, temp, and the attached ones.
    pub fn databases(&self) -> &[Database] {
        &self.databases
    }

    /// The name of database `db`.
    #[inline]
    pub fn database_name(&self, db: Db) -> &NameBuf {
        &self.databases[usize::from(db.0)].name
    }

    /// Gives the main database another name, besides "main".
    pub fn rename_main(&mut self, name: NameBuf) {
        self.databases[usize::from(Db::MAIN.0)].name = name;
    }

    /// The schema of database `db`.
    #[inline]
    pub fn schema(&self, db: Db) -> &Arc<Schema> {
        &self.databases[usize::from(db.0)].schema
    }

    /// The schema of database `db`, to be changed: copied first if a statement still reads it.
    pub fn schema_mut(&mut self, db: Db) -> &mut Schema {
        Arc::make_mut(&mut self.databases[usize::from(db.0)].schema)
    }

    /// Replaces the schema of `db`.
    pub fn set_schema(&mut self, db: Db, schema: Arc<Schema>) {
        self.databases[usize::from(db.0)].schema = schema;
    }

    /// ATTACH: the new database's number.
    pub fn attach(&mut self, name: NameBuf, schema: Arc<Schema>) -> Db {
        self.databases.push(Database::new(name, schema));
        Db((self.databases.len() - 1) as u8)
    }

    /// DETACH: the numbers of the databases after it decrease by one, and TEMP triggers on its tables are removed.
    pub fn detach(&mut self, db: Db) {
        let detached = self.databases.remove(usize::from(db.0));
        let temp = self.schema(Db::TEMP);
        if temp.has_triggers() {
            let is_orphan = |trigger: &&Arc<Trigger>| trigger.table_schema.as_ref() == Some(&detached.name);
            let orphans: Vec<NameBuf> = temp.triggers().into_iter().filter(is_orphan).map(|t| t.name.clone()).collect();
            orphans.iter().for_each(|orphan| self.schema_mut(Db::TEMP).orphan_trigger(orphan.name()));
        }
    }

    /// The database of that name. The main database is "main" whatever its name is.
    pub fn find_database(&self, name: Name<'_>) -> Option<Db> {
        let at = self.databases.iter().rposition(|database| database.name == name);
        at.map(|at| Db(at as u8)).or_else(|| name.is("main").then_some(Db::MAIN))
    }

    /// The database of that name, or "unknown database x".
    pub fn database(&self, name: Name<'_>) -> Result<Db, CompileError> {
        self.find_database(name).ok_or_else(|| CompileError::new(format!("unknown database {name}")))
    }

    /// The database of that name in the statement `sql`, or "unknown database x" at that name, as it is written.
    pub fn named_database(&self, name: Ident<'_>, sql: &[u8]) -> Result<Db, CompileError> {
        let written = || String::from_utf8_lossy(name.span().text(sql)).into_owned();
        let unknown = || CompileError::at(name.span(), format!("unknown database {}", written()));
        self.find_database(name.name).ok_or_else(unknown)
    }

    /// The databases in which a name is looked up: the one that was named, or temp, main, attached ones in order.
    fn scope(&self, schema: Option<Name<'_>>) -> impl Iterator<Item = Db> {
        let named = schema.map(|schema| self.find_database(schema));
        self.search_order().filter(move |db| named.is_none_or(|named| named == Some(*db)))
    }

    /// The databases in the order in which a name without a schema is looked up.
    #[inline]
    fn search_order(&self) -> impl Iterator<Item = Db> {
        [Db::TEMP, Db::MAIN].into_iter().chain((2..self.databases.len()).map(|at| Db(at as u8)))
    }

    /// The table or view of that name.
    pub fn find_table(&self, schema: Option<Name<'_>>, name: Name<'_>) -> Option<FoundTable<'_>> {
        let found = match schema {
            None => self.table_anywhere(name),
            Some(schema) => self.find_database(schema).and_then(|db| self.table_in(db, name)),
        };
        found.or_else(|| self.find_schema_table(schema, name)).or_else(|| self.find_table_function(name))
    }

    fn table_anywhere(&self, name: Name<'_>) -> Option<FoundTable<'_>> {
        for db in [Db::TEMP, Db::MAIN] {
            if let Some(found) = self.table_in(db, name) {
                return Some(found);
            }
        }
        self.search_order().skip(2).find_map(|db| self.table_in(db, name))
    }

    fn table_in(&self, db: Db, name: Name<'_>) -> Option<FoundTable<'_>> {
        Some(FoundTable { db, table: self.schema(db).table(name)? })
    }

    /// The table-valued functions that every database has.
    pub fn set_table_functions(&mut self, functions: Arc<Vec<Arc<Table>>>) {
        self.functions = functions;
    }

    /// Adds a table-valued function, in place of one of the same name.
    pub fn add_table_function(&mut self, table: Table) {
        let functions = Arc::make_mut(&mut self.functions);
        functions.retain(|known| known.name != table.name);
        functions.push(Arc::new(table));
    }

    /// Removes a table-valued function.
    pub fn remove_table_function(&mut self, name: Name<'_>) {
        Arc::make_mut(&mut self.functions).retain(|known| known.name != name);
    }

    /// The table-valued function of that name.
    pub fn table_function(&self, name: Name<'_>) -> Option<&Arc<Table>> {
        self.functions.iter().find(|table| table.name == name)
    }

    /// All table-valued functions.
    pub fn table_functions(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.functions.iter()
    }

    /// Whether the table-valued functions are those of another catalog.
    pub fn has_table_functions_of(&self, other: &Catalog) -> bool {
        Arc::ptr_eq(&self.functions, &other.functions)
    }

    /// Takes the table-valued functions of another catalog, because no transaction changes them.
    pub fn take_table_functions(&mut self, from: &Catalog) {
        self.functions = Arc::clone(&from.functions);
    }

    /// Whether every database that both catalogs have has the same schema in both.
    pub fn has_schemas_of(&self, other: &Catalog) -> bool {
        let twin = |own: &Database| other.databases.iter().find(|other| Arc::ptr_eq(&own.identity, &other.identity));
        self.databases.iter().all(|own| twin(own).is_none_or(|twin| Arc::ptr_eq(&own.schema, &twin.schema)))
    }

    /// Takes the databases of another catalog, because ATTACH and DETACH are no part of a transaction. A database that
    /// both catalogs have keeps this catalog's schema. Returns the databases that only the other catalog has.
    pub fn take_databases(&mut self, from: &Catalog) -> Vec<Db> {
        let mut new = Vec::new();
        let old = std::mem::take(&mut self.databases);
        for (at, database) in from.databases.iter().enumerate() {
            let known = old.iter().find(|known| Arc::ptr_eq(&known.identity, &database.identity));
            if known.is_none() {
                new.push(Db(at as u8));
            }
            let schema = known.map_or(&database.schema, |known| &known.schema);
            self.databases.push(Database { schema: Arc::clone(schema), ..database.clone() });
        }
        if self.schema(Db::TEMP).has_triggers() {
            let names: Vec<NameBuf> = self.databases.iter().map(|database| database.name.clone()).collect();
            self.schema_mut(Db::TEMP).forget_orphans(|name| names.iter().any(|known| *known == name));
        }
        new
    }

    /// Whether a temporary trigger waits for its table, or its table is gone: then the temporary schema is to be read again as soon as
    /// another one has been.
    pub fn has_waiting_triggers(&self) -> bool {
        let temp = self.schema(Db::TEMP);
        let has_table = |trigger: &Trigger, schema: Name<'_>| {
            self.find_database(schema).is_some_and(|db| self.schema(db).table(trigger.table.name()).is_some())
        };
        let waits = |trigger: &Arc<Trigger>| match &trigger.table_schema {
            Some(schema) => !has_table(trigger, schema.name()),
            None => false,
        };
        temp.has_waiting_triggers || temp.has_triggers() && temp.triggers().into_iter().any(waits)
    }

    /// All virtual tables that are connected.
    pub fn virtual_tables(&self) -> impl Iterator<Item = &ConnectedTable> {
        let tables = self.databases.iter().flat_map(|database| database.schema.tables());
        tables.chain(self.functions.iter()).filter_map(|table| table.connected())
    }

    fn find_table_function(&self, name: Name<'_>) -> Option<FoundTable<'_>> {
        self.table_function(name).map(|table| FoundTable { db: Db::MAIN, table })
    }

    /// The schema tables under their other names: sqlite_schema in each database, and in temp also sqlite_master.
    fn find_schema_table(&self, schema: Option<Name<'_>>, name: Name<'_>) -> Option<FoundTable<'_>> {
        let is_plain = name.is(SCHEMA_TABLE) || name.is(SCHEMA_TABLE_ALIAS);
        let db = match schema {
            None if name.is(TEMP_SCHEMA_TABLE_ALIAS) => Db::TEMP,
            None if is_plain => Db::MAIN,
            None => return None,
            Some(schema) => self.find_database(schema)?,
        };
        let wanted = match db {
            Db::TEMP if is_plain || name.is(TEMP_SCHEMA_TABLE_ALIAS) => TEMP_SCHEMA_TABLE,
            Db::TEMP => return None,
            _ if is_plain => SCHEMA_TABLE,
            _ => return None,
        };
        let table = self.schema(db).table(Name::new(wanted.as_bytes()))?;
        Some(FoundTable { db, table })
    }

    /// The table or view of that name, or "no such table: x".
    pub fn table(&self, schema: Option<Ident<'_>>, name: Ident<'_>) -> Result<FoundTable<'_>, CompileError> {
        let found = self.find_table(schema.map(|schema| schema.name), name.name);
        found.ok_or_else(|| no_such_table(schema.map(|schema| schema.name), name.name))
    }

    /// The index of that name.
    pub fn find_index(&self, schema: Option<Name<'_>>, name: Name<'_>) -> Option<FoundIndex<'_>> {
        self.scope(schema).find_map(|db| {
            let schema = self.schema(db);
            Some(FoundIndex { db, table: schema.indexed_table(name)?, index: schema.index(name)? })
        })
    }

    /// The trigger of that name.
    pub fn find_trigger(&self, schema: Option<Name<'_>>, name: Name<'_>) -> Option<FoundTrigger<'_>> {
        self.scope(schema).find_map(|db| Some(FoundTrigger { db, trigger: self.schema(db).trigger(name)? }))
    }

    /// The triggers of a table in the order in which they fire: temporary ones first, in the order of their creation, then
    /// the table's own, the newest first.
    pub fn triggers_of<'c>(&'c self, db: Db, table: &'c Table) -> impl Iterator<Item = FoundTrigger<'c>> {
        let temp = self.schema(Db::TEMP);
        let includes_temp = db != Db::TEMP && temp.has_triggers();
        let temp_triggers = if includes_temp { temp.triggers() } else { Vec::new() };
        let name = self.database_name(db);
        let of_temp = temp_triggers.into_iter().filter(move |trigger| {
            trigger.table == table.name && trigger.table_schema.as_ref().is_some_and(|schema| schema == name)
        });
        let own = table.triggers.iter().map(move |trigger| FoundTrigger { db, trigger });
        of_temp.map(|trigger| FoundTrigger { db: Db::TEMP, trigger }).chain(own)
    }
}

/// The error for a table that does not exist.
pub fn no_such_table(schema: Option<Name<'_>>, name: Name<'_>) -> CompileError {
    CompileError::no_such("table", qualified(schema, name)).of_kind(ErrorKind::NoSuchTable)
}

/// `schema.name` or `name`, for messages.
pub fn qualified<'a>(schema: Option<Name<'a>>, name: Name<'a>) -> impl std::fmt::Display + 'a {
    Qualified(schema, name)
}

struct Qualified<'a>(Option<Name<'a>>, Name<'a>);

impl std::fmt::Display for Qualified<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(schema) => write!(f, "{schema}.{}", self.1),
            None => write!(f, "{}", self.1),
        }
    }
}

/// A qualified name, for messages.
pub fn display_name<'a>(name: QualifiedName<'a>) -> impl std::fmt::Display + 'a {
    Qualified(name.schema.map(|schema| schema.name), name.name.name)
}
