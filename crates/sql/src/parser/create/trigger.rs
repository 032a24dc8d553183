//! CREATE TRIGGER.
//!
//! The grammar of statements in triggers is narrower than that of other statements: no WITH before INSERT, UPDATE and DELETE, no
//! INDEXED BY, no DEFAULT VALUES, no RETURNING.
//!
//! Parameters, and a schema before the table of a statement, are allowed only in temporary triggers. Whether a trigger is
//! temporary depends on the schema of its table, so the parser does not check this.

use bumpalo::collections::Vec as ArenaVec;

use super::if_not_exists;
use crate::ast::{CreateTrigger, Delete, Indexed, Insert, Stmt, TriggerEvent, TriggerStep, TriggerTime, Update};
use crate::error::Result;
use crate::parser::cursor::Parser;
use crate::parser::dml::{assignments, insert_or, or_action, target, upserts};
use crate::parser::expr::expr;
use crate::parser::expr::query::from::{indexed, joined_items};
use crate::parser::expr::query::{at_select, expect_select, select, where_clause};
use crate::token::TokenKind;

/// The rest of `CREATE [TEMP] TRIGGER`; `steps` parses the statements behind BEGIN, and END.
#[inline]
pub(crate) fn create_trigger<'a, 'l>(
    parser: &mut Parser<'a, 'l>,
    temporary: bool,
    steps: impl FnOnce(&mut Parser<'a, 'l>) -> Result<&'a [TriggerStep<'a>]>,
) -> Result<Stmt<'a>> {
    let if_not_exists = if_not_exists(parser)?;
    let name = parser.qualified_name()?;
    let start = name.name.span().start;
    let time = trigger_time(parser)?;
    let event = trigger_event(parser)?;
    parser.expect(TokenKind::On)?;
    let table = parser.qualified_name()?;
    if parser.take(TokenKind::For)? {
        parser.expect_all(&[TokenKind::Each, TokenKind::Row])?;
    }
    let when = if parser.take(TokenKind::When)? { Some(expr(parser)?) } else { None };
    if temporary && name.schema.is_some() {
        parser.defer(None, "temporary trigger may not have qualified name");
    }
    let begin = parser.expect(TokenKind::Begin)?.span;
    let body = steps(parser)?;
    let text = parser.span_from(start);
    let trigger = CreateTrigger { temporary, if_not_exists, name, time, event, table, when, begin, body, text };
    Ok(Stmt::CreateTrigger(parser.arena.alloc(trigger)))
}

fn trigger_time(parser: &mut Parser<'_, '_>) -> Result<TriggerTime> {
    match parser.token.kind {
        TokenKind::Before => {
            parser.advance()?;
            Ok(TriggerTime::Before)
        }
        TokenKind::After => {
            parser.advance()?;
            Ok(TriggerTime::After)
        }
        TokenKind::Instead => {
            parser.advance()?;
            parser.expect(TokenKind::Of)?;
            Ok(TriggerTime::InsteadOf)
        }
        _ => Ok(TriggerTime::Before),
    }
}

fn trigger_event<'a>(parser: &mut Parser<'a, '_>) -> Result<TriggerEvent<'a>> {
    match parser.token.kind {
        TokenKind::Delete => {
            parser.advance()?;
            Ok(TriggerEvent::Delete)
        }
        TokenKind::Insert => {
            parser.advance()?;
            Ok(TriggerEvent::Insert)
        }
        TokenKind::Update => {
            parser.advance()?;
            let columns = if parser.take(TokenKind::Of)? { parser.list(Parser::name)? } else { &[] };
            Ok(TriggerEvent::Update(columns))
        }
        _ => parser.unexpected(),
    }
}

/// One or more statements, each with a semicolon, and END.
pub(super) fn trigger_steps<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a [TriggerStep<'a>]> {
    let mut steps = ArenaVec::new_in(parser.arena);
    collect_trigger_steps(parser, &mut steps)?;
    Ok(steps.into_bump_slice())
}

/// Appends the statements of a trigger; after an error, those before it.
#[inline]
pub(crate) fn collect_trigger_steps<'a>(
    parser: &mut Parser<'a, '_>,
    steps: &mut ArenaVec<'a, TriggerStep<'a>>,
) -> Result<()> {
    while steps.is_empty() || !parser.at(TokenKind::End) {
        let start = parser.token.span.start;
        let stmt = trigger_step(parser)?;
        steps.push(TriggerStep { stmt, span: parser.span_from(start) });
        if parser.at(TokenKind::EndOfText) {
            // SQLite first takes the end of the text for a semicolon, and then reports the missing END.
            parser.raise_deferred()?;
        }
        parser.expect(TokenKind::Semicolon)?;
    }
    parser.expect(TokenKind::End)?;
    Ok(())
}

fn trigger_step<'a>(parser: &mut Parser<'a, '_>) -> Result<Stmt<'a>> {
    match parser.token.kind {
        TokenKind::Insert | TokenKind::Replace => trigger_insert(parser),
        TokenKind::Update => trigger_update(parser),
        TokenKind::Delete => trigger_delete(parser),
        _ if at_select(parser) => Ok(Stmt::Select(select(parser)?)),
        _ => parser.unexpected(),
    }
}

fn trigger_insert<'a>(parser: &mut Parser<'a, '_>) -> Result<Stmt<'a>> {
    let or = insert_or(parser)?;
    parser.expect(TokenKind::Into)?;
    let (table, alias) = target(parser)?;
    let columns = match parser.at(TokenKind::LeftParen) {
        true => parser.parenthesized_list(Parser::name)?,
        false => &[],
    };
    let source = Some(expect_select(parser)?);
    let (upserts, returning) = upserts(parser)?;
    if !returning.is_empty() {
        parser.defer(None, "cannot use RETURNING in a trigger");
    }
    let insert = Insert { with: None, or, table, alias, columns, source, upserts, returning };
    Ok(Stmt::Insert(parser.arena.alloc(insert)))
}

fn trigger_update<'a>(parser: &mut Parser<'a, '_>) -> Result<Stmt<'a>> {
    parser.expect(TokenKind::Update)?;
    let or = or_action(parser)?;
    let (table, alias) = target(parser)?;
    not_indexed_in_trigger(parser)?;
    parser.expect(TokenKind::Set)?;
    let update = Update {
        with: None,
        or,
        table,
        alias,
        indexed: Indexed::Any,
        set: assignments(parser)?,
        from: if parser.take(TokenKind::From)? { joined_items(parser)? } else { &[] },
        filter: where_clause(parser)?,
        returning: &[],
        limited: None,
    };
    Ok(Stmt::Update(parser.arena.alloc(update)))
}

fn trigger_delete<'a>(parser: &mut Parser<'a, '_>) -> Result<Stmt<'a>> {
    parser.expect_all(&[TokenKind::Delete, TokenKind::From])?;
    let (table, alias) = target(parser)?;
    not_indexed_in_trigger(parser)?;
    let filter = where_clause(parser)?;
    let indexed = Indexed::Any;
    let delete = Delete { with: None, table, alias, indexed, filter, returning: &[], limited: None };
    Ok(Stmt::Delete(parser.arena.alloc(delete)))
}

fn not_indexed_in_trigger(parser: &mut Parser<'_, '_>) -> Result<()> {
    let clause = match indexed(parser)? {
        Indexed::Any => return Ok(()),
        Indexed::By(_) => "INDEXED BY",
        Indexed::Not => "NOT INDEXED",
    };
    let place = "UPDATE or DELETE statements within triggers";
    parser.defer(None, format!("the {clause} clause is not allowed on {place}"));
    Ok(())
}
