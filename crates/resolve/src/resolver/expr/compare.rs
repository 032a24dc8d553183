//! Comparisons, BETWEEN, IN and CASE, as they are written.

use lithe_catalog::{CompileError, Result};
use lithe_sql::ast::{self, ExprKind, ResultColumnKind, SelectCore};

use super::{or_later_error, resolve_expr, resolve_expr_or_row, resolve_exprs, resolve_subquery, sub_select_width};
use crate::ir::{
    Between, BetweenRows, Case, Compare, CompareOp, Compared, Expr, How, In, InSet, Query, UnaryOp, When, affinity_of,
    collation_of, comparison_affinity, is_constant,
};
use crate::resolver::Resolver;
use crate::resolver::expr::query::set::table_as_query;
use crate::resolver::nodes::{how, row_value_misused};
use crate::resolver::scope::Scope;

pub(super) fn resolve_comparison<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    op: CompareOp,
    written: &ast::Expr<'a>,
    right: &ast::Expr<'a>,
) -> Result<Expr<'a>> {
    if let (Some(left), Some(right)) = (written_width(written), written_width(right))
        && left != right
    {
        return Err(misused_in(written));
    }
    let left = or_later_error(resolver, resolve_expr_or_row(resolver, scope, written), scope, [right])?;
    let right = resolve_expr_or_row(resolver, scope, right)?;
    match (left.width(), right.width()) {
        (1, 1) => Ok(resolver.compare_scalars(op, left, right)),
        (left_width, right_width) if left_width == right_width => Ok(resolver.compare_rows(op, left, right)),
        _ => Err(misused_in(written)),
    }
}

/// "row value misused", at the left operand as it is written.
#[cold]
fn misused_in(left: &ast::Expr<'_>) -> CompileError {
    row_value_misused().with_offset(left.error_offset())
}

pub(super) fn resolve_between<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    between: &ast::Between<'a>,
) -> Result<Expr<'a>> {
    let widths = [written_width(&between.value), written_width(&between.low), written_width(&between.high)];
    if let [Some(value), Some(low), Some(high)] = widths
        && (value != low || value != high)
    {
        return Err(misused_in(&between.value));
    }
    let value = or_later_error(
        resolver,
        resolve_expr_or_row(resolver, scope, &between.value),
        scope,
        [&between.low, &between.high],
    )?;
    let low = or_later_error(resolver, resolve_expr_or_row(resolver, scope, &between.low), scope, [&between.high])?;
    let high = resolve_expr_or_row(resolver, scope, &between.high)?;
    let result = if value.width() == 1 && low.width() == 1 && high.width() == 1 {
        let (low_how, high_how) = (how(&value, &low), how(&value, &high));
        Expr::Between(resolver.arena.alloc(Between { value, low, low_how, high, high_how, rows: None }))
    } else {
        between_rows(resolver, [value, low, high]).ok_or_else(|| misused_in(&between.value))?
    };
    Ok(resolver.not_if(between.not, result))
}

/// BETWEEN of rows; `None` if they differ in width.
fn between_rows<'a>(resolver: &Resolver<'a>, [value, low, high]: [Expr<'a>; 3]) -> Option<Expr<'a>> {
    if value.width() != low.width() || value.width() != high.width() {
        return None;
    }
    let rows = BetweenRows {
        low: resolver.row_comparison(CompareOp::Ge, value, low),
        high: resolver.row_comparison(CompareOp::Le, value, high),
    };
    let (low_how, high_how) = (How::default(), How::default());
    let between = Between { value, low, low_how, high, high_how, rows: Some(resolver.arena.alloc(rows)) };
    Some(Expr::Between(resolver.arena.alloc(between)))
}

pub(super) fn resolve_in<'a>(resolver: &Resolver<'a>, scope: &Scope<'_, 'a>, set: &ast::In<'a>) -> Result<Expr<'a>> {
    if set.is_in_nothing() {
        return Ok(Expr::Integer(i64::from(set.not)));
    }
    let value = || resolve_expr_or_row(resolver, scope, &set.value);
    // SQLite resolves the query before the value on the left of IN.
    let result = match set.set {
        ast::InSet::List(items) => {
            let value = or_later_error(resolver, value(), scope, items)?;
            in_list(resolver, scope, value, items)?
        }
        ast::InSet::Select(select) => {
            let query = resolve_subquery(resolver, scope, select)?.query;
            in_query(resolver, value()?, query)?
        }
        ast::InSet::Table(name, args, number) => {
            let query = table_as_query(resolver, scope, name, args, number)?;
            query.outer.iter().for_each(|&source| scope.note_use(source));
            in_query(resolver, value()?, query)?
        }
    };
    Ok(resolver.not_if(set.not, result))
}

fn in_list<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    value: Expr<'a>,
    items: &[ast::Expr<'a>],
) -> Result<Expr<'a>> {
    if value.width() > 1 {
        // Only a query has several columns here: the parser takes the list beside a row value for a query.
        return match items {
            [] => Ok(Expr::Integer(0)),
            [_] => Err(row_value_misused()),
            _ => Err(sub_select_width(value.width(), 1)),
        };
    }
    let list = resolve_exprs(resolver, scope, items)?;
    // Only the left side's affinity and collation count.
    let affinity = comparison_affinity(affinity_of(&value), None);
    let how = How { affinity, collation: collation_of(&value).unwrap_or_default() };
    if let [item] = list
        && is_constant(item)
    {
        // The sign is SQLite's, too: the planner does not look the parameter's value up.
        let is_parameter = matches!(item, Expr::Parameter(_));
        let right = if is_parameter { Expr::Unary(UnaryOp::Plus, item) } else { *item };
        let compare = Compare { op: CompareOp::Eq, left: value, right, how, replaced: None };
        return Ok(Expr::Compare(resolver.arena.alloc(compare)));
    }
    Ok(in_expr(resolver, value, InSet::List(list), &[how]))
}

fn in_query<'a>(resolver: &Resolver<'a>, value: Expr<'a>, query: &'a Query<'a>) -> Result<Expr<'a>> {
    let expected = value.width();
    if query.columns.len() != expected && resolver.only_names {
        return Ok(Expr::Null);
    }
    if query.columns.len() != expected {
        return Err(sub_select_width(query.columns.len(), expected));
    }
    let hows: Vec<How<'a>> = (0..expected).map(|at| in_how(&value, at, query)).collect();
    Ok(in_expr(resolver, value, InSet::Query(query), &hows))
}

fn in_expr<'a>(resolver: &Resolver<'a>, value: Expr<'a>, set: InSet<'a>, how: &[How<'a>]) -> Expr<'a> {
    Expr::In(resolver.arena.alloc(In { value, set, how: resolver.slice(how), id: resolver.new_subquery() }))
}

pub(super) fn resolve_case<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    case: &ast::Case<'a>,
) -> Result<Expr<'a>> {
    let parts = || case.whens.iter().flat_map(|when| [&when.condition, &when.value]).chain(&case.otherwise);
    let operand = case.operand.as_ref().map(|operand| resolve_expr_or_row(resolver, scope, operand)).transpose();
    let operand = or_later_error(resolver, operand, scope, parts())?;
    if let Some(row @ (Expr::Row(_) | Expr::Subquery(_))) = operand
        && row.width() > 1
    {
        return case_of_row(resolver, scope, row, case);
    }
    let mut whens = bumpalo::collections::Vec::with_capacity_in(case.whens.len(), resolver.arena);
    for (at, when) in case.whens.iter().enumerate() {
        let condition =
            or_later_error(resolver, resolve_expr(resolver, scope, &when.condition), scope, parts().skip(2 * at + 1))?;
        let how = operand.as_ref().map_or(How::default(), |operand| how(operand, &condition));
        let value =
            or_later_error(resolver, resolve_expr(resolver, scope, &when.value), scope, parts().skip(2 * at + 2))?;
        whens.push(When { condition, how, value });
    }
    let otherwise = case.otherwise.as_ref().map(|otherwise| resolve_expr(resolver, scope, otherwise)).transpose()?;
    Ok(Expr::Case(resolver.arena.alloc(Case { operand, whens: whens.into_bump_slice(), otherwise })))
}

/// `CASE (a, b) WHEN (1, 2) ...` is `CASE WHEN (a, b) = (1, 2) ...`.
fn case_of_row<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    operand: Expr<'a>,
    case: &ast::Case<'a>,
) -> Result<Expr<'a>> {
    let mut whens = bumpalo::collections::Vec::with_capacity_in(case.whens.len(), resolver.arena);
    for when in case.whens {
        let against = resolve_expr_or_row(resolver, scope, &when.condition)?;
        let condition = resolver.compare(CompareOp::Eq, operand, against)?;
        whens.push(When { condition, how: How::default(), value: resolve_expr(resolver, scope, &when.value)? });
    }
    let otherwise = case.otherwise.as_ref().map(|otherwise| resolve_expr(resolver, scope, otherwise)).transpose()?;
    Ok(Expr::Case(resolver.arena.alloc(Case { operand: None, whens: whens.into_bump_slice(), otherwise })))
}

/// How many columns a value has, by its text alone; `None` for a query with a star.
fn written_width(expr: &ast::Expr<'_>) -> Option<usize> {
    match expr.kind {
        ExprKind::RowValue(items) => Some(items.len()),
        ExprKind::Subquery(select) => match select.first {
            SelectCore::Values(rows) => rows.first().map(|row| row.len()),
            SelectCore::Query(query) => {
                let is_one = |column: &ast::ResultColumn<'_>| matches!(column.kind, ResultColumnKind::Expr(_));
                query.columns.iter().all(is_one).then_some(query.columns.len())
            }
        },
        _ => Some(1),
    }
}

/// How column `at` of a value is compared with that of the rows of a query in IN: as two expressions are.
fn in_how<'a>(value: &Expr<'a>, at: usize, members: &Query<'a>) -> How<'a> {
    let value = match value {
        Expr::Row(items) => Compared::of(&items[at]),
        Expr::Subquery(query) if query.query.columns.len() > 1 => query.query.compared(at),
        value => Compared::of(value),
    };
    value.with(&members.compared(at))
}
