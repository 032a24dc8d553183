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
//! | `beginning` | the part of a CREATE or ALTER before a syntax error |

mod alter;
mod beginning;
mod command;
mod create;
mod cursor;
mod dml;
mod expr;
mod names;
mod parameters;
mod statement;

use bumpalo::Bump;

use crate::ast::{Statement, Stmt};
use crate::error::{ParseError, Result, too_big};
use crate::lexer::Lexer;
use crate::limits::Limits;
use crate::token::{Token, TokenKind};
use cursor::Parser;
pub(crate) use parameters::ParameterList;

/// The result of [`parse_statement`].
#[derive(Clone, Copy, Debug)]
pub struct Parsed<'a> {
    /// The statement; `None` if the text contains only white space, comments and semicolons.
    pub statement: Option<Statement<'a>>,
    /// The offset after the statement and its semicolon, where the next statement starts.
    pub tail: usize,
}

/// The result of [`parse_beginning`].
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'a> {
    /// The part before the error, as a statement.
    pub stmt: Stmt<'a>,
    /// Whether it is the whole statement: the error is its last word, an unknown option of a table.
    pub is_whole: bool,
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
    let mut parsed = statement::first_statement(&mut parser);
    // A parser that reaches the end of truncated text has read beyond the limit, and so has one whose last token is truncated.
    if cut && (parser.token.kind == TokenKind::EndOfText || is_truncated(sql, &parser.token, limits)) {
        return too_big(sql.len());
    }
    if let Err(error) = &mut parsed {
        error.tail = end_of_reading(&parser.token);
    }
    parsed
}

/// Whether the token, which was read before the text was known to go on, is longer in the whole text.
#[cold]
fn is_truncated(sql: &[u8], token: &Token, limits: &Limits) -> bool {
    let (start, end) = (token.span.start as usize, token.span.end as usize);
    let ends_with_text = end == limits.sql_length as usize;
    ends_with_text && Lexer::new(sql.get(start..).unwrap_or_default()).next_token().span.end as usize > end - start
}

/// Where SQLite stops reading if it finds an error when `token` is the next one. A token that is illegal is not read.
#[cold]
fn end_of_reading(token: &Token) -> u32 {
    let is_illegal = matches!(token.kind, TokenKind::Illegal | TokenKind::Comment);
    if is_illegal { token.span.start } else { token.span.end }
}

/// What the first statement of `sql`, which has a syntax error, creates or alters, as far as it can be parsed: a CREATE TABLE
/// with the columns and constraints before the error, for instance. SQLite checks these while it reads the text, and so
/// reports what is wrong with them rather than the syntax error.
#[cold]
pub fn parse_beginning<'a>(sql: &'a [u8], arena: &'a Bump, limits: &Limits) -> Option<Beginning<'a>> {
    let mut parser = Parser::new(sql, arena, limits);
    let stmt = beginning::beginning(&mut parser)?;
    let is_at_end = parser.at(TokenKind::Semicolon) || parser.at(TokenKind::EndOfText);
    Some(Beginning { stmt, is_whole: is_at_end && parser.deferred.is_some() })
}

#[cfg(test)]
mod tests;
