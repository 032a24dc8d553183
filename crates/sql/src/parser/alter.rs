//! ALTER TABLE.

use super::Parser;
use crate::ast::{AlterAction, AlterTable, Stmt};
use crate::error::Result;
use crate::token::TokenKind;

impl<'a> Parser<'a, '_> {
    pub(super) fn alter_table(&mut self) -> Result<Stmt<'a>> {
        self.expect_all(&[TokenKind::Alter, TokenKind::Table])?;
        let table = self.qualified_name()?;
        let action = match self.token.kind {
            TokenKind::Rename => self.rename()?,
            TokenKind::Add => self.add()?,
            TokenKind::Drop => self.drop_part()?,
            TokenKind::Alter => self.alter_column()?,
            _ => return self.unexpected(),
        };
        Ok(Stmt::AlterTable(self.arena.alloc(AlterTable { table, action })))
    }

    fn rename(&mut self) -> Result<AlterAction<'a>> {
        self.expect(TokenKind::Rename)?;
        if self.take(TokenKind::To)? {
            return Ok(AlterAction::RenameTable(self.name()?));
        }
        self.take(TokenKind::Column)?;
        let from = self.name()?;
        self.expect(TokenKind::To)?;
        Ok(AlterAction::RenameColumn { from, to: self.name()? })
    }

    fn add(&mut self) -> Result<AlterAction<'a>> {
        self.expect(TokenKind::Add)?;
        if matches!(self.token.kind, TokenKind::Constraint | TokenKind::Check) {
            return self.add_check();
        }
        self.take(TokenKind::Column)?;
        Ok(AlterAction::AddColumn(self.arena.alloc(self.column_def()?)))
    }

    fn add_check(&mut self) -> Result<AlterAction<'a>> {
        let start = self.token.span.start;
        let name = if self.take(TokenKind::Constraint)? { Some(self.name()?) } else { None };
        let mut check = self.check()?;
        check.conflict = self.on_conflict()?;
        Ok(AlterAction::AddCheck { name, check, span: self.span_from(start) })
    }

    fn drop_part(&mut self) -> Result<AlterAction<'a>> {
        self.expect(TokenKind::Drop)?;
        if self.take(TokenKind::Constraint)? {
            return Ok(AlterAction::DropConstraint(self.name()?));
        }
        self.take(TokenKind::Column)?;
        Ok(AlterAction::DropColumn(self.name()?))
    }

    fn alter_column(&mut self) -> Result<AlterAction<'a>> {
        self.expect(TokenKind::Alter)?;
        self.take(TokenKind::Column)?;
        let column = self.name()?;
        if self.take(TokenKind::Drop)? {
            self.expect_all(&[TokenKind::Not, TokenKind::Null])?;
            return Ok(AlterAction::DropNotNull(column));
        }
        self.expect(TokenKind::Set)?;
        let start = self.token.span.start;
        self.expect_all(&[TokenKind::Not, TokenKind::Null])?;
        let conflict = self.on_conflict()?;
        Ok(AlterAction::SetNotNull { column, conflict, span: self.span_from(start) })
    }
}
