//! The part of a CREATE or ALTER before a syntax error.
//!
//! Only the statements that SQLite checks while it reads them are parsed here, and only after the error has been found.

use bumpalo::collections::Vec as ArenaVec;

use super::create::constraint::{collect_column_constraints, collect_table_constraints, starts_table_constraint};
use super::create::if_not_exists;
use super::create::table::{table_options, without_generated_always};
use super::create::trigger::{collect_trigger_steps, create_trigger};
use super::cursor::Parser;
use super::names::type_name;
use crate::ast::{AlterAction, AlterTable, ColumnDef, CreateTable, CreateVirtualTable, Stmt, TableBody, TableColumns};
use crate::error::Result;
use crate::token::TokenKind;

/// The beginning of the first statement, as a statement; `None` if SQLite checks nothing before the error.
pub(super) fn beginning<'a>(parser: &mut Parser<'a, '_>) -> Option<Stmt<'a>> {
    while parser.at(TokenKind::Semicolon) {
        parser.advance().ok()?;
    }
    if parser.take(TokenKind::Explain).ok()? && parser.take(TokenKind::Query).ok()? {
        parser.expect(TokenKind::Plan).ok()?;
    }
    if parser.take(TokenKind::Alter).ok()? {
        return altered_table(parser).ok();
    }
    parser.expect(TokenKind::Create).ok()?;
    let temporary = parser.take(TokenKind::Temp).ok()? || parser.take(TokenKind::Temporary).ok()?;
    match parser.advance().ok()?.kind {
        TokenKind::Table => table(parser, temporary),
        TokenKind::Virtual if !temporary => virtual_table(parser),
        TokenKind::Trigger => create_trigger(parser, temporary, |parser| {
            let mut steps = ArenaVec::new_in(parser.arena);
            let _error = collect_trigger_steps(parser, &mut steps);
            Ok(steps.into_bump_slice())
        }),
        _ => return None,
    }
    .ok()
}

fn table<'a>(parser: &mut Parser<'a, '_>, temporary: bool) -> Result<Stmt<'a>> {
    let if_not_exists = if_not_exists(parser)?;
    let name = parser.qualified_name()?;
    let start = name.name.span().start;
    let (mut columns, mut constraints) = (ArenaVec::new_in(parser.arena), ArenaVec::new_in(parser.arena));
    let mut options = None;
    if !parser.take(TokenKind::As)? {
        parser.expect(TokenKind::LeftParen)?;
        let read = table_columns(parser, &mut columns, &mut constraints);
        options = read.and_then(|()| parser.expect(TokenKind::RightParen)).and_then(|_| table_options(parser)).ok();
    }
    let (without_rowid, strict) = options.unwrap_or_default();
    let close = parser.token.span;
    let (columns, constraints) = (columns.into_bump_slice(), constraints.into_bump_slice());
    let body = TableColumns { columns, constraints, without_rowid, strict, close };
    let body = TableBody::Columns(parser.arena.alloc(body));
    let table = CreateTable { temporary, if_not_exists, name, body, text: parser.span_from(start) };
    Ok(Stmt::CreateTable(parser.arena.alloc(table)))
}

fn table_columns<'a>(
    parser: &mut Parser<'a, '_>,
    columns: &mut ArenaVec<'a, ColumnDef<'a>>,
    constraints: &mut ArenaVec<'a, crate::ast::TableConstraint<'a>>,
) -> Result<()> {
    loop {
        column(parser, columns)?;
        if !parser.take(TokenKind::Comma)? {
            return Ok(());
        }
        if starts_table_constraint(parser.token.kind) {
            return collect_table_constraints(parser, constraints);
        }
    }
}

/// Appends a column with the constraints before the error.
fn column<'a>(parser: &mut Parser<'a, '_>, columns: &mut ArenaVec<'a, ColumnDef<'a>>) -> Result<()> {
    let name = parser.name()?;
    let start = name.span().start;
    let type_name = without_generated_always(type_name(parser)?);
    let mut constraints = ArenaVec::new_in(parser.arena);
    let mut span = parser.span_from(start);
    let result = collect_column_constraints(parser, name, &mut constraints);
    if let Some(last) = constraints.last() {
        span.end = last.span.end;
    }
    columns.push(ColumnDef { name, type_name, constraints: constraints.into_bump_slice(), span });
    result
}

fn virtual_table<'a>(parser: &mut Parser<'a, '_>) -> Result<Stmt<'a>> {
    parser.expect(TokenKind::Table)?;
    let if_not_exists = if_not_exists(parser)?;
    let name = parser.qualified_name()?;
    parser.expect(TokenKind::Using)?;
    let module = parser.name()?;
    let text = parser.span_from(name.name.span().start);
    let table = CreateVirtualTable { if_not_exists, name, module, args: &[], text };
    Ok(Stmt::CreateVirtualTable(parser.arena.alloc(table)))
}

/// ALTER TABLE ADD COLUMN: of the others, nothing is checked before the end.
fn altered_table<'a>(parser: &mut Parser<'a, '_>) -> Result<Stmt<'a>> {
    parser.expect(TokenKind::Table)?;
    let table = parser.qualified_name()?;
    parser.expect(TokenKind::Add)?;
    parser.take(TokenKind::Column)?;
    let mut columns = ArenaVec::new_in(parser.arena);
    let result = column(parser, &mut columns);
    let Some(column) = columns.first() else { return result.and(parser.unexpected()) };
    let action = AlterAction::AddColumn(parser.arena.alloc(*column));
    Ok(Stmt::AlterTable(parser.arena.alloc(AlterTable { table, action })))
}
