//! Selecting the kind of statement.

use super::Parsed;
use super::alter::alter_table;
use super::command::{
    analyze, attach, begin, commit, detach, drop_object, pragma, reindex, release, rollback, savepoint, vacuum,
};
use super::create::create;
use super::cursor::Parser;
use super::dml::{delete, insert, update};
use crate::ast::{Command, Explain, Statement, StatementKind, Stmt};
use crate::error::Result;
use crate::parser::expr::query::with::with_clause;
use crate::parser::expr::query::{select, select_after_with};
use crate::token::TokenKind;

/// The first statement of the text, including its semicolon.
pub(super) fn first_statement<'a>(parser: &mut Parser<'a, '_>) -> Result<Parsed<'a>> {
    while parser.at(TokenKind::Semicolon) {
        parser.advance()?;
    }
    if parser.at(TokenKind::EndOfText) {
        return Ok(Parsed { statement: None, tail: parser.token.span.end as usize });
    }
    let statement = statement(parser)?;
    if !parser.at(TokenKind::Semicolon) && !parser.at(TokenKind::EndOfText) {
        return parser.unexpected();
    }
    parser.raise_deferred()?;
    Ok(Parsed { statement: Some(statement), tail: parser.token.span.end as usize })
}

fn statement<'a>(parser: &mut Parser<'a, '_>) -> Result<Statement<'a>> {
    let start = parser.token.span.start;
    let explain = explain(parser)?;
    let kind = statement_kind(parser)?;
    let parameters = parser.parameters.finish(parser.arena);
    Ok(Statement { kind, explain, parameters, select_count: parser.select_count, span: parser.span_from(start) })
}

fn explain(parser: &mut Parser<'_, '_>) -> Result<Explain> {
    if !parser.take(TokenKind::Explain)? {
        return Ok(Explain::No);
    }
    if !parser.take(TokenKind::Query)? {
        return Ok(Explain::Program);
    }
    parser.expect(TokenKind::Plan)?;
    Ok(Explain::QueryPlan)
}

fn statement_kind<'a>(parser: &mut Parser<'a, '_>) -> Result<StatementKind<'a>> {
    match command(parser)? {
        Some(command) => Ok(StatementKind::Command(command)),
        None => stmt(parser).map(StatementKind::Program),
    }
}

fn command<'a>(parser: &mut Parser<'a, '_>) -> Result<Option<Command<'a>>> {
    let command = match parser.token.kind {
        TokenKind::Begin => begin(parser),
        TokenKind::Commit | TokenKind::End => commit(parser),
        TokenKind::Rollback => rollback(parser),
        TokenKind::Savepoint => savepoint(parser),
        TokenKind::Release => release(parser),
        TokenKind::Pragma => pragma(parser),
        TokenKind::Attach => attach(parser),
        TokenKind::Detach => detach(parser),
        TokenKind::Vacuum => vacuum(parser),
        _ => return Ok(None),
    };
    command.map(Some)
}

fn stmt<'a>(parser: &mut Parser<'a, '_>) -> Result<Stmt<'a>> {
    match parser.token.kind {
        TokenKind::Select | TokenKind::Values => Ok(Stmt::Select(select(parser)?)),
        TokenKind::Insert | TokenKind::Replace => insert(parser, None),
        TokenKind::Update => update(parser, None),
        TokenKind::Delete => delete(parser, None),
        TokenKind::With => with_statement(parser),
        TokenKind::Create => create(parser),
        TokenKind::Drop => drop_object(parser),
        TokenKind::Alter => alter_table(parser),
        TokenKind::Analyze => analyze(parser),
        TokenKind::Reindex => reindex(parser),
        _ => parser.unexpected(),
    }
}

/// WITH can precede four kinds of statements.
fn with_statement<'a>(parser: &mut Parser<'a, '_>) -> Result<Stmt<'a>> {
    let start = parser.token.span.start;
    let with = with_clause(parser)?;
    match parser.token.kind {
        TokenKind::Select | TokenKind::Values => Ok(Stmt::Select(select_after_with(parser, Some(with), start)?)),
        TokenKind::Insert | TokenKind::Replace => insert(parser, Some(with)),
        TokenKind::Update => update(parser, Some(with)),
        TokenKind::Delete => delete(parser, Some(with)),
        _ => parser.unexpected(),
    }
}
