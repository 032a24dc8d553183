//! The names of a statement's parameters, read from its text when somebody asks for them.

use bumpalo::Bump;

use crate::ast::ParameterName;
use crate::lexer::Lexer;
use crate::parser::ParameterList;
use crate::token::TokenKind;

/// The named parameters of a statement that has been parsed without an error, in the order of their first appearance.
pub fn parameter_names<'a>(sql: &'a [u8], arena: &'a Bump) -> &'a [ParameterName<'a>] {
    let mut list = ParameterList::new(arena);
    let mut lexer = Lexer::new(sql);
    loop {
        let token = lexer.next_rough();
        match token.kind {
            TokenKind::EndOfText => return list.finish(arena).names,
            TokenKind::Parameter => {
                if let Some(number) = list.number(token.span.text(sql), u32::MAX) {
                    list.note(number);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, parse_statement};

    #[test]
    fn names_are_those_of_the_parser() {
        let arena = Bump::new();
        for sql in [
            "SELECT ?, ?2, :a, @b, $c, ?, ?2, :a, ?02, ?1",
            "SELECT $a::b(c), $a::b, ':x', \":y\", /* ?9 */ ?7 -- ?8",
            "INSERT INTO t VALUES (:one, :two), (:two, ?), (?1, ?3)",
            "UPDATE t SET a = ?5, b = ? WHERE c = ?01 LIMIT :n; SELECT ?",
            "PRAGMA cache_size",
        ] {
            let parsed = parse_statement(sql.as_bytes(), &arena, &Limits::default()).unwrap();
            let text = &sql.as_bytes()[..parsed.tail];
            let told =
                |names: &[ParameterName<'_>]| names.iter().map(|p| (p.name.to_vec(), p.number)).collect::<Vec<_>>();
            let statement = parsed.statement.unwrap();
            assert_eq!(told(parameter_names(text, &arena)), told(statement.parameters.names), "{sql}");
        }
    }
}
