//! Shared by the tests: SQLite in a process of its own, and databases whose pages can be told apart.
//!
//! SQLite and this crate must not open one file in one process: POSIX locks belong to the process.
#![allow(dead_code, reason = "each test uses its part")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use lithe_format::PageNo;
use lithe_pager::{BeginKind, OpenOptions, Pager};
use lithe_vfs::UnixVfs;
use rusqlite::fallible_iterator::FallibleIterator;

const SCRIPT_OF: &str = "LITHE_SQLITE_PROCESS";

/// SQLite in a process of its own, which is this test program started again. Every test file that uses it
/// has a test `sqlite_process` that calls [`serve`].
pub struct Sqlite {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Sqlite {
    pub fn open(path: &Path) -> Sqlite {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["sqlite_process", "--exact", "--nocapture", "--test-threads=1"])
            .env(SCRIPT_OF, path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let mut from = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        // The test harness prints a few words first.
        while !line.contains("ready.") {
            line.clear();
            assert_ne!(from.read_line(&mut line).unwrap(), 0, "the SQLite process died");
        }
        Sqlite { child, to, from }
    }

    /// Runs some SQL: the rows of the last statement, `|` between columns and a space between rows; or
    /// the error.
    pub fn sql(&mut self, sql: &str) -> String {
        writeln!(self.to, "{}", sql.replace('\n', " ")).unwrap();
        self.to.flush().unwrap();
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        line.trim_end().to_string()
    }

    /// Ends the process without closing the database.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Closes the database and ends the process.
    pub fn close(mut self) {
        assert_eq!(self.sql(".close"), "closed");
        drop(self.to);
        self.child.wait().unwrap();
    }
}

/// Runs some SQL in a process that ends with it.
pub fn sqlite(path: &Path, sql: &str) -> String {
    let mut sqlite = Sqlite::open(path);
    let answer = sqlite.sql(sql);
    sqlite.close();
    answer
}

/// The SQLite process: reads a line of SQL, answers a line, until there are no more.
pub fn serve() {
    let Some(path) = std::env::var_os(SCRIPT_OF) else { return };
    let mut connection = Some(rusqlite::Connection::open(path).unwrap());
    connection.as_ref().unwrap().busy_timeout(std::time::Duration::ZERO).unwrap();
    println!("ready.");
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        if line == ".close" {
            drop(connection.take());
            println!("closed");
            continue;
        }
        match run(connection.as_ref().unwrap(), &line) {
            Ok(answer) => println!("{answer}"),
            Err(error) => println!("error: {error}"),
        }
    }
    std::process::exit(0);
}

fn run(connection: &rusqlite::Connection, sql: &str) -> rusqlite::Result<String> {
    let mut answer = Vec::new();
    let mut batch = rusqlite::Batch::new(connection, sql);
    while let Some(mut statement) = batch.next()? {
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        answer.clear();
        while let Some(row) = rows.next()? {
            let cells: Vec<String> = (0..columns)
                .map(|at| match row.get_ref(at).unwrap() {
                    rusqlite::types::ValueRef::Null => "NULL".to_string(),
                    rusqlite::types::ValueRef::Integer(n) => n.to_string(),
                    rusqlite::types::ValueRef::Real(n) => n.to_string(),
                    rusqlite::types::ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
                    rusqlite::types::ValueRef::Blob(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
                })
                .collect();
            answer.push(cells.join("|"));
        }
    }
    Ok(answer.join(" "))
}

/// A folder of the test's own, removed with everything in it.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("lithe-test-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir(&path).unwrap();
        Folder(path)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn no(n: u32) -> PageNo {
    PageNo::new(n).unwrap()
}

/// Makes a database of SQLite's with one row a page, so that pages can be written without knowing
/// B-trees: row `i` holds a blob that begins with "MARK", the row's number in four digits, and a value
/// of 8 bytes.
pub fn make_rows(path: &Path, rows: u32, pragmas: &str) {
    let answer = sqlite(
        path,
        &format!(
            "PRAGMA page_size=1024; {pragmas}; CREATE TABLE t(id INTEGER PRIMARY KEY, v BLOB); \
             WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<{rows}) \
             INSERT INTO t SELECT i, CAST(printf('MARK%04d%08d', i, 0) AS BLOB) || zeroblob(800) FROM n;"
        ),
    );
    assert_eq!(answer, "");
}

/// Reads the rows with SQL.
pub const SELECT_VALUES: &str = "SELECT CAST(substr(CAST(v AS BLOB),9,8) AS INTEGER) FROM t ORDER BY id";

/// Where the rows are.
pub struct Rows {
    places: Vec<(PageNo, usize)>,
}

impl Rows {
    /// Finds them in a transaction of `pager`.
    pub fn find(pager: &Pager, rows: u32) -> Rows {
        let mut places = vec![None; rows as usize];
        for n in 1..=pager.page_count() {
            let page = pager.page(no(n)).unwrap();
            for at in 0..page.len() - 8 {
                if &page[at..at + 4] == b"MARK"
                    && let Ok(Ok(row)) = std::str::from_utf8(&page[at + 4..at + 8]).map(str::parse::<usize>)
                {
                    places[row - 1] = Some((no(n), at + 8));
                }
            }
        }
        Rows { places: places.into_iter().map(|place| place.expect("every row is found")).collect() }
    }

    pub fn text(&self, pager: &Pager, row: u32) -> String {
        let (page, at) = self.places[row as usize - 1];
        let page = pager.page(page).unwrap();
        String::from_utf8(page[at..at + 8].to_vec()).unwrap()
    }

    pub fn set_text(&self, pager: &Pager, row: u32, value: &str) {
        let (page, at) = self.places[row as usize - 1];
        pager.write(page).unwrap()[at..at + 8].copy_from_slice(value.as_bytes());
    }

    pub fn get(&self, pager: &Pager, row: u32) -> u32 {
        self.text(pager, row).parse().unwrap()
    }

    pub fn set(&self, pager: &Pager, row: u32, value: u32) {
        self.set_text(pager, row, &format!("{value:08}"));
    }

    pub fn all(&self, pager: &Pager) -> String {
        let values: Vec<String> = (1..=self.places.len() as u32).map(|row| self.get(pager, row).to_string()).collect();
        values.join(" ")
    }
}

pub fn open(path: &Path) -> Pager {
    open_with(path, &OpenOptions::default())
}

pub fn open_with(path: &Path, options: &OpenOptions) -> Pager {
    Pager::open(Arc::new(UnixVfs), path, options).unwrap()
}

/// Runs a write transaction.
pub fn write(pager: &Pager, work: impl FnOnce()) {
    pager.begin_write(BeginKind::Immediate).unwrap();
    work();
    pager.commit().unwrap();
    pager.end_read().unwrap();
}
