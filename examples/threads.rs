//! One database, many threads: each has a connection of its own, readers never wait, writers take turns.
//!
//! ```sh
//! cargo run --release -p lithedb --example threads
//! ```

use std::time::Duration;

use lithe::{Connection, TransactionBehavior, params};

const WRITERS: i64 = 4;
const ROWS_EACH: i64 = 250;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("log.db");
    let connection = Connection::open(&path)?;
    connection.query_row("PRAGMA journal_mode=WAL", [], |row| row.get::<String>(0))?;
    connection.execute("CREATE TABLE log(writer INT, number INT)", [])?;

    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let path = &path;
            scope.spawn(move || write(path, writer).expect("a writer that waits its turn gets it"));
        }
        // A reader sees whole transactions, however many are under way.
        for _ in 0..5 {
            let count: i64 = connection.query_row("SELECT count(*) FROM log", [], |row| row.get(0)).unwrap();
            println!("{count} rows so far");
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    let count: i64 = connection.query_row("SELECT count(*) FROM log", [], |row| row.get(0))?;
    println!("{count} rows in the end");
    assert_eq!(count, WRITERS * ROWS_EACH);
    Ok(())
}

fn write(path: &std::path::Path, writer: i64) -> lithe::Result<()> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(10));
    for number in 0..ROWS_EACH {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        connection.execute("INSERT INTO log VALUES (?1, ?2)", params![writer, number])?;
        transaction.commit()?;
    }
    Ok(())
}
