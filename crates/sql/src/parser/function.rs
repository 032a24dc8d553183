//! Function calls.

use super::Parser;
use super::expr::tallest;
use crate::ast::{Expr, ExprKind, FunctionCall, Ident, OrderTerm, Over};
use crate::error::Result;
use crate::token::TokenKind;

/// Entries on the parser's stack: name, parenthesis, DISTINCT.
const CALL_ENTRIES: u32 = 3;

impl<'a> Parser<'a, '_> {
    /// The call of `name`; the opening parenthesis is the current token.
    #[inline(never)]
    pub(super) fn function_call(&mut self, name: Ident<'a>) -> Result<Expr<'a>> {
        self.enter(CALL_ENTRIES)?;
        // Built in the arena, not on the native stack, where calls within calls would pile it up.
        let call: &'a mut FunctionCall<'a> = self.arena.alloc(FunctionCall {
            name,
            distinct: false,
            star: false,
            args: &[],
            order_by: &[],
            filter: None,
            over: None,
        });
        self.expect(TokenKind::LeftParen)?;
        call.star = self.take(TokenKind::Star)?;
        if !call.star {
            self.arguments(call)?;
        }
        self.expect(TokenKind::RightParen)?;
        self.leave(CALL_ENTRIES);
        self.check_argument_count(call);
        let height = tallest(call.args).max(tallest_term(call.order_by));
        if matches!(self.token.kind, TokenKind::Filter | TokenKind::Over) {
            self.filter_and_over(call)?;
        }
        Ok(self.node(ExprKind::Function(call), call.name.span().start, height))
    }

    fn check_argument_count(&mut self, call: &FunctionCall<'a>) {
        if call.args.len() > self.limits.function_args as usize {
            let name = call.name.span();
            let message = format!("too many arguments on function {}", self.lossy(name));
            self.defer(Some(name.start), message);
        }
    }

    fn arguments(&mut self, call: &mut FunctionCall<'a>) -> Result<()> {
        call.distinct = self.take(TokenKind::Distinct)?;
        if !call.distinct {
            self.take(TokenKind::All)?;
        }
        if !self.at(TokenKind::RightParen) && !self.at(TokenKind::Order) {
            call.args = self.list(Self::expr)?;
        }
        let order_by = self.order_by()?;
        if !call.args.is_empty() {
            call.order_by = order_by;
        }
        Ok(())
    }

    #[inline(never)]
    fn filter_and_over(&mut self, call: &mut FunctionCall<'a>) -> Result<()> {
        if self.take(TokenKind::Filter)? {
            self.enter(3)?;
            self.expect_all(&[TokenKind::LeftParen, TokenKind::Where])?;
            call.filter = Some(self.expr()?);
            self.expect(TokenKind::RightParen)?;
            self.leave(3);
        }
        if self.take(TokenKind::Over)? {
            call.over = Some(match self.at(TokenKind::LeftParen) {
                true => Over::Window(self.arena.alloc(self.window()?)),
                false => Over::Name(self.window_name()?),
            });
            self.check_window_function(call);
        }
        Ok(())
    }

    fn check_window_function(&mut self, call: &FunctionCall<'a>) {
        if !call.order_by.is_empty() {
            let message = format!("ORDER BY may not be used with non-aggregate {}()", call.name.name);
            self.defer(Some(call.name.span().start), message);
        } else if call.distinct {
            self.defer(None, "DISTINCT is not supported for window functions");
        }
    }
}

/// The height of the highest expression sorted by.
pub(super) fn tallest_term(terms: &[OrderTerm<'_>]) -> u32 {
    terms.iter().map(|term| term.expr.height).max().unwrap_or(0)
}
