//! Measures parsing: nanoseconds per statement, for a few statements that applications send often.
//!
//! `cargo run --release -p lithe-sql --example parse_time`; under callgrind use a small number of rounds:
//! `valgrind --tool=callgrind target/release/examples/parse_time 1000`.

use std::time::Instant;

use bumpalo::Bump;
use lithe_sql::{Lexer, Limits, parse_statement};

const STATEMENTS: &[(&str, &str)] = &[
    ("point", "select * from user where id=?"),
    (
        "insert",
        "INSERT INTO data VALUES(1,'abcdefghij',3.25,NULL,5,'klmnopqrst',7,8,'uvwxyz',10,11.5,12,'0123456789',14,15,x'00ff')",
    ),
    ("update", "update user set c1=c1+1 where id=?"),
    (
        "join",
        "SELECT u.id, o.c1, count(*) AS n FROM user AS u JOIN orders o ON o.user_id = u.id \
         WHERE u.c1 > 10 AND o.c2 LIKE 'a%' GROUP BY u.id HAVING n > 1 ORDER BY n DESC LIMIT 10",
    ),
    (
        "create",
        "CREATE TABLE user(id INTEGER PRIMARY KEY AUTOINCREMENT, c1 INT NOT NULL DEFAULT 0, c2 VARCHAR(1000), c3 VARCHAR(1000))",
    ),
];

fn main() {
    let rounds: u32 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(300_000);
    let limits = Limits::default();
    let mut arena = Bump::with_capacity(64 * 1024);
    for (name, sql) in STATEMENTS {
        let sql = sql.as_bytes();
        let started = Instant::now();
        let mut tokens = 0;
        for _ in 0..rounds {
            tokens += Lexer::new(std::hint::black_box(sql)).count();
        }
        let lexed = started.elapsed() / rounds;
        let started = Instant::now();
        for _ in 0..rounds {
            arena.reset();
            std::hint::black_box(parse_statement(std::hint::black_box(sql), &arena, &limits)).expect("valid SQL");
        }
        let parsed = started.elapsed() / rounds;
        println!("{name:8} {:4} tokens  lexer {lexed:?}  parser {parsed:?}", tokens / rounds as usize);
    }
}
