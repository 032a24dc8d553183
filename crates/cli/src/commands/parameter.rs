//! `.parameter`: values for the parameters of statements. As in `sqlite3`, they are in the table `temp.sqlite_parameters`, so that SQL can
//! read and change them.

use crate::commands::failure::Failure;
use lithe::{Config, Connection, params};

use super::usage;
use crate::parameters::exists;
use crate::quote;
use crate::shell::Shell;

type Result<T> = std::result::Result<T, Failure>;

const CREATE: &str = "CREATE TABLE IF NOT EXISTS temp.sqlite_parameters(key TEXT PRIMARY KEY, value) WITHOUT ROWID";

pub fn parameter(shell: &mut Shell, arguments: &[String]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let connection = &shell.database.connection;
    match words[..] {
        ["init"] => create(connection),
        ["clear"] if exists(connection) => {
            Ok(connection.execute_batch("DELETE FROM temp.sqlite_parameters").map_err(|e| e.to_string())?)
        }
        ["clear"] => Ok(()),
        ["list"] => list(shell),
        ["set", name, value] => {
            create(connection)?;
            set(connection, name, value)
        }
        ["unset", name] if exists(connection) => Ok(connection
            .execute("DELETE FROM temp.sqlite_parameters WHERE key = ?1", params![name])
            .map(|_| ())
            .map_err(|e| e.to_string())?),
        ["unset", _] => Ok(()),
        _ => Err(usage(".parameter")),
    }
}

/// Creates the table. Names that begin with `sqlite_` are reserved unless the schema is writable, which it is not on a defensive connection.
fn create(connection: &Connection) -> Result<()> {
    if exists(connection) {
        return Ok(());
    }
    let wanted = [(Config::Defensive, false), (Config::WritableSchema, true)];
    let before = wanted.map(|(switch, _)| connection.config(switch));
    wanted.into_iter().for_each(|(switch, value)| connection.set_config(switch, value));
    let created = connection.execute_batch(CREATE);
    wanted.into_iter().zip(before).for_each(|((switch, _), value)| connection.set_config(switch, value));
    Ok(created.map_err(|e| e.to_string())?)
}

/// Sets a parameter. The value is an SQL expression; if it is not a valid one, it is a text.
fn set(connection: &Connection, name: &str, value: &str) -> Result<()> {
    let insert = |value: &str| {
        let sql = format!("REPLACE INTO temp.sqlite_parameters(key, value) VALUES (?1, {value})");
        connection.execute(&sql, params![name])
    };
    Ok(insert(value).or_else(|_| insert(&quote::string(value))).map(|_| ()).map_err(|e| e.to_string())?)
}

fn list(shell: &mut Shell) -> Result<()> {
    if !exists(&shell.database.connection) {
        return Ok(());
    }
    let sql = "SELECT key, quote(value) FROM temp.sqlite_parameters ORDER BY key";
    let mut statement = shell.database.connection.prepare(sql).map_err(|e| e.to_string())?;
    let rows: Vec<(String, String)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).map_err(|e| e.to_string())?;
    drop(statement);
    let widest = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let text: String = rows.iter().map(|(name, value)| format!("{name:<widest$} {value}\n")).collect();
    Ok(shell.output.print(&text)?)
}
