//! Any bytes as the arguments of a built-in function: the first byte chooses the call, the second whether arguments are texts or BLOBs
//! and the encoding of the database; the rest is cut into arguments at bytes 0xff.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lithe_engine::{Connection, OpenFlags};
use lithe_fuzz::{run, sql_literal, watch};

/// A call each; `?` stands for an argument.
const CALLS: [&str; 40] = [
    "json(?)",
    "hex(jsonb(?))",
    "json_valid(?, 15)",
    "json_error_position(?)",
    "json_extract(?, ?)",
    "? -> ?",
    "? ->> ?",
    "json_set(?, ?, ?)",
    "json_insert(?, ?, ?)",
    "json_array_insert(?, ?, ?)",
    "json_remove(?, ?)",
    "json_patch(?, ?)",
    "json_pretty(?, ?)",
    "json_type(?, ?)",
    "json_array_length(?, ?)",
    "json_quote(?)",
    "json_object(?, ?)",
    "(SELECT count(fullkey || path || id) FROM json_each(?, ?))",
    "(SELECT count(fullkey || path || id) FROM json_tree(?, ?))",
    "printf(?, ?, ?)",
    "? LIKE ?",
    "? GLOB ?",
    "like(?, ?, ?)",
    "substr(?, ?, ?)",
    "replace(?, ?, ?)",
    "trim(?, ?)",
    "instr(?, ?)",
    "unhex(?, ?)",
    "hex(?)",
    "quote(?)",
    "unistr(?)",
    "upper(?) || lower(?)",
    "? + ? * ?",
    "CAST(? AS NUMERIC)",
    "strftime(?, ?, ?)",
    "datetime(?, ?, ?)",
    "timediff(?, ?)",
    "round(?, ?)",
    "concat_ws(?, ?, ?)",
    "unicode(?) || char(?)",
];

fuzz_target!(|bytes: &[u8]| {
    let [call, kind, arguments @ ..] = bytes else { return };
    if arguments.len() > 4096 {
        return;
    }
    let connection = Connection::open(b":memory:", OpenFlags::READWRITE | OpenFlags::CREATE).expect("memory");
    let watch = watch(&connection);
    if kind & 2 != 0 {
        run(&connection, b"PRAGMA encoding = 'UTF-16le'");
    }
    let mut arguments = arguments.split(|&byte| byte == 0xff);
    let mut sql = String::from("SELECT ");
    for character in CALLS[usize::from(*call) % CALLS.len()].chars() {
        if character != '?' {
            sql.push(character);
            continue;
        }
        sql += &sql_literal(arguments.next().unwrap_or_default(), kind & 1 == 0);
    }
    run(&connection, sql.as_bytes());
    drop(watch);
});
