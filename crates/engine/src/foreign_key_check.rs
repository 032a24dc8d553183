//! PRAGMA foreign_key_check: rows whose parent row is missing.
//!
//! Each child table is read by one query, with a column for each foreign key that says whether the row violates it. The
//! parent's column is the left operand of the comparison, and a `+` removes the affinity of the child's column, so that
//! the parent's affinity and collation are used, as they are when a foreign key is enforced.

use std::sync::Arc;

use lithe_btree::Cursor;
use lithe_catalog::{Catalog, ForeignKey, Index, IndexColumn, IndexTerm, NameBuf, Table};
use lithe_sql::ast::Name;
use lithe_value::{Value, ValueRef};
use lithe_vm::operand::Db;

use crate::connection::Connection;
use crate::connection::statement::command::CommandRow;
use crate::connection::statement::{Statement, Step};
use crate::error::{Error, Result};

/// Checks the foreign keys of one table, in the named database or the first that has it; or those of all tables of one database: main, if
/// none is named.
pub(crate) fn check(connection: &Connection, schema: Option<Db>, table: Option<&str>) -> Result<Vec<CommandRow>> {
    let catalog = connection.catalog();
    let (db, children) = children(&catalog, schema, table)?;
    let mut rows = Vec::new();
    for child in children {
        Checked { connection, db, child }.add_violations(&mut rows)?;
    }
    Ok(rows)
}

/// Fails if a table is missing, or a key refers to columns that are no key, as compiling the pragma does in SQLite.
pub(crate) fn check_keys(connection: &Connection, schema: Option<Db>, table: Option<&str>) -> Result<()> {
    let catalog = connection.catalog();
    let (db, children) = children(&catalog, schema, table)?;
    children.iter().try_for_each(|child| Checked { connection, db, child }.check_keys())
}

/// The tables to be checked, which have foreign keys, and their database.
fn children<'c>(catalog: &'c Catalog, schema: Option<Db>, table: Option<&str>) -> Result<(Db, Vec<&'c Table>)> {
    let has_keys = |child: &&Arc<Table>| !child.foreign_keys.is_empty();
    let Some(name) = table else {
        let db = schema.unwrap_or(Db::MAIN);
        // The newest table comes first, as in SQLite.
        return Ok((
            db,
            catalog.schema(db).tables().into_iter().rev().filter(has_keys).map(|child| &**child).collect(),
        ));
    };
    let schema = schema.map(|db| catalog.database_name(db).name());
    let found = catalog.find_table(schema, Name::new(name.as_bytes()));
    let found = found.ok_or_else(|| Error::generic(no_such_table(schema, name)))?;
    Ok((found.db, Some(found.table).into_iter().filter(has_keys).map(|child| &**child).collect()))
}

/// The message about a missing table.
pub(crate) fn no_such_table(schema: Option<Name<'_>>, table: &str) -> String {
    match schema {
        Some(schema) => format!("no such table: {schema}.{table}"),
        None => format!("no such table: {table}"),
    }
}

/// A table whose foreign keys are being checked.
struct Checked<'c> {
    connection: &'c Connection,
    db: Db,
    child: &'c Table,
}

impl Checked<'_> {
    fn check_keys(&self) -> Result<()> {
        let catalog = self.connection.catalog();
        let parent = |key: &ForeignKey| catalog.schema(self.db).table(key.parent.name());
        let check = |key: &ForeignKey| parent(key).map_or(Ok(()), |parent| self.parent_columns(key, parent).map(drop));
        self.child.foreign_keys.iter().try_for_each(check)
    }

    /// Whether the table is seen to have no rows, so that no query needs to be compiled.
    fn is_empty(&self) -> Result<bool> {
        let Some(root) = self.child.root.filter(|_| self.child.has_rowid()) else { return Ok(false) };
        let btree = self.connection.databases.btree(self.db)?;
        Ok(!Cursor::table(root).first(&btree)?)
    }

    fn add_violations(&self, rows: &mut Vec<CommandRow>) -> Result<()> {
        if self.is_empty()? {
            // The query would find keys that fit nothing.
            return self.check_keys();
        }
        let sql = self.query()?;
        let prepared = self.connection.prepare(sql.as_bytes())?;
        let Some(mut statement) = prepared.statement else { return Ok(()) };
        let result = loop {
            match statement.step(self.connection) {
                Ok(Step::Row) => rows.extend(self.violations(&statement)),
                Ok(Step::Done) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        result.and(statement.reset(self.connection))
    }

    /// One row for each key that the current row of `statement` violates.
    fn violations<'s>(&'s self, statement: &'s Statement) -> impl Iterator<Item = CommandRow> + 's {
        let is_violated = |number: &usize| statement.value(1 + number) == ValueRef::Integer(1);
        (0..self.child.foreign_keys.len()).filter(is_violated).map(|number| {
            vec![
                Value::from(self.child.name.to_string()),
                Value::from(statement.value(0)),
                Value::from(self.child.foreign_keys[number].parent.to_string()),
                Value::from(number as i64),
            ]
        })
    }

    fn query(&self) -> Result<String> {
        let catalog = self.connection.catalog();
        let rowid = rowid_name(self.child).map_or_else(|| "NULL".to_owned(), |name| format!("c.{name}"));
        let mut sql = format!("SELECT {rowid}");
        for key in &self.child.foreign_keys {
            sql.push_str(&format!(", ({})", self.violation(key)?));
        }
        let schema = quoted(catalog.database_name(self.db));
        sql.push_str(&format!(" FROM {schema}.{} AS c NOT INDEXED", quoted(&self.child.name)));
        Ok(sql)
    }

    /// The condition under which a row lacks its parent. A key with a NULL needs no parent; a missing parent table
    /// counts as empty.
    fn violation(&self, key: &ForeignKey) -> Result<String> {
        let catalog = self.connection.catalog();
        let column = |at: &u16| quoted(&self.child.columns[usize::from(*at)].name);
        let child_columns: Vec<String> = key.columns.iter().map(column).collect();
        let not_null: Vec<String> = child_columns.iter().map(|column| format!("c.{column} IS NOT NULL")).collect();
        let mut condition = not_null.join(" AND ");
        if let Some(parent) = catalog.schema(self.db).table(key.parent.name()) {
            let columns = self.parent_columns(key, parent)?;
            let pairs = columns.iter().zip(&child_columns).map(|(parent, child)| format!("p.{parent} = +c.{child}"));
            let pairs: Vec<String> = pairs.collect();
            condition.push_str(&format!(
                " AND NOT EXISTS (SELECT 1 FROM {}.{} AS p WHERE {})",
                quoted(catalog.database_name(self.db)),
                quoted(&parent.name),
                pairs.join(" AND ")
            ));
        }
        Ok(condition)
    }

    /// The columns that the key refers to. They must be a primary key or unique, under the columns' own collations.
    fn parent_columns(&self, key: &ForeignKey, parent: &Table) -> Result<Vec<String>> {
        let mismatch = || {
            let (child, parent) = (&self.child.name, &key.parent);
            Error::generic(format!("foreign key mismatch - \"{child}\" referencing \"{parent}\""))
        };
        let wanted: Option<Vec<u16>> = match key.parent_columns.as_slice() {
            [] => primary_key(parent),
            names => names.iter().map(|name| parent.column(name.name())).collect(),
        };
        let wanted = wanted.filter(|wanted| wanted.len() == key.columns.len()).ok_or_else(mismatch)?;
        let is_rowid = wanted.len() == 1 && parent.rowid_column == Some(wanted[0]);
        if !is_rowid && !parent.indexes.iter().any(|index| is_key(parent, index, &wanted)) {
            return Err(mismatch());
        }
        Ok(wanted.into_iter().map(|at| quoted(&parent.columns[usize::from(at)].name)).collect())
    }
}

fn primary_key(table: &Table) -> Option<Vec<u16>> {
    if let Some(column) = table.rowid_column {
        return Some(vec![column]);
    }
    let key = table.primary_key()?;
    key.key_columns().iter().map(IndexColumn::table_column).collect()
}

/// Whether the index is unique on exactly these columns, in any order, with the columns' own collations.
fn is_key(table: &Table, index: &Index, wanted: &[u16]) -> bool {
    let fits = |column: &lithe_catalog::IndexColumn| match column.term {
        IndexTerm::Column(at) => wanted.contains(&at) && column.collation == table.columns[usize::from(at)].collation,
        IndexTerm::Rowid | IndexTerm::Expr(_) => false,
    };
    let columns = index.key_columns();
    index.is_unique() && index.filter.is_none() && columns.len() == wanted.len() && columns.iter().all(fits)
}

/// A name by which SQL can read the rowid, if there is one.
pub(crate) fn rowid_name(table: &Table) -> Option<String> {
    let is_free = |name: &&str| table.column(Name::new(name.as_bytes())).is_none();
    let name = ["rowid", "_rowid_", "oid"].into_iter().find(is_free).filter(|_| table.has_rowid());
    let of_column = || table.rowid_column.map(|column| quoted(&table.columns[usize::from(column)].name));
    name.map(str::to_owned).or_else(of_column)
}

fn quoted(name: &NameBuf) -> String {
    format!("\"{}\"", String::from_utf8_lossy(name.as_bytes()).replace('"', "\"\""))
}
