//! SET: which columns get which values.

use lithe_catalog::{CompileError, Result, fail};
use lithe_sql::ast::{self, Name};

use super::{Assigned, ChangeTarget, ChangedColumn, note_named};
use crate::authorize::Action;
use crate::ir::Expr;
use crate::resolver::Resolver;
use crate::resolver::expr::{resolve_expr, resolve_expr_or_row};
use crate::resolver::scope::Scope;
use crate::resolver::source_columns::is_rowid_name;

/// SET, in an order of columns as written; a column may come several times, and the last one counts.
pub(super) fn resolve_assignments<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    target: &ChangeTarget<'a>,
    set: &[ast::Assignment<'a>],
) -> Result<&'a [Assigned<'a>]> {
    let mut assigned = bumpalo::collections::Vec::with_capacity_in(set.len(), resolver.arena);
    for assignment in set {
        for (at, column) in assignment.columns.iter().enumerate() {
            note_named(resolver, scope, target, *column);
            let named = target.find(column.name);
            let column = column_at(resolver, target, column.name, named)
                .map_err(|error| or_of_value(resolver, scope, assignment, at, error))?;
            // Filled in below, once it is known that all columns exist.
            assigned.push(Assigned { column, named, value: Expr::Integer(at as i64) });
        }
        let first = assigned.len() - assignment.columns.len();
        assign(resolver, scope, assignment, &mut assigned[first..])?;
    }
    if resolver.env.authorizer.0.is_some() {
        let mut allowed = Vec::with_capacity(assigned.len());
        for assigned in &assigned {
            if may_update(resolver, scope, target, assigned)? {
                allowed.push(*assigned);
            }
        }
        return Ok(resolver.slice(&allowed));
    }
    Ok(assigned.into_bump_slice())
}

/// What to report where the column at `at` cannot be assigned: SQLite resolves each value before its column, and values of a row one by one.
#[cold]
fn or_of_value<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    assignment: &ast::Assignment<'a>,
    at: usize,
    error: CompileError,
) -> CompileError {
    let values = match &assignment.value.kind {
        ast::ExprKind::RowValue(items) if items.len() == assignment.columns.len() => items.get(..=at).unwrap_or(items),
        _ => std::slice::from_ref(&assignment.value),
    };
    let resolved = values.iter().try_for_each(|value| resolve_expr_or_row(resolver, scope, value).map(drop));
    resolved.err().unwrap_or(error)
}

fn assign<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    assignment: &ast::Assignment<'a>,
    assigned: &mut [Assigned<'a>],
) -> Result<()> {
    if !assignment.row {
        assigned[0].value = resolve_expr(resolver, scope, &assignment.value)?;
        return Ok(());
    }
    let value = resolve_expr_or_row(resolver, scope, &assignment.value)?;
    let width = value.width();
    if width != assigned.len() {
        return fail(format!("{} columns assigned {width} values", assigned.len()));
    }
    for (at, assigned) in assigned.iter_mut().enumerate() {
        assigned.value = match value {
            Expr::Row(items) => items[at],
            Expr::Subquery(subquery) if width > 1 => Expr::SubqueryColumn(subquery, at as u16),
            value => value,
        };
    }
    Ok(())
}

fn may_update<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    target: &ChangeTarget<'a>,
    assigned: &Assigned<'a>,
) -> Result<bool> {
    let rowid = Name::new(b"ROWID");
    let column = assigned.named.map_or(rowid, |at| target.column_name(at));
    let table = target.table.name.name();
    resolver.env.authorize(Action::Update, Some(table), Some(column), Some(target.db), scope.within)
}

/// The columns that SET names, without their values.
pub(in crate::resolver) fn assigned_columns<'a>(
    resolver: &Resolver<'a>,
    target: &ChangeTarget<'a>,
    set: &[ast::Assignment<'a>],
) -> Result<Vec<Assigned<'a>>> {
    let named = set.iter().flat_map(|assignment| assignment.columns.iter());
    let assigned = named.map(|column| {
        let named = target.find(column.name);
        Ok(Assigned { column: column_at(resolver, target, column.name, named)?, named, value: Expr::Null })
    });
    assigned.collect()
}

/// What the name stands for, whose column is `found`.
fn column_at<'a>(
    resolver: &Resolver<'a>,
    target: &ChangeTarget<'a>,
    name: Name<'a>,
    found: Option<u16>,
) -> Result<ChangedColumn> {
    match found {
        Some(at) if target.is_generated(at) && !resolver.only_names => {
            fail(format!("cannot UPDATE generated column \"{}\"", target.column_name(at)))
        }
        Some(at) => Ok(target.column_or_rowid(at)),
        None if is_rowid_name(name) && target.table.has_rowid() => Ok(ChangedColumn::Rowid),
        None if resolver.only_names => Ok(ChangedColumn::Column(0)),
        None => Err(CompileError::no_such("column", name)),
    }
}
