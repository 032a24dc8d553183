//! Tests for NULL that SQLite answers when it resolves names: of columns that are never NULL.

use bumpalo::Bump;
use lithe_resolve::ir::{Column, Expr, Query, any};

use super::map::{Change, Map, Nested};

/// The expression with such tests answered. What is constant then is computed before all loops.
pub(crate) fn with_known_nulls<'a>(arena: &'a Bump, expr: &Expr<'a>) -> Expr<'a> {
    match any(expr, &mut |part| matches!(part, Expr::IsNull(operand, _) if is_never_null(operand))) {
        true => Map { arena, change: &mut KnownNulls }.expr(expr),
        false => *expr,
    }
}

fn is_never_null(operand: &Expr<'_>) -> bool {
    matches!(operand, Expr::Column(column) if column.is_never_null)
}

/// Answers the tests. SQLite finds out anew which columns a flattened query uses, and those tested are not among them: an index without them
/// is covering.
struct KnownNulls;

impl<'a> Change<'a> for KnownNulls {
    fn column(&mut self, _: &'a Column<'a>) -> Option<Expr<'a>> {
        None
    }

    fn null_test(&mut self, operand: &Expr<'a>, not: bool) -> Option<Expr<'a>> {
        is_never_null(operand).then_some(Expr::Integer(i64::from(not)))
    }

    fn query(&mut self, _: &'a Query<'a>) -> Nested<'a> {
        Nested::Whole(None)
    }
}
