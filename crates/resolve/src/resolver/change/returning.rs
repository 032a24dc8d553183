//! RETURNING.

use lithe_catalog::{Result, fail};
use lithe_sql::ast;

use super::{ChangeTarget, Returning, change_scope};
use crate::resolver::Resolver;
use crate::resolver::expr::query::columns::resolve_result_columns;
use crate::resolver::scope::{Found, Scope, ScopeSource};

/// RETURNING. An error in it is kept for [`Resolver::report_returning`].
pub(super) fn resolve_returning<'a>(
    resolver: &Resolver<'a>,
    base: &Scope<'_, 'a>,
    target: &ChangeTarget<'a>,
    columns: &[ast::ResultColumn<'a>],
) -> Option<Returning<'a>> {
    if columns.is_empty() {
        return None;
    }
    let returning = resolve_columns(resolver, base, target, columns).unwrap_or_else(|error| {
        resolver.returning_error.set(Some(error));
        Returning { exprs: &[], columns: &[] }
    });
    Some(returning)
}

/// In RETURNING, only the table is visible, under its own name.
fn resolve_columns<'a>(
    resolver: &Resolver<'a>,
    base: &Scope<'_, 'a>,
    target: &ChangeTarget<'a>,
    columns: &[ast::ResultColumn<'a>],
) -> Result<Returning<'a>> {
    if columns.iter().any(|column| matches!(column.kind, ast::ResultColumnKind::TableStar(_))) {
        return fail("RETURNING may not use \"TABLE.*\" wildcards");
    }
    let found = Found::default();
    let row = target.in_scope(target.source, target.table.name.name());
    let sources = [ScopeSource { is_returned: true, ..row }];
    let scope = change_scope(base, &sources, &found);
    resolver.returning.set(Some((target.table, target.source)));
    let items = resolve_result_columns(resolver, &scope, columns);
    resolver.returning.set(None);
    let items = items?;
    let exprs: Vec<_> = items.iter().map(|item| item.expr).collect();
    let outputs: Vec<_> = items.iter().map(|item| item.output()).collect();
    Ok(Returning { exprs: resolver.slice(&exprs), columns: resolver.slice(&outputs) })
}
