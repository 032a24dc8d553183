//! UPDATE: what it assigns, and to which rows.

use lithe_catalog::{CompileError, Result, fail};
use lithe_sql::ast::{self, FromItem};

use super::assign::{assigned_columns, resolve_assignments};
use super::limited::Limitable;
use super::returning::resolve_returning;
use super::{ChangeTarget, ResolvedChange, RowOrder, change_scope, target_of, with_tables};
use crate::ir::{CoreBody, Expr, Query, Select, Source, SourceKind, Term, plain_output};
use crate::resolver::Resolver;
use crate::resolver::expr::query::from::{
    check_source_count, is_right, resolve_from, resolve_from_item, resolve_whole_item,
};
use crate::resolver::expr::query::join::{FromPart, JoinTerms, resolve_join_terms};
use crate::resolver::expr::query::select::all_conditions;
use crate::resolver::expr::query::sources::or_of_sources_of_update;
use crate::resolver::expr::query::{SelectPart, plain_query};
use crate::resolver::expr::resolve_expr;
use crate::resolver::expr::terms::term_of;
use crate::resolver::scope::{Found, Rules, Scope, ScopeColumns, ScopeSource};

/// Resolves an UPDATE.
pub(crate) fn resolve_update<'a>(
    resolver: &Resolver<'a>,
    base: &Scope<'_, 'a>,
    update: &ast::Update<'a>,
) -> Result<&'a mut ResolvedChange<'a>> {
    let change = resolver.checks.check_after(|| resolve_parts(resolver, base, update))?;
    change.returning = resolve_returning(resolver, base, &change.target, update.returning);
    Ok(change)
}

fn resolve_parts<'a>(
    resolver: &Resolver<'a>,
    base: &Scope<'_, 'a>,
    update: &ast::Update<'a>,
) -> Result<&'a mut ResolvedChange<'a>> {
    let found = Found::default();
    let ast::Update { table, alias, indexed, limited, .. } = *update;
    let (filter, is_joined) = (update.filter.as_ref(), !update.from.is_empty());
    let rows = Limitable { name: "UPDATE", table, alias, indexed, filter, limited, is_joined };
    let mut from = resolve_from(resolver, base, &[rows.item()], &found, None)?;
    let target = target_of(resolver, base, update.table, &from)?;
    let resolved = with_tables(base, update.with, |scope| {
        let terms = match update.from {
            [] => JoinTerms::none_in(resolver.arena),
            items => {
                // The columns in SET are looked up before FROM is resolved, the assigned values after.
                assigned_columns(resolver, &target, update.set)?;
                join_to_target(resolver, scope, items, &mut from, &found)?
            }
        };
        let mut row = change_scope(scope, &from.scope, &found);
        let plain = row.rules;
        // With FROM, SQLite resolves the values of SET as the result columns of a SELECT.
        let is_select =
            !update.from.is_empty() && target.table.view().is_none() && target.table.virtual_table().is_none();
        let rules = Rules { aggregates: is_select, windows: is_select, ..plain };
        row.rules = rules;
        let set = resolve_assignments(resolver, &row, &target, update.set)?;
        row.rules = Rules { in_where: true, ..plain };
        let filter = rows.filter(resolver, &target)?;
        let filter = filter.as_ref().map(|filter| resolve_expr(resolver, &row, filter)).transpose()?;
        let terms = all_conditions(resolver, &from.sources, filter, terms)?;
        check_target_is_not_in(&from, &target)?;
        check_source_count(&from)?;
        let sources = resolver.slice(&from.sources);
        let mut columns = if is_select { keys_of(resolver, &target) } else { target.columns_of_view(resolver) };
        let keys = columns.len();
        // Other rows than these are not found by a query of columns.
        if keys > 0 {
            columns.extend(set.iter().map(|assigned| assigned.value));
        }
        row.rules = rules;
        let order = rows.order(resolver, &row, &target, &columns)?;
        let gather = || gathered_query(resolver, (sources, terms), &columns, &columns[..keys], order, &found);
        let gathered = is_select.then(gather);
        let change = ResolvedChange { target, or: update.or, sources, terms, set, gathered, order, returning: None };
        Ok(resolver.arena.alloc(change))
    });
    match resolved {
        Err(error) if !update.from.is_empty() && !resolver.only_names => {
            Err(error_of_join(resolver, base, update, &target, error))
        }
        resolved => resolved,
    }
}

/// An error in an UPDATE with FROM, whose rows SQLite finds by a SELECT: one of a source is found first.
#[cold]
fn error_of_join<'a>(
    resolver: &Resolver<'a>,
    base: &Scope<'_, 'a>,
    update: &ast::Update<'a>,
    target: &ChangeTarget<'a>,
    error: CompileError,
) -> CompileError {
    match assigned_columns(resolver, target, update.set) {
        Ok(_) => or_of_sources_of_update(resolver, base, update, error),
        // The columns are looked up before.
        Err(_) => error,
    }
}

/// What the query of [`ResolvedChange::gathered`] begins with: the key of the row.
fn keys_of<'a>(resolver: &Resolver<'a>, target: &ChangeTarget<'a>) -> Vec<Expr<'a>> {
    match target.table.row_key() {
        None => vec![resolver.rowid(target.source, target.table)],
        Some(key) => key.map(|at| resolver.table_column(target.source, target.table, at)).collect(),
    }
}

/// The query of [`ResolvedChange::gathered`]: `exprs` are its columns, the key first. With a LIMIT, a row counts once.
fn gathered_query<'a>(
    resolver: &Resolver<'a>,
    joined: (&'a [Source<'a>], &'a [Term<'a>]),
    exprs: &[Expr<'a>],
    keys: &[Expr<'a>],
    order: RowOrder<'a>,
    found: &Found<'a>,
) -> &'a Query<'a> {
    let (aggregates, windows) = (found.aggregates.borrow(), found.windows.borrow());
    let columns = resolver.arena.alloc_slice_fill_iter(exprs.iter().map(plain_output));
    let keys = if order.limit.is_some() { keys } else { &[] };
    let (sources, terms) = joined;
    let body = CoreBody::Select(resolver.arena.alloc(Select {
        distinct: false,
        columns: resolver.slice(exprs),
        sources,
        terms,
        group_by: resolver.arena.alloc_slice_fill_iter(keys.iter().map(|key| term_of(*key))),
        having: None,
        aggregates: resolver.slice(&aggregates),
        is_aggregate: !keys.is_empty() || !aggregates.is_empty(),
        windows: resolver.slice(&windows),
        is_update: true,
        is_complex: false,
    }));
    let uses = found.outer.borrow().clone();
    let part = SelectPart { body, columns, order_by: order.order_by, uses };
    let query = plain_query(resolver, part, resolver.numbers.new_select());
    if order.limit.is_none() { query } else { resolver.arena.alloc(Query { limit: order.limit, ..*query }) }
}

/// Adds the sources of FROM to the target. Returns the conditions of the joins.
fn join_to_target<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    items: &'a [FromItem<'a>],
    target: &mut FromPart<'a>,
    found: &Found<'a>,
) -> Result<JoinTerms<'a>> {
    let joined = joined_to_target(resolver, scope, items, found)?;
    // In ON, only the tables of FROM are visible.
    let on = change_scope(scope, &joined.scope, found);
    let terms = resolve_join_terms(resolver, &on, &joined)?;
    target.sources.extend(joined.sources);
    target.scope.extend(joined.scope);
    Ok(terms)
}

/// The FROM of an UPDATE. The target is joined to the whole FROM: if that has a RIGHT JOIN, it becomes a nested join.
fn joined_to_target<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    items: &'a [FromItem<'a>],
    found: &Found<'a>,
) -> Result<FromPart<'a>> {
    let mut joined = FromPart::with_capacity_in(items.len(), resolver.arena);
    let (Some(first), true) = (items.first(), items.iter().any(is_right)) else {
        for item in items {
            resolve_from_item(resolver, scope, item, item.join, &mut joined, found, None)?;
        }
        return Ok(joined);
    };
    let item = FromItem {
        join: ast::Join { natural: false, kind: ast::JoinKind::Comma },
        source: ast::Source::Nested(items),
        alias: None,
        indexed: ast::Indexed::Any,
        constraint: ast::JoinConstraint::None,
        number: None,
        span: first.span,
    };
    resolve_whole_item(resolver, scope, &item, item.join, &mut joined, found, None)?;
    Ok(joined)
}

/// FROM of an UPDATE may name the target again only under another name.
fn check_target_is_not_in<'a>(from: &FromPart<'a>, target: &ChangeTarget<'a>) -> Result<()> {
    let Some((own, others)) = from.scope.split_first() else { return Ok(()) };
    let is_target = |(source, item): (&ScopeSource<'a>, &Source<'a>)| match (source.columns, item.kind) {
        (ScopeColumns::Nested(_, names), _) if source.name.as_bytes().is_empty() => {
            names.iter().any(|name| name.table == own.name && name.db == Some(target.db))
        }
        (_, SourceKind::Table(_, table)) => source.name == own.name && std::ptr::eq(table, target.table),
        (_, SourceKind::Subquery(derived)) => {
            source.name == own.name && derived.view.is_some_and(|view| std::ptr::eq(view, target.table))
        }
        _ => false,
    };
    match others.iter().zip(&from.sources[1..]).any(is_target) {
        true => fail(format!("target object/alias may not appear in FROM clause: {}", own.name)),
        false => Ok(()),
    }
}
