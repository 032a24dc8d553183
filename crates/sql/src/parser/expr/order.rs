//! ORDER BY.

use super::expr;
use crate::ast::{Nulls, OrderTerm};
use crate::error::Result;
use crate::parser::cursor::Parser;
use crate::parser::names::direction;
use crate::token::TokenKind;

/// `ORDER BY terms`, if it is next.
pub(super) fn order_by<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a [OrderTerm<'a>]> {
    if !parser.take(TokenKind::Order)? {
        return Ok(&[]);
    }
    parser.expect(TokenKind::By)?;
    parser.list(order_term)
}

pub(crate) fn order_term<'a>(parser: &mut Parser<'a, '_>) -> Result<OrderTerm<'a>> {
    let expr = expr(parser)?;
    let direction = direction(parser)?;
    let nulls = match parser.take(TokenKind::Nulls)? {
        false => None,
        true if parser.take(TokenKind::First)? => Some(Nulls::First),
        true => {
            parser.expect(TokenKind::Last)?;
            Some(Nulls::Last)
        }
    };
    Ok(OrderTerm { expr, direction, nulls })
}

/// The height of the highest expression of the terms.
pub(super) fn tallest_term(terms: &[OrderTerm<'_>]) -> u32 {
    terms.iter().map(|term| term.expr.height).max().unwrap_or(0)
}
