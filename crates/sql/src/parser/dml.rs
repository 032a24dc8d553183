//! INSERT, UPDATE, DELETE.

use bumpalo::collections::Vec as ArenaVec;

use super::Parser;
use crate::ast::{
    Assignment, Conflict, Delete, Ident, Insert, QualifiedName, ResultColumn, Stmt, Update, Upsert, UpsertUpdate, With,
};
use crate::error::Result;
use crate::token::TokenKind;

impl<'a> Parser<'a, '_> {
    pub(super) fn insert(&mut self, with: Option<&'a With<'a>>) -> Result<Stmt<'a>> {
        let or = self.insert_or()?;
        self.expect(TokenKind::Into)?;
        let (table, alias) = self.target()?;
        let columns = self.optional_names()?;
        let mut insert = Insert { with, or, table, alias, columns, source: None, upserts: &[], returning: &[] };
        if self.take(TokenKind::Default)? {
            self.expect(TokenKind::Values)?;
            insert.returning = self.returning()?;
        } else {
            insert.source = Some(self.insert_source()?);
            (insert.upserts, insert.returning) = self.upserts()?;
        }
        Ok(Stmt::Insert(self.arena.alloc(insert)))
    }

    /// `INSERT [OR action]` or `REPLACE`.
    pub(super) fn insert_or(&mut self) -> Result<Option<Conflict>> {
        if self.take(TokenKind::Replace)? {
            return Ok(Some(Conflict::Replace));
        }
        self.expect(TokenKind::Insert)?;
        self.or_action()
    }

    pub(super) fn insert_source(&mut self) -> Result<&'a crate::ast::Select<'a>> {
        if self.at_select() { self.select() } else { self.unexpected() }
    }

    /// `OR action`
    pub(super) fn or_action(&mut self) -> Result<Option<Conflict>> {
        if self.take(TokenKind::Or)? { self.conflict_action().map(Some) } else { Ok(None) }
    }

    /// ROLLBACK, ABORT, FAIL, IGNORE, REPLACE.
    pub(super) fn conflict_action(&mut self) -> Result<Conflict> {
        let action = match self.token.kind {
            TokenKind::Rollback => Conflict::Rollback,
            TokenKind::Abort => Conflict::Abort,
            TokenKind::Fail => Conflict::Fail,
            TokenKind::Ignore => Conflict::Ignore,
            TokenKind::Replace => Conflict::Replace,
            _ => return self.unexpected(),
        };
        self.advance()?;
        Ok(action)
    }

    /// `[schema.]table [AS alias]`: an alias needs its AS here.
    pub(super) fn target(&mut self) -> Result<(QualifiedName<'a>, Option<Ident<'a>>)> {
        let table = self.qualified_name()?;
        let alias = if self.take(TokenKind::As)? { Some(self.name()?) } else { None };
        Ok((table, alias))
    }

    /// `[( name, ... )]`
    fn optional_names(&mut self) -> Result<&'a [Ident<'a>]> {
        if self.at(TokenKind::LeftParen) { self.parenthesized_list(Self::name) } else { Ok(&[]) }
    }

    /// The ON CONFLICT clauses, and RETURNING. The one without a target must be the last.
    pub(super) fn upserts(&mut self) -> Result<(&'a [Upsert<'a>], &'a [ResultColumn<'a>])> {
        let mut upserts = ArenaVec::new_in(self.arena);
        while self.take(TokenKind::On)? {
            self.expect(TokenKind::Conflict)?;
            let upsert = self.upsert()?;
            upserts.push(upsert);
            if upsert.target.is_empty() {
                break;
            }
        }
        Ok((upserts.into_bump_slice(), self.returning()?))
    }

    fn upsert(&mut self) -> Result<Upsert<'a>> {
        let mut upsert = Upsert { target: &[], target_filter: None, update: None };
        if self.at(TokenKind::LeftParen) {
            upsert.target = self.parenthesized_list(Self::order_term)?;
            upsert.target_filter = self.filter()?;
        }
        self.expect(TokenKind::Do)?;
        if self.take(TokenKind::Nothing)? {
            return Ok(upsert);
        }
        self.expect_all(&[TokenKind::Update, TokenKind::Set])?;
        let set = self.assignments()?;
        let filter = self.filter()?;
        upsert.update = Some(self.arena.alloc(UpsertUpdate { set, filter }));
        Ok(upsert)
    }

    /// RETURNING, if it stands here.
    fn returning(&mut self) -> Result<&'a [ResultColumn<'a>]> {
        if self.take(TokenKind::Returning)? { self.result_columns() } else { Ok(&[]) }
    }

    /// `column = value, (column, ...) = row, ...`
    pub(super) fn assignments(&mut self) -> Result<&'a [Assignment<'a>]> {
        let set = self.list(Self::assignment)?;
        let columns: usize = set.iter().map(|assignment| assignment.columns.len()).sum();
        if columns > self.limits.columns as usize {
            self.defer(None, "too many columns in set list");
        }
        Ok(set)
    }

    fn assignment(&mut self) -> Result<Assignment<'a>> {
        let row = self.at(TokenKind::LeftParen);
        let columns = match row {
            true => self.parenthesized_list(Self::name)?,
            false => std::slice::from_ref(self.arena.alloc(self.name()?)),
        };
        self.expect(TokenKind::Equal)?;
        let value = self.expr()?;
        let (wanted, found) = (columns.len(), value.width());
        let nothing = self.deferred.is_some() && matches!(value.kind, crate::ast::ExprKind::Null);
        if row && !nothing && !matches!(value.kind, crate::ast::ExprKind::Subquery(_)) && wanted != found {
            self.defer(None, format!("{wanted} columns assigned {found} values"));
        }
        Ok(Assignment { columns, row, value })
    }

    pub(super) fn update(&mut self, with: Option<&'a With<'a>>) -> Result<Stmt<'a>> {
        self.expect(TokenKind::Update)?;
        let or = self.or_action()?;
        let (table, alias) = self.target()?;
        let indexed = self.indexed()?;
        self.expect(TokenKind::Set)?;
        let set = self.assignments()?;
        let from = if self.take(TokenKind::From)? { self.joined_items()? } else { &[] };
        let filter = self.filter()?;
        let returning = self.returning()?;
        let update = Update { with, or, table, alias, indexed, set, from, filter, returning };
        Ok(Stmt::Update(self.arena.alloc(update)))
    }

    pub(super) fn delete(&mut self, with: Option<&'a With<'a>>) -> Result<Stmt<'a>> {
        self.expect_all(&[TokenKind::Delete, TokenKind::From])?;
        let (table, alias) = self.target()?;
        let indexed = self.indexed()?;
        let filter = self.filter()?;
        let returning = self.returning()?;
        let delete = Delete { with, table, alias, indexed, filter, returning };
        Ok(Stmt::Delete(self.arena.alloc(delete)))
    }
}
