//! Table-valued functions that every connection has: `pragma_table_info(…)` and its siblings, `json_each`, `json_tree`.
//!
//! Each is a table whose hidden columns are the arguments. Its rows are made when a scan of it begins.

use std::sync::{Arc, LazyLock};

use lithe_catalog::{Column, NameBuf, Table, TableKind, VirtualState, VirtualTable};
use lithe_functions::json;
use lithe_resolve::authorize::Action;
use lithe_sql::ast::Name;
use lithe_value::{Affinity, Value, ValueRef, cast};
use lithe_vfs::ResultCode;
use lithe_vm::host::TableRows;

use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::native::NativeRow;
use crate::pragma;
use crate::transaction::StatementRun;

const PRAGMA: &str = "pragma_";

/// The tables: the same for every connection, so that opening one does not make them anew.
pub(crate) fn tables() -> Arc<Vec<Arc<Table>>> {
    static TABLES: LazyLock<Arc<Vec<Arc<Table>>>> = LazyLock::new(|| {
        let pragmas = pragma::table_functions();
        let pragmas = pragmas.map(|(name, columns)| table(format!("{PRAGMA}{name}"), columns, &["arg", "schema"]));
        let json =
            ["json_each", "json_tree"].map(|name| table(name.to_owned(), &json::EACH_COLUMNS, &["json", "root"]));
        Arc::new(pragmas.chain(json).map(Arc::new).collect())
    });
    Arc::clone(&TABLES)
}

fn table(name: String, columns: &[&str], hidden: &[&str]) -> Table {
    // (Of a virtual table, a column whose type is the word HIDDEN alone has affinity NUMERIC.)
    let column = |hidden: bool| {
        let affinity = if hidden { Affinity::Numeric } else { Affinity::default() };
        move |name: &&str| Column { name: NameBuf::from(*name), hidden, affinity, ..Column::default() }
    };
    let name = NameBuf::from(name.as_str());
    let state = VirtualState::Function;
    let kind = TableKind::Virtual(VirtualTable { module: name.clone(), arguments: Vec::new(), state });
    let columns = columns.iter().map(column(false)).chain(hidden.iter().map(column(true))).collect();
    Table { name, kind, columns, ..Table::default() }
}

/// The rows of a function. The hidden columns are its arguments.
pub(crate) fn rows(
    connection: &Connection,
    run: &StatementRun,
    function: &str,
    arguments: &[Option<ValueRef<'_>>],
) -> Result<TableRows> {
    let rows = match function.strip_prefix(PRAGMA) {
        Some(name) => pragma_rows(connection, run, name, arguments)?,
        None if function.starts_with("json_") => json_rows(function, arguments)?,
        None => return Err(Error::generic(format!("no such table: {function}"))),
    };
    let argument = |at: usize| match arguments.get(at).copied().flatten() {
        // The root that json_each() has if it is told none.
        None if at == 1 && function.starts_with("json_") => Ok(Value::text(&b"$"[..])),
        None => Ok(Value::NULL),
        Some(value) => Value::try_copy(value).map_err(|_| Error::from_code(ResultCode::NOMEM)),
    };
    let hidden = vec![argument(0)?, argument(1)?];
    if function.starts_with("json_") {
        return Ok(TableRows { rows, hidden, subtype: json::each_subtype, first_rowid: 0 });
    }
    Ok(TableRows { rows, hidden, ..TableRows::default() })
}

fn pragma_rows(
    connection: &Connection,
    run: &StatementRun,
    name: &str,
    arguments: &[Option<ValueRef<'_>>],
) -> Result<Vec<NativeRow>> {
    let given = |at: usize| arguments.get(at).copied().flatten().filter(|value| *value != ValueRef::Null);
    let text = |at: usize| given(at).map(|value| cast::to_text(value).into_owned());
    let schema = match text(1) {
        Some(schema) => {
            let found = connection.catalog().find_database(Name::new(&schema));
            let unknown = || Error::generic(format!("unknown database '{}'", String::from_utf8_lossy(&schema)));
            Some(found.ok_or_else(unknown)?)
        }
        None => None,
    };
    let [value, schema_name] = [0, 1].map(|at| text(at).map(|text| String::from_utf8_lossy(&text).into_owned()));
    if !connection.may(Action::Pragma, Some(name), value.as_deref(), schema_name.as_deref())? {
        return Ok(Vec::new());
    }
    pragma::call(connection, run, name, schema, text(0))
}

fn json_rows(function: &str, arguments: &[Option<ValueRef<'_>>]) -> Result<Vec<NativeRow>> {
    let Some(json) = arguments.first().copied().flatten() else { return Ok(Vec::new()) };
    let root = arguments.get(1).copied().flatten();
    let rows = json::each(json, root, function == "json_tree");
    rows.map_err(|error| Error::new(ResultCode(error.code), error.message))
}
