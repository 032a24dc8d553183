//! A process that reads every few milliseconds does not prevent another process's log from restarting.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lithe::Connection;

use crate::script::Folder;

/// The environment variable with the database that the child process polls.
const POLLED: &str = "LITHE_POLLED";

/// Runs in a child process as its only test; in the parent it returns at once.
#[test]
fn polling_process() {
    let Ok(database) = std::env::var(POLLED) else { return };
    let connection = Connection::open(database).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
            done.store(true, Ordering::Relaxed);
        });
        let mut polls = 0;
        while !done.load(Ordering::Relaxed) {
            connection.query_row("SELECT count(*) FROM t", [], |row| row.get::<i64>(0)).unwrap();
            polls += 1;
            if polls == 20 {
                println!("polling");
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    });
}

#[test]
fn the_log_begins_anew_beside_a_process_that_polls() {
    let folder = Folder::new();
    let path = folder.file("polled.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE t(a)").unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["polled::polling_process", "--exact", "--nocapture"]).env(POLLED, &path);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.contains("polling")), "the process has not come up");
    let mut begun_anew = 0;
    let mut salts = [0; 8];
    for _ in 0..4000 {
        connection.execute("INSERT INTO t VALUES (zeroblob(3000))", []).unwrap();
        let mut header = [0; 24];
        let log = std::fs::File::open(folder.file("polled.db-wal")).unwrap();
        std::os::unix::fs::FileExt::read_exact_at(&log, &mut header, 0).unwrap();
        begun_anew += u32::from(std::mem::replace(&mut salts, header[16..24].try_into().unwrap()) != salts);
        if begun_anew > 2 {
            break;
        }
    }
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    assert!(begun_anew > 2, "the log grows on and on");
}
