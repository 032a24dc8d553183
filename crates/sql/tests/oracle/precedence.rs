//! Which operands belong to which operator: a random chain of operators, and the same chain with all parentheses of this parser's
//! tree, must have the same value in SQLite.

use bumpalo::Bump;
use lithe_sql::ast::{BinaryOp, Expr, ExprKind, InSet, LikeOp, ResultColumnKind, SelectCore, Stmt, UnaryOp};
use lithe_sql::{Limits, parse_statement};
use rusqlite::Connection;
use rusqlite::types::Value;

use crate::random::Random;

const OPERANDS: &[&str] =
    &["0", "1", "2", "3", "7", "-1", "2.5", "'a'", "'3'", "null", "(4)", "((1,2)=(1,2))", "abs(-5)"];
const PREFIXES: &[&str] = &["-", "+", "~", "not"];
const INFIXES: &[&str] = &[
    "or",
    "and",
    "=",
    "==",
    "<>",
    "!=",
    "is",
    "is not",
    "is distinct from",
    "is not distinct from",
    "<",
    "<=",
    ">",
    ">=",
    "<<",
    ">>",
    "&",
    "|",
    "+",
    "-",
    "*",
    "/",
    "%",
    "||",
    "like",
    "glob",
    "not like",
    "not glob",
];
const SUFFIXES: &[&str] = &["isnull", "notnull", "not null", "collate nocase", "in (1, 2)", "not in (0, 'a')"];

#[test]
fn parentheses_change_nothing() {
    let connection = Connection::open_in_memory().expect("open");
    for number in 0..10_000 {
        let mut random = Random::new(number);
        let sql = format!("select {}", flat_expression(&mut random));
        let arena = Bump::new();
        let parsed = parse_statement(sql.as_bytes(), &arena, &Limits::default());
        let theirs = connection.query_row(&sql, [], |row| row.get::<_, Value>(0));
        let (parsed, value) = match (parsed, theirs) {
            (Ok(parsed), Ok(value)) => (parsed, value),
            (Err(error), Err(theirs)) => {
                assert!(theirs.to_string().contains(&error.message), "{sql}: {theirs}, {error}");
                continue;
            }
            // A run-time error: a bad ESCAPE, an overflow.
            (Ok(_), Err(rusqlite::Error::SqliteFailure(..))) => continue,
            (ours, theirs) => panic!("{sql}: {theirs:?}, {:?}", ours.err()),
        };
        let Some(Stmt::Select(select)) = parsed.statement.and_then(|statement| statement.program()) else {
            panic!("{sql} is no SELECT");
        };
        let SelectCore::Query(query) = select.first else { panic!("{sql} has no columns") };
        let ResultColumnKind::Expr(expr) = query.columns[0].kind else { panic!("{sql} is a star") };
        let explicit = format!("select {}", parenthesized(sql.as_bytes(), &expr));
        let again: Value = connection.query_row(&explicit, [], |row| row.get(0)).expect(&explicit);
        assert_eq!(value, again, "{sql}\n{explicit}");
    }
}

fn flat_expression(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..2 + random.below(4) {
        while random.one_in(4) {
            text += random.pick(PREFIXES);
            text.push(' ');
        }
        text += random.pick(OPERANDS);
        text.push(' ');
        while random.one_in(5) {
            text += random.pick(SUFFIXES);
            text.push(' ');
        }
        match random.below(8) {
            0 => text += "between 1 and ",
            1 => text += "not between 0 or 1 and ",
            2 => text += "like 'a' escape ",
            _ => {
                text += random.pick(INFIXES);
                text.push(' ');
            }
        }
    }
    text + random.pick(OPERANDS)
}

/// The expression with parentheses around each operator.
fn parenthesized(sql: &[u8], expr: &Expr<'_>) -> String {
    let show = |expr: &Expr<'_>| parenthesized(sql, expr);
    let not = |not: bool| if not { "NOT " } else { "" };
    match expr.kind {
        ExprKind::Unary(UnaryOp::IsNull, operand) => format!("({} ISNULL)", show(operand)),
        ExprKind::Unary(UnaryOp::NotNull, operand) => format!("({} NOTNULL)", show(operand)),
        ExprKind::Unary(op, operand) => format!("({} {})", prefix(op), show(operand)),
        ExprKind::Binary(op, left, right) => format!("({} {} {})", show(left), infix(op), show(right)),
        ExprKind::Like(like) => {
            let op = match like.op {
                LikeOp::Like => "LIKE",
                LikeOp::Glob => "GLOB",
                LikeOp::Regexp => "REGEXP",
                LikeOp::Match => "MATCH",
            };
            let escape = like.escape.map(|escape| format!(" ESCAPE {}", show(&escape))).unwrap_or_default();
            format!("({} {}{op} {}{escape})", show(&like.value), not(like.not), show(&like.pattern))
        }
        ExprKind::Between(b) => {
            format!("({} {}BETWEEN {} AND {})", show(&b.value), not(b.not), show(&b.low), show(&b.high))
        }
        ExprKind::In(node) => {
            let InSet::List(items) = node.set else { panic!("only lists are generated") };
            let items: Vec<_> = items.iter().map(show).collect();
            format!("({} {}IN ({}))", show(&node.value), not(node.not), items.join(", "))
        }
        ExprKind::Collate(collate) => format!("({} COLLATE {})", show(&collate.value), collate.collation.name),
        ExprKind::RowValue(values) => {
            let values: Vec<_> = values.iter().map(show).collect();
            format!("({})", values.join(", "))
        }
        _ => String::from_utf8_lossy(expr.span.text(sql)).into_owned(),
    }
}

fn prefix(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Minus => "-",
        UnaryOp::Plus => "+",
        UnaryOp::BitNot => "~",
        UnaryOp::Not => "NOT",
        UnaryOp::IsNull | UnaryOp::NotNull => unreachable!("stand behind their operand"),
    }
}

fn infix(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Or => "OR",
        BinaryOp::And => "AND",
        BinaryOp::Eq => "=",
        BinaryOp::Ne => "<>",
        BinaryOp::Is => "IS",
        BinaryOp::IsNot => "IS NOT",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Modulo => "%",
        BinaryOp::Concat => "||",
        BinaryOp::Arrow => "->",
        BinaryOp::DoubleArrow => "->>",
    }
}
