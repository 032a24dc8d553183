//! Compares two tables with the same columns and key: records the changes that would turn one into the other.

use lithe_vtab::{FunctionError, Result, RowOperation, SqlConnection, ValueRef, code};

use crate::schema::{Column, Schema};
use crate::session::{Row, Session, Table};
use lithe_vtab::quoted;

impl Session {
    /// Records the changes that would turn table `table` of database `from` into that of the session's database.
    ///
    /// # Errors
    /// SQLITE_SCHEMA if the tables differ in columns or primary key.
    pub fn diff(&self, connection: &dyn SqlConnection, from: &str, table: &str) -> Result {
        let Ok(mut recorder) = self.recorder.try_borrow_mut() else { return Err(FunctionError::of_code(code::MISUSE)) };
        if let Some(error) = &recorder.error {
            return Err(error.clone());
        }
        let (database, options) = (recorder.database.clone(), recorder.options);
        let recorded = recorder.table_or_new(table);
        recorded.refresh(connection, &database, options)?;
        let here = recorded.schema.clone().unwrap_or_default();
        if here.total == 0 {
            return Ok(());
        }
        let there = match Schema::read(connection, from, table, options.rowid) {
            // A database that is not attached has no tables.
            Err(error) if error.code == code::ERROR => Schema::default(),
            read => read?.unwrap_or_default(),
        };
        if there.total == 0 {
            return match here.has_key() {
                true => Err(FunctionError::with_code(code::SCHEMA, format!("no such table: {from}.{table}"))),
                false => Ok(()), // there is nothing to record
            };
        }
        if !have_one_shape(&here, &there) {
            return Err(FunctionError::with_code(code::SCHEMA, "table schemas do not match"));
        }
        if !here.has_key() {
            return Ok(());
        }
        if from.eq_ignore_ascii_case(&database) {
            // In SQLite the query that compares both tables is ambiguous.
            return Err(FunctionError::of_code(code::ERROR));
        }
        let queries = Queries::of(&here, &database, from, table);
        record_rows(connection, recorded, &here, RowOperation::Insert, &queries.only_here())?;
        record_rows(connection, recorded, &here, RowOperation::Delete, &queries.only_there())?;
        match queries.different() {
            Some(sql) => record_rows(connection, recorded, &here, RowOperation::Update, &sql),
            None => Ok(()),
        }
    }
}

/// Records the rows of a query, whose columns are the recorded ones.
fn record_rows(
    connection: &dyn SqlConnection,
    recorded: &mut Table,
    schema: &Schema,
    operation: RowOperation,
    sql: &str,
) -> Result {
    let mut rows = connection.prepare(sql)?;
    while rows.step()? {
        let mut values = vec![ValueRef::Null; schema.total];
        for (at, column) in schema.columns.iter().enumerate() {
            if let Some(value) = column.position.and_then(|position| values.get_mut(position)) {
                *value = rows.column(at);
            }
        }
        let rowid = match rows.column(0) {
            ValueRef::Integer(rowid) if schema.has_rowid_key => rowid,
            _ => 0,
        };
        recorded.record_row(&Row::of_values(rowid, &values), operation, false)?;
    }
    Ok(())
}

fn have_one_shape(here: &Schema, there: &Schema) -> bool {
    let mut names = here.columns.iter().zip(&there.columns);
    here.primary_key == there.primary_key
        && here.columns.len() == there.columns.len()
        && names.all(|(one, other)| one.name.eq_ignore_ascii_case(&other.name))
}

/// The statements that compare the tables.
struct Queries<'s> {
    schema: &'s Schema,
    here: String,
    there: String,
}

impl<'s> Queries<'s> {
    fn of(schema: &'s Schema, database: &str, from: &str, table: &str) -> Queries<'s> {
        let name = |database: &str| format!("{}.{}", quoted(database), quoted(table));
        Queries { schema, here: name(database), there: name(from) }
    }

    fn columns(&self, alias: &str) -> String {
        let names = self.schema.columns.iter().map(|column| format!("{alias}.{}", quoted(&column.name)));
        names.collect::<Vec<_>>().join(", ")
    }

    /// Compares the columns of the key, or all other columns.
    fn comparison(&self, keys: bool, operator: &str, joint: &str) -> String {
        let compared = |(_, column): (usize, &Column)| {
            let name = quoted(&column.name);
            format!("h.{name} {operator} f.{name}")
        };
        let columns = self.schema.columns.iter().enumerate().filter(|(at, _)| self.schema.is_key(*at) == keys);
        columns.map(compared).collect::<Vec<_>>().join(joint)
    }

    fn same_key(&self) -> String {
        self.comparison(true, "=", " AND ")
    }

    fn only_here(&self) -> String {
        let (Queries { here, there, .. }, columns, key) = (self, self.columns("h"), self.same_key());
        format!("SELECT {columns} FROM {here} AS h WHERE NOT EXISTS (SELECT 1 FROM {there} AS f WHERE {key})")
    }

    fn only_there(&self) -> String {
        let (Queries { here, there, .. }, columns, key) = (self, self.columns("f"), self.same_key());
        format!("SELECT {columns} FROM {there} AS f WHERE NOT EXISTS (SELECT 1 FROM {here} AS h WHERE {key})")
    }

    /// The rows of the other table that differ here; `None` if the key has all columns.
    fn different(&self) -> Option<String> {
        let (Queries { here, there, .. }, columns, key) = (self, self.columns("f"), self.same_key());
        let differs = self.comparison(false, "IS NOT", " OR ");
        (!differs.is_empty())
            .then(|| format!("SELECT {columns} FROM {here} AS h, {there} AS f WHERE {key} AND ({differs})"))
    }
}
