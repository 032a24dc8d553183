//! What the fuzz targets share: databases in memory, and everything that a user may do with one.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use lithe_engine::value::ValueRef;
use lithe_engine::{Connection, InterruptHandle, OpenFlags, Step};
use lithe_vfs::{MemoryVfs, OpenFlags as FileFlags, Vfs};

/// The name under which images are opened.
pub const NAME: &str = "/fuzz.db";

/// How long one input may run: what takes longer is interrupted, as a user would. Only what cannot be interrupted
/// is a finding (libFuzzer's `-timeout`).
const PATIENCE: Duration = Duration::from_millis(300);

/// A place in memory with these files.
pub fn place(files: &[(&str, &[u8])]) -> Arc<MemoryVfs> {
    let vfs = Arc::new(MemoryVfs::new());
    for (name, content) in files {
        let flags = FileFlags::MAIN_DB | FileFlags::READWRITE | FileFlags::CREATE;
        let file = vfs.open(Some(Path::new(name)), flags).expect("a new file in memory").file;
        file.write_at(content, 0).expect("memory");
    }
    vfs
}

/// The content of a file, if it is there.
pub fn content(vfs: &MemoryVfs, name: &str) -> Option<Vec<u8>> {
    let file = vfs.open(Some(Path::new(name)), FileFlags::MAIN_DB | FileFlags::READWRITE).ok()?.file;
    let mut bytes = vec![0; file.size().ok()? as usize];
    file.read_at(&mut bytes, 0).ok()?;
    Some(bytes)
}

/// Opens the database of a place.
pub fn open(vfs: Arc<MemoryVfs>) -> Option<Connection> {
    Connection::open_with_vfs(NAME.as_bytes(), OpenFlags::DEFAULT, Some(vfs)).ok()
}

/// Interrupts a connection when its time is over. Dropping it calls it off.
pub struct Watch(#[allow(dead_code)] Sender<()>);

/// Watches a connection.
pub fn watch(connection: &Connection) -> Watch {
    let (stop, stopped) = channel::<()>();
    let handle: InterruptHandle = connection.interrupt_handle();
    std::thread::spawn(move || {
        // Each statement forgets the interrupt of the one before: ask again and again.
        let mut patience = PATIENCE;
        while stopped.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
            handle.interrupt();
            patience = Duration::from_millis(5);
        }
    });
    Watch(stop)
}

/// Runs all statements of `sql`; errors are as good as results.
pub fn run(connection: &Connection, sql: &[u8]) {
    let mut rest = sql;
    // A text of many statements, each of which fails, must end, too.
    for _ in 0..200 {
        let Ok(prepared) = connection.prepare(rest) else { return };
        let tail = prepared.tail.min(rest.len());
        if let Some(mut statement) = prepared.statement {
            let mut rows = 0;
            while rows < 2000 && matches!(statement.step(connection), Ok(Step::Row)) {
                rows += 1;
                (0..statement.column_count()).for_each(|column| look_at(statement.value(column)));
            }
            statement.reset(connection);
        }
        if tail == 0 || tail >= rest.len() {
            return;
        }
        rest = &rest[tail..];
    }
}

/// Touches every byte.
fn look_at(value: ValueRef<'_>) {
    if let Some(bytes) = value.bytes() {
        std::hint::black_box(bytes.iter().fold(0_u8, |sum, byte| sum ^ byte));
    }
}

/// Reads all there is, checks it, changes it.
pub fn use_all(connection: &Connection) {
    run(connection, b"PRAGMA integrity_check; PRAGMA quick_check; PRAGMA foreign_key_check; SELECT * FROM sqlite_master");
    for table in tables(connection) {
        let name = format!("\"{}\"", table.replace('"', "\"\""));
        run(connection, format!("SELECT * FROM {name}; SELECT count(*) FROM {name}").as_bytes());
        run(connection, format!("SELECT * FROM {name} ORDER BY 1 DESC, 2 LIMIT 20").as_bytes());
        run(connection, format!("SELECT rowid FROM {name} WHERE rowid > 5").as_bytes());
        run(connection, format!("INSERT INTO {name} DEFAULT VALUES").as_bytes());
        run(connection, format!("INSERT OR REPLACE INTO {name} SELECT * FROM {name} LIMIT 50").as_bytes());
        run(connection, format!("BEGIN; DELETE FROM {name} WHERE rowid % 2; ROLLBACK").as_bytes());
        run(connection, format!("DELETE FROM {name}").as_bytes());
        run(connection, b"ROLLBACK");
    }
    run(connection, b"CREATE TABLE fuzz(a, b UNIQUE); INSERT INTO fuzz VALUES(1, zeroblob(9000)); DROP TABLE fuzz");
    run(connection, b"PRAGMA incremental_vacuum(3); REINDEX; PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA integrity_check");
}

fn tables(connection: &Connection) -> Vec<String> {
    let mut names = Vec::new();
    let Ok(prepared) = connection.prepare(b"SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 8") else { return names };
    let Some(mut statement) = prepared.statement else { return names };
    while matches!(statement.step(connection), Ok(Step::Row)) {
        names.extend(statement.value(0).bytes().map(|name| String::from_utf8_lossy(name).into_owned()));
    }
    statement.reset(connection);
    names
}

/// The databases that the images start from. See `seeds`.
pub mod sample {
    use super::*;

    /// A database with everything that can break; of 512-byte pages, so that it is small and has many.
    const SCHEMA: &str = "
        CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT COLLATE NOCASE, c, CHECK(a <> 77));
        CREATE INDEX ti ON t(b DESC, c) WHERE b IS NOT NULL;
        CREATE TABLE w(k TEXT PRIMARY KEY, v NOT NULL DEFAULT 3) WITHOUT ROWID;
        CREATE TABLE s(x INT, y TEXT, z ANY, g INT AS (x + 1)) STRICT;
        CREATE VIEW v AS SELECT b, count(*) FROM t GROUP BY b;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40)
            INSERT INTO t SELECT i, 'k' || i % 17, zeroblob(i * i) FROM n;
        INSERT INTO w SELECT b || a, a FROM t;
        INSERT INTO s SELECT a, b, c FROM t WHERE a < 9;
        DELETE FROM t WHERE a BETWEEN 20 AND 33;";

    /// A database under these pragmas.
    pub fn database(pragmas: &str) -> Vec<u8> {
        let vfs = place(&[]);
        let connection = open(vfs.clone()).expect("a new database");
        run(&connection, format!("PRAGMA page_size = 512; {pragmas}; BEGIN; {SCHEMA} COMMIT").as_bytes());
        connection.close().expect("closing");
        let image = content(&vfs, NAME).expect("a database was written");
        assert!(image.len() > 10_000, "the sample's statements failed");
        image
    }

    /// A database, its log with three transactions, its shared memory's index being made anew by whoever opens it.
    pub fn with_log() -> (Vec<u8>, Vec<u8>) {
        let vfs = place(&[(NAME, &database(""))]);
        let connection = open(vfs.clone()).expect("a database");
        run(&connection, b"PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
        run(&connection, b"UPDATE t SET b = 'k5' WHERE a < 4; INSERT INTO t(b) VALUES ('logged'); DELETE FROM w WHERE k < 'k3'");
        let files = (content(&vfs, NAME).expect("a database"), content(&vfs, "/fuzz.db-wal").expect("a log"));
        let _ = connection.close();
        files
    }

    /// A database in the middle of a spilled transaction, and the journal that rolls it back.
    pub fn with_journal() -> (Vec<u8>, Vec<u8>) {
        let vfs = place(&[(NAME, &database(""))]);
        let connection = open(vfs.clone()).expect("a database");
        run(&connection, b"PRAGMA cache_size = 2; BEGIN; UPDATE t SET c = zeroblob(700), b = 'spilled'; DELETE FROM w; INSERT INTO t(b) SELECT 'x' || a FROM t");
        let files = (content(&vfs, NAME).expect("a database"), content(&vfs, "/fuzz.db-journal").expect("a journal"));
        let _ = connection.close();
        files
    }
}
