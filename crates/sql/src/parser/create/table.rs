//! CREATE TABLE: columns, their types, table options.

use bumpalo::collections::Vec as ArenaVec;

use super::constraint::{column_constraints, starts_table_constraint, table_constraints};
use super::if_not_exists;
use crate::ast::{ColumnDef, CreateTable, Ident, Span, Stmt, TableBody, TableColumns};
use crate::error::Result;
use crate::parser::cursor::Parser;
use crate::parser::expr::query::expect_select;
use crate::parser::names::type_name;
use crate::token::TokenKind;

/// The rest of `CREATE [TEMP] TABLE`.
pub(super) fn create_table<'a>(parser: &mut Parser<'a, '_>, temporary: bool) -> Result<Stmt<'a>> {
    let if_not_exists = if_not_exists(parser)?;
    let name = parser.qualified_name()?;
    let start = name.name.span().start;
    let body = if parser.take(TokenKind::As)? {
        TableBody::Select(expect_select(parser)?)
    } else {
        TableBody::Columns(parser.arena.alloc(table_columns(parser, name.name)?))
    };
    // The text of an option includes the white space up to the next token.
    let options = parser.previous.kind != TokenKind::RightParen && matches!(body, TableBody::Columns(_));
    let text = if options { Span::new(start, parser.token.span.start) } else { parser.span_from(start) };
    let table = CreateTable { temporary, if_not_exists, name, body, text };
    Ok(Stmt::CreateTable(parser.arena.alloc(table)))
}

fn table_columns<'a>(parser: &mut Parser<'a, '_>, table: Ident<'a>) -> Result<TableColumns<'a>> {
    parser.expect(TokenKind::LeftParen)?;
    let mut columns = ArenaVec::new_in(parser.arena);
    let mut constraints: &'a [_] = &[];
    loop {
        columns.push(column_def(parser)?);
        if columns.len() > parser.limits.columns as usize {
            parser.defer(None, format!("too many columns on {}", table.name));
        }
        if !parser.take(TokenKind::Comma)? {
            break;
        }
        if starts_table_constraint(parser.token.kind) {
            constraints = table_constraints(parser)?;
            break;
        }
    }
    let close = parser.expect(TokenKind::RightParen)?.span;
    let (without_rowid, strict) = table_options(parser)?;
    let columns = columns.into_bump_slice();
    Ok(TableColumns { columns, constraints, without_rowid, strict, close })
}

/// `name [type] constraint ...`
pub(crate) fn column_def<'a>(parser: &mut Parser<'a, '_>) -> Result<ColumnDef<'a>> {
    let name = parser.name()?;
    let start = name.span().start;
    let type_name = without_generated_always(type_name(parser)?);
    let constraints = column_constraints(parser, name)?;
    Ok(ColumnDef { name, type_name, constraints, span: parser.span_from(start) })
}

/// `WITHOUT ROWID`, `STRICT`, separated by commas, with an optional comma before the first. Returns which of the two are written.
pub(crate) fn table_options(parser: &mut Parser<'_, '_>) -> Result<(bool, bool)> {
    let (mut without_rowid, mut strict) = (false, false);
    if parser.token.kind.is_name() {
        table_option(parser, &mut without_rowid, &mut strict)?;
    }
    while parser.take(TokenKind::Comma)? {
        table_option(parser, &mut without_rowid, &mut strict)?;
    }
    Ok((without_rowid, strict))
}

fn table_option(parser: &mut Parser<'_, '_>, without_rowid: &mut bool, strict: &mut bool) -> Result<()> {
    let without = parser.take(TokenKind::Without)?;
    let option = parser.name()?.span();
    let word = option.text(parser.sql);
    if without && word.eq_ignore_ascii_case(b"rowid") {
        *without_rowid = true;
    } else if !without && word.eq_ignore_ascii_case(b"strict") {
        *strict = true;
    } else {
        let message = format!("unknown table option: {}", parser.lossy(option));
        parser.defer(None, message);
    }
    Ok(())
}

/// `INT GENERATED ALWAYS AS (...)` is parsed as a type of three words; removes the last two words.
pub(crate) fn without_generated_always(type_name: &[u8]) -> &[u8] {
    // SQLite requires that the whole type is at least as long as both words.
    const LEN_MIN: usize = "generated always".len();
    match without_word(type_name, "always") {
        Some(before) if type_name.len() >= LEN_MIN => without_word(before, "generated").unwrap_or(before),
        _ => type_name,
    }
}

/// The text without the word at its end and the space before the word.
fn without_word<'t>(text: &'t [u8], word: &str) -> Option<&'t [u8]> {
    let (before, last) = text.split_at_checked(text.len().checked_sub(word.len())?)?;
    last.eq_ignore_ascii_case(word.as_bytes()).then(|| before.trim_ascii_end())
}
