//! `.intck`: an integrity check in steps, between which other connections can write.

use crate::commands::failure::Failure;
use lithe::Connection;

use super::{integer, usage};
use crate::quote;
use crate::shell::Shell;

/// `.intck ?STEPS_PER_UNLOCK?`: a step checks a table, in a transaction of its own, so that other connections can write whatever the
/// number.
pub fn intck(shell: &mut Shell, arguments: &[String]) -> Result<(), Failure> {
    match arguments {
        [] => {}
        [steps] if integer(steps)? > 0 => {}
        _ => return Err(usage(".intck")),
    }
    let connection = std::rc::Rc::clone(&shell.database.connection);
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY rowid";
    let names = connection.prepare(names).and_then(|mut names| names.query_map([], |row| row.get::<String>(0)));
    let names = names.map_err(|error| format!("corruption found while reading database schema: {error}"))?;
    let (mut steps, mut errors) = (0, 0);
    for name in std::iter::once("sqlite_schema".to_owned()).chain(names) {
        steps += 1;
        for problem in problems(&connection, &name) {
            errors += 1;
            shell.output.print(&format!("{problem}\n"))?;
        }
    }
    Ok(shell.output.print(&format!("{steps} steps, {errors} errors\n"))?)
}

/// The integrity errors of a table and its indexes.
fn problems(connection: &Connection, table: &str) -> Vec<String> {
    let pragma = format!("PRAGMA integrity_check({})", quote::string(table));
    let lines = connection.prepare(&pragma).and_then(|mut check| check.query_map([], |row| row.get::<String>(0)));
    match lines {
        Ok(lines) => lines.into_iter().filter(|line| line != "ok").collect(),
        Err(error) => vec![format!("corruption found while scanning database object {table}: {error}")],
    }
}
