//! Damaged shadow tables of FTS5, and any query.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lithe_engine::{Connection, OpenFlags};
use lithe_fuzz::full_text::{Kind, play};

const KIND: Kind = Kind {
    tables: &[
        "CREATE VIRTUAL TABLE t USING fts5(a, b)",
        "CREATE VIRTUAL TABLE t USING fts5(a, b, detail=column, prefix='1 2')",
        "CREATE VIRTUAL TABLE t USING fts5(a, b, detail=none, tokenize=trigram)",
        "CREATE VIRTUAL TABLE t USING fts5(a, b, content='', contentless_delete=1)",
    ],
    values: &[
        ("t_data", "block", "id = ?"),
        ("t_data", "block", "id IN (SELECT id FROM t_data ORDER BY id LIMIT 1 OFFSET ?)"),
        ("t_idx", "pgno", "rowid = ?"),
        ("t_idx", "term", "segid = ?"),
        ("t_docsize", "sz", "id = ?"),
        ("t_config", "v", "k > ?"),
    ],
    functions: "snippet(t, -1, '[', ']', '...', 5), highlight(t, 0, '[', ']'), bm25(t), rank",
    commands: &[
        "INSERT INTO t(t, rank) VALUES('merge', 4)",
        "INSERT INTO t(t) VALUES('integrity-check')",
        "INSERT INTO t(t) VALUES('optimize')",
        "CREATE VIRTUAL TABLE x USING fts5vocab(t, instance); SELECT * FROM x; SELECT * FROM x WHERE term > 'o'",
        "INSERT INTO t(t) VALUES('rebuild')",
    ],
};

fuzz_target!(|bytes: &[u8]| {
    let connection = Connection::open(b":memory:", OpenFlags::READWRITE | OpenFlags::CREATE).expect("memory");
    connection.add_extensions(&[&lithe_fts5::EXTENSION]);
    play(&connection, &KIND, bytes);
});
