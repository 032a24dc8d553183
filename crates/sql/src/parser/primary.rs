//! What operators stand between: literals, names, parentheses, CASE, CAST, EXISTS, RAISE.

use bumpalo::collections::Vec as ArenaVec;

use super::Parser;
use super::expr::tallest;
use crate::ast::{Case, Cast, CurrentTime, Expr, ExprKind, Ident, QualifiedColumn, Quote, Raise, RaiseAction, When};
use crate::error::Result;
use crate::text::{decode_blob, integer, unquote, without_separators};
use crate::token::{Token, TokenKind};

/// Entries on the parser's stack for a CASE: SQLite's are one in the operand, five behind THEN.
const CASE_ENTRIES: u32 = 3;

impl<'a> Parser<'a, '_> {
    pub(super) fn primary(&mut self) -> Result<Expr<'a>> {
        let token = self.token;
        match token.kind {
            TokenKind::Identifier => self.named(),
            TokenKind::Integer => {
                self.advance()?;
                self.leaf(integer(token.span.text(self.sql)), token)
            }
            TokenKind::String => {
                self.advance()?;
                if self.at(TokenKind::Dot) {
                    let first = self.ident(token);
                    return self.qualified_column(first);
                }
                let text = unquote(token.span.text(self.sql), self.arena);
                self.leaf(ExprKind::String(text), token)
            }
            TokenKind::Parameter => {
                self.advance()?;
                let kind = self.parameter(token);
                self.leaf(kind, token)
            }
            TokenKind::LeftParen => self.parentheses(),
            _ => self.rare_primary(),
        }
    }

    #[inline]
    fn leaf(&self, kind: ExprKind<'a>, token: Token) -> Result<Expr<'a>> {
        Ok(Expr { kind, span: token.span, height: 1 })
    }

    #[inline(never)]
    fn rare_primary(&mut self) -> Result<Expr<'a>> {
        if let Some(kind) = self.literal()? {
            return self.leaf(kind, self.previous);
        }
        match self.token.kind {
            TokenKind::Case => self.case(),
            TokenKind::Cast => self.cast(),
            TokenKind::Exists => self.exists(),
            TokenKind::Raise => self.raise(),
            kind if kind.is_name() => self.named(),
            _ => self.unexpected(),
        }
    }

    /// A literal, taken, if the current token is one. This is what DEFAULT takes without parentheses.
    pub(super) fn literal(&mut self) -> Result<Option<ExprKind<'a>>> {
        let text = self.token.span.text(self.sql);
        let kind = match self.token.kind {
            TokenKind::Null => ExprKind::Null,
            TokenKind::Integer => integer(text),
            TokenKind::Float => ExprKind::Float(text),
            TokenKind::SeparatedNumber => return self.separated_number().map(Some),
            TokenKind::String => ExprKind::String(unquote(text, self.arena)),
            TokenKind::Blob => ExprKind::Blob(decode_blob(text, self.arena)),
            TokenKind::CurrentDate => ExprKind::Current(CurrentTime::Date),
            TokenKind::CurrentTime => ExprKind::Current(CurrentTime::Time),
            TokenKind::CurrentTimestamp => ExprKind::Current(CurrentTime::Timestamp),
            _ => return Ok(None),
        };
        self.advance()?;
        Ok(Some(kind))
    }

    /// Whether the separators stand between digits is checked when the token is used, not when it is read.
    fn separated_number(&mut self) -> Result<ExprKind<'a>> {
        let token = self.advance()?;
        let text = match without_separators(token.span.text(self.sql), self.arena) {
            Ok(text) => text,
            Err(shown) => {
                let shown = String::from_utf8_lossy(shown);
                self.defer(None, format!("unrecognized token: \"{shown}\""));
                return Ok(ExprKind::Null);
            }
        };
        let whole = text.iter().all(u8::is_ascii_digit) || matches!(text, [b'0', b'x' | b'X', ..]);
        Ok(if whole { integer(text) } else { ExprKind::Float(text) })
    }

    /// A column or a function call.
    fn named(&mut self) -> Result<Expr<'a>> {
        let ident = self.take_ident()?;
        match self.token.kind {
            TokenKind::LeftParen => self.function_call(ident),
            TokenKind::Dot => self.qualified_column(ident),
            _ => Ok(Expr { kind: ExprKind::Column(ident), span: ident.span(), height: 1 }),
        }
    }

    #[inline(never)]
    fn qualified_column(&mut self, first: Ident<'a>) -> Result<Expr<'a>> {
        self.expect(TokenKind::Dot)?;
        let second = self.name()?;
        let third = if self.take(TokenKind::Dot)? { Some(self.name()?) } else { None };
        let (column, height) = match third {
            None => (QualifiedColumn { schema: None, table: first, column: second }, 1),
            Some(third) => (QualifiedColumn { schema: Some(first), table: second, column: third }, 2),
        };
        let column = self.arena.alloc(column);
        Ok(self.node(ExprKind::QualifiedColumn(column), first.span().start, height))
    }

    /// Parentheses in a row are opened by a loop, closed by another: their number does not deepen the
    /// native stack.
    #[inline(never)]
    fn parentheses(&mut self) -> Result<Expr<'a>> {
        let mut starts = ArenaVec::new_in(self.arena);
        while self.at(TokenKind::LeftParen) {
            self.enter(1)?;
            starts.push(self.advance()?.span.start);
        }
        let depth = starts.len();
        let bare_select = self.at_select();
        let mut expr = if bare_select { self.subquery()? } else { self.expr()? };
        while let Some(start) = starts.pop() {
            let innermost = starts.len() + 1 == depth;
            if self.at(TokenKind::Comma) && !(bare_select && innermost) {
                expr = self.row_value(expr, start)?;
            }
            self.expect(TokenKind::RightParen)?;
            self.leave(1);
            if !starts.is_empty() {
                expr = self.infix(expr, start, 0, false)?;
            }
        }
        Ok(expr)
    }

    /// The rest of `(first, ...)`, up to the closing parenthesis, which becomes part of the span.
    #[inline(never)]
    fn row_value(&mut self, first: Expr<'a>, start: u32) -> Result<Expr<'a>> {
        let mut values = ArenaVec::new_in(self.arena);
        values.push(first);
        self.enter(2)?;
        while self.take(TokenKind::Comma)? {
            values.push(self.expr()?);
        }
        self.leave(2);
        let values = values.into_bump_slice();
        let mut expr = self.node(ExprKind::RowValue(values), start, tallest(values));
        expr.span.end = self.token.span.end;
        Ok(expr)
    }

    #[inline(never)]
    fn subquery(&mut self) -> Result<Expr<'a>> {
        let select = self.select()?;
        let mut expr = self.node(ExprKind::Subquery(select), select.span.start, select.height);
        expr.span = select.span;
        Ok(expr)
    }

    /// Whether a select starts here, behind an opening parenthesis. (WITH is no name there.)
    #[inline]
    pub(super) fn at_select(&self) -> bool {
        matches!(self.token.kind, TokenKind::Select | TokenKind::Values | TokenKind::With)
    }

    /// `[expr, ...]` before a closing parenthesis, which stays.
    pub(super) fn exprs_until_paren(&mut self) -> Result<&'a [Expr<'a>]> {
        if self.at(TokenKind::RightParen) {
            return Ok(&[]);
        }
        self.list(Self::expr)
    }

    /// `( [expr, ...] )`
    pub(super) fn parenthesized_exprs(&mut self) -> Result<&'a [Expr<'a>]> {
        self.expect(TokenKind::LeftParen)?;
        let exprs = self.exprs_until_paren()?;
        self.expect(TokenKind::RightParen)?;
        Ok(exprs)
    }

    #[inline(never)]
    fn case(&mut self) -> Result<Expr<'a>> {
        let start = self.advance()?.span.start;
        self.enter(CASE_ENTRIES)?;
        let case = self.arena.alloc(Case { operand: None, whens: &[], otherwise: None });
        let mut height = 0;
        if !self.at(TokenKind::When) {
            let operand = self.expr()?;
            height = operand.height;
            case.operand = Some(operand);
        }
        case.whens = self.whens()?;
        if self.take(TokenKind::Else)? {
            let otherwise = self.expr()?;
            height = height.max(otherwise.height);
            case.otherwise = Some(otherwise);
        }
        self.expect(TokenKind::End)?;
        self.leave(CASE_ENTRIES);
        let branches = case.whens.iter().map(|when| when.condition.height.max(when.value.height));
        height = height.max(branches.max().unwrap_or(0));
        Ok(self.node(ExprKind::Case(case), start, height))
    }

    /// One or more branches.
    #[inline(never)]
    fn whens(&mut self) -> Result<&'a [When<'a>]> {
        let mut whens = ArenaVec::new_in(self.arena);
        while whens.is_empty() || self.at(TokenKind::When) {
            self.expect(TokenKind::When)?;
            let condition = self.expr()?;
            self.expect(TokenKind::Then)?;
            let value = self.expr()?;
            whens.push(When { condition, value });
        }
        Ok(whens.into_bump_slice())
    }

    #[inline(never)]
    fn cast(&mut self) -> Result<Expr<'a>> {
        let start = self.advance()?.span.start;
        self.enter(2)?;
        self.expect(TokenKind::LeftParen)?;
        let value = self.expr()?;
        self.expect(TokenKind::As)?;
        let type_name = self.type_name()?;
        self.expect(TokenKind::RightParen)?;
        self.leave(2);
        let cast = self.arena.alloc(Cast { value, type_name });
        Ok(self.node(ExprKind::Cast(cast), start, value.height))
    }

    #[inline(never)]
    fn exists(&mut self) -> Result<Expr<'a>> {
        let start = self.advance()?.span.start;
        self.enter(2)?;
        self.expect(TokenKind::LeftParen)?;
        if !self.at_select() {
            return self.unexpected();
        }
        let select = self.select()?;
        self.expect(TokenKind::RightParen)?;
        self.leave(2);
        Ok(self.node(ExprKind::Exists(select), start, select.height))
    }

    #[inline(never)]
    fn raise(&mut self) -> Result<Expr<'a>> {
        let start = self.advance()?.span.start;
        self.enter(4)?;
        self.expect(TokenKind::LeftParen)?;
        let action = match self.token.kind {
            TokenKind::Ignore => RaiseAction::Ignore,
            TokenKind::Rollback => RaiseAction::Rollback,
            TokenKind::Abort => RaiseAction::Abort,
            TokenKind::Fail => RaiseAction::Fail,
            _ => return self.unexpected(),
        };
        self.advance()?;
        let message = match action {
            RaiseAction::Ignore => None,
            _ => {
                self.expect(TokenKind::Comma)?;
                Some(self.expr()?)
            }
        };
        self.expect(TokenKind::RightParen)?;
        self.leave(4);
        let height = message.map_or(0, |message| message.height);
        let raise = self.arena.alloc(Raise { action, message });
        Ok(self.node(ExprKind::Raise(raise), start, height))
    }

    /// A name as an expression: what DEFAULT takes for a string, or an indexed column.
    pub(super) fn string_of(&self, ident: Ident<'a>) -> Expr<'a> {
        debug_assert!(ident.quote() != Quote::Single);
        Expr { kind: ExprKind::String(ident.name.as_bytes()), span: ident.span(), height: 1 }
    }
}
