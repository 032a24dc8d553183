//! ORDER BY and the numbers in GROUP BY.

use lithe_catalog::{CompileError, Result, fail};
use lithe_sql::ast::{self, ExprKind, Name, SelectCore, UnaryOp};

use super::columns::{ResultItem, resolve_result_columns};
use super::from::resolve_from;
use crate::ir::{Coll, Core, CoreBody, Expr, OrderTerm, Output, OutputColumn, same};
use crate::resolver::Resolver;
use crate::resolver::expr::resolve_expr;
use crate::resolver::expr::terms::{check_term_count, order_term, ordinal};
use crate::resolver::scope::{Found, Rules, Scope};

/// ORDER BY of a single SELECT. A term is, in this order: the alias of a result column, the number of one, or an
/// expression, which may turn out to be the same as a result column.
pub(crate) fn resolve_order_by<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    terms: &[ast::OrderTerm<'a>],
    items: &[ResultItem<'a>],
) -> Result<&'a [OrderTerm<'a>]> {
    check_term_count(resolver, "ORDER", terms.len())?;
    let mut resolved = bumpalo::collections::Vec::with_capacity_in(terms.len(), resolver.arena);
    for (at, term) in terms.iter().enumerate() {
        let named =
            bare_name(&term.expr).and_then(|name| items.iter().position(|item| item.is_alias && item.name == name));
        let output = match named {
            Some(position) => Some(position),
            None => position_of_term(resolver, &term.expr, at, "ORDER", items.len())?,
        };
        let (expr, output) = match output {
            Some(position) => (collated_like(resolver, &term.expr, items[position].expr), Some(position)),
            None => {
                let expr = resolve_expr(resolver, scope, &term.expr)?;
                let bare = crate::ir::skip_collate(expr);
                (expr, items.iter().position(|item| same(&item.expr, &bare)))
            }
        };
        resolved.push(order_term(term, expr, output));
    }
    // An unknown collation is an error even where no term remains, but not where only names are verified. SQLite resolves all names first.
    if !resolver.only_names {
        resolved.iter().try_for_each(|term| resolver.env.collation(term.collation).map(drop))?;
    }
    Ok(resolved.into_bump_slice())
}

/// `expr` under the COLLATE operators of `written`.
fn collated_like<'a>(resolver: &Resolver<'a>, written: &ast::Expr<'a>, expr: Expr<'a>) -> Expr<'a> {
    match written.kind {
        ExprKind::Collate(collate) => {
            let inner = collated_like(resolver, &collate.value, expr);
            resolver.collated(inner, Coll::named(collate.collation.name))
        }
        _ => expr,
    }
}

/// ORDER BY of a compound query: every term has to be a result column, by number, by the alias it has in
/// one of the cores, or by being the same expression as in one of them.
pub(super) fn resolve_compound_order<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    select: &ast::Select<'a>,
    cores: &[Core<'a>],
    columns: &[OutputColumn<'a>],
) -> Result<&'a [OrderTerm<'a>]> {
    check_term_count(resolver, "ORDER", select.order_by.len())?;
    let mut resolved = bumpalo::collections::Vec::with_capacity_in(select.order_by.len(), resolver.arena);
    for (at, term) in select.order_by.iter().enumerate() {
        let place = |error: CompileError| error.with_offset(literal_offset(&term.expr));
        let output = match position_of(resolver, &term.expr, at, "ORDER", columns.len()).map_err(place)? {
            Some(position) => position,
            None => match compound_column(resolver, scope, select, cores, term) {
                Some(position) => position,
                None => {
                    let message = format!("{} ORDER BY term does not match any column in the result set", ordinal(at));
                    return fail(message);
                }
            },
        };
        let OutputColumn { affinity, collation, .. } = columns[output];
        let output_expr = Expr::Output(resolver.arena.alloc(Output { position: output as u16, affinity, collation }));
        let expr = collated_like(resolver, &term.expr, output_expr);
        resolved.push(order_term(term, expr, Some(output)));
    }
    Ok(resolved.into_bump_slice())
}

/// The result column that a term of a compound's ORDER BY means: the leftmost core that has it decides.
fn compound_column<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    select: &ast::Select<'a>,
    cores: &[Core<'a>],
    term: &ast::OrderTerm<'a>,
) -> Option<usize> {
    let written = std::iter::once(&select.first).chain(select.rest.iter().map(|term| &term.core));
    let name = bare_name(&term.expr);
    written.zip(cores).find_map(|(written, core)| {
        let by_alias = name.and_then(|name| alias_in_core(resolver, scope, written, name));
        by_alias.or_else(|| same_in_core(resolver, scope, written, core, term))
    })
}

/// The column of a core that has the alias `name`.
fn alias_in_core<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    core: &SelectCore<'a>,
    name: Name<'a>,
) -> Option<usize> {
    let query = match core {
        SelectCore::Query(query) => query,
        SelectCore::Values(rows) => {
            let row = rows.first()?;
            return (0..row.len()).find(|at| name.is(&format!("column{}", at + 1)));
        }
    };
    let is_plain = |column: &ast::ResultColumn<'a>| matches!(column.kind, ast::ResultColumnKind::Expr(_));
    if query.columns.iter().all(is_plain) {
        return query.columns.iter().position(|column| column.alias.is_some_and(|alias| alias.name == name));
    }
    // A star is expanded before positions are counted.
    let items =
        again(resolver, scope, query, |resolver, scope| resolve_result_columns(resolver, scope, query.columns)).ok()?;
    items.iter().position(|item| item.is_alias && item.name == name)
}

/// The column of a core that is the same expression as the term, resolved in that core.
fn same_in_core<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    written: &SelectCore<'a>,
    core: &Core<'a>,
    term: &ast::OrderTerm<'a>,
) -> Option<usize> {
    let (SelectCore::Query(query), CoreBody::Select(select)) = (written, core.body) else { return None };
    // The core is resolved anew, its sources numbered as they are in the tree, so that the expressions compare.
    let expr = again(resolver, scope, query, |resolver, scope| {
        let mut sources = scope.sources.to_vec();
        for (source, known) in sources.iter_mut().zip(select.sources) {
            source.id = known.id;
        }
        resolve_expr(resolver, &Scope { sources: &sources, ..*scope }, &term.expr)
    });
    let expr = crate::ir::skip_collate(expr.ok()?);
    // As in SQLite, COLLATE does not count on either side.
    select.columns.iter().position(|column| same(&crate::ir::skip_collate(*column), &expr))
}

/// Runs `f` in the scope of a core that is resolved a second time.
fn again<'a, T>(
    resolver: &Resolver<'a>,
    outer: &Scope<'_, 'a>,
    query: &ast::Query<'a>,
    f: impl FnOnce(&Resolver<'a>, &Scope<'_, 'a>) -> Result<T>,
) -> Result<T> {
    resolver.numbers.again(|| {
        let found = Found::default();
        let from = resolve_from(resolver, outer, query.from, &found, None)?;
        let rules = Rules { aggregates: true, windows: true, ..outer.clause_rules() };
        let scope = Scope {
            parent: Some(outer),
            sources: &from.scope,
            aliases: &[],
            rules,
            found: &found,
            windows: query.windows,
            ..*outer
        };
        f(resolver, &scope)
    })
}

/// The result column that a term of a single SELECT names by number. In a text that ALTER TABLE verifies, and in no view that the text uses,
/// a number beyond the result columns is an expression like any other.
pub(super) fn position_of_term<'a>(
    resolver: &Resolver<'a>,
    expr: &ast::Expr<'_>,
    at: usize,
    clause: &str,
    columns: usize,
) -> Result<Option<usize>> {
    let is_verified = resolver.only_names && !resolver.nesting.is_in_source_view();
    let is_beyond = |number: i64| number > columns as i64 && number <= NUMBER_MAX;
    if is_verified && integer_of(resolver, expr).is_some_and(is_beyond) {
        return Ok(None);
    }
    position_of(resolver, expr, at, clause, columns)
}

/// The result column that a term names by number. A number that no column has is an error.
fn position_of<'a>(
    resolver: &Resolver<'a>,
    expr: &ast::Expr<'_>,
    at: usize,
    clause: &str,
    columns: usize,
) -> Result<Option<usize>> {
    let Some(number) = integer_of(resolver, expr) else { return Ok(None) };
    match usize::try_from(number) {
        Ok(number) if (1..=columns).contains(&number) => Ok(Some(number - 1)),
        _ => {
            let message = format!("{} {clause} BY term out of range - should be between 1 and {columns}", ordinal(at));
            // SQLite reports an offset for a number that no query could have as a column, and none for a number that is only
            // larger than this query's columns.
            let is_placed = !(1..=NUMBER_MAX).contains(&number);
            Err(CompileError::new(message).with_offset(if is_placed { literal_offset(expr) } else { None }))
        }
    }
}

/// An integer of 31 bits that is written as a literal, perhaps with a COLLATE around its signs. Any other number, a negative
/// hexadecimal one included, is an ordinary expression.
fn integer_of<'a>(resolver: &Resolver<'a>, expr: &ast::Expr<'_>) -> Option<i64> {
    match expr.kind {
        ExprKind::Collate(collate) => integer_of(resolver, &collate.value),
        _ => signed_integer(resolver, expr),
    }
}

fn signed_integer<'a>(resolver: &Resolver<'a>, expr: &ast::Expr<'_>) -> Option<i64> {
    match expr.kind {
        ExprKind::Unary(UnaryOp::Minus, operand) => signed_integer(resolver, operand).map(|value| -value),
        ExprKind::Unary(UnaryOp::Plus, operand) => signed_integer(resolver, operand),
        ExprKind::Integer(value) => (0..=i64::from(i32::MAX)).contains(&value).then_some(value),
        // A text that ALTER TABLE changes is not simplified.
        _ if resolver.only_names => None,
        _ => expr.parsed_integer(),
    }
}

/// No query has more result columns.
const NUMBER_MAX: i64 = 0xffff;

/// Where the integer below signs and COLLATE is. One that the parser puts in the place of an expression has no place.
fn literal_offset(expr: &ast::Expr<'_>) -> Option<u32> {
    match &expr.kind {
        ExprKind::Unary(UnaryOp::Minus | UnaryOp::Plus, operand) => literal_offset(operand),
        ExprKind::Collate(collate) => literal_offset(&collate.value),
        ExprKind::Integer(_) => Some(expr.span.start),
        _ => None,
    }
}

/// The name, if the term is a bare name.
fn bare_name<'a>(expr: &ast::Expr<'a>) -> Option<Name<'a>> {
    match expr.kind {
        ExprKind::Column(name) => Some(name.name),
        ExprKind::Collate(collate) => bare_name(&collate.value),
        _ => None,
    }
}
