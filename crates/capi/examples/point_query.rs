//! The cost of the C interface: a prepared point query of one integer and one short text, through C, through Rust, and
//! through the engine below both.
//!
//! ```text
//!   valgrind --tool=callgrind target/release/examples/point_query c 100000
//!   valgrind --tool=callgrind target/release/examples/point_query rust 100000
//!   valgrind --tool=callgrind target/release/examples/point_query engine 100000
//! ```
//!
//! The difference of two runs with different counts, divided by the difference of the counts, is the cost of one query.
//! Each side binds, steps, reads both values and ends the run. An interface adds its own work: C locks the connection
//! in every call, puts a NUL behind the text and stores the result code; Rust checks that the text is UTF-8 and that
//! the columns exist. A connection of the C library without a mutex (`c-nomutex`) locks nothing, as in Rust.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::{null, null_mut};

use lithe_engine::value::ValueRef;
use lithe_engine::{BindValue, OpenFlags, Step};
use sqlite3 as _; // the symbols below are this library's

unsafe extern "C" {
    fn sqlite3_open_v2(filename: *const c_char, db: *mut *mut c_void, flags: c_int, vfs: *const c_char) -> c_int;
    fn sqlite3_exec(
        db: *mut c_void,
        sql: *const c_char,
        callback: *const c_void,
        arg: *mut c_void,
        message: *mut *mut c_char,
    ) -> c_int;
    fn sqlite3_prepare_v2(
        db: *mut c_void,
        sql: *const c_char,
        n: c_int,
        statement: *mut *mut c_void,
        tail: *mut *const c_char,
    ) -> c_int;
    fn sqlite3_bind_int64(statement: *mut c_void, number: c_int, value: i64) -> c_int;
    fn sqlite3_step(statement: *mut c_void) -> c_int;
    fn sqlite3_column_int64(statement: *mut c_void, index: c_int) -> i64;
    fn sqlite3_column_text(statement: *mut c_void, index: c_int) -> *const u8;
    fn sqlite3_column_bytes(statement: *mut c_void, index: c_int) -> c_int;
    fn sqlite3_reset(statement: *mut c_void) -> c_int;
    fn sqlite3_finalize(statement: *mut c_void) -> c_int;
    fn sqlite3_close(db: *mut c_void) -> c_int;
}

const SETUP: &std::ffi::CStr = c"CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER, s TEXT);
    WITH RECURSIVE i(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM i WHERE x < 10000)
    INSERT INTO t SELECT x, x * 7, 'text number ' || x FROM i;
    BEGIN";
const QUERY: &std::ffi::CStr = c"SELECT n, s FROM t WHERE id = ?";

/// The rowids of a run, spread over the table.
fn ids(count: i64) -> impl Iterator<Item = i64> {
    (0..count).map(|i| i * 7919 % 10_000 + 1)
}

fn through_rust(count: i64) -> i64 {
    let connection = lithe::Connection::open_in_memory().unwrap();
    connection.execute_batch(SETUP.to_str().unwrap()).unwrap();
    let mut statement = connection.prepare(QUERY.to_str().unwrap()).unwrap();
    let mut sum = 0;
    for id in ids(count) {
        statement.bind(1, id).unwrap();
        let row = statement.step().unwrap().unwrap();
        let n: i64 = row.get(0).unwrap();
        let text: &str = row.get(1).unwrap();
        sum += n + text.len() as i64 + i64::from(text.as_bytes()[0]);
        statement.reset().unwrap();
    }
    sum
}

fn through_engine(count: i64) -> i64 {
    let connection = lithe_engine::Connection::open(b":memory:", OpenFlags::DEFAULT).unwrap();
    let mut rest = SETUP.to_bytes();
    while let Ok(prepared) = connection.prepare(rest) {
        let Some(mut statement) = prepared.statement else { break };
        while statement.step(&connection).unwrap() == Step::Row {}
        statement.reset(&connection).unwrap();
        rest = &rest[prepared.tail..];
    }
    let mut statement = connection.prepare(QUERY.to_bytes()).unwrap().statement.unwrap();
    let mut sum = 0;
    for id in ids(count) {
        statement.bind(&connection, 1, BindValue::Value(ValueRef::Integer(id))).unwrap();
        assert_eq!(statement.step(&connection).unwrap(), Step::Row);
        let ValueRef::Integer(n) = statement.value(0) else { panic!("not an integer") };
        let ValueRef::Text(text) = statement.value(1) else { panic!("not a text") };
        sum += n + text.len() as i64 + i64::from(text[0]);
        statement.reset(&connection).unwrap();
    }
    sum
}

const READWRITE_CREATE: c_int = 0x6;
const NOMUTEX: c_int = 0x8000;

fn through_c(count: i64, flags: c_int) -> i64 {
    let (mut db, mut statement) = (null_mut(), null_mut());
    let mut sum = 0;
    // SAFETY: the functions are called as their documentation says.
    unsafe {
        assert_eq!(sqlite3_open_v2(c":memory:".as_ptr(), &mut db, READWRITE_CREATE | flags, null()), 0);
        assert_eq!(sqlite3_exec(db, SETUP.as_ptr(), null(), null_mut(), null_mut()), 0);
        assert_eq!(sqlite3_prepare_v2(db, QUERY.as_ptr(), -1, &mut statement, null_mut()), 0);
        for id in ids(count) {
            assert_eq!(sqlite3_bind_int64(statement, 1, id), 0);
            assert_eq!(sqlite3_step(statement), 100);
            let n = sqlite3_column_int64(statement, 0);
            let text = sqlite3_column_text(statement, 1);
            sum += n + i64::from(sqlite3_column_bytes(statement, 1)) + i64::from(*text);
            sqlite3_reset(statement);
        }
        sqlite3_finalize(statement);
        sqlite3_close(db);
    }
    sum
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let count = arguments.get(2).and_then(|count| count.parse().ok()).unwrap_or(100_000);
    let sum = match arguments.get(1).map(String::as_str) {
        Some("rust") => through_rust(count),
        Some("engine") => through_engine(count),
        Some("c") => through_c(count, 0),
        Some("c-nomutex") => through_c(count, NOMUTEX),
        _ => {
            eprintln!("point_query rust|engine|c|c-nomutex COUNT");
            std::process::exit(2);
        }
    };
    println!("{sum}");
}
