//! Column metadata, read without SQL.

use lithe_catalog::TableKind;
use lithe_sql::ast::Name;

use crate::connection::Connection;
use crate::error::{Error, Result};

/// A column, as `sqlite3_table_column_metadata` describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnMetadata {
    /// The declared type, if there is one.
    pub declared_type: Option<String>,
    /// The name of the collation.
    pub collation: String,
    /// NOT NULL.
    pub not_null: bool,
    /// Part of the primary key.
    pub primary_key: bool,
    /// AUTOINCREMENT.
    pub autoincrement: bool,
}

/// A column of a table. Without a database all databases are searched; without a column the function describes the
/// rowid.
///
/// # Errors
/// SQLITE_ERROR "no such table column: X.Y".
pub(crate) fn column(
    connection: &Connection,
    database: Option<&str>,
    table: &str,
    column: Option<&str>,
) -> Result<ColumnMetadata> {
    connection.load_schemas()?;
    let catalog = connection.catalog();
    let missing = || Error::generic(format!("no such table column: {table}.{}", column.unwrap_or_default()));
    let schema = database.map(|database| Name::new(database.as_bytes()));
    if let Some(found) = catalog.find_table(schema, Name::new(table.as_bytes())) {
        connection.virtual_tables.connect_if_virtual(connection.module_context(), found.db, found.table)?;
    }
    let catalog = connection.catalog();
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
