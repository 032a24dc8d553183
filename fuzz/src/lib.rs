//! What the fuzz targets share: databases in memory, and everything that a user may do with one.

pub mod full_text;
pub mod seal;

use std::path::Path;
use std::sync::{Arc, Mutex, Once};
use std::time::{Duration, Instant};

use lithe_engine::value::ValueRef;
use lithe_engine::{Connection, InterruptHandle, OpenFlags, Step};
use lithe_vfs::{Fault, Loss, MemoryVfs, OpenFlags as FileFlags, Sim, Vfs};

/// The name under which images are opened.
pub const NAME: &str = "/fuzz.db";

/// How long one input may run: what takes longer is interrupted, as a user would. Only what cannot be interrupted
/// is a finding (libFuzzer's `-timeout`).
const PATIENCE: Duration = Duration::from_millis(300);

/// What a file of an input may grow to. Reserving more costs more than most inputs.
const FILE_LEN_MAX: usize = 64 << 20;

/// A place in memory with these files.
pub fn place(files: &[(&str, &[u8])]) -> Arc<MemoryVfs> {
    let vfs = Arc::new(MemoryVfs::with_capacity(FILE_LEN_MAX));
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
pub fn open(vfs: Arc<dyn Vfs>) -> Option<Connection> {
    Connection::open_with_vfs(NAME.as_bytes(), OpenFlags::DEFAULT, Some(vfs)).ok()
}

/// Calls off the watch over a connection when it is dropped.
pub struct Watch(u64);

/// A connection that is watched, and when its time is over.
struct Watched {
    id: u64,
    handle: InterruptHandle,
    until: Instant,
}

/// All that are watched, and the number of the next.
static WATCHED: Mutex<(Vec<Watched>, u64)> = Mutex::new((Vec::new(), 0));

/// Interrupts a connection when its time is over. One thread watches over all: one for each input costs more than
/// most inputs.
pub fn watch(connection: &Connection) -> Watch {
    static WATCHMAN: Once = Once::new();
    WATCHMAN.call_once(|| drop(std::thread::spawn(interrupt_the_late)));
    let mut watched = WATCHED.lock().expect("no panic while it is held");
    watched.1 += 1;
    let id = watched.1;
    watched.0.push(Watched { id, handle: connection.interrupt_handle(), until: Instant::now() + PATIENCE });
    Watch(id)
}

fn interrupt_the_late() {
    loop {
        // Each statement forgets the interrupt of the one before: ask again and again.
        std::thread::sleep(Duration::from_millis(5));
        let now = Instant::now();
        let watched = WATCHED.lock().expect("no panic while it is held");
        watched.0.iter().filter(|watched| watched.until < now).for_each(|watched| watched.handle.interrupt());
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        WATCHED.lock().expect("no panic while it is held").0.retain(|watched| watched.id != self.0);
    }
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
            _ = statement.reset(connection);
        }
        if tail == 0 || tail >= rest.len() {
            return;
        }
        rest = &rest[tail..];
    }
}

/// Any bytes as a literal of SQL: a text or a BLOB.
pub fn sql_literal(bytes: &[u8], is_text: bool) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    if is_text { format!("CAST(x'{digits}' AS TEXT)") } else { format!("x'{digits}'") }
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
    _ = statement.reset(connection);
    names
}

/// The databases that the images start from. See `seeds`.
pub mod sample {
    use std::path::PathBuf;

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

    /// A database, its log with three transactions, its shared memory's index being made anew by the connection that opens it.
    pub fn with_log() -> (Vec<u8>, Vec<u8>) {
        // A database of files in memory does not enter WAL mode.
        let sim = Sim::with_files(1, vec![(PathBuf::from(NAME), database(""))]);
        let connection = open(sim.vfs()).expect("a database");
        run(&connection, b"PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
        run(&connection, b"UPDATE t SET b = 'k5' WHERE a < 4; INSERT INTO t(b) VALUES ('logged'); DELETE FROM w WHERE k < 'k3'");
        let read = |name: &str| sim.read_file(Path::new(name));
        let files = (read(NAME).expect("a database"), read("/fuzz.db-wal").expect("a log"));
        let _ = connection.close();
        files
    }

    /// A database in the middle of a commit, and the journal that rolls it back.
    pub fn with_journal() -> (Vec<u8>, Vec<u8>) {
        let image = database("");
        let find = |files: &[(PathBuf, Vec<u8>)], name: &str| {
            files.iter().find(|(path, _)| path == Path::new(name)).map(|(_, content)| content.clone())
        };
        for call in 1.. {
            let sim = Sim::with_files(call, vec![(PathBuf::from(NAME), image.clone())]);
            let connection = open(sim.vfs()).expect("a database");
            sim.fail_at(call, Fault::PowerLoss);
            run(&connection, b"UPDATE t SET c = zeroblob(700), b = 'other' WHERE a < 9");
            assert!(sim.is_off(), "the whole statement ran, and left no journal");
            sim.restart(Loss::KeepAll);
            let files = sim.files();
            let (database, journal) = (find(&files, NAME).expect("it was there"), find(&files, "/fuzz.db-journal"));
            // The last page that is written before the journal is gone.
            if let Some(journal) = journal.filter(|journal| journal.first() == Some(&0xd9))
                && database[512..] != image[512..]
            {
                return (database, journal);
            }
        }
        unreachable!("calls come to an end")
    }
}
