//! Tokens to tree, by recursive descent.
//!
//! The grammar is SQLite's as its documentation draws it. SQLite's own parser is LALR(1) and so never
//! takes a token that cannot continue the statement: the first bad token is the one its message names.
//! Descent that looks one token ahead has the same property, which is why the messages agree.
//!
//! The errors that are not about a token (a row too short, an ORDER BY before a UNION) SQLite finds when it reduces,
//! and it reduces only once the next token turned out to fit. They are deferred until then.
//!
//! A keyword that is not reserved is a name wherever it cannot be itself. Here that means: ask for the
//! keywords first, for a name last.
//!
//! Messages that need the schema, or that SQLite gives only when it resolves names (RAISE outside a trigger,
//! ON with a NATURAL join), are not the parser's: such text may stand in a view.
//!
//! The grammar is one function per production, by subject; each takes the [`Parser`], which is the cursor over the tokens and
//! knows no production. An expression contains queries and a query expressions, so that queries are a part of `expr`.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `cursor` | the tokens: take, expect, lists, the bound on nesting, errors |
//! | `parameters` | the numbers of parameters |
//! | `names` | aliases, lists of columns, types, signed numbers |
//! | `statement` | which statement is it? |
//! | `expr` | expressions; `primary`, `function`, `window`, `order`, `parameter` are their parts |
//! | `expr::query` | SELECT; `from`, `values`, `with` are its parts |
//! | `dml` | INSERT, UPDATE, DELETE |
//! | `create` | CREATE; `table`, `constraint`, `trigger` are its parts |
//! | `command`, `alter` | the short statements |

mod alter;
mod command;
mod create;
mod cursor;
mod dml;
mod expr;
mod names;
mod parameters;
mod statement;

use bumpalo::Bump;

use crate::ast::Statement;
use crate::error::{ParseError, Result, too_big};
use crate::limits::Limits;
use crate::token::TokenKind;
use cursor::Parser;

/// What [`parse_statement`] found.
#[derive(Clone, Copy, Debug)]
pub struct Parsed<'a> {
    /// The statement; none if there was nothing but space, comments and semicolons.
    pub statement: Option<Statement<'a>>,
    /// The offset behind the statement and its semicolon, where the next one starts.
    pub tail: usize,
}

/// Parses the first statement of `sql`. The tree borrows from the text and from the arena.
///
/// ```
/// let arena = bumpalo::Bump::new();
/// let parsed = lithe_sql::parse_statement(b"select 1; select 2", &arena, &Default::default()).unwrap();
/// assert!(parsed.statement.is_some());
/// assert_eq!(parsed.tail, 9);
/// ```
pub fn parse_statement<'a>(
    sql: &'a [u8],
    arena: &'a Bump,
    limits: &Limits,
) -> std::result::Result<Parsed<'a>, ParseError> {
    parse(sql, arena, limits).map_err(|error| *error)
}

fn parse<'a>(sql: &'a [u8], arena: &'a Bump, limits: &Limits) -> Result<Parsed<'a>> {
    let longest = limits.sql_length as usize;
    let cut = sql.len() > longest;
    let mut parser = Parser::new(sql.get(..longest).unwrap_or(sql), arena, limits);
    let parsed = statement::first_statement(&mut parser);
    // A parser that reaches the end of a text that was cut has read further than the limit.
    if cut && parser.token.kind == TokenKind::EndOfText {
        return too_big();
    }
    parsed
}

#[cfg(test)]
mod tests;
