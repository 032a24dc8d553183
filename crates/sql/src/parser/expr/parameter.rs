//! Parameters.

use crate::ast::ExprKind;
use crate::parser::cursor::Parser;
use crate::token::Token;

/// The parameter of the last token taken.
pub(super) fn parameter<'a>(parser: &mut Parser<'a, '_>, token: Token) -> ExprKind<'a> {
    let name = token.span.text(parser.sql);
    if let [b'#', b'0'..=b'9', ..] = name {
        return register(parser, token);
    }
    let Some(number) = parser.parameters.number(name, parser.limits.variable_number) else {
        return out_of_range(parser, token);
    };
    if number > parser.limits.variable_number {
        parser.defer(Some(token.span.start), "too many SQL variables");
        return ExprKind::Parameter(1);
    }
    parser.parameters.note(number);
    ExprKind::Parameter(number)
}

#[cold]
fn out_of_range<'a>(parser: &mut Parser<'a, '_>, token: Token) -> ExprKind<'a> {
    let limit = parser.limits.variable_number;
    parser.defer(Some(token.span.start), format!("variable number must be between ?1 and ?{limit}"));
    ExprKind::Parameter(1)
}

/// `#1` is a register of the program in SQLite's internal nested statements. In other statements it is an error, and not an
/// expression.
#[cold]
fn register<'a>(parser: &mut Parser<'a, '_>, token: Token) -> ExprKind<'a> {
    let message = format!("near \"{}\": syntax error", parser.lossy(token.span));
    parser.defer(Some(token.span.start), message);
    ExprKind::Null
}
