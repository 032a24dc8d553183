//! Resolution for CREATE statements: DEFAULT values, names in expressions.

use bumpalo::Bump;
use lithe_base::Db;
use lithe_catalog::{CompileError, Result};
use lithe_sql::ast::{self, BinaryOp, ExprKind, Name, Node, Quote, Stmt, walk_select};
use lithe_sql::{Limits, parse_statement};

use super::Resolver;
use super::expr::resolve_expr;
use super::scope::{Found, Rules, Scope};
use crate::ir::Expr;

/// Resolves a DEFAULT, which sees no names at all.
pub(super) fn resolve_default<'a>(resolver: &Resolver<'a>, text: &'a [u8]) -> Result<Expr<'a>> {
    let parsed = resolver.parse_stored_expr(text)?;
    let found = Found::default();
    let no_strings_in_double_quotes = !resolver.env.flags.has_quoted_strings_in_ddl();
    let rules = Rules { no_strings_in_double_quotes, in_default: true, is_loaded: true, ..Rules::default() };
    // A default is part of a schema, whichever that is, so only functions that a schema may call are allowed.
    let scope = Scope { rules, fixed_db: Some(Db::MAIN), ..Scope::outermost(text, &found) };
    resolve_expr(resolver, &scope, &parsed).map_err(CompileError::without_offset)
}

/// A bare name in an expression.
pub struct NameUse<'t> {
    /// The name.
    pub name: Name<'t>,
    /// Whether it stands in a comparison of row values.
    pub is_in_rows: bool,
}

/// The bare names in an expression's text, but for those in parts for which SQLite makes no code: those of an AND or OR whose truth is known,
/// and the left side of IN ().
pub fn names_in_text<'t>(arena: &'t Bump, text: &[u8], limits: &Limits) -> Vec<NameUse<'t>> {
    let select = arena.alloc_slice_copy(&[b"SELECT ", text].concat());
    let Ok(parsed) = parse_statement(select, arena, limits) else { return Vec::new() };
    let mut names = Vec::new();
    let (mut unused_until, mut rows_until) = (0, 0);
    if let Some(Stmt::Select(select)) = parsed.statement.and_then(|statement| statement.program()) {
        walk_select(select, &mut |node| {
            let Node::Expr(expr) = node else { return };
            match expr.kind {
                ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) if known_truth(expr).is_some() => {
                    unused_until = expr.span.end.max(unused_until);
                }
                ExprKind::In(set) if set.is_in_nothing() => unused_until = expr.span.end.max(unused_until),
                ExprKind::Binary(op, left, right) if op.is_comparison() && (is_row(left) || is_row(right)) => {
                    rows_until = expr.span.end.max(rows_until);
                }
                ExprKind::Column(name) if expr.span.start >= unused_until => {
                    names.push(NameUse { name: name.name, is_in_rows: expr.span.start < rows_until });
                }
                _ => {}
            }
        });
    }
    names
}

/// What SQLite knows of an expression's truth when it makes code.
fn known_truth(expr: &ast::Expr<'_>) -> Option<bool> {
    match expr.kind {
        ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
            let decides = Some(op == BinaryOp::Or);
            match (known_truth(left), known_truth(right)) {
                (left, right) if left == decides || right == decides => decides,
                (Some(_), right) => right,
                (_, _) => None,
            }
        }
        ExprKind::Column(name) if name.quote() == Quote::None && name.name.is("true") => Some(true),
        ExprKind::Column(name) if name.quote() == Quote::None && name.name.is("false") => Some(false),
        _ => expr.parsed_integer().map(|value| value != 0),
    }
}

fn is_row(expr: &ast::Expr<'_>) -> bool {
    matches!(expr.kind, ExprKind::RowValue(_))
}
