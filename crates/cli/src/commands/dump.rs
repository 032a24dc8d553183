//! `.dump`: the database as SQL that creates it again. `.fullschema`: the same without the rows.

use crate::commands::failure::Failure;
use lithe::{Connection, Row, ValueRef, params};

use crate::quote;
use crate::restoring::{BEGINNING, WARNING};
use crate::shell::Shell;

type Result<T> = std::result::Result<T, Failure>;

/// The arguments of `.dump`.
#[derive(Default)]
struct Options {
    /// Patterns for the names of tables, views, indexes and triggers. Without patterns, all are dumped.
    patterns: Vec<String>,
    data_only: bool,
    /// Whether line ends stay in literals.
    newlines: bool,
    /// Whether SQLite's own tables are left out.
    no_system: bool,
    preserve_rowids: bool,
}

/// A row of the schema table.
struct Object {
    name: String,
    kind: String,
    sql: Option<String>,
}

pub fn dump(shell: &mut Shell, arguments: &[String]) -> Result<()> {
    let options = Options::parse(arguments)?;
    // One read transaction, so that all tables come from the same state.
    let is_own_transaction = shell.database.connection.is_autocommit();
    if is_own_transaction {
        shell.database.connection.execute_batch("BEGIN").map_err(|e| e.to_string())?;
    }
    let objects = objects(&shell.database.connection, &options);
    let mut text = if options.data_only { String::new() } else { beginning(objects.as_deref().unwrap_or_default()) };
    let result = objects.and_then(|objects| dump_objects(shell, objects, &options, &mut text));
    if is_own_transaction {
        shell.database.connection.execute_batch("COMMIT").map_err(|e| e.to_string())?;
    }
    if !options.data_only {
        text.push_str(if result.is_ok() { "COMMIT;\n" } else { "ROLLBACK; -- due to errors\n" });
    }
    shell.output.print(&text)?;
    result
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Options> {
        let mut options = Options::default();
        for argument in arguments {
            match argument.strip_prefix('-').map(|name| name.trim_start_matches('-')) {
                None => options.patterns.push(argument.clone()),
                Some("data-only") => options.data_only = true,
                Some("newlines") => options.newlines = true,
                Some("nosys") => options.no_system = true,
                Some("preserve-rowids") => options.preserve_rowids = true,
                Some(_) => return Err(format!("unknown option: {argument}").into()),
            }
        }
        Ok(options)
    }
}

/// The first lines. They warn of statements that a defensive connection refuses.
fn beginning(objects: &[Object]) -> String {
    let warning = if objects.iter().any(Object::is_virtual) { format!("{WARNING}\n") } else { String::new() };
    format!("{warning}{}\n{}\n", BEGINNING[0], BEGINNING[1])
}

fn dump_objects(shell: &mut Shell, objects: Vec<Object>, options: &Options, text: &mut String) -> Result<()> {
    let (tables, others): (Vec<_>, Vec<_>) = objects.into_iter().partition(|object| object.kind == "table");
    let (mut has_statistics, mut writes_schema) = (false, false);
    for table in &tables {
        if !options.data_only && table.is_virtual() {
            // The rows of a virtual table are in its shadow tables, which CREATE VIRTUAL TABLE would create, too.
            dump_virtual(table, &mut writes_schema, text);
            continue;
        }
        if !options.data_only {
            dump_definition(table, &mut has_statistics, text);
        }
        dump_rows(shell, table, options, text)?;
    }
    for sql in others.iter().filter(|_| !options.data_only).filter_map(|object| object.sql.as_ref()) {
        text.push_str(sql);
        text.push_str(";\n");
    }
    if writes_schema {
        text.push_str("PRAGMA writable_schema=OFF;\n");
    }
    Ok(())
}

/// Dumps a virtual table as a row of the schema table, because its content is dumped with its shadow tables.
fn dump_virtual(table: &Object, writes_schema: &mut bool, text: &mut String) {
    if !std::mem::replace(writes_schema, true) {
        text.push_str("PRAGMA writable_schema=ON;\n");
    }
    let (name, sql) = (quote::string(&table.name), quote::string(table.sql.as_deref().unwrap_or_default()));
    text.push_str(&format!(
        "INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table',{name},{name},0,{sql});\n"
    ));
}

/// In the order of creation, but sqlite_sequence as the last table, because INSERTs into other tables change its rows.
fn objects(connection: &Connection, options: &Options) -> Result<Vec<Object>> {
    let all = vec!["%".to_owned()];
    let patterns = if options.patterns.is_empty() { &all } else { &options.patterns };
    let matches = |name: &str| {
        let conditions: Vec<String> = (1..=patterns.len()).map(|i| format!("{name} LIKE ?{i} ESCAPE '\\'")).collect();
        conditions.join(" OR ")
    };
    // A selected virtual table selects its shadow tables.
    let sql = format!(
        "SELECT name, type, sql FROM sqlite_schema AS o WHERE {} OR EXISTS(
             SELECT 1 FROM pragma_table_list AS l, sqlite_schema AS v
             WHERE l.schema = 'main' AND l.type = 'shadow' AND l.name = o.name AND v.sql LIKE 'CREATE VIRTUAL%'
               AND substr(o.name, 1, length(v.name) + 1) = v.name || '_' AND ({}))
         ORDER BY name = 'sqlite_sequence', rowid",
        matches("o.name"),
        matches("v.name")
    );
    let mut statement = connection.prepare(&sql).map_err(|e| e.to_string())?;
    for (i, pattern) in patterns.iter().enumerate() {
        statement.bind(i + 1, pattern.as_str()).map_err(|e| e.to_string())?;
    }
    let mut objects = Vec::new();
    while let Some(row) = statement.step().map_err(|e| e.to_string())? {
        let object = Object::from_row(&row).map_err(|e| e.to_string())?;
        if !options.no_system || !object.name.starts_with("sqlite_") {
            objects.push(object);
        }
    }
    Ok(objects)
}

impl Object {
    fn is_virtual(&self) -> bool {
        self.sql
            .as_ref()
            .and_then(|sql| sql.get(..20))
            .is_some_and(|start| start.eq_ignore_ascii_case("CREATE VIRTUAL TABLE"))
    }

    fn from_row(row: &Row<'_>) -> lithe::Result<Object> {
        Ok(Object { name: row.get(0)?, kind: row.get(1)?, sql: row.get(2)? })
    }
}

fn dump_definition(table: &Object, has_statistics: &mut bool, text: &mut String) {
    let Some(sql) = &table.sql else { return };
    match table.name.as_str() {
        "sqlite_sequence" => text.push_str("DELETE FROM sqlite_sequence;\n"),
        name if name.starts_with("sqlite_stat") => {
            if !std::mem::replace(has_statistics, true) {
                text.push_str("ANALYZE sqlite_schema;\n");
            }
        }
        name if name.starts_with("sqlite_") => {}
        _ => text.push_str(&format!("{};\n", quote::if_not_exists(sql))),
    }
}

fn is_dumped(table: &str) -> bool {
    !table.starts_with("sqlite_") || table == "sqlite_sequence" || table.starts_with("sqlite_stat")
}

/// The length at which collected text is written, because a large table does not fit in memory.
const PIECE: usize = 64 * 1024;

fn dump_rows(shell: &mut Shell, table: &Object, options: &Options, text: &mut String) -> Result<()> {
    if table.sql.is_none() || !is_dumped(&table.name) {
        return Ok(());
    }
    let (mut columns, has_key) = stored_columns(&shell.database.connection, &table.name)?;
    let name = quote::identifier(&table.name);
    let mut names = String::new();
    if options.preserve_rowids && !has_key && has_rowid(&shell.database.connection, &name) {
        columns.insert(0, "rowid".to_owned());
        names = format!("({})", columns.iter().map(|c| quote::identifier(c)).collect::<Vec<_>>().join(","));
    }
    let list: Vec<String> = columns.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect();
    let sql = format!("SELECT {} FROM {name}", list.join(","));
    let mut statement = shell.database.connection.prepare(&sql).map_err(|e| e.to_string())?;
    while let Some(row) = statement.step().map_err(|e| e.to_string())? {
        let values: Vec<String> = (0..row.column_count()).map(|i| literal(row.get_ref(i), options.newlines)).collect();
        text.push_str(&format!("INSERT INTO {name}{names} VALUES({});\n", values.join(",")));
        if text.len() > PIECE {
            shell.output.print(&std::mem::take(text))?;
        }
    }
    Ok(())
}

fn literal(value: ValueRef<'_>, newlines: bool) -> String {
    match value {
        ValueRef::Text(text) if newlines => quote::text_literal(text),
        ValueRef::Real(real) if real.is_infinite() => if real > 0.0 { "1e999" } else { "-1e999" }.to_owned(),
        // SQLite's `.dump` writes a capital X.
        ValueRef::Blob(blob) => quote::blob_literal(blob).replacen('x', "X", 1),
        other => quote::literal(other),
    }
}

/// The columns that an INSERT sets, without generated ones; and whether one of them is the rowid.
fn stored_columns(connection: &Connection, table: &str) -> Result<(Vec<String>, bool)> {
    let pragma = format!("PRAGMA table_info({})", quote::string(table));
    let mut statement = connection.prepare(&pragma).map_err(|e| e.to_string())?;
    let columns: Vec<(String, String, i64)> = statement
        .query_map([], |row| Ok((row.get("name")?, row.get("type")?, row.get("pk")?)))
        .map_err(|e| e.to_string())?;
    let mut keys = columns.iter().filter(|(_, _, key)| *key > 0);
    let only = keys.next().filter(|_| keys.next().is_none());
    let has_key = only.is_some_and(|(_, type_name, _)| type_name.eq_ignore_ascii_case("INTEGER"));
    Ok((columns.into_iter().map(|(name, _, _)| name).collect(), has_key))
}

fn has_rowid(connection: &Connection, table: &str) -> bool {
    connection.prepare(&format!("SELECT rowid FROM {table}")).is_ok()
}

pub fn full_schema(shell: &mut Shell, arguments: &[String]) -> Result<()> {
    let mut options = vec!["--nosys".to_owned(), super::show::WITHOUT_SIGNATURES.to_owned()];
    match arguments {
        [] => {}
        [option] if option.strip_prefix('-').is_some_and(|name| name.trim_start_matches('-') == "indent") => {
            options.push(option.clone());
        }
        _ => return Err(super::usage(".fullschema")),
    }
    super::show::schema(shell, &options)?;
    let statistics = "SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite^_stat%' ESCAPE '^' ORDER BY name";
    let mut statement = shell.database.connection.prepare(statistics).map_err(|e| e.to_string())?;
    let tables: Vec<String> = statement.query_map(params![], |row| row.get(0)).map_err(|e| e.to_string())?;
    drop(statement);
    if tables.is_empty() {
        return Ok(shell.output.print("/* No STAT tables available */\n")?);
    }
    let mut text = "ANALYZE sqlite_schema;\n".to_owned();
    for name in tables {
        let table = Object { name, kind: "table".to_owned(), sql: Some(String::new()) };
        dump_rows(shell, &table, &Options::default(), &mut text)?;
    }
    Ok(shell.output.print(&(text + "ANALYZE sqlite_schema;\n"))?)
}
