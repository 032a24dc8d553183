//! PRAGMA optimize: runs ANALYZE on the tables whose statistics are missing or too old.
//!
//! The value is a mask: 0x2 runs ANALYZE; 0x10 runs it under a limit; 0x1 only lists the statements; 0x10000 examines
//! all tables, and not only those with an index that was never analysed or that this connection has used. A table is
//! analysed if one of its indexes never was, or if its number of rows has grown or shrunk tenfold since.

use lithe_catalog::{Index, Table};
use lithe_value::Value;
use lithe_vm::operand::Db;

use super::{Call, nothing};
use crate::connection::statement::Step;
use crate::connection::statement::command::CommandRow;
use crate::error::Result;

const ONLY_SAY: i64 = 0x1;
const ANALYZE: i64 = 0x2;
const LIMITED: i64 = 0x10;
const ALL_TABLES: i64 = 0x10000;
const MASK: i64 = 0xfffe;
/// Statistics are too old if the number of rows has grown or shrunk by this factor.
const GROWTH: u64 = 10;
/// What a table without statistics and indexes is taken to have.
const ROWS_UNKNOWN: u64 = 1 << 20;
/// The limit under which ANALYZE runs, unless one is set. ANALYZE takes no samples then.
const ANALYSIS_LIMIT: i64 = 2000;

pub(super) fn optimize(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let mask = call.integer().unwrap_or(MASK);
    if mask & ANALYZE == 0 {
        return nothing();
    }
    let mut statements = Vec::new();
    for (db, _) in call.connection.databases.iter() {
        if db != Db::TEMP && call.schema.is_none_or(|schema| schema == db) {
            add_tables(call, db, mask, &mut statements)?;
        }
    }
    if mask & ONLY_SAY != 0 {
        return Ok(statements.into_iter().map(|sql| vec![Value::from(sql)]).collect());
    }
    for sql in statements {
        let limit = &call.connection.state.analysis_limit;
        let before = limit.get();
        if before == 0 && mask & LIMITED != 0 {
            limit.set(ANALYSIS_LIMIT);
        }
        let result = run(call, &sql);
        limit.set(before);
        result?;
    }
    nothing()
}

/// Adds ANALYZE for each table of `db` whose statistics are missing or too old.
fn add_tables(call: &Call<'_>, db: Db, mask: i64, statements: &mut Vec<String>) -> Result<()> {
    let catalog = call.connection.catalog();
    let quoted = |name: &[u8]| format!("\"{}\"", String::from_utf8_lossy(name).replace('"', "\"\""));
    let schema = quoted(catalog.database_name(db).as_bytes());
    for table in catalog.schema(db).tables() {
        let is_system = table.name.as_bytes().to_ascii_lowercase().starts_with(b"sqlite_");
        let is_stored = table.view().is_none() && table.virtual_table().is_none();
        if is_system || !is_stored {
            continue;
        }
        let searches = call.connection.searches.borrow();
        let is_wanted = |index: &Index| index.statistics.is_none() || searches.contains(&(db, index.root));
        let is_candidate = mask & ALL_TABLES != 0 || table.indexes.iter().any(|index| is_wanted(index));
        drop(searches);
        if !is_candidate {
            continue;
        }
        let name = format!("{schema}.{}", quoted(table.name.as_bytes()));
        let rows = run(call, &format!("SELECT count(*) FROM {name}"))?;
        let rows = rows.and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
        if is_other(table, rows) {
            statements.push(format!("ANALYZE {name}"));
        }
    }
    Ok(())
}

/// Whether the statistics of the table, which has this number of rows, are too old.
fn is_other(table: &Table, rows: u64) -> bool {
    let whole = table.indexes.iter().find(|index| index.filter.is_none());
    let known = whole.and_then(|index| index.statistics.as_ref()).map(|statistics| statistics.rows);
    let known = known.or(table.statistics.map(|statistics| statistics.rows));
    let is_changed = |known: u64| rows >= known.saturating_mul(GROWTH) || rows <= known / GROWTH;
    match known {
        _ if table.indexes.iter().any(|index| index.statistics.is_none()) => rows > 0,
        Some(known) => is_changed(known),
        None if table.indexes.is_empty() => is_changed(ROWS_UNKNOWN),
        None => rows > 0,
    }
}

/// Runs a statement to its end; returns the integer of its first row.
fn run(call: &Call<'_>, sql: &str) -> Result<Option<i64>> {
    let connection = call.connection;
    let mut value = None;
    let Some(mut statement) = connection.prepare(sql.as_bytes())?.statement else { return Ok(value) };
    while statement.step(connection)? == Step::Row {
        value = value.or(match statement.value(0) {
            lithe_value::ValueRef::Integer(integer) => Some(integer),
            _ => None,
        });
    }
    statement.reset(connection)?;
    Ok(value)
}
