//! The goals for BLOBs of about 10 kB.

use crate::blobs::Options;
use crate::frame::goals::Better;
use crate::frame::judge::GoalSpec;

/// The goals, the headline first.
pub fn goals(options: &Options) -> Vec<GoalSpec<'static>> {
    let size = kilobytes(options.size);
    let wanted = |chart, row, against, what: String, than, times| {
        let better = if chart == "disk" { Better::Smaller } else { Better::Faster };
        GoalSpec { chart, row, against, what, than, times, better, limit: None }
    };
    let read = |row, way: &str, against, than, times| {
        wanted("read", row, against, format!("Lithe reads {size} BLOBs {way}"), than, times)
    };
    let cold = |row, way: &str, against, than, times| {
        wanted("cold", row, against, format!("With cold caches, Lithe reads {size} BLOBs {way}"), than, times)
    };
    let write = |row, way: &str, against, than, times| {
        wanted("overwrite", row, against, format!("Lithe overwrites {size} BLOBs {way}"), than, times)
    };
    let commit = |row, way: &str, against, than, times| {
        wanted("commit", row, against, format!("Lithe overwrites {size} BLOBs durably one by one, {way},"), than, times)
    };
    vec![
        read("lithe-sql", "through SQL", "files-folder", "files", 2.3).within("limit-mapping"),
        read("lithe-blob", "through the BLOB interface", "files-folder", "files", 2.7).within("limit-mapping"),
        read("lithe-sql-buffered", "without mapping, with a small cache,", "files-folder", "files", 1.4)
            .within("limit-pread"),
        read("lithe-sql-each", "each in its own transaction", "files-folder", "files", 1.6).within("limit-mapping"),
        read("lithe-sql", "through SQL", "sqlite-blob-mapped", "SQLite's fastest way (BLOB interface, mapped)", 1.0)
            .within("limit-mapping"),
        wanted("lookup", "lithe", "sqlite", "Lithe looks up a small row by its key".to_owned(), "SQLite", 1.0),
        cold("lithe", "from a table", "files-folder", "files", 1.0).within("limit-pread"),
        cold("lithe", "from a table", "sqlite-mapped", "SQLite, mapped", 1.0).within("limit-pread"),
        write("lithe-wal", "in one transaction (WAL)", "sqlite-wal", "SQLite", 2.0).within("limit-wal"),
        write("lithe-wal", "in one transaction (WAL)", "files-in-place", "files in place", 1.0).within("limit-wal"),
        write("lithe-off", "without a journal", "sqlite-off", "SQLite", 1.5).within("limit-off"),
        write("lithe-off", "without a journal", "files-in-place", "files in place", 1.0).within("limit-off"),
        write("lithe-wal-random", "through randomblob() (WAL)", "sqlite-wal-random", "SQLite", 3.0).within("limit-wal"),
        write("lithe-off-random", "through randomblob() without a journal", "sqlite-off-random", "SQLite", 3.0)
            .within("limit-off"),
        commit("lithe-wal", "in WAL mode", "files-sync", "files with fsync", 1.0).within("limit-wal"),
        commit("lithe-delete", "with a rollback journal", "files-sync", "files with fsync", 1.0).within("limit-delete"),
        commit("lithe-wal-threads", "from several threads", "sqlite-wal-threads", "SQLite", 4.0)
            .within("limit-wal-threads"),
        wanted("disk", "lithe", "files-folder", "On the disk, Lithe's database is".to_owned(), "files", 1.1),
    ]
}

/// "10 kB", "500 bytes".
pub fn kilobytes(bytes: usize) -> String {
    match bytes {
        0..1000 => format!("{bytes} bytes"),
        1000..1_000_000 => format!("{} kB", bytes as f64 / 1e3),
        _ => format!("{} MB", bytes as f64 / 1e6),
    }
}
