//! CREATE TRIGGER.
//!
//! The statements of a trigger are narrower than those outside: no WITH before INSERT, UPDATE and DELETE, no
//! INDEXED BY, no DEFAULT VALUES, no RETURNING.
//!
//! Parameters, and a schema before the table of a statement, are allowed in temporary triggers only. Which triggers are
//! temporary depends on where the table is, so that these checks are not the parser's.

use bumpalo::collections::Vec as ArenaVec;

use super::Parser;
use crate::ast::{CreateTrigger, Delete, Indexed, Insert, Stmt, TriggerEvent, TriggerStep, TriggerTime, Update};
use crate::error::Result;
use crate::token::TokenKind;

impl<'a> Parser<'a, '_> {
    /// Behind `CREATE [TEMP] TRIGGER`.
    pub(super) fn create_trigger(&mut self, temporary: bool) -> Result<Stmt<'a>> {
        let if_not_exists = self.if_not_exists()?;
        let name = self.qualified_name()?;
        let start = name.name.span().start;
        let time = self.trigger_time()?;
        let event = self.trigger_event()?;
        self.expect(TokenKind::On)?;
        let table = self.qualified_name()?;
        if self.take(TokenKind::For)? {
            self.expect_all(&[TokenKind::Each, TokenKind::Row])?;
        }
        let when = if self.take(TokenKind::When)? { Some(self.expr()?) } else { None };
        if temporary && name.schema.is_some() {
            self.defer(None, "temporary trigger may not have qualified name");
        }
        self.expect(TokenKind::Begin)?;
        let body = self.trigger_steps()?;
        let text = self.span_from(start);
        let trigger = CreateTrigger { temporary, if_not_exists, name, time, event, table, when, body, text };
        Ok(Stmt::CreateTrigger(self.arena.alloc(trigger)))
    }

    fn trigger_time(&mut self) -> Result<TriggerTime> {
        match self.token.kind {
            TokenKind::Before => {
                self.advance()?;
                Ok(TriggerTime::Before)
            }
            TokenKind::After => {
                self.advance()?;
                Ok(TriggerTime::After)
            }
            TokenKind::Instead => {
                self.advance()?;
                self.expect(TokenKind::Of)?;
                Ok(TriggerTime::InsteadOf)
            }
            _ => Ok(TriggerTime::Before),
        }
    }

    fn trigger_event(&mut self) -> Result<TriggerEvent<'a>> {
        match self.token.kind {
            TokenKind::Delete => {
                self.advance()?;
                Ok(TriggerEvent::Delete)
            }
            TokenKind::Insert => {
                self.advance()?;
                Ok(TriggerEvent::Insert)
            }
            TokenKind::Update => {
                self.advance()?;
                let columns = if self.take(TokenKind::Of)? { self.list(Self::name)? } else { &[] };
                Ok(TriggerEvent::Update(columns))
            }
            _ => self.unexpected(),
        }
    }

    /// One or more statements, each with its semicolon, and END.
    fn trigger_steps(&mut self) -> Result<&'a [TriggerStep<'a>]> {
        let mut steps = ArenaVec::new_in(self.arena);
        while steps.is_empty() || !self.at(TokenKind::End) {
            let start = self.token.span.start;
            let stmt = self.trigger_step()?;
            steps.push(TriggerStep { stmt, span: self.span_from(start) });
            if self.at(TokenKind::EndOfText) {
                // The end of the text counts as a semicolon first, and is found to be missing END after that.
                self.raise_deferred()?;
            }
            self.expect(TokenKind::Semicolon)?;
        }
        self.expect(TokenKind::End)?;
        Ok(steps.into_bump_slice())
    }

    fn trigger_step(&mut self) -> Result<Stmt<'a>> {
        match self.token.kind {
            TokenKind::Insert | TokenKind::Replace => self.trigger_insert(),
            TokenKind::Update => self.trigger_update(),
            TokenKind::Delete => self.trigger_delete(),
            _ if self.at_select() => Ok(Stmt::Select(self.select()?)),
            _ => self.unexpected(),
        }
    }

    fn trigger_insert(&mut self) -> Result<Stmt<'a>> {
        let or = self.insert_or()?;
        self.expect(TokenKind::Into)?;
        let (table, alias) = self.target()?;
        let columns = match self.at(TokenKind::LeftParen) {
            true => self.parenthesized_list(Self::name)?,
            false => &[],
        };
        let source = Some(self.insert_source()?);
        let (upserts, returning) = self.upserts()?;
        if !returning.is_empty() {
            self.defer(None, "cannot use RETURNING in a trigger");
        }
        let insert = Insert { with: None, or, table, alias, columns, source, upserts, returning };
        Ok(Stmt::Insert(self.arena.alloc(insert)))
    }

    fn trigger_update(&mut self) -> Result<Stmt<'a>> {
        self.expect(TokenKind::Update)?;
        let or = self.or_action()?;
        let (table, alias) = self.target()?;
        self.not_indexed_in_trigger()?;
        self.expect(TokenKind::Set)?;
        let update = Update {
            with: None,
            or,
            table,
            alias,
            indexed: Indexed::Any,
            set: self.assignments()?,
            from: if self.take(TokenKind::From)? { self.joined_items()? } else { &[] },
            filter: self.filter()?,
            returning: &[],
        };
        Ok(Stmt::Update(self.arena.alloc(update)))
    }

    fn trigger_delete(&mut self) -> Result<Stmt<'a>> {
        self.expect_all(&[TokenKind::Delete, TokenKind::From])?;
        let (table, alias) = self.target()?;
        self.not_indexed_in_trigger()?;
        let filter = self.filter()?;
        let indexed = Indexed::Any;
        let delete = Delete { with: None, table, alias, indexed, filter, returning: &[] };
        Ok(Stmt::Delete(self.arena.alloc(delete)))
    }

    fn not_indexed_in_trigger(&mut self) -> Result<()> {
        let clause = match self.indexed()? {
            Indexed::Any => return Ok(()),
            Indexed::By(_) => "INDEXED BY",
            Indexed::Not => "NOT INDEXED",
        };
        let place = "UPDATE or DELETE statements within triggers";
        self.defer(None, format!("the {clause} clause is not allowed on {place}"));
        Ok(())
    }
}
