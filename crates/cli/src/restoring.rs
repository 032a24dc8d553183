//! Scripts of `.dump` with virtual tables: they write the schema table and shadow tables, which a defensive connection refuses. A script that
//! begins as `.dump` begins, on an empty database, may do so until its transaction ends, because an empty database has nothing to damage.

use lithe::{Config, Connection};

/// The first line of a script that writes the schema table.
pub const WARNING: &str = "/* WARNING: Script requires that SQLITE_DBCONFIG_DEFENSIVE be disabled */";

/// The statements with which `.dump` begins.
pub const BEGINNING: [&str; 2] = ["PRAGMA foreign_keys=OFF;", "BEGIN TRANSACTION;"];

/// The switches that a script of `.dump` needs: old schemas may have double-quoted strings.
const NEEDED: [(Config, bool); 2] = [(Config::Defensive, false), (Config::DqsDdl, true)];

/// How much of a script of `.dump` a connection has run.
#[derive(Debug, Default)]
pub enum Restoring {
    /// None.
    #[default]
    No,
    /// The first statement.
    Begun,
    /// The transaction is open; these were the switches before.
    Within([bool; NEEDED.len()]),
}

impl Restoring {
    /// Notes that a statement has been run, if it did not fail.
    pub fn note(self, statement: &[u8], connection: &Connection) -> Restoring {
        let statement = statement.trim_ascii();
        let bare = statement.strip_prefix(WARNING.as_bytes()).unwrap_or(statement).trim_ascii();
        match self {
            Restoring::Within(before) if connection.is_autocommit() => {
                for ((switch, _), value) in NEEDED.iter().zip(before) {
                    connection.set_config(*switch, value);
                }
                Restoring::No
            }
            Restoring::Within(before) => Restoring::Within(before),
            Restoring::Begun if bare == BEGINNING[1].as_bytes() && is_empty(connection) => {
                let before = NEEDED.map(|(switch, _)| connection.config(switch));
                for (switch, value) in NEEDED {
                    connection.set_config(switch, value);
                }
                Restoring::Within(before)
            }
            Restoring::No | Restoring::Begun if bare == BEGINNING[0].as_bytes() => Restoring::Begun,
            Restoring::No | Restoring::Begun => Restoring::No,
        }
    }
}

fn is_empty(connection: &Connection) -> bool {
    let asked = connection.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").and_then(|mut statement| {
        let row = statement.step()?;
        Ok(row.is_none())
    });
    asked.unwrap_or(false)
}
