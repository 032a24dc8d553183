//! Which statement is it?

use super::{Parsed, Parser};
use crate::ast::{Command, Explain, Statement, StatementKind, Stmt};
use crate::error::Result;
use crate::token::TokenKind;

impl<'a> Parser<'a, '_> {
    /// The first statement of the text, with its semicolon.
    pub(super) fn first_statement(&mut self) -> Result<Parsed<'a>> {
        while self.at(TokenKind::Semicolon) {
            self.advance()?;
        }
        if self.at(TokenKind::EndOfText) {
            return Ok(Parsed { statement: None, tail: self.token.span.end as usize });
        }
        let statement = self.statement()?;
        if !self.at(TokenKind::Semicolon) && !self.at(TokenKind::EndOfText) {
            return self.unexpected();
        }
        self.raise_deferred()?;
        Ok(Parsed { statement: Some(statement), tail: self.token.span.end as usize })
    }

    fn statement(&mut self) -> Result<Statement<'a>> {
        let start = self.token.span.start;
        let explain = self.explain()?;
        let kind = self.statement_kind()?;
        let parameters = self.parameters.finish(self.arena);
        Ok(Statement { kind, explain, parameters, span: self.span_from(start) })
    }

    fn explain(&mut self) -> Result<Explain> {
        if !self.take(TokenKind::Explain)? {
            return Ok(Explain::No);
        }
        if !self.take(TokenKind::Query)? {
            return Ok(Explain::Program);
        }
        self.expect(TokenKind::Plan)?;
        Ok(Explain::QueryPlan)
    }

    fn statement_kind(&mut self) -> Result<StatementKind<'a>> {
        match self.command()? {
            Some(command) => Ok(StatementKind::Command(command)),
            None => self.stmt().map(StatementKind::Program),
        }
    }

    fn command(&mut self) -> Result<Option<Command<'a>>> {
        let command = match self.token.kind {
            TokenKind::Begin => self.begin(),
            TokenKind::Commit | TokenKind::End => self.commit(),
            TokenKind::Rollback => self.rollback(),
            TokenKind::Savepoint => self.savepoint(),
            TokenKind::Release => self.release(),
            TokenKind::Pragma => self.pragma(),
            TokenKind::Attach => self.attach(),
            TokenKind::Detach => self.detach(),
            TokenKind::Vacuum => self.vacuum(),
            _ => return Ok(None),
        };
        command.map(Some)
    }

    fn stmt(&mut self) -> Result<Stmt<'a>> {
        match self.token.kind {
            TokenKind::Select | TokenKind::Values => Ok(Stmt::Select(self.select()?)),
            TokenKind::Insert | TokenKind::Replace => self.insert(None),
            TokenKind::Update => self.update(None),
            TokenKind::Delete => self.delete(None),
            TokenKind::With => self.with_statement(),
            TokenKind::Create => self.create(),
            TokenKind::Drop => self.drop_object(),
            TokenKind::Alter => self.alter_table(),
            TokenKind::Analyze => self.analyze(),
            TokenKind::Reindex => self.reindex(),
            _ => self.unexpected(),
        }
    }

    /// WITH stands before four kinds of statements.
    fn with_statement(&mut self) -> Result<Stmt<'a>> {
        let start = self.token.span.start;
        let with = self.with_clause()?;
        match self.token.kind {
            TokenKind::Select | TokenKind::Values => Ok(Stmt::Select(self.select_after_with(Some(with), start)?)),
            TokenKind::Insert | TokenKind::Replace => self.insert(Some(with)),
            TokenKind::Update => self.update(Some(with)),
            TokenKind::Delete => self.delete(Some(with)),
            _ => self.unexpected(),
        }
    }
}
