//! Tokens to tree, by recursive descent.
//!
//! The grammar is that of SQLite's documentation. SQLite's own parser is LALR(1), and so never takes a token that cannot continue
//! the statement: its message names the first such token. A recursive descent with one token of lookahead has the same property,
//! so the messages agree.
//!
//! SQLite finds errors that are not about a token (a row too short, an ORDER BY before a UNION) when it reduces a production,
//! which happens only after the next token has been accepted. This parser defers such errors until then.
//!
//! A keyword that is not reserved is a name wherever its keyword meaning is not possible. So the parser first checks for the
//! keywords, and for a name last.
//!
//! The parser does not raise errors that need the schema, or that SQLite raises only when it resolves names (RAISE outside a
//! trigger, ON with a NATURAL join): a view may contain such text.
//!
//! The grammar is one function per production, by subject; each function takes the [`Parser`], which is the cursor over the
//! tokens and independent of the productions. Expressions contain queries and queries contain expressions, so that queries are a
//! part of `expr`.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `cursor` | the tokens: taking and expecting tokens, lists, the limit of nesting, errors |
//! | `parameters` | the numbers of parameters |
//! | `names` | aliases, lists of columns, types, signed numbers |
//! | `statement` | selecting the kind of statement |
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

/// The result of [`parse_statement`].
#[derive(Clone, Copy, Debug)]
pub struct Parsed<'a> {
    /// The statement; `None` if the text contains only white space, comments and semicolons.
    pub statement: Option<Statement<'a>>,
    /// The offset after the statement and its semicolon, where the next statement starts.
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
    // A parser that reaches the end of truncated text has read beyond the limit.
    if cut && parser.token.kind == TokenKind::EndOfText {
        return too_big();
    }
    parsed
}

#[cfg(test)]
mod tests;
