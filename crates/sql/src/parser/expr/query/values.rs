//! VALUES.
//!
//! SQLite creates a SELECT for each row, but streams constant rows if there was no WITH clause before: all streamed rows, and the
//! row before the first of them, are one SELECT then. If rows of different widths are streamed, the parser reports the error, so
//! that a view or trigger with such rows cannot be created; otherwise the resolver reports it.

use bumpalo::collections::Vec as ArenaVec;

use super::Term;
use crate::ast::{BinaryOp, Expr, ExprKind, InSet, LikeOp, SelectCore, SelectNumber};
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
    let mut selects = RowSelects { number: parser.number_select(), count: 1, is_streaming: false };
    let rows: &'a [Row<'a>] = if parser.at(TokenKind::Comma) {
        let mut rows = ArenaVec::new_in(parser.arena);
        rows.push(first);
        let mut before = first;
        while parser.take(TokenKind::Comma)? {
            // In so many rows, unused space adds up.
            let row = parser.parenthesized_list_of(first.len(), expr)?;
            height = height.max(tallest(row));
            selects.add(parser, before, row);
            rows.push(row);
            before = row;
        }
        rows.into_bump_slice()
    } else {
        std::slice::from_ref(parser.arena.alloc(first))
    };
    let RowSelects { number, count, .. } = selects;
    Ok(Term { core: SelectCore::Values(rows), number, is_compound: count > 1, order_by: &[], limit: None, height })
}

/// The SELECTs of the rows so far.
struct RowSelects {
    /// The number of the last SELECT.
    number: SelectNumber,
    count: u32,
    /// Whether the last SELECT streams its rows.
    is_streaming: bool,
}

impl RowSelects {
    /// Adds `row`, which follows `before`.
    fn add<'a>(&mut self, parser: &mut Parser<'a, '_>, before: Row<'a>, row: Row<'a>) {
        let is_constant = |row: Row<'a>| row.iter().all(is_constant);
        let may_begin = || {
            !parser.with_seen
                && !parser.limits.loading_schema
                && is_constant(before)
                && !before.iter().any(has_affinity)
        };
        if !is_constant(row) || !self.is_streaming && !may_begin() {
            self.number = parser.number_select();
            self.count += 1;
            self.is_streaming = false;
            return;
        }
        if !self.is_streaming {
            // The new SELECT replaces the SELECT of the row before.
            self.number = parser.number_select();
            self.is_streaming = true;
        }
        if row.len() != before.len() {
            parser.defer(None, "all VALUES must have the same number of terms");
        }
    }
}

fn has_affinity(expr: &Expr<'_>) -> bool {
    match expr.kind {
        ExprKind::Cast(_) => true,
        ExprKind::Collate(collate) => has_affinity(&collate.value),
        ExprKind::RowValue(values) => values.first().is_some_and(has_affinity),
        _ => false,
    }
}

/// Whether SQLite's parser takes the value for constant, with SQLite's exceptions. The depth of the recursion is limited by the
/// height of the tree.
fn is_constant(expr: &Expr<'_>) -> bool {
    let all = |exprs: &[Expr<'_>]| exprs.iter().all(is_constant);
    let option = |expr: &Option<Expr<'_>>| expr.as_ref().is_none_or(is_constant);
    match expr.kind {
        ExprKind::Column(ident) => ident.name.is("true") || ident.name.is("false"),
        // SQLite knows which functions are deterministic; this parser does not.
        ExprKind::Function(_) => false,
        ExprKind::QualifiedColumn(_) | ExprKind::Exists(_) | ExprKind::Subquery(_) | ExprKind::Raise(_) => false,
        ExprKind::Unary(_, operand) => is_constant(operand),
        ExprKind::Binary(BinaryOp::Is | BinaryOp::IsNot, ..) => false,
        ExprKind::Binary(_, left, right) => is_constant(left) && is_constant(right),
        // There is no glob() with three arguments, and no built-in match() or regexp() that is deterministic.
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
