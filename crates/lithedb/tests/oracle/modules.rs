//! Known differences of statements on virtual tables, each with its reason. A world goes on behind them.

use crate::pair::{Answer, Difference};

/// The known reason of a difference.
pub fn reason(difference: &Difference) -> Option<&'static str> {
    match (&difference.lithe, &difference.sqlite) {
        (Answer::Error { code, .. }, Answer::Error { code: other, message })
            if code == other && message.starts_with("rtree constraint failed") =>
        {
            Some("SQLite gives the message of a row that OR IGNORE has left out to a later error that has none")
        }
        (Answer::Rows { names, rows, .. }, Answer::Rows { names: other_names, rows: other_rows, .. })
            if names == other_names && rows == other_rows =>
        {
            // As SQLite documents (sqlite3_last_insert_rowid): a table that buffers changes may write them with any statement.
            Some("changes() and last_insert_rowid() behind a full-text table that has written what it had buffered")
        }
        _ => None,
    }
}
