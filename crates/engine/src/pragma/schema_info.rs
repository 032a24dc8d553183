//! Pragmas that show the catalog.

use std::sync::Arc;

use lithe_catalog::{
    Catalog, CollationName, Column, ForeignKey, Index, IndexColumn, IndexOrigin, IndexTerm, NameBuf, Table,
};
use lithe_functions::Function;
use lithe_sql::ast::{ForeignKeyAction, Name};
use lithe_value::{Encoding, Value};
use lithe_vm::operand::Db;

use super::{Call, NEEDS_SCHEMA, OF_INDEX, OF_KEYS, OF_TABLE, OF_VIEW, Pragma, nothing};
use crate::connection::statement::command::CommandRow;
use crate::error::Result;

pub(super) const PRAGMAS: &[Pragma] = &[
    entry("table_info", NEEDS_SCHEMA | OF_VIEW, &["cid", "name", "type", "notnull", "dflt_value", "pk"], |call| {
        table_info(call, false)
    }),
    entry(
        "table_xinfo",
        NEEDS_SCHEMA | OF_VIEW,
        &["cid", "name", "type", "notnull", "dflt_value", "pk", "hidden"],
        |call| table_info(call, true),
    ),
    entry("table_list", NEEDS_SCHEMA, &["schema", "name", "type", "ncol", "wr", "strict"], table_list),
    entry("index_list", NEEDS_SCHEMA | OF_TABLE, &["seq", "name", "unique", "origin", "partial"], index_list),
    entry("index_info", NEEDS_SCHEMA | OF_INDEX, &["seqno", "cid", "name"], |call| index_info(call, false)),
    entry("index_xinfo", NEEDS_SCHEMA | OF_INDEX, &["seqno", "cid", "name", "desc", "coll", "key"], |call| {
        index_info(call, true)
    }),
    // The list of databases can be read even if no file can.
    Pragma { name: "database_list", columns: &["seq", "name", "file"], traits: 0, run: database_list },
    entry(
        "foreign_key_list",
        NEEDS_SCHEMA | OF_TABLE | OF_KEYS,
        &["id", "seq", "table", "from", "to", "on_update", "on_delete", "match"],
        foreign_key_list,
    ),
    Pragma {
        name: "function_list",
        columns: &["name", "builtin", "type", "enc", "narg", "flags"],
        traits: 0,
        run: function_list,
    },
];

const fn entry(
    name: &'static str,
    traits: u16,
    columns: &'static [&'static str],
    run: fn(&Call<'_>) -> Result<Vec<CommandRow>>,
) -> Pragma {
    Pragma { name, columns, traits, run }
}

fn text(bytes: &[u8]) -> Value {
    Value::text(bytes)
}

fn name(name: &NameBuf) -> Value {
    text(name.as_bytes())
}

/// The table that the value names, in the named schema, or in the first that has it.
fn find_table<'c>(call: &Call<'_>, catalog: &'c Catalog) -> Option<(Db, &'c Arc<Table>)> {
    let schema = call.schema.map(|db| catalog.database_name(db).name());
    let found = catalog.find_table(schema, Name::new(call.value?))?;
    Some((found.db, found.table))
}

fn table_info(call: &Call<'_>, extended: bool) -> Result<Vec<CommandRow>> {
    if let Some((db, table)) = find_table(call, &call.connection.catalog()) {
        call.connection.virtual_tables.connect_if_virtual(call.connection.module_context(), db, table)?;
    }
    let catalog = call.connection.catalog();
    let Some((db, table)) = find_table(call, &catalog) else { return nothing() };
    if table.view().is_some() {
        return view_info(call, db, table, extended);
    }
    let shown = |(_, column): &(usize, &Column)| extended || hidden_code(column) == 0;
    let rows = table.columns.iter().enumerate().filter(shown).enumerate();
    Ok(rows.map(|(shown_at, (at, column))| column_row(shown_at, at, column, table, extended)).collect())
}

fn column_row(shown_at: usize, at: usize, column: &Column, table: &Table, extended: bool) -> CommandRow {
    // Rows are numbered by the columns shown; hidden ones leave no gap.
    let _ = at;
    let default = column.default.as_ref().map_or(Value::NULL, |default| text(&default.text));
    let primary_key = if table.rowid_column == Some(at as u16) { 1 } else { i64::from(column.primary_key) };
    let mut row = vec![
        Value::from(shown_at as i64),
        name(&column.name),
        text(&column.declared_type),
        Value::from(column.not_null.is_some()),
        default,
        Value::from(primary_key),
    ];
    if extended {
        row.push(Value::from(hidden_code(column)));
    }
    row
}

/// 0 an ordinary column, 1 a hidden one of a virtual table, 2 generated and virtual, 3 generated and stored.
fn hidden_code(column: &Column) -> i64 {
    match &column.generated {
        Some(generated) if generated.stored => 3,
        Some(_) => 2,
        None => i64::from(column.hidden),
    }
}

/// The columns of a view are those of its SELECT.
fn view_info(call: &Call<'_>, db: Db, view: &Table, extended: bool) -> Result<Vec<CommandRow>> {
    let columns = call.connection.view_columns(db, view)?;
    let row = |(at, (column_name, declared_type)): (usize, (String, String))| {
        let mut row = vec![
            Value::from(at as i64),
            Value::from(column_name),
            Value::from(declared_type),
            Value::from(0),
            Value::NULL,
            Value::from(0),
        ];
        if extended {
            row.push(Value::from(0));
        }
        row
    };
    Ok(columns.into_iter().enumerate().map(row).collect())
}

fn table_list(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let catalog = call.connection.catalog();
    let mut rows = Vec::new();
    for (at, database) in catalog.databases().iter().enumerate() {
        let db = Db(at as u8);
        if call.schema.is_some_and(|wanted| wanted != db) {
            continue;
        }
        for table in database.schema.tables().into_iter().rev() {
            if call.value.is_none_or(|wanted| table.name == Name::new(wanted)) {
                rows.push(table_list_row(call, db, &database.name, table)?);
            }
        }
    }
    Ok(rows)
}

/// The schema tables are shown under their modern names, and found under the old ones.
fn shown_name(table: &Table) -> &[u8] {
    match table.name.as_bytes() {
        b"sqlite_master" => b"sqlite_schema",
        b"sqlite_temp_master" => b"sqlite_temp_schema",
        other => other,
    }
}

fn table_list_row(call: &Call<'_>, db: Db, schema: &NameBuf, table: &Table) -> Result<CommandRow> {
    let kind = if table.view().is_some() {
        "view"
    } else if table.virtual_table().is_some() {
        "virtual"
    } else if call.connection.virtual_tables.is_shadow_table(&call.connection.catalog(), db, table.name.as_bytes()) {
        "shadow"
    } else {
        "table"
    };
    let columns = if table.view().is_some() {
        call.connection.view_columns(db, table).map_or(0, |columns| columns.len())
    } else {
        // The columns of a virtual table whose module is missing are unknown.
        let _ = call.connection.virtual_tables.connect_if_virtual(call.connection.module_context(), db, table);
        let catalog = call.connection.catalog();
        catalog.find_table(Some(schema.name()), table.name.name()).map_or(0, |found| found.table.columns.len())
    };
    Ok(vec![
        name(schema),
        text(shown_name(table)),
        Value::from(kind),
        Value::from(columns as i64),
        Value::from(table.is_without_rowid()),
        Value::from(table.strict),
    ])
}

fn index_list(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let catalog = call.connection.catalog();
    let Some((_, table)) = find_table(call, &catalog) else { return nothing() };
    let row = |(at, index): (usize, &Arc<Index>)| {
        let origin = match index.origin {
            IndexOrigin::Create => "c",
            IndexOrigin::Unique => "u",
            IndexOrigin::PrimaryKey => "pk",
        };
        vec![
            Value::from(at as i64),
            name(&index.name),
            Value::from(index.is_unique()),
            Value::from(origin),
            Value::from(index.filter.is_some()),
        ]
    };
    Ok(table.indexes.iter().enumerate().map(row).collect())
}

fn index_info(call: &Call<'_>, extended: bool) -> Result<Vec<CommandRow>> {
    let catalog = call.connection.catalog();
    let schema = call.schema.map(|db| catalog.database_name(db).name());
    let Some(wanted) = call.value.map(Name::new) else { return nothing() };
    let found = catalog.find_index(schema, wanted).map(|found| (found.table, found.index));
    // For a WITHOUT ROWID table, the table's name means its primary key.
    let found = found.or_else(|| {
        let table = find_table(call, &catalog)?.1;
        table.is_without_rowid().then(|| table.primary_key().map(|key| (table, key)))?
    });
    let Some((table, index)) = found else { return nothing() };
    let shown = if extended { &index.columns[..] } else { index.key_columns() };
    let rows = shown.iter().enumerate().map(|(at, column)| index_row(at, column, index, table, extended));
    Ok(rows.collect())
}

fn index_row(at: usize, column: &IndexColumn, index: &Index, table: &Table, extended: bool) -> CommandRow {
    let (cid, column_name) = match &column.term {
        IndexTerm::Column(position) => (i64::from(*position), name(&table.columns[usize::from(*position)].name)),
        IndexTerm::Rowid => (-1, Value::NULL),
        IndexTerm::Expr(_) => (-2, Value::NULL),
    };
    let mut row = vec![Value::from(at as i64), Value::from(cid), column_name];
    if extended {
        row.push(Value::from(column.descending));
        let is_key = at < usize::from(index.key_count);
        row.push(text(shown_collation(column, is_key, table).name().as_bytes()));
        row.push(Value::from(is_key));
    }
    row
}

/// In an index of a WITHOUT ROWID table, the columns after the key are shown with the collations of the primary key, or
/// else of the columns, although nothing is compared by them.
fn shown_collation<'t>(column: &'t IndexColumn, is_key: bool, table: &'t Table) -> &'t CollationName {
    match column.term {
        IndexTerm::Column(at) if !is_key && table.is_without_rowid() => {
            let of_key = |key: &&IndexColumn| matches!(key.term, IndexTerm::Column(other) if other == at);
            let key = table.primary_key().and_then(|key| key.key_columns().iter().find(of_key));
            key.map_or(&table.columns[usize::from(at)].collation, |key| &key.collation)
        }
        _ => &column.collation,
    }
}

fn database_list(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let catalog = call.connection.catalog();
    let mut rows = Vec::new();
    for (db, database) in call.connection.databases.iter() {
        if db == Db::TEMP && database.opened().is_none() {
            continue; // the temporary database is listed once a statement has used it
        }
        let file = Value::text(database.file_name().as_os_str().as_encoded_bytes());
        rows.push(vec![Value::from(i64::from(db.0)), name(catalog.database_name(db)), file]);
    }
    Ok(rows)
}

fn foreign_key_list(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let catalog = call.connection.catalog();
    let Some((_, table)) = find_table(call, &catalog) else { return nothing() };
    let keys = table.foreign_keys.iter().enumerate();
    Ok(keys.flat_map(|(id, key)| foreign_key_rows(id, key, table)).collect())
}

fn foreign_key_rows(id: usize, key: &ForeignKey, table: &Table) -> Vec<CommandRow> {
    let row = |(seq, column): (usize, &u16)| {
        vec![
            Value::from(id as i64),
            Value::from(seq as i64),
            name(&key.parent),
            name(&table.columns[usize::from(*column)].name),
            key.parent_columns.get(seq).map_or(Value::NULL, name),
            Value::from(action_name(key.on_update)),
            Value::from(action_name(key.on_delete)),
            Value::from("NONE"),
        ]
    };
    key.columns.iter().enumerate().map(row).collect()
}

fn action_name(action: ForeignKeyAction) -> &'static str {
    match action {
        ForeignKeyAction::NoAction => "NO ACTION",
        ForeignKeyAction::Restrict => "RESTRICT",
        ForeignKeyAction::SetNull => "SET NULL",
        ForeignKeyAction::SetDefault => "SET DEFAULT",
        ForeignKeyAction::Cascade => "CASCADE",
    }
}

fn function_list(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let row = |function: &Function| {
        vec![
            Value::from(function.name()),
            Value::from(!function.hides_builtin()),
            Value::from(function.kind_letter()),
            Value::from(match function.encoding() {
                Encoding::Utf8 => "utf8",
                Encoding::Utf16le => "utf16le",
                Encoding::Utf16be => "utf16be",
            }),
            Value::from(i64::from(function.argument_count())),
            Value::from(i64::from(function.public_flags())),
        ]
    };
    Ok(call.connection.functions().iter().map(|function| row(function)).collect())
}
