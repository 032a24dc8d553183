//! Mapped files: their address space, growth, refused mappings, and truncation.

use std::fs::OpenOptions;

use lithe::{Connection, ResultCode};

use crate::script::Folder;

/// The address space of this process, in bytes.
#[cfg(target_os = "linux")]
fn address_space() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').next().unwrap().parse::<u64>().unwrap() * 4096
}

#[cfg(target_os = "linux")]
#[test]
fn many_files_take_little_address_space() {
    let folder = Folder::new();
    let dir = folder.sub("lithe");
    let before = address_space();
    let open = |n: usize| {
        let connection = Connection::open(dir.join(format!("{n}.db"))).unwrap();
        connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1); SELECT * FROM t").unwrap();
        connection
    };
    let connections: Vec<Connection> = (0..200).map(open).collect();
    let each = address_space().saturating_sub(before) / connections.len() as u64;
    assert!(each < 16 << 20, "{each} bytes a database");
}

/// A file outgrows its mapping repeatedly, while statements are on rows that they have read through each mapping.
#[test]
fn a_file_outgrows_its_mapping() {
    for mode in ["DELETE", "WAL"] {
        let folder = Folder::new();
        let path = folder.sub("lithe").join("a.db");
        let connection = Connection::open(&path).unwrap();
        let setup = "CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (0, hex(zeroblob(1000)))";
        connection.execute_batch(&format!("PRAGMA journal_mode = {mode}; PRAGMA synchronous = OFF; {setup}")).unwrap();
        let other = Connection::open(&path).unwrap();
        let mut readers = Vec::new();
        for round in 0..5 {
            let grow = format!(
                "WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT {})
                 INSERT INTO t SELECT {round} * 100000 + n, printf('%0.1000d', n) FROM r",
                400 << round
            );
            connection.execute_batch(&grow).unwrap();
            let mut reader = connection.prepare("SELECT b FROM t WHERE a > ?1").unwrap();
            reader.bind(1, round * 100_000).unwrap();
            assert_eq!(reader.step().unwrap().unwrap().get::<String>(0).unwrap(), format!("{:01000}", 1));
            readers.push(reader);
            let count: i64 = other.query_row("SELECT count(b) FROM t", [], |row| row.get(0)).unwrap();
            assert_eq!(count, 1 + 400 * ((2 << round) - 1), "{mode}");
        }
        for (round, reader) in readers.iter_mut().enumerate() {
            for n in 2..100 {
                assert_eq!(reader.step().unwrap().unwrap().get::<String>(0).unwrap(), format!("{n:01000}"), "{round}");
            }
        }
    }
}

/// A program without locks truncates the file during a read: the reader gets an error, the process continues, and so does the connection
/// once the file is complete again.
#[test]
fn a_file_that_is_cut_while_it_is_read() {
    for mode in ["DELETE", "WAL"] {
        let folder = Folder::new();
        let path = folder.sub("lithe").join("a.db");
        let connection = Connection::open(&path).unwrap();
        let setup = "CREATE TABLE t(a INTEGER PRIMARY KEY, b);
            WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 2000) INSERT INTO t SELECT n, printf('%0.500d', n) FROM r";
        connection
            .execute_batch(&format!("PRAGMA journal_mode = {mode}; {setup}; PRAGMA wal_checkpoint(TRUNCATE)"))
            .unwrap();
        let whole = std::fs::read(&path).unwrap();
        let elsewhere = Connection::open(folder.sub("lithe").join("other.db")).unwrap();
        elsewhere.execute_batch("CREATE TABLE u(a); INSERT INTO u VALUES (1)").unwrap();
        let mut untouched = elsewhere.prepare("SELECT a FROM u, (VALUES (1), (2))").unwrap();
        assert!(untouched.step().unwrap().is_some());

        let mut reader = connection.prepare("SELECT b FROM t").unwrap();
        let mut standing = connection.prepare("SELECT b FROM t ORDER BY a DESC").unwrap();
        assert!(reader.step().unwrap().is_some() && standing.step().unwrap().is_some());
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(20_000).unwrap();
        let failed = loop {
            match reader.step() {
                Ok(row) => assert!(row.is_some(), "{mode}: rows are missing"),
                Err(error) => break error,
            }
        };
        assert_eq!(failed.code().primary(), ResultCode::IOERR, "{mode}: {failed}");
        assert_eq!(standing.step().err().map(|error| error.code().primary()), Some(ResultCode::IOERR), "{mode}");
        drop((reader, standing));
        assert!(connection.query_row("SELECT sum(length(b)) FROM t", [], |row| row.get::<i64>(0)).is_err(), "{mode}");
        assert!(untouched.step().unwrap().is_some() && untouched.step().unwrap().is_none());

        // The connection may keep pages of the truncated file, because the header does not show that the file is complete again.
        drop(connection);
        std::fs::write(&path, &whole).unwrap();
        let connection = Connection::open(&path).unwrap();
        let sum = connection.query_row("SELECT sum(length(b)) FROM t", [], |row| row.get::<i64>(0)).unwrap();
        assert_eq!(sum, 2000 * 500, "{mode}");
        connection.execute_batch("DELETE FROM t WHERE a > 1000").unwrap();
        let check: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(check, "ok", "{mode}");
    }
}

/// A database that is opened without mapping is never mapped, and the truncation of its file is reported like other damage.
#[test]
fn a_file_that_is_not_to_be_mapped() {
    let folder = Folder::new();
    let path = folder.sub("lithe").join("a.db");
    let connection = Connection::open(format!("file:{}?mmap=0", path.display())).unwrap();
    let size: i64 = connection.query_row("PRAGMA mmap_size", [], |row| row.get(0)).unwrap();
    assert_eq!(size, 0);
    connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(100000))").unwrap();
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(5000).unwrap();
    let failed = connection.query_row("SELECT hex(a) FROM t", [], |row| row.get::<String>(0)).unwrap_err();
    assert!([ResultCode::CORRUPT, ResultCode::IOERR].contains(&failed.code().primary()), "{failed}");
}
