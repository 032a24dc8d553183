//! Terms of ORDER BY and GROUP BY, wherever they stand.

use lithe_catalog::{Result, fail};
use lithe_sql::ast::{self, Direction, Nulls};

use super::resolve_expr;
use crate::ir::{Expr, OrderTerm, collation_of};
use crate::resolver::Resolver;
use crate::resolver::scope::Scope;

/// ORDER BY terms that are plain expressions: neither numbers nor aliases.
pub(super) fn resolve_plain_order<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    terms: &[ast::OrderTerm<'a>],
) -> Result<&'a [OrderTerm<'a>]> {
    let mut resolved = bumpalo::collections::Vec::with_capacity_in(terms.len(), resolver.arena);
    for term in terms {
        let expr = resolve_expr(resolver, scope, &term.expr)?;
        resolved.push(order_term(term, expr, None));
    }
    Ok(resolved.into_bump_slice())
}

/// SQLITE_LIMIT_COLUMN bounds the terms of a clause, too.
pub(super) fn check_term_count<'a>(resolver: &Resolver<'a>, clause: &str, count: usize) -> Result<()> {
    if count <= resolver.env.limits.columns as usize {
        return Ok(());
    }
    fail(format!("too many terms in {clause} BY clause"))
}

/// A term with its direction.
pub(super) fn order_term<'a>(term: &ast::OrderTerm<'a>, expr: Expr<'a>, output: Option<usize>) -> OrderTerm<'a> {
    let descending = term.direction == Some(Direction::Desc);
    let nulls_opposite = match term.nulls {
        None => false,
        Some(Nulls::First) => descending,
        Some(Nulls::Last) => !descending,
    };
    OrderTerm { descending, nulls_opposite, output: output.map(|at| at as u16), ..term_of(expr) }
}

/// A term in ascending order.
pub(crate) fn term_of<'a>(expr: Expr<'a>) -> OrderTerm<'a> {
    let collation = collation_of(&expr).unwrap_or_default();
    OrderTerm { expr, collation, descending: false, nulls_opposite: false, output: None }
}

/// 1st, 2nd, 3rd, 4th ... for position 0, 1, 2, 3 ...
pub(crate) fn ordinal(at: usize) -> String {
    let number = at + 1;
    let suffix = match (number % 10, number / 10 % 10) {
        (1, tens) if tens != 1 => "st",
        (2, tens) if tens != 1 => "nd",
        (3, tens) if tens != 1 => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}
