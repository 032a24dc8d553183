//! CREATE TABLE: columns, their types, table options.

use bumpalo::collections::Vec as ArenaVec;

use super::Parser;
use super::constraint::starts_table_constraint;
use crate::ast::{ColumnDef, CreateTable, Ident, Span, Stmt, TableBody, TableColumns};
use crate::error::Result;
use crate::text::unquote_start;
use crate::token::TokenKind;

impl<'a> Parser<'a, '_> {
    /// Behind `CREATE [TEMP] TABLE`.
    pub(super) fn create_table(&mut self, temporary: bool) -> Result<Stmt<'a>> {
        let if_not_exists = self.if_not_exists()?;
        let name = self.qualified_name()?;
        self.check_temporary_table(temporary, &name);
        let start = name.name.span().start;
        let body = if self.take(TokenKind::As)? {
            TableBody::Select(self.insert_source()?)
        } else {
            TableBody::Columns(self.arena.alloc(self.table_columns(name.name)?))
        };
        // Behind an option the text goes on to the next token, space and all.
        let options = self.previous.kind != TokenKind::RightParen && matches!(body, TableBody::Columns(_));
        let text = if options { Span::new(start, self.token.span.start) } else { self.span_from(start) };
        let table = CreateTable { temporary, if_not_exists, name, body, text };
        Ok(Stmt::CreateTable(self.arena.alloc(table)))
    }

    fn table_columns(&mut self, table: Ident<'a>) -> Result<TableColumns<'a>> {
        self.expect(TokenKind::LeftParen)?;
        let mut columns = ArenaVec::new_in(self.arena);
        let mut constraints: &'a [_] = &[];
        loop {
            columns.push(self.column_def()?);
            if columns.len() > self.limits.columns as usize {
                self.defer(None, format!("too many columns on {}", table.name));
            }
            if !self.take(TokenKind::Comma)? {
                break;
            }
            if starts_table_constraint(self.token.kind) {
                constraints = self.table_constraints()?;
                break;
            }
        }
        let close = self.expect(TokenKind::RightParen)?.span;
        let (without_rowid, strict) = self.table_options()?;
        let columns = columns.into_bump_slice();
        Ok(TableColumns { columns, constraints, without_rowid, strict, close })
    }

    /// `name [type] constraint ...`
    pub(super) fn column_def(&mut self) -> Result<ColumnDef<'a>> {
        let name = self.name()?;
        let start = name.span().start;
        let type_name = without_generated_always(self.type_name()?);
        let constraints = self.column_constraints(name)?;
        Ok(ColumnDef { name, type_name, constraints, span: self.span_from(start) })
    }

    /// Any number of words, then perhaps one or two numbers in parentheses. The text is kept as it is,
    /// with the space and comments between the words; but of a type that starts with a quoted word, only
    /// that word.
    pub(super) fn type_name(&mut self) -> Result<&'a [u8]> {
        if !self.at_id_or_string() {
            return Ok(&[]);
        }
        let start = self.token.span.start;
        while self.at_id_or_string() {
            self.advance()?;
        }
        if self.take(TokenKind::LeftParen)? {
            self.signed_number()?;
            if self.take(TokenKind::Comma)? {
                self.signed_number()?;
            }
            self.expect(TokenKind::RightParen)?;
        }
        Ok(unquote_start(self.span_from(start).text(self.sql), self.arena))
    }

    /// A number with or without sign; its text includes a minus but not a plus.
    pub(super) fn signed_number(&mut self) -> Result<Span> {
        let minus = self.at(TokenKind::Minus);
        let start = self.token.span.start;
        if minus || self.at(TokenKind::Plus) {
            self.advance()?;
        }
        if !matches!(self.token.kind, TokenKind::Integer | TokenKind::Float) {
            return self.unexpected();
        }
        let number = self.advance()?.span;
        Ok(if minus { Span::new(start, number.end) } else { number })
    }

    /// `WITHOUT ROWID`, `STRICT`, with commas between them and, if you like, one before. Whether they were written.
    fn table_options(&mut self) -> Result<(bool, bool)> {
        let (mut without_rowid, mut strict) = (false, false);
        if self.token.kind.is_name() {
            self.table_option(&mut without_rowid, &mut strict)?;
        }
        while self.take(TokenKind::Comma)? {
            self.table_option(&mut without_rowid, &mut strict)?;
        }
        Ok((without_rowid, strict))
    }

    fn table_option(&mut self, without_rowid: &mut bool, strict: &mut bool) -> Result<()> {
        let without = self.take(TokenKind::Without)?;
        let option = self.name()?.span();
        let word = option.text(self.sql);
        if without && word.eq_ignore_ascii_case(b"rowid") {
            *without_rowid = true;
        } else if !without && word.eq_ignore_ascii_case(b"strict") {
            *strict = true;
        } else {
            let message = format!("unknown table option: {}", self.lossy(option));
            self.defer(None, message);
        }
        Ok(())
    }
}

/// `INT GENERATED ALWAYS AS (...)` reads as a type of three words; the last two are none.
fn without_generated_always(type_name: &[u8]) -> &[u8] {
    // SQLite looks for them at the end of a type that is as long as both.
    const LEN_MIN: usize = "generated always".len();
    match without_word(type_name, "always") {
        Some(before) if type_name.len() >= LEN_MIN => without_word(before, "generated").unwrap_or(before),
        _ => type_name,
    }
}

/// The text without the word at its end and the space in front of that.
fn without_word<'t>(text: &'t [u8], word: &str) -> Option<&'t [u8]> {
    let (before, last) = text.split_at_checked(text.len().checked_sub(word.len())?)?;
    last.eq_ignore_ascii_case(word.as_bytes()).then(|| before.trim_ascii_end())
}
