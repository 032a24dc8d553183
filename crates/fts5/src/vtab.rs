//! The module `fts5` and its tables: the interface to the engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use lithe_base::ResultCode;
use lithe_vtab::{
    Change, ConnectRequest, Connected, FunctionError, IndexInfo, Module, Overloaded, Risk, SqlConnection,
    VirtualCursor, VirtualTable, code,
};

use crate::config::{Config, Content};
use crate::cursor::{Fts5Cursor, Fts5Table};
use crate::index::Index;
use crate::index::store::AVERAGES_ID;
use crate::registry::{self, Registry};
use crate::settings::{Settings, VERSION};
use crate::storage::Storage;
use crate::structure::Structure;
use crate::table::Table;
use crate::{Result, functions, plan};
use lithe_vtab::{Names, quoted};

/// The module `fts5`.
pub struct Fts5Module;

impl Fts5Module {
    fn open(&self, connection: &dyn SqlConnection, request: &ConnectRequest<'_>, is_new: bool) -> Result<Connected> {
        let arguments: Vec<_> = request.arguments.iter().map(|one| String::from_utf8_lossy(one)).collect();
        let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        let config = Config::parse(request.table, &arguments)?;
        let names = Names::new(request.database, request.table);
        let tokenizer = registry::make(connection, &config.tokenizer)?;
        if config.columns.is_empty() {
            return Err(FunctionError::of_code(code::ERROR)); // as in SQLite, without a message of its own
        }
        if is_new {
            create_tables(connection, &names, &config)?;
        } else {
            Settings::read(connection, &names)?;
        }
        let declaration = declaration(&config, &names.table);
        let (index, storage) = (Index::new(&config, &names), Storage::new(&config, &names));
        let registry = Registry::of(connection);
        let table = Arc::new(Table {
            names,
            config,
            tokenizer,
            index,
            storage,
            cursors: Arc::clone(&registry.cursors),
            is_reading: AtomicBool::new(false),
            is_flushing: AtomicBool::new(false),
        });
        if is_new {
            let store = table.index.reader(connection).store();
            let structure = Structure { is_v2: table.config.contentless_delete, ..Structure::default() };
            store.write(AVERAGES_ID, &[])?;
            store.write(crate::index::store::STRUCTURE_ID, &structure.write())?;
        }
        let table = Fts5Table { table, registry, savepoint: AtomicI32::new(0) };
        Ok(Connected { table: Box::new(table), declaration, risk: Risk::Innocuous })
    }
}

impl Module for Fts5Module {
    fn create(&self, connection: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        self.open(connection, request, true)
    }

    fn connect(&self, connection: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        self.open(connection, request, false)
    }

    fn is_shadow_name(&self, suffix: &str) -> bool {
        SUFFIXES.iter().any(|own| own.eq_ignore_ascii_case(suffix))
    }

    fn declaration_error(&self, _: &str, _: &str) -> Option<String> {
        None
    }
}

fn declaration(config: &Config, table: &str) -> String {
    let columns: String = config.columns.iter().map(|column| format!("{}, ", quoted(&column.name))).collect();
    format!("CREATE TABLE x({columns}{} HIDDEN, rank HIDDEN)", quoted(table))
}

/// The suffixes of the shadow tables, in the order in which they are made.
const SUFFIXES: [&str; 5] = ["data", "idx", "content", "docsize", "config"];

/// The columns of `x_content`.
fn content_columns(config: &Config) -> Option<String> {
    let is_stored = |is_indexed: bool| match config.content {
        Content::Own => true,
        Content::None => config.contentless_unindexed && !is_indexed,
        Content::External(_) => false,
    };
    let columns = config.columns.iter().enumerate();
    let stored: String =
        columns.filter(|(_, column)| is_stored(column.is_indexed)).map(|(at, _)| format!(", c{at}")).collect();
    if stored.is_empty() && config.content != Content::Own {
        return None;
    }
    let has_locales = config.locale && config.content == Content::Own;
    let columns = config.columns.iter().enumerate().filter(|(_, column)| has_locales && column.is_indexed);
    let locales: String = columns.map(|(at, _)| format!(", l{at}")).collect();
    Some(format!("id INTEGER PRIMARY KEY{stored}{locales}"))
}

/// The shadow tables of a table, with their columns and table options.
fn shadow_tables(config: &Config) -> Vec<(&'static str, String, &'static str)> {
    let mut tables = vec![
        ("data", "id INTEGER PRIMARY KEY, block BLOB".to_owned(), ""),
        ("idx", "segid, term, pgno, PRIMARY KEY(segid, term)".to_owned(), " WITHOUT ROWID"),
    ];
    tables.extend(content_columns(config).map(|columns| ("content", columns, "")));
    if config.column_size {
        let origin = if config.contentless_delete { ", origin INTEGER" } else { "" };
        tables.push(("docsize", format!("id INTEGER PRIMARY KEY, sz BLOB{origin}"), ""));
    }
    tables.push(("config", "k PRIMARY KEY, v".to_owned(), " WITHOUT ROWID"));
    tables
}

fn create_tables(connection: &dyn SqlConnection, names: &Names, config: &Config) -> Result {
    let escaped = |name: &str| name.replace('\'', "''");
    for (suffix, columns, tail) in shadow_tables(config) {
        let (database, table) = (escaped(&names.database), escaped(&names.table));
        let sql = format!("CREATE TABLE '{database}'.'{table}_{suffix}'({columns}){tail}");
        connection.execute(&sql).map_err(|error| {
            let message = format!("fts5: error creating shadow table {}_{suffix}: {}", names.table, error.message);
            FunctionError::with_code(error.code, message)
        })?;
    }
    let config = names.shadow("config");
    connection.execute(&format!("INSERT INTO {config} VALUES('version', {VERSION})"))
}

impl VirtualTable for Fts5Table {
    fn has_reusable_plans(&self) -> bool {
        true
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        Ok(plan::plan(info, self.table.config.columns.len(), self.table.tokenizer.patterns()))
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(Fts5Cursor::new(&self.table)))
    }

    fn is_writable(&self) -> bool {
        true
    }

    fn supports_constraints(&self) -> bool {
        true
    }

    fn update(&self, connection: &dyn SqlConnection, change: &Change<'_>) -> Result<Option<i64>> {
        self.table.update(connection, change)
    }

    fn begin(&self, _: &dyn SqlConnection) -> Result {
        self.table.index.begin()
    }

    fn sync(&self, connection: &dyn SqlConnection) -> Result {
        self.table.flush(connection)
    }

    fn commit(&self, _: &dyn SqlConnection) {
        self.table.end();
    }

    fn rollback(&self, _: &dyn SqlConnection) {
        self.table.forget(true);
    }

    fn savepoint(&self, connection: &dyn SqlConnection, savepoint: i32) -> Result {
        self.table.flush(connection)?;
        self.savepoint.store(savepoint.saturating_add(1), Ordering::Relaxed);
        Ok(())
    }

    fn release(&self, connection: &dyn SqlConnection, savepoint: i32) -> Result {
        // Savepoints within this one may have been opened after something was noted in memory.
        if savepoint.saturating_add(1) < self.savepoint.load(Ordering::Relaxed) {
            self.table.flush(connection)?;
            self.savepoint.store(savepoint, Ordering::Relaxed);
        }
        Ok(())
    }

    fn rollback_to(&self, _: &dyn SqlConnection, _: i32) -> Result {
        // Nothing older than the savepoint is in memory, because opening the savepoint has written it. (The depth stays, as in SQLite:
        // the release of this savepoint writes a segment where a savepoint within it was open once.)
        self.table.forget(false);
        Ok(())
    }

    fn rename(&self, connection: &dyn SqlConnection, name: &str) -> Result {
        self.table.flush(connection)?;
        for (suffix, ..) in shadow_tables(&self.table.config) {
            self.table.names.rename_shadow(connection, suffix, name)?;
        }
        Ok(())
    }

    fn destroy(&self, connection: &dyn SqlConnection) -> Result {
        let drop =
            |suffix: &str| connection.execute(&format!("DROP TABLE IF EXISTS {}", self.table.names.shadow(suffix)));
        SUFFIXES.iter().try_for_each(|suffix| drop(suffix))
    }

    fn find_function(&self, name: &str, _: usize) -> Option<Overloaded> {
        functions::overloaded(&self.registry, name)
    }

    fn integrity(
        &self,
        connection: &dyn SqlConnection,
        database: &str,
        table: &str,
        _: bool,
    ) -> Result<Option<String>> {
        let Err(error) = self.table.check(connection, false) else { return Ok(None) };
        let is_corrupt = error.code & 0xff == code::CORRUPT;
        Ok(Some(match (is_corrupt, error.message.is_empty()) {
            (true, false) => error.into_message().into_owned(),
            (true, true) => format!("malformed inverted index for FTS5 table {database}.{table}"),
            (false, _) => {
                let text = ResultCode(error.code).text();
                format!("unable to validate the inverted index for FTS5 table {database}.{table}: {text}")
            }
        }))
    }
}

impl Table {
    /// Whether documents have a value for a column that can be read.
    pub fn has_column(&self, column: usize) -> bool {
        match self.config.content {
            Content::Own | Content::External(_) => true,
            Content::None => {
                let is_unindexed = self.config.columns.get(column).is_some_and(|column| !column.is_indexed);
                self.config.contentless_unindexed && is_unindexed
            }
        }
    }
}
