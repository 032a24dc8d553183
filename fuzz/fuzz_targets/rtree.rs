//! Damaged nodes of R-Trees, node BLOBs as arguments of functions, shapes of Geopoly, and any window.
//!
//! ```text
//!   input   options | window (16 bytes) | ( which | length | bytes )*
//! ```
//!
//! Each `which` chooses a row of a shadow table, whose value becomes the bytes; with an odd length they overwrite only the
//! beginning of the value, so that most of it stays sound.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lithe_engine::{Connection, OpenFlags};
use lithe_fuzz::{run, watch};

const TABLES: &[&str] = &[
    "CREATE VIRTUAL TABLE t USING rtree(id, x0, x1, y0, y1, +extra)",
    "CREATE VIRTUAL TABLE t USING rtree_i32(id, x0, x1)",
    "CREATE VIRTUAL TABLE t USING rtree(id, x0, x1, y0, y1, z0, z1)",
    "CREATE VIRTUAL TABLE t USING geopoly(extra)",
];

const ROWS: &[&str] = &[
    "INSERT INTO t(id, x0, x1, y0, y1) SELECT i * 3, i % 17, i % 17 + 2, i % 11, i % 11 + 1 FROM n",
    "INSERT INTO t SELECT i * 3, i % 17, i % 17 + 2 FROM n",
    "INSERT INTO t SELECT i * 3, i % 17, i % 17 + 2, i % 11, i % 11 + 1, i % 5, i % 5 + 1 FROM n",
    "INSERT INTO t(_shape) SELECT printf('[[%d,%d],[%d,%d],[%d,%d],[%d,%d]]', i % 17, i % 11, i % 17 + 2, i % 11, i % 17, i % 11 + 1, i % 17, i % 11) FROM n",
];

/// The shadow tables' values: table, column, and an expression of the row's key in which `?` is a number of the input.
const VALUES: &[(&str, &str, &str)] = &[
    ("t_node", "data", "nodeno = ?"),
    ("t_node", "data", "nodeno IN (SELECT nodeno FROM t_node LIMIT 1 OFFSET ?)"),
    ("t_node", "nodeno", "nodeno = ?"),
    ("t_parent", "parentnode", "nodeno = ?"),
    ("t_rowid", "nodeno", "rowid = ?"),
];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fuzz_target!(|bytes: &[u8]| {
    let Some((options, rest)) = bytes.split_first() else { return };
    let (window, mut changes) = rest.split_at(rest.len().min(16));
    let kind = usize::from(*options) % TABLES.len();
    let connection = Connection::open(b":memory:", OpenFlags::READWRITE | OpenFlags::CREATE).expect("memory");
    connection.add_extensions(&[&lithe_rtree::EXTENSION]);
    let _watch = watch(&connection);
    run(&connection, b"PRAGMA page_size = 512");
    run(&connection, TABLES[kind].as_bytes());
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)";
    run(&connection, format!("{numbers} {}", ROWS[kind]).as_bytes());
    while let [which, len, tail @ ..] = changes {
        let bytes = &tail[..usize::from(*len).min(tail.len())];
        changes = &tail[bytes.len()..];
        let (table, column, key) = VALUES[usize::from(*which) % VALUES.len()];
        let key = key.replace('?', &(which / VALUES.len() as u8).to_string());
        let behind = if len % 2 == 1 { format!("|| substr({column}, {})", bytes.len() + 1) } else { String::new() };
        let sql = format!("UPDATE {table} SET {column} = CAST(x'{}' {behind} AS BLOB) WHERE {key}", hex(bytes));
        run(&connection, sql.as_bytes());
    }
    let bound = |at: usize| window.get(at).map_or(0, |byte| i64::from(*byte) - 100);
    match kind {
        3 => {
            let shape = hex(window);
            run(&connection, format!("SELECT rowid, geopoly_json(_shape) FROM t WHERE geopoly_overlap(_shape, x'{shape}')").as_bytes());
            run(&connection, format!("SELECT rowid FROM t WHERE geopoly_within(_shape, CAST(x'{shape}' AS TEXT))").as_bytes());
            run(&connection, format!("SELECT geopoly_area(x'{shape}'), geopoly_bbox(x'{shape}'), geopoly_ccw(x'{shape}')").as_bytes());
            run(&connection, b"INSERT INTO t(_shape) VALUES('[[0,0],[5,0],[0,5],[0,0]]')");
        }
        _ => {
            let sql = format!("SELECT * FROM t WHERE x0 > {} AND x1 <= {}", bound(0), bound(1));
            run(&connection, sql.as_bytes());
            run(&connection, format!("INSERT INTO t(id, x0, x1) VALUES({}, {1}, {1} + 3)", bound(2), bound(3)).as_bytes());
        }
    }
    run(&connection, format!("SELECT rtreenode(2, x'{0}'), rtreedepth(x'{0}')", hex(window)).as_bytes());
    run(&connection, b"SELECT rtreenode(2, data), rtreedepth(data) FROM t_node; SELECT rtreecheck('t')");
    run(&connection, b"UPDATE t SET id = id + 1000 WHERE id % 2; DELETE FROM t WHERE rowid % 5 = 0; PRAGMA integrity_check");
    run(&connection, b"DELETE FROM t; SELECT * FROM t; DROP TABLE t");
});
