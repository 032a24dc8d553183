//! The first steps: a table, rows in and out, a transaction that is rolled back.
//!
//! ```sh
//! cargo run -p lithedb --example notes
//! ```

use lithe::{Connection, params};

fn main() -> lithe::Result<()> {
    let connection = Connection::open_in_memory()?;
    connection.execute("CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT NOT NULL, done INT DEFAULT 0)", [])?;

    // Compiled once, run for every note.
    let mut insert = connection.prepare("INSERT INTO note(text) VALUES (?1)")?;
    for text in ["buy milk", "call Ada", "water the plants"] {
        insert.execute([text])?;
    }

    let done = connection.execute("UPDATE note SET done = 1 WHERE text LIKE ?1", params!["%milk%"])?;
    println!("{done} note is done");

    // What is not committed is rolled back when the transaction is dropped.
    let transaction = connection.transaction()?;
    connection.execute("DELETE FROM note", [])?;
    drop(transaction);

    let mut open = connection.prepare("SELECT id, text FROM note WHERE NOT done ORDER BY text")?;
    while let Some(row) = open.step()? {
        let (id, text): (i64, &str) = (row.get(0)?, row.get(1)?);
        println!("{id}: {text}");
    }

    // Errors carry SQLite's code and message, and the place in the SQL.
    let error = connection.execute("SELECT nope FROM note", []).unwrap_err();
    println!("{error} ({:?}, at byte {})", error.code(), error.offset().unwrap_or(0));
    Ok(())
}
