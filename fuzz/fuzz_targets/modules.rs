//! Any bytes as what the small modules read: arguments of their functions, ZIP archives and compressed files, CSV texts, pages of a
//! database.
//!
//! ```text
//!   input   what | options | bytes
//! ```
//!
//! `what` chooses one of [`PLAYS`]. Nothing here writes files but the archive in the folder for temporary files.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lithe_engine::{Connection, OpenFlags};
use lithe_fuzz::{run, sql_literal, watch};

/// What is done with the options and the bytes.
const PLAYS: [fn(&Connection, u8, &[u8]); 6] = [call, call, archive, archive_on_disk, table_of_csv, pages];

/// A call each; `?` stands for an argument, of which the bytes have some, divided by 0xff.
const CALLS: [&str; 34] = [
    "base64(?)",
    "base85(?), is_base85(?)",
    "decimal(?)",
    "decimal_exp(?)",
    "decimal_add(?, ?)",
    "decimal_sub(?, ?)",
    "decimal_mul(?, ?)",
    "decimal_cmp(?, ?)",
    "decimal_pow2(? + 0)",
    "(SELECT decimal_sum(column1) FROM (VALUES (?), (?), (?)))",
    "? COLLATE decimal < ?",
    "? COLLATE uint < ?",
    "ieee754(?)",
    "ieee754(? + 0, ? + 0)",
    "ieee754_mantissa(?), ieee754_exponent(?)",
    "ieee754_to_blob(? + 0), ieee754_from_blob(?)",
    "ieee754_inc(? + 0, ? + 0)",
    "sha1(?), sha1b(?)",
    "sha3(?, ? + 0)",
    "sha3_query(?, 256)",
    "sha1_query(?)",
    "regexp(?, ?)",
    "regexpi(?, ?)",
    "? REGEXP ?",
    "sqlar_uncompress(?, ? + 0)",
    "sqlar_uncompress(sqlar_compress(?), ? + 0)",
    "zipfile_cds(?)",
    "lsmode(?)",
    "(SELECT count(*) FROM (SELECT * FROM generate_series(?, ?, ?) LIMIT 100))",
    "(SELECT count(*) FROM (SELECT value FROM generate_series(? + 0, ? + 0, ? + 0) ORDER BY value DESC LIMIT 100 OFFSET 3))",
    "(SELECT count(*) FROM (SELECT * FROM generate_series(? + 0, ? + 0) WHERE value > ? AND value <= ? + 0 LIMIT 100))",
    "(SELECT count(*) FROM completion(?, ?))",
    "(SELECT percentile(column1, ? + 0) FROM (VALUES (1), (?), (? + 0)))",
    "(SELECT median(column1) || percentile_cont(column1, ? + 0) || percentile_disc(column1, ? + 0) FROM (VALUES (? + 0), (2.5)))",
];

fuzz_target!(|bytes: &[u8]| {
    let [what, options, bytes @ ..] = bytes else { return };
    let connection = Connection::open(b":memory:", OpenFlags::READWRITE | OpenFlags::CREATE).expect("memory");
    connection.add_extensions(&[&lithe_modules::LIBRARY, &lithe_modules::SHELL]);
    let _watch = watch(&connection);
    PLAYS[usize::from(*what) % PLAYS.len()](&connection, *options, bytes);
});

/// A function, with arguments.
fn call(connection: &Connection, options: u8, bytes: &[u8]) {
    if bytes.len() > 4096 {
        return;
    }
    let (is_text, call) = (options & 1 == 0, usize::from(options >> 1) % CALLS.len());
    let mut arguments = bytes.split(|&byte| byte == 0xff);
    let mut sql = String::from("SELECT ");
    for character in CALLS[call].chars() {
        match character {
            '?' => sql += &sql_literal(arguments.next().unwrap_or_default(), is_text),
            _ => sql.push(character),
        }
    }
    run(connection, sql.as_bytes());
}

/// An archive as a BLOB.
fn archive(connection: &Connection, options: u8, bytes: &[u8]) {
    let archive = sql_literal(bytes, false);
    run(connection, format!("SELECT name, mode, mtime, sz, method, length(rawdata) FROM zipfile({archive})").as_bytes());
    run(connection, format!("SELECT data, json(zipfile_cds(z)) FROM zipfile({archive}) WHERE method <> {options}").as_bytes());
    run(connection, format!("SELECT zipfile(name, mode, mtime, data, method) FROM zipfile({archive})").as_bytes());
    run(connection, format!("SELECT data FROM zipfile({archive}) WHERE name > 'a' ORDER BY name DESC").as_bytes());
}

/// An archive as a file, which is changed.
fn archive_on_disk(connection: &Connection, options: u8, bytes: &[u8]) {
    let path = std::env::temp_dir().join(format!("lithe-fuzz-{}.zip", std::process::id()));
    std::fs::write(&path, bytes).expect("a temporary file");
    run(connection, format!("CREATE VIRTUAL TABLE temp.z USING zipfile('{}')", path.display()).as_bytes());
    run(connection, b"SELECT * FROM z; SELECT name, length(data) FROM z WHERE sz > 3");
    run(connection, format!("INSERT INTO z(name, data) VALUES('new{options}', zeroblob({options} * 9))").as_bytes());
    run(connection, b"BEGIN; UPDATE z SET mtime = 1, mode = '-rw-r--r--' WHERE name LIKE '%a%'; DELETE FROM z WHERE sz IS 0; COMMIT");
    run(connection, b"BEGIN; UPDATE z SET name = name || 'b'; ROLLBACK; INSERT INTO z(name, mode) VALUES('folder', 'drwxr-xr-x')");
    run(connection, b"SELECT name, data FROM z ORDER BY name; DROP TABLE z");
    _ = std::fs::remove_file(&path);
}

/// A CSV text as a table.
fn table_of_csv(connection: &Connection, options: u8, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).replace('\'', "''");
    let (data, schema) = match options & 4 {
        0 => (text, "a TEXT, b INT, c"),
        _ => (String::from("1,2,3\n\"x\"\"y\",,"), text.as_str()),
    };
    let header = ["", ", header", ", header=off", ", columns=3"][usize::from(options) % 4];
    let schema = if options & 12 == 0 { String::new() } else { format!(", schema='CREATE TABLE x({schema})'") };
    run(connection, format!("CREATE VIRTUAL TABLE temp.t USING csv(data='{data}'{header}{schema})").as_bytes());
    run(connection, b"SELECT * FROM t; SELECT count(*), max(rowid) FROM t; SELECT * FROM t WHERE rowid > 1 ORDER BY 1; DROP TABLE t");
}

/// Pages that are written.
///
/// ```text
///   bytes   ( page | offset / 2 | length | bytes )*
/// ```
fn pages(connection: &Connection, options: u8, bytes: &[u8]) {
    run(connection, b"PRAGMA page_size = 512; CREATE TABLE t(a INTEGER PRIMARY KEY, b); CREATE INDEX i ON t(b)");
    run(connection, b"INSERT INTO t SELECT value, 'text of row ' || value FROM generate_series(1, 60); INSERT INTO t VALUES(99, zeroblob(3000))");
    let mut changes = bytes;
    while let [page, at, len, tail @ ..] = changes {
        let bytes = &tail[..usize::from(*len).min(tail.len())];
        changes = &tail[bytes.len()..];
        let (at, new) = (usize::from(*at) * 2, sql_literal(bytes, false));
        let whole = format!("CAST(substr(data, 1, {at}) || {new} || substr(data, {} + 1) AS BLOB)", at + bytes.len());
        let (new, page) = if options & 1 == 0 { (whole, page % 16) } else { (new, *page) };
        run(connection, format!("UPDATE sqlite_dbpage SET data = {new} WHERE pgno = {page}").as_bytes());
    }
    run(connection, b"SELECT * FROM dbstat; SELECT * FROM dbstat WHERE aggregate = 1; SELECT pgno, data FROM sqlite_dbpage('main')");
    run(connection, b"SELECT name, path FROM dbstat WHERE name = 't' ORDER BY path; PRAGMA integrity_check; SELECT count(b) FROM t");
    let first = format!("INSERT INTO sqlite_dbpage(pgno, data) VALUES({}, zeroblob(512))", u16::from(options) + 1);
    run(connection, format!("BEGIN; {first}; INSERT INTO sqlite_dbpage(pgno, data) VALUES({options}, NULL); COMMIT").as_bytes());
    run(connection, b"ROLLBACK; INSERT INTO t(b) VALUES(5); SELECT * FROM t; SELECT sum(pgsize) FROM dbstat");
}
