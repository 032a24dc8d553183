//! The values of statements' parameters: rows of the table `temp.sqlite_parameters`, which `.parameter` writes.

use lithe::{Connection, Statement, Value};

/// Whether the table exists.
pub fn exists(connection: &Connection) -> bool {
    connection.has_table("temp", "sqlite_parameters")
}

/// Binds a statement's parameters. Parameters without a value are NULL.
pub fn bind(connection: &Connection, statement: &mut Statement<'_>) -> lithe::Result<()> {
    if statement.parameter_count() == 0 || !exists(connection) {
        return Ok(());
    }
    let mut lookup = connection.prepare("SELECT value FROM temp.sqlite_parameters WHERE key = ?1")?;
    for index in 1..=statement.parameter_count() {
        let name = statement.parameter_name(index).map_or_else(|| format!("?{index}"), str::to_owned);
        lookup.reset()?;
        lookup.bind(1, name.as_str())?;
        let value = lookup.step()?.map(|row| Value::from(row.get_ref(0)));
        if let Some(value) = value {
            statement.bind(index, value.as_ref())?;
        }
    }
    Ok(())
}
