//! Function calls.

use super::order::{order_by, tallest_term};
use super::window::{window, window_name};
use super::{expr, tallest};
use crate::ast::{Expr, ExprKind, FunctionCall, Ident, Over};
use crate::error::Result;
use crate::parser::cursor::Parser;
use crate::token::TokenKind;

/// Entries on the parser's stack: name, parenthesis, DISTINCT.
const CALL_ENTRIES: u32 = 3;

/// The call of `name`; the opening parenthesis is the current token.
#[inline(never)]
pub(super) fn function_call<'a>(parser: &mut Parser<'a, '_>, name: Ident<'a>) -> Result<Expr<'a>> {
    parser.enter(CALL_ENTRIES)?;
    // Allocated in the arena, because nested calls would add it to the native stack repeatedly.
    let call: &'a mut FunctionCall<'a> = parser.arena.alloc(FunctionCall {
        name,
        distinct: false,
        star: false,
        args: &[],
        order_by: &[],
        filter: None,
        over: None,
    });
    parser.expect(TokenKind::LeftParen)?;
    call.star = parser.take(TokenKind::Star)?;
    if !call.star {
        arguments(parser, call)?;
    }
    parser.expect(TokenKind::RightParen)?;
    parser.leave(CALL_ENTRIES);
    check_argument_count(parser, call);
    let height = tallest(call.args).max(tallest_term(call.order_by));
    if matches!(parser.token.kind, TokenKind::Filter | TokenKind::Over) {
        filter_and_over(parser, call)?;
    }
    Ok(parser.node(ExprKind::Function(call), call.name.span().start, height))
}

fn check_argument_count<'a>(parser: &mut Parser<'a, '_>, call: &FunctionCall<'a>) {
    if call.args.len() > parser.limits.function_args as usize {
        let name = call.name.span();
        let message = format!("too many arguments on function {}", parser.lossy(name));
        parser.defer(Some(name.start), message);
    }
}

fn arguments<'a>(parser: &mut Parser<'a, '_>, call: &mut FunctionCall<'a>) -> Result<()> {
    call.distinct = parser.take(TokenKind::Distinct)?;
    if !call.distinct {
        parser.take(TokenKind::All)?;
    }
    if !parser.at(TokenKind::RightParen) && !parser.at(TokenKind::Order) {
        call.args = parser.list(expr)?;
    }
    let order_by = order_by(parser)?;
    if order_by.len() > parser.limits.columns as usize {
        parser.defer(None, "too many terms in ORDER BY clause");
    }
    if !call.args.is_empty() {
        call.order_by = order_by;
    }
    Ok(())
}

#[inline(never)]
fn filter_and_over<'a>(parser: &mut Parser<'a, '_>, call: &mut FunctionCall<'a>) -> Result<()> {
    if parser.take(TokenKind::Filter)? {
        parser.enter(3)?;
        parser.expect_all(&[TokenKind::LeftParen, TokenKind::Where])?;
        call.filter = Some(expr(parser)?);
        parser.expect(TokenKind::RightParen)?;
        parser.leave(3);
    }
    if parser.take(TokenKind::Over)? {
        call.over = Some(match parser.at(TokenKind::LeftParen) {
            true => Over::Window(parser.arena.alloc(window(parser)?)),
            false => Over::Name(window_name(parser)?),
        });
        check_window_function(parser, call);
    }
    Ok(())
}

fn check_window_function<'a>(parser: &mut Parser<'a, '_>, call: &FunctionCall<'a>) {
    if !call.order_by.is_empty() {
        let message = format!("ORDER BY may not be used with non-aggregate {}()", call.name.name);
        parser.defer(Some(call.name.span().start), message);
    } else if call.distinct {
        parser.defer(None, "DISTINCT is not supported for window functions");
    }
}
