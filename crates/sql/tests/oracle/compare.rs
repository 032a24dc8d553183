//! Runs both parsers and compares the results.

use bumpalo::Bump;
use lithe_sql::ast::{Explain, Expr, ExprKind, ResultColumn, ResultColumnKind, Select, SelectCore, Statement, Stmt};
use lithe_sql::{Limits, ParseError, Parsed, parse_statement};
use rusqlite::Connection;

pub struct Oracle {
    connection: Connection,
}

pub enum Verdict {
    Accepted,
    Refused,
    Differs(String),
}

/// The beginnings of messages that SQLite's parser itself raises.
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
    "temporary trigger may not have qualified name",
    "Recursion limit",
    "cannot override ",
    "DISTINCT is not supported for window functions",
];

/// Statements within which SQLite's parser reads the schema, so that a missing table or a second column of the same name can hide
/// a later syntax error. VALUES of constant rows belongs to them: its code is generated during parsing.
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
        // rusqlite does not tell the tail.
        let ours = ours.map_err(|error| ParseError { tail: 0, ..error });
        // Only the first statement is compared.
        let sql = match &ours {
            Ok(parsed) => &sql[..parsed.tail],
            Err(_) => sql,
        };
        match (self.prepare(sql), ours) {
            (None, Ok(parsed)) => self.compare_accepted(sql, &parsed),
            (None, Err(error)) => differs(None, Some(&error)),
            (Some(theirs), _) if is_limited_change(sql, &theirs) => Verdict::Refused,
            (Some(theirs), ours) if is_the_parsers(&theirs.message) => match ours {
                Err(error) if error == theirs => Verdict::Refused,
                other => differs(Some(&theirs), other.err().as_ref()),
            },
            (Some(_), Ok(_)) => Verdict::Accepted,
            (Some(theirs), Err(error)) if theirs == error || looks_early(sql) => Verdict::Refused,
            (Some(theirs), Err(error)) => differs(Some(&theirs), Some(&error)),
        }
    }

    /// Compares the parameters and the names of result columns of a statement that both parsers accept.
    fn compare_accepted(&self, sql: &str, parsed: &Parsed<'_>) -> Verdict {
        let (Some(statement), Ok(theirs)) = (parsed.statement, self.connection.prepare(sql)) else {
            return Verdict::Accepted;
        };
        let parameters = statement.parameters;
        if theirs.parameter_count() != parameters.count as usize {
            return Verdict::Differs(format!("parameters: {} {}", theirs.parameter_count(), parameters.count));
        }
        for number in 1..=parameters.count {
            let name = parameters.name(number).map(String::from_utf8_lossy);
            if theirs.parameter_name(number as usize) != name.as_deref() {
                return Verdict::Differs(format!("name of parameter {number}: {name:?}"));
            }
        }
        let Some(names) = column_names(sql, &statement) else {
            return Verdict::Accepted;
        };
        let their_names: Vec<&str> = theirs.column_names().collect();
        if their_names != names {
            return Verdict::Differs(format!("columns: {their_names:?} {names:?}"));
        }
        Verdict::Accepted
    }

    /// SQLite's error, if there is one.
    fn prepare(&self, sql: &str) -> Option<ParseError> {
        match self.connection.prepare(sql) {
            Ok(_) => None,
            Err(rusqlite::Error::SqlInputError { msg, offset, .. }) => {
                Some(ParseError { message: msg, offset: u32::try_from(offset).ok(), too_big: false, tail: 0 })
            }
            Err(rusqlite::Error::SqliteFailure(_, message)) => {
                Some(ParseError { message: message.unwrap_or_default(), offset: None, too_big: false, tail: 0 })
            }
            Err(other) => panic!("{sql}: {other}"),
        }
    }
}

/// The names of the result columns, if the text alone determines all of them.
fn column_names(sql: &str, statement: &Statement<'_>) -> Option<Vec<String>> {
    let Some(Stmt::Select(Select { first: SelectCore::Query(query), .. })) = statement.program() else {
        return None;
    };
    if statement.explain != Explain::No {
        return None;
    }
    query.columns.iter().map(|column| column_name(sql, column)).collect()
}

fn column_name(sql: &str, column: &ResultColumn<'_>) -> Option<String> {
    if let Some(alias) = column.alias {
        return Some(alias.name.to_string());
    }
    match column.kind {
        ResultColumnKind::Expr(Expr { kind: ExprKind::Column(_) | ExprKind::QualifiedColumn(_), .. }) => None,
        ResultColumnKind::Expr(_) => {
            let text = column.span.text(sql.as_bytes());
            Some(String::from_utf8_lossy(text).into_owned())
        }
        ResultColumnKind::Star | ResultColumnKind::TableStar(_) => None,
    }
}

fn is_the_parsers(message: &str) -> bool {
    PARSER_MESSAGES.iter().any(|start| message.starts_with(start))
}

/// Whether the bundled SQLite stumbles over ORDER BY or LIMIT of an UPDATE or DELETE, for which it was not built.
fn is_limited_change(sql: &str, theirs: &ParseError) -> bool {
    let sql = sql.to_lowercase();
    let is_change = ["update", "delete", "with", "explain"].iter().any(|word| sql.trim_start().starts_with(word));
    let stumbles = ["near \"order\": syntax error", "near \"limit\": syntax error"];
    is_change
        && (sql.contains("update") || sql.contains("delete"))
        && stumbles.contains(&theirs.message.to_lowercase().as_str())
}

fn looks_early(sql: &str) -> bool {
    let start = sql.trim_start().to_lowercase();
    LOOKS_EARLY.iter().any(|word| start.starts_with(word)) || start.contains("values")
}

fn differs(theirs: Option<&ParseError>, ours: Option<&ParseError>) -> Verdict {
    let show = |error: Option<&ParseError>| match error {
        None => "accepted".to_string(),
        Some(error) => format!("{} at {:?}", error.message, error.offset),
    };
    Verdict::Differs(format!("SQLite: {}; we: {}", show(theirs), show(ours)))
}
