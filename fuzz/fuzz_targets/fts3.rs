//! Damaged shadow tables of FTS3 and FTS4, and any query.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lithe_engine::{Connection, OpenFlags};
use lithe_fuzz::full_text::{Kind, play};

const KIND: Kind = Kind {
    tables: &[
        "CREATE VIRTUAL TABLE t USING fts4(a, b)",
        "CREATE VIRTUAL TABLE t USING fts3(a, b, tokenize=porter)",
        "CREATE VIRTUAL TABLE t USING fts4(a, b, prefix='1,2', order=desc)",
        "CREATE VIRTUAL TABLE t USING fts4(a, b, content='', tokenize=unicode61)",
    ],
    values: &[
        ("t_segdir", "root", "idx = ?"),
        ("t_segments", "block", "blockid = ?"),
        ("t_segdir", "end_block", "idx = ?"),
        ("t_segdir", "leaves_end_block", "idx = ?"),
        ("t_segdir", "start_block", "idx = ?"),
        ("t_stat", "value", "id = ?"),
        ("t_docsize", "size", "docid = ?"),
    ],
    functions: "snippet(t), offsets(t), matchinfo(t, 'pcxsyb')",
    commands: &[
        "INSERT INTO t(t) VALUES('merge=4,2')",
        "INSERT INTO t(t) VALUES('integrity-check')",
        "INSERT INTO t(t) VALUES('optimize')",
        "CREATE VIRTUAL TABLE x USING fts4aux(t); SELECT * FROM x; SELECT * FROM x WHERE term > 'o'",
        "INSERT INTO t(t) VALUES('rebuild')",
    ],
};

fuzz_target!(|bytes: &[u8]| {
    let connection = Connection::open(b":memory:", OpenFlags::READWRITE | OpenFlags::CREATE).expect("memory");
    connection.add_extensions(&[&lithe_fts3::EXTENSION]);
    play(&connection, &KIND, bytes);
});
