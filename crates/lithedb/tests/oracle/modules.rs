//! Known differences of statements on virtual tables.

use lithe::ResultCode;

use crate::pair::{Answer, Difference, Ended};

/// How a statement ended whose answers differ for a known reason.
pub fn known(difference: &Difference) -> Option<Ended> {
    match (&difference.lithe, &difference.sqlite) {
        // SQLite gives the message of a row that OR IGNORE has left out to a later error that has none.
        (Answer::Error { code, message }, Answer::Error { code: other, message: kept })
            if code == other && *code == ResultCode::MISMATCH.0 =>
        {
            (message == "datatype mismatch" && kept.contains("constraint failed")).then_some(Ended::WithError)
        }
        // A query that reads an R-Tree which is changed forbids the change. In SQLite it does not if it stands on the last row of a node.
        (Answer::Error { code, .. }, _) if *code == ResultCode::LOCKED_VTAB.0 => Some(Ended::TooLate),
        // As SQLite documents (sqlite3_last_insert_rowid), a full-text table may write what it has buffered with any statement, and so
        // change what changes() and last_insert_rowid() say.
        (Answer::Rows { names, rows, .. }, Answer::Rows { names: other_names, rows: other_rows, .. }) => {
            (names == other_names && rows == other_rows).then_some(Ended::Well)
        }
        _ => None,
    }
}
