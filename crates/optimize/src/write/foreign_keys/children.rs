//! The search for the children of a parent row that is deleted or inserted.

use lithe_catalog::{IndexTerm, Result, Table};
use lithe_resolve::ir::{Coll, CompareOp, Expr, Indexed, JoinKind, Source, SourceId, SourceKind, Term, TermOrigin};
use lithe_sql::ast::Name;

use super::parent::ParentReference;
use super::parent_key::ParentKey;
use crate::access::{JoinRequest, Purpose};
use crate::plan::FromPlan;
use crate::planner::Planner;
use crate::write::table::WrittenIndex;

/// What happens to the parent row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParentChange {
    /// The row is inserted.
    Inserted,
    /// The row is deleted.
    Deleted,
}

/// The parent whose row changes.
#[derive(Clone, Copy)]
pub struct ParentRow<'a> {
    /// The table.
    pub table: &'a Table,
    /// The primary key of a WITHOUT ROWID table.
    pub key: Option<&'a WrittenIndex<'a>>,
    /// The trigger or view in which the change stands, for the authorizer.
    pub within: Option<Name<'a>>,
}

/// How the children are found.
pub struct ChildrenPlan<'a> {
    /// The source of the parent row in the conditions.
    pub row: SourceId,
    /// The loop over the children.
    pub from: FromPlan<'a>,
}

/// Plans the search. It is planned when its code is made: only then SQLite calls the authorizer for the columns of the children.
pub fn plan_children<'a>(
    planner: &mut Planner<'a>,
    reference: &ParentReference<'a>,
    parent: ParentRow<'a>,
    change: ParentChange,
) -> Result<ChildrenPlan<'a>> {
    let resolver = planner.context.resolver;
    let (source, row) = (resolver.new_source(), resolver.new_source());
    let terms = terms(planner, reference, parent, (source, row), change)?;
    let sources = [Source {
        id: source,
        kind: SourceKind::Table(reference.db, reference.child),
        name: reference.child.name.name(),
        is_alias: false,
        join: JoinKind::Inner,
        schema: None,
        is_exists: false,
        indexed: Indexed::Any,
    }];
    let arena = resolver.arena;
    let (sources, terms) = (arena.alloc_slice_copy(&sources), arena.alloc_slice_copy(&terms));
    let from = planner.plan_from(JoinRequest::of_rows(sources, terms, Purpose::Read))?;
    Ok(ChildrenPlan { row, from })
}

/// The conditions that find the children of the row: their columns equal its key, compared as the parent's columns are.
fn terms<'a>(
    planner: &mut Planner<'a>,
    reference: &ParentReference<'a>,
    parent: ParentRow<'a>,
    (source, row): (SourceId, SourceId),
    change: ParentChange,
) -> Result<Vec<Term<'a>>> {
    let resolver = planner.context.resolver;
    let child = reference.child;
    let ParentKey { columns, child_columns, .. } = &reference.parent_key;
    let mut terms = Vec::with_capacity(columns.len() + 1);
    for (&column, &child_column) in columns.iter().zip(child_columns) {
        let value = parent_value(planner, parent.table, row, column);
        let name = child.columns[usize::from(child_column)].name.name();
        let is_readable = resolver.env.authorize_read(child.name.name(), name, reference.db, parent.within)?;
        let of_child = if is_readable { resolver.table_column(source, child, child_column) } else { Expr::Null };
        terms.push(where_term(resolver.compare_scalars(CompareOp::Eq, value, of_child)));
    }
    if change == ParentChange::Deleted && reference.is_from(parent.table) {
        // A row that refers to itself is deleted with itself.
        terms.push(where_term(other_row(planner, reference, parent, (source, row))));
    }
    terms.iter().for_each(|term| planner.context.note_expr(&term.expr));
    Ok(terms)
}

/// The condition that the child is another row than the parent's.
fn other_row<'a>(
    planner: &Planner<'a>,
    reference: &ParentReference<'a>,
    parent: ParentRow<'a>,
    (source, row): (SourceId, SourceId),
) -> Expr<'a> {
    let resolver = planner.context.resolver;
    let Some(key) = parent.key else {
        let own = resolver.rowid(row, parent.table);
        return resolver.compare_scalars(CompareOp::Ne, own, resolver.rowid(source, reference.child));
    };
    let mut differs: Option<Expr<'a>> = None;
    for column in key.index.key_columns() {
        let IndexTerm::Column(at) = column.term else { continue };
        let own = parent_value(planner, parent.table, row, at);
        let other = resolver.table_column(source, reference.child, at);
        let one = resolver.compare_scalars(CompareOp::Ne, own, other);
        differs = Some(match differs {
            None => one,
            Some(others) => Expr::Or(resolver.alloc(others), resolver.alloc(one)),
        });
    }
    differs.expect("a primary key has columns")
}

/// A column of the parent's row with the affinity and the collation that it has in its table.
fn parent_value<'a>(planner: &Planner<'a>, table: &'a Table, row: SourceId, column: u16) -> Expr<'a> {
    let resolver = planner.context.resolver;
    let value = resolver.table_column(row, table, column);
    let collation = Coll::of(&table.columns[usize::from(column)].collation);
    Expr::Collate(resolver.alloc(value), resolver.arena.alloc(collation))
}

fn where_term(expr: Expr<'_>) -> Term<'_> {
    Term::new(expr, TermOrigin::Where)
}
