//! DROP, PRAGMA, transactions, ATTACH, VACUUM, ANALYZE, REINDEX.

use super::cursor::Parser;
use super::expr::expr;
use super::names::signed_number;
use crate::ast::{
    Attach, Command, Drop, Expr, ExprKind, ObjectKind, Pragma, QualifiedName, Stmt, TransactionKind, Vacuum,
};
use crate::error::Result;
use crate::parser::expr::primary::string_of;
use crate::text::unquote;
use crate::token::TokenKind;

pub(super) fn drop_object<'a>(parser: &mut Parser<'a, '_>) -> Result<Stmt<'a>> {
    parser.expect(TokenKind::Drop)?;
    let kind = match parser.token.kind {
        TokenKind::Table => ObjectKind::Table,
        TokenKind::Index => ObjectKind::Index,
        TokenKind::View => ObjectKind::View,
        TokenKind::Trigger => ObjectKind::Trigger,
        _ => return parser.unexpected(),
    };
    parser.advance()?;
    let if_exists = parser.take(TokenKind::If)?;
    if if_exists {
        parser.expect(TokenKind::Exists)?;
    }
    let name = parser.qualified_name()?;
    Ok(Stmt::Drop(parser.arena.alloc(Drop { kind, if_exists, name })))
}

pub(super) fn pragma<'a>(parser: &mut Parser<'a, '_>) -> Result<Command<'a>> {
    parser.expect(TokenKind::Pragma)?;
    let name = parser.qualified_name()?;
    let mut is_quoted = false;
    let value = if parser.take(TokenKind::Equal)? {
        is_quoted = at_quote(parser);
        Some(pragma_value(parser)?)
    } else if parser.take(TokenKind::LeftParen)? {
        is_quoted = at_quote(parser);
        let value = pragma_value(parser)?;
        parser.expect(TokenKind::RightParen)?;
        Some(value)
    } else {
        None
    };
    Ok(Command::Pragma(parser.arena.alloc(Pragma { name, value, is_quoted })))
}

/// Whether the next token is a name or string in quotes.
fn at_quote(parser: &Parser<'_, '_>) -> bool {
    parser.token.span.text(parser.sql).first().is_some_and(|first| b"'\"[`".contains(first))
}

fn pragma_value<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a [u8]> {
    match parser.token.kind {
        TokenKind::On | TokenKind::Delete | TokenKind::Default => Ok(parser.advance()?.span.text(parser.sql)),
        kind if kind.is_name() => {
            let text = parser.advance()?.span.text(parser.sql);
            Ok(unquote(text, parser.arena))
        }
        TokenKind::Minus => {
            let span = signed_number(parser)?;
            // The text may contain space after the sign, the value may not.
            let digits = parser.previous.span.text(parser.sql);
            let compact = span.text(parser.sql).len() == digits.len() + 1;
            Ok(match compact {
                true => span.text(parser.sql),
                false => {
                    let bytes = std::iter::once(b'-').chain(digits.iter().copied());
                    bumpalo::collections::Vec::from_iter_in(bytes, parser.arena).into_bump_slice()
                }
            })
        }
        _ => Ok(signed_number(parser)?.text(parser.sql)),
    }
}

pub(super) fn begin<'a>(parser: &mut Parser<'a, '_>) -> Result<Command<'a>> {
    parser.expect(TokenKind::Begin)?;
    let kind = match parser.token.kind {
        TokenKind::Deferred => Some(TransactionKind::Deferred),
        TokenKind::Immediate => Some(TransactionKind::Immediate),
        TokenKind::Exclusive => Some(TransactionKind::Exclusive),
        // No keyword of SQLite's, so it stays a name everywhere else.
        kind if kind.is_name() && parser.token.span.text(parser.sql).eq_ignore_ascii_case(b"concurrent") => {
            Some(TransactionKind::Concurrent)
        }
        _ => None,
    };
    if kind.is_some() {
        parser.advance()?;
    }
    transaction_word(parser)?;
    Ok(Command::Begin(kind.unwrap_or(TransactionKind::Deferred)))
}

pub(super) fn commit<'a>(parser: &mut Parser<'a, '_>) -> Result<Command<'a>> {
    parser.advance()?;
    transaction_word(parser)?;
    Ok(Command::Commit)
}

pub(super) fn rollback<'a>(parser: &mut Parser<'a, '_>) -> Result<Command<'a>> {
    parser.expect(TokenKind::Rollback)?;
    transaction_word(parser)?;
    if !parser.take(TokenKind::To)? {
        return Ok(Command::Rollback);
    }
    parser.take(TokenKind::Savepoint)?;
    Ok(Command::RollbackTo(parser.arena.alloc(parser.name()?)))
}

/// `TRANSACTION [name]`, where the name is ignored.
fn transaction_word(parser: &mut Parser<'_, '_>) -> Result<()> {
    if parser.take(TokenKind::Transaction)? && parser.token.kind.is_name() {
        parser.advance()?;
    }
    Ok(())
}

pub(super) fn savepoint<'a>(parser: &mut Parser<'a, '_>) -> Result<Command<'a>> {
    parser.expect(TokenKind::Savepoint)?;
    Ok(Command::Savepoint(parser.arena.alloc(parser.name()?)))
}

pub(super) fn release<'a>(parser: &mut Parser<'a, '_>) -> Result<Command<'a>> {
    parser.expect(TokenKind::Release)?;
    parser.take(TokenKind::Savepoint)?;
    Ok(Command::Release(parser.arena.alloc(parser.name()?)))
}

pub(super) fn attach<'a>(parser: &mut Parser<'a, '_>) -> Result<Command<'a>> {
    parser.expect(TokenKind::Attach)?;
    parser.take(TokenKind::Database)?;
    let file = expr_or_word(parser)?;
    parser.expect(TokenKind::As)?;
    let schema = expr_or_word(parser)?;
    let key = if parser.take(TokenKind::Key)? { Some(expr_or_word(parser)?) } else { None };
    Ok(Command::Attach(parser.arena.alloc(Attach { file, schema, key })))
}

pub(super) fn detach<'a>(parser: &mut Parser<'a, '_>) -> Result<Command<'a>> {
    parser.expect(TokenKind::Detach)?;
    parser.take(TokenKind::Database)?;
    Ok(Command::Detach(parser.arena.alloc(expr_or_word(parser)?)))
}

/// An expression, except that a bare name is a string.
fn expr_or_word<'a>(parser: &mut Parser<'a, '_>) -> Result<Expr<'a>> {
    let expr = expr(parser)?;
    match expr.kind {
        ExprKind::Column(ident) => Ok(string_of(ident)),
        _ => Ok(expr),
    }
}

pub(super) fn vacuum<'a>(parser: &mut Parser<'a, '_>) -> Result<Command<'a>> {
    parser.expect(TokenKind::Vacuum)?;
    let schema = if parser.token.kind.is_name() { Some(parser.name()?) } else { None };
    let into = if parser.take(TokenKind::Into)? { Some(expr(parser)?) } else { None };
    Ok(Command::Vacuum(parser.arena.alloc(Vacuum { schema, into })))
}

pub(super) fn analyze<'a>(parser: &mut Parser<'a, '_>) -> Result<Stmt<'a>> {
    parser.expect(TokenKind::Analyze)?;
    Ok(Stmt::Analyze(optional_object(parser)?))
}

pub(super) fn reindex<'a>(parser: &mut Parser<'a, '_>) -> Result<Stmt<'a>> {
    parser.expect(TokenKind::Reindex)?;
    Ok(Stmt::Reindex(optional_object(parser)?))
}

fn optional_object<'a>(parser: &mut Parser<'a, '_>) -> Result<Option<&'a QualifiedName<'a>>> {
    if !parser.token.kind.is_name() {
        return Ok(None);
    }
    Ok(Some(parser.arena.alloc(parser.qualified_name()?)))
}
