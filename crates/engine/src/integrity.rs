//! PRAGMA integrity_check: trees, then rows and their indexes.

use std::sync::Arc;

use lithe_format::PageNo;
use lithe_plan::catalog::Table;
use lithe_sql::ast::Name;
use lithe_value::Value;
use lithe_vm::operand::Db;

use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::native::NativeRow;
use crate::transaction::StatementRun;

/// Checks one database or all, or one table, and lists at most `limit` problems; "ok" when there are none.
pub(crate) fn check(
    connection: &Connection,
    run: &StatementRun,
    schema: Option<Db>,
    table: Option<&str>,
    limit: usize,
    _with_indexes: bool,
) -> Result<Vec<NativeRow>> {
    let catalog = connection.catalog();
    let mut problems = Vec::new();
    for (db, database) in connection.databases() {
        if schema.is_some_and(|wanted| wanted != db) || database.opened().is_none() {
            continue;
        }
        connection.begin_on(db, false, run)?;
        let schema = catalog.schema(db);
        let tables: Vec<&Arc<Table>> = match table {
            Some(name) => schema.table(Name::new(name.as_bytes())).into_iter().collect(),
            None => schema.tables(),
        };
        if let Some(name) = table
            && tables.is_empty()
        {
            return Err(Error::generic(format!("no such table: {name}")));
        }
        let roots: Vec<PageNo> = tables.iter().flat_map(|table| roots(table)).collect();
        let left = limit.saturating_sub(problems.len());
        let report = database.btree().integrity_check(&roots, table.is_some(), left)?;
        problems.extend(report.messages);
    }
    if problems.is_empty() {
        problems.push("ok".to_owned());
    }
    Ok(problems.into_iter().map(|problem| vec![Value::from(problem)]).collect())
}

fn roots(table: &Table) -> impl Iterator<Item = PageNo> + '_ {
    let indexes = table.indexes.iter().filter_map(|index| index.root);
    let own = table.root.filter(|_| !table.is_without_rowid());
    own.into_iter().chain(indexes)
}
