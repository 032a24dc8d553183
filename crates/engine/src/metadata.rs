//! What an application may ask about a connection's databases without SQL.

use std::path::Path;

use lithe_catalog::TableKind;
use lithe_sql::ast::Name;
use lithe_vm::operand::Db;

use crate::connection::Connection;
use crate::error::{Error, Result};

/// A column, as `sqlite3_table_column_metadata` describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnMetadata {
    /// The declared type, if there is one.
    pub declared_type: Option<String>,
    /// The name of its collation.
    pub collation: String,
    /// NOT NULL.
    pub not_null: bool,
    /// Part of the primary key.
    pub primary_key: bool,
    /// AUTOINCREMENT.
    pub autoincrement: bool,
}

/// How far a connection's transaction has come (`sqlite3_txn_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TransactionKind {
    /// Nothing is read or written.
    None = 0,
    /// It reads.
    Read = 1,
    /// It writes, or could.
    Write = 2,
}

impl Connection {
    /// A column of a table. Without a database all are searched, without a column the table is asked for its rowid.
    ///
    /// # Errors
    /// SQLITE_ERROR "no such table column: X.Y".
    pub fn column_metadata(&self, database: Option<&str>, table: &str, column: Option<&str>) -> Result<ColumnMetadata> {
        self.load_schemas()?;
        let catalog = self.catalog();
        let missing = || Error::generic(format!("no such table column: {table}.{}", column.unwrap_or_default()));
        let schema = database.map(|database| Name::new(database.as_bytes()));
        if let Some(found) = catalog.find_table(schema, Name::new(table.as_bytes())) {
            self.connect_if_virtual(found.db, found.table)?;
        }
        let catalog = self.catalog();
        let found = catalog.find_table(schema, Name::new(table.as_bytes()));
        let table = found.filter(|found| !matches!(found.table.kind, TableKind::View(_))).ok_or_else(missing)?.table;
        let rowid = || ColumnMetadata {
            declared_type: Some("INTEGER".to_owned()),
            collation: "BINARY".to_owned(),
            not_null: false,
            primary_key: true,
            autoincrement: false,
        };
        let named = column.and_then(|column| table.column(Name::new(column.as_bytes())));
        let is_rowid = |column: &str| ["rowid", "oid", "_rowid_"].iter().any(|name| column.eq_ignore_ascii_case(name));
        let at = match (named, column) {
            (Some(at), _) => at,
            (None, None) => return Ok(rowid()),
            (None, Some(column)) if table.has_rowid() && is_rowid(column) => match table.rowid_column {
                Some(at) => at,
                None => return Ok(rowid()),
            },
            (None, Some(_)) => return Err(missing()),
        };
        let column = &table.columns[usize::from(at)];
        let declared = String::from_utf8_lossy(&column.declared_type).into_owned();
        Ok(ColumnMetadata {
            declared_type: (!declared.is_empty()).then_some(declared),
            collation: column.collation.name().to_string(),
            not_null: column.not_null.is_some(),
            primary_key: column.primary_key > 0 || table.rowid_column == Some(at),
            autoincrement: table.autoincrement && table.rowid_column == Some(at),
        })
    }

    /// The number of a database by its name; none without one is main.
    fn database_number(&self, name: Option<&str>) -> Option<Db> {
        match name {
            None => Some(Db::MAIN),
            Some(name) => self.catalog().find_database(Name::new(name.as_bytes())),
        }
    }

    /// How far the transaction has come on a database, or at most on any (`None`). Nothing if there is no such database.
    pub fn transaction_kind(&self, database: Option<&str>) -> Option<TransactionKind> {
        let only = match database {
            None => None,
            Some(_) => Some(self.database_number(database)?),
        };
        let kinds = self.databases().filter(|(db, _)| only.is_none_or(|only| only == *db));
        let kind = kinds.map(|(_, database)| match database.opened().map(|btree| btree.pager()) {
            Some(pager) if pager.is_writing() => TransactionKind::Write,
            Some(pager) if pager.is_reading() => TransactionKind::Read,
            _ => TransactionKind::None,
        });
        kind.max()
    }

    /// Whether a database can only be read. Nothing if there is no such database.
    pub fn is_read_only(&self, database: Option<&str>) -> Option<bool> {
        let database = self.database(self.database_number(database)?).ok()?;
        Some(database.opened().is_some_and(|btree| btree.pager().is_read_only()))
    }

    /// The absolute path of a database's file, empty for one without a file. Nothing if there is no such database.
    pub fn file_name(&self, database: Option<&str>) -> Option<std::path::PathBuf> {
        let database = self.database(self.database_number(database)?).ok()?;
        Some(Path::to_path_buf(database.file_name()))
    }

    /// Keys and values of the URI that a database was opened by.
    pub fn uri_parameters(&self, database: Option<&str>) -> Vec<(Vec<u8>, Vec<u8>)> {
        let database = self.database_number(database).and_then(|number| self.database(number).ok());
        database.map_or_else(Vec::new, |database| database.parameters().to_vec())
    }

    /// The name of the database with that number: 0 is main, 1 is temp.
    pub fn database_name(&self, number: usize) -> Option<String> {
        let catalog = self.catalog();
        let database = catalog.databases().get(number)?;
        Some(database.name.to_string())
    }
}
