//! ALTER TABLE.

use super::cursor::Parser;
use crate::ast::{AlterAction, AlterTable, Stmt};
use crate::error::Result;
use crate::parser::create::constraint::{check, on_conflict};
use crate::parser::create::table::column_def;
use crate::token::TokenKind;

pub(super) fn alter_table<'a>(parser: &mut Parser<'a, '_>) -> Result<Stmt<'a>> {
    parser.expect_all(&[TokenKind::Alter, TokenKind::Table])?;
    let table = parser.qualified_name()?;
    let action = match parser.token.kind {
        TokenKind::Rename => rename(parser)?,
        TokenKind::Add => add(parser)?,
        TokenKind::Drop => drop_part(parser)?,
        TokenKind::Alter => alter_column(parser)?,
        _ => return parser.unexpected(),
    };
    Ok(Stmt::AlterTable(parser.arena.alloc(AlterTable { table, action })))
}

fn rename<'a>(parser: &mut Parser<'a, '_>) -> Result<AlterAction<'a>> {
    parser.expect(TokenKind::Rename)?;
    if parser.take(TokenKind::To)? {
        return Ok(AlterAction::RenameTable(parser.name()?));
    }
    parser.take(TokenKind::Column)?;
    let from = parser.name()?;
    parser.expect(TokenKind::To)?;
    Ok(AlterAction::RenameColumn { from, to: parser.name()? })
}

pub(super) fn add<'a>(parser: &mut Parser<'a, '_>) -> Result<AlterAction<'a>> {
    parser.expect(TokenKind::Add)?;
    if matches!(parser.token.kind, TokenKind::Constraint | TokenKind::Check) {
        return add_check(parser);
    }
    parser.take(TokenKind::Column)?;
    Ok(AlterAction::AddColumn(parser.arena.alloc(column_def(parser)?)))
}

fn add_check<'a>(parser: &mut Parser<'a, '_>) -> Result<AlterAction<'a>> {
    let start = parser.token.span.start;
    let name = if parser.take(TokenKind::Constraint)? { Some(parser.name()?) } else { None };
    let mut check = check(parser)?;
    check.conflict = on_conflict(parser)?;
    Ok(AlterAction::AddCheck { name, check, span: parser.span_from(start) })
}

fn drop_part<'a>(parser: &mut Parser<'a, '_>) -> Result<AlterAction<'a>> {
    parser.expect(TokenKind::Drop)?;
    if parser.take(TokenKind::Constraint)? {
        return Ok(AlterAction::DropConstraint(parser.name()?));
    }
    parser.take(TokenKind::Column)?;
    Ok(AlterAction::DropColumn(parser.name()?))
}

fn alter_column<'a>(parser: &mut Parser<'a, '_>) -> Result<AlterAction<'a>> {
    parser.expect(TokenKind::Alter)?;
    parser.take(TokenKind::Column)?;
    let column = parser.name()?;
    if parser.take(TokenKind::Drop)? {
        parser.expect_all(&[TokenKind::Not, TokenKind::Null])?;
        return Ok(AlterAction::DropNotNull(column));
    }
    parser.expect(TokenKind::Set)?;
    let start = parser.token.span.start;
    parser.expect_all(&[TokenKind::Not, TokenKind::Null])?;
    let conflict = on_conflict(parser)?;
    Ok(AlterAction::SetNotNull { column, conflict, span: parser.span_from(start) })
}
