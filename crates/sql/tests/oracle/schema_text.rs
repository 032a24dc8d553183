//! The text of a CREATE statement that the schema table stores.

use bumpalo::Bump;
use lithe_sql::ast::{Span, Stmt};
use lithe_sql::{Limits, parse_statement};
use rusqlite::Connection;

const STATEMENTS: &[&str] = &[
    "create  table main . n ( a /* b */ , c )",
    "create table if not exists n(a int) strict",
    "create table n(a primary key) without /* x */ rowid",
    "create temp table n(a)",
    "create  index main.n on t ( a )",
    "create unique index if not exists n on t(a) where a",
    "create view n as select 1",
    "create temp  view n(a) as select 1 from t",
    "create trigger n after insert on t begin select 1; end",
    "create temp trigger n after insert on t begin select 1  ; end",
    "create virtual table main.n using dbstat",
    "create virtual table n using fts5 ( a, b  )",
];
const TAILS: &[&str] = &["", ";", " ;", "  ", " /* x */", " /* x */ ;", " /* x */ \n ", "-- x\n", "\t; select 1"];

#[test]
fn schema_text_is_sqlites() {
    for statement in STATEMENTS {
        for tail in TAILS {
            let sql = format!("{statement}{tail}");
            let connection = Connection::open_in_memory().expect("open");
            connection.execute_batch("create table t(a)").expect("table");
            connection.execute_batch(&sql).expect(&sql);
            let theirs: String = connection
                .query_row(
                    "select sql from (select * from sqlite_schema union all select * from sqlite_temp_schema) where name='n'",
                    [],
                    |row| row.get(0),
                )
                .expect(&sql);
            assert_eq!(theirs, our_text(&sql), "{sql:?}");
        }
    }
}

fn our_text(sql: &str) -> String {
    let arena = Bump::new();
    let parsed = parse_statement(sql.as_bytes(), &arena, &Limits::default()).expect(sql);
    let (object, text): (_, Span) = match parsed.statement.and_then(|statement| statement.program()).expect(sql) {
        Stmt::CreateTable(table) => ("TABLE", table.text),
        Stmt::CreateIndex(index) if index.unique => ("UNIQUE INDEX", index.text),
        Stmt::CreateIndex(index) => ("INDEX", index.text),
        Stmt::CreateView(view) => ("VIEW", view.text),
        Stmt::CreateTrigger(trigger) => ("TRIGGER", trigger.text),
        Stmt::CreateVirtualTable(table) => ("VIRTUAL TABLE", table.text),
        other => panic!("{other:?}"),
    };
    format!("CREATE {object} {}", String::from_utf8_lossy(text.text(sql.as_bytes())))
}
