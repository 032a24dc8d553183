//! A panic in the middle of a call of the C interface. Only a test can cause one, by a function that is registered
//! directly with the engine. The panic does not cross into C, the transaction is rolled back, and other connections
//! continue.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use lithe_engine::function::{self, Arity, Context, Flags, Function, Kind, ScalarFunction};
use lithe_engine::value::ValueRef;

use crate::blob::{sqlite3_blob_close, sqlite3_blob_open};
use crate::code;
use crate::connection::error::{sqlite3_errcode, sqlite3_errmsg};
use crate::connection::statement::sqlite3_stmt;
use crate::connection::{locked, sqlite3};
use crate::context::sqlite3_context;
use crate::exec::sqlite3_exec;
use crate::function::sqlite3_create_function;
use crate::open::{sqlite3_close, sqlite3_open_v2};
use crate::prepare::sqlite3_prepare_v2;
use crate::step::{sqlite3_finalize, sqlite3_reset, sqlite3_step};
use crate::value::sqlite3_value;

/// Panics when its argument is 20.
struct Panics;

impl ScalarFunction for Panics {
    fn call(&self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> function::Result {
        assert!(!matches!(args, [ValueRef::Integer(20)]), "a bug");
        context.answer(ValueRef::Null)
    }
}

const READWRITE_CREATE_URI: c_int = 0x2 | 0x4 | 0x40;

fn open(uri: &str) -> *mut sqlite3 {
    let (mut db, uri) = (null_mut(), CString::new(uri).unwrap());
    // SAFETY: a string of C, and a place for the handle.
    assert_eq!(unsafe { sqlite3_open_v2(uri.as_ptr(), &mut db, READWRITE_CREATE_URI, null()) }, code::OK);
    // SAFETY: the handle is open.
    let locked = unsafe { locked(db) }.unwrap();
    let kind = Kind::CustomScalar(Arc::new(Panics));
    locked.core().create_function(Function::custom("panics", Arity::Exactly(1), Flags::default(), kind)).unwrap();
    db
}

fn exec(db: *mut sqlite3, sql: &str) -> c_int {
    let sql = CString::new(sql).unwrap();
    // SAFETY: the handle is open, and this a string of C.
    unsafe { sqlite3_exec(db, sql.as_ptr(), None, null_mut(), null_mut()) }
}

fn must(db: *mut sqlite3, sql: &str) {
    assert_eq!(exec(db, sql), code::OK, "{sql}: {}", message(db));
}

fn message(db: *mut sqlite3) -> String {
    // SAFETY: the handle is open, and the message stands until the next call.
    unsafe { CStr::from_ptr(sqlite3_errmsg(db)) }.to_str().unwrap().to_owned()
}

fn prepare(db: *mut sqlite3, sql: &CStr) -> *mut sqlite3_stmt {
    let mut statement = null_mut();
    // SAFETY: the handle is open, and this a string of C.
    assert_eq!(unsafe { sqlite3_prepare_v2(db, sql.as_ptr(), -1, &mut statement, null_mut()) }, code::OK);
    statement
}

const FILL: &str = "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c); CREATE TABLE u(x BLOB);
    INSERT INTO u VALUES (zeroblob(10));
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60)
        INSERT INTO t SELECT i, 'row ' || i, zeroblob(i * 20) FROM n;";

/// Another connection finds no change, and writes.
fn check_other(other: *mut sqlite3) {
    let statement = prepare(other, c"SELECT count(*) FROM t WHERE b LIKE 'row %'");
    // SAFETY: live handles.
    unsafe {
        assert_eq!(sqlite3_step(statement), code::ROW, "{}", message(other));
        assert_eq!(crate::column::sqlite3_column_int(statement, 0), 60);
        sqlite3_finalize(statement);
    }
    must(other, "BEGIN IMMEDIATE; INSERT INTO t(b) VALUES ('row x'); ROLLBACK; UPDATE t SET c = 0 WHERE a = 1");
}

/// A write transaction, a statement on a row, an open BLOB; then a panic.
fn check_panic(uri: &str, journal_mode: &str) {
    let (db, other) = (open(uri), open(uri));
    must(db, &format!("PRAGMA journal_mode = {journal_mode}; {FILL}"));
    must(db, "BEGIN; DELETE FROM t WHERE a > 50");
    let standing = prepare(db, c"SELECT b FROM t");
    let failing = prepare(db, c"UPDATE t SET b = 'changed' WHERE panics(a) IS NULL");
    let mut blob = null_mut();
    // SAFETY: live handles, strings of C.
    unsafe {
        assert_eq!(sqlite3_step(standing), code::ROW);
        assert_eq!(
            sqlite3_blob_open(db, c"main".as_ptr(), c"u".as_ptr(), c"x".as_ptr(), 1, 0, &mut blob),
            code::OK,
            "{}",
            message(db)
        );
        assert_eq!(sqlite3_step(failing), code::INTERNAL);
        assert!(message(db).contains("must be closed"), "{}", message(db));
        check_other(other);
        for _ in 0..2 {
            assert_eq!(sqlite3_step(standing), code::INTERNAL);
            assert_eq!(sqlite3_reset(failing), code::INTERNAL);
            assert_eq!(exec(db, "SELECT 1"), code::INTERNAL);
            assert_eq!(sqlite3_errcode(db), code::INTERNAL);
        }
        sqlite3_blob_close(blob);
        sqlite3_finalize(standing);
        assert_eq!(sqlite3_finalize(failing), code::INTERNAL);
        assert_eq!(sqlite3_close(db), code::OK);
        check_other(other);
        assert_eq!(sqlite3_close(other), code::OK);
    }
}

/// An empty folder for this test.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("lithe-panics-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn others_continue() {
    let folder = folder("others");
    for mode in ["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "WAL"] {
        for cache in ["private", "shared"] {
            check_panic(&format!("file:{}/{mode}{cache}.db?cache={cache}", folder.display()), mode);
        }
    }
    check_panic("file:panics?mode=memory&cache=shared", "WAL");
    std::fs::remove_dir_all(folder).unwrap();
}

/// `nested(db)` runs a statement that panics on a connection.
unsafe extern "C" fn nested(_: *mut sqlite3_context, _: c_int, args: *mut *mut sqlite3_value) {
    // SAFETY: the argument is the address of a handle that is open.
    unsafe {
        let pointer = crate::value::sqlite3_value_int64(*args) as *mut sqlite3;
        assert_eq!(exec(pointer, "SELECT panics(20)"), code::INTERNAL);
    }
}

/// A panic in a call that user code makes while a statement is under way: locks are released when that statement has
/// ended, not before.
#[test]
fn calls_within_calls() {
    let folder = folder("within");
    for mode in ["DELETE", "WAL"] {
        let uri = format!("file:{}/{mode}.db", folder.display());
        let (db, other) = (open(&uri), open(&uri));
        must(db, &format!("PRAGMA journal_mode = {mode}; {FILL}"));
        let name: *const c_char = c"nested".as_ptr();
        // SAFETY: live handles, a string of C, a function of the right kind.
        unsafe {
            sqlite3_create_function(db, name, 1, 1, null_mut::<c_void>(), Some(nested), None, None);
        }
        let sql = format!("UPDATE t SET b = 'changed' || coalesce(nested({}), '')", db as usize);
        assert_eq!(exec(db, &sql), code::INTERNAL);
        assert!(message(db).contains("must be closed"), "{}", message(db));
        check_other(other);
        // SAFETY: live handles.
        unsafe {
            assert_eq!(sqlite3_close(db), code::OK);
            assert_eq!(sqlite3_close(other), code::OK);
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}
