//! Commands that show settings and the schema.

use crate::commands::failure::Failure;
use lithe::{Connection, params};

use super::{COMMANDS, usage};
use crate::quote;
use crate::shell::Shell;

type Result = std::result::Result<(), Failure>;

/// The width of the list of tables.
const LIST_WIDTH: usize = 80;

pub fn help(shell: &mut Shell, arguments: &[String]) -> Result {
    let wanted = arguments.first().map_or("", |pattern| pattern.trim_start_matches('.'));
    let matching = COMMANDS.iter().filter(|command| command.name[1..].starts_with(wanted));
    let lines: String = matching
        .map(|command| format!("{:<28} {}\n", format!("{} {}", command.name, command.arguments), command.help))
        .collect();
    if lines.is_empty() {
        return Err(format!("nothing matches '{wanted}'").into());
    }
    Ok(shell.output.print(&lines)?)
}

pub fn version(shell: &mut Shell, _: &[String]) -> Result {
    let text = format!("Lithe {} (level with SQLite {})\n", env!("CARGO_PKG_VERSION"), lithe::SQLITE_VERSION);
    Ok(shell.output.print(&text)?)
}

pub fn settings(shell: &mut Shell, _: &[String]) -> Result {
    let on = |is_on: bool| if is_on { "on" } else { "off" };
    let (settings, style) = (&shell.settings, &shell.settings.style);
    let widths: Vec<String> = style.widths.iter().map(i32::to_string).collect();
    let output = if shell.output.is_stdout() { "stdout" } else { "file" };
    let lines = [
        ("echo", on(settings.echo).to_owned()),
        ("eqp", settings.eqp.name().to_owned()),
        ("explain", if settings.explain { "auto" } else { "off" }.to_owned()),
        ("headers", style.titles().name().to_owned()),
        ("mode", style.mode.name.to_owned()),
        ("nullvalue", format!("{:?}", style.null())),
        ("output", output.to_owned()),
        ("colseparator", format!("{:?}", style.column_separator)),
        ("rowseparator", format!("{:?}", style.row_separator)),
        ("stats", shell.statistics.name().to_owned()),
        ("timer", on(settings.timer).to_owned()),
        ("changes", on(settings.changes).to_owned()),
        ("bail", on(settings.bail).to_owned()),
        ("width", widths.join(" ")),
        ("filename", shell.database.file.clone()),
    ];
    let text: String = lines.iter().map(|(name, value)| format!("{name:>12}: {value}\n")).collect();
    Ok(shell.output.print(&text)?)
}

pub fn databases(shell: &mut Shell, _: &[String]) -> Result {
    let databases: Vec<(String, String)> = shell
        .database
        .connection
        .prepare("PRAGMA database_list")
        .and_then(|mut list| list.query_map([], |row| Ok((row.get("name")?, row.get("file")?))))
        .map_err(|e| e.to_string())?;
    let shown = |file: &str| if file.is_empty() { "\"\"".to_owned() } else { file.to_owned() };
    let access = |name: &str| if shell.database.connection.is_read_only(name) == Some(true) { "r/o" } else { "r/w" };
    let line = |(name, file): &(String, String)| format!("{name}: {} {}\n", shown(file), access(name));
    let text: String = databases.iter().map(line).collect();
    Ok(shell.output.print(&text)?)
}

/// The names of the attached databases.
fn schemas(connection: &Connection) -> std::result::Result<Vec<String>, String> {
    let mut list = connection.prepare("PRAGMA database_list").map_err(|e| e.to_string())?;
    list.query_map([], |row| row.get("name")).map_err(|e| e.to_string())
}

pub fn tables(shell: &mut Shell, arguments: &[String]) -> Result {
    let kinds = "type IN ('table', 'view') AND name NOT LIKE 'sqlite^_%' ESCAPE '^'";
    let names = object_names(&shell.database.connection, kinds, "name", arguments.first())?;
    Ok(shell.output.print(&in_columns(&names))?)
}

pub fn indexes(shell: &mut Shell, arguments: &[String]) -> Result {
    let names = object_names(&shell.database.connection, "type = 'index'", "tbl_name", arguments.first())?;
    Ok(shell.output.print(&in_columns(&names))?)
}

/// Names of schema objects in all databases; those of attached databases are qualified.
fn object_names(
    connection: &Connection,
    condition: &str,
    pattern_on: &str,
    pattern: Option<&String>,
) -> std::result::Result<Vec<String>, String> {
    let mut names = Vec::new();
    for schema in schemas(connection)? {
        let table = if schema == "temp" { "sqlite_temp_schema" } else { "sqlite_schema" };
        let sql = format!(
            "SELECT name FROM {}.{table} WHERE {condition} AND {pattern_on} LIKE ?1",
            quote::identifier(&schema)
        );
        let pattern = pattern.map_or("%", String::as_str);
        let mut statement = connection.prepare(&sql).map_err(|e| e.to_string())?;
        let found: Vec<String> = statement.query_map([pattern], |row| row.get(0)).map_err(|e| e.to_string())?;
        let qualified = |name: String| if schema == "main" { name } else { format!("{schema}.{name}") };
        names.extend(found.into_iter().map(qualified));
    }
    names.sort_unstable();
    Ok(names)
}

/// Names in as many columns as fit, filled column by column.
fn in_columns(names: &[String]) -> String {
    let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let columns = (LIST_WIDTH / (widest + 2)).max(1);
    let rows = names.len().div_ceil(columns);
    let mut text = String::new();
    for row in 0..rows {
        let line: Vec<String> = (row..names.len()).step_by(rows).map(|i| format!("{:<widest$}", names[i])).collect();
        text.push_str(&line.join("  "));
        text.push('\n');
    }
    text
}

/// The option of [`schema`] for `.fullschema`: views and virtual tables without a list of their columns.
pub const WITHOUT_SIGNATURES: &str = "--without-signatures";

/// The arguments of `.schema`.
#[derive(Clone, Copy, Default)]
struct SchemaOptions {
    no_system: bool,
    indents: bool,
    no_signatures: bool,
}

pub fn schema(shell: &mut Shell, arguments: &[String]) -> Result {
    let (options, patterns): (Vec<&String>, Vec<&String>) = arguments.iter().partition(|word| word.starts_with('-'));
    let (mut wanted, pattern) = (SchemaOptions::default(), patterns.first().copied());
    for option in options {
        match option.trim_start_matches('-') {
            "nosys" => wanted.no_system = true,
            "indent" => wanted.indents = true,
            "without-signatures" => wanted.no_signatures = true,
            _ => return Err(format!("unknown option: {option}").into()),
        }
    }
    if patterns.len() > 1 {
        return Err(usage(".schema"));
    }
    let mut text = String::new();
    if let Some(table) = pattern.filter(|pattern| is_schema_table(pattern)) {
        text = format!(
            "CREATE TABLE {table} (\n  type text,\n  name text,\n  tbl_name text,\n  rootpage integer,\n  sql text\n);\n"
        );
    }
    for schema in schemas(&shell.database.connection)? {
        for sql in create_statements(&shell.database.connection, &schema, pattern, wanted)? {
            text.push_str(&sql);
            text.push_str(";\n");
        }
    }
    Ok(shell.output.print(&text)?)
}

/// Whether a name is that of a schema table, which no row of it describes.
fn is_schema_table(name: &str) -> bool {
    ["sqlite_schema", "sqlite_master", "sqlite_temp_schema", "sqlite_temp_master"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name))
}

/// The CREATE statements of the matching objects; the pattern may be qualified.
fn create_statements(
    connection: &Connection,
    schema: &str,
    pattern: Option<&String>,
    wanted: SchemaOptions,
) -> std::result::Result<Vec<String>, String> {
    let table = if schema == "temp" { "sqlite_temp_schema" } else { "sqlite_schema" };
    let system = if wanted.no_system { "AND name NOT LIKE 'sqlite^_%' ESCAPE '^'" } else { "" };
    let sql = format!(
        "SELECT sql, type, name FROM {}.{table} WHERE sql IS NOT NULL {system}
         AND (tbl_name LIKE ?1 ESCAPE '\\' OR ?2 || '.' || tbl_name LIKE ?1 ESCAPE '\\') ORDER BY rowid",
        quote::identifier(schema)
    );
    let mut statement = connection.prepare(&sql).map_err(|e| e.to_string())?;
    let pattern = pattern.map_or("%", String::as_str);
    let found: Vec<(String, String, String)> = statement
        .query_map(params![pattern, schema], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .map_err(|e| e.to_string())?;
    let shown = |(sql, kind, name): (String, String, String)| {
        let mut sql = in_schema(&crate::quote::if_not_exists(&sql), schema);
        if wanted.indents && matches!(kind.as_str(), "table" | "index") {
            sql = indented(&sql);
        }
        let has_signature =
            kind == "view" || sql.get(..14).is_some_and(|start| start.eq_ignore_ascii_case("CREATE VIRTUAL"));
        let signature = view_signature(connection, schema, &name).filter(|_| has_signature && !wanted.no_signatures);
        match signature {
            Some(signature) => format!("{sql}\n/* {signature} */"),
            None => sql,
        }
    };
    Ok(found.into_iter().map(shown).collect())
}

/// A shorter statement stays on one line.
const LINE_LEN: usize = 80;

/// A line for each column and constraint. A statement with a comment is unchanged, because a comment extends to the end of its line.
fn indented(sql: &str) -> String {
    if sql.contains("--") {
        return sql.to_owned();
    }
    let breaks = sql.len() >= LINE_LEN;
    let (mut out, mut depth) = (String::with_capacity(sql.len() + 64), 0_usize);
    let mut chars = sql.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' | '"' | '`' | '[' => {
                let end = if c == '[' { ']' } else { c };
                out.push(c);
                for inner in chars.by_ref() {
                    out.push(inner);
                    if inner == end {
                        break;
                    }
                }
                continue;
            }
            c if c.is_whitespace() => {
                while chars.next_if(|next| next.is_whitespace()).is_some() {}
                let is_dropped = matches!(chars.peek(), Some('(' | ')')) || out.ends_with(['(', ' ', '\n']);
                if !is_dropped {
                    out.push(if c == '\n' { '\n' } else { ' ' });
                }
                continue;
            }
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && breaks {
                    out.push('\n');
                }
            }
            _ => {}
        }
        out.push(c);
        depth += usize::from(c == '(');
        if depth == 1 && breaks && matches!(c, '(' | ',') {
            out.push_str("\n  ");
        }
    }
    out
}

/// The statement with a qualified name, if the schema is not `main`.
fn in_schema(sql: &str, schema: &str) -> String {
    const BEGINNINGS: [&str; 7] = [
        "CREATE TABLE IF NOT EXISTS ",
        "CREATE TABLE ",
        "CREATE VIEW ",
        "CREATE TRIGGER ",
        "CREATE INDEX ",
        "CREATE UNIQUE INDEX ",
        "CREATE VIRTUAL TABLE ",
    ];
    let beginning = BEGINNINGS.iter().find_map(|beginning| Some((*beginning, sql.strip_prefix(beginning)?)));
    match beginning {
        Some((beginning, rest)) if schema == "temp" => format!("{beginning}temp.{rest}"),
        Some((beginning, rest)) if schema != "main" => format!("{beginning}{}.{rest}", quote::identifier(schema)),
        _ => sql.to_owned(),
    }
}

/// `view(column, …)`: the columns of a view or virtual table, which its text does not show. `None` if it cannot be used.
fn view_signature(connection: &Connection, schema: &str, name: &str) -> Option<String> {
    let pragma = format!("PRAGMA {}.table_info({})", quote::identifier(schema), quote::string(name));
    let columns: lithe::Result<Vec<String>> =
        connection.prepare(&pragma).and_then(|mut statement| statement.query_map([], |row| row.get::<String>("name")));
    let columns: Vec<String> = columns.unwrap_or_default().iter().map(|c| quote::identifier(c)).collect();
    (!columns.is_empty()).then(|| format!("{}({})", quote::identifier(name), columns.join(",")))
}

#[cfg(test)]
mod tests {
    #[test]
    fn lists_go_downwards() {
        let names: Vec<String> = ["a", "b", "c"].map(str::to_owned).into();
        assert_eq!(super::in_columns(&names), "a  b  c\n");
        assert_eq!(super::in_columns(&[]), "");
    }
}
