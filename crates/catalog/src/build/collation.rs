//! COLLATE in definitions.

use lithe_sql::ast::{Expr, ExprKind, Name};

use super::BuildOptions;
use crate::CollationName;
use crate::error::{CompileError, Result};

/// The expression below a COLLATE, and the collation's name.
pub fn split_collation<'e, 'a>(expr: &'e Expr<'a>) -> (&'e Expr<'a>, Option<Name<'a>>) {
    let mut inner = expr;
    let mut outermost = None;
    while let ExprKind::Collate(collate) = &inner.kind {
        outermost = outermost.or(Some(collate.collation.name));
        inner = &collate.value;
    }
    (inner, outermost)
}

/// "no such collation sequence: x".
pub(super) fn check_collation(collation: &CollationName, options: &BuildOptions<'_>) -> Result<()> {
    let is_known =
        collation.builtin().is_some() || options.names.is_none_or(|names| names.has_collation(collation.name()));
    if is_known {
        return Ok(());
    }
    Err(CompileError::no_such_collation(collation.name()))
}
