//! Deep nesting: the same result as SQLite's well below the limit, an error above the limit, and never a stack overflow.

use bumpalo::Bump;
use lithe_sql::{Limits, parse_statement};

use crate::compare::{Oracle, Verdict};

/// Prefix, opening, middle, closing: the opening and the closing are repeated.
const SHAPES: &[(&str, &str, &str, &str)] = &[
    ("select ", "(", "1", ")"),
    ("select ", "- ", "1", ""),
    ("select ", "not ", "1", ""),
    ("select ", "abs(", "1", ")"),
    ("select ", "(1+", "1", ")"),
    ("select ", "(1,", "1", ")"),
    ("select ", "abs(1,", "1", ")"),
    ("select ", "case ", "1", " when 1 then 2 end"),
    ("select ", "case when 1 then ", "1", " end"),
    ("select ", "case when 1 then 2 else ", "1", " end"),
    ("select ", "(select ", "1", ")"),
    ("select ", "exists(select ", "1", ")"),
    ("select ", "1 in (", "1", ")"),
    ("select ", "1 in (select ", "1", ")"),
    ("select ", "(select 1 from t group by ", "1", ")"),
    ("select ", "(select 1 from t order by ", "1", ")"),
    ("select ", "(select 1 union select ", "1", ")"),
    ("select ", "(values(", "1", "))"),
    ("select ", "cast(", "1", " as int)"),
    ("select ", "1 between ", "1", " and 2"),
    ("select ", "1 between 1 and (", "1", ")"),
    ("select ", "1 like (", "1", ")"),
    ("select ", "sum(1) over (order by ", "1", ")"),
    ("select ", "sum(1) filter (where ", "1", ")"),
    ("select * from ", "(", "t", ")"),
    ("select * from ", "t join (", "t", ")"),
    ("select * from ", "(select * from ", "t", ")"),
    ("select * from t join u on ", "(select * from t join u on ", "1", ")"),
    ("", "with a as (", "select 1", ") select 1"),
    ("create table z(a check(", "(", "1", ")"),
    ("create trigger tr after insert on t begin select ", "(", "1", "); end;"),
    ("update t set a=", "(", "1", ")"),
    ("create virtual table v using nomodule(", "(", "1", ")"),
];

fn sql(shape: &(&str, &str, &str, &str), depth: usize) -> String {
    let (prefix, open, middle, close) = shape;
    format!("{prefix}{}{middle}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn moderate_nesting_agrees() {
    let oracle = Oracle::new();
    for shape in SHAPES {
        for depth in [10, 100, 240] {
            let sql = sql(shape, depth);
            if let Verdict::Differs(how) = oracle.compare(&sql) {
                panic!("{shape:?} {depth} times: {how}");
            }
        }
    }
}

#[test]
fn deep_nesting_is_refused() {
    for shape in SHAPES {
        for closed in [true, false] {
            let mut sql = sql(shape, 100_000);
            if !closed {
                sql.truncate(sql.len() / 2);
            }
            let arena = Bump::new();
            let result = parse_statement(sql.as_bytes(), &arena, &Limits::default());
            let message = result.expect_err("too deep").message;
            let expected = ["Recursion limit", "incomplete input"];
            assert!(expected.contains(&message.as_str()), "{shape:?}: {message}");
        }
    }
}

#[test]
fn parentheses_end_where_sqlites_do() {
    let oracle = Oracle::new();
    for depth in 2480..2510 {
        if let Verdict::Differs(how) = oracle.compare(&sql(&SHAPES[0], depth)) {
            panic!("{depth} times: {how}");
        }
    }
}
