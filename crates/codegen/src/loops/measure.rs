//! Counting the runs and rows of a loop (sqlite3_stmt_scanstatus): instructions without effect mark the beginning of a run and of
//! a row, and the profile counts them. Statements that are not measured have none of them.
//!
//! ```text
//!        Noop            one run
//!        ... search ...
//!   top: Noop            one row
//! ```

use lithe_optimize::access::{LogEst, Path};
use lithe_resolve::ir::{Source, SourceKind};
use lithe_vm::operand::{Addr, CursorId};
use lithe_vm::program::MeasuredLoop;

use super::super::Codegen;

/// Marks the beginning of a run of a loop; `None` if the statement is not measured.
pub(super) fn begin_run(cg: &mut Codegen<'_>) -> Option<Addr> {
    cg.is_measured.then(|| cg.b.counted())
}

/// Marks the beginning of a row of the loop whose runs are counted at `run`, and which has this line in the query plan.
pub(super) fn begin_row(
    cg: &mut Codegen<'_>,
    run: Option<Addr>,
    line: Option<i32>,
    source: &Source<'_>,
    path: &Path<'_>,
    rows: LogEst,
    cursors: &[CursorId],
) {
    let (Some(run), Some(line)) = (run, line) else { return };
    let row = cg.b.counted();
    let (name, estimated_rows) = (name_of(source, path), rows.to_u64() as f64);
    cg.b.measure(MeasuredLoop { line, name, estimated_rows, run, row, cursors: cursors.to_vec() });
}

/// The name of the source that is read: an index, or else the table. The rows of a query have none.
fn name_of(source: &Source<'_>, path: &Path<'_>) -> Option<String> {
    match (path, source.kind) {
        (Path::Index(path), _) => Some(path.index.name.to_string()),
        (_, SourceKind::Subquery(_) | SourceKind::Row(_)) => None,
        (Path::Hash(_), _) => Some("auto-index".to_owned()),
        (_, SourceKind::Table(_, table)) => Some(table.name.to_string()),
        (_, SourceKind::Recursive(table)) => Some(table.name.to_string()),
    }
}
