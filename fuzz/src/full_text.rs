//! What the targets of full-text tables share: a table with documents, whose shadow tables an input changes, and which is
//! then asked and changed.
//!
//! ```text
//!   input   options | query 00 | ( which | length | bytes )*
//! ```
//!
//! `options` chooses the table. Each `which` chooses a row of a shadow table, whose value becomes the bytes; with an odd length
//! they overwrite only the beginning of the value, so that most of it stays sound.

use lithe_engine::Connection;

use crate::{run, watch};

/// A kind of full-text table.
pub struct Kind {
    /// The statements that make the table `t`, one for each choice.
    pub tables: &'static [&'static str],
    /// The shadow tables' values: table, column, and an expression of the row's key in which `?` is a number of the input.
    pub values: &'static [(&'static str, &'static str, &'static str)],
    /// What reads the row on which a query stands.
    pub functions: &'static str,
    /// What is done with the table at the end.
    pub commands: &'static [&'static str],
}

const DOCUMENTS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
    INSERT INTO t(rowid, a, b) SELECT i * 3, 'word w' || i || ' often ' || printf('%.*c', i % 7, 'x'), 'often other o' || i % 5 FROM n";

/// Plays an input.
pub fn play(connection: &Connection, kind: &Kind, input: &[u8]) {
    let _watch = watch(connection);
    let Some((options, rest)) = input.split_first() else { return };
    let (query, mut changes) = match rest.iter().position(|byte| *byte == 0) {
        Some(at) => (&rest[..at], &rest[at + 1..]),
        None => (rest, &[][..]),
    };
    run(connection, b"PRAGMA page_size = 512");
    run(connection, kind.tables[usize::from(*options) % kind.tables.len()].as_bytes());
    run(connection, DOCUMENTS.as_bytes());
    if options & 0x80 != 0 {
        run(connection, b"INSERT INTO t(t) VALUES('optimize')");
    }
    while let [which, len, tail @ ..] = changes {
        let bytes = &tail[..usize::from(*len).min(tail.len())];
        changes = &tail[bytes.len()..];
        let (table, column, key) = kind.values[usize::from(*which) % kind.values.len()];
        let key = key.replace('?', &(which / kind.values.len() as u8).to_string());
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let behind = if len % 2 == 1 { format!("|| substr({column}, {})", bytes.len() + 1) } else { String::new() };
        run(connection, format!("UPDATE {table} SET {column} = CAST(x'{hex}' {behind} AS BLOB) WHERE {key}").as_bytes());
    }
    let query: String = query.iter().map(|byte| format!("{byte:02x}")).collect();
    let matching = format!("FROM t WHERE t MATCH CAST(x'{query}' AS TEXT)");
    run(connection, format!("SELECT rowid, {} {matching}", kind.functions).as_bytes());
    run(connection, format!("SELECT rowid {matching} ORDER BY rowid DESC").as_bytes());
    for query in ["often", "w* AND other", "\"often other\" OR w7"] {
        run(connection, format!("SELECT rowid, {} FROM t WHERE t MATCH '{query}'", kind.functions).as_bytes());
    }
    run(connection, b"UPDATE t SET a = 'new words' WHERE rowid % 2; DELETE FROM t WHERE rowid % 5 = 0; PRAGMA integrity_check");
    kind.commands.iter().for_each(|command| run(connection, command.as_bytes()));
}
