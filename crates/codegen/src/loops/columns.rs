//! The columns of a source: as expressions, and those that identify its rows.

use lithe_catalog::IndexTerm;
use lithe_resolve::ir::{Coll, Column, ColumnIndex, Expr, Source, SourceKind};
use lithe_value::Affinity;

use crate::Codegen;

/// A column of the source as an expression.
pub(super) fn column_of<'a>(cg: &Codegen<'a>, source: &Source<'a>, index: ColumnIndex) -> Expr<'a> {
    let (affinity, table) = match (source.kind, index.position()) {
        (SourceKind::Table(_, table), Some(at)) => (Some(table.columns[at].affinity), Some(table)),
        (SourceKind::Table(_, table), None) => (Some(Affinity::Integer), Some(table)),
        (SourceKind::Subquery(derived), Some(at)) => (derived.columns[at].affinity, None),
        _ => (None, None),
    };
    Expr::Column(cg.arena.alloc(Column {
        source: source.id,
        index,
        affinity,
        collation: Coll::Binary,
        is_excluded: false,
        is_never_null: false,
        table,
    }))
}

/// The columns that identify the rows of a source: the rowid, or the primary key.
pub(super) fn identity(source: &Source<'_>) -> Vec<ColumnIndex> {
    match source.kind {
        SourceKind::Table(_, table) if table.virtual_table().is_some() && table.is_without_rowid() => {
            (0..table.columns.len()).map(ColumnIndex::new).collect()
        }
        SourceKind::Table(_, table) if table.is_without_rowid() => {
            let key = table.primary_key().expect("a WITHOUT ROWID table has a primary key");
            key.key_columns()
                .iter()
                .filter_map(|column| match column.term {
                    IndexTerm::Column(at) => Some(ColumnIndex::new(usize::from(at))),
                    _ => None,
                })
                .collect()
        }
        _ => vec![ColumnIndex::ROWID],
    }
}
