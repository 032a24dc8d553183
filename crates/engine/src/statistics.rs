//! The statistics of ANALYZE, loaded into the catalog when a schema is loaded and when ANALYZE ends.
//!
//! They are in ordinary tables, which every statement may change. Malformed rows are ignored, and so is a table that
//! cannot be read: the planner then estimates as if ANALYZE had never run.

use lithe_btree::Cursor;
use lithe_catalog::{Catalog, IndexOrigin, IndexStatistics, Sample, TableStatistics, sample_numbers};
use lithe_format::record;
use lithe_sql::ast::Name;
use lithe_value::{Buffer, Encoding, Value, ValueRef};
use lithe_vm::operand::Db;

use crate::database::Database;
use crate::error::Result;

/// Reads the statistics of `db` into a catalog that has its schema. The texts of the database are in this encoding.
pub(crate) fn read(db: Db, database: &Database, catalog: &mut Catalog, encoding: Encoding) {
    forget(db, catalog);
    let counts = rows_of(db, database, catalog, "sqlite_stat1", encoding);
    counts.unwrap_or_default().iter().for_each(|row| take_counts(db, catalog, row));
    let samples = rows_of(db, database, catalog, "sqlite_stat4", encoding);
    samples.unwrap_or_default().iter().for_each(|row| take_sample(db, catalog, row, encoding));
}

/// All rows of a table, texts in UTF-8; none if there is no such table.
fn rows_of(db: Db, database: &Database, catalog: &Catalog, table: &str, encoding: Encoding) -> Result<Vec<Vec<Value>>> {
    let root = catalog.schema(db).table(Name::new(table.as_bytes())).and_then(|table| table.root);
    let Some(root) = root else { return Ok(Vec::new()) };
    let btree = database.btree();
    let mut cursor = Cursor::table(root);
    let (mut rows, mut buffer) = (Vec::new(), Vec::new());
    let mut is_on_row = cursor.first(btree)?;
    while is_on_row {
        buffer.resize(cursor.row(btree)?.len() as usize, 0);
        cursor.read_payload(btree, 0, &mut buffer)?;
        let Ok(values) = record::values(&buffer) else { break };
        rows.push(values.iter().map(|value| in_utf8(*value, encoding)).collect());
        is_on_row = cursor.next(btree)?;
    }
    Ok(rows)
}

fn in_utf8(value: ValueRef<'_>, encoding: Encoding) -> Value {
    match value {
        ValueRef::Text(text) if encoding != Encoding::Utf8 => {
            let mut utf8 = Buffer::new();
            encoding.decode(text, &mut utf8);
            Value::text(utf8.as_slice())
        }
        value => Value::from(value),
    }
}

fn forget(db: Db, catalog: &mut Catalog) {
    let schema = catalog.schema_mut(db);
    let names: Vec<_> = schema.tables().into_iter().map(|table| table.name.clone()).collect();
    for name in names {
        let Some(table) = schema.table(name.name()) else { continue };
        if table.statistics.is_none() && table.indexes.iter().all(|index| index.statistics.is_none()) {
            continue;
        }
        let Some(table) = schema.table_mut(name.name()) else { continue };
        table.statistics = None;
        table.indexes.iter_mut().for_each(|index| std::sync::Arc::make_mut(index).statistics = None);
    }
}

/// A row of sqlite_stat1. If it names no index it is about the table.
fn take_counts(db: Db, catalog: &mut Catalog, row: &[Value]) {
    let (Some(table), Some(stat)) = (text(row, 0), text(row, 2)) else { return };
    let Some(index) = text(row, 1) else {
        if let Some(table) = catalog.schema_mut(db).table_mut(Name::new(table)) {
            table.statistics = Some(TableStatistics::parse(stat));
        }
        return;
    };
    change_index(db, catalog, table, index, |statistics| {
        *statistics = Some(Box::new(IndexStatistics::parse(stat)));
        false
    });
}

/// A row of sqlite_stat4.
fn take_sample(db: Db, catalog: &mut Catalog, row: &[Value], encoding: Encoding) {
    let (Some(table), Some(index)) = (text(row, 0), text(row, 1)) else { return };
    let (Some(equal), Some(less), Some(distinct_less)) = (text(row, 2), text(row, 3), text(row, 4)) else { return };
    let Some(ValueRef::Blob(sample)) = row.get(5).map(Value::as_ref) else { return };
    let Ok(values) = record::values(sample) else { return };
    let sample = Sample {
        equal: sample_numbers(equal),
        less: sample_numbers(less),
        distinct_less: sample_numbers(distinct_less),
        values: values.iter().map(|value| in_utf8(*value, encoding)).collect(),
    };
    // Samples without counts are ignored: the counts were deleted, so that the number of rows is unknown.
    change_index(db, catalog, table, index, |statistics| {
        let Some(statistics) = statistics else { return false };
        statistics.samples.push(sample);
        true
    });
}

/// Changes the statistics of an index, and says whether it has got a sample; for a primary key that is the table itself, `index` is the table's
/// name.
fn change_index(
    db: Db,
    catalog: &mut Catalog,
    table: &[u8],
    index: &[u8],
    change: impl FnOnce(&mut Option<Box<IndexStatistics>>) -> bool,
) {
    let schema = catalog.schema_mut(db);
    let (table, index) = (Name::new(table), Name::new(index));
    let Some(table) = schema.table_mut(table) else { return };
    let is_key = table.name == index && table.is_without_rowid();
    let found = table
        .indexes
        .iter_mut()
        .find(|one| if is_key { one.origin == IndexOrigin::PrimaryKey } else { one.name == index });
    if let Some(found) = found {
        table.was_sampled |= change(&mut std::sync::Arc::make_mut(found).statistics);
    }
}

fn text(row: &[Value], at: usize) -> Option<&[u8]> {
    match row.get(at)?.as_ref() {
        ValueRef::Text(text) => Some(text),
        _ => None,
    }
}
