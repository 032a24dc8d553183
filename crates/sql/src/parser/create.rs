//! CREATE: which object? Indexes, views and virtual tables.

use bumpalo::collections::Vec as ArenaVec;

use super::Parser;
use crate::ast::{CreateIndex, CreateView, CreateVirtualTable, QualifiedName, Span, Stmt};
use crate::error::Result;
use crate::token::TokenKind;

impl<'a> Parser<'a, '_> {
    pub(super) fn create(&mut self) -> Result<Stmt<'a>> {
        self.expect(TokenKind::Create)?;
        let temporary = self.take(TokenKind::Temp)? || self.take(TokenKind::Temporary)?;
        let object = self.token.kind;
        match object {
            TokenKind::Table | TokenKind::View | TokenKind::Trigger => {}
            TokenKind::Index | TokenKind::Unique | TokenKind::Virtual if !temporary => {}
            _ => return self.unexpected(),
        }
        self.advance()?;
        match object {
            TokenKind::Table => self.create_table(temporary),
            TokenKind::View => self.create_view(temporary),
            TokenKind::Trigger => self.create_trigger(temporary),
            TokenKind::Virtual => self.create_virtual_table(),
            TokenKind::Index => self.create_index(false),
            _ => {
                self.expect(TokenKind::Index)?;
                self.create_index(true)
            }
        }
    }

    /// `IF NOT EXISTS`
    pub(super) fn if_not_exists(&mut self) -> Result<bool> {
        if !self.take(TokenKind::If)? {
            return Ok(false);
        }
        self.expect_all(&[TokenKind::Not, TokenKind::Exists])?;
        Ok(true)
    }

    /// TEMP says the schema already.
    pub(super) fn check_temporary_table(&mut self, temporary: bool, name: &QualifiedName<'a>) {
        if temporary && name.schema.is_some_and(|schema| !schema.name.is("temp")) {
            self.defer(None, "temporary table name must be unqualified");
        }
    }

    fn create_index(&mut self, unique: bool) -> Result<Stmt<'a>> {
        let if_not_exists = self.if_not_exists()?;
        let name = self.qualified_name()?;
        self.expect(TokenKind::On)?;
        let table = self.name()?;
        let columns = self.parenthesized_list(Self::order_term)?;
        let filter = self.filter()?;
        self.check_no_nulls(columns);
        let text = Span::new(name.name.span().start, self.token.span.start);
        let index = CreateIndex { unique, if_not_exists, name, table, columns, filter, text };
        Ok(Stmt::CreateIndex(self.arena.alloc(index)))
    }

    fn create_view(&mut self, temporary: bool) -> Result<Stmt<'a>> {
        let if_not_exists = self.if_not_exists()?;
        let name = self.qualified_name()?;
        let columns = self.optional_column_names()?;
        self.expect(TokenKind::As)?;
        let select = self.insert_source()?;
        self.check_temporary_table(temporary, &name);
        if !self.parameters.is_empty() {
            self.defer(None, "parameters are not allowed in views");
        }
        let text = self.span_with_comments(name.name.span().start);
        let view = CreateView { temporary, if_not_exists, name, columns, select, text };
        Ok(Stmt::CreateView(self.arena.alloc(view)))
    }

    fn create_virtual_table(&mut self) -> Result<Stmt<'a>> {
        self.expect(TokenKind::Table)?;
        let if_not_exists = self.if_not_exists()?;
        let name = self.qualified_name()?;
        self.expect(TokenKind::Using)?;
        let module = self.name()?;
        let args = if self.take(TokenKind::LeftParen)? { self.module_args()? } else { &[] };
        let text = self.span_from(name.name.span().start);
        let table = CreateVirtualTable { if_not_exists, name, module, args, text };
        Ok(Stmt::CreateVirtualTable(self.arena.alloc(table)))
    }

    /// Anything goes, as long as the parentheses match; commas outside of inner parentheses separate.
    /// Empty arguments do not count.
    fn module_args(&mut self) -> Result<&'a [&'a [u8]]> {
        let mut args = ArenaVec::new_in(self.arena);
        let mut open = 0_u32;
        let mut start = None;
        loop {
            let kind = self.token.kind;
            if open == 0 && matches!(kind, TokenKind::Comma | TokenKind::RightParen) {
                if let Some(start) = start.take() {
                    args.push(Span::new(start, self.previous.span.end).text(self.sql));
                }
                self.advance()?;
                if kind == TokenKind::RightParen {
                    return Ok(args.into_bump_slice());
                }
                continue;
            }
            match kind {
                TokenKind::EndOfText => return self.unexpected(),
                TokenKind::LeftParen => open += 1,
                TokenKind::RightParen => open -= 1,
                _ => {}
            }
            let taken = self.advance()?;
            start.get_or_insert(taken.span.start);
        }
    }
}
