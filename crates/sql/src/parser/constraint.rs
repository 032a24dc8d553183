//! Constraints of columns and tables.

use bumpalo::collections::Vec as ArenaVec;

use super::Parser;
use crate::ast::{
    Check, ColumnConstraint, ColumnConstraintKind, Conflict, Expr, ExprKind, ForeignKeyAction, ForeignKeyTarget, Ident,
    Nulls, OrderTerm, Quote, Span, TableConstraint, TableConstraintKind, UnaryOp,
};
use crate::error::Result;
use crate::token::TokenKind;

/// Whether a table constraint, and no column, starts with this token.
pub(super) fn starts_table_constraint(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, Constraint | Primary | Unique | Check | Foreign)
}

impl<'a> Parser<'a, '_> {
    /// The constraints of a column. A name counts for all constraints up to the next name.
    pub(super) fn column_constraints(&mut self, column: Ident<'a>) -> Result<&'a [ColumnConstraint<'a>]> {
        let mut constraints = ArenaVec::new_in(self.arena);
        let mut name = None;
        let mut named_at = None;
        loop {
            if self.at(TokenKind::Constraint) {
                named_at = Some(self.advance()?.span.start);
                name = Some(self.name()?);
                continue;
            }
            let start = named_at.take().unwrap_or(self.token.span.start);
            let Some(kind) = self.column_constraint(column)? else {
                return Ok(constraints.into_bump_slice());
            };
            constraints.push(ColumnConstraint { name, kind, span: self.span_from(start) });
        }
    }

    fn column_constraint(&mut self, column: Ident<'a>) -> Result<Option<ColumnConstraintKind<'a>>> {
        let kind = match self.token.kind {
            TokenKind::Default => self.default_value()?,
            TokenKind::Null => {
                self.advance()?;
                ColumnConstraintKind::Null(self.on_conflict()?)
            }
            TokenKind::Not => {
                self.advance()?;
                if self.take(TokenKind::Null)? {
                    ColumnConstraintKind::NotNull(self.on_conflict()?)
                } else {
                    self.deferrable()?;
                    ColumnConstraintKind::Deferrable { deferred: false }
                }
            }
            TokenKind::Deferrable => ColumnConstraintKind::Deferrable { deferred: self.deferrable()? },
            TokenKind::Primary => self.column_primary_key()?,
            TokenKind::Unique => {
                self.advance()?;
                ColumnConstraintKind::Unique(self.on_conflict()?)
            }
            TokenKind::Check => ColumnConstraintKind::Check(self.check()?),
            TokenKind::References => ColumnConstraintKind::References(self.references()?),
            TokenKind::Collate => {
                self.advance()?;
                ColumnConstraintKind::Collate(self.id_or_string()?)
            }
            TokenKind::Generated => {
                self.advance()?;
                self.expect_all(&[TokenKind::Always, TokenKind::As])?;
                self.generated(column)?
            }
            TokenKind::As => {
                self.advance()?;
                self.generated(column)?
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    fn column_primary_key(&mut self) -> Result<ColumnConstraintKind<'a>> {
        self.expect_all(&[TokenKind::Primary, TokenKind::Key])?;
        let direction = self.direction()?;
        let conflict = self.on_conflict()?;
        let autoincrement = self.take(TokenKind::Autoincrement)?;
        Ok(ColumnConstraintKind::PrimaryKey { direction, conflict, autoincrement })
    }

    /// DEFAULT takes a literal, perhaps with a sign, an identifier, or any expression in parentheses.
    fn default_value(&mut self) -> Result<ColumnConstraintKind<'a>> {
        self.expect(TokenKind::Default)?;
        if self.at(TokenKind::LeftParen) {
            let (value, text) = self.parenthesized_expr()?;
            return Ok(ColumnConstraintKind::Default(value, text));
        }
        let start = self.token.span.start;
        let value = match self.token.kind {
            TokenKind::Plus => {
                self.advance()?;
                self.default_literal()?
            }
            TokenKind::Minus => {
                self.advance()?;
                let operand = self.arena.alloc(self.default_literal()?);
                self.node(ExprKind::Unary(UnaryOp::Minus, operand), start, 1)
            }
            kind if is_literal(kind) => self.default_literal()?,
            kind if kind.is_id() || kind == TokenKind::Indexed => {
                let ident = self.take_ident()?;
                let is_boolean = ident.name.is("true") || ident.name.is("false");
                match ident.quote() == Quote::None && is_boolean {
                    true => Expr { kind: ExprKind::Column(ident), span: ident.span(), height: 1 },
                    false => self.string_of(ident),
                }
            }
            _ => return self.unexpected(),
        };
        Ok(ColumnConstraintKind::Default(value, self.span_from(start)))
    }

    fn default_literal(&mut self) -> Result<Expr<'a>> {
        match self.literal()? {
            Some(kind) => Ok(Expr { kind, span: self.previous.span, height: 1 }),
            None => self.unexpected(),
        }
    }

    /// An expression in parentheses, and its text without them.
    pub(super) fn parenthesized_expr(&mut self) -> Result<(Expr<'a>, Span)> {
        self.expect(TokenKind::LeftParen)?;
        let start = self.token.span.start;
        let expr = self.expr()?;
        let text = self.span_with_comments(start);
        self.expect(TokenKind::RightParen)?;
        Ok((expr, text))
    }

    pub(super) fn check(&mut self) -> Result<Check<'a>> {
        self.expect(TokenKind::Check)?;
        let (condition, text) = self.parenthesized_expr()?;
        Ok(Check { condition, text, conflict: None })
    }

    /// The parenthesis of a generated column and the word behind it.
    fn generated(&mut self, column: Ident<'a>) -> Result<ColumnConstraintKind<'a>> {
        let (value, text) = self.parenthesized_expr()?;
        let mut stored = false;
        if self.token.kind.is_id() {
            let word = self.advance()?.span.text(self.sql);
            stored = word.eq_ignore_ascii_case(b"stored");
            if !stored && !word.eq_ignore_ascii_case(b"virtual") {
                self.defer(None, format!("error in generated column \"{}\"", column.name));
            }
        }
        Ok(ColumnConstraintKind::Generated { value, text, stored })
    }

    /// `ON CONFLICT action`, if it stands here.
    pub(super) fn on_conflict(&mut self) -> Result<Option<Conflict>> {
        if !self.take(TokenKind::On)? {
            return Ok(None);
        }
        self.expect(TokenKind::Conflict)?;
        self.conflict_action().map(Some)
    }

    /// The constraints behind the columns. A comma between two of them may be missing, and then the name
    /// of the first counts for both.
    pub(super) fn table_constraints(&mut self) -> Result<&'a [TableConstraint<'a>]> {
        let mut constraints = ArenaVec::new_in(self.arena);
        let mut name = None;
        let mut named_at = None;
        loop {
            let start = named_at.take().unwrap_or(self.token.span.start);
            let kind = match self.token.kind {
                TokenKind::Constraint => {
                    named_at = Some(self.advance()?.span.start);
                    name = Some(self.name()?);
                    None
                }
                TokenKind::Primary => Some(self.primary_key()?),
                TokenKind::Unique => {
                    self.advance()?;
                    let columns = self.parenthesized_list(Self::order_term)?;
                    let conflict = self.on_conflict()?;
                    self.check_no_nulls(columns);
                    Some(TableConstraintKind::Unique { columns, conflict })
                }
                TokenKind::Check => {
                    let mut check = self.check()?;
                    check.conflict = self.on_conflict()?;
                    Some(TableConstraintKind::Check(check))
                }
                TokenKind::Foreign => Some(self.foreign_key()?),
                _ => return self.unexpected(),
            };
            if let Some(kind) = kind {
                constraints.push(TableConstraint { name, kind, span: self.span_from(start) });
            }
            if self.take(TokenKind::Comma)? {
                (name, named_at) = (None, None);
            } else if !starts_table_constraint(self.token.kind) {
                return Ok(constraints.into_bump_slice());
            }
        }
    }

    fn primary_key(&mut self) -> Result<TableConstraintKind<'a>> {
        self.expect_all(&[TokenKind::Primary, TokenKind::Key, TokenKind::LeftParen])?;
        let columns = self.list(Self::order_term)?;
        let autoincrement = self.take(TokenKind::Autoincrement)?;
        self.expect(TokenKind::RightParen)?;
        let conflict = self.on_conflict()?;
        self.check_no_nulls(columns);
        Ok(TableConstraintKind::PrimaryKey { columns, autoincrement, conflict })
    }

    fn foreign_key(&mut self) -> Result<TableConstraintKind<'a>> {
        self.expect_all(&[TokenKind::Foreign, TokenKind::Key])?;
        let columns = self.column_names()?;
        let mut target = *self.references()?;
        if matches!(self.token.kind, TokenKind::Not | TokenKind::Deferrable) {
            let not = self.take(TokenKind::Not)?;
            target.deferred = self.deferrable()? && !not;
        }
        Ok(TableConstraintKind::ForeignKey { columns, target: self.arena.alloc(target) })
    }

    /// `REFERENCES table [(columns)] [ON DELETE ...] [ON UPDATE ...] [MATCH name]`
    fn references(&mut self) -> Result<&'a ForeignKeyTarget<'a>> {
        self.expect(TokenKind::References)?;
        let mut target = ForeignKeyTarget {
            table: self.name()?,
            columns: self.optional_column_names()?,
            on_delete: ForeignKeyAction::NoAction,
            on_update: ForeignKeyAction::NoAction,
            deferred: false,
        };
        loop {
            if self.take(TokenKind::Match)? {
                self.name()?; // parsed and ignored: all keys are MATCH SIMPLE
            } else if self.take(TokenKind::On)? {
                let event = self.token.kind;
                match event {
                    TokenKind::Delete | TokenKind::Update | TokenKind::Insert => self.advance()?,
                    _ => return self.unexpected(),
                };
                let action = self.foreign_key_action()?;
                match event {
                    TokenKind::Delete => target.on_delete = action,
                    TokenKind::Update => target.on_update = action,
                    _ => {} // ON INSERT is parsed and ignored
                }
            } else {
                return Ok(self.arena.alloc(target));
            }
        }
    }

    fn foreign_key_action(&mut self) -> Result<ForeignKeyAction> {
        match self.advance_if_action()? {
            TokenKind::Cascade => Ok(ForeignKeyAction::Cascade),
            TokenKind::Restrict => Ok(ForeignKeyAction::Restrict),
            TokenKind::No => {
                self.expect(TokenKind::Action)?;
                Ok(ForeignKeyAction::NoAction)
            }
            _ if self.take(TokenKind::Null)? => Ok(ForeignKeyAction::SetNull),
            _ => {
                self.expect(TokenKind::Default)?;
                Ok(ForeignKeyAction::SetDefault)
            }
        }
    }

    fn advance_if_action(&mut self) -> Result<TokenKind> {
        use TokenKind::*;
        match self.token.kind {
            Cascade | Restrict | No | Set => Ok(self.advance()?.kind),
            _ => self.unexpected(),
        }
    }

    /// `DEFERRABLE [INITIALLY DEFERRED | IMMEDIATE]`: whether deferred.
    fn deferrable(&mut self) -> Result<bool> {
        self.expect(TokenKind::Deferrable)?;
        if !self.take(TokenKind::Initially)? {
            return Ok(false);
        }
        if self.take(TokenKind::Deferred)? {
            return Ok(true);
        }
        self.expect(TokenKind::Immediate)?;
        Ok(false)
    }

    /// `[( column, ... )]` of foreign keys, views and common tables.
    pub(super) fn optional_column_names(&mut self) -> Result<&'a [Ident<'a>]> {
        if self.at(TokenKind::LeftParen) { self.column_names() } else { Ok(&[]) }
    }

    /// `( column, ... )`. The grammar takes COLLATE and ASC or DESC, because old versions wrote such schemas.
    pub(super) fn column_names(&mut self) -> Result<&'a [Ident<'a>]> {
        self.parenthesized_list(|parser| {
            let name = parser.name()?;
            let collated = parser.take(TokenKind::Collate)?;
            if collated {
                parser.id_or_string()?;
            }
            let sorted = parser.direction()?.is_some();
            if (collated || sorted) && !parser.limits.loading_schema {
                let text = parser.lossy(name.span());
                let message = format!("syntax error after column name \"{text}\"");
                parser.defer(None, message);
            }
            Ok(name)
        })
    }

    /// Indexes have no order for NULLs of their own.
    pub(super) fn check_no_nulls(&mut self, columns: &[OrderTerm<'_>]) {
        match columns.iter().find_map(|column| column.nulls) {
            None => {}
            Some(Nulls::First) => self.defer_if_first("unsupported use of NULLS FIRST"),
            Some(Nulls::Last) => self.defer_if_first("unsupported use of NULLS LAST"),
        }
    }
}

fn is_literal(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Null | Integer | Float | SeparatedNumber | String | Blob | CurrentDate | CurrentTime | CurrentTimestamp
    )
}
