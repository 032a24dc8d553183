//! Table-valued functions that every connection has: `pragma_table_info(…)` and its siblings, `json_each`, `json_tree`,
//! `jsonb_each`, `jsonb_tree`.
//!
//! Each is a table whose hidden columns are the arguments. Its rows are computed when a scan begins.

use std::sync::{Arc, LazyLock};

use lithe_catalog::{Column, NameBuf, Table, TableKind, VirtualState, VirtualTable};
use lithe_functions::RowTable;
use lithe_functions::json::{self, EachForm};
use lithe_resolve::authorize::Action;
use lithe_sql::ast::Name;
use lithe_value::{Affinity, Buffer, Encoding, Value, ValueRef, cast};
use lithe_vfs::ResultCode;
use lithe_vm::host::TableRows;
use lithe_vm::virtual_table::Risk;

use crate::connection::statement::command::CommandRow;
use crate::connection::transaction::StatementRun;
use crate::connection::{Connection, TableFunctions};
use crate::error::{Error, Result};
use crate::pragma;

const PRAGMA: &str = "pragma_";

/// Pragmas and JSON as table-valued functions.
pub(crate) struct PragmasAndJson;

impl TableFunctions for PragmasAndJson {
    fn tables(&self) -> Arc<Vec<Arc<Table>>> {
        tables()
    }

    fn rows(
        &self,
        connection: &Connection,
        run: &StatementRun,
        function: &str,
        call: (&[Option<ValueRef<'_>>], u64),
    ) -> Result<TableRows> {
        rows(connection, run, function, call)
    }
}

/// The tables. All connections share them, so that opening a connection does not build them again.
fn tables() -> Arc<Vec<Arc<Table>>> {
    static TABLES: LazyLock<Arc<Vec<Arc<Table>>>> = LazyLock::new(|| {
        let pragmas = pragma::table_functions();
        let pragmas =
            pragmas.map(|(name, columns)| table(format!("{PRAGMA}{name}"), columns, hidden_of(name), Risk::Normal));
        let json = ["json_each", "json_tree", "jsonb_each", "jsonb_tree"]
            .map(|name| table(name.to_owned(), &json::EACH_COLUMNS, &["json", "root"], Risk::Innocuous));
        Arc::new(pragmas.chain(json).map(Arc::new).collect())
    });
    Arc::clone(&TABLES)
}

/// The hidden columns of a pragma's function: the argument and the schema, as far as the pragma takes them.
fn hidden_of(pragma: &str) -> &'static [&'static str] {
    match pragma {
        "foreign_key_check" | "foreign_key_list" | "index_info" | "index_list" | "index_xinfo" | "integrity_check"
        | "quick_check" | "table_info" | "table_xinfo" => &["arg", "schema"],
        "optimize" | "table_list" => &["arg"],
        "auto_vacuum" | "cache_size" | "cache_spill" | "default_cache_size" | "journal_mode" | "journal_size_limit"
        | "locking_mode" | "max_page_count" | "page_count" | "page_size" | "synchronous" => &["schema"],
        _ => &[],
    }
}

fn table(name: String, columns: &[&str], hidden: &[&str], risk: Risk) -> Table {
    // The declared type of a hidden column is the word HIDDEN, which has affinity NUMERIC.
    let column = |hidden: bool| {
        let affinity = if hidden { Affinity::Numeric } else { Affinity::default() };
        move |name: &&str| Column { name: NameBuf::from(*name), hidden, affinity, ..Column::default() }
    };
    let name = NameBuf::from(name.as_str());
    let state = VirtualState::Function(risk);
    let kind = TableKind::Virtual(VirtualTable { module: name.clone(), arguments: Vec::new(), state });
    let columns = columns.iter().map(column(false)).chain(hidden.iter().map(column(true))).collect();
    Table { name, kind, columns, ..Table::default() }
}

/// The rows of a function. The hidden columns are its arguments.
fn rows(
    connection: &Connection,
    run: &StatementRun,
    function: &str,
    (arguments, columns_read): (&[Option<ValueRef<'_>>], u64),
) -> Result<TableRows> {
    if let Some(name) = function.strip_prefix(PRAGMA) {
        let rows = pragma_rows(connection, run, name, arguments)?;
        let encoding = connection.state.encoding.get();
        let hidden =
            (0..hidden_of(name).len()).map(|at| hidden_text(arguments, at, encoding)).collect::<Result<_>>()?;
        let hidden_at = rows.first().map_or(0, Vec::len);
        return Ok(TableRows { rows: RowTable::of_rows(rows), hidden, hidden_at, ..TableRows::default() });
    }
    let encoding = connection.state.encoding.get();
    let rows = json_rows(function, (arguments, columns_read), encoding)?;
    let mut hidden = Vec::new();
    if columns_read >> json::EACH_COLUMNS.len() != 0 {
        hidden.push(match arguments.first().copied().flatten() {
            Some(jsonb @ ValueRef::Blob(blob)) if json::is_jsonb(blob) => copy(jsonb)?,
            _ => hidden_text(arguments, 0, encoding)?,
        });
        hidden.push(match arguments.get(1).copied().flatten() {
            None => Value::text(&b"$"[..]),
            Some(_) => hidden_text(arguments, 1, encoding)?,
        });
    }
    let hidden_at = json::EACH_COLUMNS.len();
    Ok(TableRows { rows, hidden, hidden_at, subtype: json::each_subtype, first_rowid: 0 })
}

/// The value of a hidden column: the argument, as it is read.
fn hidden_text(arguments: &[Option<ValueRef<'_>>], at: usize, encoding: Encoding) -> Result<Value> {
    match arguments.get(at).copied().flatten() {
        None | Some(ValueRef::Null) => Ok(Value::NULL),
        Some(argument) => {
            let mut decoded = Buffer::new();
            let text = cast::to_text(text_of(argument, encoding, &mut decoded)?);
            copy(ValueRef::Text(&text))
        }
    }
}

fn copy(value: ValueRef<'_>) -> Result<Value> {
    Value::try_copy(value).map_err(|_| Error::from_code(ResultCode::NOMEM))
}

fn pragma_rows(
    connection: &Connection,
    run: &StatementRun,
    name: &str,
    arguments: &[Option<ValueRef<'_>>],
) -> Result<Vec<CommandRow>> {
    let text = |column: &str| pragma_argument(connection, arguments, hidden_of(name), column);
    let schema_given = text("schema")?;
    let schema = match &schema_given {
        Some(schema) => {
            let found = connection.catalog().find_database(Name::new(schema));
            let unknown = || Error::generic(format!("unknown database '{}'", String::from_utf8_lossy(schema)));
            Some(found.ok_or_else(unknown)?)
        }
        None => None,
    };
    let given = text("arg")?;
    let [value, schema_name] =
        [&given, &schema_given].map(|text| text.as_ref().map(|text| String::from_utf8_lossy(text).into_owned()));
    if !connection.hooks.authorize(Action::Pragma, Some(name), value.as_deref(), schema_name.as_deref())? {
        return Ok(Vec::new());
    }
    pragma::call(connection, run, name, schema, given)
}

/// The text that a hidden column is compared with; `None` for NULL and where there is none.
fn pragma_argument(
    connection: &Connection,
    arguments: &[Option<ValueRef<'_>>],
    hidden: &[&str],
    column: &str,
) -> Result<Option<Vec<u8>>> {
    let at = hidden.iter().position(|hidden| *hidden == column);
    match at.and_then(|at| arguments.get(at).copied().flatten()) {
        None | Some(ValueRef::Null) => Ok(None),
        Some(value) => {
            let mut decoded = Buffer::new();
            let text = text_of(value, connection.state.encoding.get(), &mut decoded)?;
            Ok(Some(cast::to_text(text).into_owned()))
        }
    }
}

fn json_rows(
    function: &str,
    (arguments, columns_read): (&[Option<ValueRef<'_>>], u64),
    encoding: Encoding,
) -> Result<RowTable> {
    let (is_tree, is_binary) = match function {
        "json_each" => (false, false),
        "json_tree" => (true, false),
        "jsonb_each" => (false, true),
        "jsonb_tree" => (true, true),
        _ => return Err(Error::generic(format!("no such table: {function}"))),
    };
    let form = EachForm { is_tree, is_binary, columns_read };
    let Some(json) = arguments.first().copied().flatten() else { return Ok(RowTable::default()) };
    // A BLOB that is not JSONB is read as text, in the encoding of the database.
    let mut text = Buffer::new();
    let json = match json {
        ValueRef::Blob(blob) if json::is_jsonb(blob) => json,
        json => text_of(json, encoding, &mut text)?,
    };
    let mut path = Buffer::new();
    let root = match arguments.get(1).copied().flatten() {
        Some(root) => Some(text_of(root, encoding, &mut path)?),
        None => None,
    };
    let rows = json::each(json, root, form);
    rows.map_err(|error| Error::new(ResultCode(error.code), error.into_message()))
}

/// An argument that is read as text: in a database of UTF-16, a BLOB is text of that encoding.
fn text_of<'a>(argument: ValueRef<'a>, encoding: Encoding, text: &'a mut Buffer) -> Result<ValueRef<'a>> {
    cast::blob_as_text(argument, encoding, text).map_err(|_| Error::from_code(ResultCode::NOMEM))
}
