//! Expressions.

mod compare;
pub(super) mod function;
mod name;
pub(super) mod query;
pub(super) mod terms;
mod window;

use lithe_catalog::{CompileError, ErrorKind, Result};
use lithe_sql::ast::{self, BinaryOp as Op, ExprKind, Name, Quote, Span, UnaryOp as Prefix};
use lithe_sql::text::is_smallest_integer;
use lithe_value::Affinity;

use super::Resolver;
use super::scope::{Scope, Stored};
use crate::ir::{BinaryOp, Coll, Column, CompareOp, Expr, Parameter, Raise, Subquery, TruthTest, UnaryOp};
use compare::{resolve_between, resolve_case, resolve_comparison, resolve_in};
use function::{callable_function, current_time, operator_call, resolve_function, resolve_like};
use name::resolve_column;
use query::{as_returned, as_value, resolve_query};

/// Resolves an expression that has to be a single value.
pub(super) fn resolve_expr<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    expr: &ast::Expr<'a>,
) -> Result<Expr<'a>> {
    match resolve_item(resolver, scope, expr) {
        Ok(Expr::Row(_)) if !resolver.only_names => Err(CompileError::new("row value misused").resumable()),
        Err(error) if resolver.is_lenient.get() && error.kind != ErrorKind::Join => Ok(Expr::Null),
        value => value,
    }
}

/// Resolves an item of a row value: a single value, or a row value, for which there is code only where it is compared.
fn resolve_item<'a>(resolver: &Resolver<'a>, scope: &Scope<'_, 'a>, expr: &ast::Expr<'a>) -> Result<Expr<'a>> {
    match resolve_expr_or_row(resolver, scope, expr)? {
        Expr::Subquery(Subquery { query, .. }) if query.columns.len() != 1 && !resolver.only_names => {
            Err(sub_select_width(query.columns.len(), 1).resumable())
        }
        value => Ok(value),
    }
}

/// As [`resolve_expr`], into the arena.
fn resolve_boxed<'a>(resolver: &Resolver<'a>, scope: &Scope<'_, 'a>, expr: &ast::Expr<'a>) -> Result<&'a Expr<'a>> {
    Ok(resolver.alloc(resolve_expr(resolver, scope, expr)?))
}

/// Resolves a list of single values.
pub(super) fn resolve_exprs<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    exprs: &[ast::Expr<'a>],
) -> Result<&'a [Expr<'a>]> {
    let mut resolved = bumpalo::collections::Vec::with_capacity_in(exprs.len(), resolver.arena);
    for (at, expr) in exprs.iter().enumerate() {
        resolved.push(or_later_error(resolver, resolve_expr(resolver, scope, expr), scope, exprs.iter().skip(at + 1))?);
    }
    Ok(resolved.into_bump_slice())
}

/// As [`resolve_exprs`], of expressions that are no part of another one: the first error ends the resolution.
pub(super) fn resolve_each<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    exprs: &[ast::Expr<'a>],
) -> Result<&'a [Expr<'a>]> {
    let mut resolved = bumpalo::collections::Vec::with_capacity_in(exprs.len(), resolver.arena);
    for expr in exprs {
        resolved.push(match expr.kind {
            // Of lists of many rows most are these.
            ExprKind::Null => Expr::Null,
            ExprKind::Integer(value) => Expr::Integer(value),
            ExprKind::String(text) => Expr::Text(text),
            _ => resolve_expr(resolver, scope, expr)?,
        });
    }
    Ok(resolved.into_bump_slice())
}

/// `first`, or instead of its error a later one. Behind a resumable error SQLite resolves the rest of the expression, that is, names,
/// calls and queries up to the first other operand, and reports the last error.
pub(super) fn or_later_error<'a, 'e, T>(
    resolver: &Resolver<'a>,
    first: Result<T>,
    scope: &Scope<'_, 'a>,
    rest: impl IntoIterator<Item = &'e ast::Expr<'a>>,
) -> Result<T>
where
    'a: 'e,
{
    let mut error = match first {
        Err(error) if error.is_resumable => error,
        first => return first,
    };
    for expr in rest {
        if !find_later_error(resolver, scope, expr, &mut error) {
            error = error.not_resumable();
            break;
        }
    }
    Err(error)
}

/// Resolves an expression after `error`, which an error in the expression replaces. Returns whether the search continues after the
/// expression.
pub(super) fn find_later_error<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    expr: &ast::Expr<'a>,
    error: &mut CompileError,
) -> bool {
    if let Some(operand) = null_tested(expr) {
        find_later_error(resolver, scope, operand, error);
        return true;
    }
    match expr.kind {
        ExprKind::Subquery(select) | ExprKind::Exists(select) => {
            find_error_in_query(resolver, scope, select, error);
            return false;
        }
        ExprKind::Binary(Op::Arrow | Op::DoubleArrow, left, right) => {
            let mut args = [left, right].into_iter().take_while(|arg| is_searched(arg));
            args.all(|arg| find_later_error(resolver, scope, arg, error));
            return true;
        }
        ExprKind::Binary(Op::Is | Op::IsNot, left, right) if let Some((word, _)) = word(right) => {
            // The word is looked up, because it may be TRUE or FALSE. Of a test of truth, the operand is resolved as well.
            let tests_truth = matches!(resolve_expr(resolver, scope, word), Ok(Expr::Boolean(_)));
            find_later_error(resolver, scope, if tests_truth { left } else { word }, error);
            return false;
        }
        _ => {}
    }
    if let ExprKind::Like(like) = expr.kind
        && !like.not
    {
        let args = [Some(&like.pattern), Some(&like.value), like.escape.as_ref()].into_iter().flatten();
        args.take_while(|arg| is_searched(arg)).all(|arg| find_later_error(resolver, scope, arg, error));
        return true;
    }
    if let ExprKind::Function(call) = &expr.kind
        && let Some(end) = call.args.iter().position(|arg| !is_searched(arg))
    {
        // The search ends within the arguments, and continues behind the call.
        if let Err(found) = callable_function(resolver, scope, call, expr.span)
            && !resolver.looks_up_no_functions()
        {
            *error = found;
        }
        call.args[..end].iter().all(|arg| find_later_error(resolver, scope, arg, error));
        return true;
    }
    if !is_searched(expr) {
        return false;
    }
    match resolve_expr_or_row(resolver, scope, expr) {
        Ok(_) => true,
        Err(found) => {
            *error = found;
            error.is_resumable
        }
    }
}

/// The same for a query: its sources are resolved, and its first result column.
fn find_error_in_query<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    select: &ast::Select<'a>,
    error: &mut CompileError,
) {
    let Err(found) = resolve_subquery(resolver, scope, select) else { return };
    let core = select.rest.last().map_or(&select.first, |term| &term.core);
    let (first, from): (Option<&ast::Expr<'a>>, &[ast::FromItem<'a>]) = match core {
        ast::SelectCore::Values(rows) => (rows.last().and_then(|row| row.first()), &[]),
        ast::SelectCore::Query(query) => {
            let first = query.columns.first().and_then(|column| match &column.kind {
                ast::ResultColumnKind::Expr(expr) => Some(expr),
                _ => None,
            });
            (first, query.from)
        }
    };
    let is_in = |span: Span| found.offset.is_some_and(|at| (span.start..span.end).contains(&at));
    let is_found = first.is_some_and(|first| is_searched(first) && is_in(first.span))
        || from.iter().any(|item| matches!(item.source, ast::Source::Subquery(_)) && is_in(item.span));
    if found.is_no_such_table() || is_found {
        *error = found;
    } else if scope.with.is_none()
        && let Some(missing) = query::sources::error_of_sources(resolver, scope, select)
    {
        *error = missing;
    }
}

/// Whether SQLite resolves the expression behind an error.
fn is_searched(expr: &ast::Expr<'_>) -> bool {
    match expr.kind {
        ExprKind::Like(like) => !like.not,
        ExprKind::Column(_)
        | ExprKind::QualifiedColumn(_)
        | ExprKind::Function(_)
        | ExprKind::Current(_)
        | ExprKind::Binary(Op::Arrow | Op::DoubleArrow, ..)
        | ExprKind::Exists(_)
        | ExprKind::Subquery(_) => true,
        _ => null_tested(expr).is_some(),
    }
}

/// The operand of IS NULL or IS NOT NULL.
fn null_tested<'e, 'a>(expr: &'e ast::Expr<'a>) -> Option<&'e ast::Expr<'a>> {
    match expr.kind {
        ExprKind::Unary(Prefix::IsNull | Prefix::NotNull, operand) => Some(operand),
        ExprKind::Binary(Op::Is | Op::IsNot, operand, right) => matches!(right.kind, ExprKind::Null).then_some(operand),
        _ => None,
    }
}

/// Both operands of an operator, single values, into the arena.
fn operands<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    left: &ast::Expr<'a>,
    right: &ast::Expr<'a>,
) -> Result<(&'a Expr<'a>, &'a Expr<'a>)> {
    let left = or_later_error(resolver, resolve_boxed(resolver, scope, left), scope, [right])?;
    Ok((left, resolve_boxed(resolver, scope, right)?))
}

/// Resolves an expression; it may be a row value, or a subquery of several columns.
pub(super) fn resolve_expr_or_row<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    expr: &ast::Expr<'a>,
) -> Result<Expr<'a>> {
    Ok(match expr.kind {
        ExprKind::Null => Expr::Null,
        ExprKind::Integer(value) => Expr::Integer(value),
        ExprKind::Float(digits) => Expr::Real(real(digits)),
        ExprKind::HexTooBig(digits) => return Err(hex_too_big("", digits, expr.span)),
        ExprKind::String(text) => Expr::Text(text),
        ExprKind::Blob(bytes) => Expr::Blob(bytes),
        ExprKind::Parameter(number) => resolve_parameter(resolver, scope, number)?,
        ExprKind::Current(time) => current_time(resolver, time)?,
        ExprKind::Column(name) => resolve_column(resolver, scope, name.into())?,
        ExprKind::QualifiedColumn(name) => resolve_qualified_column(resolver, scope, name)?,
        ExprKind::Unary(op, operand) => resolve_unary(resolver, scope, op, operand)?,
        ExprKind::Binary(op, left, right) => resolve_binary(resolver, scope, op, left, right, expr.span)?,
        ExprKind::Like(like) => resolve_like(resolver, scope, like)?,
        ExprKind::Between(between) => resolve_between(resolver, scope, between)?,
        ExprKind::In(set) => resolve_in(resolver, scope, set)?,
        ExprKind::Case(case) => resolve_case(resolver, scope, case)?,
        ExprKind::Cast(cast) => {
            Expr::Cast(resolve_boxed(resolver, scope, &cast.value)?, Affinity::of_cast(cast.type_name))
        }
        ExprKind::Collate(collate) => resolve_collate(resolver, scope, collate)?,
        ExprKind::Function(call) => resolve_function(resolver, scope, call, expr.span)?,
        ExprKind::Exists(select) => {
            let subquery = resolve_subquery(resolver, scope, select)?;
            let query = subquery.query.of_any_row(resolver.arena);
            Expr::Exists(resolver.arena.alloc(Subquery { query, ..*subquery }))
        }
        ExprKind::Subquery(select) => Expr::Subquery(resolve_subquery(resolver, scope, select)?),
        ExprKind::RowValue(items) => resolve_row(resolver, scope, items)?,
        ExprKind::Raise(raise) => resolve_raise(resolver, scope, raise)?,
    })
}

fn resolve_parameter<'a>(resolver: &Resolver<'a>, scope: &Scope<'_, 'a>, number: u32) -> Result<Expr<'a>> {
    match scope.rules.stored {
        Some(clause) => Err(prohibited("parameters", clause)),
        // CREATE TRIGGER refuses parameters; in a trigger that was written into the schema table by hand they are NULL.
        None if scope.rules.raise => Ok(Expr::Null),
        None => Ok(Expr::Parameter(Parameter { number, planned: &resolver.env.planned_parameters })),
    }
}

fn resolve_qualified_column<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    name: &ast::QualifiedColumn<'a>,
) -> Result<Expr<'a>> {
    use Stored;
    if let Some(clause @ (Stored::Index | Stored::Generated)) = scope.rules.stored {
        return Err(prohibited("the \".\" operator", clause));
    }
    resolve_column(resolver, scope, name.into())
}

fn resolve_unary<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    op: Prefix,
    operand: &ast::Expr<'a>,
) -> Result<Expr<'a>> {
    let negated = match (op, operand.kind) {
        (Prefix::Minus, ExprKind::Integer(value)) if value != i64::MIN => Some(Expr::Integer(-value)),
        (Prefix::Minus, ExprKind::HexTooBig(digits)) => return Err(hex_too_big("-", digits, operand.span)),
        (Prefix::Minus, ExprKind::Float(digits)) if is_smallest_integer(digits) => Some(Expr::Integer(i64::MIN)),
        (Prefix::Minus, ExprKind::Float(digits)) => Some(Expr::Real(-real(digits))),
        _ => None,
    };
    if let Some(literal) = negated {
        return Ok(literal);
    }
    let value = resolve_boxed(resolver, scope, operand);
    let value = match op {
        Prefix::IsNull | Prefix::NotNull => value.map_err(CompileError::resumable)?,
        _ => value?,
    };
    Ok(match op {
        Prefix::Minus => Expr::Unary(UnaryOp::Negate, value),
        Prefix::Plus => Expr::Unary(UnaryOp::Plus, value),
        Prefix::BitNot => Expr::Unary(UnaryOp::BitNot, value),
        Prefix::Not => Expr::Unary(UnaryOp::Not, value),
        Prefix::IsNull => Expr::IsNull(tested_for_null(resolver, scope, value), false),
        Prefix::NotNull => Expr::IsNull(tested_for_null(resolver, scope, value), true),
    })
}

/// The operand of IS NULL, which records whether SQLite answers the question while it resolves names.
fn tested_for_null<'a>(resolver: &Resolver<'a>, scope: &Scope<'_, 'a>, value: &'a Expr<'a>) -> &'a Expr<'a> {
    match value {
        Expr::Column(column) if scope.knows_null(column) => {
            resolver.arena.alloc(resolver.source_column(Column { is_never_null: true, ..**column }))
        }
        _ => value,
    }
}

/// The operands of AND or OR. SQLite does not know of a number with separators, such as 1_000, whether it is true, so that the other operand
/// is computed.
fn conditions<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    left: &ast::Expr<'a>,
    right: &ast::Expr<'a>,
) -> Result<(&'a Expr<'a>, &'a Expr<'a>)> {
    let (of_left, of_right) = operands(resolver, scope, left, right)?;
    let condition = |written: &ast::Expr<'a>, resolved: &'a Expr<'a>| {
        let is_separated = || written.span.text(scope.text).contains(&b'_');
        match written.kind {
            ExprKind::Integer(_) if is_separated() => &*resolver.arena.alloc(Expr::Unary(UnaryOp::Plus, resolved)),
            _ => resolved,
        }
    };
    Ok((condition(left, of_left), condition(right, of_right)))
}

fn resolve_binary<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    op: Op,
    left: &ast::Expr<'a>,
    right: &ast::Expr<'a>,
    span: Span,
) -> Result<Expr<'a>> {
    if let Some(op) = arithmetic(op) {
        let (left, right) = operands(resolver, scope, left, right)?;
        return Ok(Expr::Binary(op, left, right));
    }
    match op {
        Op::And if resolver.folds_conditions() && ast::is_folded_to_zero(left, right) => Ok(Expr::Integer(0)),
        Op::And => conditions(resolver, scope, left, right).map(|(left, right)| Expr::And(left, right)),
        Op::Or => conditions(resolver, scope, left, right).map(|(left, right)| Expr::Or(left, right)),
        Op::Arrow => operator_call(resolver, scope, "->", &[left, right], span),
        Op::DoubleArrow => operator_call(resolver, scope, "->>", &[left, right], span),
        Op::Is | Op::IsNot if !scope.rules.in_default && is_empty_in(right).is_some() => {
            // `y IN ()` is FALSE, and IS FALSE a test of truth.
            let truth = is_empty_in(right).unwrap_or_default();
            resolve_expr(resolver, scope, right)?;
            Ok(Expr::IsTrue(resolve_boxed(resolver, scope, left)?, TruthTest::new(op == Op::IsNot, truth)))
        }
        Op::Is | Op::IsNot if !scope.rules.in_default && is_truth(right).is_some() => {
            truth_test(resolver, scope, op == Op::IsNot, left, right)
        }
        Op::Is | Op::IsNot if matches!(right.kind, ExprKind::Null) => {
            let value = resolve_boxed(resolver, scope, left).map_err(CompileError::resumable)?;
            Ok(Expr::IsNull(tested_for_null(resolver, scope, value), op == Op::IsNot))
        }
        Op::Is | Op::IsNot if !scope.rules.in_default && word(right).is_some() => {
            // SQLite looks up the word first, because it may be TRUE or FALSE.
            let compared = resolve_comparison(resolver, scope, comparison(op), left, right);
            compared.map_err(|error| resolve_expr(resolver, scope, right).err().unwrap_or(error))
        }
        _ => resolve_comparison(resolver, scope, comparison(op), left, right),
    }
}

/// `x IS TRUE`, unless there is a column named TRUE.
fn truth_test<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    not: bool,
    left: &ast::Expr<'a>,
    right: &ast::Expr<'a>,
) -> Result<Expr<'a>> {
    let truth = resolve_expr(resolver, scope, right)?;
    match (crate::ir::skip_collate(truth), is_truth(right)) {
        (Expr::Boolean(_), Some(truth)) => {
            Ok(Expr::IsTrue(resolve_boxed(resolver, scope, left)?, TruthTest::new(not, truth)))
        }
        _ => resolve_comparison(resolver, scope, if not { CompareOp::IsNot } else { CompareOp::Is }, left, right),
    }
}

fn resolve_collate<'a>(resolver: &Resolver<'a>, scope: &Scope<'_, 'a>, collate: &ast::Collate<'a>) -> Result<Expr<'a>> {
    let value = resolve_expr_or_row(resolver, scope, &collate.value)?;
    Ok(resolver.collated(value, Coll::named(collate.collation.name)))
}

fn resolve_row<'a>(resolver: &Resolver<'a>, scope: &Scope<'_, 'a>, items: &[ast::Expr<'a>]) -> Result<Expr<'a>> {
    let mut resolved = bumpalo::collections::Vec::with_capacity_in(items.len(), resolver.arena);
    for (at, item) in items.iter().enumerate() {
        resolved.push(or_later_error(resolver, resolve_item(resolver, scope, item), scope, items.iter().skip(at + 1))?);
    }
    Ok(Expr::Row(resolved.into_bump_slice()))
}

/// A query within an expression.
pub(super) fn resolve_subquery<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    select: &ast::Select<'a>,
) -> Result<&'a Subquery<'a>> {
    if let Some(clause) = scope.rules.stored {
        return Err(prohibited("subqueries", clause));
    }
    resolver.checks.expect_query_in_expr();
    let query = resolve_query(resolver, scope, select).map_err(CompileError::not_resumable)?;
    query.outer.iter().for_each(|&source| scope.note_use(source));
    let query = as_returned(resolver, as_value(resolver, query));
    Ok(resolver.arena.alloc(Subquery { id: resolver.new_subquery(), query }))
}

fn resolve_raise<'a>(resolver: &Resolver<'a>, scope: &Scope<'_, 'a>, raise: &ast::Raise<'a>) -> Result<Expr<'a>> {
    let message = raise.message.as_ref().map(|message| resolve_expr(resolver, scope, message)).transpose()?;
    resolver.has_calls.set(true);
    Ok(Expr::Raise(resolver.arena.alloc(Raise { action: raise.action, message, is_allowed: scope.rules.raise })))
}

/// "x prohibited in y".
pub(super) fn prohibited(what: &str, clause: Stored) -> CompileError {
    CompileError::new(format!("{what} prohibited in {}", clause.clause()))
}

/// "sub-select returns 2 columns - expected 1"
pub(super) fn sub_select_width(width: usize, expected: usize) -> CompileError {
    CompileError::new(format!("sub-select returns {width} columns - expected {expected}"))
}

fn hex_too_big(sign: &str, digits: &[u8], place: ast::Span) -> CompileError {
    CompileError::at(place, format!("hex literal too big: {sign}{}", String::from_utf8_lossy(digits)))
}

/// The value of a number that is no integer.
fn real(digits: &[u8]) -> f64 {
    lithe_value::number::text_to_real(digits)
}

/// The word that an operand of IS is, if it is nothing else and not quoted, and its name; it may have a collation.
fn word<'e, 'a>(expr: &'e ast::Expr<'a>) -> Option<(&'e ast::Expr<'a>, Name<'a>)> {
    match &expr.kind {
        ExprKind::Collate(collate) => word(&collate.value),
        ExprKind::Column(name) if name.quote() == Quote::None => Some((expr, name.name)),
        _ => None,
    }
}

/// Whether an operand of IS is the word TRUE or FALSE, perhaps with a collation.
fn is_truth(expr: &ast::Expr<'_>) -> Option<bool> {
    match word(expr)?.1 {
        name if name.is("true") => Some(true),
        name if name.is("false") => Some(false),
        _ => None,
    }
}

/// The constant value of `y IN ()` and `y NOT IN ()`, for which SQLite's parser puts FALSE and TRUE unless y calls a function.
fn is_empty_in(expr: &ast::Expr<'_>) -> Option<bool> {
    match expr.kind {
        ExprKind::In(set) if set.is_in_nothing() => Some(set.not),
        _ => None,
    }
}

fn arithmetic(op: Op) -> Option<BinaryOp> {
    Some(match op {
        Op::Add => BinaryOp::Add,
        Op::Subtract => BinaryOp::Subtract,
        Op::Multiply => BinaryOp::Multiply,
        Op::Divide => BinaryOp::Divide,
        Op::Modulo => BinaryOp::Modulo,
        Op::Concat => BinaryOp::Concat,
        Op::BitAnd => BinaryOp::BitAnd,
        Op::BitOr => BinaryOp::BitOr,
        Op::ShiftLeft => BinaryOp::ShiftLeft,
        Op::ShiftRight => BinaryOp::ShiftRight,
        _ => return None,
    })
}

fn comparison(op: Op) -> CompareOp {
    match op {
        Op::Ne => CompareOp::Ne,
        Op::Is => CompareOp::Is,
        Op::IsNot => CompareOp::IsNot,
        Op::Lt => CompareOp::Lt,
        Op::Le => CompareOp::Le,
        Op::Gt => CompareOp::Gt,
        Op::Ge => CompareOp::Ge,
        _ => CompareOp::Eq,
    }
}
