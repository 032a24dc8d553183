//! Covering indexes: whether the entries of an index hold all columns of a row that a statement uses.

use lithe_catalog::{Index, IndexColumn, IndexOrigin, IndexTerm, Table};
use lithe_resolve::ir::{Expr, SourceId};

use super::context::PlanContext;
use super::usage::ColumnSet;

/// Whether the expressions of an index make it covering.
#[derive(Clone, Copy)]
pub(super) enum ByExpressions {
    /// The statement uses columns that the index lacks.
    Not,
    /// The statement uses the columns that the index lacks only in these expressions.
    Covers,
    /// The same, but some expression is computed from the columns of the row all the same.
    NeedsRow,
}

/// Whether the index holds all used columns, or its WHERE makes them constant. The rowid ends every entry of a rowid table's index. SQLite
/// assumes that a generated column depends on all others, and ignores that the entries of a UNIQUE constraint's index end with the key of
/// a WITHOUT ROWID table. The plan does not treat such an index as covering, so that the rows come in SQLite's order; the generated code
/// still reads the key's columns from the entry, and does not seek the row.
pub(super) fn is_covered(used: &ColumnSet, table: &Table, index: &Index, fixed: &[(u16, Expr<'_>)]) -> bool {
    let is_table = table.is_without_rowid() && index.root == table.root;
    let is_of_constraint = table.is_without_rowid() && index.origin == IndexOrigin::Unique;
    let known = if is_of_constraint { index.key_columns() } else { &index.columns };
    let uses_generated = || used.positions().any(|at| table.columns[at].is_generated());
    let is_covered = || match table.has_generated_columns() && uses_generated() {
        true => (0..table.columns.len()).all(|at| table.rowid_column == Some(at as u16) || has_column(known, at)),
        false => used.positions().all(|at| has_column(known, at) || is_fixed(fixed, at)),
    };
    is_table || is_covered()
}

/// Whether the columns that the index lacks are used only in `indexed`, the expressions of the index.
pub(super) fn by_expressions<'a>(
    context: &PlanContext<'a>,
    source: SourceId,
    table: &Table,
    (index, fixed): (&Index, &[(u16, Expr<'a>)]),
    indexed: &[Expr<'a>],
) -> ByExpressions {
    if indexed.is_empty() {
        return ByExpressions::Not;
    }
    let beside = context.used_beside(source, indexed);
    let is_missing = |at: usize| !holds(index, at) && !is_fixed(fixed, at);
    if beside.used.positions().any(|at| table.columns[at].is_generated() || is_missing(at)) {
        ByExpressions::Not
    } else if beside.used_of_row.positions().any(is_missing) {
        ByExpressions::NeedsRow
    } else {
        ByExpressions::Covers
    }
}

/// Whether all columns of the table are in the index.
pub(super) fn is_whole(table: &Table, index: &Index) -> bool {
    (0..table.columns.len()).all(|at| table.rowid_column == Some(at as u16) || holds(index, at))
}

/// Whether the index has the column of the table at `at`.
fn holds(index: &Index, at: usize) -> bool {
    has_column(&index.columns, at)
}

fn has_column(columns: &[IndexColumn], at: usize) -> bool {
    columns.iter().any(|column| column.term == IndexTerm::Column(at as u16))
}

/// Whether the WHERE of a partial index makes the column at `at` equal to a constant.
fn is_fixed(fixed: &[(u16, Expr<'_>)], at: usize) -> bool {
    fixed.iter().any(|(column, _)| usize::from(*column) == at)
}
