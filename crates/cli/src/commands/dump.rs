//! `.dump`: the database as SQL that makes it again.

use lithe::{Connection, Row, ValueRef, params};

use crate::quote;
use crate::shell::Shell;

type Result<T> = std::result::Result<T, String>;

/// A row of the schema table.
struct Object {
    name: String,
    kind: String,
    sql: Option<String>,
}

pub fn dump(shell: &mut Shell, arguments: &[String]) -> Result<()> {
    let mut text = String::from("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n");
    // One read transaction, so that all tables are of one moment.
    let is_own_transaction = shell.connection.is_autocommit();
    if is_own_transaction {
        shell.connection.execute_batch("BEGIN").map_err(|e| e.to_string())?;
    }
    let result = dump_objects(shell, arguments, &mut text);
    if is_own_transaction {
        shell.connection.execute_batch("COMMIT").map_err(|e| e.to_string())?;
    }
    text.push_str(if result.is_ok() { "COMMIT;\n" } else { "ROLLBACK; -- due to errors\n" });
    shell.output.print(&text)?;
    result
}

fn dump_objects(shell: &mut Shell, patterns: &[String], text: &mut String) -> Result<()> {
    let objects = objects(&shell.connection, patterns)?;
    let (tables, others): (Vec<_>, Vec<_>) = objects.into_iter().partition(|object| object.kind == "table");
    for table in &tables {
        dump_table(&shell.connection, table, text)?;
        shell.output.print(&std::mem::take(text))?; // table by table: a large database does not fit memory
    }
    for object in others {
        if let Some(sql) = &object.sql {
            text.push_str(sql);
            text.push_str(";\n");
        }
    }
    Ok(())
}

fn objects(connection: &Connection, patterns: &[String]) -> Result<Vec<Object>> {
    let all = vec!["%".to_owned()];
    let patterns = if patterns.is_empty() { &all } else { patterns };
    let mut objects = Vec::new();
    for pattern in patterns {
        // sqlite_sequence last among the tables: its rows change when other tables are filled.
        let sql =
            "SELECT name, type, sql FROM sqlite_schema WHERE tbl_name LIKE ?1 ORDER BY name = 'sqlite_sequence', rowid";
        let mut statement = connection.prepare(sql).map_err(|e| e.to_string())?;
        let row = |row: &Row<'_>| Ok(Object { name: row.get(0)?, kind: row.get(1)?, sql: row.get(2)? });
        objects.extend(statement.query_map(params![pattern], row).map_err(|e| e.to_string())?);
    }
    Ok(objects)
}

fn dump_table(connection: &Connection, table: &Object, text: &mut String) -> Result<()> {
    let Some(sql) = &table.sql else { return Ok(()) };
    match table.name.as_str() {
        "sqlite_sequence" => text.push_str("DELETE FROM sqlite_sequence;\n"),
        name if name.starts_with("sqlite_stat") => text.push_str("ANALYZE sqlite_schema;\n"),
        name if name.starts_with("sqlite_") => return Ok(()),
        _ => {
            text.push_str(sql);
            text.push_str(";\n");
        }
    }
    dump_rows(connection, &table.name, text)
}

fn dump_rows(connection: &Connection, table: &str, text: &mut String) -> Result<()> {
    let columns = stored_columns(connection, table)?;
    let names: Vec<String> = columns.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect();
    let sql = format!("SELECT {} FROM {}", names.join(","), quote::identifier(table));
    let mut statement = connection.prepare(&sql).map_err(|e| e.to_string())?;
    while let Some(row) = statement.step().map_err(|e| e.to_string())? {
        let values: Vec<String> = (0..row.column_count()).map(|i| literal(row.get_ref(i))).collect();
        text.push_str(&format!("INSERT INTO {} VALUES({});\n", quote::identifier(table), values.join(",")));
    }
    Ok(())
}

/// The columns that INSERT gives a value: not the generated ones.
fn stored_columns(connection: &Connection, table: &str) -> Result<Vec<String>> {
    let pragma = format!("PRAGMA table_info({})", quote::string(table));
    let mut statement = connection.prepare(&pragma).map_err(|e| e.to_string())?;
    statement.query_map([], |row| row.get("name")).map_err(|e| e.to_string())
}

fn literal(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Text(text) => quote::string_on_one_line(&String::from_utf8_lossy(text)),
        other => quote::literal(other),
    }
}
