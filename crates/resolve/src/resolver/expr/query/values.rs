//! VALUES.

use std::cell::Cell;

use lithe_catalog::{Result, fail};
use lithe_sql::ast::{self, CompoundOp, SelectNumber};

use super::columns::{ResultItem, aliases_of, value_columns};
use super::order::resolve_order_by;
use super::{SelectPart, all_of};
use crate::ir::{Core, CoreBody, Expr, OrderOrigin, Query, Select, SourceId};
use crate::resolver::Resolver;
use crate::resolver::expr::resolve_each;
use crate::resolver::scope::{Found, Rules, Scope};

/// VALUES. A single row is a SELECT without FROM, and may have aggregates in it. Several rows with window functions are a
/// UNION ALL of such SELECTs.
pub(super) fn resolve_values<'a>(
    resolver: &Resolver<'a>,
    outer: &Scope<'_, 'a>,
    rows: &[&[ast::Expr<'a>]],
    order_by: &[ast::OrderTerm<'a>],
    number: &'a Cell<SelectNumber>,
) -> Result<SelectPart<'a>> {
    let found = Found::default();
    let (aggregates, aggregates_elsewhere) = (rows.len() == 1, rows.len() > 1);
    let rules = Rules { aggregates, aggregates_elsewhere, windows: true, ..outer.clause_rules() };
    let scope = Scope { parent: Some(outer), sources: &[], aliases: &[], rules, found: &found, windows: &[], ..*outer };
    let mut resolved = bumpalo::collections::Vec::with_capacity_in(rows.len(), resolver.arena);
    // Rows are resolved from the last to the first, as in SQLite: the last error is reported.
    for (at, row) in rows.iter().enumerate().rev() {
        if at + 1 < rows.len() {
            resolver.count_selects_of_view(1);
        }
        resolved.push(resolve_each(resolver, &scope, row)?);
    }
    resolved.reverse();
    let resolved = resolved.into_bump_slice();
    let items = value_columns(resolver, resolved);
    if items.len() > resolver.env.limits.columns as usize {
        return fail("too many columns in result set");
    }
    let aliases = aliases_of(&items);
    let order_by = resolve_order_by(resolver, &scope.with_aliases(&aliases), order_by, &items)?;
    let is_aggregate = !found.aggregates.borrow().is_empty();
    let body = if let [row] = resolved {
        CoreBody::Select(resolver.arena.alloc(Select {
            distinct: false,
            columns: row,
            sources: &[],
            terms: &[],
            group_by: &[],
            having: None,
            aggregates: resolver.slice(&found.aggregates.borrow()),
            is_aggregate,
            windows: resolver.slice(&found.windows.borrow()),
            is_update: false,
            is_complex: false,
        }))
    } else if resolved.iter().any(|row| has_aggregate(row)) {
        return values_apart(resolver, outer, rows, number);
    } else {
        CoreBody::Values(resolved)
    };
    let columns = resolver.arena.alloc_slice_fill_iter(items.iter().map(ResultItem::output));
    Ok(SelectPart { body, columns, order_by, uses: found.outer.take() })
}

/// VALUES as a SELECT from a UNION ALL of its rows.
fn values_apart<'a>(
    resolver: &Resolver<'a>,
    outer: &Scope<'_, 'a>,
    rows: &[&[ast::Expr<'a>]],
    number: &'a Cell<SelectNumber>,
) -> Result<SelectPart<'a>> {
    let part = |row| resolve_values(resolver, outer, &[row], &[], number);
    let parts = rows.iter().map(|&row| part(row)).collect::<Result<Vec<_>>>()?;
    let cores = parts.iter().map(|part| Core { op: CompoundOp::UnionAll, body: part.body, number });
    let cores: Vec<Core<'a>> = cores.collect();
    let (uses, columns) = (outer_sources(&parts), parts[0].columns);
    let outer = resolver.slice(&uses);
    let query = Query {
        cores: resolver.slice(&cores),
        has_rows_apart: false,
        order_by: &[],
        limit: None,
        columns,
        outer,
        was_correlated: false,
        order_origin: OrderOrigin::Own,
    };
    let query = all_of(resolver, query, &[], None);
    let body = query.cores[0].body;
    Ok(SelectPart { body, columns: query.columns, order_by: &[], uses })
}

/// The sources of enclosing queries that any of the parts uses.
fn outer_sources(parts: &[SelectPart<'_>]) -> Vec<SourceId> {
    let mut uses: Vec<SourceId> = Vec::new();
    for &source in parts.iter().flat_map(|part| &part.uses) {
        if !uses.contains(&source) {
            uses.push(source);
        }
    }
    uses
}

/// Whether a list of expressions has an aggregate or window function in it.
fn has_aggregate(exprs: &[Expr<'_>]) -> bool {
    let mut is_one = |expr: &Expr<'_>| matches!(expr, Expr::Aggregate(_) | Expr::Window(_));
    exprs.iter().any(|expr| crate::ir::any(expr, &mut is_one))
}
