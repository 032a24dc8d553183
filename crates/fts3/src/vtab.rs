//! The modules `fts3` and `fts4` and their tables: the interface to the engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU8, Ordering};

use lithe_base::ResultCode;
use lithe_vtab::{
    Change, ConnectRequest, Connected, FunctionError, IndexInfo, Module, Names, Overloaded, Risk, SqlConnection,
    VirtualCursor, VirtualTable, code, first_value,
};

use crate::config::Config;
use crate::cursor::Fts3Cursor;
use crate::index::{Index, PAGE_RESERVE};
use crate::shadow::{create_tables, literal, shadow_tables};
use crate::storage::Storage;
use crate::table::{Fts3Table, Table, stat};
use crate::{Result, auxiliary, plan, registry};

/// The suffixes of the shadow tables.
pub const SUFFIXES: [&str; 5] = ["content", "segments", "segdir", "docsize", "stat"];
/// The page size that is assumed if the authorizer denies PRAGMA page_size.
const PAGE_SIZE_UNKNOWN: i64 = 1024;

/// The module `fts3` or `fts4`.
pub struct Fts3Module {
    /// Whether it is `fts4`.
    pub is_fts4: bool,
}

impl Fts3Module {
    fn open(&self, connection: &dyn SqlConnection, request: &ConnectRequest<'_>, is_new: bool) -> Result<Connected> {
        let arguments: Vec<_> = request.arguments.iter().map(|one| String::from_utf8_lossy(one)).collect();
        let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        let columns_of = |content: &str| columns_of(connection, request.database, content);
        let mut made = None;
        let mut make_tokenizer = |words: &[String]| {
            made = Some(registry::make(connection, words)?);
            Ok(())
        };
        let config = Config::parse(self.is_fts4, &arguments, &columns_of, &mut make_tokenizer)?;
        let names = Names::new(request.database, request.table);
        let tokenizer = match made {
            Some(made) => made,
            None => registry::make(connection, &config.tokenizer)?,
        };
        if is_new {
            create_tables(connection, &names, &config)?;
        }
        let node_size = node_size(connection, &names)?;
        let declaration = declaration(&config, &names.table);
        let (index, storage) = (Index::new(&config, &names, node_size), Storage::new(&config, &names));
        let stat = if config.is_fts4 { stat::THERE } else { stat::UNKNOWN };
        let (stat, automerge) = (AtomicU8::new(stat), AtomicI32::new(-1));
        let table = Arc::new(Table { names, config, tokenizer, index, storage, stat, automerge });
        let table = Fts3Table { table };
        Ok(Connected { table: Box::new(table), declaration, risk: Risk::Innocuous })
    }
}

impl Module for Fts3Module {
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

/// The columns of a content table.
fn columns_of(connection: &dyn SqlConnection, database: &str, content: &str) -> Result<Vec<String>> {
    let statement = connection.prepare(&format!("SELECT * FROM {}.{}", literal(database), literal(content)))?;
    Ok((0..statement.column_count()).map(|at| statement.column_name(at)).collect())
}

fn node_size(connection: &dyn SqlConnection, names: &Names) -> Result<usize> {
    let size = match first_value(connection, &format!("PRAGMA {}.page_size", literal(&names.database))) {
        Ok(size) => size.map_or(0, |size| lithe_value::cast::to_integer(size.as_ref())),
        Err(error) if error.code == code::AUTH => PAGE_SIZE_UNKNOWN,
        Err(error) => return Err(error),
    };
    Ok(usize::try_from(size - PAGE_RESERVE).unwrap_or(0))
}

fn declaration(config: &Config, table: &str) -> String {
    let columns: String = config.columns.iter().map(|column| format!("{}, ", literal(column))).collect();
    let language = literal(config.language.as_deref().unwrap_or("__langid"));
    format!("CREATE TABLE x({columns}{} HIDDEN, docid HIDDEN, {language} HIDDEN)", literal(table))
}

impl VirtualTable for Fts3Table {
    fn has_reusable_plans(&self) -> bool {
        true
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        plan::plan(info, self.table.config.columns.len());
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(Fts3Cursor::new(&self.table)))
    }

    fn is_writable(&self) -> bool {
        true
    }

    fn supports_constraints(&self) -> bool {
        true
    }

    fn update(&self, connection: &dyn SqlConnection, change: &Change<'_>) -> Result<Option<i64>> {
        let rowid = self.table.update(connection, change)?;
        self.table.learn_automerge(connection)?;
        Ok(rowid)
    }

    fn begin(&self, _: &dyn SqlConnection) -> Result {
        self.table.index.leaves_added.store(0, Ordering::Relaxed);
        Ok(())
    }

    fn sync(&self, connection: &dyn SqlConnection) -> Result {
        self.table.sync(connection)
    }

    fn rollback(&self, _: &dyn SqlConnection) {
        self.table.discard_pending();
    }

    fn savepoint(&self, connection: &dyn SqlConnection, _: i32) -> Result {
        // The table's own statements open savepoints, too: these must not flush.
        if self.table.index.is_writing() {
            return Ok(());
        }
        let has_pending = self.table.index.has_pending();
        self.table.flush(connection)?;
        if has_pending {
            // As after the command 'flush', which SQLite runs here.
            connection.set_last_insert_rowid(0);
        }
        Ok(())
    }

    fn rollback_to(&self, _: &dyn SqlConnection, _: i32) -> Result {
        self.table.discard_pending();
        Ok(())
    }

    fn rename(&self, connection: &dyn SqlConnection, name: &str) -> Result {
        self.table.flush(connection)?;
        let has_stat = self.table.has_stat(connection)?;
        let own = shadow_tables(&self.table.config);
        let suffixes = own.iter().map(|(suffix, _)| *suffix).chain(has_stat.then_some("stat"));
        for suffix in suffixes {
            self.table.names.rename_shadow(connection, suffix, name).map_err(FunctionError::silent)?;
        }
        // Under the old name nothing is merged at the end of the transaction.
        self.table.index.leaves_added.store(0, Ordering::Relaxed);
        Ok(())
    }

    fn destroy(&self, connection: &dyn SqlConnection) -> Result {
        // The end of the transaction must not write into dropped tables.
        self.table.discard_pending();
        self.table.index.leaves_added.store(0, Ordering::Relaxed);
        let has_content = self.table.config.has_own_content();
        let suffixes = SUFFIXES.iter().filter(|suffix| has_content || **suffix != "content");
        let mut suffixes = suffixes.map(|suffix| self.table.names.shadow(suffix));
        suffixes.try_for_each(|table| connection.execute(&format!("DROP TABLE IF EXISTS {table}")))
    }

    fn integrity(
        &self,
        connection: &dyn SqlConnection,
        database: &str,
        table: &str,
        _: bool,
    ) -> Result<Option<String>> {
        let Err(error) = self.table.check(connection) else { return Ok(None) };
        let version = if self.table.config.is_fts4 { 4 } else { 3 };
        Ok(Some(if error.code == code::CORRUPT_VTAB {
            format!("malformed inverted index for FTS{version} table {database}.{table}")
        } else {
            let text = ResultCode(error.code).text();
            format!("unable to validate the inverted index for FTS{version} table {database}.{table}: {text}")
        }))
    }

    fn find_function(&self, name: &str, _: usize) -> Option<Overloaded> {
        auxiliary::overloaded(name)
    }
}
