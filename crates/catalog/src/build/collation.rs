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

/// The name of a column that a term of a key gives as a string: alone, or behind one COLLATE. Behind several it is a value.
pub(super) fn name_in_string<'a>(expr: &Expr<'a>) -> Option<Name<'a>> {
    let inner = if let ExprKind::Collate(collate) = &expr.kind { &collate.value } else { expr };
    if let ExprKind::String(name) = inner.kind { Some(Name::new(name)) } else { None }
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
