//! The shadow tables of a full-text table, and the statements that create them.

use lithe_vtab::{Names, SqlConnection};

use crate::Result;
use crate::config::Config;

/// A string literal.
pub fn literal(text: &str) -> String {
    format!("'{}'", escaped(text))
}

fn escaped(text: &str) -> String {
    text.replace('\'', "''")
}

/// The shadow tables that are created with a table, with their columns.
pub fn shadow_tables(config: &Config) -> Vec<(&'static str, String)> {
    let mut tables = Vec::new();
    if config.has_own_content() {
        let columns = config.columns.iter().enumerate();
        let columns: String = columns.map(|(at, name)| format!(", 'c{at}{}'", escaped(name))).collect();
        let language = if config.language.is_some() { ", langid" } else { "" };
        tables.push(("content", format!("docid INTEGER PRIMARY KEY{columns}{language}")));
    }
    tables.push(("segments", "blockid INTEGER PRIMARY KEY, block BLOB".to_owned()));
    let segdir = "level INTEGER,idx INTEGER,start_block INTEGER,leaves_end_block INTEGER,end_block INTEGER,root BLOB,\
                  PRIMARY KEY(level, idx)";
    tables.push(("segdir", segdir.to_owned()));
    if config.has_sizes() {
        tables.push(("docsize", "docid INTEGER PRIMARY KEY, size BLOB".to_owned()));
    }
    tables
}

/// Creates the shadow tables.
///
/// # Errors
/// Those of CREATE TABLE.
pub fn create_tables(connection: &dyn SqlConnection, names: &Names, config: &Config) -> Result {
    for (suffix, columns) in shadow_tables(config) {
        connection.execute(&create_table(names, suffix, &columns))?;
    }
    if config.is_fts4 { connection.execute(&create_stat(names)) } else { Ok(()) }
}

fn create_table(names: &Names, suffix: &str, columns: &str) -> String {
    format!("CREATE TABLE {}.'{}_{suffix}'({columns})", literal(&names.database), escaped(&names.table))
}

/// The statement that creates `x_stat`.
pub fn create_stat(names: &Names) -> String {
    let sql = create_table(names, "stat", "id INTEGER PRIMARY KEY, value BLOB");
    sql.replacen("CREATE TABLE", "CREATE TABLE IF NOT EXISTS", 1)
}
