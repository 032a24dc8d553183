//! CREATE INDEX to [`Index`].

use lithe_sql::ast::{CreateIndex, Expr, ExprKind, Name, OrderTerm};

use super::collation::{check_collation, name_in_string, split_collation};
use super::prohibit::{self, Place};
use super::{BuildOptions, key};
use crate::error::{CompileError, Result};
use crate::{CollationName, Index, IndexColumn, IndexOrigin, IndexTerm, NameBuf, Table};

/// The index that `create` describes on `table`; `sql` is the text that the tree's spans are about. The root page is not
/// known yet.
pub fn build_index(create: &CreateIndex<'_>, sql: &[u8], table: &Table, options: &BuildOptions<'_>) -> Result<Index> {
    key::check_column_count(create.columns, options)?;
    key::refuse_nulls_order(create.columns)?;
    if let Some(filter) = &create.filter {
        let checked = prohibit::check(filter, table, Place::PartialIndex, options);
        // After an error in WHERE, SQLite still checks the first term.
        let behind = |error| match create.columns {
            [first, ..] => match split_collation(&first.expr) {
                (expr, None) => column_of(expr, name_in_string(&first.expr), table, options)
                    .err()
                    .unwrap_or_else(|| prohibit::check_behind(error, &first.expr, table, Place::Index, options)),
                (_, Some(_)) => prohibit::check_behind(error, &first.expr, table, Place::Index, options),
            },
            [] => error,
        };
        checked.map_err(behind)?;
    }
    let column = |term| index_column(term, sql, table, options);
    let mut columns = create.columns.iter().map(column).collect::<Result<Vec<_>>>()?;
    let key_count = columns.len() as u16;
    match table.primary_key() {
        Some(primary) if table.is_without_rowid() => key::append_missing(&mut columns, primary.key_columns()),
        _ => columns.push(key::rowid_column()),
    }
    Ok(Index {
        name: NameBuf::from(create.name.name.name),
        table: table.name.clone(),
        columns,
        key_count,
        unique: create.unique.then_some(None),
        filter: create.filter.map(|filter| filter.span.text(sql).into()),
        origin: IndexOrigin::Create,
        ..Index::default()
    })
}

fn index_column(term: &OrderTerm<'_>, sql: &[u8], table: &Table, options: &BuildOptions<'_>) -> Result<IndexColumn> {
    let (expr, written) = split_collation(&term.expr);
    let term_of_column = column_of(expr, name_in_string(&term.expr), table, options)?;
    let collation = match (written, &term_of_column) {
        (Some(name), _) => CollationName::new(name),
        (None, Some(column)) => table.columns[usize::from(*column)].collation.clone(),
        (None, None) => CollationName::binary(),
    };
    check_collation(&collation, options)?;
    let index_term = match term_of_column {
        Some(column) => IndexTerm::Column(column),
        None => {
            prohibit::check(expr, table, Place::Index, options)?;
            IndexTerm::Expr(expr.span.text(sql).into())
        }
    };
    Ok(IndexColumn { term: index_term, collation, descending: term.descending() && options.descending_indexes })
}

/// The column that the term names, perhaps by a string, or `None` for an expression.
fn column_of(
    expr: &Expr<'_>,
    string: Option<Name<'_>>,
    table: &Table,
    options: &BuildOptions<'_>,
) -> Result<Option<u16>> {
    let name = match (expr.kind, string) {
        (ExprKind::Column(name), _) => name.name,
        (_, Some(name)) => name,
        _ => return Ok(None),
    };
    let column = table.column(name);
    if column.is_none() && string.is_some() {
        return Err(CompileError::no_such("column", name).starting_at(expr.span));
    }
    if column.is_none() {
        prohibit::check(expr, table, Place::Index, options)?;
    }
    Ok(column)
}
