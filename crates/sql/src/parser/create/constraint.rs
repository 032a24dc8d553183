//! Constraints of columns and tables.

use bumpalo::collections::Vec as ArenaVec;

use crate::ast::{
    Check, ColumnConstraint, ColumnConstraintKind, Conflict, Expr, ExprKind, ForeignKeyAction, ForeignKeyTarget, Ident,
    Nulls, OrderTerm, Quote, Span, TableConstraint, TableConstraintKind, UnaryOp,
};
use crate::error::Result;
use crate::parser::cursor::Parser;
use crate::parser::dml::conflict_action;
use crate::parser::expr::expr;
use crate::parser::expr::order::order_term;
use crate::parser::expr::primary::{literal, string_of};
use crate::parser::names::{column_names, direction, optional_column_names};
use crate::token::TokenKind;

/// Whether a table constraint, and not a column, starts with this token.
pub(crate) fn starts_table_constraint(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, Constraint | Primary | Unique | Check | Foreign)
}

/// The constraints of a column. A name applies to all constraints up to the next name.
pub(super) fn column_constraints<'a>(
    parser: &mut Parser<'a, '_>,
    column: Ident<'a>,
) -> Result<&'a [ColumnConstraint<'a>]> {
    let mut constraints = ArenaVec::new_in(parser.arena);
    collect_column_constraints(parser, column, &mut constraints)?;
    Ok(constraints.into_bump_slice())
}

/// Appends the constraints of a column; after an error, those before it.
#[inline]
pub(crate) fn collect_column_constraints<'a>(
    parser: &mut Parser<'a, '_>,
    column: Ident<'a>,
    constraints: &mut ArenaVec<'a, ColumnConstraint<'a>>,
) -> Result<()> {
    let mut name = None;
    let mut named_at = None;
    loop {
        if parser.at(TokenKind::Constraint) {
            named_at = Some(parser.advance()?.span.start);
            name = Some(parser.name()?);
            continue;
        }
        let start = named_at.take().unwrap_or(parser.token.span.start);
        let Some(kind) = column_constraint(parser, column)? else {
            return Ok(());
        };
        constraints.push(ColumnConstraint { name, kind, span: parser.span_from(start) });
    }
}

fn column_constraint<'a>(parser: &mut Parser<'a, '_>, column: Ident<'a>) -> Result<Option<ColumnConstraintKind<'a>>> {
    let kind = match parser.token.kind {
        TokenKind::Default => default_value(parser)?,
        TokenKind::Null => {
            parser.advance()?;
            ColumnConstraintKind::Null(on_conflict(parser)?)
        }
        TokenKind::Not => {
            parser.advance()?;
            if parser.take(TokenKind::Null)? {
                ColumnConstraintKind::NotNull(on_conflict(parser)?)
            } else {
                deferrable(parser)?;
                ColumnConstraintKind::Deferrable { deferred: false }
            }
        }
        TokenKind::Deferrable => ColumnConstraintKind::Deferrable { deferred: deferrable(parser)? },
        TokenKind::Primary => column_primary_key(parser)?,
        TokenKind::Unique => {
            parser.advance()?;
            ColumnConstraintKind::Unique(on_conflict(parser)?)
        }
        TokenKind::Check => ColumnConstraintKind::Check(check(parser)?),
        TokenKind::References => ColumnConstraintKind::References(references(parser)?),
        TokenKind::Collate => {
            parser.advance()?;
            ColumnConstraintKind::Collate(parser.id_or_string()?)
        }
        TokenKind::Generated => {
            parser.advance()?;
            parser.expect_all(&[TokenKind::Always, TokenKind::As])?;
            generated(parser, column)?
        }
        TokenKind::As => {
            parser.advance()?;
            generated(parser, column)?
        }
        _ => return Ok(None),
    };
    Ok(Some(kind))
}

fn column_primary_key<'a>(parser: &mut Parser<'a, '_>) -> Result<ColumnConstraintKind<'a>> {
    parser.expect_all(&[TokenKind::Primary, TokenKind::Key])?;
    let direction = direction(parser)?;
    let conflict = on_conflict(parser)?;
    let autoincrement = parser.take(TokenKind::Autoincrement)?;
    Ok(ColumnConstraintKind::PrimaryKey { direction, conflict, autoincrement })
}

/// DEFAULT accepts a literal, with any sign, an identifier, or any expression in parentheses.
fn default_value<'a>(parser: &mut Parser<'a, '_>) -> Result<ColumnConstraintKind<'a>> {
    parser.expect(TokenKind::Default)?;
    if parser.at(TokenKind::LeftParen) {
        let (value, text) = parenthesized_expr(parser)?;
        return Ok(ColumnConstraintKind::Default(value, text));
    }
    let start = parser.token.span.start;
    let value = match parser.token.kind {
        TokenKind::Plus => {
            parser.advance()?;
            default_literal(parser)?
        }
        TokenKind::Minus => {
            parser.advance()?;
            let operand = parser.arena.alloc(default_literal(parser)?);
            parser.node(ExprKind::Unary(UnaryOp::Minus, operand), start, 1)
        }
        kind if is_literal(kind) => default_literal(parser)?,
        kind if kind.is_id() || kind == TokenKind::Indexed => {
            let ident = parser.take_ident()?;
            let is_boolean = ident.name.is("true") || ident.name.is("false");
            match ident.quote() == Quote::None && is_boolean {
                true => Expr { kind: ExprKind::Column(ident), span: ident.span(), height: 1 },
                false => string_of(ident),
            }
        }
        _ => return parser.unexpected(),
    };
    Ok(ColumnConstraintKind::Default(value, parser.span_from(start)))
}

fn default_literal<'a>(parser: &mut Parser<'a, '_>) -> Result<Expr<'a>> {
    match literal(parser)? {
        Some(kind) => Ok(Expr { kind, span: parser.previous.span, height: 1 }),
        None => parser.unexpected(),
    }
}

/// An expression in parentheses, and its text without the parentheses.
pub(super) fn parenthesized_expr<'a>(parser: &mut Parser<'a, '_>) -> Result<(Expr<'a>, Span)> {
    parser.expect(TokenKind::LeftParen)?;
    let start = parser.token.span.start;
    let expr = expr(parser)?;
    let text = parser.span_with_comments(start);
    parser.expect(TokenKind::RightParen)?;
    Ok((expr, text))
}

pub(crate) fn check<'a>(parser: &mut Parser<'a, '_>) -> Result<Check<'a>> {
    parser.expect(TokenKind::Check)?;
    let (condition, text) = parenthesized_expr(parser)?;
    Ok(Check { condition, text, conflict: None })
}

/// The parenthesis of a generated column and the word after it.
fn generated<'a>(parser: &mut Parser<'a, '_>, column: Ident<'a>) -> Result<ColumnConstraintKind<'a>> {
    let (value, text) = parenthesized_expr(parser)?;
    let mut stored = false;
    if parser.token.kind.is_id() {
        let word = parser.advance()?.span.text(parser.sql);
        stored = word.eq_ignore_ascii_case(b"stored");
        if !stored && !word.eq_ignore_ascii_case(b"virtual") {
            parser.defer(None, format!("error in generated column \"{}\"", column.name));
        }
    }
    Ok(ColumnConstraintKind::Generated { value, text, stored })
}

/// `ON CONFLICT action`, if it is next.
pub(crate) fn on_conflict(parser: &mut Parser<'_, '_>) -> Result<Option<Conflict>> {
    if !parser.take(TokenKind::On)? {
        return Ok(None);
    }
    parser.expect(TokenKind::Conflict)?;
    conflict_action(parser).map(Some)
}

/// The constraints after the columns. If the comma between two constraints is missing, the name of the first constraint applies
/// to both.
pub(super) fn table_constraints<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a [TableConstraint<'a>]> {
    let mut constraints = ArenaVec::new_in(parser.arena);
    collect_table_constraints(parser, &mut constraints)?;
    Ok(constraints.into_bump_slice())
}

/// Appends the constraints after the columns; after an error, those before it.
#[inline]
pub(crate) fn collect_table_constraints<'a>(
    parser: &mut Parser<'a, '_>,
    constraints: &mut ArenaVec<'a, TableConstraint<'a>>,
) -> Result<()> {
    let mut name = None;
    let mut named_at = None;
    loop {
        let start = named_at.take().unwrap_or(parser.token.span.start);
        let kind = match parser.token.kind {
            TokenKind::Constraint => {
                named_at = Some(parser.advance()?.span.start);
                name = Some(parser.name()?);
                None
            }
            TokenKind::Primary => Some(primary_key(parser)?),
            TokenKind::Unique => {
                parser.advance()?;
                let columns = parser.parenthesized_list(order_term)?;
                let conflict = on_conflict(parser)?;
                check_no_nulls(parser, columns);
                Some(TableConstraintKind::Unique { columns, conflict })
            }
            TokenKind::Check => {
                let mut check = check(parser)?;
                check.conflict = on_conflict(parser)?;
                Some(TableConstraintKind::Check(check))
            }
            TokenKind::Foreign => Some(foreign_key(parser)?),
            _ => return parser.unexpected(),
        };
        if let Some(kind) = kind {
            constraints.push(TableConstraint { name, kind, span: parser.span_from(start) });
        }
        if parser.take(TokenKind::Comma)? {
            (name, named_at) = (None, None);
        } else if !starts_table_constraint(parser.token.kind) {
            return Ok(());
        }
    }
}

fn primary_key<'a>(parser: &mut Parser<'a, '_>) -> Result<TableConstraintKind<'a>> {
    parser.expect_all(&[TokenKind::Primary, TokenKind::Key, TokenKind::LeftParen])?;
    let columns = parser.list(order_term)?;
    let autoincrement = parser.take(TokenKind::Autoincrement)?;
    parser.expect(TokenKind::RightParen)?;
    let conflict = on_conflict(parser)?;
    check_no_nulls(parser, columns);
    Ok(TableConstraintKind::PrimaryKey { columns, autoincrement, conflict })
}

fn foreign_key<'a>(parser: &mut Parser<'a, '_>) -> Result<TableConstraintKind<'a>> {
    parser.expect_all(&[TokenKind::Foreign, TokenKind::Key])?;
    let columns = column_names(parser)?;
    let mut target = *references(parser)?;
    if matches!(parser.token.kind, TokenKind::Not | TokenKind::Deferrable) {
        let not = parser.take(TokenKind::Not)?;
        target.deferred = deferrable(parser)? && !not;
    }
    Ok(TableConstraintKind::ForeignKey { columns, target: parser.arena.alloc(target) })
}

/// `REFERENCES table [(columns)] [ON DELETE ...] [ON UPDATE ...] [MATCH name]`
fn references<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a ForeignKeyTarget<'a>> {
    parser.expect(TokenKind::References)?;
    let mut target = ForeignKeyTarget {
        table: parser.name()?,
        columns: optional_column_names(parser)?,
        on_delete: ForeignKeyAction::NoAction,
        on_update: ForeignKeyAction::NoAction,
        deferred: false,
    };
    loop {
        if parser.take(TokenKind::Match)? {
            parser.name()?; // parsed and ignored: all keys are MATCH SIMPLE
        } else if parser.take(TokenKind::On)? {
            let event = parser.token.kind;
            match event {
                TokenKind::Delete | TokenKind::Update | TokenKind::Insert => parser.advance()?,
                _ => return parser.unexpected(),
            };
            let action = foreign_key_action(parser)?;
            match event {
                TokenKind::Delete => target.on_delete = action,
                TokenKind::Update => target.on_update = action,
                _ => {} // ON INSERT is parsed and ignored
            }
        } else {
            return Ok(parser.arena.alloc(target));
        }
    }
}

fn foreign_key_action(parser: &mut Parser<'_, '_>) -> Result<ForeignKeyAction> {
    match advance_if_action(parser)? {
        TokenKind::Cascade => Ok(ForeignKeyAction::Cascade),
        TokenKind::Restrict => Ok(ForeignKeyAction::Restrict),
        TokenKind::No => {
            parser.expect(TokenKind::Action)?;
            Ok(ForeignKeyAction::NoAction)
        }
        _ if parser.take(TokenKind::Null)? => Ok(ForeignKeyAction::SetNull),
        _ => {
            parser.expect(TokenKind::Default)?;
            Ok(ForeignKeyAction::SetDefault)
        }
    }
}

fn advance_if_action(parser: &mut Parser<'_, '_>) -> Result<TokenKind> {
    use TokenKind::*;
    match parser.token.kind {
        Cascade | Restrict | No | Set => Ok(parser.advance()?.kind),
        _ => parser.unexpected(),
    }
}

/// `DEFERRABLE [INITIALLY DEFERRED | IMMEDIATE]`: returns whether the key is deferred.
fn deferrable(parser: &mut Parser<'_, '_>) -> Result<bool> {
    parser.expect(TokenKind::Deferrable)?;
    if !parser.take(TokenKind::Initially)? {
        return Ok(false);
    }
    if parser.take(TokenKind::Deferred)? {
        return Ok(true);
    }
    parser.expect(TokenKind::Immediate)?;
    Ok(false)
}

/// Defers an error if a term of an index has NULLS FIRST or NULLS LAST.
pub(super) fn check_no_nulls(parser: &mut Parser<'_, '_>, columns: &[OrderTerm<'_>]) {
    match columns.iter().find_map(|column| column.nulls) {
        None => {}
        Some(Nulls::First) => parser.defer_if_first("unsupported use of NULLS FIRST"),
        Some(Nulls::Last) => parser.defer_if_first("unsupported use of NULLS LAST"),
    }
}

fn is_literal(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Null | Integer | Float | SeparatedNumber | String | Blob | CurrentDate | CurrentTime | CurrentTimestamp
    )
}
