//! Descriptions of rows and keys, and messages, to which programs refer. They are computed once and cached with the table or
//! index in the catalog.

use std::sync::{Arc, OnceLock};

use lithe_base::{Db, ResultCode};
use lithe_btree::KeyInfo;
use lithe_catalog::{Column, Index, IndexOrigin, IndexTerm, NameBuf, Table};
use lithe_format::db_header::TextEncoding;
use lithe_resolve::environment::Environment;
use lithe_value::{Affinity, Value};
use lithe_vm::program::TableMetadata;
use lithe_vm::result_columns::TableColumn;

/// The cache of a table.
#[derive(Default)]
struct OfTable {
    write_metadata: OnceLock<Arc<TableMetadata>>,
    rowid_failure: OnceLock<Arc<str>>,
    record: OnceLock<RecordLayout>,
    /// By column.
    not_null_failures: OnceLock<Box<[OnceLock<Arc<str>>]>>,
    /// As result columns; the rowid follows all columns.
    columns: OnceLock<Box<[OnceLock<Arc<TableColumn>>]>>,
}

/// The cache of an index.
#[derive(Default)]
struct OfIndex {
    unique_failure: OnceLock<Arc<str>>,
    key: OnceLock<IndexKey>,
}

/// The description of an index's key, and the properties that it depends on besides the index.
struct IndexKey {
    descending_counts: bool,
    encoding: TextEncoding,
    key: Arc<KeyInfo>,
}

/// The record of a table's rows.
pub(crate) struct RecordLayout {
    /// The columns that it has, in its order.
    pub columns: Box<[u16]>,
    /// They are all columns of the table in their order.
    pub is_in_order: bool,
    /// The affinities that are applied when the record is made: it stores a REAL that is an integer as an integer. `None`: no column
    /// has any.
    pub affinities: Option<Arc<[Affinity]>>,
}

/// The record of the table's rows.
pub(crate) fn record_layout(table: &Table) -> &RecordLayout {
    table.derived.get::<OfTable>().record.get_or_init(|| make_record_layout(table))
}

fn make_record_layout(table: &Table) -> RecordLayout {
    let columns: Box<[u16]> = table.record_columns().collect();
    let affinity = |at: &u16| match table.rowid_column == Some(*at) {
        true => Affinity::Blob,
        false => table.columns[usize::from(*at)].affinity,
    };
    let has_any = columns.iter().any(|at| affinity(at) != Affinity::Blob);
    RecordLayout {
        is_in_order: columns.iter().enumerate().all(|(at, column)| at == usize::from(*column)),
        affinities: has_any.then(|| columns.iter().map(affinity).collect()),
        columns,
    }
}

/// The table info for write instructions.
pub(crate) fn write_metadata(env: &Environment, db: Db, table: &Table) -> Arc<TableMetadata> {
    let database = env.catalog.database_name(db);
    let make = || Arc::new(make_write_metadata(database, table));
    let kept = table.derived.get::<OfTable>().write_metadata.get_or_init(make);
    // The name of the database may differ, because it is the connection's.
    if kept.database.as_bytes() == database.as_bytes() { Arc::clone(kept) } else { make() }
}

fn make_write_metadata(database: &NameBuf, table: &Table) -> TableMetadata {
    let strict_type =
        |column: &Column| (column.name.to_string(), String::from_utf8_lossy(&column.declared_type).into_owned());
    let is_computed = |&at: &u16| !table.columns[usize::from(at)].is_stored();
    let is_real = |&at: &u16| table.columns[usize::from(at)].affinity == Affinity::Real;
    TableMetadata {
        name: (&table.name).into(),
        database: database.into(),
        defaults: stored_defaults(table),
        strict_types: table.strict.then(|| table.columns.iter().map(strict_type).collect()),
        rowid_column: table.rowid_column,
        without_rowid: table.is_without_rowid(),
        computed: (0..table.columns.len() as u16).filter(is_computed).collect(),
        reals: (0..table.columns.len() as u16).filter(is_real).collect(),
        stored: if table.record_columns().eq(0..table.columns.len() as u16) {
            Box::default()
        } else {
            table.record_columns().collect()
        },
    }
}

/// The description of an index's key, if it has been computed for these properties of its database.
pub(crate) fn kept_index_key(
    index: &Index,
    (descending_counts, encoding): (bool, TextEncoding),
) -> Option<Arc<KeyInfo>> {
    let kept = index.derived.get::<OfIndex>().key.get()?;
    let fits = kept.descending_counts == descending_counts && kept.encoding == encoding;
    fits.then(|| Arc::clone(&kept.key))
}

/// The description of an index's key, computed by `make` for these properties of its database. It must depend on nothing else.
pub(crate) fn index_key(
    index: &Index,
    (descending_counts, encoding): (bool, TextEncoding),
    make: impl Fn() -> Arc<KeyInfo>,
) -> Arc<KeyInfo> {
    let kept = index.derived.get::<OfIndex>().key.get_or_init(|| IndexKey { descending_counts, encoding, key: make() });
    let fits = kept.descending_counts == descending_counts && kept.encoding == encoding;
    if fits { Arc::clone(&kept.key) } else { make() }
}

/// The message for a NULL in the column at this position.
pub(crate) fn not_null_failure(table: &Table, at: usize) -> Arc<str> {
    let failures = table.derived.get::<OfTable>().not_null_failures.get_or_init(|| empty(table.columns.len()));
    let make = || format!("NOT NULL constraint failed: {}.{}", table.name, table.columns[at].name).into();
    Arc::clone(failures[at].get_or_init(make))
}

/// The description of a result column that is this column of a table, or its rowid.
pub(crate) fn table_column(env: &Environment, db: Db, table: &Table, column: Option<u16>) -> Arc<TableColumn> {
    let database = env.catalog.database_name(db);
    let make = || Arc::new(make_table_column(database, table, column));
    let columns = table.derived.get::<OfTable>().columns.get_or_init(|| empty(table.columns.len() + 1));
    let at = column.map_or(table.columns.len(), usize::from);
    let kept = columns[at].get_or_init(make);
    // As above, the name of the database may differ.
    if kept.database.as_bytes() == database.as_bytes() { Arc::clone(kept) } else { make() }
}

fn make_table_column(database: &NameBuf, table: &Table, column: Option<u16>) -> TableColumn {
    let column = column.map(|at| &table.columns[usize::from(at)]);
    let declared_type = match column {
        None => Some("INTEGER".to_owned()),
        Some(column) if column.declared_type.is_empty() => None,
        Some(column) => Some(String::from_utf8_lossy(&column.declared_type).into_owned()),
    };
    let name = column.map_or_else(|| "rowid".to_owned(), |column| (&column.name).into());
    TableColumn { declared_type, database: database.into(), table: (&table.name).into(), column: name }
}

/// An empty cache for each column.
fn empty<T>(count: usize) -> Box<[OnceLock<T>]> {
    std::iter::repeat_with(OnceLock::new).take(count).collect()
}

/// The message and the code for two rows with the same key in `index`.
pub(crate) fn unique_failure(table: &Table, index: &Index) -> (ResultCode, Arc<str>) {
    let code = match index.origin {
        IndexOrigin::PrimaryKey => ResultCode::CONSTRAINT_PRIMARYKEY,
        _ => ResultCode::CONSTRAINT_UNIQUE,
    };
    let make = || unique_message(table, index).into();
    (code, Arc::clone(index.derived.get::<OfIndex>().unique_failure.get_or_init(make)))
}

fn unique_message(table: &Table, index: &Index) -> String {
    if index.has_expressions() {
        return format!("UNIQUE constraint failed: index '{}'", index.name);
    }
    let names = index.key_columns().iter().map(|column| match column.term {
        IndexTerm::Column(at) => format!("{}.{}", table.name, table.columns[usize::from(at)].name),
        IndexTerm::Rowid | IndexTerm::Expr(_) => format!("{}.rowid", table.name),
    });
    format!("UNIQUE constraint failed: {}", names.collect::<Vec<_>>().join(", "))
}

/// The message and the code for two rows with the same rowid.
pub(crate) fn rowid_failure(table: &Table) -> (ResultCode, Arc<str>) {
    let code = match table.rowid_column {
        Some(_) => ResultCode::CONSTRAINT_PRIMARYKEY,
        None => ResultCode::CONSTRAINT_ROWID,
    };
    let make = || match table.rowid_column {
        Some(at) => {
            let column = &table.columns[usize::from(at)].name;
            format!("UNIQUE constraint failed: {}.{column}", table.name).into()
        }
        None => format!("UNIQUE constraint failed: {}.rowid", table.name).into(),
    };
    (code, Arc::clone(table.derived.get::<OfTable>().rowid_failure.get_or_init(make)))
}

/// The default of each column of a record.
pub(super) fn stored_defaults(table: &Table) -> Vec<Value> {
    let default = |at: u16| {
        let column = &table.columns[usize::from(at)];
        column.default.as_ref().and_then(|default| default.old_rows.clone()).unwrap_or(Value::NULL)
    };
    table.record_columns().map(default).collect()
}
