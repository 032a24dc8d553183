//! Calls of the pre-update hooks where no program makes them: for a BLOB that is written in place.

use lithe_functions::sql::quoted;
use lithe_functions::{RowChange, RowOperation};
use lithe_sql::ast::Name;
use lithe_value::{Value, ValueRef};

use crate::connection::Connection;
use crate::connection::statement::{BindValue, Step};
use crate::error::Result;
use crate::foreign_key_check::rowid_name;

/// A BLOB is about to be written in place: calls the pre-update hooks as for the deletion of the row, with the column.
pub(crate) fn call_for_blob_write(
    connection: &Connection,
    database: &str,
    table: &str,
    column: usize,
    rowid: i64,
) -> Result<()> {
    let Some(row) = row_values(connection, database, table, rowid)? else { return Ok(()) };
    let values: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
    let change = RowChange {
        operation: RowOperation::Delete,
        database,
        table,
        old_rowid: rowid,
        new_rowid: rowid,
        is_without_rowid: false,
        old_values: Some(&values),
        new_values: None,
        computed: &[],
        column_count: values.len(),
        depth: 0,
        blob_column: Some(column),
    };
    connection.hooks.preupdate.call(connection, &change);
    Ok(())
}

fn row_values(connection: &Connection, database: &str, table: &str, rowid: i64) -> Result<Option<Vec<Value>>> {
    let catalog = connection.catalog();
    let found = catalog.find_database(Name::new(database.as_bytes()));
    let found = found.and_then(|db| catalog.schema(db).table(Name::new(table.as_bytes())));
    let Some(key) = found.and_then(|table| rowid_name(table)) else { return Ok(None) };
    let sql = format!("SELECT * FROM {}.{} WHERE {key} = ?1", quoted(database), quoted(table));
    let Some(mut statement) = connection.prepare(sql.as_bytes())?.statement else { return Ok(None) };
    statement.bind(connection, 1, BindValue::Value(ValueRef::Integer(rowid)))?;
    let row = match statement.step(connection)? {
        Step::Row => Some((0..statement.column_count()).map(|at| Value::from(statement.value(at))).collect()),
        Step::Done => None,
    };
    connection.put_back(statement);
    Ok(row)
}
