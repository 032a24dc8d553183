//! DELETE.

use lithe_catalog::Result;
use lithe_sql::ast;

use super::limited::Limitable;
use super::returning::resolve_returning;
use super::{ResolvedChange, change_scope, target_of, with_tables};
use crate::authorize::Action;
use crate::resolver::Resolver;
use crate::resolver::expr::query::from::resolve_from;
use crate::resolver::expr::query::select::resolve_conditions;
use crate::resolver::scope::{Found, Rules, Scope};

/// Resolves a DELETE.
pub(crate) fn resolve_delete<'a>(
    resolver: &Resolver<'a>,
    base: &Scope<'_, 'a>,
    delete: &ast::Delete<'a>,
) -> Result<&'a mut ResolvedChange<'a>> {
    let change = resolver.checks.check_after(|| resolve_parts(resolver, base, delete))?;
    change.returning = resolve_returning(resolver, base, &change.target, delete.returning);
    Ok(change)
}

fn resolve_parts<'a>(
    resolver: &Resolver<'a>,
    base: &Scope<'_, 'a>,
    delete: &ast::Delete<'a>,
) -> Result<&'a mut ResolvedChange<'a>> {
    let found = Found::default();
    let ast::Delete { table, alias, indexed, limited, .. } = *delete;
    let rows =
        Limitable { name: "DELETE", table, alias, indexed, filter: delete.filter.as_ref(), limited, is_joined: false };
    let from = resolve_from(resolver, base, &[rows.item()], &found, None)?;
    let target = target_of(resolver, base, delete.table, &from)?;
    if !resolver.env.authorize(Action::Delete, Some(target.table.name.name()), None, Some(target.db), base.within)? {
        resolver.delete_one_by_one.set(true);
    }
    with_tables(base, delete.with, |scope| {
        let mut row = change_scope(scope, &from.scope, &found);
        row.rules = Rules { in_where: true, ..row.rules };
        let terms = resolve_conditions(resolver, &row, &from, rows.filter(resolver, &target)?.as_ref())?;
        let sources = resolver.slice(&from.sources);
        let order = rows.order(resolver, &row, &target, &target.columns_of_view(resolver))?;
        let change =
            ResolvedChange { target, or: None, sources, terms, set: &[], gathered: None, order, returning: None };
        Ok(resolver.arena.alloc(change))
    })
}
