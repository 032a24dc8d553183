//! DROP, PRAGMA, transactions, ATTACH, VACUUM, ANALYZE, REINDEX.

use super::Parser;
use crate::ast::{
    Attach, Command, Drop, Expr, ExprKind, ObjectKind, Pragma, QualifiedName, Stmt, TransactionKind, Vacuum,
};
use crate::error::Result;
use crate::text::unquote;
use crate::token::TokenKind;

impl<'a> Parser<'a, '_> {
    pub(super) fn drop_object(&mut self) -> Result<Stmt<'a>> {
        self.expect(TokenKind::Drop)?;
        let kind = match self.token.kind {
            TokenKind::Table => ObjectKind::Table,
            TokenKind::Index => ObjectKind::Index,
            TokenKind::View => ObjectKind::View,
            TokenKind::Trigger => ObjectKind::Trigger,
            _ => return self.unexpected(),
        };
        self.advance()?;
        let if_exists = self.take(TokenKind::If)?;
        if if_exists {
            self.expect(TokenKind::Exists)?;
        }
        let name = self.qualified_name()?;
        Ok(Stmt::Drop(self.arena.alloc(Drop { kind, if_exists, name })))
    }

    pub(super) fn pragma(&mut self) -> Result<Command<'a>> {
        self.expect(TokenKind::Pragma)?;
        let name = self.qualified_name()?;
        let mut is_quoted = false;
        let value = if self.take(TokenKind::Equal)? {
            is_quoted = self.is_quoted();
            Some(self.pragma_value()?)
        } else if self.take(TokenKind::LeftParen)? {
            is_quoted = self.is_quoted();
            let value = self.pragma_value()?;
            self.expect(TokenKind::RightParen)?;
            Some(value)
        } else {
            None
        };
        Ok(Command::Pragma(self.arena.alloc(Pragma { name, value, is_quoted })))
    }

    /// Whether the next token is a name or string in quotes.
    fn is_quoted(&self) -> bool {
        self.token.span.text(self.sql).first().is_some_and(|first| b"'\"[`".contains(first))
    }

    fn pragma_value(&mut self) -> Result<&'a [u8]> {
        match self.token.kind {
            TokenKind::On | TokenKind::Delete | TokenKind::Default => Ok(self.advance()?.span.text(self.sql)),
            kind if kind.is_name() => {
                let text = self.advance()?.span.text(self.sql);
                Ok(unquote(text, self.arena))
            }
            TokenKind::Minus => {
                let span = self.signed_number()?;
                // Space may stand behind the sign in the text, but not in the value.
                let digits = self.previous.span.text(self.sql);
                let compact = span.text(self.sql).len() == digits.len() + 1;
                Ok(match compact {
                    true => span.text(self.sql),
                    false => {
                        let bytes = std::iter::once(b'-').chain(digits.iter().copied());
                        bumpalo::collections::Vec::from_iter_in(bytes, self.arena).into_bump_slice()
                    }
                })
            }
            _ => Ok(self.signed_number()?.text(self.sql)),
        }
    }

    pub(super) fn begin(&mut self) -> Result<Command<'a>> {
        self.expect(TokenKind::Begin)?;
        let kind = match self.token.kind {
            TokenKind::Deferred => Some(TransactionKind::Deferred),
            TokenKind::Immediate => Some(TransactionKind::Immediate),
            TokenKind::Exclusive => Some(TransactionKind::Exclusive),
            // No keyword of SQLite's, so it stays a name everywhere else.
            kind if kind.is_name() && self.token.span.text(self.sql).eq_ignore_ascii_case(b"concurrent") => {
                Some(TransactionKind::Concurrent)
            }
            _ => None,
        };
        if kind.is_some() {
            self.advance()?;
        }
        self.transaction_word()?;
        Ok(Command::Begin(kind.unwrap_or(TransactionKind::Deferred)))
    }

    pub(super) fn commit(&mut self) -> Result<Command<'a>> {
        self.advance()?;
        self.transaction_word()?;
        Ok(Command::Commit)
    }

    pub(super) fn rollback(&mut self) -> Result<Command<'a>> {
        self.expect(TokenKind::Rollback)?;
        self.transaction_word()?;
        if !self.take(TokenKind::To)? {
            return Ok(Command::Rollback);
        }
        self.take(TokenKind::Savepoint)?;
        Ok(Command::RollbackTo(self.arena.alloc(self.name()?)))
    }

    /// `TRANSACTION [name]`, where the name means nothing.
    fn transaction_word(&mut self) -> Result<()> {
        if self.take(TokenKind::Transaction)? && self.token.kind.is_name() {
            self.advance()?;
        }
        Ok(())
    }

    pub(super) fn savepoint(&mut self) -> Result<Command<'a>> {
        self.expect(TokenKind::Savepoint)?;
        Ok(Command::Savepoint(self.arena.alloc(self.name()?)))
    }

    pub(super) fn release(&mut self) -> Result<Command<'a>> {
        self.expect(TokenKind::Release)?;
        self.take(TokenKind::Savepoint)?;
        Ok(Command::Release(self.arena.alloc(self.name()?)))
    }

    pub(super) fn attach(&mut self) -> Result<Command<'a>> {
        self.expect(TokenKind::Attach)?;
        self.take(TokenKind::Database)?;
        let file = self.expr_or_word()?;
        self.expect(TokenKind::As)?;
        let schema = self.expr_or_word()?;
        let key = if self.take(TokenKind::Key)? { Some(self.expr_or_word()?) } else { None };
        Ok(Command::Attach(self.arena.alloc(Attach { file, schema, key })))
    }

    pub(super) fn detach(&mut self) -> Result<Command<'a>> {
        self.expect(TokenKind::Detach)?;
        self.take(TokenKind::Database)?;
        Ok(Command::Detach(self.arena.alloc(self.expr_or_word()?)))
    }

    /// An expression, except that a bare name is a string.
    fn expr_or_word(&mut self) -> Result<Expr<'a>> {
        let expr = self.expr()?;
        match expr.kind {
            ExprKind::Column(ident) => Ok(self.string_of(ident)),
            _ => Ok(expr),
        }
    }

    pub(super) fn vacuum(&mut self) -> Result<Command<'a>> {
        self.expect(TokenKind::Vacuum)?;
        let schema = if self.token.kind.is_name() { Some(self.name()?) } else { None };
        let into = if self.take(TokenKind::Into)? { Some(self.expr()?) } else { None };
        Ok(Command::Vacuum(self.arena.alloc(Vacuum { schema, into })))
    }

    pub(super) fn analyze(&mut self) -> Result<Stmt<'a>> {
        self.expect(TokenKind::Analyze)?;
        Ok(Stmt::Analyze(self.optional_object()?))
    }

    pub(super) fn reindex(&mut self) -> Result<Stmt<'a>> {
        self.expect(TokenKind::Reindex)?;
        Ok(Stmt::Reindex(self.optional_object()?))
    }

    fn optional_object(&mut self) -> Result<Option<&'a QualifiedName<'a>>> {
        if !self.token.kind.is_name() {
            return Ok(None);
        }
        Ok(Some(self.arena.alloc(self.qualified_name()?)))
    }
}
