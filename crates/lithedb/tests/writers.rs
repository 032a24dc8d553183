//! Several connections write at the same time, each statement in its own transaction: with a busy timeout no connection gets BUSY, and no
//! change is lost.

use std::time::Duration;

use lithe::Connection;

const THREADS: usize = 4;
const CHANGES: usize = 60;

/// `settings`: pragmas of each connection.
fn check(name: &str, settings: &str) {
    let folder = std::env::temp_dir().join(format!("lithe-writers-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("db");
    let connect = || {
        let connection = Connection::open(&path).unwrap();
        connection.busy_timeout(Duration::from_secs(60));
        connection.execute_batch(settings).unwrap();
        connection
    };
    let main = connect();
    main.execute_batch("CREATE TABLE t(id INTEGER PRIMARY KEY, n INT, filling TEXT)").unwrap();
    for _ in 0..10 {
        main.execute("INSERT INTO t(n, filling) VALUES (0, hex(zeroblob(900)))", []).unwrap();
    }
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                let connection = connect();
                for change in 0..CHANGES {
                    let id = ((thread + change) % 10 + 1) as i64;
                    connection.execute("UPDATE t SET n=n+1 WHERE id=?1", [id]).unwrap();
                }
            });
        }
    });
    let sum = main.query_row("SELECT sum(n) FROM t", [], |row| row.get::<i64>(0)).unwrap();
    assert_eq!(sum, (THREADS * CHANGES) as i64, "{settings}");
    let sound = main.query_row("PRAGMA integrity_check", [], |row| row.get::<String>(0)).unwrap();
    assert_eq!(sound, "ok", "{settings}");
    drop(main);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn with_a_log() {
    check("log", "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF");
}

/// The commit that restarts the log cuts the file, and not the commits that other threads append meanwhile.
#[test]
fn with_a_log_of_limited_length() {
    let limited = "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=3; PRAGMA journal_size_limit=0";
    check("limited-log", &format!("{limited}; PRAGMA synchronous=FULL"));
    check("limited-log", &format!("{limited}; PRAGMA synchronous=OFF"));
}

#[test]
fn with_a_journal() {
    check("journal", "PRAGMA journal_mode=DELETE; PRAGMA synchronous=OFF");
}
