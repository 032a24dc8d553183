//! VALUES.
//!
//! Rows of different widths are an error that belongs to the resolver, but SQLite finds it while parsing where it
//! streams the rows: as long as they are constant, and no WITH came before. Then even a view or
//! trigger made of such rows is refused.

use bumpalo::collections::Vec as ArenaVec;

use super::Term;
use crate::ast::{BinaryOp, Expr, ExprKind, InSet, LikeOp, SelectCore};
use crate::error::Result;
use crate::parser::cursor::Parser;
use crate::parser::expr::{expr, tallest};
use crate::token::TokenKind;

type Row<'a> = &'a [Expr<'a>];

/// `VALUES ( expr, ... ), ...`
pub(super) fn values<'a>(parser: &mut Parser<'a, '_>) -> Result<Term<'a>> {
    parser.expect(TokenKind::Values)?;
    let first = parser.parenthesized_list(expr)?;
    let mut height = tallest(first);
    let rows: &'a [Row<'a>] = if parser.at(TokenKind::Comma) {
        let mut rows = ArenaVec::new_in(parser.arena);
        rows.push(first);
        while parser.take(TokenKind::Comma)? {
            let row = parser.parenthesized_list(expr)?;
            height = height.max(tallest(row));
            rows.push(row);
            if row.len() != first.len() && streams(parser, &rows) {
                parser.defer(None, "all VALUES must have the same number of terms");
            }
        }
        rows.into_bump_slice()
    } else {
        std::slice::from_ref(parser.arena.alloc(first))
    };
    Ok(Term { core: SelectCore::Values(rows), order_by: &[], limit: None, height })
}

/// Whether SQLite would not keep these rows, but pass each on as it comes.
fn streams<'a>(parser: &Parser<'a, '_>, rows: &[Row<'a>]) -> bool {
    !parser.with_seen
        && !parser.limits.loading_schema
        && rows.first().is_some_and(|row| !row.iter().any(has_affinity))
        && rows.iter().all(|row| row.iter().all(is_constant))
}

fn has_affinity(expr: &Expr<'_>) -> bool {
    match expr.kind {
        ExprKind::Cast(_) => true,
        ExprKind::Collate(collate) => has_affinity(&collate.value),
        ExprKind::RowValue(values) => values.first().is_some_and(has_affinity),
        _ => false,
    }
}

/// Whether SQLite takes the value for constant while it parses; the exceptions are its own. The recursion is bounded by the height of the tree.
fn is_constant(expr: &Expr<'_>) -> bool {
    let all = |exprs: &[Expr<'_>]| exprs.iter().all(is_constant);
    let option = |expr: &Option<Expr<'_>>| expr.as_ref().is_none_or(is_constant);
    match expr.kind {
        ExprKind::Column(ident) => ident.name.is("true") || ident.name.is("false"),
        // SQLite knows which functions are deterministic; a parser does not.
        ExprKind::Function(_) => false,
        ExprKind::QualifiedColumn(_) | ExprKind::Exists(_) | ExprKind::Subquery(_) | ExprKind::Raise(_) => false,
        ExprKind::Unary(_, operand) => is_constant(operand),
        ExprKind::Binary(BinaryOp::Is | BinaryOp::IsNot, ..) => false,
        ExprKind::Binary(_, left, right) => is_constant(left) && is_constant(right),
        // There is no glob() of three arguments, nor a built-in match() or regexp() that is deterministic.
        ExprKind::Like(like) if like.op != LikeOp::Like && (like.op != LikeOp::Glob || like.escape.is_some()) => false,
        ExprKind::Like(like) => is_constant(&like.value) && is_constant(&like.pattern) && option(&like.escape),
        ExprKind::Between(b) => is_constant(&b.value) && is_constant(&b.low) && is_constant(&b.high),
        ExprKind::In(node) => match node.set {
            InSet::List(items) => is_constant(&node.value) && all(items),
            InSet::Select(_) | InSet::Table(..) => false,
        },
        ExprKind::Case(case) => {
            let branch = |when: &crate::ast::When<'_>| is_constant(&when.condition) && is_constant(&when.value);
            option(&case.operand) && case.whens.iter().all(branch) && option(&case.otherwise)
        }
        ExprKind::Cast(cast) => is_constant(&cast.value),
        ExprKind::Collate(collate) => is_constant(&collate.value),
        ExprKind::RowValue(values) => all(values),
        _ => true,
    }
}
