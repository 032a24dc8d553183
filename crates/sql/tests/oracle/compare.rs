//! Asks both parsers and judges.

use bumpalo::Bump;
use lithe_sql::{Limits, ParseError, parse_statement};
use rusqlite::Connection;

pub struct Oracle {
    connection: Connection,
}

pub enum Verdict {
    Accepted,
    Refused,
    Differs(String),
}

/// How the messages start that SQLite's parser itself raises.
const PARSER_MESSAGES: &[&str] = &[
    "near \"",
    "incomplete input",
    "unrecognized token: ",
    "ORDER BY clause should come after ",
    "LIMIT clause should come after ",
    "too many arguments on function ",
    "too many terms in compound SELECT",
    "unknown join type: ",
    "a JOIN clause is required before ",
    "unsupported frame specification",
    "unknown table option: ",
    "the INDEXED BY clause is not allowed on ",
    "the NOT INDEXED clause is not allowed on ",
    "syntax error after column name ",
    "variable number must be between ",
    "too many SQL variables",
    "duplicate WITH table name: ",
    "IN(...) element has ",
    "parameters are not allowed in views",
    "cannot use RETURNING in a trigger",
    "temporary table name must be unqualified",
    "temporary trigger may not have qualified name",
    "Recursion limit",
    "cannot override ",
    "DISTINCT is not supported for window functions",
];

/// Errors of code generation, which SQLite starts while it still parses where VALUES has constant rows.
fn is_early(message: &str) -> bool {
    message.starts_with("hex literal too big")
        || message.starts_with("all VALUES must")
        || message == "row value misused"
}

/// Statements in whose middle SQLite looks at the schema, so that a missing table or a second column of the same name
/// can hide a syntax error further on.
const LOOKS_EARLY: &[&str] = &["create", "alter", "explain", ";", "/*", "--"];

impl Oracle {
    pub fn new() -> Oracle {
        let connection = Connection::open_in_memory().expect("open");
        connection
            .execute_batch("CREATE TABLE t(a,b,c); CREATE TABLE u(x,y); CREATE VIEW w AS SELECT 1 AS a;")
            .expect("schema");
        Oracle { connection }
    }

    pub fn compare(&self, sql: &str) -> Verdict {
        let arena = Bump::new();
        let ours = parse_statement(sql.as_bytes(), &arena, &Limits::default());
        // Only the first statement is compared.
        let sql = match &ours {
            Ok(parsed) => &sql[..parsed.tail],
            Err(_) => sql,
        };
        match (self.prepare(sql), ours) {
            (None, Ok(_)) => Verdict::Accepted,
            (None, Err(error)) => differs(None, Some(&error)),
            (Some(theirs), ours) if is_the_parsers(&theirs.message) => match ours {
                Err(error) if error == theirs => Verdict::Refused,
                other => differs(Some(&theirs), other.err().as_ref()),
            },
            (Some(_), Ok(_)) => Verdict::Accepted,
            (Some(theirs), Err(error))
                if theirs == error
                    || looks_early(sql)
                    || is_early(&theirs.message)
                    || error.message.starts_with("unsupported use of NULLS") =>
            {
                Verdict::Refused
            }
            (Some(theirs), Err(error)) => differs(Some(&theirs), Some(&error)),
        }
    }

    /// SQLite's error, if it has one.
    pub fn prepare(&self, sql: &str) -> Option<ParseError> {
        match self.connection.prepare(sql) {
            Ok(_) | Err(rusqlite::Error::MultipleStatement) => None,
            Err(rusqlite::Error::SqlInputError { msg, offset, .. }) => {
                Some(ParseError { message: msg, offset: u32::try_from(offset).ok(), too_big: false })
            }
            Err(rusqlite::Error::SqliteFailure(_, message)) => {
                Some(ParseError { message: message.unwrap_or_default(), offset: None, too_big: false })
            }
            Err(other) => panic!("{sql}: {other}"),
        }
    }
}

fn is_the_parsers(message: &str) -> bool {
    PARSER_MESSAGES.iter().any(|start| message.starts_with(start))
}

fn looks_early(sql: &str) -> bool {
    let start = sql.trim_start().to_lowercase();
    LOOKS_EARLY.iter().any(|word| start.starts_with(word))
}

fn differs(theirs: Option<&ParseError>, ours: Option<&ParseError>) -> Verdict {
    let show = |error: Option<&ParseError>| match error {
        None => "accepted".to_string(),
        Some(error) => format!("{} at {:?}", error.message, error.offset),
    };
    Verdict::Differs(format!("SQLite: {}; we: {}", show(theirs), show(ours)))
}
